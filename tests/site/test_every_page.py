"""Every page of the built book, in a real browser that reaches nothing but this machine."""

import pytest
from pages import PAGES, ROOT, open_page, short

AXE = ROOT / "node_modules" / "axe-core" / "axe.min.js"
every_page = pytest.mark.parametrize("path", PAGES, ids=short)


@every_page
def test_loads_whole_with_no_error_and_no_outside_request(page, site, path):
    # The `page` fixture fails on a console error, an exception or a request that leaves this machine.
    open_page(page, f"{site}/{path}.html")
    assert page.locator("h1").first.inner_text()


@every_page
def test_opens_from_a_file(page, site_folder, path):
    open_page(page, (site_folder / f"{path}.html").as_uri())
    equations, typeset = (page.locator(selector).count() for selector in (".math", ".math > mjx-container"))
    assert typeset == equations


@every_page
def test_typesets_every_equation(page, site, path):
    open_page(page, f"{site}/{path}.html", scroll=False)
    left = page.evaluate(
        """() => [...document.querySelectorAll(".math")]
          .filter((span) => !span.querySelector("mjx-container") || span.querySelector("mjx-merror"))
          .map((span) => span.textContent)"""
    )
    assert not left
    text = page.locator("article").inner_text()
    raw = [word for word in text.split() if word.startswith(("$", r"\(", r"\["))]
    assert raw == [word for word in raw if word == "$"], "TeX that nobody typeset"


@every_page
def test_does_not_scroll_sideways_on_a_phone(new_page, site, path):
    page = new_page(viewport={"width": 360, "height": 780}, has_touch=True)
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
    assert width <= 360, f"{width} px wide, because of {wide[:5]}"


@pytest.mark.parametrize("theme", ["light", "dark"])
@every_page
def test_has_no_accessibility_violation(new_page, site, path, theme):
    page = new_page(viewport={"width": 1280, "height": 900}, color_scheme=theme, reduced_motion="reduce")
    open_page(page, f"{site}/{path}.html")
    assert page.evaluate("document.documentElement.dataset.theme") == theme
    page.evaluate("for (const fold of document.querySelectorAll('details')) fold.open = true")
    page.add_script_tag(path=AXE)
    found = page.evaluate(
        """async () => (await axe.run(document, { resultTypes: ["violations"] })).violations.map((violation) =>
          `${violation.id} (${violation.impact}): ${violation.help}\\n` +
          violation.nodes.slice(0, 4).map((node) =>
            `    ${node.target.join(" ")}\\n      ${node.html.slice(0, 160)}\\n      ${node.any[0]?.message ?? ""}`
          ).join("\\n"))"""
    )
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
    page.evaluate("document.body.tabIndex = -1; document.body.focus()")
    met, bare = set(), set()
    for _ in range(wanted + 25):
        page.keyboard.press("Tab")
        found = page.evaluate(
            """() => {
              const at = document.activeElement;
              const style = getComputedStyle(at);
              const shown = (style.outlineStyle !== "none" && style.outlineWidth !== "0px") ||
                style.boxShadow !== "none" || at.tagName === "INPUT";
              return [at.dataset.wanted ?? null, shown, at.outerHTML.slice(0, 120)];
            }"""
        )
        if found[0] is not None:
            met.add(int(found[0]))
            if not found[1]:
                bare.add(found[2])
        if len(met) == wanted:
            break
    missed = page.evaluate(
        "(met) => [...document.querySelectorAll('[data-wanted]')].filter((one) => !met.includes(+one.dataset.wanted))"
        ".map((one) => one.outerHTML.slice(0, 120))",
        sorted(met),
    )
    assert not missed
    assert not bare, "focus that cannot be seen"
