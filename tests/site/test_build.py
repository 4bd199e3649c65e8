"""What a build does again and what it does not, on a small book with this book's own extension and configuration."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from linattn_book import join_streams
from pages import ROOT

TOC = {"format": "jb-book", "root": "book/intro", "parts": [{"chapters": [{"file": f"notebooks/{n}"} for n in "ab"]}]}


def notebook(title: str, code: str) -> str:
    """The text of a notebook with a title and one cell."""
    cells = [
        {"cell_type": "markdown", "id": "title", "metadata": {}, "source": f"# {title}"},
        {"cell_type": "code", "id": "code", "metadata": {}, "source": code, "outputs": [], "execution_count": None},
    ]
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    return json.dumps({"cells": cells, "metadata": {"kernelspec": kernel}, "nbformat": 4, "nbformat_minor": 5})


class SmallBook:
    """A copy of the library and of the book's machinery, with two notebooks, in a folder of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        ignore = shutil.ignore_patterns("__pycache__", "*.md", "*.png")
        for name in ("linattn", "book"):
            shutil.copytree(ROOT / name, folder / name, ignore=ignore)
        for name in ("package.json", "package-lock.json", "_config.yml"):
            shutil.copy(ROOT / name, folder / name)
        (folder / "node_modules").symlink_to(ROOT / "node_modules", target_is_directory=True)
        self.write("_toc.yml", yaml.safe_dump(TOC, sort_keys=False))
        self.write("book/intro.md", "# Intro\n\nSee [A](../notebooks/a.ipynb).\n")
        self.write("notebooks/a.ipynb", notebook("A", "import linattn\nprint(linattn.__doc__[:5])"))
        self.write("notebooks/b.ipynb", notebook("B", "print(6 * 7)"))

    def write(self, name: str, text: str) -> None:
        file = self.folder / name
        file.parent.mkdir(exist_ok=True)
        file.write_text(text, encoding="utf8")

    def page(self, name: str) -> str:
        return (self.folder / "_build" / "html" / f"{name}.html").read_text(encoding="utf8")

    def build(self, *flags: str, **environment: str) -> tuple[int, str, list[str]]:
        """Build; the exit status, the log, and the notebooks that were run."""
        script = "from jupyter_book.cli.main import main; main(prog_name='jupyter-book')"
        done = subprocess.run(
            [sys.executable, "-c", script, "build", ".", *flags],
            cwd=self.folder,
            env={**os.environ, "PYTHONPATH": str(self.folder), "NO_COLOR": "1", **environment},
            capture_output=True,
            text=True,
            check=False,
        )
        log = re.sub(r"\x1b\[[0-9;]*m", "", done.stdout + done.stderr)
        return done.returncode, log, sorted(set(re.findall(r"(\w+)\.ipynb: Executing notebook", log)))


STRICT = ("-W", "-n", "--keep-going")


@pytest.fixture(scope="module")
def book(tmp_path_factory, site_folder) -> SmallBook:
    """Built once, strictly; the tests below change it one after the other."""
    small = SmallBook(tmp_path_factory.mktemp("book"))
    status, log, ran = small.build(*STRICT)
    assert status == 0, log
    assert ran == ["a", "b"]
    return small


def test_joins_what_was_printed_in_pieces():
    def stream(name, text):
        return {"output_type": "stream", "name": name, "text": text}

    picture = {"output_type": "display_data", "data": {}}
    outputs = [stream("stdout", "numerator"), stream("stdout", " 21\n"), picture, stream("stdout", "end\n")]
    assert join_streams(outputs) == [stream("stdout", "numerator 21\nend\n"), picture]


def test_no_change_runs_nothing(book):
    status, log, ran = book.build(*STRICT)
    assert status == 0, log
    assert ran == []


def test_changing_one_notebook_runs_only_that_one(book):
    book.write("notebooks/b.ipynb", notebook("B", "print(6 * 7 + 1)"))
    status, log, ran = book.build(*STRICT)
    assert status == 0, log
    assert ran == ["b"]
    assert "43" in book.page("notebooks/b")


def test_changing_the_library_runs_the_notebooks_that_use_it(book):
    init = book.folder / "linattn" / "__init__.py"
    book.write("linattn/__init__.py", re.sub(r'^"""', '"""Anew ', init.read_text(encoding="utf8")))
    status, log, ran = book.build(*STRICT)
    assert status == 0, log
    assert "a" in ran
    assert "Anew" in book.page("notebooks/a")


def test_changing_a_style_runs_nothing_but_reaches_every_page(book):
    style = re.compile(r"site\.css\?v=(\w+)")
    before = style.search(book.page("notebooks/a"))[1]
    book.write("book/_static/site.css", "main { color: red; }")
    status, log, ran = book.build(*STRICT)
    assert status == 0, log
    assert ran == []
    assert style.search(book.page("notebooks/a"))[1] != before
    assert "red" in (book.folder / "_build" / "html" / "_static" / "site.css").read_text(encoding="utf8")


def test_a_warning_fails_every_strict_build_until_it_is_mended(book):
    book.write("book/intro.md", "# Intro\n\nSee [A](../notebooks/nowhere.ipynb).\n")
    for _ in range(2):
        status, log, ran = book.build(*STRICT)
        assert status != 0
        assert "nowhere" in log
        assert ran == []
    book.write("book/intro.md", "# Intro\n\nSee [A](../notebooks/a.ipynb).\n")
    status, log, _ = book.build(*STRICT)
    assert status == 0, log


def test_an_equation_that_cannot_be_read_fails_a_strict_build(book):
    book.write("book/intro.md", "# Intro\n\nSee [A](../notebooks/a.ipynb), $\\phi(q)$ and $\\nosuch{k}$.\n")
    for _ in range(2):
        status, log, _ = book.build(*STRICT)
        assert status != 0
        assert "intro.md:3" in log and "nosuch" in log
    book.write("book/intro.md", "# Intro\n\nSee [A](../notebooks/a.ipynb), $\\phi(q)$ and\n\n$$a &= b \\\\ c &= d$$\n")
    status, log, _ = book.build(*STRICT)
    assert status == 0, log
    assert '<mi class="la-sym-q">q</mi>' in book.page("book/intro")
    assert "vendor/mathjax" in book.page("book/intro") and "vendor/mathjax" not in book.page("notebooks/a")
    book.write("book/intro.md", "# Intro\n\nSee [A](../notebooks/a.ipynb).\n")


def test_a_failing_notebook_stops_a_plain_build_and_shows_its_traceback(book):
    book.write("notebooks/b.ipynb", notebook("B", "print(1 / 0)"))
    status, log, _ = book.build()
    assert status != 0
    assert "ZeroDivisionError" in log and "print(1 / 0)" in log
    book.write("notebooks/b.ipynb", notebook("B", "print(6 * 7)"))


def test_buttons_of_the_repository_appear_when_it_is_known(book):
    words = ("mybinder.org/v2/gh/someone/book/trunk", "colab.research.google.com/github/someone/book/blob/trunk")
    status, log, _ = book.build(
        LINATTN_REPOSITORY_URL="https://github.com/someone/book.git", LINATTN_REPOSITORY_BRANCH="trunk"
    )
    assert status == 0, log
    assert all(f"{word}" in book.page("notebooks/a") for word in words)
    assert "https://github.com/someone/book" in book.page("book/intro")
    status, log, _ = book.build()
    assert status == 0, log
    assert not any(word in book.page("notebooks/a") for word in ("mybinder.org", "someone/book"))
