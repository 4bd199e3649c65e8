// @ts-check
// What the three-forms widget says: each move, each cell as a sum of its parts; and all of it as tables.
import { dot } from "./attention.js";
import { FORMS, cost, run, work } from "./three_forms_math.js";
import { format, h } from "./dom.js";
import { sub } from "./explorer_words.js";
import { table } from "./table.js";

/** @typedef {ReturnType<typeof run>[number]} Frame */
/** @typedef {{tokens: string[], form: string, chunk_size: number, step: number, eps: number, phi_q: number[][], phi_k: number[][], v: number[][], n: number, d_k: number, d_v: number, frames: Frame[], frame: Frame, results: Record<string, number[][]>}} Shown */

const f = (/** @type {number} */ x) => format(x, 3);
const factor = (/** @type {number} */ x) => (x < 0 ? `(${f(x)})` : f(x));
const span = (/** @type {number} */ from, /** @type {number} */ to) => (to - from === 1 ? `token ${from}` : `tokens ${from} to ${to - 1}`);

/** The largest difference of a form's result from the matrix form's. @param {Shown} s @param {string} form */
export const gap = (s, form) => Math.max(...s.results[form].flatMap((row, t) => row.map((x, j) => Math.abs(x - s.results.matrix[t][j]))));

/** Multiply-adds up to the move on screen. @param {Shown} s */
export const soFar = (s) => s.frames.slice(0, s.step + 1).reduce((sum, { move }) => sum + work(move, s.d_k, s.d_v), 0);

/** @param {Shown} s */
function sayMove(s) {
  const { n, d_k, d_v, form, frame, chunk_size: C } = s;
  const { kind, from, to } = frame.move;
  const state = `${d_k} × ${d_v} + ${d_k} numbers`;
  if (kind === "given") {
    if (form === "matrix") return `Matrix: write out all ${n} × ${n} scores, hide the future, then take the averages of V.`;
    if (form === "recurrence") return "Recurrence: one token after the other is written into S and Z, then read from them. No score is ever written out.";
    const limit = C === 1 ? " With 1 token a chunk this is almost the recurrence: each token reads the S of the tokens before it, and takes itself by a score of its own." : C === n ? " With all tokens in one chunk this is the matrix form: S is never needed." : "";
    return `Chunks of ${C}: scores inside a chunk, S for everything before it.${limit}`;
  }
  if (kind === "scores") return `Every query meets every key: ${n} × ${n} scores at once, the future ones too.`;
  if (kind === "mask") return "The mask puts 0 above the diagonal. That work was for nothing, but it was done in one go.";
  if (kind === "out") return "Each row of scores, divided by its sum, averages V: all of out at once.";
  if (kind === "write") return `Write: ${span(from, to)} ${to - from === 1 ? "goes" : "go"} into S and Z, which stay ${state}.${form === "chunks" ? " Only now: the chunk has read S without itself, or it would count twice." : ""}`;
  if (kind === "read") return `Read: φ(q${sub(from)}) meets S and Z and gives out${sub(from)}. ${from ? `All ${from + 1} tokens so far` : "Token 0"} came through S, without a single score.`;
  if (kind === "inside") return `Inside the chunk: ${span(from, to)}, ${to - from} × ${to - from} scores with the mask.`;
  return from
    ? `Out for ${span(from, to)}: the scores inside the chunk times V, plus φ(q)ᵀS for ${span(0, from)}; divided by the scores' sum plus φ(q)·Z.`
    : `Out for ${span(from, to)}: the first chunk finds S empty, so its own scores are all.`;
}

