// @ts-check
// The drawing of one token: φ(k) × v makes the tile, the tile goes into S and φ(k) into Z, φ(q) reads them. Rows of
// φ(k), the tile, S, Z and φ(q) stand on the same lines, because they are the same features.
import { largest } from "./attention.js";
import { h, put, standing, svg, symbol } from "./dom.js";
import { block } from "./matrix.js";

/** @typedef {import("./explorer_state.js").Shown} Shown */

const MOVE_MS = 900;

/** @param {string} area @param {...any} children */
const caption = (area, ...children) => h("div", { class: `la-caption la-at-${area}`, "aria-hidden": "true" }, ...children);

/** The symbols in here get another index. @param {Element} where @param {string | number} index */
const number = (where, index) => where.querySelectorAll("sub").forEach((sub) => put(sub, String(index)));

/** Whether any token's features need the two-sided scale; asked of all, so that a colour means the same at every step.
 * @param {Shown} shown */
const hasNegative = ({ phi_q, phi_k }) => [phi_q, phi_k].flat(2).some((x) => x < 0);

/**
 * @param {Shown} first only its sizes are used
 * @param {Record<string, (i: number, j: number) => string>} explain
 * @param {{q?: any, k?: any, v: any}} edit per input what to do with a new number; without it the cells only show
 */
