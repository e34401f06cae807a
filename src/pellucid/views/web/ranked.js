/**
 * Shares of a difference, the largest first: what pushed the two apart, and what held them
 * together.
 *
 * @typedef {{ name: Node | string, title: string, share: number, act?: () => void }} Row
 */

import { element, titled } from "./dom.js";
import { savers } from "./saving.js";
import { words } from "./words.js";

/** A share that would be printed as zero is smaller than this. */
export const NOTHING = 0.0005;

/**
 * With its sign, to a tenth of a hundredth.
 * @param {number} share
 */
export function percent(share) {
  const text = (100 * Math.abs(share)).toFixed(1);
  const sign = Number(text) === 0 ? "" : share < 0 ? "−" : "+";
  return `${sign}${text}\u00a0%`;
}

/**
 * The largest of all, without those that are nothing.
 * @template {{ share: number }} Each
 * @param {Each[]} all
 * @param {number} count
 */
export function largest(all, count) {
  return all.filter(({ share }) => Math.abs(share) >= NOTHING)
    .toSorted((a, b) => Math.abs(b.share) - Math.abs(a.share)).slice(0, count);
}

/**
 * @param {string} title
 * @param {Row[]} rows the largest first
 */
export function ranked(title, rows) {
  const most = Math.abs(rows[0]?.share ?? 0) || 1;
  const of = element("small", { title: words.shareOf }, words.share);
  const list = element("ol", {}, ...rows.map((row) => line(row, most)));
  return element("section", {}, titled(element("h2", {}, title, " ", of),
    savers(() => title, () => list)), list);
}

/**
 * @param {Row} row
 * @param {number} most
 */
function line({ name, title, share, act }, most) {
  const bar = element("span", { class: share < 0 ? "bar against" : "bar" });
  bar.style.setProperty("--share", `${Math.abs(share) / most}`);
  const said = act ? element("button", { onclick: act, title }, name)
    : element("span", { title }, name);
  return element("li", {}, said, bar, element("span", { class: "score" }, percent(share)));
}

/**
 * How much of the difference came from heads, from feed-forward networks, from norms.
 * @param {Record<string, number>} kinds
 */
export function kindsTold(kinds) {
  return Object.entries(kinds).filter(([, share]) => Math.abs(share) >= NOTHING)
    .toSorted(([, a], [, b]) => Math.abs(b) - Math.abs(a))
    .map(([kind, share]) => `${words.kinds[kind] ?? kind} ${percent(share)}`).join(" · ");
}
