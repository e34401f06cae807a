/**
 * What the last vectors say at one position: the likeliest next words, or the nearest ones.
 *
 * @typedef {import("./trace.js").Answers} Answers
 * @typedef {import("./trace.js").Tokens} Tokens
 */

import { element } from "./dom.js";
import { number } from "./number.js";
import { words } from "./words.js";

/**
 * @param {HTMLElement} section
 * @param {Answers} answers
 * @param {{ sentence: number, at: number, label: string }} where
 */
export function showAnswers(section, answers, { sentence, at, label }) {
  const best = answers.words[sentence][at] ?? [];
  section.replaceChildren(
    element("h2", {}, words.answers[answers.meaning], " ", element("bdi", {}, label), " ",
      element("small", {}, answers.meaning)),
    element("ol", {}, ...best.map(line)));
}

/** @param {import("./trace.js").Word} word */
function line({ piece, id, score }) {
  const bar = element("span", { class: "bar" });
  bar.style.setProperty("--share", `${Math.max(0, score ?? 0)}`);
  return element("li", { title: `id ${id}` },
    element("bdi", {}, piece), bar, element("span", { class: "score" },
      score === null ? "nan" : number(score)));
}

/**
 * The position to begin with: the end of a text that goes on, else its longest word.
 * @param {Answers} answers
 * @param {Tokens} tokens
 */
export function firstPosition(answers, tokens) {
  if (answers.meaning === "probability") return tokens.ids.length - 1;
  const lengths = tokens.labels.map((label, at) => (tokens.special[at] ? 0 : label.length));
  return lengths.indexOf(Math.max(...lengths));
}
