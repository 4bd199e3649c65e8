"""The position-0 widget: its arithmetic against torch, its traits, and every control in a real browser."""

import functools
import math

import pytest
import torch
from playwright.sync_api import Page, expect
from reader import SPOKEN, answer, button, enter_full_screen, run, show, spoken, traits

import linattn
from linattn.widgets import Position0, position_0
from linattn.widgets.position_0 import digits
from linattn.widgets.still import number
from linattn.widgets.trait_types import ENTRYWISE as MAPS

K = torch.tensor([[2.0, -2.0], [-2.0, 2.0]], dtype=torch.float64)
V = torch.tensor([[2.0, 1.0], [-1.0, -1.5]], dtype=torch.float64)
#: From where it opens, which is the first step, so that a step back from the second is there again.
PATH = ((1.0, -0.5), *position_0.PATH)


def torch_read(q, k=K, v=V, t=0, eps=1e-6, name="elu_plus_one"):
    q = torch.tensor(q, dtype=torch.float64)
    return linattn.trace(q.expand(2, 2), k, v, MAPS[name], eps=eps), t


@pytest.fixture
def javascript(page):
    return functools.partial(run, page, "position_0_asks")


def close(found, wanted, tolerance=1e-6):
    found = torch.tensor(found, dtype=torch.float64)
    torch.testing.assert_close(found, wanted.double().reshape(found.shape), rtol=tolerance, atol=1e-300)


@pytest.mark.parametrize("eps", [0.0, 1e-6, 0.1])
@pytest.mark.parametrize("name", MAPS)
def test_both_positions_equal_trace_down_to_minus_20(javascript, name, eps):
    generator = torch.Generator().manual_seed(3)
    for q in ([1.0, -0.5], [-20.0, -20.0], [5.0, -20.0], [0.0, 0.0], [-3.25, 0.5]):
        k, v = (3 * torch.randn(2, 2, dtype=torch.float64, generator=generator) for _ in "kv")
        for t in (0, 1):
            state = {"q": q, "k": k.tolist(), "v": v.tolist(), "t": t, "eps": eps, "feature_map": name}
            found = javascript("$position_0_math.readAt", state)
            wanted, _ = torch_read(q, k, v, t, eps, name)
            close(found["w"], wanted.denominator[t])
            for field in ("phi_q", "numerator", "out"):
                close(found[field], getattr(wanted, field)[t])
            close(found["scores"], wanted.phi_k[: t + 1] @ wanted.phi_q[t])
            close(found["weights"], wanted.weights[t, : t + 1])
            w = wanted.denominator[t].item()
            close(found["predicted"], torch.tensor(w / (w + eps) if w else 0.0))
            assert math.isclose(found["found"], found["predicted"], rel_tol=1e-9, abs_tol=1e-15)


@pytest.mark.parametrize("follow", [True, False])
@pytest.mark.parametrize("eps", [0.0, 1e-6, 0.1])
def test_what_eps_takes_is_predicted_and_found(javascript, eps, follow):
    state = {"q": [0, 0], "k": K.tolist(), "v": V.tolist(), "t": 0, "eps": eps, "feature_map": "elu_plus_one"}
    points = javascript("$position_0_math.curve", state | {"follow": follow})
    assert points[0]["x"] == -20 and points[-1]["x"] == 5
    for point in points:
        q = torch.full((1, 2), point["x"], dtype=torch.float64)
        out = linattn.causal_linear_attention(q, q if follow else K[:1], V[:1], eps=eps)
        lost = 1 - (out[0] @ V[0] / (V[0] @ V[0])).item()
        assert math.isclose(point["found"], lost, abs_tol=1e-12)
        assert math.isclose(point["predicted"], point["found"], abs_tol=1e-12)


def test_no_v_and_no_w_are_told_apart(javascript):
    state = {"q": [-1, -1], "k": K.tolist(), "v": [[0, 0], [1, 1]], "t": 0, "eps": 0, "feature_map": "squared_relu"}
    dead = javascript("$position_0_math.readAt", state)
    assert (dead["w"], dead["out"], dead["predicted"], dead["found"]) == (0, [0, 0], 0, 0)
    assert javascript("$position_0_math.readAt", state | {"feature_map": "elu_plus_one"})["found"] is None


def test_the_plane_and_the_eps_slider_reach_every_place(javascript):
    tenths = [round(-20 + i / 10, 1) for i in range(251)]
    there_and_back = "(xs) => xs.map((x) => $position_0_math.fromShare($position_0_math.toShare(x)))"
    assert javascript(there_and_back, tenths) == tenths
    places = javascript("() => Array.from({ length: 46 }, (_, i) => $position_0_math.epsAt(i))")
    assert places[0] == 0 and places[1] == 1e-12 and places[-1] == 0.1 and places == sorted(set(places))
    assert javascript("(all) => all.map($position_0_math.epsPlace)", places) == list(range(46))
    assert javascript("() => $position_0_math.MAPS") == list(MAPS)


