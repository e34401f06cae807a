/**
 * The page. `window.pellucid` is for tests and for the curious:
 *   value(name, { head, sentence })            a value's matrix: { rows, columns, data }
 *   choose({ stack, layer, head, sentence })   go there, as a click would
 *   painted                                    kept when every small picture has been painted
 *
 * @typedef {import("./picture.js").Cursor} Cursor
 * @typedef {import("./head.js").Choice} Choice
 */

import { Palette } from "./colour.js";
import { part } from "./dom.js";
import { Head } from "./head.js";
import { about, selector } from "./header.js";
import { Overview } from "./overview.js";
import { Readout } from "./readout.js";
import { ARROWS } from "./step.js";
import { Steps } from "./steps.js";
import { Text } from "./text.js";
import { Reading, Trace } from "./trace.js";
import { words } from "./words.js";

/**
 * Where to open: at the layer and head that were asked for, else at the last layer's first head.
 * @param {Trace} trace
 */
function beginning({ about, stacks }) {
  const { layers, heads } = stacks[0];
  const { layer = layers.length - 1, head = 0 } = about.shown ?? {};
  return { layer: Math.min(layer, layers.length - 1), head: Math.min(head, heads - 1) };
}

class Page {
  /** @param {Trace} trace */
  constructor(trace) {
    this.trace = trace;
    /** @type {Choice} */
    this.choice = { stack: 0, ...beginning(trace), sentence: 0 };
    this.palette = new Palette(getComputedStyle(document.body));
    const readout = new Readout(part("readout"));
    this.steps = new Steps(part("steps"), { readout, mark: (cursor) => this.mark(cursor) });
    this.text = new Text(trace, {
      readout,
      point: (stream, at) => this.point(stream, at),
      leave: () => this.steps.again(),
    });
    this.overview = new Overview(trace, part("overview"), (spot) => this.choose(spot));
    part("about").append(about(trace));
    this.selector = selector(trace, (sentence) => this.choose({ sentence }));
    if (trace.sentences > 1) part("about").prepend(this.selector);
  }

  /** The first time everything is drawn. */
  open() {
    this.text.show(this.choice.sentence);
    this.choose({});
    this.paint();
    document.addEventListener("keydown", (event) => this.key(event));
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.recolour());
    window.addEventListener("resize", () => this.steps.draw());
    window.addEventListener("scroll", () => this.steps.again(), { passive: true });
  }

  get stack() {
    return this.trace.stacks[this.choice.stack];
  }

  /** @param {Partial<Choice>} change */
  choose(change) {
    const { sentence } = this.choice;
    Object.assign(this.choice, change);
    if (sentence !== this.choice.sentence) {
      this.selector.selectedIndex = this.choice.sentence;
      this.text.show(this.choice.sentence);
      this.paint();
    }
    this.overview.mark(this.choice);
    this.steps.show(new Head(this.trace, this.choice), this.palette);
  }

  paint() {
    this.painted = this.overview.paint(this.choice.sentence, this.palette);
  }

  recolour() {
    this.palette = new Palette(getComputedStyle(document.body));
    this.choose({});
    this.paint();
  }

  /** @param {Cursor} cursor */
  mark(cursor) {
    this.steps.mark(cursor);
    this.text.mark(this.stack, cursor);
  }

  /**
   * A token of the text is pointed at.
   * @param {string} stream
   * @param {number} at
   */
  point(stream, at) {
    this.mark(stream === this.stack.rows ? { T: at } : { S: at });
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    const arrow = ARROWS[event.key];
    if (event.key === "Escape") this.steps.unpin();
    const meant = !event.ctrlKey && !event.altKey && !(event.target instanceof HTMLSelectElement);
    if (!arrow || !meant) return;
    event.preventDefault();
    this.choose(this.moved(...arrow));
  }

  /**
   * Up and down go through the layers, from one stack into the next.
   * @param {number} down
   * @param {number} right
   * @returns {Partial<Choice>}
   */
  moved(down, right) {
    const rows = this.trace.stacks.flatMap(({ layers, heads }, stack) =>
      layers.map((_, layer) => ({ stack, layer, heads })));
    const now = rows.findIndex(({ stack, layer }) =>
      stack === this.choice.stack && layer === this.choice.layer);
    const { stack, layer, heads } = rows[Math.max(0, Math.min(rows.length - 1, now + down))];
    return { stack, layer, head: Math.max(0, Math.min(heads - 1, this.choice.head + right)) };
  }

  /**
   * @param {string} name
   * @param {{ head?: number, sentence?: number }} [which]
   */
  value(name, { head = 0, sentence = 0 } = {}) {
    return new Reading(this.trace, sentence, this.stack.heads).head(name, head);
  }
}

/**
 * Whatever goes wrong, a person is told, and is not left before an empty page.
 * @param {unknown} error
 */
function fail(error) {
  console.warn(error);
  part("message").textContent = words.broken;
  part("message").hidden = false;
}

window.addEventListener("error", (event) => event.error && fail(event.error));
window.addEventListener("unhandledrejection", (event) => fail(event.reason));

const page = new Page(new Trace(JSON.parse(part("trace").textContent ?? "")));
Object.assign(window, { pellucid: page });
page.open();
