// @ts-check
// Position 0 and position 1 of two tokens, read with one query; what ε takes away. No DOM; tested against torch.
import { dot, featureMaps, trace } from "./attention.js";

/** Maps of R² into R²: two features can be shown beside two entries. */
export const MAPS = ["elu_plus_one", "relu_plus_eps", "exponential", "squared_relu", "identity_shifted"];
export const LEAST = -20;
export const MOST = 5;
export const MOST_EPS = 0.1;
/** Places of the ε slider: 0, then four a decade from 1e-12 to 1e-1. */
export const EPS_PLACES = 45;

/** @param {number} place */
export const epsAt = (place) => (place <= 0 ? 0 : Number((10 ** (-12 + (place - 1) / 4)).toPrecision(2)));
/** The place nearest to ε. @param {number} eps */
export const epsPlace = (eps) => (eps < 1e-12 ? 0 : Math.min(Math.round(4 * (Math.log10(eps) + 12)) + 1, EPS_PLACES));

/** Where x lies between LEAST and MOST, 0 to 1: stretched around 0, so that both −20 and −0.5 can be hit. @param {number} x */
export const toShare = (x) => (Math.asinh(x) - Math.asinh(LEAST)) / (Math.asinh(MOST) - Math.asinh(LEAST));
/** The opposite, to one decimal. @param {number} share */
export function fromShare(share) {
  const x = Math.sinh(Math.asinh(LEAST) + share * (Math.asinh(MOST) - Math.asinh(LEAST)));
  return Math.min(Math.max(Math.round(10 * x) / 10, LEAST), MOST) + 0;
}

/** w/(w + ε), the part that ε leaves; 0 where there is nothing to divide. @param {number} w @param {number} eps */
export const factor = (w, eps) => (w === 0 ? 0 : w / (w + eps));
/** ε/(w + ε), the part that ε takes. @param {number} w @param {number} eps */
export const lost = (w, eps) => (w === 0 ? 1 : eps / (w + eps));

/**
 * Both tokens written, the state after token t read with q.
 * @param {{q: number[], k: number[][], v: number[][], t: number, eps: number, feature_map: string}} input
 */
export function readAt({ q, k, v, t, eps, feature_map }) {
  const phi = featureMaps[feature_map];
  const phi_q = phi(q);
  const phi_k = k.map(phi);
  const steps = trace(k.map(() => phi_q), phi_k, v, eps);
  const w = steps.denominator[t];
  const out = steps.out[t];
  // What the output would be with no ε: the average of the values by their scores.
  const mean = w === 0 ? v[t].map(() => 0) : steps.numerator[t].map((x) => x / w);
  const size = dot(mean, mean);
  return {
    phi_q,
    phi_k,
    scores: phi_k.slice(0, t + 1).map((features) => dot(phi_q, features)),
    numerator: steps.numerator[t],
    w,
    out,
    weights: steps.weights[t],
    predicted: factor(w, eps),
    /** How much of that average is found in the output; null where the average is 0 and has no parts. */
    found: w === 0 ? 0 : size === 0 ? null : dot(out, mean) / size,
  };
}

/** q_0 with both entries at x, and k_0 too if it follows. @param {any} input @param {number} x */
export const farInput = (input, x) => ({ ...input, q: [x, x], k: input.follow ? [[x, x], input.k[1]] : input.k, t: 0 });

/** Points (x, w, lost as predicted, lost as found) from LEAST to MOST. @param {any} input */
export const curve = (input) =>
  Array.from({ length: 4 * (MOST - LEAST) + 1 }, (_, i) => {
    const x = LEAST + i / 4;
    const read = readAt(farInput(input, x));
    return { x, w: read.w, predicted: lost(read.w, input.eps), found: read.found === null ? null : 1 - read.found };
  });
