"""What the page around the text does: search, theme, folds, printing, copying, the colours of symbols."""

import re

import pytest
from pages import CHAPTERS, open_page, short
from playwright.sync_api import expect


@pytest.fixture
def chapter(page, site):
    """A page with the first chapter open, which has equations, code, hints and solutions."""
    open_page(page, f"{site}/{CHAPTERS[0]}.html", scroll=False)
    return page


@pytest.mark.parametrize("opened_from", ["http", "file"])
def test_search_finds_a_word_of_the_book(page, site, site_folder, opened_from):
    root = site if opened_from == "http" else site_folder.as_uri()
    open_page(page, f"{root}/book/intro.html", scroll=False)
    page.locator(".search-button__button:visible").click()
    page.locator("#pst-search-dialog input[type=search]").fill("normaliser")
    page.keyboard.press("Enter")
    page.wait_for_url("**/search.html?q=normaliser*")
    page.locator("ul.search li a").first.wait_for()
    found = page.locator("ul.search li").all_inner_texts()
    assert any("Glossary" in line for line in found), found


def test_the_search_fields_glass_stands_beside_the_words(page, site):
    page.goto(f"{site}/search.html?q=numerator")
    page.keyboard.press("Control+k")
    gap, inner = page.locator("form.bd-search:visible").evaluate(
        """(form) => {
          const [glass, input] = ["i", "input"].map((name) => form.querySelector(name).getBoundingClientRect());
          return [input.left - glass.right, getComputedStyle(form.querySelector("input")).outlineStyle];
        }"""
    )
    assert gap >= 0
    assert inner == "none", "two rings around one field"


def test_search_opens_from_the_keyboard(chapter):
    chapter.keyboard.press("Control+k")
    assert chapter.locator("#pst-search-dialog input").is_visible()
    chapter.keyboard.press("Escape")
    assert not chapter.locator("#pst-search-dialog input").is_visible()


@pytest.mark.parametrize("width", [360, 800, 1280, 1920])
def test_shows_one_search_box(new_page, site, width):
    page = new_page(viewport={"width": width, "height": 900})
    open_page(page, f"{site}/book/intro.html", scroll=False)
    assert page.locator(".search-button__button:visible, input[type=search]:visible").count() == 1


@pytest.mark.parametrize("explorer", ["associativity", "feature_map_explorer", "position_0", "cost", "recall"])
def test_on_a_phone_what_leads_on_stays_in_reach(new_page, site, explorer):
    page = new_page(viewport={"width": 360, "height": 740}, has_touch=True, is_mobile=True)
    open_page(page, f"{site}/book/explorers.html")
    widget = page.locator(f"[data-widget={explorer}] .la-root").first
    widget.evaluate("(root) => root.scrollIntoView({ block: 'start' })")
    bar = widget.locator(".la-transport")
    expect(bar.get_by_label("Next step")).to_be_in_viewport(ratio=1)
    assert bar.evaluate("(bar) => Math.round(innerHeight - bar.getBoundingClientRect().bottom)") == 0
    # It leaves with its explorer, and covers nothing that the keyboard reaches.
    for control in widget.locator(".la-body :is(input, select, button):visible").all():
        control.focus()
        if not control.evaluate("(control) => control.closest('.la-transport')"):
            covered = control.evaluate(
                "(control) => control.getBoundingClientRect().bottom"
                " - control.closest('.la-body').querySelector('.la-transport').getBoundingClientRect().top"
            )
            assert covered <= 0
    widget.evaluate("(root) => root.scrollIntoView({ block: 'end' })")
    expect(widget.get_by_role("status")).to_be_in_viewport(ratio=1)
    assert bar.evaluate(
        "(bar) => bar.getBoundingClientRect().bottom <= bar.closest('.la-body').getBoundingClientRect().bottom"
    )


