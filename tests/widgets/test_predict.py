"""Predict, then reveal: a step of the state explorer, or a walk-through's next stop, waits; the truth is torch's."""

import re

import pytest
import torch
from playwright.sync_api import Page, expect
from reader import answer, enter_full_screen, run, show, step

from linattn import relu_plus_eps, squared_relu
from linattn.widgets import Associativity, Cost, Recall, StateExplorer, ThreeForms, base
from linattn.widgets.still import number

Z_0 = {"t": 0, "phase": "add", "ask": "Z"}
ROWS = {"t": 1, "phase": "add", "ask": "rows"}
MOVES = {"t": 2, "phase": "read", "ask": "moves", "by": "v", "at": 0}


@pytest.fixture
def open_page(page, write_page):
    def open_with(*predict: dict, **options: object) -> Page:
        page.emulate_media(reduced_motion="reduce")
        return show(page, write_page(StateExplorer(predict=predict, **options)))

    return open_with


def vector(x: torch.Tensor) -> str:
    return f"[{', '.join(number(a) for a in x.tolist())}]"


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
        "walk": lambda: following(page).click(),
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


@pytest.mark.parametrize("guess", [(0, 1, 2, 3), (0, 2), (1,), (0,), ()])
def test_truth_beside_the_guess_one_item_after_the_other(open_page, guess):
    page = open_page(ROWS, feature_map=squared_relu)
    explorer = StateExplorer(feature_map=squared_relu)
    truth = [i for i, row in enumerate(explorer.trace.write[1]) if row.any()]
    assert 0 < len(truth) < 4, "a question with one answer only would test nothing"
    page.locator(".la-scrubber").fill("3")
    for i in guess:
        page.get_by_label(f"row {i}", exact=True).check()
    page.get_by_role("button", name="Commit").click()
    assert step(page) == 4
    rows = lambda some: ", ".join(f"row {i}" for i in some)  # noqa: E731
    marks = ", ".join(f"{'✓' if i in truth else '✗'} row {i}" for i in guess) or "✗ none"
    wrong = [i for i in guess if i not in truth]
    missing = [i for i in truth if i not in guess] if guess else []
    assert answer(page) == [marks, *([rows(missing)] if missing else []), rows(truth)]
    names = page.locator(".la-predict-answer dt").all_text_contents()
    assert names == ["your guess", *(["missing"] if missing else []), "it is"]
    for span in page.locator(".la-predict-answer span").all():
        expect(span).to_have_class("la-right" if span.inner_text().startswith("✓") else "la-wrong")
    said = f"You said: {rows(guess) or 'none'}."
    said += f" Not right: {rows(wrong)}." if wrong else ""
    said += f" Missing: {rows(missing)}." if missing else ""
    expect(page.get_by_role("status").first).to_contain_text(f"{said} It is: {rows(truth)}.")
    page.get_by_role("button", name="Next step").click()
    assert step(page) == 5
    expect(page.locator(".la-predict")).to_be_hidden()


@pytest.mark.parametrize("way", ["Commit", "Skip"])
@pytest.mark.parametrize("ask", [Z_0, ROWS])
def test_an_answer_is_shown_with_its_own_numbers_or_not_at_all(open_page, ask, way):
    page = open_page(ask)
    page.locator(".la-scrubber").fill(str(3 * ask["t"]))
    page.locator(".la-predict input").nth(1).check()
    page.get_by_role("button", name=way).click()
    shown = page.locator(".la-predict").inner_text()
    assert "it is" in shown and ("your guess" in shown) == (way == "Commit")
    select = page.get_by_label("feature map")
    own = select.input_value()
    select.select_option("squared_relu")
    expect(page.locator(".la-predict")).to_be_hidden()
    select.select_option(own)
    expect(page.locator(".la-predict")).to_be_visible()
    assert page.locator(".la-predict").inner_text() == shown
    page.get_by_label("Decimals").select_option(index=4)
    assert page.locator(".la-predict").inner_text() == shown, "the numbers are the same, whatever their digits"


