"""The feature-map widget: its arithmetic against torch, its Python side, and every control in a real browser."""

import math

import pytest
import torch
from playwright.sync_api import Page, expect
from reader import SPOKEN, answer, assert_reached, button, close, enter_full_screen, run, show, spoken

from linattn import feature_maps, positive_random_features
from linattn.widgets import FeatureMapExplorer
from linattn.widgets.feature_map_explorer import MAPS
from linattn.widgets.still import number
from linattn.widgets.trait_types import ENTRYWISE

NAMES = list(MAPS)


def call(page: Page, expression: str, *arguments: object) -> object:
    return run(page, "feature_map_explorer_asks", expression, *arguments)


def state(widget: FeatureMapExplorer) -> dict:
    names = ["view", "feature_map", "m", "seed", "x", "pair", "q", "k"]
    return widget.get_state(names)


@pytest.mark.parametrize("name", NAMES)
def test_features_and_slopes_equal_torch(page, name):
    widget = FeatureMapExplorer(MAPS[name], m=7, seed=3)
    x = torch.tensor([-4, -1.5, -0.1, 0, 0.1, 2, 4], dtype=torch.float64)
    phi, slopes = widget.along(x)
    found = call(
        page,
        "(s, d, xs) => xs.map((x) => $feature_map_explorer_math.alongEntry(s, d, x))",
        state(widget), widget.directions, x.tolist(),
    )  # fmt: skip
    close([each["phi"] for each in found], phi)
    close([each["slope"] for each in found], slopes)


def test_dead_and_negative_zones_are_where_torch_finds_them(page):
    dead = call(page, "() => $feature_map_explorer_math.DEAD_UP_TO")
    negative = call(page, "() => $feature_map_explorer_math.NEGATIVE_UP_TO")
    x = torch.arange(-40, 41, dtype=torch.float64) / 10
    for name in ENTRYWISE:
        phi, slopes = FeatureMapExplorer(MAPS[name]).along(x)
        assert torch.equal(slopes[:, 0] == 0, x <= dead.get(name, -math.inf)), name
        assert torch.equal(phi[:, 0] < 0, x < negative.get(name, -math.inf)), name


@pytest.mark.parametrize("q", [(1.5, 1.0), (-2.0, -0.5), (-3.0, -3.0), (0.0, 0.0)])
@pytest.mark.parametrize("name", NAMES)
def test_a_row_equals_torch(page, name, q):
    widget = FeatureMapExplorer(MAPS[name], q=q, m=33, seed=7)
    found = call(page, "(s, d) => $feature_map_explorer_math.readRow(s, d)", state(widget), widget.directions)
    # The browser's own answer against the library's map, without the widget's Python.
    phi = positive_random_features(2, 33, 7) if name == "positive_random_features" else MAPS[name]
    query, keys = torch.tensor([q], dtype=torch.float64), widget.k
    kernel = (phi(query) @ phi(keys).mT)[0]
    close(found["kernel"], kernel)
    close(found["denominator"], kernel.sum())
    close(found["exp"], (keys @ query[0] / math.sqrt(2)).exp())
    close(found["softmax"], (keys @ query[0] / math.sqrt(2)).softmax(-1))
    close(found["weights"], kernel / (kernel.sum() + 1e-6))
    close(found["weights"], widget.weights)
    mine, softmax = widget.entropy
    assert (found["entropy"] is None) == (mine is None) == bool((kernel < 0).any() or (kernel == 0).all())
    assert mine is None or found["entropy"] == pytest.approx(mine, abs=1e-6)
    assert found["softmaxEntropy"] == pytest.approx(softmax, abs=1e-6)


def test_every_size_and_seed_of_the_random_features_is_the_librarys():
    directions = torch.tensor(FeatureMapExplorer().directions, dtype=torch.float64)
    x = torch.tensor([[1.2, -0.7]], dtype=torch.float64)
    for seed in range(8):
        for m in (1, 2, 5, 64):
            y = x / 2**0.25
            found = (y @ directions[seed, :m].T - y.square().sum() / 2).exp() / m**0.5
            torch.testing.assert_close(found, positive_random_features(2, m, seed)(x), rtol=1e-6, atol=1e-6)


def test_turning_a_query_leads_around_and_back(page):
    turns = call(page, "() => [...Array(24)].map((_, i) => $feature_map_explorer_math.turned(2, i / 24))")
    assert call(page, "(x) => x.map($feature_map_explorer_math.turnOf)", turns) == list(range(24))
    wanted = [[2 * math.cos(i * math.pi / 12), 2 * math.sin(i * math.pi / 12)] for i in range(24)]
    torch.testing.assert_close(torch.tensor(turns), torch.tensor(wanted), rtol=0, atol=0.0051)


