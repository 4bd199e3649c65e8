// @ts-check
// The arithmetic of recall: random pairs, three ways to write them into S, what comes back, the least error any S allows.
import { hash } from "./embedding.js";

export const RULES = ["sum", "decay", "delta"];
/** The size of the values. */
export const D_V = 4;

/** @typedef {{d_phi: number, pairs: number, rule: string, gamma: number, beta: number, orthogonal: boolean, rewrite: boolean, seed: number}} Setting */

const dot = (/** @type {number[]} */ a, /** @type {number[]} */ b) => a.reduce((sum, x, i) => sum + x * b[i], 0);
const unit = (/** @type {number[]} */ a) => a.map((x) => x / Math.sqrt(dot(a, a)));

/** Uniform in (0, 1), fixed by its arguments. @param {string} what */
const uniform = (what) => (hash(what) + 0.5) / 2 ** 32;

/** A normal number (Box and Muller). @param {number} seed @param {string} role @param {number} j @param {number} i */
const normal = (seed, role, j, i) => Math.sqrt(-2 * Math.log(uniform(`${seed} ${role} ${j} ${i} a`))) * Math.cos(2 * Math.PI * uniform(`${seed} ${role} ${j} ${i} b`));

/** The first of a pair's normal numbers. They are kept while the seed is: another size takes more or fewer of the same. */
const normals = (() => {
  /** @type {Map<string, number[]>} */ const kept = new Map();
  let of = NaN;
  return (/** @type {number} */ seed, /** @type {string} */ role, /** @type {number} */ j, /** @type {number} */ count) => {
    if (of !== (of = seed)) kept.clear();
    const row = kept.get(`${role} ${j}`) ?? [];
    while (row.length < count) row.push(normal(seed, role, j, row.length));
    kept.set(`${role} ${j}`, row);
    return row.slice(0, count);
  };
})();

/** What is left of a vector beside orthonormal ones. @param {number[]} x @param {number[][]} basis */
const beside = (x, basis) => basis.reduce((left, b) => {
  const part = dot(left, b);
  return left.map((y, i) => y - part * b[i]);
}, x);

/** Unit keys and unit values. Only d_φ keys can be at right angles; after them a fresh set of d_φ begins. @param {Setting} setting */
export function makePairs({ d_phi, pairs, orthogonal, rewrite, seed }) {
  const draw = (/** @type {string} */ role, /** @type {number} */ j, /** @type {number} */ d) => unit(normals(seed, role, j, d));
  /** @type {number[][]} */ const keys = [];
  for (let j = 0; j < pairs; j += 1) {
    const key = draw("key", j, d_phi);
    // Twice, because once leaves rounding errors behind.
    const set = keys.slice(j - (j % d_phi));
    keys.push(orthogonal ? unit(beside(unit(beside(key, set)), set)) : key);
  }
  if (rewrite) keys[1] = keys[0];
  return { keys, values: Array.from({ length: pairs }, (_, j) => draw("value", j, D_V)) };
}

/** One write: S (d_φ, d_v) after the pair. @param {number[][]} S @param {number[]} k @param {number[]} v @param {Setting} setting */
function write(S, k, v, { rule, gamma, beta }) {
  const stored = S[0].map((_, c) => S.reduce((sum, row, i) => sum + k[i] * row[c], 0));
  const add = rule === "delta" ? v.map((x, c) => beta * (x - stored[c])) : v;
  const keep = rule === "decay" ? gamma : 1;
  return S.map((row, i) => row.map((x, c) => keep * x + k[i] * add[c]));
}

const read = (/** @type {number[][]} */ S, /** @type {number[]} */ k) => S[0].map((_, c) => S.reduce((sum, row, i) => sum + k[i] * row[c], 0));
const squared = (/** @type {number[]} */ a, /** @type {number[]} */ b) => a.reduce((sum, x, i) => sum + (x - b[i]) ** 2, 0);
export const mean = (/** @type {number[]} */ list) => (list.length ? list.reduce((sum, x) => sum + x, 0) / list.length : 0);

/**
 * The error of the best S for the first m pairs (least squares), for every m: what of the values the keys cannot reach.
 * Pairs join a triangular system one at a time; each rotation moves what it can of a new row into the system, and what
 * is left of the row's value at the end no S reaches.
 * @param {number[][]} keys unit keys @param {number[][]} values
 */
export function leastErrors(keys, values) {
  const d = keys[0].length;
  /** Row i: zeros up to i, then the key's part, then the value's. @type {number[][]} */ const system = keys[0].map(() => new Array(d + values[0].length).fill(0));
  let total = 0;
  return [0, ...keys.map((key, j) => {
    const row = [...key, ...values[j]];
    for (let i = 0; i < d; i += 1) {
      // A key that the others give already has rounding errors left, and adds nothing.
      if (Math.abs(row[i]) < 1e-9) continue;
      const there = system[i];
      const size = Math.hypot(there[i], row[i]);
      const [c, s] = [there[i] / size, row[i] / size];
      for (let l = i; l < row.length; l += 1) [there[l], row[l]] = [c * there[l] + s * row[l], c * row[l] - s * there[l]];
    }
    total += row.slice(d).reduce((sum, x) => sum + x * x, 0);
    return total / (j + 1);
  })];
}

/** Everything, for every m from 0 to `pairs`. @param {Setting} setting */
export function recall(setting) {
  const { keys, values } = makePairs(setting);
  const least = leastErrors(keys, values);
  let S = keys[0].map(() => new Array(D_V).fill(0));
  const steps = [];
  for (let m = 0; m <= setting.pairs; m += 1) {
    if (m) S = write(S, keys[m - 1], values[m - 1], setting);
    const back = keys.slice(0, m).map((k) => read(S, k));
    const errors = back.map((v, j) => squared(v, values[j]));
    steps.push({ S, back, errors, error: mean(errors), least: least[m] });
  }
  return { keys, values, steps };
}

/** What the plain sum of random unit keys is expected to lose, and the best S. @param {number} m @param {number} d */
export const expected = (m, d) => ({ sum: Math.max(m - 1, 0) / d, least: Math.max(0, 1 - d / Math.max(m, 1)) });
