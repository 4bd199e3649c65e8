"""A core chapter in a real JupyterLab, with no network: every cell runs, widgets and kernel hear each other."""

import json
import os
import re
import secrets
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import nbformat
import pytest
from playwright.sync_api import Locator, Page

CHAPTER = Path(__file__).parents[2] / "notebooks" / "04_state_update.ipynb"
# What the test itself asks of the kernel, below the chapter's own cells.
ADDED = [
    "explorer = StateExplorer(t=0)\nexplorer",
    'print(f"In Python t is {explorer.t}, {explorer.phase}; k_0[0] is {explorer.k[0, 0]:.1f}")',
    "explorer.t = 3\nexplorer.phase = 'read'\nprint('set by Python')",
    'raise RuntimeError("the chapter ends here")',
]


@pytest.fixture(scope="module")
def lab(tmp_path_factory):
    """The address of a JupyterLab that has a copy of the chapter and settings of its own."""
    home = tmp_path_factory.mktemp("lab")
    notebook = nbformat.read(CHAPTER, as_version=4)
    notebook.cells += [nbformat.v4.new_code_cell(source) for source in ADDED]
    (home / "work").mkdir()
    nbformat.write(notebook, home / "work" / "chapter.ipynb")
    settings = {
        "apputils-extension/notification": {"fetchNews": "false", "checkForUpdates": False},
        "notebook-extension/tracker": {"windowingMode": "none"},  # cells out of view are there, too
    }
    for name, values in settings.items():
        path = home / "settings" / "@jupyterlab" / f"{name}.jupyterlab-settings"
        path.parent.mkdir(parents=True)
        path.write_text(json.dumps(values))

    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    token = secrets.token_hex(16)
    command = [sys.executable, "-m", "jupyterlab", "--no-browser", "--ip=127.0.0.1", f"--port={port}"]
    command += [
        f"--IdentityProvider.token={token}",
        f"--ServerApp.root_dir={home / 'work'}",
        "--ServerApp.port_retries=0",
    ]
    command += ["--LabApp.extension_manager=readonly", "--allow-root"]
    places = {"SETTINGS": "settings", "WORKSPACES": "workspaces"}
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("JUPYTER", "LINATTN"))}
    environment |= {f"JUPYTERLAB_{name}_DIR": str(home / folder) for name, folder in places.items()}
    environment |= {"JUPYTER_CONFIG_DIR": str(home / "config"), "IPYTHONDIR": str(home / "ipython")}
    with (home / "log").open("w") as log:
        server = subprocess.Popen(command, stdout=log, stderr=subprocess.STDOUT, env=environment)
        try:
            until = time.monotonic() + 120
            address = f"http://127.0.0.1:{port}"
            while not answers(f"{address}/api/status?token={token}"):
                if server.poll() is not None or time.monotonic() > until:
                    pytest.fail(f"JupyterLab does not start:\n{(home / 'log').read_text()[-3000:]}", pytrace=False)
                time.sleep(0.2)
            yield f"{address}/lab/tree/chapter.ipynb?token={token}"
        finally:
            server.terminate()
            server.wait(30)


def answers(url: str) -> bool:
    try:
        with urllib.request.urlopen(url, timeout=5) as reply:
            return reply.status == 200
    except OSError:
        return False


def cell(page: Page, source: str) -> Locator:
    """The code cell whose input begins with this text."""
    begins = re.compile(r"^\s*" + re.escape(source.split("\n")[0]))
    return page.locator(".jp-CodeCell").filter(has=page.locator(".cm-content", has_text=begins))


def run(page: Page, source: str) -> Locator:
    """Run one cell by its keys; returns its output."""
    one = cell(page, source)
    one.locator(".cm-content").click()
    page.keyboard.press("Control+Enter")
    return one.locator(".jp-Cell-outputArea")


def test_a_chapter_runs_and_its_widgets_are_alive(lab, new_page, refused):
    page = new_page(viewport={"width": 1280, "height": 1000})
    page.goto(lab)
    page.get_by_text("Python 3 (ipykernel) | Idle").wait_for(timeout=120_000)
    page.get_by_role("menuitem", name="Run", exact=True).click()
    page.get_by_role("menuitem", name="Run All Cells", exact=True).click()

    # The last cell, which raises on purpose, has run: so have all above it.
    last = cell(page, ADDED[-1]).locator(".jp-Cell-outputArea")
    last.get_by_text("the chapter ends here").first.wait_for(timeout=180_000)
    failed = page.locator(
        '[data-mime-type="application/vnd.jupyter.stderr"], [data-mime-type="application/vnd.jupyter.error"]'
    )
    assert ["the chapter ends here" in text for text in failed.all_inner_texts()] == [True]

    # A figure is drawn by JupyterLab's own plotly.
    figure = cell(page, "figures.heatmap(").locator(".jp-RenderedPlotly")
    figure.scroll_into_view_if_needed()
    figure.locator(".heatmaplayer image, .heatmaplayer path").first.wait_for()
    assert page.locator(".la-figure").count() == 0

    # The quiz answers.
    quiz = cell(page, 'Quiz("state_update", "recall")').locator(".la-quiz-question").first
    quiz.get_by_role("radio").first.check()
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
    assert not refused
