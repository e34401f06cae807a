/**
 * The algebra in the browser: the operations of `pellucid.formula`, each under its own name and
 * in a file of the same name. Change a number on the page, and what follows from it is computed
 * here, without a server.
 *
 * @typedef {import("./algebra/matrix.js").Matrix} Matrix
 * @typedef {import("./algebra/matrix.js").Value} Value
 */

import { elements } from "./algebra/elements.js";
import { headOf, list } from "./algebra/matrix.js";
import { places } from "./algebra/places.js";
import { positions } from "./algebra/positions.js";
import { rows } from "./algebra/rows.js";
import { sums } from "./algebra/sums.js";

/** @type {Record<string, import("./algebra/matrix.js").Operation>} */
export const operations = { ...elements, ...sums, ...rows, ...places, ...positions };

const WITH_HEADS = new Set(["split_heads", "merge_heads", "reach", "alibi", "pick"]);

/**
 * The value of a formula: all heads if an operand has heads, a matrix if none has.
 * @param {{ operation: string, settings?: object }} formula
 * @param {Value[]} operands
 * @returns {Value}
 */
export function evaluate({ operation, settings = {} }, operands) {
  const compute = operations[operation];
  if (!compute) throw new Error(`${operation} is no operation of the algebra.`);
  const heads = Math.max(0, ...operands.map((x) => (Array.isArray(x) ? x.length : 0)));
  if (heads === 0 || WITH_HEADS.has(operation)) return compute(operands, settings);
  return list(heads, (h) =>
    /** @type {Matrix} */ (compute(operands.map((x) => headOf(x, h, heads)), settings)));
}
