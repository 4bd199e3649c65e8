// @ts-check
// What the bug lab says: which checks see a bug, what a set of checks still misses, the smallest set.
import { count, formatGap, parse } from "./dom.js";
import { alarms, checks, missed, mutants, runs, smallest } from "./bug_lab_math.js";
import { table } from "./table.js";

/** @typedef {any} Shown */

/** A tolerance. @param {number} x */
export const limit = (x) => (x < 1 ? x.toExponential().replace("-", "−") : String(x));
/** A distance, with as many digits as tell on which side of the tolerance it is. What four decimals would say with one digit
 * is a power of ten everywhere. @param {number} x @param {number} tolerance @param {number} [decimals] */
export function far(x, tolerance, decimals = 2) {
  if (x === Infinity) return "∞";
  const side = (/** @type {number} */ y) => Math.sign(y - tolerance);
  let text = formatGap(x, x < 5e-4 ? 2 : decimals);
  for (let digits = 2; side(parse(text.replaceAll(",", "")) ?? NaN) !== side(x); digits += 1) text = x.toPrecision(digits).replace("-", "−");
  return text;
}
/** What a distance is, of an output a and the b that a check wants. */
export const DISTANCE = "|a − b|/(1 + |b|)";
const TOTAL = Object.keys(mutants).length;
/** @param {string[]} names */
export const list = (names) => (names.length < 2 ? names.join("") : `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`);
/** @param {string[]} names */
export const quoted = (names) => list(names.map((name) => `“${name}”`));

/** @param {Shown} s @param {string} name */
export const seenBy = (s, name) => Object.keys(checks).filter((check) => s.distances[name][check] > s.tolerance);

/** Which of some checks refuse even the right function, in words; nothing where none does.
 * @param {Record<string, Record<string, number>>} distances @param {number} tolerance @param {string[]} [some] */
export function refusing(distances, tolerance, some = Object.keys(checks)) {
  const found = alarms(distances, tolerance).filter((check) => some.includes(check));
  return found.length ? `${list(found)} ${found.length > 1 ? "refuse" : "refuses"} even the right function` : "";
}

/** The last bug switched on, or where the lab stands. @param {Shown} s @param {string | null} latest */
export function say(s, latest) {
  const refused = refusing(s.distances, s.tolerance);
  const alarm = refused && `Careful: ${refused}. `;
  if (latest && s.on.includes(latest)) {
    const seen = seenBy(s, latest);
    const blind = Object.keys(checks).filter((check) => !seen.includes(check));
    const verdict = !seen.length ? "No check sees it." : blind.length ? `Seen by ${list(seen)}; ${list(blind)} ${blind.length > 1 ? "let" : "lets"} it pass.` : "Every check sees it.";
    return `${alarm}${latest}: ${s.docs[latest]} ${verdict}`;
  }
  if (!s.on.length) return `${alarm}Guess which lamps a bug will light, then switch it on.`;
  return `${alarm}${s.on.length} of ${TOTAL} bugs switched on.`;
}

/** The bugs left, without naming what is not switched on yet. @param {string[]} left @param {string[]} on */
export function unseen(left, on) {
  const tried = left.filter((name) => on.includes(name));
  const hidden = left.length - tried.length;
  return [tried.length && quoted(tried), hidden && `${hidden} that you have not switched on`].filter(Boolean).join(" and ");
}

/** What the chosen set sees. @param {Shown} s */
export function sayHunt(s) {
  if (!s.chosen.length) return "Choose checks in the head of the table: which is the smallest set that sees every bug?";
  const left = missed(s.distances, s.chosen, s.tolerance);
  const cost = s.sequences * s.chosen.reduce((/** @type {number} */ total, /** @type {string} */ check) => total + runs[check](s.n), 0);
  const spent = `${count(cost)} ${cost === 1 ? "run" : "runs"} of the function${s.chosen.includes("reference") ? ", and a slow, plain form to trust" : ""}.`;
  const found = `${list(s.chosen)}: ${TOTAL - left.length} of ${TOTAL} bugs seen`;
  const refused = refusing(s.distances, s.tolerance, s.chosen);
  if (refused) return `${found}, for ${spent} But ${refused}: that does not count.`;
  if (!left.length) return `${found}, for ${spent}${s.chosen.length > 1 ? " Can you do it with fewer?" : ""}`;
  return `${found}, for ${spent} Still missed: ${unseen(left, s.on)}.`;
}

/** The answer. @param {Shown} s */
export function sayAnswer(s) {
  const all = Object.keys(checks);
  const refused = alarms(s.distances, s.tolerance);
  const tell = (/** @type {string[]} */ from) => {
    if (from.every((check) => refused.includes(check))) return "none, for no check is left";
    const best = smallest(s.distances, from, s.tolerance);
    const sets = best.map((one) => (one.set.length ? list(one.set) : "no check at all")).join("; or ");
    const left = best[0].missed;
    return `${sets}, ${left.length ? `missing ${quoted(left)}` : "seeing every bug"}`;
  };
  const out = refused.length ? `Left out: ${refusing(s.distances, s.tolerance)}. ` : "";
  return `${out}The smallest set, with these numbers: ${tell(all)}. Without a reference: ${tell(all.filter((check) => check !== "reference"))}.`;
}

/** @param {Shown} s */
export function tables(s) {
  const names = Object.keys(checks);
  const rows = ["", ...Object.keys(mutants)].map((name) => {
    const known = name === "" || s.on.includes(name);
    return [name || "the right function", ...names.map((check) => (known ? `${far(s.distances[name][check], s.tolerance, 4)}${s.distances[name][check] > s.tolerance ? ", seen" : ""}` : "not switched on"))];
  });
  return table(`How far each rule is broken at worst, ${DISTANCE}; seen above ${limit(s.tolerance)}`, ["function", ...names], rows);
}
