"""The state explorer in a real browser without a kernel: every control, by mouse and by keyboard, against torch."""

import json
from urllib.parse import unquote

import pytest
import torch
from playwright.sync_api import Page, expect
from reader import SPOKEN, assert_reached, button, enter_full_screen, show, spoken

import linattn
from linattn.feature_maps import BUILT_IN
from linattn.tasks import embed_sentence
from linattn.widgets import StateExplorer
from linattn.widgets.still import number

SENTENCE = "the cat sat on the mat"
PHASES = ("write", "add", "read")


class Expected:
    """What should be on screen: inputs, map, position; compared block by block with `linattn.trace`."""

    def __init__(self, sentence: str = SENTENCE, d_k: int = 4, d_v: int = 4) -> None:
        self.tokens, *self.inputs = embed_sentence(sentence, d_k, d_v)
        # Through decimals, so that both sides start from the same doubles.
        self.inputs = [torch.tensor([[round(a, 1) for a in row] for row in x.tolist()]).double() for x in self.inputs]
        self.inputs = [(x * 10).round() / 10 for x in self.inputs]
        self.map, self.t, self.phase = "elu_plus_one", 0, "write"

    def at(self, step: int) -> "Expected":
        self.t, self.phase = step // 3, PHASES[step % 3]
        return self

    def pick(self, order: list[int]) -> None:
        self.tokens = [self.tokens[i] for i in order]
        self.inputs = [x[order] for x in self.inputs]

    def labels(self) -> dict[str, list[str]]:
        q, k, v = self.inputs
        trace, t = linattn.trace(q, k, v, BUILT_IN[self.map]), self.t
        past = t - 1 if self.phase == "write" else t
        S = trace.S[past] if past >= 0 else torch.zeros_like(trace.S[0])
        Z = trace.Z[past] if past >= 0 else torch.zeros_like(trace.Z[0])
        blocks = {"phi_k": trace.phi_k[t], "phi_q": trace.phi_q[t], "tile": trace.write[t], "S": S, "Z": Z}
        found = {name: [spoken(x) for x in block.flatten().tolist()] for name, block in blocks.items()}
        for name in ("numerator", "denominator", "out"):
            entries = getattr(trace, name)[t].flatten().tolist()
            found[name] = [spoken(x) if self.phase == "read" else "not computed yet" for x in entries]
        found |= {name: [number(x, 2) for x in x[t].tolist()] for name, x in zip("qkv", self.inputs, strict=True)}
        weights = trace.weights[t, : t + 1].tolist()
        found["weights"] = [f"{100 * w:.0f} %" for w in weights] if self.phase == "read" else []
        return found


READ = (
    """() => {
  const root = document.querySelector('.la-root');
  const of = (name) => [...root.querySelectorAll(`.la-at-${name}:not(.la-ghost) .la-cell`)];
  """
    + SPOKEN
    + """
  const shown = ['phi_k', 'phi_q', 'tile', 'S', 'Z', 'numerator', 'denominator', 'out'];
  const entries = shown.map((n) => [n, of(n).map(spoken)]);
  for (const n of ['q', 'k', 'v']) entries.push([n, of(n).map((cell) => cell.value ?? cell.textContent)]);
  entries.push(['weights', [...root.querySelectorAll('.la-share')].map((e) => e.textContent).filter(Boolean)]);
  return Object.fromEntries(entries);
}"""
)


def settle(page: Page) -> None:
    """Wait until nothing flies any more."""
    page.wait_for_function("() => !document.querySelector('.la-root').dataset.moving")


def check(page: Page, expected: Expected) -> None:
    settle(page)
    found = page.evaluate(READ)
    wanted = expected.labels()
    for name in wanted:
        zero = [x.replace("−0 %", "0 %") for x in found[name]]
        assert zero == [x.replace("-0 %", "0 %").replace("-", "−") for x in wanted[name]], name
    chips = page.locator(".la-root").first.locator(".la-chip")
    assert chips.all_text_contents() == expected.tokens
    expect(chips.nth(expected.t)).to_have_attribute("aria-current", "step")
    expect(page.locator(".la-phase[aria-current]").first).to_contain_text(expected.phase)


@pytest.fixture
def opened(page, write_page) -> Page:
    return show(page, write_page(StateExplorer()))


@pytest.mark.parametrize("form", ["http", "file"])
def test_every_move_of_every_token_equals_trace(page, write_page, address, form):
    path = write_page(StateExplorer())
    page.emulate_media(reduced_motion="reduce")
    page.goto(address if form == "http" else path.as_uri())
    expected = Expected()
    check(page, expected)
    for step in range(1, 18):
        button(page, "Next step").click()
        check(page, expected.at(step))
    button(page, "Next step").click(force=True)
    check(page, expected)
    for step in (16, 15, 14):
        button(page, "Step back").click()
        check(page, expected.at(step))