# ---- Questions ----


def asked(javascript, ask: str, **settings: object) -> dict:
    """What the browser asks about these settings, with its options and the true ones among them."""
    state = {"view": "drag", "t": 0, "q": [[1.0, -0.5]], "k": K.tolist(), "v": V.tolist(), "eps": 1e-6, "x": -8.0}
    state |= {"feature_map": "elu_plus_one", "follow": True} | settings
    found = javascript("(ask, state) => $position_0_asks.asks[ask](state)", ask, state)
    assert len(set(found["options"])) == len(found["options"]) > 1
    return {**found, "true": [found["options"][i] for i in found["truth"]]}


def where_torch_goes(t: int, eps: float, name: str) -> list[str]:
    """The same question answered by ranks: of the outputs over a grid, as they are and from v_0 on."""
    grid = torch.cartesian_prod(*2 * [torch.linspace(-5, 5, 21, dtype=torch.float64)])
    k, v = (x.expand(len(grid), 2, 2) for x in (K, V))
    out = linattn.causal_linear_attention(grid[:, None].expand(-1, 2, -1), k, v, MAPS[name], eps=eps)[:, t]
    rank = lambda x: torch.linalg.matrix_rank(x, atol=2e-3 * len(grid) ** 0.5).item()  # noqa: E731
    if rank(out - V[0]) == 0:
        return ["it stays at v₀"]
    if rank(torch.cat((out, V[:1]))) == 1:
        return ["along the line through 0 and v₀"]
    share = (out - V[0]) @ (V[1] - V[0]) / (V[1] - V[0]).square().sum()
    if rank(out - V[0]) == 1:
        return ["along the line from v₀ to v₁"] if share.min() > -1e-3 and share.max() < 1.001 else []
    return ["all over the plane"]


@pytest.mark.parametrize(
    ("t", "eps", "name", "answer"),
    [
        (0, 1e-6, "elu_plus_one", "it stays at v₀"),
        (1, 1e-6, "elu_plus_one", "along the line from v₀ to v₁"),
        (0, 0.1, "elu_plus_one", "along the line through 0 and v₀"),
        (1, 0.1, "elu_plus_one", "all over the plane"),
        (0, 0.0, "exponential", "it stays at v₀"),
        (1, 1e-6, "exponential", "along the line from v₀ to v₁"),
        (0, 1e-6, "squared_relu", "along the line through 0 and v₀"),
        (0, 1e-6, "relu_plus_eps", None),
    ],
)
def test_where_the_output_goes_is_where_it_goes_in_torch(javascript, t, eps, name, answer):
    wanted = where_torch_goes(t, eps, name)
    assert answer is None or wanted == [answer]
    found = asked(javascript, "moves", t=t, eps=eps, feature_map=name)
    assert found["true"] == wanted
    corner = [-5.0, 5.0] if t else [-5.0, -5.0]
    out = torch_read(corner, eps=eps, name=name)[0].out[t]
    assert f"({', '.join(number(a) for a in out.tolist())})" in found["because"]
    # The question names the places that are read, and no others.
    assert "between −5 and 5" in found["question"] and "20" not in found["question"]


@pytest.mark.parametrize("follow", [True, False])
@pytest.mark.parametrize("name", ["elu_plus_one", "exponential", "squared_relu"])
@pytest.mark.parametrize(("x", "eps"), [(-8.0, 1e-6), (-8.0, 0.0), (-3.0, 0.1), (-20.0, 1e-12), (1.0, 0.1)])
def test_what_is_left_is_what_torch_finds(javascript, x, eps, name, follow):
    at = torch.full((1, 2), x, dtype=torch.float64)
    out = linattn.causal_linear_attention(at, at if follow else K[:1], V[:1], MAPS[name], eps=eps)
    left = (out[0] @ V[0] / (V[0] @ V[0])).item()
    found = asked(javascript, "left", view="eps", x=x, eps=eps, feature_map=name, follow=follow)
    assert found["true"] == [f"{number(100 * left, 1)} %"]
    values = [float(text.removesuffix(" %").replace("−", "-")) for text in found["options"]]
    assert values == sorted(values, reverse=True) and 3 <= len(values) <= 5


def test_next_to_nothing_is_one_of_four_answers_and_the_query_is_named_plainly(javascript):
    found = asked(javascript, "left", q=[[-20.0, -20.0]])
    assert len(found["options"]) == 4 and found["question"].startswith("q₀ is at (−20, −20),")


# ---- Python ----


