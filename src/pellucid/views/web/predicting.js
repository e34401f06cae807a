/**
 * Predict, then reveal: the answers stay covered until their reader has said what they will be.
 *
 * @typedef {import("./trace.js").Word} Word
 */

import { element } from "./dom.js";
import { words } from "./words.js";

const MARKS = /^##|[␣⏎⇥␍▁]/g; // of spaces, and of a word's later pieces

export class Prediction {
  constructor() {
    document.body.classList.remove("predicting");
    this.wanted = false;
    this.which = "";
    /** Whether these answers may be seen. */
    this.revealed = false;
    /** @type {Word[]} */
    this.best = [];
    this.told = element("span", { class: "told", role: "status" });
    this.switch = element("button", { class: "tool", title: words.predict,
      "aria-label": words.predict, onclick: () => this.toggle() }, "?");
    this.input = element("input", { "aria-label": words.prediction,
      placeholder: words.prediction, autocomplete: "off" });
    this.form = element("form", { class: "prediction", onsubmit: (/** @type {Event} */ event) => {
      event.preventDefault();
      this.guess();
    } }, this.input, element("button", { type: "submit" }, words.ok),
    element("button", { type: "button", onclick: () => this.reveal() }, words.giveAll));
  }

  /**
   * Stand before answers that have just been written; others than before are covered again.
   * @param {HTMLElement} section
   * @param {Word[]} best
   * @param {string} which
   */
  cover(section, best, which) {
    if (which !== this.which) this.forget();
    [this.best, this.which] = [best, which];
    section.querySelector("h2")?.append(" ", this.switch);
    section.querySelector(".title")?.after(this.form, this.told);
    this.show();
  }

  show() {
    const covered = this.wanted && !this.revealed;
    this.form.hidden = !covered;
    this.switch.setAttribute("aria-pressed", `${this.wanted}`);
    document.body.classList.toggle("predicting", covered);
  }

  toggle() {
    this.wanted = !this.wanted;
    this.forget();
    this.show();
    if (this.wanted) this.input.focus();
  }

  forget() {
    this.revealed = false;
    this.told.textContent = this.input.value = "";
  }

  reveal() {
    this.revealed = true;
    this.show();
  }

  /** A prediction counts wherever it stands among the answers. */
  guess() {
    const typed = bare(this.input.value);
    if (!typed) return;
    const rank = this.best.findIndex(({ piece }) => bare(piece) === typed) + 1;
    this.told.textContent = rank ? words.ranked(rank) : words.unranked;
    if (rank) this.reveal();
    else this.input.select();
  }
}

/** @param {string} piece */
function bare(piece) {
  return piece.replace(MARKS, "").trim().toLowerCase();
}
