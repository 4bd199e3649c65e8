// MathML of the TeX on standard input, a JSON list, by the site's own MathJax; q, k, v, S, Z and the output get classes
// that site.css colours.
// @ts-check
"use strict";
const fs = require("node:fs");

/** A letter in an equation and the quantity whose colour it takes. Capitals are the stacked rows. */
const SYMBOLS = new Map(
  Object.entries({ q: "q", Q: "q", k: "k", K: "k", v: "v", V: "v", S: "S", Z: "Z", o: "out" }),
);

/** Is this node the subscript of a size, as the k of d_k or n_q? There it names no key. */
function namesASize(node) {
  for (let at = node; at.parent; at = at.parent) {
    if (at.parent.isKind("msub") && at.parent.childNodes[1] === at) {
      return at.parent.childNodes[0].isKind("mi");
    }
  }
  return false;
}

/** Give each symbol's `mi` the class that site.css colours. */
function colourSymbols({ data }) {
  data.root.walkTree((node) => {
    if (!node.isKind("mi") || namesASize(node)) return;
    const name = SYMBOLS.get(node.childNodes[0]?.getText?.());
    if (name) node.attributes.set("class", `la-sym-${name}`);
  });
}

/** Without `noundefined` a command that MathJax does not know is a fault, and not red letters. */
const configuration = { loader: { load: ["input/tex"] }, tex: { packages: { "[-]": ["noundefined"] } } };

require(process.argv[2])
  .init(configuration)
  .then(async (MathJax) => {
    MathJax.startup.document.inputJax[0].postFilters.add(colourSymbols);
    const written = [];
    for (const { tex, display } of JSON.parse(fs.readFileSync(0, "utf8"))) {
      written.push(await MathJax.tex2mmlPromise(tex, { display }));
    }
    process.stdout.write(JSON.stringify(written));
  });
