// @ts-check
// How many numbers each kind of attention keeps: the state always as many, a KV cache more with every token.
import { h, put, symbol } from "./dom.js";

/** @typedef {import("./explorer_state.js").Shown} Shown */

export function gauges() {
  const row = (/** @type {string} */ kind, /** @type {...any} */ ...name) => {
    const bar = h("span", { class: `la-gauge-bar la-gauge-${kind}` });
    const value = h("span", { class: "la-gauge-value" });
    return { bar, value, element: h("div", { class: "la-gauge" }, h("span", { class: "la-gauge-name" }, ...name), h("span", { class: "la-gauge-track" }, bar), value) };
  };
  const state = row("state", symbol("S"), " and ", symbol("Z"));
  const cache = row("cache", "KV cache");
  const note = h("p", { class: "la-note" });
  const element = h("div", { class: "la-gauges", role: "group", "aria-label": "Numbers kept in memory" }, h("div", { class: "la-gauge-title" }, "numbers kept"), state.element, cache.element, note);

  /** @param {Shown} s */
  function update({ t, n, d_k, d_v, d_phi, phase }) {
    const seen = phase === "write" ? t : t + 1;
    const kept = d_phi * d_v + d_phi;
    const each = d_k + d_v;
    const most = Math.max(kept, n * each);
    const passes = Math.floor(kept / each) + 1;
    state.bar.style.setProperty("--share", String(kept / most));
    cache.bar.style.setProperty("--share", String((seen * each) / most));
    put(state.value, `${kept}, always`);
    put(cache.value, `${seen * each}, growing`);
    put(note, `The cache keeps ${each} numbers a token: more than the state from ${passes} token${passes === 1 ? "" : "s"} on.`);
  }
  return { element, update };
}
