"""The lecture view of any widget: full screen, remote control, spotlight, decimals, a link that brings all back."""

import re

import pytest
from playwright.sync_api import Page, expect
from reader import enter_full_screen, show, step

from linattn import dpfp, identity_shifted, taylor_2
from linattn.widgets import (
    Associativity,
    BugLab,
    Cost,
    FeatureMapExplorer,
    Position0,
    Quiz,
    Recall,
    StateExplorer,
    ThreeForms,
)

FULL = "() => document.fullscreenElement?.matches('.la-root.la-full')"
LONG = '<div style="height: 3000px"></div></main>'


@pytest.fixture
def opened(page, write_page) -> Page:
    path = write_page(StateExplorer(t=1, phase="read", predict=[{"t": 3, "phase": "add", "ask": "rows"}]))
    path.write_text(path.read_text(encoding="utf-8").replace("</main>", LONG), encoding="utf-8")
    page.emulate_media(reduced_motion="reduce")
    page.goto(path.as_uri())
    page.wait_for_selector(".la-mounted")
    return page


def enter(page: Page) -> None:
    enter_full_screen(page)


def test_page_keys_scroll_the_page_outside_and_step_inside(opened):
    opened.locator(".la-root").focus()
    opened.keyboard.press("PageDown")
    opened.wait_for_function("() => scrollY > 100")
    assert step(opened) == 5
    enter(opened)
    scrolled = opened.evaluate("scrollY")
    for place in (".la-root", ".la-select >> nth=0", ".la-at-v .la-field >> nth=0", ".la-scrubber", "body"):
        opened.locator(place).evaluate("(e) => { document.activeElement.blur(); e.focus(); }")
        opened.keyboard.press("PageDown")
        assert step(opened) == 6, place
        opened.keyboard.press("PageUp")
        assert step(opened) == 5, place
    assert opened.evaluate("scrollY") == scrolled


def test_a_remote_control_asks_first_and_skips_second(opened):
    opened.locator(".la-scrubber").fill("9")
    enter(opened)
    opened.keyboard.press("PageDown")
    assert step(opened) == 9
    expect(opened.locator(".la-predict input").first).to_be_focused()
    opened.keyboard.press("PageDown")
    assert step(opened) == 10


FAR, NEAR = {"q": [[-3, 3]], "text": "Far."}, {"q": [[1.5, 1.5]], "t": 1, "text": "Near."}
WALKS = {
    "position 0": lambda: Position0(stops=[FAR, NEAR]),
    "explorer": lambda: StateExplorer(stops=[{"t": t, "phase": "read", "text": f"Token {t}."} for t in (0, 2)]),
}


@pytest.mark.parametrize("name", WALKS)
def test_a_remote_control_stays_in_the_walk_through(page, write_page, name):
    page.emulate_media(reduced_motion="reduce")
    show(page, write_page(WALKS[name]()))
    enter(page)
    for _ in range(2):
        page.keyboard.press("PageDown")
    count, text = page.locator(".la-stop-count"), page.locator(".la-stop-text")
    last = text.text_content()
    state = page.locator(".la-stage, .la-body").first.inner_text()
    page.keyboard.press("PageDown")
    expect(page.get_by_role("status").first).to_have_text("That was the last stop. The arrow keys explore further.")
    for key in ("PageDown", "PageUp"):
        expect(text).to_have_text(last)
        assert page.locator(".la-stage, .la-body").first.inner_text() == state
        page.keyboard.press("ArrowLeft")
        expect(text).to_contain_text("You left the walk-through")
        page.keyboard.press(key)
    expect(text).to_have_text(last)
    page.keyboard.press("PageUp")
    expect(count).to_have_text("Stop 1 of 2")
    expect(text).to_have_text({"position 0": "Far.", "explorer": "Token 0."}[name])


