"""A core chapter in a real JupyterLab, with no network: every cell runs, widgets and kernel hear each other."""

import re
from pathlib import Path

import nbformat
from cells import cell, run, run_all, switch_theme
from playwright.sync_api import expect

CHAPTER = Path(__file__).parents[2] / "notebooks" / "04_state_update.ipynb"
# What the test itself asks of the kernel, below the chapter's own cells.
ADDED = [
    "explorer = StateExplorer(t=0)\nexplorer",
    'print(f"In Python t is {explorer.t}, {explorer.phase}; k_0[0] is {explorer.k[0, 0]:.1f}")',
    "explorer.t = 3\nexplorer.phase = 'read'\nprint('set by Python')",
    'raise RuntimeError("the chapter ends here")',
]
GROUND = "svg => [getComputedStyle(svg).filter, getComputedStyle(svg).backgroundColor]"
DARK = ["invert(1) hue-rotate(180deg)", "rgba(0, 0, 0, 0)"]
COLOUR = "element => getComputedStyle(element).color"


def test_a_chapter_runs_and_its_widgets_are_alive(open_notebook, refused):
    notebook = nbformat.read(CHAPTER, as_version=4)
    notebook.cells += [nbformat.v4.new_code_cell(source) for source in ADDED]
    page = open_notebook("chapter", notebook)
    run_all(page)

    # The last cell, which raises on purpose, has run: so have all above it.
    last = cell(page, ADDED[-1]).locator(".jp-Cell-outputArea")
    last.get_by_text("the chapter ends here").first.wait_for(timeout=180_000)
    failed = page.locator(
        '[data-mime-type="application/vnd.jupyter.stderr"], [data-mime-type="application/vnd.jupyter.error"]'
    )
    assert ["the chapter ends here" in text for text in failed.all_inner_texts()] == [True]

    # The code that knows the answers of a walk-through has run folded; a click opens it.
    folded = page.locator(".jp-CodeCell").filter(has=page.locator(".jp-InputPlaceholder", has_text="walk = ["))
    expect(folded.locator(".la-root")).to_be_visible()
    folded.locator(".jp-Placeholder-content").click()
    expect(cell(page, "walk = [").locator(".cm-content")).to_be_visible()

    # A figure is drawn by JupyterLab's own plotly.
    figure = cell(page, "figures.heatmap(").locator(".jp-RenderedPlotly")
    figure.scroll_into_view_if_needed()
    figure.locator(".heatmaplayer image, .heatmaplayer path").first.wait_for()
    assert page.locator(".la-figure").count() == 0

    # The quiz answers.
    quiz = cell(page, 'Quiz("state_update", "recall")').locator(".la-quiz-question").first
    quiz.get_by_role("radio").first.press(" ")
    quiz.get_by_role("radio").first.press("ArrowDown")
    assert quiz.get_by_role("radio").nth(1).is_checked()  # and no other cell of the notebook is chosen
    quiz.get_by_role("button", name="Check").click()
    quiz.get_by_text(re.compile("Right|Not right")).first.wait_for()

    # Three moves a token: after four steps token 1 is being added. The kernel knows.
    explorer = cell(page, ADDED[0]).locator(".la-root")
    explorer.get_by_role("button", name="First step").click()
    following = explorer.get_by_role("button", name="Next step")
    for _ in range(4):
        following.click()
    output = run(page, ADDED[1])
    output.get_by_text("In Python t is 1, add").wait_for()

    # And the keys of the widget are the widget's, not the notebook's.
    explorer.get_by_role("button", name="Step back").press("ArrowRight")
    run(page, ADDED[1])
    output.get_by_text("In Python t is 1, read").wait_for()

    # What Python sets, the browser shows.
    run(page, ADDED[2]).get_by_text("set by Python").wait_for()
    # Three moves for each of tokens 0 to 2, then two.
    eleventh = "root => root.querySelector('.la-scrubber').value === '11'"
    page.wait_for_function(eleventh, arg=explorer.element_handle())

    # In the dark theme widgets have their dark colours, and a figure is no white card.
    assert explorer.evaluate(COLOUR) == "rgb(31, 35, 40)"
    switch_theme(page, "JupyterLab Dark")
    assert explorer.evaluate(COLOUR) == "rgb(230, 233, 236)"
    assert figure.locator(".main-svg").first.evaluate(GROUND) == DARK
    assert not refused


def test_a_figure_without_widgets_is_dark_too(open_notebook, refused):
    source = "from linattn import figures\nfigures.bars({'a': ('xy', [1, 2])}, x='x', y='y', alt='Two bars.')"
    page = open_notebook("figure", nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(source)]))
    output = run(page, source)
    drawing = output.locator(".jp-RenderedPlotly .main-svg").first
    drawing.wait_for()
    assert page.locator(".la-root").count() == 0
    for theme, ground in (("Light", ["none", "rgb(255, 255, 255)"]), ("Dark", DARK)):
        switch_theme(page, f"JupyterLab {theme}")  # JupyterLab keeps the theme that another test chose
        assert drawing.evaluate(GROUND) == ground
        page.wait_for_timeout(1000)  # long enough for JupyterLab to fit what it shows
        assert output.locator(".svg-container").bounding_box()["height"] == 360
    # It is as wide as there is room.
    page.set_viewport_size({"width": 900, "height": 1000})
    page.wait_for_function("svg => svg.clientWidth < 600", arg=drawing.element_handle())
    # What makes it dark takes no room.
    assert output.locator(".jp-OutputArea-child").nth(1).bounding_box()["height"] < 12
    assert not refused
