"""One grammar: symbols in equations, code and prose, and the widget's parts that show them, light up together."""

import re
import shutil
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect
from reader import show

from linattn import widgets
from linattn.widgets import StateExplorer

STATIC = Path(__file__).parents[2] / "book" / "_static"

# What MathJax, Pygments and the theme make of a section with a widget, and of two without.
BEFORE = """<section id="far"><p>Far: <span class="la-sym-S" id="far-S">S</span></p></section>
<div style="height: 3000px"></div>
<section id="near"><p>The <mjx-container><mjx-msub><mjx-mi class="la-sym-k" id="k">k</mjx-mi><mjx-script
id="index">t</mjx-script></mjx-msub></mjx-container>, <mjx-mi class="la-sym-S" id="S">S</mjx-mi>,
<span class="la-sym-out" id="o">o</span> and <code><span class="pre" id="code-Z">Z</span></code>,
<code><span class="pre" id="call">v.sum()</span></code></p>
<mjx-container display="true" id="equation" style="display: block"><mjx-mi class="la-sym-S" id="e1">S</mjx-mi> +
<mjx-mi class="la-sym-k" id="e2">k</mjx-mi></mjx-container>
<div class="cell_input"><div class="highlight"><pre><span class="n">S</span> = <span class="n">phi_k</span>
* <span class="n">d_k</span></pre></div></div>"""


@pytest.fixture
def opened(page, write_page, tmp_path) -> Page:
    path = write_page(StateExplorer(t=1, phase="read"))
    shutil.copy(STATIC / "grammar.js", tmp_path)
    html = path.read_text(encoding="utf-8").replace('<div class="la-widget"', BEFORE + '<div class="la-widget"', 1)
    html = html.replace("</main>", '</section></main><script defer src="grammar.js"></script>')
    path.write_text(html, encoding="utf-8")
    page.goto(path.as_uri())
    page.wait_for_selector(".la-mounted")
    page.wait_for_selector("#equation[tabindex]")
    return page


def lit(page: Page) -> list[str]:
    """What is lit: ids of text, names of blocks."""
    return page.evaluate(
        "() => [...document.querySelectorAll('.la-lit')].map((e) => e.id ||"
        " ([...e.classList].find((c) => c.startsWith('la-at-')) ?? e.textContent))"
    )


@pytest.mark.parametrize(
    ("place", "wanted"),
    [
        ("#S", ["S", "la-at-S"]),
        ("#k", ["k", "la-at-k", "la-at-phi_k"]),
        ("#index", ["k", "la-at-k", "la-at-phi_k"]),
        ("#o", ["o", "la-at-numerator", "la-at-out"]),
        ("#code-Z", ["code-Z", "la-at-Z", "la-at-denominator"]),
        (".highlight .n >> nth=1", ["phi_k", "la-at-k", "la-at-phi_k"]),
        ("#call", []),
        (".highlight .n >> nth=2", []),
        ("#far-S", []),
    ],
)
def test_pointing_at_a_symbol_marks_the_parts_of_the_nearest_widget(opened, place, wanted):
    opened.locator(place).hover()
    assert sorted(lit(opened)) == sorted(wanted)
    opened.locator("h1").hover()
    assert lit(opened) == []


def test_pointing_at_a_part_marks_its_symbols_in_the_section(opened):
    opened.locator(".la-at-S .la-cell").first.hover()
    assert lit(opened) == ["S", "e1", "S"]
    opened.locator(".la-at-phi_k .la-cell").nth(1).hover()
    assert lit(opened) == ["k", "e2", "phi_k"]
    opened.locator(".la-title").hover()
    assert lit(opened) == []


def test_focus_in_a_part_marks_too(opened):
    opened.locator(".la-at-Z .la-cell").first.focus()
    assert lit(opened) == ["code-Z"]
    opened.locator(".la-play").focus()
    assert lit(opened) == []


