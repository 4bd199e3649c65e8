// @ts-check
// What the position-0 widget says: what the drag did, what ε takes, and every number as a table.
import { format, h, wants } from "./dom.js";
import { curve } from "./position_0_math.js";
import { table } from "./table.js";

/** @typedef {any} Shown */

const f4 = (/** @type {number} */ x) => f(x, 4);
const list = (/** @type {number[]} */ x) => x.map(f4).join("  ");
/** A number a reader sets, in full. @param {number} x */
export const plain = (x) => (x !== 0 && Math.abs(x) < 1e-3 ? x.toExponential() : String(x)).replace(/-/g, "−");
/** Below 0.1 three digits, of a power of ten too, for what is divided here can be divided by hand; the reader's decimals hold
 * where they leave any of them. @param {number} x @param {number} [decimals] from 0.1 on */
export const f = (x, decimals = 3) => (x !== 0 && Math.abs(x) < (wants() ? 5e-4 : 0.1) ? plain(Number(x.toPrecision(3))) : format(x, decimals));
const pair = (/** @type {number[]} */ x) => `(${x.map(plain).join(", ")})`;
/** A part of 1 with the digits that matter, near 1 too. @param {number} x */
export const part = (x) => (x > 0.99995 && x < 1 ? `1 − ${format(1 - x, 2)}` : format(x, 4));

const gap = (/** @type {number[]} */ a, /** @type {number[]} */ b) => Math.hypot(...a.map((x, i) => x - b[i]));

/** @param {Shown} s */
function trouble(s) {
  if (s.w === 0) return "w is exactly 0: nothing is read, and the output is 0.";
  if (s.w < 0) return "w is negative: this φ is no feature map for attention, and near w = −ε the output runs away.";
  return "";
}

/** Where the transport bar stands, in words. @param {Shown} s */
export const sayPlace = (s) => (s.view === "eps" ? `x = ${plain(s.x)}` : `position ${s.t}, q${"₀₁"[s.t]} at ${pair(s.q)}`);

/** @param {Shown} s @param {Shown | null} from where the drag began, at the same position */
export function say(s, from) {
  if (s.view === "eps") {
    const who = s.follow ? "q₀ and k₀" : "q₀";
    const read = s.found === null ? "v₀ is 0, so no part of it can be measured." : `Predicted w/(w + ε) = ${part(s.predicted)}, measured ${part(s.found)} of v₀.`;
    return [`Every entry of ${who} at ${plain(s.x)}: w = ${f(s.w)}, ε = ${plain(s.eps)}.`, trouble(s) || read].join(" ");
  }
  const i = "₀₁"[s.t];
  const begin = from && `${s.t ? "The denominator" : "w"} went from ${f(from.w)} to ${f(s.w)}; out${i} ${gap(s.out, from.out) < 5e-4 ? "stayed where it was" : `moved by ${f(gap(s.out, from.out))}`}.`;
  if (trouble(s)) return [begin, trouble(s)].filter(Boolean).join(" ");
  if (s.t === 0) {
    const stays = Math.abs(1 - s.predicted) < 5e-4 ? "It cancels: out₀ = v₀." : `ε is no longer small beside it: out₀ is ${part(s.predicted)} of v₀.`;
    return [begin, `w = φ(q₀)·φ(k₀) = ${f(s.w)} stands above and below.`, stays].filter(Boolean).join(" ");
  }
  const share = s.weights.map((/** @type {number} */ x) => `${(100 * x).toFixed(0)} %`);
  const rest = Math.abs(1 - s.predicted) < 5e-4 ? "there is something to choose between" : `ε takes the rest, and the weights sum to w/(w + ε) = ${part(s.predicted)}`;
  return [begin, `out₁ leans ${share[0]} on v₀ and ${share[1]} on v₁: ${rest}.`].filter(Boolean).join(" ");
}

/** @param {Shown} s */
export function tables(s) {
  if (s.view === "eps") {
    const rows = curve(s).filter(({ x }) => Number.isInteger(x)).map(({ x, w, predicted, found }) => [plain(x), f4(w), part(1 - predicted), f4(predicted), found === null ? "v₀ is 0" : f4(found)]);
    return table(`Every entry of ${s.follow ? "q₀ and k₀" : "q₀"} at x, ε = ${plain(s.eps)}`, ["x", "w", "w/(w + ε)", "lost, predicted", "lost, measured"], rows, Math.round(s.x) + 20);
  }
  const rows = s.at.map((/** @type {any} */ r, /** @type {number} */ t) => [
    `position ${t}`, list(s.q), list(s.k[t]), list(s.v[t]), list(r.phi_q), list(s.phi_k[t]), list(r.scores), list(r.numerator), f4(r.w), part(r.predicted), list(r.out),
  ]);
  const headings = ["read at", "q", "k", "v", "φ(q)", "φ(k)", "scores", "numerator", "w = φ(q)·Z", "w/(w + ε)", "out"];
  return h("div", {}, table(`The same query at both positions, ε = ${plain(s.eps)}`, headings, rows, s.t));
}
