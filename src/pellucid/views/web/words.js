/**
 * The words of the interface, English; another language is another file like this one.
 */
export const words = {
  broken: "This page is damaged: its numbers cannot be read. Make it again, or copy it again.",
  sentence: "sentence",
  layers: (/** @type {number} */ count) => `${count} layer${count === 1 ? "" : "s"}`,
  heads: (/** @type {number} */ count) => `${count} head${count === 1 ? "" : "s"}`,
  wide: "wide",
  exact: (/** @type {string} */ dtype) =>
    `recorded in ${dtype}; the steps are computed here in float64`,
  token: (/** @type {number} */ id, /** @type {number} */ from, /** @type {number} */ to) =>
    from === to ? `id ${id}, stands for no characters` : `id ${id}, characters ${from} to ${to}`,
  stacks: /** @type {Record<string, string>} */ ({
    "encoder attention": "Encoder",
    "decoder attention": "Decoder",
    "decoder cross": "Decoder → source",
  }),
  overview: "layers ↓ heads →",
  head: (/** @type {string} */ stack, /** @type {number} */ layer, /** @type {number} */ head) =>
    `${stack}, layer ${layer}, head ${head}`,
  keys: "← → head   ↑ ↓ layer",
  larger: "larger",
  smaller: "smaller",
  padding: "padding",
  meanings: /** @type {Record<string, string>} */ ({
    q: "what each token asks for",
    k: "what each token offers",
    scores: "how well offers fit questions",
    scaled: "smaller, so that softmax stays gentle",
    biased: "near and far weigh differently",
    masked: "what may not be seen becomes −∞",
    weights: "where each row looks",
    v: "what each token hands over",
    mixed: "the weighted mean of v",
  }),
  answers: /** @type {Record<string, string>} */ ({
    probability: "Likeliest after",
    cosine: "Words nearest to",
  }),
};
