// @ts-check
// For a lecture: the view that fills the screen, the presenter's remote control, and a spotlight that follows the pointer.
import { h, iconButton, relabel, standing } from "./dom.js";

/** How small, in percent, a screen's height may press the picture; the type has a least size of its own (--la-least in the style). */
const LEAST_FIT = 50;

/**
 * In the lecture view all but the tables of numbers shrinks until it stands on the screen at once. It grows again only
 * by a marked step, so that a sentence that runs into a second line does not make the picture breathe.
 * @param {HTMLElement} root @param {AbortSignal} signal
 */
function fitting(root, signal) {
  let now = 1;
  let screen = "";
  /** The height that all needed when it was last fitted. */
  let settled = 0;
  const isFull = () => root.classList.contains("la-full");
  const zoom = (/** @type {number} */ x) => root.style.setProperty("--la-fit", String(x));
  /** What stands below the header, which stays in view where the tables are scrolled to. */
  const parts = () => [...root.children].filter((part) => !part.matches(".la-header, .la-tables, .la-spotlight"));

  function fit() {
    const { clientWidth, clientHeight } = root;
    const fresh = isFull() ? `${clientWidth} × ${clientHeight}` : "";
    const moved = fresh !== screen;
    if (moved) now = 1;
    screen = fresh;
    if (!screen) return void root.style.removeProperty("--la-fit");
    const { paddingBottom } = getComputedStyle(root);
    const edge = standing(root).top - root.scrollTop - parseFloat(paddingBottom);
    const needs = () => Math.max(...parts().map((part) => standing(part).bottom)) - edge;
    if (!moved && needs() === settled) return;
    const fits = (/** @type {number} */ percent) => (zoom(percent / 100), needs() <= clientHeight);
    // Lines wrap elsewhere at another size and type has its least, so the largest percentage that fits is sought.
    let [least, most] = [fits(100) ? 100 : LEAST_FIT, 100];
    while (most - least > 1) {
      const between = (least + most) >> 1;
      if (fits(between)) least = between;
      else most = between;
    }
    const best = least / 100;
    if (best < now || best > 1.1 * now) now = best;
    zoom(now);
    settled = needs();
  }

  // In a frame of its own: what it changes is what it watches.
  const sizes = new ResizeObserver(() => isFull() && requestAnimationFrame(fit));
  for (const part of [root, ...root.children]) sizes.observe(part);
  signal.addEventListener("abort", () => sizes.disconnect());
  return fit;
}

/** What a remote control sends. */
const REMOTE = ["PageDown", "PageUp"];

/**
 * @param {HTMLElement} root the widget's
 * @param {(event: KeyboardEvent) => boolean} key the widget's keys
 * @param {() => void} changed the reader went in or out
 * @param {AbortSignal} signal ends all listening
 */
export function lecture(root, key, changed, signal) {
  /** The browser fills its screen only after a key or a click; a link may want it before. */
  let waiting = false;
  const isFull = () => root.classList.contains("la-full");
  const full = iconButton("full", "Full screen", () => set(!isFull()), { class: "la-button la-icon-button la-fullscreen" });
  const pointer = iconButton("pointer", "Spotlight (P)", () => spot(!light.isConnected), { class: "la-button la-icon-button", "aria-pressed": "false", hidden: true });
  const light = h("div", { class: "la-spotlight", "aria-hidden": "true" });
  const fit = fitting(root, signal);

  /** @param {boolean} on */
  async function set(on) {
    root.classList.toggle("la-full", on);
    relabel(full, on ? "small" : "full", on ? "Leave full screen (Escape)" : "Full screen");
    pointer.hidden = !on;
    fit();
    if (!on) spot(false);
    root.focus({ preventScroll: true });
    changed();
    // Where the browser has no full screen for elements (phones), the class alone covers the window.
    if (on) await fill();
    else if (document.fullscreenElement === root) await document.exitFullscreen();
  }

  async function fill() {
    waiting = false;
    await root.requestFullscreen?.().catch(() => (waiting = true));
  }

  /** @param {boolean} on */
  function spot(on) {
    if (on) root.append(light);
    else light.remove();
    pointer.setAttribute("aria-pressed", String(on));
  }
  /** @param {number} x @param {number} y */
  function aim(x, y) {
    light.style.setProperty("--x", `${x}px`);
    light.style.setProperty("--y", `${y}px`);
  }

  /** The picture fills the screen, and the tables start below it. */
  function look() {
    const tables = /** @type {HTMLElement} */ (root.querySelector(".la-tables"));
    if (tables.hidden) root.scrollTo(0, 0);
    else tables.scrollIntoView({ block: "start" });
  }

  /** @param {EventTarget | null} target whether a key typed there is text */
  const takesText = (target) => target instanceof Element && target.matches("textarea, select, input:not([type=range], [type=radio], [type=checkbox])");

  /** @param {KeyboardEvent} event */
  function pressed(event) {
    if (!isFull() || event.altKey || event.ctrlKey || event.metaKey) return;
    if (event.key === "Escape") set(false);
    else if (waiting) fill();
    // The remote control works wherever the focus is, and the page behind does not scroll.
    if (REMOTE.includes(event.key)) key(event);
    else if (event.key.toLowerCase() === "p" && !takesText(event.target)) spot(!light.isConnected);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  document.addEventListener("keydown", pressed, { signal, capture: true });
  root.addEventListener("click", (event) => waiting && !full.contains(/** @type {Node} */ (event.target)) && fill(), { signal });
  root.addEventListener("click", ({ target }) => isFull() && /** @type {Element} */ (target).closest(".la-show-numbers") && look(), { signal });
  root.addEventListener("pointermove", ({ clientX, clientY }) => aim(clientX, clientY), { signal });
  root.addEventListener(
    "focusin",
    ({ target }) => {
      const box = standing(/** @type {Element} */ (target));
      if (/** @type {Element} */ (target).matches(":focus-visible") && target !== root) aim(box.x + box.width / 2, box.y + box.height / 2);
    },
    { signal },
  );
  document.addEventListener("fullscreenchange", () => document.fullscreenElement !== root && isFull() && !waiting && set(false), { signal });

  return { buttons: [pointer, full], set, isFull };
}

/** How many digits stand after the point, in every number of the widget; at first each number has its own.
 * @param {HTMLElement} root @param {() => void} changed */
export function decimals(root, changed) {
  const select = h(
    "select",
    { class: "la-select la-decimals", "aria-label": "Decimals", title: "Decimals", onchange: () => (set(select.value), changed()) },
    h("option", { value: "" }, "decimals"),
    ...[0, 1, 2, 3, 4].map((places) => h("option", { value: places }, (1).toFixed(places))),
  );
  const get = () => (select.value === "" ? null : Number(select.value));

  /** @param {string} places */
  function set(places) {
    select.value = places;
    if (select.selectedIndex < 0) select.value = "";
    if (select.value === "") delete root.dataset.decimals;
    else root.dataset.decimals = select.value;
  }
  return { element: select, get, set };
}
