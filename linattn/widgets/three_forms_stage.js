// @ts-check
// The drawing: query rows, key columns, a cell for each pair, the state beside it. A pair's cell shows its score, or the
// colour of S if the key reached the query through S.
import { FORMS, cost } from "./three_forms_math.js";
import { gap, soFar } from "./three_forms_words.js";
import { largest } from "./attention.js";
import { formatGap, h, symbol } from "./dom.js";
import { block } from "./matrix.js";

/** @typedef {import("./three_forms_words.js").Shown} Shown */

const MOVE_MS = 600;

/**
 * @param {{n: number, d_k: number, d_v: number, least?: number}} sizes and the least that a feature can be set to
 * @param {Record<string, (i: number, j: number) => string>} explain
 * @param {(name: "phi_q"|"phi_k"|"v", i: number, j: number, value: number) => void} set
 */
export function stage({ n, d_k, d_v, least }, explain, set) {
  const make = (/** @type {string} */ key, /** @type {string} */ name, /** @type {string} */ kind, /** @type {number[]} */ [rows, columns], /** @type {any} */ label, /** @type {any} */ more = {}) => {
    const made = block({ name, rows, columns, kind, label, explain: explain[key], ...more });
    made.element.classList.add(`la-in-${key}`);
    return made;
  };
  const B = {
    q: make("q", "φ(Q)", "q", [n, d_k], h("span", { class: "la-sym-q" }, "φ(Q)"), { signed: false, least, edit: (/** @type {number[]} */ ...x) => set("phi_q", x[0], x[1], x[2]) }),
    k: make("k", "φ(K) transposed", "k", [d_k, n], h("span", { class: "la-sym-k" }, "φ(K)ᵀ"), { signed: false, least, edit: (/** @type {number[]} */ ...x) => set("phi_k", x[1], x[0], x[2]) }),
    v: make("v", "V", "v", [n, d_v], h("span", { class: "la-sym-v" }, "V"), { edit: (/** @type {number[]} */ ...x) => set("v", x[0], x[1], x[2]) }),
    scores: make("scores", "scores", "tile", [n, n], "scores"),
    out: make("out", "out", "out", [n, d_v], h("span", { class: "la-sym-out" }, "out")),
    S: make("S", "S", "S", [d_k, d_v], symbol("S")),
    Z: make("Z", "Z", "Z", [d_k, 1], symbol("Z"), { signed: false }),
  };
  const stateNote = h("p", { class: "la-note" });
  const element = h(
    "div",
    { class: "la-forms-stage", "--columns": d_k + n + d_v, "--more": d_v + 1, "--rows": Math.max(n, d_k) + n },
    h("div", { class: "la-forms-grid" }, ...[B.k, B.v, B.q, B.scores, B.out].map((b) => b.element)),
    h("div", { class: "la-forms-state", role: "group", "aria-label": "State" }, h("div", { class: "la-forms-blocks" }, B.S.element, B.Z.element), stateNote),
  );
  /** @type {Animation[]} */ let moving = [];
  const stop = () => {
    for (const animation of moving) animation.cancel();
    moving = [];
  };

  /** Which token pairs, keys, queries the move on screen touches. @param {Shown} s */
  function touched({ frame: { move, via }, form }) {
    const { kind, from, to } = move;
    const inside = (/** @type {number} */ t) => t >= from && t < to;
    const pairs = ["scores", "mask", "out", "inside"].includes(kind);
    return {
      inside,
      pair: (/** @type {number} */ t, /** @type {number} */ i) => inside(t) && (pairs ? inside(i) && (kind !== "mask" || i > t) : (kind === "both" && inside(i)) || (["read", "both"].includes(kind) && via[t][i])),
      query: ["scores", "read", "inside", "both"].includes(kind),
      key: ["scores", "inside", "write"].includes(kind),
      value: ["out", "both", "write"].includes(kind),
      state: kind === "write" || kind === "read" || (kind === "both" && from > 0 && form === "chunks"),
    };
  }

  /** @param {Shown} s */
  function update(s) {
    stop();
    const { frame, form } = s;
    const on = touched(s);
    const features = largest([s.phi_q, s.phi_k]);
    const most = largest([s.v, s.results.matrix]);
    B.q.update({ values: s.phi_q, most: features });
    B.k.update({ values: s.phi_k[0].map((_, j) => s.phi_k.map((row) => row[j])), most: features });
    B.v.update({ values: s.v, most });
    B.scores.update({ values: /** @type {number[][]} */ (frame.scores), most: largest(s.phi_q.map((a) => s.phi_k.map((b) => a.reduce((sum, x, i) => sum + x * b[i], 0)))) });
    B.out.update({ values: /** @type {number[][]} */ (frame.out), most });
    const last = s.frames.at(-1) ?? frame;
    B.S.update({ values: form === "matrix" ? null : frame.S, most: largest(last.S) });
    B.Z.update({ values: form === "matrix" ? null : frame.Z.map((z) => [z]), most: largest(last.Z) });
    B.scores.mark("la-via-state", (t, i) => frame.via[t][i]);
    B.scores.mark("la-hidden-cell", (t, i) => i > t && frame.scores[t][i] === 0);
    B.scores.mark("la-unused", (t, i) => frame.scores[t][i] === null && !frame.via[t][i]);
    B.out.mark("la-unused", (t) => frame.out[t][0] === null);
    B.scores.mark("la-touched", on.pair);
    B.q.mark("la-touched", (t) => on.query && on.inside(t));
    B.k.mark("la-touched", (_, i) => on.key && on.inside(i));
    B.v.mark("la-touched", (i) => on.value && on.inside(i));
    B.out.mark("la-touched", (t) => ["out", "read", "both"].includes(frame.move.kind) && on.inside(t));
    for (const b of [B.S, B.Z]) b.mark("la-touched", () => on.state);
    stateNote.textContent = form === "matrix" ? "not needed" : `${s.d_k} × ${s.d_v} + ${s.d_k} numbers, whatever n is`;
  }

  /** The touched cells come up. @param {number} pace */
  async function play(pace) {
    const cells = [...element.querySelectorAll(".la-touched")];
    const ms = MOVE_MS / pace;
    moving = cells.map((cell, i) => cell.animate([{ opacity: 0.1 }, { opacity: 1 }], { duration: ms / 2, delay: (ms * i) / (2 * cells.length), fill: "backwards" }));
    await Promise.all(moving.map((animation) => animation.finished)).catch(() => {});
  }
  return { element, update, play, stop };
}

