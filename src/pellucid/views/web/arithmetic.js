/**
 * A cell's arithmetic in words, letter for letter as `Operation.plain` writes it.
 *
 * @typedef {{ columns: number, number: (row: number, column: number) => number,
 *   text: (row: number, column: number) => string }} Operand a matrix, a single row or column of
 *   which stands for all
 */

/**
 * What a cell is made of, with its numbers: `1.2·0.4 + 0.3·0.1`; null where that says nothing.
 * @param {{ operation: string, settings?: any }} formula
 * @param {Operand[]} operands
 * @param {number} row
 * @param {number} column
 * @returns {string | null}
 */
export function arithmetic({ operation, settings = {} }, operands, row, column) {
  const write = WRITTEN[operation];
  return write ? write(operands, row, column, settings) : null;
}

/** @type {Record<string, (operands: Operand[], i: number, j: number, settings: any) => string>} */
const WRITTEN = {
  same: ([x], i, j) => x.text(i, j),
  add: (parts, i, j) => parts.map((x) => x.text(i, j)).join(" + "),
  multiply: ([x, y], i, j) => `${x.text(i, j)}·${y.text(i, j)}`,
  divide: ([x, y], i, j) => `${x.text(i, j)}/${y.text(i, j)}`,
  over_root: ([x], i, j, { of }) => `${x.text(i, j)}/√${of}`,
  mask: ([x, allowed], i, j) =>
    allowed.number(i, j) ? `${x.text(i, j)}, allowed` : "not allowed",
  rescale: ([x, gain, ...shift], i, j) =>
    [`${x.text(i, j)}·${gain.text(i, j)}`, ...shift.map((each) => each.text(i, j))].join(" + "),
  normalise: ([x, mean, deviation], i, j) =>
    `(${x.text(i, j)} − ${mean.text(i, j)})/${deviation.text(i, j)}`,
  relu: ([x], i, j) => `max(0, ${x.text(i, j)})`,
  gelu: ([x], i, j) => `${x.text(i, j)}·Φ(${x.text(i, j)})`,
  gelu_tanh: ([x], i, j) => {
    const text = x.text(i, j);
    return `½·${text}·(1 + tanh(√(2/π)·(${text} + 0.044715·${text}³)))`;
  },
  tanh: ([x], i, j) => `tanh(${x.text(i, j)})`,
  product: ([a, b], i, j) => dot(a.columns, (k) => [a.text(i, k), b.text(k, j)]),
  product_transposed: ([a, b], i, j) => dot(a.columns, (k) => [a.text(i, k), b.text(j, k)]),
  affine: ([x, weights, ...bias], i, j) => [
    dot(x.columns, (k) => [x.text(i, k), weights.text(j, k)]),
    ...bias.map((each) => each.text(0, j)),
  ].join(" + "),
  softmax: ([x], i, j, { temperature }) => {
    const over = temperature ? `/${temperature}` : "";
    const power = (/** @type {number} */ k) => `e^${x.text(i, k)}${over}`;
    return `${power(j)} / (${terms(x.columns, power)})`;
  },
  gather: ([, ids], i) => `row ${ids.number(i, 0)} of the table`,
  pick: ([, buckets], i, j) => `row ${buckets.number(i, j)} of the table`,
};

/**
 * @param {number} count
 * @param {(k: number) => [string, string]} pair
 */
function dot(count, pair) {
  return terms(count, (k) => pair(k).join("·"));
}

/**
 * A sum written out, its middle left out when it is long.
 * @param {number} count
 * @param {(k: number) => string} term
 */
function terms(count, term) {
  const shown = count <= 4 ? count : 3;
  const parts = Array.from({ length: shown }, (_, k) => term(k));
  return (shown < count ? [...parts, `… (${count} terms)`] : parts).join(" + ");
}
