// @ts-check
// Lines over n on log axes, with the crossings and the n on screen; pointing at it sets n.
import { count, h, inK, pointed, powersOfTen, standing, svg } from "./dom.js";
import { LEAST_N, MOST_N } from "./cost_math.js";

/** On a page and on a phone: size and edges, in the picture's own units. */
const WIDE = { width: 720, height: 340, left: 62, right: 14, top: 34, bottom: 44 };
const NARROW = { width: 400, height: 300, left: 58, right: 18, top: 34, bottom: 46 };
/** Some room beside the first and last dot. */
const MARGIN = 1.3;
/** A line that another covers from end to end is a band under it. */
const BAND = "stroke-width: 9; stroke-opacity: 0.5";

/** @typedef {{name: string, points: [number, number][], dots?: {n: number, low: number, median: number, high: number}[]}} Line */

/** @typedef {{n: number, title: string, lines: Line[], crossings: {n: number}[], lengths: number[], ticks: number[]}} Shown */

/** @param {(n: number) => void} set */
export function chart(set) {
  let shape = WIDE;
  /** @type {Shown} */ let shown;
  const picture = svg("svg", { class: "la-cost-chart", "aria-hidden": "true" });
  const legend = h("figcaption", { class: "la-note" });
  const go = (/** @type {PointerEvent} */ event) => {
    const share = (pointed(event, picture).x * shape.width - shape.left) / (shape.width - shape.left - shape.right);
    const [least, most] = range();
    set(Math.min(Math.max(Math.round(least * (most / least) ** share), LEAST_N), MOST_N));
  };
  picture.addEventListener("pointerdown", (/** @type {any} */ event) => {
    if (event.button) return;
    picture.setPointerCapture(event.pointerId);
    go(event);
  });
  picture.addEventListener("pointermove", (/** @type {any} */ event) => picture.hasPointerCapture(event.pointerId) && go(event));

  new ResizeObserver(() => {
    // As wide as it stands on the screen: in a lecture the shape decides how far all is zoomed, and must not follow from it.
    const next = standing(picture).width < 460 ? NARROW : WIDE;
    if (next === shape) return;
    shape = next;
    update(shown);
  }).observe(picture);

  const range = () => {
    const [least, most] = [shown.lengths[0], shown.lengths[shown.lengths.length - 1]];
    return shown.lines.some(({ dots }) => dots) ? [least / MARGIN, most * MARGIN] : [least, most];
  };

  /** @param {Shown} next */
  function update(next) {
    shown = next;
    const { n, title, lines, crossings } = shown;
    const { width: WIDTH, height: HEIGHT, left: LEFT, right: RIGHT, bottom: BOTTOM } = shape;
    // The names of the crossings stand above the highest name of the axis beside them.
    const TOP = crossings.length ? shape.top : shape.top / 2;
    const [least, most] = range();
    const across = (/** @type {number} */ x) => LEFT + ((WIDTH - LEFT - RIGHT) * Math.log(x / least)) / Math.log(most / least);
    picture.setAttribute("viewBox", `0 0 ${WIDTH} ${HEIGHT}`);
    legend.textContent = title;
    const all = lines.flatMap(({ points, dots = [] }) => [...points.map(([, y]) => y), ...dots.flatMap(({ low, high }) => [low, high])]);
    const [low, high] = [Math.floor(Math.log10(Math.min(...all))), Math.ceil(Math.log10(Math.max(...all)))];
    const up = (/** @type {number} */ y) => HEIGHT - BOTTOM - ((HEIGHT - TOP - BOTTOM) * (Math.log10(y) - low)) / Math.max(high - low, 1);
    const step = Math.max(Math.ceil((high - low) / 5), 1);
    const powers = Array.from({ length: Math.floor((high - low) / step) + 1 }, (_, i) => low + i * step);
    const side = powersOfTen(powers).flatMap((text, i) => [
      svg("line", { class: "la-grid", x1: LEFT, x2: WIDTH - RIGHT, y1: up(10 ** powers[i]), y2: up(10 ** powers[i]) }),
      svg("text", { class: "la-tick-side", x: LEFT - 6, y: up(10 ** powers[i]) + 4 }, text),
    ]);
    const ticks = shown.ticks.map((x) => svg("text", { class: across(x) < LEFT + 1 && "la-tick-first", x: across(x), y: HEIGHT - BOTTOM + 18 }, inK(x)));
    const upright = (/** @type {string} */ name, /** @type {number} */ x) => svg("line", { class: name, x1: across(x), x2: across(x), y1: TOP, y2: HEIGHT - BOTTOM });
    const drawn = lines.map(({ points }) => points.map(([x, y]) => `${across(x).toFixed(1)},${up(y).toFixed(1)}`).join(" "));
    const shownCrossings = crossings.filter((c) => c.n >= least && c.n <= most);
    picture.replaceChildren(
      ...side, ...ticks, svg("text", { x: (LEFT + WIDTH - RIGHT) / 2, y: HEIGHT - 6 }, "n, tokens"),
      ...shownCrossings.flatMap((c, i) => [upright("la-knee", c.n), svg("text", { class: `la-cost-cross${i < shownCrossings.length - 1 ? " la-cost-cross-before" : ""}`, x: across(c.n) + (i < shownCrossings.length - 1 ? -5 : 5), y: TOP - 14 }, `n ${Number.isInteger(c.n) ? "=" : "≈"} ${count(Math.round(c.n))}`)]),
      upright("la-now", n),
      ...lines.map(({ name }, i) => svg("polyline", { class: `la-cost-line la-cost-${name}`, points: drawn[i], style: drawn.indexOf(drawn[i], i + 1) > 0 && BAND })),
      ...lines.flatMap(({ name, dots = [] }) => dots.flatMap((dot) => [
        svg("line", { class: `la-cost-line la-cost-range la-cost-${name}`, x1: across(dot.n), x2: across(dot.n), y1: up(dot.low), y2: up(dot.high) }),
        svg("circle", { class: `la-cost-dot la-cost-${name}`, r: 5, cx: across(dot.n), cy: up(dot.median) }),
      ])),
    );
  }
  return { element: h("figure", { class: "la-recall-figure" }, legend, picture), update };
}