export function stage({ d_k, d_v, d_phi }, explain, edit) {
  const make = (/** @type {string} */ key, /** @type {number} */ rows, /** @type {number} */ columns, /** @type {object} */ more) =>
    block({ name: key, rows, columns, explain: explain[key], ...more });
  const B = {
    k: make("k", d_k, 1, { kind: "k", edit: edit.k }),
    phi_k: make("phi_k", d_phi, 1, { kind: "k", signed: false }),
    v: make("v", 1, d_v, { kind: "v", edit: edit.v, label: symbol("v", 0) }),
    tile: make("tile", d_phi, d_v, { kind: "tile" }),
    S: make("S", d_phi, d_v, { kind: "S" }),
    Z: make("Z", d_phi, 1, { kind: "Z", signed: false, bars: true }),
    phi_q: make("phi_q", d_phi, 1, { kind: "q", signed: false }),
    q: make("q", d_k, 1, { kind: "q", edit: edit.q }),
    numerator: make("numerator", 1, d_v, { kind: "out" }),
    denominator: make("denominator", 1, 1, { kind: "Z", signed: false }),
    out: make("out", 1, d_v, { kind: "out" }),
  };
  for (const [key, { element }] of Object.entries(B)) element.classList.add(`la-at-${key}`);
  const text = {
    k: caption("k-name", symbol("k", 0)),
    q: caption("q-name", symbol("q", 0)),
    phi_k: caption("phi_k-name", symbol("k", 0, true)),
    phi_q: caption("phi_q-name", symbol("q", 0, true)),
    tile: caption("tile-name", symbol("k", 0, true), " ", symbol("v", 0), "ᵀ"),
    fraction: caption(
      "fraction",
      h("span", {}, symbol("q", 0, true), "ᵀ", symbol("S", 0)),
      h("span", {}, "÷ ", symbol("q", 0, true), "·", symbol("Z", 0)),
    ),
    out: caption("out-name", "= ", symbol("out", 0)),
  };
  const sums = [caption("S-name", symbol("S", 0)), caption("Z-name", symbol("Z", 0))];
  const arrow = svg("svg", { class: "la-arrow", viewBox: "0 0 40 16", "aria-hidden": "true" }, svg("path", { d: "M2 8h34M30 3l6 5-6 5" }));
  const element = h(
    "div",
    { class: "la-stage", "--d-v": d_v, "--d-phi": Math.max(d_phi, d_k) },
    h("div", { class: "la-write", role: "group", "aria-label": "Write" }, text.k, text.phi_k, B.v.element, B.k.element, B.phi_k.element, B.tile.element, text.tile),
    h("div", { class: "la-plus" }, arrow),
    h(
      "div",
      { class: "la-read", role: "group", "aria-label": "State and read" },
      ...sums, text.phi_q, text.q,
      B.S.element, B.Z.element, B.phi_q.element, B.q.element,
      B.numerator.element, B.denominator.element, text.fraction, B.out.element, text.out,
    ),
  );
  element.classList.add(d_phi > 12 ? "la-rows-many" : d_phi > 5 ? "la-rows-some" : "la-rows-few");

  // Pointing at a cell lights up the row and the column it belongs to, in every block that shares them.
  element.addEventListener("la-inspect", (/** @type {any} */ { detail: { kind, row, column }, target }) => {
    const inFeatures = [B.phi_k, B.tile, B.S, B.Z, B.phi_q].some((b) => b.element === target);
    const inValues = [B.v, B.tile, B.S, B.numerator, B.out].some((b) => b.element === target);
    const on = (/** @type {boolean} */ rows, /** @type {boolean} */ columns) => (/** @type {number} */ i, /** @type {number} */ j) =>
      kind !== null && row !== null && (!rows || !inFeatures || i === row) && (!columns || !inValues || j === column) && (rows && inFeatures || columns && inValues);
    for (const b of [B.phi_k, B.Z, B.phi_q]) b.mark("la-linked", on(true, false));
    for (const b of [B.v, B.numerator, B.out]) b.mark("la-linked", on(false, true));
    for (const b of [B.tile, B.S]) b.mark("la-linked", on(true, true));
  });

  // Many features scroll inside the widget, all blocks that have a row for each of them together.
  const tall = [B.phi_k, B.tile, B.S, B.Z, B.phi_q].map((b) => b.element);
  // A block that was taken along reports that too, perhaps when the first has moved on: it must not pull that one back.
  const taken = new Map();
  for (const one of tall) {
    one.addEventListener("scroll", () => {
      const at = one.scrollTop;
      if (taken.get(one) === at) return void taken.delete(one);
      for (const other of tall) {
        if (other.scrollTop === at) continue;
        other.scrollTop = at;
        taken.set(other, other.scrollTop);
      }
    });
  }

  /** @type {Animation[]} */ let moving = [];
  /** @type {HTMLElement[]} */ let ghosts = [];

  /** Draw the state at once, ending any move. @param {Shown} s */
  function update(s) {
    stop();
    const { t, phase } = s;
    const done = phase === "read";
    const past = phase === "write" ? t - 1 : t;
    const column = (/** @type {number[]} */ x) => x.map((a) => [a]);
    const inputs = largest([s.q, s.k, s.v], 1);
    const features = largest([s.phi_q, s.phi_k]);
    const signed = hasNegative(s);
    element.dataset.phase = phase;
    B.k.update({ values: column(s.k[t]), most: inputs, name: `k ${t}` });
    B.q.update({ values: column(s.q[t]), most: inputs, name: `q ${t}` });
    B.v.update({ values: [s.v[t]], most: inputs, name: `v ${t}` });
    B.phi_k.update({ values: column(s.phi_k[t]), most: features, signed, name: `φ(k ${t})` });
    B.phi_q.update({ values: column(s.phi_q[t]), most: features, signed, name: `φ(q ${t})` });
    B.tile.update({ values: s.write[t], most: largest(s.write), name: `tile of token ${t}` });
    memory(s, past);
    B.numerator.update({ values: done ? [s.numerator[t]] : null, most: largest(s.numerator), name: `numerator ${t}` });
    B.denominator.update({ values: done ? [[s.denominator[t]]] : null, most: largest(s.denominator), signed, name: `denominator ${t}` });
    B.out.update({ values: done ? [s.out[t]] : null, most: largest([s.out, s.v]), name: `out ${t}` });
    for (const one of [...Object.values(text), B.v.element]) number(one, t);
  }

  /** S and Z after token `past` (-1: none). @param {Shown} s @param {number} past */
  function memory(s, past) {
    const none = s.S[0].map((row) => row.map(() => 0));
    const Z = past < 0 ? s.Z[0].map(() => 0) : s.Z[past];
    B.S.update({ values: past < 0 ? none : s.S[past], most: largest(s.S), name: past < 0 ? "S, empty" : `S ${past}` });
    B.Z.update({ values: Z.map((z) => [z]), most: largest(s.Z), signed: hasNegative(s), name: past < 0 ? "Z, empty" : `Z ${past}` });
    for (const one of sums) number(one, past < 0 ? "−1" : past);
  }

  function stop() {
    for (const animation of moving) animation.cancel();
    for (const ghost of ghosts) ghost.remove();
    moving = [];
    ghosts = [];
  }

  /** @param {Element} target @param {Keyframe[]} frames @param {KeyframeAnimationOptions} timing */
  function animate(target, frames, timing) {
    const animation = target.animate(frames, { easing: "cubic-bezier(.45,.05,.25,1)", fill: "backwards", ...timing });
    moving.push(animation);
    return animation.finished;
  }

  /** A copy of a block's cells that travels onto another block. @param {any} from @param {any} to @param {number} duration @param {number} [delay] */
  function fly(from, to, duration, delay = 0) {
    const [a, b, zero] = [from.element, to.element, element].map(standing);
    const ghost = /** @type {HTMLElement} */ (from.element.cloneNode(true));
    ghost.classList.add("la-ghost");
    ghost.setAttribute("aria-hidden", "true");
    ghost.inert = true;
    // Full screen may show the stage at another size than it is laid out at.
    const scale = zero.width / element.offsetWidth || 1;
    Object.assign(ghost.style, { left: `${(a.left - zero.left) / scale}px`, top: `${(a.top - zero.top) / scale}px` });
    element.append(ghost);
    ghost.scrollTop = from.element.scrollTop;
    ghosts.push(ghost);
    const [x, y] = [(b.left - a.left) / scale, (b.top - a.top) / scale];
    return animate(
      ghost,
      [
        { transform: "none", opacity: 1 },
        { transform: `translate(${x / 2}px, ${y / 2 - 14}px) scale(1.04)`, opacity: 1, offset: 0.5 },
        { transform: `translate(${x}px, ${y}px)`, opacity: 0.9 },
      ],
      { duration, delay },
    ).then(() => ghost.remove());
  }

  /** The cells of a block come up one after the other. @param {any} b @param {number} duration @param {number} [delay] */
  const grow = (b, duration, delay = 0) =>
    Promise.all(
      b.cells.map((/** @type {Element} */ cell, /** @type {number} */ at) =>
        animate(cell, [{ opacity: 0, transform: "scale(.5)" }, { opacity: 1, transform: "none" }], { duration: duration / 2, delay: delay + (duration / 2) * (at / b.cells.length) }),
      ),
    );

  /** Show the move that led to this state. @param {Shown} s @param {number} pace */
  async function play(s, pace) {
    const ms = MOVE_MS / pace;
    try {
      if (s.phase === "write") await Promise.all([grow(B.phi_k, ms / 2), grow(B.tile, ms, ms / 3)]);
      if (s.phase === "add") {
        memory(s, s.t - 1);
        await Promise.all([fly(B.tile, B.S, ms), fly(B.phi_k, B.Z, ms, ms / 6)]);
        memory(s, s.t);
        const pulse = [{ filter: "brightness(1.35)" }, { filter: "none" }];
        await Promise.all([B.S, B.Z].map((b) => animate(b.element, pulse, { duration: ms / 3 })));
      }
      if (s.phase === "read") {
        const rows = [grow(B.numerator, ms / 2, ms * 0.6), grow(B.denominator, ms / 2, ms * 0.3), grow(B.out, ms / 2, ms * 1.1)];
        await Promise.all([fly(B.phi_q, B.S, ms * 0.9), ...rows]);
      }
    } catch {
      // Cancelled, because something newer is on screen.
    }
  }

  /** Where the move of a phase ends. @param {string} phase */
  const end = (phase) => (phase === "write" ? B.tile : phase === "add" ? B.S : B.out).element;

  return { element, update, play, stop, end };
}
