// @ts-check
// Lines over n on log axes, with the crossings and the n on screen; pointing at it sets n.
import { exact, h, svg } from "./dom.js";
import { LEAST_N, MOST_N } from "./cost_math.js";

const [WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM] = [720, 340, 62, 14, 22, 44];
const span = Math.log2(MOST_N / LEAST_N);
const across = (/** @type {number} */ n) => LEFT + ((WIDTH - LEFT - RIGHT) * Math.log2(n / LEAST_N)) / span;
/** 16, 1k, 1M: powers of two as they are called. @param {number} n */
const short = (n) => (n < 1024 ? String(n) : n < 2 ** 20 ? `${n / 1024}k` : `${n / 2 ** 20}M`);

/** @typedef {{name: string, points: [number, number][], dots?: {n: number, low: number, median: number, high: number}[]}} Line */

/** @param {(n: number) => void} set */
export function chart(set) {
  const picture = svg("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, class: "la-cost-chart", "aria-hidden": "true" });
  const legend = h("figcaption", { class: "la-note" });
  const go = (/** @type {PointerEvent} */ event) => {
    const { left, width } = picture.getBoundingClientRect();
    const share = (((event.clientX - left) / width) * WIDTH - LEFT) / (WIDTH - LEFT - RIGHT);
    set(Math.round(LEAST_N * 2 ** (span * Math.min(Math.max(share, 0), 1))));
  };
  picture.addEventListener("pointerdown", (/** @type {any} */ event) => {
    if (event.button) return;
    picture.setPointerCapture(event.pointerId);
    go(event);
  });
  picture.addEventListener("pointermove", (/** @type {any} */ event) => picture.hasPointerCapture(event.pointerId) && go(event));

  /** @param {{n: number, title: string, lines: Line[], crossings: {n: number}[]}} shown */
  function update({ n, title, lines, crossings }) {
    legend.textContent = title;
    const all = lines.flatMap(({ points, dots = [] }) => [...points.map(([, y]) => y), ...dots.flatMap(({ low, high }) => [low, high])]);
    const [low, high] = [Math.floor(Math.log10(Math.min(...all))), Math.ceil(Math.log10(Math.max(...all)))];
    const up = (/** @type {number} */ y) => HEIGHT - BOTTOM - ((HEIGHT - TOP - BOTTOM) * (Math.log10(y) - low)) / Math.max(high - low, 1);
    const step = Math.max(Math.ceil((high - low) / 5), 1);
    const side = Array.from({ length: Math.floor((high - low) / step) + 1 }, (_, i) => low + i * step).flatMap((power) => [
      svg("line", { class: "la-grid", x1: LEFT, x2: WIDTH - RIGHT, y1: up(10 ** power), y2: up(10 ** power) }),
      svg("text", { class: "la-tick-side", x: LEFT - 6, y: up(10 ** power) + 4 }, power >= 0 && power < 4 ? String(10 ** power) : `1e${String(power).replace("-", "−")}`),
    ]);
    const ticks = [16, 256, 4096, 65536, MOST_N].map((x) => svg("text", { x: across(x), y: HEIGHT - BOTTOM + 18 }, short(x)));
    const upright = (/** @type {string} */ name, /** @type {number} */ x) => svg("line", { class: name, x1: across(x), x2: across(x), y1: TOP, y2: HEIGHT - BOTTOM });
    const shownCrossings = crossings.filter((c) => c.n >= LEAST_N && c.n <= MOST_N);
    picture.replaceChildren(
      ...side, ...ticks, svg("text", { x: (LEFT + WIDTH - RIGHT) / 2, y: HEIGHT - 6 }, "n, tokens"),
      ...shownCrossings.flatMap((c, i) => [upright("la-knee", c.n), svg("text", { class: `la-cost-cross${i < shownCrossings.length - 1 ? " la-cost-cross-before" : ""}`, x: across(c.n) + (i < shownCrossings.length - 1 ? -5 : 5), y: TOP + 10 }, `n = ${exact(c.n, 0)}`)]),
      upright("la-now", n),
      ...lines.map(({ name, points }) => svg("polyline", { class: `la-cost-line la-cost-${name}`, points: points.map(([x, y]) => `${across(x).toFixed(1)},${up(y).toFixed(1)}`).join(" ") })),
      ...lines.flatMap(({ name, dots = [] }) => dots.flatMap((dot) => [
        svg("line", { class: `la-cost-line la-cost-${name}`, x1: across(dot.n), x2: across(dot.n), y1: up(dot.low), y2: up(dot.high) }),
        svg("circle", { class: `la-cost-dot la-cost-${name}`, r: 5, cx: across(dot.n), cy: up(dot.median) }),
      ])),
    );
  }
  return { element: h("figure", { class: "la-recall-figure" }, legend, picture), update };
}
