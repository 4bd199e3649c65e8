"""Figures: what the functions make, and what a page without a kernel shows of it."""

import json
import re
import shutil
from html import unescape
from pathlib import Path

import assets
import plotly.io
import pytest
import torch
from axe import violations

from linattn import figures
from linattn.figure_page import table
from linattn.figure_style import PALETTE, color, end_labels

ROOT = Path(__file__).parents[1]
STYLES = (ROOT / "linattn" / "widgets" / "widgets.css").read_text(encoding="utf-8")
WORDS = ["the", "cat", "sat", "on", "the", "mat"]
X = torch.linspace(-3, 3, 7)


def maps():
    series = {"elu + 1": (X, torch.nn.functional.elu(X) + 1), "relu": (X, X.relu())}
    return figures.lines(series, x="x", y="φ(x)", alt="Two feature maps")


def weights():
    return figures.bars({"softmax": (WORDS, X[:6].exp()), "v": (WORDS, X[:6])}, x="token", y="weight", alt="Weights")


def state(**options):
    return figures.heatmap(torch.eye(3) - 0.5, x="value", y="feature", alt="S after token 2", **options)


def variables(theme: str) -> dict[str, str]:
    """The colours of widgets.css in a theme."""
    blocks = re.findall(r"([^{}]*)\{([^{}]*)\}", STYLES)
    found = {}
    for selector, body in blocks:
        if selector.strip().endswith(":root") or (theme == "dark" and 'html[data-theme="dark"],' in selector):
            found |= dict(re.findall(r"(--la-[\w-]+): (#\w+);", body))
    return found


def contrast(one: str, other: str) -> float:
    def luminance(hexadecimal: str) -> float:
        parts = [int(hexadecimal[at : at + 2], 16) / 255 for at in (1, 3, 5)]
        r, g, b = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
        return 0.2126 * r + 0.7152 * g + 0.0722 * b

    darker, lighter = sorted((luminance(one), luminance(other)))
    return (lighter + 0.05) / (darker + 0.05)


def cells(html: str) -> list[list[str]]:
    """The rows of a table as text."""
    rows = re.findall(r"<tr>(.*?)</tr>", html)
    return [[unescape(one) for one in re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row)] for row in rows]


# ---- Colours


def test_palette_is_the_stylesheet_s_light_theme():
    light = variables("light")
    assert {name: light[name] for name in PALETTE} == PALETTE
    assert {f"--la-{name}": value for name, value in figures.COLORS.items()}.items() <= light.items()


def test_every_colour_means_one_variable_so_that_the_theme_can_be_followed():
    assert len(set(PALETTE.values())) == len(PALETTE)


def test_bars_of_symbols_keep_their_colour_in_a_dark_notebook():
    kept = re.findall(r'\[style\*="(rgb[^"]*)"\]', STYLES)
    assert kept == [rgb(value) for value in figures.COLORS.values()]


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_names_lines_and_numbers_are_readable_on_their_ground(theme):
    colors = variables(theme)
    for name in PALETTE:
        if "-ink" in name or "-series-" in name:
            assert contrast(colors[name], colors["--la-surface"]) >= 4.5, name
        if name.endswith("-cell"):
            assert contrast(colors[name], colors["--la-ink"]) >= 4.5, name


@pytest.mark.parametrize("symbol", ["q", "k", "v", "S", "Z", "out"])
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_no_series_has_a_colour_like_that_of_a_symbol_in_its_figure(theme, symbol):
    def lab(hexadecimal: str) -> torch.Tensor:
        parts = torch.tensor([int(hexadecimal[at : at + 2], 16) / 255 for at in (1, 3, 5)])
        linear = torch.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)
        xyz = torch.tensor([[0.434, 0.376, 0.190], [0.213, 0.715, 0.072], [0.018, 0.109, 0.873]]) @ linear
        x, y, z = torch.where(xyz > 0.00886, xyz ** (1 / 3), 7.787 * xyz + 16 / 116)
        return torch.stack((116 * y - 16, 500 * (x - y), 200 * (y - z)))

    shown = variables(theme)
    names = {value: name for name, value in PALETTE.items()}
    n = torch.arange(5)
    for many in range(2, 5):
        series = {symbol: (n, n)} | {f"line {i}": (n, n) for i in range(1, many)}
        own, *others = [line.line.color for line in figures.lines(series, x="n", y="y", alt="Lines").data]
        assert len(set(others)) == len(others)
        for other in others:
            assert (lab(shown[names[own]]) - lab(shown[names[other]])).norm() > 30, names[other]


