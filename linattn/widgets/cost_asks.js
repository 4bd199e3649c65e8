// @ts-check
// What a walk-through of the cost widget may ask before a stop; the truth is counted here.
import { above } from "./asks.js";
import { costs, crossings } from "./cost_math.js";
import { NAMES, amount } from "./cost_words.js";

const GOALS = /** @type {Record<string, string>} */ ({ work: "multiply-adds", memory: "bytes at work", decoding: "bytes kept" });

/** @type {Record<string, (state: import("./cost_math.js").Sizes & {view: string}) => import("./predict.js").Question>} */
export const asks = {
  crossover(s) {
    const view = s.view === "time" ? "work" : s.view;
    const [{ n, of: [square, linear] }] = crossings(view, s);
    const count = (/** @type {number} */ n) => costs(view, { ...s, n });
    const { options, truth, around } = above([0, n, s.d, 2 * s.d, s.d * s.d], (n) => count(n)[square] > count(n)[linear]);
    const sizes = [`d = ${s.d}`, ...(view === "decoding" ? [`${s.heads} heads`, `${s.kv_heads} for keys and values`] : []), ...(view === "work" ? [] : [s.dtype])];
    const lines = around.map((n) => `at n = ${n.toLocaleString("en-US")} ${NAMES[square]} takes ${amount(view, count(n)[square])}, ${NAMES[linear]} ${amount(view, count(n)[linear])}`);
    return {
      question: `${sizes.join(", ")}. Above which n does ${NAMES[square]} take more ${GOALS[view]} than ${NAMES[linear]}?`,
      options,
      truth,
      because: `Counted: ${lines.join("; ")}.`,
    };
  },
};
