"""What every widget shares: one ES module made self-contained, a live view, and a page that works without a kernel.

A widget NAME is two files here: NAME.py with a subclass of `Widget`, and NAME.js, an ES module that exports
``render({ model, el })`` and may import its neighbours with ``import { a, b } from "./neighbour.js";``.
anywidget loads a module from a string, and Chromium refuses to import a relative file from file://, so `bundle`
puts a module and everything it imports together, in a few lines and with no build step.
"""

from __future__ import annotations

import html
import json
import os
import re
from functools import cache
from pathlib import Path

import anywidget
import ipywidgets

HERE = Path(__file__).parent

#: The widgets there are, by name: every NAME.js with a NAME.py beside it.
MODULES = sorted(path.stem for path in HERE.glob("*.js") if path.with_suffix(".py").exists())

_IMPORT = re.compile(r'^import \{([^}]*)\} from "\./([\w-]+)\.js";$', re.MULTILINE)
_EXPORT = re.compile(r"^export ((?:async )?function|const|class) (\w+)", re.MULTILINE)
_COMMENT = re.compile(r"^[ \t]*//[^\n]*\n|[ \t]*/\*\*.*?\*/\n?", re.MULTILINE | re.DOTALL)
_LEFT_OVER = re.compile(r"^(?:import|export)\b.*", re.MULTILINE)


def bundle(name: str) -> str:
    """The module ``name`` and everything it imports as plain statements, ending with a constant ``render``."""
    done: dict[str, str] = {}

    def variable(module: str) -> str:
        return "$" + module.replace("-", "_")

    def add(module: str, above: tuple[str, ...]) -> None:
        if module in above:
            raise ValueError(f"modules import each other in a circle: {' -> '.join((*above, module))}")
        if module in done:
            return
        # Comments stay at home: without them a widget travels in two thirds of the bytes.
        source = _COMMENT.sub("", (HERE / f"{module}.js").read_text(encoding="utf-8"))
        for _, imported in _IMPORT.findall(source):
            add(imported, (*above, module))
        source = _IMPORT.sub(
            lambda match: f"const {{{match[1].replace(' as ', ': ')}}} = {variable(match[2])};", source
        )
        exported = [found[1] for found in _EXPORT.findall(source)]
        source = _EXPORT.sub(r"\1 \2", source)
        if left := _LEFT_OVER.search(source):
            raise ValueError(f"{module}.js: only named imports and exported declarations are understood: {left[0]}")
        # A function of its own for each file, so that equal names at the top of two files cannot collide.
        done[module] = f"const {variable(module)} = (() => {{\n{source}\nreturn {{ {', '.join(exported)} }};\n}})();\n"

    add(name, ())
    return "".join(done.values()) + f"const render = {variable(name)}.render;\n"


@cache
def esm(name: str) -> str:
    """The widget's module as anywidget wants it: one self-contained ES module."""
    return bundle(name) + "export default { render };\n"


@cache
def site_script(name: str) -> str:
    """The widget's module as the site wants it: a classic script, because those load from file:// too."""
    return (
        f"(() => {{\n{bundle(name)}"
        "const linattn = (window.linattn ??= {});\n"
        f"(linattn.widgets ??= {{}})[{json.dumps(name)}] = {{ render }};\n}})();\n"
    )


def _building_the_book() -> bool:
    return os.environ.get("LINATTN_BOOK") == "1"


class Widget(anywidget.AnyWidget):
    """Base of all widgets: ``class Mine(Widget, module="mine")``, synced traits, and `still`.

    Every synced trait that the subclass defines reaches the JavaScript, live and on the page.
    """

    _css = (HERE / "widgets.css").read_text(encoding="utf-8")
    _module: str

    def __init_subclass__(cls, *, module: str | None = None, **kwargs: object) -> None:
        # traitlets makes subclasses of its own when traits are added; those name no module.
        if module is not None:
            cls._module = module
            cls._esm = esm(module)
        super().__init_subclass__(**kwargs)

    def open(self) -> None:
        """Tell the front end about this widget, except while the book is built: a page needs no kernel's model."""
        if not _building_the_book():
            super().open()

    def still(self) -> str:
        """HTML of a figure and a table for paper and for browsers without JavaScript; see `linattn.widgets.still`."""
        raise NotImplementedError

    def to_html(self) -> str:
        """The form for pages without a kernel: the traits, for mount.js, and the still, which it replaces."""
        inherited = set(ipywidgets.DOMWidget.class_trait_names())
        names = [n for n in self.trait_names(sync=True) if n not in inherited and not n.startswith("_")]
        traits = json.dumps(self.get_state(names), allow_nan=False, ensure_ascii=False, sort_keys=True)
        return (
            f'<div class="la-widget" data-widget="{html.escape(self._module)}">\n'
            # Escaped so that no text in a trait can end the script element.
            f'<script type="application/json">{traits.replace("<", chr(92) + "u003c")}</script>\n'
            f'<div class="la-still">\n{self.still()}\n</div>\n</div>'
        )

    def _repr_mimebundle_(self, **kwargs: object) -> tuple[dict, dict]:
        page = {"text/plain": repr(self), "text/html": self.to_html()}
        if _building_the_book():
            return page, {}
        live, metadata = super()._repr_mimebundle_(**kwargs)
        return {**live, **page}, metadata
