/**
 * The view as a part of the page's address, so that a link leads back to it.
 *
 * @typedef {import("./head.js").Choice} Choice
 * @typedef {{ pin: import("./steps.js").Pin | null,
 *   changes: import("./whatif.js").Changes | null }} Own what is marked and changed in a text
 * @typedef {{ stage: string, choice: Choice, large: string, texts: Own[] }} View
 */

const TEXTS = ["", "2"]; // behind the names of what is a text's own
const NUMBERS = /** @type {const} */ (["stack", "layer", "head", "sentence"]);

/**
 * @param {View} view
 * @returns {string} with its #
 */
export function written({ stage, choice, large, texts }) {
  const said = new URLSearchParams({ stage });
  for (const name of NUMBERS) said.set(name, `${choice[name]}`);
  if (large) said.set("large", large);
  texts.forEach(({ pin, changes }, at) => {
    const { short, cell } = pin ?? {};
    if (cell) said.set(`pin${TEXTS[at]}`, [short, cell.row, cell.column].join(" "));
    if (changes) said.set(`if${TEXTS[at]}`, JSON.stringify(changes));
  });
  return `#${said}`;
}

/**
 * What an address says; what it does not say, or says wrongly, is left out.
 * @param {string} address with its #
 * @returns {{ stage?: string, choice: Partial<Choice>, large: string, texts: Own[] }}
 */
export function read(address) {
  const said = new URLSearchParams(address.slice(1));
  const numbers = NUMBERS.filter((name) => /^\d+$/.test(said.get(name) ?? ""))
    .map((name) => [name, Number(said.get(name))]);
  return {
    stage: said.get("stage") ?? undefined,
    choice: Object.fromEntries(numbers),
    large: said.get("large") ?? "",
    texts: TEXTS.map((text) => ({
      pin: pinned(said.get(`pin${text}`)),
      changes: parsed(said.get(`if${text}`)),
    })),
  };
}

/** @param {string | null} text */
function pinned(text) {
  const [short, row, column] = (text ?? "").split(" ");
  return column ? { short, cell: { row: Number(row) || 0, column: Number(column) || 0 } } : null;
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
