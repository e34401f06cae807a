/**
 * Sums of products. Nearly all of the page's time is spent in these two loops, so they are loops.
 *
 * @typedef {import("./matrix.js").Matrix} Matrix
 */

import { elements } from "./elements.js";

/** @type {Record<string, import("./matrix.js").Operation>} */
export const sums = {
  product: ([a, b]) => product(a, b),
  product_transposed: ([a, b]) => productTransposed(a, b),
  affine: ([x, weights, ...bias]) => elements.add([productTransposed(x, weights), ...bias], {}),
};

/**
 * a b, each cell's terms added in order.
 * @param {Matrix} a
 * @param {Matrix} b
 * @returns {Matrix}
 */
function product(a, b) {
  const [inner, columns] = [a.columns, b.columns];
  const data = new Float64Array(a.rows * columns);
  for (let i = 0; i < a.rows; i++) {
    for (let k = 0; k < inner; k++) {
      const x = a.data[i * inner + k];
      for (let j = 0; j < columns; j++) data[i * columns + j] += x * b.data[k * columns + j];
    }
  }
  return { rows: a.rows, columns, data };
}

/**
 * a bᵀ, each cell's terms added in order.
 * @param {Matrix} a
 * @param {Matrix} b
 * @returns {Matrix}
 */
function productTransposed(a, b) {
  const inner = a.columns;
  const data = new Float64Array(a.rows * b.rows);
  for (let i = 0, cell = 0; i < a.rows; i++) {
    for (let j = 0; j < b.rows; j++, cell++) {
      let dot = 0;
      for (let k = 0; k < inner; k++) dot += a.data[i * inner + k] * b.data[j * inner + k];
      data[cell] = dot;
    }
  }
  return { rows: a.rows, columns: b.rows, data };
}
