"""A page of widgets alone, made of the same parts as the book's pages."""

import shutil
from collections.abc import Callable
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
