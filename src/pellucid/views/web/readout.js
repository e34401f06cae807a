/**
 * The small note beside the pointer: what stands there, and why.
 */

import { element } from "./dom.js";

const GAP = 14;

export class Readout {
  /** @param {HTMLElement} note */
  constructor(note) {
    this.note = note;
  }

  /**
   * @param {{ x: number, y: number }} point in the window
   * @param {{ head: string, value?: string, lines: (string | null)[] }} text
   */
  show(point, { head, value, lines }) {
    this.note.replaceChildren(element("div", { class: "where" }, element("bdi", {}, head)));
    if (value) this.note.append(element("div", { class: "value" }, value));
    for (const line of lines) {
      if (line) this.note.append(element("div", { class: "line" }, line));
    }
    this.note.hidden = false;
    this.place(point);
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
