"""Accessibility of a page as axe-core sees it."""

import assets
from playwright.sync_api import Page


def violations(page: Page) -> list[str]:
    """What axe finds wrong with the page as it is now, each with the first places where it does."""
    page.add_script_tag(path=assets.MODULES / "axe-core" / "axe.min.js")
    return page.evaluate(
        """async () => (await axe.run(document, { resultTypes: ["violations"] })).violations.map((violation) =>
          `${violation.id} (${violation.impact}): ${violation.help}\\n` +
          violation.nodes.slice(0, 4).map((node) =>
            `    ${node.target.join(" ")}\\n      ${node.html.slice(0, 160)}\\n      ${node.any[0]?.message ?? ""}`
          ).join("\\n"))"""
    )