def test_transport_by_mouse(opened):
    expected = Expected()
    button(opened, "Last step").click()
    check(opened, expected.at(17))
    button(opened, "First step").click()
    check(opened, expected.at(0))
    button(opened, "Step back").click(force=True)
    check(opened, expected.at(0))
    opened.get_by_role("slider", name="Step").fill("8")
    check(opened, expected.at(8))
    button(opened, "add").click()
    check(opened, expected.at(7))
    button(opened, "Token 4, the").click()
    check(opened, expected.at(14))


def test_play_walks_to_the_end_and_stops(opened):
    expect(button(opened, "Play")).to_be_visible()
    opened.get_by_role("combobox", name="Speed").select_option("4")
    opened.get_by_role("slider", name="Step").fill("14")
    button(opened, "Play").click()
    expect(button(opened, "Pause")).to_be_visible()
    expect(button(opened, "Play")).to_be_visible(timeout=8000)
    check(opened, Expected().at(17))
    button(opened, "Play").click()
    opened.wait_for_function("() => document.querySelector('.la-scrubber').value === '1'")
    button(opened, "Pause").click()
    at = opened.locator(".la-scrubber").input_value()
    opened.wait_for_timeout(900)
    assert opened.locator(".la-scrubber").input_value() == at


def test_nothing_moves_by_itself(opened):
    opened.wait_for_timeout(1200)
    check(opened, Expected())


def test_transport_by_keyboard(opened):
    expected = Expected()
    opened.locator(".la-root").focus()
    for key, step in [
        ("ArrowRight", 1), ("ArrowRight", 2), ("ArrowRight", 3), ("ArrowLeft", 2), ("ArrowLeft", 1), ("End", 17),
        ("ArrowRight", 17), ("Home", 0), ("ArrowLeft", 0),
    ]:  # fmt: skip
        opened.keyboard.press(key)
        check(opened, expected.at(step))
    opened.keyboard.press(" ")
    expect(button(opened, "Pause")).to_be_visible()
    opened.keyboard.press(" ")
    expect(button(opened, "Play")).to_be_visible()


def test_every_control_is_reached_by_tab_and_works_by_enter(opened):
    opened.get_by_role("heading", name="State explorer").click()
    wanted = [
        "Decimals", "Show all numbers", "Copy link", "Full screen", "Token 5, mat", "1write", "q 0, 0", "k 0, 0",
        "v 0, 0", "S, empty, row 0", "Z, empty, 0", "First step", "Play", "Last step", "Step", "Speed",
        "example", "sentence",
        "feature map φ", "d_k", "d_v", "Delete or reorder", "Reset",
    ]  # fmt: skip
    assert_reached(opened, wanted)
    button(opened, "Next step").focus()
    opened.keyboard.press("Enter")
    check(opened, Expected().at(1))
    button(opened, "Token 2, sat").focus()
    opened.keyboard.press(" ")
    check(opened, Expected().at(8))


def test_arrows_walk_through_a_block_without_stepping_and_the_cell_explains_itself(opened):
    button(opened, "Token 1, cat").click()
    opened.locator(".la-at-S .la-cell").first.focus()
    for key in ("ArrowRight", "ArrowDown", "ArrowDown"):
        opened.keyboard.press(key)
    q, k, v = Expected().inputs
    trace = linattn.trace(q, k, v)
    assert opened.evaluate("() => document.activeElement.getAttribute('aria-label')") == (
        f"S 1, row 2, column 1: {number(trace.S[1, 2, 1].item())}"
    )
    readout = opened.locator(".la-readout")
    expect(readout).to_contain_text(f"= {number(trace.S[1, 2, 1].item(), 4)}")
    expect(readout).to_contain_text(number(trace.S[0, 2, 1].item(), 3))
    opened.locator(".la-at-out .la-cell").nth(3).hover()
    expect(readout).to_contain_text(f"= {number(trace.out[1, 3].item(), 4)}")
    check(opened, Expected().at(5))


