"""A real JupyterLab on this machine, with settings of its own."""

import json
import os
import secrets
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import pytest

SETTINGS = {
    "apputils-extension/notification": {"fetchNews": "false", "checkForUpdates": False},
    "notebook-extension/tracker": {"windowingMode": "none"},  # cells out of view are there, too
}


class Lab(NamedTuple):
    address: str
    token: str
    folder: Path


@contextmanager
def running(home: Path, *arguments: str) -> Iterator[Lab]:
    """A JupyterLab, started in the folder `work` of its home with these arguments and with settings of its own."""
    for name, values in SETTINGS.items():
        path = home / "settings" / "@jupyterlab" / f"{name}.jupyterlab-settings"
        path.parent.mkdir(parents=True)
        path.write_text(json.dumps(values))

    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    token = secrets.token_hex(16)
    command = [sys.executable, "-m", "jupyterlab", "--no-browser", "--ip=127.0.0.1", f"--port={port}"]
    command += [f"--IdentityProvider.token={token}", "--ServerApp.port_retries=0"]
    command += ["--LabApp.extension_manager=readonly", "--allow-root", *arguments]
    places = {"SETTINGS": "settings", "WORKSPACES": "workspaces"}
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("JUPYTER", "LINATTN"))}
    environment |= {f"JUPYTERLAB_{name}_DIR": str(home / folder) for name, folder in places.items()}
    environment |= {"JUPYTER_CONFIG_DIR": str(home / "config"), "IPYTHONDIR": str(home / "ipython")}
    with (home / "log").open("w") as log:
        server = subprocess.Popen(command, cwd=home / "work", stdout=log, stderr=subprocess.STDOUT, env=environment)
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
