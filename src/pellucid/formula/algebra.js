/**
 * The algebra in the browser: the operations of `pellucid.formula`, each under its own name.
 * Change a number on the page, and what follows from it is computed here, without a server.
 *
 * One sentence, one head at a time: every value is a matrix. Ids, positions and the mask of real
 * tokens are columns, gains and biases are rows, booleans are 1 and 0. A value with heads is a
 * list of matrices. All arithmetic is float64.
 *
 * @typedef {{ rows: number, columns: number, data: Float64Array }} Matrix
 * @typedef {Matrix | Matrix[]} Value
 * @typedef {(operands: any[], settings: any) => Value} Operation
 * @typedef {"interleaved" | "half-split"} Layout
 */

/** @type {Record<string, Operation>} */
export const operations = {
  // each number alone

  same: ([x]) => x,
  add: (parts) => each(parts, (...numbers) => sum(numbers)),
  multiply: (both) => each(both, (x, y) => x * y),
  scale: ([x], { by }) => each([x], (x) => x * by),
  shift: ([x], { by }) => each([x], (x) => x + by),
  over_root: ([x], { of }) => each([x], (x) => x / Math.sqrt(of)),
  mask: (both) => each(both, (x, allowed) => (allowed ? x : -Infinity)),
  rescale: (parts) => each(parts, (x, gain, ...shift) => sum([x * gain, ...shift])),
  divide: (both) => each(both, (x, y) => x / y),
  normalise: (three) => each(three, (x, mean, deviation) => (x - mean) / deviation),
  root: ([x], { epsilon }) => each([x], (x) => Math.sqrt(x + epsilon)),
  relu: ([x]) => each([x], (x) => Math.max(0, x)),
  gelu: ([x]) => each([x], (x) => x * normal(x)),
  gelu_tanh: ([x]) =>
    each([x], (x) => 0.5 * x * (1 + Math.tanh(Math.sqrt(2 / Math.PI) * (x + 0.044715 * x ** 3)))),
  silu: ([x]) => each([x], (x) => x / (1 + Math.exp(-x))),
  tanh: ([x]) => each([x], Math.tanh),

  // sums of products

  product: ([a, b]) =>
    matrix(a.rows, b.columns, (i, j) => total(a.columns, (k) => at(a, i, k) * at(b, k, j))),
  product_transposed: ([a, b]) =>
    matrix(a.rows, b.rows, (i, j) => total(a.columns, (k) => at(a, i, k) * at(b, j, k))),
  affine: ([x, weights, ...bias]) =>
    operations.add([operations.product_transposed([x, weights], {}), ...bias], {}),

  // whole rows

  softmax: ([x]) => eachRow(x, softmax),
  log_softmax: ([x]) => eachRow(x, logSoftmax),
  mean: ([x]) => eachRow(x, (row) => [mean(row)]),
  deviation: ([x], { epsilon }) => eachRow(x, (row) => [Math.sqrt(variance(row) + epsilon)]),
  rms: ([x], { epsilon }) =>
    eachRow(x, (row) => [Math.sqrt(mean(row.map((x) => x * x)) + epsilon)]),

  // whole columns, real positions only

  column_mean: ([x, real]) => eachColumn(x, real, mean),
  column_deviation: ([x, real], { epsilon }) =>
    eachColumn(x, real, (column) => Math.sqrt(variance(column) + epsilon)),

  // places

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

  // positions as numbers

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

const WITH_HEADS = new Set(["split_heads", "merge_heads", "reach", "alibi", "pick"]);

/**
 * The value of a formula: all heads if an operand has heads, a matrix if none has.
 * @param {{ operation: string, settings?: object }} formula
 * @param {Value[]} operands
 * @returns {Value}
 */
export function evaluate({ operation, settings = {} }, operands) {
  const compute = operations[operation];
  if (!compute) throw new Error(`${operation} is no operation of the algebra.`);
  const heads = Math.max(0, ...operands.map((x) => (Array.isArray(x) ? x.length : 0)));
  if (heads === 0 || WITH_HEADS.has(operation)) return compute(operands, settings);
  return list(heads, (h) =>
    /** @type {Matrix} */ (compute(operands.map((x) => headOf(x, h, heads)), settings)));
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
 */
function each(operands, f) {
  const rows = Math.max(...operands.map((x) => x.rows));
  const columns = Math.max(...operands.map((x) => x.columns));
  return matrix(rows, columns, (i, j) =>
    f(...operands.map((x) => at(x, x.rows === 1 ? 0 : i, x.columns === 1 ? 0 : j))));
}

/**
 * A function of each row, which gives the new row.
 * @param {Matrix} x
 * @param {(row: number[]) => number[]} f
 */
function eachRow(x, f) {
  const rows = list(x.rows, (i) => f(list(x.columns, (j) => at(x, i, j))));
  return matrix(x.rows, rows[0].length, (i, j) => rows[i][j]);
}

/**
 * A function of each column's real cells, which gives one number.
 * @param {Matrix} x
 * @param {Matrix} real
 * @param {(column: number[]) => number} f
 */
function eachColumn(x, real, f) {
  const there = list(x.rows, (i) => i).filter((i) => at(real, i, 0));
  return matrix(1, x.columns, (_, j) => f(there.map((i) => at(x, i, j))));
}

/**
 * eˣ of each, divided by their sum. The largest is taken away first, so that nothing overflows;
 * a row of nothing but −∞ gives zeros.
 * @param {number[]} row
 */
function softmax(row) {
  const top = largest(row);
  if (top === -Infinity) return row.map(() => 0);
  const exponents = row.map((x) => Math.exp(x - top));
  const all = sum(exponents);
  return exponents.map((e) => e / all);
}

/** @param {number[]} row */
function logSoftmax(row) {
  const top = largest(row);
  if (top === -Infinity) return row;
  const logarithm = Math.log(sum(row.map((x) => Math.exp(x - top))));
  return row.map((x) => x - top - logarithm);
}

/**
 * Φ(x), the share of the normal distribution below x, to 13 digits even where it is tiny: near
 * zero by a series (Marsaglia 2004), in the tails by a continued fraction (Laplace 1805).
 * @param {number} x
 */
export function normal(x) {
  const density = Math.exp((-x * x) / 2) / Math.sqrt(2 * Math.PI);
  if (Math.abs(x) < 2.5) {
    let [series, term] = [x, x];
    for (let k = 3; series + term !== series; k += 2) {
      term *= (x * x) / k;
      series += term;
    }
    return 0.5 + density * series;
  }
  let fraction = Math.abs(x);
  for (let k = 60; k > 0; k--) fraction = Math.abs(x) + k / fraction;
  return x < 0 ? density / fraction : 1 - density / fraction;
}

/**
 * Which pair column `j` belongs to, and where the pair's two members lie.
 * @param {number} j
 * @param {number} half the number of pairs
 * @param {Layout} layout
 */
function pairOf(j, half, layout) {
  const pair = layout === "interleaved" ? Math.floor(j / 2) : j % half;
  return layout === "interleaved" ? [pair, 2 * pair, 2 * pair + 1] : [pair, pair, pair + half];
}

/** @param {number[]} numbers */
function sum(numbers) {
  return total(numbers.length, (i) => numbers[i]);
}

/**
 * Σ f(k) for k from 0 up to, not including, `count`.
 * @param {number} count
 * @param {(k: number) => number} f
 */
function total(count, f) {
  let result = 0;
  for (let k = 0; k < count; k++) result += f(k);
  return result;
}

/** @param {number[]} row */
function largest(row) {
  return row.reduce((a, b) => Math.max(a, b));
}

/** @param {number[]} row */
function mean(row) {
  return sum(row) / row.length;
}

/**
 * The biased variance.
 * @param {number[]} row
 */
function variance(row) {
  const centre = mean(row);
  return mean(row.map((x) => (x - centre) ** 2));
}

/**
 * @template T
 * @param {number} length
 * @param {(index: number) => T} item
 * @returns {T[]}
 */
function list(length, item) {
  return Array.from({ length }, (_, index) => item(index));
}
