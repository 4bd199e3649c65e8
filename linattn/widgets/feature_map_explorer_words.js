// @ts-check
// What the feature-map widget says, its tables, and its state as text for an address.
import { sub } from "./explorer_words.js";
import { format, h } from "./dom.js";
import { EDGE, LEAST, MAPS, MOST, MOST_M, SEEDS, alongEntry, isEntrywise, labelOf, length } from "./feature_map_explorer_math.js";
import { readRows, same, whole, writeRows } from "./rows.js";
import { table } from "./table.js";

/** @typedef {import("./feature_map_explorer_math.js").State} State */
/** @typedef {State & {directions: number[][][], along: ReturnType<typeof alongEntry>, row: ReturnType<typeof import("./feature_map_explorer_math.js").readRow>}} Shown */

const f = (/** @type {number} */ x) => format(x, 3);
const f4 = (/** @type {number} */ x) => format(x, 4);
/** A given number: with the decimals it has, where the reader wants no others. @param {number} x */
const plain = (x) => format(x, (String(x).split(".")[1] ?? "").length);
/** How many keys an even spread of this entropy covers. @param {number} entropy */
export const keysSeen = (entropy) => format(Math.exp(entropy), 1);

/** @param {Shown} s */
function sayCurve({ feature_map, x, along: { phi, slope } }) {
  const flat = slope.every((a) => a === 0);
  if (!isEntrywise(feature_map)) {
    const sign = phi.some((a) => a < 0) ? " Single features are negative here; what counts is the kernel." : "";
    return `x = ${plain(x)}: ${phi.length} ${phi.length === 1 ? "feature" : "features"}, of length ${f(length(phi))}; their slopes have length ${f(length(slope))}.${sign}`;
  }
  const now = `x = ${plain(x)}: φ(x) = ${f(phi[0])}, φ′(x) = ${f(slope[0])}.`;
  if (flat) return `${now} Dead zone: no gradient passes, whatever the loss asks for.`;
  if (phi[0] < 0) return `${now} The gradient passes, but the feature is negative.`;
  return `${now} ${Math.abs(slope[0]) < 0.05 ? "The gradient is small, but it passes." : "The gradient passes."}`;
}

/** @param {Shown} s */
function sayPair({ pair, row: { kernel, exp, scaled } }) {
  const [a, b] = [kernel[pair], exp[pair]];
  const ratio = a < 0 ? "Negative: no weight should be." : a === 0 ? "Zero: this key cannot be seen." : a >= b ? `${f(a / b)} times the exponential.` : `The exponential is ${f(b / a)} times that.`;
  return `φ(q)·φ(k${sub(pair)}) = ${f(a)}, where softmax has exp(${f(scaled[pair])}) = ${f(b)}. ${ratio}`;
}

/** @param {Shown} s */
function sayRow({ feature_map, k, row }) {
  const best = (/** @type {number[]} */ x) => x.indexOf(Math.max(...x));
  const soft = `Softmax: entropy ${f(row.softmaxEntropy)}, as if it looked at ${keysSeen(row.softmaxEntropy)} of ${k.length} keys`;
  if (row.denominator === 0) return `The denominator is exactly 0: nothing is read. ${soft}.`;
  if (row.entropy === null) {
    const below = row.weights.filter((a) => a < 0).length;
    return `The denominator is ${f(row.denominator)}, and ${below} of ${k.length} weights ${below === 1 ? "is" : "are"} negative: no average any more. Weights reach ${f(Math.max(...row.weights.map(Math.abs)))} in size. ${soft}.`;
  }
  const [mine, theirs] = [best(row.weights), best(row.softmax)];
  const order = mine === theirs ? `Both look most at k${sub(mine)}.` : `It looks most at k${sub(mine)}, softmax at k${sub(theirs)}.`;
  return `With ${labelOf(feature_map)}: entropy ${f(row.entropy)}, as if it looked at ${keysSeen(row.entropy)} of ${k.length} keys. ${soft}. ${order}`;
}

