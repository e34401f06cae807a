/**
 * Answers under a what-if, where the page has the vectors of all words: small traces come whole.
 *
 * @typedef {import("./head.js").Head} Head
 * @typedef {import("./trace.js").Word} Word
 */

import { at, list, sum } from "../../formula/algebra/matrix.js";

const BEST = 5;
const LAST = { next: "head.probabilities", filling: "head.probabilities",
  cosine: "coder.output" };

/**
 * The best words at one position; null where nothing changes them or the page lacks weights.
 * @param {Head} head
 * @param {number} position
 * @returns {Word[] | null}
 */
export function answersAnew(head, position) {
  const { trace, reading } = head;
  if (!trace.answers || !trace.vocabulary.length) return null;
  const { meaning } = trace.answers;
  const name = [...trace.nodes.keys()].findLast((each) => each.endsWith(LAST[meaning]));
  if (!name || !reading.isTouched(name) || head.isEnd(name)) return null;
  const last = head.matrix(name);
  const row = last.data.subarray(position * last.columns, (position + 1) * last.columns);
  const scores = meaning !== "cosine" ? [...row]
    : cosines(row, head.matrix("embed.words.weight"));
  return scores.map((score, id) => ({ piece: trace.vocabulary[id], id, score }))
    .sort((a, b) => b.score - a.score).slice(0, BEST);
}

/**
 * @param {Float64Array} vector
 * @param {import("../../formula/algebra.js").Matrix} table
 */
function cosines(vector, table) {
  const length = (/** @type {number[]} */ x) => Math.sqrt(sum(x.map((each) => each * each)));
  return list(table.rows, (i) => {
    const word = list(table.columns, (j) => at(table, i, j));
    const dot = sum(word.map((x, j) => x * vector[j]));
    return dot / (length(word) * length([...vector]) || 1);
  });
}