def test_a_block_of_fields_is_one_stop_of_the_tab_key_and_arrows_lead_on_from_the_ends_of_the_text(opened):
    focused = "() => document.activeElement.getAttribute('aria-label')"
    expected, field = Expected(), opened.locator(".la-at-k .la-cell")
    field.first.focus()
    for key in ("ArrowRight", "ArrowRight", "ArrowRight", "ArrowLeft"):
        opened.keyboard.press(key)
    assert opened.evaluate(focused) == "k 0, 2"
    opened.keyboard.type("2.5")
    for key in ("ArrowLeft", "ArrowRight"):
        opened.keyboard.press(key)
        assert opened.evaluate(focused) == "k 0, 2", "the caret moves within what was typed"
    opened.keyboard.press("ArrowRight")
    assert opened.evaluate(focused) == "k 0, 3"
    expected.inputs[1][0, 2] = 2.5
    opened.keyboard.press("ArrowRight")
    assert opened.evaluate(focused) == "k 0, 3", "it is the last one"
    opened.keyboard.press("Tab")
    assert opened.evaluate(focused).startswith("φ(k 0), 0")
    opened.keyboard.press("Shift+Tab")
    assert opened.evaluate(focused) == "k 0, 3"
    opened.locator(".la-root").focus()
    check(opened, expected)


@pytest.mark.parametrize("stops", [[], [{"t": 1, "phase": "read", "text": "Here."}]])
def test_the_first_stop_of_the_tab_key_skips_to_the_steps(page, write_page, stops):
    show(page, write_page(StateExplorer(stops=stops)))
    page.locator(".la-root").focus()
    skip = button(page, "To the steps")
    assert skip.evaluate("(e) => getComputedStyle(e).clipPath") != "none"
    page.keyboard.press("Tab")
    expect(skip).to_be_focused()
    assert skip.evaluate("(e) => getComputedStyle(e).clipPath") == "none"
    page.keyboard.press("Enter")
    expect(button(page, "Play")).to_be_focused()


def test_exactly_is_said_only_where_it_is(page, write_page):
    v, one = torch.tensor([[0.375, 1.23456, 1.5799999, -1e-5]]).double(), torch.zeros(1, 1).double()
    show(page, write_page(StateExplorer(q=one, k=one, v=v, feature_map=linattn.identity_shifted)))
    labels = page.locator(".la-at-tile .la-cell").evaluate_all("(all) => all.map((e) => e.ariaLabel.split(': ')[1])")
    assert labels == ["0.38, exactly 0.375", "1.23, more exactly 1.2346", "1.58", "−1e−5"]


@pytest.mark.parametrize("name", ["q", "k", "v"])
@pytest.mark.parametrize("how", ["type", "arrows", "drag", "comma"])
def test_changing_a_number_changes_all_that_follows(opened, name, how):
    expected = Expected().at(5)
    button(opened, "Token 1, cat").click()
    cell = opened.locator(f".la-at-{name} .la-cell").nth(2)
    x = expected.inputs["qkv".index(name)]
    old = x[1, 2].item()
    if how in ("type", "comma"):
        cell.click()
        opened.keyboard.type("−2.75" if how == "type" else "-2,75")
        opened.keyboard.press("Enter")
        x[1, 2] = -2.75
    elif how == "arrows":
        cell.focus()
        for key in ("ArrowUp", "ArrowUp", "ArrowDown", "Shift+ArrowUp"):
            opened.keyboard.press(key)
        x[1, 2] = round(old + 1.1, 6)
    else:
        box = cell.bounding_box()
        opened.mouse.move(box["x"] + 10, box["y"] + 10)
        opened.mouse.down()
        opened.mouse.move(box["x"] + 10 + 8 * 7, box["y"] + 12, steps=5)
        opened.mouse.up()
        x[1, 2] = round(old + 0.7, 6)
    if how != "drag":  # which ends with the pointer over another cell
        expect(opened.locator(".la-readout")).to_contain_text(f"{name}₁[2] = {number(x[1, 2].item(), 4)}")
    opened.locator("h1").click()
    check(opened, expected)
    button(opened, "Last step").click()
    check(opened, expected.at(17))
    button(opened, "Reset").click()
    check(opened, Expected())


def test_a_cell_refuses_what_is_no_number_and_keeps_within_its_limit(opened):
    cell = opened.locator(".la-at-v .la-cell").first
    expected = Expected()
    for text, value in [("abc", None), ("", None), ("1e9", 20.0), ("-99", -20.0)]:
        cell.fill(text)
        cell.press("Enter")
        opened.locator("h1").click()
        if value is not None:
            expected.inputs[2][0, 0] = value
        check(opened, expected)
    cell.fill("5")
    cell.press("Escape")
    opened.locator("h1").click()
    check(opened, expected)


