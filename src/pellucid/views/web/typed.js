/**
 * What is typed on the live page: a text or two, which word of both is meant, and how far the
 * model goes on.
 *
 * @typedef {"tokens" | "source" | "target"} Stream
 * @typedef {{ streams: Stream[], longest: number, examples: string[],
 *   most: { tokens: number, beams: number } | null, compares: boolean }} Studio
 * @typedef {{ texts: string[], tokens?: number, beams?: number, other?: string[],
 *   word?: string }} Request
 */

import { element } from "./dom.js";
import { words } from "./words.js";

const PAUSE = 350; // milliseconds after the last letter
const WORD = /[\p{L}\p{M}\p{N}’']+/gu;

export class Typed {
  /**
   * @param {Studio} studio
   * @param {() => void} rested what to do when the hand rests
   */
  constructor(studio, rested) {
    this.studio = studio;
    this.rested = rested;
    const { streams, examples, most } = studio;
    this.first = streams.map((stream, at) => this.text(words.streams[stream], examples[at]));
    this.second = streams.map((stream) => this.text(words.other(words.streams[stream]), ""));
    this.below = element("div", { class: "texts" }, ...this.second);
    this.both = element("input", { type: "checkbox", onchange: () => this.double() });
    this.below.hidden = true;
    this.word = element("input", { "aria-label": words.word, oninput: () => this.typed() });
    this.tokens = this.count(most?.tokens ?? 0, 0);
    this.beams = this.count(most?.beams ?? 0, 1);
    this.settings = [labelled(words.goOn, this.tokens), labelled(words.beams, this.beams)];
    this.meant = labelled(words.word, this.word);
    this.meant.hidden = true;
  }

  /** All that stands in the form. */
  get fields() {
    const { most, compares } = this.studio;
    return [
      element("div", { class: "typing" },
        element("div", { class: "texts" }, ...this.first), this.below),
      ...(most ? this.settings : []),
      ...(compares ? [this.meant, labelled(words.compare, this.both)] : []),
    ];
  }

  /**
   * What to ask for; null where something is missing yet.
   * @returns {Request | null}
   */
  get request() {
    const [texts, other] = [this.first, this.second].map((all) => all.map(({ value }) => value));
    if (texts.some((text) => !text)) return null;
    if (this.both.checked) {
      const word = this.word.value || sharedWord(texts, other);
      this.word.placeholder = word;
      return word && other.every(Boolean) ? { texts, other, word } : null;
    }
    if (!this.studio.most) return { texts };
    return { texts, tokens: Number(this.tokens.value), beams: Number(this.beams.value) };
  }

  /** One text or two; the second is the first until it is changed. */
  double() {
    const { checked } = this.both;
    this.below.hidden = this.meant.hidden = !checked;
    for (const each of this.settings) each.hidden = checked;
    if (checked) {
      this.second.forEach((field, at) => { field.value ||= this.first[at].value; });
    }
    this.typed();
  }

  /** A letter more: look when the hand rests. */
  typed() {
    clearTimeout(this.timer);
    this.timer = setTimeout(this.rested, PAUSE);
  }

  /**
   * @param {string} name
   * @param {string} [example]
   */
  text(name, example = "") {
    return element("textarea", { rows: "1", maxlength: `${this.studio.longest}`,
      "aria-label": name, placeholder: name, spellcheck: "false",
      oninput: () => this.typed() }, example);
  }

  /**
   * A field for a number of a generation.
   * @param {number} max
   * @param {number} min which it has at first
   */
  count(max, min) {
    return element("input", { type: "number", min: `${min}`, max: `${max}`, value: `${min}`,
      oninput: () => this.typed() });
  }
}

/**
 * The longest word that both have.
 * @param {string[]} texts
 * @param {string[]} other
 */
function sharedWord(texts, other) {
  const found = new Set(other.join(" ").match(WORD));
  return (texts.join(" ").match(WORD) ?? []).filter((word) => found.has(word))
    .reduce((best, word) => (word.length > best.length ? word : best), "");
}

/**
 * @param {string} text
 * @param {HTMLElement} field
 */
function labelled(text, field) {
  return element("label", {}, text, field);
}
