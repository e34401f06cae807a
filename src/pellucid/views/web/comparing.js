/**
 * One word in two texts: where its roads part, which heads and neighbours parted them, and any head
 * in full for both. `window.pellucid` is it, for tests and for the curious.
 *
 * @typedef {import("./side.js").Spot} Spot
 * @typedef {Record<string, number[]>[]} Taken by text, by stream, by token
 * @typedef {{ places: import("./side.js").Place[], layers: import("./forked.js").Step[],
 *   none: string, kinds: Record<string, number>, heads: (Spot & { share: number })[],
 *   taken: Record<string, Taken> }} Found
 * @typedef {import("./packing.js").Packed} Packed
 */

import { read, written } from "./address.js";
import { Palette } from "./colour.js";
import { element, emptied, part } from "./dom.js";
import { forked, station } from "./forked.js";
import { about } from "./header.js";
import { arrowOf, moved, within } from "./moving.js";
import { number } from "./number.js";
import { Overview } from "./overview.js";
import { unpackedJson } from "./packing.js";
import { partsOf } from "./parts.js";
import { kindsTold, largest, percent, ranked } from "./ranked.js";
import { savers } from "./saving.js";
import { Side } from "./side.js";
import { ARROWS } from "./step.js";
import { Trace } from "./trace.js";
import { WhatIf } from "./whatif.js";
import { words } from "./words.js";

const BEST = 10; // heads, and neighbours
const GAP = 24; // between the two forks
const NARROW = 560; // where they stand one above the other

export class Comparing {
  /** @param {Map<string, Packed>} all what was found, and the parts of both texts' pages */
  static async read(all) {
    const found = all.get("comparison");
    if (!found) throw new Error("The page has no comparison.");
    const traces = await Promise.all(["0.", "1."].map((text) => Trace.of(partsOf(all, text))));
    return { found: /** @type {Found} */ (await unpackedJson(found)), traces };
  }

  /**
   * @param {Found} found
   * @param {Trace[]} traces
   */
  constructor(found, traces) {
    document.documentElement.lang = words.language;
    emptied("two");
    this.closing = new AbortController();
    this.found = found;
    this.trace = traces[0];
    this.palette = new Palette(getComputedStyle(document.body));
    this.sides = traces.map((trace, which) =>
      new Side(which, trace, found.places[which], (side) => this.follow(side)));
    this.overview = new Overview(this.trace, part("overview"), (spot) => this.choose(spot));
    this.told = element("p", { class: "meaning" });
    part("text").append(...this.sides.map(({ heading }) => heading));
    part("about").append([...new Set(traces.map(about))].join(" / "));
    part("tokens").append(...this.sides.map(({ row }) => row), this.told);
    part("answers").append(...this.ranks());
    part("stage").append(...this.sides.map(({ section }) => section));
    const { choice, large, texts } = read(window.location.hash);
    this.choice = within(this.trace, choice);
    this.sides.forEach((side, which) => side.restore(texts[which], large));
    if (!window.location.hash) Object.assign(this.choice, this.strongest);
  }

  async open() {
    this.colour();
    this.drawRoad();
    await this.draw();
    for (const side of this.sides) side.scroll();
    this.listen();
    this.painted = Promise.resolve();
  }

