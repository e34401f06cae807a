/**
 * One step of the road: its name, its formula, its matrix as picture or table.
 *
 * @typedef {import("./picture.js").Cell} Cell
 * @typedef {import("./paint.js").Plan} Plan
 * @typedef {{ point: (step: Step, cell: Cell) => void, leave: () => void,
 *   pin: (step: Step, cell: Cell) => void, enlarge: (step: Step) => void,
 *   tabulate: (step: Step) => void, hide: (step: Step) => void }} Listener
 */

import { element } from "./dom.js";
import { number } from "./number.js";
import { reach, scaleOf } from "./paint.js";
import { Picture } from "./picture.js";
import { savePng, saveSvg } from "./saving.js";
import { summary } from "./summary.js";
import { table } from "./table.js";
import { words } from "./words.js";

/** @type {Record<string, [number, number]>} how an arrow key moves: rows, columns */
export const ARROWS = {
  ArrowUp: [-1, 0],
  ArrowDown: [1, 0],
  ArrowLeft: [0, -1],
  ArrowRight: [0, 1],
};

const LAYER = /^\w+\.\d+\.(?:(?:attention|cross)\.(?=\w+$))?/; // goes without saying

export class Step {
  /**
   * @param {{ name: string, written: string }} node
   * @param {Listener} listener
   */
  constructor(node, listener) {
    this.name = node.name;
    this.short = node.name.replace(LAYER, "");
    this.listener = listener;
    /** @type {Cell | null} */
    this.cell = null;
    /** @type {"picture" | "table"} */
    this.view = "picture";
    this.canvas = element("canvas", { tabindex: "0", role: "img" });
    this.picture = new Picture(this.canvas);
    this.body = element("div", { class: "body" }, this.canvas);
    this.scale = element("span", { class: "scale" });
    this.note = element("span", { class: "note" });
    this.larger = this.button("⤢", words.larger, () => listener.enlarge(this));
    this.tabular = this.button("▦", words.table, () => listener.tabulate(this));
    this.figure = this.built(node.written);
    this.listen();
  }

  /**
   * @param {string} sign
   * @param {string} title
   * @param {() => void} act
   */
  button(sign, title, act) {
    const label = `${this.short}: ${title}`;
    return element("button", { class: "tool", title, "aria-label": label, onclick: act }, sign);
  }

  /** @param {string} written */
  built(written) {
    const dot = this.short.lastIndexOf(".");
    const [place, last] = [this.short.slice(0, Math.max(0, dot)), this.short.slice(dot + 1)];
    const caption = element("figcaption", {},
      element("span", { class: "name", title: this.name }, last),
      element("span", { class: "formula", title: written }, written ? `= ${written}` : ""),
      this.larger);
    const tools = element("span", { class: "tools" },
      this.tabular,
      this.button("?", words.exercise, () => this.listener.hide(this)),
      this.button("PNG", words.savePng, () => savePng(this.picture.base, this.name)),
      this.button("SVG", words.saveSvg, () => this.picture.plan
        && saveSvg(this.picture.plan, this.name)));
    const said = place || (words.meanings[last] ?? "");
    const meaning = element("p", { class: "meaning", title: said }, said);
    const foot = element("div", { class: "foot" }, tools, this.note, this.scale);
    return element("figure", { class: "step", "data-step": this.short },
      caption, meaning, this.body, foot);
  }

  /**
   * @param {Plan} plan
   * @param {string} note
   */
  show(plan, note) {
    this.picture.show(plan);
    const { matrix } = plan;
    const scale = scaleOf(matrix);
    const most = number(reach(matrix), 3);
    const least = scale === "signed" ? `−${most}` : "0";
    this.scale.replaceChildren(
      element("span", {}, least),
      element("i", { class: scale }),
      element("span", {}, most));
    this.note.textContent = note;
    this.canvas.setAttribute("aria-label", summary(this.short, plan, [least, most]));
    this.body.replaceChildren(this.view === "table" ? table(plan, this.short) : this.canvas);
  }

  /** @param {boolean} large */
  enlarge(large) {
    this.figure.classList.toggle("large", large);
    this.larger.textContent = large ? "×" : "⤢";
    const title = large ? words.smaller : words.larger;
    this.larger.title = title;
    this.larger.setAttribute("aria-label", `${this.short}: ${title}`);
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
