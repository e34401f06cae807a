/**
 * How far a number on the page may be from the number of the trace. Stored numbers were rounded
 * to few bits, and the model itself computed in few; both errors are followed through each
 * operation, as bounds that are never too small. Digits that might be wrong are not printed.
 *
 * @typedef {import("../../formula/algebra.js").Matrix} Matrix
 * @typedef {import("./reading.js").Reading} Reading
 * @typedef {{ of: Certainty, parents: string[], row: number, value: Matrix, settings: any }} Task
 */

import { spread } from "../../formula/algebra/matrix.js";

const ROUNDINGS = 64; // on the way through a layer, say
const SUM = 2 ** -24; // products are added in float32 at least
const ROUNDING = { float64: 2 ** -52, float32: 2 ** -23, bfloat16: 2 ** -8, float16: 2 ** -10 };

export class Certainty {
  /**
   * @param {Reading} reading
   * @param {number} head
   * @param {Map<string, Matrix>} known
   */
  constructor(reading, head, known) {
    this.reading = reading;
    this.head = head;
    this.known = known;
    const dtype = /** @type {keyof typeof ROUNDING} */ (reading.trace.about.dtype);
    this.rounding = ROUNDING[dtype] ?? ROUNDING.float32;
    this.summing = dtype === "float64" ? ROUNDING.float64 : SUM;
    /** @type {Map<string, Float64Array>} */
    this.rows = new Map();
  }

  /** @param {string} name */
  matrix(name) {
    return this.reading.head(name, this.head, this.known);
  }

  /**
   * The bound for each cell of a row; infinite where nothing is known.
   * @param {string} name
   * @param {number} row
   * @returns {Float64Array}
   */
  row(name, row) {
    const key = `${row} ${name}`;
    const found = this.rows.get(key) ?? this.found(name, row);
    this.rows.set(key, found);
    return found;
  }

  /**
   * @param {string} name
   * @param {number} row
   */
  found(name, row) {
    const value = this.matrix(name);
    if (this.reading.isRecorded(name)) return this.stored(name, row, value.columns);
    const { operation, parents, settings } = this.reading.formula(name);
    const bound = BOUNDS[operation] ?? unless;
    const errors = bound({ of: this, parents, row, value, settings: settings ?? {} });
    const rounding = EXACT.has(operation) ? 0 : this.rounding;
    return errors.map((error, j) => {
      const x = value.data[row * value.columns + j];
      return Number.isFinite(x) ? error + rounding * Math.abs(x) : 0;
    });
  }

  /**
   * A recorded value's own errors: one for each group of its numbers.
   * @param {string} name
   * @param {number} row
   * @param {number} columns
   */
  stored(name, row, columns) {
    this.reading.whole(name);
    const errors = this.reading.errors.get(name);
    const { shape, group = 1 } = this.reading.trace.numbers[name];
    const made = new Float64Array(columns);
    if (!errors) return made;
    const heads = shape.length === 3 ? shape[0] : 1;
    const first = Math.floor((this.head * heads) / this.reading.heads) * (shape.at(-2) ?? 1);
    for (let j = 0; j < columns; j++) {
      made[j] = errors[Math.floor(((first + row) * columns + j) / group)];
    }
    return made;
  }
}

const EXACT = new Set(["same", "mask", "split_heads", "merge_heads", "reach", "gather", "pick",
  "positions", "bucket", "first", "last"]);

