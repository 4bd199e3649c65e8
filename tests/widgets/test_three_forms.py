"""The three forms: their arithmetic against torch, their Python side, and every control in a real browser."""

import re
from pathlib import Path

import ipywidgets
import pytest
import torch
from playwright.sync_api import Page, expect
from reader import SPOKEN, assert_reached, button, enter_full_screen, run, show, spoken

from linattn.widgets import ThreeForms
from linattn.widgets.still import number

EXPLORERS = Path(__file__).parents[2] / "book" / "explorers.md"
FORMS = ("matrix", "recurrence", "chunks")
#: phi_q, phi_k, v as the page has them: the decimals that travel, in double precision.
INPUTS = [torch.tensor(rows).double() for rows in ThreeForms().get_state(["phi_q", "phi_k", "v"]).values()]


def call(page: Page, expression: str, *arguments: object) -> object:
    return run(page, "three_forms_math", expression, *arguments)


def inputs(n: int, d_k: int = 2, d_v: int = 3) -> list[torch.Tensor]:
    generator = torch.Generator().manual_seed(n)
    return [torch.rand(n, d, dtype=torch.float64, generator=generator) for d in (d_k, d_k, d_v)]


def out(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, eps: float = 1e-6) -> torch.Tensor:
    scores = (q @ k.mT).tril()
    return scores @ v / (scores.sum(-1, keepdim=True) + eps)


@pytest.mark.parametrize("eps", [1e-6, 0.1])
@pytest.mark.parametrize("n", [1, 2, 5, 6])
@pytest.mark.parametrize("form", FORMS)
def test_every_form_with_every_chunk_size_equals_torch(page, form, n, eps):
    q, k, v = inputs(n)
    for C in range(1, n + 1):
        widget = ThreeForms(phi_q=q, phi_k=k, v=v, form=form, chunk_size=C, eps=eps)
        frames = call(page, "(...x) => $three_forms_math.run(...x)", form, C, q.tolist(), k.tolist(), v.tolist(), eps)
        found = torch.tensor(frames[-1]["out"], dtype=torch.float64)
        torch.testing.assert_close(found, widget.out, rtol=1e-6, atol=1e-6)
        torch.testing.assert_close(found, out(q, k, v, eps), rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("C", [1, 2, 4, 5])
def test_the_state_after_each_move_is_the_sum_of_what_was_written(page, C):
    q, k, v = inputs(5)
    for form in ("recurrence", "chunks"):
        written = 0
        for frame in call(
            page, "(...x) => $three_forms_math.run(...x)", form, C, q.tolist(), k.tolist(), v.tolist(), 0
        ):
            if frame["move"]["kind"] == "write":
                assert frame["move"]["from"] == written
                written = frame["move"]["to"]
            S, Z = torch.tensor(frame["S"]).double(), torch.tensor(frame["Z"]).double()
            torch.testing.assert_close(S, k[:written].mT @ v[:written], rtol=1e-6, atol=1e-6)
            torch.testing.assert_close(Z, k[:written].sum(0), rtol=1e-6, atol=1e-6)
        assert written == (5 if form == "recurrence" else 5 - (5 % C or C))


@pytest.mark.parametrize("C", range(1, 7))
def test_each_pair_is_touched_by_a_score_or_through_the_state(page, C):
    q, k, v = inputs(6)
    for form in FORMS:
        last = call(page, "(...x) => $three_forms_math.run(...x)", form, C, q.tolist(), k.tolist(), v.tolist(), 0)[-1]
        size = {"matrix": 6, "recurrence": 0, "chunks": C}[form]
        for t in range(6):
            for i in range(6):
                same_chunk = size > 0 and t // size == i // size
                assert last["via"][t][i] == (i <= t and not same_chunk)
                score = (q[t] @ k[i]).item() if i <= t else 0
                assert last["scores"][t][i] == (pytest.approx(score) if same_chunk else None)


@pytest.mark.parametrize(("n", "d_k", "d_v"), [(6, 2, 2), (5, 3, 1), (1, 1, 1)])
def test_counts_are_those_of_python_and_meet_at_both_ends(page, n, d_k, d_v):
    q, k, v = inputs(n, d_k, d_v)
    for C in range(1, n + 1):
        widget = ThreeForms(phi_q=q, phi_k=k, v=v, chunk_size=C)
        for form in FORMS:
            found = call(page, "(...x) => $three_forms_math.cost(...x)", form, n, d_k, d_v, C)
            assert found["total"] == widget.multiply_adds[form] and found["kept"] == widget.numbers_kept[form]
    assert widget.multiply_adds["matrix"] == widget.multiply_adds["chunks"] == n * n * (d_k + d_v)
    assert widget.numbers_kept["matrix"] == widget.numbers_kept["chunks"] == n * n
    assert widget.multiply_adds["recurrence"] == 2 * n * d_k * d_v


# ---- Python ----


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"chunk_size": 7}, "chunk_size must be from 1 to 6"),
        ({"chunk_size": 0}, "found 0"),
        ({"phi_q": torch.ones(2, 2)}, "all of"),
        ({"phi_q": torch.ones(2, 2), "phi_k": torch.ones(3, 2), "v": torch.ones(3, 2)}, r"\(2, 2\), \(3, 2\)"),
        ({"sentence": "a b c d e f g h"}, "up to 11 can be drawn, found 12"),
        ({"d_v": 4}, "found 12"),
    ],
)
def test_what_cannot_be_drawn_is_refused_with_a_reason(arguments, message):
    with pytest.raises(ValueError, match=message):
        ThreeForms(**arguments)


