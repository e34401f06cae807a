/**
 * One step of a head: its name, its formula, its matrix, and the number under the pointer.
 *
 * @typedef {import("./picture.js").Cell} Cell
 * @typedef {import("./paint.js").Plan} Plan
 * @typedef {{ point: (step: Step, cell: Cell) => void, leave: () => void,
 *   pin: (step: Step, cell: Cell) => void, enlarge: (step: Step) => void }} Listener
 */

import { element } from "./dom.js";
import { number } from "./number.js";
import { reach, scaleOf } from "./paint.js";
import { Picture } from "./picture.js";
import { words } from "./words.js";

/** @type {Record<string, [number, number]>} how an arrow key moves: rows, columns */
export const ARROWS = {
  ArrowUp: [-1, 0],
  ArrowDown: [1, 0],
  ArrowLeft: [0, -1],
  ArrowRight: [0, 1],
};

export class Step {
  /**
   * @param {{ name: string, written: string }} node
   * @param {Listener} listener
   */
  constructor(node, listener) {
    this.name = node.name;
    this.short = node.name.slice(node.name.lastIndexOf(".") + 1);
    this.listener = listener;
    /** @type {Cell | null} */
    this.cell = null;
    this.canvas = element("canvas", { tabindex: "0", role: "img" });
    this.picture = new Picture(this.canvas);
    this.scale = element("span", { class: "scale" });
    this.button = element("button", { class: "size", onclick: () => listener.enlarge(this) });
    this.figure = this.built(node.written);
    this.listen();
    this.enlarge(false);
  }

  /** @param {string} written */
  built(written) {
    const caption = element("figcaption", {},
      element("span", { class: "name" }, this.short),
      element("span", { class: "formula", title: written }, written ? `= ${written}` : ""),
      this.button);
    const meaning = element("p", { class: "meaning" }, words.meanings[this.short] ?? "");
    const foot = element("div", { class: "foot" }, this.scale);
    return element("figure", { class: "step" }, caption, meaning, this.canvas, foot);
  }

  /** @param {Plan} plan */
  show(plan) {
    this.picture.show(plan);
    const { matrix } = plan;
    const scale = scaleOf(matrix);
    const most = number(reach(matrix), 3);
    const least = scale === "signed" ? `−${most}` : "0";
    this.scale.replaceChildren(
      element("span", {}, least),
      element("i", { class: scale }),
      element("span", {}, most));
    this.canvas.setAttribute("aria-label",
      `${this.short}: ${matrix.rows} × ${matrix.columns}, ${least} – ${most}`);
  }

  /** @param {boolean} large */
  enlarge(large) {
    this.figure.classList.toggle("large", large);
    this.button.textContent = large ? "×" : "⤢";
    this.button.setAttribute("aria-label",
      `${this.short}: ${large ? words.smaller : words.larger}`);
  }

  listen() {
    const { canvas, listener } = this;
    canvas.addEventListener("pointermove", (event) => {
      if (event.pointerType !== "mouse") return;
      const cell = this.at(event);
      cell ? listener.point(this, cell) : listener.leave();
    });
    canvas.addEventListener("pointerleave", () => listener.leave());
    // a click takes no focus, so that the arrow keys still go from head to head
    canvas.addEventListener("mousedown", (event) => event.preventDefault());
    canvas.addEventListener("click", (event) => {
      this.cell = this.at(event);
      if (this.cell) listener.pin(this, this.cell);
    });
    canvas.addEventListener("keydown", (event) => this.key(event));
  }

  /** @param {MouseEvent} event */
  at(event) {
    const { left, top } = this.canvas.getBoundingClientRect();
    return this.picture.cellAt(event.clientX - left, event.clientY - top);
  }

  /**
   * Arrows go from number to number while a matrix has the focus.
   * @param {KeyboardEvent} event
   */
  key(event) {
    const arrow = ARROWS[event.key];
    const { matrix } = this.picture.plan ?? {};
    if (!arrow || !matrix) return;
    event.preventDefault();
    event.stopPropagation();
    const { row, column } = this.cell ?? { row: -arrow[0], column: -arrow[1] };
    this.cell = {
      row: Math.max(0, Math.min(matrix.rows - 1, row + arrow[0])),
      column: Math.max(0, Math.min(matrix.columns - 1, column + arrow[1])),
    };
    this.listener.pin(this, this.cell);
  }
}
