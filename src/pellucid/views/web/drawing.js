/**
 * A matrix as SVG: sharp at any size, and every number and label is text.
 *
 * @typedef {import("./paint.js").Plan} Plan
 */

import { LABEL } from "./frame.js";
import { columnStep, figuresOf, isUpright, rowStep, shareOf } from "./paint.js";

const MARGIN = 8;

/**
 * The drawing's source.
 * @param {Plan} plan
 */
export function drawing(plan) {
  const { matrix, grid, palette } = plan;
  const width = Math.ceil(grid.left + grid.width * matrix.columns + MARGIN);
  const height = Math.ceil(grid.top + grid.height * matrix.rows + MARGIN);
  return sheet([width, height], palette,
    [...cells(plan), ...rowLabels(plan), ...columnLabels(plan)]);
}

/**
 * A drawing of this size.
 * @param {[number, number]} size in CSS pixels
 * @param {{ font: string, card: string }} style its letters and its ground
 * @param {Iterable<string>} parts
 */
export function sheet([width, height], { font, card }, parts) {
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" `
    + `width="${width}" height="${height}" font-family="${escaped(font)}">\n`
    + `<rect width="100%" height="100%" fill="${card}"/>\n${[...parts].join("\n")}\n</svg>\n`;
}

/** @param {Plan} plan */
function* cells(plan) {
  const { matrix, grid, palette, print } = plan;
  const [share, figures] = [shareOf(matrix), figuresOf(plan)];
  for (const [at, x] of matrix.data.entries()) {
    const [i, j] = [Math.floor(at / matrix.columns), at % matrix.columns];
    const [left, top] = [grid.left + j * grid.width, grid.top + i * grid.height];
    const colour = Number.isFinite(x) ? palette.colour(share(x)) : null;
    const fill = colour ? `rgb(${colour.join(" ")})` : palette.faint;
    yield `<rect x="${short(left)}" y="${short(top)}" width="${short(grid.width)}" `
      + `height="${short(grid.height)}" fill="${fill}"/>`;
    if (!figures) continue;
    const ink = colour ? palette.inkOn(colour) : palette.ink;
    yield text(print(i, j, figures.digits), ink, figures.size,
      `x="${short(left + grid.width / 2)}" y="${short(top + grid.height / 2 + figures.size / 3)}" `
      + 'text-anchor="middle"');
  }
}

/** @param {Plan} plan */
function* rowLabels(plan) {
  const { rows, grid, palette } = plan;
  for (let i = 0; i < rows.labels.length; i += rowStep(plan)) {
    yield text(rows.labels[i], palette.ink, LABEL,
      `x="${short(grid.left - 5)}" y="${short(grid.top + (i + 0.5) * grid.height + LABEL / 3)}" `
      + 'text-anchor="end"');
  }
}

/** @param {Plan} plan */
function* columnLabels(plan) {
  const { columns, grid, palette } = plan;
  for (let j = 0; j < columns.labels.length; j += columnStep(plan)) {
    const place = `${short(grid.left + (j + 0.5) * grid.width)} ${short(grid.top - 5)}`;
    yield text(columns.labels[j], palette.ink, LABEL, isUpright(plan)
      ? `transform="translate(${place}) rotate(-90)" dominant-baseline="middle"`
      : `transform="translate(${place})" text-anchor="middle"`);
  }
}

/**
 * @param {string} content
 * @param {string} ink
 * @param {number} size
 * @param {string} attributes
 */
export function text(content, ink, size, attributes) {
  return `<text ${attributes} fill="${ink}" font-size="${size}">${escaped(content)}</text>`;
}

/**
 * As XML takes it, which has no control characters and no half of a pair.
 * @param {string} text
 */
export function escaped(text) {
  return text.replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`)
    .replace(/[\0-\x08\v\f\x0e-\x1f\ufffe\uffff\ud800-\udfff]/gu, "\ufffd");
}

/** @param {number} x */
function short(x) {
  return x.toFixed(2).replace(/\.?0+$/, "");
}
