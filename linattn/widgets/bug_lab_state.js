// @ts-check
// The bug lab's state as text for an address: switches and chosen checks as rows of 0 and 1.
import { checks, mutants } from "./bug_lab_math.js";

export const KEYS = ["on", "chosen", "sequences", "n", "d", "tolerance", "seed", "revealed"];
/** What can be set, from and to. @type {Record<string, [number, number]>} */
export const LIMITS = { sequences: [1, 64], n: [1, 8], d: [1, 8], seed: [0, 9999] };

const bits = (/** @type {string[]} */ all, /** @type {string[]} */ some) => all.map((name) => Number(some.includes(name))).join("");

/** @param {Record<string, any>} now */
export const encode = (now) =>
  new URLSearchParams({
    on: bits(Object.keys(mutants), now.on), chosen: bits(Object.keys(checks), now.chosen),
    ...Object.fromEntries(["sequences", "n", "d", "tolerance", "seed"].map((key) => [key, String(now[key])])),
    ...(now.revealed ? { revealed: "1" } : {}),
  }).toString();

/** The opposite; throws where the text makes no sense here. @param {string} text */
export function decode(text) {
  const parameters = new URLSearchParams(text);
  const names = (/** @type {string} */ key, /** @type {string[]} */ all) => {
    const given = parameters.get(key) ?? "";
    if (!/^[01]+$/.test(given) || given.length !== all.length) throw new Error(key);
    return all.filter((_, i) => given[i] === "1");
  };
  /** @type {Record<string, any>} */ const next = { on: names("on", Object.keys(mutants)), chosen: names("chosen", Object.keys(checks)), revealed: parameters.get("revealed") === "1" };
  for (const [key, [least, most]] of Object.entries(LIMITS)) {
    next[key] = Number(parameters.get(key) ?? NaN);
    if (!Number.isInteger(next[key]) || next[key] < least || next[key] > most) throw new Error(key);
  }
  next.tolerance = Number(parameters.get("tolerance") ?? NaN);
  if (!(next.tolerance > 0 && next.tolerance <= 1)) throw new Error("tolerance");
  return next;
}
