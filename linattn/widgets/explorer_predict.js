// @ts-check
// The state explorer's predictions: questions whose truth is computed from the numbers on screen.
import { featureMaps, largest, trace } from "./attention.js";
import { format, formatGap } from "./dom.js";
import { PHASES } from "./explorer_state.js";
import { sub } from "./explorer_words.js";

/** @typedef {import("./explorer_state.js").Shown} Shown */
/** @typedef {{t: number, phase: string, ask: "rows" | "Z" | "moves", question?: string, of?: "out" | "S" | "Z", by?: "q" | "k" | "v", at?: number}} Ask */

const NUDGE = 0.5;
/** What moves by less has not moved: ε alone makes out_0 depend on q_0, in its seventh digit. */
const STILL = 1e-4;
const MOST_SHOWN = 6;

const list = (/** @type {number[]} */ x) => `[${x.slice(0, MOST_SHOWN).map((a) => format(a)).join(", ")}${x.length > MOST_SHOWN ? ", …" : ""}]`;
const added = (/** @type {number[]} */ a, /** @type {number[]} */ b) => a.map((x, i) => x + b[i]);
const apart = (/** @type {any} */ a, /** @type {any} */ b) => {
  const [x, y] = [a, b].map((one) => one.flat(Infinity));
  return largest(x.map((/** @type {number} */ one, /** @type {number} */ i) => one - y[i]), 0);
};

/** Which rows of S change as token t is added. @param {number} t @param {Shown} s */
const rows = (t, { S, write, phi_k }) => ({
  many: true,
  question: `Token ${t} is about to be added. Which rows of S change?`,
  options: S[t].map((_, i) => `row ${i}`),
  truth: write[t].flatMap((row, i) => (row.some((x) => x !== 0) ? [i] : [])),
  because: `φ(k${sub(t)}) = ${list(phi_k[t])}: each row of the tile is v${sub(t)} times one of these.`,
});

/** What Z becomes as token t is added. @param {number} t @param {Shown} s */
function normaliser(t, { phi_k, phi_q, Z }) {
  const before = t ? Z[t - 1] : Z[0].map(() => 0);
  const all = [before, added(before, phi_q[t]), added(before, phi_k[t]), t ? phi_k[t] : phi_k[t].map((x) => x * x)];
  // The right one does not always stand in one place.
  const candidates = all.map((_, i) => all[(i + t) % all.length]);
  return {
    question: `What will Z${sub(t)} be?`,
    options: candidates.map(list),
    truth: candidates.flatMap((x, i) => (apart(x, Z[t]) < 1e-12 ? [i] : [])),
    because: `Z${sub(t)} = Z${sub(t - 1)} + φ(k${sub(t)}), and φ(k${sub(t)}) = ${list(phi_k[t])}.`,
  };
}

/** Whether something moves with an input. @param {Ask} ask @param {Shown} s @param {string} map @param {number} eps */
function moves({ t, of = "out", by = "q", at = t }, s, map, eps) {
  const phi = featureMaps[map] ?? null;
  const other = { q: s.q, k: s.k, v: s.v };
  other[by] = other[by].map((row, i) => (i === at ? row.map((x, j) => x + (j % 2 ? -NUDGE : NUDGE)) : row));
  // Without the map only v can be moved; Python then asks for nothing else.
  const next = trace(by === "q" ? other.q.map(phi) : s.phi_q, by === "k" ? other.k.map(phi) : s.phi_k, other.v, eps);
  const moved = apart(next[of][t], s[of][t]);
  const [what, cause] = [`${of}${sub(t)}`, `${by}${sub(at)}`];
  return {
    question: `If ${cause} changes, does ${what} move?`,
    options: ["yes", "no"],
    truth: [moved > STILL ? 0 : 1],
    because: `With ${NUDGE} added to and taken from the entries of ${cause} in turn, ${what} moves by ${formatGap(moved, 4)} at most.`,
  };
}

/** @param {Ask[]} asks @param {() => Shown} get @param {() => string} map the feature map's name @param {number} eps */
export const explorerPredictions = (asks, get, map, eps) =>
  asks.map((ask) => ({
    index: 3 * ask.t + PHASES.indexOf(ask.phase),
    read() {
      const read = ask.ask === "rows" ? rows(ask.t, get()) : ask.ask === "Z" ? normaliser(ask.t, get()) : moves(ask, get(), map(), eps);
      return { ...read, question: ask.question ?? read.question };
    },
  }));