def test_options_are_distinct_and_new_ones_are_not_ticked(open_page):
    page = open_page(Z_0)
    texts = lambda: page.locator(".la-predict-option").all_text_contents()  # noqa: E731
    before = texts()
    page.locator(".la-predict input").nth(1).check()
    page.get_by_label("Decimals").select_option(index=4)
    expect(page.locator(".la-predict input").nth(1)).to_be_checked()
    page.get_by_label("Decimals").select_option(index=0)
    page.get_by_label("feature map").select_option("squared_relu")
    assert texts() != before
    assert len(set(texts())) == len(texts())
    assert vector(StateExplorer(feature_map=squared_relu).trace.Z[0]) in texts()
    expect(page.locator(".la-predict input:checked")).to_have_count(0)
    expect(page.get_by_role("status").first).to_have_text("The question has new numbers: choose again.")


def test_other_sizes_say_that_they_take_the_ticks_away(open_page):
    page = open_page(ROWS)
    page.locator(".la-scrubber").fill("3")
    page.get_by_label("row 2", exact=True).check()
    page.get_by_label("d_k, size").select_option("3")
    expect(page.locator(".la-predict-option")).to_have_count(3)
    expect(page.get_by_role("status").first).to_have_text("The question has new numbers: choose again.")


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


# ---- A stop of a walk-through asks ----

STOPS = [
    {"n": 4096, "text": "Long."},
    {"n": 16, "ask": "cheaper", "text": "Short."},
    {"n": 128, "d_k": 16, "ask": "crossover", "question": "From where on?", "text": "Narrow."},
    {"view": "numbers", "causal": True, "step": 5, "ask": "causal", "text": "Masked."},
]
LEFT, RIGHT = "(φ(Q) φ(K)ᵀ) V", "φ(Q) (φ(K)ᵀ V)"


@pytest.fixture
def open_walk(page, write_page):
    def open_with(*stops: dict, **options: object) -> Page:
        page.emulate_media(reduced_motion="reduce")
        return show(page, write_page(Associativity(stops=stops or STOPS, **options)))

    return open_with


def at(page: Page) -> str:
    return page.locator(".la-stop-count").inner_text()


def following(page: Page):
    return page.locator(".la-stop-next")


def n_of(page: Page) -> int:
    return int(page.get_by_role("spinbutton", name="n, tokens").input_value())


def test_next_waits_for_the_answer_and_free_play_does_not(open_walk):
    page = open_walk()
    expect(page.locator(".la-predict")).to_be_hidden()
    following(page).click()
    assert (at(page), n_of(page)) == ("Stop 1 of 4", 4096)
    question = "n = 16 tokens, dₖ = 64, dᵥ = 64. Which order needs fewer multiply-adds?"
    expect(page.locator(".la-predict-question")).to_have_text(question)
    expect(following(page)).to_have_accessible_name("Next, after your prediction")
    following(page).click()
    assert (at(page), n_of(page)) == ("Stop 1 of 4", 4096)
    expect(page.get_by_role("status").first).to_have_text(
        f"First your prediction: {question} Commit to an answer, or skip."
    )
    expect(page.locator(".la-predict input").first).to_be_focused()
    page.get_by_role("button", name="Commit").click()
    expect(page.get_by_role("status").first).to_have_text("Choose an answer first, or skip.")
    page.get_by_role("button", name="Next step").click()
    assert n_of(page) == 8192
    text, back = page.locator(".la-stop-text"), page.get_by_role("button", name="Back", exact=True)
    expect(text).to_have_text("You left the walk-through; an answer leads on, Back returns.")
    expect(page.locator(".la-predict-question")).to_have_text(question)
    following(page).click()
    assert n_of(page) == 8192
    back.click()
    assert (at(page), n_of(page)) == ("Stop 1 of 4", 4096)
    expect(back).to_have_attribute("aria-disabled", "true")


