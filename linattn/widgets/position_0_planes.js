// @ts-check
// Two planes: the query's, where it is dragged, and the values', where the output moves or stays.
import { alter, h, put, svg } from "./dom.js";
import { LEAST, MOST, fromShare, toShare } from "./position_0_math.js";

const SIZE = 280;
/** Wide enough for "−20" in the type of a phone. */
const EDGE = 46;
const SPAN = SIZE - 2 * EDGE;
/** What "out₀" needs beside its dot. */
const ROOM = 56;
const TICKS = [-20, -10, -5, -2, -1, 0, 1, 2, 5];
/** Those with a number: what stands apart, and what does on a narrow page too. */
const LABELS = [-20, -5, -1, 0, 1, 5];
const MINOR = [-1, 1];
const sign = (/** @type {number} */ x) => String(x).replace("-", "−");
const round = (/** @type {number} */ x) => Math.min(Math.max(Math.round(10 * x) / 10, LEAST), MOST) + 0;

/** @param {string} name @param {string} verb what to do with it, which paper leaves out */
function plane(name, verb) {
  const picture = svg("svg", { class: `la-plane la-plane-${name}`, viewBox: `0 0 ${SIZE} ${SIZE}`, "aria-hidden": "true" });
  const title = h("span", {});
  const caption = h("figcaption", { class: "la-plane-title" }, h("span", { class: "la-verb" }, `${verb} `), title);
  return { picture, title, element: h("figure", { class: "la-plane-figure" }, caption, picture) };
}

/** A dot with its name. @param {string} kind @param {number} r */
function dot(kind, r) {
  const name = svg("text", { class: `la-sym-${kind}`, x: r + 4, y: 5 });
  const element = /** @type {SVGElement} */ (svg("g", { class: `la-plane-dot la-plane-dot-${kind}`, "data-symbol": kind }, svg("circle", { r, class: `la-fill-${kind}` }), name));
  return {
    element,
    /** @param {number} x @param {number} y @param {string} text @param {number} [down] where the name stands */
    place(x, y, text, down = y < 30 ? 16 : -4) {
      element.style.transform = `translate(${x.toFixed(2)}px, ${y.toFixed(2)}px)`;
      put(name, text);
      // The name stays inside the picture.
      const left = x > SIZE - ROOM;
      alter(name, { "text-anchor": left ? "end" : "start", x: left ? -r - 4 : r + 4, y: down });
    },
  };
}

