// @ts-check
// The broken attentions of linattn/checks/mutants.py, the right one, and the four checks that hunt them. No DOM; every
// mutant and every check is tested against its twin in torch. A function takes q, k, v of one sequence, (n, d) each.
import { dot, featureMaps, trace } from "./attention.js";

/** @typedef {number[][]} Matrix */
/** @typedef {(q: Matrix, k: Matrix, v: Matrix) => Matrix} Attention */
/** @typedef {{q: Matrix, k: Matrix, v: Matrix}} Sequence */

const EPS = 1e-6;
const phi = (/** @type {Matrix} */ x) => x.map(featureMaps.elu_plus_one);
const relu = (/** @type {Matrix} */ x) => x.map((row) => row.map((a) => Math.max(a, 0)));
const sum = (/** @type {number[]} */ row) => row.reduce((a, b) => a + b, 0);

/** Scores (n, n); token t keeps tokens 0 … t + reach. @param {Matrix} a @param {Matrix} b @param {number} reach */
const scores = (a, b, reach) => a.map((x, t) => b.map((y, i) => (i <= t + reach ? dot(x, y) : 0)));
const ALL = Infinity;

/** Each row of scores times v, over a divisor of the row's. @param {Matrix} rows @param {Matrix} v @param {(row: number[], t: number) => number} divisor */
const over = (rows, v, divisor) =>
  rows.map((row, t) => {
    const by = divisor(row, t);
    const total = v[0].map(() => 0);
    row.forEach((s, i) => s !== 0 && v[i].forEach((x, j) => (total[j] += s * x)));
    return total.map((x) => x / by);
  });

/** @param {Matrix} rows @param {Matrix} v @param {number} [eps] */
const weigh = (rows, v, eps = EPS) => over(rows, v, (row) => sum(row) + eps);

/** Sums of φ(k) up to each token. @param {Matrix} features */
const running = (features) => {
  let Z = features[0].map(() => 0);
  return features.map((row) => (Z = Z.map((z, i) => z + row[i])));
};

/** Under the names of their torch twins. @type {Record<string, Attention>} */
export const mutants = {
  "strict mask": (q, k, v) => weigh(scores(phi(q), phi(k), -1), v),
  "no mask": (q, k, v) => weigh(scores(phi(q), phi(k), ALL), v),
  "mask one too far": (q, k, v) => weigh(scores(phi(q), phi(k), 1), v),
  "no normaliser": (q, k, v) => over(scores(phi(q), phi(k), 0), v, () => 1),
  "divided by count": (q, k, v) => over(scores(phi(q), phi(k), 0), v, (_, t) => t + 1),
  "full-sequence normaliser"(q, k, v) {
    const whole = scores(phi(q), phi(k), ALL).map(sum);
    return over(scores(phi(q), phi(k), 0), v, (_, t) => whole[t] + EPS);
  },
  "Z without q"(q, k, v) {
    const Z = running(phi(k));
    return over(scores(phi(q), phi(k), 0), v, (_, t) => sum(Z[t]) + EPS);
  },
  "ε = 1e-2": (q, k, v) => weigh(scores(phi(q), phi(k), 0), v, 1e-2),
  "dead relu": (q, k, v) => weigh(scores(relu(q), relu(k), 0), v),
  "transposed S"(q, k, v) {
    const features = phi(k);
    const Z = running(features);
    // Sᵀ lets φ(q) meet the values and leaves the features of the keys in the output.
    return phi(q).map((x, t) => over([v.map((value, i) => (i <= t ? dot(x, value) : 0))], features, () => dot(x, Z[t]) + EPS)[0]);
  },
  "φ forgotten on k": (q, k, v) => weigh(scores(phi(q), k, 0), v),
};

/** The right function, as a recurrence. @type {Attention} */
export const right = (q, k, v) => trace(phi(q), phi(k), v, EPS).out;

/** The masked all-pairs form, to which the check "reference" compares. @type {Attention} */
const allPairs = (q, k, v) => weigh(scores(phi(q), phi(k), 0), v);

/** How far a is from b at worst, as torch.allclose measures with rtol = atol; Infinity where a is no number.
 * @param {Matrix} a @param {Matrix} b */
const distance = (a, b) =>
  a.reduce((worst, row, t) => row.reduce((most, x, j) => {
    const by = Math.abs(x - b[t][j]) / (1 + Math.abs(b[t][j]));
    return by <= most ? most : by > most ? by : Infinity;
  }, worst), 0);

