// @ts-check
// What the recall widget says, its tables, and its state as text for an address.
import { format, symbol } from "./dom.js";
import { RULES, expected } from "./recall_math.js";
import { table } from "./table.js";

export const KEYS = ["m", "d_phi", "rule", "gamma", "beta", "orthogonal", "rewrite", "seed", "pair"];
export const RULE_NAMES = { sum: "plain sum", decay: "decay", delta: "delta rule" };

/** A squared error below this is rounding and nothing else. */
export const EXACT = 1e-20;

/** A squared error for reading. @param {number} x @param {number} [decimals] */
export const loss = (x, decimals) => (x > 0 && x < EXACT ? "0, up to rounding" : format(x, decimals));

/** What the key of pairs 0 and 1 returns once both are written, and nothing else. @param {any} shown */
function mixture({ rule, gamma, beta }) {
  const [first, last] = { sum: [1, 1], decay: [gamma, 1], delta: [beta * (1 - beta), beta] }[/** @type {"sum"} */ (rule)];
  if (!first && last === 1) return "v₁, the last value";
  const parts = [[first, "v₀"], [last, "v₁"]].filter(([share]) => share);
  return parts.map(([share, v]) => (share === 1 ? v : `${format(/** @type {number} */ (share))}·${v}`)).join(" + ") || "0";
}

/** What holds of the pairs that are written. @param {any} shown */
function why(shown) {
  const { m, d_phi, gamma, beta, here } = shown;
  // Without forgetting, decay is the plain sum.
  const rule = shown.rule === "decay" && gamma === 1 ? "sum" : shown.rule;
  const shared = shown.rewrite && m > 1;
  const apart = shown.orthogonal && m <= d_phi;
  if (rule === "delta" && beta === 0) return "With β = 0 nothing is written.";
  if (shared && m === 2) return `Pair 1 has the key of pair 0: that key now returns ${mixture(shown)}.`;
  if (m - (shared ? 1 : 0) > d_phi) return `There are more keys than features, so no S returns all of them exactly: at best ${loss(here.least)}.`;
  if (shared) return `Pair 1 has the key of pair 0, so no S returns both exactly: at best ${loss(here.least)}.`;
  if (m === 1 && (rule !== "delta" || beta === 1)) return "Alone in S, it comes back exactly.";
  if (rule === "decay") return `Each write shrinks what S held: pair 0 is left with weight ${format(gamma ** (m - 1))}, the last pair has weight 1.`;
  if (rule === "delta" && beta < 1) return `The write moved what the last key returns by ${format(beta)} of the way to its value.`;
  if (apart) return "At right angles the keys do not disturb each other: all come back exactly.";
  if (rule === "sum") return `Every other pair disturbs the read; (m − 1)/d_φ = ${format(expected(m, d_phi).sum)} is expected of random keys.`;
  return "The last pair comes back exactly; writing it disturbed the others.";
}

/** @param {any} shown */
export function say(shown) {
  const { m, d_phi, here } = shown;
  if (!m) return "S is zero. Each step writes one pair, then reads every pair back.";
  return `${m} ${m === 1 ? "pair" : "pairs"} in ${d_phi} features: mean squared error ${loss(here.error)}. ${why(shown)}`;
}

const list = (/** @type {number[]} */ row) => row.map((x) => format(x, 4)).join("  ");

/** @param {any} shown */
export function tables({ m, d_phi, values, here, steps, pair }) {
  const box = document.createDocumentFragment();
  box.append(
    table("Pairs read back", ["pair", symbol("v"), "read", "squared error"], here.errors.map((/** @type {number} */ error, /** @type {number} */ j) => [String(j), list(values[j]), list(here.back[j]), loss(error, 4)]), pair),
    table("Over the number of pairs", ["m", "mean squared error", "(m − 1)/d_φ", "best possible"], steps.slice(0, m + 1).map((/** @type {any} */ step, /** @type {number} */ i) => [String(i), loss(step.error, 4), format(expected(i, d_phi).sum, 4), loss(step.least, 4)]), m),
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