def test_what_the_reader_does_arrives():
    widget = ThreeForms("a b c")
    widget.set_state({"form": "chunks", "chunk_size": 3, "v": [[1.0, 2.0]] * 3})
    torch.testing.assert_close(widget.out, torch.tensor([[1.0, 2.0]] * 3), rtol=1e-5, atol=1e-5)
    assert widget.multiply_adds["chunks"] == 36


def test_still_has_the_numbers(new_page, write_page, monkeypatch):
    widget = ThreeForms(form="chunks", chunk_size=4)
    page = new_page(java_script_enabled=False)
    page.goto(write_page(widget).as_uri())
    cells = page.locator("table.la-block-out td")
    expect(cells).to_have_text([number(x) for x in widget.out.flatten().tolist()])
    expect(page.get_by_role("row", name="recurrence 48 6 6")).to_be_visible()
    expect(page.get_by_role("row", name="chunks of 4 104 22 2")).to_be_visible()
    ipywidgets.Widget.close_all()
    monkeypatch.setenv("LINATTN_BOOK", "1")
    assert set(ThreeForms()._repr_mimebundle_()[0]) == {"text/plain", "text/html"}


# ---- The page ----


@pytest.fixture
def opened(page, write_page) -> Page:
    page.emulate_media(reduced_motion="reduce")
    return show(page, write_page(ThreeForms()))


READ = (
    """() => {
  const at = (name) => [...document.querySelector('.la-root').querySelectorAll(`.la-in-${name} .la-cell`)];
  """
    + SPOKEN
    + """
  const read = Object.fromEntries(['scores', 'out', 'S', 'Z'].map((name) => [name, at(name).map(spoken)]));
  return { ...read, via: at('scores').map((cell) => cell.classList.contains('la-via-state')) };
}"""
)


def expected(form: str, step: int, C: int, q: torch.Tensor, k: torch.Tensor, v: torch.Tensor) -> dict:
    """What stands on screen after a step, worked out from the masked scores alone."""
    n = len(v)
    scores, seen, via, done = (q @ k.mT), torch.zeros(n, n, dtype=bool), torch.zeros(n, n, dtype=bool), 0
    lower, written = torch.ones(n, n, dtype=bool).tril(), 0
    if form == "matrix":
        seen[:] = step >= 1
        scores = scores.tril() if step >= 2 else scores
        done = n if step >= 3 else 0
    elif form == "recurrence":
        written, done = (step + 1) // 2, step // 2
        via[:done] = lower[:done]
    else:
        scores = scores.tril()
        chunks, part = divmod(step, 3)
        starts = range(0, n, C)
        for number_, a in enumerate(starts):
            b = min(a + C, n)
            if number_ < chunks or (number_ == chunks and part >= 1):
                seen[a:b, a:b] = True
            if number_ < chunks or (number_ == chunks and part >= 2):
                via[a:b, :a], done = True, b
        written = min(chunks * C, n)
    empty = "not computed yet"
    S, Z = k[:written].mT @ v[:written], k[:written].sum(0)
    result = out(q, k, v)
    return {
        "scores": [spoken(x) if s else empty for x, s in zip(scores.flatten().tolist(), seen.flatten(), strict=True)],
        "out": [spoken(x) if i < done * v.shape[1] else empty for i, x in enumerate(result.flatten().tolist())],
        "S": [empty if form == "matrix" else spoken(x) for x in S.flatten().tolist()],
        "Z": [empty if form == "matrix" else spoken(x) for x in Z.tolist()],
        "via": via.flatten().tolist(),
    }


