/**
 * The view as a part of the page's address, so that a link leads back to it.
 *
 * @typedef {import("./head.js").Choice} Choice
 * @typedef {{ stage: string, choice: Choice, large: string, pin: import("./steps.js").Pin | null,
 *   changes: import("./whatif.js").Changes | null }} View
 */

const NUMBERS = /** @type {const} */ (["stack", "layer", "head", "sentence"]);

/**
 * @param {View} view
 * @returns {string} with its #
 */
export function written({ stage, choice, large, pin, changes }) {
  const said = new URLSearchParams({ stage });
  for (const name of NUMBERS) said.set(name, `${choice[name]}`);
  if (large) said.set("large", large);
  if (pin) said.set("pin", [pin.short, pin.cell.row, pin.cell.column].join(" "));
  if (changes) said.set("if", JSON.stringify(changes));
  return `#${said}`;
}

/**
 * What an address says; what it does not say, or says wrongly, is left out.
 * @param {string} address with its #
 * @returns {Partial<View> & { choice: Partial<Choice> }}
 */
export function read(address) {
  const said = new URLSearchParams(address.slice(1));
  const numbers = NUMBERS.filter((name) => /^\d+$/.test(said.get(name) ?? ""))
    .map((name) => [name, Number(said.get(name))]);
  const [short, row, column] = (said.get("pin") ?? "").split(" ");
  return {
    stage: said.get("stage") ?? undefined,
    choice: Object.fromEntries(numbers),
    large: said.get("large") ?? "",
    pin: column ? { short, cell: { row: Number(row) || 0, column: Number(column) || 0 } } : null,
    changes: parsed(said.get("if")),
  };
}

/** @param {string | null} text */
function parsed(text) {
  try {
    const { rules = {}, edits = [] } = JSON.parse(text ?? "null") ?? {};
    const sound = typeof rules === "object" && Array.isArray(edits);
    return sound && text ? { rules, edits } : null;
  } catch {
    return null;
  }
}