@pytest.mark.parametrize("name", BUILT_IN)
def test_every_feature_map(opened, name):
    opened.get_by_label("feature map φ").select_option(name)
    expected = Expected().at(11)
    expected.map = name
    button(opened, "Token 3, on").click()
    check(opened, expected)
    assert opened.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_sizes_and_sentences(opened):
    button(opened, "Token 5, mat").click()
    opened.get_by_label("d_k").select_option("2")
    check(opened, Expected(d_k=2).at(17))
    opened.get_by_label("d_v").select_option("6")
    check(opened, Expected(d_k=2, d_v=6).at(17))
    opened.get_by_label("example").select_option("to be or not to be")
    check(opened, Expected("to be or not to be", 2, 6).at(17))
    field = opened.get_by_label("sentence")
    field.fill("drei Wörter genügen")
    field.press("Enter")
    check(opened, Expected("drei Wörter genügen", 2, 6).at(8))
    expect(opened.get_by_label("example")).to_have_value("")
    field.fill("   ")
    field.press("Enter")
    expect(opened.locator(".la-status")).to_contain_text("at least one word")
    check(opened, Expected("drei Wörter genügen", 2, 6).at(8))
    field.fill(" ".join("abcdefghijklmnopqrstuvwxyz"))
    field.press("Enter")
    expect(opened.locator(".la-status")).to_contain_text("The first 16 words are used.")
    check(opened, Expected(" ".join("abcdefghijklmnop"), 2, 6).at(8))


def test_a_very_long_word_is_cut_in_sentences(opened):
    opened.get_by_label("sentence").fill("x" * 400)
    opened.get_by_label("sentence").press("Enter")
    expect(opened.locator(".la-status")).to_contain_text(f"“{'x' * 18}…”")
    assert opened.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_the_limit_of_a_number_is_said(opened):
    cell = opened.locator(".la-at-k .la-cell").first
    status = opened.get_by_role("status")
    cell.fill("1e5")
    cell.press("Enter")
    expect(status).to_contain_text("Kept within ±20. k₀[0] is now 20")
    expect(cell).to_have_value("20")
    cell.fill("3")
    cell.press("Enter")
    expect(status).not_to_contain_text("Kept within")
    cell.fill("-20")
    cell.press("ArrowDown")
    expect(status).to_contain_text("Kept within ±20. k₀[0] is now −20")


def test_what_is_no_number_is_said_and_the_cell_stays(opened):
    cell = opened.locator(".la-at-k .la-cell").first
    status = opened.get_by_role("status")
    sentence, number = status.inner_text(), cell.input_value()
    for word in ("abc", "1..2"):
        cell.fill(word)
        cell.press("Enter")
        kept = float(number.replace("−", "-"))
        shown = f"{kept:.2f}".replace("-", "−")
        expect(status).to_have_text(f"“{word}” is not a number: the cell stays {shown}. {sentence}")
    assert float(cell.input_value().replace("−", "-")) == kept


def test_what_was_said_of_an_accepted_number_is_not_said_again_of_a_refused_one(opened):
    cell = opened.locator(".la-at-k .la-cell").first
    status = opened.get_by_role("status")
    cell.fill("2")
    cell.press("Enter")
    expect(status).to_contain_text("k₀[0] is now 2")
    for word, said in (("x", "“x” is not a number: the cell stays 2.00."), ("", "Empty: the cell stays 2.00.")):
        cell.fill(word)
        cell.press("Enter")
        expect(status).to_contain_text(said)
        expect(status).not_to_contain_text("is now")


def test_tokens_of_the_same_name_are_told_apart(opened):
    button(opened, "Token 4, the").click()
    status = opened.get_by_role("status")
    expect(status).to_contain_text("% on “cat”")
    expect(status).to_contain_text("on “the” (token 4)")
    expect(status).not_to_contain_text("“cat” (")


@pytest.mark.parametrize("full", [False, True])
@pytest.mark.parametrize("size", [(360, 740), (1280, 800), (1920, 1080)])
def test_lists_show_their_longest_words(opened, full, size):
    opened.set_viewport_size({"width": size[0], "height": size[1]})
    if full:
        enter_full_screen(opened)
    natural = """(select) => {
      const twin = select.cloneNode(true);
      Object.assign(twin.style, { position: 'absolute', width: 'max-content' });
      select.parentElement.append(twin);
      const width = twin.offsetWidth;
      twin.remove();
      return [width, select.offsetWidth];
    }"""
    for name in ("example", "feature map φ"):
        wanted, width = opened.get_by_label(name).evaluate(natural)
        assert wanted <= width, (name, wanted, width)


