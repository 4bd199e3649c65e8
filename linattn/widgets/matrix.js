// @ts-check
// A block of numbers: each cell shows its number, takes a colour from it, speaks it, and where allowed is edited.
// A block is one tab stop, with arrow keys inside: a grid, or text fields, where ← and → lead on from the ends of the text.
import { exact, format, h, note, parse, put, rounding } from "./dom.js";

/**
 * @typedef {object} BlockOptions
 * @property {string} name what a screen reader calls the block, "S"
 * @property {number} rows
 * @property {number} columns
 * @property {Node | string} [label] drawn above the block
 * @property {string} [kind] the symbol it belongs to (q, k, v, S, Z, out): class la-block-<kind>
 * @property {boolean} [signed] zero-centred two-sided colours (default) or one-sided
 * @property {boolean} [bars] draw the size as a bar as well
 * @property {(i: number, j: number) => string} [explain] a sentence for the cell, shown while pointed at or focused
 * @property {(i: number, j: number, value: number) => void} [edit] makes the cells editable
 * @property {(x: number) => string} [show] how a number reads, where not as `format` has it
 * @property {number} [limit] edited values stay within ± limit
 * @property {number} [least] where the lower end is another than −limit
 */

/** `signed` makes a one-sided block two-sided for what it does not show itself; a negative number of its own always does.
 * @typedef {{values: number[][] | null, most?: number, label?: Node | string, name?: string, signed?: boolean}} BlockUpdate */

const STEP = 0.1;
const PIXELS_A_STEP = 8;
/** Digits smaller than so many pixels are not read: a narrow cell has fewer of them. The reading line tells the rest. */
const LEAST_DIGITS = 11;

/** What every cell asks the style for, in rem where nothing sets it. Registered as lengths, they are worked out once where
 * they are set, and not again from their text in each cell: that was a third of the style's time in a step. */
const LENGTHS = { "--la-cell": 2.75, "--la-line-height": 2, "--la-digits": 0.8125 };
const rem = parseFloat(getComputedStyle(document.documentElement).fontSize);
for (const [name, value] of Object.entries(LENGTHS)) {
  try {
    CSS.registerProperty({ name, syntax: "<length>", inherits: true, initialValue: `${value * rem}px` });
  } catch {
    break; // Another widget of the page has, or the browser is too old to.
  }
}

