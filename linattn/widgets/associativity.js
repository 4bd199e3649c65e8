// @ts-check
// Associativity: two orders of φ(Q) φ(K)ᵀ V drawn to scale and counted, run on small numbers, and met by a causal mask.
import { asks } from "./associativity_asks.js";
import { LEAST_N, MOST_N, crossover, products } from "./associativity_math.js";
import { productView } from "./associativity_product.js";
import { scaleView, size } from "./associativity_scale.js";
import { explanations, say, sayPlace, sameStep, stepCount, tables } from "./associativity_words.js";
import { decode, encode } from "./associativity_state.js";
import { logSlider, toggle, views } from "./controls.js";
import { count, h, iconButton } from "./dom.js";
import { shell } from "./shell.js";
import { stops } from "./stops.js";
import { readTraits, setTraits } from "./traits.js";
import { transport } from "./transport.js";

const KEYS = ["view", "n", "d_k", "d_v", "causal", "step", "phi_q", "phi_k", "v"];
const MOST_D = 1024;

/** @param {{model: any, el: HTMLElement}} view */
export function render({ model, el }) {
  const snapshot = () => readTraits(model, KEYS);
  const start = snapshot();
  const calm = matchMedia("(prefers-reduced-motion: reduce)");
  let shown = /** @type {import("./associativity_words.js").Shown} */ (read());

  /** Everything there is to draw, or null while the traits do not fit together (between two messages from Python). */
  function read() {
    const now = snapshot();
    const [tokens, d_k] = [now.phi_k.length, now.phi_k[0].length];
    if (now.phi_q.length !== tokens || now.v.length !== tokens || now.phi_q[0].length !== d_k) return null;
    now.step = Math.min(now.step, stepCount(/** @type {any} */ (now)) - 1);
    return { ...now, results: products(now.phi_q, now.phi_k, now.v) };
  }

  const change = (/** @type {Record<string, any>} */ changes) => setTraits(model, changes);
  /** What a control does. @param {Record<string, any>} changes */
  const act = (changes) => {
    bar.pause();
    change(changes);
  };

  const frame = shell({
    el,
    model,
    title: "Associativity",
    table: () => tables(shown),
    save: () => encode(snapshot(), start),
    restore: (text) => change(decode(text, start)),
    walk: () => walk,
    bar: () => bar,
  });
  const bar = transport({
    // In the view of the sizes a step doubles n; just above the least n, a step back leads to it.
    count: () => (shown.view === "scale" ? Math.log2(MOST_N / LEAST_N) + 1 : stepCount(shown)),
    get() {
      const doublings = Math.log2(shown.n / LEAST_N);
      return shown.view !== "scale" ? shown.step : doublings > 0 && doublings < 1 ? 1 : doublings;
    },
    describe: () => sayPlace(shown),
    async go(index, { animate, pace }) {
      if (shown.view === "scale") return change({ n: Math.min(Math.round(LEAST_N * 2 ** index), MOST_N) });
      change({ step: index });
      redraw.now();
      if (animate && !calm.matches) await drawing.play(shown, pace);
    },
  });
  const tabs = views("What to look at", [["scale", "Sizes and work"], ["numbers", "Small numbers"]], (view) => act({ view }));
  const scale = scaleView((n) => act({ n }));
  const sliders = [
    logSlider("n, tokens", LEAST_N, MOST_N, (n) => act({ n })),
    logSlider("d_k = d_φ, width of φ(q), φ(k)", 1, MOST_D, (d_k) => act({ d_k })),
    logSlider("d_v, width of v", 1, MOST_D, (d_v) => act({ d_v })),
  ];
  const derivation = h("p", { class: "la-derivation" });
  const mask = toggle("causal mask", (causal) => act({ causal, step: sameStep(shown.step, causal) }));
  const undo = iconButton("reset", "Reset everything", () => (act(start), walk.reset()));
  undo.append(h("span", {}, "reset"));
  const walk = stops(model.get("stops"), act, () => shown, { asks, say: (text) => frame.say(text) });
  let drawing = { sizes: "", ...build() };

  function build() {
    const sizes = { tokens: shown.phi_k.length, d_k: shown.phi_k[0].length, d_v: shown.v[0].length };
    return productView(sizes, explanations(() => shown), (name, i, j, value) => {
      const rows = shown[name].map((row) => [...row]);
      rows[i][j] = value;
      frame.remark(`${{ phi_q: "φ(Q)", phi_k: "φ(K)", v: "V" }[name]} has changed, and what follows from it.`);
      act({ [name]: rows });
      redraw.now();
    });
  }

  function draw() {
    const now = read();
    if (!now) return null;
    shown = /** @type {any} */ (now);
    const sizes = [shown.phi_k.length, shown.phi_k[0].length, shown.v[0].length].join();
    if (sizes !== drawing.sizes) {
      const next = { ...build(), sizes };
      drawing.element.replaceWith(next.element);
      drawing = next;
    }
    const inScale = shown.view === "scale";
    frame.root.dataset.view = shown.view;
    for (const element of [scale.element, inputs]) element.hidden = !inScale;
    for (const element of [drawing.element, mask.element]) element.hidden = inScale;
    if (inScale) scale.update(shown);
    else drawing.update(shown);
    tabs.update(shown.view);
    mask.update(shown.causal);
    sliders.forEach((slider, i) => slider.update([shown.n, shown.d_k, shown.d_v][i]));
    const { d_k, d_v } = shown;
    derivation.replaceChildren(
      ...["n²(", size("k"), " + ", size("v"), ") = 2·n·", size("k"), "·", size("v")],
      `  ⟹  n* = 2·${count(d_k)}·${count(d_v)} / (${count(d_k)} + ${count(d_v)}) = ${count(crossover(d_k, d_v))}`,
    );
    return say(shown);
  }

  const redraw = frame.redraws(KEYS, draw);

  const inputs = h("div", { class: "la-size-inputs" }, ...sliders.map((slider) => slider.element), derivation);
  frame.body.append(h("div", { class: "la-view-row" }, tabs.element, mask.element, undo), scale.element, inputs, drawing.element, bar.element);

  return frame.run(() => drawing.stop());
}
