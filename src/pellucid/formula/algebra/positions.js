/**
 * Positions as numbers: waves, rotations, and biases that depend on distance.
 *
 * @typedef {"interleaved" | "half-split"} Layout
 */

import { at, list, matrix, total } from "./matrix.js";

/** @type {Record<string, import("./matrix.js").Operation>} */
export const positions = {
  rotate: ([x, places, frequencies], { layout }) => {
    const half = frequencies.columns;
    return matrix(x.rows, x.columns, (i, j) => {
      if (j >= 2 * half) return at(x, i, j);
      const [pair, first, second] = pairOf(j, half, layout);
      const angle = at(places, i, 0) * at(frequencies, 0, pair);
      const [a, b] = [at(x, i, first), at(x, i, second)];
      return j === first ? a * Math.cos(angle) - b * Math.sin(angle)
        : a * Math.sin(angle) + b * Math.cos(angle);
    });
  },
  sinusoid: ([places], { width, base, layout }) =>
    matrix(places.rows, width, (i, j) => {
      const [pair, first] = pairOf(j, width / 2, layout);
      const angle = at(places, i, 0) / base ** (2 * pair / width);
      return j === first ? Math.sin(angle) : Math.cos(angle);
    }),
  alibi: ([query, key, slopes]) =>
    list(slopes.columns, (h) => matrix(query.rows, key.rows, (i, j) =>
      -at(slopes, 0, h) * Math.abs(at(query, i, 0) - at(key, j, 0)))),
  bucket: ([query, key], { thresholds, direction }) =>
    matrix(query.rows, key.rows, (i, j) => {
      const ahead = at(key, j, 0) - at(query, i, 0);
      const distance = direction === "both" ? Math.abs(ahead) : -ahead;
      const reached = total(thresholds.length, (k) => (distance >= thresholds[k] ? 1 : 0));
      return direction === "both" && ahead > 0 ? reached + thresholds.length + 1 : reached;
    }),
  pick: ([table, buckets]) =>
    list(table.columns, (h) =>
      matrix(buckets.rows, buckets.columns, (i, j) => at(table, at(buckets, i, j), h))),
};

/**
 * Which pair column `j` belongs to, and where the pair's two members lie.
 * @param {number} j
 * @param {number} half the number of pairs
 * @param {Layout} layout
 */
export function pairOf(j, half, layout) {
  const pair = layout === "interleaved" ? Math.floor(j / 2) : j % half;
  return layout === "interleaved" ? [pair, 2 * pair, 2 * pair + 1] : [pair, pair, pair + half];
}
