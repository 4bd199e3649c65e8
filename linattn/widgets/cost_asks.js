// @ts-check
// What a walk-through of the cost widget may ask before a stop; the truth is counted here.
import { above } from "./asks.js";
import { costs, crossings } from "./cost_math.js";
import { CALLED, MODELS, modelOf } from "./cost_words.js";
import { count } from "./dom.js";

/** @type {Record<string, (state: import("./cost_math.js").Sizes & {view: string}) => import("./predict.js").Question>} */
export const asks = {
  crossover(s) {
    const view = s.view === "time" ? "work" : s.view;
    const [{ n, of: [square, linear] }] = crossings(view, s);
    const at = (/** @type {number} */ n) => costs(view, { ...s, n });
    // While decoding, where the number of heads would put it if it did, and where S and Z of each query head's own would.
    const others = view === "decoding" ? [n * s.heads, (n * s.heads) / s.kv_heads] : [s.d, 2 * s.d];
    const { options, truth, around } = above([0, n, ...others, s.d * s.d], (n) => at(n)[square] > at(n)[linear]);
    const sizes = [`d = ${s.d}`, ...(view === "decoding" || s.kv_heads < s.heads ? [`${s.heads} heads`, `${s.kv_heads} for keys and values`] : []), ...(view === "work" ? [] : [s.dtype])];
    const model = MODELS[modelOf(s)];
    const [high, low] = [CALLED[square], CALLED[linear]];
    const unit = view === "work" ? "multiply-adds" : "bytes";
    // To the last byte, because beside the crossing the two are nearly equal.
    const lines = around.map((n) => `at n = ${count(n)} ${high} takes ${count(at(n)[square])} ${unit}, ${low} ${count(at(n)[linear])}`);
    return {
      question: `${model ? `${model.name}: ` : ""}${sizes.join(", ")}. Above which n does ${high} take more ${unit} than ${low}?`,
      options,
      truth,
      because: `Counted: ${lines.join("; ")}.`,
    };
  },
};