def test_an_equation_and_a_code_cell_are_one_tab_stop_each(opened):
    opened.locator("#equation").focus()
    opened.keyboard.press("ArrowRight")
    assert lit(opened) == ["e1", "la-at-S"]
    expect(opened.locator(".la-unseen")).to_have_text("S, marked in State explorer")
    opened.keyboard.press("ArrowRight")
    assert lit(opened) == ["e2", "la-at-k", "la-at-phi_k"]
    opened.keyboard.press("ArrowLeft")
    assert lit(opened) == ["e1", "la-at-S"]
    opened.keyboard.press("Tab")
    assert opened.evaluate("document.activeElement.localName") == "pre"
    assert lit(opened) == []
    opened.keyboard.press("ArrowLeft")
    assert lit(opened) == ["phi_k", "la-at-k", "la-at-phi_k"]
    opened.keyboard.press("Escape")
    assert lit(opened) == []
    opened.keyboard.press("Tab")
    assert opened.evaluate("Boolean(document.activeElement.closest('.la-root'))")


def test_a_letter_that_no_widget_near_it_shows_is_no_stop(opened):
    """A quiz shows no letter; and a widget may be there that shows others."""
    opened.evaluate(
        "() => { const far = document.getElementById('far'); for (const e of document.querySelectorAll('.la-widget'))"
        " e.dataset.widget = 'position_0';"
        ' far.insertAdjacentHTML(\'beforeend\', \'<div class="la-widget" data-widget="quiz"></div>'
        '<mjx-container display="true" id="beside"><mjx-mi class="la-sym-S">S</mjx-mi></mjx-container>\');'
        " dispatchEvent(new Event('load')) }"
    )
    opened.wait_for_timeout(200)
    assert opened.locator("#beside[tabindex]").count() == 0
    opened.locator("#S").hover()
    assert lit(opened) == []


def test_the_next_section_counts(opened):
    opened.evaluate(
        "() => { document.getElementById('near').insertAdjacentHTML('beforebegin',"
        ' \'<section><p><span class="la-sym-S" id="early">S</span></p><div style="height: 3000px"></div></section>\') }'
    )
    opened.locator("#early").hover()
    assert lit(opened) == ["early", "la-at-S"]


@pytest.mark.parametrize("kind", sorted(set(widgets.__all__) - {"Quiz"}))
def test_what_each_widget_shows_is_known_before_it_is_drawn(page, write_page, kind):
    widget = getattr(widgets, kind)
    name = widget._module
    show(page, write_page(widget()))
    source = (STATIC / "grammar.js").read_text(encoding="utf-8")
    known = re.search(rf'{name}: "([^"]+)"', source)
    found = page.evaluate(
        "() => [...document.querySelectorAll('.la-root [data-symbol]')].flatMap((e) => e.dataset.symbol.split(' '))"
    )
    assert set(known[1].split() if known else []) == set(found) & {"q", "k", "v", "S", "Z", "out"}


def test_nothing_moves(opened):
    places = (
        "() => [...document.querySelectorAll('p, mjx-mi, .la-block, .la-cell')].map((e) => JSON.stringify("
        "e.getBoundingClientRect())).join()"
    )
    opened.locator("#S").scroll_into_view_if_needed()
    before = opened.evaluate(places)
    opened.locator("#S").hover()
    assert lit(opened) and opened.evaluate(places) == before


def test_a_tap_marks_until_the_next(new_page, opened):
    page = new_page(viewport={"width": 360, "height": 740}, has_touch=True, is_mobile=True)
    page.goto(opened.url)
    page.wait_for_selector(".la-mounted")
    page.locator("#S").tap()
    assert lit(page) == ["S", "la-at-S"]
    page.locator("#o").tap()
    assert sorted(lit(page)) == ["la-at-numerator", "la-at-out", "o"]


def test_a_chapter_of_the_book(page, site):
    page.goto(f"{site}/notebooks/04_state_update.html")
    page.wait_for_selector(".la-grammar", timeout=60_000)
    section = page.locator("section", has=page.locator("[data-widget=state_explorer]")).last
    section.locator("mjx-mi.la-sym-S").first.hover()
    assert page.locator(".la-block.la-lit-S").count() == 1
    section.locator(".la-at-Z .la-cell").first.hover()
    assert section.locator("mjx-mi.la-lit-Z").count() == section.locator("mjx-mi.la-sym-Z").count() > 0
