// @ts-check
// What a walk-through of the recall widget may ask before a stop; the truth is read back from S here.
import { recall } from "./recall_math.js";
import { EXACT, RULE_NAMES, loss } from "./recall_words.js";

/** @type {Record<string, (state: import("./recall_math.js").Setting & {m: number}) => import("./predict.js").Question>} */
export const asks = {
  exact(state) {
    const { m, d_phi, rule, gamma, beta, orthogonal, rewrite } = state;
    const { errors, error } = recall({ ...state, pairs: Math.max(m, 1) }).steps[m];
    const exact = errors.filter((x) => x < EXACT).length;
    const counts = [...new Set([0, 1, Math.min(m, d_phi), m, exact])].sort((a, b) => a - b);
    const right = m > d_phi ? `keys at right angles as far as ${d_phi} features have room` : "keys at right angles";
    const keys = `${orthogonal ? right : "keys in random directions"}${rewrite ? ", pair 1 with the key of pair 0" : ""}`;
    const rate = { sum: "", decay: ` with γ = ${gamma}`, delta: ` with β = ${beta}` }[rule];
    return {
      question: `${m} pairs in ${d_phi} features, ${RULE_NAMES[/** @type {"sum"} */ (rule)]}${rate}, ${keys}. How many pairs come back exactly?`,
      options: counts.map((count) => (count === 0 ? "none" : count === m ? `all ${m}` : String(count))),
      truth: [counts.indexOf(exact)],
      because: `The mean squared error is ${loss(error)}; pairs without error: ${exact} of ${m}.`,
    };
  },
};
