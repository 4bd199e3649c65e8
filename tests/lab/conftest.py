"""A real JupyterLab on this machine, with settings of its own, and notebooks opened in it."""

import json
import os
import secrets
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import nbformat
import pytest
from playwright.sync_api import Page

SETTINGS = {
    "apputils-extension/notification": {"fetchNews": "false", "checkForUpdates": False},
    "notebook-extension/tracker": {"windowingMode": "none"},  # cells out of view are there, too
}


class Lab(NamedTuple):
    address: str
    token: str
    folder: Path


@pytest.fixture(scope="session")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    """A running JupyterLab and the folder that it shows."""
    home = tmp_path_factory.mktemp("lab")
    (home / "work").mkdir()
    for name, values in SETTINGS.items():
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
            while not _answers(f"{address}/api/status?token={token}"):
                if server.poll() is not None or time.monotonic() > until:
                    pytest.fail(f"JupyterLab does not start:\n{(home / 'log').read_text()[-3000:]}", pytrace=False)
                time.sleep(0.2)
            yield Lab(address, token, home / "work")
        finally:
            server.terminate()
            server.wait(30)


def _answers(url: str) -> bool:
    try:
        with urllib.request.urlopen(url, timeout=5) as reply:
            return reply.status == 200
    except OSError:
        return False


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
