/**
 * A matrix on its canvas, and the marks that follow the pointer.
 *
 * @typedef {import("./paint.js").Plan} Plan
 * @typedef {Record<string, number>} Cursor a place along each axis that is marked, by its letter
 * @typedef {{ row: number, column: number }} Cell
 */

import { LABEL } from "./frame.js";
import { brush, columnLabel, columnStep, paint, rowLabel, rowStep } from "./paint.js";

const MARGIN = 6; // right of the last column, for a label that is wider than its cell

export class Picture {
  /** @param {HTMLCanvasElement} canvas */
  constructor(canvas) {
    this.canvas = canvas;
    this.base = document.createElement("canvas");
  }

  /** @param {Plan} plan */
  show(plan) {
    this.plan = plan;
    const { grid, matrix } = plan;
    const width = Math.ceil(grid.left + grid.width * matrix.columns + MARGIN);
    const below = Math.max(0, LABEL - grid.height) / 2; // of the last label
    const height = Math.ceil(grid.top + grid.height * matrix.rows + below + 1);
    this.sharpness = window.devicePixelRatio || 1;
    for (const each of [this.canvas, this.base]) {
      each.width = Math.round(width * this.sharpness);
      each.height = Math.round(height * this.sharpness);
    }
    this.canvas.style.width = `${width}px`;
    this.canvas.style.height = `${height}px`;
    const to = brush(this.base);
    to.scale(this.sharpness, this.sharpness);
    paint(to, plan);
    this.mark({});
  }

  /**
   * The picture, with the marked row and column in it.
   * @param {Cursor} cursor
   */
  mark(cursor) {
    if (!this.plan) return;
    const to = brush(this.canvas);
    to.setTransform(1, 0, 0, 1, 0, 0);
    to.clearRect(0, 0, this.canvas.width, this.canvas.height);
    to.drawImage(this.base, 0, 0);
    to.scale(this.sharpness ?? 1, this.sharpness ?? 1);
    this.markRow(to, this.plan, cursor[this.plan.rows.letter]);
    this.markColumn(to, this.plan, cursor[this.plan.columns.letter]);
  }

  /**
   * A frame around what another number was made of: a cell, a row, a column.
   * @param {{ row?: number, column?: number }} place
   */
  outline({ row, column }) {
    if (!this.plan) return;
    const { grid, matrix, palette } = this.plan;
    const [across, down] = [column === undefined ? matrix.columns : 1,
      row === undefined ? matrix.rows : 1];
    const to = brush(this.canvas);
    to.strokeStyle = palette.ink;
    to.lineWidth = 2;
    to.strokeRect(grid.left + (column ?? 0) * grid.width, grid.top + (row ?? 0) * grid.height,
      across * grid.width, down * grid.height);
  }

  /**
   * @param {CanvasRenderingContext2D} to
   * @param {Plan} plan
   * @param {number} [i]
   */
  markRow(to, plan, i) {
    const { grid, matrix, palette } = plan;
    if (i === undefined || i >= matrix.rows) return;
    const top = grid.top + i * grid.height;
    outline(to, palette.mark, grid.left, top, grid.width * matrix.columns, grid.height);
    to.fillStyle = palette.card;
    if (rowStep(plan) > 1) to.fillRect(0, grid.top - LABEL, grid.left - 3, this.canvas.height);
    else to.fillRect(0, top, grid.left - 3, grid.height);
    rowLabel(to, plan, i, palette.mark);
  }

  /**
   * @param {CanvasRenderingContext2D} to
   * @param {Plan} plan
   * @param {number} [j]
   */
  markColumn(to, plan, j) {
    const { grid, matrix, palette } = plan;
    if (j === undefined || j >= matrix.columns) return;
    const left = grid.left + j * grid.width;
    outline(to, palette.mark, left, grid.top, grid.width, grid.height * matrix.rows);
    to.fillStyle = palette.card;
    if (columnStep(plan) > 1) to.fillRect(grid.left - LABEL, 0, this.canvas.width, grid.top - 3);
    else to.fillRect(left, 0, grid.width, grid.top - 3);
    columnLabel(to, plan, j, palette.mark);
  }

  /**
   * The cell at a point of the canvas, in CSS pixels.
   * @param {number} x
   * @param {number} y
   * @returns {Cell | null}
   */
  cellAt(x, y) {
    if (!this.plan) return null;
    const { grid, matrix } = this.plan;
    const row = Math.floor((y - grid.top) / grid.height);
    const column = Math.floor((x - grid.left) / grid.width);
    const inside = row >= 0 && column >= 0 && row < matrix.rows && column < matrix.columns;
    return inside ? { row, column } : null;
  }

  /**
   * The middle of a cell in the window.
   * @param {Cell} cell
   */
  middle({ row, column }) {
    const { left, top } = this.canvas.getBoundingClientRect();
    const grid = this.plan?.grid ?? { left: 0, top: 0, width: 0, height: 0 };
    return {
      x: left + grid.left + (column + 0.5) * grid.width,
      y: top + grid.top + (row + 0.5) * grid.height,
    };
  }
}

/**
 * @param {CanvasRenderingContext2D} to
 * @param {string} ink
 * @param {[number, number, number, number]} box
 */
function outline(to, ink, ...[left, top, width, height]) {
  to.strokeStyle = ink;
  to.lineWidth = 1;
  to.strokeRect(left - 0.5, top - 0.5, width + 1, height + 1);
}
