/**
 * The tree of a search: what was considered at each step, what was kept, and what came of it.
 * A slider goes through it step by step, as the model did. A search may have thousands of
 * candidates: only those in sight are elements of the page.
 *
 * @typedef {import("./branches.js").Candidate} Candidate
 * @typedef {{ text: string, score?: number | null }} Said
 */

import { leads, placed } from "./branches.js";
import { drawn, element } from "./dom.js";
import { fit } from "./frame.js";
import { number } from "./number.js";
import { savers } from "./saving.js";
import { words } from "./words.js";

const WIDE = 116; // pixels a step
const HIGH = 19; // pixels a candidate
const FONT = "12px system-ui";
const BEYOND = 150; // pixels around what is in sight
const UNSEEN = { width: 1280, height: 720 }; // as long as the page has not been laid out

/**
 * @param {import("./head.js").Head} head
 * @returns {Node[]}
 */
export function searchPanel({ trace }) {
  const { answers, tree } = trace.about.generation;
  const candidates = /** @type {Candidate[]} */ (tree.candidates);
  const last = candidates.reduce((most, { step }) => Math.max(most, step), 1);
  const shown = new Tree(candidates);
  const told = element("output");
  const show = (/** @type {number} */ until) => {
    told.textContent = `${until} / ${last}`;
    shown.show(until);
  };
  const slider = element("input", { type: "range", min: "1", max: `${last}`, value: `${last}`,
    "aria-label": words.step, oninput: () => show(Number(slider.value)) });
  show(last);
  const said = element("ol", { class: "said" }, ...answers.map((/** @type {Said} */ answer) =>
    element("li", {}, element("bdi", {}, answer.text), element("span", { class: "score" },
      typeof answer.score === "number" ? number(answer.score) : ""))));
  const count = element("small", {}, words.candidates(candidates.length));
  const save = savers(() => words.tree, () => shown.whole);
  return [said, element("label", { class: "steps" }, `${words.step} `, slider, told, " ", count),
    save, shown.place];
}

class Tree {
  /** @param {Candidate[]} all */
  constructor(all) {
    this.all = all;
    this.leading = leads(all);
    this.rows = new Int32Array(all.length);
    this.until = 0;
    this.svg = drawn("svg", { role: "img", "aria-label": words.tree });
    this.place = element("div", { class: "scroll tree", tabindex: "0",
      onscroll: () => this.draw() }, this.svg);
    new ResizeObserver(() => this.draw()).observe(this.place);
  }

  /** @param {number} until the last step that is shown */
  show(until) {
    this.until = until;
    const { rows, filled } = placed(this.all, until);
    this.rows = rows;
    this.svg.setAttribute("width", `${until * WIDE}`);
    this.svg.setAttribute("height", `${filled * HIGH}`);
    this.draw();
  }

  /** All of it, until it is scrolled. */
  get whole() {
    this.draw([-Infinity, -Infinity, Infinity, Infinity]);
    return this.svg;
  }

  /** What is in sight, and a little around it. */
  get sight() {
    const { scrollLeft, scrollTop, clientWidth, clientHeight } = this.place;
    return [scrollLeft - BEYOND, scrollTop - BEYOND,
      scrollLeft + (clientWidth || UNSEEN.width) + BEYOND,
      scrollTop + (clientHeight || UNSEEN.height) + BEYOND];
  }

  /** @param {number[]} [area] to draw */
  draw([left, top, right, bottom] = this.sight) {
    const parts = this.all.flatMap((candidate, at) => {
      const x = (candidate.step - 1) * WIDE;
      if (candidate.step > this.until || x + WIDE < left || x > right) return [];
      const y = this.middle(at);
      const from = candidate.parent < 0 ? y : this.middle(candidate.parent);
      if (Math.max(y, from) < top || Math.min(y, from) > bottom) return [];
      return this.branch(at, x, y, from);
    });
    this.svg.replaceChildren(...parts);
  }

  /**
   * A candidate, and the branch that leads to it.
   * @param {number} at
   * @param {number} x
   * @param {number} y
   * @param {number} from
   */
  branch(at, x, y, from) {
    const candidate = this.all[at];
    const kind = `${candidate.fate}${this.leading.has(at) ? " leading" : ""}`;
    const branch = candidate.parent < 0 ? []
      : [drawn("path", { class: kind, d: curve(x - 14, from, x, y) })];
    const text = `${fit(candidate.piece, WIDE - 62, FONT)} ${number(candidate.value, 3)}`;
    return [...branch, drawn("text", { class: kind, x: x + 4, y: y + 4 }, text,
      drawn("title", {}, described(candidate)))];
  }

  /** @param {number} at */
  middle(at) {
    return (this.rows[at] + 0.5) * HIGH;
  }
}

/**
 * @param {number} x
 * @param {number} y
 * @param {number} toX
 * @param {number} toY
 */
function curve(x, y, toX, toY) {
  const half = (x + toX) / 2;
  return `M${x} ${y}C${half} ${y} ${half} ${toY} ${toX} ${toY}`;
}

/** @param {Candidate} candidate */
function described({ piece, id, log_probability: given, changes, total, why, score }) {
  return [
    `${piece} (id ${id})`,
    `ln p = ${number(given)}`,
    ...changes.map(([rule, before, after]) => `${rule}: ${number(before)} → ${number(after)}`),
    `${words.total} ${number(total)}`,
    why,
    ...(score === null ? [] : [`${words.score} ${number(score)}`]),
  ].filter(Boolean).join("\n");
}
