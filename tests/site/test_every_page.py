"""Every page of the built book, in a real browser that reaches nothing but this machine."""

import pytest
from axe import violations
from pages import PAGES, open_page, short

every_page = pytest.mark.parametrize("path", PAGES, ids=short)


@every_page
def test_loads_whole_with_no_error_and_no_outside_request(page, site, path):
    # The `page` fixture fails on a console error, an exception or a request that leaves this machine.
    open_page(page, f"{site}/{path}.html")
    assert page.locator("main h1:visible").count() == 1
    left = page.evaluate(
        """() => [...document.querySelectorAll(".math")]
          .filter((span) => !span.querySelector("mjx-container") || span.querySelector("mjx-merror"))
          .map((span) => span.textContent)"""
    )
    assert not left, "equations that are not typeset"
    words = page.locator("main").inner_text().split()
    assert not [word for word in words if word.startswith(("$$", "\\(", "\\[", "\\phi"))], "TeX shown raw"


@every_page
def test_opens_from_a_file(page, site_folder, path):
    open_page(page, (site_folder / f"{path}.html").as_uri())
    equations, typeset = (page.locator(selector).count() for selector in (".math", ".math > mjx-container"))
    assert typeset == equations


@every_page
def test_equations_can_be_read_without_scripts(new_page, site, path):
    page = new_page(java_script_enabled=False, viewport={"width": 1280, "height": 900})
    page.goto(f"{site}/{path}.html")
    left, aside = page.evaluate(
        """() => {
          const equations = [...document.querySelectorAll(".math")];
          const middle = (element) => (({ left, right }) => (left + right) / 2)(element.getBoundingClientRect());
          return [
            equations.filter((one) => one.firstElementChild?.localName !== "math" || one.textContent.includes("\\\\"))
              .map((one) => one.textContent),
            equations.filter((one) => one.matches("div") && Math.abs(middle(one) - middle(one.firstElementChild)) > 2)
              .length,
          ];
        }"""
    )
    assert not left, "equations that are not MathML"
    assert aside == 0, "displays that are not in the middle"


@pytest.mark.parametrize("screen", [320, 360])
@every_page
def test_does_not_scroll_sideways_on_a_phone(new_page, site, path, screen):
    page = new_page(viewport={"width": screen, "height": 780}, has_touch=True)
    open_page(page, f"{site}/{path}.html")
    page.evaluate("for (const fold of document.querySelectorAll('details')) fold.open = true")
    wide = page.evaluate(
        """() => {
          const root = document.documentElement;
          if (root.scrollWidth <= root.clientWidth) return [];
          const inside = (element) => {
            for (let at = element.parentElement; at; at = at.parentElement)
              if (getComputedStyle(at).overflowX !== "visible") return true;
            return false;
          };
          return [...document.querySelectorAll("main *")]
            .filter((one) => one.getBoundingClientRect().right > root.clientWidth + 1 && !inside(one))
            .map((one) => `${one.tagName}.${one.className}: ${one.textContent.slice(0, 60)}`);
        }"""
    )
    width = page.evaluate("document.documentElement.scrollWidth")
    assert width <= screen, f"{width} px wide, because of {wide[:5]}"


@pytest.mark.parametrize("theme", ["light", "dark"])
@every_page
def test_has_no_accessibility_violation(new_page, site, path, theme):
    page = new_page(viewport={"width": 1280, "height": 900}, color_scheme=theme, reduced_motion="reduce")
    open_page(page, f"{site}/{path}.html")
    assert page.evaluate("document.documentElement.dataset.theme") == theme
    page.evaluate("for (const fold of document.querySelectorAll('details')) fold.open = true")
    found = violations(page)
    assert not found, "\n".join(found)


@every_page
def test_every_control_is_reached_and_shown_by_the_tab_key(page, site, path):
    open_page(page, f"{site}/{path}.html", scroll=False)
    wanted = page.evaluate(
        """() => {
          const names = "a[href], button, input, select, textarea, summary, [tabindex='0']";
          const seen = [...document.querySelectorAll(names)].filter((one) =>
            one.tabIndex >= 0 && !one.disabled && one.checkVisibility({ visibilityProperty: true }) &&
            !one.closest("dialog:not([open])") &&
            !(one.type === "radio" && !one.checked));
          seen.forEach((one, index) => (one.dataset.wanted = index));
          return seen.length;
        }"""
    )
    assert wanted
    # Remembers what Tab came to, and whether one could see it there.
    page.evaluate(
        """() => {
          window.met = {};
          addEventListener("focusin", ({ target }) => {
            const style = getComputedStyle(target);
            const shown = style.outlineStyle !== "none" || style.boxShadow !== "none";
            window.met[target.dataset.wanted] = shown || target.tagName === "INPUT" ? "" : target.outerHTML;
          });
          document.body.tabIndex = -1;
          document.body.focus();
        }"""
    )
    for _ in range(wanted + 20):
        page.keyboard.press("Tab")
    missed = page.evaluate(
        """() => [...document.querySelectorAll("[data-wanted]")]
          .filter((one) => !(one.dataset.wanted in window.met)).map((one) => one.outerHTML.slice(0, 120))"""
    )
    assert not missed
    bare = page.evaluate("Object.values(window.met).filter(Boolean).map((html) => html.slice(0, 120))")
    assert not bare, "focus that cannot be seen"
