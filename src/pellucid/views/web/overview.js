/**
 * All layers and heads as small pictures of their attention weights.
 *
 * @typedef {import("./trace.js").Trace} Trace
 * @typedef {import("./trace.js").Layer} Layer
 * @typedef {import("./trace.js").Stack} Stack
 * @typedef {import("./colour.js").Palette} Palette
 * @typedef {import("./head.js").Choice} Choice
 * @typedef {{ sentence: number, palette: Palette,
 *   whatIf: import("./whatif.js").WhatIf | null }} Seen
 * @typedef {Pick<Choice, "stack" | "layer" | "head">} Spot
 */

import { element, titled } from "./dom.js";
import { brush, pixels } from "./paint.js";
import { Reading } from "./reading.js";
import { savers } from "./saving.js";
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
    /** @type {Map<string, Seen | null>} what the pictures of a layer show */
    this.seen = new Map();
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
    section.append(titled(
      element("h2", {}, title, " ", element("small", {}, words.overview)),
      savers(() => title, () => grid)), grid);
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
   * @param {import("./whatif.js").WhatIf} whatIf
   */
  async paint(sentence, palette, whatIf) {
    const run = ++this.run;
    let rested = performance.now();
    for (const [which, stack] of this.trace.stacks.entries()) {
      for (const [at, layer] of stack.layers.entries()) {
        const reading = new Reading(this.trace, sentence, stack.heads, whatIf);
        const name = `${layer.place}.weights`;
        const view = { sentence, palette, whatIf: reading.isTouched(name) ? whatIf : null };
        if (sameView(this.seen.get(name), view)) continue;
        await this.trace.open([name]);
        if (run !== this.run) return;
        this.seen.set(name, null);
        for (const [head, button] of this.buttons[which][at].entries()) {
          small(button, reading.head(`${layer.place}.weights`, head), palette);
          if (performance.now() - rested < PATIENCE) continue;
          await new Promise((go) => setTimeout(go));
          if (run !== this.run) return;
          rested = performance.now();
        }
        this.seen.set(name, view);
      }
    }
  }
}

/**
 * @param {Seen | null | undefined} a
 * @param {Seen} b
 */
function sameView(a, b) {
  return a?.sentence === b.sentence && a.palette === b.palette && a.whatIf === b.whatIf;
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
