// @ts-check
// What attention costs: formulas on log axes for any sizes, their crossings, and measurements beside them.
import { logSlider, views } from "./controls.js";
import { asks } from "./cost_asks.js";
import { chart } from "./cost_chart.js";
import { BYTES, LEAST_N, MOST_N, FORMS, costs, crossings, nearestShared, nextShared } from "./cost_math.js";
import { KEYS, LIMITS, MEASURED, MODELS, NAMES, TITLES, amount, decode, encode, factor, formulas, modelOf, say, tables } from "./cost_words.js";
import { count, format, h, iconButton, note, times } from "./dom.js";
import { shell } from "./shell.js";
import { stops } from "./stops.js";
import { readTraits, setTraits } from "./traits.js";
import { transport } from "./transport.js";

/** n from step to step, and the few that the axis names. */
const LENGTHS = Array.from({ length: Math.log2(MOST_N / LEAST_N) + 1 }, (_, i) => LEAST_N * 2 ** i);
const TICKS = LENGTHS.filter((_, i) => i % 4 === 0);
/** @type {Record<string, string>} */
const LABELS = { d: "entries of a head, d", layers: "layers", heads: "heads", kv_heads: "key/value heads", batch: "batch", chunk: "chunk size C" };
/** Which sizes a view depends on. @type {Record<string, string[]>} */
const USES = { work: ["d", "layers", "heads", "kv_heads", "batch", "chunk"], memory: ["d", "heads", "kv_heads", "batch", "chunk", "dtype"], decoding: ["d", "layers", "heads", "kv_heads", "batch", "dtype"], time: [] };

