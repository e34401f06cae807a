/**
 * Where one may go on a page: from layer to layer and from head to head.
 *
 * @typedef {import("./head.js").Choice} Choice
 * @typedef {import("./trace.js").Trace} Trace
 */

/**
 * The place that was asked for, within the trace; unasked, the last layer's first head.
 * @param {Trace} trace
 * @param {Partial<Choice>} asked
 * @returns {Choice}
 */
export function within({ about, stacks, sentences }, asked) {
  const least = (/** @type {number} */ count, /** @type {number} */ at) => Math.min(count - 1, at);
  const stack = least(stacks.length, asked.stack ?? 0);
  const { layers, heads } = stacks[stack];
  const { layer = layers.length - 1, head = 0 } = { ...about.shown, ...asked };
  const sentence = least(sentences, asked.sentence ?? 0);
  return { stack, layer: least(layers.length, layer), head: least(heads, head), sentence };
}

/**
 * Up and down go through the layers, from one stack into the next.
 * @param {Trace} trace
 * @param {Choice} choice
 * @param {[number, number]} arrow down and right
 * @returns {Partial<Choice>}
 */
export function moved(trace, choice, [down, right]) {
  const rows = trace.stacks.flatMap(({ layers, heads }, stack) =>
    layers.map((_, layer) => ({ stack, layer, heads })));
  const now = rows.findIndex(({ stack, layer }) =>
    stack === choice.stack && layer === choice.layer);
  const { stack, layer, heads } = rows[Math.max(0, Math.min(rows.length - 1, now + down))];
  return { stack, layer, head: Math.max(0, Math.min(heads - 1, choice.head + right)) };
}

/**
 * The direction of an arrow key, where it is meant for the page.
 * @param {KeyboardEvent} event
 * @param {Record<string, [number, number]>} arrows
 */
export function arrowOf(event, arrows) {
  const typing = event.target instanceof HTMLElement
    && event.target.closest("select, input, textarea, .scroll");
  return event.ctrlKey || event.altKey || typing ? undefined : arrows[event.key];
}
