// @ts-check
// The associativity widget's state as text for an address: only what differs from how its author set it.
import { LEAST_N, MOST_N } from "./associativity_math.js";
import { stepCount } from "./associativity_words.js";
import { readRows, same, whole, writeRows } from "./rows.js";

const MATRICES = ["phi_q", "phi_k", "v"];

/** @param {Record<string, any>} now @param {Record<string, any>} start */
export function encode(now, start) {
  const parameters = new URLSearchParams({ view: now.view, n: now.n, d_k: now.d_k, d_v: now.d_v, causal: String(Number(now.causal)), step: now.step });
  for (const key of MATRICES) if (!same(now[key], start[key])) parameters.set(key, writeRows(now[key]));
  return parameters.toString();
}

/** The opposite; throws where the text makes no sense here. @param {string} text @param {Record<string, any>} start */
export function decode(text, start) {
  const parameters = new URLSearchParams(text);
  const number = (/** @type {string} */ key, /** @type {number} */ least, /** @type {number} */ most) => whole(parameters, key, least, most);
  /** @type {any} */
  const next = { ...start, view: parameters.get("view"), n: number("n", LEAST_N, MOST_N), d_k: number("d_k", 1, 1024), d_v: number("d_v", 1, 1024), causal: number("causal", 0, 1) === 1 };
  if (next.view !== "scale" && next.view !== "numbers") throw new Error("view");
  for (const key of MATRICES) if (parameters.has(key)) next[key] = readRows(/** @type {string} */ (parameters.get(key)), start[key]);
  next.step = number("step", 0, stepCount(next) - 1);
  return next;
}
