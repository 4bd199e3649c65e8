"""A page of widgets alone, made of the same parts as the book's pages, over http and from file://."""

import functools
import http.server
import shutil
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from linattn.widgets import base

MOUNT = Path(__file__).parents[2] / "book" / "_static" / "mount.js"
PAGE = """<!doctype html>
<html lang="en" data-theme="light"><meta charset="utf-8"><title>Widgets</title>
<meta name="viewport" content="width=device-width, initial-scale=1"><link rel="icon" href="data:,">
<link rel="stylesheet" href="widgets.css">
<style>body {{ max-width: 760px; margin: 0 auto; padding: 0 16px; font-family: sans-serif;
background: var(--la-surface); color: var(--la-ink) }}</style>
<script defer src="mount.js"></script>
<body><main><h1>Widgets</h1><h2 id="anchor">Anchor</h2>{body}</main></body></html>
"""


@pytest.fixture
def write_page(tmp_path: Path) -> Callable[..., Path]:
    """Write a page with the given widgets, as a reader without a kernel gets them; returns the file."""

    def write(*widgets: base.Widget) -> Path:
        (tmp_path / "widgets").mkdir()
        for name in base.MODULES:
            (tmp_path / "widgets" / f"{name}.js").write_text(base.site_script(name), encoding="utf-8")
        shutil.copy(MOUNT, tmp_path)
        shutil.copy(base.HERE / "widgets.css", tmp_path)
        body = "\n".join(widget._repr_mimebundle_()[0]["text/html"] for widget in widgets)
        path = tmp_path / "page.html"
        path.write_text(PAGE.format(body=body), encoding="utf-8")
        return path

    return write


class _Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, format: str, *arguments: object) -> None:
        pass


@pytest.fixture
def address(tmp_path: Path) -> Iterator[str]:
    """Where the page of `write_page` is served, on this machine."""
    handler = functools.partial(_Quiet, directory=str(tmp_path))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/page.html"
        server.shutdown()