def test_theme_follows_the_system_and_the_switch(new_page, site):
    page = new_page(color_scheme="dark")
    open_page(page, f"{site}/book/intro.html", scroll=False)
    theme = "document.documentElement.dataset.theme"
    assert page.evaluate(theme) == "dark"
    seen = set()
    for _ in range(3):
        page.locator(".theme-switch-button:visible").click()
        seen.add(page.evaluate(theme))
    assert seen == {"light", "dark"}
    page.evaluate("localStorage.setItem('mode', 'light'); localStorage.setItem('theme', 'light')")
    page.reload()
    assert page.evaluate(theme) == "light"


def test_one_button_opens_and_closes_every_fold(chapter):
    closed = chapter.locator(".bd-article > section details:not([open]):not(.la-widget *):not(.la-figure *)")
    before = closed.count()
    assert before >= 4
    button = chapter.locator(".la-folds-button")
    button.click()
    assert closed.count() == 0
    assert button.inner_text() == "Close every fold"
    button.click()
    assert closed.count() == before


def test_prints_with_every_fold_open_and_puts_them_back(new_page, site):
    page = new_page(color_scheme="dark")
    open_page(page, f"{site}/{CHAPTERS[0]}.html")
    state = "[document.querySelectorAll('details:not([open])').length, document.documentElement.dataset.theme]"
    before = page.evaluate(state)
    assert before[0] > 0
    page.evaluate(f"addEventListener('beforeprint', () => (window.printed = {state}))")
    page.pdf()
    assert page.evaluate("window.printed") == [0, "light"]
    assert page.evaluate(state) == before


def test_code_that_was_folded_is_not_faded_on_paper(chapter):
    """The fold opens as the page is drawn; what fades in would be drawn at its start."""
    chapter.emulate_media(media="print")
    seen = chapter.evaluate(
        """() => {
          dispatchEvent(new Event("beforeprint"));
          const seen = (e) => e.checkVisibility({ checkOpacity: true });
          return [...document.querySelectorAll("details.hide > *")].map((e) => [e.localName, seen(e)]);
        }"""
    )
    assert seen
    assert all(shown == (name != "summary") for name, shown in seen)


@pytest.mark.parametrize("path", CHAPTERS, ids=short)
def test_a_phone_shows_all_that_was_printed(new_page, site, path):
    """But for code and tables with many columns, which scroll, with a shade where they go on; nothing is too small."""
    page = new_page(viewport={"width": 360, "height": 740})
    open_page(page, f"{site}/{path}.html", scroll=False)
    cut = page.evaluate(
        """() => [...document.querySelectorAll(".cell_output pre, .pst-scrollable-table-container")]
          .filter((e) => e.scrollWidth > e.clientWidth).map((e) => e.textContent)"""
    )
    assert all(re.match(r"def |x +-4 |torch.float32\n", text) for text in cut), cut
    sizes = "(all) => all.map((e) => parseFloat(getComputedStyle(e).fontSize))"
    assert min(page.locator(".cell_output pre, table.table :is(th, td)").evaluate_all(sizes)) >= 11


def test_signatures_on_the_api_page_are_whole_on_a_phone_and_no_sentence_is_taken_for_a_type(new_page, site):
    page = new_page(viewport={"width": 360, "height": 740})
    open_page(page, f"{site}/book/api.html", scroll=False)
    signatures = page.locator("dl.py > dt")
    assert signatures.count() > 40
    assert not [text for text in signatures.all_inner_texts() if re.search(r"<|~|t\.Any", text)]
    assert not signatures.evaluate_all("(all) => all.filter((e) => e.scrollWidth > e.clientWidth).map((e) => e.id)")
    # What stands before a colon in the first line of a property's docstring would be set as its type.
    assert page.locator("dl.property .field-list").all_text_contents() == []


