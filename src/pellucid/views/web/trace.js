/**
 * The trace in the browser: what it says of itself, and its numbers, part by part. A part is
 * unpacked when it is first needed.
 *
 * @typedef {import("./packing.js").Packed} Packed
 * @typedef {import("./packing.js").Numbers} Numbers
 * @typedef {{ name: string, axes: string, written: string, operation?: string,
 *   parents?: string[], settings?: Record<string, any>, line?: number }} Node
 * @typedef {{ text: string, labels: string[], ids: number[], offsets: [number, number][],
 *   special: boolean[] }} Tokens
 * @typedef {{ layer: number, place: string, steps: string[] }} Layer
 * @typedef {{ stack: string, part: "attention" | "cross", heads: number, rows: string | null,
 *   columns: string | null, layers: Layer[] }} Stack
 * @typedef {{ piece: string, id: number, score: number | null }} Word
 * @typedef {{ meaning: "next" | "filling" | "cosine", words: Word[][][] }} Answers
 * @typedef {{ format: number, about: Record<string, any>, texts: Record<string, Tokens[]>,
 *   nodes: Node[], values: Record<string, Numbers>, stacks: Stack[], answers: Answers | null,
 *   follows: number[],
 *   code: string[], bits: number, vocabulary: string[] }} Description
 */

import { read, unpacked, unpackedJson } from "./packing.js";

const FORMAT = 2;
const REMEMBERED = 8; // values, so that a long text leaves memory for others
const OF_SOURCE = /\.(?:memory|real|key|value)$/; // what cross-attention has from the encoder

export class Trace {
  /**
   * @param {Description} description
   * @param {Map<string, Packed>} parts
   */
  constructor(description, parts) {
    if (description.format !== FORMAT) throw new Error(`The page's data have no format ${FORMAT}.`);
    this.about = description.about;
    this.texts = description.texts;
    this.stacks = description.stacks;
    this.answers = description.answers;
    this.follows = description.follows;
    this.numbers = description.values;
    this.code = description.code;
    this.bits = description.bits;
    this.vocabulary = description.vocabulary;
    this.nodes = new Map(description.nodes.map((node) => [node.name, node]));
    this.parts = parts;
    /** @type {Map<string, Promise<void>>} */
    this.opening = new Map();
    /** @type {Map<string, Uint8Array>} */
    this.contents = new Map();
    /** @type {Map<string, import("./packing.js").Read & { shape: number[] }>} */
    this.known = new Map();
  }

  /** @param {Map<string, Packed>} parts the description among them */
  static async of(parts) {
    const packed = parts.get("trace");
    if (!packed) throw new Error("The page has no trace.");
    return new Trace(await unpackedJson(packed), parts);
  }

  /** How many sentences were run side by side. */
  get sentences() {
    const [texts] = Object.values(this.texts);
    return texts?.length ?? Math.max(...Object.values(this.numbers).map((of) => of.sentences));
  }

  /**
   * @param {string} name
   * @returns {Node}
   */
  node(name) {
    const node = this.nodes.get(name);
    if (!node) throw new Error(`The trace has no ${name}.`);
    return node;
  }

  /**
   * Unpack what these values follow from.
   * @param {string[]} names
   */
  async open(names) {
    await Promise.all([...this.needed(names)].map((part) => this.unpack(part)));
  }

  /**
   * @param {string[]} names
   * @returns {Set<string>}
   */
  needed(names) {
    const [waiting, seen, parts] = [[...names], new Set(names), new Set()];
    for (const name of waiting) {
      if (this.numbers[name]) parts.add(this.numbers[name].part);
      else for (const parent of this.nodes.get(name)?.parents ?? []) {
        if (!seen.has(parent)) waiting.push(parent);
        seen.add(parent);
      }
    }
    return parts;
  }

  /** @param {string} part */
  unpack(part) {
    const packed = this.parts.get(part);
    if (!packed) throw new Error(`The page has no part ${part}.`);
    const opening = this.opening.get(part) ?? unpacked(packed).then((content) => {
      this.contents.set(part, content);
    });
    this.opening.set(part, opening);
    return opening;
  }

  /**
   * A recorded value's numbers; null where it was not recorded.
   * @param {string} name
   * @param {number} sentence
   */
  recorded(name, sentence) {
    const numbers = this.numbers[name];
    if (!numbers) return null;
    const key = `${sentence} ${name}`;
    const found = this.known.get(key) ?? this.read(name, numbers, sentence);
    this.known.delete(key);
    this.known.set(key, found); // the last in line is the last to be forgotten
    if (this.known.size > REMEMBERED) this.known.delete(this.known.keys().next().value ?? "");
    return found;
  }

  /**
   * @param {string} name
   * @param {Numbers} numbers
   * @param {number} sentence
   */
  read(name, numbers, sentence) {
    const content = this.contents.get(numbers.part);
    if (!content) throw new Error(`${name} has not been unpacked yet.`);
    return { ...read(content, numbers, sentence), shape: numbers.shape };
  }

  /**
   * The tokens that an axis of a value stands for, if it stands for tokens.
   * @param {string} name
   * @param {string} letter of the axis
   * @param {number} sentence
   * @returns {Tokens | null}
   */
  tokens(name, letter, sentence) {
    return "TS".includes(letter) ? this.texts[this.stream(name, letter)]?.[sentence] ?? null : null;
  }

  /**
   * Which text an axis runs along.
   * @param {string} name
   * @param {string} letter
   */
  stream(name, letter) {
    const crossing = /\.cross\.\w+$/.test(name) && (letter === "S" || OF_SOURCE.test(name));
    const stream = crossing || /^(?:source|encoder)\./.test(name) ? "source" : "target";
    return stream in this.texts ? stream : "tokens";
  }
}
