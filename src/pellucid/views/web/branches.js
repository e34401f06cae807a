/**
 * Where the candidates of a search stand in its tree.
 *
 * @typedef {{ step: number, parent: number, piece: string, id: number, log_probability: number,
 *   changes: [string, number, number][], value: number, total: number,
 *   fate: "kept" | "cut" | "ended", why: string, score: number | null }} Candidate
 */

const ROOT = -1;

/**
 * The row of each candidate up to a step, and how many rows there are; of those that follow one,
 * the best goes straight on.
 * @param {Candidate[]} all
 * @param {number} until
 */
export function placed(all, until) {
  const after = following(all, until);
  const rows = new Int32Array(all.length);
  const waiting = [...after.get(ROOT) ?? []].reverse();
  let filled = 0;
  for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
    rows[at] = filled;
    const next = after.get(at) ?? [];
    if (!next.length) filled++;
    waiting.push(...next.toReversed());
  }
  return { rows, filled };
}

/**
 * Those that follow each, the best first.
 * @param {Candidate[]} all
 * @param {number} until
 */
function following(all, until) {
  /** @type {Map<number, number[]>} */
  const after = new Map();
  all.forEach(({ parent, step }, at) => {
    if (step > until) return;
    const others = after.get(parent);
    if (others) others.push(at);
    else after.set(parent, [at]);
  });
  for (const others of after.values()) others.sort((a, b) => all[b].total - all[a].total);
  return after;
}

/**
 * Those on the way to an answer.
 * @param {Candidate[]} all
 */
export function leads(all) {
  const found = new Set();
  all.forEach(({ fate }, end) => {
    for (let at = end; fate === "ended" && at >= 0; at = all[at].parent) found.add(at);
  });
  return found;
}
