// @ts-check
// What a walk-through of the three forms may ask before a stop; the truth is counted here.
import { cost } from "./three_forms_math.js";

/** @type {Record<string, (state: {phi_k: number[][], v: number[][]}) => import("./predict.js").Question>} */
export const asks = {
  chunk_size({ phi_k, v }) {
    const [n, d_k, d_v] = [v.length, phi_k[0].length, v[0].length];
    const totals = v.map((_, i) => cost("chunks", n, d_k, d_v, i + 1).total);
    const least = Math.min(...totals);
    return {
      question: `${n} tokens, dₖ = ${d_k}, dᵥ = ${d_v}. Which chunk size needs the fewest multiply-adds?`,
      options: totals.map((_, i) => `C = ${i + 1}`),
      truth: totals.flatMap((total, i) => (total === least ? [i] : [])),
      because: `From C = 1 to C = ${n}: ${totals.join(", ")} multiply-adds.`,
    };
  },
};
