"""What a reader does with a widget on a page, and what the widget's modules answer: for the tests of every widget."""

import json
import re
from pathlib import Path

import torch
from playwright.sync_api import Locator, Page

from linattn.widgets import base
from linattn.widgets.still import number

#: JavaScript: the number that a cell's name tells, with its further digits, or that it has none.
SPOKEN = r"""const spoken = (cell) => cell.getAttribute('aria-label').split(/: |, (?:more )?exactly /).at(-1)
    .replace(/(\.\d*?)0+$/, '$1').replace(/\.$/, '');"""


def show(page: Page, path: Path) -> Page:
    """Open a page of `write_page` from its file and wait for its widget."""
    page.goto(path.as_uri())
    page.wait_for_selector(".la-mounted")
    return page


def button(page: Page, name: str) -> Locator:
    return page.get_by_role("button", name=name)


def step(page: Page) -> int:
    """Where the transport bar is."""
    return int(page.locator(".la-scrubber").input_value())


def answer(page: Page) -> list[str]:
    """What a prediction shows once the reader has committed: the guess, the truth, the verdict."""
    return page.locator(".la-predict-answer dd").all_text_contents()


def enter_full_screen(page: Page) -> None:
    button(page, "Full screen").click()
    page.wait_for_function("() => document.fullscreenElement?.matches('.la-root.la-full')")


def reached_by_tab(page: Page) -> list[str]:
    """The names of all that Tab leads to, from the widget's beginning until it is left."""
    page.locator(".la-root").focus()
    names = []
    while len(names) < 200:
        page.keyboard.press("Tab")
        name = page.evaluate(
            "() => document.activeElement.closest('.la-root') && (document.activeElement.ariaLabel"
            " || document.activeElement.labels?.[0]?.textContent || document.activeElement.textContent)"
        )
        if name is None:
            return names
        names.append(name)
    raise AssertionError(f"Tab never leaves the widget: {names}")


def assert_reached(page: Page, beginnings: list[str]) -> None:
    """Tab leads to a control for each of these beginnings of names."""
    names = reached_by_tab(page)
    assert not [one for one in beginnings if not any(name.startswith(one) for name in names)], names


def traits(widget: base.Widget) -> dict:
    """What travels to a page without a kernel."""
    return json.loads(re.search(r'<script type="application/json">(.*?)</script>', widget.to_html(), re.DOTALL)[1])


def run(page: Page, module: str, expression: str, *arguments: object) -> object:
    """What a JavaScript function answers, where `module` and all that it imports are there as $module."""
    source = f"{base.bundle(module)}\nreturn ({expression})(...x);"
    return page.evaluate("([source, x]) => new Function('x', source)(x)", [source, list(arguments)])


def spoken(x: float) -> str:
    """The number as `SPOKEN` reads it: as it is shown, or with further digits where there are any."""
    off = lambda text: abs(float(text.replace(",", "").replace("−", "-")) - x)  # noqa: E731
    text = min(number(x), number(x, 4), key=off)
    return text.rstrip("0").rstrip(".") if "." in text and "e" not in text else text


def close(found: object, wanted: torch.Tensor) -> None:
    torch.testing.assert_close(torch.tensor(found, dtype=torch.float64), wanted, rtol=1e-6, atol=1e-6)
