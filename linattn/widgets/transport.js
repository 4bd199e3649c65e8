// @ts-check
// The transport bar: first, back, play or pause, next, last, a scrubber and a speed; the same bar and keys in every widget.
import { alter, h, iconButton, relabel } from "./dom.js";

/**
 * @typedef {object} TransportOptions
 * @property {() => number} count how many positions there are
 * @property {() => number} get the position now
 * @property {(index: number, how: {animate: boolean, pace: number}) => void | Promise<void>} go moves there; resolves when the move has been seen
 * @property {(index: number) => string} describe the position in words, for the scrubber
 * @property {() => number} [limit] the last position that can be reached now
 * @property {(remote: boolean) => void} [blocked] what happens when the reader wants to go further, perhaps by a remote control
 * @property {number} [rest] milliseconds between two moves while playing at normal speed
 */

const PACES = [
  ["0.5", "half speed"],
  ["1", "normal speed"],
  ["2", "double speed"],
  ["4", "four times"],
];

/** @param {TransportOptions} options */
export function transport({ count, get, go, describe, limit = () => Infinity, blocked, rest = 700 }) {
  let playing = false;
  let run = 0;

  const first = iconButton("first", "First step (Home)", () => jump(0));
  const back = iconButton("back", "Step back (left arrow)", () => jump(get() - 1));
  const toggle = iconButton("play", "Play (space)", () => (playing ? pause() : play()), { class: "la-button la-icon-button la-play" });
  const next = iconButton("next", "Next step (right arrow)", () => forward());
  const last = iconButton("last", "Last step (End)", () => jump(count() - 1));
  const scrubber = h("input", { type: "range", class: "la-scrubber", min: 0, step: 1, "aria-label": "Step", oninput: () => jump(Number(scrubber.value)) });
  const speed = h(
    "select",
    { class: "la-select", "aria-label": "Speed" },
    ...PACES.map(([value, name]) => h("option", { value, selected: value === "1" }, name)),
  );
  const element = h(
    "div",
    { class: "la-transport", role: "group", "aria-label": "Steps" },
    h("div", { class: "la-transport-buttons" }, first, back, toggle, next, last),
    scrubber,
    speed,
  );

  const pace = () => Number(speed.value);
  const wait = (/** @type {number} */ ms) => new Promise((resolve) => setTimeout(resolve, ms));

  /** As far towards a position as the limit lets. @param {number} index @param {boolean} animate @param {boolean} [remote] */
  async function move(index, animate, remote = false) {
    const to = Math.min(index, limit());
    if (to !== get()) await go(to, { animate, pace: pace() });
    if (to < index) {
      pause();
      update(); // The scrubber goes back to where it may be.
      blocked?.(remote);
    }
  }

  /** @param {number} index @param {boolean} [remote] */
  function jump(index, remote = false) {
    pause();
    if (index >= 0 && index < count() && index !== get()) move(index, false, remote);
  }

  function forward(remote = false) {
    pause();
    if (get() < count() - 1) move(get() + 1, true, remote);
  }

  async function play() {
    playing = true;
    const mine = ++run;
    update();
    if (get() >= count() - 1) move(0, false);
    else await move(get() + 1, true);
    while (mine === run) {
      await wait(rest / pace());
      if (mine !== run) return;
      if (get() >= count() - 1) pause();
      else await move(get() + 1, true);
    }
  }

  function pause() {
    run += 1;
    if (!playing) return;
    playing = false;
    update();
  }

  /** Show the position. */
  function update() {
    const at = get();
    const end = count() - 1;
    alter(scrubber, { max: end, "aria-valuetext": describe(at) });
    scrubber.value = String(at);
    // aria-disabled keeps the focus where it is; a button that loses it at the last step would strand keyboard users.
    for (const button of [first, back]) alter(button, { "aria-disabled": at <= 0 });
    for (const button of [next, last]) alter(button, { "aria-disabled": at >= end });
    relabel(next, "next", limit() > at ? "Next step (right arrow)" : "Next step (right arrow), after your prediction");
    relabel(toggle, playing ? "pause" : "play", playing ? "Pause (space)" : "Play (space)");
  }

  /** The widget's keys; returns whether the key was one of them. @param {KeyboardEvent} event */
  function key(event) {
    /** @type {Record<string, () => void>} */
    const actions = {
      " ": () => (playing ? pause() : play()),
      ArrowRight: () => forward(),
      ArrowLeft: () => jump(get() - 1),
      // What a presenter's remote control sends.
      PageDown: () => forward(true),
      PageUp: () => jump(get() - 1),
      Home: () => jump(0),
      End: () => jump(count() - 1),
    };
    actions[event.key]?.();
    return event.key in actions;
  }

  return { element, update, focus: () => toggle.focus(), pause, key, speed, jump };
}
