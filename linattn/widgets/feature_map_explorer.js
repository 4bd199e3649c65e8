// @ts-check
// Feature maps: φ and its slope along one entry, the kernel of a pair, and the weights of a row against softmax's.
import { views } from "./controls.js";
import { h, iconButton, put } from "./dom.js";
import { asks } from "./feature_map_explorer_asks.js";
import { LEAST, MAPS, MOST, MOST_M, SEEDS, TURNS, alongEntry, labelOf, radiusOf, readRow, turnOf, turned } from "./feature_map_explorer_math.js";
import { curveView, planeView } from "./feature_map_explorer_views.js";
import { decode, encode, say, sayPlace, tables } from "./feature_map_explorer_words.js";
import { shell } from "./shell.js";
import { stops } from "./stops.js";
import { readTraits, setTraits } from "./traits.js";
import { transport } from "./transport.js";

/** @typedef {import("./feature_map_explorer_math.js").State} State */
/** @typedef {import("./feature_map_explorer_words.js").Shown} Shown */

const KEYS = ["view", "feature_map", "m", "seed", "x", "pair", "q", "k"];
/** One step along x. */
const STRIDE = 0.5;

/** @param {{model: any, el: HTMLElement}} view */
export function render({ model, el }) {
  const directions = model.get("directions");
  const snapshot = () => /** @type {State} */ (readTraits(model, KEYS));
  const start = snapshot();
  let shown = read();
  let radius = radiusOf(shown.q[0]);
  let turning = false;

  /** @returns {Shown} */
  function read() {
    const now = snapshot();
    // Between two messages from Python the pair may point past the last key.
    now.pair = Math.min(now.pair, now.k.length - 1);
    return { ...now, directions, along: alongEntry(now, directions, now.x), row: readRow(now, directions) };
  }

  const change = (/** @type {Record<string, any>} */ changes) => setTraits(model, changes);
  /** What a control does. @param {Record<string, any>} changes */
  function act(changes) {
    bar.pause();
    change(changes);
    redraw.now();
  }

  const frame = shell({
    el,
    model,
    title: "Feature maps",
    table: () => tables(shown),
    save: () => encode(snapshot(), start),
    restore: (text) => act(decode(text, start)),
    walk: () => walk,
    bar: () => bar,
  });
  const bar = transport({
    count: () => (shown.view === "curve" ? (MOST - LEAST) / STRIDE + 1 : TURNS),
    get: () => (shown.view === "curve" ? Math.round((shown.x - LEAST) / STRIDE) : turnOf(shown.q[0])),
    describe: () => sayPlace(shown),
    go(index) {
      turning = true;
      change(shown.view === "curve" ? { x: LEAST + STRIDE * index } : { q: [turned(radius, index / TURNS)] });
      redraw.now();
      turning = false;
    },
  });
  const tabs = views("What to look at", [["curve", "One entry"], ["pair", "One pair"], ["row", "One row"]], (view) => act({ view }));
  const select = h("select", { class: "la-select", onchange: () => act({ feature_map: select.value }) }, ...MAPS.map((name) => h("option", { value: name }, labelOf(name))));
  const choice = h("label", { class: "la-labelled" }, h("span", { class: "la-label" }, "feature map φ"), select);
  const slider = (/** @type {string} */ label, /** @type {string} */ key, /** @type {number} */ least, /** @type {number} */ most) => {
    const range = h("input", { type: "range", class: "la-range", min: least, max: most, step: 1, "aria-label": label, oninput: () => act({ [key]: Number(range.value) }) });
    const name = h("span", { class: "la-label", "aria-hidden": "true" });
    return {
      element: h("div", { class: "la-labelled" }, name, range),
      update(/** @type {number} */ value) {
        range.value = String(value);
        put(name, `${label} = ${value}`);
      },
    };
  };
  const count = slider("m, number of features", "m", 1, MOST_M);
  const seed = slider("seed of W", "seed", 0, SEEDS - 1);
  const random = h("div", { class: "la-fm-random" }, count.element, seed.element);
  const undo = iconButton("reset", "Reset everything", () => (act(start), walk.reset()));
  undo.append(h("span", {}, "reset"));
  const walk = stops(model.get("stops"), act, () => shown, { asks, say: (text) => frame.say(text) });

  const curve = curveView(() => shown, (x) => act({ x: Math.min(Math.max(x, LEAST), MOST) }));
  const build = () => ({
    n: shown.k.length,
    ...planeView(shown.k.length, () => shown, {
      q: (x) => act({ q: [x] }),
      k: (i, x) => act({ k: shown.k.map((old, j) => (i === j ? x : old)), pair: i }),
      pick: (i) => shown.view === "pair" && i !== shown.pair && act({ pair: i }),
    }),
  });
  let field = build();

  function draw() {
    const { q } = shown;
    shown = read();
    if (!turning && JSON.stringify(q) !== JSON.stringify(shown.q)) radius = radiusOf(shown.q[0]);
    if (field.n !== shown.k.length) {
      const next = build();
      field.element.replaceWith(next.element);
      field = next;
    }
    const inCurve = shown.view === "curve";
    frame.root.dataset.view = shown.view;
    curve.element.hidden = !inCurve;
    field.element.hidden = inCurve;
    if (inCurve) curve.update(shown);
    else field.update(shown);
    tabs.update(shown.view);
    select.value = shown.feature_map;
    random.hidden = shown.feature_map !== "positive_random_features";
    count.update(shown.m);
    seed.update(shown.seed);
    return say(shown);
  }

  const redraw = frame.redraws(KEYS, draw);

  frame.body.append(h("div", { class: "la-view-row" }, tabs.element, undo), h("div", { class: "la-fm-choice" }, choice, random), curve.element, field.element, bar.element);

  return frame.run();
}