def test_the_spotlight_follows_mouse_and_focus(opened):
    spot = opened.locator(".la-spotlight")
    button = opened.get_by_role("button", name="Spotlight")
    expect(button).to_be_hidden()
    opened.locator(".la-root").focus()
    opened.keyboard.press("p")
    expect(spot).to_have_count(0)
    enter(opened)
    opened.keyboard.press("p")
    expect(button).to_have_attribute("aria-pressed", "true")
    opened.mouse.move(321, 234)
    where = "(e) => [e.style.getPropertyValue('--x'), e.style.getPropertyValue('--y')]"
    assert spot.evaluate(where) == ["321px", "234px"]
    opened.locator(".la-at-S .la-cell").first.focus()
    opened.keyboard.press("ArrowRight")
    box = opened.locator(".la-at-S .la-cell").nth(1).bounding_box()
    assert abs(float(spot.evaluate(where)[0][:-2]) - box["x"] - box["width"] / 2) < 1
    # It lies above everything and takes no click.
    opened.get_by_role("button", name="Next step").click()
    assert step(opened) == 6
    opened.locator(".la-text").fill("p p")
    opened.keyboard.type("p")
    expect(spot).to_have_count(1)
    button.click()
    expect(spot).to_have_count(0)
    button.click()
    opened.get_by_role("button", name="Leave full screen").click()
    expect(spot).to_have_count(0)


def chosen(x: float, places: int) -> str:
    """A number with just so many decimals, and no minus before zeros."""
    text = f"{x:.{places}f}"
    return text.replace("-", "−" if float(text) else "")


@pytest.mark.parametrize("places", [0, 1, 2, 3, 4])
def test_decimals_in_every_block(opened, places):
    explorer = StateExplorer()
    trace = explorer.trace

    def check(found, x):
        for text, a in zip(found, x.flatten().tolist(), strict=True):
            # Halves go either way: the browser has more digits of them than float32.
            assert text in ["0" if a == 0 else chosen(a * (1 + tiny), places) for tiny in (-1e-6, 1e-6)]

    opened.get_by_label("Decimals").select_option(index=places + 1)
    for at, t in ((5, 1), (8, 2)):
        opened.locator(".la-scrubber").fill(str(at))
        for name, x in (("S", trace.S[t]), ("Z", trace.Z[t]), ("out", trace.out[t]), ("phi_q", trace.phi_q[t])):
            check(opened.locator(f".la-at-{name} .la-cell").all_text_contents(), x)
        check(opened.locator(".la-at-v .la-cell").evaluate_all("(all) => all.map((e) => e.value)"), explorer.v[t])
        overflow = "(all) => all.filter((e) => e.scrollWidth > e.clientWidth).length"
        assert opened.locator("div.la-cell").evaluate_all(overflow) == 0


def test_a_link_brings_back_full_screen_and_decimals(opened):
    opened.get_by_label("Decimals").select_option(index=4)
    enter(opened)
    opened.get_by_role("button", name="Copy link").click()
    link = opened.url
    assert link.endswith("&decimals=3&full=1")
    opened.goto("about:blank")
    opened.goto(link)
    expect(opened.locator(".la-root.la-full")).to_be_visible()
    box = opened.locator(".la-root").bounding_box()
    assert (box["x"], box["y"], box["width"], box["height"]) == (0, 0, 1280, 800)
    expect(opened.get_by_label("Decimals")).to_have_value("3")
    # A browser fills its screen only after a key or a click.
    opened.keyboard.press("ArrowRight")
    opened.wait_for_function(FULL)
    assert step(opened) == 6
    opened.get_by_role("button", name="Leave full screen").click()
    opened.wait_for_function("() => !document.fullscreenElement && !location.hash.includes('full')")
    expect(opened.locator(".la-full")).to_have_count(0)
    opened.evaluate("() => { location.hash = location.hash.replace('decimals=3', 'decimals=x') }")
    expect(opened.get_by_label("Decimals")).to_have_value("")


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_type_and_strokes_for_the_back_row(opened, theme):
    opened.set_viewport_size({"width": 1920, "height": 1080})
    opened.evaluate("(theme) => { document.documentElement.dataset.theme = theme }", theme)
    enter(opened)
    size = "(e) => parseFloat(getComputedStyle(e).fontSize) * e.currentCSSZoom"
    for selector, least in ((".la-at-S .la-cell", 24), (".la-caption", 22), (".la-status", 24), (".la-readout", 20)):
        assert opened.locator(selector).first.evaluate(size) >= least, selector
    bracket = "(e) => parseFloat(getComputedStyle(e, '::before').borderLeftWidth) * e.currentCSSZoom"
    assert round(opened.locator(".la-at-S .la-cells").evaluate(bracket), 3) == 4
    assert opened.locator(".la-root").evaluate("(e) => e.scrollWidth <= e.clientWidth")