# ---- Python ----


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"feature_map": torch.relu}, "feature_map must be one of"), ({"q": (1, 2, 3)}, r"q must be \(2,\)"),
        ({"q": (4, 0)}, "from −3 to 3"), ({"k": torch.ones(7, 2)}, "up to 6"), ({"x": 5}, "x must be"),
        ({"pair": 5}, "pair must be from 0 to 4"), ({"m": 0}, "m must be"), ({"seed": 8}, "seed must be"),
    ],
)  # fmt: skip
def test_what_cannot_be_drawn_is_refused_with_a_reason(arguments, message):
    with pytest.raises(Exception, match=message):
        FeatureMapExplorer(**arguments)


def test_what_the_reader_does_reaches_python():
    widget = FeatureMapExplorer()
    widget.set_state({"feature_map": "identity_shifted", "q": [[-2.0, -0.5]], "x": -1.0})
    assert widget.phi is feature_maps.identity_shifted and widget.entropy[0] is None
    assert widget.denominator.item() == pytest.approx(-2.25)
    widget.set_state({"feature_map": "positive_random_features", "m": 5, "seed": 2})
    assert torch.equal(widget.phi(widget.k), positive_random_features(2, 5, 2)(widget.k))


def test_a_slope_that_jumps_is_drawn_with_a_gap(page, new_page, write_page):
    path = write_page(FeatureMapExplorer(feature_maps.relu_plus_eps))
    show(page, path)
    still = new_page(java_script_enabled=False)
    still.goto(path.as_uri())
    for lines in (page.locator(".la-fm-figure >> nth=1 >> polyline"), still.locator("polyline[stroke-dasharray]")):
        expect(lines).to_have_count(2)
        for line in lines.all():
            assert len({point.split(",")[1] for point in line.get_attribute("points").split()}) == 1
    page.locator("select").filter(has_text="elu").select_option("squared_relu")
    expect(page.locator(".la-fm-figure >> nth=1 >> polyline")).to_have_count(1)


@pytest.mark.parametrize("q", [(1.2, 0.8), (2.3, 1.8), (1.5, 1), (2.6, 3), (-1.2, 2.3)])
def test_the_disc_of_q_hides_no_name_of_a_key(page, write_page, q):
    show(page, write_page(FeatureMapExplorer(view="row", q=q, k=[(2, 1.5), (-1.5, 2), (3, 3), (1, -2.5), (0.5, 0.5)])))
    dot = page.locator(".la-plane .la-fill-q").bounding_box()
    middle = [dot["x"] + dot["width"] / 2, dot["y"] + dot["height"] / 2]
    field = page.locator(".la-plane").bounding_box()
    sides = ("x", "y"), ("width", "height")
    for box in (text.bounding_box() for text in page.locator(".la-plane text.la-sym-k").all()):
        nearest = (min(max(m, box[x]), box[x] + box[size]) for m, x, size in zip(middle, *sides, strict=True))
        # The box of a text is taller than its letters.
        assert math.dist(middle, nearest) > dot["width"] / 2 - 6
        assert field["x"] <= box["x"] and box["x"] + box["width"] <= field["x"] + field["width"]


def test_still_has_the_numbers(new_page, write_page):
    widget = FeatureMapExplorer(feature_maps.squared_relu, q=(2, 1))
    page = new_page(java_script_enabled=False)
    page.goto(write_page(widget).as_uri())
    expect(page.locator(".la-fm-still polyline")).to_have_count(2)
    rows = page.locator("table.la-numbers tbody tr")
    expect(rows).to_have_count(17 + 5)
    expect(rows.nth(12)).to_contain_text("4.0000")
    for i in range(5):
        expect(rows.nth(17 + i)).to_contain_text(number(widget.weights[i].item(), 4))
    expect(rows.nth(17)).to_contain_text("k₀")
    expect(page.locator("table.la-numbers caption").last).to_contain_text("q = (2, 1):")


# ---- The page ----


@pytest.fixture
def opened(page, write_page) -> Page:
    show(page, write_page(FeatureMapExplorer()))
    page.emulate_media(reduced_motion="reduce")
    return page


def cells(page: Page, name: str) -> list[str]:
    found = page.get_by_role("grid", name=name, exact=True).locator(".la-cell")
    return found.evaluate_all("(all) => { " + SPOKEN + " return all.map(spoken); }")


def check_curve(page: Page, name: str, x: float) -> None:
    point = torch.tensor([x], dtype=torch.float64)
    phi, slope = FeatureMapExplorer(MAPS[name]).along(point)
    alone = name not in ("taylor_2", "positive_random_features")
    names = ("φ(x)", "slope φ′(x)") if alone else ("length of φ", "length of the slopes")
    for label, y in zip(names, (phi, slope), strict=True):
        assert cells(page, label) == [spoken((y[0, 0] if alone else y.norm()).item())]
    expect(page.get_by_role("slider", name="x", exact=True)).to_have_value(f"{x:g}")


