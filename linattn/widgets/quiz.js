// @ts-check
// Questions with feedback on every answer. "recall" and "check" say right or not, as often as asked. "predict" takes one
// guess, locks it and judges nothing: the chapter does. Nothing leaves the browser.
import { h } from "./dom.js";
import { holdKeys } from "./keys.js";
import { lecture } from "./lecture.js";

/**
 * @typedef {{ text: string, correct: boolean, feedback: string }} Option
 * @typedef {{ question: string, options: Option[], select?: "one" | "many" }} Question
 */

/** @type {Record<string, string>} */
const TITLES = { recall: "Questions to recall", predict: "Predictions", check: "Questions to check yourself" };

/** Whose colour a letter takes, as in equations; the rows stacked are capitals. */
const COLORS = new Map(Object.entries({ q: "q", Q: "q", k: "k", K: "k", v: "v", V: "v", S: "S", Z: "Z", o: "out" }));
/** A letter that stands alone, with or without an index: q, o_12, d_phi; a split by it leaves text, letter, index, text, … */
const LETTER = /(?<![\w'’])([qQkKvVSZodntwx])(?:_(\w+))?(?!\w)/;

/** @param {string} letter @param {string} [index] */
function typeset(letter, index) {
  const color = COLORS.has(letter) ? ` la-sym-${COLORS.get(letter)}` : "";
  return h("span", { class: `la-symbol${color}` }, h("i", {}, letter), index && h("sub", {}, index === "phi" ? "φ" : index));
}

/** @param {string} text @returns {(Node | string)[]} */
function letters(text) {
  const parts = text.split(LETTER);
  return parts.flatMap((part, at) => (at % 3 === 0 ? [part] : at % 3 === 1 ? [typeset(part, parts[at + 1])] : []));
}

/** Text with `code` in backticks, and letters typeset as in the widgets. @param {string} text @returns {(Node | string)[]} */
const rich = (text) => text.split("`").flatMap((part, at) => (at % 2 ? [h("code", {}, part)] : letters(part)));

// What the tab remembers: a guess stays locked when the page is loaded again. Browsers may forbid it, on file:// most of all;
// then it lasts as long as the page.

/** @param {string} key @returns {number[] | null} the options guessed, none if skipped; null if not asked yet */
function recall(key) {
  try {
    return JSON.parse(sessionStorage.getItem(key) ?? "null");
  } catch {
    return null;
  }
}

/** @param {string} key @param {number[]} chosen */
function remember(key, chosen) {
  try {
    sessionStorage.setItem(key, JSON.stringify(chosen));
  } catch {
    return;
  }
}

/** A question as a form: options, buttons, and the place where the answer is spoken and shown.
 * @param {Question} question @param {string} number @param {Node[]} buttons @param {() => void} submit */
function form({ question, options, select }, number, buttons, submit) {
  const type = select === "many" ? "checkbox" : "radio";
  const inputs = options.map((_, at) => h("input", { type, name: "option", value: at }));
  const labels = options.map(({ text }, at) =>
    h("label", { class: "la-quiz-option" }, inputs[at], h("span", {}, ...rich(text))),
  );
  const fieldset = h("fieldset", {}, h("legend", {}, number, ...rich(question)), ...labels);
  const says = h("div", { class: "la-quiz-says", role: "status", "aria-live": "polite", tabindex: -1 });
  const element = h(
    "form",
    {
      class: "la-quiz-question",
      onsubmit(/** @type {Event} */ event) {
        event.preventDefault();
        submit();
      },
    },
    fieldset,
    h("div", { class: "la-quiz-buttons" }, ...buttons),
    says,
  );
  const chosen = () => inputs.flatMap((input, at) => (input.checked ? [at] : []));
  return { element, fieldset, inputs, labels, says, chosen };
}

/** @param {string} kind "right", "wrong" or "noted" @param {string} words @param {...Node} more */
const verdict = (kind, words, ...more) => [h("p", { class: `la-quiz-verdict la-quiz-${kind}` }, words), ...more];

/** @param {string} text */
const paragraph = (text) => h("p", {}, ...rich(text));

/** A question that may be tried until it is understood. @param {Question} question @param {string} number */
function trial(question, number) {
  const { options, select } = question;
  const button = h("button", { type: "submit", class: "la-button la-quiz-button" }, "Check");
  const view = form(question, number, [button], check);
  view.fieldset.addEventListener("change", clear);

  function clear() {
    view.says.replaceChildren();
    for (const label of view.labels) label.classList.remove("la-quiz-right", "la-quiz-wrong");
  }

  function check() {
    clear();
    const chosen = view.chosen();
    if (!chosen.length) {
      view.says.append(...verdict("noted", "Choose an answer first."));
      view.inputs[0].focus();
      return;
    }
    for (const at of chosen) view.labels[at].classList.add(options[at].correct ? "la-quiz-right" : "la-quiz-wrong");
    view.says.append(...(select === "many" ? answerMany(chosen) : answerOne(options[chosen[0]])));
  }

  /** @param {Option} option */
  const answerOne = ({ correct, feedback }) =>
    verdict(correct ? "right" : "wrong", correct ? "✓ Right" : "✗ Not right", paragraph(feedback));

  /** @param {number[]} chosen */
  function answerMany(chosen) {
    const wrong = chosen.filter((at) => !options[at].correct).length;
    const missing = options.filter(({ correct }, at) => correct && !chosen.includes(at)).length;
    const solved = !wrong && !missing;
    const parts = [
      wrong && `${wrong} of your choices ${wrong === 1 ? "is" : "are"} wrong`,
      missing && `${missing} right ${missing === 1 ? "answer is" : "answers are"} missing`,
    ].filter(Boolean);
    const words = solved ? "✓ All right" : `✗ Not yet: ${parts.join(", and ")}`;
    // Once it is solved, also why the others are not right.
    const told = options.filter((_, at) => solved || chosen.includes(at));
    const list = told.map(({ text, correct, feedback }) =>
      h("li", {}, h("strong", {}, correct ? "✓ " : "✗ ", ...rich(text)), paragraph(feedback)),
    );
    return verdict(solved ? "right" : "wrong", words, h("ul", {}, ...list));
  }

  return view.element;
}

/** A guess to commit to, once. @param {Question} question @param {string} number @param {string} key */
function prediction(question, number, key) {
  const commit = h("button", { type: "submit", class: "la-button la-quiz-button" }, "Commit to this guess");
  const skip = h("button", { type: "button", class: "la-button", onclick: () => lock([]) }, "Skip");
  const view = form(question, number, [commit, skip], () => {
    const chosen = view.chosen();
    if (chosen.length) return lock(chosen);
    view.says.replaceChildren(...verdict("noted", "Choose a guess first, or skip."));
    view.inputs[0].focus();
  });

  /** @param {number[]} chosen none if skipped */
  function show(chosen) {
    view.fieldset.disabled = true;
    commit.parentElement?.remove();
    for (const at of chosen) {
      view.inputs[at].checked = true;
      view.labels[at].classList.add("la-quiz-noted");
    }
    const words = chosen.length ? "Your guess is noted. Now read on." : "Skipped. Now read on.";
    const feedback = chosen.map((at) => paragraph(question.options[at].feedback));
    view.says.replaceChildren(...verdict("noted", words, ...feedback));
  }

  /** @param {number[]} chosen */
  function lock(chosen) {
    show(chosen);
    remember(key, chosen);
    view.says.focus({ preventScroll: true }); // the button that had the focus is gone
  }

  const before = recall(key);
  if (before?.every((at) => at in question.options)) show(before);
  return view.element;
}

/** For paper, which cannot be asked: the right answers with their reasons. @param {Question[]} questions */
const answerKey = (questions) =>
  h(
    "div",
    { class: "la-quiz-key" },
    h("p", {}, h("strong", {}, "Answers")),
    h("ol", {}, ...questions.map(({ options }) =>
      h("li", {}, ...options.filter(({ correct }) => correct).map(({ text, feedback }) => h("p", {}, h("strong", {}, ...rich(text)), h("br"), ...rich(feedback)))))),
  );

/** @param {{ model: any, el: HTMLElement }} context */
export function render({ model, el }) {
  /** @type {Question[]} */
  const questions = model.get("questions");
  const part = model.get("part");
  const forms = questions.map((question, at) => {
    const number = questions.length > 1 ? `${at + 1}. ` : "";
    const key = `la-quiz:${model.get("chapter")}:${question.question}`;
    return part === "predict" ? prediction(question, number, key) : trial(question, number);
  });
  const stop = new AbortController();
  const tools = h("div", { class: "la-tools la-quiz-tools" });
  const root = h("section", { class: "la-root la-quiz", "aria-label": TITLES[part], tabindex: -1 }, tools, ...forms, part !== "predict" && answerKey(questions));
  holdKeys(root);
  tools.append(...lecture(root, () => false, () => {}, stop.signal).buttons);
  el.replaceChildren(root);
  return () => {
    stop.abort();
    el.replaceChildren();
  };
}
