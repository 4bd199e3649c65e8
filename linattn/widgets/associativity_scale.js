// @ts-check
// Both orders drawn to one scale, and their multiply-adds as lines that cross.
import { LEAST_N, MOST_N, costs, crossover, scheme } from "./associativity_math.js";
import { count, h, inK, pointed, powersOfTen, svg } from "./dom.js";

const [WIDTH, HEIGHT] = [340, 270];
/** Room for the names around the matrices, and the gap between two of them. */
const [LEFT, TOP, RIGHT, BOTTOM, GAP] = [18, 20, 62, 22, 5];
/** What would be thinner is drawn this thin. */
const HAIR = 2;

/** d_k and d_v as the formulas write them. @param {string} of */
export const size = (of) => h("span", { class: "la-symbol" }, h("i", {}, "d"), h("sub", {}, h("i", {}, of)));

/** Push marks apart until neighbours are `room` apart, from the first on. @param {{at: number}[]} marks @param {number} room */
function spread(marks, room) {
  marks.sort((a, b) => a.at - b.at);
  marks.forEach((mark, i) => {
    if (i) mark.at = Math.max(mark.at, marks[i - 1].at + room);
  });
}

/** @param {"left"|"right"} order */
function drawing(order) {
  const picture = svg("svg", { class: "la-falk", viewBox: `0 0 ${WIDTH} ${HEIGHT}`, "aria-hidden": "true" });

  /** @param {number} n @param {number} d_k @param {number} d_v */
  function update(n, d_k, d_v) {
    const [a, b] = [scheme("left", n, d_k, d_v), scheme("right", n, d_k, d_v)];
    const across = (WIDTH - LEFT - RIGHT - 2 * GAP) / Math.max(a.width, b.width);
    const scale = Math.min(across, (HEIGHT - TOP - BOTTOM - 2 * GAP) / Math.max(a.height, b.height));
    const { parts } = order === "left" ? a : b;
    /** @type {{at: number, name: string, kind: string, y: number, hangs?: boolean}[]} */ const below = [];
    /** @type {{at: number, name: string, kind: string, x: number}[]} */ const beside = [];
    const boxes = parts.map(({ name, kind, x, y, columns, rows, column, row }) => {
      const box = { x: LEFT + x * scale + column * GAP, y: TOP + y * scale + row * GAP, width: Math.max(columns * scale, HAIR), height: Math.max(rows * scale, HAIR) };
      const middle = box.x + box.width / 2;
      // Above a narrow φ(K)ᵀ there is V in the right order, so its name stands left of it, or where that is outside, ends above it.
      const atEdge = box.x - 30 < 22;
      if (kind === "k" && box.width < 44) below.push({ name, kind, ...(atEdge ? { at: box.x + box.width - 28, y: box.y - 6 } : { at: box.x - 30, y: box.y + box.height / 2 + 4 }) });
      else if (kind === "k") below.push({ at: middle, name, kind, y: box.y - 6 });
      else if (kind === "q" || (kind === "scores" && box.width < 80)) below.push({ at: middle, name, kind, y: box.y + box.height + 4, hangs: true });
      else if (kind !== "scores") beside.push({ at: box.y + box.height / 2 + 4, name, kind, x: box.x + box.width + 7 });
      const title = svg("title", {}, `${name}: ${count(rows)} × ${count(columns)}`);
      const inside = kind === "scores" && box.width >= 80 && svg("text", { class: "la-falk-inside", x: middle, y: box.y + box.height / 2 + 4 }, name);
      return svg("g", { "data-symbol": kind }, svg("rect", { ...box, rx: Math.min(3, box.width / 3, box.height / 3), class: `la-fill-${kind}` }, title), inside);
    });
    // As far apart as the type of a phone asks, which is larger in the drawing's units.
    spread(beside, 22);
    const [q, scores] = below.filter(({ hangs }) => hangs);
    if (scores && scores.at - Math.max(q.at, 22) < 68) {
      // Aside, or where there is no room, a line lower: such a flat drawing leaves some.
      if (scores.at - 68 >= 22) q.at = scores.at - 68;
      else q.y += 26;
    }
    picture.replaceChildren(
      ...boxes,
      ...below.map(({ at, name, kind, y, hangs }) => svg("text", { class: `la-falk-below la-sym-${kind}`, "dominant-baseline": hangs && "text-before-edge", x: hangs ? Math.max(at, 22) : at, y }, name)),
      ...beside.map(({ at, name, kind, x }) => svg("text", { class: `la-sym-${kind}`, x, y: at }, name)),
    );
  }
  return { picture, update };
}

/** @param {"left"|"right"} order @param {string} title */
function panel(order, title) {
  const { picture, update } = drawing(order);
  const work = h("strong", {});
  const sum = h("span", { class: "la-note" });
  const between = h("strong", {});
  const shape = h("span", { class: "la-note" });
  const element = h(
    "figure",
    { class: `la-order la-order-${order}` },
    h("figcaption", { class: "la-order-title" }, title),
    picture,
    h("dl", {}, h("dt", {}, "multiply-adds"), h("dd", {}, work, sum), h("dt", {}, "largest intermediate"), h("dd", {}, between, shape)),
  );
  return {
    element,
    /** @param {number} n @param {number} d_k @param {number} d_v */
    update(n, d_k, d_v) {
      const cost = costs(n, d_k, d_v)[order];
      update(n, d_k, d_v);
      work.textContent = count(cost.total);
      sum.textContent = `= ${count(cost.first)} + ${count(cost.second)}`;
      between.textContent = count(cost.between);
      shape.replaceChildren("= ", ...(order === "left" ? [h("i", {}, "n"), " × ", h("i", {}, "n")] : [size("k"), " × ", size("v")]));
    },
  };
}

