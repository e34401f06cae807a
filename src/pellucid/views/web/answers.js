/**
 * What the last vectors say at one position: the likeliest next words, or the nearest ones; and
 * which of them could be drawn at a temperature, from the best k, or from the best that make p.
 *
 * @typedef {import("./trace.js").Answers} Answers
 * @typedef {import("./trace.js").Word} Word
 * @typedef {import("./trace.js").Tokens} Tokens
 * @typedef {{ temperature: number, k: number, p: number }} Drawing
 */

import { element, titled } from "./dom.js";
import { number } from "./number.js";
import { savers } from "./saving.js";
import { words } from "./words.js";

const FEW = 5;
const SHOWN = 12;
const GAP = /^(\[MASK\]|<mask>)$/; // what a word is hidden by

/**
 * @param {HTMLElement} section
 * @param {Answers["meaning"]} meaning
 * @param {{ best: Word[], label: string, note: string }} answer
 */
export function showAnswers(section, meaning, { best, label, note }) {
  const list = element("ol", {}, ...best.slice(0, FEW).map(line));
  const drawn = meaning === "next" && best.length > FEW
    ? [drawing(best, (chosen) => list.replaceChildren(...chosen.slice(0, SHOWN).map(line)))] : [];
  const scored = element("small", {}, meaning === "cosine" ? meaning : "probability");
  const title = words.answers[meaning];
  section.replaceChildren(
    titled(element("h2", {}, title, " ", element("bdi", {}, label), " ", scored),
      savers(() => title, () => section)),
    ...(note ? [element("p", { class: "told" }, note)] : []), list, ...drawn);
}

/** @param {Word} word */
function line({ piece, id, score }) {
  const bar = element("span", { class: "bar" });
  bar.style.setProperty("--share", `${Math.max(0, score ?? 0)}`);
  return element("li", { title: `id ${id}` },
    element("bdi", {}, piece), bar, element("span", { class: "score" },
      score === null ? "nan" : number(score)));
}

/**
 * Sliders for how a word would be drawn. At first nothing is changed.
 * @param {Word[]} best
 * @param {(chosen: Word[]) => void} show
 */
function drawing(best, show) {
  const told = element("small");
  /** @type {Record<string, HTMLInputElement>} */
  const sliders = {
    temperature: slider(words.temperature, 0.1, 2, 0.1, 1),
    k: slider("k", 1, best.length, 1, best.length),
    p: slider("p", 0.05, 1, 0.05, 1),
  };
  const act = () => {
    const [temperature, k, p] = Object.values(sliders).map(({ value }) => Number(value));
    told.textContent = words.drawnFrom(temperature, k, p);
    show(drawnFrom(best, { temperature, k, p }));
  };
  return element("details", { class: "drawing", oninput: act },
    element("summary", {}, words.drawing),
    ...Object.entries(sliders).map(([name, input]) =>
      element("label", {}, words.sliders[name], input)), told);
}

/**
 * @param {string} label
 * @param {number} min
 * @param {number} max
 * @param {number} step
 * @param {number} value
 */
function slider(label, min, max, step, value) {
  return element("input", { type: "range", "aria-label": label, min, max, step, value });
}

/**
 * The words that could be drawn, with their probabilities: those of the best k at this
 * temperature, of which the first that together reach p.
 * @param {Word[]} best
 * @param {Drawing} drawing
 * @returns {Word[]}
 */
export function drawnFrom(best, { temperature, k, p }) {
  const warm = best.slice(0, k).map(({ score }) => (score ?? 0) ** (1 / temperature));
  const whole = warm.reduce((a, b) => a + b, 0);
  let before = 0;
  const chosen = warm.filter((each) => {
    const reached = before >= p * whole;
    before += each;
    return !reached;
  });
  const left = chosen.reduce((a, b) => a + b, 0);
  return chosen.map((each, at) => ({ ...best[at], score: each / left }));
}

/**
 * The position to begin with: the end of a text that goes on, else a gap, or the longest word.
 * @param {Answers} answers
 * @param {Tokens} tokens
 */
export function firstPosition(answers, tokens) {
  if (answers.meaning === "next") return tokens.ids.length - 1;
  const gap = tokens.labels.findIndex((label) => GAP.test(label));
  if (gap >= 0) return gap;
  const lengths = tokens.labels.map((label, at) => (tokens.special[at] ? 0 : label.length));
  return lengths.indexOf(Math.max(...lengths));
}
