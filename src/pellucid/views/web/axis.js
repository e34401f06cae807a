/**
 * What the rows or columns of a matrix stand for.
 *
 * @typedef {import("./trace.js").Trace} Trace
 * @typedef {{ trace: Trace, sentence: number, head: number }} Place
 * @typedef {{ letter: string, labels: string[], faint: boolean[], tokens: boolean }} Axis
 */

import { words } from "./words.js";

const OWN = /(?:^|\.)embed\.\w+$|\.(?:input|stream|output|residual)$/;

/**
 * @param {Place} place
 * @param {string} name of the value
 * @param {string} letter from the shape alphabet: T, S, K, …
 * @param {number} size
 * @returns {Axis}
 */
export function axis(place, name, letter, size) {
  const tokens = place.trace.tokens(name, letter, place.sentence);
  if (tokens) return ofTokens(letter, size, tokens);
  const labels = features(place, name, letter, size)
    ?? Array.from({ length: size }, (_, at) => `${at}`);
  return { letter, labels, faint: labels.map(() => true), tokens: "TS".includes(letter) };
}

/**
 * Positions beyond the sentence's own tokens are padding.
 * @param {string} letter
 * @param {number} size
 * @param {import("./trace.js").Tokens} tokens
 */
function ofTokens(letter, size, tokens) {
  const labels = Array.from({ length: size }, (_, at) => tokens.labels[at] ?? words.padding);
  return { letter, labels, faint: labels.map((_, at) => tokens.special[at] ?? true), tokens: true };
}

/**
 * The names of a value's columns: of vectors that are still the model's own features, and of a
 * head's part of them where there are no projections.
 * @param {Place} place
 * @param {string} name
 * @param {string} letter
 * @param {number} size
 * @returns {string[] | null}
 */
function features({ trace, head }, name, letter, size) {
  const { features = [], config } = trace.about;
  if (letter === "D" && OWN.test(name) && features.length === size) return features;
  const named = letter === "K" && config?.projections === "none" && features.length > 0;
  return named ? features.slice(head * size, (head + 1) * size) : null;
}
