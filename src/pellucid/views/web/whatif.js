/**
 * What if? Changes to the way from the text to the answer, none of which touches the trace.
 *
 * @typedef {import("../../formula/algebra.js").Matrix} Matrix
 * @typedef {import("./reading.js").Formula} Formula
 * @typedef {{ scaling?: "off", mask?: "off", temperature?: number, heads?: number[],
 *   tokens?: number[] }} Rules of one attention sub-layer: heads and tokens that fall silent
 * @typedef {{ name: string, head: number, row: number, column: number, value: number }} Edit
 * @typedef {{ rules: Record<string, Rules>, edits: Edit[] }} Changes
 */

export class WhatIf {
  /** @param {Partial<Changes>} [changes] */
  constructor({ rules = {}, edits = [] } = {}) {
    this.rules = rules;
    this.edits = edits;
  }

  get isEmpty() {
    return this.edits.length === 0 && Object.values(this.rules).every((of) => !isSaid(of));
  }

  /** @returns {Changes} */
  get changes() {
    return { rules: this.rules, edits: this.edits };
  }

  /**
   * With other rules for a sub-layer.
   * @param {string} place
   * @param {Rules} rules
   */
  ruled(place, rules) {
    return new WhatIf({
      rules: { ...this.rules, [place]: { ...this.rules[place], ...rules } },
      edits: this.edits,
    });
  }

  /**
   * With another number in one cell.
   * @param {Edit} edit
   */
  edited(edit) {
    const others = this.edits.filter((each) => !sameCell(each, edit));
    return new WhatIf({ rules: this.rules, edits: [...others, edit] });
  }

  /**
   * Whether a value is changed itself, not only by what it follows from.
   * @param {string} name
   */
  touches(name) {
    const [place, step] = parted(name);
    const { scaling, mask, temperature, heads, tokens } = this.rules[place] ?? {};
    const ruled = { scaled: scaling, masked: mask, weights: temperature, mixed: heads?.length,
      v: tokens?.length };
    return Boolean(ruled[/** @type {keyof typeof ruled} */ (step)])
      || this.edits.some((edit) => edit.name === name);
  }

  /**
   * How a value is made under these rules.
   * @param {string} name
   * @param {Formula} formula
   * @returns {Formula}
   */
  formula(name, formula) {
    const [place, step] = parted(name);
    const { scaling, mask, temperature } = this.rules[place] ?? {};
    if (step === "weights" && temperature) return { ...formula, settings: { temperature } };
    const off = (step === "scaled" && scaling === "off") || (step === "masked" && mask === "off");
    return off ? { operation: "same", parents: formula.parents.slice(0, 1) } : formula;
  }

  /**
   * What becomes of a head's matrix.
   * @param {string} name
   * @param {number} head
   * @param {Matrix} value
   * @returns {Matrix}
   */
  applied(name, head, value) {
    if (!this.touches(name)) return value;
    const [place, step] = parted(name);
    const data = value.data.slice();
    const made = { ...value, data };
    const { heads = [], tokens = [] } = this.rules[place] ?? {};
    if (step === "mixed" && heads.includes(head)) data.fill(0);
    if (step === "v") {
      for (const row of tokens) data.fill(0, row * value.columns, (row + 1) * value.columns);
    }
    for (const edit of this.edits) {
      if (edit.name === name && edit.head === head) {
        data[edit.row * value.columns + edit.column] = edit.value;
      }
    }
    return made;
  }
}

/** @param {Rules} rules */
function isSaid({ scaling, mask, temperature, heads, tokens }) {
  return Boolean(scaling || mask || temperature || heads?.length || tokens?.length);
}

/**
 * @param {Edit} a
 * @param {Edit} b
 */
function sameCell(a, b) {
  return a.name === b.name && a.head === b.head && a.row === b.row && a.column === b.column;
}

/**
 * The sub-layer of a value, and what it is called there.
 * @param {string} name
 */
function parted(name) {
  const dot = name.lastIndexOf(".");
  return [name.slice(0, dot), name.slice(dot + 1)];
}
