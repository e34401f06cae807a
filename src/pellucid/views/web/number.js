/**
 * Numbers in words, letter for letter as `pellucid.formula.operation.number` writes them.
 */

const EXPANDED = 40; // digits: enough to see that nothing follows

/**
 * Significant digits, a true minus sign, and ∞ by name.
 * @param {number} value
 * @param {number} [digits]
 */
export function number(value, digits = 4) {
  if (!Number.isFinite(value)) return Number.isNaN(value) ? "nan" : value > 0 ? "∞" : "−∞";
  const x = evened(value, digits);
  const [, power] = x.toExponential(digits - 1).split("e");
  const small = Number(power) < -4 || Number(power) >= digits;
  return (small ? scientific(x, digits) : fixed(x, digits - 1 - Number(power)))
    .replaceAll("-", "−");
}

/**
 * A number that lies in the very middle between two of so few digits goes to the even one, as in
 * Python; JavaScript would go away from zero.
 * @param {number} value
 * @param {number} digits
 */
function evened(value, digits) {
  const all = Math.abs(value).toExponential(EXPANDED).replace(".", "");
  const isMiddle = /^50*e/.test(all.slice(digits));
  return isMiddle && Number(all[digits - 1]) % 2 === 0 ? value * (1 - Number.EPSILON) : value;
}

/**
 * As many digits as are true of every number that is no further from `value` than `error`; of a
 * number about zero as many decimals.
 * @param {number} value
 * @param {number} error
 * @param {number} [most] digits
 * @returns {{ text: string, digits?: number, places?: number }}
 */
export function certain(value, error, most = 4) {
  if (!Number.isFinite(value) || error === 0) return { text: number(value, most), digits: most };
  for (let digits = most; digits > 0; digits--) {
    const text = number(value - error, digits);
    if (text === number(value + error, digits)) return { text, digits };
  }
  for (let places = 9; places >= 0; places--) {
    const text = unsigned(fixed(value - error, places));
    if (text === unsigned(fixed(value + error, places))) return { text, places };
  }
  return { text: Number.isFinite(error) ? `≈ ${number(value, 1)}` : number(value, 2) };
}

/**
 * A zero has no sign.
 * @param {string} text
 */
function unsigned(text) {
  return text === "-0" ? "0" : text.replace("-", "−");
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