STOPS = [
    {"t": 0, "phase": "write", "text": "The first tile."},
    {"t": 2, "phase": "read", "text": "And the third output."},
]
TALL = {
    "explorer": lambda: StateExplorer(t=2, phase="read", stops=STOPS),
    "explorer, Taylor": lambda: StateExplorer(t=2, phase="read", feature_map=taylor_2, stops=STOPS),
    "position 0": Position0,
    "position 0, eps": lambda: Position0(view="eps", eps=1e-4, x=-3),
    "associativity": lambda: Associativity(n=16, d_k=64, d_v=64),
    "associativity, numbers": lambda: Associativity(view="numbers", causal=True, step=5),
    "three forms": ThreeForms,
    "bug lab": BugLab,
    "feature map": FeatureMapExplorer,
    "feature map, row": lambda: FeatureMapExplorer(identity_shifted, view="row"),
    "recall": Recall,
    "cost": lambda: Cost(view="decoding"),
}
READ = ".la-tables td, .la-status, .la-body .la-cell, .la-lab small, .la-ratio, .la-cost-value"


@pytest.mark.parametrize("name", TALL)
def test_decimals_hold_for_every_number_that_is_read(new_page, write_page, name, errors):
    page = new_page(viewport={"width": 1280, "height": 900}, reduced_motion="reduce")
    show(page, write_page(TALL[name]()))
    page.get_by_role("button", name="Show all numbers").click()
    page.get_by_role("button", name="Last step").click()
    select = page.get_by_label("Decimals")
    if name == "associativity":  # counts alone
        return expect(select).to_be_hidden()
    seen = "(all) => all.map((e) => e.value ?? e.textContent)"
    own = page.locator(READ).evaluate_all(seen)
    for places in (1, 4):
        select.select_option(index=places + 1)
        found = page.locator(READ).evaluate_all(seen)
        after_the_point = {len(digits) for text in found for digits in re.findall(r"\d\.(\d+)(?!\d|e)", text)}
        assert after_the_point == {places}, found
    page.get_by_role("button", name="Copy link").click()
    linked = new_page(viewport={"width": 1280, "height": 900}, reduced_motion="reduce")
    linked.goto(page.url)
    linked.locator(".la-root").wait_for()
    numbers = READ.replace(" .la-status,", "")  # which says that the link is copied
    assert linked.locator(numbers).evaluate_all(seen) == page.locator(numbers).evaluate_all(seen)
    select.select_option(index=0)
    assert page.locator(READ).evaluate_all(seen) == own
    assert not errors


@pytest.mark.parametrize("places", [None, 1, 4])
@pytest.mark.parametrize(
    "name", ["associativity, numbers", "three forms", "feature map", "feature map, row", "position 0"]
)
def test_no_cell_of_a_narrow_page_cuts_its_digits(new_page, write_page, name, places):
    page = new_page(viewport={"width": 360, "height": 740})
    show(page, write_page(TALL[name]()))
    page.get_by_role("button", name="Last step").click()
    if places is not None:
        page.get_by_label("Decimals").select_option(str(places))
    cut = "(all) => all.filter((e) => e.scrollWidth > e.clientWidth).map((e) => e.value ?? e.textContent)"
    assert page.locator(".la-cell").count() and page.locator(".la-cell").evaluate_all(cut) == []


FIT = "(e) => e.style.getPropertyValue('--la-fit')"


@pytest.mark.parametrize("name", TALL)
def test_all_of_a_widget_stands_on_the_screen_of_a_lecture(new_page, write_page, name, errors):
    page = new_page(viewport={"width": 1920, "height": 1080}, reduced_motion="reduce")
    show(page, write_page(TALL[name]()))
    enter(page)
    page.wait_for_function(
        "() => { const e = document.querySelector('.la-root'); return e.scrollHeight <= e.clientHeight }"
    )
    for part in (".la-body", ".la-transport", ".la-status", ".la-controls"):
        box = page.locator(f".la-root {part}").first.bounding_box()
        assert box is None or box["y"] + box["height"] <= 1080, part
    # And is not made too small to read for it.
    seen = "(e) => e.checkVisibility() ? parseFloat(getComputedStyle(e).fontSize) * e.currentCSSZoom : 99"
    for selector in (".la-cell", ".la-status"):
        sizes = page.locator(f".la-root {selector}").evaluate_all(f"(all) => all.map({seen})")
        assert min(sizes, default=99) >= 16, selector
    assert not errors


