// @ts-check
// Draws the page's figures (linattn/figure_page.py makes their HTML) with the plotly.js that lies beside this file.
// It is loaded once, and over a network only when a figure comes near the reader or the page is printed. Without this script, or where
// a figure cannot be drawn, its sentence and its table of numbers stand there instead.
(() => {
  "use strict";
  /** @typedef {{ data: any[], layout: any }} Plot */
  const library = new URL("vendor/plotly-cartesian.min.js", /** @type {HTMLScriptElement} */ (document.currentScript).src);
  // MathJax stays the page's own.
  const CONFIG = { displayModeBar: false, typesetMath: false, responsive: false };
  const NARROW = 560; // below this width names at the ends of lines give way to a legend
  const PAPER = 640; // width of a printed figure
  const plotly = () => /** @type {any} */ (window).Plotly;
  /** @type {Promise<void> | undefined} */
  let loading;
  let printing = false;

  function load() {
    loading ??= new Promise((resolve, reject) => {
      const script = document.createElement("script");
      script.src = library.href;
      script.onload = () => resolve();
      script.onerror = () => reject(new Error(`${library.href} could not be loaded`));
      document.head.append(script);
    });
    return loading;
  }

  function loadNow() {
    const request = new XMLHttpRequest();
    request.open("GET", library.href, false);
    request.send();
    const script = document.createElement("script");
    script.textContent = request.responseText;
    document.head.append(script);
    loading = Promise.resolve();
  }

  /**
   * Every "var(--la-…)" replaced by the colour it has now.
   * @param {any} value
   * @param {CSSStyleDeclaration} style
   * @returns {any}
   */
  function resolve(value, style) {
    if (typeof value === "string" && value.startsWith("var(--")) return style.getPropertyValue(value.slice(4, -1)).trim();
    if (Array.isArray(value)) return value.map((item) => resolve(item, style));
    if (value === null || typeof value !== "object") return value;
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, resolve(item, style)]));
  }

  /**
   * Counted positions that do not fit are left out; names are broken between words, or slanted.
   * @param {{ tickvals?: number[], ticktext?: string[], tickangle?: number }} axis
   * @param {number} width
   */
  function fitNames(axis, width) {
    const { tickvals, ticktext } = axis;
    if (!tickvals || !ticktext) return;
    /** @param {string[]} words */
    const space = (words) => ticktext.length * (7.5 * Math.max(...words.map((word) => word.length)) + 6);
    const needed = space(ticktext);
    if (needed <= width) return;
    const broken = ticktext.map((text) => text.replace(/(\p{L}) (?=\p{L})/gu, "$1<br>"));
    if (ticktext.every((text) => /^\d+$/.test(text))) {
      const step = Math.ceil(needed / width);
      axis.tickvals = tickvals.filter((_, at) => at % step === 0);
      axis.ticktext = ticktext.filter((_, at) => at % step === 0);
    } else if (space(broken.flatMap((text) => text.split("<br>"))) <= width) axis.ticktext = broken;
    else axis.tickangle = -45;
  }

  /**
   * Fit a layout into `width` pixels.
   * @param {Plot} plot
   * @param {number} width
   */
  function fit({ data, layout }, width) {
    layout.width = Math.min(width, layout.width ?? width);
    const labels = (layout.annotations ?? []).filter((/** @type {any} */ note) => note.name === "end");
    if (labels.length && width < NARROW) {
      layout.annotations = layout.annotations.filter((/** @type {any} */ note) => note.name !== "end");
      layout.showlegend = true;
      layout.margin.r = 12;
    }
    if (layout.showlegend && width < NARROW) {
      layout.legend = { orientation: "h", x: 0, xanchor: "left", yref: "container", y: 0, yanchor: "bottom" };
    }
    fitNames(layout.xaxis ?? {}, layout.width - 64);
    for (const trace of data) {
      const columns = trace.type === "heatmap" ? trace.z?.[0]?.length : data.length * trace.x?.length;
      if (layout.width / columns >= 44) continue;
      delete trace.texttemplate; // no room for numbers
      delete trace.text;
    }
  }

  /** One figure of the page. @param {HTMLElement} element */
  function figure(element) {
    const holder = /** @type {HTMLElement} */ (element.querySelector(".la-figure-plot"));
    const numbers = /** @type {HTMLDetailsElement} */ (element.querySelector(".la-figure-numbers"));
    const json = element.querySelector("script")?.textContent ?? "";
    const sentence = [...holder.childNodes];
    let drawnWidth = 0;
    // The page does not jump when the figure is drawn: its place is kept.
    const { layout } = JSON.parse(json);
    holder.style.minHeight = `${layout.height ?? layout.template.layout.height}px`;
    numbers.open = false;

    /** @param {unknown} error */
    function fail(error) {
      console.error("A figure could not be drawn:", error);
      element.classList.replace("la-figure-drawn", "la-figure-failed") || element.classList.add("la-figure-failed");
      holder.style.minHeight = "";
      holder.replaceChildren(...sentence);
      holder.removeAttribute("role"); // no image: the sentence is text
      holder.removeAttribute("aria-label");
      numbers.open = true;
    }

    function draw() {
      const width = printing ? PAPER : holder.clientWidth;
      if (!width || !plotly() || element.classList.contains("la-figure-failed")) return; // no width: in a closed fold
      try {
        const plot = resolve(JSON.parse(json), getComputedStyle(element));
        plot.layout.margin = { ...plot.layout.template?.layout?.margin, ...plot.layout.margin };
        fit(plot, width);
        if (!drawnWidth) holder.replaceChildren();
        drawnWidth = width;
        plotly().react(holder, plot.data, plot.layout, CONFIG).catch(fail);
        element.classList.add("la-figure-drawn");
      } catch (error) {
        fail(error);
      }
    }

    return {
      element,
      draw,
      fail,
      near: () => load().then(draw, fail),
      recolour: () => drawnWidth && draw(),
      resized: () => drawnWidth && holder.clientWidth !== drawnWidth && draw(),
    };
  }

  function start() {
    const figures = [...document.querySelectorAll(".la-figure")].flatMap((element) => {
      try {
        return [figure(/** @type {HTMLElement} */ (element))];
      } catch (error) {
        console.error("A figure could not be read:", error);
        return [];
      }
    });
    if (!figures.length) return;
    const byElement = new Map(figures.map((one) => [one.element, one]));

    const nearby = new IntersectionObserver(
      (entries) => {
        for (const { isIntersecting, target } of entries) {
          if (!isIntersecting) continue;
          nearby.unobserve(target);
          byElement.get(/** @type {HTMLElement} */ (target))?.near();
        }
      },
      { rootMargin: "800px 0px" },
    );
    const sizes = new ResizeObserver((entries) => {
      if (printing) return;
      for (const { target } of entries) byElement.get(/** @type {HTMLElement} */ (target))?.resized();
    });
    for (const { element } of figures) {
      nearby.observe(element);
      sizes.observe(element);
    }

    const recolour = () => figures.forEach((one) => one.recolour());
    new MutationObserver(recolour).observe(document.documentElement, { attributeFilter: ["data-theme"] });

    // Paper waits for nothing, so the library is fetched while the page stands still. From file:// that is refused;
    // there it costs no network, and is loaded before anyone asks for paper.
    const local = location.protocol === "file:";
    if (local) load().catch(() => {}); // a figure that comes near says so
    addEventListener("beforeprint", () => {
      printing = true;
      try {
        if (!plotly() && !local) loadNow();
      } catch {
        return; // the network is gone: sentence and numbers are printed
      }
      for (const one of figures) one.draw();
    });
    addEventListener("afterprint", () => {
      printing = false;
      for (const one of figures) one.draw();
    });
  }

  if (document.readyState === "loading") addEventListener("DOMContentLoaded", start);
  else start();
})();