def test_traits_travel_and_properties_follow_them():
    widget = Position0()
    assert traits(widget)["q"] == [[1.0, -0.5]] and traits(widget)["feature_map"] == "elu_plus_one"
    torch.testing.assert_close(widget.out, V[0], rtol=1e-5, atol=0)
    widget.set_state({"q": [[-20, -20]], "eps": 0.1, "feature_map": "exponential"})
    wanted, _ = torch_read([-20.0, -20.0], eps=0.1, name="exponential")
    torch.testing.assert_close(widget.out, wanted.out[0])
    widget.set_state({"t": 1})
    torch.testing.assert_close(widget.w, wanted.denominator[1])
    widget.view, widget.x = "eps", -3
    at = torch.full((1, 2), -3.0, dtype=torch.float64)
    wanted = linattn.causal_linear_attention(at, at, V[:1], linattn.exponential, eps=0.1)
    torch.testing.assert_close(widget.out, wanted[0])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"q": [1, 2, 3]}, r"q must have shape \(1, 2\)"),
        ({"k": torch.ones(3, 2)}, r"k must have shape \(2, 2\)"),
        ({"v": torch.full((2, 2), 21.0)}, "−20 to 20"),
        ({"q": [6, 0]}, "−20 to 5"),
        ({"q": [float("nan"), 0]}, "−20 to 5"),
        ({"eps": 0.2}, "eps must be from 0 to 0.1"),
        ({"t": 2}, "t must be from 0 to 1"),
        ({"x": -21}, "x must be"),
        ({"feature_map": torch.exp}, "one of elu_plus_one"),
        ({"path": [(0, 9)]}, "path must list"),
        ({"view": "bend"}, "view must be one of drag, eps"),
        ({"stops": [{"q": [1, 2], "text": ""}]}, r"q must have shape \(1, 2\)"),
        ({"stops": [{"text": ""}, {"x": -21, "text": ""}]}, "x must be"),
        ({"stops": [{"feature_map": "taylor_2", "text": ""}]}, "feature_map must be one of elu_plus_one"),
        ({"stops": [{"ask": "lamps", "text": ""}]}, "must be one of moves, left"),
        ({"stops": [{"d": 4, "text": ""}]}, "sets nothing called d"),
    ],
)
def test_what_cannot_be_drawn_is_refused_with_a_reason(arguments, message):
    with pytest.raises(ValueError, match=message):
        Position0(**arguments)
    with pytest.raises(Exception, match="one of elu_plus_one"):
        Position0().feature_map = torch.exp


def test_still_has_the_numbers():
    text = Position0().still()
    for point in PATH:
        for entry in torch_read([float(a) for a in point])[0].out.flatten().tolist():
            assert number(entry) in text
    assert "ε = 1e−6, v₀ = (2, 1)" in text and "what ε = 1e−6 leaves" in text


# ---- Browser ----

READ = (
    """() => {
  const root = document.querySelector('.la-root');
  """
    + SPOKEN
    + """
  const of = (selector) => [...root.querySelectorAll(selector + ' .la-cell')].filter((c) => c.offsetParent).map(spoken);
  return {
    out: of('.la-p0-out'), numerator: of('.la-p0-fraction .la-block-out'), below: of('.la-p0-fraction .la-block-Z'),
    scores: of('.la-p0-score .la-block-Z'), phi_q: of('.la-p0-features > .la-block-q'),
  };
}"""
)


def check(page: Page, q, t=0, **rest) -> None:
    """The numbers on screen are torch's for this query."""
    wanted, _ = torch_read(q, t=t, **rest)
    eps = rest.get("eps", 1e-6)
    expected = {
        "out": wanted.out[t],
        "numerator": wanted.numerator[t],
        "below": wanted.denominator[t][None] + eps,
        "scores": wanted.phi_k[: t + 1] @ wanted.phi_q[t],
        "phi_q": wanted.phi_q[t],
    }
    told = lambda name, a: digits(a) if name != "out" and 0 < abs(a) < 0.1 else spoken(a)  # noqa: E731
    page.wait_for_function("() => !document.querySelector('.la-root').dataset.gliding")
    found = page.evaluate(READ)
    assert found == {name: [told(name, a) for a in x.tolist()] for name, x in expected.items()}


@pytest.fixture
def opened(page, write_page) -> Page:
    return show(page, write_page(Position0()))


def place(page: Page, x: float, y: float) -> tuple[float, float]:
    """Where the point lies on the query's plane, in pixels."""
    box = page.locator(".la-plane-query").bounding_box()
    share = lambda a: (math.asinh(a) - math.asinh(-20)) / (math.asinh(5) - math.asinh(-20))  # noqa: E731
    at = lambda a, edge: (edge + 220 * share(a)) / 280  # noqa: E731
    return box["x"] + box["width"] * at(x, 46), box["y"] + box["height"] * (1 - at(y, 30))


def dot(page: Page, kind: str) -> str:
    return page.locator(f".la-plane-value .la-plane-dot-{kind}").first.get_attribute("style")


def queried(page: Page) -> list[float]:
    text = page.get_by_role("slider", name="in the plane").get_attribute("aria-valuetext")
    return [float(x) for x in text.replace("−", "-").split(" and ")]


