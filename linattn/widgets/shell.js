// @ts-check
// What surrounds every widget: its title and tools (numbers, copy link, full screen), the line that says what happened,
// the line about the cell under the pointer, the keys, and the state in the page's address.
import { h, iconButton, put, rounding, standing } from "./dom.js";
import { holdKeys } from "./keys.js";
import { decimals, lecture } from "./lecture.js";
import { whole } from "./rows.js";
import { redrawing } from "./traits.js";

/**
 * @typedef {object} ShellOptions
 * @property {HTMLElement} el where to draw
 * @property {any} model anywidget's model, or the page's local one, which alone has a `link`
 * @property {string} title
 * @property {() => Node} table all numbers on screen as tables
 * @property {() => string} save the state on screen as text for the address, URL-encoded
 * @property {(state: string) => void} restore the opposite; throws if the text makes no sense
 * @property {() => ReturnType<typeof import("./stops.js").stops>} walk its walk-through
 * @property {() => ReturnType<typeof import("./transport.js").transport>} bar its transport bar, whose keys are the widget's
 */

/** Seconds are short for a reader and long for a test: the address follows this long after the last change. */
const SETTLE = 250;

/** How many pixels stay free beside what is brought into view. */
const EDGE = 8;

/** @param {ShellOptions} options */
export function shell({ el, model, title, table, save, restore, walk, bar }) {
  const stop = new AbortController();
  const { signal } = stop;
  let showsTable = false;
  let restored = false;
  let timer = 0;

  const status = h("p", { class: "la-status", role: "status", "aria-live": "polite" });
  const readout = h("p", { class: "la-readout", "aria-hidden": "true" });
  const body = h("div", { class: "la-body" });
  const controls = h("div", { class: "la-controls" });
  const tables = h("div", { class: "la-tables", hidden: true });
  const numbers = iconButton("table", "Show all numbers", () => setTable(!showsTable), { "aria-pressed": "false", class: "la-button la-icon-button la-show-numbers" });
  const copy = model.link && iconButton("link", "Copy link to exactly this", copyLink, { class: "la-button la-icon-button la-copy" });
  const tools = h("div", { class: "la-tools" }, numbers, copy);
  // Many cells lie between the Tab key and what leads on.
  const skip = h("button", { type: "button", class: "la-button la-skip", onclick: () => bar().focus() }, "To the steps");
  const root = h(
    "section",
    { class: "la-root", role: "group", "aria-label": title, onkeydown: keydown, tabindex: -1 },
    h("header", { class: "la-header" }, h("h3", { class: "la-title" }, title), skip, tools),
    body,
    status,
    readout,
    controls,
    tables,
  );
  holdKeys(root);
  root.addEventListener("la-inspect", (/** @type {any} */ event) => {
    readout.textContent = event.detail.text;
  });
  // After the drawing that the number may have queued, which has words of its own.
  root.addEventListener("la-note", (/** @type {any} */ { detail }) => queueMicrotask(() => tell(detail)));
  root.addEventListener("la-stop", settle);
  /** @param {KeyboardEvent} event */
  const keys = (event) => walk().key(event) || bar().key(event);
  const screen = lecture(root, keys, settle, signal);
  /** @type {ReturnType<typeof redrawing>} */ let redraw;
  let rounds = false;
  /** What the widget says of what it shows, and what it says once before that. */
  let [sentence, once] = ["", ""];
  const places = decimals(root, () => redraw.now());
  tools.prepend(places.element);
  tools.append(...screen.buttons);
  el.replaceChildren(root);

  /** @param {boolean} on */
  function setTable(on) {
    showsTable = on;
    numbers.setAttribute("aria-pressed", String(on));
    tables.hidden = !on;
    places.element.hidden = !(rounding(places.get(), refresh) || rounds);
    settle();
  }

  /** Redraw what depends on the numbers. */
  function refresh() {
    if (showsTable) tables.replaceChildren(table());
  }

  /** As `redrawing` of traits.js, with as many decimals as the reader wants; no such choice where there is nothing to round.
   * @param {readonly string[]} keys @param {() => string | null} draw draws what is the widget's own and returns what to say; null if it cannot yet */
  function redraws(keys, draw) {
    redraw = redrawing(model, keys, () => {
      rounds = rounding(places.get(), () => {
        const said = draw();
        if (said === null) return;
        walk().update();
        bar().update();
        sentence = said;
        tell();
        const told = once;
        setTimeout(() => once === told && (once = ""));
        refresh();
        settle();
      });
      places.element.hidden = !rounds;
    });
    return redraw;
  }

  const tell = (first = "") => say([first, once, sentence].filter(Boolean).join(" "));

  /** What is said once, with the next drawing. @param {string} text */
  const remark = (text) => void (once = text);

  /** What differs from how every widget opens, after what the widget itself has to say. */
  const state = () =>
    [save(), walk().at() && `stop=${walk().at()}`, walk().at() && walk().hidden() && `unasked=${walk().hidden()}`, showsTable && "table=1", places.get() !== null && `decimals=${places.get()}`, screen.isFull() && "full=1"].filter(Boolean).join("&");

  /** Let the address follow, once the reader has changed something and come to rest. */
  function settle() {
    if (!model.link || !restored) return;
    clearTimeout(timer);
    timer = window.setTimeout(() => model.link.set(state()), SETTLE);
  }

  async function copyLink() {
    clearTimeout(timer);
    model.link.set(state());
    try {
      await navigator.clipboard.writeText(model.link.url(state()));
      say("The link is copied: it brings back exactly what is on screen.");
    } catch {
      say("The link is now in the address bar: it brings back exactly what is on screen.");
    }
  }

  /** @param {KeyboardEvent} event */
  function keydown(event) {
    const target = /** @type {HTMLElement} */ (event.target);
    if (event.altKey || event.ctrlKey || event.metaKey || event.defaultPrevented) return;
    // Outside the lecture view these scroll the page; inside, `lecture` has taken them already.
    if (event.key === "PageDown" || event.key === "PageUp") return;
    // A key belongs to the control it is typed into: text and lists keep all, a slider its arrows, a button its space.
    const keeps = event.key === " " ? "button, summary, a, select, textarea, input:not([type=range])" : "select, textarea, input";
    if (!target.matches(keeps) && keys(event)) event.preventDefault();
  }

  /** Bring what a stop has changed into view, as far as the stop's own words can stay there. @param {Element} part */
  function bring(part) {
    if (screen.isFull()) return;
    const [panel, changed, steps] = [walk().element, part, bar().element].map(standing);
    // What sticks to the screen covers it: the page's header above, on a phone the bar below.
    const start = parseFloat(getComputedStyle(document.documentElement).scrollPaddingTop) || EDGE;
    const by = Math.min(changed.bottom + EDGE - Math.min(steps.top, innerHeight), panel.top - start);
    const calm = matchMedia("(prefers-reduced-motion: reduce)").matches;
    if (by > 0) scrollBy({ top: by, behavior: calm ? "instant" : "smooth" });
  }

  /** @param {string} text */
  function say(text) {
    put(status, text);
  }

  /** @param {string} text */
  function open(text) {
    const before = save();
    const rounded = places.element.value;
    try {
      const parameters = new URLSearchParams(text);
      const stop = parameters.has("stop") ? whole(parameters, "stop", 1, walk().count) : 0;
      places.set(parameters.get("decimals") ?? "");
      restore(text);
      redraw.now();
      rounding(places.get(), () => walk().open(stop, parameters.get("unasked") ?? ""));
      setTable(parameters.get("table") === "1");
      const wantsFull = parameters.get("full") === "1";
      if (wantsFull !== screen.isFull()) screen.set(wantsFull);
    } catch {
      places.set(rounded);
      try {
        restore(before);
      } finally {
        // After the drawing that putting it back has queued, which has words of its own.
        queueMicrotask(() => say("This link does not fit this page any more; the widget stays as it was."));
      }
    }
  }

  const unlisten = model.link?.listen(open);

  /** Draw for the first time and take up a state from the address; returns what ends it all.
   * @param {...() => void} ends of what the widget itself has running */
  function run(...ends) {
    // Above the drawing that it speaks of, for both together may be higher than the screen.
    body.prepend(walk().element);
    redraw.now();
    const text = model.link?.get();
    if (text != null) open(text);
    restored = true;
    return () => {
      redraw.stop();
      bar().pause();
      for (const end of ends) end();
      stop.abort();
      unlisten?.();
      clearTimeout(timer);
      el.replaceChildren();
    };
  }

  return { root, body, controls, say, bring, redraws, run, remark };
}
