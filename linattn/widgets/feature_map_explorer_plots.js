// @ts-check
// Small line plots and bars for the feature maps: one frame, thin axes, numbers at the ends.
import { alter, h, pointed, put, svg, unique } from "./dom.js";

const move = (/** @type {Element} */ element, /** @type {Record<string, number>} */ places) =>
  alter(element, Object.fromEntries(Object.entries(places).map(([name, value]) => [name, value.toFixed(2)])));
const sign = (/** @type {number} */ x) => String(Number(x.toPrecision(2))).replace("-", "−").replace("e+", "e");

/**
 * @param {string} title @param {{x: number[], xNames: [number, string][], height?: number, drag?: (x: number) => void, symbol?: string}} options
 */
export function plot(title, { x: [left, right], xNames, height = 220, drag, symbol = "" }) {
  const [WIDTH, EDGE, TOP, RIGHT, BOTTOM] = [360, 34, 10, 16, 24];
  const across = (/** @type {number} */ x) => EDGE + ((x - left) / (right - left)) * (WIDTH - EDGE - RIGHT);
  let [low, high] = [0, 1];
  const up = (/** @type {number} */ y) => height - BOTTOM - ((y - low) / (high - low)) * (height - TOP - BOTTOM);
  const clip = unique("la-fm-clip");
  const zero = svg("line", { class: "la-axis", x1: EDGE, x2: WIDTH - RIGHT });
  const names = xNames.map(([x, name]) => svg("text", { class: "la-tick", x: across(x), y: height - 7 }, name));
  const sides = [0, 1, 2].map(() => svg("text", { class: "la-tick la-tick-side", x: EDGE - 5 }));
  const inside = svg("g", { "clip-path": `url(#${clip})` });
  const above = svg("g", {});
  const picture = svg(
    "svg",
    { class: `la-fm-plot${drag ? " la-fm-drag" : ""}`, viewBox: `0 0 ${WIDTH} ${height}`, "aria-hidden": "true" },
    svg("clipPath", { id: clip }, svg("rect", { x: EDGE, y: TOP - 4, width: WIDTH - EDGE - RIGHT, height: height - TOP - BOTTOM + 8 })),
    inside, zero, ...names, ...sides, above,
  );
  const caption = h("figcaption", { class: "la-note" }, title);
  if (drag) {
    const follow = (/** @type {PointerEvent} */ event) => {
      if (!event.buttons) return;
      const share = (pointed(event, picture).x * WIDTH - EDGE) / (WIDTH - EDGE - RIGHT);
      drag(left + Math.min(Math.max(share, 0), 1) * (right - left));
    };
    picture.addEventListener("pointerdown", (event) => {
      /** @type {Element} */ (picture).setPointerCapture(/** @type {PointerEvent} */ (event).pointerId);
      follow(/** @type {PointerEvent} */ (event));
    });
    picture.addEventListener("pointermove", (event) => follow(/** @type {PointerEvent} */ (event)));
  }

  /** @param {number} bottom @param {number} top */
  function range(bottom, top) {
    [low, high] = [bottom, top];
    move(zero, { y1: up(0), y2: up(0) });
    [low, 0, high].forEach((y, i) => {
      move(sides[i], { y: up(y) + 4 });
      put(sides[i], sign(y));
      sides[i].toggleAttribute("hidden", i !== 1 && Math.abs(up(y) - up(0)) < 14);
    });
    inside.replaceChildren();
    above.replaceChildren();
  }
  /** @param {string} kind @param {(x: number) => number} f @param {number} [steps] @param {number} [jump] where f jumps: two lines */
  function curve(kind, f, steps = 160, jump = right) {
    const far = 3 * (high - low);
    const place = (/** @type {number} */ x) => `${across(x).toFixed(1)},${up(Math.min(Math.max(f(x), low - far), high + far)).toFixed(1)}`;
    const at = Array.from({ length: steps + 1 }, (_, i) => left + ((right - left) * i) / steps);
    for (const part of [at.filter((x) => x <= jump), [jump + 1e-9, ...at.filter((x) => x > jump)]])
      if (part.length > 1) inside.append(svg("polyline", { class: `la-fm-curve la-fm-${kind}`, points: part.map(place).join(" ") }));
  }
  /** @param {string} kind @param {number} x1 @param {number} y1 @param {number} x2 @param {number} y2 */
  const segment = (kind, x1, y1, x2, y2) => inside.append(svg("line", { class: `la-fm-${kind}`, x1: across(x1), y1: up(y1), x2: across(x2), y2: up(y2) }));
  /** A part of the frame, from top to bottom if no heights are given. @param {number} x1 @param {number} x2 @param {number} [y1] @param {number} [y2] */
  const zone = (x1, x2, y1 = low, y2 = high) => inside.append(svg("rect", { class: "la-fm-zone", x: across(x1), width: across(x2) - across(x1), y: up(y2), height: up(y1) - up(y2) }));
  /** A dot; outside the frame it stays at its edge. @param {string} kind @param {number} x @param {number} y */
  const dot = (kind, x, y) => above.append(svg("circle", { class: `la-fm-dot la-fm-${kind}`, r: 6, cx: across(x), cy: up(Math.min(Math.max(y, low), high)) }));
  /** What a zone is. @param {string} text @param {number} x @param {number} y */
  const write = (text, x, y) => above.append(svg("text", { class: "la-fm-zone-name", x: across(x), y: up(y) }, text));

  return { element: h("figure", { class: "la-fm-figure", "data-symbol": symbol || null }, caption, picture), caption, range, curve, segment, zone, dot, write };
}

