/**
 * Some values of the road in full: their matrices in the order in which they follow from one
 * another, the number under the pointer, and what it was made of.
 *
 * @typedef {import("./head.js").Head} Head
 * @typedef {import("./colour.js").Palette} Palette
 * @typedef {import("./picture.js").Cell} Cell
 * @typedef {import("./picture.js").Cursor} Cursor
 * @typedef {{ short: string, cell: Cell }} Pin
 * @typedef {{ mark: (cursor: Cursor) => void, readout: import("./readout.js").Readout,
 *   edit: (step: Step, cell: Cell, value: number) => void, moved: () => void }} Around
 */

import { Exercise } from "./exercise.js";
import { element } from "./dom.js";
import { frame, gridOf, LABEL } from "./frame.js";
import { Step } from "./step.js";
import { words } from "./words.js";

const TALLEST = { small: 34, large: 56 }; // a row's height, at most
const LOWEST = 6; // of a step that is shown large
const AROUND = 200; // what stands above and below a step that is shown large
const NARROWEST = { few: 212, many: 168 }; // a step: of few tokens the numbers can be read
const FEW = 7; // tokens
const PADDING = 24; // left and right of a picture, together

export class Steps {
  /**
   * @param {HTMLElement} section
   * @param {Around} around
   */
  constructor(section, around) {
    this.around = around;
    this.list = element("div", { class: "list" });
    section.append(this.list);
    /** @type {Step[]} */
    this.steps = [];
    this.narrowest = NARROWEST.few;
    /** @type {Head | null} */
    this.head = null;
    /** @type {Palette | null} */
    this.palette = null;
    /** The short name of the step that is shown large, and of the cell that stays marked. */
    this.large = "";
    /** @type {Pin | null} */
    this.pinned = null;
    /** @type {Map<string, Exercise>} by the short name of the step that is hidden */
    this.exercises = new Map();
    /** @type {Map<string, import("./frame.js").Frame>} */
    this.frames = new Map();
    /** @type {Set<string>} the short names of steps that are shown as tables */
    this.tables = new Set();
  }

  /**
   * @param {Head} head
   * @param {string[]} names
   * @param {Palette} palette
   */
  show(head, names, palette) {
    [this.head, this.palette] = [head, palette];
    if (this.steps.map((step) => step.name).join() !== names.join()) this.build(names);
    this.draw();
  }

  /** @param {string[]} names */
  build(names) {
    const { head } = this;
    if (!head) return;
    this.exercises.clear();
    this.steps = names.map((name) => new Step(head.trace.node(name), {
      point: (step, cell) => this.pinned || this.point(step, cell),
      leave: () => this.pinned || this.leave(),
      pin: (step, cell) => this.pin(step, cell),
      enlarge: (step) => this.enlarge(step.short),
      tabulate: (step) => this.tabulate(step.short),
      hide: (step) => this.hide(step),
    }));
    this.list.replaceChildren(...this.steps.map((step) => step.figure));
  }

  /** Paint all matrices for the room there is. */
  draw() {
    const { head, palette } = this;
    if (!head || !palette) return;
    this.frames.clear();
    const many = Math.max(...head.tokens.map(({ labels }) => labels.length)) > FEW;
    this.narrowest = NARROWEST[many ? "many" : "few"];
    this.list.style.setProperty("--narrowest", `${this.narrowest}px`);
    for (const step of this.steps) step.enlarge(step.short === this.large);
    for (const step of this.steps) {
      step.view = this.tables.has(step.short) ? "table" : "picture";
      step.show(this.plan(step, head, palette), head.isEnd(step.name) ? words.end : "");
    }
    this.again();
  }

  /**
   * @param {Step} step
   * @param {Head} head
   * @param {Palette} palette
   */
  plan(step, head, palette) {
    const large = step.short === this.large;
    const [axes, matrix] = [head.axes(step.name), head.matrix(step.name)];
    const laid = this.laid(step.figure.clientWidth, large ? tallest(matrix.rows) : TALLEST.small);
    const beside = this.list.clientWidth > 2 * this.narrowest && !large;
    const grid = gridOf(laid, axes.columns, beside ? "beside" : "alone");
    const exercise = this.exercises.get(step.short);
    return {
      matrix: exercise ? exercise.shown(matrix) : matrix,
      ...axes,
      grid,
      upright: laid.upright,
      palette,
      print: (/** @type {number} */ row, /** @type {number} */ column,
        /** @type {number} */ digits) => (exercise?.isHidden(row, column) ? "?"
        : head.printed(step.name, { row, column }, digits).text),
      changes: head.changes(step.name),
    };
  }

