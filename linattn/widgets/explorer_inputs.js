// @ts-check
// What the reader may change besides single numbers: the sentence, the feature map, the sizes, the tokens' order.
import { featureMapLabels } from "./attention.js";
import { h, iconButton } from "./dom.js";
import { MOST_TOKENS } from "./explorer_state.js";
import { words } from "./embedding.js";

/** @typedef {import("./explorer_state.js").Shown} Shown */

const PRESETS = ["the cat sat on the mat", "a rose is a rose is a rose", "to be or not to be", "time flies like an arrow"];
const SIZES = [1, 2, 3, 4, 5, 6];

/**
 * @param {object} actions
 * @param {(tokens: string[], text?: string) => void} actions.sentence what to say with it
 * @param {(name: string) => void} actions.map
 * @param {(sizes: {d_k?: number, d_v?: number}) => void} actions.sizes
 * @param {(on: boolean) => void} actions.editing
 * @param {() => void} actions.reset
 * @param {(text: string) => void} actions.say
 * @param {string | null} fixedMap the feature map's name where only Python knows it and there is no Python to ask
 */
export function inputs({ sentence, map, sizes, editing, reset, say }, fixedMap) {
  const options = (/** @type {[string, string][]} */ pairs) => pairs.map(([value, label]) => h("option", { value }, label));
  const labelled = (/** @type {any} */ name, /** @type {Element} */ control, /** @type {string} */ kind = "") =>
    h("label", { class: `la-labelled ${kind}` }, h("span", { class: "la-label" }, name), control);

  const preset = h("select", { class: "la-select la-preset", onchange: () => preset.value && sentence(words(preset.value)) },
    ...options([...PRESETS.map((text) => /** @type {[string, string]} */ ([text, text])), ["", "your own words"]]));
  const own = h("input", { type: "text", class: "la-text", autocomplete: "off", onchange: typed, onkeydown: entered });
  const maps = h("select", { class: "la-select", onchange: () => map(maps.value) },
    ...options(Object.entries(featureMapLabels)));
  const builtIn = [...maps.options];
  const d_k = h("select", { class: "la-select", "aria-label": "d_k, size of a query or key", onchange: () => sizes({ d_k: Number(d_k.value) }) });
  const d_v = h("select", { class: "la-select", "aria-label": "d_v, size of a value", onchange: () => sizes({ d_v: Number(d_v.value) }) });
  const edit = iconButton("edit", "Delete or reorder tokens", () => setEditing(edit.getAttribute("aria-pressed") !== "true"), { "aria-pressed": "false" });
  edit.append(h("span", {}, "tokens"));
  const undo = iconButton("reset", "Reset everything", reset);
  undo.append(h("span", {}, "reset"));

  function typed() {
    const tokens = words(own.value);
    if (!tokens.length) say("Type at least one word.");
    else {
      sentence(tokens, tokens.length > MOST_TOKENS ? `The first ${MOST_TOKENS} words are used.` : "");
    }
  }

  /** d_k and d_v as the formulas write them. @param {string} of */
  const size = (of) => h("span", { class: "la-symbol" }, h("i", {}, "d"), h("sub", {}, h("i", {}, of)));

  // Not left to the browser: a notebook may take the key before the field has noticed a change.
  /** @param {KeyboardEvent} event */
  function entered(event) {
    if (event.key !== "Enter") return;
    event.preventDefault();
    event.stopPropagation();
    own.blur();
  }

  /** @param {boolean} on */
  function setEditing(on) {
    edit.setAttribute("aria-pressed", String(on));
    editing(on);
  }

  /** @param {HTMLSelectElement} select @param {number} d */
  function fillSizes(select, d) {
    const wanted = SIZES.includes(d) ? SIZES : [...SIZES, d];
    if (select.options.length !== wanted.length) select.replaceChildren(...options(wanted.map((size) => [String(size), String(size)])));
    select.value = String(d);
  }

  // Without Python nothing but v can change under a map that only Python knows.
  const needsPython = fixedMap !== null;
  const element = h(
    "div",
    { class: "la-inputs", role: "group", "aria-label": "Input" },
    !needsPython && labelled("example", preset, "la-wide"),
    !needsPython && labelled("sentence", own, "la-wide"),
    !needsPython && labelled("feature map φ", maps, "la-wide"),
    needsPython && h("p", { class: "la-note" }, "φ is the Python function ", h("code", {}, fixedMap), "; its values came with this page."),
    !needsPython && h("div", { class: "la-input-sizes" }, labelled(size("k"), d_k), labelled(size("v"), d_v)),
    h("div", { class: "la-input-buttons" }, edit, undo),
  );

  /** @param {Shown} s @param {string} name the feature map's @param {string | null} ownMap a map of the reader's, in Python */
  function update(s, name, ownMap) {
    const text = s.tokens.join(" ");
    preset.value = PRESETS.includes(text) ? text : "";
    if (own !== document.activeElement) own.value = text;
    if (maps.options.length === builtIn.length ? ownMap : maps.options[0].value !== ownMap)
      maps.replaceChildren(...options(ownMap ? [[ownMap, `${ownMap} (yours)`]] : []), ...builtIn);
    maps.value = name;
    fillSizes(d_k, s.d_k);
    fillSizes(d_v, s.d_v);
  }
  return { element, update, setEditing };
}
