/** Arithmetic that treats each number alone: sums, scales and activations. */

import { each, sum } from "./matrix.js";

/** @type {Record<string, import("./matrix.js").Operation>} */
export const elements = {
  same: ([x]) => x,
  add: (parts) => each(parts, (...numbers) => sum(numbers)),
  multiply: (both) => each(both, (x, y) => x * y),
  scale: ([x], { by }) => each([x], (x) => x * by),
  shift: ([x], { by }) => each([x], (x) => x + by),
  over_root: ([x], { of }) => each([x], (x) => x / Math.sqrt(of)),
  mask: (both) => each(both, (x, allowed) => (allowed ? x : -Infinity)),
  rescale: (parts) => each(parts, (x, gain, ...shift) => sum([x * gain, ...shift])),
  divide: (both) => each(both, (x, y) => x / y),
  normalise: (three) => each(three, (x, mean, deviation) => (x - mean) / deviation),
  root: ([x], { epsilon }) => each([x], (x) => Math.sqrt(x + epsilon)),
  relu: ([x]) => each([x], (x) => Math.max(0, x)),
  gelu: ([x]) => each([x], (x) => x * normal(x)),
  gelu_tanh: ([x]) =>
    each([x], (x) => 0.5 * x * (1 + Math.tanh(Math.sqrt(2 / Math.PI) * (x + 0.044715 * x ** 3)))),
  silu: ([x]) => each([x], (x) => x / (1 + Math.exp(-x))),
  tanh: ([x]) => each([x], Math.tanh),
};

/**
 * Φ(x), the share of the normal distribution below x, to 13 digits even where it is tiny: near
 * zero by a series (Marsaglia 2004), in the tails by a continued fraction (Laplace 1805).
 * @param {number} x
 */
export function normal(x) {
  const density = Math.exp((-x * x) / 2) / Math.sqrt(2 * Math.PI);
  if (Math.abs(x) < 2.5) {
    let [series, term] = [x, x];
    for (let k = 3; series + term !== series; k += 2) {
      term *= (x * x) / k;
      series += term;
    }
    return 0.5 + density * series;
  }
  let fraction = Math.abs(x);
  for (let k = 60; k > 0; k--) fraction = Math.abs(x) + k / fraction;
  return x < 0 ? density / fraction : 1 - density / fraction;
}
