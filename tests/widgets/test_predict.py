"""Predict, then reveal, on the state explorer: the next step waits for an answer; the truth is torch's."""

import pytest
import torch
from playwright.sync_api import Page, expect

from linattn import relu_plus_eps, squared_relu
from linattn.widgets import StateExplorer
from linattn.widgets.still import number

Z_0 = {"t": 0, "phase": "add", "ask": "Z"}
ROWS = {"t": 1, "phase": "add", "ask": "rows"}
MOVES = {"t": 2, "phase": "read", "ask": "moves", "by": "v", "at": 0}


@pytest.fixture
def open_page(page, write_page):
    def open_with(*predict: dict, **options: object) -> Page:
        page.emulate_media(reduced_motion="reduce")
        page.goto(write_page(StateExplorer(predict=predict, **options)).as_uri())
        page.wait_for_selector(".la-mounted")
        return page

    return open_with


def step(page: Page) -> int:
    return int(page.locator(".la-scrubber").input_value())


def vector(x: torch.Tensor) -> str:
    return f"[{', '.join(number(a) for a in x.tolist())}]"


def answer(page: Page) -> list[str]:
    return page.locator(".la-predict-answer dd").all_text_contents()


@pytest.mark.parametrize("way", ["next", "play", "scrub", "last", "chip", "phase", "key", "walk"])
def test_no_way_leads_past_an_open_question(open_page, way):
    page = open_page(ROWS, stops=[{"t": 3, "phase": "read", "text": "Far."}])
    page.locator(".la-root").focus()
    for _ in range(3):
        page.keyboard.press("ArrowRight")
    assert step(page) == 3
    expect(page.locator(".la-predict-question")).to_have_text("Token 1 is about to be added. Which rows of S change?")
    button = lambda name: page.get_by_role("button", name=name)  # noqa: E731
    {
        "next": lambda: button("Next step").click(),
        "play": lambda: button("Play").click(),
        "scrub": lambda: page.locator(".la-scrubber").fill("9"),
        "last": lambda: button("Last step").click(),
        "chip": lambda: button("Token 4").click(),
        "phase": lambda: button("read").click(),
        "key": lambda: page.keyboard.press("End"),
        "walk": lambda: page.get_by_role("button", name="Next", exact=True).click(),
    }[way]()
    expect(page.get_by_role("status").first).to_contain_text("First your prediction")
    assert step(page) == 3
    expect(page.locator(".la-predict input").first).to_be_focused()
    expect(button("Play")).to_be_visible()


def test_from_far_away_the_way_ends_before_the_question(open_page):
    page = open_page(MOVES)
    page.get_by_role("button", name="Last step").click()
    assert step(page) == 7
    expect(page.locator(".la-predict-question")).to_have_text("If v₀ changes, does out₂ move?")


@pytest.mark.parametrize("guess", [(0, 1, 2, 3), (1,), ()])
def test_truth_beside_the_guess(open_page, guess):
    page = open_page(ROWS, feature_map=squared_relu)
    explorer = StateExplorer(feature_map=squared_relu)
    truth = [i for i, row in enumerate(explorer.trace.write[1]) if row.any()]
    assert 0 < len(truth) < 4, "a question with one answer only would test nothing"
    page.locator(".la-scrubber").fill("3")
    for i in guess:
        page.get_by_label(f"row {i}", exact=True).check()
    page.get_by_role("button", name="Commit").click()
    assert step(page) == 4
    right = list(guess) == truth
    said = ", ".join(f"row {i}" for i in guess) or "none"
    assert answer(page) == [f"{'✓' if right else '✗'} {said}", ", ".join(f"row {i}" for i in truth)]
    expect(page.get_by_role("status").first).to_contain_text(f"You said: {said}. It is: ")
    page.get_by_role("button", name="Next step").click()
    assert step(page) == 5
    expect(page.locator(".la-predict")).to_be_hidden()


def test_numbers_that_the_reader_changes_change_the_truth(open_page):
    page = open_page(ROWS)
    page.locator(".la-scrubber").fill("3")
    page.get_by_label("row 2", exact=True).check()
    page.get_by_role("button", name="Commit").click()
    assert answer(page)[1] == "row 0, row 1, row 2, row 3"
    for i in range(4):
        page.locator(".la-at-v .la-cell").nth(i).fill("0")
        page.locator(".la-at-v .la-cell").nth(i).press("Enter")
    assert answer(page) == ["✗ row 2", "none"]


