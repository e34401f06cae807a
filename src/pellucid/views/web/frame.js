/**
 * How the matrices of one head are laid out: all with the same margins and the same height of a
 * row, so that what belongs together stands in line.
 *
 * @typedef {import("./axis.js").Axis} Axis
 * @typedef {{ left: number, top: number, cell: number, upright: boolean, width: number }} Frame
 *   margins for labels, the height of a row, whether tokens above columns stand upright; CSS
 *   pixels
 * @typedef {{ left: number, top: number, width: number, height: number }} Grid
 *   where the first cell lies, and the size of a cell
 */

export const LABEL = 11;
const WIDEST_LABEL = 0.3; // of the whole picture
const TALLEST_LABEL = 72;
const WIDEST_CELL = 64;
const GAP = 6;
const REMEMBERED = 10_000; // widths of texts

const context = /** @type {CanvasRenderingContext2D} */ (
  document.createElement("canvas").getContext("2d"));
const letters = new Intl.Segmenter();
/** @type {Map<string, number>} */
const widths = new Map();

/**
 * How wide a text is.
 * @param {string} text
 * @param {string} font
 */
export function measure(text, font) {
  const key = `${font} ${text}`;
  const found = widths.get(key);
  if (found !== undefined) return found;
  if (widths.size > REMEMBERED) widths.clear();
  context.font = font;
  const { width } = context.measureText(text);
  widths.set(key, width);
  return width;
}

/**
 * How far a line's letters stand below its top.
 * @param {string} font
 */
export function ascent(font) {
  context.font = font;
  return context.measureText("").fontBoundingBoxAscent;
}

/**
 * The text, or as much of it as fits, and an ellipsis. What a person takes for one letter is
 * never cut.
 * @param {string} text
 * @param {number} width
 * @param {string} font
 */
export function fit(text, width, font) {
  if (text.length < 200 && measure(text, font) <= width) return text;
  let short = "";
  for (const { segment } of letters.segment(text)) {
    if (measure(`${short}${segment}…`, font) > width) break;
    short += segment;
  }
  return `${short}…`;
}

/**
 * @param {Axis[]} axes those that stand for tokens: rows first, columns last
 * @param {{ width: number, cell: number, font: string }} room the picture's width and the tallest
 *   row that looks well
 * @returns {Frame}
 */
export function frame(axes, { width, cell, font }) {
  const widest = (/** @type {Axis[]} */ of) =>
    Math.max(...of.flatMap((axis) => axis.labels.map((text) => measure(text.slice(0, 99), font))));
  const left = Math.ceil(Math.min(widest(axes), width * WIDEST_LABEL)) + GAP;
  const across = Math.max(...axes.map((axis) => axis.labels.length));
  const height = Math.min(cell, (width - left - GAP) / across);
  const columns = widest(axes.slice(-1));
  const upright = columns > height - GAP;
  const top = upright ? Math.ceil(Math.min(columns, TALLEST_LABEL)) + GAP : LABEL + 2 * GAP;
  return { left, top, cell: height, upright, width };
}

/**
 * Cells that compare tokens with tokens are square; the others take the room there is. A picture
 * that stands beside others leaves as much room above as they do.
 * @param {Frame} frame
 * @param {Axis} columns
 * @param {"alone" | "beside"} arrangement
 * @returns {Grid}
 */
export function gridOf({ left, top, cell, width }, columns, arrangement) {
  const free = Math.min(WIDEST_CELL, (width - left - GAP) / columns.labels.length);
  const above = columns.tokens || arrangement === "beside" ? top : LABEL + 2 * GAP;
  return { left, top: above, width: columns.tokens ? cell : free, height: cell };
}
