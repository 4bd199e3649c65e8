// @ts-check
// Controls that several widgets share: a logarithmic slider with its number, a switch, a choice of views.
import { count, h, note } from "./dom.js";

/** Steps of a slider per doubling. */
const FINE = 4;

/** A slider over powers of two with the exact number beside it. @param {string} label @param {number} least @param {number} most @param {(x: number) => void} set */
export function logSlider(label, least, most, set) {
  const clamp = (/** @type {number} */ x) => Math.min(Math.max(Math.round(x), least), most);
  const range = h("input", {
    type: "range", class: "la-range", min: FINE * Math.log2(least), max: FINE * Math.log2(most), step: 1, "aria-label": label,
    oninput: () => set(clamp(2 ** (Number(range.value) / FINE))),
  });
  const number = h("input", { type: "number", class: "la-text la-count", min: least, max: most, step: 1, "aria-label": `${label}, exact number`, onchange: typed });
  // "d_k" as the formulas write it; what is read aloud stays as it is.
  const written = label.split(/\b(d_[kvφ])/).map((part, i) => (i % 2 ? h("i", {}, "d", h("sub", {}, part.slice(2))) : part));
  const name = h("span", { class: "la-label", "aria-hidden": "true" }, ...written);
  let now = least;

  function typed() {
    const x = number.value === "" ? now : clamp(Number(number.value));
    const kept = String(x) === number.value;
    set(x);
    update(x);
    // After the drawing that it has queued, which has words of its own.
    if (!kept) note(number, `A whole number from ${count(least)} to ${count(most)}: it is ${count(x)} now.`);
  }

  /** @param {number} x */
  function update(x) {
    now = x;
    range.value = String(FINE * Math.log2(x));
    range.setAttribute("aria-valuetext", count(x));
    number.value = String(x);
  }
  return { element: h("div", { class: "la-log-slider" }, name, range, number), update };
}

/** A switch. @param {string} label @param {(on: boolean) => void} set */
export function toggle(label, set) {
  const box = h("input", { type: "checkbox", role: "switch", onchange: () => set(box.checked) });
  return { element: h("label", { class: "la-switch" }, box, label), update: (/** @type {boolean} */ on) => void (box.checked = on) };
}

/** A row of buttons of which one is chosen. @param {string} label @param {[string, string][]} choices value and text @param {(value: string) => void} set */
export function views(label, choices, set) {
  const buttons = choices.map(([value, text]) => h("button", { type: "button", class: "la-button la-choice", onclick: () => set(value) }, text));
  return {
    element: h("div", { class: "la-choices", role: "group", "aria-label": label }, ...buttons),
    update: (/** @type {string} */ now) => buttons.forEach((button, i) => button.setAttribute("aria-pressed", String(choices[i][0] === now))),
  };
}
