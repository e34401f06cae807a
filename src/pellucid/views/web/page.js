/**
 * The page of a file: the trace stands in it.
 */

import { fail, watch } from "./failing.js";
import { View } from "./view.js";
import { Trace } from "./trace.js";

watch();

/** The parts that the page holds, each in an element of its own. */
const parts = new Map([...document.querySelectorAll("script.packed")].map((each) => {
  const { part = "", bytes } = /** @type {HTMLElement} */ (each).dataset;
  return [part, { get text() { return each.textContent ?? ""; }, bytes: Number(bytes) }];
}));

Trace.of(parts).then(async (trace) => {
  const view = new View(trace);
  Object.assign(window, { pellucid: view });
  await view.open();
}).catch(fail);