@pytest.mark.parametrize(("guess", "mark"), [(LEFT, "✓"), (RIGHT, "✗")])
def test_a_stop_shows_the_truth_beside_the_guess_until_it_is_left(open_walk, guess, mark):
    page = open_walk()
    following(page).click()
    page.get_by_role("radio", name=guess, exact=True).check()
    page.get_by_role("button", name="Commit").click()
    assert (at(page), n_of(page)) == ("Stop 2 of 4", 16)
    left, right = Associativity(16).multiply_adds
    assert left < right
    assert answer(page) == [f"{mark} {guess}", LEFT]
    expect(page.locator(".la-predict-answer span")).to_have_class("la-right" if mark == "✓" else "la-wrong")
    expect(page.locator(".la-predict .la-note")).to_contain_text(f"takes {left:,} multiply-adds, {RIGHT} {right:,}.")
    expect(page.get_by_role("status").first).to_have_text(f"You said: {guess}. It is: {LEFT}. Short.")
    expect(following(page)).to_be_focused()
    page.get_by_role("button", name="Step back").click()
    expect(page.locator(".la-predict-answer")).to_be_hidden()
    page.get_by_role("button", name="Next step").click()
    assert answer(page) == [f"{mark} {guess}", LEFT]
    page.get_by_role("button", name="Back", exact=True).click()
    assert (at(page), n_of(page)) == ("Stop 1 of 4", 4096)
    expect(page.locator(".la-predict")).to_be_hidden()
    following(page).click()
    assert at(page) == "Stop 2 of 4"


def test_a_walk_through_of_questions_by_keyboard_alone(open_walk):
    page = open_walk()
    following(page).focus()
    page.keyboard.press("Enter")
    page.keyboard.press("Enter")
    expect(page.get_by_role("radio", name=LEFT, exact=True)).to_be_focused()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    assert answer(page) == [f"✗ {RIGHT}", LEFT]
    page.keyboard.press("Enter")
    expect(page.locator(".la-predict-question")).to_have_text("From where on?")
    page.keyboard.press(" ")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    star = f"above {Associativity(d_k=16, d_v=64).crossover:g}"
    assert answer(page) == [f"✓ {star}", star] and star == "above 25.6"
    page.keyboard.press("Enter")
    page.keyboard.press("Enter")
    explorer = Associativity(causal=True)
    plain = explorer.phi_q @ explorer.S
    rows = [f"row {i}" for i in range(4) if torch.allclose(plain[i], explorer.out[i])]
    assert answer(page) == ["✗ none", ", ".join(rows)] and rows == ["row 3"]
    assert at(page) == "Stop 4 of 4"
    expect(page.locator(".la-products")).to_be_visible()


def test_the_question_follows_what_the_reader_changes_meanwhile(open_walk):
    page = open_walk()
    following(page).click()
    for name in ("d_k", "d_v"):
        page.get_by_role("spinbutton", name=name).fill("8")
        page.keyboard.press("Enter")
    expect(page.locator(".la-predict-question")).to_contain_text("n = 16 tokens, dₖ = 8, dᵥ = 8.")
    page.get_by_role("radio", name=LEFT, exact=True).check()
    page.get_by_role("button", name="Commit").click()
    left, right = Associativity(16, 8, 8).multiply_adds
    assert right < left
    assert answer(page) == [f"✗ {LEFT}", RIGHT]


def test_a_skip_goes_on_and_reset_asks_again(open_walk):
    page = open_walk(*STOPS[1:])
    expect(page.locator(".la-predict-question")).to_contain_text("n = 16 tokens")
    following(page).click()
    assert at(page) == "Walk-through, 3 stops"
    page.get_by_role("button", name="Skip").click()
    assert (at(page), n_of(page)) == ("Stop 1 of 3", 16)
    expect(page.get_by_role("status").first).to_have_text(f"It is: {LEFT}. Short.")
    assert answer(page) == [LEFT], "the truth, for a room that was not asked one by one"
    expect(page.locator(".la-predict .la-note")).to_contain_text("multiply-adds")
    page.get_by_role("button", name="Reset").click()
    assert at(page) == "Walk-through, 3 stops"
    following(page).click()
    assert (at(page), n_of(page)) == ("Walk-through, 3 stops", 1024)