def test_deleting_a_past_token_changes_the_state_and_reordering_does_not(opened):
    expected = Expected().at(14)
    button(opened, "Token 4, the").click()
    before = opened.evaluate(READ)
    button(opened, "Delete or reorder tokens").click()
    button(opened, "Move right: token 1, cat").click()
    expect(opened.locator(".la-status")).to_contain_text("have not changed")
    after = opened.evaluate(READ)
    assert [after[name] for name in ("S", "Z", "out")] == [before[name] for name in ("S", "Z", "out")]
    expected.pick([0, 2, 1, 3, 4, 5])
    check(opened, expected)
    # The focus went with the token: the same key moves it on.
    opened.keyboard.press("Enter")
    expected.pick([0, 1, 3, 2, 4, 5])
    check(opened, expected)
    button(opened, "Delete: token 0, the").click()
    expect(opened.locator(".la-status")).to_contain_text("its tile has left S")
    expected.pick([1, 2, 3, 4, 5])
    expected.t = 3
    check(opened, expected)
    assert opened.evaluate(READ)["S"] != before["S"]
    for _ in range(4):
        opened.locator("[aria-label^='Delete: token 0']").click()
    expect(opened.locator(".la-chip")).to_have_count(1)
    expect(opened.locator("[aria-label^='Delete: token']")).to_be_hidden()


def test_all_numbers_as_tables(opened):
    button(opened, "Token 2, sat").click()
    button(opened, "Show all numbers").click()
    q, k, v = Expected().inputs
    trace = linattn.trace(q, k, v)
    text = opened.locator(".la-tables").inner_text()
    for x in (trace.S[2], trace.write[2], trace.out, trace.denominator, trace.phi_q, trace.weights.tril()):
        for entry in x.flatten().tolist():
            assert number(entry, 4) in text
    button(opened, "Show all numbers").click()
    expect(opened.locator(".la-tables")).to_be_hidden()


@pytest.mark.parametrize("form", ["http", "file"])
def test_a_link_brings_back_exactly_what_was_on_screen(page, write_page, address, form):
    path = write_page(StateExplorer(), StateExplorer("another sentence"))
    url = address if form == "http" else path.as_uri()
    page.goto(url)
    button = lambda name: page.locator("#state_explorer-1").get_by_role("button", name=name)  # noqa: E731
    expected = Expected(d_v=3).at(7)
    page.get_by_label("d_v").first.select_option("3")
    page.get_by_label("feature map φ").first.select_option("exponential")
    expected.map = "exponential"
    button("Token 2, sat").click()
    button("add").click()
    button("Show all numbers").click()
    page.wait_for_function("() => location.hash.includes('phase=add') && location.hash.includes('table=1')")
    page.locator(".la-at-k .la-cell").first.fill("0.123456")
    page.locator(".la-at-k .la-cell").first.press("Enter")
    expected.inputs[1][2, 0] = 0.123456
    button("Delete or reorder").click()
    button("Delete: token 0, the").click()
    expected.pick([1, 2, 3, 4, 5])
    expected.t = 1
    button("Copy link").click()
    expect(page.locator(".la-status").first).to_contain_text("link is")
    link = page.url
    assert link.startswith(f"{url}#la1:state_explorer-1=")
    page.goto("about:blank")
    page.goto(link)
    check(page, expected)
    expect(page.locator(".la-tables").first).to_be_visible()
    assert page.locator("#state_explorer-2 .la-chip").all_text_contents() == ["another", "sentence"]
    page.goto(f"{url}#anchor")
    assert page.evaluate("document.querySelector(':target').id") == "anchor"


def test_a_link_of_a_whole_sentence_stays_short_and_one_that_does_not_fit_is_refused_kindly(opened):
    opened.get_by_label("sentence").fill("a & b = c#d")
    opened.get_by_label("sentence").press("Enter")
    button(opened, "Copy link").click()
    assert "a & b = c#d" in unquote(opened.url).replace("+", " ") and len(opened.url.split("#", 1)[1]) < 120
    opened.reload()
    check(opened, Expected("a & b = c#d"))
    here = opened.evaluate("location.hash")
    six = "*".join
    start = "t=0&phase=read&"
    for bad in (
        "t=99&phase=read",
        "t=1&phase=x",
        "%E0%A4%A",
        "",
        "t=1.5&phase=read",
        f"{start}map=evil",
        f"{start}map=toString",
        f"{start}map=constructor",
        f"{start}map=__proto__",
        f"{start}q=1_2*3",
        f"{start}q={six('1' * 6)}",
        f"{start}k=",
        f"{start}q={six('1' * 8)}",
        f"{start}v={six(['1e308_1'] * 8)}",
        f"{start}v={six(['x'] * 8)}",
        f"{start}tokens=[]",
        f"{start}tokens=null",
        f'{start}tokens=["a","","c","d","e","f","g","h"]',
        f"{start}k={six(['_'.join('1' * 60)] * 8)}",
        f"{start}sentence=",
        f"{start}sentence=a&sizes=9_9",
        f"{start}sentence=a&sizes=x",
    ):
        opened.evaluate("(bad) => { location.hash = '#la1:state_explorer-1=' + bad }", bad)
        expect(opened.locator(".la-status")).to_contain_text("does not fit")
        check(opened, Expected("a & b = c#d"))
        button(opened, "Next step").click()
        check(opened, Expected("a & b = c#d").at(1))
        opened.evaluate("(hash) => { location.hash = hash }", here)
        check(opened, Expected("a & b = c#d"))


