/**
 * The trace in the browser: recorded values as they came, all others derived from them.
 *
 * @typedef {import("../../formula/algebra.js").Matrix} Matrix
 * @typedef {import("../../formula/algebra.js").Value} Value
 * @typedef {{ name: string, axes: string, written: string, operation?: string,
 *   parents?: string[], settings?: Record<string, any> }} Node
 * @typedef {"float32" | "float64" | "int32" | "uint8"} Kind
 * @typedef {{ kind: Kind, shape: number[], data: string[] }} Numbers one base64 text a sentence
 * @typedef {{ text: string, labels: string[], ids: number[], offsets: [number, number][],
 *   special: boolean[] }} Tokens
 * @typedef {{ layer: number, place: string, steps: string[] }} Layer
 * @typedef {{ stack: string, part: "attention" | "cross", heads: number, rows: string | null,
 *   columns: string | null, layers: Layer[] }} Stack
 * @typedef {{ piece: string, id: number, score: number | null }} Word
 * @typedef {{ meaning: "probability" | "cosine", words: Word[][][] }} Answers
 * @typedef {{ format: number, about: Record<string, any>, texts: Record<string, Tokens[]>,
 *   nodes: Node[], values: Record<string, Numbers>, stacks: Stack[],
 *   answers: Answers | null }} Payload
 */

import { evaluate, headOf } from "../../formula/algebra.js";

const FORMAT = 1;
const ARRAYS = {
  float32: Float32Array,
  float64: Float64Array,
  int32: Int32Array,
  uint8: Uint8Array,
};

export class Trace {
  /** @param {Payload} payload */
  constructor(payload) {
    if (payload.format !== FORMAT) throw new Error(`The page's data have no format ${FORMAT}.`);
    this.about = payload.about;
    this.texts = payload.texts;
    this.stacks = payload.stacks;
    this.answers = payload.answers;
    this.numbers = payload.values;
    this.nodes = new Map(payload.nodes.map((node) => [node.name, node]));
  }

  /** How many sentences were run side by side. */
  get sentences() {
    return Math.max(...Object.values(this.numbers).map((each) => each.data.length));
  }

  /**
   * @param {string} name
   * @returns {Node}
   */
  node(name) {
    const node = this.nodes.get(name);
    if (!node) throw new Error(`The trace has no ${name}.`);
    return node;
  }

  /**
   * The tokens that an axis stands for, if it stands for tokens.
   * @param {Stack} stack
   * @param {string} axis a letter
   * @param {number} sentence
   * @returns {Tokens | null}
   */
  tokens(stack, axis, sentence) {
    const stream = { T: stack.rows, S: stack.columns }[axis];
    return stream ? this.texts[stream][sentence] : null;
  }
}

/**
 * One sentence's values. Whole values are remembered as long as the reading lives; those of a
 * single head only in the `known` that is handed in.
 */
export class Reading {
  /**
   * @param {Trace} trace
   * @param {number} sentence
   * @param {number} heads how many there are
   */
  constructor(trace, sentence, heads) {
    this.trace = trace;
    this.sentence = sentence;
    this.heads = heads;
    /** @type {Map<string, Value>} */
    this.kept = new Map();
  }

  /**
   * A value as one head sees it: its own matrix, its group's, or the only one.
   * @param {string} name
   * @param {number} head
   * @param {Map<string, Matrix>} [known]
   * @returns {Matrix}
   */
  head(name, head, known = new Map()) {
    const found = known.get(name);
    if (found) return found;
    const parents = this.ofHeads(name);
    const value = parents
      ? evaluate(this.formula(name), parents.map((each) => this.head(each, head, known)))
      : headOf(this.whole(name), head, this.heads);
    known.set(name, /** @type {Matrix} */ (value));
    return /** @type {Matrix} */ (value);
  }

  /**
   * A value with all its heads.
   * @param {string} name
   * @returns {Value}
   */
  whole(name) {
    const value = this.kept.get(name) ?? this.recorded(name) ?? this.derived(name);
    this.kept.set(name, value);
    return value;
  }

  /** @param {string} name */
  recorded(name) {
    const numbers = this.trace.numbers[name];
    if (!numbers) return null;
    const letter = this.trace.nodes.get(name)?.axes.at(-1) ?? "";
    return shaped(decoded(numbers, this.sentence), numbers.shape, "TS".includes(letter || "-"));
  }

  /** @param {string} name */
  derived(name) {
    const formula = this.formula(name);
    return evaluate(formula, formula.parents.map((parent) => this.whole(parent)));
  }

  /** @param {string} name */
  formula(name) {
    const { operation, parents, settings } = this.trace.node(name);
    if (!operation || !parents) throw new Error(`${name} is not among the page's numbers.`);
    return { operation, parents, settings };
  }

  /**
   * The parents, where each head of the value follows from the same head of these; else null.
   * @param {string} name
   */
  ofHeads(name) {
    const node = this.trace.nodes.get(name);
    if (this.trace.numbers[name] || !node?.parents || !hasHeads(node)) return null;
    const cut = node.parents.some((parent) => hasHeads(this.trace.nodes.get(parent)));
    return cut ? node.parents : null;
  }
}

/** @param {Node} [node] */
function hasHeads(node) {
  return node !== undefined && /[HG]/.test(node.axes);
}

/**
 * @param {Numbers} numbers
 * @param {number} sentence
 */
function decoded({ kind, data }, sentence) {
  const text = atob(data[Math.min(sentence, data.length - 1)]);
  const bytes = Uint8Array.from(text, (letter) => letter.charCodeAt(0));
  return Float64Array.from(new ARRAYS[kind](bytes.buffer));
}

/**
 * @param {Float64Array} data
 * @param {number[]} shape
 * @param {boolean} upright whether a single axis is a column
 * @returns {Value}
 */
function shaped(data, shape, upright) {
  if (shape.length === 3) {
    const [heads, ...rest] = shape;
    const size = data.length / heads;
    return Array.from({ length: heads }, (_, h) => /** @type {Matrix} */ (
      shaped(data.subarray(h * size, (h + 1) * size), rest, upright)));
  }
  const [rows, columns] = shape.length === 2 ? shape
    : upright ? [data.length, 1] : [1, data.length];
  if (rows * columns !== data.length) throw new Error("Numbers are missing in this page.");
  return { rows, columns, data };
}
