"""Checkers for chapter 5: the factor w/(w + ε), the dead zone, a test of your own, a bug of your own."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from torch import Tensor

from linattn.attention import causal_linear_attention
from linattn.checks import Diagnosis, attempt, mutants, right, wrong
from linattn.checks.answers import kind, never_raises, number


def _number(answer: Callable[..., Any], *args: float) -> float | Diagnosis:
    """The reader's function as a float, or what kept it from being one."""
    returned = attempt(answer, *args)
    if isinstance(returned, Diagnosis):
        return returned
    found = number(returned)
    return wrong(f"Return a number; found {kind(returned)}.") if found is None else float(found)


def _judge(
    answer: Callable[..., Any],
    cases: list[tuple],
    truth: Callable[..., float],
    kinds: list[tuple[Callable[..., float], str]],
    other: str,
) -> Diagnosis | None:
    """None if the answer agrees with the truth in every case; else the kind of wrong it agrees with."""
    found = []
    for case in cases:
        value = _number(answer, *case)
        if isinstance(value, Diagnosis):
            return value
        found.append(value)

    def agrees(formula: Callable[..., float]) -> bool:
        return all(
            math.isclose(value, formula(*case), rel_tol=1e-3, abs_tol=1e-6)
            for value, case in zip(found, cases, strict=True)
        )

    if agrees(truth):
        return None
    return wrong(next((message for formula, message in kinds if agrees(formula)), other))


@never_raises
def factor(answer: Callable[[float, float], float]) -> Diagnosis:
    """``factor(w, eps)``: what out_0 is, as a multiple of v_0."""
    kinds = [
        (lambda w, eps: 1, "That is the identity without ε: put ε into the denominator only."),
        (lambda w, eps: 1 - eps / w, "1 − ε/w is close while ε is far below w. Give the exact ratio."),
        (lambda w, eps: eps / (w + eps), "That is the part of v_0 that is lost: the factor is 1 minus this."),
        (
            lambda w, eps: (w + eps) / w,
            "The fraction is upside down: ε is in the denominator, so out_0 shrinks.",
        ),
        (lambda w, eps: 1 / (w + eps), "The numerator is w · v_0, not v_0."),
    ]
    return _judge(
        answer,
        [(0.05, 0.2), (1.0, 0.01), (1e-6, 1e-6)],
        lambda w, eps: w / (w + eps),
        kinds,
        "Numerator w · v_0, denominator w + ε: what multiplies v_0?",
    ) or right("out_0 = v_0 · w/(w + ε): close to v_0 while ε is far below w, half of it when they are equal.")


@never_raises
def dead_probability(answer: Callable[[int], float]) -> Diagnosis:
    """``dead_probability(d)``: chance of relu(q_0)·relu(k_0) = 0 for Gaussian q_0, k_0 of d entries."""
    kinds = [
        (
            lambda d: 0.25**d,
            "1/4 is the chance that both entries are positive. In the other cases the product is 0.",
        ),
        (
            lambda d: 0.5**d,
            "A product is 0 when either entry is negative, not only q's: 3 of the 4 sign pairs.",
        ),
        (lambda d: 1 - 0.75**d, "That is the chance that w is above 0: you want the other one."),
        (
            lambda d: 1 - 0.25**d,
            "That is the chance that some product is 0: w is 0 only if all d products are.",
        ),
        (lambda d: 0.75, "That is one product. All d of them have to be 0."),
        (lambda d: 0.75 * d, "Chances of independent events multiply, they do not add."),
    ]
    return _judge(
        answer,
        [(1,), (4,), (6,)],
        lambda d: 0.75**d,
        kinds,
        "How likely is the product of one entry of relu(q_0) and of relu(k_0) to be 0? Then all d, independently.",
    ) or right("(3/4)^d: each of the d products is 0 in three of the four sign pairs.")


@never_raises
def position_0_test(answer: Callable[[mutants.Attention], bool]) -> Diagnosis:
    """``passes(attention) -> bool``, the reader's own test, against the right function and the mutants."""
    verdict = attempt(answer, causal_linear_attention)
    if isinstance(verdict, Diagnosis):
        return verdict
    if math.prod(getattr(verdict, "shape", ())) != 1:
        return wrong(f"Your test returns {kind(verdict)}. Return one True or False: add .all().")
    if not isinstance(verdict, bool) and not hasattr(verdict, "item"):
        return wrong(f"Return True or False; found {kind(verdict)}.")
    if not verdict:
        return wrong(
            "Your test refuses a correct function. ε and rounding move out_0 a little, and only position 0 "
            "has to equal its value: compare out_0 with v_0, with a tolerance."
        )
    visible = [name for name in mutants.MUTANTS if name != "φ forgotten on k"]  # position 0 cannot see that one
    missed = [name for name in visible if _accepts(answer, mutants.MUTANTS[name])]
    kinds = {
        ("dead relu",): "Your test misses the dead relu: try many draws with few entries, so that w is 0 in some.",
        ("ε = 1e-2",): "Your test misses ε = 1e-2: the tolerance is wider than the shrinkage it causes.",
        (
            "no mask",
            "mask one too far",
            "full-sequence normaliser",
        ): "Your test misses all that sees the future: use more than one token.",
    }
    if missed:
        listed = ", ".join(missed)
        return wrong(kinds.get(tuple(missed), f"Your test passes {len(missed)} broken functions: {listed}."))
    return right("Your test accepts the right function and refuses all ten mutants that position 0 can see.")


def _accepts(test: Callable[[mutants.Attention], bool], attention: mutants.Attention) -> bool:
    """Does the test pass this function? A mutant that crashes in it counts as seen."""
    verdict = attempt(lambda f: bool(test(f)), attention)
    return verdict is True


@never_raises
def undetected(answer: Callable[[Tensor, Tensor, Tensor], Tensor]) -> Diagnosis:
    """A broken ``attention(q, k, v)`` that passes position 0, constant v and causality all the same."""
    q, k, v = mutants.draw()
    out = attempt(answer, q, k, v)
    if isinstance(out, Diagnosis):
        return out
    if not isinstance(out, Tensor) or out.shape != v.shape or out.is_complex():
        return wrong(f"Return one output per token, in one tensor of real numbers: shape {tuple(v.shape)}, as v has.")
    if out.to(v.dtype).isclose(v).all():
        return wrong("Copying v has been taken already. Let later outputs mix several values.")

    def attention(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
        return answer(q, k, v).to(v.dtype)  # a float32 answer is compared, too

    if mutants.reference(attention):
        return wrong("This function is right: it equals the masked all-pairs form. Break it.")
    seen = [name for name in ("position 0", "constant v", "causality") if not mutants.CHECKS[name](attention)]
    if seen:
        caught = " and ".join(seen)
        return wrong(f"Caught by {caught}. Keep out_0 = v_0, weights that sum to 1, and no look ahead.")
    return right("Three green lamps, and still wrong: only the comparison with a reference sees your bug.")
