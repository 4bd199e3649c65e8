// @ts-check
// What each form of causal attention costs: multiply-adds, bytes at work, bytes kept while decoding; where they cross.
// Scores, row sums and reads of S belong to a query head. S, Z and what is written into them come from k and v alone:
// the query heads that share a key/value head share them too. So one key/value head is counted, with its query heads.

/** @typedef {{n: number, d: number, batch: number, layers: number, heads: number, kv_heads: number, dtype: string, chunk: number}} Sizes */

export const BYTES = /** @type {Record<string, number>} */ ({ float32: 4, bfloat16: 2, float16: 2 });
export const LEAST_N = 16;
export const MOST_N = 2 ** 20;
export const FORMS = ["softmax", "fused", "kernel", "recurrence", "chunks"];

/** One key/value head of one layer, q, k, v and φ with d entries each: the multiply-adds of the matrix products.
 * A chunk's block of scores is counted whole, and an empty S is not read.
 * @param {number} n @param {number} d @param {number} chunk @param {number} group query heads that share it */
function work(n, d, chunk, group) {
  const whole = Math.floor(n / chunk);
  const rest = n - whole * chunk;
  const inside = whole * chunk ** 2 + rest ** 2;
  const [read, written] = [n - Math.min(chunk, n), n - (rest || Math.min(chunk, n))];
  const scores = group * 2 * n * n * d;
  return { softmax: scores, fused: group * n * (n + 1) * d, kernel: scores, recurrence: (group + 1) * n * d * d, chunks: group * 2 * inside * d + (group * read + written) * d * d };
}

/** Bytes of a number in sums over tokens: S, Z and the row sums of fused softmax stay in float32. */
export const SUMS = 4;

/** Bytes that one key/value head and its query heads hold at work besides q, k, v and out.
 * @param {number} n @param {number} d @param {number} chunk @param {number} group @param {number} size of a score */
function held(n, d, chunk, group, size) {
  const [scores, state] = [group * size * n * n, SUMS * (d * d + d)];
  return { softmax: scores, fused: group * SUMS * n, kernel: scores, recurrence: state, chunks: group * size * Math.min(chunk, n) ** 2 + (n > chunk ? state : 0) };
}

/** @param {Record<string, number>} each @param {number} factor */
const times = (each, factor) => Object.fromEntries(Object.entries(each).map(([name, x]) => [name, x * factor]));

/** What a view draws: a number for each line. @param {string} view @param {Sizes} sizes @returns {Record<string, number>} */
export function costs(view, { n, d, batch, layers, heads, kv_heads, dtype, chunk }) {
  const group = heads / kv_heads;
  if (view === "work") return times(work(n, d, chunk, group), batch * layers * kv_heads);
  // Layers run one after the other, so that one layer's numbers are held at a time.
  if (view === "memory") return times(held(n, d, chunk, group, BYTES[dtype]), batch * kv_heads);
  return times({ cache: BYTES[dtype] * 2 * n * d, state: SUMS * (d * d + d) }, batch * layers * kv_heads);
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

/** The n from which on the linear form is the cheaper one; how heads are shared moves it, unless both lines share alike. @param {string} view @param {Sizes} sizes */
export function crossings(view, { d, heads, kv_heads, dtype }) {
  const wider = SUMS / BYTES[dtype];
  const state = ((d * d + d) * kv_heads) / heads;
  const both = (d * (heads + kv_heads)) / heads;
  if (view === "work") return [{ n: both / 2, of: ["softmax", "recurrence"] }, { n: both - 1, of: ["fused", "recurrence"] }];
  if (view === "memory") return [{ n: Math.sqrt(wider * state), of: ["softmax", "recurrence"] }, { n: state, of: ["fused", "recurrence"] }];
  return [{ n: (wider * (d + 1)) / 2, of: ["cache", "state"] }];
}
