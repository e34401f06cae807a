/** Pictures as files: what is seen, as PNG, or drawn anew in lines and letters, as SVG. */

import { element } from "./dom.js";
import { drawing } from "./drawing.js";

/**
 * @param {HTMLCanvasElement} canvas
 * @param {string} name without an ending
 */
export function savePng(canvas, name) {
  canvas.toBlob((blob) => blob && download(blob, `${name}.png`));
}

/**
 * @param {import("./paint.js").Plan} plan
 * @param {string} name without an ending
 */
export function saveSvg(plan, name) {
  download(new Blob([drawing(plan)], { type: "image/svg+xml" }), `${name}.svg`);
}

/**
 * @param {Blob} blob
 * @param {string} name
 */
function download(blob, name) {
  const address = URL.createObjectURL(blob);
  element("a", { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}
