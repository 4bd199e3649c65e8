// @ts-check
// The two pictures of recall: one bar a pair, and the mean error over the number of pairs.
import { h, pointed, svg } from "./dom.js";
import { expected } from "./recall_math.js";

const [WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM] = [480, 290, 44, 10, 14, 44];
const up = (/** @type {number} */ x, /** @type {number} */ top) => HEIGHT - BOTTOM - ((HEIGHT - TOP - BOTTOM) * Math.min(x, top)) / top;

/** A round number at or above. @param {number} x */
const ceiling = (x) => {
  const power = 10 ** Math.floor(Math.log10(x));
  return [1, 1.5, 2, 3, 4, 5, 6, 8, 10].map((f) => f * power).find((y) => y >= x * 0.999) ?? 10 * power;
};

/** @param {number} top */
const side = (top) => [0, top / 2, top].flatMap((y) => [
  svg("line", { class: "la-grid", x1: LEFT, x2: WIDTH - RIGHT, y1: up(y, top), y2: up(y, top) }),
  svg("text", { class: "la-tick la-tick-side", x: LEFT - 6, y: up(y, top) + 4 }, String(Number(y.toPrecision(3)))),
]);

/** A picture with its axes, which are made again only where they are others, under what every step draws.
 * @param {(...scale: number[]) => Node[]} axes */
function chart(axes) {
  const [below, above] = [svg("g", {}), svg("g", {})];
  let now = "";
  return {
    picture: svg("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, class: "la-recall-chart", "aria-hidden": "true" }, below, above),
    /** @param {number[]} scale @param {Node[]} marks */
    draw(scale, marks) {
      if (now !== (now = scale.join())) below.replaceChildren(...axes(...scale));
      above.replaceChildren(...marks);
    },
  };
}

/** A number or a word below the axis. @param {number} x @param {string} text @param {number} [y] */
const under = (x, text, y = HEIGHT - BOTTOM + 18) => svg("text", { class: "la-tick", x, y }, text);
/** What the axis counts. @param {string} text */
const counts = (text) => under((LEFT + WIDTH - RIGHT) / 2, text, HEIGHT - 6);

/** Drag or press on a picture. @param {any} picture @param {(share: number) => void} act share of the width between the axes */
function pointer(picture, act) {
  const go = (/** @type {PointerEvent} */ event) => {
    act(Math.min(Math.max((pointed(event, picture).x * WIDTH - LEFT) / (WIDTH - LEFT - RIGHT), 0), 1));
  };
  picture.addEventListener("pointerdown", (/** @type {PointerEvent} */ event) => {
    if (event.button) return;
    picture.setPointerCapture(event.pointerId);
    go(event);
  });
  picture.addEventListener("pointermove", (/** @type {PointerEvent} */ event) => picture.hasPointerCapture(event.pointerId) && go(event));
}

/** @param {(pair: number) => void} choose */
export function bars(choose) {
  let count = 1;
  const { picture, draw } = chart((top, pairs) => {
    const wide = (WIDTH - LEFT - RIGHT) / pairs;
    const ticks = [0, Math.floor(pairs / 2), pairs - 1].map((j) => under(LEFT + (j + 0.5) * wide, String(j)));
    return [...side(top), ...ticks, counts("pair")];
  });
  pointer(picture, (share) => choose(Math.min(Math.floor(share * count), count - 1)));
  return {
    element: h("figure", { class: "la-recall-figure" }, h("figcaption", { class: "la-note" }, "squared error of each pair read back"), picture),
    /** @param {any} shown */
    update({ pairs, m, pair, steps, here }) {
      count = pairs;
      // One scale for all m, so that stepping does not move it.
      const top = ceiling(Math.max(0.5, ...steps.flatMap((/** @type {any} */ step) => step.errors)));
      const wide = (WIDTH - LEFT - RIGHT) / pairs;
      const marks = here.errors.map((/** @type {number} */ error, /** @type {number} */ j) => {
        const y = up(error, top);
        return svg("rect", { class: j === pair ? "la-recall-chosen" : "la-recall-bar", x: LEFT + (j + 0.14) * wide, width: 0.72 * wide, y: Math.min(y, HEIGHT - BOTTOM - 1.5), height: Math.max(HEIGHT - BOTTOM - y, 1.5) });
      });
      const end = LEFT + m * wide;
      draw([top, pairs], [svg("line", { class: "la-now", x1: end, x2: end, y1: TOP, y2: HEIGHT - BOTTOM }), ...marks]);
    },
  };
}

/** @param {(m: number) => void} set */
export function curve(set) {
  let count = 1;
  const { picture, draw } = chart((top, pairs, d_phi) => {
    const ticks = [0, d_phi, pairs].filter((x, i, all) => x <= pairs && all.every((y, j) => j === i || Math.abs(y - x) > pairs / 16 || i === 1));
    const across = (/** @type {number} */ x) => LEFT + ((WIDTH - LEFT - RIGHT) * x) / pairs;
    return [...side(top), ...ticks.map((x) => under(across(x), x === d_phi ? `${x} = d_φ` : String(x))), counts("pairs written, m")];
  });
  pointer(picture, (share) => set(Math.round(share * count)));
  const key = (/** @type {string} */ name, /** @type {string} */ text) => h("span", { class: `la-recall-key la-recall-key-${name}` }, text);
  const theory = key("theory", "(m − 1)/d_φ, the plain sum of random keys");
  const legend = h("figcaption", { class: "la-note la-recall-legend" }, h("span", {}, "mean over all pairs:"), key("line", "measured"), theory, key("least", "the best any S can do"));
  return {
    element: h("figure", { class: "la-recall-figure" }, legend, picture),
    /** @param {any} shown */
    update({ pairs, m, d_phi, rule, orthogonal, rewrite, steps, here }) {
      count = pairs;
      const guess = rule === "sum" && !orthogonal && !rewrite;
      theory.hidden = !guess;
      const top = ceiling(Math.max(1, ...steps.map((/** @type {any} */ step) => step.error), guess ? expected(pairs, d_phi).sum : 0));
      // What is not written yet stays open: a walk-through asks for it.
      const sofar = steps.slice(0, m + 1);
      const across = (/** @type {number} */ x) => LEFT + ((WIDTH - LEFT - RIGHT) * x) / pairs;
      const line = (/** @type {string} */ name, /** @type {number[]} */ ys) => svg("polyline", { class: `la-recall-${name}`, points: ys.map((y, x) => `${across(x).toFixed(1)},${up(y, top).toFixed(1)}`).join(" ") });
      const upright = (/** @type {string} */ name, /** @type {number} */ x) => svg("line", { class: name, x1: across(x), x2: across(x), y1: TOP, y2: HEIGHT - BOTTOM });
      draw([top, pairs, d_phi], [
        upright("la-now", m), ...(d_phi <= pairs ? [upright("la-knee", d_phi)] : []),
        ...(guess ? [line("theory", sofar.map((/** @type {any} */ _, /** @type {number} */ i) => expected(i, d_phi).sum))] : []),
        line("least", sofar.map((/** @type {any} */ step) => step.least)), line("line", sofar.map((/** @type {any} */ step) => step.error)),
        svg("circle", { class: "la-recall-now", r: 6, cx: across(m), cy: up(here.error, top) }),
      ]);
    },
  };
}
