// @ts-check
// What the associativity widget says: its sizes, each step, each cell as a sum of its parts; and all of it as tables.
import { LEAST_N, MOST_N, costs, crossover, difference, differs, transpose } from "./associativity_math.js";
import { count, format, formatGap, h, times } from "./dom.js";
import { sub } from "./explorer_words.js";
import { table } from "./table.js";

/** @typedef {ReturnType<typeof import("./associativity_math.js").products>} Results */
/** @typedef {{view: string, n: number, d_k: number, d_v: number, causal: boolean, step: number, phi_q: number[][], phi_k: number[][], v: number[][], results: Results}} Shown */

/** The step at which both results stand side by side, with or without the mask. */
export const LAST_PLAIN = 5;
const PLAIN = ["given", "scores", "left", "S", "right", "compare"];
const MASKED = ["given", "scores", "mask", "left", "S", "right"];

/** What a step does; t is the token of the running sum. @param {{causal: boolean, step: number}} at */
export const phaseOf = ({ causal, step }) =>
  step > LAST_PLAIN ? { phase: "running", t: step - LAST_PLAIN - 1 } : { phase: (causal ? MASKED : PLAIN)[step], t: -1 };

/** @param {{causal: boolean, phi_k: number[][]}} shown */
export const stepCount = ({ causal, phi_k }) => LAST_PLAIN + 1 + (causal ? phi_k.length : 0);

/** The step that shows the same thing after the mask is switched. @param {number} step @param {boolean} causal after the switch */
export const sameStep = (step, causal) => (causal ? [0, 1, 3, 4, 5, 5] : [0, 1, 1, 2, 3, 5])[Math.min(step, LAST_PLAIN)];

const f = (/** @type {number} */ x) => format(x, 3);
const factor = (/** @type {number} */ x) => (x < 0 ? `(${f(x)})` : f(x));
const sum = (/** @type {number[]} */ a, /** @type {number[]} */ b) => a.map((x, i) => `${factor(x)} × ${factor(b[i])}`).join(" + ");

/** @param {Shown} s */
function saySizes({ n, d_k, d_v }) {
  const { left, right } = costs(n, d_k, d_v);
  const star = crossover(d_k, d_v);
  if (left.total === right.total) return `At n = n* = ${count(n)} both orders take ${count(left.total)} multiply-adds.`;
  const cheap = left.total < right.total ? "(φ(Q) φ(K)ᵀ) V" : "φ(Q) (φ(K)ᵀ V)";
  const ratio = Math.max(left.total / right.total, right.total / left.total);
  const size = left.between / right.between;
  const middle = size === 1 ? "Its intermediate is as large as the other's." : size > 1 ? `The n × n scores are ${times(size)} times as large as S.` : `S is ${times(1 / size)} times as large as the n × n scores.`;
  return `n = ${count(n)} is ${n > star ? "above" : "below"} n* = ${count(star)}: ${cheap} takes ${times(ratio)} times fewer multiply-adds. ${middle}`;
}

/** @param {Shown} s */
function sayStep(s) {
  const { results, causal, phi_k } = s;
  const { phase, t } = phaseOf(s);
  const n = phi_k.length;
  const [d_k, d_v] = [phi_k[0].length, s.v[0].length];
  if (phase === "given") return `Three matrices, ${n} ${n === 1 ? "token" : "tokens"}. Which pair comes first? Left: the scores. Right: φ(K)ᵀV.`;
  if (phase === "scores") return `Left, first product: φ(Q)φ(K)ᵀ has ${n} × ${n} ${n === 1 ? "score" : "scores"}, one for each pair of tokens.`;
  if (phase === "mask") return `The causal mask: ${n === 1 ? "nothing comes after the one token, so nothing is hidden." : "scores above the diagonal become 0, because a token must not see what comes after it."}`;
  if (phase === "left") return `Left, second product: the ${causal ? "masked scores" : "scores"} times V give out.`;
  if (phase === "S") return `Right, first product: φ(K)ᵀV = S is ${d_k} × ${d_v}. ${n === 1 ? "The one token is" : `All ${n} tokens are`} summed into it, and no row is left to mask.`;
  const gap = difference(causal ? results.causal : results.left, results.plain);
  if (phase === "right" && !causal) return "Right, second product: φ(Q) times S gives out.";
  if (phase === "compare") return `Equal, entry by entry (largest difference ${gap ? `${formatGap(gap, 1)}, rounding` : "exactly 0"}). The order changes the work, not the result.`;
  const wrong = results.causal.map((row, i) => (row.some((x, j) => differs(x, results.plain[i][j])) ? i : -1)).filter((i) => i >= 0);
  if (phase === "right")
    return wrong.length
      ? `Not causal: ${wrong.length === 1 ? "row" : "rows"} ${wrong.join(", ")} of φ(Q)S ${wrong.length === 1 ? "is" : "are"} wrong, off by up to ${formatGap(gap, 2)}. S holds every token, the future ones too.`
      : `${n === 1 ? "The one token has no future" : "With these numbers no future token adds anything"}, so even the plain regrouping is right.`;
  const open = wrong.filter((i) => i > t);
  const s_t = `S${sub(t)} = ${t ? `S${sub(t - 1)} + ` : ""}φ(k${sub(t)})v${sub(t)}ᵀ`;
  const held = t === n - 1 ? `every token, up to ${t}` : `${t ? `tokens 0 to ${t}` : "token 0"} only`;
  const [row, now] = wrong.includes(t) ? [`puts row ${t} right`, " now"] : [`gives row ${t}, which was right already`, ""];
  return `Running sum: ${s_t} holds ${held}, and φ(q${sub(t)})ᵀS${sub(t)} ${row}. ${open.length ? `Still wrong: ${open.join(", ")}.` : `Every row is right${now}.`}`;
}

