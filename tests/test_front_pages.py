"""The reference pages are complete: every public name has its entry, every cited paper its line."""

import importlib
import inspect
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
MODULES = [
    "linattn",
    "linattn.benchmark",
    "linattn.checks",
    "linattn.figures",
    "linattn.tasks",
    "linattn.widgets",
]


def read(path):
    return (ROOT / path).read_text(encoding="utf-8")


def public_names(module):
    """``__all__``, or else every function and class that the module itself defines."""
    own = (
        name
        for name, value in vars(module).items()
        if (inspect.isfunction(value) or inspect.isclass(value)) and value.__module__ == module.__name__
    )
    return {name for name in getattr(module, "__all__", own) if not name.startswith("_")}


@pytest.mark.parametrize("name", MODULES)
def test_the_api_page_has_every_public_name_of(name):
    entry = rf"^\.\. (?:auto\w+|py:data):: {re.escape(name)}\.(\w+)$"
    documented = set(re.findall(entry, read("book/api.md"), re.MULTILINE))
    assert documented == public_names(importlib.import_module(name))


def test_every_arxiv_paper_cited_in_a_chapter_is_in_the_bibliography():
    known = set(re.findall(r"eprint\s*=\s*\{([\d.]+)\}", read("book/references.bib")))
    chapters = sorted((ROOT / "notebooks").glob("*.ipynb"))
    cited = {paper for chapter in chapters for paper in re.findall(r"arxiv\.org/abs/(\d{4}\.\d{4,5})", read(chapter))}
    assert cited and cited <= known


def test_the_glossary_is_in_alphabetical_order_and_names_no_term_twice():
    body = re.search(r"```\{glossary\}\n(.*?)```", read("book/glossary.md"), re.DOTALL)[1]
    terms = [line.casefold() for line in body.splitlines() if line and not line.startswith(" ")]
    assert terms == sorted(set(terms))
