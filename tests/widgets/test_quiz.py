"""The quiz: its rules for authors, and what a reader does with it, by mouse, by keyboard, and without scripts."""

import json

import pytest
from axe import violations
from playwright.sync_api import Page, expect

from linattn.widgets import Quiz, quiz

OPTIONS = [
    {"text": "Yes, by `o_0 = v_0`", "correct": True, "feedback": "Both factors cancel: 1 < 2 & <3."},
    {"text": "No", "correct": False, "feedback": "Look at the denominator."},
]
MANY = [
    {"text": "S = φ(K)ᵀV, don't you think?", "correct": True, "feedback": "A sum of tiles."},
    {"text": "Z", "correct": True, "feedback": "A sum of features."},
    {"text": "The cache", "correct": False, "feedback": "That grows."},
]
ONE = {"question": "Is o_0 = v_0, for any d_phi?", "options": OPTIONS}
ALL = {"question": "What stays small? Choose all.", "select": "many", "options": MANY}
GOOD = {
    "recall": [ONE, {**ONE, "question": "Again?"}, ALL],
    "predict": [ONE, {**ONE, "question": "Sure?"}],
    "check": [ONE, ALL],
}


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """The quiz "sample" instead of the chapters' own."""
    folder = tmp_path / "quizzes"
    folder.mkdir()
    (folder / "sample.json").write_text(json.dumps(GOOD), encoding="utf-8")
    monkeypatch.setattr(quiz, "QUIZZES", folder)
    return folder


# ---- The author's side


@pytest.mark.parametrize("path", sorted(quiz.QUIZZES.glob("*.json")), ids=lambda path: path.stem)
def test_the_quiz_of_each_chapter_keeps_the_rules(path):
    quiz.check_quiz(json.loads(path.read_text(encoding="utf-8")), path.name)


def option(quiz, **changes):
    quiz["recall"][1]["options"][0] |= changes


WHERE = r"sample.json, recall, question 2, option 1"


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lambda q: q.pop("check"), "sample.json: check missing"),
        (lambda q: q.update(extra=[]), "sample.json: unknown key extra"),
        (lambda q: q["recall"].pop(), "sample.json, recall: wants a list of 3 questions"),
        (lambda q: q["check"].pop(), "sample.json, check: wants a list of 2 to 8 questions"),
        (lambda q: q.update(predict=[]), "sample.json, predict: wants a list of 1 to 4 questions"),
        (lambda q: q["recall"][1].pop("options"), "recall, question 2: options missing"),
        (lambda q: q["recall"][1].update(options=OPTIONS[:1]), "question 2: wants a list of 2 to 6 options"),
        (lambda q: q["recall"][1].update(select="some"), 'question 2: select is "one" or "many", not \'some\''),
        (lambda q: q["recall"][1].update(question=" "), "question 2: question wants text"),
        (lambda q: q["recall"][1]["options"][0].pop("feedback"), f"{WHERE}: feedback missing"),
        (lambda q: option(q, feedback=""), f"{WHERE}: feedback wants text"),
        (lambda q: option(q, correct="yes"), f"{WHERE}: correct is true or false, not 'yes'"),
        (lambda q: option(q, correct=False), "question 2: 0 options are correct; one must be"),
        (lambda q: q["recall"][1]["options"][1].update(correct=True), "question 2: 2 options are correct"),
        (lambda q: option(q, text="No"), "question 2: two options have the same text"),
        (lambda q: option(q, text="$n^2$"), rf"{WHERE}: text: '\$' would be shown as it is"),
        (lambda q: option(q, text="\\phi"), f"{WHERE}: text: .* would be shown as it is"),
        (lambda q: option(q, text="<b>bold</b>"), f"{WHERE}: text: '<b' would be shown as it is"),
        (lambda q: option(q, text="a &lt; b"), f"{WHERE}: text: '&lt;' would be shown as it is"),
        (lambda q: option(q, text="open `code"), f"{WHERE}: text: a backtick is not closed"),
    ],
)
def test_a_quiz_that_breaks_a_rule_is_refused_with_its_place(spoil, message):
    spoilt = json.loads(json.dumps(GOOD))
    spoilt["recall"][1]["options"][0]["feedback"] = "n < d, so x & y"  # comparisons are text, not markup
    quiz.check_quiz(spoilt, "sample.json")
    spoil(spoilt)
    with pytest.raises(ValueError, match=message):
        quiz.check_quiz(spoilt, "sample.json")


def test_unknown_chapters_parts_and_files_that_are_no_json_are_refused(folder):
    with pytest.raises(ValueError, match="no quiz 'other'; there are sample"):
        Quiz("other", "recall")
    with pytest.raises(ValueError, match="part must be one of recall, predict, check, not 'end'"):
        Quiz("sample", "end")
    (folder / "sample.json").write_text("{", encoding="utf-8")
    with pytest.raises(ValueError, match="sample.json is not JSON"):
        Quiz("sample", "recall")


