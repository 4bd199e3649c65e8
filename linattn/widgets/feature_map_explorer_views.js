// @ts-check
// The three views of the feature-map widget: one entry, one pair, one row.
import { sub } from "./explorer_words.js";
import { format, h, put, symbol } from "./dom.js";
import { DEAD_UP_TO, EDGE, JUMP_AT, LEAST, MOST, NEGATIVE_UP_TO, alongEntry, isEntrywise, length, radiusOf, readRow, turned } from "./feature_map_explorer_math.js";
import { plane } from "./feature_map_explorer_plane.js";
import { plot, weightBars } from "./feature_map_explorer_plots.js";
import { keysSeen } from "./feature_map_explorer_words.js";
import { block } from "./matrix.js";

/** @typedef {import("./feature_map_explorer_words.js").Shown} Shown */

/** φ and φ′ over x. @param {() => Shown} get @param {(x: number) => void} set */
export function curveView(get, set) {
  /** @type {[number, string][]} */ const ticks = [-4, -2, 0, 2, 4].map((x) => [x, String(x).replace("-", "−")]);
  const drag = (/** @type {number} */ x) => set(Math.round(10 * x) / 10 + 0);
  const options = { x: [LEAST, MOST], xNames: ticks, drag };
  const [features, slopes] = [plot("φ(x)", options), plot("φ′(x), the slope: what passes a gradient on", options)];
  const input = block({ name: "x", rows: 1, columns: 1, label: "x", limit: MOST, edit: (_, __, x) => set(x), explain: () => `x = ${get().x}: type, drag sideways, or ↑ ↓` });
  const phi = block({ name: "φ(x)", rows: 1, columns: 1, explain: () => `φ(x) = ${format(value("phi"), 6)}` });
  const slope = block({ name: "φ′(x)", rows: 1, columns: 1, explain: () => `φ′(x) = ${format(value("slope"), 6)}` });
  /** @param {"phi"|"slope"} key */
  const value = (key) => (isEntrywise(get().feature_map) ? get().along[key][0] : length(get().along[key]));
  const range = h("input", { type: "range", class: "la-range", min: LEAST, max: MOST, step: 0.1, "aria-label": "x", oninput: () => set(Number(range.value)) });
  const element = h(
    "div", { class: "la-fm-curves" }, features.element, slopes.element,
    h("div", { class: "la-fm-x" }, h("span", { class: "la-label", "aria-hidden": "true" }, "x"), range),
    h("div", { class: "la-fm-cells" }, input.element, phi.element, slope.element),
  );

  /** @param {Shown} s */
  function update(s) {
    const { x, along } = s;
    const alone = isEntrywise(s.feature_map);
    features.range(-2, 5);
    slopes.range(-2, 5);
    const [dead, negative] = [DEAD_UP_TO[s.feature_map], NEGATIVE_UP_TO[s.feature_map]];
    if (dead !== undefined) for (const one of [features, slopes]) one.zone(LEAST, dead);
    if (negative !== undefined) features.zone(LEAST, negative);
    const kind = alone ? "map" : "thin";
    const [left, right] = [LEAST, MOST].map((end) => (end + 0 === x ? x : end));
    for (const i of along.phi.keys()) {
      features.curve(kind, (at) => alongEntry(s, s.directions, at).phi[i], 80);
      slopes.curve(kind, (at) => alongEntry(s, s.directions, at).slope[i], 80, JUMP_AT[s.feature_map]);
    }
    const total = (/** @type {number[]} */ y) => (alone ? y[0] : length(y));
    if (!alone) {
      features.curve("map", (at) => length(alongEntry(s, s.directions, at).phi), 80);
      slopes.curve("map", (at) => length(alongEntry(s, s.directions, at).slope), 80);
    }
    const [here, steep] = [total(along.phi), total(along.slope)];
    if (alone) {
      const reach = 0.8 / Math.hypot(1, steep);
      features.segment("tangent", Math.max(x - reach, left), here - (x - Math.max(x - reach, left)) * steep, Math.min(x + reach, right), here + (Math.min(x + reach, right) - x) * steep);
    }
    // The gradient that arrives: a bar as tall as the slope.
    slopes.segment("gradient", x, 0, x, steep);
    features.dot("dot-map", x, here);
    slopes.dot(steep === 0 ? "dot-dead" : "dot-map", x, steep);
    if (dead !== undefined) slopes.write("dead zone: φ′ = 0", -3.85, 4.4);
    if (negative !== undefined) features.write("negative: φ < 0", -3.85, 4.4);
    put(features.caption, alone ? "φ(x)" : "φ(x, 0): each feature, and their length");
    put(slopes.caption, alone ? "φ′(x), the slope: what passes a gradient on" : "slopes of the features, and their length");
    range.value = String(x);
    range.setAttribute("aria-valuetext", String(x).replace("-", "−"));
    input.update({ values: [[x]], most: MOST });
    phi.update({ values: [[here]], most: 5, label: alone ? "φ(x)" : "‖φ‖", name: alone ? "φ(x)" : "length of φ" });
    slope.update({ values: [[steep]], most: 5, label: alone ? "φ′(x)" : "‖φ′‖", name: alone ? "slope φ′(x)" : "length of the slopes" });
  }
  return { element, update };
}