@pytest.mark.parametrize("name", ["q", "q_0", "φ(q)", "φ(q_t)", "qₜ"])
def test_a_series_that_is_a_symbol_has_its_colour(name):
    assert color(name, 3) == figures.COLORS["q"]
    assert color(name, 3, ink=True) == PALETTE["--la-q-ink"]


@pytest.mark.parametrize("name", ["quadratic", "k = 4", "vector", "outlier", "S and Z"])
def test_a_series_that_only_begins_like_a_symbol_has_a_colour_of_the_sequence(name):
    assert color(name, 0) == PALETTE["--la-series-1"]


# ---- The functions


def test_tensors_of_any_dtype_and_lists_make_the_same_figure():
    values = [0.5, 1.0, -2.0]
    wanted = figures.lines({"a": (range(3), values)}, x="x", y="y", alt="a")
    for dtype in (torch.bfloat16, torch.float32, torch.float64):
        tensor = torch.tensor(values, dtype=dtype, requires_grad=True)
        assert figures.lines({"a": (torch.arange(3), tensor)}, x="x", y="y", alt="a") == wanted


def test_numbers_that_are_not_finite_are_gaps():
    figure = figures.lines({"a": (range(4), [1.0, float("nan"), float("inf"), 2.0])}, x="x", y="y", alt="a")
    assert list(figure.data[0].y) == [1.0, None, None, 2.0]
    assert cells(table(figure))[2] == ["1", ""]


def test_names_at_the_ends_of_lines_do_not_touch():
    ends = {name: (range(3), [0, 1, value]) for name, value in {"a": 1.0, "b": 1.001, "c": 1.002, "d": 3.0}.items()}
    figure = figures.lines(ends, x="x", y="y", alt="a")
    pixels = sorted(label["y"] * 100 + label["yshift"] for label in end_labels(figure.data, False, False))
    assert all(above - below >= 17 for below, above in zip(pixels, pixels[1:], strict=False))
    assert {note.text for note in figure.layout.annotations if note.name == "end"} == set(ends)


def test_a_logarithm_has_its_ticks_at_the_points_and_its_names_at_the_logarithm():
    n = [256, 512, 1024]
    series = {"a": (n, [0.0, 1.0, 100.0]), "b": (n, [1.0, 10.0, 1000.0])}
    figure = figures.lines(series, x="n", y="ms", alt="a", log_x=True, log_y=True)
    assert list(figure.layout.xaxis.tickvals) == n
    assert {note.y for note in figure.layout.annotations if note.name == "end"} == {2.0, 3.0}


def test_bars_with_the_same_name_stay_apart():
    figure = weights()
    assert list(figure.data[0].x) == list(range(6))
    assert list(figure.layout.xaxis.ticktext) == WORDS


def test_large_numbers_have_commas():
    n = [256, 16384, 1048576]
    figure = figures.lines({"a": (n, [999.5, 1234.5, 65536])}, x="n", y="ms", alt="a", log_x=True)
    assert list(figure.layout.xaxis.ticktext) == ["256", "16,384", "1.049e6"]
    assert figure.layout.template.layout.yaxis.separatethousands
    assert all(f"<td>{text}</td>" in figure._repr_html_() for text in ("999.5", "1,234", "65,536"))


def test_a_tiny_bar_has_a_short_number():
    figure = figures.bars({"a": ("ab", [3.8125e-6, -0.5])}, x="x", y="y", alt="a")
    assert list(figure.data[0].text) == ["3.81e−6", "−0.5"]


def test_a_signed_map_is_centred_on_zero_and_a_positive_one_starts_there():
    assert (state().data[0].zmin, state().data[0].zmax) == (-0.5, 0.5)
    positive = figures.heatmap([[1.0, 4.0]], x="x", y="y", alt="a", signed=False)
    assert (positive.data[0].zmin, positive.data[0].zmax) == (0, 4)


