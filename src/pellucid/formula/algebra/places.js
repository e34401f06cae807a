/** Arithmetic about places: looking up rows, cutting heads, positions, and what may be seen. */

import { at, headOf, list, matrix, total } from "./matrix.js";

/** @type {Record<string, import("./matrix.js").Operation>} */
export const places = {
  positions: ([real]) =>
    matrix(real.rows, 1, (i) => Math.max(0, total(i + 1, (k) => at(real, k, 0)) - 1)),
  gather: ([table, ids]) => matrix(ids.rows, table.columns, (i, j) => at(table, at(ids, i, 0), j)),
  split_heads: ([x], { heads }) => {
    const width = x.columns / heads;
    return list(heads, (h) => matrix(x.rows, width, (i, j) => at(x, i, h * width + j)));
  },
  merge_heads: ([heads]) => {
    const { rows, columns } = heads[0];
    return matrix(rows, columns * heads.length, (i, j) =>
      at(heads[Math.floor(j / columns)], i, j % columns));
  },
  reach: ([query, real], { pattern }) => {
    const { rows } = headOf(query, 0, 1);
    const ahead = pattern === "full" ? Infinity : real.rows - rows;
    return matrix(rows, real.rows, (i, j) => (at(real, j, 0) && j <= i + ahead ? 1 : 0));
  },
  first: ([x, real]) => matrix(1, x.columns, (_, j) => at(x, Math.max(0, real.data.indexOf(1)), j)),
  last: ([x, real]) => matrix(1, x.columns, (_, j) =>
    at(x, real.data.lastIndexOf(1) < 0 ? x.rows - 1 : real.data.lastIndexOf(1), j)),
};