/** Two bars for each key: softmax's weight and the map's. They stand over the keys' numbers, so the names of the
 * heights lie outside the picture, and the bars carry no numbers of their own. @param {string[]} names */
export function weightBars(names) {
  const [WIDTH, HEIGHT, BASE, TOP] = [320, 180, 156, 10];
  const step = WIDTH / names.length;
  const half = step * 0.36;
  const zero = svg("line", { class: "la-axis", x1: 0, x2: WIDTH });
  const sides = [0, 1, 2].map(() => svg("text", { class: "la-tick la-tick-side", x: -8 }));
  const groups = names.map((name, i) => {
    const middle = step * (i + 0.5);
    const bars = ["softmax", "map"].map((kind, j) => svg("rect", { class: `la-fm-bar la-fm-bar-${kind}`, x: middle + (j - 1) * (half + 1) + 1, width: half }));
    return { bars, label: svg("text", { class: "la-sym-k", x: middle, y: HEIGHT - 6 }, name) };
  });
  const picture = svg("svg", { class: "la-fm-plot la-fm-bars", viewBox: `0 0 ${WIDTH} ${HEIGHT}`, "aria-hidden": "true" }, ...groups.flatMap(({ bars, label }) => [...bars, label]), zero, ...sides);

  /** @param {number[]} softmax @param {number[]} row */
  function update(softmax, row) {
    const largest = Math.max(...row.map(Math.abs));
    const proper = row.every((a) => a >= 0 && a <= 1);
    const high = proper ? 1 : 2 ** Math.max(Math.ceil(Math.log2(largest)), 0);
    const low = proper ? 0 : -high;
    const up = (/** @type {number} */ a) => BASE - ((a - low) / (high - low)) * (BASE - TOP);
    move(zero, { y1: up(0), y2: up(0) });
    [low, 0, high].forEach((a, i) => {
      move(sides[i], { y: up(a) + 4 });
      put(sides[i], sign(a));
    });
    sides[0].toggleAttribute("hidden", low === 0);
    groups.forEach(({ bars }, i) =>
      [softmax[i], row[i]].forEach((a, j) => {
        move(bars[j], { y: Math.min(up(a), up(0)), height: Math.max(Math.abs(up(a) - up(0)), 0.01) });
        bars[j].classList.toggle("la-negative", a < 0);
      }),
    );
  }
  return { element: picture, update };
}
