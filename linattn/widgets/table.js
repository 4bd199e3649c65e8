// @ts-check
// A table of numbers that scrolls on its own where the page is narrow.
import { h } from "./dom.js";

/** @param {string} caption @param {any[]} headings text or nodes @param {any[][]} rows the first cell of each is its heading @param {number} [current] */
export const table = (caption, headings, rows, current = -1) =>
  h(
    "div",
    { class: "la-scroll", tabindex: 0, role: "region", "aria-label": caption },
    h(
      "table",
      { class: "la-numbers" },
      h("caption", {}, caption),
      h("thead", {}, h("tr", {}, ...headings.map((heading) => h("th", { scope: "col" }, heading)))),
      h("tbody", {}, ...rows.map(([first, ...rest], i) =>
        h("tr", { "aria-current": i === current ? "step" : null }, h("th", { scope: "row" }, first), ...rest.map((cell) => h("td", {}, cell)))),
      ),
    ),
  );
