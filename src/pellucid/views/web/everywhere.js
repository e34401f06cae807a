/**
 * The answers at every position, side by side with what in truth came next.
 *
 * @typedef {import("./head.js").Head} Head
 */

import { answersAnew } from "./anew.js";
import { element } from "./dom.js";
import { number } from "./number.js";
import { words } from "./words.js";

const [MOST, BEST] = [60, 5]; // tokens and answers, so that a page stays light

/**
 * @param {Head} head
 * @returns {Node[]}
 */
export function answerPanel(head) {
  const { trace, sentence } = head;
  const stream = Object.keys(trace.texts).at(-1);
  if (!trace.answers || !stream) return [];
  const { labels, ids } = trace.texts[stream][sentence];
  const goesOn = trace.answers.meaning === "probability";
  const rows = labels.slice(0, MOST).map((label, at) => {
    const best = answersAnew(head, at) ?? trace.answers?.words[sentence][at] ?? [];
    return element("tr", {},
      element("th", { scope: "row" }, element("bdi", {}, label)),
      ...best.slice(0, BEST).map(({ piece, id, score }) =>
        element("td", goesOn && id === ids[at + 1] ? { class: "true" } : {},
          element("bdi", {}, piece), " ",
          element("small", {}, score === null ? "nan" : number(score, 3)))));
  });
  const caption = goesOn ? words.trueNext : words.answers.cosine;
  return [element("table", { class: "everywhere" },
    element("caption", {}, caption), ...rows)];
}
