// @ts-check
// What each form of causal attention costs: multiply-adds, bytes at work, bytes kept while decoding; where they cross.

/** @typedef {{n: number, d: number, batch: number, layers: number, heads: number, kv_heads: number, dtype: string, chunk: number}} Sizes */

export const BYTES = /** @type {Record<string, number>} */ ({ float32: 4, bfloat16: 2, float16: 2 });
export const LEAST_N = 16;
export const MOST_N = 2 ** 20;
export const FORMS = ["softmax", "fused", "kernel", "recurrence", "chunks"];

/** One head of one layer, both of q, k, v and φ with d entries: the multiply-adds of the matrix products.
 * A chunk's block of scores is counted whole, and an empty S is not read. @param {number} n @param {number} d @param {number} chunk */
function work(n, d, chunk) {
  const whole = Math.floor(n / chunk);
  const rest = n - whole * chunk;
  const inside = whole * chunk ** 2 + rest ** 2;
  const through = 2 * n - Math.min(chunk, n) - (rest || Math.min(chunk, n));
  return { softmax: 2 * n * n * d, fused: n * (n + 1) * d, kernel: 2 * n * n * d, recurrence: 2 * n * d * d, chunks: 2 * inside * d + through * d * d };
}

/** Bytes of a number in sums over tokens: S, Z and the row sums of fused softmax stay in float32. */
export const SUMS = 4;

/** Bytes that one head holds at work besides q, k, v and out. @param {number} n @param {number} d @param {number} chunk @param {number} size of a score */
function held(n, d, chunk, size) {
  const state = SUMS * (d * d + d);
  return { softmax: size * n * n, fused: SUMS * n, kernel: size * n * n, recurrence: state, chunks: size * Math.min(chunk, n) ** 2 + (n > chunk ? state : 0) };
}

/** @param {Record<string, number>} each @param {number} factor */
const times = (each, factor) => Object.fromEntries(Object.entries(each).map(([name, x]) => [name, x * factor]));

/** What a view draws: a number for each line. @param {string} view @param {Sizes} sizes @returns {Record<string, number>} */
export function costs(view, { n, d, batch, layers, heads, kv_heads, dtype, chunk }) {
  if (view === "work") return times(work(n, d, chunk), batch * layers * heads);
  // Layers run one after the other, so that one layer's numbers are held at a time.
  if (view === "memory") return times(held(n, d, chunk, BYTES[dtype]), batch * heads);
  return { cache: batch * layers * kv_heads * BYTES[dtype] * 2 * n * d, state: batch * layers * heads * SUMS * (d * d + d) };
}

/** Grouped queries share keys and values evenly: the numbers of key/value heads that divide the heads. @param {number} heads */
const sharing = (heads) => Array.from({ length: heads }, (_, i) => i + 1).filter((x) => heads % x === 0);

/** The possible number of key/value heads nearest to what is wanted, as a ratio. @param {number} heads @param {number} wanted */
export function nearestShared(heads, wanted) {
  const far = (/** @type {number} */ x) => Math.abs(Math.log(x / wanted));
  return sharing(heads).reduce((best, x) => (far(x) < far(best) ? x : best));
}

/** The next one on the way from what it is to what is asked for. @param {number} heads @param {number} now @param {number} asked */
export const nextShared = (heads, now, asked) =>
  (asked > now ? sharing(heads).find((x) => x >= asked) : sharing(heads).findLast((x) => x <= asked)) ?? heads;

/** The n from which on the linear form is the cheaper one. @param {string} view @param {Sizes} sizes */
export function crossings(view, { d, heads, kv_heads, dtype }) {
  const wider = SUMS / BYTES[dtype];
  const state = d * d + d;
  if (view === "work") return [{ n: d, of: ["softmax", "recurrence"] }, { n: 2 * d - 1, of: ["fused", "recurrence"] }];
  if (view === "memory") return [{ n: Math.sqrt(wider * state), of: ["softmax", "recurrence"] }, { n: state, of: ["fused", "recurrence"] }];
  return [{ n: (wider * (d + 1) * heads) / (2 * kv_heads), of: ["cache", "state"] }];
}
