/**
 * All layers and heads as small pictures of their attention weights.
 *
 * @typedef {import("./trace.js").Trace} Trace
 * @typedef {import("./trace.js").Layer} Layer
 * @typedef {import("./trace.js").Stack} Stack
 * @typedef {import("./colour.js").Palette} Palette
 * @typedef {import("./head.js").Choice} Choice
 * @typedef {Pick<Choice, "stack" | "layer" | "head">} Spot
 */

import { element } from "./dom.js";
import { brush, pixels } from "./paint.js";
import { Reading } from "./reading.js";
import { words } from "./words.js";

const SHARPEST = 64; // pixels of a small picture, at most
const PATIENCE = 30; // milliseconds of work before the page may breathe

export class Overview {
  /**
   * @param {Trace} trace
   * @param {HTMLElement} section
   * @param {(spot: Spot) => void} choose
   */
  constructor(trace, section, choose) {
    this.trace = trace;
    this.choose = choose;
    /** @type {HTMLButtonElement[][][]} by stack, layer, head */
    this.buttons = trace.stacks.map((stack, which) => this.grid(section, stack, which));
    this.run = 0;
  }

  /**
   * @param {HTMLElement} section
   * @param {Stack} stack
   * @param {number} which
   */
  grid(section, stack, which) {
    const grid = element("div", { class: "heads" });
    grid.style.setProperty("--heads", `${stack.heads}`);
    const numbers = Array.from({ length: stack.heads }, (_, head) => head);
    grid.append(element("i"), ...numbers.map((head) => element("i", {}, `${head}`)));
    const title = words.stacks[`${stack.stack} ${stack.part}`] ?? stack.stack;
    const buttons = stack.layers.map((layer, at) => {
      const row = numbers.map((head) =>
        this.button({ stack: which, layer: at, head }, words.head(title, layer.layer, head)));
      grid.append(element("i", {}, `${layer.layer}`), ...row);
      return row;
    });
    section.append(
      element("h2", {}, title, " ", element("small", {}, words.overview)), grid);
    return buttons;
  }

  /**
   * @param {Spot} spot
   * @param {string} title
   */
  button(spot, title) {
    const attributes = { "aria-label": title, title, tabindex: "-1" };
    const button = element("button", attributes, element("canvas"));
    button.addEventListener("click", () => this.choose(spot));
    return button;
  }

  /** @param {Spot} chosen */
  mark({ stack, layer, head }) {
    const chosen = this.buttons[stack][layer][head];
    for (const button of this.buttons.flat(2)) {
      button.setAttribute("aria-pressed", `${button === chosen}`);
      button.tabIndex = button === chosen ? 0 : -1;
    }
  }

  /** Paint no more. */
  stop() {
    this.run++;
  }

  /**
   * Paint every head, a layer at a time; a later call takes over from an earlier one.
   * @param {number} sentence
   * @param {Palette} palette
   */
  async paint(sentence, palette) {
    const run = ++this.run;
    let rested = performance.now();
    for (const [which, stack] of this.trace.stacks.entries()) {
      for (const [at, layer] of stack.layers.entries()) {
        await this.trace.open([`${layer.place}.weights`]);
        if (run !== this.run) return;
        const reading = new Reading(this.trace, sentence, stack.heads);
        for (const [head, button] of this.buttons[which][at].entries()) {
          small(button, reading.head(`${layer.place}.weights`, head), palette);
          if (performance.now() - rested < PATIENCE) continue;
          await new Promise((go) => setTimeout(go));
          if (run !== this.run) return;
          rested = performance.now();
        }
      }
    }
  }
}

/**
 * @param {HTMLButtonElement} button
 * @param {import("../../formula/algebra.js").Matrix} weights
 * @param {Palette} palette
 */
function small(button, weights, palette) {
  const canvas = /** @type {HTMLCanvasElement} */ (button.firstElementChild);
  canvas.width = Math.min(weights.columns, SHARPEST);
  canvas.height = Math.min(weights.rows, SHARPEST);
  canvas.classList.toggle("coarse", Math.max(weights.rows, weights.columns) < SHARPEST);
  brush(canvas).drawImage(pixels(weights, palette), 0, 0, canvas.width, canvas.height);
}
