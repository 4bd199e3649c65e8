"""A running JupyterLab, and notebooks opened in it."""

from collections.abc import Callable, Iterator

import nbformat
import pytest
from lab_server import Lab, running
from playwright.sync_api import Page


@pytest.fixture(scope="session")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    """A running JupyterLab and the folder that it shows."""
    home = tmp_path_factory.mktemp("lab")
    (home / "work").mkdir()
    with running(home, f"--ServerApp.root_dir={home / 'work'}") as lab:
        yield lab


@pytest.fixture
def open_notebook(lab: Lab, new_page: Callable[..., Page]) -> Callable[..., Page]:
    """Opens a notebook in JupyterLab, in a workspace of its own, and waits for its kernel."""

    def open_(name: str, notebook: nbformat.NotebookNode) -> Page:
        notebook.metadata["kernelspec"] = {"name": "python3", "display_name": "Python 3 (ipykernel)"}
        nbformat.write(notebook, lab.folder / f"{name}.ipynb")
        page = new_page(viewport={"width": 1280, "height": 1000})
        page.set_default_timeout(60_000)  # JupyterLab is large, and a machine may be busy
        page.goto(f"{lab.address}/lab/workspaces/{name}/tree/{name}.ipynb?token={lab.token}")
        page.get_by_text("Python 3 (ipykernel) | Idle").wait_for(timeout=120_000)
        return page

    return open_
