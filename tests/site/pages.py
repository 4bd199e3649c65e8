"""What the site's tests share: the list of pages, and when a page has settled."""

from pathlib import Path

import yaml
from playwright.sync_api import Page

ROOT = Path(__file__).parents[2]


def contents() -> list[str]:
    """The pages of the table of contents, as paths without a suffix, in reading order."""
    toc = yaml.safe_load((ROOT / "_toc.yml").read_text(encoding="utf8"))
    chapters = [chapter["file"] for part in toc["parts"] for chapter in part["chapters"]]
    return [toc["root"], *chapters]


CHAPTERS = [page for page in contents() if page.startswith("notebooks/")]
PAGES = [*contents(), "search"]


def short(page: str) -> str:
    """A page's name in a test's id."""
    return page.rsplit("/", 1)[-1]


# In the browser: every equation typeset, every widget mounted, every figure that was scrolled to drawn.
SETTLED = """async () => {
  if (document.readyState !== "complete") await new Promise((done) => addEventListener("load", done));
  if (window.MathJax?.startup) await MathJax.startup.promise;
  const all = (selector, good) => [...document.querySelectorAll(selector)].every(good);
  const until = performance.now() + 15000;
  for (;;) {
    const mounted = all(".la-widget", (widget) => widget.classList.contains("la-mounted"));
    const drawn = all(".la-figure", (figure) => figure.dataset.seen !== "1" || figure.querySelector(".main-svg"));
    if (mounted && drawn) return "";
    if (performance.now() > until) return mounted ? "a figure is not drawn" : "a widget is not mounted";
    await new Promise((done) => setTimeout(done, 50));
  }
}"""

# Brings every figure near the window in turn, as a reader does.
SCROLL = """async () => {
  for (const figure of document.querySelectorAll(".la-figure")) {
    figure.dataset.seen = "1";
    figure.scrollIntoView({ block: "center", behavior: "instant" });
    for (let tries = 0; tries < 300 && !figure.querySelector(".main-svg"); tries += 1)
      await new Promise((done) => setTimeout(done, 50));
  }
  scrollTo(0, 0);
}"""


def open_page(page: Page, address: str, *, scroll: bool = True) -> None:
    """Go to a page of the book and wait until all of it is there."""
    page.goto(address)
    if scroll:
        page.evaluate(SCROLL)
    problem = page.evaluate(SETTLED)
    assert not problem, f"{address}: {problem}"
    # What a script says late, it says within a moment.
    page.wait_for_timeout(100)
