// @ts-check
// Predict, then reveal: the next step waits until the reader commits to an answer, or skips; then the truth stands beside
// the guess. Guesses are kept here and nowhere else: not in the address, not in the kernel.
import { h } from "./dom.js";

/**
 * @typedef {object} Question
 * @property {string} question
 * @property {string[]} options
 * @property {number[]} truth which options hold, computed from numbers
 * @property {boolean} [many] several options may hold, or none
 * @property {string} [because] the numbers behind the truth, in a sentence
 *
 * @typedef {object} Prediction
 * @property {number} index the step that it locks; the question comes up on the step before
 * @property {() => Question} read the question as the numbers are now
 */

let groups = 0;

/**
 * @param {Prediction[]} list empty: nothing is shown and nothing locked
 * @param {object} steps
 * @param {() => number} steps.get the step on screen
 * @param {(index: number, note: string) => void} steps.go moves on and says the note
 * @param {(text: string) => void} steps.say
 */
export function predictions(list, { get, go, say }) {
  /** Per question: the options chosen, "skipped", or not there while it is open. @type {Map<Prediction, number[] | "skipped">} */
  const guesses = new Map();
  const question = h("p", { class: "la-predict-question" });
  const options = h("div", { class: "la-predict-options", role: "group" });
  const commit = h("button", { type: "submit", class: "la-button la-commit" }, "Commit");
  const skip = h("button", { type: "button", class: "la-button", onclick: () => settle("skipped") }, "Skip");
  const form = h("form", { onsubmit: submitted }, question, options, h("div", { class: "la-stop-buttons" }, commit, skip));
  const reveal = h("div", { class: "la-predict-reveal" });
  const element = h("div", { class: "la-predict", role: "group", "aria-label": "Prediction", hidden: true }, reveal, form);
  /** @type {Prediction | undefined} */ let asked;

  const inputs = () => /** @type {HTMLInputElement[]} */ ([...options.querySelectorAll("input")]);
  const chosenOf = (/** @type {Question} */ { options }, /** @type {number[]} */ chosen) => chosen.map((i) => options[i]).join(", ") || "none";

  /** @param {Event} event */
  function submitted(event) {
    event.preventDefault();
    const chosen = inputs().flatMap((input, i) => (input.checked ? [i] : []));
    if (!chosen.length && !asked?.read().many) say("Choose an answer first, or skip.");
    else settle(chosen);
  }

  /** @param {number[] | "skipped"} guess */
  function settle(guess) {
    if (!asked) return;
    const item = asked;
    const read = item.read();
    guesses.set(item, guess);
    const said = guess === "skipped" ? "" : `You said: ${chosenOf(read, guess)}. `;
    go(item.index, `${said}It is: ${chosenOf(read, read.truth)}.`);
  }

  /** The last step that can be reached now. */
  const limit = () => Math.min(...list.filter((item) => !guesses.has(item) && item.index > get()).map(({ index }) => index - 1), Infinity);

  /** The reader wants to go on: lead to the question. A remote control has no other key: its second press skips.
   * @param {boolean} [remote] */
  function ask(remote = false) {
    if (!asked) return;
    if (remote && element.contains(document.activeElement)) return settle("skipped");
    say(`First your prediction: ${asked.read().question} Commit to an answer, or skip.`);
    (inputs().find((input) => input.checked) ?? inputs()[0])?.focus({ preventScroll: true });
    element.scrollIntoView({ block: "nearest" });
  }

  /** @param {Prediction} item */
  function show(item) {
    const { question: words, options: texts, many } = item.read();
    question.textContent = words;
    options.setAttribute("aria-label", words);
    if (asked !== item || inputs().length !== texts.length) {
      groups += 1;
      options.replaceChildren(
        ...texts.map((_, i) => h("label", { class: "la-predict-option" }, h("input", { type: many ? "checkbox" : "radio", name: `la-predict-${groups}`, value: i }), h("span", {}))),
      );
    }
    options.querySelectorAll("span").forEach((/** @type {Element} */ span, /** @type {number} */ i) => (span.textContent = texts[i]));
    asked = item;
  }

  /** The truth beside the guess. @param {Prediction} item */
  function answer(item) {
    const read = item.read();
    const guess = /** @type {number[]} */ (guesses.get(item));
    const right = read.many ? guess.join() === read.truth.join() : read.truth.includes(guess[0]);
    return [
      h("p", { class: "la-predict-asked" }, read.question),
      h(
        "dl",
        { class: "la-predict-answer" },
        ...[h("dt", {}, "your guess"), h("dd", { class: right ? "la-right" : "la-wrong" }, `${right ? "✓" : "✗"} ${chosenOf(read, guess)}`)],
        ...[h("dt", {}, "it is"), h("dd", {}, chosenOf(read, read.truth))],
      ),
      h("p", { class: "la-note" }, read.because ?? ""),
    ];
  }

  /** Follow the step and the numbers on screen. @param {boolean} [there] whether they still are the step's own */
  function update(there = true) {
    const at = get();
    // A link or the kernel may lead past a question; it is then not asked any more.
    for (const item of list) if (item.index <= at && !guesses.has(item)) guesses.set(item, "skipped");
    const open = list.find((item) => item.index === at + 1 && !guesses.has(item));
    const settled = there && list.find((item) => item.index === at && guesses.get(item) !== "skipped" && guesses.has(item));
    element.hidden = !open && !settled;
    form.hidden = !open;
    reveal.replaceChildren(...(settled ? answer(settled) : []));
    if (open) show(open);
    else asked = undefined;
  }

  /** Ask everything again. */
  const reset = () => guesses.clear();
  return { element, limit, ask, update, reset };
}
