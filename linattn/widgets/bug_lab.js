// @ts-check
// The bug lab: switch on one fault of causal linear attention after the other, see which of four checks light up.
import { asks, known } from "./bug_lab_asks.js";
import { bench } from "./bug_lab_bench.js";
import { checks, measure, mutants } from "./bug_lab_math.js";
import { KEYS, LIMITS, decode, encode } from "./bug_lab_state.js";
import { DISTANCE, limit, say, sayAnswer, sayHunt, tables } from "./bug_lab_words.js";
import { h, iconButton, put } from "./dom.js";
import { shell } from "./shell.js";
import { stops } from "./stops.js";
import { readTraits, setTraits } from "./traits.js";
import { transport } from "./transport.js";

const BUGS = Object.keys(mutants);
const TOLERANCES = [1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9];
const upTo = (/** @type {number} */ most) => Array.from({ length: most }, (_, i) => i + 1);

/** A list of numbers to choose from; one that an author set between them joins them.
 * @param {string} label @param {number[]} values @param {(value: number) => void} set */
function choice(label, values, set) {
  const select = h("select", { class: "la-select", onchange: () => set(Number(select.value)) });
  return {
    element: h("label", { class: "la-labelled" }, h("span", { class: "la-label" }, label), select),
    update(/** @type {number} */ now) {
      const all = values.includes(now) ? values : [...values, now];
      if (select.options.length !== all.length) select.replaceChildren(...all.map((value) => h("option", { value }, limit(value))));
      select.value = String(now);
    },
  };
}

/** @param {{model: any, el: HTMLElement}} view */
export function render({ model, el }) {
  const snapshot = () => /** @type {Record<string, any>} */ (readTraits(model, KEYS));
  const start = snapshot();
  /** @type {string | null} */ let latest = null;
  /** Measured once for each choice of the numbers. @type {Map<string, Record<string, Record<string, number>>>} */ const measured = new Map();
  let shown = read(snapshot());

  /** Everything there is to draw, or to ask about, for these settings. @param {any} settings */
  function read(settings) {
    const { seed, sequences, n, d } = settings;
    const key = [seed, sequences, n, d].join();
    if (!measured.has(key)) measured.set(key, measure(seed, sequences, n, d));
    return { ...settings, distances: measured.get(key), docs: model.get("docs") };
  }

  const change = (/** @type {Record<string, any>} */ changes) => setTraits(model, changes);
  /** What a control does. @param {Record<string, any>} changes @param {string | null} [about] the bug that it is about */
  function act(changes, about = null) {
    bar.pause();
    latest = about;
    change(changes);
  }
  /** @param {string[]} all @param {string[]} some @param {string} name @param {boolean} on */
  const toggled = (all, some, name, on) => all.filter((one) => (one === name ? on : some.includes(one)));

  const frame = shell({
    el,
    model,
    title: "Bug lab",
    table: () => tables(shown),
    save: () => encode(snapshot()),
    restore: (text) => act(decode(text)),
    walk: () => tour,
    bar: () => bar,
  });
  const bar = transport({
    count: () => BUGS.length + 1,
    get: () => shown.on.length,
    describe: (index) => `${index} of ${BUGS.length} bugs switched on`,
    go(index) {
      latest = index > shown.on.length ? BUGS[index - 1] : null;
      change({ on: BUGS.slice(0, index) });
      redraw.now();
    },
    rest: 1500,
  });
  const rows = bench({
    turn: (name, on) => act({ on: toggled(BUGS, shown.on, name, on) }, on ? name : null),
    choose: (check, on) => act({ chosen: toggled(Object.keys(checks), shown.chosen, check, on), revealed: false }),
    inspect: (text) => frame.root.dispatchEvent(new CustomEvent("la-inspect", { detail: { text } })),
    docs: model.get("docs"),
  });
  const hunt = h("p", { class: "la-hunt", role: "status", "aria-live": "polite" });
  const answer = h("p", { class: "la-answer" });
  const reveal = h("button", { type: "button", class: "la-button la-reveal", onclick: () => act({ revealed: !shown.revealed }) });
  const numbers = {
    sequences: choice("sequences", [1, 2, 4, 8, 16, 32, 64], (sequences) => act({ sequences })),
    n: choice("tokens n", upTo(LIMITS.n[1]), (n) => act({ n })),
    d: choice("entries d", upTo(LIMITS.d[1]), (d) => act({ d })),
    tolerance: choice("tolerance", TOLERANCES, (tolerance) => act({ tolerance })),
  };
  const again = h("button", { type: "button", class: "la-button la-again", onclick: () => act({ seed: (shown.seed + 1) % (LIMITS.seed[1] + 1) }) }, "New numbers");
  const undo = iconButton("reset", "Reset everything", () => (act(start), tour.reset()));
  undo.append(h("span", {}, "reset"));
  const tour = stops(
    model.get("stops").map((/** @type {any} */ stop) => ({ ...start, ...stop })),
    (settings) => act(settings, settings.on.at(-1) ?? null),
    snapshot,
    {
      asks: Object.fromEntries(Object.entries(asks).map(([name, ask]) => [name, (/** @type {any} */ state) => ask(read(state))])),
      moot: (ask, state) => ["sequences", "n", "d", "tolerance", "seed"].every((key) => state[key] === shown[key]) && known[ask](state, shown),
      say: (text) => frame.say(text),
    },
  );

  function draw() {
    shown = read(snapshot());
    rows.update(shown);
    put(hunt, sayHunt(shown));
    put(answer, shown.revealed ? sayAnswer(shown) : "");
    put(reveal, shown.revealed ? "Hide the smallest set" : "Reveal the smallest set");
    reveal.setAttribute("aria-expanded", String(shown.revealed));
    for (const [key, control] of Object.entries(numbers)) control.update(/** @type {any} */ (shown)[key]);
    // Paper has no switches: with all of them off it shows the still.
    frame.root.classList.toggle("la-blank", !shown.on.length);
    return say(shown, latest);
  }

  const redraw = frame.redraws(KEYS, draw);

  frame.body.append(rows.element, h("p", { class: "la-note" }, `Each number: ${DISTANCE} at worst, of an output a and the b that the check wants.`), h("div", { class: "la-hunt-row" }, hunt, reveal, answer), bar.element);
  frame.controls.append(h("div", { class: "la-inputs" }, ...Object.values(numbers).map((control) => control.element), h("div", { class: "la-input-buttons" }, again, undo)));

  return frame.run();
}