def test_what_is_wider_than_a_phone_can_be_scrolled_by_keyboard_and_says_so(chapter):
    chapter.set_viewport_size({"width": 250, "height": 740})
    chapter.wait_for_timeout(200)
    wide = chapter.evaluate(
        """() => [...document.querySelectorAll("div.math, .pst-scrollable-table-container")]
          .filter((e) => e.scrollWidth > e.clientWidth)
          .map((e) => [e.tabIndex, e.getAttribute("aria-label"), getComputedStyle(e).backgroundAttachment])"""
    )
    shade = "local, local, scroll, scroll, scroll"
    assert [0, "Wide equation", shade] in wide
    assert all(tab == 0 and attachment == shade for tab, _, attachment in wide)


def test_copies_code_without_prompts_or_outputs(new_page, site):
    page = new_page(permissions=["clipboard-read", "clipboard-write"], viewport={"width": 1280, "height": 900})
    open_page(page, f"{site}/book/how_to_use.html", scroll=False)
    block = page.locator("div.highlight", has=page.locator("button.copybtn")).first
    block.hover()
    block.locator("button.copybtn").click()
    copied = page.evaluate("navigator.clipboard.readText()")
    assert copied.strip()
    assert not re.search(r"^(\$|>>>|\.\.\.) ", copied, re.MULTILINE)
    open_page(page, f"{site}/{CHAPTERS[0]}.html", scroll=False)
    assert page.locator("button.copybtn").count() > 0
    assert page.locator(".cell_output button.copybtn").count() == 0


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_symbols_have_their_colours_in_equations(new_page, site, theme):
    page = new_page(color_scheme=theme)
    open_page(page, f"{site}/book/notation.html", scroll=False)
    for name in ("q", "k", "v", "S", "Z", "out"):
        colours = page.evaluate(
            """(name) => {
              const probe = document.body.appendChild(document.createElement("i"));
              probe.style.color = `var(--la-${name}-ink)`;
              const wanted = getComputedStyle(probe).color;
              probe.remove();
              const found = [...document.querySelectorAll(`mjx-mi.la-sym-${name}`)];
              return [wanted, [...new Set(found.map((one) => getComputedStyle(one).color))]];
            }""",
            name,
        )
        assert colours[1] == [colours[0]], name
    # The k of the size d_k names no key.
    assert page.locator("mjx-msub:has(> mjx-mi) > mjx-script mjx-mi.la-sym-k").count() == 0


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("path", CHAPTERS, ids=short)
def test_widgets_and_figures_stand_on_the_page_itself(new_page, site, path, theme):
    page = new_page(color_scheme=theme)
    open_page(page, f"{site}/{path}.html")
    behind = page.evaluate(
        """() => {
          const ground = (element) => {
            for (let at = element; at; at = at.parentElement) {
              const colour = getComputedStyle(at).backgroundColor;
              if (colour !== "rgba(0, 0, 0, 0)") return colour;
            }
          };
          const page = getComputedStyle(document.body).backgroundColor;
          return [...document.querySelectorAll(".la-widget, .la-figure, .la-diagnosis")]
            .map((one) => [one.className, ground(one.parentElement), page]);
        }"""
    )
    assert behind
    assert [one for one in behind if one[1] != one[2]] == []


def test_a_full_stop_stays_with_its_symbol(chapter):
    loose = chapter.evaluate(
        """() => [...document.querySelectorAll("span.math")].filter((math) =>
          math.nextSibling?.nodeType === 3 && /^[.,;:?!]/.test(math.nextSibling.data) &&
          !math.closest(".la-nowrap")).length"""
    )
    assert chapter.locator(".la-nowrap").count() > 0
    assert loose == 0


def test_without_scripts_a_dark_system_has_a_light_page(new_page, site):
    """The theme's dark colours come by script, and half of them would leave dark words on a dark ground."""
    page = new_page(java_script_enabled=False, color_scheme="dark")
    page.goto(f"{site}/book/explorers.html")
    assert page.evaluate("getComputedStyle(document.documentElement).colorScheme") == "light only"
