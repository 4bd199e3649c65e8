// Small services of the page: folds that open together and for print, wide things that the keyboard can scroll.
/* global DOCUMENTATION_OPTIONS */
"use strict";
(() => {
  // The search page shows a few lines of each page it found; a browser that reads files may not fetch them.
  if (location.protocol === "file:") DOCUMENTATION_OPTIONS.SHOW_SEARCH_SUMMARY = false;

  /** @returns {HTMLDetailsElement[]} the folds of the text, not those inside a widget or a figure */
  const folds = () =>
    [...document.querySelectorAll(".bd-article details")].filter((fold) => !fold.closest(".la-widget, .la-figure"));

  /** A button under the title that opens or closes every fold. */
  function addFoldsButton() {
    const title = document.querySelector(".bd-article h1");
    if (!title || folds().length < 2) return;
    const button = document.createElement("button");
    button.type = "button";
    button.className = "la-folds-button";
    const allOpen = () => folds().every((fold) => fold.open);
    const name = () => {
      button.textContent = allOpen() ? "Close every fold" : `Open every fold (${folds().length})`;
    };
    button.addEventListener("click", () => {
      const open = !allOpen();
      for (const fold of folds()) fold.open = open;
    });
    for (const fold of folds()) fold.addEventListener("toggle", name);
    name();
    const line = document.createElement("p");
    line.className = "la-folds";
    line.append(button);
    title.after(line);
  }

  /** Paper cannot be opened: print with every fold open, on white, and put all back after. */
  function openForPrint() {
    const root = document.documentElement;
    /** @type {HTMLDetailsElement[]} */
    let opened = [];
    let theme = root.dataset.theme;
    addEventListener("beforeprint", () => {
      opened = [...document.querySelectorAll("details:not([open])")];
      theme = root.dataset.theme;
      for (const fold of opened) fold.open = true;
      root.dataset.theme = "light";
    });
    addEventListener("afterprint", () => {
      for (const fold of opened) fold.open = false;
      root.dataset.theme = theme;
    });
  }

  /** Let the keyboard reach what scrolls sideways inside itself, and only that. */
  function reachWideThings() {
    const wide = document.querySelectorAll("div.math, .pst-scrollable-table-container");
    const watch = new ResizeObserver((entries) => {
      for (const { target } of entries) {
        if (target.scrollWidth <= target.clientWidth) {
          for (const name of ["tabindex", "role", "aria-label"]) target.removeAttribute(name);
          continue;
        }
        target.setAttribute("tabindex", "0");
        target.setAttribute("role", "group");
        target.setAttribute("aria-label", target.matches(".math") ? "Wide equation" : "Wide table");
      }
    });
    for (const thing of wide) {
      watch.observe(thing);
      if (thing.firstElementChild) watch.observe(thing.firstElementChild);
    }
  }

  /** Tell what was printed in lines of words, which may wrap, from code and from tables, whose columns must stay. */
  function tellLines() {
    const table = (/** @type {string} */ line) => (line.trim().match(/ {2,}/g) ?? []).length >= 5;
    for (const pre of document.querySelectorAll(".cell_output pre")) {
      const text = pre.textContent;
      pre.classList.toggle("la-lines", !/^(def|class|@)/.test(text) && !text.split("\n").some(table));
    }
  }

  /** Keep a full stop or a comma on the line of the symbol before it. */
  function holdPunctuation() {
    for (const math of document.querySelectorAll("span.math")) {
      const after = math.nextSibling;
      const mark = after?.nodeType === Node.TEXT_NODE && /^[.,:;?!)]+/.exec(after.data)?.[0];
      if (!mark) continue;
      const held = document.createElement("span");
      held.className = "la-nowrap";
      math.replaceWith(held);
      after.data = after.data.slice(mark.length);
      held.append(math, mark);
    }
  }

  /** A fold over code is called what it says; MyST-NB gives each the spoken name "Toggle hidden content". */
  function nameCodeFolds() {
    for (const summary of document.querySelectorAll("details.hide > summary")) summary.removeAttribute("aria-label");
  }

  document.addEventListener("DOMContentLoaded", () => {
    holdPunctuation();
    nameCodeFolds();
    addFoldsButton();
    openForPrint();
    reachWideThings();
    tellLines();
  });
})();
