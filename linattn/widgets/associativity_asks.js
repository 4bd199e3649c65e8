// @ts-check
// What a walk-through of the associativity widget may ask before a stop; every truth is counted or computed here.
import { above } from "./asks.js";
import { costs, crossover, differs, products } from "./associativity_math.js";
import { phaseOf } from "./associativity_words.js";
import { count, formatGap } from "./dom.js";
import { sub } from "./explorer_words.js";

/** @typedef {{n: number, d_k: number, d_v: number, phi_q: number[][], phi_k: number[][], v: number[][], step: number}} State */
/** @typedef {import("./predict.js").Question} Question */

const LEFT = "(φ(Q) φ(K)ᵀ) V";
const RIGHT = "φ(Q) (φ(K)ᵀ V)";
const widths = (/** @type {State} */ { d_k, d_v }) => `dₖ = ${count(d_k)}, dᵥ = ${count(d_v)}`;
const works = (/** @type {State} */ { n, d_k, d_v }) => {
  const { left, right } = costs(n, d_k, d_v);
  return [left.total, right.total];
};

/** @type {Record<string, (state: State) => Question>} */
export const asks = {
  cheaper(s) {
    const [left, right] = works(s);
    return {
      question: `n = ${count(s.n)} tokens, ${widths(s)}. Which order needs fewer multiply-adds?`,
      options: [LEFT, RIGHT, "both need the same"],
      truth: [left < right ? 0 : left > right ? 1 : 2],
      because: `${LEFT} takes ${count(left)} multiply-adds, ${RIGHT} ${count(right)}.`,
    };
  },
  crossover(s) {
    const { d_k, d_v } = s;
    const wins = (/** @type {number} */ n) => works({ ...s, n }).reduce((left, right) => left - right) > 0;
    const { options, truth, around } = above([0, crossover(d_k, d_v), (d_k + d_v) / 2, Math.max(d_k, d_v), d_k + d_v], wins);
    const lines = around.map((n) => `at n = ${count(n)} the left order takes ${works({ ...s, n }).map(count).join(", the right one ")}`);
    return {
      question: `${widths(s)}. Above which n does the right order, ${RIGHT}, need fewer multiply-adds?`,
      options,
      truth,
      because: `Counted: ${lines.join("; ")}.`,
    };
  },
  grows(s) {
    const before = costs(s.n / 2, s.d_k, s.d_v);
    const after = costs(s.n, s.d_k, s.d_v);
    const [scores, S] = [after.left.between / before.left.between, after.right.between / before.right.between];
    const guesses = [[2, 1], [2, 2], [4, 1], [4, 4]];
    const times = (/** @type {number} */ x) => (x === 1 ? "stays the same" : `${x} times as large`);
    return {
      question: `n doubles to ${count(s.n)}. What happens to the matrices in the middle?`,
      options: guesses.map(([a, b]) => `scores ${times(a)}, S ${times(b)}`),
      truth: guesses.flatMap(([a, b], i) => (a === scores && b === S ? [i] : [])),
      because: `The scores go from ${count(before.left.between)} to ${count(after.left.between)} numbers, S stays at ${count(after.right.between)}.`,
    };
  },
  causal({ phi_q, phi_k, v, step }) {
    const { causal, plain, repaired } = products(phi_q, phi_k, v);
    const { t } = phaseOf({ causal: true, step });
    const out = plain.map((row, i) => (i <= t ? repaired[i] : row));
    const off = causal.map((row, i) => Math.max(...row.map((x, j) => (differs(x, out[i][j]) ? Math.abs(x - out[i][j]) : 0))));
    const last = v.length - 1;
    const whole = t < last ? ` Row ${last}, the last, may see them all: it is right.` : "";
    const wrong = off.flatMap((gap, i) => (gap ? [`${formatGap(gap)} in row ${i}`] : []));
    return {
      many: true,
      question:
        t < 0
          ? `The causal mask is on. Which rows of ${RIGHT} still equal those of tril(φ(Q) φ(K)ᵀ) V?`
          : `The running sum takes up token ${t}, and φ(q${sub(t)})ᵀS${sub(t)} gives row ${t}. Which rows of out are right then?`,
      options: off.map((_, i) => `row ${i}`),
      truth: off.flatMap((gap, i) => (gap ? [] : [i])),
      because: wrong.length ? `Off by up to ${wrong.join(", ")}: φ(K)ᵀV holds every token, the future ones too.${whole}` : "No row has taken anything from its future.",
    };
  },
};
