"""Axe on every view of every widget, in the page and in full screen, in both themes, with all its tables."""

import pytest
from axe import violations
from reader import show

from linattn.checks.mutants import MUTANTS
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

RUNS = [
    {"n": n, "d": 64, "heads": 8, "backward": False, "ms": {
        name: {"median": n / speed, "low": n / speed / 2, "high": n / speed * 2}
        for name, speed in (("linattn", 100), ("recurrence", 10))
    }}
    for n in (256, 1024)
]  # fmt: skip
STOPS = [{"t": 2, "phase": "read", "text": "The third output."}]
VIEWS = {
    "explorer": lambda: StateExplorer(t=2, phase="read", stops=STOPS),
    "explorer asks": lambda: StateExplorer(t=2, predict=[{"t": 2, "phase": "add", "ask": "rows"}]),
    "associativity": Associativity,
    "associativity, numbers": lambda: Associativity(view="numbers", causal=True, step=5),
    "feature map": lambda: FeatureMapExplorer(view="curve"),
    "feature map, pair": lambda: FeatureMapExplorer(view="pair"),
    "feature map, row": lambda: FeatureMapExplorer(view="row"),
    "position 0": Position0,
    "position 0, eps": lambda: Position0(view="eps", eps=1e-4, x=-3),
    "three forms": lambda: ThreeForms(form="chunks", chunk_size=2, step=4),
    "bug lab": lambda: BugLab(on=list(MUTANTS)[:6]),
    "recall": lambda: Recall(m=20),
    "recall, delta": lambda: Recall(m=20, rule="delta"),
    **{
        f"cost, {view}": lambda view=view: Cost(view=view, measurements=RUNS) for view in ("work", "memory", "decoding")
    },
    "cost, time": lambda: Cost(view="time", measurements=RUNS),
    "quiz": lambda: Quiz("associativity", "check"),
    "quiz, predict": lambda: Quiz("associativity", "predict"),
}
# Axe loses its way where things scroll or are zoomed.
UNFOLDED = """.la-root.la-full { position: absolute !important; height: auto !important; overflow: visible !important }
.la-full > * { zoom: 1 !important }"""


@pytest.mark.parametrize("name", VIEWS)
def test_axe_finds_nothing(new_page, write_page, address, name, errors):
    page = new_page(viewport={"width": 1280, "height": 900}, reduced_motion="reduce")
    write_page(VIEWS[name]())
    page.goto(address)
    page.wait_for_selector(".la-mounted")
    numbers = page.get_by_role("button", name="Show all numbers")
    if numbers.count():
        numbers.click()
    # What the browser itself puts on top axe cannot look through; the view alone, as on a phone, it can.
    page.evaluate("delete Element.prototype.requestFullscreen")
    page.add_style_tag(content=UNFOLDED)
    for full in (False, True):
        if full:
            page.get_by_role("button", name="Full screen").click()
            page.wait_for_selector(".la-full")
        for theme in ("light", "dark"):
            page.evaluate("(theme) => { document.documentElement.dataset.theme = theme }", theme)
            assert not violations(page), (theme, full)
    # It would find letters too dark for the ground.
    page.locator(".la-root").evaluate("(e) => { e.style.setProperty('--la-ink', '#444') }")
    assert any(violation.startswith("color-contrast") for violation in violations(page))
    assert not errors


def test_where_the_system_chooses_the_colours_a_button_has_an_edge_and_a_number_its_colour(new_page, write_page):
    page = new_page(forced_colors="active")
    show(page, write_page(StateExplorer(t=2)))
    edges = page.locator(".la-button:visible").evaluate_all(
        "(all) => all.map((e) => parseFloat(getComputedStyle(e).borderTopWidth))"
    )
    assert min(edges) == 1
    fills = page.locator(".la-at-S .la-cell").evaluate_all(
        "(all) => all.map((e) => getComputedStyle(e).backgroundColor)"
    )
    assert len(set(fills)) > 4
