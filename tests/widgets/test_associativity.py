"""The associativity widget: its arithmetic against torch, its Python side, and every control in a real browser."""

import json
import math
import re

import ipywidgets
import pytest
import torch
from playwright.sync_api import Page, expect
from reader import SPOKEN, assert_reached, button, close, enter_full_screen, run, show, spoken

from linattn.widgets import Associativity
from linattn.widgets.still import number

INPUTS = [x.double() for x in (Associativity().phi_q, Associativity().phi_k, Associativity().v)]
INPUTS = [(x * 10).round() / 10 for x in INPUTS]


def call(page: Page, expression: str, *arguments: object) -> object:
    return run(page, "associativity_math", expression, *arguments)


@pytest.mark.parametrize(("n", "d_k", "d_v"), [(1, 1, 1), (4, 2, 2), (5, 3, 1), (7, 2, 6)])
def test_every_product_equals_torch(page, n, d_k, d_v):
    generator = torch.Generator().manual_seed(n)
    q, k, v = (torch.randn(n, d, dtype=torch.float64, generator=generator) for d in (d_k, d_k, d_v))
    found = call(page, "(q, k, v) => $associativity_math.products(q, k, v)", q.tolist(), k.tolist(), v.tolist())
    scores, running = q @ k.mT, torch.einsum("nf,ne->nfe", k, v).cumsum(0)
    wanted = {
        "scores": scores, "masked": scores.tril(), "S": k.mT @ v, "left": scores @ v, "causal": scores.tril() @ v,
        "plain": q @ (k.mT @ v), "running": running, "repaired": torch.einsum("nf,nfe->ne", q, running),
    }  # fmt: skip
    assert set(found) == set(wanted)
    for name in wanted:
        close(found[name], wanted[name])


@pytest.mark.parametrize(("n", "d_k", "d_v"), [(4, 64, 64), (26, 16, 64), (65536, 1024, 1), (1000, 3, 7)])
def test_counts_are_those_of_torch_and_meet_at_the_crossover(page, n, d_k, d_v):
    from torch.utils.flop_counter import FlopCounterMode

    def count(run):
        with torch.device("meta"), FlopCounterMode(display=False) as counter:
            run(torch.ones(n, d_k), torch.ones(n, d_k), torch.ones(n, d_v))
        return counter.get_total_flops() // 2

    left, right = count(lambda q, k, v: (q @ k.mT) @ v), count(lambda q, k, v: q @ (k.mT @ v))
    found = call(page, "(...x) => $associativity_math.costs(...x)", n, d_k, d_v)
    assert [found[order]["total"] for order in ("left", "right")] == [left, right]
    assert [found[order]["first"] + found[order]["second"] for order in ("left", "right")] == [left, right]
    widget = Associativity(n, d_k, d_v)
    assert widget.multiply_adds == (left, right)
    assert widget.largest_intermediate == (found["left"]["between"], found["right"]["between"]) == (n * n, d_k * d_v)
    star = call(page, "(k, v) => $associativity_math.crossover(k, v)", d_k, d_v)
    assert star == pytest.approx(widget.crossover)
    assert star**2 * (d_k + d_v) == pytest.approx(2 * star * d_k * d_v)


@pytest.mark.parametrize(("n", "d_k", "d_v"), [(4, 64, 32), (1024, 64, 64), (7, 7, 3)])
@pytest.mark.parametrize("order", ["left", "right"])
def test_a_drawing_has_its_matrices_in_their_places(page, order, n, d_k, d_v):
    found = call(page, "(...x) => $associativity_math.scheme(...x)", order, n, d_k, d_v)
    parts = {part["name"]: part for part in found["parts"]}
    middle = parts["scores" if order == "left" else "S"]
    assert (middle["rows"], middle["columns"]) == ((n, n) if order == "left" else (d_k, d_v))
    out, right, above = parts["out"], parts["φ(Q)"], parts["V"] if order == "left" else middle
    assert (out["rows"], out["columns"]) == (n, d_v)
    assert above["x"] == out["x"] and above["y"] + above["rows"] == out["y"] and right["y"] == out["y"]
    for part in parts.values():
        assert 0 <= part["x"] <= found["width"] - part["columns"] and 0 <= part["y"] <= found["height"] - part["rows"]


def ask(page: Page, name: str, state: dict) -> dict:
    return run(page, "associativity_asks", f"$associativity_asks.asks.{name}", state)


