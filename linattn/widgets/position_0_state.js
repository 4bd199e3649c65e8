// @ts-check
// The position-0 widget's state as text for an address: what differs from how its author set it.
import { LEAST, MAPS, MOST, MOST_EPS } from "./position_0_math.js";

export const KEYS = ["view", "t", "q", "k", "v", "eps", "feature_map", "x", "follow", "step"];
const MATRICES = ["q", "k", "v"];
const same = (/** @type {any} */ a, /** @type {any} */ b) => JSON.stringify(a) === JSON.stringify(b);

/** @param {Record<string, any>} now @param {Record<string, any>} start */
export function encode(now, start) {
  const parameters = new URLSearchParams({ view: now.view, t: String(now.t) });
  for (const key of KEYS.slice(2)) {
    if (same(now[key], start[key])) continue;
    const text = MATRICES.includes(key) ? now[key].map((/** @type {number[]} */ row) => row.join("_")).join("*") : String(now[key]);
    parameters.set(key, text);
  }
  return parameters.toString();
}

/** The opposite; throws where the text makes no sense here. @param {string} text @param {Record<string, any>} start @param {number} steps */
export function decode(text, start, steps) {
  const parameters = new URLSearchParams(text);
  const next = /** @type {Record<string, any>} */ ({ ...start });
  /** @param {string} key @param {number} least @param {number} most */
  const number = (key, least, most) => {
    const given = parameters.get(key);
    if (given === null) return start[key];
    const x = Number(given);
    if (given === "" || !(x >= least && x <= most)) throw new Error(key);
    return x;
  };
  for (const key of ["view", "feature_map"]) next[key] = parameters.get(key) ?? start[key];
  if (!["drag", "eps"].includes(next.view) || !MAPS.includes(next.feature_map)) throw new Error("choice");
  Object.assign(next, { t: number("t", 0, 1), eps: number("eps", 0, MOST_EPS), x: number("x", LEAST, MOST), step: number("step", 0, steps - 1) });
  if (![next.t, next.step].every(Number.isInteger)) throw new Error("whole");
  next.follow = (parameters.get("follow") ?? String(start.follow)) === "true";
  for (const key of MATRICES) {
    if (!parameters.has(key)) continue;
    const rows = /** @type {string} */ (parameters.get(key)).split("*").map((row) => row.split("_").map(Number));
    const fits = rows.length === start[key].length && rows.every((row) => row.length === 2 && row.every((x) => Math.abs(x) <= 20));
    if (!fits || (key === "q" && rows[0].some((x) => x > MOST))) throw new Error(key);
    next[key] = rows;
  }
  return next;
}
