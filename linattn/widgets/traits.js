// @ts-check
// A widget's traits: what they are now, how a control changes them, and one drawing for a burst of changes.

/** The traits as they are now. @param {any} model @param {readonly string[]} keys @returns {Record<string, any>} */
export const readTraits = (model, keys) => Object.fromEntries(keys.map((key) => [key, model.get(key)]));

/** Change some, in one message to a live kernel. @param {any} model @param {Record<string, any>} changes */
export function setTraits(model, changes) {
  for (const [key, value] of Object.entries(changes)) model.set(key, value);
  model.save_changes();
}

/**
 * Draws once after each burst of changes; `now` draws at once instead, for what asks right after a change.
 * @param {any} model @param {readonly string[]} keys @param {() => void} draw
 */
export function redrawing(model, keys, draw) {
  let queued = false;
  function now() {
    queued = false;
    draw();
  }
  function changed() {
    if (queued) return;
    queued = true;
    queueMicrotask(() => queued && now());
  }
  for (const key of keys) model.on(`change:${key}`, changed);
  function stop() {
    queued = false;
    for (const key of keys) model.off(`change:${key}`, changed);
  }
  return { now, stop };
}