def truth(question: dict) -> list[str]:
    assert len(set(question["options"])) == len(question["options"])
    assert question.get("many") or len(question["truth"]) == 1
    return [question["options"][i] for i in question["truth"]]


SIZES = [(4, 64, 64), (64, 64, 64), (65, 64, 64), (26, 16, 64), (25, 16, 64), (4, 2, 1), (4, 1, 1), (1000, 3, 700)]


@pytest.mark.parametrize(("n", "d_k", "d_v"), SIZES)
def test_answers_about_the_work_are_those_of_python(page, n, d_k, d_v):
    left, right = Associativity(n, d_k, d_v).multiply_adds
    orders = ["(φ(Q) φ(K)ᵀ) V", "φ(Q) (φ(K)ᵀ V)", "both need the same"]
    question = ask(page, "cheaper", {"n": n, "d_k": d_k, "d_v": d_v})
    assert truth(question) == [orders[0 if left < right else 1 if left > right else 2]]
    assert f"{left:,}" in question["because"] and f"{right:,}" in question["because"]

    wins = [m for m in range(1, 2 * 1024) if 2 * m * d_k * d_v < m * m * (d_k + d_v)]
    question = ask(page, "crossover", {"n": n, "d_k": d_k, "d_v": d_v})
    star = Associativity(n, d_k, d_v).crossover
    assert truth(question) == [f"above {round(star, 2):g}"] and int(star) + 1 == wins[0]
    assert wins == list(range(wins[0], 2 * 1024)), "above it, the right order stays the cheaper one"
    assert f"n = {wins[0]:,} the left order takes {wins[0] ** 2 * (d_k + d_v):,}," in question["because"]

    question = ask(page, "grows", {"n": 2 * n, "d_k": d_k, "d_v": d_v})
    small, large = (Associativity(x, d_k, d_v).largest_intermediate for x in (n, 2 * n))
    assert (large[0] / small[0], large[1] / small[1]) == (4, 1)
    assert truth(question) == ["scores 4 times as large, S stays the same"]
    assert f"{small[0]:,} to {large[0]:,} numbers, S stays at {large[1]:,}." in question["because"]
    assert f"{n * 2:,}." in question["question"]


@pytest.mark.parametrize("step", range(5, 10))
@pytest.mark.parametrize("zero", [None, "phi_q", "v", "later v"])
def test_rows_that_are_right_at_a_step_are_those_of_torch(page, zero, step):
    q, k, v = (x.clone() for x in INPUTS)
    if zero == "phi_q":
        q[1] = 0
    elif zero:
        v[1 if zero == "later v" else 0 :] = 0
    running = torch.einsum("nf,nfe->ne", q, torch.einsum("nf,ne->nfe", k, v).cumsum(0))
    out = torch.cat([running[: step - 5], (q @ (k.mT @ v))[step - 5 :]])
    gaps = ((q @ k.mT).tril() @ v - out).abs().amax(-1)
    right = [i for i, gap in enumerate(gaps) if gap < 1e-9]
    by_hand = {None: {3}, "phi_q": {1, 3}, "v": {0, 1, 2, 3}, "later v": {0, 1, 2, 3}}[zero]
    assert set(right) == by_hand | set(range(step - 5))
    question = ask(page, "causal", {"phi_q": q.tolist(), "phi_k": k.tolist(), "v": v.tolist(), "step": step})
    assert truth(question) == [f"row {i}" for i in right]
    assert ("takes up token" in question["question"]) == (step > 5)
    wrong = [f"{number(gap)} in row {i}" for i, gap in enumerate(gaps.tolist()) if i not in right]
    because = f"Off by up to {', '.join(wrong)}: φ(K)ᵀV holds" if wrong else "No row has taken"
    assert question["because"].startswith(because)
    by_nature = "Row 3, the last, may see them all: it is right."
    assert question["because"].endswith(by_nature) == (bool(wrong) and step < 9)
    told = say(page, q, k, v, causal=True, step=step)
    if step > 5:
        t, before = step - 6, [i for i, gap in enumerate(((q @ k.mT).triu(1) @ v).abs().amax(-1)) if gap > 1e-9]
        assert (f"puts row {t} right" in told) == (t in before)
        assert (f"gives row {t}, which was right already" in told) == (t not in before)
        assert ("Every row is right" in told) == (not wrong)
        assert ("Every row is right now" in told) == (t in before and not wrong)
        assert (" only," in told) == (t < 3)


