/**
 * Painting a matrix: colours, hatching where there is −∞, numbers where they fit, labels.
 *
 * @typedef {import("../../formula/algebra.js").Matrix} Matrix
 * @typedef {import("./axis.js").Axis} Axis
 * @typedef {import("./frame.js").Grid} Grid
 * @typedef {import("./colour.js").Palette} Palette
 * @typedef {{ matrix: Matrix, rows: Axis, columns: Axis, grid: Grid, upright: boolean,
 *   palette: Palette, print: (row: number, column: number, digits: number) => string,
 *   changes: ((at: number) => boolean) | null }} Plan what is painted, how its numbers are
 *   printed, and which of them are others than in the trace
 * @typedef {CanvasRenderingContext2D} Brush
 */

import { fit, LABEL, measure } from "./frame.js";

const LEAST = { width: 24, height: 13 }; // of a cell that has its number written in it
const SEPARATE = 8; // cells this large have a line between them
const FIGURES = [[4, 10], [3, 10], [2, 10], [2, 9]]; // digits and size: the first that fits
const MANY = 32; // columns, beyond which weights are small

/**
 * The largest distance from zero.
 * @param {Matrix} matrix
 */
export function reach({ data }) {
  let most = 0;
  for (let at = 0; at < data.length; at++) {
    const x = Math.abs(data[at]);
    if (x > most && x !== Infinity) most = x;
  }
  return most;
}

/**
 * How colours go with numbers. Where many share a whole, as the weights of a long row do, the
 * root brings out the small ones.
 * @param {Matrix} matrix
 * @returns {"signed" | "plain" | "root"}
 */
export function scaleOf(matrix) {
  if (matrix.data.some((x) => x < 0 && x !== -Infinity)) return "signed";
  return matrix.columns > MANY ? "root" : "plain";
}

/**
 * Which share of the deepest colour a number gets, −1 to 1.
 * @param {Matrix} matrix
 * @returns {(x: number) => number}
 */
export function shareOf(matrix) {
  const most = reach(matrix) || 1;
  return scaleOf(matrix) === "root" ? (x) => Math.sqrt(x / most) : (x) => x / most;
}

/**
 * A pixel a number; what is not finite stays clear.
 * @param {Matrix} matrix
 * @param {Palette} palette
 */
export function pixels(matrix, palette) {
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [matrix.columns, matrix.rows];
  const image = new ImageData(matrix.columns, matrix.rows);
  const share = shareOf(matrix);
  for (let at = 0; at < matrix.data.length; at++) {
    const x = matrix.data[at];
    if (!Number.isFinite(x)) continue;
    const colour = palette.colour(share(x));
    image.data[4 * at] = colour[0];
    image.data[4 * at + 1] = colour[1];
    image.data[4 * at + 2] = colour[2];
    image.data[4 * at + 3] = 255;
  }
  brush(canvas).putImageData(image, 0, 0);
  return canvas;
}

/** @param {HTMLCanvasElement} canvas */
export function brush(canvas) {
  return /** @type {Brush} */ (canvas.getContext("2d"));
}

/**
 * The whole picture.
 * @param {Brush} to
 * @param {Plan} plan
 */
export function paint(to, plan) {
  const { matrix, grid, palette } = plan;
  const [width, height] = [grid.width * matrix.columns, grid.height * matrix.rows];
  to.imageSmoothingEnabled = Math.min(grid.width, grid.height) < 1;
  hatch(to, plan);
  to.drawImage(pixels(matrix, palette), grid.left, grid.top, width, height);
  separate(to, plan);
  figures(to, plan);
  corners(to, plan);
  rowLabels(to, plan);
  columnLabels(to, plan);
}

/**
 * Stripes behind all that is not finite.
 * @param {Brush} to
 * @param {Plan} plan
 */
function hatch(to, { matrix, grid, palette }) {
  if (matrix.data.every(Number.isFinite)) return;
  to.fillStyle = stripes(palette);
  const { columns, rows } = matrix;
  to.fillRect(grid.left, grid.top, columns * grid.width, rows * grid.height);
}

/**
 * @param {Palette} palette
 * @returns {CanvasPattern}
 */
function stripes(palette) {
  const tile = document.createElement("canvas");
  [tile.width, tile.height] = [5, 5];
  const to = brush(tile);
  to.fillStyle = palette.faint;
  for (let x = 0; x < 5; x++) to.fillRect(x, 4 - x, 1, 1);
  return /** @type {CanvasPattern} */ (to.createPattern(tile, "repeat"));
}

/**
 * Thin lines between large cells.
 * @param {Brush} to
 * @param {Plan} plan
 */
function separate(to, { matrix, grid, palette }) {
  if (Math.min(grid.width, grid.height) < SEPARATE) return;
  to.fillStyle = palette.card;
  const [width, height] = [grid.width * matrix.columns, grid.height * matrix.rows];
  for (let i = 1; i < matrix.rows; i++) {
    to.fillRect(grid.left, grid.top + i * grid.height - 0.5, width, 1);
  }
  for (let j = 1; j < matrix.columns; j++) {
    to.fillRect(grid.left + j * grid.width - 0.5, grid.top, 1, height);
  }
}