@pytest.mark.parametrize("full", [False, True])
def test_dragging_q_0_changes_both_factors_and_not_the_output(opened, full):
    if full:
        enter_full_screen(opened)
    check(opened, [1.0, -0.5])
    before, still_there = opened.evaluate(READ), dot(opened, "out")
    opened.mouse.move(*place(opened, 1, -0.5))
    opened.mouse.down()
    for point in ((3, 3), (-2, 2), (-5, 1)):
        opened.mouse.move(*place(opened, *point), steps=3)
        q = queried(opened)
        assert all(abs(a - b) <= 0.12 * max(abs(b), 1) for a, b in zip(q, point, strict=True))
        check(opened, q)
    opened.mouse.up()
    after = opened.evaluate(READ)
    assert after["out"] == before["out"] == ["2", "1"] and dot(opened, "out") == still_there
    assert after["numerator"] != before["numerator"] and after["below"] != before["below"]
    expect(opened.get_by_role("status")).to_contain_text("out₀ stayed where it was")
    opened.mouse.move(*place(opened, 1, 1))
    assert queried(opened) == q, "the drag has ended"


def test_the_same_drag_at_position_1_moves_the_output(opened):
    button(opened, "Position 1").click()
    check(opened, [1.0, -0.5], 1)
    start = dot(opened, "out")
    opened.mouse.move(*place(opened, 1, -0.5))
    opened.mouse.down()
    opened.mouse.move(*place(opened, -5, 1), steps=4)
    opened.mouse.up()
    q = queried(opened)
    check(opened, q, 1)
    assert dot(opened, "out") != start
    expect(opened.get_by_role("status")).to_contain_text("out₁ moved by")
    assert opened.locator(".la-trail").get_attribute("points").count(" ") >= 4
    button(opened, "Position 0").click()
    check(opened, q)


def test_the_query_by_keyboard(opened):
    opened.get_by_role("slider", name="in the plane").focus()
    for key, q in [
        ("ArrowRight", [1.1, -0.5]), ("ArrowUp", [1.1, -0.4]), ("Shift+ArrowLeft", [0.1, -0.4]),
        ("Shift+ArrowDown", [0.1, -1.4]), ("ArrowLeft", [0, -1.4]), ("ArrowDown", [0, -1.5]),
    ]:  # fmt: skip
        opened.keyboard.press(key)
        assert queried(opened) == q
        check(opened, q)
    for _ in range(25):
        opened.keyboard.press("Shift+ArrowDown")
    for _ in range(7):
        opened.keyboard.press("Shift+ArrowRight")
    check(opened, [5, -20])


def test_the_query_by_sliders(opened):
    opened.get_by_role("slider", name="q₀[0]").fill("-20")
    check(opened, [-20, -0.5])
    opened.get_by_role("slider", name="q₀[1]").fill("-19.9")
    check(opened, [-20, -19.9])
    opened.get_by_role("slider", name="q₀[1]").press("ArrowRight")
    check(opened, [-20, -19.8])
    expect(opened.get_by_role("status")).to_contain_text("ε is no longer small")


def test_the_walk_of_the_transport_bar(opened):
    opened.emulate_media(reduced_motion="reduce")
    n = len(PATH)
    check(opened, [float(a) for a in PATH[0]])
    for index in (1, 2, 3):
        button(opened, "Next step").click()
        check(opened, [float(a) for a in PATH[index]])
    button(opened, "Step back").click()
    check(opened, [float(a) for a in PATH[2]])
    opened.locator(".la-root").focus()
    opened.keyboard.press("End")
    check(opened, [float(a) for a in PATH[-1]], 1)
    opened.get_by_role("slider", name="Step", exact=True).fill(str(n + 4))
    check(opened, [float(a) for a in PATH[4]], 1)
    opened.keyboard.press("Home")
    opened.locator(".la-root").focus()
    opened.keyboard.press("Home")
    check(opened, [float(a) for a in PATH[0]])


def test_what_eps_takes_at_position_1_is_said_and_moves_the_output(opened):
    opened.emulate_media(reduced_motion="reduce")
    opened.get_by_role("slider", name="Step", exact=True).fill(str(2 * len(PATH) - 3))
    status = opened.get_by_role("status")
    expect(status).to_contain_text("there is something to choose between")
    for words in ("out₁ moved by 0.00194.", "out₁ moved by"):
        button(opened, "Next step").click()
        expect(status).to_contain_text(words)
        expect(status).to_contain_text("ε takes the rest, and the weights sum to w/(w + ε) = ")
        expect(status).not_to_contain_text("choose between")


