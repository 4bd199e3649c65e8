"""The cost widget: its counts against torch's own, its crossings, its traits, and every control in a browser."""

import functools
import gzip
import math
import re

import pytest
import torch
from playwright.sync_api import Page, expect
from reader import button, run, show
from torch.utils.flop_counter import FlopCounterMode

import linattn
from linattn.chunked import chunk_length
from linattn.widgets import Cost, base
from linattn.widgets.cost import NAMES
from linattn.widgets.still import number

SIZES = ("n", "d", "batch", "layers", "heads", "kv_heads", "dtype", "chunk")
RUNS = [
    {"n": n, "d": 64, "heads": 8, "backward": False, "ms": {
        "linattn": {"median": n / 100, "low": n / 120, "high": n / 90},
        "softmax (SDPA)": {"median": n * n / 4e5, "low": n * n / 5e5, "high": n * n / 3e5},
    }}
    for n in (256, 1024, 4096)
]  # fmt: skip


@pytest.fixture
def javascript(page):
    return functools.partial(run, page, "cost_math")


def sizes(widget):
    return {name: getattr(widget, name) for name in SIZES}


@pytest.mark.parametrize("view", ["work", "memory", "decoding"])
def test_javascript_counts_as_python(javascript, view):
    for arguments in (
        {}, {"n": 17, "chunk": 5}, {"n": 64, "chunk": 64}, {"n": 100, "chunk": 512, "batch": 3},
        {"n": 2**20, "d": 128, "layers": 32, "heads": 32, "kv_heads": 8, "dtype": "bfloat16"},
        {"n": 17, "d": 5, "heads": 12, "kv_heads": 4, "chunk": 5}, {"heads": 256, "kv_heads": 1, "d": 4},
    ):  # fmt: skip
        widget = Cost(**arguments, view=view)
        found = javascript("$cost_math.costs", view, sizes(widget))
        assert found == pytest.approx(widget.costs, rel=1e-12)
        crossings = javascript("$cost_math.crossings", view, sizes(widget))
        assert {tuple(c["of"]): c["n"] for c in crossings} == pytest.approx(widget.crossings)


@pytest.mark.parametrize("group", [1, 3], ids=["own keys and values", "shared"])
@pytest.mark.parametrize("form", ["kernel", "softmax", "recurrence", "chunks"])
def test_the_counts_are_those_of_the_matrix_products_that_run(form, group):
    q, (k, v) = torch.randn(2, group, 90, 8), torch.randn(2, 2, 1, 90, 8)

    def in_blocks(size, inside):
        blocks = list(zip(*(x.split(size, -2) for x in (q, k, v)), strict=True))
        for i, (Q, K, V) in enumerate(blocks):
            # A chunk reads what the chunks before it wrote, a token its own S, too.
            S = K.mT @ V if i < len(blocks) - inside else torch.zeros(2, 1, 8, 8)
            scores = (Q @ K.mT).tril() @ V if inside else None
            yield scores, Q @ S if i >= inside else None

    functions = {
        "kernel": lambda: linattn.all_pairs_linear_attention(q, k, v),
        "softmax": lambda: torch.softmax(q @ k.mT, -1) @ v,
        "recurrence": lambda: list(in_blocks(1, False)),
        "chunks": lambda: list(in_blocks(16, True)),
    }
    with FlopCounterMode(display=False) as counter:
        functions[form]()
    widget = Cost(90, 8, heads=2 * group, kv_heads=2, layers=1, chunk=16)
    assert counter.get_total_flops() == 2 * widget.costs[form]


@pytest.mark.parametrize("group", [1, 8], ids=["own keys and values", "shared"])
def test_decoding_keeps_what_cache_and_state_hold(group):
    q, k = torch.zeros(2, 4, group, 100, 16, dtype=torch.bfloat16), torch.zeros(2, 4, 1, 100, 16, dtype=torch.bfloat16)
    _, state = linattn.causal_linear_attention(q, k, k, return_state=True)
    sizes = {"batch": 2, "layers": 3, "heads": 4 * group, "kv_heads": 4, "dtype": "bfloat16"}
    kept = Cost(100, 16, **sizes, view="decoding").costs
    assert kept == {"cache": 3 * 2 * k.nbytes, "state": 3 * (state.S.nbytes + state.Z.nbytes)}
    # At work one layer holds as much, for as many heads.
    assert 3 * Cost(100, 16, **sizes, view="memory").costs["recurrence"] == kept["state"]