/**
 * How many digits fit into the cells, and how large; null where none do.
 * @param {Plan} plan
 */
export function figuresOf({ matrix, grid, palette, print }) {
  if (grid.width < LEAST.width || grid.height < LEAST.height) return null;
  const found = FIGURES.find(([digits, size]) => matrix.data.every((_, which) => {
    const text = print(Math.floor(which / matrix.columns), which % matrix.columns, digits);
    return measure(text, `${size}px ${palette.font}`) <= grid.width - 3;
  }));
  return found ? { digits: found[0], size: found[1] } : null;
}

/**
 * The numbers themselves, all with as many digits as fit.
 * @param {Brush} to
 * @param {Plan} plan
 */
function figures(to, plan) {
  const fitting = figuresOf(plan);
  if (!fitting) return;
  const { matrix, grid, palette, print } = plan;
  const share = shareOf(matrix);
  to.font = `${fitting.size}px ${palette.font}`;
  [to.textAlign, to.textBaseline] = ["center", "middle"];
  matrix.data.forEach((x, which) => {
    const [i, j] = [Math.floor(which / matrix.columns), which % matrix.columns];
    to.fillStyle = Number.isFinite(x) ? palette.inkOn(palette.colour(share(x))) : palette.muted;
    const { left, top, width, height } = grid;
    const text = print(i, j, fitting.digits);
    to.fillText(text, left + (j + 0.5) * width, top + (i + 0.5) * height + 0.5);
  });
}

/**
 * A corner of each number that is another than in the trace.
 * @param {Brush} to
 * @param {Plan} plan
 */
function corners(to, { matrix, grid, palette, changes }) {
  if (!changes) return;
  const size = Math.max(1, Math.min(6, grid.width / 2, grid.height / 2));
  to.fillStyle = palette.mark;
  to.beginPath();
  for (let which = 0; which < matrix.data.length; which++) {
    if (!changes(which)) continue;
    const right = grid.left + (which % matrix.columns + 1) * grid.width;
    const top = grid.top + Math.floor(which / matrix.columns) * grid.height;
    to.moveTo(right - size, top);
    to.lineTo(right, top);
    to.lineTo(right, top + size);
  }
  to.fill();
}

/**
 * @param {Brush} to
 * @param {Plan} plan
 */
function rowLabels(to, plan) {
  const step = rowStep(plan);
  for (let i = 0; i < plan.rows.labels.length; i += step) rowLabel(to, plan, i);
}

/**
 * Every how many rows there is room for a label.
 * @param {Plan} plan
 */
export function rowStep({ grid }) {
  return Math.ceil((LABEL + 1) / grid.height);
}

/**
 * @param {Brush} to
 * @param {Plan} plan
 * @param {number} i
 * @param {string} [ink]
 */
export function rowLabel(to, { rows, grid, palette }, i, ink) {
  const font = `${LABEL}px ${palette.font}`;
  [to.font, to.textAlign, to.textBaseline] = [font, "right", "middle"];
  to.fillStyle = ink ?? (rows.faint[i] ? palette.muted : palette.ink);
  const text = fit(rows.labels[i], grid.left - 6, font);
  to.fillText(text, grid.left - 5, grid.top + (i + 0.5) * grid.height + 0.5);
}

/**
 * @param {Brush} to
 * @param {Plan} plan
 */
function columnLabels(to, plan) {
  const step = columnStep(plan);
  for (let j = 0; j < plan.columns.labels.length; j += step) columnLabel(to, plan, j);
}

/**
 * Every how many columns there is room for a label.
 * @param {Plan} plan
 */
export function columnStep(plan) {
  const { columns, grid, palette } = plan;
  const font = `${LABEL}px ${palette.font}`;
  const room = isUpright(plan) ? LABEL + 1
    : Math.max(...columns.labels.map((text) => measure(text, font))) + 5;
  return Math.ceil(room / grid.width);
}

/** @param {Plan} plan */
export function isUpright({ columns, upright }) {
  return columns.tokens && upright;
}

/**
 * @param {Brush} to
 * @param {Plan} plan
 * @param {number} j
 * @param {string} [ink]
 */
export function columnLabel(to, plan, j, ink) {
  const { columns, grid, palette } = plan;
  const font = `${LABEL}px ${palette.font}`;
  const upright = isUpright(plan);
  to.save();
  to.translate(grid.left + (j + 0.5) * grid.width, grid.top - 5);
  if (upright) to.rotate(-Math.PI / 2);
  [to.font, to.textAlign] = [font, upright ? "left" : "center"];
  to.textBaseline = upright ? "middle" : "alphabetic";
  to.fillStyle = ink ?? (columns.faint[j] ? palette.muted : palette.ink);
  const room = upright ? grid.top - 6 : Math.max(grid.width, 40);
  to.fillText(fit(columns.labels[j], room, font), 0, 0);
  to.restore();
}

