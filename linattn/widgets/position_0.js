// @ts-check
// Position 0: drag q_0 and see both factors change and cancel; the same query at position 1; what ε takes away.
import { toggle, views } from "./controls.js";
import { h, iconButton } from "./dom.js";
import { featureMaps } from "./attention.js";
import { asks } from "./position_0_asks.js";
import { chart } from "./position_0_chart.js";
import { LEAST, MAPS, MOST, farInput, readAt } from "./position_0_math.js";
import { epsControl, mapControl, pairSliders, xSlider } from "./position_0_controls.js";
import { queryPlane, valuePlane } from "./position_0_planes.js";
import { reading } from "./position_0_reading.js";
import { KEYS, decode, encode } from "./position_0_state.js";
import { say, sayPlace, tables } from "./position_0_words.js";
import { shell } from "./shell.js";
import { stops } from "./stops.js";
import { readTraits, setTraits } from "./traits.js";
import { transport } from "./transport.js";

/** @param {{model: any, el: HTMLElement}} view */
export function render({ model, el }) {
  const snapshot = () => readTraits(model, KEYS);
  const start = snapshot();
  const calm = matchMedia("(prefers-reduced-motion: reduce)");
  const walk = () => model.get("path");
  let shown = /** @type {any} */ (read());
  /** Where this drag began, and where the output has been in it. @type {any} */ let from = null;
  /** @type {number[][]} */ let trail = [];
  let timer = 0;

  /** Everything there is to draw, or null while the traits do not fit together (between two messages from Python). */
  function read() {
    const now = /** @type {any} */ (snapshot());
    if (now.q.length !== 1 || now.k.length !== 2 || now.v.length !== 2 || !MAPS.includes(now.feature_map)) return null;
    const input = { ...now, q: now.q[0] };
    const phi_k = input.k.map(featureMaps[now.feature_map]);
    if (now.view === "eps") {
      const far = farInput(input, now.x);
      return { ...input, ...readAt(far), phi_k, far, t: 0 };
    }
    return { ...input, ...readAt(input), phi_k, at: [0, 1].map((t) => readAt({ ...input, t })) };
  }

  const change = (/** @type {Record<string, any>} */ changes) => setTraits(model, changes);
  /** What a control other than the query's does. @param {Record<string, any>} changes */
  function act(changes) {
    bar.pause();
    [from, trail] = [null, []];
    change(changes);
  }
  /** A drag of the query begins. */
  function hold() {
    bar.pause();
    [from, trail] = [shown, [shown.out]];
  }
  /** The query goes somewhere. @param {number[]} q @param {Record<string, any>} [rest] */
  function move(q, rest = {}) {
    change({ ...rest, q: [q] });
    redraw.now();
  }

  const frame = shell({
    el,
    model,
    title: "Position 0",
    table: () => tables(shown),
    save: () => encode(snapshot(), start),
    restore: (text) => act(decode(text, start, walk().length)),
    walk: () => tour,
    bar: () => bar,
  });
  const bar = transport({
    count: () => (shown.view === "eps" ? MOST - LEAST + 1 : 2 * walk().length),
    get: () => (shown.view === "eps" ? Math.min(Math.max(Math.round(MOST - shown.x), 0), MOST - LEAST) : shown.t * walk().length + shown.step),
    describe: () => sayPlace(shown),
    async go(index, { animate, pace }) {
      if (shown.view === "eps") return change({ x: MOST - index });
      const n = walk().length;
      const t = Math.floor(index / n);
      // What a step did is told from where the query stood; another position is another read.
      [from, trail] = t === shown.t ? [shown, [...trail, shown.out].slice(-2 * n)] : [null, []];
      const glide = animate && !calm.matches;
      if (glide) frame.root.dataset.gliding = "true";
      move(walk()[index % n], { t, step: index % n });
      trail.push(shown.out);
      if (!glide) return;
      clearTimeout(timer);
      await new Promise((resolve) => (timer = window.setTimeout(resolve, 400 / pace)));
      delete frame.root.dataset.gliding;
    },
  });

  const tabs = views("What to look at", [["0", "Position 0"], ["1", "Position 1"], ["eps", "Bend it with ε"]], (value) =>
    act(value === "eps" ? { view: "eps" } : { view: "drag", t: Number(value) }),
  );
  const drag = (/** @type {number[]} */ q) => {
    move(q);
    trail.push(shown.out);
  };
  const query = queryPlane(drag, hold);
  const values = valuePlane();
  const sliders = pairSliders(drag, hold);
  const bend = chart((x) => act({ x }));
  const x = xSlider((to) => act({ x: to }));
  const follow = toggle("k₀ follows q₀", (on) => act({ follow: on }));
  const numbers = reading((name, i, j, value) => {
    const rows = model.get(name).map((/** @type {number[]} */ row) => [...row]);
    rows[i][j] = value;
    act({ [name]: rows });
    redraw.now();
  });
  const eps = epsControl((value) => act({ eps: value }));
  const map = mapControl((feature_map) => act({ feature_map }));
  const undo = iconButton("reset", "Reset everything", () => (act(start), tour.reset()));
  undo.append(h("span", {}, "reset"));
  const tour = stops(
    model.get("stops").map((/** @type {any} */ stop) => ({ ...start, ...stop })),
    act,
    snapshot,
    { asks, say: (text) => frame.say(text) },
  );

  function draw() {
    const now = read();
    if (!now) return null;
    shown = now;
    const bending = shown.view === "eps";
    frame.root.dataset.view = shown.view;
    for (const element of [query.element, sliders.element]) element.hidden = bending;
    for (const element of [bend.element, x.element, follow.element]) element.hidden = !bending;
    if (bending) {
      bend.update(shown);
      x.update(shown.x);
      follow.update(shown.follow);
    } else {
      query.update(shown);
      sliders.update(shown);
    }
    values.update(shown, bending ? [] : trail);
    numbers.update(shown);
    tabs.update(bending ? "eps" : String(shown.t));
    eps.update(shown.eps);
    map.update(shown.feature_map);
    return say(shown, from && from.t === shown.t && from.view === shown.view ? from : null);
  }

  const redraw = frame.redraws(KEYS, draw);

  frame.body.append(
    h("div", { class: "la-view-row" }, tabs.element, follow.element, undo),
    h("div", { class: "la-p0" }, query.element, sliders.element, bend.element, x.element, numbers.element, values.element),
    bar.element,
  );
  frame.controls.append(h("div", { class: "la-inputs la-p0-inputs" }, numbers.inputs, eps.element, map.element));

  return frame.run(() => clearTimeout(timer));
}