def check_cells(page: Page, name: str, wanted: torch.Tensor) -> None:
    found = cells(page, name)
    assert len(found) == wanted.numel()
    # Between two roundings the last bit decides, and the two sum in different orders.
    for text, x in zip(found, wanted.reshape(-1).tolist(), strict=True):
        assert text in (spoken(x * (1 - 1e-12)), spoken(x * (1 + 1e-12)))


def check_row(page: Page, name: str = "elu_plus_one", **arguments) -> FeatureMapExplorer:
    widget = FeatureMapExplorer(MAPS[name], **arguments)
    check_cells(page, "weights", widget.weights)
    check_cells(page, "softmax weights", widget.softmax)
    check_cells(page, "scores φ(q)·φ(k)", widget.kernel)
    check_cells(page, "denominator", widget.denominator)
    mine, softmax = widget.entropy
    told = page.locator(".la-fm-entropies")
    expect(told).to_contain_text(
        f"entropy of softmax: {number(softmax, 3)} (looks at {math.exp(softmax):.1f} of 5 keys)"
    )
    expect(told).to_contain_text("none" if mine is None else f"entropy of this map: {number(mine, 3)}")
    meters = page.locator(".la-fm-meter").evaluate_all(
        "(all) => all.map((x) => Number(x.style.getPropertyValue('--share')))"
    )
    close(meters, torch.tensor([math.exp(softmax), 0 if mine is None else math.exp(mine)], dtype=torch.float64) / 5)
    return widget


def test_every_map_along_x(opened):
    choice = opened.get_by_role("combobox", name="feature map φ")
    slider = opened.get_by_role("slider", name="x", exact=True)
    for name in NAMES:
        choice.select_option(name)
        for x in (-4, -1.5, 0, 2.5):
            slider.fill(str(x))
            check_curve(opened, name, x)
    button(opened, "reset").click()
    check_curve(opened, "elu_plus_one", 1)


@pytest.mark.parametrize(("name", "dead"), [("squared_relu", True), ("relu_plus_eps", True), ("elu_plus_one", False)])
def test_the_gradient_bar_vanishes_in_a_dead_zone(opened, name, dead):
    opened.get_by_role("combobox", name="feature map φ").select_option(name)
    bar = opened.locator(".la-fm-gradient")
    length = "(line) => Math.abs(line.y1.baseVal.value - line.y2.baseVal.value)"
    assert bar.evaluate(length) > 10
    opened.get_by_role("slider", name="x", exact=True).fill("-2")
    assert (bar.evaluate(length) == 0) == dead
    expect(opened.locator(".la-fm-zone")).to_have_count(2 * dead)
    expect(opened.locator(".la-fm-zone-name")).to_have_text(["dead zone: φ′ = 0"] * dead)
    expect(opened.locator(".la-status")).to_contain_text("Dead zone: no gradient" if dead else "gradient passes")


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_bar_of_the_gradient_alone_is_green(opened, theme):
    opened.evaluate(f"document.documentElement.dataset.theme = '{theme}'")
    strokes = "(all) => all.map((e) => getComputedStyle(e).stroke)"
    (green,) = opened.locator(".la-fm-gradient").evaluate_all(strokes)
    others = opened.locator(".la-fm-plot :is(line, polyline):not(.la-fm-gradient)").evaluate_all(strokes)
    assert len(others) > 3 and green not in others


@pytest.mark.parametrize("width", [300, 330, 360, 400, 760])
def test_no_caption_of_a_pair_breaks_inside_a_formula(opened, width):
    button(opened, "One pair").click()
    opened.set_viewport_size({"width": width, "height": 800})
    formulas = opened.locator(".la-fm-pair figcaption > span")
    expect(formulas).to_have_text(["φ(cq)·φ(k0)", "exp(c q·k0/√d)"])
    inside = "(e) => { const [a, b] = [e.firstChild, e.lastChild].map((x) => { const range = document.createRange();"
    inside += (
        " range.selectNodeContents(x); return range.getBoundingClientRect(); }); return Math.abs(a.top - b.top); }"
    )
    assert max(one.evaluate(inside) for one in formulas.all()) < 5