/**
 * The plane, with one pair's kernel or one row's weights beside it.
 * @param {number} n keys @param {() => Shown} get
 * @param {{q: (x: number[]) => void, k: (i: number, x: number[]) => void, pick: (i: number) => void}} set
 */
export function planeView(n, get, set) {
  const keys = Array.from({ length: n }, (_, i) => i);
  const points = [{ name: "q", kind: /** @type {"q"} */ ("q") }, ...keys.map((i) => ({ name: `k${sub(i)}`, kind: /** @type {"k"} */ ("k") }))];
  const field = plane(points, (i, x) => (i ? set.k(i - 1, x) : set.q(x)), (i) => i && set.pick(i - 1));
  const edited = (/** @type {number[]} */ row, /** @type {number} */ j, /** @type {number} */ x) => row.map((old, at) => (at === j ? x : old));
  const q = block({ name: "q", rows: 2, columns: 1, kind: "q", label: symbol("q"), limit: EDGE, edit: (i, _, x) => set.q(edited(get().q[0], i, x)), explain: (i) => `q[${i}] = ${get().q[0][i]}: type, drag sideways, or ↑ ↓; ← → go on` });
  const k = block({ name: "k, one column a key", rows: 2, columns: n, kind: "k", label: symbol("k"), limit: EDGE, edit: (i, j, x) => set.k(j, edited(get().k[j], i, x)), explain: (i, j) => `k${sub(j)}[${i}] = ${get().k[j][i]}: type, drag sideways, or ↑ ↓; ← → go on` });

  const line = plot("", { x: [-1.5, 1.5], xNames: [[-1, "c = −1"], [0, "0"], [1, "c = 1"]], height: 230 });
  const ratio = block({ name: "kernel of the pair", rows: 1, columns: 1, kind: "out", label: "φ(q)·φ(k)", explain: () => `φ(q)·φ(k${sub(get().pair)}) = ${format(get().row.kernel[get().pair], 6)}` });
  const power = block({ name: "exponential", rows: 1, columns: 1, label: "exp(q·k/√d)", explain: () => `exp(q·k${sub(get().pair)}/√2) = exp(${format(get().row.scaled[get().pair], 4)}) = ${format(get().row.exp[get().pair], 6)}` });
  const pair = h("div", { class: "la-fm-pair" }, line.element, h("div", { class: "la-fm-cells" }, ratio.element, power.element));

  const bars = weightBars(keys.map((i) => `k${sub(i)}`));
  const cells = (/** @type {string} */ name, /** @type {any} */ options) => block({ name, rows: 1, columns: n, ...options });
  const scores = cells("scores φ(q)·φ(k)", { kind: "tile", explain: (/** @type {number} */ _, /** @type {number} */ i) => `φ(q)·φ(k${sub(i)}) = ${format(get().row.kernel[i], 6)}` });
  const weights = cells("weights", { kind: "out", explain: (/** @type {number} */ _, /** @type {number} */ i) => `weight on k${sub(i)} = ${format(get().row.kernel[i], 4)} / ${format(get().row.denominator, 4)} = ${format(get().row.weights[i], 6)}; softmax ${format(get().row.softmax[i], 6)}` });
  const soft = cells("softmax weights", { explain: (/** @type {number} */ _, /** @type {number} */ i) => `softmax weight on k${sub(i)} = ${format(get().row.softmax[i], 6)}` });
  const denominator = block({ name: "denominator", rows: 1, columns: 1, kind: "Z", explain: () => `denominator = Σ φ(q)·φ(kᵢ) = φ(q)·Z = ${format(get().row.denominator, 6)}` });
  const entropies = { softmax: told("la-fm-soft", "softmax"), map: told("la-sym-out", "this map") };
  const around = plot("", { x: [0, 360], xNames: [[0, "0°"], [90, "90°"], [180, "180°"], [270, "270°"], [360, "360°"]], height: 130, symbol: "Z", drag: (angle) => set.q(turned(radiusOf(get().q[0]), angle / 360)) });
  const label = (/** @type {any} */ ...text) => h("span", { class: "la-fm-name", "aria-hidden": "true" }, ...text);
  const row = h(
    "div", { class: "la-fm-row" },
    h(
      "div", { class: "la-fm-numbers", "--keys": n },
      h("p", { class: "la-note la-fm-legend", "aria-hidden": "true" }, h("span", { class: "la-fm-key la-fm-key-softmax" }), "softmax ", h("span", { class: "la-fm-key la-fm-key-map" }), "this map"),
      bars.element,
      label("softmax"), soft.element, label("φ(q)·φ(k)"), scores.element, label("sum, ", h("span", { class: "la-sym-Z" }, "φ(q)·Z")), denominator.element, label(h("span", { class: "la-sym-out" }, "weights")), weights.element,
    ),
    h("div", { class: "la-fm-entropies" }, entropies.softmax.element, entropies.map.element),
  );
  around.element.classList.add("la-fm-turn");
  /** Whether its caption tells of denominators below 0. @type {boolean | undefined} */ let below;
  const element = h("div", { class: "la-fm-plane" }, h("div", { class: "la-fm-left" }, field.element, h("div", { class: "la-fm-cells" }, q.element, k.element)), pair, row, around.element);

  /** @param {Shown} s */
  function update(s) {
    const inPair = s.view === "pair";
    element.classList.toggle("la-fm-in-pair", inPair);
    field.update([s.q[0], ...s.k], (i) => inPair && i > 0 && i - 1 !== s.pair);
    q.update({ values: s.q[0].map((x) => [x]), most: EDGE });
    k.update({ values: [0, 1].map((j) => s.k.map((x) => x[j])), most: EDGE });
    k.mark("la-linked", (_, j) => inPair && j === s.pair);
    pair.hidden = !inPair;
    row.hidden = around.element.hidden = inPair;
    if (inPair) drawPair(s);
    else drawRow(s);
  }

  /** @param {Shown} s */
  function drawPair(s) {
    const [kernel, exp] = [s.row.kernel[s.pair], s.row.exp[s.pair]];
    const at = (/** @type {number} */ c) => readRow({ ...s, k: [s.k[s.pair]] }, s.directions, s.q[0].map((x) => c * x));
    const kernels = [-1.5, -1, -0.5, 0, 0.5, 1, 1.5].map((c) => at(c).kernel[0]);
    const [least, most] = [Math.min(...kernels), Math.max(...kernels)];
    // All of the map's curve, unless that would press the two dots onto the axis.
    const top = Math.max(1.5 * kernel, 1.5 * exp, 2);
    const high = Math.min(Math.max(top, Math.min(1.05 * most, 3 * top)), 1e6);
    line.range(Math.max(Math.min(least, 0), -high), high);
    line.caption.replaceChildren("the query made c times as long: ", h("span", { class: "la-sym-out" }, "φ(cq)·φ(k", h("sub", {}, String(s.pair)), ")"), " and ", h("span", {}, "exp(c q·k", h("sub", {}, String(s.pair)), "/√d)"));
    line.curve("soft", (c) => at(c).exp[0], 60);
    line.curve("out", (c) => at(c).kernel[0], 60);
    line.dot("dot-soft", 1, exp);
    line.dot("dot-out", 1, kernel);
    ratio.update({ values: [[kernel]], most: Math.max(Math.abs(kernel), exp) });
    power.update({ values: [[exp]], most: Math.max(Math.abs(kernel), exp) });
  }

  /** An entropy, and a bar as long as the share of the keys that an even spread of it covers.
   * @param {string} color @param {string} who */
  function told(color, who) {
    const [text, meter] = [new Text(), h("span", { class: "la-fm-meter" })];
    return {
      element: h("p", { class: color }, text, meter),
      /** @param {number | null} entropy @param {number[]} row */
      update(entropy, row) {
        const found = entropy === null ? row.some((a) => a < 0) ? "none, as some weights are negative" : "none, as nothing is read" : `${format(entropy, 3)} (looks at ${keysSeen(entropy)} of ${n} keys)`;
        text.data = `entropy of ${who}: ${found}`;
        meter.style.setProperty("--share", String(entropy === null ? 0 : Math.exp(entropy) / n));
      },
    };
  }

  /** @param {Shown} s */
  function drawRow(s) {
    const r = s.row;
    bars.update(r.softmax, r.weights);
    soft.update({ values: [r.softmax], most: 1 });
    scores.update({ values: [r.kernel], most: Math.max(...r.kernel.map(Math.abs), 1e-9) });
    weights.update({ values: [r.weights], most: Math.max(...r.weights.map(Math.abs), 1) });
    denominator.update({ values: [[r.denominator]], most: Math.max(Math.abs(r.denominator), 1) });
    entropies.softmax.update(r.softmaxEntropy, r.softmax);
    entropies.map.update(r.entropy, r.weights);
    // As far out as q itself, even where q stands in a corner and could not be dragged all the way around.
    const radius = Math.max(length(s.q[0]), radiusOf(s.q[0]));
    const angles = Array.from({ length: 73 }, (_, i) => 5 * i);
    const found = angles.map((angle) => readRow(s, s.directions, turned(radius, angle / 360)).denominator);
    const [low, high] = [Math.min(...found, r.denominator, 0), Math.max(...found, r.denominator, 1e-3)];
    around.range(low, high);
    if (below !== (below = low < 0))
      around.caption.replaceChildren(h("span", { class: "la-sym-Z" }, "the denominator φ(q)·Z"), " while q turns around 0", h("span", { class: "la-verb" }, "; drag"), ...(below ? [". ", h("span", { class: "la-fm-below" }, "Shaded: below 0.")] : []));
    if (low < 0) around.zone(0, 360, low, 0);
    around.curve("Z", (angle) => found[Math.round(angle / 5)], 72);
    const angle = ((Math.atan2(s.q[0][1], s.q[0][0]) * 180) / Math.PI + 360) % 360;
    around.dot(r.denominator <= 0 ? "dot-dead" : "dot-Z", angle, r.denominator);
  }
  return { element, update };
}