  listen() {
    const { signal } = this.closing;
    document.addEventListener("keydown", (event) => this.key(event), { signal });
    window.addEventListener("resize", () => this.resize(), { signal });
    window.addEventListener("scroll", () =>
      this.sides.forEach(({ steps }) => steps.again()), { signal, passive: true });
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change",
      () => this.recolour(), { signal });
  }

  /** Make room for another view. */
  close() {
    this.closing.abort();
    this.overview.stop();
    for (const { steps } of this.sides) steps.leave();
  }

  /** The head that made most of the difference, of those on the page. */
  get strongest() {
    const { heads } = this.found;
    const [first] = largest(heads.filter((spot) => this.sides[0].choice(spot)), 1);
    return first && this.sides[0].choice(first);
  }

  /** The chosen head, by the name of its attention. */
  get spot() {
    const { stack, layer, head } = this.choice;
    return { place: this.trace.stacks[stack].layers[layer].place, head };
  }

  /** @param {Partial<import("./head.js").Choice>} change */
  choose(change) {
    Object.assign(this.choice, change);
    return this.draw();
  }

  async draw() {
    const { spot, palette } = this;
    this.overview.mark(this.choice);
    this.drawShares(`${spot.place} ${spot.head}`);
    await Promise.all(this.sides.map((side) => side.show(spot, palette)));
    this.remember();
  }

  /** @param {string} name of the head */
  drawShares(name) {
    const taken = this.found.taken[name] ?? [{}, {}];
    const all = taken.flatMap((streams) => Object.values(streams).flat());
    const most = Math.max(...all.map(Math.abs), 0) || 1;
    this.sides.forEach((side, which) => side.share(taken[which], most, this.palette));
    this.told.textContent = this.found.none ? "" : words.taken(this.title(this.spot));
  }

  drawRoad() {
    const { layers } = this.found;
    const road = part("road");
    const room = road.clientWidth;
    const width = room > NARROW ? (room - GAP) / 2 : room;
    const stations = layers.map(station);
    const drawn = [
      { title: words.angle, write: (/** @type {number} */ x) => `${x.toFixed(1)}°`,
        values: layers.map(({ angle }) => angle), stations },
      { title: words.distance, write: (/** @type {number} */ x) => number(x, 3),
        values: layers.map(({ distance }) => distance), stations },
    ].map((fork) => {
      const drawing = forked(fork, width);
      return element("figure", {}, element("figcaption", {},
        element("span", {}, fork.title), savers(() => fork.title, () => drawing)), drawing);
    });
    road.replaceChildren(...drawn);
  }

  /** Every head by its share; where there are none, by where it looks. */
  colour() {
    const { found, palette, overview } = this;
    const most = Math.max(...found.heads.map(({ share }) => Math.abs(share)), 0) || 1;
    for (const head of found.heads) {
      const at = this.sides[0].choice(head);
      if (!at) continue;
      const button = overview.buttons[at.stack][at.layer][at.head];
      button.style.background = `rgb(${palette.colour(head.share / most).join(" ")})`;
      button.title = `${this.title(head)}: ${percent(head.share)}`;
      button.setAttribute("aria-label", button.title);
    }
    if (found.none) overview.paint(found.places[0].sentence, palette, new WhatIf());
  }

  /** @returns {Node[]} */
  ranks() {
    const { none, kinds, heads } = this.found;
    if (none) return [element("p", { class: "told" }, `${words.noAccount} ${none}.`)];
    return [
      ranked(words.byHead, largest(heads, BEST).map((head) => this.headRow(head))),
      ranked(words.byNeighbour, largest(this.neighbours, BEST)),
      element("p", { class: "kinds" }, kindsTold(kinds)),
    ];
  }

  /** @param {Spot & { share: number }} spot */
  headRow(spot) {
    const choice = this.sides[0].choice(spot);
    const [layer] = /(?<=\.)\d+(?=\.)/.exec(spot.place) ?? [spot.place];
    return {
      name: words.spot(layer, spot.head, spot.place.endsWith(".cross")),
      title: this.title(spot),
      share: spot.share,
      act: choice ? () => this.choose(choice) : undefined,
    };
  }

  /** Every piece of both texts, and what all heads together took from it. */
  get neighbours() {
    const [...texts] = this.found.taken[""] ?? [];
    return texts.flatMap((streams, which) => Object.entries(streams).flatMap(([stream, shares]) => {
      const side = this.sides[which];
      const { labels } = side.trace.texts[stream][side.place.sentence];
      return shares.map((share, at) => ({
        share, title: labels[at],
        name: element("span", { class: side.name },
          element("b", {}, `${which + 1}`), " ", element("bdi", {}, labels[at])),
      }));
    }));
  }

  /** @param {Spot} spot */
  title(spot) {
    const at = this.sides[0].choice(spot);
    if (!at) return `${spot.place} ${spot.head}`;
    const { stack, part, layers } = this.trace.stacks[at.stack];
    return words.head(words.stacks[`${stack} ${part}`] ?? stack, layers[at.layer].layer, spot.head);
  }

  /**
   * What is shown large on one side is large on the other; a number is marked on one side only.
   * @param {Side} from
   */
  follow(from) {
    for (const side of this.sides) {
      if (side === from) continue;
      if (from.steps.pinned && side.steps.pinned) side.steps.unpin();
      if (from.steps.large === side.steps.large) continue;
      side.steps.large = from.steps.large;
      side.steps.draw();
    }
    this.remember();
  }

  remember() {
    const address = written({ stage: "head", choice: this.choice, large: this.sides[0].steps.large,
      texts: this.sides.map(({ own }) => own) });
    try {
      window.history.replaceState(null, "", address);
    } catch {
      // a page within a notebook has no address of its own
    }
  }

  resize() {
    this.drawRoad();
    this.sides.forEach(({ steps }) => steps.draw());
  }

  recolour() {
    this.palette = new Palette(getComputedStyle(document.body));
    this.colour();
    this.draw();
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    if (event.key === "Escape") this.sides.forEach(({ steps }) => steps.unpin());
    const arrow = arrowOf(event, ARROWS);
    if (!arrow) return;
    event.preventDefault();
    this.choose(moved(this.trace, this.choice, arrow));
  }
}
