/**
 * The stages of the road: which values each shows, and what it says in a few words.
 *
 * @typedef {import("./trace.js").Trace} Trace
 * @typedef {import("./head.js").Head} Head
 */

import { firstPosition } from "./answers.js";
import { words } from "./words.js";

const PICTURED = /^B [TSL] \S+$/; // rows and columns

/**
 * The stages that this trace has something to show for, in order.
 * @param {Head} head
 * @returns {{ name: string, title: string, told: string, values: string[] }[]}
 */
export function stages(head) {
  const { trace, layer, sentence } = head;
  const texts = Object.values(trace.texts).map((each) => each[sentence]);
  const pieces = texts.map((tokens) => tokens.ids.length).join(" + ");
  const made = (/** @type {string} */ name, /** @type {string} */ told,
    /** @type {string[]} */ values) => ({ name, title: words.stations[name], told, values });
  const { width, layers, heads } = trace.about.config ?? {};
  return [
    ...(texts.length ? [made("pieces", words.pieces(pieces), [])] : []),
    made("embed", width ? `${width} ${words.wide}` : "", ofPlaces(head, isEmbedding)),
    made("layer", layers ? words.layers(layers) : "", ofLayer(head)),
    made("head", heads ? words.heads(heads) : "", head.steps),
    made("answer", best(head), ofPlaces(head, (place) => place === "head")),
    ...(trace.about.generation ? [made("search", "", [])] : []),
  ].filter(({ name, values }) => values.length > 0 || name === "pieces" || name === "answer"
    || name === "layer" || name === "search");
}

/** @param {string} place */
function isEmbedding(place) {
  return /(?:^|\.)embed(?:\.|$)/.test(place);
}

/**
 * The values of some places whose numbers the page has.
 * @param {Head} head
 * @param {(place: string) => boolean} wanted
 */
function ofPlaces({ trace, reading }, wanted) {
  return [...trace.nodes.values()]
    .filter(({ name, axes }) => wanted(name.slice(0, name.lastIndexOf("."))) && PICTURED.test(axes))
    .map(({ name }) => name)
    .filter((name) => reading.isThere(name));
}

/**
 * What the layer holds beside the attention that has a stage of its own, and the stream.
 * @param {Head} head
 */
function ofLayer(head) {
  const { place } = head.layer;
  const layer = place.slice(0, place.lastIndexOf("."));
  return ofPlaces(head, (each) => each !== place
    && (each === `${head.stack.stack}.stream` || each.startsWith(`${layer}.`)));
}

/** @param {Head} head */
function best({ trace, sentence }) {
  const { answers, texts } = trace;
  const stream = Object.keys(texts).at(-1);
  if (!answers || answers.meaning === "cosine" || !stream) return "";
  const at = firstPosition(answers, texts[stream][sentence]);
  return answers.words[sentence][at]?.[0]?.piece ?? "";
}