def test_own_map_without_a_kernel_offers_only_what_works(page, write_page):
    def shifted_square(x):
        return (x + 2).square()

    explorer = StateExplorer(feature_map=shifted_square)
    show(page, write_page(explorer))
    assert page.locator("input.la-field").count() == 4
    assert page.locator(".la-root select").count() == 2  # speed and decimals
    expect(page.locator(".la-inputs")).to_contain_text("shifted_square")
    page.locator(".la-at-v .la-cell").first.fill("3")
    page.locator(".la-at-v .la-cell").first.press("Enter")
    page.get_by_role("button", name="Delete or reorder").click()
    page.get_by_role("button", name="Delete: token 1, cat").click()
    page.get_by_role("button", name="Last step").click()
    v = explorer.v.clone()
    v[0, 0] = 3
    keep = [0, 2, 3, 4, 5]
    wanted = linattn.trace(explorer.q[keep].double(), explorer.k[keep].double(), v[keep].double(), shifted_square)
    found = [float(x.replace("−", "-")) for x in page.evaluate(READ)["out"]]
    torch.testing.assert_close(torch.tensor(found).double(), wanted.out[4], rtol=0, atol=2e-4)
    page.get_by_role("button", name="Copy link").click()
    page.reload()
    page.wait_for_selector(".la-mounted")
    assert [float(x.replace("−", "-")) for x in page.evaluate(READ)["out"]] == found


LIVE = """() => {
  const traits = JSON.parse(document.querySelector('script[type="application/json"]').textContent);
  const calls = {};
  const el = document.createElement('div');
  document.querySelector('main').replaceChildren(el);
  window.model = {
    get: (key) => traits[key],
    set: (key, value) => { traits[key] = value; (calls[`change:${key}`] ?? []).forEach((call) => call()); },
    save_changes() {},
    on: (event, call) => { (calls[event] ??= []).push(call); },
    off() {},
  };
  window.linattn.widgets.state_explorer.render({ model: window.model, el });
}"""


def test_a_map_set_from_python_while_the_widget_is_open_joins_the_list(opened):
    opened.evaluate(LIVE)
    maps = opened.get_by_label("feature map φ")
    assert maps.locator("option").count() == len(BUILT_IN)
    for name in ("cube", "fourth"):
        opened.evaluate(
            """(name) => {
              const phi = (key) => model.get(key).map((row) => row.map((x) => x * x));
              const values = { own_map: name, phi_q: phi('q'), phi_k: phi('k'), feature_map: name };
              for (const [key, value] of Object.entries(values)) model.set(key, value);
            }""",
            name,
        )
        expect(maps).to_have_value(name)
        assert maps.locator("option").first.text_content() == f"{name} (yours)"
        assert maps.locator("option").count() == len(BUILT_IN) + 1
        squares = [spoken(x) for x in Expected().inputs[1][0].square().tolist()]
        assert opened.evaluate(READ)["phi_k"] == squares
    maps.select_option("exponential")
    expected = Expected()
    expected.map = "exponential"
    check(opened, expected)
    maps.select_option("fourth")
    assert opened.evaluate("model.get('feature_map')") == "fourth"


def test_a_walk_through_stops_where_its_author_says(page, write_page):
    stops = [{"t": 0, "phase": "add", "text": "S holds one tile."}, {"t": 3, "phase": "read", "text": "Now out."}]
    page.goto(write_page(StateExplorer(stops=stops)).as_uri())
    next_stop = page.get_by_role("button", name="Next", exact=True)
    next_stop.click()
    check(page, Expected().at(1))
    expect(page.get_by_text("S holds one tile.")).to_be_visible()
    next_stop.click()
    check(page, Expected().at(11))
    page.get_by_role("button", name="Back", exact=True).click()
    check(page, Expected().at(1))


def test_full_screen_and_back(opened):
    enter_full_screen(opened)
    opened.keyboard.press("ArrowRight")
    check(opened, Expected().at(1))
    button(opened, "Leave full screen").click()
    opened.wait_for_function("() => !document.fullscreenElement && !document.querySelector('.la-full')")


def test_motion_is_shown_and_left_out_where_the_reader_asks(opened):
    running = "() => document.getAnimations().length"
    button(opened, "Next step").click()
    assert opened.evaluate(running) > 0 and opened.locator(".la-ghost").count() > 0
    button(opened, "Next step").click()
    check(opened, Expected().at(2))
    assert opened.locator(".la-ghost").count() == 0
    opened.emulate_media(reduced_motion="reduce")
    button(opened, "Next step").click()
    assert opened.evaluate(running) == 0
    check(opened, Expected().at(3))


