/** Arithmetic on a whole row (softmax, the statistics of a norm) or a whole column. */

import { eachColumn, eachRow, sum } from "./matrix.js";

/** @type {Record<string, import("./matrix.js").Operation>} */
export const rows = {
  softmax: ([x], { temperature = 1 }) =>
    eachRow(x, (row) => softmax(temperature === 1 ? row : row.map((x) => x / temperature))),
  log_softmax: ([x]) => eachRow(x, logSoftmax),
  mean: ([x]) => eachRow(x, (row) => [mean(row)]),
  deviation: ([x], { epsilon }) => eachRow(x, (row) => [Math.sqrt(variance(row) + epsilon)]),
  rms: ([x], { epsilon }) =>
    eachRow(x, (row) => [Math.sqrt(mean(row.map((x) => x * x)) + epsilon)]),

  // whole columns, real positions only

  column_mean: ([x, real]) => eachColumn(x, real, mean),
  text_mean: ([x, real]) => eachColumn(x, real, mean),
  column_deviation: ([x, real], { epsilon }) =>
    eachColumn(x, real, (column) => Math.sqrt(variance(column) + epsilon)),
};

/**
 * eˣ of each, divided by their sum. The largest is taken away first, so that nothing overflows;
 * a row of nothing but −∞ gives zeros.
 * @param {Float64Array} row
 */
function softmax(row) {
  const top = largest(row);
  if (top === -Infinity) return row.map(() => 0);
  const exponents = row.map((x) => Math.exp(x - top));
  const all = sum(exponents);
  return exponents.map((e) => e / all);
}

/** @param {Float64Array} row */
function logSoftmax(row) {
  const top = largest(row);
  if (top === -Infinity) return row;
  const logarithm = Math.log(sum(row.map((x) => Math.exp(x - top))));
  return row.map((x) => x - top - logarithm);
}

/** @param {Float64Array} row */
function largest(row) {
  let most = -Infinity;
  for (const x of row) if (x > most || Number.isNaN(x)) most = x;
  return most;
}

/** @param {ArrayLike<number>} row */
function mean(row) {
  return sum(row) / row.length;
}

/**
 * The biased variance.
 * @param {Float64Array | number[]} row
 */
function variance(row) {
  const centre = mean(row);
  return mean(row.map((x) => (x - centre) ** 2));
}
