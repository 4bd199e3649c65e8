// @ts-check
// Predict, then reveal: the next step waits until the reader commits to an answer, or skips; then the truth stands beside
// the guess. Guesses are kept here and nowhere else: not in the address, not in the kernel.
import { h } from "./dom.js";

/**
 * @typedef {object} Prediction
 * @property {number} index the step that it locks; the question comes up on the step before
 * @property {() => string} question
 * @property {() => string[]} options
 * @property {() => number[]} truth which options hold, computed from the numbers on screen
 * @property {boolean} [many] several options may hold, or none
 * @property {() => string} [because] the numbers behind the truth, in a sentence
 */

let groups = 0;

/**
 * @param {Prediction[]} list empty: nothing is shown and nothing locked
 * @param {object} transport
 * @param {() => number} transport.get the step on screen
 * @param {(index: number, note: string) => void} transport.go moves on and says the note
 * @param {(text: string) => void} transport.say
 */
export function predictions(list, { get, go, say }) {
  /** Per question: the options chosen, "skipped", or not there while it is open. @type {Map<Prediction, number[] | "skipped">} */
  const guesses = new Map();
  const question = h("p", { class: "la-predict-question" });
  const options = h("div", { class: "la-predict-options", role: "group" });
  const commit = h("button", { type: "submit", class: "la-button la-stop-next" }, "Commit");
  const skip = h("button", { type: "button", class: "la-button", onclick: () => settle("skipped") }, "Skip");
  const form = h("form", { onsubmit: submitted }, options, h("div", { class: "la-stop-buttons" }, commit, skip));
  const answer = h("dl", { class: "la-predict-answer" });
  const because = h("p", { class: "la-note" });
  const element = h("div", { class: "la-predict", role: "group", "aria-label": "Prediction", hidden: true }, question, form, answer, because);
  /** @type {Prediction | undefined} */ let asked;

  const inputs = () => /** @type {HTMLInputElement[]} */ ([...options.querySelectorAll("input")]);
  const words = (/** @type {Prediction} */ item, /** @type {number[]} */ chosen) => chosen.map((i) => item.options()[i]).join(", ") || "none";

  /** @param {Event} event */
  function submitted(event) {
    event.preventDefault();
    const chosen = inputs().flatMap((input, i) => (input.checked ? [i] : []));
    if (!chosen.length && !asked?.many) say("Choose an answer first, or skip.");
    else settle(chosen);
  }

  /** @param {number[] | "skipped"} guess */
  function settle(guess) {
    if (!asked) return;
    const item = asked;
    guesses.set(item, guess);
    const said = guess === "skipped" ? "" : `You said: ${words(item, guess)}. `;
    go(item.index, `${said}It is: ${words(item, item.truth())}.`);
  }

  /** The last step that can be reached now. */
  const limit = () => Math.min(...list.filter((item) => !guesses.has(item) && item.index > get()).map(({ index }) => index - 1), Infinity);

  /** The reader wants to go on: lead to the question. A remote control has no other key: its second press skips.
   * @param {boolean} [remote] */
  function ask(remote = false) {
    if (!asked) return;
    if (remote && element.contains(document.activeElement)) return settle("skipped");
    say(`First your prediction: ${asked.question()} Commit to an answer, or skip.`);
    (inputs().find((input) => input.checked) ?? inputs()[0])?.focus({ preventScroll: true });
    element.scrollIntoView({ block: "nearest" });
  }

  /** @param {Prediction} item */
  function show(item) {
    const texts = item.options();
    if (asked !== item || inputs().length !== texts.length) {
      groups += 1;
      options.replaceChildren(
        ...texts.map((_, i) => h("label", { class: "la-predict-option" }, h("input", { type: item.many ? "checkbox" : "radio", name: `la-predict-${groups}`, value: i }), h("span", {}))),
      );
    }
    options.querySelectorAll("span").forEach((/** @type {Element} */ span, /** @type {number} */ i) => (span.textContent = texts[i]));
    asked = item;
  }

  /** Follow the step and the numbers on screen. */
  function update() {
    const at = get();
    // A link or the kernel may lead past a question; it is then not asked any more.
    for (const item of list) if (item.index <= at && !guesses.has(item)) guesses.set(item, "skipped");
    const open = list.find((item) => item.index === at + 1 && !guesses.has(item));
    const settled = list.find((item) => item.index === at && guesses.get(item) !== "skipped" && guesses.has(item));
    const item = open ?? settled;
    element.hidden = !item;
    form.hidden = !open;
    answer.hidden = because.hidden = Boolean(open);
    if (!open) asked = undefined;
    if (!item) return;
    question.textContent = item.question();
    options.setAttribute("aria-label", item.question());
    if (open) return show(open);
    const guess = /** @type {number[]} */ (guesses.get(item));
    const truth = item.truth();
    const right = item.many ? guess.join() === truth.join() : truth.includes(guess[0]);
    answer.replaceChildren(
      ...[h("dt", {}, "your guess"), h("dd", { class: right ? "la-right" : "la-wrong" }, `${right ? "✓" : "✗"} ${words(item, guess)}`)],
      ...[h("dt", {}, "it is"), h("dd", {}, words(item, truth))],
    );
    because.textContent = item.because?.() ?? "";
  }

  /** Ask everything again. */
  const reset = () => guesses.clear();
  return { element, limit, ask, update, reset };
}
