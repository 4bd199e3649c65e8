// @ts-check
// The associativity widget's state as text for an address: only what differs from how its author set it.
import { LEAST_N, MOST_N } from "./associativity_math.js";
import { stepCount } from "./associativity_words.js";

const MATRICES = ["phi_q", "phi_k", "v"];
const same = (/** @type {any} */ a, /** @type {any} */ b) => JSON.stringify(a) === JSON.stringify(b);

/** @param {Record<string, any>} now @param {Record<string, any>} start */
export function encode(now, start) {
  const parameters = new URLSearchParams({ view: now.view, n: now.n, d_k: now.d_k, d_v: now.d_v, causal: String(Number(now.causal)), step: now.step });
  for (const key of MATRICES) if (!same(now[key], start[key])) parameters.set(key, now[key].map((/** @type {number[]} */ row) => row.join("_")).join("*"));
  return parameters.toString();
}

/** The opposite; throws where the text makes no sense here. @param {string} text @param {Record<string, any>} start */
export function decode(text, start) {
  const parameters = new URLSearchParams(text);
  const whole = (/** @type {string} */ key, /** @type {number} */ least, /** @type {number} */ most) => {
    const x = Number(parameters.get(key) ?? NaN);
    if (!Number.isInteger(x) || x < least || x > most) throw new Error(key);
    return x;
  };
  const next = { ...start, view: parameters.get("view"), n: whole("n", LEAST_N, MOST_N), d_k: whole("d_k", 1, 1024), d_v: whole("d_v", 1, 1024), causal: whole("causal", 0, 1) === 1 };
  if (next.view !== "scale" && next.view !== "numbers") throw new Error("view");
  for (const key of MATRICES) {
    if (!parameters.has(key)) continue;
    const rows = /** @type {string} */ (parameters.get(key)).split("*").map((row) => row.split("_").map(Number));
    if (rows.length !== start[key].length || rows.some((row) => row.length !== start[key][0].length || !row.every(Number.isFinite))) throw new Error(key);
    /** @type {any} */ (next)[key] = rows;
  }
  /** @type {any} */ (next).step = whole("step", 0, stepCount(/** @type {any} */ (next)) - 1);
  return next;
}
