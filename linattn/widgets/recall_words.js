// @ts-check
// What the recall widget says, its tables, and its state as text for an address.
import { format, symbol } from "./dom.js";
import { RULES, expected } from "./recall_math.js";
import { table } from "./table.js";

export const KEYS = ["m", "d_phi", "rule", "gamma", "beta", "orthogonal", "rewrite", "seed", "pair"];
export const RULE_NAMES = { sum: "plain sum", decay: "decay", delta: "delta rule" };

/** @param {any} shown */
export function say({ m, d_phi, rule, beta, orthogonal, rewrite, here }) {
  if (!m) return "S is zero. Each step writes one pair, then reads every pair back.";
  const start = `${m} ${m === 1 ? "pair" : "pairs"} in ${d_phi} features: mean squared error ${format(here.error)}.`;
  if (rewrite && m >= 2) {
    const exact = rule === "delta" && beta === 1;
    if (m === 2) return `${start} Pair 1 has the key of pair 0: that key now returns ${exact ? "v₁, the last value" : "a mixture of v₀ and v₁"}.`;
  }
  if (m > d_phi) return `${start} There are more keys than features, so no S returns all of them exactly: at best ${format(here.least)}.`;
  if (orthogonal && !rewrite && rule === "sum") return `${start} At right angles the keys do not disturb each other.`;
  if (rule === "sum") return `${start} Every other pair disturbs the read; (m − 1)/d = ${format(expected(m, d_phi).sum)} is expected of random keys.`;
  if (rule === "decay") return `${start} Old pairs fade, new ones come back clearer.`;
  return `${start} ${beta === 1 ? "The last pair comes back exactly; writing it disturbed the others." : "The last pair is corrected in part."}`;
}

const list = (/** @type {number[]} */ row) => row.map((x) => format(x, 4)).join("  ");

/** @param {any} shown */
export function tables({ m, d_phi, values, here, steps, pair }) {
  const box = document.createDocumentFragment();
  box.append(
    table("Pairs read back", ["pair", symbol("v"), "read", "squared error"], here.errors.map((/** @type {number} */ error, /** @type {number} */ j) => [String(j), list(values[j]), list(here.back[j]), format(error, 4)]), pair),
    table("Over the number of pairs", ["m", "mean squared error", "(m − 1)/d", "best possible"], steps.slice(0, m + 1).map((/** @type {any} */ step, /** @type {number} */ i) => [String(i), format(step.error, 4), format(expected(i, d_phi).sum, 4), format(step.least, 4)]), m),
    table("The memory S", ["row", ...[0, 1, 2, 3].map(String)], here.S.map((/** @type {number[]} */ row, /** @type {number} */ i) => [String(i), ...row.map((x) => format(x, 4))])),
  );
  return box;
}

/** @param {Record<string, any>} now @param {Record<string, any>} start */
export const encode = (now, start) =>
  new URLSearchParams([["m", String(now.m)], ...KEYS.slice(1).filter((key) => now[key] !== start[key]).map((key) => [key, String(now[key])])]).toString();

/** The opposite; throws where the text makes no sense. @param {string} text @param {Record<string, any>} start @param {number} pairs */
export function decode(text, start, pairs) {
  const parameters = new URLSearchParams(text);
  const next = /** @type {Record<string, any>} */ ({ ...start });
  const limits = /** @type {[string, number, number, boolean][]} */ ([["m", 0, pairs, true], ["d_phi", 2, 32, true], ["seed", 0, 9999, true], ["pair", 0, pairs - 1, true], ["gamma", 0, 1, false], ["beta", 0, 1, false]]);
  for (const [key, least, most, whole] of limits) {
    const given = parameters.get(key);
    if (given === null) continue;
    const x = Number(given);
    if (given === "" || !(x >= least && x <= most) || (whole && !Number.isInteger(x))) throw new Error(key);
    next[key] = x;
  }
  next.rule = parameters.get("rule") ?? start.rule;
  if (!RULES.includes(next.rule)) throw new Error("rule");
  for (const key of ["orthogonal", "rewrite"]) next[key] = (parameters.get(key) ?? String(start[key])) === "true";
  return next;
}
