/**
 * Matrices: all that the algebra computes with. One sentence, one head at a time. Ids, positions
 * and the mask of real tokens are columns, gains and biases are rows, booleans are 1 and 0. A
 * value with heads is a list of matrices. All arithmetic is float64.
 *
 * @typedef {{ rows: number, columns: number, data: Float64Array }} Matrix
 * @typedef {Matrix | Matrix[]} Value
 * @typedef {(operands: any[], settings: any) => Value} Operation
 */

/**
 * A matrix from a function of row and column.
 * @param {number} rows
 * @param {number} columns
 * @param {(row: number, column: number) => number} cell
 * @returns {Matrix}
 */
export function matrix(rows, columns, cell) {
  const data = new Float64Array(rows * columns);
  for (let i = 0; i < rows; i++) {
    for (let j = 0; j < columns; j++) data[i * columns + j] = cell(i, j);
  }
  return { rows, columns, data };
}

/**
 * The number at a place.
 * @param {Matrix} x
 * @param {number} row
 * @param {number} column
 */
export function at(x, row, column) {
  return x.data[row * x.columns + column];
}

/**
 * A function of the same cell of each operand; a single row or column stands for all.
 * @param {Matrix[]} operands
 * @param {(...numbers: number[]) => number} f
 * @returns {Matrix}
 */
export function each(operands, f) {
  const [first, second] = operands;
  if (operands.length === 1) return { ...first, data: first.data.map((x) => f(x)) };
  if (operands.length === 2 && first.rows === second.rows && first.columns === second.columns) {
    const data = new Float64Array(first.data.length);
    for (let k = 0; k < data.length; k++) data[k] = f(first.data[k], second.data[k]);
    return { ...first, data };
  }
  const rows = Math.max(...operands.map((x) => x.rows));
  const columns = Math.max(...operands.map((x) => x.columns));
  if (operands.length === 2) {
    return matrix(rows, columns, (i, j) => f(spread(first, i, j), spread(second, i, j)));
  }
  return matrix(rows, columns, (i, j) => f(...operands.map((x) => spread(x, i, j))));
}

/**
 * A cell of what may be a single row or column for all.
 * @param {Matrix} x
 * @param {number} row
 * @param {number} column
 */
export function spread(x, row, column) {
  return x.data[(x.rows === 1 ? 0 : row * x.columns) + (x.columns === 1 ? 0 : column)];
}

/**
 * A function of each row, which gives the new row.
 * @param {Matrix} x
 * @param {(row: Float64Array) => ArrayLike<number>} f
 * @returns {Matrix}
 */
export function eachRow(x, f) {
  const made = list(x.rows, (i) => f(x.data.subarray(i * x.columns, (i + 1) * x.columns)));
  const columns = made[0].length;
  const data = new Float64Array(x.rows * columns);
  made.forEach((row, i) => data.set(row, i * columns));
  return { rows: x.rows, columns, data };
}

/**
 * A function of each column's real cells, which gives one number.
 * @param {Matrix} x
 * @param {Matrix} real
 * @param {(column: number[]) => number} f
 */
export function eachColumn(x, real, f) {
  const there = list(x.rows, (i) => i).filter((i) => at(real, i, 0));
  return matrix(1, x.columns, (_, j) => f(there.map((i) => at(x, i, j))));
}

/**
 * What head `which` of `heads` reads: its own matrix, or the one it shares with its group
 * (grouped heads, Ainslie et al. 2023), or the only one there is.
 * @param {Value} value
 * @param {number} which
 * @param {number} heads
 * @returns {Matrix}
 */
export function headOf(value, which, heads) {
  return Array.isArray(value) ? value[Math.floor((which * value.length) / heads)] : value;
}

/**
 * Σ f(k) for k from 0 up to, not including, `count`.
 * @param {number} count
 * @param {(k: number) => number} f
 */
export function total(count, f) {
  let result = 0;
  for (let k = 0; k < count; k++) result += f(k);
  return result;
}

/** @param {ArrayLike<number>} numbers */
export function sum(numbers) {
  let result = 0;
  for (let k = 0; k < numbers.length; k++) result += numbers[k];
  return result;
}

/**
 * @template T
 * @param {number} length
 * @param {(index: number) => T} item
 * @returns {T[]}
 */
export function list(length, item) {
  return Array.from({ length }, (_, index) => item(index));
}
