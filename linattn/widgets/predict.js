// @ts-check
// Predict, then reveal: the next step waits until the reader commits to an answer, or skips; then the truth stands beside
// the guess. Guesses are kept here and nowhere else: not in the address, not in the kernel.
import { h, put, rounding } from "./dom.js";

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
 * @property {() => boolean} [moot] whether the answer is on screen already: then it is not asked, and locks nothing
 *
 * @typedef {object} Answer what the reader saw, kept as it was; what is missing is taken up where it is first shown
 * @property {number[]} [chosen] nothing where the question was skipped
 * @property {Question} [read]
 * @property {string} [about] the numbers that it was about
 */

/** Fine enough to tell any two numbers apart that a reader can enter. */
const FINE = 9;

/** The question with each option once: two that read the same are one. @param {Question} question @returns {Question} */
function distinct({ options, truth, ...rest }) {
  const texts = [...new Set(options)];
  return { ...rest, options: texts, truth: [...new Set(truth.map((i) => texts.indexOf(options[i])))] };
}

/** What a question says, whatever decimals the reader wants. @param {Prediction} item @param {(question: Question) => any} [part] */
function fine(item, part = (question) => question) {
  let text = "";
  rounding(FINE, () => (text = JSON.stringify(part(item.read()))));
  return text;
}

/** @param {Question} question @param {number[]} chosen */
const named = ({ options }, chosen) => chosen.map((i) => options[i]).join(", ") || "none";

/** Of several ticks those that are not right, and what is missing; of no tick or one choice the truth alone says it.
 * @param {Question} question @param {number[]} [chosen] @returns {[string, string][]} */
function slips(question, chosen) {
  const { many, truth } = question;
  if (!many || !chosen?.length) return [];
  const parts = /** @type {[string, number[]][]} */ ([["not right", chosen.filter((i) => !truth.includes(i))], ["missing", truth.filter((i) => !chosen.includes(i))]]);
  return parts.filter(([, some]) => some.length).map(([what, some]) => [what, named(question, some)]);
}

/**
 * @param {Prediction[]} list empty: nothing is shown and nothing locked
 * @param {object} steps
 * @param {() => number} steps.get the step on screen
 * @param {(index: number, note: string) => void} steps.go moves on and says the note
 * @param {(text: string) => void} steps.say
 */
