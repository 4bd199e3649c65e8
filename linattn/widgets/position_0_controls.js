// @ts-check
// The sliders of the position-0 widget: the query's two entries, x, and ε with its exact number; the feature map.
import { featureMapLabels } from "./attention.js";
import { h, note, parse, put } from "./dom.js";
import { EPS_PLACES, LEAST, MAPS, MOST, MOST_EPS, epsAt, epsPlace } from "./position_0_math.js";
import { plain } from "./position_0_words.js";

/** @param {(x: number) => void} set @param {() => void} [hold] */
function slider(set, hold) {
  const range = h("input", {
    type: "range", class: "la-scrubber", min: LEAST, max: MOST, step: 0.1,
    onpointerdown: hold, onkeydown: (/** @type {KeyboardEvent} */ event) => !event.repeat && hold?.(), oninput: () => set(Number(range.value)),
  });
  const name = h("span", { class: "la-label", "aria-hidden": "true" });
  const number = h("output", { class: "la-slider-number", "aria-hidden": "true" });
  return {
    element: h("div", { class: "la-p0-slider" }, name, range, number),
    /** @param {number} x @param {string} label */
    update(x, label) {
      range.value = String(x);
      range.setAttribute("aria-label", label);
      range.setAttribute("aria-valuetext", plain(x));
      put(name, label);
      put(number, plain(x));
    },
  };
}

/** @param {(q: number[]) => void} set @param {() => void} hold called when a drag begins */
export function pairSliders(set, hold) {
  let now = [0, 0];
  const both = [0, 1].map((i) => slider((x) => set(now.map((old, j) => (i === j ? x : old))), hold));
  return {
    element: h("div", { class: "la-p0-sliders" }, ...both.map((one) => one.element)),
    /** @param {{q: number[], t: number}} shown */
    update({ q, t }) {
      now = q;
      both.forEach((one, i) => one.update(q[i], `q${"₀₁"[t]}[${i}]`));
    },
  };
}

/** @param {(x: number) => void} set */
export function xSlider(set) {
  const one = slider(set);
  return { element: one.element, update: (/** @type {number} */ x) => one.update(x, "x") };
}

/** ε from 0 to 0.1 on a logarithmic slider, and as an exact number. @param {(eps: number) => void} set */
export function epsControl(set) {
  let now = 0;
  const range = h("input", { type: "range", class: "la-scrubber", min: 0, max: EPS_PLACES, step: 1, "aria-label": "ε", oninput: () => set(epsAt(Number(range.value))) });
  const number = h("input", { type: "text", inputmode: "decimal", class: "la-text la-count", autocomplete: "off", "aria-label": "ε, exact number", onchange: typed });

  function typed() {
    const wanted = parse(number.value);
    const x = Math.min(Math.max(wanted ?? now, 0), MOST_EPS);
    set(x);
    update(x);
    if (x !== wanted) note(number, `ε is a number from 0 to ${MOST_EPS}: it is ${plain(x)} now.`);
  }
  /** @param {number} eps */
  function update(eps) {
    now = eps;
    range.value = String(epsPlace(eps));
    range.setAttribute("aria-valuetext", plain(eps));
    number.value = plain(eps);
  }
  return { element: h("div", { class: "la-labelled la-wide" }, h("span", { class: "la-label", "aria-hidden": "true" }, "ε, from 0 to 0.1"), h("div", { class: "la-eps" }, range, number)), update };
}

/** @param {(name: string) => void} set */
export function mapControl(set) {
  const select = h("select", { class: "la-select", onchange: () => set(select.value) }, ...MAPS.map((name) => h("option", { value: name }, featureMapLabels[name])));
  return {
    element: h("label", { class: "la-labelled" }, h("span", { class: "la-label" }, "feature map φ"), select),
    update: (/** @type {string} */ name) => void (select.value = name),
  };
}