def test_it_plays_and_pauses_and_does_not_start_alone(opened):
    opened.wait_for_timeout(800)
    check(opened, [1.0, -0.5])
    button(opened, "Play").click()
    opened.wait_for_function("() => document.querySelector('.la-root [aria-label=Step]').value === '2'")
    button(opened, "Pause").click()
    check(opened, [float(a) for a in PATH[2]])
    opened.wait_for_timeout(1200)
    check(opened, [float(a) for a in PATH[2]])


@pytest.mark.parametrize("name", MAPS)
def test_every_feature_map(opened, name):
    opened.get_by_label("feature map φ").select_option(name)
    check(opened, [1.0, -0.5], name=name)
    opened.get_by_role("slider", name="q₀[0]").fill("-7")
    opened.get_by_role("slider", name="q₀[1]").fill("-3.4")
    check(opened, [-7.0, -3.4], name=name)
    words = {"squared_relu": "exactly 0", "identity_shifted": "negative"}.get(name, "stands above and below")
    expect(opened.get_by_role("status")).to_contain_text(words)
    button(opened, "Reset").click()
    check(opened, [1.0, -0.5])


def test_eps_by_slider_and_by_number(opened):
    slider, field = opened.get_by_role("slider", name="ε"), opened.get_by_label("ε, exact number")
    slider.fill("45")
    check(opened, [1.0, -0.5], eps=0.1)
    slider.fill("0")
    check(opened, [1.0, -0.5], eps=0.0)
    for typed, eps in (("0.02", 0.02), ("3e-5", 3e-5), ("x", 3e-5), ("7", 0.1), ("-1", 0.0)):
        field.fill(typed)
        field.press("Enter")
        check(opened, [1.0, -0.5], eps=eps)
        said = expect(opened.get_by_role("status"))
        fits = typed in ("0.02", "3e-5")
        (said.not_to_contain_text if fits else said.to_contain_text)("ε is a number from 0 to 0.1")
    expect(field).to_have_value("0")


