// @ts-check
// Both orders on small numbers: each product stands right of its first factor and below its second.
import { LAST_PLAIN, phaseOf } from "./associativity_words.js";
import { differs, transpose } from "./associativity_math.js";
import { largest } from "./attention.js";
import { h, symbol } from "./dom.js";
import { block } from "./matrix.js";

/** @typedef {import("./associativity_words.js").Shown} Shown */

const MOVE_MS = 700;

/** Without the last digits, which rounding makes: two equal entries must also read alike where they end in a 5. @param {number[][]} rows */
const legible = (rows) => rows.map((row) => row.map((x) => Number(x.toPrecision(12))));

/**
 * @param {{tokens: number, d_k: number, d_v: number}} sizes
 * @param {Record<string, (i: number, j: number) => string>} explain
 * @param {(name: "phi_q"|"phi_k"|"v", i: number, j: number, value: number) => void} set
 */
export function productView({ tokens, d_k, d_v }, explain, set) {
  const make = (/** @type {string} */ key, /** @type {string} */ name, /** @type {string} */ kind, /** @type {number[]} */ [rows, columns], /** @type {any} */ label, /** @type {any} */ more = {}) => {
    const made = block({ name, rows, columns, kind, label, explain: explain[key], ...more });
    made.element.classList.add(`la-in-${key.replace(/^(left|right)_/, "")}`);
    return made;
  };
  const inputs = (/** @type {string} */ side) => ({
    q: make(`${side}_q`, "φ(Q)", "q", [tokens, d_k], h("span", { class: "la-sym-q" }, "φ(Q)"), { signed: false, explain: explain.q, edit: (/** @type {number[]} */ ...x) => set("phi_q", x[0], x[1], x[2]) }),
    k: make(`${side}_k`, "φ(K) transposed", "k", [d_k, tokens], h("span", { class: "la-sym-k" }, "φ(K)ᵀ"), { signed: false, explain: explain.k, edit: (/** @type {number[]} */ ...x) => set("phi_k", x[1], x[0], x[2]) }),
    v: make(`${side}_v`, "V", "v", [tokens, d_v], h("span", { class: "la-sym-v" }, "V"), { explain: explain.v, edit: (/** @type {number[]} */ ...x) => set("v", x[0], x[1], x[2]) }),
  });
  const left = {
    ...inputs("left"),
    scores: make("scores", "scores", "tile", [tokens, tokens], "scores"),
    out: make("left_out", "out, scores first", "out", [tokens, d_v], h("span", { class: "la-sym-out" }, "out")),
  };
  const right = {
    ...inputs("right"),
    S: make("S", "S", "S", [d_k, d_v], symbol("S")),
    out: make("right_out", "out, S first", "out", [tokens, d_v], h("span", { class: "la-sym-out" }, "out")),
  };
  const titles = [h("div", { class: "la-order-title" }), h("div", { class: "la-order-title" })];
  const verdict = h("div", { class: "la-verdict", "aria-hidden": "true" });
  const undivided = h("span", {});
  const side = (/** @type {number} */ i, /** @type {any} */ blocks, /** @type {string} */ name) =>
    h("div", { class: `la-product la-product-${name}`, role: "group", "aria-label": i ? "S first" : "scores first" }, titles[i], h("div", { class: "la-product-grid" }, ...Object.values(blocks).map((b) => b.element)));
  const element = h(
    "div",
    { class: "la-products", "--rows": tokens, "--columns-left": d_k + tokens + d_v, "--columns-right": Math.max(tokens, d_k) + d_v },
    side(0, left, "left"),
    verdict,
    side(1, right, "right"),
    h("p", { class: "la-note" }, h("span", { class: "la-sym-out" }, "out"), " here: ", undivided),
  );

  /** @type {Animation[]} */ let moving = [];
  const stop = () => {
    for (const animation of moving) animation.cancel();
    moving = [];
  };

  /** @param {Shown} s */
  function update(s) {
    stop();
    const { causal, step, results } = s;
    const { phase, t } = phaseOf(s);
    const reached = (/** @type {number} */ plain, /** @type {number} */ masked) => step >= (causal ? masked : plain);
    const most = { features: largest([s.phi_q, s.phi_k]), out: largest([results.left, s.v]) };
    for (const { q, k, v } of [left, right]) {
      q.update({ values: s.phi_q, most: most.features });
      k.update({ values: transpose(s.phi_k), most: most.features });
      // Features are not negative; numbers of the reader's own may be, and then need two colours.
      for (const part of [q, k]) part.element.classList.toggle("la-signed", [s.phi_q, s.phi_k].flat(2).some((x) => x < 0));
      v.update({ values: s.v, most: largest(s.v, 1) });
    }
    const hidden = causal && step >= 2;
    left.scores.update({ values: reached(1, 1) ? (hidden ? results.masked : results.scores) : null, most: largest(results.scores), label: hidden ? "tril(scores)" : "scores", name: hidden ? "masked scores" : "scores" });
    left.scores.mark("la-hidden-cell", (i, j) => hidden && j > i);
    const wanted = causal ? results.causal : results.left;
    left.out.update({ values: reached(2, 3) ? legible(wanted) : null, most: most.out });
    const now = phase === "running";
    right.S.update({ values: reached(3, 4) ? (now ? results.running[t] : results.S) : null, most: largest(results.S), label: symbol("S", now ? t : null), name: now ? `S ${t}` : "S" });
    const out = results.plain.map((row, i) => (now && i <= t ? results.repaired[i] : row));
    right.out.update({ values: reached(4, 5) ? legible(out) : null, most: most.out });
    // The future steps back while the running sum has not reached it.
    right.k.mark("la-later", (_, i) => now && i > t);
    right.v.mark("la-later", (i) => now && i > t);
    right.q.mark("la-linked", (i) => now && i === t);
    const compared = step >= LAST_PLAIN;
    const wrong = (/** @type {number} */ i, /** @type {number} */ j) => compared && differs(out[i][j], wanted[i][j]);
    right.out.mark("la-wrong-cell", wrong);
    right.out.mark("la-equal-cell", (i, j) => compared && !wrong(i, j));
    verdict.textContent = compared ? (out.some((row, i) => row.some((_, j) => wrong(i, j))) ? "≠" : "=") : "";
    // Without the mask it may be a reader's first sight of the products, before there is any Z.
    undivided.replaceChildren(...(causal ? ["not yet divided by φ(q", h("sub", {}, "t"), ")ᵀ", symbol("Z", "t")] : ["the product of the three matrices, not yet divided by anything"]));
    titles[0].textContent = causal ? "tril(φ(Q) φ(K)ᵀ) V" : "(φ(Q) φ(K)ᵀ) V";
    titles[1].textContent = now ? "φ(qₜ)ᵀ Sₜ, row by row" : "φ(Q) (φ(K)ᵀ V)";
  }

  /** The cells that the step has made come up one after the other. @param {Shown} s @param {number} pace */
  async function play(s, pace) {
    const { phase, t } = phaseOf(s);
    /** @type {Record<string, Element[]>} */
    const made = {
      scores: left.scores.cells, mask: left.scores.cells, left: left.out.cells, S: right.S.cells, right: right.out.cells,
      running: [...right.S.cells, ...right.out.cells.slice(t * d_v, (t + 1) * d_v)],
    };
    const cells = made[phase] ?? [];
    const ms = MOVE_MS / pace;
    moving = cells.map((cell, i) => cell.animate([{ opacity: 0 }, { opacity: 1 }], { duration: ms / 3, delay: (ms * i) / cells.length, fill: "backwards" }));
    await Promise.all(moving.map((animation) => animation.finished)).catch(() => {});
  }
  return { element, update, play, stop };
}