def test_words_follow_the_moves(opened):
    status = opened.get_by_role("status")
    expect(status).to_contain_text("rank-1 tile")
    opened.locator(".la-root").focus()
    opened.keyboard.press("ArrowRight")
    expect(status).to_contain_text("φ(k₀) goes into Z")
    opened.keyboard.press("ArrowRight")
    expect(status).to_contain_text("out₀ = v₀. That holds for any q₀ whose score is far above ε")
    assert status.get_attribute("aria-live") == "polite"


def test_gauges_count_numbers(opened):
    button(opened, "Token 2, sat").click()
    expect(opened.locator(".la-gauge-value").first).to_have_text("20, always")
    expect(opened.locator(".la-gauge-value").nth(1)).to_have_text("24, growing")
    button(opened, "write").click()
    expect(opened.locator(".la-gauge-value").nth(1)).to_have_text("16, growing")


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_theme_is_followed_live(opened, theme):
    opened.evaluate("(theme) => { document.documentElement.dataset.theme = theme }", theme)
    ink, cell = (
        opened.locator(selector).first.evaluate("(e) => getComputedStyle(e).color")
        for selector in (".la-root", ".la-at-S .la-cell")
    )
    assert ink == cell == ("rgb(31, 35, 40)" if theme == "light" else "rgb(230, 233, 236)")


@pytest.mark.parametrize("sizes", [(4, 4), (6, 6), (1, 1)])
def test_a_phone_needs_no_sideways_scroll_and_touch_works(new_page, write_page, sizes, errors):
    page = new_page(viewport={"width": 360, "height": 740}, has_touch=True, is_mobile=True)
    page.goto(write_page(StateExplorer(d_k=sizes[0], d_v=sizes[1])).as_uri())
    page.get_by_role("button", name="Token 2, sat").tap()
    # Where cells get narrow they have one decimal: all numbers are compared with room for them, and then with those.
    page.set_viewport_size({"width": 560, "height": 740})
    check(page, Expected(d_k=sizes[0], d_v=sizes[1]).at(8))
    read = "(all) => all.map((e) => Number((e.value ?? e.textContent).replace('−', '-') || NaN))"
    wide = page.locator(".la-cell").evaluate_all(read)
    page.set_viewport_size({"width": 360, "height": 740})
    page.wait_for_timeout(200)
    narrow = page.locator(".la-cell").evaluate_all(read)
    # Six values wide, a negative number beyond ten has none.
    assert [x for x in narrow if not x > -10] == pytest.approx([x for x in wide if not x > -10], abs=0.56)
    assert [x for x in narrow if x > -10] == pytest.approx([x for x in wide if x > -10], abs=0.056)
    digits = page.locator(".la-cell").evaluate_all("(all) => all.map((e) => parseFloat(getComputedStyle(e).fontSize))")
    assert min(digits) >= 11
    page.get_by_role("button", name="Delete or reorder").tap()
    page.get_by_role("button", name="Show all numbers").tap()
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    edges = page.locator(".la-cell").evaluate_all("(all) => all.map((cell) => cell.getBoundingClientRect().right)")
    assert max(edges) <= 360
    assert not errors


def test_without_javascript_there_is_a_figure_and_a_table(new_page, write_page):
    page = new_page(java_script_enabled=False)
    explorer = StateExplorer(t=3)
    page.goto(write_page(explorer).as_uri())
    expect(page.locator("figure table.la-block-S td")).to_have_text([number(x) for x in explorer.S.flatten().tolist()])
    expect(page.locator("table.la-numbers tbody tr")).to_have_count(6)
    expect(page.locator("figure")).to_be_visible()


def test_paper_shows_the_picture_without_its_controls(opened):
    opened.evaluate("() => { document.documentElement.dataset.theme = 'dark' }")
    opened.emulate_media(media="print")
    ink = opened.locator(".la-at-S .la-cell").first.evaluate("(e) => getComputedStyle(e).color")
    assert ink == "rgb(31, 35, 40)", "paper is light"
    expect(opened.locator(".la-stage")).to_be_visible()
    for name in (".la-transport", ".la-inputs", ".la-tools"):
        expect(opened.locator(name)).to_be_hidden()


def test_a_page_whose_module_is_missing_keeps_its_still(new_page, write_page, tmp_path):
    page = new_page()
    path = write_page(StateExplorer())
    (tmp_path / "widgets" / "state_explorer.js").unlink()
    page.goto(path.as_uri())
    page.wait_for_timeout(300)
    expect(page.locator("figure.la-still-figure")).to_be_visible()


