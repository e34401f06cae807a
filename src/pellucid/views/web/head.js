/**
 * The chosen head: its matrices, what their rows and columns stand for, and its arithmetic.
 *
 * @typedef {import("../../formula/algebra.js").Matrix} Matrix
 * @typedef {import("./trace.js").Stack} Stack
 * @typedef {import("./axis.js").Axis} Axis
 * @typedef {import("./picture.js").Cell} Cell
 * @typedef {{ stack: number, layer: number, head: number, sentence: number }} Choice the stack and
 *   the layer by their place on the page
 */

import { at } from "../../formula/algebra/matrix.js";
import { arithmetic } from "./arithmetic.js";
import { axis } from "./axis.js";
import { Certainty } from "./certainty.js";
import { certain } from "./number.js";
import { Reading } from "./reading.js";
import { reads } from "./reads.js";
import { WhatIf } from "./whatif.js";
import { words } from "./words.js";

export class Head {
  /**
   * @param {import("./trace.js").Trace} trace
   * @param {Choice} choice
   * @param {WhatIf} [whatIf]
   */
  constructor(trace, { stack, layer, head, sentence }, whatIf = new WhatIf()) {
    this.trace = trace;
    this.stack = trace.stacks[stack];
    this.layer = this.stack.layers[layer];
    this.head = head;
    this.sentence = sentence;
    this.whatIf = whatIf;
    this.reading = new Reading(trace, sentence, this.stack.heads, whatIf);
    /** @type {Map<string, Matrix>} */
    this.known = new Map();
    this.certainty = new Certainty(this.reading, head, this.known);
    /** @type {Head} the same without any change */
    this.plain = whatIf.isEmpty ? this
      : new Head(trace, { stack, layer, head, sentence });
  }

  get title() {
    return words.head(this.stackTitle, this.layer.layer, this.head);
  }

  get layerTitle() {
    return words.layer(this.stackTitle, this.layer.layer);
  }

  get stackTitle() {
    const { stack, part } = this.stack;
    return words.stacks[`${stack} ${part}`] ?? stack;
  }

  /** The steps whose numbers the page has, in the order in which they follow from each other. */
  get steps() {
    return this.layer.steps.filter((name) => this.reading.isThere(name));
  }

  /** @param {string} name */
  matrix(name) {
    return this.reading.head(name, this.head, this.known);
  }

  /**
   * Whether a cell is another than in the trace; null where nothing is.
   * @param {string} name
   * @returns {((at: number) => boolean) | null}
   */
  changes(name) {
    if (!this.reading.isTouched(name)) return null;
    const [now, before] = [this.matrix(name).data, this.plain.matrix(name).data];
    return (at) => now[at] !== before[at];
  }

  /**
   * Whether a change would reach this value, but the page lacks what it follows from.
   * @param {string} name
   */
  isEnd(name) {
    return this.reading.isTouched(name) && this.reading.isRecorded(name);
  }

  /**
   * A cell's number with as many digits as are true.
   * @param {string} name
   * @param {Cell} cell
   * @param {number} [digits]
   */
  printed(name, { row, column }, digits) {
    const error = this.certainty.row(name, row)[column];
    return certain(at(this.matrix(name), row, column), error, digits);
  }

  /**
   * @param {string} name
   * @returns {{ rows: Axis, columns: Axis }}
   */
  axes(name) {
    const [row, column] = this.trace.node(name).axes.split(" ").slice(-2);
    const { rows, columns } = this.matrix(name);
    return { rows: axis(this, name, row, rows), columns: axis(this, name, column, columns) };
  }

  /** The tokens that look, and those that are looked at. */
  get tokens() {
    const { place } = this.layer;
    return [this.axes(`${place}.q`).rows, this.axes(`${place}.k`).rows];
  }

  /**
   * A cell's formula with its numbers; null where that would say nothing.
   * @param {string} name
   * @param {Cell} cell
   */
  arithmetic(name, { row, column }) {
    const made = this.made(name);
    if (!made) return null;
    const operands = made.formula.parents.map((parent, which) => this.operand(parent,
      made.operands[which]));
    return arithmetic(made.formula, operands, row, column);
  }

  /**
   * @param {string} name
   * @param {Matrix} x
   * @returns {import("./arithmetic.js").Operand}
   */
  operand(name, x) {
    const cell = (/** @type {number} */ i, /** @type {number} */ j) => ({
      row: x.rows === 1 ? 0 : i,
      column: x.columns === 1 ? 0 : j,
    });
    return {
      columns: x.columns,
      number: (i, j) => at(x, cell(i, j).row, cell(i, j).column),
      text: (i, j) => this.printed(name, cell(i, j)).text,
    };
  }

  /**
   * What a cell is made of, as places in its parents.
   * @param {string} name
   * @param {Cell} cell
   */
  reads(name, cell) {
    const made = this.made(name);
    return made ? reads(made.formula, made.operands, cell) : [];
  }

  /**
   * How a value is made and what it is made of, where the page has all of it.
   * @param {string} name
   */
  made(name) {
    if (!this.reading.isDerivable(name)) return null;
    const formula = this.reading.formula(name);
    return { formula, operands: formula.parents.map((parent) => this.matrix(parent)) };
  }
}
