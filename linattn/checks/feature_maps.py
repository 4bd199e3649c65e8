"""Checkers for the chapter on feature maps."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from linattn.checks import NOT_ATTEMPTED, Diagnosis, attempt, right, wrong
from linattn.checks.answers import never_raises, two_numbers
from linattn.feature_maps import elu_plus_one, exponential


def _normal(*shape: int, scale: float = 1.0, seed: int = 1) -> Tensor:
    return scale * torch.randn(*shape, generator=torch.Generator().manual_seed(seed))


def _close(a: Tensor, b: Tensor, rtol: float = 1e-4) -> bool:
    return a.shape == b.shape and torch.allclose(a.to(b.dtype), b, rtol=rtol, atol=1e-7)


@never_raises
def weights(answer: Callable[..., Any]) -> Diagnosis:
    """Judge ``(q, k, feature_map) -> (n, m)``: the weights κ(q, k) / Σ κ(q, k), one row per query."""
    q, k = _normal(3, 4), _normal(5, 4, seed=2)
    for phi in (elu_plus_one, exponential):
        found = attempt(answer, q, k, phi)
        if isinstance(found, Diagnosis):
            return found
        if not isinstance(found, Tensor):
            return wrong(f"Return a tensor of shape (n, m). You returned a {type(found).__name__}.")
        scores, mixed, plain = phi(q) @ phi(k).mT, phi(q @ k.mT), q @ k.mT
        if found.shape != scores.shape:
            return wrong(f"3 queries and 5 keys make weights of shape (3, 5). Yours is {tuple(found.shape)}.")

        def share(x: Tensor) -> Tensor:
            return x / x.sum(-1, keepdim=True)

        for mistaken, message in [
            (scores, "These are the scores. Divide each row by its sum, so that the weights sum to 1."),
            (share(mixed), "You applied φ to q·k. It acts on q and on k, each alone, before they meet."),
            (share(phi(q) @ k.mT), "φ is missing on k: both sides need it."),
            (share(q @ phi(k).mT), "φ is missing on q: both sides need it."),
            (share(plain), "φ is missing on both sides: these are shares of q·k itself."),
            (plain.softmax(-1), "This is softmax of q·k. Here φ takes the place of the exponential."),
            (scores.softmax(-1), "You took a softmax of the kernel scores. Divide by the row sum instead."),
            (scores / scores.sum(0), "You divided by the column sums. Each query shares out its own row."),
            (scores / scores.sum(), "You divided by the sum of all scores. Each query shares out one row."),
        ]:
            if _close(found, mistaken):
                return wrong(message)
        if not _close(found, share(scores)):
            return wrong("The shape is right, the numbers are not. A score is the sum of φ(q)·φ(k).")
    return right("Right: non-negative weights, every row sums to 1, and φ never saw a pair.")


@never_raises
def safe_elu_plus_one(answer: Callable[[Tensor], Any]) -> Diagnosis:
    """Judge ``x -> elu(x) + 1``, positive far below 0 and with finite gradients far above."""
    x = torch.tensor([-30.0, -20.0, -3.0, -0.5, 0.5, 3.0, 200.0], requires_grad=True)
    y = attempt(answer, x)
    if isinstance(y, Diagnosis):
        return y
    if not isinstance(y, Tensor) or y.shape != x.shape:
        return wrong("Return a tensor of the shape of x: the map acts entry by entry.")
    if not y.isfinite().all():
        return wrong("At x = 200 your map overflows: the exponential there is too large. Keep it off x > 0.")
    wanted = elu_plus_one(x.detach())
    if not _close(y[2:], wanted[2:]):
        worst = int((y[2:] / wanted[2:]).log().abs().nan_to_num(math.inf).argmax()) + 2
        return wrong(f"At x = {x[worst]:g} the map is {wanted[worst]:.4g}: e^x below 0, x + 1 above. "
                     f"Yours is {y[worst]:.4g}.")  # fmt: skip
    if (y[:2] == 0).any():
        return wrong("At x = -20 your map is exactly 0: e^x - 1 was rounded to -1. Avoid e^x - 1.")
    if not _close(y[:2] / wanted[:2], torch.ones(2)):
        return wrong("Far below 0 the map is e^x. Yours has lost its digits there, or has another floor.")
    if not y.requires_grad:
        return wrong("The values are right, but the gradient is cut off: stay with tensors.")
    (slope,) = torch.autograd.grad(y.sum(), x)
    if not slope.isfinite().all():
        return wrong("The values are right, but the gradient at x = 200 is nan: `where` also differentiates "
                     "the branch it drops, and ∞ · 0 is nan. Bound the input of exp.")  # fmt: skip
    if not _close(slope, wanted.clamp(max=1)):
        return wrong("The values are right, the slopes are not: e^x below 0, and 1 above.")
    return right("Right: positive far below zero, finite far above, in value and in slope.")


@never_raises
def taylor_sizes(answer: Callable[[int], Any]) -> Diagnosis:
    """Judge ``d -> (all, distinct)``: features of the Taylor map, and with each pair once."""
    for d in (16, 3):
        counts = two_numbers(attempt(answer, d), ": all features, and with each pair once")
        if isinstance(counts, Diagnosis):
            return counts
        squares, distinct = 1 + d + d * d, 1 + d + d * (d + 1) // 2
        for mistaken, message in [
            ((distinct, squares), "the two are swapped: symmetry leaves fewer features."),
            ((squares - 1, distinct - 1), "the constant feature 1 is missing."),
            ((squares - d, distinct - d), "the d features of first order are missing."),
            ((squares, 1 + d + d * (d - 1) // 2), "you left out the squares x_i·x_i: they are pairs too."),
            ((squares, 1 + d + d * d / 2), "half of d² counts only half of the d squares x_i·x_i."),
        ]:
            if counts == mistaken:
                return wrong(f"At d = {d} {message}")
        if counts[0] != squares:
            return wrong(f"At d = {d} the full map has {squares} features of order 0, 1, 2, not {counts[0]}.")
        if counts[1] != distinct:
            return wrong(f"At d = {d} symmetry leaves {distinct}, each pair i ≤ j once, not {counts[1]}.")
    return right("Right. S has d_phi × d_v entries, so symmetry nearly halves the state.")


@never_raises
def sharper(answer: Callable[[Tensor], Any]) -> Diagnosis:
    """Judge a map of the reader's own: positive kernel, no dead zone, finite, sharper than elu + 1."""
    return attempt(_sharper, answer)  # the map is called many times, and any call may raise