def test_what_a_row_does_not_see_has_a_mark_and_no_number():
    figure = figures.heatmap(torch.tensor([[1.0, 7], [0, 1]]), x="x", y="y", alt="a", causal=True)
    seen, hidden = figure.data
    assert [list(row) for row in seen.z] == [[1, None], [0, 1]] and seen.zmax == 1
    assert [list(row) for row in hidden.z] == [[None, 0], [None, None]]
    assert hidden.texttemplate == "%{text}" and "hidden" in hidden.hovertemplate
    # Plotly writes a text over a cell without a number, too.
    assert [list(row) for row in hidden.text] == [["", "·"], ["", ""]]
    assert cells(table(figure)) == [["y \\ x", "0", "1"], ["0", "1", "hidden"], ["1", "0", "1"]]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: figures.lines({"a": ([1], [1])}, x="x", y="y", alt=" "), "alt must say"),
        (lambda: figures.lines({}, x="x", y="y", alt="a"), "nothing to draw"),
        (lambda: figures.lines({"a": ([1, 2], [1])}, x="x", y="y", alt="a"), "x of 'a' and y of 'a' .* 2 and 1"),
        (lambda: figures.lines({"a": (X, torch.eye(7))}, x="x", y="y", alt="a"), "y of 'a' must have one axis"),
        (lambda: figures.bars({"a": (WORDS, [1.0])}, x="x", y="y", alt="a"), "labels and values of 'a' .* 6 and 1"),
        (lambda: figures.bars({"a": ("ab", [1, 2]), "b": ("ac", [1, 2])}, x="x", y="y", alt="a"), "'b' has labels"),
        (lambda: figures.heatmap(X, x="x", y="y", alt="a"), "a row of the matrix must have one axis"),
        (lambda: figures.heatmap([], x="x", y="y", alt="a"), "nothing to draw"),
        (lambda: figures.heatmap([[1, 2], [1]], x="x", y="y", alt="a"), "columns and a row of the matrix"),
        (lambda: state(rows=["one"]), "rows and the matrix must be equally long, they are 1 and 3"),
    ],
)
def test_refuses_with_a_message_that_says_what(call, message):
    with pytest.raises(ValueError, match=message):
        call()


# ---- The numbers as a table


def test_the_table_has_every_number_of_lines_bars_and_maps():
    assert cells(table(maps()))[0] == ["x", "elu + 1", "relu"]
    assert cells(table(maps()))[1] == ["−3", "0.04979", "0"]
    assert [row[0] for row in cells(table(weights()))] == ["token", *WORDS]
    assert cells(table(state(rows=list("abc"))))[2] == ["b", "−0.5", "0.5", "−0.5"]


def test_a_long_table_says_which_rows_it_lists():
    figure = figures.lines({"a": (range(100), range(100))}, x="x", y="y", alt="a")
    html = table(figure)
    assert "(every 3rd row)" in html
    assert [row[0] for row in cells(html)[1:]] == [str(value) for value in range(0, 100, 3)]


# ---- The forms a figure travels in


def test_a_notebook_gets_plotly_s_own_form_without_its_buttons(monkeypatch):
    monkeypatch.delenv("LINATTN_BOOK", raising=False)
    monkeypatch.setattr(plotly.io.renderers, "default", "plotly_mimetype")
    bundle = maps()._repr_mimebundle_()
    plot = bundle["application/vnd.plotly.v1+json"]
    assert plot["config"] == {"displayModeBar": False}
    assert plot["data"][0]["line"]["color"] == PALETTE["--la-series-1"]
    assert "cdn" not in bundle["text/html"]


def test_the_book_gets_html_only_with_the_theme_s_variables_for_colours(monkeypatch):
    monkeypatch.setenv("LINATTN_BOOK", "1")
    bundle = maps()._repr_mimebundle_()
    assert set(bundle) == {"text/plain", "text/html"}
    for value in PALETTE.values():
        assert value not in bundle["text/html"]


def test_no_text_can_leave_the_page_s_json_or_become_markup():
    figure = figures.lines({"</script><b>": ([1], [1])}, x='"><i>', y="<u>", alt='"><img src=x>')
    html = figure._repr_html_()
    assert html.count("</script>") == 1 and "<b>" not in html and "<img" not in html and "<u>" not in html
    plot = json.loads(re.search(r'<script type="application/json">(.*?)</script>', html)[1])
    assert plot["data"][0]["name"] == "</script><b>"


def test_a_figure_can_be_edited_on():
    figure = maps().update_layout(height=500)
    figure.add_scatter(x=[0, 1], y=[2, 3], name="mine")
    assert isinstance(figure, figures.Figure)
    assert cells(table(figure))[0][-1] == "mine"