  /**
   * The margins that all matrices of this size share, measured once.
   * @param {number} width
   * @param {number} cell
   */
  laid(width, cell) {
    const key = `${width} ${cell}`;
    const font = `${LABEL}px ${this.palette?.font}`;
    const found = this.frames.get(key)
      ?? frame(this.head?.tokens ?? [], { width: width - PADDING, cell, font });
    this.frames.set(key, found);
    return found;
  }

  /** Point once more at what stays marked, whichever head is shown now. */
  again() {
    const { pinned } = this;
    const step = this.steps.find((each) => each.short === pinned?.short);
    if (step && pinned && this.fits(step, pinned.cell)) this.point(step, pinned.cell);
    else this.leave();
  }

  /**
   * @param {Step} step
   * @param {Cell} cell
   */
  fits(step, { row, column }) {
    const { rows = 0, columns = 0 } = step.picture.plan?.matrix ?? {};
    return row < rows && column < columns;
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
    const where = `${rows.labels[cell.row]}${arrow}${columns.labels[cell.column]}`;
    const exercise = this.exercises.get(step.short);
    const hidden = exercise?.isHidden(cell.row, cell.column);
    this.around.readout.show(step.picture.middle(cell), {
      head: where,
      value: hidden ? "?" : head.printed(step.name, cell).text,
      lines: this.lines(step, cell, Boolean(hidden)),
      form: this.pinned ? this.form(step, cell) : null,
    });
    this.markParents(step, cell);
  }

  /**
   * @param {Step} step
   * @param {Cell} cell
   * @param {boolean} hidden
   */
  lines(step, cell, hidden) {
    const { trace } = /** @type {Head} */ (this.head);
    const { written, line } = trace.node(step.name);
    const why = hidden ? null : this.head?.arithmetic(step.name, cell);
    return [
      { text: written && `${step.short} = ${written}` },
      { text: why && `= ${why}` },
      { text: line === undefined ? "" : trace.code[line], kind: "code" },
    ];
  }

  /**
   * What can be done with a number that stays marked: guess it where it is hidden, else change it.
   * @param {Step} step
   * @param {Cell} cell
   */
  form(step, cell) {
    const exercise = this.exercises.get(step.short);
    const told = this.head?.printed(step.name, cell).text ?? "";
    const act = (/** @type {number} */ value) => {
      if (!exercise?.isHidden(cell.row, cell.column)) this.around.edit(step, cell, value);
      else {
        const right = exercise.guess(cell, value);
        this.draw();
        this.around.readout.tell(right ? words.right : words.wrong);
      }
    };
    return exercise?.isHidden(cell.row, cell.column)
      ? { label: words.guess, value: "", act, give: () => { exercise.reveal(cell); this.draw(); } }
      : { label: words.edit, value: told.replace("−", "-"), act };
  }

  /**
   * @param {Step} step
   * @param {Cell} cell
   */
  markParents(step, cell) {
    for (const { name, place } of this.head?.reads(step.name, cell) ?? []) {
      for (const each of this.steps) if (each.name === name) each.picture.outline(place);
    }
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
    this.around.moved();
  }

  unpin() {
    this.pinned = null;
    this.leave();
    this.around.moved();
  }

  /** @param {string} short */
  enlarge(short) {
    this.large = this.large === short ? "" : short;
    this.draw();
    this.list.scrollIntoView({ block: "nearest" });
    this.around.moved();
  }

  /** @param {string} short */
  tabulate(short) {
    if (!this.tables.delete(short)) this.tables.add(short);
    this.draw();
  }

  /** @param {Step} step */
  hide(step) {
    if (!this.exercises.delete(step.short) && this.head) {
      this.exercises.set(step.short, new Exercise(this.head.matrix(step.name)));
    }
    this.draw();
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
