// @ts-check
// Small helpers for plain DOM: elements, icons, symbols in the book's letters, numbers as text. Text is always text,
// never markup.

/** @typedef {Node | string | null | undefined | false} Child */

/** @param {Element} element @param {Record<string, any>} attributes @param {Child[]} children */
function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name.startsWith("--")) /** @type {HTMLElement} */ (element).style.setProperty(name, value);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false && value != null) element.setAttribute(name, String(value));
  }
  element.append(.../** @type {(Node | string)[]} */ (children.filter((child) => child || child === "")));
  return element;
}

/** An HTML element: h("button", { class: "la-x", onclick: act, "aria-label": "…" }, "text", node, …).
 * @param {string} tag @param {Record<string, any>} [attributes] @param {...Child} children @returns {any} */
export const h = (tag, attributes = {}, ...children) => fill(document.createElement(tag), attributes, children);

/** Tells the style how many units of a drawing are one pixel, so that its type keeps a least size on every screen. */
const drawings = new ResizeObserver((entries) => {
  for (const { target, contentRect } of entries) {
    const { width, height } = /** @type {SVGSVGElement} */ (target).viewBox.baseVal;
    if (contentRect.width) /** @type {SVGSVGElement} */ (target).style.setProperty("--la-unit", Math.max(width / contentRect.width, height / contentRect.height).toFixed(3));
  }
});

/** An SVG element, as `h`. @param {string} tag @param {Record<string, any>} [attributes] @param {...Child} children */
export function svg(tag, attributes = {}, ...children) {
  const element = fill(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);
  if (tag === "svg") drawings.observe(element);
  return element;
}

/** An id that no other element has. A count would begin anew for each widget of JupyterLab, which has its own copy of this
 * module, and url(#…) would find another widget's element, hidden perhaps. @param {string} name */
export const unique = (name) => `${name}-${Math.random().toString(36).slice(2)}`;

/** Text in place of what an element has; the same text costs the browser nothing. @param {Element} element @param {string} text */
export function put(element, text) {
  const node = element.firstChild;
  if (node instanceof Text && node === element.lastChild) {
    if (node.data !== text) node.data = text;
  } else if (text || node) element.textContent = text;
}

/** Where an element stands on the screen. WebKit, which lacks the standard `zoom`, measures in the element's own pixels.
 * @param {Element} element */
export function standing(element) {
  const rect = element.getBoundingClientRect();
  if ("currentCSSZoom" in element) return rect;
  let zoom = 1;
  for (let up = /** @type {Element | null} */ (element); up; up = up.parentElement) zoom *= Number(getComputedStyle(up).zoom) || 1;
  return new DOMRect((rect.x + scrollX) * zoom - scrollX, (rect.y + scrollY) * zoom - scrollY, rect.width * zoom, rect.height * zoom);
}

/** Where the pointer is, from an element's upper left corner, both as shares of its width. @param {PointerEvent} event @param {Element} element */
export function pointed({ clientX, clientY }, element) {
  const { x, y, width } = standing(element);
  return { x: (clientX - x) / width, y: (clientY - y) / width };
}

/** A name in a picture, readable where a line runs through it. Its halo is a text of its own, below: a text with a stroke would
 * be painted font by font in Firefox, and the halo of an index lie on its letter. @param {string} kind @param {string} [text] */
export function label(kind, text = "") {
  const texts = ["halo", `sym-${kind}`].map((name) => svg("text", { class: `la-${name}` }, text));
  return {
    element: svg("g", {}, ...texts),
    put: (/** @type {string} */ next) => texts.forEach((one) => put(one, next)),
    place: (/** @type {Record<string, string | number>} */ at) => texts.forEach((one) => alter(one, at)),
    size: () => parseFloat(getComputedStyle(texts[0]).fontSize) || 15,
  };
}

/** Have the widget say something beside its sentence: what became of a number that was typed in. @param {Element} element @param {string} text */
export const note = (element, text) => element.dispatchEvent(new CustomEvent("la-note", { bubbles: true, detail: text }));

/** Attributes that change as a widget draws; what stays as it is costs the browser nothing.
 * @param {Element} element @param {Record<string, string | number | boolean>} attributes */
export function alter(element, attributes) {
  for (const [name, value] of Object.entries(attributes)) {
    const text = String(value);
    if (element.getAttribute(name) !== text) element.setAttribute(name, text);
  }
}

/** Outlines on a 16 × 16 grid. @type {Record<string, string>} */
const ICONS = {
  first: "M3.5 3v10M13 3.5 6.5 8l6.5 4.5z",
  back: "M11.5 3.5 5 8l6.5 4.5z",
  play: "M4.5 3v10l8-5z",
  pause: "M5.5 3.5v9M10.5 3.5v9",
  next: "M4.5 3.5 11 8l-6.5 4.5z",
  last: "M12.5 3v10M3 3.5 9.5 8 3 12.5z",
  reset: "M3.6 5.5A5.2 5.2 0 1 1 2.8 8M3 2.5v3.2h3.2",
  table: "M2.5 3.5h11v9h-11zM2.5 6.5h11M2.5 9.5h11M6.5 3.5v9",
  link: "M6.8 9.2a2.4 2.4 0 0 0 3.4 0l2.2-2.2a2.4 2.4 0 0 0-3.4-3.4l-.8.8M9.2 6.8a2.4 2.4 0 0 0-3.4 0L3.6 9a2.4 2.4 0 0 0 3.4 3.4l.8-.8",
  full: "M6 2.5H2.5V6M10 2.5h3.5V6M6 13.5H2.5V10M10 13.5h3.5V10",
  small: "M2.5 6H6V2.5M13.5 6H10V2.5M2.5 10H6v3.5M13.5 10H10v3.5",
  pointer: "M8 8h.01M8 2.5a5.5 5.5 0 1 1 0 11 5.5 5.5 0 0 1 0-11",
  edit: "M3 13l.6-2.6 7.3-7.3 2 2-7.3 7.3z",
  left: "M10 3.5 5 8l5 4.5",
  right: "M6 3.5 11 8l-5 4.5",
  remove: "M4 4l8 8M12 4l-8 8",
};

