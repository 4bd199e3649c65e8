// @ts-check
// Feature maps along one entry and over pairs and rows in the plane; no DOM. Names as in linattn/feature_maps.py.
import { dot, featureMapLabels, featureMaps, weights } from "./attention.js";

/** @typedef {{view: string, feature_map: string, m: number, seed: number, x: number, pair: number, q: number[][], k: number[][]}} State */

export const LEAST = -4;
export const MOST = 4;
/** Entries of q and k lie within ± EDGE. */
export const EDGE = 3;
export const MOST_M = 64;
export const SEEDS = 8;
/** Where an ε of the library enters: below a row's weights. */
export const EPS = 1e-6;
/** √d and d^¼ for the plane. */
const [ROOT, FOURTH] = [Math.SQRT2, 2 ** 0.25];

/** The slope of each map that acts on every entry alone; at a corner, what autograd takes. @type {Record<string, (x: number) => number>} */
const SLOPES = {
  elu_plus_one: (x) => (x > 0 ? 1 : Math.exp(x)),
  relu_plus_eps: (x) => (x > 0 ? 1 : 0),
  exponential: Math.exp,
  squared_relu: (x) => (x > 0 ? 2 * x : 0),
  identity_shifted: () => 1,
};
/** Where no gradient passes, and where features are negative: everything up to here. @type {Record<string, number>} */
export const DEAD_UP_TO = { relu_plus_eps: 0, squared_relu: 0 };
/** @type {Record<string, number>} */
export const NEGATIVE_UP_TO = { identity_shifted: -1 };
/** Where a slope jumps: its line breaks off there. @type {Record<string, number>} */
export const JUMP_AT = { relu_plus_eps: 0 };
export const MAPS = [...Object.keys(SLOPES), "taylor_2", "positive_random_features"];

/** @param {string} name */
export const labelOf = (name) => featureMapLabels[name] ?? "positive random features";

/** @param {string} name */
export const isEntrywise = (name) => name in SLOPES;

/** φ on vectors of two entries. @param {State} state @param {number[][][]} directions the rows of W, for each seed */
export function mapOf({ feature_map, m, seed }, directions) {
  if (feature_map !== "positive_random_features") return featureMaps[feature_map];
  const W = directions[seed].slice(0, m);
  return (/** @type {number[]} */ x) => {
    const y = x.map((a) => a / FOURTH);
    return W.map((w) => Math.exp(dot(w, y) - dot(y, y) / 2) / Math.sqrt(m));
  };
}

/** Features and their slopes along one entry: φ of x alone, or of (x, 0) where all entries act together.
 * @param {State} state @param {number[][][]} directions @param {number} x @returns {{phi: number[], slope: number[]}} */
export function alongEntry(state, directions, x) {
  const name = state.feature_map;
  if (isEntrywise(name)) return { phi: featureMaps[name]([x]), slope: [SLOPES[name](x)] };
  const phi = mapOf(state, directions)([x, 0]);
  // Taylor's features are 1, two entries, four products: only x itself and x² move.
  if (name === "taylor_2") return { phi, slope: [0, 1 / FOURTH, 0, x, 0, 0, 0] };
  const W = directions[state.seed];
  return { phi, slope: phi.map((f, i) => f * (W[i][0] / FOURTH - x / ROOT)) };
}

/** @param {number[]} x */
export const length = (x) => Math.sqrt(dot(x, x));

/** −Σ a ln a, or null where the row is no distribution: a negative weight, or no weight at all. @param {number[]} row */
export const entropy = (row) => (row.some((a) => a < 0) || row.every((a) => a === 0) ? null : -row.reduce((sum, a) => sum + (a ? a * Math.log(a) : 0), 0));

/** Everything about the pair and the row. @param {State} state @param {number[][][]} directions @param {number[]} [q] another query */
export function readRow(state, directions, q = state.q[0]) {
  const phi = mapOf(state, directions);
  const [phi_q, phi_k] = [phi(q), state.k.map(phi)];
  const scaled = state.k.map((k) => dot(q, k) / ROOT);
  const kernel = phi_k.map((features) => dot(phi_q, features));
  const most = Math.max(...scaled);
  const powers = scaled.map((s) => Math.exp(s - most));
  const total = powers.reduce((a, b) => a + b, 0);
  const softmax = powers.map((p) => p / total);
  const row = weights(phi_q, phi_k, EPS);
  return {
    scaled, exp: scaled.map(Math.exp), softmax, kernel, weights: row,
    denominator: kernel.reduce((a, b) => a + b, 0),
    entropy: entropy(row), softmaxEntropy: /** @type {number} */ (entropy(softmax)), d_phi: phi_q.length,
  };
}
/** The step of a turn that a query stands nearest to. */
export const TURNS = 24;
/** @param {number[]} q */
export const turnOf = (q) => (Math.round((Math.atan2(q[1], q[0]) / (2 * Math.PI)) * TURNS) + TURNS) % TURNS;
/** A query turned by a share of the full circle. @param {number} radius @param {number} share */
export const turned = (radius, share) => [Math.cos, Math.sin].map((f) => Math.round(100 * radius * f(2 * Math.PI * share)) / 100 + 0);
/** How far from 0 the turn takes place. @param {number[]} q */
export const radiusOf = (q) => (length(q) < 0.5 ? 2 : Math.min(length(q), EDGE));
