"""Take the README's picture from the built book: the state explorer of the first page, at its third token."""

from pathlib import Path

import browser
from playwright.sync_api import sync_playwright

ROOT = Path(__file__).resolve().parents[2]
PICTURE = ROOT / "book" / "_static" / "state-explorer.png"


def main() -> None:
    address = (ROOT / "_build" / "html" / "book" / "intro.html").as_uri()
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=browser.require(), args=browser.launch_arguments())
        page = chromium.new_page(viewport={"width": 1180, "height": 900}, color_scheme="light", reduced_motion="reduce")
        page.goto(address)
        explorer = page.locator(".la-widget.la-mounted").first
        explorer.wait_for()
        explorer.get_by_label("Step", exact=True).fill("8")
        page.evaluate("document.activeElement.blur()")
        explorer.screenshot(path=PICTURE)
        chromium.close()
    print(f"{PICTURE.relative_to(ROOT)}: {PICTURE.stat().st_size / 1000:.0f} kB")


if __name__ == "__main__":
    main()