def test_only_width_and_number_format_move_the_crossing_of_cache_and_state():
    shared = {"heads": 32, "kv_heads": 8, "dtype": "bfloat16", "view": "decoding"}
    for sizes in ({"kv_heads": 32}, {"kv_heads": 1}, {"heads": 8}, {"layers": 80}, {}):
        assert Cost(d=128, **shared | sizes).crossings == {("cache", "state"): 129}
    assert Cost(d=128, **shared | {"dtype": "float32"}).crossings == {("cache", "state"): 64.5}
    assert Cost(d=64, **shared).crossings == {("cache", "state"): 65}


@pytest.mark.parametrize("view", ["work", "memory", "decoding"])
def test_the_lines_cross_where_it_says(view):
    for kv_heads in (12, 4):
        widget = Cost(d=33, heads=12, kv_heads=kv_heads, view=view, dtype="bfloat16")
        for (square, linear), n in widget.crossings.items():
            below, above = (widget._costs(m, view) for m in (math.ceil(n) - 1, int(n) + 1))
            assert below[square] < below[linear] and above[square] > above[linear]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"n": 15}, "n must be"), ({"d": 513}, "d must be"), ({"kv_heads": 5}, "divide"), ({"dtype": "int8"}, "dtype"),
        ({"view": "time"}, "needs measurements"), ({"measurements": [{**RUNS[0], "backward": True}]}, "forward runs"),
    ],
)  # fmt: skip
def test_what_cannot_be_drawn_is_refused_with_a_reason(arguments, message):
    with pytest.raises(ValueError, match=message):
        Cost(**arguments)


def test_heads_that_cannot_be_shared_out_are_refused_and_nothing_is_lost():
    widget = Cost(heads=32, kv_heads=8)
    for name, value in (("kv_heads", 5), ("heads", 12)):
        with pytest.raises(ValueError, match="divide"):
            setattr(widget, name, value)
    with pytest.raises(ValueError, match="divide"), widget.hold_trait_notifications():
        widget.heads, widget.kv_heads = 16, 3
    assert (widget.heads, widget.kv_heads) == (32, 8)
    with widget.hold_trait_notifications():
        widget.heads, widget.kv_heads = 12, 3
    assert (widget.heads, widget.kv_heads) == (12, 3)


def test_still_has_the_numbers_and_the_code_is_small():
    widget = Cost(measurements=RUNS)
    for x in (*widget.costs.values(), RUNS[1]["ms"]["softmax (SDPA)"]["median"]):
        assert number(x) in widget.still() or number(x, 3) in widget.still()
    for name in ("softmax (SDPA)", "all pairs", "linattn"):
        assert name not in widget.still()
    own = "".join(path.read_text() for path in base.HERE.glob("cost*.js"))
    assert len(gzip.compress(own.encode())) < 15_000


# ---- Browser ----

MODELS = [
    {}, {"d": 128, "layers": 32, "heads": 32, "kv_heads": 8, "dtype": "bfloat16"},
    {"d": 8, "batch": 3, "layers": 1, "heads": 1, "chunk": 100},
]  # fmt: skip