/** @param {Shown} s */
export const say = (s) => (s.view === "scale" ? saySizes(s) : sayStep(s));

/** @param {Shown} s */
export const sayPlace = (s) => (s.view === "scale" ? `n = ${count(s.n)}` : `step ${s.step}: ${{ given: "given", scores: "scores", mask: "mask", left: "out from scores", S: "S", right: "out from S", compare: "compare", running: `running sum, token ${phaseOf(s).t}` }[phaseOf(s).phase]}`);

/** One sentence for each cell. @param {() => Shown} get @returns {Record<string, (i: number, j: number) => string>} */
export function explanations(get) {
  const input = (/** @type {string} */ name, /** @type {(s: Shown) => number} */ x) => `${name} = ${format(x(get()), 4)}: type, drag sideways, or ↑ ↓; ← → go on`;
  const column = (/** @type {number[][]} */ M, /** @type {number} */ j) => M.map((row) => row[j]);
  return {
    q: (i, j) => input(`φ(q${sub(i)})[${j}]`, (s) => s.phi_q[i][j]),
    k: (i, j) => input(`φ(k${sub(j)})[${i}]`, (s) => s.phi_k[j][i]),
    v: (i, j) => input(`v${sub(i)}[${j}]`, (s) => s.v[i][j]),
    scores(i, j) {
      const s = get();
      if (s.causal && s.step >= 2 && j > i) return `Hidden: token ${i} must not see token ${j}. The score was ${format(s.results.scores[i][j], 4)}.`;
      return `φ(q${sub(i)})·φ(k${sub(j)}) = ${sum(s.phi_q[i], s.phi_k[j])} = ${format(s.results.scores[i][j], 4)}`;
    },
    left_out(i, j) {
      const { causal, results, v } = get();
      const out = (causal ? results.causal : results.left)[i][j];
      const seen = causal ? i + 1 : v.length;
      return `out${sub(i)}[${j}] = ${sum(results.scores[i].slice(0, seen), column(v, j).slice(0, seen))} = ${format(out, 4)}`;
    },
    S(i, j) {
      const s = get();
      const { t } = phaseOf(s);
      const last = t < 0 ? s.v.length : t + 1;
      const value = (t < 0 ? s.results.S : s.results.running[t])[i][j];
      return `S${t < 0 ? "" : sub(t)}[${i}, ${j}] = ${sum(column(s.phi_k, i).slice(0, last), column(s.v, j).slice(0, last))} = ${format(value, 4)}`;
    },
    right_out(i, j) {
      const s = get();
      const done = i <= phaseOf(s).t;
      const S = done ? s.results.running[i] : s.results.S;
      const value = (done ? s.results.repaired : s.results.plain)[i][j];
      const want = (s.causal ? s.results.causal : s.results.left)[i][j];
      const verdict = s.step < LAST_PLAIN ? "" : differs(value, want) ? `, but causal is ${format(want, 4)}` : ", equal to the left";
      return `φ(q${sub(i)})ᵀS${done ? sub(i) : ""}[${j}] = ${sum(s.phi_q[i], column(S, j))} = ${format(value, 4)}${verdict}`;
    },
  };
}

/** @param {Shown} s */
export function tables(s) {
  if (s.view === "scale") {
    const lengths = [...new Set([...Array.from({ length: Math.log2(MOST_N / LEAST_N) + 1 }, (_, i) => LEAST_N * 2 ** i), s.n])].sort((a, b) => a - b);
    const rows = lengths.map((n) => {
      const { left, right } = costs(n, s.d_k, s.d_v);
      return [n, left.total, right.total, left.between, right.between].map(count);
    });
    return table(`Both orders, dₖ = ${count(s.d_k)}, dᵥ = ${count(s.d_v)}, n* = ${count(crossover(s.d_k, s.d_v))}`, ["n", "(φ(Q)φ(K)ᵀ)V: multiply-adds", "φ(Q)(φ(K)ᵀV): multiply-adds", "scores, numbers", "S, numbers"], rows, lengths.indexOf(s.n));
  }
  const { results } = s;
  const list = (/** @type {number[]} */ row) => row.map((x) => format(x, 4)).join("  ");
  const rows = s.phi_q.map((row, i) => [String(i), ...[row, s.phi_k[i], s.v[i], results.scores[i], results.left[i], results.plain[i], results.causal[i], results.repaired[i]].map(list)]);
  const sums = results.running.map((S, t) => [`S${sub(t)}`, ...transpose(S).map(list)]);
  return h(
    "div",
    {},
    table("Rows of every matrix", ["token", "φ(q)", "φ(k)", "v", "scores", "scores × V", "φ(Q)S", "tril(scores) × V", "φ(q)ᵀS of its own token"], rows),
    table("The running sum; the last is φ(K)ᵀV", ["after", ...s.v[0].map((_, j) => `column ${j}`)], sums),
  );
}
