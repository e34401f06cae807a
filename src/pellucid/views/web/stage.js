/**
 * The stage that is open: its matrices, and beside them what belongs to it alone.
 *
 * @typedef {import("./head.js").Head} Head
 * @typedef {import("./colour.js").Palette} Palette
 * @typedef {{ readout: import("./readout.js").Readout, moved: () => void,
 *   mark: (cursor: import("./picture.js").Cursor) => void,
 *   change: (whatIf: WhatIf) => void }} Around
 */

import { element, titled } from "./dom.js";
import { answerPanel } from "./everywhere.js";
import { layerPanel } from "./layer.js";
import { pieces } from "./pieces.js";
import { searchPanel } from "./searched.js";
import { savers } from "./saving.js";
import { stages } from "./stages.js";
import { Steps } from "./steps.js";
import { Toolbar } from "./toolbar.js";
import { WhatIf } from "./whatif.js";
import { words } from "./words.js";

const UNCHANGED = new Set(["pieces", "search"]); // nothing there follows from attention here

export class Stage {
  /**
   * @param {HTMLElement} section
   * @param {Around} around
   */
  constructor(section, around) {
    this.around = around;
    this.chosen = "head";
    this.title = element("h2");
    this.tools = element("div", { class: "switches" });
    this.panel = element("div", { class: "panel" });
    const head = titled(this.title, savers(() => this.title.textContent ?? "", () => section));
    section.append(head, this.tools, this.panel);
    this.toolbar = new Toolbar(this.tools, head, {
      rule: (rules) => this.change((whatIf, { layer }) => whatIf.ruled(layer.place, rules)),
      reset: () => this.change(() => new WhatIf()),
    });
    head.append(element("kbd", {}, words.keys));
    this.steps = new Steps(section, {
      ...around,
      edit: ({ name }, cell, value) => this.change((whatIf, { reading, head }) =>
        whatIf.edited({ name, head: reading.own(name, head), ...cell, value })),
    });
  }

  /** @param {Head} head */
  stages(head) {
    return stages(head);
  }

  /**
   * @param {Head} head
   * @param {ReturnType<typeof stages>} all
   * @param {Palette} palette
   */
  show(head, all, palette) {
    this.head = head;
    const { name, title, values } = all.find((each) => each.name === this.chosen) ?? all[0];
    this.title.textContent = { head: head.title, layer: head.layerTitle }[name] ?? title;
    this.panel.replaceChildren(...(PANELS[name]?.(head) ?? []));
    this.tools.hidden = UNCHANGED.has(name);
    this.toolbar.show(head);
    this.steps.show(head, values, palette);
  }

  /** @param {(whatIf: WhatIf, head: Head) => WhatIf} how */
  change(how) {
    if (this.head) this.around.change(how(this.head.whatIf, this.head));
  }
}

/** @type {Record<string, (head: Head) => Node[]>} */
const PANELS = { pieces, layer: layerPanel, answer: answerPanel,
  search: searchPanel };
