// @ts-check
// Two planes: the query's, where it is dragged, and the values', where the output moves or stays.
import { alter, h, label, pointed, put, svg } from "./dom.js";
import { LEAST, MOST, fromShare, toShare } from "./position_0_math.js";

const SIZE = 280;
/** Beside the square of the places: to the left wide enough for "−20", below high enough for a number, in the type of a phone. */
const [LEFT, EDGE] = [46, 30];
const SPAN = SIZE - 2 * EDGE;
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

/** Where a name can stand beside its dot: to which side, and whether below, in the middle or above. */
const ABOVE = [[1, -1], [-1, -1], [1, 1], [-1, 1], [0, 1], [0, -1]];
const BELOW = [[1, 1], [-1, 1], [1, -1], [-1, -1], [0, 1], [0, -1]];

/** @typedef {{anchor: string, x: number, y: number, left: number, right: number, top: number, bottom: number}} Place */

/** A dot with its name. @param {string} kind @param {number} r @param {number[][]} [sides] the best first */
function dot(kind, r, sides = ABOVE) {
  const name = label(kind);
  const element = /** @type {SVGElement} */ (svg("g", { class: `la-plane-dot la-plane-dot-${kind}`, "data-symbol": kind }, svg("circle", { r, class: `la-fill-${kind}` }), name.element));
  let [x, y, width] = [0, 0, 0];
  return {
    element,
    /** @param {number} across @param {number} down @param {string} text @param {boolean} [hidden] */
    place(across, down, text, hidden = false) {
      [x, y, width] = [across, down, text.length];
      element.style.transform = `translate(${x.toFixed(2)}px, ${y.toFixed(2)}px)`;
      element.toggleAttribute("hidden", hidden);
      name.put(text);
    },
    /** @returns {Place[]} */
    places() {
      const em = name.size();
      const wide = 0.5 * em * width;
      return sides.map(([side, down]) => {
        const [dx, dy] = [side * (r + 4), side ? (down > 0 ? 0.8 * em + 4 : -4) : down > 0 ? r + em : -r - 0.5 * em];
        const left = x + dx - (side < 0 ? wide : side ? 0 : wide / 2);
        return { anchor: ["end", "middle", "start"][side + 1], x: dx, y: dy, left, right: left + wide, top: y + dy - 0.7 * em, bottom: y + dy + 0.25 * em };
      });
    },
    /** Whether the dot lies on a name. @param {Place} to */
    covers: (to) => !element.hasAttribute("hidden") && Math.hypot(x - Math.min(Math.max(x, to.left), to.right), y - Math.min(Math.max(y, to.top), to.bottom)) < r + 1,
    /** @param {Place} to */
    write: (to) => name.place({ "text-anchor": to.anchor, x: to.x.toFixed(2), y: to.y.toFixed(2) }),
  };
}

/** Every name stands inside the picture, clear of the dots and of the names before it, where there is such a place.
 * @param {ReturnType<typeof dot>[]} dots */
function write(dots) {
  /** @type {Place[]} */ const taken = [];
  for (const one of dots.filter(({ element }) => !element.hasAttribute("hidden"))) {
    const places = one.places();
    const inside = places.filter(({ left, right, top, bottom }) => left >= 0 && right <= SIZE && top >= 0 && bottom <= SIZE);
    const meets = (/** @type {Place} */ a, /** @type {Place} */ b) => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
    const free = inside.find((to) => !taken.some((other) => meets(to, other)) && !dots.some((other) => other.covers(to)));
    const to = free ?? inside[0] ?? places[0];
    taken.push(to);
    one.write(to);
  }
}

/** The plane of queries and keys. @param {(q: number[]) => void} set @param {() => void} hold called when a drag begins */
export function queryPlane(set, hold) {
  const { picture, title, element } = plane("query", "drag");
  const across = (/** @type {number} */ x) => LEFT + SPAN * toShare(x);
  const up = (/** @type {number} */ y) => SIZE - EDGE - SPAN * toShare(y);
  const tickClass = (/** @type {number} */ tick, /** @type {string} */ kind) => `la-tick${kind}${MINOR.includes(tick) ? " la-tick-minor" : ""}`;
  const lines = TICKS.flatMap((tick) => [
    svg("line", { x1: across(tick), x2: across(tick), y1: EDGE, y2: SIZE - EDGE, class: tick ? "la-grid" : "la-axis" }),
    svg("line", { y1: up(tick), y2: up(tick), x1: LEFT, x2: LEFT + SPAN, class: tick ? "la-grid" : "la-axis" }),
  ]);
  const numbers = LABELS.flatMap((tick) => [
    svg("text", { x: across(tick), y: SIZE - EDGE + 4, dy: "0.85em", class: tickClass(tick, "") }, sign(tick)),
    // In the corner the number stands on its line, clear of the one below.
    svg("text", { x: LEFT - 3, y: up(tick) + (tick === LEAST ? -1 : 3), class: tickClass(tick, " la-tick-side") }, sign(tick)),
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
    const { x, y } = pointed(event, picture);
    set([fromShare((x * SIZE - LEFT) / SPAN), fromShare(1 - (y * SIZE - EDGE) / SPAN)]);
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
    keys.forEach((mark, i) => mark.place(across(k[i][0]), up(k[i][1]), `k${"₀₁"[i]}`, i > t));
    write([...keys, query]);
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
  const out = dot("out", 5, BELOW);
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
    marks.forEach((mark, i) => mark.place([a, b][i][0], [a, b][i][1], `v${"₀₁"[i]}`, i > t));
    const place = at(o);
    out.place(place[0], place[1], `out${"₀₁"[t]}`);
    write([...marks, out]);
    alter(trail, { points: path.map((point) => at(point).join()).join(" ") });
    put(title, `out${"₀₁"[t]}`);
  }
  return { element, update };
}