def check(page: Page, form: str, step: int, C: int = 2, given=INPUTS) -> None:
    assert page.evaluate(READ) == expected(form, step, C, *given)
    expect(page.locator(".la-choice[aria-pressed=true]").first).to_have_text(form)


@pytest.mark.parametrize(
    ("form", "C", "last"), [("matrix", 2, 3), ("recurrence", 2, 12), ("chunks", 2, 8), ("chunks", 4, 5)]
)
def test_every_step_of_every_form_forward_and_back(opened, form, C, last):
    button(opened, form).click()
    if form == "chunks":
        opened.get_by_role("slider", name="chunk size").fill(str(C))
    check(opened, form, 0, C)
    for step in range(1, last + 1):
        button(opened, "Next step").click()
        check(opened, form, step, C)
    button(opened, "Next step").click(force=True)
    check(opened, form, last, C)
    expect(opened.locator(".la-status")).to_contain_text("the same out as the other forms")
    opened.locator(".la-root").focus()
    for step in range(last - 1, -1, -1):
        opened.keyboard.press("ArrowLeft")
        check(opened, form, step, C)
    for key, step in (("End", last), ("ArrowLeft", last - 1), ("ArrowRight", last), ("Home", 0)):
        opened.keyboard.press(key)
        check(opened, form, step, C)


def test_chunks_of_every_size_end_alike(opened):
    button(opened, "chunks").click()
    button(opened, "Last step").click()
    slider = opened.get_by_role("slider", name="chunk size")
    slider.focus()
    opened.keyboard.press("Home")
    row = opened.locator(".la-forms-costs tbody tr").nth(2)
    for C, total, kept, steps in [
        (1, 64, 7, 6),
        (2, 80, 10, 3),
        (3, 96, 15, 2),
        (4, 104, 22, 2),
        (5, 128, 31, 2),
        (6, 144, 36, 1),
    ]:
        widget = ThreeForms(chunk_size=C)
        assert (widget.multiply_adds["chunks"], widget.numbers_kept["chunks"]) == (total, kept)
        assert opened.evaluate(READ)["out"] == [spoken(x) for x in out(*INPUTS).flatten().tolist()]
        expect(row.locator("td")).to_contain_text([f"{total} of {total}", str(kept), str(steps)])
        expect(row.locator("th")).to_have_text(f"chunks of {C}")
        opened.keyboard.press("ArrowRight")
    button(opened, "First step").click()
    expect(opened.locator(".la-status")).to_contain_text("this is the matrix form")
    slider.fill("1")
    expect(opened.locator(".la-status")).to_contain_text("this is almost the recurrence")


def test_multiply_adds_are_counted_as_the_moves_go(opened):
    button(opened, "chunks").click()
    count = opened.locator(".la-forms-costs tbody tr").nth(2).locator("td").first
    for wanted in (0, 8, 16, 24, 32, 48, 56, 64, 80):
        expect(count).to_have_text(f"{wanted} of 80")
        button(opened, "Next step").click(force=True)


@pytest.mark.parametrize(("name", "index"), [("q", 3), ("k", 7), ("v", 4)])
def test_changing_a_number_changes_every_form(opened, name, index):
    given = [x.clone() for x in INPUTS]
    cell = opened.locator(f".la-in-{name} .la-cell").nth(index)
    cell.fill("1.75")
    cell.press("Enter")
    x = given["qkv".index(name)]
    (x.mT if name == "k" else x)[divmod(index, 6 if name == "k" else 2)] = 1.75
    opened.locator("h1").click()
    for form, last in (("recurrence", 12), ("chunks", 8), ("matrix", 3)):
        button(opened, form).click()
        # What was done stays done in another form, and then there is no further step.
        button(opened, "Last step").click(force=True)
        check(opened, form, last, 2, given)
    button(opened, "Reset").click()
    check(opened, "matrix", 0)


