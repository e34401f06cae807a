/**
 * The answers at every position, side by side with what in truth stands there, or came next.
 *
 * @typedef {import("./head.js").Head} Head
 */

import { answersAnew } from "./anew.js";
import { element } from "./dom.js";
import { number } from "./number.js";
import { words } from "./words.js";

const [MOST, BEST] = [60, 5]; // tokens and answers, so that a page stays light

const TRUTH = { next: 1, filling: 0, cosine: Number.NaN }; // how far behind a piece it stands

/**
 * @param {Head} head
 * @returns {Node[]}
 */
export function answerPanel(head) {
  const { trace, sentence } = head;
  const stream = Object.keys(trace.texts).at(-1);
  if (!trace.answers || !stream) return [];
  const { labels, ids } = trace.texts[stream][sentence];
  const { meaning } = trace.answers;
  const truth = TRUTH[meaning];
  const rows = labels.slice(0, MOST).map((label, at) => {
    const best = answersAnew(head, at) ?? trace.answers?.words[sentence][at] ?? [];
    return element("tr", {},
      element("th", { scope: "row" }, element("bdi", {}, label)),
      ...best.slice(0, BEST).map(({ piece, id, score }) =>
        element("td", id === ids[at + truth] ? { class: "true" } : {},
          element("bdi", {}, piece), " ",
          element("small", {}, score === null ? "nan" : number(score, 3)))));
  });
  return [element("table", { class: "everywhere" },
    element("caption", {}, words.everywhere[meaning]), ...rows)];
}
