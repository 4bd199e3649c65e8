// @ts-check
// The twin of linattn/tasks.py, embed_sentence: a sentence becomes the same q, k, v in the browser as in Python.

const SPACES = /[ \t\n\r\f\v\u00a0]+/;

const utf8 = new TextEncoder();

/** @param {string} text @returns {number} unsigned 32-bit: FNV-1a over the UTF-8 bytes, then a finalizer */
export function hash(text) {
  let h = 2166136261;
  for (const byte of utf8.encode(text)) h = Math.imul(h ^ byte, 16777619);
  h = Math.imul(h ^ (h >>> 16), 0x7feb352d);
  h = Math.imul(h ^ (h >>> 15), 0x846ca68b);
  return (h ^ (h >>> 16)) >>> 0;
}

/** @param {number} seed @param {string} role @param {string|number} what @param {number} i @param {number} limit */
const tenths = (seed, role, what, i, limit) => (hash(`${seed} ${role} ${i} ${what}`) % (2 * limit + 1)) - limit;

/** @param {string} sentence @returns {string[]} */
export const words = (sentence) => sentence.split(SPACES).filter(Boolean);

/**
 * @param {string[]} tokens @param {number} d_k @param {number} d_v @param {number} [seed]
 * @returns {{tokens: string[], q: number[][], k: number[][], v: number[][]}}
 */
export function embed(tokens, d_k, d_v, seed = 0) {
  /** @param {string} role @param {number} limit @param {number} d @param {boolean} positions */
  const rows = (role, limit, d, positions) =>
    tokens.map((word, t) =>
      Array.from({ length: d }, (_, i) => {
        const position = positions ? tenths(seed, "at", t, i, 3) : 0;
        return (tenths(seed, role, word, i, limit) + position) / 10;
      }),
    );
  return { tokens, q: rows("q", 16, d_k, true), k: rows("k", 16, d_k, true), v: rows("v", 15, d_v, false) };
}