def test_a_denominator_of_0_is_said_and_features_stay_positive(page, write_page):
    show(page, write_page(ThreeForms(step=3)))
    page.emulate_media(reduced_motion="reduce")
    status = page.get_by_role("status")
    expect(status).to_have_text(re.compile("Done: the same out as the other forms.$"))
    for cell in page.locator(".la-in-q .la-cell").all()[2:4]:
        cell.fill("-20")
        cell.press("Enter")
        expect(status).to_contain_text("Kept within 0 to 20.")
        expect(cell).to_have_value("0")
    expect(status).to_contain_text("The denominator of row 1 is 0: out is 0 there, no average of V.")
    button(page, "recurrence").click()
    for step, said in ((12, True), (4, True), (3, False)):
        page.get_by_role("slider", name="Step").fill(str(step))
        assert ("The denominator of row 1" in status.text_content()) == said
    page.locator(".la-in-v .la-cell").first.fill("-20")
    page.keyboard.press("Enter")
    expect(status).not_to_contain_text("Kept within")


def test_features_of_an_author_may_be_negative(page, write_page):
    show(page, write_page(ThreeForms(feature_map=lambda x: x, step=3)))
    cell = page.locator(".la-in-q .la-cell").first
    cell.fill("-30")
    cell.press("Enter")
    expect(page.get_by_role("status")).to_contain_text("Kept within ±20.")


def test_a_difference_of_rounding_reads_as_rounding_with_any_decimals(opened):
    opened.get_by_label("Decimals").select_option("4")
    for row in opened.locator(".la-forms-costs tbody tr").all():
        assert re.fullmatch(r"0|\de−1\d", row.locator("td").last.text_content())


def test_play_walks_to_the_end_and_cells_light_up(page, write_page):
    show(page, write_page(ThreeForms(form="chunks")))
    page.get_by_role("combobox", name="Speed").select_option("4")
    button(page, "Play").click()
    expect(page.locator(".la-in-scores .la-touched")).to_have_count(4)
    assert page.evaluate("document.getAnimations().length") > 0
    expect(button(page, "Play")).to_be_visible(timeout=10000)
    check(page, "chunks", 8)


def test_a_cell_explains_itself(page, write_page):
    show(page, write_page(ThreeForms(form="chunks", step=5)))
    q, k, _ = INPUTS
    readout = page.locator(".la-readout")
    cells = page.locator(".la-in-scores .la-cell")
    cells.nth(6).hover()
    expect(readout).to_contain_text(f"= {number((q[1] @ k[0]).item(), 4)}")
    cells.nth(12).hover()
    expect(readout).to_contain_text(f"through S: this score, {number((q[2] @ k[0]).item(), 4)}, was never written out")
    cells.nth(1).focus()
    expect(readout).to_contain_text("Hidden: token 0 must not see token 1")
    opened = page.locator(".la-in-Z .la-cell").first
    opened.hover()
    expect(readout).to_contain_text(f"Z[0] = {number(k[:2, 0].sum().item(), 4)}")


def test_tables_and_link(page, write_page):
    path = write_page(ThreeForms(), ThreeForms("a b"))
    page.emulate_media(reduced_motion="reduce")
    page.goto(path.as_uri())
    mine = page.locator("#three_forms-1")
    mine.get_by_role("button", name="chunks").click()
    mine.get_by_role("slider", name="chunk size").fill("4")
    mine.locator(".la-in-v .la-cell").first.fill("7.125")
    page.keyboard.press("Enter")
    mine.get_by_role("slider", name="Step").fill("4")
    mine.get_by_role("button", name="Show all numbers").click()
    given = [x.clone() for x in INPUTS]
    given[2][0, 0] = 7.125
    text = mine.locator(".la-tables").inner_text()
    assert all(number(x, 4) in text for x in out(*given).flatten().tolist())
    expect(mine.get_by_role("row", name="4 104 22 2", exact=True)).to_have_attribute("aria-current", "step")
    mine.get_by_role("button", name="Copy link").click()
    expect(mine.locator(".la-status")).to_contain_text("link is")
    link = page.url
    page.goto("about:blank")
    page.goto(link)
    page.wait_for_selector(".la-mounted")
    check(page, "chunks", 4, 4, given)
    expect(mine.locator(".la-tables")).to_be_visible()
    for bad in (
        "form=x&C=1&step=0",
        "form=chunks&C=7&step=0",
        "form=matrix&C=1&step=4",
        "form=matrix&C=1&step=0&v=1_2",
    ):
        page.evaluate("(bad) => { location.hash = '#la1:three_forms-1=' + bad }", bad)
        expect(mine.locator(".la-status")).to_contain_text("does not fit")
        check(page, "chunks", 4, 4, given)


