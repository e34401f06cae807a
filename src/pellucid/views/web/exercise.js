/**
 * A matrix to be filled in by its reader: hidden until guessed or given.
 *
 * @typedef {import("../../formula/algebra.js").Matrix} Matrix
 * @typedef {import("./picture.js").Cell} Cell
 */

const CLOSE = 0.05; // of the number, or as much of one where it is small

export class Exercise {
  /** @param {Matrix} matrix */
  constructor(matrix) {
    this.matrix = matrix;
    this.found = new Set();
  }

  /**
   * @param {number} row
   * @param {number} column
   */
  isHidden(row, column) {
    return !this.found.has(row * this.matrix.columns + column);
  }

  /**
   * The matrix with what is hidden left out.
   * @param {Matrix} matrix
   * @returns {Matrix}
   */
  shown(matrix) {
    return { ...matrix, data: matrix.data.map((x, at) => (this.found.has(at) ? x : NaN)) };
  }

  /**
   * Whether a guess is close enough; then the cell is shown.
   * @param {Cell} cell
   * @param {number} value
   */
  guess(cell, value) {
    const x = this.matrix.data[cell.row * this.matrix.columns + cell.column];
    const right = x === value || Math.abs(x - value) <= CLOSE * Math.max(Math.abs(x), CLOSE);
    if (right) this.reveal(cell);
    return right;
  }

  /** @param {Cell} cell */
  reveal({ row, column }) {
    this.found.add(row * this.matrix.columns + column);
  }
}