def _sharper(answer: Callable[[Tensor], Any]) -> Diagnosis:
    q, k = _normal(200, 1, 16, scale=1.5), _normal(200, 64, 16, scale=1.5, seed=2)
    phi_k = answer(k)
    if phi_k is None or phi_k is ...:
        return NOT_ATTEMPTED
    if not isinstance(phi_k, Tensor) or phi_k.shape[:-1] != k.shape[:-1]:
        return wrong("A map takes (…, d) to (…, d_phi): every axis but the last stays as it was.")
    if phi_k.shape[-1] > 64:
        return wrong(f"For d = 16 you make {phi_k.shape[-1]} features, a row of S each. Stay within 64.")
    edge = torch.cat([k[0], _normal(200, 16, scale=5.0, seed=3).clamp(-10, 10)])
    scores = answer(edge) @ answer(edge).mT
    if not scores.isfinite().all():
        return wrong("With entries from -10 to 10 some κ(q, k) is inf or nan. Take a map that grows less.")
    if scores.min() < 0:
        return wrong(f"Some κ(q, k) is negative ({scores.min():.3g}): then a weight is, too.")
    if scores.min() == 0:
        return wrong("Some κ(q, k) is exactly 0: if that happens for all keys, the denominator is 0.")
    for t in torch.linspace(-4, 4, 17):
        slopes = torch.autograd.functional.jacobian(answer, t.expand(16).clone())
        if not (slopes.abs().amax(0) > 1e-6).all():
            return wrong(f"Dead zone: at x = {t:g} an entry moves and no feature does. Its gradient is 0.")
    of_exp = exponential(edge) @ exponential(edge).mT
    if _close(scores / scores.max(), of_exp / of_exp.max()):
        return wrong("That is the kernel of exp, which the list above has. It would pass; invent another one.")
    shares = answer(q) @ phi_k.mT
    shares = shares / shares.sum(-1, keepdim=True)
    evenness = -(shares * shares.clamp_min(1e-30).log()).sum(-1).mean().item() / math.log(64)
    if evenness > 0.93:
        return wrong(f"Positive, finite, alive, but too even: entropy {evenness:.3f}·log n, not below 0.93.")
    return right(f"Right: entropy {evenness:.3f}·log n with {phi_k.shape[-1]} features.")