def test_one_module_serves_every_widget_of_its_kind(page, write_page):
    page.goto(write_page(StateExplorer(), StateExplorer(), StateExplorer()).as_uri())
    expect(page.locator(".la-mounted")).to_have_count(3)
    assert page.locator("script[src$='widgets/state_explorer.js']").count() == 1
    assert json.loads(page.locator("script[type='application/json']").first.text_content())["t"] == 0


COLOURS = """(names) => {
  const paint = (cell) => [getComputedStyle(cell).backgroundImage, getComputedStyle(cell).backgroundColor].join();
  const number = (cell) => Number(cell.textContent.replace('−', '-'));
  const cells = (name) => [...document.querySelectorAll(`.la-at-${name} .la-cell`)];
  return names.map((name) => cells(name).map((cell) => [number(cell), paint(cell)]));
}"""


@pytest.mark.parametrize("name", ["identity_shifted", "taylor_2"])
def test_a_negative_feature_does_not_look_like_a_positive_one(page, write_page, name):
    q, k = torch.tensor([[1.0, -3.0], [2.0, -1.0]]), torch.tensor([[1.0, -3.0], [0.5, -2.0]])
    page.emulate_media(reduced_motion="reduce")
    show(page, write_page(StateExplorer(q=q, k=k, v=k, t=0, phase="read", feature_map=BUILT_IN[name])))
    assert page.locator(".la-root .la-signed").count() == page.locator(".la-root .la-block").count() == 11
    pairs = 0
    for cells in page.evaluate(COLOURS, ["phi_k", "phi_q", "Z"]):
        for x, paint in cells:
            for y, other in cells:
                if x < 0 < y:
                    pairs += 1
                    assert paint != other, (x, y)
    assert pairs > 2
    # x + 1 at 1 and −3 is 2 and −2: the same length, on either side of the line at zero.
    if name == "identity_shifted":
        bar = "(all) => all.map((e) => getComputedStyle(e).backgroundImage)"
        right, left = page.locator(".la-at-Z .la-cell").evaluate_all(bar)
        assert "to left" in left and "to right" in right


def test_positive_features_stay_one_sided(opened):
    button(opened, "Token 2, sat").click()
    settle(opened)
    assert opened.locator(":is(.la-at-phi_k, .la-at-phi_q, .la-at-Z, .la-at-denominator).la-signed").count() == 0


@pytest.mark.parametrize(("feature_map", "signed"), [(linattn.elu_plus_one, 3), (linattn.taylor_2, 5)])
def test_the_still_shows_signs_too(feature_map, signed):
    assert StateExplorer(feature_map=feature_map, t=2).still().count("la-signed") == signed


def test_a_finger_finds_sliders_and_fields_that_do_not_zoom(new_page, write_page, errors):
    page = new_page(viewport={"width": 360, "height": 740}, has_touch=True, is_mobile=True)
    show(page, write_page(StateExplorer()))
    assert page.locator(".la-scrubber").bounding_box()["height"] >= 24
    for field in page.locator(".la-root :is(.la-select, .la-text)").all():
        assert field.evaluate("(e) => parseFloat(getComputedStyle(e).fontSize)") >= 16
    assert page.evaluate("document.documentElement.scrollWidth") == 360
    assert not errors


@pytest.mark.parametrize(("width", "full"), [(760, False), (1280, True), (1920, True)])
def test_the_sentence_is_seen_to_its_end(page, write_page, width, full):
    page.set_viewport_size({"width": width, "height": 800})
    show(page, write_page(StateExplorer("the cat sat on the mat")))
    if full:
        enter_full_screen(page)
    field, examples = page.get_by_label("sentence"), page.get_by_label("example")
    for text in examples.locator("option").all_text_contents()[:-1]:
        examples.select_option(text)
        expect(field).to_have_value(text)
        assert field.evaluate("(e) => e.scrollWidth <= e.clientWidth"), text


@pytest.mark.parametrize(
    ("q", "said"),
    [([-1.0, -1.0], "φ(q) is 0 in every entry"), ([1.0, -1.0], "φ(q) shares no feature with any key so far")],
)
def test_a_read_of_nothing_says_why(page, write_page, q, said):
    explorer = StateExplorer(
        q=torch.tensor([q]), k=torch.tensor([[-1.0, 1.0]]), v=torch.ones(1, 2), phase="read",
        feature_map=linattn.squared_relu,
    )  # fmt: skip
    show(page, write_page(explorer))
    expect(page.get_by_role("status")).to_contain_text(f"Every weight is 0: {said}, so nothing is read.")
