/** Pictures as files: what is seen, as PNG, or drawn anew in lines and letters, as SVG. */

import { element } from "./dom.js";
import { drawing } from "./drawing.js";
import { brush } from "./paint.js";
import { portrait } from "./portrait.js";
import { words } from "./words.js";

const SHARP = 2; // pixels of a picture for each of the page
const LARGEST = 16_384; // pixels of a picture's side, which browsers make no longer

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
  download(svg(drawing(plan)), `${name}.svg`);
}

/**
 * Two buttons that save a part of the page as it looks.
 * @param {() => string} name without an ending
 * @param {() => Element} whole all of it, also what is out of sight
 */
export function savers(name, whole) {
  const button = (/** @type {string} */ sign, /** @type {string} */ title,
    /** @type {(source: string) => void} */ save) => element("button",
    { class: "tool", title, "aria-label": title, onclick: () => save(portrait(whole())) }, sign);
  return element("span", { class: "savers" },
    button("PNG", words.savePng, (source) => savePainted(source, name())),
    button("SVG", words.saveSvg, (source) => download(svg(source), `${name()}.svg`)));
}

/**
 * Paint a drawing, and save what was painted.
 * @param {string} source
 * @param {string} name without an ending
 */
async function savePainted(source, name) {
  const image = new Image();
  const address = URL.createObjectURL(svg(source));
  image.src = address;
  await image.decode();
  const scale = Math.min(SHARP, LARGEST / image.width, LARGEST / image.height);
  const canvas = element("canvas", { width: `${Math.floor(image.width * scale)}`,
    height: `${Math.floor(image.height * scale)}` });
  brush(canvas).drawImage(image, 0, 0, canvas.width, canvas.height);
  URL.revokeObjectURL(address);
  savePng(canvas, name);
}

/** @param {string} source */
function svg(source) {
  return new Blob([source], { type: "image/svg+xml" });
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