def test_keys_and_values_can_be_edited(opened):
    cell = opened.locator(".la-p0-cells input.la-cell:visible")
    k, v = K.clone(), V.clone()
    button(opened, "Position 1").click()
    expect(cell).to_have_count(8)
    for at, value in ((0, -1.5), (3, 0.25), (4, -3.0), (7, 4.0)):
        cell.nth(at).fill(str(value))
        cell.nth(at).press("Enter")
        (k, v)[at // 4].view(-1)[at % 4] = value
    opened.locator("h1").click()
    check(opened, [1.0, -0.5], 1, k=k, v=v)
    button(opened, "Position 0").click()
    check(opened, [1.0, -0.5], k=k, v=v)


def test_every_number_that_can_be_edited_changes_what_is_read(opened):
    """And k₀ is shown as it is used: at x where it follows."""
    cells = opened.locator(".la-p0-cells input.la-cell:visible")
    own = opened.locator(".la-p0-cells [aria-label='k₀'] div.la-cell:visible")
    switch = opened.get_by_role("switch", name="k₀ follows q₀")
    reading = opened.locator(".la-p0-reading")

    def check_all(names: str) -> None:
        assert cells.evaluate_all("(all) => all.map((e) => e.ariaLabel)") == [
            f"{name}, {j}" for name in names.split() for j in (0, 1)
        ]
        for cell in cells.all():
            before = reading.inner_text()
            cell.press("ArrowUp")
            expect(reading).not_to_have_text(before, use_inner_text=True)

    check_all("k₀ v₀")
    expect(own).to_have_count(0)
    button(opened, "Position 1").click()
    check_all("k₀ k₁ v₀ v₁")
    button(opened, "Bend it with ε").click()
    check_all("v₀")
    expect(own).to_have_text(["−8.00", "−8.00"])
    switch.uncheck()
    expect(own).to_have_count(0)
    check_all("k₀ v₀")


def test_bending_it_with_eps(opened):
    button(opened, "Bend it with ε").click()

    def bent(x, eps=1e-6, follow=True):
        k = torch.cat((torch.full((1, 2), float(x), dtype=torch.float64), K[1:])) if follow else K
        check(opened, [float(x)] * 2, k=k, eps=eps)

    bent(-8)
    expect(opened.get_by_role("status")).to_contain_text("Predicted w/(w + ε) = 0.1837, measured 0.1837")
    opened.get_by_role("slider", name="x", exact=True).fill("-6.5")
    bent(-6.5)
    opened.get_by_role("switch", name="k₀ follows q₀").uncheck()
    bent(-6.5, follow=False)
    opened.get_by_role("switch", name="k₀ follows q₀").check()
    opened.get_by_role("slider", name="ε").fill("45")
    bent(-6.5, 0.1)
    button(opened, "First step").click()
    bent(5, 0.1)
    button(opened, "Last step").click()
    bent(-20, 0.1)
    button(opened, "Step back").click()
    bent(-19, 0.1)
    chart = opened.locator(".la-bend-chart")
    chart.click(position={"x": chart.bounding_box()["width"] * (84 + 540 * 0.4) / 640, "y": 60})
    bent(-10, 0.1)
    found = opened.locator(".la-found circle").evaluate_all(
        "(all) => all.map((c) => [c.cx.baseVal.value, c.cy.baseVal.value])"
    )
    line = opened.locator(".la-predicted").get_attribute("points").split(" ")
    assert len(found) == 26 and len(line) == 101
    for (x, y), at in zip(found, line[::4], strict=True):
        assert at == f"{x:.1f},{y:.1f}" or abs(float(at.split(",")[1]) - y) < 0.11


def test_a_small_fraction_can_be_divided_by_hand(page, write_page):
    """At x = −3, ε = 1e−4: two decimals would say 0.01 / 0.01 = 1.96."""
    show(page, write_page(Position0(view="eps", eps=1e-4, x=-3)))
    shown = page.evaluate(READ)
    assert (shown["scores"], shown["numerator"], shown["below"]) == (["0.00496"], ["0.00992", "0.00496"], ["0.00506"])
    above, below = ([float(a) for a in shown[name]] for name in ("numerator", "below"))
    assert all(abs(a / below[0] - float(o)) < 0.006 for a, o in zip(above, shown["out"], strict=True))
    cells = page.locator(".la-p0-reading .la-cell").filter(visible=True)
    assert cells.all_text_contents()[:5] == ["0.0498"] * 4 + ["0.00496"]
    expect(page.get_by_role("status")).to_contain_text("w = 0.00496, ε = 1e−4")
    page.get_by_label("Decimals").select_option("2")
    assert cells.all_text_contents()[:5] == ["0.05"] * 4 + ["0.00"]


def test_no_part_has_no_width_and_nothing_hangs_outside(page, write_page):
    page.set_viewport_size({"width": 1440, "height": 900})
    show(page, write_page(Position0()))
    page.evaluate("() => { document.body.style.maxWidth = 'none' }")
    for view in ("Position 0", "Position 1", "Bend it with ε"):
        button(page, view).click()
        for width in range(320, 1401, 40):
            found = page.evaluate(
                """(width) => {
                  document.querySelector(".la-widget").style.width = `${width}px`;
                  const { left, right } = document.querySelector(".la-root").getBoundingClientRect();
                  const seen = (all) => [...document.querySelectorAll(all)].filter((e) => e.checkVisibility());
                  const outside = ({ left: l, right: r }) => l < left - 1 || r > right + 1;
                  const out = seen(".la-body :not(svg *)").filter((e) => outside(e.getBoundingClientRect()));
                  const small = seen(".la-p0 svg").filter((e) => e.clientWidth < 120);
                  return [...small, ...out].map((e) => e.getAttribute("class"));
                }""",
                width,
            )
            assert found == [], (view, width)


def test_all_numbers_as_tables(opened):
    button(opened, "Show all numbers").click()
    wanted, _ = torch_read([1.0, -0.5])
    text = opened.locator(".la-tables").inner_text()
    for x in (wanted.out, wanted.numerator, wanted.denominator, wanted.phi_k):
        assert all(number(a, 4) in text for a in x.flatten().tolist())
    button(opened, "Bend it with ε").click()
    expect(opened.locator(".la-tables tbody tr")).to_have_count(26)
    assert "0.1837" in opened.locator(".la-tables").inner_text()


@pytest.mark.parametrize("form", ["http", "file"])
def test_a_link_brings_back_exactly_what_was_on_screen(page, write_page, address, form):
    path = write_page(Position0(), Position0(t=1))
    url = address if form == "http" else path.as_uri()
    page.goto(url)
    first = page.locator("#position_0-1")
    first.get_by_role("slider", name="q₀[0]").fill("-3.3")
    first.get_by_label("feature map φ").select_option("exponential")
    first.get_by_label("ε, exact number").fill("0.004")
    first.get_by_label("ε, exact number").press("Enter")
    first.get_by_role("button", name="Position 1").click()
    first.get_by_role("button", name="Show all numbers").click()
    first.get_by_role("button", name="Copy link").click()
    link = page.url
    assert link.startswith(f"{url}#la1:position_0-1=")
    page.goto("about:blank")
    page.goto(link)
    page.wait_for_selector(".la-mounted")
    check(page, [-3.3, -0.5], 1, name="exponential", eps=0.004)
    expect(page.locator(".la-tables").first).to_be_visible()
    for bad in ("view=x&t=0", "view=drag&t=2", "view=drag&t=0&q=1_2_3", "view=drag&t=0&eps=1", "view=eps&t=0&x=9"):
        page.evaluate("(bad) => { location.hash = '#la1:position_0-1=' + bad }", bad)
        expect(page.get_by_role("status").first).to_contain_text("does not fit")
        check(page, [-3.3, -0.5], 1, name="exponential", eps=0.004)
        page.wait_for_function("(link) => location.href === link", arg=link)


def test_a_walk_through_stops_where_its_author_says(page, write_page):
    stops = [
        {"q": [[3, 3]], "text": "Here."},
        {"t": 1, "q": [[3, 3]], "text": "There."},
        {"view": "eps", "text": "Far."},
    ]
    page.goto(write_page(Position0(stops=stops)).as_uri())
    for name, text, q, t in (("Next", "Here.", [3, 3], 0), ("Next", "There.", [3, 3], 1), ("Back", "Here.", [3, 3], 0)):
        page.get_by_role("button", name=name, exact=True).click()
        expect(page.get_by_text(text)).to_be_visible()
        check(page, [float(a) for a in q], t)
    page.get_by_role("slider", name="q₀[0]").fill("1")
    expect(page.get_by_text("You left the walk-through")).to_be_visible()


WALK = [
    {"q": [[-3, 3]], "ask": "moves", "text": "Above and below alike."},
    {"t": 1, "q": [[-3, 3]], "text": "Two values."},
    {"view": "eps", "x": -8, "ask": "left", "text": "Nearly nothing.", "question": "What is left?"},
]
LEFT = ["100 %", "82 %", "23 %", "18 %", "0 %"]


@pytest.fixture
def walk(page, write_page) -> Page:
    page.emulate_media(reduced_motion="reduce")
    return show(page, write_page(Position0(stops=WALK)))


def test_a_walk_through_waits_for_a_prediction_and_shows_the_truth_beside_it(walk):
    expect(walk.locator(".la-predict-question")).to_contain_text("Where does out₀ go?")
    button(walk, "Next, after your prediction").click()
    check(walk, [1.0, -0.5])
    button(walk, "Commit").click()
    expect(walk.get_by_role("status")).to_contain_text("Choose an answer first")
    walk.get_by_label("along the line from v₀ to v₁").check()
    button(walk, "Commit").click()
    check(walk, [-3.0, 3.0])
    assert answer(walk) == ["✗ along the line from v₀ to v₁", "it stays at v₀"]
    expect(walk.get_by_role("status")).to_contain_text("It is: it stays at v₀. Above and below alike.")
    walk.get_by_role("button", name="Next", exact=True).click()
    check(walk, [-3.0, 3.0], 1)
    expect(walk.locator(".la-predict-question")).to_have_text("What is left?")
    assert walk.locator(".la-predict-option").all_text_contents() == LEFT
    walk.get_by_label("18 %", exact=True).check()
    button(walk, "Commit").click()
    far = torch.full((1, 2), -8.0, dtype=torch.float64)
    check(walk, [-8.0, -8.0], k=torch.cat((far, K[1:])))
    assert answer(walk) == ["✓ 18 %", "18 %"]
    expect(walk.locator(".la-predict .la-note")).to_contain_text("predicted w/(w + ε) = 0.1837, measured 0.1837")
    button(walk, "Reset").click()
    check(walk, [1.0, -0.5])
    expect(walk.locator(".la-predict-question")).to_contain_text("Where does out₀ go?")


def test_a_walk_through_by_keyboard_and_by_skipping(walk):
    walk.get_by_role("button", name="Next, after").focus()
    walk.keyboard.press("Enter")
    expect(walk.locator(".la-predict input").first).to_be_focused()
    walk.keyboard.press(" ")
    walk.keyboard.press("Enter")
    check(walk, [-3.0, 3.0])
    assert answer(walk) == ["✓ it stays at v₀", "it stays at v₀"]
    walk.keyboard.press("Enter")
    check(walk, [-3.0, 3.0], 1)
    button(walk, "Skip").press("Enter")
    expect(walk.get_by_role("status")).to_contain_text("It is: 18 %. Nearly nothing.")
    assert answer(walk) == ["18 %"]
    expect(walk.locator(".la-stop-count")).to_have_text("Stop 3 of 3")


def test_a_walk_through_in_a_lecture_by_remote_control(walk):
    enter_full_screen(walk)
    walk.keyboard.press("PageDown")
    expect(walk.locator(".la-predict input").first).to_be_focused()
    for place in ([-3.0, 3.0], 0), ([-3.0, 3.0], 1):
        walk.keyboard.press("PageDown")
        check(walk, *place)
    walk.keyboard.press("PageUp")
    check(walk, [-3.0, 3.0])


def test_a_phone_needs_no_sideways_scroll_and_a_finger_drags(new_page, write_page, errors):
    page = new_page(viewport={"width": 360, "height": 740}, has_touch=True, is_mobile=True)
    show(page, write_page(Position0(stops=WALK)))
    page.locator(".la-plane-query").evaluate("(e) => e.scrollIntoView({ block: 'center' })")
    page.touchscreen.tap(*place(page, -5, 2))
    q = queried(page)
    assert all(abs(a - b) < 0.4 for a, b in zip(q, (-5, 2), strict=True))
    check(page, q)
    for view in ("Position 1", "Bend it with ε"):
        button(page, view).tap()
        assert page.evaluate("document.documentElement.scrollWidth") <= 360
        edges = page.locator(".la-root *").evaluate_all("(all) => all.map((e) => e.getBoundingClientRect().right)")
        assert max(edges) <= 360
    assert not errors


#: Texts of a drawing that leave it, and pairs of its tick labels that touch.
CROWDED = """(svg) => {
  const frame = svg.getBoundingClientRect();
  const box = (e) => e.getBoundingClientRect();
  const texts = [...svg.querySelectorAll("text")].filter((e) => box(e).width);
  const out = (b) => b.left < frame.left || b.right > frame.right || b.top < frame.top || b.bottom > frame.bottom;
  const meet = (a, b) => a.left < b.right + a.height / 4 && b.left < a.right + a.height / 4
    && a.top + a.height / 4 < b.bottom - b.height / 4 && b.top + b.height / 4 < a.bottom - a.height / 4;
  const ticks = texts.filter((e) => e.matches(".la-tick"));
  const pairs = ticks.flatMap((a, i) => ticks.slice(i + 1).filter((b) => meet(box(a), box(b))).map((b) => [a, b]));
  return [...texts.filter((e) => out(box(e))), ...pairs.flat()].map((e) => e.textContent);
}"""


@pytest.mark.parametrize("size", [(360, 740), (1280, 800), (1920, 1080)])
def test_no_label_is_cut_or_runs_into_another(new_page, write_page, size):
    page = new_page(viewport={"width": size[0], "height": size[1]}, reduced_motion="reduce")
    show(page, write_page(Position0(eps=0.0)))
    # The font of some systems is wider than that of others.
    page.add_style_tag(content="body { font-family: 'DejaVu Sans', Verdana, sans-serif !important }")
    if size[0] > 360:
        enter_full_screen(page)
    for view in ("Position 0", "Position 1", "Bend it with ε"):
        button(page, view).click()
        page.wait_for_timeout(200)
        for drawing in page.locator(".la-p0 svg").locator("visible=true").all():
            assert drawing.evaluate(CROWDED) == [], view


@pytest.mark.parametrize("width", [360, 1280])
def test_the_places_fill_their_plane_and_the_numbers_stand_at_them(page, write_page, width):
    page.set_viewport_size({"width": width, "height": 800})
    show(page, write_page(Position0()))
    plane = page.locator(".la-plane-query")
    whole = plane.bounding_box()
    across, up = (plane.locator(".la-axis").nth(i).bounding_box() for i in (1, 0))
    assert min(across["width"] / whole["width"], up["height"] / whole["height"]) > 0.75
    for tick in plane.locator(".la-tick:not(.la-tick-side)").locator("visible=true").all():
        gap = tick.bounding_box()["y"] - up["y"] - up["height"]
        assert 0 <= gap < 0.03 * whole["height"]


def test_without_javascript_there_is_a_figure_and_a_table(new_page, write_page):
    page = new_page(java_script_enabled=False)
    page.goto(write_page(Position0()).as_uri())
    expect(page.locator("figure")).to_be_visible()
    expect(page.locator("table.la-numbers").first.locator("tbody tr")).to_have_count(len(PATH))


def test_paper_shows_the_picture_without_its_controls(opened):
    opened.emulate_media(media="print")
    expect(opened.locator(".la-plane-value")).to_be_visible()
    for name in (".la-transport", ".la-p0-sliders", ".la-tools"):
        expect(opened.locator(name)).to_be_hidden()


@pytest.mark.parametrize("width", [360, 1280])
@pytest.mark.parametrize("q", [(2.0, -1.5), (2.1, -1.9), (1.6, -2.2), (2.3, -2.0)])
def test_the_names_of_dots_that_are_near_each_other_can_all_be_read(page, write_page, width, q):
    page.set_viewport_size({"width": width, "height": 740})
    settings = {"q": q, "k": [[2.0, -2.0], [1.8, -1.9]], "v": [[2.0, 1.0], [2.2, 1.1]]}
    show(page, write_page(Position0(t=1, **settings), Position0(t=0, **settings)))
    for widget in page.locator(".la-root").all():
        for plane in widget.locator(".la-plane").all():
            boxes = plane.locator(".la-plane-dot:not([hidden]) text:not(.la-halo)").evaluate_all(
                "(all) => all.map((e) => { const { x, y, right, bottom } = e.getBoundingClientRect();"
                " return [x, right, y + 0.15 * (bottom - y), bottom - 0.15 * (bottom - y)]; })"
            )
            assert len(boxes) > 1
            for i, (left, right, top, bottom) in enumerate(boxes):
                for other in boxes[:i]:
                    assert right <= other[0] or other[1] <= left or bottom <= other[2] or other[3] <= top
