// @ts-check
// The arithmetic of linear attention, in the names of linattn/state.py and with no DOM: views hold no formula.
// A vector is a number[], a matrix a number[][] (rows first). Everything is tested against torch.

/** @typedef {number[]} Vector */
/** @typedef {number[][]} Matrix */

const relu = (/** @type {number} */ x) => Math.max(x, 0);

/** The built-in feature maps under the names of their Python twins. @type {Record<string, (x: Vector) => Vector>} */
export const featureMaps = {
  elu_plus_one: (x) => x.map((a) => (a > 0 ? a + 1 : Math.exp(a))),
  relu_plus_eps: (x) => x.map((a) => relu(a) + 1e-3),
  exponential: (x) => x.map(Math.exp),
  squared_relu: (x) => x.map((a) => relu(a) ** 2),
  identity_shifted: (x) => x.map((a) => a + 1),
  taylor_2(x) {
    const scaled = x.map((a) => a / x.length ** 0.25);
    return [1, ...scaled, ...scaled.flatMap((a) => scaled.map((b) => (a * b) / Math.SQRT2))];
  },
  dpfp(x) {
    const r = [...x, ...x.map((a) => -a)].map(relu);
    return [1, 2, 3].flatMap((j) => r.map((a, i) => a * r[(i + j) % r.length]));
  },
  hedgehog(x) {
    const both = [...x, ...x.map((a) => -a)];
    const largest = Math.max(...both);
    const powers = both.map((a) => Math.exp(a - largest));
    const total = powers.reduce((a, b) => a + b, 0);
    return powers.map((a) => a / total);
  },
};

/** How a map is written for readers. @type {Record<string, string>} */
export const featureMapLabels = {
  elu_plus_one: "elu(x) + 1",
  relu_plus_eps: "relu(x) + ε",
  exponential: "exp(x)",
  squared_relu: "relu(x)²",
  identity_shifted: "x + 1 (goes negative)",
  taylor_2: "Taylor, second order",
  dpfp: "DPFP, ν = 3",
  hedgehog: "Hedgehog, untrained",
};

/** a·b. @param {Vector} a @param {Vector} b */
export const dot = (a, b) => a.reduce((sum, x, i) => sum + x * b[i], 0);

/** a bᵀ. @param {Vector} a @param {Vector} b @returns {Matrix} */
export const outer = (a, b) => a.map((x) => b.map((y) => x * y));

/** aᵀ M. @param {Vector} a @param {Matrix} M @returns {Vector} */
export const through = (a, M) => (M[0] ?? []).map((_, j) => dot(a, M.map((row) => row[j])));

/** numerator/(denominator + eps), and 0 where that divisor is exactly 0.
 * @param {Vector} numerator @param {number} denominator @param {number} eps @returns {Vector} */
export const divide = (numerator, denominator, eps) =>
  numerator.map((x) => (denominator + eps === 0 ? 0 : x / (denominator + eps)));

/** The empty state. @param {number} d_phi @param {number} d_v @returns {{S: Matrix, Z: Vector}} */
export const emptyState = (d_phi, d_v) => ({
  S: Array.from({ length: d_phi }, () => Array(d_v).fill(0)),
  Z: Array(d_phi).fill(0),
});

/** Write one token: S + φ(k) vᵀ and Z + φ(k). @param {{S: Matrix, Z: Vector}} state @param {Vector} phi_k @param {Vector} v */
export function write({ S, Z }, phi_k, v) {
  return { S: S.map((row, i) => row.map((s, j) => s + phi_k[i] * v[j])), Z: Z.map((z, i) => z + phi_k[i]) };
}

/** Read with one query. @param {{S: Matrix, Z: Vector}} state @param {Vector} phi_q @param {number} eps */
export function read({ S, Z }, phi_q, eps) {
  const numerator = through(phi_q, S);
  const denominator = dot(phi_q, Z);
  return { numerator, denominator, out: divide(numerator, denominator, eps) };
}

/** The weights that a read puts on the tokens written so far: the row of the all-pairs matrix that is never built.
 * @param {Vector} phi_q @param {Matrix} phi_k the tokens written so far @param {number} eps @returns {Vector} */
export function weights(phi_q, phi_k, eps) {
  const scores = phi_k.map((features) => dot(phi_q, features));
  return divide(scores, scores.reduce((a, b) => a + b, 0), eps);
}

/**
 * Every intermediate of every token, with the fields of linattn.Trace; weights[t] has t + 1 entries.
 * @param {Matrix} phi_q @param {Matrix} phi_k @param {Matrix} v @param {number} eps
 */
export function trace(phi_q, phi_k, v, eps) {
  let state = emptyState(phi_k[0]?.length ?? 0, v[0]?.length ?? 0);
  const steps = phi_k.map((features, t) => {
    state = write(state, features, v[t]);
    return {
      ...state,
      ...read(state, phi_q[t], eps),
      write: outer(features, v[t]),
      weights: weights(phi_q[t], phi_k.slice(0, t + 1), eps),
    };
  });
  return {
    phi_q,
    phi_k,
    write: steps.map((step) => step.write),
    S: steps.map((step) => step.S),
    Z: steps.map((step) => step.Z),
    numerator: steps.map((step) => step.numerator),
    denominator: steps.map((step) => step.denominator),
    weights: steps.map((step) => step.weights),
    out: steps.map((step) => step.out),
  };
}

/** The largest absolute value in any nesting of numbers, at least `least`. @param {any} values @param {number} [least] */
export const largest = (values, least = 1e-9) =>
  values.flat(Infinity).reduce((/** @type {number} */ most, /** @type {number} */ x) => Math.max(most, Math.abs(x)), least);
