"""Every explorer in a real JupyterLab: drawn, in step with Python both ways, and with a second view of itself."""

import json
import re
from collections.abc import Callable
from typing import NamedTuple

import nbformat
import pytest
from cells import run
from playwright.sync_api import Locator, Page, expect


class Explorer(NamedTuple):
    #: What a reader does in the browser: by mouse, and by keys that JupyterLab has a use for, too.
    use: Callable[[Locator], None]
    #: What Python then finds in the widget `it`.
    asks: str
    finds: list
    #: What Python knows of the rows of "Show all numbers": their headings, and numbers that some of their cells have.
    rows: str
    #: What Python then sets, and what the widget says to it.
    change: str
    says: str


def use_state_explorer(view: Locator) -> None:
    view.get_by_role("button", name="Next step").click()
    number = view.get_by_label(re.compile(r"v \d, 0"))
    number.fill("2.5")
    number.press("Enter")


def use_associativity(view: Locator) -> None:
    view.get_by_role("button", name="Small numbers").click()
    view.get_by_role("switch", name="causal mask").check()
    view.get_by_role("button", name="Last step").click()


def use_three_forms(view: Locator) -> None:
    view.get_by_role("button", name="chunks").click()
    view.get_by_role("slider", name="chunk size").press("ArrowRight")
    view.get_by_role("button", name="Last step").click()


def use_feature_maps(view: Locator) -> None:
    view.get_by_role("button", name="One row").click()
    maps = view.get_by_role("combobox", name="feature map")
    maps.press("x")  # the first map that begins so; JupyterLab would cut the cell
    assert maps.input_value() == "identity_shifted"
    maps.select_option("exponential")


def use_position_0(view: Locator) -> None:
    view.get_by_role("button", name="Position 1").click()
    view.get_by_role("slider", name="q₁[0]").press("ArrowRight")


def use_bug_lab(view: Locator) -> None:
    view.get_by_role("switch", name="no mask").press(" ")
    view.get_by_label("causality, in my set").click()


def use_recall(view: Locator) -> None:
    view.get_by_role("button", name="delta rule").click()
    view.get_by_role("button", name="Last step").click()


def use_cost(view: Locator) -> None:
    view.get_by_role("combobox", name="sizes of").select_option(label="Llama 3 8B")
    view.get_by_role("spinbutton", name="tokens n, exact number").fill("4096")
    view.get_by_role("spinbutton", name="tokens n, exact number").press("Enter")


EXPLORERS = {
    "StateExplorer": Explorer(
        use_state_explorer,
        "[it.phase, it.v[0, 0].item()]",
        ["add", 2.5],
        "{f'{t} {it.tokens[t]}': [it.q[t], it.v[t], it.trace.Z[t], it.trace.out[t]] for t in range(6)}",
        "it.t, it.phase = 3, 'read'",
        "Read: φ(q₃)ᵀS₃",
    ),
    "Associativity": Explorer(
        use_associativity,
        "[it.view, it.causal, it.step]",
        ["numbers", True, 9],
        "{str(t): [it.v[t], it.out[t]] for t in range(4)}",
        "it.causal, it.step = False, 5",
        "Equal, entry by entry",
    ),
    "ThreeForms": Explorer(
        use_three_forms,
        "[it.form, it.chunk_size]",
        ["chunks", 3],
        "{f'{t} {it.tokens[t]}': [it.v[t], *(out[t] for out in it.results().values())] for t in range(6)}",
        "it.form, it.step = 'recurrence', 1",
        "Write: token 0 goes into S and Z",
    ),
    "FeatureMapExplorer": Explorer(
        use_feature_maps,
        "[it.view, it.feature_map.__name__]",
        ["row", "exponential"],
        "{f'k{chr(8320 + i)}': [it.k[i], it.kernel[i], it.weights[i], it.softmax[i]] for i in range(5)}",
        "it.feature_map = linattn.identity_shifted",
        "negative: no average any more",
    ),
    "Position0": Explorer(
        use_position_0,
        "[it.t, it.q.tolist()]",
        [1, [[1.1, -0.5]]],
        "{f'position {t}': [it.q[0], it.trace.denominator[t], it.trace.out[t]] for t in (0, 1)}",
        "it.t, it.q = 0, [[-3.0, 2.0]]",
        "It cancels: out₀ = v₀",
    ),
    "BugLab": Explorer(
        use_bug_lab,
        "[it.on, it.chosen, 'no mask' in it.missed]",
        [["no mask"], ["causality"], False],
        "{bug: distances(MUTANTS[bug], draw(0, 64, 6, 4), draw(1, 64, 6, 4)).values() for bug in it.on}",
        "it.on = ['no mask', 'dead relu']",
        "2 of 11 bugs",
    ),
    "Recall": Explorer(
        use_recall,
        "[it.rule, it.m]",
        ["delta", 48],
        "{str(j): [it.v[j], it.read[j], it.errors[j]] for j in range(it.m)}",
        "it.m, it.rule = 5, 'sum'",
        "5 pairs in 16 features",
    ),
    "Cost": Explorer(
        use_cost,
        "[it.n, it.d, it.heads, it.kv_heads, it.layers]",
        [4096, 128, 32, 8, 32],
        "{f'{it.n:,}': [float(f'{x:.1e}') for x in it.costs.values()]}",
        "it.n = 64",
        "At n = 64 the recurrence takes",
    ),
}
FIRST = """import json
import torch
import linattn
from linattn.checks.mutants import MUTANTS
from linattn.widgets import *
from linattn.widgets.bug_lab import distances, draw

def tell(found, rows):
    lists = {name: [torch.as_tensor(x).flatten().tolist() for x in row] for name, row in rows.items()}
    print(json.dumps([found, lists]))"""


