/**
 * The sentence: as it was typed, piece by piece, and what the model answers at each piece.
 *
 * @typedef {import("./trace.js").Trace} Trace
 * @typedef {import("./trace.js").Stack} Stack
 * @typedef {import("./picture.js").Cursor} Cursor
 * @typedef {{ point: (stream: string, at: number) => void, leave: () => void,
 *   readout: import("./readout.js").Readout }} Around
 */

import { answersAnew } from "./anew.js";
import { firstPosition, showAnswers } from "./answers.js";
import { element, part } from "./dom.js";
import { number } from "./number.js";
import { Prediction } from "./predicting.js";
import { Strip } from "./strip.js";
import { words } from "./words.js";

export class Text {
  /**
   * @param {Trace} trace
   * @param {Around} around
   */
  constructor(trace, around) {
    this.trace = trace;
    this.around = around;
    this.sentence = 0;
    this.streams = Object.keys(trace.texts);
    /** @type {Strip[]} */
    this.strips = [];
    this.prediction = new Prediction();
  }

  /** @param {number} sentence */
  show(sentence) {
    this.sentence = sentence;
    const { texts } = this.trace;
    part("text").replaceChildren(...this.streams.map((stream) => {
      const { text } = texts[stream][sentence];
      return element("h1", { dir: "auto", title: text }, text);
    }));
    this.strips = this.streams.map((stream) => new Strip(stream, texts[stream][sentence], {
      point: (at, chip) => this.point(stream, at, chip),
      leave: this.around.leave,
      choose: (at) => this.answer(stream, at),
    }));
    part("tokens").replaceChildren(...this.strips.map((strip) => strip.row));
    this.answerFirst();
  }

  /**
   * @param {string} stream
   * @param {number} at
   * @param {HTMLElement} chip
   */
  point(stream, at, chip) {
    const { labels, ids, offsets } = this.trace.texts[stream][this.sentence];
    const { left, bottom } = chip.getBoundingClientRect();
    this.around.point(stream, at);
    this.around.readout.show({ x: left, y: bottom - 8 }, {
      head: labels[at],
      lines: [{ text: words.token(ids[at], ...offsets[at]) }],
    });
  }

  /**
   * Say what the model answers, under the changes of a what-if.
   * @param {import("./head.js").Head} head
   */
  answerWith(head) {
    this.head = head;
    const stream = this.streams.at(-1);
    if (stream && this.at !== undefined) this.answer(stream, this.at);
  }

  /** Answers belong to the last stream: the only text, or the target. */
  answerFirst() {
    const { answers, texts } = this.trace;
    const stream = this.streams.at(-1);
    if (answers && stream) {
      this.answer(stream, firstPosition(answers, texts[stream][this.sentence]));
    }
  }

  /**
   * @param {string} stream
   * @param {number} at
   */
  answer(stream, at) {
    const { answers, texts } = this.trace;
    if (!answers || stream !== this.streams.at(-1)) return;
    this.at = at;
    const label = texts[stream][this.sentence].labels[at];
    const changed = this.head && !this.head.whatIf.isEmpty;
    const best = (changed && this.head && answersAnew(this.head, at))
      || answers.words[this.sentence][at] || [];
    const note = changed ? words[best === answers.words[this.sentence][at] ? "recorded" : "anew"]
      : "";
    showAnswers(part("answers"), answers.meaning, { best, label, note });
    const follows = this.trace.follows[this.sentence];
    if (follows !== undefined) {
      part("answers").append(element("p", { class: "follows" }, words.follows(number(follows, 3))));
    }
    this.prediction.cover(part("answers"), best, `${this.sentence} ${at}`);
    this.strips.at(-1)?.choose(at);
  }

  /**
   * @param {Stack} stack
   * @param {Cursor} cursor
   */
  mark(stack, cursor) {
    for (const strip of this.strips) {
      strip.mark(
        strip.stream === stack.rows ? cursor.T : undefined,
        strip.stream === stack.columns ? cursor.S : undefined);
    }
  }
}
