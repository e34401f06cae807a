/**
 * The tree of a search: what was considered at each step, what was kept, and what came of it.
 * A slider goes through it step by step, as the model did.
 *
 * @typedef {{ step: number, parent: number, piece: string, id: number, log_probability: number,
 *   changes: [string, number, number][], value: number, total: number,
 *   fate: "kept" | "cut" | "ended", why: string, score: number | null }} Candidate
 * @typedef {{ text: string, score?: number | null }} Said
 */

import { drawn, element } from "./dom.js";
import { fit } from "./frame.js";
import { number } from "./number.js";
import { words } from "./words.js";

const WIDE = 116; // pixels a step
const HIGH = 19; // pixels a candidate
const MOST = 400; // candidates, so that a page stays light
const FONT = "12px system-ui";

/**
 * @param {import("./head.js").Head} head
 * @returns {Node[]}
 */
export function searchPanel({ trace }) {
  const { answers, tree } = trace.about.generation;
  const candidates = /** @type {Candidate[]} */ (tree.candidates).slice(0, MOST);
  const last = Math.max(1, ...candidates.map(({ step }) => step));
  const place = element("div", { class: "scroll tree", tabindex: "0" });
  const told = element("output", {}, `${last}`);
  const show = (/** @type {number} */ until) => {
    told.textContent = `${until}`;
    place.replaceChildren(picture(candidates, until));
  };
  const slider = element("input", { type: "range", min: "1", max: `${last}`, value: `${last}`,
    "aria-label": words.step, oninput: () => show(Number(slider.value)) });
  show(last);
  const said = element("ol", { class: "said" }, ...answers.map((/** @type {Said} */ answer) =>
    element("li", {}, element("bdi", {}, answer.text), element("span", { class: "score" },
      typeof answer.score === "number" ? number(answer.score) : ""))));
  return [said, element("label", { class: "steps" }, `${words.step} `, slider, told), place];
}

/**
 * @param {Candidate[]} all
 * @param {number} until the last step that is shown
 */
function picture(all, until) {
  const shown = all.map(({ step }) => step <= until);
  const rows = placed(all, shown);
  const leading = leads(all);
  const middle = (/** @type {number} */ at) => (rows[at] + 0.5) * HIGH;
  const parts = all.flatMap((candidate, at) => {
    if (!shown[at]) return [];
    const left = (candidate.step - 1) * WIDE;
    const kind = `${candidate.fate}${leading.has(at) ? " leading" : ""}`;
    const branch = candidate.parent < 0 ? [] : [drawn("path", {
      class: kind, d: curve(left - 14, middle(candidate.parent), left, middle(at)) })];
    const text = `${fit(candidate.piece, WIDE - 62, FONT)} ${number(candidate.value, 3)}`;
    return [...branch, drawn("text", { class: kind, x: left + 4, y: middle(at) + 4 }, text,
      drawn("title", {}, described(candidate)))];
  });
  const height = (Math.max(-1, ...rows.filter((_, at) => shown[at])) + 1) * HIGH;
  return drawn("svg", { width: until * WIDE, height, role: "img", "aria-label": words.tree },
    ...parts);
}

/**
 * The row of each candidate; the best that follows goes straight on.
 * @param {Candidate[]} all
 * @param {boolean[]} shown
 */
function placed(all, shown) {
  const rows = all.map(() => 0);
  let filled = 0;
  const place = (/** @type {number} */ parent) => {
    const after = all.map((_, at) => at)
      .filter((at) => all[at].parent === parent && shown[at])
      .sort((a, b) => all[b].total - all[a].total);
    for (const at of after) {
      rows[at] = filled;
      place(at);
    }
    if (!after.length) filled += 1;
  };
  place(-1);
  return rows;
}

/**
 * Those on the way to an answer.
 * @param {Candidate[]} all
 */
function leads(all) {
  const found = new Set();
  all.forEach(({ fate }, end) => {
    for (let at = end; fate === "ended" && at >= 0; at = all[at].parent) found.add(at);
  });
  return found;
}

/**
 * @param {number} x
 * @param {number} y
 * @param {number} toX
 * @param {number} toY
 */
function curve(x, y, toX, toY) {
  const half = (x + toX) / 2;
  return `M${x} ${y}C${half} ${y} ${half} ${toY} ${toX} ${toY}`;
}

/** @param {Candidate} candidate */
function described({ piece, id, log_probability: given, changes, total, why, score }) {
  return [
    `${piece} (id ${id})`,
    `ln p = ${number(given)}`,
    ...changes.map(([rule, before, after]) => `${rule}: ${number(before)} → ${number(after)}`),
    `${words.total} ${number(total)}`,
    why,
    ...(score === null ? [] : [`${words.score} ${number(score)}`]),
  ].filter(Boolean).join("\n");
}