# ---- The reader's side


@pytest.fixture
def open_quiz(page: Page, write_page, address):
    """Open a part of the quiz on a page without a kernel."""

    def open_part(part: str) -> Page:
        write_page(Quiz("sample", part))
        page.goto(address)
        page.locator(".la-mounted").wait_for()
        return page

    return open_part


def question(page, at):
    return page.locator(".la-quiz-question").nth(at)


def test_each_answer_gets_its_feedback_and_may_be_tried_again(open_quiz):
    page = open_quiz("recall")
    first = question(page, 0)
    status = first.get_by_role("status")
    assert first.get_by_role("group", name="1. Is o0 = v0, for any dφ?").is_visible()
    assert first.locator("label code").inner_text() == "o_0 = v_0"
    first.get_by_label("No").check()
    first.get_by_role("button", name="Check").click()
    assert status.locator("p").all_inner_texts() == ["✗ Not right", "Look at the denominator."]
    first.get_by_label("Yes").check()
    assert status.inner_text() == "", "the old feedback does not stand beside a new choice"
    first.get_by_role("button", name="Check").click()
    assert status.locator("p").all_inner_texts() == ["✓ Right", "Both factors cancel: 1 < 2 & <3."]
    assert question(page, 1).get_by_role("status").inner_text() == ""


# Of the first question, and of the options of the last.
TYPESET = [("la-symbol la-sym-out", "o", "0"), ("la-symbol la-sym-v", "v", "0"), ("la-symbol", "d", "φ")]
MANY_TYPESET = [("la-symbol la-sym-S", "S"), ("la-symbol la-sym-k", "K"), ("la-symbol la-sym-v", "V")]
MANY_TYPESET += [("la-symbol la-sym-Z", "Z")]


@pytest.mark.parametrize("javascript", [True, False])
def test_letters_are_typeset_in_their_colours_with_or_without_an_index_and_code_is_not(
    new_page, write_page, javascript
):
    page = new_page(java_script_enabled=javascript)
    page.goto(write_page(Quiz("sample", "recall")).as_uri())
    if javascript:
        page.locator(".la-mounted").wait_for()
    found = page.locator(".la-quiz-question .la-symbol" if javascript else ".la-symbol").evaluate_all(
        "all => all.map((a) => [a.className, ...[...a.children].map((part) => part.textContent)])"
    )
    # Without scripts the answers repeat the options.
    assert [tuple(symbol) for symbol in found] == TYPESET + MANY_TYPESET * (1 if javascript else 2)
    assert page.locator("code").first.text_content() == "o_0 = v_0"


def test_checking_nothing_asks_for_an_answer(open_quiz):
    page = open_quiz("recall")
    question(page, 0).get_by_role("button", name="Check").click()
    assert question(page, 0).get_by_role("status").inner_text() == "Choose an answer first."
    assert question(page, 0).get_by_label("Yes").evaluate("input => input === document.activeElement")


def test_several_right_answers_are_counted_and_told_when_all_are_found(open_quiz):
    page = open_quiz("recall")
    third = question(page, 2)
    check = third.get_by_role("button", name="Check")
    status = third.get_by_role("status")
    third.get_by_label("The cache").check()
    check.click()
    assert status.inner_text().startswith("✗ Not yet: 1 of your choices is wrong, and 2 right answers are missing")
    assert "That grows." in status.inner_text() and "tiles" not in status.inner_text()
    third.get_by_label("The cache").uncheck()
    third.get_by_label("S").check()
    check.click()
    assert status.inner_text().startswith("✗ Not yet: 1 right answer is missing")
    third.get_by_label("Z").check()
    check.click()
    assert status.inner_text().startswith("✓ All right")
    assert all(option["feedback"] in status.inner_text() for option in MANY)


def test_the_keyboard_alone_answers(open_quiz):
    page = open_quiz("check")
    for key in ("Tab", "Tab", "Space", "ArrowDown"):  # past the button for full screen
        page.keyboard.press(key)
    page.keyboard.press("Enter")
    assert "Look at the denominator." in question(page, 0).get_by_role("status").inner_text()
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Check"
    for key in ("Tab", "Space", "Tab", "Space", "Tab", "Tab", "Space"):  # S, Z, past the cache, Check
        page.keyboard.press(key)
    assert question(page, 1).get_by_role("status").inner_text().startswith("✓ All right")