/** The three forms side by side: what each costs, and that they agree. */
export function comparison() {
  const rows = FORMS.map((form) => ({ form, heading: h("th", { scope: "row" }), cells: [1, 2, 3, 4].map(() => h("td", {})) }));
  const lines = rows.map(({ heading, cells }) => h("tr", {}, heading, ...cells));
  const titles = ["form", "multiply-adds", "numbers kept", "steps in a row", "out differs from matrix by"];
  const element = h(
    "div",
    { class: "la-scroll la-forms-costs", tabindex: 0, role: "region", "aria-label": "The three forms compared" },
    h("table", { class: "la-numbers" }, h("thead", {}, h("tr", {}, ...titles.map((title) => h("th", { scope: "col" }, title)))), h("tbody", {}, ...lines)),
  );
  /** @param {Shown} s */
  function update(s) {
    rows.forEach(({ form, heading, cells }, i) => {
      const { total, kept, waits } = cost(form, s.n, s.d_k, s.d_v, s.chunk_size);
      const here = form === s.form;
      const difference = gap(s, form);
      heading.textContent = form === "chunks" ? `chunks of ${s.chunk_size}` : form;
      [here ? `${soFar(s)} of ${total}` : String(total), String(kept), String(waits), formatGap(difference, 1)].forEach((text, j) => (cells[j].textContent = text));
      if (here) lines[i].setAttribute("aria-current", "true");
      else lines[i].removeAttribute("aria-current");
    });
  }
  return { element, update };
}
