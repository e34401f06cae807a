/**
 * What happens in a layer beside attention, in few numbers: which hidden units of the
 * feed-forward are furthest from zero at each token.
 *
 * @typedef {import("./head.js").Head} Head
 */

import { at } from "../../formula/algebra/matrix.js";
import { element } from "./dom.js";
import { number } from "./number.js";
import { words } from "./words.js";

const MOST = 40; // tokens, so that a page stays light

/**
 * @param {Head} head
 * @returns {Node[]}
 */
export function layerPanel(head) {
  const place = head.layer.place.replace(/\w+$/, "feedforward");
  const names = [`${place}.units`, `${place}.strongest`];
  if (!names.every((name) => name in head.trace.numbers)) return [];
  const [units, strongest] = names.map((name) => head.matrix(name));
  const labels = head.trace.tokens(names[0], "T", head.sentence)?.labels ?? [];
  const rows = Array.from({ length: Math.min(units.rows, MOST) }, (_, i) =>
    element("tr", {},
      element("th", { scope: "row" }, element("bdi", {}, labels[i] ?? `${i}`)),
      ...Array.from({ length: units.columns }, (_, j) => element("td", {},
        element("small", {}, `${at(units, i, j)} `), number(at(strongest, i, j), 3)))));
  return [element("details", {},
    element("summary", {}, words.units),
    element("table", {}, ...rows))];
}