def value(formula: str, widget: Cost) -> int:
    """What a formula comes to, in multiply-adds or bytes."""
    python = re.sub(r"²", "**2", formula.replace("·", "*").replace("×", "*").replace("−", "-").replace(" B", ""))
    letters = {"n": widget.n, "d": widget.d, "C": widget.chunk, "r": widget.n % widget.chunk}
    return eval(python.split(",")[0], letters | {"g": widget.heads // widget.kv_heads})


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("view", ["work", "memory", "decoding"])
def test_a_formula_times_its_factor_is_the_number_beside_it(page, view, model):
    for n in (16, 64, 128, 1000, 6400):
        widget = Cost(n, **model, view=view)
        formulas = run(page, "cost_words", "$cost_words.formulas", view, sizes(widget))
        told = run(page, "cost_words", "$cost_words.factor", view, sizes(widget))
        factors = [int(x.replace(",", "")) for x in re.findall(r"× ([\d,]+) =", told)]
        products = [
            re.findall(r"\d+", part.split("=")[1]) for part in told.replace(", one", ";").split(";") if "=" in part
        ]
        assert factors == [math.prod(map(int, product)) for product in products]
        assert formulas.keys() == widget.costs.keys()
        for i, (name, formula) in enumerate(formulas.items()):
            assert value(formula, widget) * factors[min(i, len(factors) - 1)] == widget.costs[name], (formula, told)
            assert "r" not in formula or formula.endswith(f", r\xa0=\xa0{n % widget.chunk}")


@pytest.mark.parametrize("model", MODELS)
def test_still_and_tables_say_the_same(page, model):
    widget = Cost(**model)
    for view in ("work", "memory", "decoding"):
        assert run(page, "cost_words", "$cost_words.caption", view, sizes(widget)) == widget._caption(view)
        even = sizes(widget) | {"n": 2 * widget.chunk}
        assert run(page, "cost_words", "$cost_words.formulas", view, even) == widget._formulas(view)
        numbers = [shown(x, view) for x in widget._costs(1024, view).values()]
        assert all(
            text in widget.still() for text in (widget._caption(view), *widget._formulas(view).values(), *numbers)
        )


def test_no_ratio_of_1_is_told_as_more_or_less(page):
    llama = MODELS[1]
    wanted = {
        128: "At n = 128 S and Z take about as much as the KV cache; they are equal at n = 129.",
        129: "At n = 129 the KV cache takes as much as S and Z.",
        130: "At n = 130 the KV cache takes about as much as S and Z; they are equal at n = 129.",
        258: "At n = 258 the KV cache takes 2.0 times as much as S and Z; they are equal at n = 129.",
    }
    for n, sentence in wanted.items():
        widget = Cost(n, **llama, view="decoding")
        state = sizes(widget) | {
            "view": "decoding",
            "here": widget.costs,
            "crossings": [{"n": 129, "of": ["cache", "state"]}],
        }
        assert run(page, "cost_words", "$cost_words.say", state) == sentence


@pytest.fixture
def opened(page, write_page) -> Page:
    return show(page, write_page(Cost(measurements=RUNS)))


def shown(x: float, view: str) -> str:
    if view == "work":
        return number(x)
    power = min(max(int(torch.tensor(x, dtype=torch.float64).log2() // 10), 0), 5)
    return f"{number(x / 1024**power)} {['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB'][power]}"


def check(page: Page, **state) -> None:
    widget = Cost(**state)
    wanted = {NAMES[name]: shown(x, widget.view) for name, x in widget.costs.items()}
    rows = page.locator(".la-root .la-cost-row")
    expect(rows).to_have_count(len(wanted))
    found = {row.locator("dt").inner_text(): row.locator(".la-cost-value").inner_text() for row in rows.all()}
    assert found == wanted


def test_every_control_changes_the_numbers(opened):
    state = {}
    check(opened)
    for label, name, value in (
        ("tokens n", "n", 3000), ("entries of a head, d", "d", 48), ("layers", "layers", 7), ("batch", "batch", 3),
        ("heads", "heads", 24), ("chunk size C", "chunk", 100),
    ):  # fmt: skip
        field = opened.get_by_label(f"{label}, exact number", exact=True)
        field.fill(str(value))
        field.press("Enter")
        state[name] = value
        check(opened, **state, kv_heads=12)
    button(opened, "Memory").click()
    check(opened, **state, kv_heads=12, view="memory")
    opened.get_by_label("number format").select_option("bfloat16")
    state |= {"dtype": "bfloat16"}
    check(opened, **state, kv_heads=12, view="memory")
    button(opened, "Decoding").click()
    field = opened.get_by_label("key/value heads, exact number")
    field.fill("6")
    field.press("Enter")
    check(opened, **state, kv_heads=6, view="decoding")
    opened.get_by_role("slider", name="tokens n", exact=True).press("End")
    check(opened, **state | {"n": 2**20}, kv_heads=6, view="decoding")
    opened.get_by_label("sizes of").select_option("Llama 3 8B")
    llama = {"d": 128, "layers": 32, "heads": 32, "kv_heads": 8}
    check(opened, **state | {"n": 2**20, **llama}, view="decoding")
    expect(opened.locator(".la-root")).to_contain_text("arXiv 2407.21783")
    button(opened, "Reset").click()
    check(opened)


def test_heads_and_those_for_keys_and_values_leave_each_other_alone_where_they_can(opened):
    button(opened, "Decoding").click()
    heads, shared = (opened.get_by_label(f"{name}, exact number", exact=True) for name in ("heads", "key/value heads"))

    def ask(field, x: int, **wanted) -> None:
        field.fill(str(x))
        field.press("Enter")
        expect(heads).to_have_value(str(wanted["heads"]))
        expect(shared).to_have_value(str(wanted["kv_heads"]))
        check(opened, **wanted, view="decoding")
        changed = wanted != {"heads": x, "kv_heads": x} and str(x) != field.input_value() or field is heads
        told = f"must divide the {wanted['heads']} heads: {wanted['kv_heads']} now. At n = 1,024"
        assert (told in opened.get_by_role("status").inner_text()) == changed

    ask(shared, 5, heads=12, kv_heads=4)
    ask(shared, 5, heads=12, kv_heads=6)
    ask(shared, 20, heads=12, kv_heads=12)
    ask(shared, 20, heads=12, kv_heads=12)
    ask(shared, 4, heads=12, kv_heads=4)
    ask(heads, 13, heads=13, kv_heads=13)
    ask(heads, 12, heads=12, kv_heads=4)
    slider = opened.get_by_role("slider", name="key/value heads", exact=True)
    for key, kv_heads in (("ArrowUp", 6), ("ArrowUp", 12), ("ArrowUp", 12), ("ArrowDown", 6), ("ArrowDown", 4)):
        slider.press(key)
        check(opened, kv_heads=kv_heads, view="decoding")


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_marker_of_n_is_told_from_every_line(opened, theme):
    opened.evaluate(f"document.documentElement.dataset.theme = '{theme}'")
    colour = "(e) => getComputedStyle(e).stroke.match(/[0-9]+/g).map(Number)"
    now = opened.locator(".la-now").evaluate(colour)
    for line in opened.locator("polyline.la-cost-line").all():
        assert sum(abs(a - b) for a, b in zip(now, line.evaluate(colour), strict=True)) > 100


def test_paper_has_the_sizes_apart_from_the_sentence(opened):
    button(opened, "Memory").click()
    opened.emulate_media(media="print")
    said, first = (opened.locator(name).first.bounding_box() for name in (".la-status", ".la-recall-inputs"))
    assert first["y"] - said["y"] - said["height"] >= 8
    for label in ("sizes of", "number format"):
        expect(opened.get_by_label(label)).to_be_visible()
    expect(opened.locator(".la-root .la-recall-inputs")).to_contain_text("Radford")


def test_steps_double_n(opened):
    opened.wait_for_timeout(900)
    check(opened)
    button(opened, "Next step").click()
    check(opened, n=2048)
    opened.locator(".la-root").focus()
    opened.keyboard.press("ArrowLeft")
    check(opened, n=1024)
    opened.keyboard.press("Home")
    check(opened, n=16)
    opened.keyboard.press("End")
    check(opened, n=2**20)


def test_the_picture_sets_n_and_marks_the_crossings(opened):
    box = opened.locator(".la-cost-chart").bounding_box()
    opened.mouse.click(box["x"] + box["width"] * (62 + 644 * 0.5) / 720, box["y"] + box["height"] / 2)
    check(opened, n=4096)
    expect(opened.locator(".la-cost-cross").first).to_have_text("n = 64")
    assert abs(float(opened.locator(".la-knee").first.get_attribute("x1")) - (62 + 644 * 2 / 16)) < 1e-6
    expect(opened.get_by_role("status")).to_contain_text("64 times as much as the recurrence; they are equal at n = 64")
    opened.mouse.click(box["x"] + box["width"] * (62 + 644 * 0.75) / 720, box["y"] + box["height"] / 2)
    check(opened, n=2**16)
    expect(opened.get_by_role("status")).to_contain_text("At n = 65,536 softmax and the masked kernel take 1,024 times")


def test_of_two_lines_in_one_place_both_are_seen(opened):
    line = """line => [line.getAttribute("points"),
        ...["strokeWidth", "strokeDasharray"].map((name) => getComputedStyle(line)[name])]"""
    for view in ("Multiply-adds", "Memory"):
        button(opened, view).click()
        (under, wide, _), (over, narrow, dashes) = (
            opened.locator(f"polyline.la-cost-{name}").evaluate(line) for name in ("softmax", "kernel")
        )
        assert under == over and float(wide.removesuffix("px")) > 3 * float(narrow.removesuffix("px"))
        assert dashes != "none"
        expect(opened.locator("figcaption", has_text="the masked kernel (dotted) lies on softmax")).to_be_visible()
    button(opened, "Decoding").click()
    expect(opened.locator("figcaption", has_text="masked kernel")).to_have_count(0)


@pytest.mark.parametrize("view", ["work", "memory", "decoding"])
@pytest.mark.parametrize(
    "model",
    [{}, {"d": 128, "heads": 32, "kv_heads": 8}, {"d": 8, "dtype": "bfloat16"}, {"d": 32, "heads": 12, "kv_heads": 4}],
)
def test_two_lines_are_called_equal_only_where_they_are(page, view, model):
    widget = Cost(256, **model, view=view)
    (square, linear), _ = next(iter(widget.crossings.items()))
    state = sizes(widget) | {"view": view, "here": widget.costs}
    said = run(
        page, "cost_words", f"(s) => $cost_words.say({{ ...s, crossings: $cost_math.crossings('{view}', s) }})", state
    )
    said, _, meets = said.partition(". Fused softmax and the recurrence ")
    assert bool(meets) == (view != "decoding")
    for told, one, other in ((said.split("; they ")[1], square, linear), (meets, "fused", "recurrence")):
        if not told:
            continue
        below, *above = [int(n.replace(",", "")) for n in re.findall(r"\d[\d,]*", told)]
        at = {n: widget._costs(n, view) for n in (below, *above)}
        if above:
            assert above == [below + 1] and "change places between" in told
            assert at[below][one] < at[below][other] and at[below + 1][one] > at[below + 1][other]
        else:
            assert "are equal at" in told and at[below][one] == at[below][other]


def test_what_is_more_at_every_n_has_no_crossing(page):
    widget = Cost(16, 4, heads=256, kv_heads=1, view="memory")
    state = sizes(widget) | {"view": "memory", "here": widget.costs}
    told = "(s) => $cost_words.say({ ...s, crossings: $cost_math.crossings('memory', s) })"
    assert run(page, "cost_words", told, state).endswith("; it is more at every n. So does fused softmax.")


def test_nothing_runs_into_its_neighbour(page, write_page):
    llama = {"view": "work", "d": 128, "text": "A stop."}
    # Chunks do not fill this n: their formula is the longest there is.
    opened = show(page, write_page(Cost(1000, measurements=RUNS, stops=[llama])))
    texts = """() => [...document.querySelectorAll(".la-cost-row > *, .la-cost-chart text, .la-stops")].map((e) => {
        const range = document.createRange(); range.selectNodeContents(e);
        const { left, right, top, bottom } = (e.matches("dt, dd") ? range : e).getBoundingClientRect();
        return { left, right, top, bottom, text: e.textContent };
    }).filter(({ left, right }) => right > left)"""
    gaps = """(all) => all.map((e) => {
        const [ms, times] = [e.firstChild, e.lastChild].map((x) => {
            const range = document.createRange(); range.selectNodeContents(x); return range.getBoundingClientRect();
        });
        return Math.max(times.left - ms.right, times.top - ms.bottom + 8);
    })"""
    for width, height, full in (
        (360, 800, False),
        (760, 900, False),
        (1000, 900, False),
        (1280, 800, True),
        (1920, 1080, True),
    ):
        opened.set_viewport_size({"width": width, "height": height})
        if full and not opened.locator(".la-full").count():
            button(opened, "Full screen").click()
        for view in ("Multiply-adds", "Memory", "Decoding", "Measured time"):
            button(opened, view).click()
            opened.wait_for_timeout(200)
            boxes = opened.evaluate(texts)
            expect(opened.locator(".la-cost-formula").first).to_be_visible()
            marks = opened.locator(".la-cost-chart .la-tick-side").all_text_contents()
            assert len({"e" in mark for mark in marks}) == 1
            if view == "Measured time":
                assert min(opened.locator(".la-cost-value").evaluate_all(gaps)) >= 6
            for i, one in enumerate(boxes):
                for other in boxes[:i]:
                    beside = one["left"] >= other["right"] or other["left"] >= one["right"]
                    assert beside or one["top"] >= other["bottom"] - 6 or other["top"] >= one["bottom"] - 6, (
                        one,
                        other,
                    )
                assert one["right"] <= width * (0.975 if full else 1), one
            # No upright line crosses the name of a crossing.
            for name in opened.locator(".la-cost-cross").all():
                box = name.bounding_box()
                lines = opened.locator(".la-cost-chart :is(.la-now, .la-knee)").all()
                assert all(line.bounding_box()["y"] >= box["y"] + box["height"] - 6 for line in lines)


def test_measurements_stand_beside_the_formulas(opened):
    button(opened, "Measured time").click()
    expect(opened.locator(".la-cost-dot")).to_have_count(6)
    for label in ("layers, exact number", "tokens n, exact number"):
        expect(opened.get_by_label(label)).to_be_hidden()
    # At its longest n the chunkwise form lies on its line: that is the speed of all lines.
    dot = opened.locator(".la-cost-dot.la-cost-chunks").last
    line = opened.locator("polyline.la-cost-chunks").get_attribute("points").split()[-1].split(",")
    assert abs(float(dot.get_attribute("cx")) - float(line[0])) < 0.1
    assert abs(float(dot.get_attribute("cy")) - float(line[1])) < 0.1
    chunk = chunk_length(8 * 64)
    work = {n: Cost(n, heads=8, layers=1, chunk=chunk, measurements=RUNS).costs for n in (256, 1024, 4096)}
    speed = work[4096]["chunks"] / RUNS[2]["ms"]["linattn"]["median"]

    def check_row(n: int) -> None:
        expect(opened.get_by_role("status")).to_contain_text(f"n = {n:,}:")
        run = next(run for run in RUNS if run["n"] == n)
        values = opened.locator(".la-cost-value")
        for i, (contender, form) in enumerate((("softmax (SDPA)", "fused"), ("linattn", "chunks"))):
            ms = run["ms"][contender]["median"]
            times = ms / (work[n][form] / speed)
            expect(values.nth(i)).to_have_text(f"{number(ms)} ms{times:.3g} × its line")

    # n = 1024 is measured; steps go from one measured length to the next, and the mouse to the nearest.
    check_row(1024)
    button(opened, "Next step").click()
    check_row(4096)
    opened.locator(".la-root").focus()
    opened.keyboard.press("Home")
    check_row(256)
    box = opened.locator(".la-cost-chart").bounding_box()
    opened.mouse.click(box["x"] + box["width"] * (62 + 644 * 0.55) / 720, box["y"] + box["height"] / 2)
    check_row(1024)


def test_link_brings_it_back_and_broken_ones_change_nothing(opened):
    button(opened, "Memory").click()
    opened.get_by_label("sizes of").select_option("Llama 3 8B")
    button(opened, "Show all numbers").click()
    expect(opened.locator(".la-tables table")).to_have_count(6)
    opened.wait_for_function("() => location.hash.includes('d=128')")
    address = opened.url
    opened.goto("about:blank")
    opened.goto(address)
    check(opened, d=128, layers=32, heads=32, kv_heads=8, view="memory")
    for broken in (
        "view=x",
        "view=work&n=0",
        "view=work&n=1.5",
        "view=work&heads=5",
        "view=work&dtype=x",
        "view=work&d=",
    ):
        opened.goto("about:blank")
        opened.goto(re.sub("view=.*", broken, address))
        expect(opened.get_by_role("status")).to_contain_text("does not fit")
        check(opened)


def test_no_sideways_scroll_and_a_picture_for_a_phone(opened):
    opened.set_viewport_size({"width": 360, "height": 800})
    expect(opened.locator(".la-cost-chart")).to_have_attribute("viewBox", "0 0 400 300")
    button(opened, "Show all numbers").click()
    for view in ("Memory", "Decoding", "Measured time"):
        button(opened, view).click()
        assert opened.evaluate("() => document.documentElement.scrollWidth") <= 360
    size = "(e) => parseFloat(getComputedStyle(e).fontSize) * e.getScreenCTM().a"
    assert min(opened.locator(".la-cost-chart text").evaluate_all(f"(all) => all.map({size})")) >= 11
