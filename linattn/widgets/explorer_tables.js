// @ts-check
// Every number on screen, and of every other step, as tables.
import { format, h, symbol } from "./dom.js";

/** @typedef {import("./explorer_state.js").Shown} Shown */

const f = (/** @type {number} */ x) => format(x, 4);
const list = (/** @type {number[]} */ x) => x.map(f).join("  ");

/** @param {any[]} caption @param {any[]} headings @param {any[][]} rows the first cell of each is its heading @param {number} [current] */
function table(caption, headings, rows, current = -1) {
  return h(
    "div",
    { class: "la-scroll", tabindex: 0, role: "region", "aria-label": caption.map((c) => c.textContent ?? c).join("") },
    h(
      "table",
      { class: "la-numbers" },
      h("caption", {}, ...caption),
      h("thead", {}, h("tr", {}, ...headings.map((heading) => h("th", { scope: "col" }, heading)))),
      h("tbody", {}, ...rows.map(([first, ...rest], i) =>
        h("tr", { "aria-current": i === current ? "step" : null }, h("th", { scope: "row" }, first), ...rest.map((cell) => h("td", {}, cell)))),
      ),
    ),
  );
}

/** @param {Shown} s */
export function tables(s) {
  const name = (/** @type {number} */ t) => `${t} ${s.tokens[t]}`;
  const rows = s.tokens.map((_, t) => t);
  return h(
    "div",
    {},
    table(
      ["Inputs and features of each token"],
      ["token", symbol("q"), symbol("k"), symbol("v"), symbol("q", null, true), symbol("k", null, true)],
      rows.map((t) => [name(t), list(s.q[t]), list(s.k[t]), list(s.v[t]), list(s.phi_q[t]), list(s.phi_k[t])]),
      s.t,
    ),
    table(
      ["What each token reads"],
      ["token", symbol("Z"), "numerator", "denominator", symbol("out")],
      rows.map((t) => [name(t), list(s.Z[t]), list(s.numerator[t]), f(s.denominator[t]), list(s.out[t])]),
      s.t,
    ),
    table(
      ["Weights: the row of each output, the column of each token it reads"],
      ["output", ...rows.map(name)],
      rows.map((t) => [name(t), ...rows.map((i) => (i <= t ? f(s.weights[t][i]) : ""))]),
      s.t,
    ),
    table(
      ["The state ", symbol("S", s.t), " after token ", String(s.t), " is added, and the tile it adds"],
      ["feature", ...s.v[0].map((_, j) => `S, column ${j}`), ...s.v[0].map((_, j) => `tile, column ${j}`)],
      s.S[s.t].map((row, i) => [String(i), ...row.map(f), ...s.write[s.t][i].map(f)]),
    ),
  );
}
