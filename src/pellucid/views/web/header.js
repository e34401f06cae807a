/**
 * Which model it was, and which sentence is shown.
 *
 * @typedef {import("./trace.js").Trace} Trace
 */

import { element } from "./dom.js";
import { words } from "./words.js";

const EXACT = 32; // bits: nothing was rounded

/**
 * The model in a few words.
 * @param {Trace} trace
 * @returns {string}
 */
export function about({ about, bits }) {
  const { model, config, dtype } = about;
  const size = config && [
    config.shape,
    `${words.layers(config.layers)} × ${words.heads(config.heads)}`,
    `${config.width} ${words.wide}`,
  ];
  const half = dtype && dtype !== "float32" && dtype !== "float64";
  const exact = half ? words.computed(dtype) : dtype;
  const rounded = bits < EXACT ? words.rounded(bits) : "";
  return [model, ...(size || []), exact, rounded].filter(Boolean).join(" · ");
}

/**
 * A list of the sentences that were run side by side, to choose one from.
 * @param {Trace} trace
 * @param {(sentence: number) => void} choose
 */
export function selector(trace, choose) {
  const [texts = []] = Object.values(trace.texts);
  const options = Array.from({ length: trace.sentences }, (_, at) =>
    element("option", { value: `${at}` }, `${at + 1}  ${texts[at]?.text ?? ""}`));
  const select = element("select", { "aria-label": words.sentence }, ...options);
  select.addEventListener("change", () => choose(select.selectedIndex));
  return select;
}