class Cells(NamedTuple):
    """The sources of one explorer's cells."""

    show: str
    again: str
    tell: str
    change: str


def cells_of(name: str) -> Cells:
    it = EXPLORERS[name]
    return Cells(
        f"{name.lower()} = {name}()\n{name.lower()}",
        f"# A second view of {name}\n{name.lower()}",
        f"# What Python knows of {name}\nit = {name.lower()}\ntell({it.asks}, {it.rows})",
        f"# What Python does with {name}\nit = {name.lower()}\n{it.change}\ntell({it.asks}, {it.rows})",
    )


def tables(view: Locator) -> list[tuple[str, list[list[float]]]]:
    """Every row of the widget's tables: its heading and the numbers in each of its cells."""
    rows = view.locator(".la-tables tbody tr").evaluate_all(
        "rows => rows.map(({cells: [heading, ...rest]}) => [heading.innerText, rest.map((cell) => cell.innerText)])"
    )
    return [(heading, [numbers(cell) for cell in cells]) for heading, cells in rows]


def numbers(text: str) -> list[float]:
    return [float(x) for x in re.findall(r"-?\d+(?:\.\d+)?(?:e-?\d+)?", text.replace("−", "-").replace(",", ""))]


def test_every_explorer_and_python_are_in_step(open_notebook, subtests, refused, errors):
    sources = [FIRST, *(source for name in EXPLORERS for source in cells_of(name))]
    page = open_notebook("explorers", nbformat.v4.new_notebook(cells=list(map(nbformat.v4.new_code_cell, sources))))
    run(page, FIRST)
    for name, explorer in EXPLORERS.items():
        with subtests.test(name):
            in_step(page, cells_of(name), explorer)
            assert not errors
    assert not refused


def in_step(page: Page, cells: Cells, explorer: Explorer) -> None:
    # Drawn, twice.
    first, second = views = [run(page, source).locator(".la-root") for source in (cells.show, cells.again)]
    for view in views:
        view.get_by_role("button", name="Show all numbers").click()
    opened = first.locator(".la-tables").inner_text()
    assert opened and second.locator(".la-tables").inner_text() == opened

    # What the reader does in one view arrives in Python and in the other view.
    explorer.use(first)
    for _ in range(5):
        found, rows = json.loads(run(page, cells.tell).inner_text())
        if found == explorer.finds:  # at first ipywidgets may hold a change back, while the kernel is busy with another
            break
    assert found == explorer.finds
    for view in views:
        assert_on_screen(rows, view)

    # What Python sets arrives in both, and is drawn.
    drawn = [view.locator(".la-body").inner_html() for view in views]
    _, rows = json.loads(run(page, cells.change).inner_text())
    for view, before in zip(views, drawn, strict=True):
        expect(view.locator(".la-status").first).to_contain_text(explorer.says)
        assert_on_screen(rows, view)
        assert view.locator(".la-body").inner_html() != before

    # Run again, the cell begins anew, apart from the widget of before, which goes on in its other view.
    left = second.locator(".la-body").inner_html()
    fresh = run(page, cells.show).locator(".la-root")
    fresh.get_by_role("button", name="Show all numbers").click()
    explorer.use(second)
    assert fresh.locator(".la-tables").inner_text() == opened
    assert second.locator(".la-body").inner_html() != left

    # Each refers to its own elements, though each has its own copy of the module.
    ids = page.locator(".la-root [id]").evaluate_all("elements => elements.map(({ id }) => id)")
    assert len(set(ids)) == len(ids)


def assert_on_screen(rows: dict[str, list[list[float]]], view: Locator) -> None:
    """The numbers stand in "Show all numbers", in the rows with these headings."""
    on_screen = tables(view)
    assert rows
    for heading, lists in rows.items():
        cells = [cell for head, row in on_screen if head == heading for cell in row]
        for wanted in lists:
            assert any(cell == pytest.approx(wanted, rel=5e-4, abs=6e-5) for cell in cells), (heading, wanted)