/** The plane of queries and keys. @param {(q: number[]) => void} set @param {() => void} hold called when a drag begins */
export function queryPlane(set, hold) {
  const { picture, title, element } = plane("query", "drag");
  const across = (/** @type {number} */ x) => EDGE + SPAN * toShare(x);
  const up = (/** @type {number} */ y) => SIZE - across(y);
  const label = (/** @type {number} */ tick, /** @type {string} */ kind) => `la-tick${kind}${MINOR.includes(tick) ? " la-tick-minor" : ""}`;
  const lines = TICKS.flatMap((tick) => [
    svg("line", { x1: across(tick), x2: across(tick), y1: EDGE, y2: SIZE - EDGE, class: tick ? "la-grid" : "la-axis" }),
    svg("line", { y1: up(tick), y2: up(tick), x1: EDGE, x2: SIZE - EDGE, class: tick ? "la-grid" : "la-axis" }),
  ]);
  const numbers = LABELS.flatMap((tick) => [
    svg("text", { x: across(tick), y: SIZE - 6, class: label(tick, "") }, sign(tick)),
    svg("text", { x: EDGE - 3, y: up(tick) + 3, class: label(tick, " la-tick-side") }, sign(tick)),
  ]);
  const keys = [dot("k", 6), dot("k", 6)];
  const query = dot("q", 10);
  picture.append(...lines, ...numbers, ...keys.map((key) => key.element), query.element);
  // The handle is an element of its own, so that it takes the focus ring, the keys and a role.
  const handle = h("div", { class: "la-handle", role: "slider", tabindex: 0, "aria-valuemin": LEAST, "aria-valuemax": MOST, onkeydown: key });
  const field = h("div", { class: "la-plane-field" }, picture, handle);
  element.append(field);
  let now = [0, 0];

  /** @param {KeyboardEvent} event */
  function key(event) {
    /** @type {Record<string, number[]>} */
    const moves = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };
    const move = moves[event.key];
    if (!move || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    if (!event.repeat) hold();
    set(now.map((x, i) => round(x + move[i] * (event.shiftKey ? 1 : 0.1))));
  }
  /** @param {PointerEvent} event */
  function follow(event) {
    const { left, top, width } = picture.getBoundingClientRect();
    const share = (/** @type {number} */ pixels) => ((pixels / width) * SIZE - EDGE) / SPAN;
    set([fromShare(share(event.clientX - left)), fromShare(1 - share(event.clientY - top))]);
  }
  field.addEventListener("pointerdown", (/** @type {PointerEvent} */ event) => {
    if (event.button) return;
    event.preventDefault();
    field.setPointerCapture(event.pointerId);
    handle.focus({ preventScroll: true });
    hold();
    follow(event);
  });
  field.addEventListener("pointermove", (/** @type {PointerEvent} */ event) => field.hasPointerCapture(event.pointerId) && follow(event));

  /** @param {{q: number[], k: number[][], t: number}} shown */
  function update({ q, k, t }) {
    now = q;
    const name = `q${"₀₁"[t]}`;
    put(title, name);
    query.place(across(q[0]), up(q[1]), name);
    keys.forEach((mark, i) => {
      mark.place(across(k[i][0]), up(k[i][1]), `k${"₀₁"[i]}`);
      mark.element.toggleAttribute("hidden", i > t);
    });
    handle.style.left = `${(100 * across(q[0])) / SIZE}%`;
    handle.style.top = `${(100 * up(q[1])) / SIZE}%`;
    handle.setAttribute("aria-label", `${name} in the plane: arrow keys, with Shift in large steps`);
    handle.setAttribute("aria-valuenow", String(q[0]));
    handle.setAttribute("aria-valuetext", q.map(sign).join(" and "));
  }
  return { element, update };
}

/** The plane of values and the output. */
export function valuePlane() {
  const { picture, title, element } = plane("value", "watch");
  const middle = SIZE / 2;
  const axes = [
    svg("line", { class: "la-axis", x1: EDGE, x2: SIZE - EDGE, y1: middle, y2: middle }),
    svg("line", { class: "la-axis", x1: middle, x2: middle, y1: EDGE, y2: SIZE - EDGE }),
  ];
  const between = svg("line", { class: "la-between" });
  const shrink = svg("line", { class: "la-shrink" });
  const trail = svg("polyline", { class: "la-trail" });
  const marks = [dot("v", 8), dot("v", 8)];
  const out = dot("out", 5);
  picture.append(...axes, between, shrink, trail, ...marks.map((mark) => mark.element), out.element);
  element.append(h("div", { class: "la-plane-field" }, picture));

  /** @param {{v: number[][], t: number, out: number[]}} shown @param {number[][]} path where the output has been during this drag */
  function update({ v, t, out: o }, path) {
    const most = 1.2 * Math.max(...v.flat().map(Math.abs), 0.1);
    const at = (/** @type {number[]} */ [x, y]) =>
      [middle + (SPAN / 2) * (x / most), middle - (SPAN / 2) * (y / most)].map((a) => Math.min(Math.max(a, 4), SIZE - 4));
    const line = (/** @type {Element} */ element, /** @type {number[]} */ a, /** @type {number[]} */ b) =>
      alter(element, { x1: a[0].toFixed(2), y1: a[1].toFixed(2), x2: b[0].toFixed(2), y2: b[1].toFixed(2) });
    const [a, b] = v.map(at);
    line(between, a, b);
    between.toggleAttribute("hidden", t === 0);
    line(shrink, at([0, 0]), t ? at(o) : a);
    marks.forEach((mark, i) => {
      mark.place(...(/** @type {[number, number]} */ ([a, b][i])), `v${"₀₁"[i]}`);
      mark.element.toggleAttribute("hidden", i > t);
    });
    const place = at(o);
    // Its name stands below the dot, clear of the value's.
    out.place(place[0], place[1], `out${"₀₁"[t]}`, place[1] > SIZE - 40 ? -16 : 20);
    alter(trail, { points: path.map((point) => at(point).join()).join(" ") });
    put(title, `out${"₀₁"[t]}`);
  }
  return { element, update };
}