def test_x_by_drag_field_steps_and_keys(opened):
    plot = opened.locator(".la-fm-plot").first.bounding_box()
    opened.mouse.move(plot["x"] + 60, plot["y"] + 60)
    opened.mouse.down()
    opened.mouse.move(plot["x"] + plot["width"] * (34 + 0.25 * 310) / 360, plot["y"] + 70)
    opened.mouse.up()
    check_curve(opened, "elu_plus_one", -2)
    field = opened.get_by_role("textbox", name="x")
    field.fill("−0,25")
    field.press("Enter")
    assert cells(opened, "φ(x)") == [spoken(math.exp(-0.25))]
    button(opened, "First step").click()
    check_curve(opened, "elu_plus_one", -4)
    button(opened, "Next step").click()
    check_curve(opened, "elu_plus_one", -3.5)
    button(opened, "Last step").click()
    check_curve(opened, "elu_plus_one", 4)
    button(opened, "Step back").click()
    opened.locator(".la-root").focus()
    for key, x in (("ArrowRight", 4), ("ArrowLeft", 3.5), ("Home", -4), ("End", 4)):
        opened.keyboard.press(key)
        check_curve(opened, "elu_plus_one", x)
    button(opened, "First step").click()
    opened.get_by_role("combobox", name="Speed").select_option("4")
    opened.keyboard.press("Escape")
    button(opened, "Play").click()
    expect(button(opened, "Play")).to_be_visible(timeout=10000)
    check_curve(opened, "elu_plus_one", 4)


def test_a_pair_by_mouse_keys_and_numbers(opened):
    button(opened, "One pair").click()
    choice = opened.get_by_role("combobox", name="feature map φ")

    def check(name="elu_plus_one", **arguments):
        widget = FeatureMapExplorer(MAPS[name], **arguments)
        i = widget.pair
        assert cells(opened, "kernel of the pair") == [spoken(widget.kernel[i].item())]
        exponential = (widget.k[i] @ widget.q[0] / math.sqrt(2)).exp().item()
        assert cells(opened, "exponential") == [spoken(exponential)]

    for name in NAMES:
        choice.select_option(name)
        check(name)
    opened.get_by_role("slider", name="m, number of features").count()
    choice.select_option("positive_random_features")
    opened.get_by_role("slider", name="m, number of features").fill("40")
    opened.get_by_role("slider", name="seed of W").fill("5")
    check("positive_random_features", m=40, seed=5)
    choice.select_option("exponential")
    expect(opened.get_by_role("slider", name="seed of W")).to_be_hidden()
    opened.get_by_role("slider", name="k₂ in the plane").click()
    check("exponential", pair=2)
    expect(opened.locator(".la-fm-pale")).to_have_count(4)
    opened.keyboard.press("ArrowRight")
    opened.keyboard.press("Shift+ArrowUp")
    keys = [list(key) for key in FeatureMapExplorer().k.tolist()]
    keys[2] = [-1.9, 0.0]
    check("exponential", pair=2, k=keys)
    handle = opened.get_by_role("slider", name="q in the plane").bounding_box()
    field = opened.locator(".la-plane").bounding_box()
    opened.mouse.move(handle["x"] + 14, handle["y"] + 14)
    opened.mouse.down()
    # −1 and −2 on a plane of 300 with 18 around ±3.
    opened.mouse.move(*(field[a] + field["width"] * (150 + s * 132 / 3) / 300 for a, s in (("x", -1), ("y", 2))))
    opened.mouse.up()
    check("exponential", pair=2, k=keys, q=(-1, -2))
    entry = opened.get_by_role("textbox", name="q, 0")
    entry.fill("0.5")
    entry.press("Enter")
    check("exponential", pair=2, k=keys, q=(0.5, -2))
    opened.get_by_role("textbox", name="k, one column a key, row 1, column 4").fill("-3")
    opened.keyboard.press("Enter")
    keys[4] = [0.5, -3.0]
    check("exponential", pair=4, k=keys, q=(0.5, -2))
    opened.keyboard.press("Escape")
    button(opened, "One row").click()
    check_row(opened, "exponential", k=keys, q=(0.5, -2))


def test_a_row_and_its_turn(opened):
    button(opened, "One row").click()
    choice = opened.get_by_role("combobox", name="feature map φ")
    for name in NAMES:
        choice.select_option(name)
        check_row(opened, name)
    choice.select_option("elu_plus_one")
    radius = math.hypot(1.5, 1)
    step = opened.get_by_role("slider", name="Step", exact=True)
    for i in (0, 7, 16):
        step.fill(str(i))
        angle = i * math.pi / 12
        check_row(opened, q=[round(radius * f(angle), 2) for f in (math.cos, math.sin)])
    button(opened, "First step").click()
    check_row(opened, q=(1.8, 0))
    button(opened, "Next step").click()
    button(opened, "Step back").click()
    check_row(opened, q=(1.8, 0))
    # Dragging over the denominator's line turns the query too.
    line = opened.locator(".la-fm-turn .la-fm-plot").bounding_box()
    opened.mouse.move(line["x"] + 50, line["y"] + 40)
    opened.mouse.down()
    opened.mouse.move(line["x"] + line["width"] * (34 + 310 / 2) / 360, line["y"] + 40)
    opened.mouse.up()
    check_row(opened, q=(-1.8, 0))


