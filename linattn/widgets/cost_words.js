// @ts-check
// Names, formulas and sentences of the cost widget, its tables, and its state as text for an address.
import { count, format, times } from "./dom.js";
import { BYTES, LEAST_N, MOST_N, SUMS, costs } from "./cost_math.js";
import { table } from "./table.js";

export const KEYS = ["view", "n", "d", "batch", "layers", "heads", "kv_heads", "dtype", "chunk"];
export const LIMITS = /** @type {Record<string, [number, number]>} */ ({ n: [LEAST_N, MOST_N], d: [4, 512], batch: [1, 1024], layers: [1, 256], heads: [1, 256], kv_heads: [1, 256], chunk: [1, 4096] });
export const NAMES = /** @type {Record<string, string>} */ ({ softmax: "softmax", fused: "fused softmax", kernel: "masked kernel", recurrence: "recurrence", chunks: "chunkwise", cache: "KV cache", state: "S and Z" });
/** As a sentence names them. @type {Record<string, string>} */
export const CALLED = { ...NAMES, kernel: "the masked kernel", recurrence: "the recurrence", chunks: "the chunkwise form", cache: "the KV cache" };
/** The form that each of the benchmark's contenders is. @type {Record<string, string>} */
export const MEASURED = { "softmax (SDPA)": "fused", "all pairs": "kernel", recurrence: "recurrence", linattn: "chunks" };
const SDPA = "fused softmax is torch's scaled_dot_product_attention";
export const TITLES = /** @type {Record<string, string>} */ ({ work: "multiply-adds over n, both axes logarithmic", memory: "bytes held at work in one layer, besides q, k, v and out; S, Z and row sums in float32", decoding: "bytes kept from token to token; S and Z in float32", time: `milliseconds measured (dots; ${SDPA}), and the multiply-adds at one speed (lines), that of the chunkwise form at its longest n` });

/** What each form counts for one key/value head and the g query heads that share it; where each has its own, g is 1 and unwritten.
 * @param {string} view @param {Pick<import("./cost_math.js").Sizes, "n" | "heads" | "kv_heads" | "chunk" | "dtype">} sizes @returns {Record<string, string>} */
export function formulas(view, { n, heads, kv_heads, chunk, dtype }) {
  const g = heads > kv_heads ? "g·" : "";
  const [size, sums] = [BYTES[dtype], SUMS].map((bytes) => `${bytes} B`);
  const state = `(d² + d) × ${sums}`;
  if (view === "decoding") return { cache: `2·n·d × ${size}`, state };
  if (view === "memory") {
    const scores = `${g}n² × ${size}`;
    const chunks = n <= chunk ? scores : size === sums ? `(${g}C² + d² + d) × ${sums}` : `${g}C² × ${size} + ${state}`;
    return { softmax: scores, fused: `${g}n × ${sums}`, kernel: scores, recurrence: state, chunks };
  }
  const rest = n % chunk;
  const [scores, both] = [`2·${g}n²·d`, g ? "(g + 1)" : "2"];
  const through = g ? "(g·(n − C) + n − r)" : "(2·n − C − r)";
  const chunks = n <= chunk ? scores : rest ? `2·${g}((n − r)·C + r²)·d + ${through}·d², r\u00a0=\u00a0${rest}` : `2·${g}n·C·d + ${both}·(n − C)·d²`;
  return { softmax: scores, fused: `${g}n·(n + 1)·d`, kernel: scores, recurrence: `${both}·n·d²`, chunks };
}

/** What makes a formula the number beside it. @param {string} view @param {Pick<import("./cost_math.js").Sizes, "batch" | "layers" | "heads" | "kv_heads">} sizes */
export function factor(view, { batch, layers, heads, kv_heads }) {
  const many = (/** @type {number} */ x, /** @type {string} */ what) => `${x} ${what}${x === 1 ? "" : "s"}`;
  const [at, over] = view === "memory" ? [1, ""] : [layers, ` × ${many(layers, "layer")}`];
  const group = heads / kv_heads;
  const shared = group > 1 ? `, each shared by g = ${group} query heads` : "";
  const all = `each formula × ${count(batch * at * kv_heads)} = batch ${batch}${over} × ${many(kv_heads, group > 1 ? "key/value head" : "head")}${shared}`;
  return view === "memory" ? `${all}, one layer at a time` : all;
}

/** @param {string} view @param {import("./cost_math.js").Sizes} sizes */
export function caption(view, sizes) {
  const title = { work: "Multiply-adds", memory: "Bytes held at work in one layer, besides q, k, v and out", decoding: "Bytes kept from token to token" }[view];
  const letters = [`d = ${sizes.d}`, view !== "decoding" && `C = ${sizes.chunk}`, view !== "work" && sizes.dtype].filter(Boolean);
  return `${title}: ${factor(view, sizes)}; ${letters.join(", ")}`;
}

/** Sizes that the models' authors published. @type {{name: string, source: string, sizes: Record<string, number>}[]} */
export const MODELS = [
  { name: "GPT-2 small", source: "Radford et al. 2019, table 2", sizes: { d: 64, layers: 12, heads: 12, kv_heads: 12 } },
  { name: "Llama 3 8B", source: "arXiv 2407.21783, table 3", sizes: { d: 128, layers: 32, heads: 32, kv_heads: 8 } },
  { name: "Llama 3 70B", source: "arXiv 2407.21783, table 3", sizes: { d: 128, layers: 80, heads: 64, kv_heads: 8 } },
];