def say(page: Page, q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, **at: object) -> str:
    """The widget's sentence on the small numbers, for a reader who wants four decimals."""
    state = {"view": "numbers", "phi_q": q.tolist(), "phi_k": k.tolist(), "v": v.tolist(), **at}
    js = """(s) => { let text; s.results = $associativity_math.products(s.phi_q, s.phi_k, s.v);
        $dom.rounding(4, () => (text = $associativity_words.say(s))); return text; }"""
    return run(page, "associativity_words", js, state)


def test_one_token_is_spoken_of_as_one(page):
    q, k, v = (x[:1] for x in INPUTS)
    said = [say(page, q, k, v, causal=True, step=step) for step in range(7)]
    assert "1 token." in said[0] and "1 score," in said[1] and "nothing is hidden" in said[2]
    assert "The one token is summed" in said[4] and "The one token has no future" in said[5]
    assert said[6].endswith(
        "holds every token, up to 0, and φ(q₀)ᵀS₀ gives row 0, which was right already. Every row is right."
    )


def test_rounding_reads_as_rounding_with_any_decimals(page):
    gap = re.search(r"largest difference (.*?)\)", say(page, *INPUTS, causal=False, step=5))[1]
    assert re.fullmatch(r"\de−1\d, rounding", gap)


# ---- Python ----


@pytest.mark.parametrize(
    ("stop", "message"),
    [
        ({"n": 8}, "needs a text"), ({"text": "a", "tokens": 3}, "sets nothing called tokens"),
        ({"text": "a", "ask": "capacity"}, "one of cheaper, crossover, grows, causal"),
        ({"text": "a", "question": "Why?"}, "the ask of a stop must be"),
    ],
)  # fmt: skip
def test_a_stop_that_makes_no_sense_is_refused(stop, message):
    with pytest.raises(ValueError, match=message):
        Associativity(stops=[stop])
    widget = Associativity(stops=[{"n": 8, "ask": "cheaper", "question": "Which?", "text": "a"}])
    with pytest.raises(ValueError, match=message):
        widget.stops = [stop]


def test_the_answer_in_python_is_that_of_the_mask():
    widget = Associativity(causal=True)
    scores = widget.phi_q @ widget.phi_k.mT
    assert torch.equal(widget.out, scores.tril() @ widget.v) and torch.equal(widget.S, widget.phi_k.mT @ widget.v)
    widget.set_state({"causal": False, "v": [[1.0, 2.0]] * 4, "n": 16})
    assert torch.equal(widget.out, scores @ widget.v) and widget.multiply_adds[0] == 256 * 128


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"n": 3}, "n must be from 4"), ({"n": 65537}, "65536"), ({"d_k": 0}, "d_k must be"), ({"d_v": 1025}, "1024"),
        ({"step": 6}, "0 to 5"), ({"step": 10, "causal": True}, "0 to 9"), ({"phi_q": torch.ones(2, 2)}, "all of"),
        ({"phi_q": torch.ones(6, 2), "phi_k": torch.ones(6, 2), "v": torch.ones(6, 2)}, "1 to 5 tokens"),
        ({"phi_q": torch.ones(2, 2), "phi_k": torch.ones(3, 2), "v": torch.ones(3, 2)}, r"\(2, 2\), \(3, 2\)"),
    ],
)  # fmt: skip
def test_what_cannot_be_drawn_is_refused_with_a_reason(arguments, message):
    with pytest.raises(ValueError, match=message):
        Associativity(**arguments)


def test_still_has_the_numbers(new_page, write_page, monkeypatch):
    widget = Associativity(n=1000, causal=True)
    page = new_page(java_script_enabled=False)
    page.goto(write_page(widget).as_uri())
    outs = page.locator("table.la-block-out")
    plain = widget.phi_q @ widget.S
    for table, wanted in ((outs.first, widget.out), (outs.last, plain)):
        expect(table.locator("td")).to_have_text([number(x) for x in wanted.flatten().tolist()])
    expect(page.locator("table.la-numbers tbody tr")).to_have_count(16)
    expect(page.get_by_role("row", name="1,000 128,000,000 8,192,000 1,000,000")).to_be_visible()
    ipywidgets.Widget.close_all()
    monkeypatch.setenv("LINATTN_BOOK", "1")
    assert set(Associativity()._repr_mimebundle_()[0]) == {"text/plain", "text/html"}