/** @param {Shown} s */
export const say = (s) => ({ curve: sayCurve, pair: sayPair, row: sayRow })[/** @type {"curve"|"pair"|"row"} */ (s.view)](s);

/** @param {Shown} s */
export const sayPlace = (s) => (s.view === "curve" ? `x = ${plain(s.x)}` : `q at (${s.q[0].map(plain).join(", ")})`);

/** @param {Shown} s */
export function tables(s) {
  if (s.view === "curve") {
    const steps = [...new Set([...Array.from({ length: 17 }, (_, i) => LEAST + i / 2), s.x])].sort((a, b) => a - b);
    const rows = steps.map((x) => {
      const { phi, slope } = alongEntry(s, s.directions, x);
      return [plain(x), f4(isEntrywise(s.feature_map) ? phi[0] : length(phi)), f4(isEntrywise(s.feature_map) ? slope[0] : length(slope))];
    });
    const names = isEntrywise(s.feature_map) ? ["x", "φ(x)", "φ′(x)"] : ["x", "length of φ(x, 0)", "length of its slopes"];
    const each = s.along.phi.map((a, i) => [String(i), f4(a), f4(s.along.slope[i])]);
    return h("div", {}, table(labelOf(s.feature_map), names, rows, steps.indexOf(s.x)), table(`Every feature at x = ${plain(s.x)}`, ["feature", "φ", "φ′"], each));
  }
  const { row } = s;
  const rows = s.k.map((k, i) => [`k${sub(i)}`, k.map(plain).join("  "), ...[row.scaled, row.exp, row.softmax, row.kernel, row.weights].map((x) => f4(x[i]))]);
  const sum = (/** @type {number[]} */ x) => f4(x.reduce((a, b) => a + b, 0));
  rows.push(["sum", "", "", sum(row.exp), sum(row.softmax), f4(row.denominator), sum(row.weights)]);
  rows.push(["entropy", "", "", "", f4(row.softmaxEntropy), "", row.entropy === null ? "none: no distribution" : f4(row.entropy)]);
  return table(`q = (${s.q[0].map(plain).join(", ")}), ${labelOf(s.feature_map)}, dφ = ${row.d_phi}`, ["key", "entries", "q·k/√d", "exp(q·k/√d)", "softmax", "φ(q)·φ(k)", "weight"], rows, s.view === "pair" ? s.pair : -1);
}

/** @param {State} now @param {State} start */
export function encode(now, start) {
  const parameters = new URLSearchParams({ view: now.view, map: now.feature_map, m: String(now.m), seed: String(now.seed), x: String(now.x), pair: String(now.pair) });
  for (const key of /** @type {const} */ (["q", "k"])) if (!same(now[key], start[key])) parameters.set(key, writeRows(now[key]));
  return parameters.toString();
}

/** The opposite; throws where the text makes no sense here. @param {string} text @param {State} start @returns {State} */
export function decode(text, start) {
  const parameters = new URLSearchParams(text);
  const [view, map] = [parameters.get("view") ?? "", parameters.get("map") ?? ""];
  const x = Number(parameters.get("x") ?? NaN);
  if (!["curve", "pair", "row"].includes(view) || !MAPS.includes(map) || !(x >= LEAST && x <= MOST)) throw new Error("no such state");
  const next = { ...start, view, feature_map: map, x, m: whole(parameters, "m", 1, MOST_M), seed: whole(parameters, "seed", 0, SEEDS - 1), pair: whole(parameters, "pair", 0, start.k.length - 1) };
  for (const key of /** @type {const} */ (["q", "k"])) {
    const rows = parameters.get(key);
    if (rows !== null) next[key] = readRows(rows, start[key]);
    if (next[key].flat().some((a) => Math.abs(a) > EDGE)) throw new Error(key);
  }
  return next;
}
