"""The book's own Sphinx extension: local assets, honest staleness, the buttons of a known repository.

It does for a plain `jupyter-book build .` everything the Makefile relies on.
"""

import hashlib
import logging
import os
import re
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path

import assets
import equations
from myst_nb.core import render
from sphinx.application import Sphinx
from sphinx.config import Config
from sphinx.environment import BuildEnvironment
from sphinx.errors import ExtensionError
from sphinx.util import inspect
from sphinx.util.logging import WarningLogRecordTranslator

from linattn.widgets import base

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]


def digest(files: Iterator[Path], *more: str) -> str:
    """One short hash of the names and contents of `files`, and of the strings in `more`."""
    seen = hashlib.sha256("\n".join(more).encode())
    for file in sorted(files):
        seen.update(file.relative_to(ROOT).as_posix().encode() + b"\0" + file.read_bytes())
    return seen.hexdigest()[:16]


def sources(folder: Path) -> Iterator[Path]:
    """The files under `folder` that people write."""
    return (file for file in folder.rglob("*") if file.is_file() and "__pycache__" not in file.parts)


def configure(app: Sphinx, config: Config) -> None:
    """Set what depends on the machine: the digests that decide what is stale, and the repository's buttons."""
    # Sphinx reads every page again when a value of kind "env" has changed, and reading a notebook runs it:
    # an output older than the library that made it would be a lie on the page.
    packages = [f"{name} {version(name)}" for name in ("torch", "numpy", "plotly", "anywidget", "ipykernel")]
    config.linattn_sources = digest(sources(ROOT / "linattn"), *packages)
    # A value of kind "html" makes it write every page again, with the new addresses of scripts and styles.
    config.linattn_assets = digest(
        (file for folder in ("_ext", "_static") for file in sources(ROOT / "book" / folder)),
        (ROOT / "package-lock.json").read_text(encoding="utf8"),
    )
    config.templates_path.insert(0, str(HERE / "templates"))
    config.html_static_path.append(str(ROOT / "book" / "_static"))
    if url := os.environ.get("LINATTN_REPOSITORY_URL"):
        branch = os.environ.get("LINATTN_REPOSITORY_BRANCH", "main")
        add_repository(config.html_theme_options, url.rstrip("/").removesuffix(".git"), branch)


def add_repository(options: dict, url: str, branch: str) -> None:
    """Turn on the buttons that lead to the repository, and those that run a notebook from it."""
    launch = {"notebook_interface": "jupyterlab", "binderhub_url": "https://mybinder.org"}
    if url.startswith("https://github.com/"):
        launch["colab_url"] = "https://colab.research.google.com"
    options.update(
        repository_url=url,
        repository_branch=branch,
        path_to_docs="",
        use_repository_button=True,
        use_issues_button=True,
        launch_buttons=launch,
    )


def prepare(app: Sphinx) -> None:
    """Install the libraries, write the widgets' scripts, and put scripts and styles on every page."""
    # Kernels inherit it: a widget shown while the book is built needs no live model.
    os.environ["LINATTN_BOOK"] = "1"
    try:
        assets.install()
    except RuntimeError as error:
        raise ExtensionError(str(error)) from None
    static = Path(app.outdir) / "_static"
    assets.copy(static)
    write_widgets(static)
    for style in ("icons.css", "widgets/widgets.css", "site.css"):
        app.add_css_file(style, priority=900)
    # Before MathJax and before Sphinx's own scripts finish: both read what these set.
    for script in ("math.js", "site.js"):
        app.add_js_file(script, priority=250)
    for script in ("mount.js", "figures.js", "grammar.js"):
        app.add_js_file(script, defer="defer", priority=900)


def write_widgets(static: Path) -> None:
    """One classic script a widget, which works from file:// too, and their stylesheet."""
    folder = static / "widgets"
    folder.mkdir(parents=True, exist_ok=True)
    for name in base.MODULES:
        (folder / f"{name}.js").write_text(base.site_script(name), encoding="utf8")
    style = (ROOT / "linattn" / "widgets" / "widgets.css").read_text(encoding="utf8")
    (folder / "widgets.css").write_text(style, encoding="utf8")


def mend_roles(_app: Sphinx, _page: str, _template: str, context: dict, _doctree: object) -> None:
    """Take away the ARIA roles of docutils' bibliography: deprecated ones, in a list that holds what no list may."""
    body = context.get("body", "")
    body = body.replace(' role="doc-biblioentry"', "")
    context["body"] = body.replace('<div role="list" class="citation-list">', '<div class="citation-list">')


def mend_signature(
    _app: Sphinx, kind: str, _name: str, documented: object, _options: object, signature: str | None, returns: str
) -> tuple[str | None, str]:
    """The arguments of a widget, whose ``__new__`` takes anything; and a function that is a default, by its name."""
    if kind == "class" and issubclass(documented, base.Widget):
        arguments = inspect.signature(documented.__init__, bound_method=True)
        signature = inspect.stringify_signature(arguments, show_return_annotation=False, unqualified_typehints=True)
    return signature and re.sub(r"<function (\w+)>", r"\1", signature), returns


def join_streams(outputs: list[dict]) -> list[dict]:
    """Join what a cell printed in pieces, as it was printed; MyST-NB's own joining puts a line break between pieces."""
    joined: list[dict] = []
    streams: dict[str, dict] = {}
    for output in outputs:
        if output["output_type"] != "stream":
            joined.append(output)
        elif output["name"] in streams:
            streams[output["name"]]["text"] += output["text"]
        else:
            joined.append(streams.setdefault(output["name"], output))
    return joined


class Warned(logging.Handler):
    """Remembers which documents gave a warning."""

    def __init__(self, app: Sphinx) -> None:
        super().__init__(logging.WARNING)
        # Turns a place, whatever its form, into "path:line".
        self.addFilter(WarningLogRecordTranslator(app))
        self.places: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.places.append(str(getattr(record, "location", None) or ""))


def note_warnings(app: Sphinx, error: Exception | None) -> None:
    """Write down the pages that gave a warning, so that the next build reads them, and says it, again.

    Without this a second `-W` build passes: Sphinx keeps what it has read, warnings or not.
    """
    folder = Path(app.doctreedir)
    folder.mkdir(parents=True, exist_ok=True)
    places = app.linattn_warned.places if app._warncount else []
    (folder / "warned").write_text("\n".join(places), encoding="utf8")


def reread(app: Sphinx, env: BuildEnvironment, *_: set[str]) -> set[str]:
    """The pages of the last build's warnings; all pages for a warning that names none."""
    noted = Path(app.doctreedir) / "warned"
    again: set[str] = set()
    for place in noted.read_text(encoding="utf8").splitlines() if noted.is_file() else []:
        again |= {doc for doc in env.all_docs if place.startswith((doc, env.doc2path(doc)))} or set(env.all_docs)
    return again & env.found_docs


def setup(app: Sphinx) -> dict:
    app.add_config_value("linattn_sources", "", "env")
    app.add_config_value("linattn_assets", "", "html")
    app.linattn_warned = Warned(app)
    logging.getLogger("sphinx").addHandler(app.linattn_warned)
    render.coalesce_streams = join_streams
    app.connect("config-inited", configure)
    # Before the themes look at the options.
    app.connect("builder-inited", prepare, priority=100)
    app.connect("env-get-outdated", reread)
    app.connect("html-page-context", mend_roles)
    app.connect("autodoc-process-signature", mend_signature)
    equations.setup(app)
    app.connect("build-finished", note_warnings)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
