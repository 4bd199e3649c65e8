"""The tools behind the Makefile: a free port, notebooks without outputs, and one clear sentence for what is missing."""

import json
import subprocess
import sys

import assets
import browser as chromium
import pytest
import serve
import strip
from pages import ROOT


def test_serves_at_the_next_free_port():
    first = serve.open_server(18765)
    second = serve.open_server(18765)
    assert first.server_port >= 18765
    assert second.server_port > first.server_port
    for server in (first, second):
        server.server_close()


@pytest.mark.parametrize("text", ["0", "99999", "-1", "80.0", "http"])
def test_refuses_what_is_no_port_in_one_line(monkeypatch, capsys, text):
    monkeypatch.setattr(sys, "argv", ["serve.py", f"--port={text}"])
    with pytest.raises(SystemExit):
        serve.main()
    assert f"a port is a whole number from 1 to 65535, not {text!r}" in capsys.readouterr().err


def test_strips_outputs_counts_and_widget_state():
    notebook = {
        "metadata": {"widgets": {"x": 1}, "kernelspec": {"name": "python3"}},
        "cells": [
            {"cell_type": "markdown", "metadata": {}, "source": "# A"},
            {"cell_type": "code", "metadata": {"tags": ["exercise"]}, "outputs": ["1"], "execution_count": 3},
        ],
    }
    assert strip.strip(notebook)
    assert notebook["metadata"] == {"kernelspec": {"name": "python3"}}
    assert notebook["cells"][1] == {
        "cell_type": "code",
        "metadata": {"tags": ["exercise"]},
        "outputs": [],
        "execution_count": None,
    }
    assert not strip.strip(json.loads(json.dumps(notebook)))


def test_says_how_to_get_a_browser(monkeypatch):
    monkeypatch.setenv("LINATTN_BROWSER", "/nowhere/chromium")
    monkeypatch.setattr(chromium, "install_command", lambda: None)
    with pytest.raises(RuntimeError, match="apt-get install chromium"):
        chromium.require()


def test_says_that_the_libraries_need_a_network_once(monkeypatch, tmp_path):
    failed = subprocess.CompletedProcess([], 1, stdout="", stderr="npm error code ENOTFOUND")
    monkeypatch.setattr(assets, "npm", lambda *_: failed)
    monkeypatch.setattr(assets, "MODULES", tmp_path / "node_modules")
    with pytest.raises(RuntimeError, match="a network connection to the npm registry is needed once"):
        assets.install()


def test_installs_nothing_twice(monkeypatch, tmp_path):
    calls = []

    def npm(*arguments):
        calls.append(arguments)
        (tmp_path / "node_modules").mkdir(exist_ok=True)
        return subprocess.CompletedProcess([], 0)

    monkeypatch.setattr(assets, "npm", npm)
    monkeypatch.setattr(assets, "MODULES", tmp_path / "node_modules")
    assets.install()
    assets.install()
    assert calls == [("ci",)]


def test_lock_file_names_no_host():
    lock = json.loads((ROOT / "package-lock.json").read_text(encoding="utf8"))
    packages = {name: package for name, package in lock["packages"].items() if name}
    assert packages
    assert all("integrity" in package and "resolved" not in package for package in packages.values())


@pytest.mark.skipif(sys.platform == "win32", reason="make is not a Windows tool")
def test_make_names_the_python_it_needs(tmp_path):
    (tmp_path / "Makefile").write_text((ROOT / "Makefile").read_text(encoding="utf8"), encoding="utf8")
    for name in ("requirements.txt", "pyproject.toml"):
        (tmp_path / name).touch()
    old = tmp_path / "python"
    old.write_text('#!/bin/sh\n[ "$1" = --version ] && echo Python 3.9.1 && exit 0\nexit 1\n', encoding="utf8")
    old.chmod(0o755)
    done = subprocess.run(["make", "book", f"PYTHON={old}"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode != 0
    assert f"Python 3.11, 3.12 or 3.13 is needed; {old} is Python 3.9.1" in done.stdout
