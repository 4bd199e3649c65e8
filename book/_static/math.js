// MathJax's configuration, and the colours of q, k, v, S, Z and the output in every equation.
// @ts-check
"use strict";
(() => {
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

  window.MathJax = {
    loader: { load: ["core", "input/tex", "output/chtml", "a11y/assistive-mml"] },
    tex: { inlineMath: [["\\(", "\\)"]], displayMath: [["\\[", "\\]"]], processEscapes: false },
    // Folded text has no height to match.
    chtml: { matchFontHeight: false },
    // Sphinx marks every equation with the class `math`; nothing else on the page is TeX.
    options: { ignoreHtmlClass: "document", processHtmlClass: "math" },
    startup: {
      ready() {
        window.MathJax.startup.defaultReady();
        window.MathJax.startup.document.inputJax[0].postFilters.add(colourSymbols);
      },
    },
  };
})();