def test_answers_to_a_walk_through_stay_out_of_the_address_and_the_traits(open_walk):
    page = open_walk()
    before = page.evaluate("document.querySelector('script[type=\"application/json\"]')?.textContent ?? ''")
    following(page).click()
    page.get_by_role("radio", name=RIGHT, exact=True).check()
    page.get_by_role("button", name="Commit").click()
    page.wait_for_function("() => location.hash.endsWith('view=scale&n=16&d_k=64&d_v=64&causal=0&step=0&stop=2')")
    assert page.evaluate("document.querySelector('script[type=\"application/json\"]')?.textContent ?? ''") == before
    assert page.evaluate("localStorage.length + sessionStorage.length") == 0
    page.reload()
    page.wait_for_selector(".la-mounted")
    assert (at(page), n_of(page)) == ("Stop 2 of 4", 16)
    assert answer(page) == [LEFT], "the question counts as skipped, the guess was nobody else's"


def test_a_link_brings_back_the_place_in_the_walk_through(open_walk):
    page = open_walk()
    for stop in (1, 2, 3):
        following(page).click()
        if stop > 1:
            page.get_by_role("button", name="Skip").click()
        page.get_by_role("button", name="Copy link").click()
        link, text = page.url, page.locator(WALK_TEXT).text_content()
        assert link.endswith(f"&stop={stop}")
        page.goto("about:blank")
        page.goto(link)
        page.wait_for_selector(".la-mounted")
        assert at(page) == f"Stop {stop} of 4"
        expect(page.locator(WALK_TEXT)).to_have_text(text)
    for bad in ("0", "5", "1.5", "-1", "x", ""):
        page.evaluate("(bad) => { location.hash = location.hash.replace(/stop=.*$/, `stop=${bad}`) }", bad)
        expect(page.get_by_role("status").first).to_contain_text("This link does not fit this page any more")
        assert at(page) == "Stop 3 of 4"
        following(page).click()
        expect(page.locator(".la-predict-question")).to_be_visible()
    page.evaluate("() => { location.hash = location.hash.replace(/&stop=.*$/, '') }")
    expect(page.locator(".la-stop-count")).to_have_text("Walk-through, 4 stops")


def test_a_link_past_the_explorers_questions_keeps_its_place(open_page):
    page = open_page(*CHAPTER_4["predict"], stops=CHAPTER_4["stops"])
    address = f"{page.url}#la1:state_explorer-1="
    page.goto("about:blank")
    page.goto(f"{address}t=1&phase=add&stop=4")
    page.wait_for_selector(".la-mounted")
    assert (at(page), step(page)) == ("Stop 4 of 5", 4)
    expect(page.locator(WALK_TEXT)).to_have_text("Stop at 1, add.")
    page.get_by_role("button", name="Back", exact=True).click()
    assert (at(page), step(page)) == ("Stop 3 of 5", 2)
    page.goto("about:blank")
    page.goto(f"{address}t=1&phase=add")
    page.wait_for_selector(".la-mounted")
    assert (at(page), step(page)) == ("Walk-through, 5 stops", 4)


def follow_link(page: Page) -> None:
    page.get_by_role("button", name="Copy link").click()
    link = page.url
    page.goto("about:blank")
    page.goto(link)
    page.wait_for_selector(".la-mounted")


