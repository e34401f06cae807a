/**
 * Colours for numbers: blue above zero, orange below, paper at zero. The two are told apart by
 * people with any common kind of colour vision. The anchors are the style sheet's, so that light
 * and dark have their own.
 *
 * @typedef {[number, number, number]} Colour red, green, blue; 0 to 255
 */

const STEPS = 255; // from zero to the largest number

export class Palette {
  /** @param {CSSStyleDeclaration} style the computed style of the page */
  constructor(style) {
    const named = (/** @type {string} */ name) => style.getPropertyValue(`--${name}`).trim();
    this.ink = named("ink");
    this.muted = named("muted");
    this.faint = named("faint");
    this.card = named("card");
    this.mark = named("mark");
    this.font = style.fontFamily;
    this.zero = parsed(named("zero"));
    this.above = ["above-half", "above"].map((name) => parsed(named(name)));
    this.below = ["below-half", "below"].map((name) => parsed(named(name)));
    this.shades = Array.from({ length: 2 * STEPS + 1 }, (_, at) => this.mixed(at / STEPS - 1));
    this.inks = [parsed(this.ink), parsed(named("ink-on-colour"))];
  }

  /**
   * The colour of a share of the largest number, −1 to 1.
   * @param {number} share
   * @returns {Colour}
   */
  colour(share) {
    return this.shades[Math.round(share * STEPS) + STEPS];
  }

  /**
   * @param {number} share
   * @returns {Colour}
   */
  mixed(share) {
    const [half, full] = share < 0 ? this.below : this.above;
    const far = Math.min(1, Math.abs(share)) * 2;
    return far < 1 ? between(this.zero, half, far) : between(half, full, far - 1);
  }

  /**
   * The ink that reads best upon a colour.
   * @param {Colour} colour
   */
  inkOn(colour) {
    const contrasts = this.inks.map((ink) => Math.abs(lightness(ink) - lightness(colour)));
    const [red, green, blue] = this.inks[contrasts[0] >= contrasts[1] ? 0 : 1];
    return `rgb(${red} ${green} ${blue})`;
  }
}

/**
 * @param {string} hex `#rrggbb`
 * @returns {Colour}
 */
function parsed(hex) {
  const number = parseInt(hex.slice(1), 16);
  return [number >> 16, (number >> 8) & 255, number & 255];
}

/**
 * @param {Colour} a
 * @param {Colour} b
 * @param {number} share of b
 * @returns {Colour}
 */
function between(a, b, share) {
  const mixed = a.map((from, which) => Math.round(from + (b[which] - from) * share));
  return /** @type {Colour} */ (mixed);
}

/** @param {Colour} colour */
function lightness([red, green, blue]) {
  return 0.3 * red + 0.59 * green + 0.11 * blue;
}