# ---- The page ----


@pytest.fixture
def opened(page, write_page) -> Page:
    show(page, write_page(Associativity()))
    page.emulate_media(reduced_motion="reduce")
    return page


def check_sizes(page: Page, n: int, d_k: int = 64, d_v: int = 64) -> None:
    wanted = [n * n * (d_k + d_v), n * n, 2 * n * d_k * d_v, d_k * d_v]
    expect(page.locator(".la-order strong")).to_have_text([f"{x:,}" for x in wanted])
    star = 2 * d_k * d_v / (d_k + d_v)
    expect(page.locator(".la-derivation")).to_contain_text(f"= {round(star, 2):g}")
    expect(page.locator(".la-chart-label-star")).to_contain_text(f"n* = {round(star, 2):,g}")
    names = ("n, tokens", "d_k = d_φ, width of φ(q), φ(k)", "d_v, width of v")
    for name, x in zip(names, (n, d_k, d_v), strict=True):
        expect(page.get_by_role("slider", name=name)).to_have_attribute("aria-valuetext", f"{x:,}")
        expect(page.get_by_role("spinbutton", name=name)).to_have_value(str(x))


def test_sizes_by_slider_number_and_keys(opened):
    check_sizes(opened, 1024)
    expect(opened.locator(".la-status")).to_contain_text("above n* = 64: φ(Q) (φ(K)ᵀ V) takes 16 times fewer")
    opened.get_by_role("spinbutton", name="n, tokens").fill("16")
    opened.keyboard.press("Enter")
    check_sizes(opened, 16)
    expect(opened.locator(".la-status")).to_contain_text("below n* = 64: (φ(Q) φ(K)ᵀ) V takes 4 times fewer")
    opened.get_by_role("spinbutton", name="d_k").fill("16")
    opened.keyboard.press("Enter")
    check_sizes(opened, 16, 16)
    opened.get_by_role("slider", name="d_v").focus()
    opened.keyboard.press("ArrowLeft")
    check_sizes(opened, 16, 16, 54)
    opened.keyboard.press("Home")
    check_sizes(opened, 16, 16, 1)
    opened.get_by_role("slider", name="n, tokens").focus()
    opened.keyboard.press("End")
    check_sizes(opened, 65536, 16, 1)
    for text, n in (("1", 4), ("9999999", 65536), ("", 65536), ("100.4", 100)):
        opened.get_by_role("spinbutton", name="n, tokens").fill(text)
        opened.keyboard.press("Enter")
        check_sizes(opened, n, 16, 1)
    button(opened, "Reset").click()
    check_sizes(opened, 1024)


def test_steps_double_n_and_the_chart_sets_it(opened):
    button(opened, "Next step").click()
    check_sizes(opened, 2048)
    button(opened, "Step back").click()
    button(opened, "Step back").click()
    check_sizes(opened, 512)
    button(opened, "First step").click()
    button(opened, "Last step").click()
    check_sizes(opened, 65536)
    opened.locator(".la-root").focus()
    keys = ("Home", "ArrowRight", "ArrowRight", "ArrowLeft", "ArrowLeft", "End")
    for key, n in zip(keys, (4, 8, 16, 8, 4, 65536), strict=True):
        opened.keyboard.press(key)
        check_sizes(opened, n)
    button(opened, "First step").click()
    opened.get_by_role("combobox", name="Speed").select_option("4")
    button(opened, "Play").click()
    expect(button(opened, "Play")).to_be_visible(timeout=8000)
    check_sizes(opened, 65536)
    plot = opened.locator(".la-chart-plot").bounding_box()
    opened.mouse.move(plot["x"] + 1, plot["y"] + 30)
    opened.mouse.down()
    opened.mouse.move(plot["x"] + plot["width"] / 2, plot["y"] + 40)
    opened.mouse.up()
    check_sizes(opened, 512)


@pytest.mark.parametrize(("n", "d_k", "d_v"), [(1024, 64, 64), (128, 16, 64), (4, 256, 64)])
def test_blocks_are_drawn_to_one_scale(page, write_page, n, d_k, d_v):
    show(page, write_page(Associativity(n, d_k, d_v)))
    boxes = page.locator(".la-falk rect").evaluate_all(
        "(all) => all.map((r) => [r.textContent, +r.getAttribute('width'), +r.getAttribute('height')])"
    )
    scales = []
    for title, width, height in boxes:
        rows, columns = (int(x.replace(",", "")) for x in title.split(": ")[1].split(" × "))
        scales += [length / x for length, x in ((width, columns), (height, rows)) if length > 2]
    assert len(boxes) == 10 and max(scales) == pytest.approx(min(scales), rel=1e-3)


