/**
 * The chosen head: its matrices, what their rows and columns stand for, and its arithmetic.
 *
 * @typedef {import("./trace.js").Matrix} Matrix
 * @typedef {import("./trace.js").Stack} Stack
 * @typedef {import("./axis.js").Axis} Axis
 * @typedef {{ stack: number, layer: number, head: number, sentence: number }} Choice the stack and
 *   the layer by their place on the page
 */

import { axis } from "./axis.js";
import { arithmetic } from "./number.js";
import { Reading } from "./trace.js";
import { words } from "./words.js";

export class Head {
  /**
   * @param {import("./trace.js").Trace} trace
   * @param {Choice} choice
   */
  constructor(trace, { stack, layer, head, sentence }) {
    this.trace = trace;
    this.stack = trace.stacks[stack];
    this.layer = this.stack.layers[layer];
    this.head = head;
    this.sentence = sentence;
    this.reading = new Reading(trace, sentence, this.stack.heads);
    /** @type {Map<string, Matrix>} */
    this.known = new Map();
  }

  get title() {
    const { stack, part } = this.stack;
    return words.head(words.stacks[`${stack} ${part}`] ?? stack, this.layer.layer, this.head);
  }

  /** @param {string} name */
  matrix(name) {
    return this.reading.head(name, this.head, this.known);
  }

  /**
   * @param {string} name
   * @returns {{ rows: Axis, columns: Axis }}
   */
  axes(name) {
    const [row, column] = this.trace.node(name).axes.split(" ").slice(-2);
    const { rows, columns } = this.matrix(name);
    return { rows: axis(this, row, rows), columns: axis(this, column, columns) };
  }

  /** The tokens that look, and those that are looked at. */
  get tokens() {
    const { rows, columns } = this.axes(`${this.layer.place}.weights`);
    return [rows, columns];
  }

  /**
   * A cell's formula with its numbers; null where that would say nothing.
   * @param {string} name
   * @param {import("./picture.js").Cell} cell
   */
  arithmetic(name, { row, column }) {
    const node = this.trace.node(name);
    const operands = (node.parents ?? []).map((parent) => this.matrix(parent));
    return arithmetic(node, operands, row, column);
  }
}
