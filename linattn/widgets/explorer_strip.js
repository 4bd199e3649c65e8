// @ts-check
// The strip of tokens, with the weight that the output puts on each; and, when asked for, buttons to move or drop a token.
import { alter, h, iconButton, put } from "./dom.js";
import { PHASES } from "./explorer_state.js";
import { percent } from "./explorer_words.js";

/** @typedef {import("./explorer_state.js").Shown} Shown */

/** @param {{jump: (t: number) => void, move: (t: number, by: number) => void, remove: (t: number) => void}} actions */
export function strip({ jump, move, remove }) {
  let editing = false;
  /** @type {{item: HTMLElement, chip: HTMLElement, word: HTMLElement, bar: HTMLElement, share: HTMLElement, tools: HTMLElement[]}[]} */
  let items = [];
  const list = h("ol", { class: "la-strip", "aria-label": "Tokens, each with the weight that the output puts on it" });

  /** @param {number} t */
  function make(t) {
    const word = h("span", { class: "la-word" });
    const chip = h("button", { type: "button", class: "la-chip", onclick: () => jump(t) }, word);
    const bar = h("span", { class: "la-weight-bar" });
    const share = h("span", { class: "la-share" });
    const tools = [
      iconButton("left", "", () => move(t, -1)),
      iconButton("remove", "", () => remove(t)),
      iconButton("right", "", () => move(t, 1)),
    ];
    const item = h(
      "li",
      { class: "la-token" },
      chip,
      h("span", { class: "la-weight", "aria-hidden": "true" }, h("span", { class: "la-weight-track" }, bar), share),
      h("span", { class: "la-token-tools" }, ...tools),
    );
    return { item, chip, word, bar, share, tools };
  }

  /** @param {Shown} s */
  function update(s) {
    const { tokens, t, phase, weights, n } = s;
    if (items.length !== n) {
      list.style.setProperty("--n", String(n));
      items = tokens.map((_, i) => make(i));
      list.replaceChildren(...items.map(({ item }) => item));
    }
    const row = phase === "read" ? weights[t] : [];
    items.forEach(({ item, chip, word, bar, share, tools }, i) => {
      const weight = i < row.length ? row[i] : null;
      put(word, tokens[i]);
      const text = weight === null ? "" : percent(weight);
      put(share, text);
      bar.style.setProperty("--share", String(Math.min(Math.abs(weight ?? 0), 1)));
      bar.classList.toggle("la-negative", (weight ?? 0) < 0);
      alter(chip, {
        title: weight === null ? tokens[i] : `${tokens[i]}: weight ${weight.toFixed(4)}`,
        "aria-label": `Token ${i}, ${tokens[i]}${weight === null ? "" : `, weight ${text}`}`,
      });
      if (i === t) chip.setAttribute("aria-current", "step");
      else chip.removeAttribute("aria-current");
      item.classList.toggle("la-future", i > t);
      const names = ["Move left", "Delete", "Move right"];
      tools.forEach((button, at) => {
        const label = `${names[at]}: token ${i}, ${tokens[i]}`;
        alter(button, { "aria-label": label, title: label });
      });
      tools[0].hidden = i === 0;
      tools[1].hidden = n === 1;
      tools[2].hidden = i === n - 1;
    });
  }

  /** @param {boolean} on */
  function setEditing(on) {
    editing = on;
    list.classList.toggle("la-editing", editing);
  }

  /** Keep the keyboard where it was after a token moved or went. @param {number} t @param {number} tool */
  function focusTool(t, tool) {
    const buttons = items[Math.min(Math.max(t, 0), items.length - 1)].tools;
    (buttons[tool].hidden ? buttons.find((button) => !button.hidden) : buttons[tool])?.focus();
  }

  return { element: list, update, setEditing, isEditing: () => editing, focusTool };
}

/** The three moves of a token, the one on screen marked. @param {(phase: string) => void} go */
export function phases(go) {
  const buttons = PHASES.map((phase, i) =>
    h("button", { type: "button", class: "la-phase", onclick: () => go(phase) }, h("span", { class: "la-phase-number" }, String(i + 1)), phase),
  );
  /** @param {string} now */
  function update(now) {
    buttons.forEach((button, i) => (PHASES[i] === now ? button.setAttribute("aria-current", "step") : button.removeAttribute("aria-current")));
  }
  return { element: h("div", { class: "la-phases", role: "group", "aria-label": "Moves" }, ...buttons), update };
}