ASKED = {
    "associativity": lambda: Associativity(stops=[{"n": 2048, "ask": "grows", "text": "S does not know n."}]),
    "feature map": lambda: FeatureMapExplorer(view="row", stops=[{"view": "row", "ask": "sharpest", "text": "Sharp."}]),
    "explorer": lambda: StateExplorer(t=2, predict=[{"t": 2, "phase": "add", "ask": "rows"}]),
    "position 0": lambda: Position0(stops=[{"q": [[-3, 3]], "t": 1, "ask": "moves", "text": "It moves."}]),
    "three forms": lambda: ThreeForms(stops=[{"form": "chunks", "ask": "chunk_size", "text": "So small an S."}]),
    "bug lab": lambda: BugLab(stops=[{"on": ["no mask"], "ask": "lamps", "text": "It sees nothing."}]),
    "cost": lambda: Cost(view="decoding", stops=[{"view": "decoding", "ask": "crossover", "text": "The cache grows."}]),
    "recall": lambda: Recall(stops=[{"m": 8, "ask": "exact", "text": "Random directions overlap."}]),
}
#: The size on screen of every text in view, HTML or SVG, with the text.
TYPE = """(root) => {
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  const found = [];
  const add = (e, text) => {
    const { width, height } = e.getBoundingClientRect();
    const seen = width && height && e.checkVisibility({ opacityProperty: true });
    if (!text.trim() || !seen || e.closest(".la-unseen, option")) return;
    const scale = e instanceof SVGElement ? Math.hypot(e.getScreenCTM().a, e.getScreenCTM().b) : e.currentCSSZoom;
    found.push([parseFloat(getComputedStyle(e).fontSize) * scale, text.trim()]);
  };
  while (walker.nextNode()) add(walker.currentNode.parentElement, walker.currentNode.data);
  const fields = "select, input:not([type=range], [type=checkbox], [type=radio])";
  for (const e of root.querySelectorAll(fields)) add(e, e.value);
  return found;
}"""


def small(page: Page, least: float) -> list:
    """What there is to read in type below so many pixels."""
    found = page.locator(".la-root").first.evaluate(TYPE)
    assert len(found) > 10
    return [(round(size, 1), text) for size, text in found if size < least - 0.05]


@pytest.mark.parametrize("name", TALL)
def test_every_word_and_number_is_read_from_the_back_row(new_page, write_page, name):
    page = new_page(viewport={"width": 1920, "height": 1080}, reduced_motion="reduce")
    show(page, write_page(TALL[name]()))
    enter(page)
    for _ in ("first", "last"):
        page.wait_for_timeout(200)
        assert small(page, 18) == []
        page.keyboard.press("End")


@pytest.mark.parametrize("size", [(1280, 720), (1280, 800), (1920, 1080)])
def test_the_longest_answer_of_the_bug_lab_stands_on_the_screen_with_all_around_it(new_page, write_page, size):
    checks = ["position 0", "constant v", "causality", "reference"]
    stops = [{"on": ["no mask"], "chosen": checks[i : i + 3], "ask": "missed", "text": "Together."} for i in (0, 1)]
    page = new_page(viewport={"width": size[0], "height": size[1]}, reduced_motion="reduce")
    show(page, write_page(BugLab(stops=stops)))
    enter(page)
    for act in ("Last step", "Reveal the smallest set", "Skip"):
        page.get_by_role("button", name=act).click()
        page.wait_for_timeout(200)
        assert small(page, max(13, 0.017 * size[1])) == []
        assert page.locator(".la-root").evaluate("(e) => [e.scrollWidth, e.scrollHeight]") == list(size)


@pytest.mark.parametrize("name", ASKED)
def test_on_a_small_projector_what_is_asked_stands_beside_the_picture(new_page, write_page, name):
    page = new_page(viewport={"width": 1280, "height": 720}, reduced_motion="reduce")
    show(page, write_page(ASKED[name]()))
    enter(page)
    page.wait_for_timeout(300)
    panel, bar = (
        page.locator(x).bounding_box() for x in (":is(.la-stops, .la-predict):visible >> nth=0", ".la-transport")
    )
    assert panel["x"] > bar["x"] + bar["width"]
    assert float(page.locator(".la-root").evaluate(FIT)) >= 0.7, "the picture is pressed"