def test_a_link_brings_no_answer_and_no_question_that_were_not_on_screen(open_page):
    page = open_page(ROWS, t=0, phase="read")
    panel, d_k = page.locator(".la-predict"), page.get_by_label("d_k, size")
    page.locator(".la-scrubber").fill("3")
    page.get_by_role("button", name="Skip").click()
    expect(panel).to_contain_text("Which rows of S change?")
    follow_link(page)
    expect(panel).to_contain_text("Which rows of S change?")
    page.get_by_label("feature map").select_option("squared_relu")
    d_k.select_option("2")
    expect(panel).to_be_hidden()
    follow_link(page)
    assert step(page) == 4 and d_k.input_value() == "2"
    expect(panel).to_be_hidden()
    page.get_by_role("button", name="Step back").click()
    follow_link(page)
    assert step(page) == 3
    expect(panel).to_be_hidden()


@pytest.mark.parametrize("d_k", [64, 16])
def test_a_link_to_an_answered_stop_says_and_shows_what_was_there(open_walk, d_k):
    page = open_walk(*STOPS[:2], {"n": 128, "d_k": d_k, "ask": "crossover", "text": "Longer."})
    truth, status = page.locator(".la-predict-answer"), page.get_by_role("status").first
    following(page).click()
    following(page).click()
    page.get_by_role("button", name="Skip").click()
    said = f"It is: {LEFT}. Short."
    expect(status).to_have_text(said)
    follow_link(page)
    expect(status).to_have_text(said)
    page.get_by_role("button", name="Skip").click()
    page.get_by_role("button", name="Back", exact=True).click()
    # The stop sets n alone: with the d_k of the other one its answer is not true.
    for _ in range(2):
        expect(status).to_have_text(said if d_k == 64 else re.compile("^n = 16 is below"))
        expect(truth).to_have_count(int(d_k == 64))
        expect(page.locator(".la-predict-question")).to_be_hidden()
        expect(following(page)).to_have_accessible_name("Next")
        follow_link(page)


def test_in_a_lecture_the_remote_control_walks_asks_and_skips(open_walk):
    page = open_walk(n=64)
    page.locator(".la-root").focus()
    page.keyboard.press("PageDown")
    assert n_of(page) == 64, "outside the lecture view the key scrolls the page"
    enter_full_screen(page)
    page.keyboard.press("PageDown")
    assert (at(page), n_of(page)) == ("Stop 1 of 4", 4096)
    page.keyboard.press("PageDown")
    assert at(page) == "Stop 1 of 4"
    expect(page.locator(".la-predict input").first).to_be_focused()
    page.keyboard.press("PageDown")
    assert (at(page), n_of(page)) == ("Stop 2 of 4", 16)
    page.keyboard.press("PageUp")
    assert (at(page), n_of(page)) == ("Stop 1 of 4", 4096)
    page.keyboard.press("ArrowRight")
    assert n_of(page) == 8192, "arrows still step"
    page.keyboard.press("PageUp")
    assert n_of(page) == 4096, "off the walk-through, the key leads back to the stop"
    page.keyboard.press("PageUp")
    expect(page.get_by_role("status").first).to_have_text("This is the first stop.")
    assert (at(page), n_of(page)) == ("Stop 1 of 4", 4096)
    for _ in range(5):
        page.keyboard.press("PageDown")
    assert at(page) == "Stop 4 of 4"


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_a_question_fits_a_phone(new_page, write_page, theme):
    page = new_page(viewport={"width": 360, "height": 740}, has_touch=True)
    show(page, write_page(Associativity(stops=STOPS)))
    page.evaluate("(theme) => (document.documentElement.dataset.theme = theme)", theme)
    following(page).tap()
    page.get_by_role("radio", name=RIGHT, exact=True).tap()
    page.get_by_role("button", name="Commit").tap()
    assert answer(page) == [f"✗ {RIGHT}", LEFT]
    page.get_by_role("button", name="Skip").tap()
    assert at(page) == "Stop 3 of 4"
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    for part in page.locator(".la-stops *:visible").all():
        box = part.bounding_box()
        assert box["x"] >= 0 and box["x"] + box["width"] <= 360


