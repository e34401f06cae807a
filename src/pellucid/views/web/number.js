/**
 * Numbers and arithmetic in words, letter for letter as `Operation.plain` writes them.
 *
 * @typedef {import("./trace.js").Matrix} Matrix
 */

import { at } from "../../formula/algebra.js";

/**
 * Significant digits, a true minus sign, and ∞ by name.
 * @param {number} value
 * @param {number} [digits]
 */
export function number(value, digits = 4) {
  if (!Number.isFinite(value)) return Number.isNaN(value) ? "nan" : value > 0 ? "∞" : "−∞";
  const [, power] = value.toExponential(digits - 1).split("e");
  const small = Number(power) < -4 || Number(power) >= digits;
  return (small ? scientific(value, digits) : fixed(value, digits - 1 - Number(power)))
    .replaceAll("-", "−");
}

/**
 * @param {number} value
 * @param {number} places
 */
function fixed(value, places) {
  const text = value.toFixed(places);
  return places > 0 ? text.replace(/\.?0+$/, "") : text;
}

/**
 * @param {number} value
 * @param {number} digits
 */
function scientific(value, digits) {
  const [factor, power] = value.toExponential(digits - 1).split("e");
  const short = digits > 1 ? factor.replace(/\.?0+$/, "") : factor;
  return `${short}e${power[0]}${power.slice(1).padStart(2, "0")}`;
}

/**
 * What a cell is made of, with its numbers: `1.2·0.4 + 0.3·0.1`; null where that says nothing.
 * @param {{ operation?: string, settings?: any }} node
 * @param {Matrix[]} operands
 * @param {number} row
 * @param {number} column
 * @returns {string | null}
 */
export function arithmetic({ operation = "", settings = {} }, operands, row, column) {
  const write = WRITTEN[operation];
  return write ? write(operands, row, column, settings) : null;
}

/** @type {Record<string, (operands: Matrix[], i: number, j: number, settings: any) => string>} */
const WRITTEN = {
  same: ([x], i, j) => number(at(x, i, j)),
  add: (parts, i, j) => parts.map((x) => number(cell(x, i, j))).join(" + "),
  over_root: ([x], i, j, { of }) => `${number(at(x, i, j))}/√${of}`,
  mask: ([x, allowed], i, j) =>
    cell(allowed, i, j) ? `${number(at(x, i, j))}, allowed` : "not allowed",
  product: ([a, b], i, j) =>
    terms(a.columns, (k) => `${number(at(a, i, k))}·${number(at(b, k, j))}`),
  product_transposed: ([a, b], i, j) =>
    terms(a.columns, (k) => `${number(at(a, i, k))}·${number(at(b, j, k))}`),
  softmax: ([x], i, j) =>
    `e^${number(at(x, i, j))} / (${terms(x.columns, (k) => `e^${number(at(x, i, k))}`)})`,
};

/**
 * A cell of what may be a single row or column for all.
 * @param {Matrix} x
 * @param {number} i
 * @param {number} j
 */
function cell(x, i, j) {
  return at(x, x.rows === 1 ? 0 : i, x.columns === 1 ? 0 : j);
}

/**
 * A sum written out, its middle left out when it is long.
 * @param {number} count
 * @param {(k: number) => string} term
 */
function terms(count, term) {
  const shown = count <= 4 ? count : 3;
  const parts = Array.from({ length: shown }, (_, k) => term(k));
  return (shown < count ? [...parts, `… (${count} terms)`] : parts).join(" + ");
}