@pytest.mark.parametrize("width", [360, 1000])
@pytest.mark.parametrize(("n", "d_v"), [(64, 256), (65, 1024), (64, 64)])
def test_the_scores_are_named_under_their_square(page, write_page, n, d_v, width):
    page.set_viewport_size({"width": width, "height": 800})
    show(page, write_page(Associativity(n, 64, d_v)))
    left = page.locator(".la-falk").first
    middles = left.locator(".la-fill-scores, text:text-is('scores')").evaluate_all(
        "(all) => all.map((x) => x.getBoundingClientRect()).map(({ left, right }) => (left + right) / 2)"
    )
    assert len(middles) == 2 and middles[0] == pytest.approx(middles[1], abs=1)
    # The box of a text is taller than its letters.
    boxes = [text.bounding_box() for text in left.locator("text").all()]
    for i, a in enumerate(boxes):
        for b in boxes[:i]:
            apart = [
                a[x] + a[size] <= b[x] + 2 or b[x] + b[size] <= a[x] + 2
                for x, size in (("x", "width"), ("y", "height"))
            ]
            assert any(apart), (a, b)


READ = (
    """() => {
  const root = document.querySelector('.la-root');
  const at = (side, name) => [...root.querySelectorAll(`.la-product-${side} .la-in-${name} .la-cell`)];
  """
    + SPOKEN
    + """
  const marked = (kind) => at('right', 'out').map((cell) => cell.classList.contains(kind));
  return {
    scores: at('left', 'scores').map(spoken), left: at('left', 'out').map(spoken), S: at('right', 'S').map(spoken),
    right: at('right', 'out').map(spoken), wrong: marked('la-wrong-cell'), equal: marked('la-equal-cell'),
  };
}"""
)


def check_numbers(page: Page, step: int, causal: bool, inputs=INPUTS) -> None:
    q, k, v = inputs
    scores, running = q @ k.mT, torch.einsum("nf,ne->nfe", k, v).cumsum(0)
    S, want, out = running[-1], (scores.tril() if causal else scores) @ v, q @ running[-1]
    if step > 5:
        S, done = running[step - 6], step - 5
        out = torch.cat([torch.einsum("nf,nfe->ne", q, running)[:done], out[done:]])
    shown = scores.tril() if causal and step >= 2 else scores
    at = {"scores": 1, "left": 3, "S": 4, "right": 5} if causal else {"scores": 1, "left": 2, "S": 3, "right": 4}
    blocks = {"scores": shown, "left": want, "S": S, "right": out}
    expected = {
        # Without the last digits, as the page rounds: −25.2185 must not read differently on the two sides.
        name: [spoken(float(f"{x:.12g}")) if step >= at[name] else "not computed yet" for x in block.flatten().tolist()]
        for name, block in blocks.items()
    }
    wrong = ((out - want).abs() > 1e-9).flatten()
    expected["wrong"] = [step >= 5 and x for x in wrong.tolist()]
    expected["equal"] = [step >= 5 and not x for x in wrong.tolist()]
    assert page.evaluate(READ) == expected


def test_small_numbers_without_and_with_the_mask(opened):
    button(opened, "Small numbers").click()
    status = opened.locator(".la-status")
    for step in range(6):
        check_numbers(opened, step, False)
        button(opened, "Next step").click(force=True)
    expect(status).to_contain_text("Equal, entry by entry")
    both = [opened.locator(f".la-product-{side} .la-in-out .la-cell").all_text_contents() for side in ("left", "right")]
    assert both[0] == both[1]
    mask = opened.get_by_role("switch", name="causal mask")
    mask.check()
    check_numbers(opened, 5, True)
    expect(status).to_contain_text("rows 0, 1, 2 of φ(Q)S are wrong")
    expect(opened.locator(".la-verdict")).to_have_text("≠")
    for step in range(6, 10):
        opened.locator(".la-root").focus()
        opened.keyboard.press("ArrowRight")
        check_numbers(opened, step, True)
    expect(status).to_contain_text("gives row 3, which was right already. Every row is right.")
    expect(opened.locator(".la-verdict")).to_have_text("=")
    for step in (8, 7, 6, 5, 4, 3, 2, 1, 0):
        button(opened, "Step back").click()
        check_numbers(opened, step, True)
    opened.get_by_role("slider", name="Step").fill("3")
    mask.focus()
    opened.keyboard.press("Space")
    check_numbers(opened, 2, False)
    mask.check()
    check_numbers(opened, 3, True)


