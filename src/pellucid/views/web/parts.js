/**
 * The parts that the page holds, each in an element of its own.
 *
 * @typedef {import("./packing.js").Packed} Packed
 */

/** @returns {Map<string, Packed>} */
export function parts() {
  return new Map([...document.querySelectorAll("script.packed")].map((each) => {
    const { part = "", bytes } = /** @type {HTMLElement} */ (each).dataset;
    return [part, { get text() { return each.textContent ?? ""; }, bytes: Number(bytes) }];
  }));
}

/**
 * Those of one of several traces: what stands behind its prefix.
 * @param {Map<string, Packed>} parts
 * @param {string} prefix
 */
export function partsOf(parts, prefix) {
  return new Map([...parts].filter(([name]) => name.startsWith(prefix))
    .map(([name, packed]) => [name.slice(prefix.length), packed]));
}
