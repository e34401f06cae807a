/**
 * What a cell is made of: places in its parents, to be marked there.
 *
 * @typedef {import("../../formula/algebra.js").Matrix} Matrix
 * @typedef {{ row?: number, column?: number }} Place a cell; a whole row, a whole column, or all
 * @typedef {{ name: string, place: Place }} Read
 */

/**
 * @param {{ operation: string, parents: string[] }} formula
 * @param {Matrix[]} operands
 * @param {{ row: number, column: number }} cell
 * @returns {Read[]}
 */
export function reads({ operation, parents }, operands, { row, column }) {
  const places = (PLACES[operation] ?? same)(row, column);
  return parents.flatMap((name, which) => {
    const { rows, columns } = operands[which];
    const place = { ...(places[which] ?? places[0]) };
    if (rows === 1) place.row = 0;
    if (columns === 1) place.column = 0;
    return [{ name, place }];
  });
}

/** @type {(row: number, column: number) => Place[]} */
const same = (row, column) => [{ row, column }];

/** @type {Record<string, (row: number, column: number) => Place[]>} */
const PLACES = {
  product: (row, column) => [{ row }, { column }],
  product_transposed: (row, column) => [{ row }, { row: column }],
  affine: (row, column) => [{ row }, { row: column }, { row: 0, column }],
  softmax: (row) => [{ row }],
  log_softmax: (row) => [{ row }],
  mean: (row) => [{ row }],
  deviation: (row) => [{ row }],
  rms: (row) => [{ row }],
  rotate: (row) => [{ row }],
  split_heads: (row) => [{ row }],
  merge_heads: (row) => [{ row }],
  reach: (row, column) => [{ row }, { row: column, column: 0 }],
  gather: (row) => [{}, { row, column: 0 }],
  column_mean: (_, column) => [{ column }],
  text_mean: (_, column) => [{ column }],
  column_deviation: (_, column) => [{ column }],
};