@pytest.mark.parametrize(("side", "name", "index"), [("left", "q", 3), ("right", "k", 2), ("right", "v", 5)])
def test_changing_a_number_changes_both_sides(opened, side, name, index):
    button(opened, "Small numbers").click()
    button(opened, "Last step").click()
    inputs = [x.clone() for x in INPUTS]
    cell = opened.locator(f".la-product-{side} .la-in-{name} .la-cell").nth(index)
    cell.fill("3,25")
    cell.press("Enter")
    x = inputs["qkv".index(name)]
    (x.mT if name == "k" else x)[divmod(index, 4 if name == "k" else 2)] = 3.25
    opened.locator("h1").click()
    check_numbers(opened, 5, False, inputs)
    opened.get_by_role("switch", name="causal mask").check()
    check_numbers(opened, 5, True, inputs)
    button(opened, "Reset").click()
    button(opened, "Small numbers").click()
    check_numbers(opened, 0, False)


def test_a_cell_explains_itself(page, write_page):
    show(page, write_page(Associativity(view="numbers", causal=True, step=7)))
    q, k, v = INPUTS
    readout = page.locator(".la-readout")
    page.locator(".la-in-scores .la-cell").nth(1).hover()
    expect(readout).to_contain_text("Hidden: token 0 must not see token 1")
    page.locator(".la-in-S .la-cell").nth(2).focus()
    expect(readout).to_contain_text(f"= {number((k[:2].mT @ v[:2])[1, 0].item(), 4)}")
    page.locator(".la-product-right .la-in-out .la-cell").nth(4).hover()
    expect(readout).to_contain_text(f"but causal is {number(((q @ k.mT).tril() @ v)[2, 0].item(), 4)}")
    page.locator(".la-product-left .la-in-out .la-cell").nth(4).hover()
    expect(readout).to_contain_text(f"= {number(((q @ k.mT).tril() @ v)[2, 0].item(), 4)}")


def test_tables_and_link(page, write_page):
    path = write_page(Associativity(), Associativity(n=8))
    page.goto(path.as_uri())
    mine = page.locator("#associativity-1")
    mine.get_by_role("spinbutton", name="n, tokens").fill("1000")
    page.keyboard.press("Enter")
    mine.get_by_role("button", name="Show all numbers").click()
    row = mine.get_by_role("row", name="1,000 128,000,000 8,192,000 1,000,000 4,096")
    expect(row).to_have_attribute("aria-current", "step")
    mine.get_by_role("button", name="Small numbers").click()
    text = mine.locator(".la-tables").inner_text()
    q, k, v = INPUTS
    for x in (q @ k.mT, (q @ k.mT) @ v, (q @ k.mT).tril() @ v, torch.einsum("nf,ne->nfe", k, v).cumsum(0)):
        assert all(number(a, 4) in text for a in x.flatten().tolist())
    mine.get_by_role("switch").check()
    mine.locator(".la-product-left .la-in-v .la-cell").first.fill("7.125")
    page.keyboard.press("Enter")
    mine.get_by_role("slider", name="Step").fill("8")
    mine.get_by_role("button", name="Copy link").click()
    expect(mine.locator(".la-status")).to_contain_text("link is")
    link = page.url
    page.goto("about:blank")
    page.goto(link)
    v = v.clone()
    v[0, 0] = 7.125
    page.wait_for_selector(".la-mounted")
    check_numbers(page, 8, True, [q, k, v])
    mine.get_by_role("button", name="Sizes and work").click()
    expect(mine.get_by_role("spinbutton", name="n, tokens")).to_have_value("1000")
    for bad in (
        "view=x",
        "view=scale&n=3&d_k=1&d_v=1&causal=0&step=0",
        link.split("=", 1)[1].replace("step=8", "step=10"),
    ):
        page.evaluate("(bad) => { location.hash = '#la1:associativity-1=' + bad }", bad)
        expect(mine.locator(".la-status")).to_contain_text("does not fit")


