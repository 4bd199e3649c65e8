"""The equations: TeX in the sources, MathML in the pages, which needs no script to be read.

MathJax turns one into the other when a page is written, and so its TeX input, its largest part, is not sent to readers.
"""

import json
import re
import subprocess

import assets
from docutils import nodes
from sphinx.application import Sphinx
from sphinx.errors import ExtensionError
from sphinx.util.logging import getLogger
from sphinx.writers.html5 import HTML5Translator

MATHJAX = assets.MODULES / "mathjax" / "es5" / "node-main.js"
SCRIPT = assets.ROOT / "book" / "_ext" / "equations.js"
FAULT = re.compile(r'data-mjx-error="(.*?)"')

logger = getLogger(__name__)


def tex_of(equation: nodes.math | nodes.math_block) -> dict:
    """What the script asks for. Lines of a display are split, as Sphinx does it."""
    tex, display = equation.astext(), isinstance(equation, nodes.math_block)
    split = display and not equation.get("nowrap") and r"\\" in tex
    return {"tex": rf"\begin{{split}}{tex}\end{{split}}" if split else tex, "display": display}


def mathml(equations: list[nodes.math | nodes.math_block]) -> list[str]:
    """Each as MathML. TeX that MathJax does not know is a warning, and so the end of a build."""
    command = [*assets.node(), str(SCRIPT), str(MATHJAX)]
    asked = json.dumps([tex_of(equation) for equation in equations])
    done = subprocess.run(command, input=asked, capture_output=True, text=True, check=False, encoding="utf8")
    if done.returncode:
        raise ExtensionError(f"MathJax could not run in Node, which turns the equations into MathML:\n{done.stderr}")
    written = [re.sub(r">\s+<", "><", one) for one in json.loads(done.stdout)]
    for equation, one in zip(equations, written, strict=True):
        if fault := FAULT.search(one):
            logger.warning("MathJax cannot read %r: %s", equation.astext(), fault[1], location=equation)
    return written


def convert(app: Sphinx, doctree: nodes.document, _page: str) -> None:
    """All equations of a page at once, as starting MathJax takes longer than its work."""
    equations = [*doctree.findall(nodes.math), *doctree.findall(nodes.math_block)]
    if app.builder.format == "html" and equations:
        for equation, one in zip(equations, mathml(equations), strict=True):
            equation["mathml"] = one


def write(translator: HTML5Translator, node: nodes.math | nodes.math_block) -> None:
    """<span> or <div> around the MathML; titles, which menus repeat, come here from elsewhere than the page."""
    tag = "div" if isinstance(node, nodes.math_block) else "span"
    translator.body.append(translator.starttag(node, tag, "", CLASS="math notranslate nohighlight"))
    translator.body.append(f"{node.get('mathml') or mathml([node])[0]}</{tag}>")
    raise nodes.SkipNode


def add_mathjax(app: Sphinx, _page: str, _template: str, context: dict, _doctree: object) -> None:
    """MathJax on the pages that have an equation."""
    if "<math" in context.get("body", ""):
        app.add_js_file("vendor/mathjax/startup.js", loading_method="async")


def setup(app: Sphinx) -> None:
    app.add_html_math_renderer("mathml", (write, None), (write, None))
    app.connect("doctree-resolved", convert)
    app.connect("html-page-context", add_mathjax)
