// @ts-check
// What two orders of one triple product cost, how large their matrices are, and the product itself on small numbers. No DOM.
import { through, trace } from "./attention.js";

/** @typedef {number[][]} Matrix */

export const LEAST_N = 4;
export const MOST_N = 65536;

/** A B. @param {Matrix} A @param {Matrix} B @returns {Matrix} */
const product = (A, B) => A.map((row) => through(row, B));

/** @param {Matrix} M @returns {Matrix} */
export const transpose = (M) => M[0].map((_, j) => M.map((row) => row[j]));

/** Multiply-adds of each product and numbers in the matrix between them, for both orders.
 * @param {number} n @param {number} d_k @param {number} d_v */
export const costs = (n, d_k, d_v) => ({
  left: { first: n * d_k * n, second: n * n * d_v, total: n * n * (d_k + d_v), between: n * n },
  right: { first: d_k * n * d_v, second: n * d_k * d_v, total: 2 * n * d_k * d_v, between: d_k * d_v },
});

/** The length at which both orders cost the same. @param {number} d_k @param {number} d_v */
export const crossover = (d_k, d_v) => (2 * d_k * d_v) / (d_k + d_v);

/** One matrix of a drawing; column and row say which gaps lie before it.
 * @typedef {{name: string, kind: string, x: number, y: number, columns: number, rows: number, column: number, row: number}} Part */

/**
 * Where the matrices of one order stand, in entries: a factor left of and a factor above each product.
 * @param {"left"|"right"} order @param {number} n @param {number} d_k @param {number} d_v
 * @returns {{width: number, height: number, parts: Part[]}}
 */
export function scheme(order, n, d_k, d_v) {
  const part = (/** @type {string} */ name, /** @type {string} */ kind, /** @type {number[]} */ [x, y, columns, rows, column, row]) => ({ name, kind, x, y, columns, rows, column, row });
  const side = Math.max(n, d_k);
  if (order === "left")
    return {
      width: d_k + n + d_v,
      height: side + n,
      parts: [
        part("φ(Q)", "q", [0, side, d_k, n, 0, 1]),
        part("φ(K)ᵀ", "k", [d_k, side - d_k, n, d_k, 1, 0]),
        part("V", "v", [d_k + n, side - n, d_v, n, 2, 0]),
        part("scores", "scores", [d_k, side, n, n, 1, 1]),
        part("out", "out", [d_k + n, side, d_v, n, 2, 1]),
      ],
    };
  return {
    width: side + d_v,
    height: 2 * n + d_k,
    parts: [
      part("φ(Q)", "q", [side - d_k, n + d_k, d_k, n, 0, 2]),
      part("φ(K)ᵀ", "k", [side - n, n, n, d_k, 0, 1]),
      part("V", "v", [side, 0, d_v, n, 1, 0]),
      part("S", "S", [side, n, d_v, d_k, 1, 1]),
      part("out", "out", [side, n + d_k, d_v, n, 1, 2]),
    ],
  };
}

/** Every matrix of both orders, without and with the causal mask. @param {Matrix} phi_q @param {Matrix} phi_k @param {Matrix} v */
export function products(phi_q, phi_k, v) {
  const scores = product(phi_q, transpose(phi_k));
  const masked = scores.map((row, t) => row.map((x, i) => (i <= t ? x : 0)));
  const S = product(transpose(phi_k), v);
  const running = trace(phi_q, phi_k, v, 0);
  return {
    scores,
    masked,
    S,
    left: product(scores, v),
    causal: product(masked, v),
    plain: product(phi_q, S),
    running: running.S,
    repaired: running.numerator,
  };
}

/** The largest difference of two matrices. @param {Matrix} A @param {Matrix} B */
export const difference = (A, B) => Math.max(...A.flatMap((row, i) => row.map((x, j) => Math.abs(x - B[i][j]))));

/** Whether two results differ by more than rounding. @param {number} a @param {number} b */
export const differs = (a, b) => Math.abs(a - b) > 1e-9 * Math.max(1, Math.abs(a), Math.abs(b));