/** @type {Record<string, (task: Task) => Float64Array>} */
const BOUNDS = {
  same: ({ of, parents, row }) => of.row(parents[0], row),
  add: ({ of, parents, row, value }) => {
    const made = new Float64Array(value.columns);
    for (const parent of parents) {
      const [x, errors] = [of.matrix(parent), of.row(parent, rowIn(of.matrix(parent), row))];
      made.forEach((_, j) => {
        made[j] += errors[errors.length === 1 ? 0 : j] + of.rounding * Math.abs(spread(x, row, j));
      });
    }
    return made;
  },
  over_root: ({ of, parents, row, settings }) =>
    of.row(parents[0], row).map((error) => error / Math.sqrt(settings.of)),
  scale: ({ of, parents, row, settings }) =>
    of.row(parents[0], row).map((error) => error * Math.abs(settings.by)),
  mask: ({ of, parents, row }) => of.row(parents[0], row),
  split_heads: ({ of, parents, row, settings }) => {
    const errors = of.row(parents[0], row);
    const width = errors.length / settings.heads;
    const which = Math.floor((of.head * settings.heads) / of.reading.heads);
    return errors.slice(which * width, (which + 1) * width);
  },
  rotate: ({ of, parents, row, value }) => {
    // a pair is turned: its errors together are no longer than they were
    const errors = of.row(parents[0], row);
    const numbers = of.matrix(parents[0]).data.subarray(row * value.columns);
    const most = Math.max(...errors);
    const angle = of.rounding * value.rows; // angles have as few digits as the rest
    return errors.map((_, j) => most * Math.SQRT2 + angle * Math.abs(numbers[j]));
  },
  product_transposed: ({ of, parents, row, value }) => {
    const [a, b] = parents.map((parent) => of.matrix(parent));
    const errors = of.row(parents[0], row);
    return new Float64Array(value.columns).map((_, j) => {
      const others = of.row(parents[1], j);
      let bound = 0;
      for (let k = 0; k < a.columns; k++) {
        const [x, y] = [a.data[row * a.columns + k], b.data[j * b.columns + k]];
        bound += term(Math.abs(x), errors[k], Math.abs(y), others[k], a.columns * of.summing);
      }
      return bound;
    });
  },
  product: ({ of, parents, row, value }) => {
    const [a, b] = parents.map((parent) => of.matrix(parent));
    const errors = of.row(parents[0], row);
    const made = new Float64Array(value.columns);
    for (let k = 0; k < a.columns; k++) {
      const [x, others] = [Math.abs(a.data[row * a.columns + k]), of.row(parents[1], k)];
      for (let j = 0; j < value.columns; j++) {
        const y = Math.abs(b.data[k * b.columns + j]);
        made[j] += term(x, errors[k], y, others[j], a.columns * of.summing);
      }
    }
    return made;
  },
  softmax: ({ of, parents, row, value, settings }) => {
    // if no score is further off than e, no weight is off by more than a factor of exp(2 e)
    const errors = of.row(parents[0], row);
    const numbers = value.data.subarray(row * value.columns, (row + 1) * value.columns);
    const most = errors.map((error) => Math.expm1(error / (settings.temperature ?? 1)));
    const mean = most.reduce((whole, error, j) => whole + numbers[j] * error, 0);
    return numbers.map((x, j) => x * (most[j] + mean + most[j] * mean));
  },
};

/**
 * |xy| with both factors off.
 * @param {number} x
 * @param {number} dx
 * @param {number} y
 * @param {number} dy
 * @param {number} rounding
 */
function term(x, dx, y, dy, rounding) {
  return x * dy + dx * y + dx * dy + rounding * x * y;
}

/**
 * Of other operations nothing is known unless all they are made of is exact; then they are as
 * exact as so many roundings leave them.
 * @param {Task} task
 */
function unless({ of, parents, row, value }) {
  const exact = parents.every((parent) => isExact(of.reading, parent));
  const numbers = value.data.subarray(row * value.columns, (row + 1) * value.columns);
  const most = numbers.reduce((a, b) => Math.max(a, Math.abs(b)), 0);
  return numbers.map(() => (exact ? ROUNDINGS * of.rounding * most : Infinity));
}

/**
 * Whether a value follows from exact numbers only.
 * @param {Reading} reading
 * @param {string} name
 * @returns {boolean}
 */
function isExact(reading, name) {
  if (reading.isRecorded(name)) return reading.trace.numbers[name].kind !== "scaled";
  return (reading.trace.nodes.get(name)?.parents ?? []).every((each) => isExact(reading, each));
}

/**
 * @param {Matrix} x
 * @param {number} row
 */
function rowIn(x, row) {
  return x.rows === 1 ? 0 : row;
}

