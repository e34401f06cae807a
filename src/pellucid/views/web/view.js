/**
 * The view of a trace. `window.pellucid` is it, for tests and for the curious:
 *   value(name, { head, sentence })            a value's matrix: { rows, columns, data }
 *   choose({ stack, layer, head, sentence })   go there, as a click would
 *   painted                                    kept when every small picture has been painted
 *
 * @typedef {import("./picture.js").Cursor} Cursor
 * @typedef {import("./head.js").Choice} Choice
 * @typedef {import("./trace.js").Trace} Trace
 */

import { read, written } from "./address.js";
import { Palette } from "./colour.js";
import { emptied, part } from "./dom.js";
import { Head } from "./head.js";
import { about, selector } from "./header.js";
import { arrowOf, moved, within } from "./moving.js";
import { Overview } from "./overview.js";
import { Readout } from "./readout.js";
import { Road } from "./road.js";
import { Stage } from "./stage.js";
import { ARROWS } from "./step.js";
import { Text } from "./text.js";
import { Reading } from "./reading.js";
import { WhatIf } from "./whatif.js";
import { words } from "./words.js";

export class View {
  /** @param {Trace} trace */
  constructor(trace) {
    emptied("one");
    document.documentElement.lang = words.language;
    this.trace = trace;
    this.closing = new AbortController();
    /** @type {Choice} */
    this.choice = within(trace, {});
    this.whatIf = new WhatIf();
    this.palette = new Palette(getComputedStyle(document.body));
    const readout = new Readout(part("readout"));
    this.stage = new Stage(part("stage"), {
      readout,
      mark: (cursor) => this.mark(cursor),
      moved: () => this.remember(),
      change: (whatIf) => this.change(whatIf),
    });
    this.steps = this.stage.steps;
    this.text = new Text(trace, {
      readout,
      point: (stream, at) => this.point(stream, at),
      leave: () => this.steps.again(),
    });
    this.road = new Road(part("road"), (name) => this.go(name));
    this.overview = new Overview(trace, part("overview"), (spot) => this.choose(spot, "head"));
    part("about").replaceChildren(about(trace));
    this.selector = selector(trace, (sentence) => this.choose({ sentence }));
    if (trace.sentences > 1) part("about").prepend(this.selector);
    this.restore();
  }

  /** Take the place that the page's address names. */
  restore() {
    const { stage = "head", choice, large, texts: [own] } = read(window.location.hash);
    this.choice = within(this.trace, choice);
    this.whatIf = new WhatIf(own.changes ?? {});
    this.stage.chosen = stage;
    this.steps.large = large;
    this.steps.pinned = own.pin;
  }

  /** The first time everything is drawn. */
  async open() {
    this.text.show(this.choice.sentence);
    await this.draw();
    this.paint();
    this.listen();
  }

  listen() {
    const { signal } = this.closing;
    document.addEventListener("keydown", (event) => this.key(event), { signal });
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change",
      () => this.recolour(), { signal });
    window.addEventListener("resize", () => this.steps.draw(), { signal });
    window.addEventListener("scroll", () => this.steps.again(), { signal, passive: true });
    window.addEventListener("hashchange", () => {
      if (window.location.hash === this.address) return;
      this.restore();
      this.choose({});
    }, { signal });
  }

  /** Make room for another view. */
  close() {
    this.closing.abort();
    this.overview.stop();
    this.steps.leave();
  }

  get stack() {
    return this.trace.stacks[this.choice.stack];
  }

  /**
   * @param {Partial<Choice>} change
   * @param {string} [stage]
   */
  async choose(change, stage = this.stage.chosen) {
    const { sentence } = this.choice;
    Object.assign(this.choice, change);
    this.stage.chosen = stage;
    if (sentence !== this.choice.sentence) {
      this.selector.selectedIndex = this.choice.sentence;
      this.text.show(this.choice.sentence);
      this.paint();
    }
    await this.draw();
  }

  /** @param {string} stage */
  go(stage) {
    return this.choose({}, stage);
  }

  /** @param {WhatIf} whatIf */
  change(whatIf) {
    this.whatIf = whatIf;
    this.paint();
    return this.draw();
  }

  /** Unpack what is needed, then show it, unless something else was asked for meanwhile. */
  async draw() {
    const head = new Head(this.trace, this.choice, this.whatIf);
    this.head = head;
    this.overview.mark(this.choice);
    const stages = this.stage.stages(head);
    const values = stages.find(({ name }) => name === this.stage.chosen)?.values ?? [];
    await this.trace.open([...values, `${head.layer.place}.weights`]);
    if (!this.whatIf.isEmpty) await this.trace.open(Object.keys(this.trace.numbers));
    if (this.head !== head) return;
    this.road.show(stages, this.stage.chosen);
    this.stage.show(head, stages, this.palette);
    this.text.answerWith(head);
    this.remember();
  }

  /** Let the address say what is shown. */
  remember() {
    this.address = written({
      stage: this.stage.chosen,
      choice: this.choice,
      large: this.steps.large,
      texts: [{
        pin: this.steps.pinned,
        changes: this.whatIf.isEmpty ? null : this.whatIf.changes,
      }],
    });
    try {
      window.history.replaceState(null, "", this.address);
    } catch {
      // a page within a notebook has no address of its own
    }
  }

  paint() {
    this.painted = this.overview.paint(this.choice.sentence, this.palette, this.whatIf);
  }

  recolour() {
    this.palette = new Palette(getComputedStyle(document.body));
    this.draw();
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
    if (event.key === "Escape") this.steps.unpin();
    const arrow = arrowOf(event, ARROWS);
    if (!arrow) return;
    event.preventDefault();
    this.choose(moved(this.trace, this.choice, arrow));
  }

  /**
   * @param {string} name
   * @param {{ head?: number, sentence?: number }} [which]
   */
  async value(name, { head = 0, sentence = 0 } = {}) {
    await this.trace.open([name]);
    return new Reading(this.trace, sentence, this.stack.heads).head(name, head);
  }

  /**
   * Cells as they are printed, each given as [row, column].
   * @param {string} name
   * @param {[number, number][]} cells
   * @param {Partial<Choice>} [which]
   */
  async printed(name, cells, which) {
    await this.trace.open([name]);
    const head = new Head(this.trace, { stack: 0, layer: 0, head: 0, sentence: 0, ...which });
    return cells.map(([row, column]) => head.printed(name, { row, column }));
  }
}
