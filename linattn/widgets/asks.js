// @ts-check
// Pieces of questions that several widgets ask.
import { count } from "./dom.js";

/**
 * "Above which n?": some numbers as options, and those of them that are true.
 * @param {number[]} numbers of two with no whole number between them only the first is kept: they say the same of every n
 * @param {(n: number) => boolean} holds whether it holds at a whole n from 1 on
 */
export function above(numbers, holds) {
  const kept = numbers.filter((x, i) => numbers.findIndex((y) => Math.floor(y) === Math.floor(x)) === i).sort((a, b) => a - b);
  const last = (/** @type {number} */ n) => (n < 1 || !holds(n)) && holds(n + 1);
  return {
    options: kept.map((n) => (n ? `above ${count(n)}` : "for every n")),
    truth: kept.flatMap((n, i) => (last(Math.floor(n)) ? [i] : [])),
    /** The whole numbers on both sides of the true one. */
    around: kept.filter((n) => last(Math.floor(n))).flatMap((n) => [Math.floor(n), Math.floor(n) + 1]).filter((n) => n > 0),
  };
}