def test_a_walk_through(page, write_page):
    stops = [
        {"form": "recurrence", "step": 1, "text": "One tile."},
        {"form": "chunks", "chunk_size": 3, "step": 2, "text": "One chunk."},
    ]
    page.goto(write_page(ThreeForms(stops=stops)).as_uri())
    following = page.get_by_role("button", name="Next", exact=True)
    following.click()
    check(page, "recurrence", 1)
    expect(page.get_by_text("One tile.", exact=True)).to_be_visible()
    following.click()
    check(page, "chunks", 2, 3)
    expect(page.get_by_text("One chunk.", exact=True)).to_be_visible()


def test_a_stop_that_names_no_step_begins_its_computation(page, write_page):
    stops = [{"form": "recurrence", "text": "Token by token."}, {"form": "matrix", "text": "All at once."}]
    page.goto(write_page(ThreeForms(stops=stops, form="recurrence", step=2)).as_uri())
    following = page.locator(".la-stop-next")
    following.click()
    check(page, "recurrence", 0)
    following.click()
    button(page, "Next step").click()
    check(page, "matrix", 1)
    expect(page.get_by_text("All at once.", exact=True)).to_be_visible()
    button(page, "Next step").click()
    button(page, "Back").and_(page.locator(".la-stops button")).click()
    check(page, "recurrence", 0)
    expect(page.get_by_text("Token by token.", exact=True)).to_be_visible()


def test_the_book_stops_where_its_sentence_can_be_seen(page, write_page):
    cell = next(x for x in EXPLORERS.read_text(encoding="utf-8").split("```") if "import ThreeForms" in x)
    call_ = cell[cell.index("ThreeForms(") :]
    widget = eval(call_, {"ThreeForms": ThreeForms})
    opened = show(page, write_page(widget))
    enter_full_screen(opened)
    out_cells, told = opened.locator(".la-in-out .la-cell"), opened.locator(".la-stop-text")
    for i, stop in enumerate(widget.stops):
        opened.keyboard.press("PageDown")
        if "ask" in stop:
            opened.get_by_label("C = 1", exact=True).check()
            button(opened, "Commit").click()
        check(opened, stop["form"], stop["step"], stop["chunk_size"])
        expect(told).to_have_text(stop["text"])
        filled = [text for text in out_cells.all_text_contents() if text]
        assert len(filled) == (8 if i == 0 else 12)
    opened.keyboard.press("PageUp")
    check(opened, "chunks", 17, 1)
    rows = opened.locator(".la-forms-costs tbody tr")
    expect(rows.nth(1).locator("td").first).to_have_text("48")
    expect(rows.nth(2).locator("td").first).to_have_text("64 of 64")


def test_paper_shows_the_still_until_something_is_computed_or_changed(opened):
    still, live = opened.locator(".la-still"), opened.locator(".la-root")
    for act, stands in (
        (lambda: None, still),
        (lambda: button(opened, "Next step").click(), live),
        (lambda: button(opened, "First step").click(), still),
        (lambda: (opened.locator(".la-in-v .la-cell").first.fill("3"), opened.keyboard.press("Enter")), live),
    ):
        opened.emulate_media(media="screen")
        act()
        opened.emulate_media(media="print")
        expect(stands).to_be_visible()
        expect(live if stands is still else still).to_be_hidden()


def test_every_control_is_reached_by_tab(opened):
    button(opened, "chunks").click()
    wanted = [
        "Show all numbers", "Copy link", "Full screen", "matrix", "recurrence", "chunks", "chunk size", "Reset",
        "φ(Q), row", "φ(K) transposed", "V, row", "scores, row", "out, row", "S, row", "Z, 0",
        "First step", "Play", "Step", "Speed",
    ]  # fmt: skip
    assert_reached(opened, wanted)