def test_a_walk_through(page, write_page):
    stops = [
        {"view": "scale", "n": 4096, "text": "Long."},
        {"view": "numbers", "causal": True, "step": 5, "text": "Wrong."},
        {"view": "numbers", "causal": True, "step": 9, "text": "Right."},
    ]
    page.goto(write_page(Associativity(stops=stops)).as_uri())
    following = page.get_by_role("button", name="Next", exact=True)
    following.click()
    check_sizes(page, 4096)
    expect(page.get_by_text("Long.", exact=True)).to_be_visible()
    following.click()
    check_numbers(page, 5, True)
    expect(page.get_by_text("Wrong.", exact=True)).to_be_visible()
    following.click()
    check_numbers(page, 9, True)
    button(page, "Next step").click(force=True)
    button(page, "Step back").click()
    expect(page.get_by_text("You left the walk-through")).to_be_visible()


def test_every_control_is_reached_by_tab(opened):
    common = ["Show all numbers", "Copy link", "Full screen", "Small numbers", "Reset", "First step", "Play", "Speed"]
    sizes = ["n, tokens", "n, tokens, exact", "d_k = d_φ, width", "d_v, width"]
    for wanted in (
        common + sizes,
        [*common, "causal mask", "φ(Q), row", "φ(K) transposed", "V, row", "scores", "S,", "Step"],
    ):
        assert_reached(opened, wanted)
        button(opened, "Small numbers").click()


def test_out_is_said_to_be_undivided(page, write_page):
    show(page, write_page(Associativity(view="numbers")))
    expect(page.locator(".la-products .la-note")).to_have_text(
        "out here: the product of the three matrices, not yet divided by anything"
    )
    page.get_by_label("causal mask").check()
    expect(page.locator(".la-products .la-note")).to_have_text("out here: not yet divided by φ(qt)ᵀZt")


def test_what_is_lost_of_a_typed_number_is_said(page, write_page):
    show(page, write_page(Associativity(view="numbers")))
    cell, status = page.locator(".la-in-v .la-cell").first, page.get_by_role("status")
    for typed, kept in (("1e-9", "0"), ("-0,12345678", "−0.123457")):
        cell.fill(typed)
        cell.press("Enter")
        expect(status).to_contain_text(f"Rounded to {kept}: six decimals are kept. V has changed")
        expect(cell).to_have_value(kept)
    cell.fill("0.25")
    cell.press("Enter")
    expect(status).to_contain_text("V has changed")
    expect(status).not_to_contain_text("Rounded")


@pytest.mark.parametrize("width", [320, 360])
@pytest.mark.parametrize("view", ["scale", "numbers"])
def test_a_phone_needs_no_sideways_scroll_and_touch_works(new_page, write_page, view, width, errors):
    page = new_page(viewport={"width": width, "height": 740}, has_touch=True, is_mobile=True)
    x = torch.ones(5, 3)
    page.goto(write_page(Associativity(view=view, phi_q=x, phi_k=x, v=x)).as_uri())
    button(page, "Next step").tap()
    button(page, "Show all numbers").tap()
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    edges = page.locator(".la-cell:visible, .la-falk:visible").evaluate_all(
        "(all) => all.map((x) => x.getBoundingClientRect().right)"
    )
    assert max(edges) <= width
    assert not errors


@pytest.mark.parametrize(("width", "full"), [(1000, False), (1280, True), (1920, True)])
def test_the_sign_stands_between_the_two_outs(page, write_page, width, full):
    page.set_viewport_size({"width": width, "height": 1080 if width == 1920 else 800})
    show(page, write_page(Associativity(view="numbers", causal=True, step=5)))
    if full:
        enter_full_screen(page)
        page.wait_for_timeout(300)
    sign, left, right = (
        page.locator(name).bounding_box()
        for name in (".la-verdict", ".la-product-left .la-in-out .la-cells", ".la-product-right .la-in-out .la-cells")
    )
    expect(page.locator(".la-verdict")).to_have_text("≠")
    middle = lambda box: box["y"] + box["height"] / 2  # noqa: E731
    assert left["x"] + left["width"] <= sign["x"] < right["x"]
    assert all(abs(middle(sign) - middle(out)) < 6 for out in (left, right)), (sign, left, right)


