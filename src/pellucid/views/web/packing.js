/**
 * Undoes `packing.py`: letters to bytes, deflated bytes to planes, planes to numbers.
 *
 * @typedef {{ text: string, bytes: number }} Packed
 * @typedef {"float32" | "float64" | "int32" | "uint8" | "bfloat16" | "scaled"} Kind
 * @typedef {{ kind: Kind, shape: number[], sentences: number, part: string, at: number,
 *   group?: number, size?: number }} Numbers where a value's planes lie in its part
 * @typedef {{ data: Float64Array, errors: Float64Array | null }} Read numbers, and for each group
 *   of them how far they may be from what they were; null where they are what they were
 */

const ARRAYS = {
  float32: Float32Array,
  float64: Float64Array,
  int32: Int32Array,
  uint8: Uint8Array,
};

/**
 * The bytes that were packed.
 * @param {Packed} packed
 * @returns {Promise<Uint8Array>}
 */
export async function unpacked(packed) {
  const stream = new Blob([undone(packed)]).stream();
  const whole = stream.pipeThrough(new DecompressionStream("deflate-raw"));
  return new Uint8Array(await new Response(whole).arrayBuffer());
}

/** @param {Packed} packed */
export async function unpackedJson(packed) {
  return JSON.parse(new TextDecoder().decode(await unpacked(packed)));
}

/**
 * Five letters are four bytes. The letters follow one another from "(" on, but for "<", for
 * which "}" stands.
 * @param {Packed} packed
 */
function undone({ text, bytes }) {
  if (text.length !== 5 * Math.ceil(bytes / 4)) throw new Error("Letters are missing.");
  const made = new Uint8Array(text.length / 5 * 4);
  for (let i = 0, at = 0; i < text.length; i += 5) {
    let word = 0;
    for (let k = i; k < i + 5; k++) word = word * 85 + digit(text.charCodeAt(k));
    made[at++] = word / 0x1000000;
    made[at++] = word >> 16;
    made[at++] = word >> 8;
    made[at++] = word;
  }
  return made.subarray(0, bytes);
}

/** @param {number} code */
function digit(code) {
  return code === 125 ? 20 : code - 40;
}

/**
 * One sentence's numbers.
 * @param {Uint8Array} content of the part
 * @param {Numbers} numbers
 * @param {number} sentence
 * @returns {Read}
 */
export function read(content, numbers, sentence) {
  const each = numbers.shape.reduce((a, b) => a * b, 1);
  const which = Math.min(sentence, numbers.sentences - 1);
  const span = { start: which * each, count: each, of: each * numbers.sentences };
  if (numbers.kind === "scaled") return scaled(content, numbers, span);
  if (numbers.kind === "bfloat16") {
    const high = Uint32Array.from(new Uint16Array(joined(content, numbers.at, 2, span)));
    return exact(new Float32Array(high.map((bits) => bits << 16).buffer));
  }
  const Numbers = ARRAYS[numbers.kind];
  return exact(new Numbers(joined(content, numbers.at, Numbers.BYTES_PER_ELEMENT, span)));
}

/**
 * @param {ArrayLike<number>} numbers
 * @returns {Read}
 */
function exact(numbers) {
  return { data: Float64Array.from(numbers), errors: null };
}

/**
 * @param {Uint8Array} content
 * @param {Numbers} numbers
 * @param {{ start: number, count: number, of: number }} span
 * @returns {Read}
 */
function scaled(content, { at, group = 1, size = 1 }, { start, count, of }) {
  const groups = { start: start / group, count: count / group, of: of / group };
  const scales = new Float32Array(joined(content, at, 4, groups));
  const bytes = joined(content, at + 4 * groups.of, size, { start, count, of });
  const whole = new (size === 1 ? Int8Array : Int16Array)(bytes);
  const data = new Float64Array(count);
  for (let i = 0, at = 0; at < count; i++) {
    for (const end = at + group; at < end; at++) data[at] = whole[at] * scales[i];
  }
  return { data, errors: Float64Array.from(scales, (scale) => scale / 2) };
}

/**
 * Numbers from their planes of bytes.
 * @param {Uint8Array} content
 * @param {number} at where the first plane begins
 * @param {number} size bytes of a number
 * @param {{ start: number, count: number, of: number }} span which of how many
 * @returns {ArrayBuffer}
 */
function joined(content, at, size, { start, count, of }) {
  if (at + size * of > content.length) throw new Error("Numbers are missing in this page.");
  const bytes = new Uint8Array(count * size);
  for (let plane = 0; plane < size; plane++) {
    const from = at + plane * of + start;
    for (let i = 0; i < count; i++) bytes[i * size + plane] = content[from + i];
  }
  return bytes.buffer;
}
