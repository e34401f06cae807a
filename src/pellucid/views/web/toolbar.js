/**
 * What if? Switches for one attention sub-layer, and one way back.
 *
 * @typedef {import("./whatif.js").Rules} Rules
 * @typedef {import("./head.js").Head} Head
 * @typedef {{ rule: (rules: Rules) => void, reset: () => void }} Listener
 */

import { element } from "./dom.js";
import { words } from "./words.js";

const TEMPERATURE = { min: "0.1", max: "3", step: "0.1" };

export class Toolbar {
  /**
   * @param {HTMLElement} section
   * @param {HTMLElement} title where it says that something is changed
   * @param {Listener} listener
   */
  constructor(section, title, listener) {
    this.listener = listener;
    this.scaling = this.toggle(words.scaling, (on) => ({ scaling: on ? undefined : "off" }));
    this.mask = this.toggle(words.mask, (on) => ({ mask: on ? undefined : "off" }));
    this.speaks = this.toggle(words.headSpeaks, (on) => ({ heads: this.others(on) }));
    this.warmth = element("output", {}, "1");
    this.temperature = element("input", { type: "range", value: "1", ...TEMPERATURE,
      "aria-label": words.temperature, oninput: () => this.warm() });
    this.token = element("select", { "aria-label": words.silence, onchange: () => this.silence() });
    this.back = element("button", { class: "back", onclick: listener.reset }, words.back);
    this.told = element("span", { class: "told", role: "status" });
    section.append(element("fieldset", { class: "whatif" },
      element("legend", {}, words.whatIf), this.scaling.label, this.mask.label, this.speaks.label,
      element("label", {}, words.temperature, " ", this.temperature, this.warmth),
      this.token));
    title.append(this.told, this.back);
  }

  /**
   * @param {string} text
   * @param {(on: boolean) => Rules} rules
   */
  toggle(text, rules) {
    const box = element("input", { type: "checkbox",
      onchange: () => this.listener.rule(rules(box.checked)) });
    return { box, label: element("label", {}, box, " ", text) };
  }

  /**
   * @param {Head} head
   */
  show(head) {
    this.head = head;
    const { scaling, mask, temperature = 1, heads = [], tokens = [] } = this.rules;
    this.scaling.box.checked = scaling !== "off";
    this.mask.box.checked = mask !== "off";
    this.speaks.box.checked = !heads.includes(head.head);
    this.temperature.value = `${temperature}`;
    this.warmth.textContent = `${temperature}`;
    const labels = head.tokens[1].labels;
    this.token.replaceChildren(
      element("option", { value: "" }, words.silence),
      ...labels.map((label, at) =>
        element("option", { value: `${at}` }, `${tokens.includes(at) ? "✕ " : ""}${label}`)));
    this.back.hidden = head.whatIf.isEmpty;
    this.told.textContent = head.whatIf.isEmpty ? "" : words.changed;
  }

  get rules() {
    return (this.head && this.head.whatIf.rules[this.head.layer.place]) ?? {};
  }

  /**
   * The silent heads, with or without the one that is shown.
   * @param {boolean} speaks
   */
  others(speaks) {
    const head = this.head?.head ?? 0;
    const others = (this.rules.heads ?? []).filter((each) => each !== head);
    return speaks ? others : [...others, head];
  }

  warm() {
    const temperature = Number(this.temperature.value);
    this.warmth.textContent = `${temperature}`;
    this.listener.rule({ temperature: temperature === 1 ? undefined : temperature });
  }

  /** A token falls silent, or speaks again. */
  silence() {
    if (!this.token.value) return;
    const [which, silent] = [Number(this.token.value), this.rules.tokens ?? []];
    const tokens = silent.includes(which) ? silent.filter((each) => each !== which)
      : [...silent, which];
    this.listener.rule({ tokens });
  }
}
