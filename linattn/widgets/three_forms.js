// @ts-check
// Three forms of one causal linear attention on the same tokens: the matrix, the recurrence, and chunks of any size.
import { asks } from "./three_forms_asks.js";
import { FORMS, plan, run } from "./three_forms_math.js";
import { comparison, stage } from "./three_forms_stage.js";
import { explanations, say, sayPlace, tables } from "./three_forms_words.js";
import { views } from "./controls.js";
import { h, iconButton } from "./dom.js";
import { readRows, same, whole, writeRows } from "./rows.js";
import { shell } from "./shell.js";
import { stops } from "./stops.js";
import { readTraits, setTraits } from "./traits.js";
import { transport } from "./transport.js";

const KEYS = ["tokens", "phi_q", "phi_k", "v", "form", "chunk_size", "step", "eps"];
const MATRICES = ["phi_q", "phi_k", "v"];
const LABELS = { phi_q: "φ(Q)", phi_k: "φ(K)", v: "V" };

/** @param {{model: any, el: HTMLElement}} view */
export function render({ model, el }) {
  const snapshot = () => readTraits(model, KEYS);
  const start = snapshot();
  const calm = matchMedia("(prefers-reduced-motion: reduce)");
  let shown = /** @type {import("./three_forms_words.js").Shown} */ (read());

  /** Everything there is to draw, or null while the traits do not fit together (between two messages from Python). */
  function read() {
    const now = snapshot();
    const n = now.tokens.length;
    if (MATRICES.some((key) => now[key].length !== n) || now.phi_q[0].length !== now.phi_k[0].length) return null;
    const chunk_size = Math.min(now.chunk_size, n);
    const all = Object.fromEntries(FORMS.map((form) => [form, run(form, chunk_size, now.phi_q, now.phi_k, now.v, now.eps)]));
    const frames = all[now.form];
    const step = Math.min(now.step, frames.length - 1);
    const results = Object.fromEntries(FORMS.map((form) => [form, all[form].at(-1)?.out]));
    return { ...now, n, d_k: now.phi_k[0].length, d_v: now.v[0].length, chunk_size, step, frames, frame: frames[step], results };
  }

  const change = (/** @type {Record<string, any>} */ changes) => setTraits(model, changes);
  /** What a control does. @param {Record<string, any>} changes */
  const act = (changes) => {
    bar.pause();
    change(changes);
  };
  /** Another form or chunk size begins at its start, or, if all was done, shows that all is done again. @param {Record<string, any>} changes */
  function reform(changes) {
    const { form, chunk_size } = { ...shown, ...changes };
    const done = shown.step === shown.frames.length - 1;
    act({ ...changes, step: done ? plan(form, shown.n, chunk_size).length - 1 : 0 });
  }

  const frame = shell({
    el,
    model,
    title: "Three forms",
    table: () => tables(shown),
    save() {
      const parameters = new URLSearchParams({ form: shown.form, C: String(shown.chunk_size), step: String(shown.step) });
      for (const key of MATRICES) if (!same(model.get(key), start[key])) parameters.set(key, writeRows(model.get(key)));
      return parameters.toString();
    },
    restore(text) {
      const parameters = new URLSearchParams(text);
      const form = parameters.get("form") ?? "";
      if (!FORMS.includes(form)) throw new Error("form");
      const chunk_size = whole(parameters, "C", 1, shown.n);
      const step = whole(parameters, "step", 0, plan(form, shown.n, chunk_size).length - 1);
      const read = (/** @type {string} */ key) => (parameters.has(key) ? readRows(/** @type {string} */ (parameters.get(key)), start[key]) : start[key]);
      change({ ...Object.fromEntries(MATRICES.map((key) => [key, read(key)])), form, chunk_size, step });
    },
    walk: () => walk,
    bar: () => bar,
  });
  const bar = transport({
    count: () => shown.frames.length,
    get: () => shown.step,
    describe: () => sayPlace(shown),
    async go(step, { animate, pace }) {
      change({ step });
      redraw.now();
      if (animate && !calm.matches) await drawing.play(pace);
    },
  });
  const forms = views("Form", FORMS.map((form) => /** @type {[string, string]} */ ([form, form])), (form) => reform({ form }));
  const size = h("input", { type: "range", class: "la-range", min: 1, step: 1, "aria-label": "chunk size", oninput: () => reform({ chunk_size: Number(size.value) }) });
  const sizeText = h("span", { class: "la-label", "aria-hidden": "true" });
  const sizes = h("label", { class: "la-chunk-size" }, sizeText, size);
  const undo = iconButton("reset", "Reset everything", () => (act(start), walk.reset()));
  undo.append(h("span", {}, "reset"));
  const costs = comparison();
  const walk = stops(
    model.get("stops").map((/** @type {any} */ stop) => ({ chunk_size: start.chunk_size, ...stop })),
    // A stop that names no step is about a computation from its start.
    ({ step = 0, ...settings }) => act({ ...settings, step }),
    () => shown,
    { asks, say: (text) => frame.say(text) },
  );
  let drawing = { sizes: "", ...build() };

  function build() {
    // φ is positive, unless its author had it otherwise.
    const least = [start.phi_q, start.phi_k].flat(2).some((x) => x < 0) ? undefined : 0;
    return stage({ ...shown, least }, explanations(() => shown), (name, i, j, value) => {
      const rows = shown[name].map((row) => [...row]);
      rows[i][j] = value;
      frame.remark(`${LABELS[name]} has changed, and every form with it.`);
      act({ [name]: rows });
      redraw.now();
    });
  }

  function draw() {
    const now = read();
    if (!now) return null;
    shown = /** @type {any} */ (now);
    const fits = [shown.n, shown.d_k, shown.d_v].join();
    if (fits !== drawing.sizes) {
      const next = { ...build(), sizes: fits };
      drawing.element.replaceWith(next.element);
      drawing = next;
    }
    drawing.update(shown);
    forms.update(shown.form);
    sizes.hidden = shown.form !== "chunks";
    size.max = String(shown.n);
    size.value = String(shown.chunk_size);
    sizeText.textContent = `chunk size ${shown.chunk_size}`;
    costs.update(shown);
    // Paper has no steps: before the first of them it shows the still, if that has these numbers.
    frame.root.classList.toggle("la-blank", shown.step === 0 && ["chunk_size", ...MATRICES].every((key) => same(shown[/** @type {"v"} */ (key)], start[key])));
    return say(shown);
  }

  const redraw = frame.redraws(KEYS, draw);

  frame.body.append(h("div", { class: "la-view-row" }, forms.element, sizes, undo), drawing.element, bar.element);
  frame.controls.append(costs.element);

  return frame.run(() => drawing.stop());
}
