// @ts-check
// One causal linear attention in three forms, each computed in its own order, move by move, with what it costs. No DOM.
import { divide, dot, emptyState, read, through, write } from "./attention.js";

/** @typedef {number[][]} Matrix */
/** @typedef {{kind: "given"|"scores"|"mask"|"out"|"write"|"read"|"inside"|"both", from: number, to: number}} Move tokens from … to − 1 */

export const FORMS = ["matrix", "recurrence", "chunks"];

/** The moves of a form. @param {string} form @param {number} n @param {number} C the size of a chunk @returns {Move[]} */
export function plan(form, n, C) {
  const given = /** @type {Move} */ ({ kind: "given", from: 0, to: 0 });
  const moves = (/** @type {Move["kind"][]} */ kinds, /** @type {number} */ from, /** @type {number} */ to) => kinds.map((kind) => ({ kind, from, to }));
  if (form === "matrix") return [given, ...moves(["scores", "mask", "out"], 0, n)];
  if (form === "recurrence") return [given, ...Array.from({ length: n }, (_, t) => moves(["write", "read"], t, t + 1)).flat()];
  const starts = Array.from({ length: Math.ceil(n / C) }, (_, i) => i * C);
  // After the last chunk nobody reads S any more, so it is not written.
  return [given, ...starts.flatMap((a) => moves(a + C < n ? ["inside", "both", "write"] : ["inside", "both"], a, Math.min(a + C, n)))];
}

/** Multiply-adds of a move, for the numerators. @param {Move} move @param {number} d_k @param {number} d_v */
export function work({ kind, from, to }, d_k, d_v) {
  const length = to - from;
  if (kind === "scores" || kind === "inside") return length * length * d_k;
  if (kind === "out") return length * length * d_v;
  if (kind === "both") return length * length * d_v + (from ? length * d_k * d_v : 0);
  return kind === "write" || kind === "read" ? length * d_k * d_v : 0;
}

/** Multiply-adds in all, numbers kept besides q, k, v and out, and how many times one result waits for another.
 * @param {string} form @param {number} n @param {number} d_k @param {number} d_v @param {number} C */
export function cost(form, n, d_k, d_v, C) {
  const state = d_k * d_v + d_k;
  const total = plan(form, n, C).reduce((sum, move) => sum + work(move, d_k, d_v), 0);
  if (form === "matrix") return { total, kept: n * n, waits: 1 };
  if (form === "recurrence") return { total, kept: state, waits: n };
  return { total, kept: C * C + (C < n ? state : 0), waits: Math.ceil(n / C) };
}

const copy = (/** @type {any[][]} */ rows) => rows.map((row) => [...row]);

/**
 * Run a form; after each move: S, Z, the scores written out so far (null: never), which pairs went through S, and out.
 * @param {string} form @param {number} C @param {Matrix} phi_q @param {Matrix} phi_k @param {Matrix} v @param {number} eps
 */
export function run(form, C, phi_q, phi_k, v, eps) {
  const n = v.length;
  const d_v = v[0].length;
  let state = emptyState(phi_k[0].length, d_v);
  const scores = Array.from({ length: n }, () => /** @type {(number | null)[]} */ (Array(n).fill(null)));
  const via = Array.from({ length: n }, () => Array(n).fill(false));
  const out = Array.from({ length: n }, () => /** @type {(number | null)[]} */ (Array(d_v).fill(null)));

  /** What token t has from the scores of tokens a … t: numerator and denominator. @param {number} t @param {number} a */
  const direct = (t, a) => {
    const row = scores[t].slice(a, t + 1).map(Number);
    return { numerator: through(row, v.slice(a, t + 1)), denominator: row.reduce((sum, x) => sum + x, 0) };
  };
  return plan(form, n, C).map((move) => {
    const { kind, from, to } = move;
    for (let t = from; t < to; t += 1) {
      if (kind === "scores" || kind === "inside") for (let i = from; i < to; i += 1) scores[t][i] = kind === "inside" && i > t ? 0 : dot(phi_q[t], phi_k[i]);
      if (kind === "mask") for (let i = t + 1; i < to; i += 1) scores[t][i] = 0;
      if (kind === "write") state = write(state, phi_k[t], v[t]);
      if (kind === "read") {
        out[t] = read(state, phi_q[t], eps).out;
        via[t].fill(true, 0, t + 1);
      }
      if (kind === "out" || kind === "both") {
        const own = direct(t, from);
        const past = read(state, phi_q[t], eps);
        out[t] = divide(own.numerator.map((x, j) => x + past.numerator[j]), own.denominator + past.denominator, eps);
        via[t].fill(true, 0, from);
      }
    }
    return { move, ...state, scores: copy(scores), via: copy(via), out: copy(out) };
  });
}
