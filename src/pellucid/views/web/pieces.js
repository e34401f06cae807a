/**
 * The pieces the model reads, each with its id and the characters it stands for.
 *
 * @typedef {import("./head.js").Head} Head
 */

import { element } from "./dom.js";
import { words } from "./words.js";

const MOST = 200; // rows, so that a page stays light

/**
 * @param {Head} head
 * @returns {Node[]}
 */
export function pieces({ trace, sentence }) {
  return Object.values(trace.texts).map((texts) => {
    const { labels, ids, offsets, special } = texts[sentence];
    const rows = labels.slice(0, MOST).map((label, at) =>
      element("tr", special[at] ? { class: "special" } : {},
        element("td", {}, element("bdi", {}, label)),
        element("td", {}, `${ids[at]}`),
        element("td", {}, offsets[at].join("–"))));
    const head = element("tr", {}, ...words.columns.map((word) => element("th", {}, word)));
    const more = labels.length > MOST ? [element("caption", {}, words.first(MOST))] : [];
    return element("table", { class: "pieces" }, ...more, head, ...rows);
  });
}