# ---- In the browser

PAGE = """<!doctype html>
<html lang="en" data-theme="light"><meta charset="utf-8"><title>Figures</title>
<meta name="viewport" content="width=device-width, initial-scale=1"><link rel="icon" href="data:,">
<link rel="stylesheet" href="widgets.css"><script defer src="figures.js"></script>
<style>body {{ max-width: 760px; margin: 0 auto; padding: 0 16px; font-family: sans-serif;
background: var(--la-surface); color: var(--la-ink) }}</style>
<body><main><h1>Figures</h1>{body}</main></body></html>
"""
FAR = '<div style="height: 4000px"></div>'


@pytest.fixture
def write(tmp_path):
    """Write a page with HTML in its body, and all that its figures need beside it."""
    assets.install()
    (tmp_path / "vendor").mkdir()
    shutil.copy(assets.MODULES / "plotly.js-cartesian-dist-min" / "plotly-cartesian.min.js", tmp_path / "vendor")
    shutil.copy(ROOT / "book" / "_static" / "figures.js", tmp_path)
    shutil.copy(ROOT / "linattn" / "widgets" / "widgets.css", tmp_path)

    def write_page(*parts: object) -> Path:
        html = [part if isinstance(part, str) else part._repr_html_() for part in parts]
        path = tmp_path / "page.html"
        path.write_text(PAGE.format(body="\n".join(html)), encoding="utf-8")
        return path

    return write_page


def drawn(page, count):
    page.wait_for_function(
        "count => document.querySelectorAll('.la-figure-drawn .main-svg').length >= count", arg=count
    )


def line_colour(page):
    return page.locator(".scatterlayer .js-line").first.evaluate("line => getComputedStyle(line).stroke")


def rgb(hexadecimal):
    return f"rgb({', '.join(str(int(hexadecimal[at : at + 2], 16)) for at in (1, 3, 5))})"


def test_draws_what_was_made_from_a_file_and_follows_the_theme(page, write):
    page.goto(write(maps(), weights(), state()).as_uri())
    page.locator(".la-figure").last.scroll_into_view_if_needed()
    drawn(page, 3)
    assert page.locator(".la-figure").nth(0).locator(".js-line").count() == 2
    assert page.locator(".la-figure").nth(1).locator(".bars path").count() == 12
    assert page.locator(".la-figure").nth(2).get_by_text("0.50", exact=True).count() == 3
    assert page.locator(".la-figure").nth(0).get_by_text("elu + 1").first.is_visible()
    assert page.locator(".modebar-btn").count() == 0
    assert line_colour(page) == rgb(variables("light")["--la-series-1"])
    page.evaluate("document.documentElement.dataset.theme = 'dark'")
    dark = rgb(variables("dark")["--la-series-1"])
    page.wait_for_function("wanted => getComputedStyle(document.querySelector('.js-line')).stroke === wanted", arg=dark)


def test_fetches_plotly_once_and_only_when_a_figure_is_near(page, write, address):
    write(FAR, maps(), weights())
    asked = []
    page.on("request", lambda request: asked.append(request.url) if "plotly" in request.url else None)
    page.goto(address)
    page.wait_for_load_state("networkidle")
    assert not asked
    page.locator(".la-figure").first.scroll_into_view_if_needed()
    drawn(page, 2)
    assert len(asked) == 1


def test_a_page_without_figures_asks_for_nothing(page, write, address):
    write("<p>No figure here.</p>")
    asked = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(address)
    page.wait_for_load_state("networkidle")
    assert not [url for url in asked if "plotly" in url]


def test_one_broken_figure_shows_its_numbers_and_the_others_are_drawn(new_page, write, errors):
    broken = maps()._repr_html_().replace('"data":[', '"data":[7,', 1)
    unreadable = weights()._repr_html_().replace('{"data"', '{"data', 1)
    page = new_page()
    page.goto(write(broken, unreadable, state()).as_uri())
    page.locator(".la-figure").last.scroll_into_view_if_needed()
    page.locator(".la-figure").last.locator(".main-svg").first.wait_for()
    for at in range(2):
        one = page.locator(".la-figure").nth(at)
        one.locator("table").wait_for()
        assert one.locator(".la-figure-plot > p").is_visible()
        assert one.locator(".main-svg").count() == 0
    assert not page.locator("table").last.is_visible()
    assert len(errors) >= 2


