"""Whose a key is in JupyterLab while the focus is in a widget."""

import nbformat
from cells import run

EXPLORER = "from linattn.widgets import Quiz, StateExplorer\nexplorer = StateExplorer()\nexplorer"
QUIZ = 'Quiz("state_update", "recall")'
#: With the focus elsewhere these move, merge, run, delete and cut cells, undo what was done to them, insert one.
EDITS = ["Control+Shift+ArrowDown", "Control+Backspace", "Control+Shift+m", "Control+Enter", "Control+a", "Control+z"]
EDITS += ["Shift+Enter", "Alt+Enter", "d", "d", "x", "a", "b", "m", "z"]


def test_a_widget_holds_plain_keys_and_lets_jupyterlab_save(open_notebook, lab, refused):
    page = open_notebook("keys", nbformat.v4.new_notebook(cells=list(map(nbformat.v4.new_code_cell, (EXPLORER, QUIZ)))))

    def saves(output: str) -> bool:
        """Whether Ctrl+S brings this kind of output into the file of the notebook."""
        page.keyboard.press("Control+s")
        for _ in range(20):
            if f'data-widget=\\"{output}\\"' in (lab.folder / "keys.ipynb").read_text():
                return True
            page.wait_for_timeout(250)
        return False

    explorer = run(page, EXPLORER).locator(".la-root")
    explorer.get_by_role("button", name="Next step").focus()
    assert saves("state_explorer")
    quiz = run(page, QUIZ).locator(".la-root")
    quiz.get_by_role("radio").first.focus()
    assert saves("quiz")

    # In a field of text Ctrl+Z takes back what was typed.
    sentence = explorer.get_by_label("sentence")
    before = sentence.input_value()
    sentence.press("End")
    sentence.press("7")
    assert sentence.input_value() == f"{before}7"
    sentence.press("Control+z")
    assert sentence.input_value() == before

    # No key changes a cell.
    notebook = page.locator(".jp-Notebook")
    cells, prompts = notebook.locator(".jp-Cell"), notebook.locator(".jp-InputPrompt")
    before = cells.locator(".jp-InputArea").all_inner_texts()
    ran = prompts.all_inner_texts()
    for control in (explorer.get_by_role("button", name="Next step"), sentence, quiz.get_by_role("radio").first):
        for key in EDITS:
            control.focus()
            page.keyboard.press(key)
    page.wait_for_timeout(500)
    assert prompts.all_inner_texts() == ran
    assert cells.locator(".jp-InputArea").all_inner_texts() == before
    assert not refused