@pytest.mark.parametrize("width", [360, 1280])
@pytest.mark.parametrize("name", ASKED)
def test_on_a_page_what_is_asked_comes_before_the_picture_for_the_eye_and_for_the_tab_key(
    new_page, write_page, name, width
):
    page = new_page(viewport={"width": width, "height": 800}, reduced_motion="reduce")
    show(page, write_page(ASKED[name]()))
    body = page.locator(".la-body > :visible")
    expect(body.first).to_have_class(re.compile("^la-(stops|predict)$"))
    tops = body.evaluate_all("(all) => all.map((e) => e.getBoundingClientRect().y)")
    assert tops[:-1] == sorted(tops[:-1]), "the bar may stick to the screen"


@pytest.mark.parametrize("name", ["position 0", "bug lab", "cost"])
def test_the_numbers_come_into_view_and_go_again(new_page, write_page, name):
    page = new_page(viewport={"width": 1280, "height": 800}, reduced_motion="reduce")
    show(page, write_page(TALL[name]()))
    enter(page)
    page.wait_for_timeout(200)
    toggle, table = page.get_by_role("button", name="Show all numbers"), page.locator(".la-tables")
    fit = page.locator(".la-root").evaluate(FIT)
    toggle.click()
    expect(table).to_be_in_viewport(ratio=0.5)
    header = page.locator(".la-header").bounding_box()
    assert header["y"] + header["height"] <= table.bounding_box()["y"]
    page.wait_for_timeout(200)
    assert page.locator(".la-root").evaluate(FIT) == fit
    toggle.click()
    expect(table).to_be_hidden()
    assert page.locator(".la-root").evaluate("(e) => e.scrollTop") == 0


@pytest.mark.parametrize("name", ASKED)
def test_a_question_and_its_answer_too_and_the_picture_stays_whole(new_page, write_page, name):
    page = new_page(viewport={"width": 1920, "height": 1080}, reduced_motion="reduce")
    show(page, write_page(ASKED[name]()))
    enter(page)
    for act in (lambda: None, lambda: page.get_by_role("button", name="Skip").click()):
        act()
        page.wait_for_timeout(200)
        assert small(page, 18) == []
        box = page.locator(".la-root").evaluate("(e) => [e.scrollWidth, e.scrollHeight]")
        assert box == [1920, 1080]
        # The words stand beside the picture.
        words = page.locator(".la-stops, .la-predict").locator("visible=true").first.bounding_box()
        assert words["x"] > 1200 and words["y"] < 200


def test_a_quiz_is_read_from_the_back_row(new_page, write_page):
    page = new_page(viewport={"width": 1920, "height": 1080})
    show(page, write_page(Quiz("associativity", "recall")))
    enter(page)
    page.get_by_role("radio").first.check()
    page.get_by_role("button", name="Check").first.click()
    assert small(page, 18) == []


@pytest.mark.parametrize("name", TALL)
def test_nothing_is_too_small_to_read_on_a_phone(new_page, write_page, name):
    page = new_page(viewport={"width": 360, "height": 740})
    show(page, write_page(TALL[name]()))
    page.locator(".la-root").focus()
    for _ in ("first", "last"):
        page.wait_for_timeout(100)
        assert small(page, 11) == []
        page.keyboard.press("End")


def test_the_picture_keeps_its_size_from_step_to_step_and_gets_it_back_outside(opened):
    opened.set_viewport_size({"width": 1920, "height": 1080})
    enter(opened)
    opened.wait_for_function("() => document.querySelector('.la-root').style.getPropertyValue('--la-fit') < 1")
    opened.locator(".la-scrubber").fill("0")
    fits = []
    for _ in range(9):
        opened.wait_for_timeout(60)
        fits.append(opened.locator(".la-root").evaluate(FIT))
        opened.keyboard.press("PageDown")
    assert len(set(fits)) == 1, fits
    # A tile flies to where S is, at this size too.
    opened.emulate_media(reduced_motion="no-preference")
    opened.locator(".la-scrubber").fill("3")
    opened.wait_for_timeout(200)
    opened.keyboard.press("PageDown")
    apart = """() => {
      const [ghost, tile] = ['.la-ghost', ':not(.la-ghost)'].map((s) => document.querySelector(`.la-at-tile${s}`));
      for (const animation of document.getAnimations()) Object.assign(animation, { currentTime: 0 }).pause();
      const [a, b] = [ghost, tile].map((e) => e.getBoundingClientRect());
      return Math.abs(a.x - b.x) + Math.abs(a.y - b.y);
    }"""
    assert opened.evaluate(apart) < 2
    opened.get_by_role("button", name="Leave full screen").click()
    opened.wait_for_function("() => !document.querySelector('.la-root').style.getPropertyValue('--la-fit')")