def test_in_the_state_explorer_the_remote_control_meets_both_locks(page, write_page):
    stops = [{"t": 0, "phase": "read", "text": "First."}, {"t": 2, "phase": "read", "text": "Third."}]
    page.emulate_media(reduced_motion="reduce")
    show(page, write_page(StateExplorer(stops=stops, predict=[ROWS])))
    enter_full_screen(page)
    page.keyboard.press("PageDown")
    assert step(page) == 2
    page.keyboard.press("PageDown")
    assert step(page) == 3, "as far as the question"
    expect(page.locator(".la-predict input").first).to_be_focused()
    buttons, question = (page.locator(x).first.bounding_box() for x in (".la-stop-buttons", ".la-predict"))
    assert question["y"] >= buttons["y"] + buttons["height"], "the question covers the walk-through"
    page.keyboard.press("PageDown")
    assert step(page) == 4
    page.keyboard.press("PageDown")
    assert step(page) == 8


CHAPTER_4 = {
    "stops": [
        {"t": t, "phase": phase, "text": f"Stop at {t}, {phase}."}
        for t, phase in [(0, "write"), (0, "add"), (0, "read"), (1, "add"), (2, "read")]
    ],
    "predict": [Z_0, ROWS, {"t": 2, "phase": "read", "ask": "moves"}],
}
PLACES = [0, 1, 2, 4, 8]
WALK_TEXT = ".la-stop-text"
#: Where the panel of the walk-through begins, where each move ends, and where the bar that sticks to the screen begins.
EDGES = """() => {
  const box = (selector) => document.querySelector(selector).getBoundingClientRect();
  const ends = [".la-at-tile", ".la-at-S", ".la-at-out"].map((selector) => box(selector).bottom);
  return [box(".la-stops").top, ...ends, box(".la-transport").top];
}"""


@pytest.mark.parametrize("above", [20, 400])
def test_on_a_phone_what_a_stop_changes_comes_into_view_with_the_words_of_the_stop(new_page, write_page, above):
    page = new_page(viewport={"width": 390, "height": 844}, has_touch=True, reduced_motion="reduce")
    path = write_page(StateExplorer(stops=CHAPTER_4["stops"]))
    tall = '<div style="height: 2000px"></div>'
    text = path.read_text(encoding="utf-8").replace("</h2>", f"</h2>{tall}").replace("</main>", f"{tall}</main>")
    path.write_text(text, encoding="utf-8")
    show(page, path)
    page.locator(".la-stops").evaluate("(e, y) => scrollTo(0, e.getBoundingClientRect().top + scrollY - y)", above)
    for back in (False, True):
        for stop in CHAPTER_4["stops"][::-1][1:] if back else CHAPTER_4["stops"]:
            before = page.evaluate("scrollY")
            press = page.get_by_role("button", name="Back", exact=True) if back else following(page)
            press.tap()
            expect(press).to_be_focused()
            panel, *ends, bar = page.evaluate(EDGES)
            end = ends[["write", "add", "read"].index(stop["phase"])]
            assert panel >= 0 and end <= bar, stop
            if above == 20:
                assert page.evaluate("scrollY") == before, "all was in view"
    assert (page.locator(".la-stops").bounding_box()["y"] < above - 1) == (above == 400)


