// One grammar: a symbol in an equation, in code or in prose and the part of the nearest widget that shows it light up
// together, whichever of them is pointed at or focused.
// @ts-check
"use strict";
(() => {
  const NAMES = ["q", "k", "v", "S", "Z", "out"];
  const SYMBOLS = NAMES.map((name) => `.la-sym-${name}`).join();
  /** How code names them: q, phi_k, K, v_0, q_hand, S_t, out. */
  const CODE = /^(?:(?:phi_)?([qQkK])|([vV])|([SZ])|(out|o))(?:_(?:[t\d]|hand))?$/;
  const PARTS = NAMES.map((name) => `[data-symbol~="${name}"]`).join();
  const TEXT = "mjx-mi, span, i, code";

  /** The quantity that an element of the page names. @param {Element} element */
  function named(element) {
    const marked = NAMES.find((name) => element.classList.contains(`la-sym-${name}`));
    if (marked || !element.matches("code .pre, .highlight .n")) return marked;
    // In prose a name in code font, alone; in a code cell any name.
    if (!element.matches(".highlight .n") && element.parentElement?.textContent !== element.textContent) return undefined;
    const found = CODE.exec(element.textContent ?? "")?.slice(1).find(Boolean);
    return found && { Q: "q", K: "k", V: "v", o: "out" }[found] || found;
  }

  /** Every place under `root` that names `name`, outside widgets. @param {Element} root @param {string} [name] */
  const places = (root, name) =>
    [...root.querySelectorAll(`${SYMBOLS}, code .pre, .highlight .n`)].filter(
      (element) => element.matches(TEXT) && !element.closest(".la-widget") && (name ? named(element) === name : named(element)),
    );

  /** The parts of a widget that show `name`. @param {Element} widget @param {string} name */
  const parts = (widget, name) => [...widget.querySelectorAll(`.la-root [data-symbol~="${name}"]:not(.la-ghost)`)];

  /** How far apart two things stand on the page, from top to bottom. @param {Element} a @param {Element} b */
  function distance(a, b) {
    const [one, two] = [a.getBoundingClientRect(), b.getBoundingClientRect()];
    return Math.max(one.top - two.bottom, two.top - one.bottom, 0);
  }

  /** What each widget shows; known before it is drawn, for most are only when they come near the screen. @type {Record<string, string>} */
  const SHOWS = {
    associativity: "q k v S out",
    feature_map_explorer: "q k Z out",
    position_0: "q k v Z out",
    recall: "v out",
    state_explorer: "q k v S Z out",
    three_forms: "q k v S Z out",
  };

  /** The widget that shows what an element names: the nearest in its section, else in the next one, else within a screen.
   * @param {Element} element @param {string} name */
  function nearest(element, name) {
    const section = element.closest("section");
    const next = section?.nextElementSibling;
    const showing = [.../** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll(".la-widget"))]
      .filter(({ dataset }) => SHOWS[dataset.widget ?? ""]?.split(" ").includes(name))
      .sort((a, b) => distance(a, element) - distance(b, element));
    return (
      showing.find((widget) => widget.closest("section") === section) ??
      showing.find((widget) => next && widget.closest("section") === next) ??
      showing.find((widget) => distance(widget, element) < innerHeight)
    );
  }

  /** @type {Element[]} */ let lit = [];
  /** @param {Element[]} elements @param {string} name */
  function light(elements, name) {
    clear();
    lit = elements;
    for (const element of lit) element.classList.add("la-lit", `la-lit-${name}`);
  }
  function clear() {
    for (const element of lit) element.classList.remove("la-lit", ...NAMES.map((name) => `la-lit-${name}`));
    lit = [];
  }

  /** Light up what belongs to an element; returns the words for it. @param {Element} element */
  function follow(element) {
    const part = element.closest(".la-root")?.contains(element) ? element.closest(PARTS) : null;
    if (part) {
      const name = NAMES.find((one) => part.matches(`[data-symbol~="${one}"]`)) ?? "";
      const section = part.closest("section:not(.la-root)");
      if (section) light(places(section, name), name);
      return "";
    }
    const symbol = element.closest(".la-widget") ? undefined : at(element);
    const name = symbol && named(symbol);
    if (!symbol || !name) return clear(), "";
    const widget = nearest(symbol, name);
    light(widget ? [symbol, ...parts(widget, name)] : [], name);
    const title = widget?.querySelector(".la-title")?.textContent;
    return title ? `${name}, marked in ${title}` : "";
  }

  /** The symbol that an element is, or is the index of: the t of q_t belongs to q. @param {Element} element */
  function at(element) {
    for (let now = /** @type {Element | null} */ (element); now && now.localName !== "mjx-math"; now = now.parentElement) {
      if (named(now)) return now;
      const base = now.matches("mjx-msub, mjx-msup, mjx-msubsup") ? now.firstElementChild : null;
      if (base && named(base)) return base;
      if (!now.localName.startsWith("mjx-") && !now.matches("span, i, sub")) return undefined;
    }
    return undefined;
  }

  document.addEventListener("pointerover", ({ target, pointerType }) => {
    if (target instanceof Element && pointerType !== "touch") follow(target);
  });
  document.addEventListener("pointerdown", ({ target, pointerType }) => {
    // A finger cannot hover: a tap marks, until the next one.
    if (target instanceof Element && pointerType === "touch") follow(target);
  });
  document.addEventListener("focusin", ({ target }) => {
    if (target instanceof Element && target.closest(".la-root")) follow(target);
  });
  document.addEventListener("focusout", ({ target }) => {
    if (target instanceof Element && target.closest(".la-root, .la-grammar")) clear();
  });

  // For the keyboard: an equation or a code cell with letters that a widget near it shows is one stop, arrows go from symbol to symbol.
  const say = document.createElement("div");
  say.className = "la-unseen";
  say.setAttribute("role", "status");

  /** @param {Element} holder @param {string} label */
  function reach(holder, label) {
    const symbols = places(holder).filter((symbol) => nearest(symbol, named(symbol) ?? ""));
    if (!symbols.length) return;
    holder.classList.add("la-grammar");
    holder.setAttribute("tabindex", "0");
    holder.setAttribute("role", "group");
    holder.setAttribute("aria-label", `${label}: left and right arrows mark its symbols in the widget`);
    let now = -1;
    holder.addEventListener("keydown", (/** @type {any} */ event) => {
      const by = { ArrowRight: 1, ArrowLeft: -1 }[/** @type {string} */ (event.key)];
      if (!by || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) {
        if (event.key === "Escape") clear();
        return;
      }
      event.preventDefault();
      now = now < 0 ? (by > 0 ? 0 : symbols.length - 1) : Math.min(Math.max(now + by, 0), symbols.length - 1);
      symbols[now].scrollIntoView({ block: "nearest", inline: "nearest" });
      say.textContent = follow(symbols[now]);
    });
  }

  addEventListener("load", async () => {
    await /** @type {any} */ (window).MathJax?.startup?.promise;
    const own = (/** @type {Element} */ element) => !element.closest(".la-widget, details");
    for (const equation of document.querySelectorAll("mjx-container[display='true']")) if (own(equation)) reach(equation, "Equation");
    for (const code of document.querySelectorAll(".cell_input .highlight pre")) if (own(code)) reach(code, "Code");
    document.body.append(say);
  });
})();
