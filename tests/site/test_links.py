"""Every link of the built book leads somewhere, and nothing is loaded from elsewhere."""

from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
from pages import PAGES, short


class Reader(HTMLParser):
    """Collects a page's links, what it loads, and its anchors."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.tops: list[str] = []
        self.loads: list[str] = []
        self.anchors: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list) -> None:
        found = dict(attrs)
        self.anchors |= {found[key] for key in ("id", "name") if found.get(key)}
        if tag == "a" and found.get("href") in ("", "#"):
            self.tops.append(found.get("class") or "")
        if "href" in found:
            (self.links if tag == "a" else self.loads).append(found["href"])
        self.loads += [found[key] for key in ("src", "srcset", "data") if found.get(key)]


def read(file: Path, known: dict[Path, Reader]) -> Reader:
    """The page at `file`, read once."""
    return known.setdefault(file, Reader(file.read_text(encoding="utf8")))


@pytest.fixture(scope="module")
def known() -> dict[Path, Reader]:
    return {}


def target(here: Path, link: str) -> tuple[Path, str]:
    """The file and the anchor that a link of the page `here` leads to."""
    parts = urlsplit(link)
    return (here.parent / unquote(parts.path)).resolve() if parts.path else here, unquote(parts.fragment)


@pytest.mark.parametrize("path", PAGES, ids=short)
def test_every_link_leads_somewhere(site_folder, known, path):
    here = (site_folder / f"{path}.html").resolve()
    page = read(here, known)
    broken = []
    for link in page.links:
        if link.startswith(("https://", "mailto:")):
            if "example." in link:
                broken.append(link)
            continue
        file, anchor = target(here, link)
        good = file.is_file() and not link.startswith(("http:", "javascript:"))
        if good and anchor and file.suffix == ".html" and not anchor.startswith("la1:"):
            good = anchor in read(file, known).anchors
        if not good:
            broken.append(link)
    assert not broken


@pytest.mark.parametrize("path", PAGES, ids=short)
def test_everything_loaded_lies_in_the_book(site_folder, known, path):
    here = (site_folder / f"{path}.html").resolve()
    loads = [load for load in read(here, known).loads if not load.startswith("data:")]
    outside = [load for load in loads if urlsplit(load).scheme or load.startswith("//")]
    assert not outside
    missing = [load for load in loads if not target(here, load)[0].is_file()]
    assert not missing
    # Without an icon of its own, a browser asks every server for /favicon.ico and logs the refusal.
    assert any("favicon" in load for load in loads)


@pytest.mark.parametrize("path", PAGES, ids=short)
def test_no_link_is_a_placeholder(site_folder, known, path):
    page = read((site_folder / f"{path}.html").resolve(), known)
    # A page's own entry in the contents, and the book's name on its first page, lead to the top of the page.
    assert all({"current", "navbar-brand"} & set(classes.split()) for classes in page.tops)
    # No repository is known while the tests run, so no button may pretend that there is one.
    assert not any(word in link for link in page.links for word in ("mybinder.org", "colab.research", "/issues/new"))