@pytest.mark.parametrize("part", ["recall", "predict"])
def test_a_lecture_has_all_questions_on_its_screen(open_quiz, part):
    page = open_quiz(part)
    page.set_viewport_size({"width": 1920, "height": 1080})
    page.get_by_role("button", name="Full screen").click()
    page.wait_for_function("() => document.fullscreenElement?.matches('.la-quiz.la-full')")
    root = page.locator(".la-quiz")
    page.wait_for_function("() => ((e) => e.scrollHeight <= e.clientHeight)(document.querySelector('.la-quiz'))")
    size = "(e) => parseFloat(getComputedStyle(e).fontSize) * e.currentCSSZoom"
    assert min(root.locator("legend, .la-quiz-option").evaluate_all(f"(all) => all.map({size})")) >= 22
    page.keyboard.press("p")
    expect(page.locator(".la-spotlight")).to_be_visible()
    page.get_by_role("button", name="Leave full screen").click()
    page.wait_for_function("() => !document.fullscreenElement")
    expect(page.locator(".la-spotlight")).to_have_count(0)


def test_a_guess_is_committed_once_judged_by_nobody_and_kept_in_the_tab(open_quiz):
    page = open_quiz("predict")
    first = question(page, 0)
    first.get_by_role("button", name="Commit").click()
    assert first.get_by_role("status").inner_text() == "Choose a guess first, or skip."
    first.get_by_label("No").check()
    first.get_by_role("button", name="Commit").click()
    said = ["Your guess is noted. Now read on.", "Look at the denominator."]

    def is_locked():
        status = first.get_by_role("status")
        assert status.locator("p").all_inner_texts() == said
        assert first.get_by_label("No").is_checked() and first.get_by_label("No").is_disabled()
        assert first.get_by_role("button").count() == 0
        assert not any(mark in first.inner_text() for mark in "✓✗")

    is_locked()
    assert page.evaluate("document.activeElement.getAttribute('role')") == "status", "the focus is not lost"
    page.reload()
    page.locator(".la-mounted").wait_for()
    is_locked()
    assert question(page, 1).get_by_label("No").is_enabled()


def test_a_prediction_can_be_skipped_from_the_keyboard(open_quiz):
    page = open_quiz("predict")
    second = question(page, 1)
    second.get_by_role("button", name="Skip").focus()
    page.keyboard.press("Enter")
    assert second.get_by_role("status").inner_text() == "Skipped. Now read on."
    assert second.get_by_label("Yes").is_disabled() and not second.get_by_label("Yes").is_checked()


def test_answers_leave_the_browser_for_nobody(open_quiz):
    page = open_quiz("predict")
    asked = []
    page.on("request", lambda request: asked.append(request.url))
    question(page, 0).get_by_label("Yes").check()
    question(page, 0).get_by_role("button", name="Commit").click()
    question(page, 0).get_by_text("Your guess is noted.").wait_for()
    assert not asked and not page.context.cookies()


def test_works_from_a_file_where_the_browser_forbids_storage(page, write_page):
    page.add_init_script(
        "Object.defineProperty(window, 'sessionStorage', { get() { throw new DOMException('no', 'SecurityError'); } })"
    )
    page.goto(write_page(Quiz("sample", "predict")).as_uri())
    question(page, 0).get_by_label("Yes").check()
    question(page, 0).get_by_role("button", name="Commit").click()
    assert question(page, 0).get_by_text("Now read on.").is_visible()


def test_without_scripts_the_answers_are_in_a_fold(new_page, write_page):
    page = new_page(java_script_enabled=False)
    page.goto(write_page(Quiz("sample", "check"), Quiz("sample", "predict")).as_uri())
    assert page.get_by_text("Is o0 = v0, for any dφ?").first.is_visible()
    assert not page.get_by_text("Look at the denominator.").first.is_visible()
    page.get_by_text("Answers").first.click()
    assert page.get_by_text("Look at the denominator.").first.is_visible()
    page.get_by_text("To each guess").first.click()
    assert "✓" not in page.locator(".la-widget").last.inner_text()


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("width", [360, 1280])
def test_axe_finds_nothing_before_and_after_answers_and_nothing_runs_off_a_phone(open_quiz, theme, width):
    page = open_quiz("recall")
    page.set_viewport_size({"width": width, "height": 800})
    page.evaluate("theme => (document.documentElement.dataset.theme = theme)", theme)
    assert not violations(page)
    for at, label in ((0, "Yes"), (1, "No"), (2, "S")):
        question(page, at).get_by_label(label).check()
        question(page, at).get_by_role("button", name="Check").click()
    assert not violations(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize("part", ["recall", "check", "predict"])
def test_on_paper_the_right_answers_stand_below_and_nowhere_else(open_quiz, part):
    page = open_quiz(part)
    key = page.locator(".la-quiz-key")
    expect(key).to_be_hidden()
    page.emulate_media(media="print")
    if part == "predict":
        expect(key).to_have_count(0)
        return
    answers = key.locator("li").all_inner_texts()
    assert len(answers) == len(GOOD[part])
    assert answers[0] == "Yes, by o_0 = v_0\nBoth factors cancel: 1 < 2 & <3."
    assert answers[-1].endswith("Z\nA sum of features.") and "The cache" not in answers[-1]
