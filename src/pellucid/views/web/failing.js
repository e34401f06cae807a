/** Whatever goes wrong, a person is told, and is not left before an empty page. */

import { part } from "./dom.js";
import { words } from "./words.js";

/** @param {unknown} error */
export function fail(error) {
  console.warn(error);
  part("message").textContent = "DecompressionStream" in window ? words.broken : words.old;
  part("message").hidden = false;
}

/** Whatever goes wrong from now on. */
export function watch() {
  window.addEventListener("error", (event) => event.error && fail(event.error));
  window.addEventListener("unhandledrejection", (event) => fail(event.reason));
}
