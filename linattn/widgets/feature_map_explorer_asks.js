// @ts-check
// What a walk-through of the feature-map widget may ask before a stop; every truth is computed from the stop's numbers.
import { format } from "./dom.js";
import { sub } from "./explorer_words.js";
import { MAPS, alongEntry, isEntrywise, labelOf, readRow } from "./feature_map_explorer_math.js";

/** @typedef {import("./feature_map_explorer_math.js").State & {directions: number[][][]}} State */
/** @typedef {import("./predict.js").Question} Question */

/** What differs by less is the same: ε alone moves a weight in its seventh digit. */
const ALIKE = 1e-5;
const f = (/** @type {number} */ x) => format(x, 3);
const most = (/** @type {number[]} */ row) => Math.max(...row);
/** @param {number[]} values */
const largest = (values) => values.flatMap((x, i) => (x > most(values) - ALIKE ? [i] : []));
/** Below, above, or as good as equal, for three options in this order. @param {number} a @param {number} b */
const compared = (a, b) => [Math.abs(a - b) < ALIKE ? 2 : a < b ? 0 : 1];
const vector = (/** @type {number[]} */ x) => `(${x.map((a) => String(a).replace("-", "−")).join(", ")})`;
const read = (/** @type {State} */ s, /** @type {number[]} */ q = s.q[0]) => readRow(s, s.directions, q);
const half = (/** @type {State} */ { q }) => q[0].map((x) => x / 2);

/** @type {Record<string, (state: State) => Question>} */
export const asks = {
  gradient(s) {
    const maps = MAPS.filter(isEntrywise);
    const slopes = maps.map((feature_map) => alongEntry({ ...s, feature_map }, s.directions, s.x).slope[0]);
    return {
      many: true,
      question: `An entry stands at x = ${String(s.x).replace("-", "−")}. Which of these maps pass no gradient on, φ′(x) = 0?`,
      options: maps.map(labelOf),
      truth: slopes.flatMap((slope, i) => (slope === 0 ? [i] : [])),
      because: `φ′(x) is ${maps.map((name, i) => `${f(slopes[i])} for ${labelOf(name)}`).join(", ")}.`,
    };
  },
  denominator(s) {
    const { kernel, denominator } = read(s);
    const negative = kernel.some((score) => score < 0);
    return {
      question: `q = ${vector(s.q[0])} and φ is ${labelOf(s.feature_map)}. What is the denominator φ(q)·Z, the sum of the scores?`,
      options: ["above 0, and so is every score", "above 0, but some scores are not", "exactly 0: nothing can be read", "below 0: each weight has the opposite sign of its score"],
      truth: [denominator < 0 ? 3 : denominator === 0 ? 2 : kernel.every((score) => score > 0) ? 0 : 1],
      because: `${kernel.map(f).join(" + ").replaceAll("+ −", "− ")} = ${f(denominator)}${negative ? ": scores of both signs" : ""}.`,
    };
  },
  favourite(s) {
    const { softmax, weights } = read(s);
    return {
      question: `q = ${vector(s.q[0])} and φ is ${labelOf(s.feature_map)}. Which key gets the largest weight?`,
      options: s.k.map((k, i) => `k${sub(i)} = ${vector(k)}`),
      truth: largest(weights),
      because: `The weights are ${weights.map(f).join(", ")}; softmax's are ${softmax.map(f).join(", ")}.`,
    };
  },
  entropy(s) {
    const { entropy, softmaxEntropy } = read(s);
    return {
      question: `q = ${vector(s.q[0])} and φ is ${labelOf(s.feature_map)}. How is the entropy of its weights, beside softmax's?`,
      options: ["smaller: it looks at fewer keys", "larger: it looks at more keys", "the same", "it has none: these weights are no distribution"],
      truth: entropy === null ? [3] : compared(entropy, softmaxEntropy),
      because: `Softmax's is ${f(softmaxEntropy)}; ${entropy === null ? "some weights here are negative, or all are 0" : `this map's is ${f(entropy)}`}.`,
    };
  },
  sharpest(s) {
    // Nobody can foresee what random features draw; where weights are no distribution, they are no shares.
    const rows = MAPS.filter((name) => name !== "positive_random_features").map((feature_map) => ({ feature_map, ...read({ ...s, feature_map }) })).filter(({ entropy }) => entropy !== null);
    const { softmax } = read(s);
    const shares = rows.map(({ weights }) => most(weights));
    const told = rows.map(({ feature_map, weights }, i) => `${labelOf(feature_map)}: ${f(shares[i])} on k${sub(largest(weights)[0])}`);
    return {
      question: `q = ${vector(s.q[0])}. Which of these maps gives one key the largest share of the weights?`,
      options: rows.map(({ feature_map }) => labelOf(feature_map)),
      truth: largest(shares),
      because: `Largest weights. Softmax: ${f(most(softmax))} on k${sub(largest(softmax)[0])}; ${told.join("; ")}.`,
    };
  },
  longer(s) {
    const [before, after] = [read(s, half(s)), read(s)];
    const [[a, b], [c, d]] = [before, after].map(({ softmax, weights }) => [most(softmax), most(weights)]);
    return {
      question: `q becomes twice as long, ${vector(s.q[0])}. Whose largest weight grows more?`,
      options: [`that of ${labelOf(s.feature_map)}`, "softmax's", "both grow alike"],
      truth: compared(c - a, d - b),
      because: `Softmax's goes from ${f(a)} to ${f(c)}, this map's from ${f(b)} to ${f(d)}.`,
    };
  },
  score(s) {
    const [before, after] = [half(s), s.q[0]].map((q) => read(s, q));
    const [[a, b], [c, d]] = [before, after].map(({ kernel, exp }) => [kernel[s.pair], exp[s.pair]]);
    return {
      question: `q becomes twice as long, ${vector(s.q[0])}, and φ is ${labelOf(s.feature_map)}. What does the score φ(q)·φ(k${sub(s.pair)}) do?`,
      options: ["it shrinks", "it grows", "it stays the same"],
      truth: compared(c, a),
      because: `It goes from ${f(a)} to ${f(c)}; exp(q·k${sub(s.pair)}/√d) goes from ${f(b)} to ${f(d)}.`,
    };
  },
};
