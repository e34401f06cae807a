/**
 * Two roads from left to right, and how far they have parted at each station: the gap between them
 * is the number.
 *
 * @typedef {{ name: string, distance: number, relative: number, angle: number,
 *   sizes: [number, number] }} Step
 * @typedef {{ title: string, write: (value: number) => string, values: number[],
 *   stations: string[] }} Fork
 */

import { drawn } from "./dom.js";
import { words } from "./words.js";

const HEIGHT = 118;
const MIDDLE = 58; // of the two roads
const WIDEST = 30; // the road's distance from the middle, at most
const [LEFT, RIGHT] = [36, 26]; // margins, for the first and the last label
const ROOM = 46; // of a label
const APART = 7; // the two ends' labels from the middle, at least

/**
 * A station's name as it is known on the road.
 * @param {Step} step
 * @param {number} at
 * @param {Step[]} all
 */
export function station({ name }, at, all) {
  if (at === 0) return words.stations.embed;
  const [, layer] = /\.(\d+)\.output$/.exec(name) ?? [];
  return layer ?? (at === all.length - 1 ? words.last : name);
}

/**
 * @param {Fork} fork
 * @param {number} width in CSS pixels
 */
export function forked({ title, write, values, stations }, width) {
  const most = Math.max(...values) || 1;
  const across = (width - LEFT - RIGHT) / Math.max(1, values.length - 1);
  const points = values.map((value, at) => ({
    x: LEFT + at * across, away: value / most * WIDEST, value, name: stations[at],
  }));
  const step = Math.ceil(ROOM / across);
  const labelled = points.filter((_, at) => (points.length - 1 - at) % step === 0);
  const [above, below] = [-1, 1].map((side) => points.map(({ x, away }) =>
    ({ x, y: MIDDLE + side * away })));
  const said = points.map(({ name, value }) => `${name} ${write(value)}`).join(", ");
  return drawn("svg", { class: "fork", role: "img", width, height: HEIGHT,
    viewBox: `0 0 ${width} ${HEIGHT}`, "aria-label": `${title}: ${said}` },
  drawn("path", { class: "between", d: `${line(above)} L${line(below.toReversed()).slice(1)} Z` }),
  drawn("path", { class: "road first", d: line(above) }),
  drawn("path", { class: "road second", d: line(below) }),
  ...labelled.flatMap((point) => labels(point, write)),
  ...ends(points[points.length - 1]));
}

/**
 * @param {{ x: number, away: number, value: number, name: string }} point
 * @param {(value: number) => string} write
 */
function labels({ x, away, value, name }, write) {
  return [
    drawn("text", { class: "much", x, y: MIDDLE - away - 8 }, write(value)),
    drawn("text", { x, y: HEIGHT - 4 }, name),
    drawn("circle", { class: "first", cx: x, cy: MIDDLE - away, r: 2.5 }),
    drawn("circle", { class: "second", cx: x, cy: MIDDLE + away, r: 2.5 }),
  ];
}

/**
 * Which road is whose, where they end.
 * @param {{ x: number, away: number }} end
 */
function ends({ x, away }) {
  const apart = Math.max(away, APART);
  return ["first", "second"].map((which, at) =>
    drawn("text", { class: `${which} whose`, x: x + 10, y: MIDDLE + (2 * at - 1) * apart + 4 },
      `${at + 1}`));
}

/**
 * A smooth line through the points, level at each.
 * @param {{ x: number, y: number }[]} points
 */
function line([first, ...others]) {
  let before = first;
  const curves = others.map((point) => {
    const middle = (before.x + point.x) / 2;
    const curve = `C${middle} ${before.y} ${middle} ${point.y} ${point.x} ${point.y}`;
    before = point;
    return curve;
  });
  return `M${first.x} ${first.y} ${curves.join(" ")}`;
}
