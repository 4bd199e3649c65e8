// @ts-check
// A plane with points to drag: by mouse, touch or arrow keys.
import { alter, h, label, pointed, svg } from "./dom.js";
import { EDGE } from "./feature_map_explorer_math.js";

const SIZE = 300;
const MARGIN = 18;
const toPixels = (/** @type {number} */ x) => SIZE / 2 + (x / EDGE) * (SIZE / 2 - MARGIN);
const sign = (/** @type {number} */ x) => String(x).replace("-", "−");
const round = (/** @type {number} */ x) => Math.min(Math.max(Math.round(10 * x) / 10, -EDGE), EDGE) + 0;

/** Where a label can stand beside its point, the best place first. */
const SIDES = [[11, -7], [-24, -7], [11, 18], [-24, 18], [-8, 25]];
const DISC = 9;
/** Whether a label at x, y is within the plane and not under the disc of q. @param {number} x @param {number} y @param {number[] | null} q */
function isFree(x, y, q) {
  if (x > SIZE - 23 || y < 19) return false;
  return !q || Math.hypot(q[0] - Math.min(Math.max(q[0], x), x + 16), q[1] - Math.min(Math.max(q[1], y - 10), y + 4)) > DISC;
}

/**
 * @param {{name: string, kind: "q"|"k"}[]} points
 * @param {(index: number, x: number[]) => void} set
 * @param {(index: number) => void} pick a point is taken up
 */
export function plane(points, set, pick) {
  const ticks = Array.from({ length: 2 * EDGE + 1 }, (_, i) => i - EDGE);
  const grid = ticks.flatMap((tick) => {
    const [low, high, at] = [toPixels(-EDGE), toPixels(EDGE), toPixels(tick)];
    const kind = tick ? "la-grid" : "la-axis";
    return [svg("line", { class: kind, x1: at, x2: at, y1: low, y2: high }), svg("line", { class: kind, x1: low, x2: high, y1: at, y2: at })];
  });
  const names = [-EDGE, EDGE].map((tick) => svg("text", { class: "la-tick", x: toPixels(tick), y: SIZE / 2 + 14 }, sign(tick)));
  const marks = points.map(({ name, kind }) => {
    const text = label(kind, name);
    const ray = svg("line", { class: `la-fm-ray la-fm-ray-${kind}`, x1: SIZE / 2, y1: SIZE / 2 });
    const dot = svg("circle", { class: `la-fill-${kind}`, r: kind === "q" ? DISC : 6 });
    return { ray, dot, text, group: svg("g", { "data-symbol": kind }, ray, dot, text.element) };
  });
  const picture = svg("svg", { class: "la-plane", viewBox: `0 0 ${SIZE} ${SIZE}`, "aria-hidden": "true" }, ...grid, ...names, ...[...marks].reverse().map((mark) => mark.group));
  let now = points.map(() => [0, 0]);

  const handles = points.map(({ name, kind }, i) =>
    h("div", {
      class: `la-handle la-fm-handle la-fm-handle-${kind}`, role: "slider", tabindex: 0, title: name,
      "aria-label": `${name} in the plane: arrow keys, with Shift in large steps`, "aria-valuemin": -EDGE, "aria-valuemax": EDGE,
      onfocus: () => pick(i),
      onkeydown(/** @type {KeyboardEvent} */ event) {
        /** @type {Record<string, number[]>} */
        const moves = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };
        const move = moves[event.key];
        if (!move || event.altKey || event.ctrlKey || event.metaKey) return;
        event.preventDefault();
        set(i, now[i].map((x, j) => round(x + move[j] * (event.shiftKey ? 1 : 0.1))));
      },
      onpointerdown(/** @type {PointerEvent} */ event) {
        if (event.button) return;
        event.preventDefault();
        handles[i].setPointerCapture(event.pointerId);
        handles[i].focus({ preventScroll: true });
      },
      onpointermove(/** @type {PointerEvent} */ event) {
        if (!handles[i].hasPointerCapture(event.pointerId)) return;
        const { x, y } = pointed(event, picture);
        const entry = (/** @type {number} */ share) => round(((share * SIZE - SIZE / 2) / (SIZE / 2 - MARGIN)) * EDGE);
        set(i, [entry(x), -entry(y) + 0]);
      },
    }),
  );
  const field = h("div", { class: "la-plane-field" }, picture, ...handles);

  /** @param {number[][]} places @param {(index: number) => boolean} pale what steps back */
  function update(places, pale) {
    now = places;
    marks.forEach(({ ray, dot, text, group }, i) => {
      const [x, y] = [toPixels(places[i][0]), toPixels(-places[i][1])];
      alter(dot, { cx: x.toFixed(2), cy: y.toFixed(2) });
      alter(ray, { x2: x.toFixed(2), y2: y.toFixed(2) });
      const q = i ? [toPixels(places[0][0]), toPixels(-places[0][1])] : null;
      const free = (/** @type {number[] | null} */ disc) => SIDES.find(([dx, dy]) => isFree(x + dx, y + dy, disc));
      const [across, down] = free(q) ?? free(null) ?? SIDES[0];
      text.place({ x: x + across, y: y + down });
      group.classList.toggle("la-fm-pale", pale(i));
      handles[i].style.left = `${(100 * x) / SIZE}%`;
      handles[i].style.top = `${(100 * y) / SIZE}%`;
      alter(handles[i], { "aria-valuenow": places[i][0], "aria-valuetext": places[i].map(sign).join(" and ") });
    });
  }
  return { element: field, update };
}