/** @param {BlockOptions} options */
export function block(options) {
  const { rows, columns, kind = "plain", signed = true, bars = false, explain, edit, show = format, limit = 20, least = -limit } = options;
  let name = options.name;
  /** @type {number[][] | null} */ let values = null;
  /** How full of colour each cell is. @type {string[]} */ const sizes = [];
  let current = 0;
  /** @type {number | null} the cell pointed at or focused */ let inspected = null;

  /** @param {number} at */
  const place = (at) => [Math.floor(at / columns), at % columns];
  const label = h("div", { class: "la-block-label", "aria-hidden": "true" }, options.label ?? "");
  const cells = Array.from({ length: rows * columns }, (_, at) => (edit ? field(at) : shown(at)));
  const lines = Array.from({ length: rows }, (_, i) =>
    h("div", { class: "la-row", role: edit ? null : "row" }, ...cells.slice(i * columns, (i + 1) * columns)),
  );
  const grid = h("div", { class: "la-cells", role: edit ? "group" : "grid", "aria-label": name, "aria-description": edit && cells.length > 1 && "left and right arrow keys go from cell to cell", "--columns": columns, "--rows": rows }, ...lines);
  const element = h(
    "div",
    { class: `la-block la-block-${kind}${signed ? " la-signed" : ""}${bars ? " la-bars" : ""}`, "data-symbol": kind },
    label,
    grid,
  );

  /** How many decimals the reader has chosen in the header. */
  function places() {
    const chosen = /** @type {HTMLElement | null} */ (element.closest(".la-root"))?.dataset.decimals;
    return chosen === undefined ? null : Number(chosen);
  }
  /** About how many ems the longest of these numbers is wide: a point is narrower than a digit, a minus wider. @param {string[]} texts */
  const width = (texts) => Math.max(2.46, ...texts.map((text) => 0.64 * text.length + 0.2 * (text.split("−").length - 1) - (text.includes(".") ? 0.32 : 0)));
  /** One decimal where cells are crowded; none beyond ten where that one would make the digits too small. @param {number} x */
  function fewer(x) {
    let text = "";
    rounding(1, () => (text = format(x)));
    return Math.abs(x) >= 9.95 && width([text]) > room ? 0 : 1;
  }
  /** The style keeps the digits within the cell. */
  let ems = "";
  function fit() {
    const wide = width(cells.map((cell) => (edit ? cell.value : cell.textContent))).toFixed(2);
    if (ems !== (ems = wide)) element.style.setProperty("--ems", ems);
  }
  /** How many ems of readable digits a cell is wide, and whether that is too few for a number's own decimals. */
  let room = Infinity;
  let crowded = false;
  const isCrowded = () => room < 5 && width((values ?? []).flat().map((x) => (x === null ? "" : exact(x)))) > room;
  new ResizeObserver(([{ contentRect }]) => {
    room = contentRect.width / LEAST_DIGITS;
    if (crowded === (crowded = isCrowded())) return;
    cells.forEach((_, at) => draw(at));
    fit();
  }).observe(cells[0]);
  const spoken = (/** @type {number} */ at) => {
    const [i, j] = place(at);
    const where = columns === 1 ? `${i}` : rows === 1 ? `${j}` : `row ${i}, column ${j}`;
    return `${name}, ${where}`;
  };
  /** @param {number | null} at */
  function inspect(at) {
    inspected = at;
    const [i, j] = at === null ? [null, null] : place(at);
    let text = "";
    if (at !== null && explain && values !== null) rounding(places(), () => (text = explain(/** @type {number} */ (i), /** @type {number} */ (j))));
    element.dispatchEvent(new CustomEvent("la-inspect", { bubbles: true, detail: { text, kind, row: i, column: j } }));
  }

  /** @param {number} at */
  function events(at) {
    return { onpointerenter: () => inspect(at), onpointerleave: () => inspect(null), onfocus: () => inspect(at), onblur: () => inspect(null) };
  }

  /** @param {number} at */
  function shown(at) {
    return h("div", { class: "la-cell", role: "gridcell", tabindex: at === 0 ? 0 : -1, ...events(at), onkeydown: walk, onclick: () => move(at) });
  }

  /** The block's one tab stop. @param {number} at */
  function take(at) {
    cells[current].tabIndex = -1;
    current = at;
    cells[at].tabIndex = 0;
  }
  /** @param {number} at */
  function move(at) {
    take(at);
    cells[at].focus();
  }

  /** @param {KeyboardEvent} event */
  function walk(event) {
    const [i, j] = place(current);
    /** @type {Record<string, [number, number]>} */
    const goals = { ArrowLeft: [i, j - 1], ArrowRight: [i, j + 1], ArrowUp: [i - 1, j], ArrowDown: [i + 1, j], Home: [i, 0], End: [i, columns - 1] };
    const goal = goals[event.key];
    if (!goal || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    event.stopPropagation();
    if (goal[0] >= 0 && goal[0] < rows && goal[1] >= 0 && goal[1] < columns) move(goal[0] * columns + goal[1]);
  }

  /** @param {number} at */
  function field(at) {
    const [i, j] = place(at);
    const set = (/** @type {number} */ x) => {
      const wanted = Number(x.toFixed(6));
      const kept = Math.min(Math.max(wanted, least), limit);
      edit?.(i, j, kept);
      if (kept !== wanted) note(element, `Kept within ${least === -limit ? `±${limit}` : `${least} to ${limit}`}.`);
      return kept;
    };
    const value = () => (values ? values[i][j] : 0);
    const { onfocus, onblur, ...pointer } = events(at);
    const input = h("input", {
      ...pointer,
      class: "la-cell la-field",
      type: "text",
      tabindex: at === 0 ? 0 : -1,
      inputmode: "decimal",
      autocomplete: "off",
      spellcheck: "false",
      onfocus() {
        take(at);
        onfocus();
        input.value = String(value()).replace("-", "−");
        input.select();
      },
      onblur() {
        onblur();
        commit();
        draw(at);
        fit();
      },
      onkeydown(/** @type {KeyboardEvent} */ event) {
        const step = { ArrowUp: STEP, ArrowDown: -STEP }[event.key];
        if (step) {
          event.preventDefault();
          set((parse(input.value) ?? value()) + (event.shiftKey ? 10 * step : step));
          input.value = String(value()).replace("-", "−");
        } else if (onward(event)) {
          event.preventDefault();
          move(at + onward(event));
        } else if (event.key === "Enter") commit();
        else if (event.key === "Escape") {
          input.value = String(value()).replace("-", "−");
          event.stopPropagation();
        }
      },
    });
    /** Which way an arrow leads to another cell, if it does: where all of the text is selected, or the caret is at its end.
     * @param {KeyboardEvent} event */
    function onward({ key, altKey, ctrlKey, metaKey, shiftKey }) {
      const [from, to, end] = [input.selectionStart, input.selectionEnd, input.value.length];
      const by = altKey || ctrlKey || metaKey || shiftKey ? 0 : { ArrowLeft: -1, ArrowRight: 1 }[key] ?? 0;
      const leaves = (from === 0 && to === end) || (from === to && from === (by < 0 ? 0 : end));
      return leaves && cells[at + by] ? by : 0;
    }
    function commit() {
      const typed = parse(input.value);
      if (typed === null) note(element, `${input.value.trim() ? `“${input.value.trim()}” is not a number` : "Empty"}: the cell stays ${exact(value())}.`);
      if (typed === value()) return;
      const kept = typed === null ? value() : set(typed);
      input.value = String(kept).replace("-", "−");
      if (typed !== null && kept !== typed && kept === Number(typed.toFixed(6))) note(element, `Rounded to ${input.value}: six decimals are kept.`);
    }
    drag(input, value, set);
    return input;
  }

  /** Dragging sideways changes the number, by mouse or touch. @param {HTMLInputElement} input @param {() => number} value @param {(x: number) => void} set */
  function drag(input, value, set) {
    let from = 0;
    let start = 0;
    let moving = false;
    let fresh = false;
    input.addEventListener("pointerdown", (event) => {
      [from, start, moving] = [event.clientX, value(), false];
      fresh = document.activeElement !== input;
    });
    // The focus has selected the number; in WebKit the end of the press that gave it would put the caret there instead.
    input.addEventListener("mouseup", (event) => fresh && event.preventDefault());
    input.addEventListener("pointermove", (event) => {
      if (!event.buttons) return;
      const steps = Math.round((event.clientX - from) / PIXELS_A_STEP);
      if (!moving && steps === 0) return;
      if (!moving) input.setPointerCapture(event.pointerId);
      moving = true;
      event.preventDefault();
      set(start + steps * STEP);
      input.value = exact(value());
    });
  }

  /** What a screen reader calls a cell. @type {string[]} */ const said = [];
  /** @param {number} at @param {string} text */
  function call(at, text) {
    if (said[at] !== (said[at] = text)) cells[at].ariaLabel = text;
  }

  /** The further digits of a number, where what is shown lacks some. @param {number} x @param {string} text */
  function further(x, text) {
    const longer = exact(x, 4).replace(/(\.\d*?)0+$/, "$1").replace(/\.$/, "");
    const [off, left] = [text, longer].map((one) => Math.abs(Number(one.replaceAll(",", "").replaceAll("−", "-")) - x));
    return left < off ? `, ${left ? "more " : ""}exactly ${longer}` : "";
  }

  /** @param {number} at */
  function draw(at) {
    const cell = cells[at];
    const [i, j] = place(at);
    const x = values ? values[i][j] : null;
    let text = "";
    if (x !== null) rounding(places() ?? (crowded ? fewer(x) : null), () => (text = show(x)));
    if (edit) {
      if (cell !== cell.getRootNode().activeElement && cell.value !== text) cell.value = text;
      call(at, spoken(at));
    } else {
      put(cell, text);
      call(at, `${spoken(at)}: ${x === null ? "not computed yet" : text + further(x, text)}`);
    }
  }

  /** Show numbers; `most` is the size that gets the full colour. null empties the block. @param {BlockUpdate} update */
  function update({ values: fresh, most = 1, label: text, name: called, signed: twoSided = false }) {
    values = fresh;
    crowded = isCrowded();
    element.classList.toggle("la-signed", signed || twoSided || Boolean(fresh?.flat().some((x) => x < 0)));
    if (called !== undefined && called !== name) {
      name = called;
      grid.setAttribute("aria-label", name);
    }
    // The same words are the same label.
    if (text !== undefined && label.textContent !== (text.textContent ?? text)) label.replaceChildren(text);
    element.classList.toggle("la-empty", fresh === null);
    cells.forEach((cell, at) => {
      const [i, j] = place(at);
      const x = fresh ? fresh[i][j] : 0;
      const share = Math.min(Math.abs(x) / most, 1) || 0;
      if (sizes[at] !== (sizes[at] = share.toFixed(4))) cell.style.setProperty("--size", sizes[at]);
      cell.classList.toggle("la-negative", x < 0);
      draw(at);
    });
    fit();
    if (inspected !== null) inspect(inspected);
  }

  /** @param {string} className @param {(i: number, j: number) => boolean} chosen */
  const mark = (className, chosen) =>
    cells.forEach((cell, at) => cell.classList.toggle(className, chosen(...(/** @type {[number, number]} */ (place(at))))));

  return { element, cells, update, mark };
}