#: Measures as WebKit does, which has no standard zoom: a zoomed element in its own pixels.
WEBKIT = """(() => {
  const real = Element.prototype.getBoundingClientRect;
  const zoom = (e) => (e ? Number(getComputedStyle(e).zoom) * zoom(e.parentElement) : 1);
  delete Element.prototype.currentCSSZoom;
  window.truth = (e) => real.call(e);
  Element.prototype.getBoundingClientRect = function () {
    const [r, z] = [real.call(this), zoom(this)];
    return new DOMRect((r.x + scrollX) / z - scrollX, (r.y + scrollY) / z - scrollY, r.width / z, r.height / z);
  };
})()"""


def test_measured_as_in_webkit_all_fits_and_a_press_lands_under_the_pointer(new_page, write_page):
    page = new_page(viewport={"width": 1280, "height": 720}, reduced_motion="reduce")
    page.add_init_script(WEBKIT)
    show(page, write_page(Cost(stops=[{"n": 512, "text": "Here."}])))
    enter(page)
    page.wait_for_function("() => document.querySelector('.la-root').style.getPropertyValue('--la-fit') < 1")
    page.wait_for_timeout(200)
    assert float(page.locator(".la-root").evaluate(FIT)) > 0.7
    left, top, width = page.locator(".la-cost-chart").evaluate("(e) => [truth(e).x, truth(e).y, truth(e).width]")
    page.mouse.click(left + 0.6 * width, top + 60)
    now = page.locator(".la-cost-chart .la-now").evaluate("(e) => truth(e).x")
    assert abs(now - left - 0.6 * width) < 2


def test_a_phone_scrolls_instead(new_page, write_page):
    page = new_page(viewport={"width": 360, "height": 740}, reduced_motion="reduce")
    show(page, write_page(StateExplorer()))
    enter(page)
    assert page.locator(".la-stage").evaluate("(e) => e.currentCSSZoom") == 1
    assert page.locator(".la-root").evaluate("(e) => e.scrollHeight > e.clientHeight && e.scrollWidth <= e.clientWidth")


@pytest.mark.parametrize("feature_map", [taylor_2, dpfp])
@pytest.mark.parametrize("width", [360, 1280])
def test_many_features_scroll_inside_the_widget_together(new_page, write_page, feature_map, width, errors):
    page = new_page(viewport={"width": width, "height": 800})
    show(page, write_page(StateExplorer(d_k=6, t=2, phase="read", feature_map=feature_map)))
    rows = page.locator(".la-at-Z .la-cell").count()
    assert page.locator(".la-at-S").bounding_box()["height"] < 400
    page.locator(".la-at-S").evaluate("(e) => { e.scrollTop = 100 }")
    tall = [f".la-at-{name}" for name in ("phi_k", "tile", "S", "Z", "phi_q")]
    for selector in tall:
        page.wait_for_function("(s) => document.querySelector(s).scrollTop === 100", arg=selector)
    # By keyboard to the last row: what belongs to it comes along.
    page.locator(".la-at-Z .la-cell").first.focus()
    for _ in range(rows - 1):
        page.keyboard.press("ArrowDown")
    page.wait_for_function(
        """() => {
          const block = document.querySelector(".la-at-S");
          const bottom = (e) => e.getBoundingClientRect().bottom;
          return bottom([...block.querySelectorAll(".la-row")].at(-1)) <= bottom(block) + 4;
        }"""
    )
    assert page.locator(".la-at-S .la-cell").first.evaluate("(e) => parseFloat(getComputedStyle(e).fontSize)") >= 9.5
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert not errors
