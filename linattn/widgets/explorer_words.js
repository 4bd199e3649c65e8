// @ts-check
// What the state explorer says: each move in a sentence, each cell as a sum of its parts. Indices count from 0, as in code.
import { format } from "./dom.js";

/** @typedef {import("./explorer_state.js").Shown} Shown */

const DIGITS = "₀₁₂₃₄₅₆₇₈₉";
/** @param {number} t */
export const sub = (t) => (t < 0 ? "₋₁" : String(t).replace(/\d/g, (digit) => DIGITS[Number(digit)]));
/** @param {number} weight */
export const percent = (weight) => `${(100 * weight).toFixed(0).replace("-0", "0").replace("-", "−")} %`;

const f = (/** @type {number} */ x) => format(x, 3);
const sum = (/** @type {string[]} */ terms) => (terms.length > 4 ? [...terms.slice(0, 3), "…"] : terms).join(" + ");
const factor = (/** @type {number} */ x) => (x < 0 ? `(${f(x)})` : f(x));

/** A token as a sentence names it. @param {string} token */
export const short = (token) => (token.length > 20 ? `${token.slice(0, 18)}…` : token);

/** Told apart from others of the same name. @param {string[]} tokens @param {number} i */
const named = (tokens, i) => `“${short(tokens[i])}”${tokens.indexOf(tokens[i]) === tokens.lastIndexOf(tokens[i]) ? "" : ` (token ${i})`}`;

/** @param {Shown} shown @param {number} [least] */
function leaning({ weights, phi_q, tokens, t }, least = 0.005) {
  const row = weights[t];
  if (row.every((w) => w === 0)) return `Every weight is 0: φ(q) ${phi_q[t].some(Boolean) ? "shares no feature with any key so far" : "is 0 in every entry"}, so nothing is read.`;
  if (row.some((w) => w < 0)) {
    const worst = row.indexOf(Math.min(...row));
    return `Not an average any more: the weight on ${named(tokens, worst)} is ${percent(row[worst])}.`;
  }
  if (t === 0) return row[0] > 0.9995 ? "All its weight is on token 0, so out₀ = v₀. That holds for any q₀ whose score is far above ε." : `Its weight on token 0 is ${percent(row[0])}, not 100 %: ε takes the rest.`;
  const order = row.map((_, i) => i).sort((a, b) => row[b] - row[a]);
  const parts = order.slice(0, 3).filter((i) => row[i] >= least).map((i) => `${percent(row[i])} on ${named(tokens, i)}`);
  return `It leans ${parts.join(", ")}.`;
}

/** The move on screen. @param {Shown} shown */
export function sayMove(shown) {
  const { t, tokens, phase, d_phi, d_v } = shown;
  const s = sub(t);
  if (phase === "write") return `Write: the column φ(k${s}) times the row v${s} makes a rank-1 tile, all that token ${t}, “${short(tokens[t])}”, adds to S.`;
  if (phase === "add")
    return `Add: the tile goes into S, φ(k${s}) goes into Z. ${t ? `Tokens 0 to ${t} are in it now` : "Token 0 is in it now"}, still ${d_phi} × ${d_v} + ${d_phi} numbers.`;
  return `Read: φ(q${s})ᵀS${s} over φ(q${s})·Z${s} gives out${s}. ${leaning(shown)}`;
}

/** Where the scrubber is. @param {Shown} shown */
export const sayPlace = ({ t, tokens, phase }) => `token ${t}, ${short(tokens[t])}, ${phase}`;

/** One sentence for each cell of each block. @param {() => Shown} get @returns {Record<string, (i: number, j: number) => string>} */
export function explanations(get) {
  const cell = (/** @type {string} */ name, /** @type {"q"|"k"|"v"} */ key) => (/** @type {number} */ i, /** @type {number} */ j) => {
    const { t, [key]: rows } = get();
    return `${name}${sub(t)}[${key === "v" ? j : i}] = ${format(rows[t][key === "v" ? j : i], 4)}: type, drag sideways, or ↑ ↓; ← → go on`;
  };
  const added = (/** @type {Shown} */ s) => s.phase !== "write";
  const before = (/** @type {Shown} */ s) => s.t - 1;
  return {
    k: cell("k", "k"),
    q: cell("q", "q"),
    v: cell("v", "v"),
    phi_k: (i) => `φ(k${sub(get().t)})[${i}] = ${format(get().phi_k[get().t][i], 4)}`,
    phi_q: (i) => `φ(q${sub(get().t)})[${i}] = ${format(get().phi_q[get().t][i], 4)}`,
    tile(i, j) {
      const { t, phi_k, v, write } = get();
      return `φ(k${sub(t)})[${i}] · v${sub(t)}[${j}] = ${f(phi_k[t][i])} × ${factor(v[t][j])} = ${format(write[t][i][j], 4)}`;
    },
    S(i, j) {
      const s = get();
      const old = s.t ? s.S[s.t - 1][i][j] : 0;
      if (!added(s)) return `S${sub(before(s))}[${i}, ${j}] = ${format(old, 4)}, before token ${s.t} is added`;
      return `S${sub(s.t)}[${i}, ${j}] = S${sub(before(s))}[${i}, ${j}] + tile = ${f(old)} + ${factor(s.write[s.t][i][j])} = ${format(s.S[s.t][i][j], 4)}`;
    },
    Z(i) {
      const s = get();
      const old = s.t ? s.Z[s.t - 1][i] : 0;
      if (!added(s)) return `Z${sub(before(s))}[${i}] = ${format(old, 4)}, before token ${s.t} is added`;
      return `Z${sub(s.t)}[${i}] = Z${sub(before(s))}[${i}] + φ(k${sub(s.t)})[${i}] = ${f(old)} + ${factor(s.phi_k[s.t][i])} = ${format(s.Z[s.t][i], 4)}`;
    },
    numerator(_, j) {
      const { t, phi_q, S, numerator } = get();
      const terms = phi_q[t].map((a, i) => `${f(a)} × ${factor(S[t][i][j])}`);
      return `(φ(q${sub(t)})ᵀS${sub(t)})[${j}] = ${sum(terms)} = ${format(numerator[t][j], 4)}`;
    },
    denominator() {
      const { t, phi_q, Z, denominator } = get();
      return `φ(q${sub(t)})·Z${sub(t)} = ${sum(phi_q[t].map((a, i) => `${f(a)} × ${factor(Z[t][i])}`))} = ${format(denominator[t], 4)}`;
    },
    out(_, j) {
      const { t, numerator, denominator, out } = get();
      return `out${sub(t)}[${j}] = ${f(numerator[t][j])} / (${f(denominator[t])} + ε) = ${format(out[t][j], 4)}`;
    },
  };
}