/** @param {string} name one of ICONS */
export const icon = (name) =>
  svg("svg", { class: `la-icon la-icon-${name}`, viewBox: "0 0 16 16", "aria-hidden": "true" }, svg("path", { d: ICONS[name] }));

/** A button with an icon; its name is spoken and shown on hover.
 * @param {string} name @param {string} label @param {(event: MouseEvent) => void} onclick @param {Record<string, any>} [attributes] */
export const iconButton = (name, label, onclick, attributes = {}) =>
  h("button", { type: "button", class: "la-button la-icon-button", "aria-label": label, title: label, onclick, ...attributes }, icon(name));

/** Give an icon button another icon and name. @param {HTMLElement} button @param {string} name @param {string} label */
export function relabel(button, name, label) {
  if (button.getAttribute("aria-label") === label) return;
  button.setAttribute("aria-label", label);
  button.title = label;
  button.replaceChildren(icon(name));
}

/** A symbol in the book's letters and colours: symbol("k", 2, true) is φ(k₂).
 * @param {"q"|"k"|"v"|"S"|"Z"|"out"} name @param {number | string | null} [index] @param {boolean} [features] */
export function symbol(name, index = null, features = false) {
  const sub = index === null ? null : h("sub", {}, String(index));
  const core = [h("i", {}, name), sub];
  return h("span", { class: `la-symbol la-sym-${name}` }, ...(features ? ["φ(", ...core, ")"] : core));
}

const figures = new Intl.NumberFormat("en-US", { maximumFractionDigits: 2 });
/** A count, or a length at which two costs meet, to its last digit: 65,536, 1,638.4. @param {number} x */
export const count = (x) => figures.format(x);

/** How many times as much: three digits, or all before the point. @param {number} x */
export const times = (x) => (x >= 100 ? count(Math.round(x)) : String(Number(x.toPrecision(3))));

/** 16, 1k, 1M: powers of two as an axis names them. @param {number} n */
export const inK = (n) => (n < 1024 || n % 1024 ? String(n) : n < 2 ** 20 ? `${n / 1024}k` : `${n / 2 ** 20}M`);

/** The powers of ten of an axis, all written one way. @param {number[]} powers */
export const powersOfTen = (powers) =>
  powers.map((power) => (powers.every((p) => p >= -2 && p < 4) ? String(Number((10 ** power).toFixed(2))) : `1e${String(power).replace("-", "−")}`));

/** @param {string} text as of toFixed */
const grouped = (text) => text.replace(/\d+/, (whole) => whole.replace(/\B(?=(\d{3})+$)/g, ","));

/** A number for reading: a true minus sign, `decimals` places (fewer from 10 and from 100 on, so that it stays short),
 * powers of ten where it would get long, 0 only if it is 0. @param {number} x @param {number} [decimals] */
export function exact(x, decimals = 2) {
  if (x === 0) return "0";
  const size = Math.abs(x);
  const places = Math.max(decimals - (size >= 100 ? 2 : size >= 10 ? 1 : 0), 0);
  const plain = !Number.isFinite(x) || (size < 1e4 && size >= 0.5 * 10 ** -decimals);
  const text = plain ? grouped(x.toFixed(places)) : x.toExponential(size < 1 ? 0 : 1);
  return text.replace(/-/g, "−").replace("e+", "e");
}

// While a widget draws: the decimals that its reader wants instead of each number's own, and whether any number asked.
let wanted = /** @type {number | null} */ (null);
let asked = false;

/** Whether the reader wants decimals now. */
export const wants = () => wanted !== null;

/** Draw or say something with the reader's decimals; null leaves each number its own. Returns whether any could be rounded.
 * @param {number | null} places @param {() => void} act */
export function rounding(places, act) {
  const before = { wanted, asked };
  [wanted, asked] = [places, false];
  try {
    act();
    return asked;
  } finally {
    [wanted, asked] = [before.wanted, before.asked || asked];
  }
}

/** As `exact`; where the reader wants decimals, just so many of them, but from 10,000 on still a power of ten.
 * @param {number} x @param {number} [decimals] where nothing is wanted */
export function format(x, decimals = 2) {
  asked = true;
  if (wanted === null || x === 0 || !(Math.abs(x) < 1e4)) return exact(x, wanted ?? decimals);
  const text = x.toFixed(wanted);
  return Number(text) === 0 ? text.replace("-", "") : grouped(text).replace("-", "−");
}

/** As `format`, but what is not 0 never reads as 0: for a difference, where rounding must be told from none.
 * @param {number} x @param {number} [decimals] where nothing is wanted */
export function formatGap(x, decimals = 2) {
  const text = format(x, decimals);
  return parse(text) === 0 ? exact(x, wanted ?? decimals) : text;
}

/** A number that a person typed, or null: accepts a true minus sign and a decimal comma. @param {string} text */
export function parse(text) {
  const plain = text.trim().replace("−", "-").replace(",", ".");
  return /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(plain) ? Number(plain) : null;
}
