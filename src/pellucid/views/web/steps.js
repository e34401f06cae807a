/**
 * The chosen head in full: its steps in the order in which they follow from one another.
 *
 * @typedef {import("./head.js").Head} Head
 * @typedef {import("./colour.js").Palette} Palette
 * @typedef {import("./picture.js").Cell} Cell
 * @typedef {import("./picture.js").Cursor} Cursor
 * @typedef {{ mark: (cursor: Cursor) => void, readout: import("./readout.js").Readout }} Around
 */

import { at } from "../../formula/algebra.js";
import { element } from "./dom.js";
import { frame, gridOf, LABEL } from "./frame.js";
import { number } from "./number.js";
import { Step } from "./step.js";
import { words } from "./words.js";

const TALLEST = { small: 34, large: 56 }; // a row's height, at most
const LOWEST = 6; // of a step that is shown large
const AROUND = 200; // what stands above and below a step that is shown large
const NARROWEST = 212; // a step, as in the style sheet
const PADDING = 24; // left and right of a picture, together

export class Steps {
  /**
   * @param {HTMLElement} section
   * @param {Around} around
   */
  constructor(section, around) {
    this.around = around;
    this.title = element("h2");
    this.list = element("div", { class: "list" });
    const keys = element("kbd", {}, words.keys);
    section.append(element("div", { class: "title" }, this.title, keys), this.list);
    /** @type {Step[]} */
    this.steps = [];
    /** @type {Head | null} */
    this.head = null;
    /** @type {Palette | null} */
    this.palette = null;
    /** The short name of the step that is shown large, and of the cell that stays marked. */
    this.large = "";
    /** @type {{ short: string, cell: Cell } | null} */
    this.pinned = null;
  }

  /**
   * @param {Head} head
   * @param {Palette} palette
   */
  show(head, palette) {
    [this.head, this.palette] = [head, palette];
    this.title.textContent = head.title;
    this.steps = head.layer.steps.map((name) => new Step(head.trace.node(name), {
      point: (step, cell) => this.pinned || this.point(step, cell),
      leave: () => this.pinned || this.leave(),
      pin: (step, cell) => this.pin(step, cell),
      enlarge: (step) => this.enlarge(step.short),
    }));
    this.list.replaceChildren(...this.steps.map((step) => step.figure));
    this.draw();
  }

  /** Paint all matrices for the room there is. */
  draw() {
    const { head, palette } = this;
    if (!head || !palette) return;
    for (const step of this.steps) step.enlarge(step.short === this.large);
    const beside = this.list.clientWidth > 2 * NARROWEST;
    for (const step of this.steps) {
      const large = step.short === this.large;
      const axes = head.axes(step.name);
      const laid = frame(head.tokens, {
        width: step.figure.clientWidth - PADDING,
        cell: large ? tallest(head.matrix(step.name).rows) : TALLEST.small,
        font: `${LABEL}px ${palette.font}`,
      });
      const grid = gridOf(laid, axes.columns, beside && !large ? "beside" : "alone");
      const { upright } = laid;
      step.show({ matrix: head.matrix(step.name), ...axes, grid, upright, palette });
    }
    this.again();
  }

  /** Point once more at what stays marked, whichever head is shown now. */
  again() {
    const { pinned } = this;
    const step = this.steps.find((each) => each.short === pinned?.short);
    if (step && pinned) this.point(step, pinned.cell);
    else this.leave();
  }

  /**
   * @param {Step} step
   * @param {Cell} cell
   */
  point(step, cell) {
    const { head } = this;
    if (!head) return;
    const { rows, columns } = head.axes(step.name);
    this.around.mark({ [rows.letter]: cell.row, [columns.letter]: cell.column });
    const arrow = rows.tokens && columns.tokens ? " → " : ", ";
    const { written } = head.trace.node(step.name);
    const why = head.arithmetic(step.name, cell);
    this.around.readout.show(step.picture.middle(cell), {
      head: `${rows.labels[cell.row]}${arrow}${columns.labels[cell.column]}`,
      value: number(at(head.matrix(step.name), cell.row, cell.column)),
      lines: [written && `${step.short} = ${written}`, why && `= ${why}`],
    });
  }

  leave() {
    this.around.mark({});
    this.around.readout.hide();
  }

  /**
   * A click keeps a cell marked; a second click lets it go.
   * @param {Step} step
   * @param {Cell} cell
   */
  pin(step, cell) {
    const { pinned } = this;
    const same = pinned?.short === step.short
      && pinned.cell.row === cell.row && pinned.cell.column === cell.column;
    this.pinned = same ? null : { short: step.short, cell };
    this.again();
  }

  unpin() {
    this.pinned = null;
    this.leave();
  }

  /** @param {string} short */
  enlarge(short) {
    this.large = this.large === short ? "" : short;
    this.draw();
    this.list.scrollIntoView({ block: "nearest" });
  }

  /** @param {Cursor} cursor */
  mark(cursor) {
    for (const step of this.steps) step.picture.mark(cursor);
  }
}

/**
 * The height of a row that lets a step fill the window, and no more.
 * @param {number} rows
 */
function tallest(rows) {
  const fitting = (window.innerHeight - AROUND) / rows;
  return Math.max(LOWEST, Math.min(TALLEST.large, fitting));
}
