/**
 * The live page: it follows what is typed. The server computes; the page is the same.
 *
 * @typedef {import("./packing.js").Packed} Packed
 * @typedef {import("./typed.js").Request} Request
 */

import { Comparing } from "./comparing.js";
import { part } from "./dom.js";
import { fail, watch } from "./failing.js";
import { Trace } from "./trace.js";
import { Typed } from "./typed.js";
import { View } from "./view.js";
import { words } from "./words.js";

class Live {
  constructor() {
    this.asked = 0;
    /** @type {View | Comparing | null} */
    this.view = null;
    const studio = JSON.parse(part("studio").dataset.about ?? "{}");
    this.typed = new Typed(studio, () => this.look().catch(fail));
    part("typed").append(...this.typed.fields);
  }

  /** Let the server look at what stands there, unless more is typed meanwhile. */
  async look() {
    const { request } = this.typed;
    const mine = ++this.asked;
    if (!request) return;
    document.body.classList.add("waiting");
    const answer = await ask(request);
    if (mine !== this.asked) return;
    document.body.classList.remove("waiting");
    part("message").hidden = !answer.problem;
    part("message").textContent = answer.problem ?? "";
    if (answer.parts) await this.show(answer.parts);
  }

  /** @param {Record<string, [string, number]>} given */
  async show(given) {
    const parts = new Map(Object.entries(given).map(([name, [text, bytes]]) =>
      /** @type {[string, Packed]} */ ([name, { text, bytes }])));
    const two = parts.has("comparison");
    const make = await (two ? ofTwo(parts) : ofOne(parts));
    this.view?.close();
    if (this.view && this.view instanceof Comparing !== two) forget();
    this.view = make();
    Object.assign(window, { pellucid: this.view });
    await this.view.open();
  }
}

/** @param {Map<string, Packed>} parts */
async function ofOne(parts) {
  const trace = await Trace.of(parts);
  return () => new View(trace);
}

/** @param {Map<string, Packed>} parts */
async function ofTwo(parts) {
  const { found, traces } = await Comparing.read(parts);
  return () => new Comparing(found, traces);
}

/** What the address says of one text is nothing to two. */
function forget() {
  window.history.replaceState(null, "", window.location.pathname);
}

/**
 * @param {Request} request
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