def test_a_negative_map_breaks_the_denominator(opened):
    button(opened, "One row").click()
    opened.get_by_role("combobox", name="feature map φ").select_option("identity_shifted")
    for i, x in enumerate(("-2", "-0.5")):
        opened.get_by_role("textbox", name=f"q, {i}").fill(x)
        opened.keyboard.press("Enter")
    check_row(opened, "identity_shifted", q=(-2, -0.5))
    expect(opened.locator(".la-fm-bar-map.la-negative")).to_have_count(2)
    expect(opened.locator(".la-fm-turn .la-fm-dot-dead")).to_have_count(1)
    expect(opened.locator(".la-fm-turn .la-fm-zone")).to_have_count(1)
    expect(opened.locator(".la-fm-entropies")).to_contain_text("none, as some weights are negative")
    expect(opened.locator(".la-fm-turn")).to_contain_text("Shaded: below 0.")
    expect(opened.locator(".la-status")).to_contain_text(
        "The denominator is −2.250, and 2 of 5 weights are negative: no average any more"
    )
    opened.get_by_role("combobox", name="feature map φ").select_option("squared_relu")
    check_row(opened, "squared_relu", q=(-2, -0.5))
    expect(opened.locator(".la-fm-turn .la-fm-zone")).to_have_count(0)
    expect(opened.locator(".la-status")).to_contain_text("denominator is exactly 0: nothing is read")


@pytest.mark.parametrize("size", [(360, 740), (1280, 800), (1920, 1080)])
@pytest.mark.parametrize("asked", [False, True])
def test_the_bars_stand_over_the_columns_of_their_numbers(new_page, write_page, size, asked):
    stops = [{"view": "row", "ask": "sharpest", "text": "Sharp."}] if asked else []
    page = new_page(viewport={"width": size[0], "height": size[1]}, reduced_motion="reduce")
    show(page, write_page(FeatureMapExplorer(view="row", stops=stops)))
    if size[0] > 360:
        enter_full_screen(page)
        page.wait_for_timeout(200)
    edges = "(all) => all.map((e) => { const { left, right } = e.getBoundingClientRect(); return [left, right]; })"
    columns = page.locator("[aria-label='weights'] .la-cell").evaluate_all(edges)
    bars = page.locator(".la-fm-bar").evaluate_all(edges)
    for i, (left, right) in enumerate(columns):
        assert all(left - 1 < a < b < right + 1 for a, b in bars[2 * i : 2 * i + 2])
    # What is said of them fills the width beside them, or below them with the denominator's curve.
    told, turn, bar = (page.locator(x).bounding_box() for x in (".la-fm-entropies", ".la-fm-turn", ".la-transport"))
    below = asked and size[0] > 360
    filled = [told, turn] if not below else [turn]
    assert all(abs(x["x"] + x["width"] - bar["x"] - bar["width"]) < 2 for x in filled)
    assert not below or 0 < turn["x"] - told["x"] - told["width"] < 60


def test_cells_explain_themselves(opened):
    readout = opened.locator(".la-readout")
    button(opened, "One row").click()
    widget = FeatureMapExplorer()
    opened.get_by_role("grid", name="weights", exact=True).locator(".la-cell").nth(3).hover()
    expect(readout).to_contain_text(f"= {number(widget.weights[3].item(), 6)}; softmax")
    opened.get_by_role("grid", name="denominator").locator(".la-cell").focus()
    expect(readout).to_contain_text(f"= φ(q)·Z = {number(widget.denominator.item(), 6)}")


def test_tables_and_link(page, write_page):
    page.goto(write_page(FeatureMapExplorer(), FeatureMapExplorer(view="pair")).as_uri())
    mine = page.locator(".la-root").first
    mine.get_by_role("button", name="Show all numbers").click()
    expect(mine.get_by_role("row", name="−2 0.1353 0.1353")).to_be_visible()
    mine.get_by_role("button", name="One row").click()
    mine.get_by_role("combobox", name="feature map φ").select_option("positive_random_features")
    mine.get_by_role("slider", name="m, number").fill("9")
    mine.get_by_role("slider", name="seed").fill("4")
    mine.get_by_role("slider", name="k₁ in the plane").press("Shift+ArrowLeft")
    mine.get_by_role("slider", name="q in the plane").press("ArrowDown")
    keys = FeatureMapExplorer().k.clone()
    keys[1, 0] = -2.5
    widget = FeatureMapExplorer(positive_random_features, m=9, seed=4, k=keys, q=(1.5, 0.9))
    text = mine.locator(".la-tables").inner_text()
    assert all(number(a, 4) in text for x in (widget.kernel, widget.weights, widget.softmax) for a in x.tolist())
    mine.get_by_role("button", name="Copy link").click()
    expect(mine.locator(".la-status")).to_contain_text("link is")
    link = page.url
    page.goto("about:blank")
    page.goto(link)
    page.wait_for_selector(".la-mounted")
    expect(mine.locator(".la-tables")).to_be_visible()
    assert cells(page, "weights")[:5] == [spoken(a) for a in widget.weights.tolist()]
    name, good = link.split("#")[1].split("=", 1)
    for old, new in (("view=row", "view=x"), ("m=9", "m=65"), ("seed=4", "seed=-1"), ("-2.5", "-3.5"), ("x=1", "x=9")):
        assert old in good
        page.evaluate("(bad) => { location.hash = bad }", f"{name}={good.replace(old, new)}")
        expect(mine.locator(".la-status")).to_contain_text("does not fit")


