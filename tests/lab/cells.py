"""What a person does with the cells of a notebook in JupyterLab."""

import re

from playwright.sync_api import Locator, Page, expect


def cell(page: Page, source: str) -> Locator:
    """The code cell whose input begins with this text."""
    begins = re.compile(r"^\s*" + re.escape(source.split("\n")[0]))
    return page.locator(".jp-CodeCell").filter(has=page.locator(".cm-content", has_text=begins))


def run(page: Page, source: str) -> Locator:
    """Run one cell by its keys and wait until it has run; returns its output."""
    one = cell(page, source)
    prompt = one.locator(".jp-InputPrompt")
    before = prompt.inner_text()
    one.locator(".cm-content").click()
    page.keyboard.press("Control+Enter")
    expect(prompt).to_have_text(re.compile(rf"^(?!{re.escape(before)})\[\d+\]:$"), timeout=60_000)
    return one.locator(".jp-Cell-outputArea")


def run_all(page: Page) -> None:
    """Run every cell by JupyterLab's menu, without waiting."""
    page.get_by_role("menuitem", name="Run", exact=True).click()
    page.get_by_role("menuitem", name="Run All Cells", exact=True).click()


def switch_theme(page: Page, name: str) -> None:
    """Change JupyterLab's theme by its menu."""
    page.get_by_role("menuitem", name="Settings", exact=True).click()
    for item in ("Theme", name):
        page.locator(".lm-Menu-itemLabel").get_by_text(item, exact=True).click()
    page.wait_for_function("name => document.body.dataset.jpThemeName === name", arg=name)
