"""Checkers for the chapter on associativity."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode

from linattn.checks import NOT_ATTEMPTED, Diagnosis, attempt, right, wrong
from linattn.checks.answers import is_blank, kind, never_raises, number, two_numbers

Tensor = torch.Tensor


class LargestTensor(TorchDispatchMode):
    """Remember the largest number of entries any operation returned while the mode is on."""

    entries = 0

    def __torch_dispatch__(self, operation, types, args=(), kwargs=None):
        result = operation(*args, **(kwargs or {}))
        for tensor in result if isinstance(result, (tuple, list)) else (result,):
            if isinstance(tensor, Tensor):
                self.entries = max(self.entries, tensor.numel())
        return result


def _sample(n: int, d_phi: int, d_v: int) -> tuple[Tensor, Tensor, Tensor]:
    generator = torch.Generator().manual_seed(1)
    features = torch.rand(2, n, d_phi, generator=generator) + 0.1
    return features[0], features[1], torch.randn(n, d_v, generator=generator)


def _close(a: Tensor, b: Tensor) -> bool:
    return a.shape == b.shape and torch.allclose(a.to(b.dtype), b, rtol=1e-4, atol=1e-5)


@never_raises
def regrouped(answer: Callable[..., Any]) -> Diagnosis:
    """Judge ``(phi_q, phi_k, v) -> out``: normalised linear attention without an (n, n) matrix."""
    phi_q, phi_k, v = _sample(5, 3, 2)
    out = attempt(answer, phi_q, phi_k, v)
    if isinstance(out, Diagnosis):
        return _summed_over_features(answer) or out
    if not isinstance(out, Tensor):
        return wrong(f"Return the output as a tensor of shape (n, d_v). You returned a {type(out).__name__}.")
    if out.shape != v.shape:
        return wrong(f"out must have shape (n, d_v) = {tuple(v.shape)}. Yours has {tuple(out.shape)}.")

    scores = phi_q @ phi_k.mT
    numerator, denominator, past = scores @ v, scores.sum(-1, keepdim=True), scores.tril()
    for mistaken, message in [
        (numerator, "This is the numerator alone. Divide each row by φ(q)·Z, so that its weights sum to 1."),
        (len(v) * numerator / denominator, "Every entry is n times too large: Z is a sum, not a mean."),
        (past @ v / past.sum(-1, keepdim=True), "You masked the future. Here every token sees every token."),
        (numerator / phi_k.sum(), "You divided all rows by one number. Each query has its own, φ(q)·Z."),
    ]:
        if _close(out, mistaken):
            return wrong(message)
    if not _close(out, numerator / denominator):
        return wrong("The shape is right, the numbers are not. S is φ(K)ᵀV, and Z the sum of the φ(k).")

    with LargestTensor() as largest:
        answer(*_sample(64, 3, 2))
    if largest.entries >= 64 * 64:
        return wrong("The numbers are right, but you built an (n, n) matrix on the way. Start with φ(K)ᵀV.")
    return right("Right, and the largest tensor you made grows with n, not with n².")


def _summed_over_features(answer: Callable[..., Any]) -> Diagnosis | None:
    """With n = d_phi a Z summed over the wrong axis fits: try that before blaming the shapes."""
    phi_q, phi_k, v = _sample(4, 4, 4)
    out = attempt(answer, phi_q, phi_k, v)
    mistaken = phi_q @ (phi_k.mT @ v) / (phi_q @ phi_k.sum(-1)).unsqueeze(-1)
    if isinstance(out, Tensor) and _close(out, mistaken):
        return wrong("Your Z has one entry per token. It needs one per feature: sum φ(k) over the tokens.")
    return None


@never_raises
def costs(answer: Callable[..., Any]) -> Diagnosis:
    """Judge ``(n, d_k, d_v) -> (quadratic, linear)``: multiply-adds of (QKᵀ)V and of Q(KᵀV)."""
    for n, d_k, d_v in [(1024, 64, 64), (10, 3, 5), (7, 8, 2)]:
        counts = two_numbers(attempt(answer, n, d_k, d_v), ", one for each order")
        if isinstance(counts, Diagnosis):
            return counts
        quadratic, linear = n * n * (d_k + d_v), 2 * n * d_k * d_v
        at = f"At n = {n}, d_k = {d_k}, d_v = {d_v}"
        for mistaken, message in [
            ((linear, quadratic), "the two counts are right but swapped: (QKᵀ)V comes first."),
            ((2 * quadratic, 2 * linear), "both are doubled. A multiplication and its addition count once."),
            ((n * n, d_k * d_v), "you counted entries of the middle matrix. Count the work to make it."),
        ]:
            if counts == mistaken:
                return wrong(f"{at} {message}")
        if counts[0] in (n * n * d_k, n * n * d_v) or counts[1] == n * d_k * d_v:
            return wrong(f"{at} you counted one product. Each order has two: count both and add.")
        for order, found, wanted in [("(QKᵀ)V", counts[0], quadratic), ("Q(KᵀV)", counts[1], linear)]:
            if found != wanted:
                return wrong(f"{at} {order} takes {wanted}, not {found}. (a, b) times (b, c) takes a·b·c.")
    return right("Right. The first count grows with n², the second with n.")


@never_raises
def crossover(answer: Callable[..., Any]) -> Diagnosis:
    """Judge ``(d_k, d_v) -> n*``: the length at which both orders cost the same."""
    for d_k, d_v in [(16, 64), (64, 64), (3, 5)]:
        returned = attempt(answer, d_k, d_v)
        if isinstance(returned, Diagnosis):
            return returned
        found = number(returned)
        if found is None:
            return wrong(f"Return one number, n*. You returned {kind(returned)}.")
        wanted = 2 * d_k * d_v / (d_k + d_v)
        if abs(found - wanted) <= 1e-9 * wanted:
            continue
        at = f"At d_k = {d_k}, d_v = {d_v}"
        for mistaken, message in [
            (wanted / 2, "yours is half of n*. Q(KᵀV) has two products, so its count starts with a 2."),
            ((d_k + d_v) / 2, "you took the ordinary mean. Set the two counts equal and solve for n."),
            (min(d_k, d_v), "you took the smaller size. Set the two counts equal and solve for n."),
            (max(d_k, d_v), "you took the larger size. Set the two counts equal and solve for n."),
            (wanted // 1, "yours is rounded down. Divide with / and keep the fraction."),
            (round(wanted), "yours is rounded. Divide with / and keep the fraction."),
        ]:
            if abs(found - mistaken) <= 1e-9 * mistaken:
                return wrong(f"{at} {message}")
        return wrong(f"{at} both orders cost the same at n = {wanted:.4g}. You have {found:.4g}.")
    return right("Right: n* = 2·d_k·d_v / (d_k + d_v), the harmonic mean of the two sizes.")


@never_raises
def counterexample(answer: Callable[[], Any]) -> Diagnosis:
    """Judge ``() -> (q, k, v)`` for which tril(QKᵀ)V and Q(KᵀV) differ by more than rounding."""
    triple = attempt(answer)
    if isinstance(triple, Diagnosis):
        return triple
    if not isinstance(triple, (tuple, list)) or len(triple) != 3:
        return wrong("Return three tensors: q, k, v.")
    if is_blank(triple):
        return NOT_ATTEMPTED
    if not all(isinstance(x, Tensor) and x.ndim == 2 for x in triple):
        return wrong("q, k and v must be matrices: tensors with two axes, (n, d).")
    if any(x.is_complex() for x in triple):
        return wrong("Take real numbers, no complex ones.")
    q, k, v = (x.detach().double() for x in triple)
    if not all(x.isfinite().all() for x in (q, k, v)):
        return wrong("Every number must be finite: no nan, no inf.")
    if not len(q) == len(k) == len(v) or q.shape[1] != k.shape[1]:
        shapes = ", ".join(str(tuple(x.shape)) for x in triple)
        return wrong(f"q and k need one shape (n, d_k), and v the same n. You have {shapes}.")
    if len(q) < 2:
        return wrong("With one token there is no future to hide, so the mask changes nothing. Take n ≥ 2.")
    if not v.shape[1]:
        return wrong("v has no entries: give it at least one column.")
    masked, plain = (q @ k.mT).tril() @ v, q @ (k.mT @ v)
    gap = (masked - plain).abs().amax(-1)
    if not gap.isfinite().all():
        return wrong("The products are too large to be computed. Take numbers you can multiply in your head.")
    if gap.max() <= 1e-5 * plain.abs().max():
        return wrong(
            "Both sides agree here. They differ where a token looks at a later one: for some i > t, "
            "neither q_t·k_i nor v_i may be 0."
        )
    return right(f"Right: token {int(gap.argmax())} sees the future. Its output is off by {gap.max():.3g}.")
