// @ts-check
// The state explorer: linear attention, token by token, in three moves each: write, add, read.
import { explorerPredictions } from "./explorer_predict.js";
import { gauges } from "./explorer_gauges.js";
import { inputs } from "./explorer_inputs.js";
import { PHASES, decode, embedAgain, encode, isOwnMap, read, reorder, setNumber, snapshot } from "./explorer_state.js";
import { stage } from "./explorer_stage.js";
import { stops } from "./stops.js";
import { phases, strip } from "./explorer_strip.js";
import { predictions } from "./predict.js";
import { explanations, sayMove, sayPlace, short, sub } from "./explorer_words.js";
import { shell } from "./shell.js";
import { tables } from "./explorer_tables.js";
import { setTraits } from "./traits.js";
import { transport } from "./transport.js";

const WATCHED = ["tokens", "q", "k", "v", "phi_q", "phi_k", "feature_map", "own_map", "t", "phase", "eps"];

/** @param {{model: any, el: HTMLElement}} view */
export function render({ model, el }) {
  const start = snapshot(model);
  const kernel = !model.link;
  const calm = matchMedia("(prefers-reduced-motion: reduce)");
  let shown = /** @type {import("./explorer_state.js").Shown} */ (read(model));
  let flights = 0;
  let drawing = { sizes: "", ...stage(shown, {}, {}) };

  const frame = shell({
    el,
    model,
    title: "State explorer",
    table: () => tables(shown),
    save: () => [encode(model, start), asks.hidden() && `unpredicted=${asks.hidden()}`].filter(Boolean).join("&"),
    restore(text) {
      decode(model, start, text);
      redraw.now();
      asks.hide(new URLSearchParams(text).get("unpredicted") ?? "");
    },
    walk: () => walk,
    bar: () => bar,
  });
  const placeOf = (/** @type {{t: number, phase: string}} */ { t, phase }) => 3 * t + PHASES.indexOf(phase);
  const place = () => placeOf(shown);
  const bar = transport({
    count: () => 3 * shown.n,
    get: place,
    describe: () => sayPlace(shown),
    limit: () => asks.limit(),
    blocked: (remote) => asks.ask(remote),
    go: async (index, { animate, pace }) => {
      setTraits(model, { t: Math.floor(index / 3), phase: PHASES[index % 3] });
      redraw.now();
      if (!animate || calm.matches) return;
      const mine = (flights += 1);
      frame.root.dataset.moving = "true";
      await drawing.play(shown, pace);
      if (mine === flights) delete frame.root.dataset.moving;
    },
  });
  const asks = predictions(explorerPredictions(model.get("predict"), () => shown, () => model.get("feature_map"), model.get("eps")), {
    get: place,
    go(index, text) {
      frame.remark(text);
      bar.jump(index);
      if (!walk.meet()) frame.root.focus({ preventScroll: true });
      frame.bring(drawing.end(shown.phase));
    },
    say: (text) => frame.say(text),
  });
  const row = strip({
    jump: (t) => bar.jump(3 * t + 2),
    move(t, by) {
      const order = shown.tokens.map((_, i) => i);
      [order[t], order[t + by]] = [order[t + by], order[t]];
      const past = Math.max(t, t + by) <= shown.t && t !== shown.t && t + by !== shown.t;
      frame.remark(`Tokens ${Math.min(t, t + by)} and ${Math.max(t, t + by)} have changed places. ${past ? `S${sub(shown.t)} and Z${sub(shown.t)} have not changed: a sum forgets the order.` : ""}`);
      reorder(model, order);
      redraw.now();
      row.focusTool(t + by, by < 0 ? 0 : 2);
    },
    remove(t) {
      frame.remark(`Token ${t}, “${short(shown.tokens[t])}”, is gone${t < shown.t ? ", and its tile has left S" : ""}.`);
      reorder(model, shown.tokens.map((_, i) => i).filter((i) => i !== t));
      redraw.now();
      row.focusTool(t, 1);
    },
  });
  const moves = phases((phase) => bar.jump(3 * shown.t + PHASES.indexOf(phase)));
  const kept = gauges();
  const input = inputs(
    {
      sentence(tokens, text = "") {
        frame.remark(text);
        embedAgain(model, tokens);
        redraw.now();
      },
      map: (name) => setTraits(model, { feature_map: name }),
      sizes: (sizes) => embedAgain(model, shown.tokens, sizes),
      editing: (on) => row.setEditing(on),
      reset() {
        bar.pause();
        asks.reset();
        walk.reset();
        setTraits(model, start);
        redraw.now();
      },
      say: (text) => frame.say(text),
    },
    kernel ? null : model.get("own_map"),
  );
  const walk = stops(
    model.get("stops"),
    (settings, remote) => {
      const goal = placeOf(/** @type {any} */ (settings));
      bar.jump(goal, remote);
      if (place() === goal) frame.bring(drawing.end(shown.phase));
      return place() === goal;
    },
    () => shown,
    {
      say: (text) => frame.say(text),
      held: (settings) => place() === asks.limit() && placeOf(/** @type {any} */ (settings)) > place(),
    },
  );

  /** The stage is built for its sizes; another size, or other cells to edit, needs another stage. */
  function fit() {
    const frozen = isOwnMap(model) && !kernel;
    const sizes = [shown.d_k, shown.d_v, shown.d_phi, frozen].join();
    if (sizes === drawing.sizes) return;
    const set = (/** @type {"q"|"k"|"v"} */ name) => (/** @type {number} */ i, /** @type {number} */ j, /** @type {number} */ value) => {
      const at = name === "v" ? j : i;
      bar.pause();
      frame.remark(`${name}${sub(shown.t)}[${at}] is now ${String(value).replace("-", "−")}: what follows from it has changed too.`);
      setNumber(model, name, shown.t, at, value);
      redraw.now();
    };
    const edit = frozen ? { v: set("v") } : { q: set("q"), k: set("k"), v: set("v") };
    const next = { sizes, ...stage(shown, explanations(() => shown), edit) };
    drawing.element.replaceWith(next.element);
    drawing = next;
  }

  function draw() {
    const now = read(model);
    if (!now) return null;
    shown = now;
    fit();
    drawing.update(shown);
    row.update(shown);
    moves.update(shown.phase);
    kept.update(shown);
    input.update(shown, model.get("feature_map"), model.get("own_map"));
    asks.update();
    return sayMove(shown);
  }

  const redraw = frame.redraws(WATCHED, draw);

  frame.body.append(row.element, moves.element, drawing.element, bar.element);
  // Beside a walk-through, the question is a part of it.
  if (walk.count) walk.element.append(asks.element);
  else frame.body.prepend(asks.element);
  frame.controls.append(kept.element, input.element);

  return frame.run(() => drawing.stop());
}
