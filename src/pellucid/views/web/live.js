/**
 * The live page: it follows what is typed. The server computes; the page is the same.
 *
 * @typedef {import("./packing.js").Packed} Packed
 */

import { element, part } from "./dom.js";
import { fail, watch } from "./failing.js";
import { Trace } from "./trace.js";
import { View } from "./view.js";
import { words } from "./words.js";

const PAUSE = 350; // milliseconds after the last letter

/**
 * @type {{ streams: ("tokens" | "source" | "target")[], longest: number, examples: string[],
 *   most: { tokens: number, beams: number } | null }}
 */
const studio = JSON.parse(part("studio").dataset.about ?? "{}");

class Live {
  constructor() {
    this.asked = 0;
    /** @type {View | null} */
    this.view = null;
    this.fields = studio.streams.map((stream, which) => element("textarea", {
      rows: "1", maxlength: `${studio.longest}`, "aria-label": words.streams[stream],
      placeholder: words.streams[stream], spellcheck: "false", oninput: () => this.typed() },
    studio.examples[which] ?? ""));
    this.tokens = this.count(words.goOn, studio.most?.tokens ?? 0, 0);
    this.beams = this.count(words.beams, studio.most?.beams ?? 0, 1);
    part("typed").append(...this.fields,
      ...(studio.most ? [this.tokens.label, this.beams.label] : []));
  }

  /**
   * A field for a number of a generation.
   * @param {string} text
   * @param {number} max
   * @param {number} min which it has at first
   */
  count(text, max, min) {
    const field = element("input", { type: "number", min: `${min}`, max: `${max}`, value: `${min}`,
      oninput: () => this.typed() });
    return { field, label: element("label", {}, text, field) };
  }

  /** A letter more: look when the hand rests. */
  typed() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.look().catch(fail), PAUSE);
  }

  /** Let the server look at what stands there, unless more is typed meanwhile. */
  async look() {
    const texts = this.fields.map(({ value }) => value);
    const mine = ++this.asked;
    if (texts.some((text) => !text)) return;
    document.body.classList.add("waiting");
    const [tokens, beams] = [this.tokens, this.beams].map(({ field }) => Number(field.value));
    const answer = await ask(studio.most ? { texts, tokens, beams } : { texts });
    if (mine !== this.asked) return;
    document.body.classList.remove("waiting");
    part("message").hidden = !answer.problem;
    part("message").textContent = answer.problem ?? "";
    if (answer.parts) await this.show(answer.parts);
  }

  /** @param {Record<string, [string, number]>} parts */
  async show(parts) {
    const packed = Object.entries(parts).map(([name, [text, bytes]]) =>
      /** @type {[string, Packed]} */ ([name, { text, bytes }]));
    const trace = await Trace.of(new Map(packed));
    this.view?.close();
    this.view = new View(trace);
    Object.assign(window, { pellucid: this.view });
    await this.view.open();
  }
}

/**
 * @param {{ texts: string[], tokens?: number, beams?: number }} request
 * @returns {Promise<{ problem?: string, parts?: Record<string, [string, number]> }>}
 */
async function ask(request) {
  try {
    const answer = await fetch("/see", {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(request),
    });
    return await answer.json();
  } catch {
    return { problem: words.gone };
  }
}

watch();
document.body.classList.add("live");
new Live().look().catch(fail);
