/**
 * The road from left to right: text, pieces, embedding, layers, head, answer. Each station says
 * what comes out of it, and opens in place.
 *
 * @typedef {{ name: string, title: string, told: string }} Station
 */

import { element } from "./dom.js";
import { words } from "./words.js";

export class Road {
  /**
   * @param {HTMLElement} section
   * @param {(name: string) => void} open
   */
  constructor(section, open) {
    this.open = open;
    this.row = element("div", { class: "stations" });
    section.append(this.row);
    section.setAttribute("aria-label", words.road);
  }

  /**
   * @param {Station[]} stations
   * @param {string} chosen
   */
  show(stations, chosen) {
    const focused = this.row.contains(document.activeElement);
    this.row.replaceChildren(...stations.map(({ name, title, told }) => {
      const act = { class: `station ${name}`, onclick: () => this.open(name) };
      const station = element("button", act,
        element("b", {}, title), element("bdi", {}, told));
      if (name === chosen) station.setAttribute("aria-current", "step");
      return station;
    }));
    if (focused) this.row.querySelectorAll("button").forEach((each) =>
      each.ariaCurrent && each.focus());
  }
}
