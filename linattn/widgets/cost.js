// @ts-check
// What attention costs: formulas on log axes for any sizes, their crossings, and measurements beside them.
import { logSlider, views } from "./controls.js";
import { chart } from "./cost_chart.js";
import { BYTES, LEAST_N, MOST_N, FORMS, costs, crossings } from "./cost_math.js";
import { FORMULAS, KEYS, LIMITS, MODELS, NAMES, TITLES, amount, decode, encode, say, tables } from "./cost_words.js";
import { h, iconButton } from "./dom.js";
import { shell } from "./shell.js";
import { stops } from "./stops.js";
import { readTraits, redrawing, setTraits } from "./traits.js";
import { transport } from "./transport.js";

const LENGTHS = Array.from({ length: Math.log2(MOST_N / LEAST_N) + 1 }, (_, i) => LEAST_N * 2 ** i);
/** The form that each of the benchmark's contenders is. @type {Record<string, string>} */
const CONTENDERS = { "softmax (SDPA)": "fused", "all pairs": "kernel", recurrence: "recurrence", linattn: "chunks" };
/** @type {Record<string, string>} */
const LABELS = { d: "entries of a head, d", layers: "layers", heads: "heads", kv_heads: "key/value heads", batch: "batch", chunk: "chunk size C" };
/** Which sizes a view depends on. @type {Record<string, string[]>} */
const USES = { work: ["d", "layers", "heads", "batch", "chunk"], memory: ["d", "heads", "batch", "chunk", "dtype"], decoding: ["d", "layers", "heads", "kv_heads", "batch", "dtype"], time: [] };

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
    return { here, lines, crossings: crossings(now.view, now) };
  }

  /** The dots, and the formulas at the speed of the chunkwise form's longest run. @param {any} now */
  function timed(now) {
    const { d, heads } = now.measurements[0];
    const sizes = { ...now, d, heads, batch: 1, layers: 1 };
    const longest = now.measurements.filter((/** @type {any} */ run) => run.ms.linattn).sort((/** @type {any} */ a, /** @type {any} */ b) => b.n - a.n)[0];
    const speed = costs("work", { ...sizes, n: longest.n }).chunks / longest.ms.linattn.median;
    const at = (/** @type {number} */ n) => costs("work", { ...sizes, n });
    const lines = Object.entries(CONTENDERS).map(([contender, name]) => ({
      name,
      points: LENGTHS.map((n) => /** @type {[number, number]} */ ([n, at(n)[name] / speed])),
      dots: now.measurements.flatMap((/** @type {any} */ { n, ms }) => (ms[contender] ? [{ n, ...ms[contender] }] : [])),
    })).filter(({ dots }) => dots.length);
    const here = Object.fromEntries(lines.map(({ name }) => [name, at(now.n)[name] / speed]));
    return { here, lines, crossings: [] };
  }

  const change = (/** @type {Record<string, any>} */ changes) => setTraits(model, changes);
  /** @param {Record<string, any>} changes */
  function act(changes) {
    bar.pause();
    change(changes);
  }
  /** Heads change together with those for keys and values where they no longer divide. @param {string} key @param {number} x */
  function resize(key, x) {
    const next = { ...snapshot(), [key]: x };
    if (next.heads % next.kv_heads) Object.assign(next, key === "heads" ? { kv_heads: x } : { heads: x });
    act({ heads: next.heads, kv_heads: next.kv_heads, [key]: x });
  }

  const frame = shell({
    el,
    model,
    title: "Cost",
    table: () => tables(shown),
    save: () => encode(snapshot(), start),
    restore: (text) => act(decode(text, start, measurements().length > 0)),
    key: (event) => tour.key(event) || bar.key(event),
  });
  const bar = transport({
    count: () => LENGTHS.length,
    get: () => Math.floor(Math.log2(shown.n / LEAST_N)),
    describe: () => `n = ${shown.n.toLocaleString("en-US")}`,
    go(index) {
      change({ n: LENGTHS[index] });
      redraw.now();
    },
  });

  const choices = /** @type {[string, string][]} */ ([["work", "Multiply-adds"], ["memory", "Memory"], ["decoding", "Decoding"], ...(measurements().length ? [["time", "Measured time"]] : [])]);
  const tabs = views("What to count", choices, (value) => act({ view: value }));
  const picture = chart((n) => act({ n }));
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
  );

  function draw() {
    shown = read();
    const { view, n, here, lines } = shown;
    tabs.update(view);
    picture.update({ n, title: TITLES[view], lines, crossings: shown.crossings });
    const order = view === "decoding" ? Object.keys(here) : FORMS.filter((name) => name in here);
    list.replaceChildren(...order.map((name) => h("div", { class: "la-cost-row" },
      h("dt", {}, h("span", { class: `la-cost-swatch la-cost-${name}` }), NAMES[name]),
      h("dd", { class: "la-cost-formula" }, FORMULAS[view === "time" ? "work" : view][name]),
      h("dd", { class: "la-cost-value" }, amount(view, here[name])))));
    length.update(n);
    for (const { key, element, update } of sliders) {
      update(shown[key]);
      element.hidden = !USES[view].includes(key);
    }
    dtype.value = shown.dtype;
    dtypes.hidden = !USES[view].includes("dtype");
    const known = MODELS.findIndex(({ sizes }) => Object.entries(sizes).every(([key, x]) => shown[key] === x));
    models.value = known < 0 ? "" : String(known);
    source.textContent = known < 0 ? "" : `as published: ${MODELS[known].source}`;
    examples.hidden = view === "time";
    tour.update();
    bar.update();
    frame.say(say(shown));
    frame.refresh();
    frame.settle();
  }

  const redraw = redrawing(model, KEYS, draw);

  frame.body.append(h("div", { class: "la-view-row" }, tabs.element, undo), picture.element, list, tour.element, bar.element);
  frame.controls.append(h("div", { class: "la-recall-inputs" }, length.element, ...sliders.map(({ element }) => element), h("div", { class: "la-view-row la-cost-choices" }, examples, dtypes)));
  redraw.now();
  frame.start();

  return () => {
    redraw.stop();
    bar.pause();
    frame.destroy();
  };
}