def test_full_screen_motion_and_paper(page, write_page):
    show(page, write_page(Associativity(view="numbers")))
    enter_full_screen(page)
    page.keyboard.press("ArrowRight")
    assert page.evaluate("document.getAnimations().length") > 0
    page.keyboard.press("End")
    check_numbers(page, 5, False)
    page.keyboard.press("Escape")
    page.emulate_media(reduced_motion="reduce", media="print")
    page.keyboard.press("Home")
    page.keyboard.press("ArrowRight")
    assert page.evaluate("document.getAnimations().length") == 0
    expect(page.locator(".la-transport")).to_be_hidden()
    expect(page.locator(".la-products")).to_be_visible()


def test_traits_reach_the_page_as_they_are():
    html = Associativity(n=77, stops=[{"view": "scale", "n": 4, "text": "</script>"}]).to_html()
    sent = json.loads(re.search(r'<script type="application/json">(.*?)</script>', html, re.DOTALL)[1])
    assert sent["n"] == 77 and sent["stops"][0]["text"] == "</script>" and sent["phi_q"][0] == [0.5, 0.5]


@pytest.mark.parametrize(("typed", "kept"), [("1", 4), ("", 1024), ("1e9", 65_536), ("100.4", 100)])
def test_a_size_out_of_reach_is_said(page, write_page, typed, kept):
    show(page, write_page(Associativity()))
    field = page.get_by_label("n, tokens, exact number")
    field.fill(typed)
    field.press("Tab")
    expect(page.get_by_role("status")).to_contain_text(f"A whole number from 4 to 65,536: it is {kept:,} now.")
    expect(field).to_have_value(str(kept))


@pytest.mark.parametrize("width", [360, 760])
@pytest.mark.parametrize("d", [1, 64, 190, 1024])
def test_the_names_in_the_chart_keep_off_each_other_and_off_their_lines(page, write_page, width, d):
    page.set_viewport_size({"width": width, "height": 740})
    show(page, write_page(Associativity(d_k=d, d_v=d)))
    found = page.evaluate(
        """() => Object.fromEntries(['star', 'left', 'right'].map((name) => {
          const { x, right, y, bottom } = document.querySelector(`.la-chart-label-${name}`).getBoundingClientRect();
          const line = name !== 'star' && document.querySelector(`.la-chart-${name}`);
          const plot = document.querySelector('.la-chart-plot').getBoundingClientRect();
          const [y1, y2] = line ? [line.y1, line.y2].map((a) => plot.y + plot.height * a.baseVal.value / 100) : [];
          const at = (a) => y1 + ((y2 - y1) * (a - plot.x)) / plot.width;
          return [name, { x, right, y, bottom, before: line && at(x), after: line && at(right) }];
        }))"""
    )
    star, left, right = (found[name] for name in ("star", "left", "right"))
    assert star["right"] <= left["x"] or left["right"] <= star["x"]
    assert left["bottom"] <= left["after"] + 2 and right["y"] >= right["before"] - 2


def test_both_axes_of_the_chart_have_numbers_and_no_line_goes_through_a_name(page, write_page):
    show(page, write_page(Associativity(n=256, d_k=64, d_v=256)))
    middle = """(e, axis) => {
      const { x, y, width, height } = e.getBoundingClientRect();
      return [x + width / 2, y + height / 2][axis];
    }"""
    ticks = page.locator(".la-chart-tick")
    assert ticks.all_text_contents()[:5] == ["1e4", "1e6", "1e8", "1e10", "1e12"]
    assert ticks.all_text_contents()[5:] == ["4", "16", "64", "256", "1k", "4k", "16k", "64k"]
    here = page.locator(".la-chart-now").evaluate(middle, 0)
    assert abs(ticks.get_by_text("256", exact=True).evaluate(middle, 0) - here) < 1
    # n²(d_k + d_v) = 20,971,520 lies between two of the names.
    dot = page.locator(".la-dot-left").evaluate(middle, 1)
    low, high = (ticks.get_by_text(text, exact=True).evaluate(middle, 1) for text in ("1e6", "1e8"))
    wanted = low + (high - low) * (math.log10(256**2 * 320) - 6) / 2
    assert abs(dot - wanted) < 1.5
    grounds = page.locator(".la-chart-label").evaluate_all(
        "(all) => all.map((e) => getComputedStyle(e).backgroundColor)"
    )
    assert set(grounds) == {"rgb(255, 255, 255)"}
