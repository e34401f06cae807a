/**
 * A matrix as a table: for screen readers, for copying, and for those who like tables better.
 *
 * @typedef {import("./paint.js").Plan} Plan
 */

import { element } from "./dom.js";
import { words } from "./words.js";

const MOST = 900; // cells, so that a page stays light
const WIDEST = 30; // columns

/**
 * @param {Plan} plan
 * @param {string} name
 */
export function table({ matrix, rows, columns, print }, name) {
  const across = Math.min(matrix.columns, WIDEST);
  const down = Math.min(matrix.rows, Math.floor(MOST / across));
  const labels = columns.labels.slice(0, across).map((label) =>
    element("th", { scope: "col" }, element("bdi", {}, label)));
  const lines = rows.labels.slice(0, down).map((label, i) =>
    element("tr", {},
      element("th", { scope: "row" }, element("bdi", {}, label)),
      ...Array.from({ length: across }, (_, j) => element("td", {}, print(i, j, 4)))));
  const cut = across < matrix.columns || down < matrix.rows;
  const caption = `${name}${cut ? ` (${words.firstCells(down, across)})` : ""}`;
  return element("div", { class: "scroll", tabindex: "0" },
    element("table", {},
      element("caption", {}, caption),
      element("thead", {}, element("tr", {}, element("td"), ...labels)),
      element("tbody", {}, ...lines)));
}