/** The rows of out on screen whose denominator is 0. @param {Shown} s */
function sayZero({ phi_q, phi_k, frame: { out } }) {
  const total = (/** @type {number} */ t) => phi_k.slice(0, t + 1).reduce((sum, row) => sum + dot(phi_q[t], row), 0);
  const empty = out.flatMap((row, t) => (row[0] !== null && Math.abs(total(t)) < 1e-12 ? [t] : []));
  if (!empty.length) return "";
  const nothing = empty.every((t) => out[t].every((x) => x === 0));
  return `The denominator of ${empty.length === 1 ? "row" : "rows"} ${empty.join(", ")} is 0: ${nothing ? "out is 0 there, no average of V" : "only ε is left to divide by"}.`;
}

/** @param {Shown} s */
export const say = (s) => [sayMove(s), s.step === s.frames.length - 1 && "Done: the same out as the other forms.", sayZero(s)].filter(Boolean).join(" ");

/** @param {Shown} s */
export const sayPlace = ({ step, frame: { move } }) => (move.kind === "given" ? "start" : `step ${step}: ${move.kind === "both" ? "out" : move.kind}, ${span(move.from, move.to)}`);

/** One sentence for each cell. @param {() => Shown} get @returns {Record<string, (i: number, j: number) => string>} */
export function explanations(get) {
  const input = (/** @type {string} */ name, /** @type {number} */ x) => `${name} = ${format(x, 4)}: type, drag sideways, or ↑ ↓; ← → go on`;
  const sum = (/** @type {number[]} */ a, /** @type {number[]} */ b) => a.map((x, i) => `${factor(x)} × ${factor(b[i])}`).join(" + ");
  return {
    q: (i, j) => input(`φ(q${sub(i)})[${j}]`, get().phi_q[i][j]),
    k: (i, j) => input(`φ(k${sub(j)})[${i}]`, get().phi_k[j][i]),
    v: (i, j) => input(`v${sub(i)}[${j}]`, get().v[i][j]),
    scores(t, i) {
      const { frame, phi_q, phi_k } = get();
      if (frame.via[t][i]) return `Token ${i} reached token ${t} through S: this score, ${format(dot(phi_q[t], phi_k[i]), 4)}, was never written out.`;
      if (frame.scores[t][i] === null) return "Not written out.";
      if (i > t && frame.scores[t][i] === 0) return `Hidden: token ${t} must not see token ${i}.`;
      return `φ(q${sub(t)})·φ(k${sub(i)}) = ${sum(phi_q[t], phi_k[i])} = ${format(/** @type {number} */ (frame.scores[t][i]), 4)}`;
    },
    S: (i, j) => `S[${i}, ${j}] = ${format(get().frame.S[i][j], 4)}`,
    Z: (i) => `Z[${i}] = ${format(get().frame.Z[i], 4)}`,
    out(t, j) {
      const x = get().frame.out[t][j];
      return x === null ? `out${sub(t)}[${j}] is not computed yet` : `out${sub(t)}[${j}] = ${format(x, 4)}`;
    },
  };
}

/** @param {Shown} s */
export function tables(s) {
  const list = (/** @type {(number | null)[]} */ row) => row.map((x) => (x === null ? "–" : format(x, 4))).join("  ");
  const names = s.tokens.map((token, t) => `${t} ${token}`);
  const sizes = Array.from({ length: s.n }, (_, i) => i + 1);
  return h(
    "div",
    {},
    table("Inputs, the scores written out so far, and the result of each form", ["token", "φ(q)", "φ(k)", "v", "scores", ...FORMS.map((form) => `out, ${form}`)],
      names.map((name, t) => [name, ...[s.phi_q[t], s.phi_k[t], s.v[t], s.frame.scores[t], ...FORMS.map((form) => s.results[form][t])].map(list)])),
    table("The state now", ["feature", "S", "Z"], s.frame.S.map((row, i) => [String(i), list(row), format(s.frame.Z[i], 4)])),
    table("Chunks of every size", ["chunk size", "multiply-adds", "numbers kept", "steps in a row"],
      sizes.map((C) => {
        const { total, kept, waits } = cost("chunks", s.n, s.d_k, s.d_v, C);
        return [C, total, kept, waits].map(String);
      }), s.chunk_size - 1),
  );
}
