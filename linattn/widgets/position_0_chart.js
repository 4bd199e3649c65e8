// @ts-check
// The part of v_0 that is lost, over x: the prediction as a line, what was measured as dots; pointing at it sets x.
import { h, pointed, svg } from "./dom.js";
import { LEAST, MOST, lost, readAt, farInput } from "./position_0_math.js";

const [WIDTH, HEIGHT] = [640, 240];
const [LEFT, RIGHT, TOP, BOTTOM] = [84, 16, 12, 40];
/** What is lost is drawn down to this part. */
const FLOOR = -12;
const sign = (/** @type {number} */ x) => String(x).replace("-", "−");
const across = (/** @type {number} */ x) => LEFT + ((WIDTH - LEFT - RIGHT) * (x - LEAST)) / (MOST - LEAST);
const up = (/** @type {number} */ part) => {
  const power = Math.min(Math.max(Math.log10(Math.max(part, 0)), FLOOR), 0.3);
  return TOP + ((HEIGHT - TOP - BOTTOM) * (0.3 - power)) / (0.3 - FLOOR);
};

/** @param {(x: number) => void} set */
export function chart(set) {
  const grid = [0, -3, -6, -9, -12].flatMap((power) => [
    svg("line", { x1: LEFT, x2: WIDTH - RIGHT, y1: up(10 ** power), y2: up(10 ** power), class: "la-grid" }),
    svg("text", { x: LEFT - 6, y: up(10 ** power) + 4, class: "la-tick la-tick-side" }, power ? `1e${sign(power)}` : "1"),
  ]);
  const ticks = [-20, -15, -10, -5, 0, 5].map((x) => svg("text", { x: across(x), y: HEIGHT - 8, class: "la-tick" }, sign(x)));
  const line = svg("polyline", { class: "la-predicted" });
  const dots = svg("g", { class: "la-found" });
  const now = svg("line", { class: "la-axis", y1: TOP, y2: HEIGHT - BOTTOM });
  const mark = svg("circle", { r: 7, class: "la-fill-out la-found-now" });
  const picture = svg("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, class: "la-bend-chart", "aria-hidden": "true" }, ...grid, ...ticks, now, line, dots, mark);
  const legend = h("figcaption", { class: "la-note" }, "part of v₀ that is lost, over x: the line is the prediction ε/(w + ε), the dots are measured; what is less than 1e−12, or 0, lies at the bottom");
  const element = h("figure", { class: "la-bend" }, legend, picture);

  const follow = (/** @type {PointerEvent} */ event) => {
    const share = (pointed(event, picture).x * WIDTH - LEFT) / (WIDTH - LEFT - RIGHT);
    set(Math.round(10 * Math.min(Math.max(LEAST + share * (MOST - LEAST), LEAST), MOST)) / 10 + 0);
  };
  picture.addEventListener("pointerdown", (/** @type {any} */ event) => {
    if (event.button) return;
    event.preventDefault();
    picture.setPointerCapture(event.pointerId);
    follow(event);
  });
  picture.addEventListener("pointermove", (/** @type {any} */ event) => picture.hasPointerCapture(event.pointerId) && follow(event));

  /** @param {any} shown */
  function update(shown) {
    const points = [];
    for (let x = LEAST; x <= MOST; x += 0.25) points.push([x, lost(readAt(farInput(shown, x)).w, shown.eps)]);
    line.setAttribute("points", points.map(([x, part]) => `${across(x).toFixed(1)},${up(part).toFixed(1)}`).join(" "));
    dots.replaceChildren(...points.filter((_, i) => i % 4 === 0).flatMap(([x]) => {
      const { found } = readAt(farInput(shown, x));
      return found === null ? [] : [svg("circle", { r: 3, cx: across(x), cy: up(1 - found) })];
    }));
    now.setAttribute("x1", String(across(shown.x)));
    now.setAttribute("x2", String(across(shown.x)));
    mark.setAttribute("cx", String(across(shown.x)));
    mark.setAttribute("cy", String(up(shown.found === null ? 0 : 1 - shown.found)));
  }
  return { element, update };
}