/** The lengths that the chart names. */
const TICKS = [4, 16, 64, 256, 1024, 4096, 16384, 65536];
const share = (/** @type {number} */ n) => Math.log2(n / LEAST_N) / Math.log2(MOST_N / LEAST_N);

/** The lines of both costs over n; pointing at it sets n. @param {(n: number) => void} set */
function chart(set) {
  const line = (/** @type {string} */ kind) => svg("line", { class: `la-chart-${kind}` });
  const [left, right, star, now] = ["left", "right", "star", "now"].map(line);
  const label = (/** @type {string} */ kind, /** @type {string} */ text) => h("span", { class: `la-chart-label la-chart-label-${kind}` }, text);
  const names = { left: label("left", "(φ(Q)φ(K)ᵀ)V"), right: label("right", "φ(Q)(φ(K)ᵀV)"), star: label("star", "") };
  const dots = { left: h("span", { class: "la-dot la-dot-left" }), right: h("span", { class: "la-dot la-dot-right" }) };
  const grid = svg("g");
  const side = h("div", {});
  const ticks = TICKS.map((n) => h("span", { class: "la-chart-tick", style: `left: ${100 * share(n)}%` }, inK(n)));
  const plot = h("div", { class: "la-chart-plot" }, svg("svg", { viewBox: "0 0 100 100", preserveAspectRatio: "none" }, grid, star, now, left, right), side, ...ticks, ...Object.values(names), ...Object.values(dots));
  const element = h("div", { class: "la-chart", "aria-hidden": "true" }, h("span", { class: "la-note" }, "multiply-adds over n, both axes logarithmic"), plot);

  const drag = (/** @type {PointerEvent} */ event) => {
    if (!event.buttons) return;
    const at = Math.min(Math.max(pointed(event, plot).x, 0), 1);
    set(Math.round(LEAST_N * (MOST_N / LEAST_N) ** at));
  };
  plot.addEventListener("pointerdown", (/** @type {PointerEvent} */ event) => {
    plot.setPointerCapture(event.pointerId);
    drag(event);
  });
  plot.addEventListener("pointermove", drag);

  /** @param {number} n @param {number} d_k @param {number} d_v */
  function update(n, d_k, d_v) {
    const [low, high] = [LEAST_N, MOST_N].map((m) => costs(m, d_k, d_v));
    const bottom = Math.log(Math.min(low.left.total, low.right.total));
    const top = Math.log(Math.max(high.left.total, high.right.total));
    const height = (/** @type {number} */ x) => (94 * (Math.log(x) - bottom)) / (top - bottom) + 3;
    const place = (/** @type {any} */ element, /** @type {number[]} */ [x1, y1, x2, y2]) => Object.entries({ x1, y1, x2, y2 }).forEach(([key, x]) => element.setAttribute(key, x.toFixed(2)));
    const [least, most] = [Math.ceil(bottom / Math.LN10), Math.floor(top / Math.LN10)];
    const step = Math.max(Math.ceil((most - least) / 4), 1);
    const powers = Array.from({ length: Math.floor((most - least) / step) + 1 }, (_, i) => least + i * step);
    const heights = powers.map((power) => 100 - height(10 ** power));
    grid.replaceChildren(...heights.map((y) => svg("line", { class: "la-grid", x1: 0, x2: 100, y1: y.toFixed(2), y2: y.toFixed(2) })));
    side.replaceChildren(...powersOfTen(powers).map((text, i) => h("span", { class: "la-chart-tick la-chart-tick-side", style: `top: ${heights[i].toFixed(2)}%` }, text)));
    place(left, [0, 100 - height(low.left.total), 100, 100 - height(high.left.total)]);
    place(right, [0, 100 - height(low.right.total), 100, 100 - height(high.right.total)]);
    const cross = crossover(d_k, d_v);
    const at = 100 * share(cross);
    place(star, [at, 0, at, 100]);
    place(now, [100 * share(n), 0, 100 * share(n), 100]);
    star.toggleAttribute("hidden", at < 0);
    names.star.textContent = `${at < 0 ? "← " : ""}n* = ${count(cross)}`;
    // Far right it stands left of its mark, out of the way of the other name.
    names.star.style.left = `${Math.max(at, 0)}%`;
    names.star.style.translate = at > 33 ? "-100%" : "";
    // Below where its line is two thirds of the way: on a phone the name takes the last third, and the line rises.
    names.right.style.top = `${100 - height(low.right.total) - (2 / 3) * (height(high.right.total) - height(low.right.total))}%`;
    const cost = costs(n, d_k, d_v);
    for (const order of /** @type {("left"|"right")[]} */ (["left", "right"])) {
      dots[order].style.left = `${100 * share(n)}%`;
      dots[order].style.bottom = `${height(cost[order].total)}%`;
    }
  }
  return { element, update };
}

/** The view of the sizes. @param {(n: number) => void} set */
export function scaleView(set) {
  const panels = [panel("left", "(φ(Q) φ(K)ᵀ) V"), panel("right", "φ(Q) (φ(K)ᵀ V)")];
  const lines = chart(set);
  const element = h("div", { class: "la-scale" }, h("div", { class: "la-orders" }, ...panels.map((p) => p.element)), lines.element);
  return {
    element,
    /** @param {{n: number, d_k: number, d_v: number}} shown */
    update({ n, d_k, d_v }) {
      for (const part of [...panels, lines]) part.update(n, d_k, d_v);
    },
  };
}
