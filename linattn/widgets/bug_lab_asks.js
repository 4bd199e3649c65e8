// @ts-check
// What a walk-through of the bug lab may ask before a stop; every truth is read off the distances that the checks measured.
import { checks, missed, mutants, smallest } from "./bug_lab_math.js";
import { DISTANCE, far, limit, list, refusing, seenBy, unseen } from "./bug_lab_words.js";

/** @typedef {{on: string[], chosen: string[], tolerance: number, docs: Record<string, string>, distances: Record<string, Record<string, number>>}} State */
/** @typedef {import("./predict.js").Question} Question */

const CHECKS = Object.keys(checks);
const BUGS = Object.keys(mutants);
const at = (/** @type {any[]} */ all, /** @type {any[]} */ some) => all.flatMap((one, i) => (some.includes(one) ? [i] : []));

/** How many bugs each check misses on its own. @param {string[]} some @param {State["distances"]} distances @param {number} tolerance */
const alone = (some, distances, tolerance) => list(some.map((check) => `${missed(distances, [check], tolerance).length} (${check})`));

/** Whether what a question asks before a stop is on screen already. @type {Record<string, (stop: any, now: any) => boolean>} */
export const known = {
  lamps: (stop, now) => now.on.includes(stop.on.at(-1)),
  missed: (stop, now) => stop.chosen.join() === now.chosen.join(),
  smallest: (_, now) => now.revealed,
};

/** @type {Record<string, (state: State) => Question>} */
export const asks = {
  /** Which checks see the bug that the stop names last. */
  lamps(s) {
    const bug = /** @type {string} */ (s.on.at(-1));
    return {
      many: true,
      question: `“${bug}” is next. ${s.docs[bug]} Which checks will see it?`,
      options: CHECKS,
      truth: at(CHECKS, seenBy(s, bug)),
      because: `${DISTANCE} is at most ${list(CHECKS.map((check) => `${far(s.distances[bug][check], s.tolerance)} (${check})`))}: a lamp lights above ${limit(s.tolerance)}.`,
    };
  },
  /** How many bugs the chosen checks miss together. */
  missed(s) {
    const { on, chosen, distances, tolerance } = s;
    const left = missed(distances, chosen, tolerance);
    const each = chosen.map((check) => missed(distances, [check], tolerance).length);
    const counts = [...new Set([0, left.length, ...each])].sort((a, b) => a - b);
    return {
      question: `Your set of checks: ${list(chosen)}. How many of the ${BUGS.length} bugs does it miss?`,
      options: counts.map((x) => (x ? String(x) : "none")),
      truth: at(counts, [left.length]),
      because: `${left.length ? `Missed: ${unseen(left, on)}.` : "Every bug is seen."} Alone they miss ${alone(chosen, distances, tolerance)}.`,
    };
  },
  /** Which set is the smallest that sees every bug. */
  smallest({ distances, tolerance }) {
    const best = smallest(distances, CHECKS, tolerance);
    const sees = !best[0].missed.length;
    const refused = refusing(distances, tolerance);
    const sets = [...CHECKS.slice(1).map((_, i) => CHECKS.slice(0, i + 1)), ...(sees ? best.map(({ set }) => set) : [CHECKS])].map(list);
    const options = [...new Set(sets), "none of the sets there are"];
    return {
      question: "Which is the smallest set of checks that sees every bug?",
      options,
      truth: at(options, sees ? best.map(({ set }) => list(set)) : options.slice(-1)),
      because: `Alone they miss ${alone(CHECKS, distances, tolerance)}${sees ? "" : `; the best set ${best[0].missed.length}`}.${refused && ` Left out: ${refused}.`}`,
    };
  },
};
