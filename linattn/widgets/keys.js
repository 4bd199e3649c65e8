// @ts-check
// Whose a key is in JupyterLab, which has its own: it would take the arrows from a slider, cut the cell for an x in a list,
// and undo a change of the notebook, not what was typed.

/** JupyterLab finds no keys of its own inside an element with this attribute. */
const HELD = "data-lm-suppress-shortcuts";

/** What edits a text, or cells of the notebook, with Ctrl or ⌘; so do Enter, arrows and all keys with longer names. */
const EDITS = "acmvxyzAMVXYZ";

/** Whether a key is JupyterLab's even while the focus is in a widget: it saves, finds, opens a panel.
 * @param {KeyboardEvent} event */
const isLabs = ({ key, ctrlKey, metaKey, altKey }) => (ctrlKey || metaKey) && !altKey && key.length === 1 && !EDITS.includes(key);

/** All other keys stay inside. @param {HTMLElement} root the widget's */
export function holdKeys(root) {
  root.toggleAttribute(HELD, true);
  root.addEventListener("keydown", (event) => void root.toggleAttribute(HELD, !isLabs(event)), { capture: true });
  root.addEventListener("keydown", (event) => isLabs(event) || event.stopPropagation());
}
