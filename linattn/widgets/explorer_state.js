// @ts-check
// What the state explorer shows, read from the model's traits; how it is changed; how it becomes part of an address.
import { featureMaps, trace } from "./attention.js";
import { embed, words } from "./embedding.js";
import { readTraits, setTraits } from "./traits.js";

export const PHASES = ["write", "add", "read"];
export const MOST_TOKENS = 16;
const [MOST_ENTRIES, MOST_FEATURES] = [8, 80];

/** The traits that make up a state. */
const KEYS = ["tokens", "q", "k", "v", "phi_q", "phi_k", "feature_map", "t", "phase"];
const MATRICES = ["q", "k", "v", "phi_q", "phi_k"];

/** @typedef {Record<string, any>} Model */

/** @param {Model} model */
export const snapshot = (model) => readTraits(model, KEYS);

/** Whether φ is a Python function of the reader's, whose values only Python can make. @param {Model} model */
export const isOwnMap = (model) => !Object.hasOwn(featureMaps, model.get("feature_map"));

/**
 * Everything there is to draw, or null while the traits do not fit together (between two messages from Python).
 * @param {Model} model
 */
export function read(model) {
  const { tokens, q, k, v, t, phase, feature_map } = snapshot(model);
  const map = Object.hasOwn(featureMaps, feature_map) ? featureMaps[feature_map] : null;
  const phi_q = map ? q.map(map) : model.get("phi_q");
  const phi_k = map ? k.map(map) : model.get("phi_k");
  const n = tokens.length;
  if (!n || [q, k, v, phi_q, phi_k].some((rows) => rows?.length !== n) || t >= n) return null;
  const sizes = { n, d_k: k[0].length, d_v: v[0].length, d_phi: phi_k[0].length };
  return { tokens, q, k, v, t, phase, ...sizes, ...trace(phi_q, phi_k, v, model.get("eps")) };
}

/** @typedef {NonNullable<ReturnType<typeof read>>} Shown */

/** Make q, k, v anew from words. @param {Model} model @param {string[]} tokens @param {{d_k?: number, d_v?: number}} [sizes] */
export function embedAgain(model, tokens, { d_k = model.get("k")[0].length, d_v = model.get("v")[0].length } = {}) {
  const some = tokens.slice(0, MOST_TOKENS);
  setTraits(model, { ...embed(some, d_k, d_v, model.get("seed")), t: Math.min(model.get("t"), some.length - 1) });
}

/** One number of q, k or v. @param {Model} model @param {string} name @param {number} t @param {number} i @param {number} value */
export function setNumber(model, name, t, i, value) {
  const rows = model.get(name).map((/** @type {number[]} */ row) => [...row]);
  rows[t][i] = value;
  setTraits(model, { [name]: rows });
}

/** Tokens in another order, or fewer of them; the token on screen stays the same one, if it is still there.
 * @param {Model} model @param {number[]} order old positions in their new order */
export function reorder(model, order) {
  const now = snapshot(model);
  const lists = ["tokens", ...MATRICES].filter((key) => now[key]);
  const at = order.indexOf(now.t);
  setTraits(model, {
    ...Object.fromEntries(lists.map((key) => [key, order.map((old) => now[key][old])])),
    t: at >= 0 ? at : Math.min(now.t, order.length - 1),
  });
}

const same = (/** @type {any} */ a, /** @type {any} */ b) => JSON.stringify(a) === JSON.stringify(b);
const write = (/** @type {number[][]} */ rows) => rows.map((row) => row.join("_")).join("*");

/** @param {string} text */
function parseRows(text) {
  const rows = text.split("*").map((row) => row.split("_").map(Number));
  if (rows.some((row) => row.length !== rows[0].length || !row.every(Number.isFinite))) throw new Error("not a matrix");
  return rows;
}

/** The state as text for an address: only what differs from how the author set it. @param {Model} model @param {Record<string, any>} start */
export function encode(model, start) {
  const now = snapshot(model);
  const parameters = new URLSearchParams({ t: String(now.t), phase: now.phase });
  if (now.feature_map !== start.feature_map) parameters.set("map", now.feature_map);
  const changed = ["tokens", ...MATRICES].filter((key) => now[key] && !same(now[key], start[key]));
  const made = embed(now.tokens, now.k[0].length, now.v[0].length, model.get("seed"));
  const plain = ["q", "k", "v"].every((key) => same(now[key], /** @type {any} */ (made)[key]));
  if (changed.length && plain && !isOwnMap(model)) {
    parameters.set("sentence", now.tokens.join(" "));
    parameters.set("sizes", `${now.k[0].length}_${now.v[0].length}`);
  } else {
    for (const key of changed) parameters.set(key, key === "tokens" ? JSON.stringify(now.tokens) : write(now[key]));
  }
  return parameters.toString();
}

/** The opposite; throws where the text makes no sense here. @param {Model} model @param {Record<string, any>} start @param {string} text */
export function decode(model, start, text) {
  const parameters = new URLSearchParams(text);
  const next = { ...start };
  const sentence = parameters.get("sentence");
  if (sentence !== null) {
    const [d_k, d_v] = (parameters.get("sizes") ?? "").split("_").map(Number);
    if (![d_k, d_v].every((d) => Number.isInteger(d) && d >= 1 && d <= 8)) throw new Error("sizes");
    Object.assign(next, embed(words(sentence).slice(0, MOST_TOKENS), d_k, d_v, model.get("seed")));
  }
  const tokens = parameters.get("tokens");
  if (tokens !== null) next.tokens = JSON.parse(tokens).map(String);
  for (const key of MATRICES) if (parameters.has(key)) next[key] = parseRows(/** @type {string} */ (parameters.get(key)));
  next.feature_map = parameters.get("map") ?? start.feature_map;
  if (!Object.hasOwn(featureMaps, next.feature_map) && next.feature_map !== model.get("own_map")) throw new Error("map");
  next.t = Number(parameters.get("t"));
  next.phase = parameters.get("phase");
  // Nothing reaches the model before all of it is known to be drawable: a link may have been cut or typed.
  const n = next.tokens.length;
  if (n < 1 || n > MOST_TOKENS || !next.tokens.every(Boolean)) throw new Error("tokens");
  const wide = (/** @type {string} */ key, /** @type {number} */ most) => {
    const rows = next[key];
    if (rows.length !== n || rows.some((/** @type {number[]} */ row) => row.length !== rows[0].length) || rows[0].length > most) throw new Error(key);
    return rows[0].length;
  };
  if (wide("q", MOST_ENTRIES) !== wide("k", MOST_ENTRIES) || !wide("v", MOST_ENTRIES)) throw new Error("widths");
  if (!Object.hasOwn(featureMaps, next.feature_map) && wide("phi_q", MOST_FEATURES) !== wide("phi_k", MOST_FEATURES)) throw new Error("features");
  if (!PHASES.includes(next.phase) || !Number.isInteger(next.t) || next.t < 0 || next.t >= n) throw new Error("t");
  const drawn = read({ get: (/** @type {string} */ key) => (key in next ? next[key] : model.get(key)) });
  if (!drawn || ![drawn.S, drawn.Z, drawn.denominator, drawn.out].flat(Infinity).every(Number.isFinite)) throw new Error("too large");
  setTraits(model, next);
}