const worst = (/** @type {number[]} */ all) => all.reduce((a, b) => Math.max(a, b), 0);

/** How badly a function breaks each rule, over all sequences; a check sees it where that exceeds the tolerance.
 * @type {Record<string, (f: Attention, data: Sequence[], other: Sequence[]) => number>} */
export const checks = {
  "position 0": (f, data) => worst(data.map(({ q, k, v }) => distance([f(q, k, v)[0]], [v[0]]))),
  "constant v": (f, data) => worst(data.map(({ q, k, v }) => {
    const same = v.map(() => v[0]);
    return distance(f(q, k, same), same);
  })),
  causality: (f, data, other) => worst(data.map(({ q, k, v }, b) => {
    const out = f(q, k, v);
    const mixed = (/** @type {number} */ t, /** @type {"q"|"k"|"v"} */ name) => [...data[b][name].slice(0, t), ...other[b][name].slice(t)];
    return worst(q.slice(1).map((_, i) => distance(f(mixed(i + 1, "q"), mixed(i + 1, "k"), mixed(i + 1, "v")).slice(0, i + 1), out.slice(0, i + 1))));
  })),
  reference: (f, data) => worst(data.map(({ q, k, v }) => distance(f(q, k, v), allPairs(q, k, v)))),
};

/** Runs of the function that a check needs for one sequence of n tokens. @type {Record<string, (n: number) => number>} */
export const runs = { "position 0": () => 1, "constant v": () => 1, causality: (n) => n, reference: () => 1 };

/** Gaussian numbers, the same in Python (bug_lab.py): mulberry32 and Box–Muller. @param {number} seed */
function gaussian(seed) {
  let state = seed >>> 0;
  const uniform = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let x = Math.imul(state ^ (state >>> 15), state | 1);
    x ^= x + Math.imul(x ^ (x >>> 7), x | 61);
    return (((x ^ (x >>> 14)) >>> 0) + 0.5) / 4294967296;
  };
  return () => Math.sqrt(-2 * Math.log(uniform())) * Math.cos(2 * Math.PI * uniform());
}

/** @param {number} seed @param {number} sequences @param {number} n @param {number} d @returns {Sequence[]} */
export function draw(seed, sequences, n, d) {
  const next = gaussian(seed);
  const matrix = () => Array.from({ length: n }, () => Array.from({ length: d }, next));
  return Array.from({ length: sequences }, () => ({ q: matrix(), k: matrix(), v: matrix() }));
}

/** distances[function][check]; the right function goes by the name "". @param {number} seed @param {number} sequences @param {number} n @param {number} d */
export function measure(seed, sequences, n, d) {
  const data = draw(2 * seed, sequences, n, d);
  const other = draw(2 * seed + 1, sequences, n, d);
  const row = (/** @type {Attention} */ f) => Object.fromEntries(Object.entries(checks).map(([name, check]) => [name, check(f, data, other)]));
  return Object.fromEntries([["", row(right)], ...Object.entries(mutants).map(([name, f]) => [name, row(f)])]);
}

/** The mutants that none of the chosen checks sees. @param {Record<string, Record<string, number>>} distances @param {string[]} chosen @param {number} tolerance */
export const missed = (distances, chosen, tolerance) => Object.keys(mutants).filter((name) => !chosen.some((check) => distances[name][check] > tolerance));

/** The checks that refuse even the right function: what they see in a bug tells nothing. @param {Record<string, Record<string, number>>} distances @param {number} tolerance */
export const alarms = (distances, tolerance) => Object.keys(checks).filter((check) => distances[""][check] > tolerance);

/** The sets that miss the fewest mutants, and of those the smallest; without checks that refuse the right function.
 * @param {Record<string, Record<string, number>>} distances @param {string[]} from checks to choose from @param {number} tolerance */
export function smallest(distances, from, tolerance) {
  const left = from.filter((check) => !alarms(distances, tolerance).includes(check));
  const sets = Array.from({ length: 2 ** left.length }, (_, bits) => left.filter((_, i) => (bits >> i) & 1)).map((set) => ({ set, missed: missed(distances, set, tolerance) }));
  const least = Math.min(...sets.map((one) => one.missed.length));
  const best = sets.filter((one) => one.missed.length === least);
  const size = Math.min(...best.map((one) => one.set.length));
  return best.filter((one) => one.set.length === size);
}
