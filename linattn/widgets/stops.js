// @ts-check
// A walk-through: the author's own sequence of states with a sentence each; free play goes on between and after them.
import { h } from "./dom.js";

/** @typedef {{t: number, phase: string, text: string}} Stop */

/**
 * @param {Stop[]} list empty: nothing is shown
 * @param {(stop: Stop) => void | boolean} go false if it cannot go there yet
 * @param {() => {t: number, phase: string}} get what is on screen now
 */
export function stops(list, go, get) {
  let at = -1;
  const text = h("p", { class: "la-stop-text" });
  const count = h("span", { class: "la-stop-count" });
  const back = h("button", { type: "button", class: "la-button", onclick: () => show(at - 1) }, "Back");
  const next = h("button", { type: "button", class: "la-button la-stop-next", onclick: () => show(at + 1) }, "Next");
  const element = h("div", { class: "la-stops", role: "group", "aria-label": "Walk-through", hidden: !list.length }, count, text, h("span", { class: "la-stop-buttons" }, back, next));

  /** @param {number} index */
  function show(index) {
    if (index < 0 || index >= list.length) return;
    const before = at;
    at = index;
    if (go(list[at]) === false) at = before;
    update();
  }

  /** The sentence stays as long as its state is on screen. */
  function update() {
    if (!list.length) return;
    const here = at >= 0 && list[at].t === get().t && list[at].phase === get().phase;
    count.textContent = at < 0 ? `Walk-through, ${list.length} stops` : `Stop ${at + 1} of ${list.length}`;
    text.textContent = here ? list[at].text : at < 0 ? "Start with Next, or explore freely." : "You left the walk-through; Next goes on.";
    back.setAttribute("aria-disabled", String(at <= 0));
    next.setAttribute("aria-disabled", String(at >= list.length - 1));
  }
  return { element, update };
}