/** Which of them has just these sizes; −1 for none. @param {Record<string, any>} shown */
export const modelOf = (shown) => MODELS.findIndex(({ sizes }) => Object.entries(sizes).every(([key, x]) => shown[key] === x));

/** Bytes for reading. @param {number} x */
export function bytes(x) {
  const power = Math.min(Math.max(Math.floor(Math.log2(x) / 10), 0), 5);
  return `${format(x / 1024 ** power, 2)} ${["B", "KiB", "MiB", "GiB", "TiB", "PiB"][power]}`;
}

/** @param {string} view @param {number} x */
export const amount = (view, x) => (view === "work" ? format(x, 2) : view === "time" ? `${format(x, 2)} ms` : bytes(x));

/** What was measured, and what the slowest of all has against its formula. @param {any} shown */
function sayTime({ here, formula }) {
  const names = Object.keys(here).sort((a, b) => here[a] - here[b]);
  const list = names.map((name) => `${NAMES[name]} ${amount("time", here[name])}`).join(", ");
  const off = names.reduce((a, b) => (here[b] / formula(b) > here[a] / formula(a) ? b : a));
  const far = times(here[off] / formula(off));
  if (Number(far) <= 1) return `${list}. None is above its line.`;
  return `${list}. Farthest above its line is ${CALLED[off]}, ${far} times: ${off === "recurrence" ? "each token is a call of its own from Python, and waits for the one before" : "more than multiply-adds cost time"}.`;
}

/** How many times as much; few digits are worth the reader's decimals. @param {number} x */
const asTimes = (x) => (x >= 100 ? times(x) : format(x, 1));

/** Where two lines meet; only at a whole n can they be equal. @param {number} n */
const meet = (n) => (Number.isInteger(n) ? `are equal at n = ${count(n)}` : `change places between n = ${count(Math.floor(n))} and ${count(Math.ceil(n))}`);

/** @param {any} shown */
export function say(shown) {
  const { view, n, here, crossings } = shown;
  const at = `At n = ${count(n)}`;
  if (view === "time") return `${at}: ${sayTime(shown)}`;
  const [{ n: cross, of: [square, linear] }, other] = crossings;
  const [most, least] = here[square] >= here[linear] ? [square, linear] : [linear, square];
  const called = (/** @type {string} */ name) => (name === "softmax" ? "softmax and the masked kernel" : CALLED[name]);
  const takes = most === "softmax" || most === "state" ? "take" : "takes";
  const ratio = here[most] / here[least];
  const later = !other ? "" : other.n < 1 ? " So does fused softmax." : ` Fused softmax and the recurrence ${meet(other.n)}.`;
  if (ratio === 1) return `${at} ${called(most)} ${takes} as much as ${called(least)}.${later}`;
  const text = asTimes(ratio);
  return `${at} ${called(most)} ${takes} ${Number(text) === 1 ? "about" : `${text} times`} as much as ${called(least)}; ${cross < 1 ? "it is more at every n" : `they ${meet(cross)}`}.${later}`;
}

/** @param {any} shown */
export function tables(shown) {
  const box = document.createDocumentFragment();
  for (const view of ["work", "memory", "decoding"]) {
    const lengths = [...new Set([16, 64, 256, 1024, 4096, 16384, 65536, 262144, MOST_N, shown.n])].sort((a, b) => a - b);
    const names = Object.keys(costs(view, shown));
    const written = { ...formulas(view, { ...shown, n: 2 * shown.chunk }) };
    if (written.chunks) written.chunks += view === "work" ? ", n = 2C, 3C, …" : ", n > C";
    const rows = lengths.map((n) => [count(n), ...Object.values(costs(view, { ...shown, n })).map((x) => amount(view, x))]);
    box.append(table(caption(view, shown), ["n", ...names.map((name) => NAMES[name])], [["formula", ...Object.values(written)], ...rows], 1 + lengths.indexOf(shown.n)));
  }
  for (const [i, { n, ms }] of shown.measurements.entries()) {
    box.append(table(`Measured, n = ${count(n)}${i ? "" : `; ${SDPA}`}`, ["form", "ms, median", "low", "high"], Object.entries(ms).map(([name, t]) => [NAMES[MEASURED[name]] ?? name, format(t.median, 3), format(t.low, 3), format(t.high, 3)])));
  }
  return box;
}

/** @param {Record<string, any>} now @param {Record<string, any>} start */
export const encode = (now, start) =>
  new URLSearchParams([["view", now.view], ["n", String(now.n)], ...KEYS.slice(2).filter((key) => now[key] !== start[key]).map((key) => [key, String(now[key])])]).toString();

/** The opposite; throws where the text makes no sense. @param {string} text @param {Record<string, any>} start @param {boolean} measured */
export function decode(text, start, measured) {
  const parameters = new URLSearchParams(text);
  const next = /** @type {Record<string, any>} */ ({ ...start });
  for (const [key, [least, most]] of Object.entries(LIMITS)) {
    const given = parameters.get(key);
    if (given === null) continue;
    const x = Number(given);
    if (given === "" || !Number.isInteger(x) || x < least || x > most) throw new Error(key);
    next[key] = x;
  }
  for (const key of ["view", "dtype"]) next[key] = parameters.get(key) ?? start[key];
  const known = ["work", "memory", "decoding", ...(measured ? ["time"] : [])];
  if (!known.includes(next.view) || !(next.dtype in BYTES) || next.heads % next.kv_heads) throw new Error("choice");
  return next;
}
