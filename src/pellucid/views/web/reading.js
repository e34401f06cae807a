/**
 * One sentence's values: recorded ones as they came, all others derived from them, and whatever
 * a what-if changes followed as far as the page's numbers reach.
 *
 * @typedef {import("../../formula/algebra.js").Matrix} Matrix
 * @typedef {import("../../formula/algebra.js").Value} Value
 * @typedef {import("./trace.js").Trace} Trace
 * @typedef {import("./trace.js").Node} Node
 * @typedef {{ operation: string, parents: string[], settings?: Record<string, any> }} Formula
 */

import { evaluate } from "../../formula/algebra.js";
import { headOf } from "../../formula/algebra/matrix.js";
import { WhatIf } from "./whatif.js";

export class Reading {
  /**
   * Whole values are remembered as long as the reading lives; those of a single head only in the
   * `known` that is handed in.
   * @param {Trace} trace
   * @param {number} sentence
   * @param {number} heads how many there are
   * @param {WhatIf} [whatIf]
   */
  constructor(trace, sentence, heads, whatIf = new WhatIf()) {
    this.trace = trace;
    this.sentence = sentence;
    this.heads = heads;
    this.whatIf = whatIf;
    /** @type {Map<string, Value>} */
    this.kept = new Map();
    /** @type {Map<string, Float64Array | null>} what is known of recorded values' errors */
    this.errors = new Map();
    /** @type {Map<string, boolean>} */
    this.touched = new Map();
    /** @type {Map<string, boolean>} */
    this.derivable = new Map();
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
      ? this.whatIf.applied(name, this.own(name, head), /** @type {Matrix} */ (evaluate(
        this.formula(name), parents.map((each) => this.head(each, head, known)))))
      : headOf(this.whole(name), head, this.heads);
    known.set(name, value);
    return value;
  }

  /**
   * Which of a value's own heads a head reads: itself, its group's, or the only one.
   * @param {string} name
   * @param {number} head
   */
  own(name, head) {
    return Math.floor(head * this.count(name) / this.heads);
  }

  /**
   * How many heads a value has of its own.
   * @param {string} name
   * @returns {number}
   */
  count(name) {
    const { axes = "", settings, parents = [] } = this.trace.nodes.get(name) ?? {};
    if (!axes.includes("G")) return axes.includes("H") ? this.heads : 1;
    return settings?.heads ?? this.trace.numbers[name]?.shape[0]
      ?? Math.max(...parents.map((parent) => this.count(parent)));
  }

  /**
   * A value with all its heads.
   * @param {string} name
   * @returns {Value}
   */
  whole(name) {
    const found = this.kept.get(name);
    if (found) return found;
    const given = this.isRecorded(name) ? this.recorded(name) : this.derived(name);
    const value = this.changed(given, name);
    this.kept.set(name, value);
    return value;
  }

  /**
   * @param {Value} value
   * @param {string} name
   */
  changed(value, name) {
    return Array.isArray(value)
      ? value.map((each, head) => this.whatIf.applied(name, head, each))
      : this.whatIf.applied(name, 0, value);
  }

  /**
   * Whether a value is taken as it was recorded: it was, and no change reaches it; or one does,
   * but the page lacks what the new value would follow from.
   * @param {string} name
   */
  isRecorded(name) {
    return name in this.trace.numbers && !(this.isTouched(name) && this.isDerivable(name));
  }

  /**
   * Whether something that this value follows from is changed.
   * @param {string} name
   * @returns {boolean}
   */
  isTouched(name) {
    if (this.whatIf.isEmpty) return false;
    const known = this.touched.get(name);
    if (known !== undefined) return known;
    this.touched.set(name, false);
    const found = this.whatIf.touches(name)
      || (this.trace.nodes.get(name)?.parents ?? []).some((parent) => this.isTouched(parent));
    this.touched.set(name, found);
    return found;
  }

  /**
   * Whether the value follows from the page's numbers, be it recorded or not.
   * @param {string} name
   * @returns {boolean}
   */
  isDerivable(name) {
    const known = this.derivable.get(name);
    if (known !== undefined) return known;
    const parents = this.trace.nodes.get(name)?.parents;
    const found = parents !== undefined && parents.every((each) => this.isThere(each));
    this.derivable.set(name, found);
    return found;
  }

  /** @param {string} name */
  isThere(name) {
    return name in this.trace.numbers || this.isDerivable(name);
  }

  /** @param {string} name */
  recorded(name) {
    const found = this.trace.recorded(name, this.sentence);
    if (!found) throw new Error(`${name} was not recorded.`);
    this.errors.set(name, found.errors);
    const letter = this.trace.nodes.get(name)?.axes.at(-1) ?? "";
    return shaped(found.data, found.shape, "TS".includes(letter || "-"));
  }

  /** @param {string} name */
  derived(name) {
    const formula = this.formula(name);
    return evaluate(formula, formula.parents.map((parent) => this.whole(parent)));
  }

  /**
   * @param {string} name
   * @returns {Formula}
   */
  formula(name) {
    const { operation, parents, settings } = this.trace.node(name);
    if (!operation || !parents) throw new Error(`${name} is not among the page's numbers.`);
    return this.whatIf.formula(name, { operation, parents, settings });
  }

  /**
   * The parents, where each head of the value follows from the same head of these; else null.
   * @param {string} name
   */
  ofHeads(name) {
    const node = this.trace.nodes.get(name);
    if (this.kept.has(name) || this.isRecorded(name) || !node?.parents || !hasHeads(node)) {
      return null;
    }
    const cut = node.parents.some((parent) => hasHeads(this.trace.nodes.get(parent)));
    return cut ? this.formula(name).parents : null;
  }
}

/** @param {Node} [node] */
export function hasHeads(node) {
  return node !== undefined && /[HG]/.test(node.axes);
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