@pytest.mark.parametrize("way", ["Skip", "Commit", "remote"])
def test_an_answer_that_leads_to_the_next_stop_keeps_the_reader_in_the_walk_through(open_page, way):
    page = open_page(*CHAPTER_4["predict"], stops=CHAPTER_4["stops"])
    if way == "remote":
        enter_full_screen(page)
    press = lambda: page.keyboard.press("PageDown") if way == "remote" else following(page).click()  # noqa: E731
    expect(following(page)).to_have_accessible_name("Next, after your prediction")
    expect(following(page)).to_have_class(re.compile("la-locked"))
    for stop, place in enumerate(PLACES, 1):
        expect(page.locator(WALK_TEXT)).to_have_text(CHAPTER_4["stops"][stop - 1]["text"])
        assert (at(page), step(page)) == (f"Stop {stop} of 5", place)
        if stop == 5:
            break
        press()
        if stop == 2:
            continue
        assert step(page) == PLACES[stop] - 1
        expect(page.locator(".la-predict input").first).to_be_focused()
        if stop > 2:
            expect(page.locator(WALK_TEXT)).to_have_text(f"On the way to stop {stop + 1}: first your prediction.")
        if way == "remote":
            press()
        else:
            page.locator(".la-predict input").first.check()
            page.get_by_role("button", name=way).click()
            expect(following(page)).to_be_focused()
    expect(following(page)).to_have_accessible_name("Next")


def test_a_question_that_is_there_at_the_beginning_stands_under_the_sentence_of_the_first_stop(open_page):
    page = open_page(*CHAPTER_4["predict"], stops=CHAPTER_4["stops"])
    for _ in range(2):
        assert (at(page), step(page)) == ("Stop 1 of 5", 0)
        expect(page.locator(WALK_TEXT)).to_have_text("Stop at 0, write.")
        expect(page.locator(".la-predict-question")).to_have_text("What will Z₀ be?")
        page.get_by_role("button", name="Skip").click()
        assert at(page) == "Stop 2 of 5"
        page.get_by_role("button", name="Reset").click()


@pytest.mark.parametrize("way", ["Next", "answer", "free play"])
def test_whoever_answers_without_the_walk_through_is_not_put_back_nor_asked_again(open_page, way):
    page = open_page(*CHAPTER_4["predict"], stops=CHAPTER_4["stops"])
    questions = []
    # One of the two buttons is the one to press.
    expect(following(page)).to_have_class(re.compile("la-locked"))
    seen = [step(page)]
    while at(page) != "Stop 5 of 5" and len(seen) < 15:
        if page.locator(".la-predict form").is_visible() and (way != "Next" or len(seen) > 1):
            questions.append(page.locator(".la-predict-question").inner_text())
            page.locator(".la-predict input").first.check()
            page.get_by_role("button", name="Commit").click()
        elif way == "free play" and len(questions) < 3:
            page.get_by_role("button", name="Next step").click()
        else:
            following(page).click()
        seen.append(step(page))
    assert step(page) == 8
    assert len(questions) == len(set(questions)) == 3
    assert seen == sorted(seen)


# ---- Every widget that asks ----

ASKING = [widget for widget in base.Widget.__subclasses__() if getattr(getattr(widget, "stops", None), "asks", ())]


def asked(page: Page, widget: type, name: str, **state: object) -> tuple[list[str], dict]:
    """What is true of the widget's state, in the words of the options, and the whole question."""
    module = f"{widget._module}_asks"
    question = run(page, module, f"${module}.asks.{name}", {**widget().get_state(), **state})
    assert len(set(question["options"])) == len(question["options"]) and question["truth"]
    return [question["options"][i] for i in question["truth"]], question


@pytest.mark.parametrize("widget", ASKING)
def test_python_knows_the_questions_of_the_page_and_no_other(page, widget):
    module = f"{widget._module}_asks"
    names = page.evaluate(f"(() => {{ {base.bundle(module)} return Object.keys(${module}.asks); }})()")
    assert tuple(names) == widget.stops.asks


def test_most_widgets_ask():
    assert {Associativity, Cost, Recall, ThreeForms} <= set(ASKING)


