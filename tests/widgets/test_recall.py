"""The recall widget: its arithmetic against torch, the claims it makes, its traits, and every control in a browser."""

import functools
import gzip
import itertools
import json
import re

import pytest
import torch
from playwright.sync_api import Page, expect
from reader import button, enter_full_screen, run, show
from traitlets import TraitError

from linattn.widgets import Recall, base
from linattn.widgets.still import number

NAMES = ("d_phi", "pairs", "rule", "gamma", "beta", "orthogonal", "rewrite", "seed")
SETTINGS = [
    {},
    {"d_phi": 5, "pairs": 17, "seed": 3},
    {"rule": "decay", "gamma": 0.7, "d_phi": 32, "pairs": 40},
    {"rule": "delta", "beta": 0.6, "orthogonal": True, "d_phi": 7},
    {"rule": "delta", "rewrite": True, "orthogonal": True},
    {"rewrite": True, "pairs": 20, "d_phi": 2},
]


@pytest.fixture
def javascript(page):
    return functools.partial(run, page, "recall_math")


def close(found, wanted):
    torch.testing.assert_close(torch.tensor(found, dtype=torch.float64), wanted, rtol=0, atol=1e-9)


@pytest.mark.parametrize("setting", SETTINGS)
def test_every_step_equals_torch(javascript, setting):
    widget = Recall(**setting)
    found = javascript("$recall_math.recall", {name: getattr(widget, name) for name in NAMES})
    close([step["error"] for step in found["steps"]], widget.curve)
    close([step["least"] for step in found["steps"]], widget.least)
    for m in (1, 2, widget.pairs // 2, widget.pairs):
        widget.m = m
        close(found["keys"][:m], widget.k)
        close(found["values"][:m], widget.v)
        close(found["steps"][m]["S"], widget.S)
        close(found["steps"][m]["back"], widget.read)
        close(found["steps"][m]["errors"], widget.errors)


def test_the_plain_sum_loses_m_minus_1_over_d():
    curves = torch.stack([Recall(8, pairs=24, seed=seed).curve for seed in range(60)])
    wanted = (torch.arange(25) - 1).clamp_min(0) / 8
    torch.testing.assert_close(curves.mean(0), wanted.double(), rtol=0.12, atol=0.02)


def test_keys_at_right_angles_are_exact_up_to_the_number_of_features_and_no_further():
    widget = Recall(8, pairs=12, orthogonal=True, m=8)
    torch.testing.assert_close(widget.k @ widget.k.T, torch.eye(8, dtype=torch.float64))
    assert widget.curve[8] < 1e-25 and widget.curve[9] > 0.1


@pytest.mark.parametrize("rule", ["sum", "decay", "delta"])
def test_no_rule_beats_the_bound_of_rank(rule):
    widget = Recall(8, pairs=40, rule=rule)
    assert (widget.least[:9] < 1e-20).all() and (widget.least[9:] > 0.005).all()
    assert (widget.curve >= widget.least - 1e-12).all()
    assert torch.linalg.matrix_rank(Recall(8, m=40).k) == 8


@pytest.mark.parametrize("orthogonal", [False, True])
def test_a_key_written_again(orthogonal):
    both = {"m": 2, "rewrite": True, "orthogonal": orthogonal}
    v_0, v_1 = Recall(**both).v
    torch.testing.assert_close(Recall(**both).read[0], v_0 + v_1)
    torch.testing.assert_close(Recall(**both, rule="delta").read[0], v_1)
    torch.testing.assert_close(Recall(**both, rule="decay", gamma=0.5).read[0], 0.5 * v_0 + v_1)


@pytest.mark.parametrize(
    "arguments",
    [
        {"d_phi": 1},
        {"d_phi": 33},
        {"pairs": 65},
        {"m": 49},
        {"pair": 48},
        {"gamma": 1.1},
        {"beta": -0.1},
        {"rule": "x"},
    ],
)
def test_what_cannot_be_drawn_is_refused_with_a_reason(arguments):
    with pytest.raises(ValueError, match=f"{next(iter(arguments))} must be"):
        Recall(**arguments)


def test_traits_follow_the_reader_and_stay_in_range():
    widget = Recall()
    widget.set_state({"m": 7, "rule": "delta"})
    torch.testing.assert_close(widget.errors, Recall(m=7, rule="delta").errors)
    for name, value in (("m", 49), ("pairs", 6), ("rule", "x"), ("beta", 2.0), ("d_phi", 40)):
        with pytest.raises(TraitError):
            setattr(widget, name, value)
    assert widget.m == 7


def test_still_has_the_numbers_and_the_code_is_small():
    widget = Recall(m=20)
    for m in (16, 20, 48):
        assert number(widget.curve[m].item(), 4) in widget.still()
    still = Recall(rule="delta", orthogonal=True, rewrite=True).still()
    assert "delta rule, β = 1, keys at right angles, pair 1 with the key of pair 0" in still
    assert "0, up to rounding" in Recall(orthogonal=True).still() and "e−" not in Recall(orthogonal=True).still()
    assert json.loads(re.search(r'json">(.*?)</script>', widget.to_html(), re.DOTALL)[1])["m"] == 20
    own = "".join(path.read_text() for path in base.HERE.glob("recall*.js"))
    assert len(gzip.compress(own.encode())) < 15_000


# ---- Browser ----


def test_what_is_said_holds_in_every_state(page):
    say = "(s) => $recall_words.say({ ...s, here: $recall_math.recall(s).steps[s.m] })"
    rates = [
        ("sum", {}),
        *(("decay", {"gamma": x}) for x in (0, 0.5, 1)),
        *(("delta", {"beta": x}) for x in (0, 0.4, 1)),
    ]
    for rule, rate in rates:
        for orthogonal, rewrite, m in itertools.product((False, True), (False, True), (1, 2, 3, 5, 6, 9)):
            widget = Recall(5, pairs=9, m=m, rule=rule, orthogonal=orthogonal, rewrite=rewrite, **rate)
            said = run(page, "recall_words", say, {name: getattr(widget, name) for name in (*NAMES, "m")})
            about = (rule, rate, orthogonal, rewrite, m, said)
            exact = widget.errors < 1e-20
            before, after = widget.k[:-1] @ widget._states()[m - 1], widget.read[:-1]
            assert bool(re.search(r"error 0(,|\. )", said)) == bool(exact.all()) and "e−" not in said, about
            if "disturb" in said:
                moved = m > 1 and not torch.allclose(before, after)
                assert moved == ("not disturb" not in said), about
            if "exactly" in said:
                last_or_none = exact[-1] if "last pair" in said else widget.least[m] > 1e-9
                assert last_or_none if "last pair" in said or "no S" in said else exact.all(), about
            if found := re.search(r"with weight ([\d.]+)", said):
                assert float(found[1]) == pytest.approx(rate["gamma"] ** (m - 1), abs=0.005), about
            if found := re.search(r"returns (?:([\d.]+)·)?(v₀ \+ )?(?:([\d.]+)·)?(v₁|0)", said):
                first = float(found[1] or 1) if found[2] else 0
                last = float(found[3] or 1) if found[4] != "0" else 0
                torch.testing.assert_close(widget.read[0], first * widget.v[0] + last * widget.v[1])


@pytest.fixture
def opened(page, write_page) -> Page:
    return show(page, write_page(Recall()))


def test_what_was_counted_is_called_measured(opened):
    expect(opened.locator(".la-recall-key-line")).to_have_text("measured")


def loss(x: float) -> str:
    return "0, up to rounding" if 0 < x < 1e-20 else number(x)


def check(page: Page, **state) -> None:
    """Bars, chosen pair, sentence and tables show torch's numbers."""
    wanted = Recall(**state)
    expect(page.locator("[aria-label=Step]")).to_have_value(str(wanted.m))
    if not wanted.m:
        return expect(page.get_by_role("status")).to_contain_text("S is zero")
    expect(page.locator(".la-recall-chart rect")).to_have_count(wanted.m)
    expect(page.get_by_role("status")).to_contain_text(f"squared error {loss(wanted.curve[wanted.m].item())}.")
    pair = min(wanted.pair, wanted.m - 1)
    for kind, row in (("v", wanted.v[pair]), ("out", wanted.read[pair])):
        cells = page.locator(f".la-block-{kind} .la-cell").all_text_contents()
        assert cells == [number(x) for x in row.tolist()], kind
    errors = wanted.errors
    heights = page.eval_on_selector_all(
        ".la-recall-chart rect", "all => all.map(r => Number(r.getAttribute('height')))"
    )
    largest = int(errors.argmax())
    if errors[largest] > 0.05:
        ratio = torch.tensor(heights, dtype=torch.float64) / heights[largest]
        shown = errors > 0.1 * errors[largest]
        torch.testing.assert_close(ratio[shown], (errors / errors[largest])[shown], rtol=0.02, atol=0.02)


def test_steps_by_mouse_and_keyboard(opened):
    check(opened)
    opened.wait_for_timeout(600)
    check(opened)
    for m in (1, 2, 3):
        button(opened, "Next step").click()
        check(opened, m=m)
    button(opened, "Step back").click()
    check(opened, m=2)
    opened.locator(".la-root").focus()
    opened.keyboard.press("End")
    check(opened, m=48)
    opened.keyboard.press("ArrowLeft")
    check(opened, m=47)
    opened.keyboard.press("Home")
    check(opened)
    opened.get_by_role("slider", name="Step", exact=True).fill("30")
    check(opened, m=30)
    button(opened, "Play").click()
    opened.wait_for_function("() => Number(document.querySelector('[aria-label=Step]').value) >= 32")
    button(opened, "Pause").click()


def test_every_control_changes_the_numbers(opened):
    opened.get_by_role("slider", name="Step", exact=True).fill("20")
    state = {"m": 20}
    check(opened, **state)
    for name, rule in (("decay", "decay"), ("delta rule", "delta"), ("plain sum", "sum"), ("delta rule", "delta")):
        button(opened, name).click()
        check(opened, **state, rule=rule)
    state["rule"] = "delta"
    opened.get_by_role("slider", name="rate β").fill("0.4")
    check(opened, **state, beta=0.4)
    state["beta"] = 0.4
    button(opened, "decay").click()
    opened.get_by_role("slider", name="decay γ").press("ArrowLeft")
    check(opened, **state | {"rule": "decay", "gamma": 0.89})
    button(opened, "plain sum").click()
    expect(opened.get_by_role("slider", name="decay γ")).to_be_hidden()
    state["rule"] = "sum"
    opened.get_by_label("features d_φ, exact number").fill("9")
    opened.get_by_label("features d_φ, exact number").press("Enter")
    state["d_phi"] = 9
    check(opened, **state)
    opened.get_by_label("keys at right angles").check()
    check(opened, **state, orthogonal=True)
    opened.get_by_label("pair 1 has the key of pair 0").press(" ")
    check(opened, **state, orthogonal=True, rewrite=True)
    opened.get_by_label("Seed").fill("7")
    opened.get_by_label("Seed").press("Enter")
    check(opened, **state, orthogonal=True, rewrite=True, seed=7)
    opened.get_by_label("Seed").fill("-3")
    opened.get_by_label("Seed").press("Enter")
    expect(opened.get_by_label("Seed")).to_have_value("7")
    expect(opened.get_by_role("status")).to_have_text("A seed is from 0 to 9999: 7 is kept.")
    opened.get_by_role("slider", name="Pair looked at").fill("5")
    check(opened, **state, orthogonal=True, rewrite=True, seed=7, pair=5)
    button(opened, "Reset").click()
    check(opened)


def test_pictures_answer_to_the_pointer(opened):
    left, right = opened.locator(".la-root .la-recall-chart").all()
    box = right.bounding_box()
    opened.mouse.click(box["x"] + box["width"] * (44 + 426 * 0.5) / 480, box["y"] + box["height"] / 2)
    check(opened, m=24)
    box = left.bounding_box()
    opened.mouse.click(box["x"] + box["width"] * (44 + 426 * 10.5 / 48) / 480, box["y"] + box["height"] / 2)
    check(opened, m=24, pair=10)


def test_the_curve_marks_where_the_features_end(opened):
    opened.get_by_role("slider", name="Step", exact=True).fill("24")
    knee, now = (
        float(opened.locator(f".la-root .la-recall-chart .la-{name}").last.get_attribute("x1"))
        for name in ("knee", "now")
    )
    assert abs(knee - (44 + 426 * 16 / 48)) < 1e-6 and abs(now - (44 + 426 * 24 / 48)) < 1e-6
    found = [float(p.split(",")[1]) for p in opened.locator(".la-root .la-recall-line").get_attribute("points").split()]
    curve = Recall().curve[:25]
    heights = (246 - torch.tensor(found, dtype=torch.float64)) / (246 - found[-1])
    torch.testing.assert_close(heights, curve / curve[-1], rtol=0, atol=1e-3)


def test_nothing_that_is_not_written_yet_is_drawn_or_listed(opened):
    """A walk-through asks what comes back after 8 pairs: neither the curves nor the tables give it away before."""
    button(opened, "Show all numbers").click()
    table = opened.locator(".la-tables table").nth(1)
    for m in (0, 5):
        opened.get_by_role("slider", name="Step", exact=True).fill(str(m))
        expect(table.locator("tbody tr")).to_have_count(m + 1)
        for name in ("line", "theory", "least"):
            points = opened.locator(f".la-root .la-recall-{name}").get_attribute("points").split()
            assert [float(p.split(",")[0]) for p in points] == [
                pytest.approx(44 + 426 * i / 48, abs=0.1) for i in range(m + 1)
            ]


def test_tables_and_link(opened, write_page):
    opened.get_by_role("slider", name="Step", exact=True).fill("18")
    button(opened, "delta rule").click()
    button(opened, "Show all numbers").click()
    widget = Recall(m=18, rule="delta")
    text = opened.locator(".la-tables").inner_text()
    so_far = (*widget.curve[:19].tolist(), *widget.least[:19].tolist())
    for x in (*widget.errors.tolist(), *so_far, *widget.S.flatten().tolist()):
        assert number(x, 4) in text or abs(x) < 1e-9
    opened.wait_for_function("() => location.hash.includes('rule=delta')")
    address = opened.url
    opened.goto("about:blank")
    opened.goto(address)
    check(opened, m=18, rule="delta")
    for broken in (
        "m=900",
        "m=",
        "m=1.5",
        "m=x",
        "m=1&rule=x",
        "m=1&gamma=2",
        "m=1&d_phi=0",
        "m=1&seed=-1",
        "m=1&pair=48",
    ):
        opened.goto("about:blank")
        opened.goto(re.sub("m=18.*", broken, address))
        expect(opened.get_by_role("status")).to_contain_text("does not fit")
        expect(opened.locator("[aria-label=Step]")).to_have_value("0")


def test_a_walk_through(page, write_page):
    stops = [{"m": 2, "rewrite": True, "text": "Twice."}, {"m": 2, "rewrite": True, "rule": "delta", "text": "Last."}]
    page.goto(write_page(Recall(stops=stops)).as_uri())
    page.locator(".la-stop-next").click()
    expect(page.locator(".la-stop-text")).to_have_text("Twice.")
    check(page, m=2, rewrite=True)
    page.locator(".la-stop-next").first.click()
    check(page, m=2, rewrite=True, rule="delta")
    expect(page.get_by_role("status")).to_contain_text("returns v₁")


def test_in_full_screen_the_sentence_stays_below_the_bar_beside_a_tall_question(page, write_page):
    page.set_viewport_size({"width": 1920, "height": 1080})
    stops = [{"m": m, "orthogonal": True, "ask": "exact", "text": "A stop."} for m in (8, 16, 17)]
    show(page, write_page(Recall(stops=stops)))
    enter_full_screen(page)
    expect(page.locator(".la-predict-question")).to_be_visible()
    for exact, m in ((8, 8), (16, 16), (0, 17)):
        button(page, "Skip").click()
        expect(page.locator(".la-predict .la-note").first).to_contain_text(f"pairs without error: {exact} of {m}.")
        page.wait_for_timeout(300)
        bar, said = (page.locator(name).bounding_box() for name in (".la-transport", ".la-status"))
        assert 0 <= said["y"] - bar["y"] - bar["height"] < 40
        assert (
            said["y"]
            >= page.locator(".la-stops").bounding_box()["y"] + page.locator(".la-stops").bounding_box()["height"] - 1
        )


@pytest.mark.parametrize("width", [360, 1280])
def test_no_sideways_scroll_and_no_errors(opened, width):
    opened.set_viewport_size({"width": width, "height": 800})
    opened.get_by_role("slider", name="Step", exact=True).fill("48")
    button(opened, "Show all numbers").click()
    assert opened.evaluate("() => document.documentElement.scrollWidth") <= width


def test_paper_shows_the_still_until_a_pair_is_written(page, write_page):
    page.emulate_media(reduced_motion="reduce")
    show(page, write_page(Recall()))
    page.emulate_media(media="print")
    still, live = page.locator(".la-still"), page.locator(".la-root")
    expect(still).to_be_visible()
    expect(live).to_be_hidden()
    for m in (0, 16, 48):
        error = f"{Recall().curve[m]:.4f}" if m else "0"
        expect(still.locator("tr", has=page.get_by_role("rowheader", name=str(m), exact=True))).to_contain_text(error)
    expect(still.locator("svg text")).to_have_text(["0", "4.35", "0", "48", "16 = d_φ"])
    page.emulate_media(media="screen")
    button(page, "Next step").click()
    page.emulate_media(media="print")
    expect(live).to_be_visible()
    expect(still).to_be_hidden()
