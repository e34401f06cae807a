/**
 * One text of a comparison: its pieces with the word marked, what a head took from each of them,
 * and that head in full.
 *
 * @typedef {import("./trace.js").Trace} Trace
 * @typedef {import("./colour.js").Palette} Palette
 * @typedef {import("./picture.js").Cursor} Cursor
 * @typedef {{ stream: string, sentence: number, pieces: number[],
 *   said: [string, string, string] }} Place
 * @typedef {{ place: string, head: number }} Spot a head by its attention's name
 */

import { element, part } from "./dom.js";
import { Head } from "./head.js";
import { NOTHING, percent } from "./ranked.js";
import { Readout } from "./readout.js";
import { Stage } from "./stage.js";
import { Strip } from "./strip.js";
import { WhatIf } from "./whatif.js";
import { words } from "./words.js";

const NAMES = ["first", "second"];

export class Side {
  /**
   * @param {number} which
   * @param {Trace} trace
   * @param {Place} place
   * @param {(side: Side) => void} moved
   */
  constructor(which, trace, place, moved) {
    this.trace = trace;
    this.place = place;
    this.moved = () => moved(this);
    this.whatIf = new WhatIf();
    /** @type {Spot | null} */
    this.spot = null;
    /** @type {Palette | null} */
    this.palette = null;
    this.name = NAMES[which];
    this.section = element("section", { class: `side ${this.name}` });
    this.readout = new Own(part("readout"), this.name);
    this.stage = new Stage(this.section, {
      readout: this.readout,
      moved: this.moved,
      mark: (cursor) => this.mark(cursor),
      change: (whatIf) => this.change(whatIf),
    });
    this.steps = this.stage.steps;
    this.strips = Object.keys(trace.texts).map((stream) => this.strip(stream));
    this.row = element("div", { class: `text ${this.name}` }, element("b", {}, `${which + 1}`),
      element("div", {}, ...this.strips.map(({ row }) => row)));
  }

  /** The text as it was typed, the word in it marked. */
  get heading() {
    const [before, word, after] = this.place.said;
    return element("h1", { dir: "auto", class: this.name, title: this.place.said.join("") },
      before, element("mark", {}, word), after);
  }

  /** @param {string} stream */
  strip(stream) {
    const strip = new Strip(stream, this.trace.texts[stream][this.place.sentence], {
      point: (at, chip) => this.point(stream, at, chip),
      leave: () => this.steps.again(),
      choose: () => {},
    });
    for (const at of stream === this.place.stream ? this.place.pieces : []) {
      strip.chips[at].classList.add("word");
    }
    for (const chip of strip.chips) chip.append(element("small", { class: "share" }));
    return strip;
  }

  /** Bring the word into sight within a long text. */
  scroll() {
    const chip = this.row.querySelector(".word");
    const strip = chip?.closest(".strip");
    if (chip instanceof HTMLElement && strip) strip.scrollTop = chip.offsetTop;
  }

  /**
   * What was taken from each piece, in words and in colour.
   * @param {Record<string, number[]>} taken by stream
   * @param {number} most the largest share of both texts
   * @param {Palette} palette
   */
  share(taken, most, palette) {
    for (const { stream, chips } of this.strips) {
      chips.forEach((chip, at) => {
        const share = taken[stream]?.[at] ?? 0;
        const colour = palette.colour(Math.max(-1, Math.min(1, share / most)));
        const note = /** @type {HTMLElement} */ (chip.lastElementChild);
        note.textContent = Math.abs(share) < NOTHING ? "·" : percent(share);
        note.style.background = `rgb(${colour.join(" ")})`;
        note.style.color = palette.inkOn(colour);
      });
    }
  }

  /**
   * Show a head, where this text's model has it.
   * @param {Spot} spot
   * @param {Palette} palette
   */
  async show(spot, palette) {
    [this.spot, this.palette] = [spot, palette];
    const choice = this.choice(spot);
    this.section.hidden = choice === null;
    if (!choice) return;
    const head = new Head(this.trace, choice, this.whatIf);
    this.head = head;
    await this.trace.open(head.layer.steps);
    if (!this.whatIf.isEmpty) await this.trace.open(Object.keys(this.trace.numbers));
    if (this.head === head) this.stage.show(head, this.stage.stages(head), palette);
  }

  /** @param {Spot} spot */
  choice({ place, head }) {
    for (const [stack, { layers, heads }] of this.trace.stacks.entries()) {
      const layer = layers.findIndex((each) => each.place === place);
      if (layer >= 0 && head < heads) {
        return { stack, layer, head, sentence: this.place.sentence };
      }
    }
    return null;
  }

  /** @param {WhatIf} whatIf */
  change(whatIf) {
    this.whatIf = whatIf;
    if (this.spot && this.palette) this.show(this.spot, this.palette);
    this.moved();
  }

  /** What is marked and changed here, for the page's address. */
  get own() {
    const { steps, whatIf } = this;
    return { pin: steps.pinned, changes: whatIf.isEmpty ? null : whatIf.changes };
  }

  /**
   * Take what an address says of this text.
   * @param {import("./address.js").Own} own
   * @param {string} large the step that is shown large
   */
  restore({ pin, changes }, large) {
    this.steps.pinned = pin;
    this.steps.large = large;
    this.whatIf = new WhatIf(changes ?? {});
  }

  /**
   * While nothing is pointed at, the word's row is marked.
   * @param {Cursor} cursor
   */
  mark(cursor) {
    const { rows, columns } = this.head?.stack ?? {};
    const pointing = Object.keys(cursor).length > 0 || rows !== this.place.stream;
    this.steps.mark(pointing ? cursor : { T: this.place.pieces[0] });
    for (const strip of this.strips) {
      strip.mark(strip.stream === rows ? cursor.T : undefined,
        strip.stream === columns ? cursor.S : undefined);
    }
  }

  /**
   * A piece of the text is pointed at.
   * @param {string} stream
   * @param {number} at
   * @param {HTMLElement} chip
   */
  point(stream, at, chip) {
    const { labels, ids, offsets } = this.trace.texts[stream][this.place.sentence];
    const { left, bottom } = chip.getBoundingClientRect();
    this.mark(stream === this.head?.stack.rows ? { T: at } : { S: at });
    this.readout.show({ x: left, y: bottom - 8 }, {
      head: labels[at],
      lines: [{ text: words.token(ids[at], ...offsets[at]) }],
    });
  }
}

/** The note beside the pointer, which each of two texts may only take away where it is its own. */
class Own extends Readout {
  /**
   * @param {HTMLElement} note
   * @param {string} owner
   */
  constructor(note, owner) {
    super(note);
    this.owner = owner;
  }

  /**
   * @param {Parameters<Readout["show"]>} what
   */
  show(...what) {
    this.note.dataset.owner = this.owner;
    super.show(...what);
  }

  hide() {
    if (this.note.dataset.owner === this.owner) super.hide();
  }
}
