"""Checkers for the exercises: take the reader's function, return a diagnosis that says what kind of wrong.

One module per chapter. A checker never raises for a wrong answer and never prints: it returns a
:class:`Diagnosis`, which a notebook cell shows by having it as its last expression.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from html import escape
from typing import Any, Literal

MARKS = {"not attempted": "○", "wrong": "✗", "right": "✓"}


@dataclass(frozen=True)
class Diagnosis:
    """What a checker found: a status and one sentence for the reader."""

    status: Literal["not attempted", "wrong", "right"]
    message: str

    def __repr__(self) -> str:
        return f"{MARKS[self.status]} {self.message}"

    def _repr_html_(self) -> str:
        kind = self.status.replace(" ", "-")
        mark = f'<span aria-hidden="true">{MARKS[self.status]}</span>'
        message = re.sub("`(.+?)`", r"<code>\1</code>", escape(self.message))
        return f'<p class="la-diagnosis la-{kind}">{mark} {message}</p>'


NOT_ATTEMPTED = Diagnosis("not attempted", "Not attempted yet: replace the `...` and run the cell again.")


def wrong(message: str) -> Diagnosis:
    """A wrong answer, with what kind of wrong it is and what to look at."""
    return Diagnosis("wrong", message)


def right(message: str) -> Diagnosis:
    """A right answer, with what it shows."""
    return Diagnosis("right", message)


def attempt(answer: Callable[..., Any], *args: Any) -> Any:
    """Call the reader's function; return its result, or a :class:`Diagnosis` if there is none to judge.

    A stub's ``...`` (or ``None``) is "not attempted", also where a line after it trips over the ``...``;
    any other exception becomes a "wrong" that names it.
    """
    try:
        result = answer(*args)
    except NotImplementedError:
        return NOT_ATTEMPTED
    except Exception as error:  # the reader's code may raise anything, and the page must say what
        if isinstance(error, (TypeError, AttributeError)) and "ellipsis" in str(error):
            return NOT_ATTEMPTED  # a line of the stub is still `...`
        return wrong(f"Your function raised {type(error).__name__}: {error}")
    return NOT_ATTEMPTED if result is None or result is ... else result