@pytest.mark.parametrize(("n", "d"), [(6, 2), (3, 4), (7, 2), (1, 1), (2, 2), (4, 3)])
def test_the_cheapest_chunk_size_is_that_of_python(page, n, d):
    x = torch.ones(n, d)
    totals = [ThreeForms(phi_q=x, phi_k=x, v=x, chunk_size=C + 1).multiply_adds["chunks"] for C in range(n)]
    found, question = asked(page, ThreeForms, "chunk_size", phi_k=x.tolist(), v=x.tolist())
    assert found == [f"C = {C + 1}" for C in range(n) if totals[C] == min(totals)]
    assert f": {', '.join(map(str, totals))} multiply-adds" in question["because"]


RECALLED = [
    ({"m": 8}, "none"), ({"m": 1}, "all 1"), ({"m": 16, "orthogonal": True}, "all 16"), ({"m": 0}, "none"),
    ({"m": 20, "orthogonal": True}, "none"), ({"m": 20, "orthogonal": True, "rule": "delta"}, "4"),
    ({"m": 8, "rule": "delta"}, "1"), ({"m": 5, "rule": "delta", "orthogonal": True, "rewrite": True}, "4"),
    ({"m": 6, "rule": "decay", "orthogonal": True}, "1"), ({"m": 9, "rule": "delta", "beta": 0.5}, "none"),
]  # fmt: skip


@pytest.mark.parametrize(("setting", "truth"), RECALLED)
def test_pairs_that_come_back_exactly_are_those_of_python(page, setting, truth):
    errors = Recall(**setting).errors
    exact = int((errors < 1e-20).sum())
    found, question = asked(page, Recall, "exact", **setting)
    assert found == [truth] and truth == (
        "none" if not exact else f"all {exact}" if exact == len(errors) else f"{exact}"
    )
    assert f"; pairs without error: {exact} of {setting['m']}." in question["because"]


@pytest.mark.parametrize("view", ["work", "memory", "decoding"])
@pytest.mark.parametrize(
    "sizes", [{}, {"d": 128, "heads": 32, "kv_heads": 8, "dtype": "bfloat16"}, {"d": 4, "batch": 3}]
)
def test_the_lines_change_places_where_python_counts_it(page, view, sizes):
    cost = Cost(view=view, **sizes)
    (square, linear), crossing = next(iter(cost.crossings.items()))
    wins = [n for n in range(1, 2000) if (at := cost._costs(n, view))[square] > at[linear]]
    assert wins == list(range(wins[0], 2000)) and wins[0] == int(crossing) + 1
    found, question = asked(page, Cost, "crossover", view=view, **{"kv_heads": 12, **sizes})
    assert found == [f"above {round(crossing, 2):g}"]
    taken = " bytes, " if view != "work" else " multiply-adds, "
    for n in {crossing // 1, wins[0]}:
        both = cost._costs(int(n), view)
        assert re.search(f"at n = {n:,g} .* {both[square]:,}{taken}.* {both[linear]:,}[;.]", question["because"])


WALKS = {
    "three forms": (ThreeForms, {"form": "chunks", "chunk_size": 3, "step": 0, "ask": "chunk_size"}, "C = 2", "C = 1"),
    "recall": (Recall, {"m": 8, "ask": "exact"}, "all 8", "none"),
    "cost": (Cost, {"view": "decoding", "ask": "crossover"}, "above 390", "above 32.5"),
}


@pytest.mark.parametrize("name", WALKS)
def test_every_asking_widget_locks_its_next_stop(page, write_page, name):
    widget, stop, guess, truth = WALKS[name]
    show(page, write_page(widget(stops=[{**stop, "text": "So it is."}])))
    following(page).click()
    assert at(page) == "Walk-through, 1 stop"
    page.get_by_role("radio", name=guess, exact=True).check()
    page.get_by_role("button", name="Commit").click()
    assert at(page) == "Stop 1 of 1"
    assert answer(page) == [f"✗ {guess}", truth]
    expect(page.get_by_role("status").first).to_have_text(f"You said: {guess}. It is: {truth}. So it is.")
    page.get_by_role("button", name="Reset").click()
    assert at(page) == "Walk-through, 1 stop"
