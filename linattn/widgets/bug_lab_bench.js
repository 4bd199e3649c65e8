// @ts-check
// The bench: a row for each bug with its switch, a lamp for each check; dark lamps take a guess.
import { checks, mutants } from "./bug_lab_math.js";
import { DISTANCE, far, limit } from "./bug_lab_words.js";
import { h } from "./dom.js";

const CHECKS = Object.keys(checks);
const ROWS = ["", ...Object.keys(mutants)];
const GUESSES = ["", "seen", "passes"];

/** @param {{turn: (name: string, on: boolean) => void, choose: (check: string, on: boolean) => void, inspect: (text: string) => void, docs: Record<string, string>}} on */
export function bench({ turn, choose, inspect, docs }) {
  /** Guesses stay here, in the browser. @type {Record<string, string>} */ const guesses = {};
  /** @type {any} */ let shown;

  const choices = CHECKS.map((check) => h("input", { type: "checkbox", "aria-label": `${check}, in my set`, onchange: (/** @type {any} */ event) => choose(check, event.target.checked) }));
  const head = h("tr", {}, h("th", { scope: "col" }, "bug"), ...CHECKS.map((check, i) => h("th", { scope: "col" }, h("label", { class: "la-lab-choice" }, choices[i], h("span", {}, check)))));

  const rows = ROWS.map((name, r) => {
    const box = name && h("input", { type: "checkbox", role: "switch", onchange: (/** @type {any} */ event) => turn(name, event.target.checked) });
    const about = docs[name] ?? "The recurrence of this book. A check that sees a bug in it is a false alarm.";
    const label = name ? h("label", { class: "la-switch" }, box, h("span", {}, name)) : h("span", {}, "the right function");
    const lamps = CHECKS.map((check, c) => h("button", {
      type: "button", class: "la-lamp", tabindex: c === 0 ? 0 : -1,
      onclick: () => guess(name, check), onkeydown: (/** @type {KeyboardEvent} */ event) => walk(event, r, c),
      onpointerenter: () => inspect(explain(name, check)), onpointerleave: () => inspect(""), onfocus: () => inspect(explain(name, check)), onblur: () => inspect(""),
    }));
    const element = h("tr", {}, h("th", { scope: "row", title: about, onpointerenter: () => inspect(about), onpointerleave: () => inspect("") }, label), ...lamps.map((lamp) => h("td", {}, lamp)));
    box && box.addEventListener("focus", () => inspect(about));
    return { name, box, lamps, element, drawn: lamps.map(() => "") };
  });
  const element = h("table", { class: "la-lab" }, h("caption", { class: "la-unseen" }, "Bugs and the checks that see them"), h("thead", {}, head), h("tbody", {}, ...rows.map((row) => row.element)));

  const lit = (/** @type {string} */ name) => !name || shown.on.includes(name);
  const seen = (/** @type {string} */ name, /** @type {string} */ check) => shown.distances[name][check] > shown.tolerance;

  /** @param {string} name @param {string} check */
  function explain(name, check) {
    if (!lit(name)) return `Not switched on yet. Will ${check} see “${name}”? Press to guess.`;
    return `${check}: ${DISTANCE} is ${far(shown.distances[name][check], shown.tolerance)} at worst, ${seen(name, check) ? "above" : "within"} the tolerance ${limit(shown.tolerance)}`;
  }

  /** @param {string} name @param {string} check */
  function guess(name, check) {
    if (lit(name)) return;
    const key = `${name}/${check}`;
    guesses[key] = GUESSES[(GUESSES.indexOf(guesses[key] ?? "") + 1) % GUESSES.length];
    update(shown);
  }

  /** Arrow keys go from lamp to lamp. @param {KeyboardEvent} event @param {number} r @param {number} c */
  function walk(event, r, c) {
    /** @type {Record<string, [number, number]>} */
    const goals = { ArrowLeft: [r, c - 1], ArrowRight: [r, c + 1], ArrowUp: [r - 1, c], ArrowDown: [r + 1, c] };
    const goal = goals[event.key];
    if (!goal || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    const lamp = rows[goal[0]]?.lamps[goal[1]];
    if (!lamp) return;
    rows[goal[0]].lamps.forEach((/** @type {HTMLElement} */ other) => (other.tabIndex = other === lamp ? 0 : -1));
    lamp.focus();
  }

  /** @param {any} next */
  function update(next) {
    shown = next;
    choices.forEach((choice, i) => (choice.checked = shown.chosen.includes(CHECKS[i])));
    for (const { name, box, lamps, element: row, drawn } of rows) {
      const on = lit(name);
      if (box) box.checked = on;
      row.classList.toggle("la-lab-on", on);
      lamps.forEach((lamp, c) => {
        const check = CHECKS[c];
        const guessed = guesses[`${name}/${check}`] ?? "";
        const truth = on ? (seen(name, check) ? "seen" : "passes") : "";
        const hit = on && guessed ? (guessed === truth ? "✓ " : "✗ ") : "";
        const number = far(shown.distances[name][check], shown.tolerance);
        const chosen = shown.chosen.includes(check);
        const state = [truth, guessed, number, chosen].join("|");
        if (drawn[c] === (drawn[c] = state)) return;
        lamp.className = `la-lamp${truth ? ` la-lamp-${truth}` : ""}${chosen ? " la-lamp-chosen" : ""}`;
        lamp.dataset.hit = hit.trim();
        lamp.replaceChildren(...[h("span", {}, on ? `${hit}${truth}` : guessed ? `${guessed}?` : "?"), on && " ", on && h("small", {}, number)].filter(Boolean));
        const told = hit ? `, your guess was ${guessed === truth ? "right" : "wrong"}` : "";
        lamp.setAttribute("aria-label", on ? `${hit}${truth} ${number}: ${check}, ${name || "the right function"}${told}` : `${guessed ? `${guessed}?` : "?"} Guess: does ${check} see ${name}`);
        lamp.setAttribute("aria-disabled", String(on));
      });
    }
  }
  return { element, update };
}
