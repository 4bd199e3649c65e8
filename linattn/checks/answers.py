"""What readers hand in, made comparable: whatever it is, a checker judges it and does not raise."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import wraps
from numbers import Real
from typing import Any

import torch
from torch import Tensor

from linattn.checks import NOT_ATTEMPTED, Diagnosis, wrong


def never_raises(checker: Callable[..., Diagnosis]) -> Callable[..., Diagnosis]:
    """The checker, with a diagnosis also for an answer too odd to be compared with anything."""

    @wraps(checker)
    def judge(*answers: Any) -> Diagnosis:
        try:
            return checker(*answers)
        except Exception as error:  # a tensor without storage, an array of objects: nobody can list them all
            return wrong(f"Your answer cannot be compared with the right one. {type(error).__name__}: {error}")

    return judge


def is_blank(answer: Any) -> bool:
    """Is this, or anything inside this list, still the stub's ``...`` or ``None``?"""
    if isinstance(answer, list | tuple):
        return any(is_blank(entry) for entry in answer)
    return answer is ... or answer is None


def number(found: Any) -> int | float | None:
    """A plain number, also out of a tensor or array with a single entry; None if it is no real number."""
    if math.prod(getattr(found, "shape", (1,))) == 1 and hasattr(found, "item"):
        found = found.item()
    if isinstance(found, bool) or not isinstance(found, Real):
        return None
    try:
        return found if isinstance(found, int) and math.isfinite(found) else float(found)
    except OverflowError:  # an int beyond every float
        return math.inf if found > 0 else -math.inf


def kind(found: Any) -> str:
    """What was found, in words: its type, and how many entries it has."""
    name = type(found).__name__
    if isinstance(found, list | tuple):
        return f"a {name} of {len(found)}"
    shape = getattr(found, "shape", None)
    return name if shape is None else f"{name} of shape {tuple(shape)}"


def two_numbers(found: Any, wanted: str) -> tuple[int | float, int | float] | Diagnosis:
    """Two numbers out of a tuple, a list or a tensor of two entries, or what kept them from being two numbers."""
    if isinstance(found, Diagnosis):
        return found
    entries = found.tolist() if hasattr(found, "tolist") else found
    if not isinstance(entries, list | tuple) or len(entries) != 2:
        return wrong(f"Return two numbers{wanted}. You returned {kind(found)}.")
    if is_blank(entries):
        return NOT_ATTEMPTED
    numbers = tuple(map(number, entries))
    if None in numbers:
        return wrong(f"Return two numbers{wanted}. One of yours is {kind(entries[numbers.index(None)])}.")
    return numbers


def tensor(found: Any, name: str) -> Tensor | Diagnosis:
    """A tensor or nested list of real numbers as a tensor, or what kept it from being one."""
    if is_blank(found):
        return NOT_ATTEMPTED
    if isinstance(found, Tensor):
        return wrong(f"{name} has complex entries; every number here is real.") if found.is_complex() else found
    try:
        return torch.as_tensor(found, dtype=torch.float64)
    except (TypeError, ValueError, RuntimeError, OverflowError):
        if not isinstance(found, list | tuple):
            return wrong(f"{name} should be a tensor or a list of numbers; found {kind(found)}.")
        a_list = f"{name} is a {type(found).__name__}"
        if any(isinstance(entry, Tensor) for entry in found):
            return wrong(f"{a_list} of tensors: `torch.stack` makes one tensor of them.")
        return wrong(f"{a_list}, but not one of numbers alone in rows of equal length.")