def test_a_walk_through(page, write_page):
    stops = [
        {"view": "curve", "feature_map": "squared_relu", "x": -2.0, "text": "Dead."},
        {"view": "row", "feature_map": "identity_shifted", "q": [[-2.0, -0.5]], "text": "Broken."},
    ]
    page.goto(write_page(FeatureMapExplorer(stops=stops)).as_uri())
    following = page.get_by_role("button", name="Next", exact=True)
    following.click()
    check_curve(page, "squared_relu", -2)
    expect(page.get_by_text("Dead.", exact=True)).to_be_visible()
    following.click()
    check_row(page, "identity_shifted", q=(-2, -0.5))
    expect(page.get_by_text("Broken.", exact=True)).to_be_visible()
    button(page, "Next step").click()
    expect(page.get_by_text("You left the walk-through; Back returns.")).to_be_visible()
    page.get_by_role("button", name="Back", exact=True).click()
    check_row(page, "identity_shifted", q=(-2, -0.5))
    page.get_by_role("button", name="Back", exact=True).click()
    check_curve(page, "squared_relu", -2)


# ---- Predict, then reveal ----

WRITTEN = ("elu(x) + 1", "relu(x) + ε", "exp(x)", "relu(x)²", "x + 1 (goes negative)", "Taylor, second order")
LABELS = dict(zip(NAMES, (*WRITTEN, "positive random features"), strict=True))


def vector(x: torch.Tensor) -> str:
    return f"({', '.join(f'{a:g}' for a in x.tolist())})".replace("-", "−")


def truth(ask: str, widget: FeatureMapExplorer) -> list[str]:
    """The options that hold, found in torch."""
    half = FeatureMapExplorer(widget.feature_map, q=widget.q[0] / 2, k=widget.k, pair=widget.pair)
    other = {name: FeatureMapExplorer(MAPS[name], q=widget.q[0], k=widget.k) for name in NAMES[:-1]}
    weights, kernel, (mine, softmax) = widget.weights, widget.kernel, widget.entropy

    def holds(options: dict[str, bool]) -> list[str]:
        return [option for option, does in options.items() if does]

    if ask == "gradient":
        x = torch.tensor(widget.x, requires_grad=True)
        slopes = {name: torch.autograd.grad(phi(x), x)[0] for name, phi in ENTRYWISE.items()}
        return [LABELS[name] for name, slope in slopes.items() if slope == 0]
    if ask == "denominator":
        total = kernel.sum()
        return holds({
            "above 0, and so is every score": bool((kernel > 0).all()),
            "above 0, but some scores are not": bool(total > 0 and (kernel <= 0).any()),
            "exactly 0: nothing can be read": bool(total == 0),
            "below 0: each weight has the opposite sign of its score": bool(total < 0),
        })  # fmt: skip
    if ask == "favourite":
        return [f"k{'₀₁₂₃₄'[i]} = {vector(widget.k[i])}" for i in range(5) if torch.isclose(weights[i], weights.max())]
    if ask == "entropy":
        return holds({
            "smaller: it looks at fewer keys": mine is not None and mine < softmax - 1e-5,
            "larger: it looks at more keys": mine is not None and mine > softmax + 1e-5,
            "the same": mine is not None and abs(mine - softmax) <= 1e-5,
            "it has none: these weights are no distribution": mine is None,
        })  # fmt: skip
    if ask == "sharpest":
        shares = {name: each.weights.max() for name, each in other.items() if each.entropy[0] is not None}
        return [LABELS[name] for name, share in shares.items() if share > max(shares.values()) - 1e-5]
    if ask == "longer":
        gap = (weights.max() - half.weights.max()) - (widget.softmax.max() - half.softmax.max())
        who = f"that of {LABELS[widget.feature_map.__name__]}"
        return holds({who: gap > 1e-5, "softmax's": gap < -1e-5, "both grow alike": abs(gap) <= 1e-5})
    growth = (kernel - half.kernel)[widget.pair]
    return holds({"it shrinks": growth < -1e-5, "it grows": growth > 1e-5, "it stays the same": abs(growth) <= 1e-5})


ASKS = ("gradient", "denominator", "favourite", "entropy", "sharpest", "longer", "score")


