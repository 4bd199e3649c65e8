// @ts-check
// Recall: write random pairs into S one by one, read every pair back, and see what a state of this size holds.
import { logSlider, toggle, views } from "./controls.js";
import { h, iconButton, put, symbol } from "./dom.js";
import { block } from "./matrix.js";
import { asks } from "./recall_asks.js";
import { D_V, RULES, recall } from "./recall_math.js";
import { bars, curve } from "./recall_plots.js";
import { KEYS, RULE_NAMES, decode, encode, say, tables } from "./recall_words.js";
import { shell } from "./shell.js";
import { stops } from "./stops.js";
import { readTraits, setTraits } from "./traits.js";
import { transport } from "./transport.js";

/** A rate from 0 to 1. @param {string} label @param {(x: number) => void} set */
function rate(label, set) {
  const range = h("input", { type: "range", class: "la-range", min: 0, max: 1, step: 0.01, "aria-label": label, oninput: () => set(Number(range.value)) });
  const number = h("output", { class: "la-slider-number", "aria-hidden": "true" });
  const element = h("div", { class: "la-log-slider" }, h("span", { class: "la-label", "aria-hidden": "true" }, label), range, number);
  /** @param {number} x */
  function update(x) {
    range.value = String(x);
    put(number, x.toFixed(2));
  }
  return { element, update };
}

/** @param {{model: any, el: HTMLElement}} view */
export function render({ model, el }) {
  const snapshot = () => readTraits(model, KEYS);
  const start = snapshot();
  const pairs = () => model.get("pairs");
  let made = "";
  /** @type {any} */ let all;
  let shown = read();

  /** Everything there is to draw; computed again only when the pairs or the rule are others. */
  function read() {
    const now = /** @type {any} */ ({ ...snapshot(), pairs: pairs() });
    now.m = Math.min(now.m, now.pairs);
    const setting = JSON.stringify({ ...now, m: 0, pair: 0 });
    if (setting !== made) [all, made] = [recall(now), setting];
    now.pair = Math.min(now.pair, Math.max(now.m - 1, 0));
    return { ...now, ...all, here: all.steps[now.m] };
  }

  const change = (/** @type {Record<string, any>} */ changes) => setTraits(model, changes);
  /** @param {Record<string, any>} changes */
  function act(changes) {
    bar.pause();
    change(changes);
  }

  const frame = shell({
    el,
    model,
    title: "Recall",
    table: () => tables(shown),
    save: () => encode(snapshot(), start),
    restore: (text) => act(decode(text, start, pairs())),
    walk: () => tour,
    bar: () => bar,
  });
  const bar = transport({
    count: () => shown.pairs + 1,
    get: () => shown.m,
    describe: (m) => `${m} ${m === 1 ? "pair" : "pairs"} written`,
    go(m) {
      change({ m });
      // The transport asks where it is before the queued drawing runs.
      redraw.now();
    },
    rest: 350,
  });

  const rules = views("How a pair is written", RULES.map((rule) => [rule, RULE_NAMES[/** @type {"sum"} */ (rule)]]), (rule) => act({ rule }));
  const formula = h("p", { class: "la-recall-formula" });
  const each = bars((pair) => pair < shown.m && act({ pair }));
  const over = curve((m) => act({ m }));
  const written = block({ name: "v written", rows: 1, columns: D_V, kind: "v" });
  const back = block({ name: "v read back", rows: 1, columns: D_V, kind: "out" });
  const choice = h("input", { type: "range", class: "la-range", min: 0, step: 1, "aria-label": "Pair looked at", oninput: () => act({ pair: Number(choice.value) }) });
  const size = logSlider("features d_φ", 2, 32, (d_phi) => act({ d_phi }));
  const gamma = rate("decay γ", (x) => act({ gamma: x }));
  const beta = rate("rate β", (x) => act({ beta: x }));
  const orthogonal = toggle("keys at right angles", (on) => act({ orthogonal: on }));
  const rewrite = toggle("pair 1 has the key of pair 0", (on) => act({ rewrite: on }));
  const seed = h("input", { type: "number", class: "la-text la-recall-seed", min: 0, max: 9999, step: 1, "aria-label": "Seed", onchange: seeded });
  const undo = iconButton("reset", "Reset everything", () => (act(start), tour.reset()));
  undo.append(h("span", {}, "reset"));

  function seeded() {
    const x = Math.round(Number(seed.value));
    const fits = seed.value !== "" && x >= 0 && x <= 9999;
    if (fits) act({ seed: x });
    else frame.say(`A seed is from 0 to 9999: ${model.get("seed")} is kept.`);
    seed.value = String(model.get("seed"));
  }

  const tour = stops(
    model.get("stops").map((/** @type {any} */ stop) => ({ ...start, ...stop })),
    act,
    () => ({ ...snapshot(), pairs: pairs() }),
    { asks, say: (text) => frame.say(text) },
  );

  const letter = (/** @type {"S"|"k"|"v"} */ name) => symbol(name);
  /** The rule in symbols. @param {string} rule */
  function written_as(rule) {
    if (rule === "sum") return [letter("S"), " ← ", letter("S"), " + ", letter("k"), letter("v"), "ᵀ"];
    if (rule === "decay") return [letter("S"), " ← γ", letter("S"), " + ", letter("k"), letter("v"), "ᵀ"];
    return [letter("S"), " ← ", letter("S"), " + β", letter("k"), "(", letter("v"), " − ", letter("S"), "ᵀ", letter("k"), ")ᵀ"];
  }

  function draw() {
    shown = read();
    const { m, pair, values, here } = shown;
    if (formula.dataset.rule !== shown.rule) formula.replaceChildren(...written_as(shown.rule));
    formula.dataset.rule = shown.rule;
    rules.update(shown.rule);
    each.update(shown);
    over.update(shown);
    written.update({ values: m ? [values[pair]] : null, label: symbol("v", m ? pair : "i"), name: `v ${pair} written` });
    back.update({ values: m ? [here.back[pair]] : null, label: h("span", { class: "la-symbol" }, letter("S"), "ᵀ", symbol("k", m ? pair : "i")), name: `read with k ${pair}` });
    choice.max = String(Math.max(m - 1, 0));
    choice.value = String(pair);
    // One pair leaves no choice.
    choice.parentElement.hidden = m < 2;
    choice.setAttribute("aria-valuetext", m ? `pair ${pair}` : "none yet");
    size.update(shown.d_phi);
    gamma.update(shown.gamma);
    beta.update(shown.beta);
    gamma.element.hidden = shown.rule !== "decay";
    beta.element.hidden = shown.rule !== "delta";
    orthogonal.update(shown.orthogonal);
    rewrite.update(shown.rewrite);
    seed.value = String(shown.seed);
    // Paper has no steps: before the first of them it shows the still.
    frame.root.classList.toggle("la-blank", m === 0);
    return say(shown);
  }

  const redraw = frame.redraws([...KEYS, "pairs"], draw);

  frame.body.append(
    h("div", { class: "la-view-row" }, rules.element, formula, undo),
    h("div", { class: "la-recall" }, each.element, over.element),
    h("div", { class: "la-recall-pair" }, written.element, back.element, h("label", { class: "la-labelled" }, h("span", { class: "la-label" }, "pair looked at"), choice)),
    bar.element,
  );
  frame.controls.append(
    h("div", { class: "la-recall-inputs" }, size.element, gamma.element, beta.element,
      h("div", { class: "la-view-row" }, orthogonal.element, rewrite.element, h("label", { class: "la-switch" }, "seed", seed))),
  );

  return frame.run();
}
