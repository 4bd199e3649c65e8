// @ts-check
// The read as a fraction: features, the factor above, the factor below, their ratio; and the keys and values to edit.
import { h, put, symbol } from "./dom.js";
import { block } from "./matrix.js";
import { f, part } from "./position_0_words.js";

const I = "₀₁";
/** φ(q₀)·φ(k₁) in the book's colours. @param {number} t @param {number} i */
const written = (t, i) => [symbol("q", t, true), "·", symbol("k", i, true)];
const product = (/** @type {number[]} */ a, /** @type {number[]} */ b) => a.map((x, i) => `${f(x)} × ${f(b[i])}`).join(" + ");

/** Weights, and what they are made of and make, are divided by hand. */
const show = (/** @type {number} */ x) => f(x, 2);

/** @param {(name: "k"|"v", i: number, j: number, value: number) => void} edit */
export function reading(edit) {
  /** @type {any} */ let shown;
  const score = (/** @type {number} */ i) => `φ(q${I[shown.t]})·φ(k${I[i]})`;
  const row = (/** @type {string} */ name, /** @type {string} */ kind, /** @type {any} */ options = {}) => block({ name, rows: 1, columns: 2, kind, ...options });
  const phi_q = row("φ(q)", "q", { signed: false, show, explain: (/** @type {number} */ _, /** @type {number} */ j) => `φ(q${I[shown.t]})[${j}] = φ(${f((shown.far ?? shown).q[j])}) = ${f(shown.phi_q[j])}` });
  const phi_k = [0, 1].map((i) => row("φ(k)", "k", { signed: false, show, explain: (/** @type {number} */ _, /** @type {number} */ j) => `φ(k${I[i]})[${j}] = φ(${f(keys()[i][j])}) = ${f(features()[i][j])}` }));
  const keys = () => (shown.far ?? shown).k;
  const features = () => (shown.far && shown.follow ? [shown.phi_q, shown.phi_k[1]] : shown.phi_k);
  const scores = [0, 1].map((i) => block({ name: "score", rows: 1, columns: 1, kind: "Z", signed: false, show, explain: () => `${score(i)} = ${product(shown.phi_q, features()[i])} = ${f(shown.scores[i])}` }));
  const numerator = row("numerator", "out", {
    show,
    explain: (/** @type {number} */ _, /** @type {number} */ j) => `${shown.scores.map((/** @type {number} */ s, /** @type {number} */ i) => `${f(s)} × v${I[i]}[${j}] ${f(shown.v[i][j])}`).join(" + ")} = ${f(shown.numerator[j])}`,
  });
  const denominator = block({ name: "denominator", rows: 1, columns: 1, kind: "Z", signed: false, show, explain: () => `w + ε = ${f(shown.w)} + ${f(shown.eps)} = ${f(shown.w + shown.eps)}` });
  const out = row("out", "out", { explain: (/** @type {number} */ _, /** @type {number} */ j) => `out${I[shown.t]}[${j}] = ${f(shown.numerator[j])} / ${f(shown.w + shown.eps)} = ${f(shown.out[j])}` });
  const above = h("span", { class: "la-caption" });
  const below = h("span", { class: "la-caption" });
  const result = h("span", { class: "la-caption" });
  const ratio = h("p", { class: "la-ratio" });
  const lines = [0, 1].map((i) => h("div", { class: "la-p0-score" }, phi_k[i].element, h("span", { class: "la-op", "aria-hidden": "true" }, "→"), scores[i].element));
  const element = h(
    "div",
    { class: "la-p0-reading" },
    h("div", { class: "la-p0-features" }, phi_q.element, ...lines),
    h("div", { class: "la-p0-fraction" }, above, numerator.element, h("hr", {}), below, denominator.element),
    h("div", { class: "la-p0-out" }, result, out.element),
    ratio,
  );

  const fields = (/** @type {"k"|"v"} */ name) => [0, 1].map((i) => row(`${name}${I[i]}`, name, { label: symbol(name, i), edit: (/** @type {number} */ _, /** @type {number} */ j, /** @type {number} */ value) => edit(name, i, j, value) }));
  const [k, v] = [fields("k"), fields("v")];
  /** k_0 where it is not set but follows x. */
  const followed = row("k₀", "k", { label: symbol("k", 0), explain: (/** @type {number} */ _, /** @type {number} */ j) => `k₀[${j}] = x = ${f(keys()[0][j])}: k₀ follows q₀` });
  const inputs = h("div", { class: "la-p0-cells" }, ...[followed, ...k, ...v].map((one) => one.element));

  /** The position that the captions name. */
  let named = -1;

  /** @param {number} t */
  function name(t) {
    if (named === t) return;
    named = t;
    const terms = t ? [0, 1] : [0];
    const term = (/** @type {number} */ i) => [t ? `κ${I[i]} ` : "w ", symbol("v", i)];
    above.replaceChildren(...terms.flatMap((i) => (i ? [" + ", ...term(i)] : term(i))));
    below.replaceChildren(t ? "κ₀ + κ₁ + ε" : "w + ε");
    result.replaceChildren(symbol("out", t), " =");
  }

  /** @param {any} next */
  function update(next) {
    shown = next;
    const { t } = shown;
    const most = Math.max(...shown.phi_q, ...features().flat(), 1e-9);
    phi_q.update({ values: [shown.phi_q], most, label: symbol("q", t, true), name: `φ(q${I[t]})` });
    const top = Math.max(...shown.scores.map(Math.abs), 1e-30);
    [0, 1].forEach((i) => {
      lines[i].hidden = i > t;
      phi_k[i].update({ values: [features()[i]], most, label: symbol("k", i, true), name: `φ(k${I[i]})` });
      scores[i].update({ values: i > t ? null : [[shown.scores[i]]], most: top, label: h("span", { class: "la-symbol" }, t ? `κ${I[i]} = ` : "w = ", ...written(t, i)), name: score(i) });
      k[i].update({ values: [shown.k[i]], most: 5 });
      v[i].update({ values: [shown.v[i]], most: Math.max(...shown.v.flat().map(Math.abs), 1e-9) });
      // What the output does not depend on is not there to be edited.
      for (const one of [k[i], v[i]]) one.element.hidden = i > t;
    });
    const follows = Boolean(shown.far && shown.follow);
    followed.element.hidden = !follows;
    if (follows) k[0].element.hidden = true;
    followed.update({ values: [keys()[0]], most: 5 });
    const size = Math.max(...shown.v.flat().map(Math.abs), 1e-9);
    numerator.update({ values: [shown.numerator], most: size * Math.max(Math.abs(shown.w), 1e-30), name: "numerator" });
    denominator.update({ values: [[shown.w + shown.eps]], most: Math.max(top, 1e-30) });
    out.update({ values: [shown.out], most: size, name: `out${I[t]}` });
    name(t);
    // "1 − 2e−7" stays on one line.
    const whole = (/** @type {number} */ x) => part(x).replace(/ /g, "\u00a0");
    put(ratio, `${t ? "w = κ₀ + κ₁; sum of the weights, " : ""}w/(w + ε) = ${whole(shown.predicted)}${shown.found === null ? "" : `, measured ${whole(shown.found)}`}`);
  }
  return { element, inputs, update };
}