def test_without_plotly_every_figure_is_its_sentence_and_its_numbers(new_page, write):
    path = write(maps(), state())
    (path.parent / "vendor" / "plotly-cartesian.min.js").unlink()
    page = new_page()
    page.goto(path.as_uri())
    for table_of_one in page.locator("table").all():
        table_of_one.wait_for()
    assert page.get_by_text("Two feature maps").is_visible()


def test_without_scripts_every_figure_is_its_sentence_and_its_numbers(new_page, write):
    page = new_page(java_script_enabled=False)
    page.goto(write(maps(), state()).as_uri())
    assert page.locator("table:visible").count() == 2
    assert page.get_by_text("S after token 2").is_visible()


def test_numbers_fold_open_from_the_keyboard(page, write):
    page.goto(write(maps()).as_uri())
    drawn(page, 1)
    assert page.locator("table:visible").count() == 0
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    assert page.locator("table:visible").count() == 1
    assert page.get_by_role("img", name="Two feature maps").is_visible()


def test_fits_a_phone_and_a_finger_on_it_moves_the_page(new_page, write):
    page = new_page(viewport={"width": 360, "height": 740}, has_touch=True, is_mobile=True)
    page.goto(write(maps(), weights(), state(), FAR).as_uri())
    drawn(page, 3)
    assert page.evaluate("document.documentElement.scrollWidth") == 360
    widths = page.locator(".la-figure .main-svg").evaluate_all(
        "all => all.map(one => one.getBoundingClientRect().right)"
    )
    assert max(widths) <= 360
    assert page.locator(".la-figure").first.locator(".legendtext").all_text_contents() == ["elu + 1", "relu"]
    box = page.locator(".la-figure-plot").first.bounding_box()
    finger = page.context.new_cdp_session(page)
    x, y = box["x"] + 150, box["y"] + 200
    finger.send("Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": [{"x": x, "y": y}]})
    for moved in range(15, 165, 15):
        finger.send("Input.dispatchTouchEvent", {"type": "touchMove", "touchPoints": [{"x": x, "y": y - moved}]})
    finger.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    page.wait_for_function("scrollY > 50")


def test_every_name_of_a_bar_is_shown_on_a_phone_too(new_page, write):
    names = ["softmax", "elu + 1", "relu + ε", "squared relu", "exponential", "Taylor", "Hedgehog", "DPFP"]
    page = new_page(viewport={"width": 360, "height": 740})
    page.goto(write(figures.bars({"a": (names, X.exp().tolist() + [1])}, x="map", y="entropy", alt="a")).as_uri())
    drawn(page, 1)
    shown = page.locator(".xtick text").all_text_contents()
    assert [name.replace(" ", "") for name in shown] == [name.replace(" ", "") for name in names]


def test_follows_a_change_of_width(page, write):
    page.goto(write(maps()).as_uri())
    drawn(page, 1)
    page.set_viewport_size({"width": 500, "height": 800})
    page.wait_for_function("document.querySelector('.main-svg').getBoundingClientRect().right <= 500")
    assert page.locator(".legendtext").count() == 2


@pytest.mark.parametrize("scheme", ["http", "file"])
def test_every_figure_is_on_paper_also_one_that_was_never_near(page, write, address, tmp_path, scheme):
    local = write(FAR, maps(), state()).as_uri()
    page.goto(local if scheme == "file" else address)
    if scheme == "file":
        page.wait_for_function("window.Plotly")
    assert page.locator(".main-svg").count() == 0
    # Added after the script's own listener: what is seen here is what is printed.
    page.evaluate(
        """() => addEventListener("beforeprint", () => {
          window.printed = [...document.querySelectorAll(".la-figure")].map((figure) =>
            figure.querySelectorAll(".js-line, .heatmaplayer image").length &&
            figure.querySelector(".main-svg").getBoundingClientRect().width);
        })"""
    )
    page.pdf(path=tmp_path / "page.pdf")
    lines, matrix = page.evaluate("window.printed")
    assert lines == 640 and 0 < matrix <= 640


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_axe_finds_nothing(page, write, address, theme):
    write(maps(), weights(), state())
    page.goto(address)
    drawn(page, 3)
    page.evaluate("theme => (document.documentElement.dataset.theme = theme)", theme)
    page.evaluate("for (const fold of document.querySelectorAll('details')) fold.open = true")
    assert not violations(page)
