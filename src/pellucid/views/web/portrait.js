/**
 * A part of the page as it looks, drawn anew as SVG: letters as text, bars and boxes as rectangles,
 * drawings as drawings, painted matrices as pictures. What is there only to be clicked stays out.
 *
 * @typedef {{ x: number, y: number, width: number, height: number }} Place from the corner
 */

import { escaped, sheet, text } from "./drawing.js";
import { ascent, fit } from "./frame.js";

const MARGIN = 12;
const STYLES = ["fill", "stroke", "stroke-width", "font-size", "font-weight", "text-anchor"];
const CLEAR = "rgba(0, 0, 0, 0)";
const WORDS = /\s*\S+/g; // lines are broken between them

/**
 * The drawing's source.
 * @param {Element} root
 */
export function portrait(root) {
  document.body.classList.add("portrayed");
  const { backgroundColor, fontFamily } = getComputedStyle(document.body);
  const { left, top, width, bottom } = root.getBoundingClientRect();
  const inside = root instanceof HTMLElement ? [...root.children] : [];
  const last = Math.max(...inside.map((child) => child.getBoundingClientRect().bottom));
  const place = (/** @type {DOMRect} */ box) => ({ x: box.left - left + MARGIN,
    y: box.top - top + MARGIN, width: box.width, height: box.height });
  const parts = [...seen(root, place)];
  document.body.classList.remove("portrayed");
  const height = (inside.length ? last : bottom) - top;
  return sheet([Math.ceil(width) + 2 * MARGIN, Math.ceil(height) + 2 * MARGIN],
    { card: backgroundColor, font: fontFamily }, parts);
}

/**
 * @param {Node} node
 * @param {(box: DOMRect) => Place} place
 * @returns {Generator<string>}
 */
function* seen(node, place) {
  if (node instanceof Text) yield* lines(node, place);
  if (!(node instanceof Element)) return;
  const style = getComputedStyle(node);
  const at = place(node.getBoundingClientRect());
  if (style.visibility === "hidden" || at.width === 0) return;
  if (node instanceof SVGElement) yield framed(at, [copied(node)], "0 0");
  else if (node instanceof HTMLCanvasElement) yield painted(node, at, style.imageRendering);
  else {
    yield* box(style, at);
    yield* bar(getComputedStyle(node, "::before"), at);
    const inside = [...node.childNodes].flatMap((child) => [...seen(child, place)]);
    if (style.overflowY !== "auto") yield* inside;
    else yield framed(at, inside, `${at.x} ${at.y}`);
  }
}

/**
 * What lies within a frame; the rest is cut off.
 * @param {Place} at
 * @param {string[]} inside
 * @param {string} corner where the frame stands among the places inside it
 */
function framed(at, inside, corner) {
  const seen = `${corner} ${at.width} ${at.height}`;
  return `<svg ${written(at)} viewBox="${seen}">${inside.join("\n")}</svg>`;
}

/**
 * A box's ground and border, where it has any.
 * @param {CSSStyleDeclaration} style
 * @param {Place} at
 */
function* box({ backgroundColor, backgroundImage, borderBottomStyle, borderBottomColor,
  borderTopLeftRadius }, at) {
  const scale = gradient(backgroundImage);
  const fill = scale ? `url(#${scale.id})` : backgroundColor === CLEAR ? "none" : backgroundColor;
  const stroke = borderBottomStyle === "solid" ? borderBottomColor : "none";
  if (scale) yield scale.source;
  if (fill === "none" && stroke === "none") return;
  yield `<rect ${written(at)} rx="${Number.parseFloat(borderTopLeftRadius)}" fill="${fill}" `
    + `stroke="${stroke}"/>`;
}

/**
 * A bar's length, which the page draws before what the bar holds.
 * @param {CSSStyleDeclaration} style
 * @param {Place} at
 */
function* bar(style, at) {
  if (style.content === '""') yield* box(style, { ...at, width: Number.parseFloat(style.width) });
}

/**
 * A scale's colours from left to right.
 * @param {string} image as CSS has it
 */
function gradient(image) {
  const stops = [...image.matchAll(/(rgba?\([^)]*\))(?: ([\d.]+%))?/g)];
  if (stops.length < 2) return null;
  const id = image.replace(/\W/g, "");
  const parts = stops.map(([, colour, where], at) =>
    `<stop offset="${where ?? at / (stops.length - 1)}" stop-color="${colour}"/>`);
  return { id, source: `<linearGradient id="${id}">${parts.join("")}</linearGradient>` };
}

/**
 * @param {HTMLCanvasElement} canvas
 * @param {Place} at
 * @param {string} rendering
 */
function painted(canvas, at, rendering) {
  return `<image ${written(at)} preserveAspectRatio="none" image-rendering="${rendering}" `
    + `href="${canvas.toDataURL()}"/>`;
}

/**
 * A text line by line; one that the page cuts short is cut short.
 * @param {Text} node
 * @param {(box: DOMRect) => Place} place
 */
function* lines(node, place) {
  const parent = /** @type {Element} */ (node.parentElement);
  const style = getComputedStyle(parent);
  const font = `${style.fontWeight} ${style.fontSize} ${style.fontFamily}`;
  const range = document.createRange();
  /** @type {{ said: string, at: Place }[]} */
  const found = [];
  for (const word of node.data.matchAll(WORDS)) {
    range.setStart(node, word.index);
    range.setEnd(node, word.index + word[0].length);
    const at = place([...range.getClientRects()].at(-1) ?? range.getBoundingClientRect());
    const last = found.at(-1);
    if (last && last.at.y === at.y) last.said += word[0];
    else if (at.width) found.push({ said: word[0].trimStart(), at });
  }
  const room = style.textOverflow === "ellipsis"
    ? parent.getBoundingClientRect().width : Infinity;
  for (const { said, at } of found) {
    yield text(fit(said, room, font), style.color, Number.parseFloat(style.fontSize), written({
      x: at.x, y: at.y + ascent(font), "font-weight": style.fontWeight, "xml:space": "preserve" }));
  }
}

/**
 * A drawing, with what the page's style makes of it.
 * @param {Node} node
 * @returns {string}
 */
function copied(node) {
  if (!(node instanceof Element)) return escaped(node.textContent ?? "");
  const style = getComputedStyle(node);
  const own = [...node.attributes].filter(({ name }) => !/^(class|role|aria-.*)$/.test(name));
  const all = { ...Object.fromEntries(own.map(({ name, value }) => [name, value])),
    ...Object.fromEntries(STYLES.map((name) => [name, style.getPropertyValue(name)])) };
  const inside = [...node.childNodes].map(copied).join("");
  return `<${node.localName} ${written(all)}>${inside}</${node.localName}>`;
}

/** @param {Record<string, string | number>} attributes */
function written(attributes) {
  return Object.entries(attributes).map(([name, value]) => `${name}="${escaped(`${value}`)}"`)
    .join(" ");
}
