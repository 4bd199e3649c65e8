// @ts-check
// What a walk-through of the position-0 widget may ask before a stop; every truth is found by reading, not by a formula.
import { format } from "./dom.js";
import { farInput, readAt } from "./position_0_math.js";
import { f, part, plain } from "./position_0_words.js";

/** @typedef {{view: string, t: number, q: number[][], k: number[][], v: number[][], eps: number, feature_map: string, x: number, follow: boolean}} State */
/** @typedef {import("./predict.js").Question} Question */

const I = "₀₁";
const PLACES = [-5, -1, 0, 1, 5];
/** What moves by less than this part of the values stays: ε alone makes out_0 depend on q_0 a little. */
const STILL = 1e-3;
/** Shares closer than this would look the same. */
const APART = 0.02;
const MOST_OPTIONS = 5;

const cross = (/** @type {number[]} */ a, /** @type {number[]} */ b) => a[0] * b[1] - a[1] * b[0];
const minus = (/** @type {number[]} */ a, /** @type {number[]} */ b) => a.map((x, i) => x - b[i]);
const pair = (/** @type {number[]} */ x) => `(${x.map((a) => format(a)).join(", ")})`;
const percent = (/** @type {number} */ x) => `${format(100 * x, 1)} %`;

/** @type {Record<string, (state: State) => Question>} */
export const asks = {
  /** Where out_t goes while the query is dragged. */
  moves(s) {
    const { t, v: [a, b] } = s;
    const reads = PLACES.flatMap((x) => PLACES.map((y) => ({ q: [x, y], ...readAt({ ...s, q: [x, y] }) })));
    const still = STILL * Math.max(...s.v.flat().map(Math.abs));
    const all = (/** @type {(out: number[]) => boolean} */ holds) => reads.every(({ out }) => holds(out));
    const along = (/** @type {number[]} */ from, /** @type {number[]} */ way) => all((out) => Math.abs(cross(minus(out, from), way)) <= still * Math.hypot(...way));
    const stays = all((out) => Math.hypot(...minus(out, a)) <= still);
    const between = along(a, minus(b, a)) && all((out) => Math.hypot(...minus(out, a)) + Math.hypot(...minus(out, b)) <= Math.hypot(...minus(a, b)) + still);
    const holds = [stays, !stays && along([0, 0], a), !stays && between, !stays && !along([0, 0], a) && !along(a, minus(b, a))];
    const share = (/** @type {any} */ { w, weights }) => (t ? weights[0] : w);
    const sorted = [...reads].sort((one, other) => share(one) - share(other));
    const tell = (/** @type {any} */ r) => `At q${I[t]} = (${r.q.map(plain).join(", ")}) ${t ? `v₀ has the weight ${format(r.weights[0])}` : `w = ${f(r.w, 2)}`} and out${I[t]} = ${pair(r.out)}.`;
    return {
      question: `q${I[t]} is dragged about, and both its entries stay between −5 and 5. Where does out${I[t]} go?`,
      options: ["it stays at v₀", "along the line through 0 and v₀", "along the line from v₀ to v₁", "all over the plane"],
      truth: holds.flatMap((held, i) => (held ? [i] : [])),
      because: `${tell(sorted[0])} ${tell(sorted.at(-1))}`,
    };
  },
  /** How much ε leaves. */
  left(s) {
    const input = { ...s, q: s.q[0] };
    const far = s.view === "eps";
    const t = far ? 0 : s.t;
    const { w, predicted, found } = readAt(far ? farInput(input, s.x) : input);
    const truth = found ?? predicted;
    // Beside the truth: what is lost, the share of w in ε alone, all, nothing; and a half and a tenth, where these are alike.
    const guesses = [1 - truth, Math.min(w / s.eps, 1), 1, 0, 0.5, 0.1].filter((x) => x >= 0 && x <= 1);
    const apart = guesses.reduce((some, x) => (some.every((y) => Math.abs(x - y) > APART) ? [...some, x] : some), [truth]);
    const kept = apart.slice(0, MOST_OPTIONS).sort((a, b) => b - a);
    const where = far ? `Every entry of ${s.follow ? "q₀ and k₀" : "q₀"} is at ${plain(s.x)}` : `q${I[t]} is at (${input.q.map(plain).join(", ")})`;
    return {
      question: `${where}, and ε = ${plain(s.eps)}. How much of ${t ? "the average of v₀ and v₁" : "v₀"} is left in out${I[t]}?`,
      options: kept.map(percent),
      truth: kept.flatMap((x, i) => (x === truth ? [i] : [])),
      because: `w = ${f(w)}: predicted w/(w + ε) = ${part(predicted)}${found === null ? "" : `, measured ${part(found)}`}.`,
    };
  },
};