export function predictions(list, { get, go, say }) {
  /** Nothing for a question while it is open. @type {Map<Prediction, Answer>} */
  const answers = new Map();
  const question = h("p", { class: "la-predict-question" });
  const options = h("div", { class: "la-predict-options", role: "group" });
  const commit = h("button", { type: "submit", class: "la-button la-commit" }, "Commit");
  const skip = h("button", { type: "button", class: "la-button", onclick: () => settle() }, "Skip");
  const form = h("form", { onsubmit: submitted }, question, options, h("div", { class: "la-stop-buttons" }, commit, skip));
  const reveal = h("div", { class: "la-predict-reveal" });
  const element = h("div", { class: "la-predict", role: "group", "aria-label": "Prediction", hidden: true }, reveal, form);
  /** @type {Prediction | undefined} */ let asked;
  /** What its options say. @type {Question} */ let seen;
  let words = "";
  /** @type {Prediction[]} of this step and the next, but not on screen */ let away = [];

  const inputs = () => /** @type {HTMLInputElement[]} */ ([...options.querySelectorAll("input")]);

  /** @param {Event} event */
  function submitted(event) {
    event.preventDefault();
    const chosen = inputs().flatMap((input, i) => (input.checked ? [i] : []));
    if (!chosen.length && !seen.many) say("Choose an answer first, or skip.");
    else settle(chosen);
  }

  /** @param {number[]} [chosen] nothing skips */
  function settle(chosen) {
    if (!asked) return;
    const [{ index }, read] = [asked, seen];
    answers.set(asked, { chosen, read });
    const said = chosen ? [["you said", named(read, chosen)], ...slips(read, chosen)] : [];
    go(index, [...said, ["it is", named(read, read.truth)]].map(([what, names]) => `${what[0].toUpperCase()}${what.slice(1)}: ${names}.`).join(" "));
  }

  /** Neither answered nor known already. @param {Prediction} item */
  const isOpen = (item) => !answers.has(item) && !item.moot?.();

  /** The last step that can be reached now. */
  const limit = () => Math.min(...list.filter((item) => isOpen(item) && item.index > get()).map(({ index }) => index - 1), Infinity);

  /** The reader wants to go on: lead to the question. A remote control has no other key: its second press skips.
   * @param {boolean} [remote] */
  function ask(remote = false) {
    if (!asked) return;
    if (remote && element.contains(document.activeElement)) return settle();
    say(`First your prediction: ${seen.question} Commit to an answer, or skip.`);
    (inputs().find((input) => input.checked) ?? inputs()[0])?.focus({ preventScroll: true });
    element.scrollIntoView({ block: "nearest" });
  }

  /** Ticks do not outlive the options that they were set to. @param {Prediction} item */
  function show(item) {
    const now = fine(item, ({ question, options }) => [question, options]);
    const changed = asked === item && words !== now;
    const ticked = changed && inputs().some((input) => input.checked);
    seen = distinct(item.read());
    put(question, seen.question);
    options.setAttribute("aria-label", seen.question);
    if (asked !== item || inputs().length !== seen.options.length) {
      options.replaceChildren(
        ...seen.options.map((_, i) => h("label", { class: "la-predict-option" }, h("input", { type: seen.many ? "checkbox" : "radio", name: "guess", value: i }), h("span", {}))),
      );
    }
    options.querySelectorAll("span").forEach((/** @type {Element} */ span, /** @type {number} */ i) => put(span, seen.options[i]));
    if (changed) for (const input of inputs()) input.checked = false;
    // After the drawing, which has words of its own.
    if (ticked) queueMicrotask(() => say("The question has new numbers: choose again."));
    [asked, words] = [item, now];
  }

  /** The truth, beside the guess if there is one; nothing once the numbers have changed. @param {Prediction} item @param {Answer} answer */
  function reveals(item, answer) {
    answer.read ??= distinct(item.read());
    answer.about ??= fine(item);
    if (answer.about !== fine(item)) return [];
    const { chosen, read } = answer;
    const mark = (/** @type {string} */ name, /** @type {boolean} */ right) => h("span", { class: right ? "la-right" : "la-wrong" }, `${right ? "✓" : "✗"} ${name}`);
    const marks = chosen?.length ? chosen.map((i) => mark(read.options[i], read.truth.includes(i))) : [mark("none", !read.truth.length)];
    const missing = slips(read, chosen).filter(([what]) => what === "missing");
    return [
      h("p", { class: "la-predict-asked" }, read.question),
      h(
        "dl",
        { class: "la-predict-answer" },
        ...(chosen ? [h("dt", {}, "your guess"), h("dd", {}, ...marks.flatMap((one, i) => (i ? [", ", one] : [one])))] : []),
        ...[...missing, ["it is", named(read, read.truth)]].flatMap(([what, names]) => [h("dt", {}, what), h("dd", {}, names)]),
      ),
      h("p", { class: "la-note" }, read.because ?? ""),
    ];
  }

  /** Follow the step and the numbers on screen. @param {boolean} [there] whether they still are the step's own */
  function update(there = true) {
    const at = get();
    // A link or the kernel may lead past a question; it is then not asked any more.
    for (const item of list) if (item.index <= at && !answers.has(item)) answers.set(item, {});
    const open = list.find((item) => item.index === at + 1 && isOpen(item));
    const settled = there && list.find((item) => item.index === at && answers.has(item));
    const revealed = settled ? reveals(settled, /** @type {Answer} */ (answers.get(settled))) : [];
    reveal.replaceChildren(...revealed);
    away = list.filter((item) => (there && item.index === at && !revealed.length) || (item.index === at + 1 && answers.has(item)));
    form.hidden = !open;
    element.hidden = !open && !revealed.length;
    if (open) show(open);
    else asked = undefined;
  }

  /** For a link: which of the questions of this step (0) and the next (1) are not on screen. */
  const hidden = () => away.map(({ index }) => index - get()).join("");

  /** The opposite: a link shows what was on screen, no answer to numbers that have changed, no question that was answered.
   * @param {string} text */
  function hide(text) {
    for (const item of list) {
      const [now, next] = [item.index === get(), item.index === get() + 1];
      if (now && text.includes("0")) answers.set(item, { about: "" });
      else if (now && answers.get(item)?.about !== fine(item)) answers.set(item, {});
      else if (next && text.includes("1") && !answers.has(item)) answers.set(item, {});
    }
  }

  /** What was said as the truth came on screen, but for the guess; nothing where it is not there. */
  const told = () => {
    const read = !reveal.hasChildNodes() ? null : answers.get(/** @type {Prediction} */ (list.find(({ index }) => index === get())))?.read;
    return read ? `It is: ${named(read, read.truth)}.` : "";
  };

  /** Ask everything again. */
  const reset = () => answers.clear();
  return { element, limit, ask, update, hidden, hide, told, reset };
}
