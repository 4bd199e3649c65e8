// MathJax's configuration. The equations are in the page as MathML, which is what a reader without scripts sees;
// MathJax sets them in one font everywhere.
// @ts-check
"use strict";
window.MathJax = {
  loader: { load: ["core", "input/mml", "output/chtml", "a11y/assistive-mml"] },
  // Folded text has no height to match.
  chtml: { matchFontHeight: false },
};