@pytest.mark.parametrize("ask", ASKS)
def test_the_truth_of_every_question_is_torchs(page, ask):
    queries = ((1.5, 1.0), (3.0, 2.0), (-2.0, -0.5), (1.0, -2.4), (0.0, 0.0))
    places = zip(queries, (-2.0, 0.0, 1.5, -0.1, 4.0), (2, 0, 3, 1, 4), strict=True)
    widgets = [FeatureMapExplorer(MAPS[name], q=q, x=x, pair=i) for q, x, i in places for name in LABELS]
    states = [widget.get_state([*state(widget), "directions"]) for widget in widgets]
    found = call(page, "(name, all) => all.map($feature_map_explorer_asks.asks[name])", ask, states)
    for widget, each in zip(widgets, found, strict=True):
        options = each["options"]
        assert [options[i] for i in each["truth"]] == truth(ask, widget)
        assert len(set(options)) == len(options) > 1
        assert len(each["truth"]) == 1 or each.get("many") or ask in ("favourite", "sharpest")
    assert len({str(each["truth"]) for each in found}) > 1, "a question with one answer only would test nothing"


DEAD = [
    {"x": 1.0, "text": "A slope."},
    {"ask": "gradient", "x": -2.0, "feature_map": "relu_plus_eps", "text": "None here."},
]
ROW = [
    {"view": "row", "q": [[1.5, 1.0]], "text": "Both look at k₀."},
    {"ask": "favourite", "view": "row", "q": [[-2.0, -0.5]], "text": "Another kernel."},
    {"ask": "denominator", "view": "row", "q": [[-2.0, -0.5]], "feature_map": "identity_shifted", "text": "Broken."},
]


@pytest.fixture
def walking(page, write_page):
    def start(stops: list[dict], width: int = 800) -> Page:
        page.set_viewport_size({"width": width, "height": 800})
        show(page, write_page(FeatureMapExplorer(stops=stops)))
        page.locator(".la-stop-next").click()
        return page

    return start


@pytest.mark.parametrize("guess", [{"relu(x) + ε", "relu(x)²"}, {"relu(x) + ε"}, set()])
def test_the_next_stop_waits_for_a_guess_and_shows_the_truth_beside_it(walking, guess):
    page = walking(DEAD)
    wanted = truth("gradient", FeatureMapExplorer(x=-2.0))
    expect(page.locator(".la-predict-question")).to_contain_text("x = −2. Which of these maps pass no gradient on")
    assert page.locator(".la-predict-option").all_text_contents() == [LABELS[name] for name in ENTRYWISE]
    page.locator(".la-stop-next").click()
    check_curve(page, "elu_plus_one", 1)
    for label in guess:
        page.get_by_label(label, exact=True).check()
    button(page, "Commit").click()
    check_curve(page, "relu_plus_eps", -2)
    said = ", ".join(label for label in LABELS.values() if label in guess) or "none"
    missing = [", ".join(label for label in wanted if label not in guess)] if guess and guess != set(wanted) else []
    marks = ", ".join(f"{'✓' if label in wanted else '✗'} {label}" for label in said.split(", "))
    assert answer(page) == [marks, *missing, ", ".join(wanted)]
    expect(page.locator(".la-predict")).to_contain_text("0.135 for elu(x) + 1, 0 for relu(x) + ε")
    lacks = "".join(f"Missing: {labels}. " for labels in missing)
    expect(page.locator(".la-status")).to_have_text(f"You said: {said}. {lacks}It is: {', '.join(wanted)}. None here.")


def test_two_questions_by_keyboard_alone(walking):
    page = walking(ROW)
    page.keyboard.press("Enter")
    expect(page.locator(".la-predict-option input").first).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator(".la-status")).to_contain_text("Choose an answer first")
    page.keyboard.press(" ")
    for _ in range(2):
        page.keyboard.press("ArrowDown")
    check_row(page)
    page.keyboard.press("Enter")
    check_row(page, q=(-2, -0.5))
    assert answer(page) == ["✗ k₂ = (−2, −1)", *truth("favourite", FeatureMapExplorer(q=(-2, -0.5)))]
    expect(page.locator(".la-stop-next")).to_be_focused()
    page.keyboard.press("Enter")
    page.keyboard.press("ArrowUp")
    page.keyboard.press("Enter")
    check_row(page, "identity_shifted", q=(-2, -0.5))
    assert answer(page) == [
        f"✓ {option}" if i == 0 else option
        for i in (0, 1)
        for option in truth("denominator", FeatureMapExplorer(feature_maps.identity_shifted, q=(-2, -0.5)))
    ]
    expect(page.locator(".la-predict")).to_contain_text("−1.750 + 2.000 + 1.000 − 2.750 − 0.750 = −2.250")


