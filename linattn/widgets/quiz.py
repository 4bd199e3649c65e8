"""Questions with feedback on every answer: recall, predict, check. The answers stay in the reader's browser."""

from __future__ import annotations

import json
import re
from html import escape
from pathlib import Path

import traitlets

from .base import Widget

QUIZZES = Path(__file__).parent / "quizzes"
#: The parts of a chapter's quiz, and the fewest and most questions each has.
PARTS = {"recall": (3, 3), "predict": (1, 4), "check": (2, 8)}
#: Text is plain Unicode with `code` in backticks: `$`, `\\` (LaTeX), tags and entities would be shown as they are.
_MARKUP = re.compile(r"[$\\]|<[a-zA-Z/!]|&#?\w+;")
#: Whose colour a letter takes, and a letter that stands alone, as in quiz.js.
_COLORS = {"q": "q", "Q": "q", "k": "k", "K": "k", "v": "v", "V": "v", "S": "S", "Z": "Z", "o": "out"}
_LETTER = re.compile(r"(?<![\w'’])([qQkKvVSZodntwx])(?:_(\w+))?(?!\w)", re.ASCII)


class Quiz(Widget, module="quiz"):
    """One part of a chapter's quiz: ``Quiz("associativity", "recall")``.

    ``recall`` and ``check`` answer each choice with its feedback, as often as the reader likes. ``predict`` takes one
    guess and neither praises nor corrects it: what is right, the chapter shows.

    Raises ValueError if there is no such chapter or part, or if `quizzes/<chapter>.json` breaks a rule of `check_quiz`.
    """

    chapter = traitlets.Unicode().tag(sync=True)
    part = traitlets.Unicode().tag(sync=True)
    questions = traitlets.List(traitlets.Dict()).tag(sync=True)

    def __init__(self, chapter: str, part: str) -> None:
        if part not in PARTS:
            raise ValueError(f"part must be one of {', '.join(PARTS)}, not {part!r}")
        super().__init__(chapter=chapter, part=part, questions=read(chapter)[part])

    def still(self) -> str:
        """The questions, and the answers in a fold."""
        return "".join(_still_question(question, self.part) for question in self.questions)


def read(chapter: str) -> dict[str, list[dict]]:
    """The quiz of a chapter, checked."""
    path = QUIZZES / f"{chapter}.json"
    if not path.is_file():
        there = ", ".join(sorted(path.stem for path in QUIZZES.glob("*.json")))
        raise ValueError(f"there is no quiz {chapter!r}; there are {there}")
    try:
        quiz = json.loads(path.read_text(encoding="utf-8"))
    except json.JSONDecodeError as error:
        raise ValueError(f"{path.name} is not JSON: {error}") from error
    check_quiz(quiz, path.name)
    return quiz


def check_quiz(quiz: object, name: str) -> None:
    """Refuse, with a ValueError that says where, a quiz that a reader could not answer or learn from."""
    _has_keys(quiz, name, set(PARTS))
    for part, (fewest, most) in PARTS.items():
        questions = quiz[part]
        if not isinstance(questions, list) or not fewest <= len(questions) <= most:
            wanted = f"{fewest}" if fewest == most else f"{fewest} to {most}"
            raise ValueError(f"{name}, {part}: wants a list of {wanted} questions")
        for index, question in enumerate(questions, 1):
            _check_question(question, f"{name}, {part}, question {index}")


def _check_question(question: object, where: str) -> None:
    _has_keys(question, where, {"question", "options"}, {"select"})
    _is_text(question["question"], f"{where}: question")
    select = question.get("select", "one")
    if select not in ("one", "many"):
        raise ValueError(f'{where}: select is "one" or "many", not {select!r}')
    options = question["options"]
    if not isinstance(options, list) or not 2 <= len(options) <= 6:
        raise ValueError(f"{where}: wants a list of 2 to 6 options")
    for index, option in enumerate(options, 1):
        _has_keys(option, f"{where}, option {index}", {"text", "correct", "feedback"})
        _is_text(option["text"], f"{where}, option {index}: text")
        _is_text(option["feedback"], f"{where}, option {index}: feedback")
        if not isinstance(option["correct"], bool):
            raise ValueError(f"{where}, option {index}: correct is true or false, not {option['correct']!r}")
    if len({option["text"] for option in options}) < len(options):
        raise ValueError(f"{where}: two options have the same text")
    correct = sum(option["correct"] for option in options)
    if select == "one" and correct != 1:
        raise ValueError(f'{where}: {correct} options are correct; one must be, or select must be "many"')
    if correct == 0:
        raise ValueError(f"{where}: no option is correct")


def _has_keys(value: object, where: str, needed: set[str], allowed: set[str] = frozenset()) -> None:
    if not isinstance(value, dict):
        raise ValueError(f"{where}: wants an object, found {value!r}")
    if missing := needed - set(value):
        raise ValueError(f"{where}: {', '.join(sorted(missing))} missing")
    if unknown := set(value) - needed - allowed:
        raise ValueError(f"{where}: unknown key {', '.join(sorted(unknown))}")


def _is_text(value: object, where: str) -> None:
    if not isinstance(value, str) or not value.strip():
        raise ValueError(f"{where} wants text, found {value!r}")
    if markup := _MARKUP.search(value):
        raise ValueError(f"{where}: {markup[0]!r} would be shown as it is; write plain Unicode and `code` in backticks")
    if value.count("`") % 2:
        raise ValueError(f"{where}: a backtick is not closed")


def _still_question(question: dict, part: str) -> str:
    options = question["options"]
    summary = "To each guess" if part == "predict" else "Answers"
    choices = "".join(f"<li>{_html(option['text'])}</li>" for option in options)
    answers = "".join(
        f"<li>{'' if part == 'predict' else '✓ ' if option['correct'] else '✗ '}"
        f"<strong>{_html(option['text'])}</strong><br>{_html(option['feedback'])}</li>"
        for option in options
    )
    return (
        f"<p><strong>{_html(question['question'])}</strong></p>"
        f"<ul>{choices}</ul>"
        f"<details><summary>{summary}</summary><ul>{answers}</ul></details>"
    )


def _html(text: str) -> str:
    """The text escaped, with `code` in code elements and letters typeset, as `rich` in quiz.js."""
    parts = text.split("`")
    return "".join(f"<code>{escape(part)}</code>" if at % 2 else _letters(part) for at, part in enumerate(parts))


def _letters(text: str) -> str:
    plain, *rest = _LETTER.split(text)
    found = zip(rest[::3], rest[1::3], rest[2::3], strict=True)
    return escape(plain) + "".join(_typeset(letter, index) + escape(after) for letter, index, after in found)


def _typeset(letter: str, index: str | None) -> str:
    color = f" la-sym-{_COLORS[letter]}" if letter in _COLORS else ""
    sub = f"<sub>{'φ' if index == 'phi' else index}</sub>" if index else ""
    return f'<span class="la-symbol{color}"><i>{letter}</i>{sub}</span>'