def test_z_by_keyboard_alone(open_page):
    page = open_page(Z_0)
    Z = StateExplorer().trace.Z[0]
    page.locator(".la-root").focus()
    page.keyboard.press("ArrowRight")
    expect(page.locator(".la-predict input").first).to_be_focused()
    options = page.locator(".la-predict-option").all_text_contents()
    assert options.count(vector(Z)) == 1 and len(options) == 4
    page.keyboard.press("Enter")
    expect(page.get_by_role("status").first).to_contain_text("Choose an answer first")
    page.keyboard.press(" ")
    for _ in range(options.index(vector(Z))):
        page.keyboard.press("ArrowDown")
    assert step(page) == 0
    page.keyboard.press("Enter")
    assert step(page) == 1
    assert answer(page) == [f"✓ {vector(Z)}", vector(Z)]
    expect(page.locator(".la-root")).to_be_focused()
    page.keyboard.press("ArrowLeft")
    expect(page.locator(".la-predict")).to_be_hidden()
    page.keyboard.press("ArrowRight")
    assert step(page) == 1


@pytest.mark.parametrize("of", ["out", "S", "Z"])
@pytest.mark.parametrize("by", ["q", "k", "v"])
@pytest.mark.parametrize(("t", "at"), [(0, 0), (2, 0), (2, 2), (2, 4)])
def test_what_moves_is_computed(open_page, of, by, t, at):
    page = open_page({"t": t, "phase": "read", "ask": "moves", "of": of, "by": by, "at": at})
    page.locator(".la-scrubber").fill(str(3 * t + 1))
    page.get_by_label("yes").check()
    page.get_by_role("button", name="Commit").click()
    past = at <= t
    truth = past and {"out": not (by == "q" and at < t), "S": by != "q", "Z": by == "k"}[of]
    if of == "out" and t == 0:
        truth = past and by == "v"  # out_0 = v_0, whatever q_0 and k_0 are
    assert answer(page) == (["✓ yes", "yes"] if truth else ["✗ yes", "no"])


def test_a_skip_is_always_there_and_step_back_too(open_page):
    page = open_page(Z_0, ROWS)
    page.get_by_role("button", name="Skip").click()
    assert step(page) == 1
    expect(page.get_by_role("status").first).to_contain_text("It is: [")
    page.locator(".la-scrubber").fill("17")
    assert step(page) == 3
    page.get_by_role("button", name="Step back").click()
    assert step(page) == 2
    expect(page.locator(".la-predict")).to_be_hidden()
    page.get_by_role("button", name="Next step").click()
    page.get_by_role("button", name="Skip").click()
    page.locator(".la-scrubber").fill("17")
    assert step(page) == 17
    page.get_by_role("button", name="Reset").click()
    page.get_by_role("button", name="Last step").click()
    assert step(page) == 0


def test_guesses_stay_out_of_the_address_and_a_link_past_a_question_asks_nothing(open_page):
    page = open_page(Z_0)
    page.get_by_label("[").nth(1).check()
    page.get_by_role("button", name="Commit").click()
    page.locator(".la-scrubber").fill("2")
    page.wait_for_function("() => location.hash.endsWith('t=0&phase=read')")
    page.reload()
    page.wait_for_selector(".la-mounted")
    assert step(page) == 2
    expect(page.locator(".la-predict")).to_be_hidden()
    page.get_by_role("button", name="Next step").click()
    assert step(page) == 3


def test_without_questions_nothing_is_locked(open_page):
    page = open_page()
    page.get_by_role("button", name="Last step").click()
    assert step(page) == 17
    expect(page.locator(".la-predict")).to_be_hidden()


def own_map(x):
    return x.square()


@pytest.mark.parametrize(
    ("item", "message"),
    [
        ({"t": 1, "phase": "add"}, "needs ask"),
        ({"t": 9, "phase": "add", "ask": "Z"}, "t of a prediction"),
        ({"t": 1, "phase": "sum", "ask": "Z"}, "phase of a prediction"),
        ({"t": 1, "phase": "add", "ask": "S"}, "ask of a prediction"),
        ({"t": 0, "phase": "write", "ask": "rows"}, "first step"),
        ({"t": 1, "phase": "add", "ask": "Z", "answer": "a"}, "knows nothing of answer"),
        ({"t": 1, "phase": "read", "ask": "moves", "by": "Z"}, "by of a prediction"),
    ],
)
def test_questions_that_make_no_sense_are_refused(item, message):
    with pytest.raises(ValueError, match=message):
        StateExplorer(predict=[item])


def test_a_map_of_python_alone_gets_no_question_about_other_keys():
    with pytest.raises(ValueError, match="by of a prediction"):
        StateExplorer(feature_map=own_map, predict=[{"t": 1, "phase": "read", "ask": "moves"}])
    StateExplorer(feature_map=own_map, predict=[MOVES])
    StateExplorer(feature_map=relu_plus_eps, predict=[{"t": 1, "phase": "read", "ask": "moves"}])
