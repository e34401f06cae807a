/**
 * The text as a person typed it, piece by piece.
 *
 * @typedef {import("./trace.js").Tokens} Tokens
 * @typedef {{ point: (at: number, chip: HTMLElement) => void, leave: () => void,
 *   choose: (at: number) => void }} Listener
 */

import { element } from "./dom.js";

const SPACES = /([␣⏎⇥␍])/;

export class Strip {
  /**
   * @param {string} stream
   * @param {Tokens} tokens
   * @param {Listener} listener
   */
  constructor(stream, tokens, listener) {
    this.stream = stream;
    this.chips = tokens.labels.map((label, at) => {
      const chip = element("button", { class: "token" }, element("bdi", {}, ...spaced(label)));
      if (tokens.special[at]) chip.classList.add("special");
      chip.addEventListener("pointerenter", () => listener.point(at, chip));
      chip.addEventListener("focus", () => listener.point(at, chip));
      chip.addEventListener("pointerleave", listener.leave);
      chip.addEventListener("blur", listener.leave);
      chip.addEventListener("click", () => listener.choose(at));
      return chip;
    });
    this.row = element("div", { class: "strip", dir: direction(tokens.text) }, ...this.chips);
  }

  /**
   * @param {number} [rows] the token whose row is marked
   * @param {number} [columns] the token whose column is marked
   */
  mark(rows, columns) {
    this.chips.forEach((chip, at) => {
      chip.classList.toggle("looks", at === rows);
      chip.classList.toggle("seen", at === columns);
    });
  }

  /** @param {number} [chosen] */
  choose(chosen) {
    this.chips.forEach((chip, at) => chip.setAttribute("aria-pressed", `${at === chosen}`));
  }
}

/**
 * Visible spaces are set apart from the letters.
 * @param {string} label
 */
function spaced(label) {
  return label.split(SPACES).filter(Boolean).map((part) =>
    SPACES.test(part) ? element("span", { class: "space" }, part) : part);
}

/**
 * The way a text runs, as the browser finds it.
 * @param {string} text
 */
function direction(text) {
  const probe = element("p", { dir: "auto" }, text);
  document.body.append(probe);
  const found = getComputedStyle(probe).direction;
  probe.remove();
  return found;
}
