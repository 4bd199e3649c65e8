// @ts-check
// A walk-through: the author's own sequence of states with a sentence each; free play goes on between and after them. A
// stop may ask before it is shown: Next then waits for the reader's answer.
import { h, put } from "./dom.js";
import { predictions } from "./predict.js";
import { same } from "./rows.js";

/** What it says, which question comes before it, in what words, and what it sets, by the traits' names.
 * @typedef {{text: string, ask?: string, question?: string, [trait: string]: any}} Stop */

/**
 * @param {Stop[]} list empty: nothing is shown
 * @param {(settings: Record<string, any>, remote: boolean) => void | boolean} go false if it cannot go there yet
 * @param {() => Record<string, any>} now what is on screen
 * @param {object} [questions]
 * @param {Record<string, (state: any) => import("./predict.js").Question>} [questions.asks] each question by its name, from the state that the stop leads to
 * @param {(ask: string, state: any) => boolean} [questions.moot] whether the answer is on screen before the stop, whose state is given
 * @param {(text: string) => void} [questions.say]
 * @param {(settings: Record<string, any>) => boolean} [questions.held] whether a question of the widget's own is open and keeps from going there
 */
export function stops(list, go, now, { asks = {}, moot = () => false, say = () => {}, held = () => false } = {}) {
  let at = -1;
  const settings = list.map(({ text, ask, question, ...rest }) => rest);
  const questions = predictions(
    list.flatMap(({ ask, question }, index) => {
      const state = () => ({ ...now(), ...settings[index] });
      return ask ? [{ index, read: () => ({ ...asks[ask](state()), ...(question && { question }) }), moot: () => moot(ask, state()) }] : [];
    }),
    {
      get: () => at,
      go(index, note) {
        show(index);
        // After the drawing that this has queued, which has words of its own.
        queueMicrotask(() => say(`${note} ${list[index].text}`));
        next.focus({ preventScroll: true });
      },
      say,
    },
  );
  const text = h("p", { class: "la-stop-text" });
  const count = h("span", { class: "la-stop-count" });
  const back = h("button", { type: "button", class: "la-button", onclick: () => show(here() ? at - 1 : at) }, "Back");
  const next = h("button", { type: "button", class: "la-button la-stop-next", onclick: () => show(at + 1) }, "Next");
  const element = h("div", { class: "la-stops", role: "group", "aria-label": "Walk-through", hidden: !list.length }, count, text, h("span", { class: "la-stop-buttons" }, back, next), list.some(({ ask }) => ask) && questions.element);

  /** Whether the state of a stop is on screen. */
  const here = (index = at) => index in settings && Object.entries(settings[index]).every(([key, value]) => same(now()[key], value));

  /** @param {number} index @param {boolean} [remote] */
  function show(index, remote = false) {
    if (index < 0 || index >= list.length) return;
    if (index > questions.limit()) return questions.ask(remote);
    const before = at;
    at = index;
    if (go(settings[at], remote) === false) at = before;
    update();
    tell();
  }

  /** The truth that has come on screen once more, after the drawing, which has words of its own. */
  const tell = () => queueMicrotask(() => questions.told() && say(`${questions.told()} ${list[at].text}`));

  /** The answer to a question of the widget's own has led on, perhaps to a stop: the walk-through goes on from there, and has
   * begun if it had not; returns whether it has. */
  function meet() {
    const to = list.findIndex((_, i) => i > at && here(i));
    if (here() || to < 0 || to > questions.limit()) return false;
    at = to;
    update();
    next.focus({ preventScroll: true });
    return true;
  }

  /** A presenter's remote control follows the walk-through, once begun, and never leaves it, for it has no other keys to
   * come back with; returns whether the key was its. @param {KeyboardEvent} event */
  function key(event) {
    const [on, back] = [event.key === "PageDown", event.key === "PageUp" && at >= 0];
    if (!list.length || !(on || back)) return false;
    // From free play the way leads back to the stop, on to the next one, or at the end to the last.
    const to = on ? (here() ? at + 1 : Math.min(at + 1, list.length - 1)) : here() ? at - 1 : at;
    if (to === list.length) say("That was the last stop. The arrow keys explore further.");
    else if (to < 0) say("This is the first stop.");
    else show(to, true);
    return true;
  }

  /** The sentence, and the truth beside the guess, stay as long as their state is on screen. */
  function update() {
    if (!list.length) return;
    // Where it opens on its first stop and a question is there already, the sentence to read first is there, too.
    if (at < 0 && here(0) && list.length > 1 && held(settings[1])) at = 0;
    const waits = at + 1 < list.length && held(settings[at + 1]);
    const [there, locked] = [here(), waits || questions.limit() <= at];
    const ways = [at + 1 < list.length && (locked ? "an answer leads on" : "Next goes on"), "Back returns"].filter(Boolean).join(", ");
    const left = waits ? `On the way to stop ${at + 2}: first your prediction.` : `You left the walk-through; ${ways}.`;
    put(count, at < 0 ? `Walk-through, ${list.length} ${list.length === 1 ? "stop" : "stops"}` : `Stop ${at + 1} of ${list.length}`);
    put(text, there ? list[at].text : at < 0 ? `Start with ${locked ? "an answer" : "Next"}, or explore freely.` : left);
    back.setAttribute("aria-disabled", String(there ? at === 0 : at < 0));
    next.setAttribute("aria-disabled", String(at >= list.length - 1));
    next.setAttribute("aria-label", locked ? "Next, after your prediction" : "Next");
    next.classList.toggle("la-locked", locked);
    questions.update(there);
    // The address follows even where two stops differ in their sentences alone.
    element.dispatchEvent(new CustomEvent("la-stop", { bubbles: true }));
  }

  /** A link leads to a stop, past its questions. @param {number} stop counted from 1; 0 is before the first @param {string} [hidden] */
  function open(stop, hidden = "") {
    at = stop - 1;
    questions.hide(hidden);
    update();
    tell();
  }

  /** Back before the first stop, with nothing answered. */
  function reset() {
    questions.reset();
    open(0);
  }
  return { element, count: list.length, at: () => at + 1, hidden: questions.hidden, update, key, meet, open, reset };
}