/** @param {{model: any, el: HTMLElement}} view */
export function render({ model, el }) {
  const snapshot = () => readTraits(model, KEYS);
  const start = snapshot();
  const measurements = () => model.get("measurements");
  let shown = read();

  function read() {
    const now = /** @type {any} */ ({ ...snapshot(), measurements: measurements() });
    return now.view === "time" ? { ...now, ...timed(now) } : { ...now, ...counted(now) };
  }

  /** @param {any} now */
  function counted(now) {
    const here = costs(now.view, now);
    const lines = Object.keys(here).map((name) => ({ name, points: LENGTHS.map((n) => /** @type {[number, number]} */ ([n, costs(now.view, { ...now, n })[name]])) }));
    return { here, lines, crossings: crossings(now.view, now), lengths: LENGTHS, ticks: TICKS, formulas: formulas(now.view, now), factor: factor(now.view, now) };
  }

  /** What was measured at the length nearest to n; the dots, and the formulas at the speed of the chunkwise form's longest run. @param {any} now */
  function timed(now) {
    const runs = [...now.measurements].sort((a, b) => a.n - b.n);
    const far = (/** @type {{n: number}} */ run) => Math.abs(Math.log(run.n / now.n));
    const run = runs.reduce((best, one) => (far(one) < far(best) ? one : best));
    const longest = runs.findLast(({ ms }) => ms.linattn);
    const { d, heads, chunk = now.chunk } = longest;
    const sizes = { ...now, d, heads, kv_heads: heads, chunk, batch: 1, layers: 1 };
    const at = (/** @type {number} */ n) => costs("work", { ...sizes, n });
    const speed = at(longest.n).chunks / longest.ms.linattn.median;
    const lines = Object.entries(MEASURED).map(([contender, name]) => ({
      name,
      points: runs.map(({ n }) => /** @type {[number, number]} */ ([n, at(n)[name] / speed])),
      dots: runs.flatMap(({ n, ms }) => (ms[contender] ? [{ n, ...ms[contender] }] : [])),
    })).filter(({ dots }) => dots.length);
    const here = Object.fromEntries(Object.entries(MEASURED).flatMap(([contender, name]) => (run.ms[contender] ? [[name, run.ms[contender].median]] : [])));
    const lengths = runs.map(({ n }) => n);
    return {
      n: run.n, here, formula: (/** @type {string} */ name) => at(run.n)[name] / speed, lines, crossings: [], lengths, ticks: lengths,
      formulas: formulas("work", { ...sizes, n: run.n }),
      factor: `d = ${d}, C = ${chunk}; a line is its formula${heads > 1 ? ` × ${heads} heads` : " for one head"} at ${format(speed)} multiply-adds a millisecond`,
    };
  }

  const change = (/** @type {Record<string, any>} */ changes) => setTraits(model, changes);
  /** @param {Record<string, any>} changes */
  function act(changes) {
    bar.pause();
    change(changes);
  }
  // Key/value heads as they were before the heads began to change, and as they had to become then: back comes what was.
  let wanted = start.kv_heads;
  let made = wanted;
  /** The heads become what is asked for, and those for keys and values what divides them; that is said. @param {string} key @param {number} x */
  function resize(key, x) {
    const { heads, kv_heads } = snapshot();
    if (key !== "heads" && key !== "kv_heads") return act({ [key]: x });
    if (kv_heads !== made) wanted = kv_heads;
    const next = key === "heads" ? { heads: x, kv_heads: (made = nearestShared(x, wanted)) } : { heads, kv_heads: nextShared(heads, kv_heads, x) };
    act(next);
    if (next.kv_heads === (key === "heads" ? kv_heads : x)) return;
    // What was moved or typed may be far from what it is now.
    queueMicrotask(redraw.now);
    note(frame.root, `Key/value heads must divide the ${next.heads} heads: ${next.kv_heads} now.`);
  }

  const frame = shell({
    el,
    model,
    title: "Cost",
    table: () => tables(shown),
    save: () => encode(snapshot(), start),
    restore: (text) => act(decode(text, start, measurements().length > 0)),
    walk: () => tour,
    bar: () => bar,
  });
  const bar = transport({
    count: () => shown.lengths.length,
    get: () => shown.lengths.findLastIndex((/** @type {number} */ n) => n <= shown.n),
    describe: () => `n = ${count(shown.n)}`,
    go(index) {
      change({ n: shown.lengths[index] });
      redraw.now();
    },
  });

  const choices = /** @type {[string, string][]} */ ([["work", "Multiply-adds"], ["memory", "Memory"], ["decoding", "Decoding"], ...(measurements().length ? [["time", "Measured time"]] : [])]);
  const tabs = views("What to count", choices, (value) => act({ view: value }));
  const picture = chart((n) => act({ n }));
  const factors = h("p", { class: "la-note la-cost-factor" });
  const list = h("dl", { class: "la-cost-list" });
  const length = logSlider("tokens n", LEAST_N, MOST_N, (n) => act({ n }));
  const sliders = Object.entries(LABELS).map(([key, label]) => ({ key, ...logSlider(label, LIMITS[key][0], LIMITS[key][1], (x) => resize(key, x)) }));
  const dtype = h("select", { class: "la-select", onchange: () => act({ dtype: dtype.value }) }, ...Object.keys(BYTES).map((name) => h("option", { value: name }, name)));
  const dtypes = h("label", { class: "la-labelled" }, h("span", { class: "la-label" }, "number format"), dtype);
  const source = h("span", { class: "la-note" });
  const models = h("select", { class: "la-select", onchange: () => models.value !== "" && act(MODELS[Number(models.value)].sizes) }, h("option", { value: "", disabled: true }, "your own"), ...MODELS.map(({ name }, i) => h("option", { value: i }, name)));
  const examples = h("label", { class: "la-labelled" }, h("span", { class: "la-label" }, "sizes of"), models, source);
  const undo = iconButton("reset", "Reset everything", () => (act(start), tour.reset()));
  undo.append(h("span", {}, "reset"));

  const tour = stops(
    model.get("stops").map((/** @type {any} */ stop) => ({ ...start, ...stop })),
    act,
    snapshot,
    { asks, say: (text) => frame.say(text) },
  );

  function draw() {
    shown = read();
    const { view, n, here } = shown;
    frame.root.dataset.view = view;
    tabs.update(view);
    picture.update({ ...shown, title: `${TITLES[view]}${here.softmax ? "; the masked kernel (dotted) lies on softmax (the band)" : ""}` });
    factors.textContent = shown.factor;
    const order = view === "decoding" ? Object.keys(here) : FORMS.filter((name) => name in here);
    list.replaceChildren(...order.map((name) => h("div", { class: "la-cost-row" },
      h("dt", {}, h("span", { class: `la-cost-swatch la-cost-${name}`, style: name === "softmax" && "border-top-width: 0.5em; opacity: 0.5" }), NAMES[name]),
      h("dd", { class: "la-cost-formula" }, shown.formulas[name]),
      h("dd", { class: "la-cost-value" }, amount(view, here[name]), view === "time" && h("span", { class: "la-cost-times" }, `${times(here[name] / shown.formula(name))} × its line`)))));
    length.update(n);
    length.element.hidden = view === "time";
    for (const { key, element, update } of sliders) {
      update(shown[key]);
      element.hidden = !USES[view].includes(key);
    }
    dtype.value = shown.dtype;
    dtypes.hidden = !USES[view].includes("dtype");
    const known = modelOf(shown);
    models.value = known < 0 ? "" : String(known);
    source.textContent = known < 0 ? "" : `as published: ${MODELS[known].source}`;
    examples.hidden = view === "time";
    return say(shown);
  }

  const redraw = frame.redraws(KEYS, draw);

  frame.body.append(h("div", { class: "la-view-row" }, tabs.element, undo), h("div", { class: "la-cost" }, picture.element, h("div", {}, factors, list)), bar.element);
  frame.controls.append(h("div", { class: "la-recall-inputs" }, length.element, ...sliders.map(({ element }) => element), h("div", { class: "la-view-row la-cost-choices" }, examples, dtypes)));

  return frame.run();
}
