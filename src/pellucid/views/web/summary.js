/**
 * A matrix in a sentence, for those who do not see its picture.
 *
 * @typedef {import("./paint.js").Plan} Plan
 */

import { at } from "../../formula/algebra/matrix.js";
import { words } from "./words.js";

const ROWS = 8;

/**
 * Its size and reach; of weights also where the first rows look most.
 * @param {string} name
 * @param {Plan} plan
 * @param {[string, string]} range
 */
export function summary(name, plan, [least, most]) {
  const { matrix } = plan;
  const size = `${name}: ${matrix.rows} × ${matrix.columns}, ${least} – ${most}`;
  if (name !== "weights") return size;
  return [size, ...Array.from({ length: Math.min(matrix.rows, ROWS) }, (_, i) => looks(plan, i))]
    .join("; ");
}

/**
 * @param {Plan} plan
 * @param {number} i
 */
function looks({ matrix, rows, columns, print }, i) {
  let best = 0;
  for (let j = 1; j < matrix.columns; j++) if (at(matrix, i, j) > at(matrix, i, best)) best = j;
  return words.looksAt(rows.labels[i], columns.labels[best], print(i, best, 2));
}