def test_a_skip_shows_the_stop_without_a_verdict_and_the_readers_keys_change_the_truth(walking):
    page = walking(ROW)
    keys = FeatureMapExplorer().k.clone()
    keys[2] = torch.tensor([2.9, 2.9])
    for i in (0, 1):
        page.get_by_role("textbox", name=f"k, one column a key, row {i}, column 2").fill("2.9")
        page.keyboard.press("Enter")
    wanted = truth("favourite", FeatureMapExplorer(q=(-2, -0.5), k=keys))
    assert wanted == ["k₂ = (2.9, 2.9)"] != truth("favourite", FeatureMapExplorer(q=(-2, -0.5)))
    button(page, "Skip").click()
    check_row(page, q=(-2, -0.5), k=keys)
    expect(page.locator(".la-status")).to_have_text(f"It is: {wanted[0]}. Another kernel.")
    assert answer(page) == wanted
    button(page, "Skip").click()
    button(page, "Reset everything").click()
    page.locator(".la-stop-next").click()
    expect(page.locator(".la-predict-question")).to_contain_text("Which key gets the largest weight?")


def test_questions_fit_a_phone_and_take_a_finger(new_page, write_page, errors):
    page = new_page(viewport={"width": 360, "height": 740}, has_touch=True, is_mobile=True)
    show(page, write_page(FeatureMapExplorer(stops=ROW)))
    page.locator(".la-stop-next").tap()
    for option in (*truth("favourite", FeatureMapExplorer(q=(-2, -0.5))), "exactly 0: nothing can be read"):
        assert page.locator(".la-predict-option").nth(0).bounding_box()["height"] >= 24
        page.get_by_text(option, exact=True).tap()
        assert page.evaluate("document.documentElement.scrollWidth") <= 360
        button(page, "Commit").tap()
        assert page.evaluate("document.documentElement.scrollWidth") <= 360
    assert answer(page)[0] == "✗ exactly 0: nothing can be read"
    assert not errors


def test_a_question_that_the_widget_does_not_know_is_refused():
    with pytest.raises(ValueError, match="must be one of gradient, denominator"):
        FeatureMapExplorer(stops=[{"ask": "slope", "text": "?"}])


def test_every_control_is_reached_by_tab(opened):
    for view, wanted in (
        (
            "One entry",
            ["Show all numbers", "Copy link", "Full screen", "Reset", "x", "φ(x)", "First step", "Play", "Speed"],
        ),
        ("One row", ["q in the plane", "k₄ in the plane", "q, 0", "k, one column", "weights", "denominator", "Step"]),
        ("One pair", ["kernel of the pair", "exponential", "One row"]),
    ):
        button(opened, view).click()
        assert_reached(opened, wanted)


@pytest.mark.parametrize("view", ["curve", "pair", "row"])
def test_a_phone_needs_no_sideways_scroll_and_touch_works(new_page, write_page, view, errors):
    page = new_page(viewport={"width": 360, "height": 740}, has_touch=True, is_mobile=True)
    widget = FeatureMapExplorer(positive_random_features, view=view, k=torch.ones(6, 2))
    page.goto(write_page(widget).as_uri())
    button(page, "Next step").tap()
    button(page, "Show all numbers").tap()
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    edges = page.locator(".la-cell:visible, .la-fm-plot:visible, .la-plane:visible").evaluate_all(
        "(all) => all.map((x) => x.getBoundingClientRect().right)"
    )
    assert max(edges) <= 360
    assert not errors


def test_full_screen_and_paper(page, write_page):
    show(page, write_page(FeatureMapExplorer(view="row")))
    enter_full_screen(page)
    page.keyboard.press("Home")
    check_row(page, q=(1.8, 0))
    page.keyboard.press("Escape")
    page.emulate_media(media="print")
    expect(page.locator(".la-transport")).to_be_hidden()
    expect(page.locator(".la-fm-row .la-fm-plot").first).to_be_visible()


def test_with_the_default_keys_taylor_alone_keeps_softmax_s_favourite_and_is_never_sharper():
    """Chapter 3 says so beside the widget."""
    widget, places = FeatureMapExplorer(view="row"), torch.linspace(-3, 3, 12)
    agree, sharper = dict.fromkeys(MAPS, 0), dict.fromkeys(MAPS, 0)
    for x in places.tolist():
        for y in places.tolist():
            widget.q = [[x, y]]
            for name, phi in MAPS.items():
                widget.feature_map = phi
                agree[name] += int(widget.weights.argmax() == widget.softmax.argmax())
                own, softmax = widget.entropy
                sharper[name] += own is not None and own < softmax
    n = len(places) ** 2
    assert [name for name in MAPS if agree[name] == n] == ["taylor_2"]
    assert sharper["taylor_2"] == 0
    assert sum(map(bool, sharper.values())) >= 2
