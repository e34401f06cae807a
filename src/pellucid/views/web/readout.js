/**
 * The small note beside the pointer: what stands there, why, and what can be done with it.
 *
 * @typedef {{ label: string, value: string, act: (value: number) => void, give?: () => void }} Form
 */

import { element } from "./dom.js";
import { words } from "./words.js";

const GAP = 14;

export class Readout {
  /** @param {HTMLElement} note */
  constructor(note) {
    this.note = note;
  }

  /**
   * @param {{ x: number, y: number }} point in the window
   * @param {{ head: string, value?: string, form?: Form | null,
   *   lines: { text?: string | null, kind?: string }[] }} text
   */
  show(point, { head, value, lines, form }) {
    this.note.replaceChildren(element("div", { class: "where" }, element("bdi", {}, head)));
    if (value) this.note.append(element("div", { class: "value" }, value));
    for (const { text, kind = "" } of lines) {
      if (text) this.note.append(element("div", { class: `line ${kind}` }, text));
    }
    if (form) this.note.append(formed(form));
    this.note.classList.toggle("pinned", Boolean(form));
    this.note.hidden = false;
    this.place(point);
  }

  /**
   * One more line.
   * @param {string} text
   */
  tell(text) {
    this.note.append(element("div", { class: "line told" }, text));
  }

  /**
   * Beside the point, wherever there is room.
   * @param {{ x: number, y: number }} point
   */
  place({ x, y }) {
    const { width, height } = this.note.getBoundingClientRect();
    const { clientWidth, clientHeight } = document.documentElement;
    const left = x + GAP + width > clientWidth ? x - GAP - width : x + GAP;
    const top = y + GAP + height > clientHeight ? y - GAP - height : y + GAP;
    this.note.style.left = `${Math.max(4, Math.min(left, clientWidth - width - 4))}px`;
    this.note.style.top = `${Math.max(4, top)}px`;
  }

  hide() {
    this.note.hidden = true;
  }
}

/**
 * A number to type.
 * @param {Form} form
 */
function formed({ label, value, act, give }) {
  const input = element("input", { value, inputmode: "decimal", size: "9" });
  const read = (/** @type {Event} */ event) => {
    event.preventDefault();
    const typed = Number(input.value.replace(",", ".").replace("−", "-"));
    if (input.value.trim() && !Number.isNaN(typed)) act(typed);
    else input.select();
  };
  const made = element("form", { onsubmit: read },
    element("label", {}, `${label} `, input),
    element("button", { type: "submit" }, words.ok));
  if (give) made.append(element("button", { type: "button", onclick: give }, words.give));
  return made;
}