@pytest.mark.parametrize("form", FORMS)
def test_a_phone_needs_no_sideways_scroll_and_touch_works(new_page, write_page, form, errors):
    page = new_page(viewport={"width": 360, "height": 740}, has_touch=True, is_mobile=True)
    x = torch.ones(5, 3)
    page.goto(write_page(ThreeForms(phi_q=x, phi_k=x, v=x, form=form)).as_uri())
    button(page, "Next step").tap()
    button(page, "Show all numbers").tap()
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    edges = page.locator(".la-cell").evaluate_all("(all) => all.map((x) => x.getBoundingClientRect().right)")
    assert max(edges) <= 360
    assert not errors


def test_full_screen_and_paper(opened):
    enter_full_screen(opened)
    for key, step in (("PageDown", 1), ("PageDown", 2), ("PageUp", 1), ("End", 3)):
        opened.keyboard.press(key)
        check(opened, "matrix", step)
    opened.keyboard.press("Escape")
    opened.emulate_media(media="print")
    expect(opened.locator(".la-transport")).to_be_hidden()
    expect(opened.locator(".la-forms-stage")).to_be_visible()
    expect(opened.locator(".la-forms-costs")).to_be_visible()


@pytest.mark.parametrize("width", [1280, 700, 360])
def test_the_frame_of_a_touched_cell_leaves_its_digits_alone(page, write_page, width):
    page.set_viewport_size({"width": width, "height": 720})
    show(page, write_page(ThreeForms(step=3, stops=[{"form": "matrix", "step": 3, "text": "Done."}])))
    if width == 1280:
        enter_full_screen(page)
    touched = page.locator(".la-in-out .la-touched")
    expect(touched).to_have_count(12)
    inside = """(all) => all.map((e) => {
      const [cell, range] = [e.getBoundingClientRect(), document.createRange()];
      range.selectNodeContents(e);
      const digits = range.getBoundingClientRect();
      return Math.min(digits.left - cell.left, cell.right - digits.right);
    })"""
    assert min(touched.evaluate_all(inside)) >= 0
    assert "inset" not in touched.first.evaluate("(e) => getComputedStyle(e).boxShadow")


@pytest.mark.parametrize("form", ["matrix", "chunks"])
def test_a_phone_shows_fewer_digits_and_tells_all(new_page, write_page, form):
    page = new_page(viewport={"width": 360, "height": 740}, has_touch=True, is_mobile=True)
    widget = ThreeForms(form=form, step=3)
    show(page, write_page(widget))
    cells = page.locator(".la-forms-stage .la-cell")
    page.wait_for_function("() => [...document.querySelectorAll('.la-in-v .la-cell')].every((e) => e.value.length < 5)")
    assert min(cells.evaluate_all("(all) => all.map((e) => parseFloat(getComputedStyle(e).fontSize))")) >= 11
    cut = "(all) => all.filter((e) => e.scrollWidth > e.clientWidth).map((e) => e.value ?? e.textContent)"
    assert cells.evaluate_all(cut) == []
    scores, out = page.locator(".la-in-scores .la-cell").first, page.locator(".la-in-out .la-cell").first
    wanted = f"{(widget.phi_q[0] @ widget.phi_k[0]).item():.4f}"
    # By finger and by keyboard, in the line below and in words.
    scores.tap()
    expect(page.locator(".la-readout")).to_contain_text(f"= {wanted}")
    assert "exactly" in scores.get_attribute("aria-label")
    out.focus()
    expect(page.locator(".la-readout")).to_contain_text(f"= {widget.out[0, 0].item():.4f}".replace("-", "−"))
    page.keyboard.press("ArrowRight")
    expect(page.locator(".la-readout")).to_contain_text(f"= {widget.out[0, 1].item():.4f}")
    # A field shows all of its number while it is edited.
    page.locator(".la-in-q .la-field").first.focus()
    expect(page.locator(".la-in-q .la-field").first).to_have_value(re.compile(str(widget.phi_q[0, 0].item())[:6]))
    # With room there are two decimals again.
    page.set_viewport_size({"width": 1280, "height": 800})
    expect(out).to_have_text(f"{widget.out[0, 0].item():.2f}".replace("-", "−"))
