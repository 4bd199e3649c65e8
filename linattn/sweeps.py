"""The fast chunkwise kernels: one sweep over the chunks forwards, one backwards, in scratch that fits the cache.

The equations and V1, S1 are those of :func:`linattn.chunked.plain_chunkwise`. Here q is (*batch, group, n, d),
the queries that share a key/value head side by side; k and v are (*batch, n, d), and S1 is (batch, d_v + 1, d_phi).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache
from itertools import pairwise
from types import SimpleNamespace

import torch
from torch import Tensor

from .feature_maps import BUILT_IN
from .inputs import plus_eps

# Given back at once, this block makes glibc keep up to 32 MiB of what the process frees, in each of malloc's arenas.
# Buffers that went back to the system cost page faults at the next call, up to half its time at n = 1024.
keep_freed_memory = cache(lambda: torch.empty(2**24, dtype=torch.uint8, device="cpu").shape)


def steps(cuts: list[int], chunk: int, group: int) -> Iterator[tuple[int, int, int]]:
    """(first token, chunks, tokens in a chunk): from cut to cut full steps of ``group`` chunks, then what is left."""
    for start, stop in pairwise(cuts):
        while start < stop:
            length = min(chunk, stop - start)
            chunks = min(group, (stop - start) // length)
            yield start, chunks, length
            start += chunks * length


class Chunks:
    """The inputs, one step at a time, as batches of chunks in scratch that all steps of one size share.

    It stays in the cache, and so do its views: a step has dozens of them, and making one takes a microsecond.
    ``phi`` names a map of our own to apply on the way in; it is empty if q and k are features already.
    """

    def __init__(self, q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None, phi: str, like: Tensor) -> None:
        self.q, self.k, self.v, self.phi, self.like = q, k.unsqueeze(-3), v.unsqueeze(-3), phi, like
        self.hidden = None if mask is None else ~mask[..., None, :, None]
        self.size: tuple[int, ...] = ()
        keep_freed_memory()

    def load(self, step: tuple[int, int, int]) -> tuple[Tensor, Tensor, Tensor]:
        """φ(Q), φ(K) and V1 of one step, each (chunks·batch, rows, d)."""
        self.start, *size = step
        if self.size != (*size,):
            self.size, self.made = (*size,), {}
        phi_q, phi_k = self._features("phi_q", self.q), self._features("phi_k", self.k)
        v1 = self.scratch("v1", 1, self.v.shape[-1] + 1)
        v1.values.copy_(self.part(self.v))
        v1.last.fill_(1)
        if self.hidden is not None:
            v1.whole.masked_fill_(self.part(self.hidden), 0)
            phi_k.whole.masked_fill_(self.part(self.hidden), 0)
        return phi_q.flat, phi_k.flat, v1.flat

    def part(self, x: Tensor) -> Tensor:
        """The step's share of x: (*batch, group, n, d) seen as (chunks, *batch, group, length, d)."""
        (chunks, length), row = self.size, x.stride(-2)
        first = x.storage_offset() + self.start * row
        return x.as_strided((chunks, *x.shape[:-2], length, x.shape[-1]), (length * row, *x.stride()), first)

    def scratch(self, name: str, group: int, width: int) -> SimpleNamespace:
        """The memory of this name, in every shape that it is used in."""
        if name not in self.made:
            chunks, length = self.size
            whole = self.like.new_empty(chunks, *self.k.shape[:-3], group, length, width)
            flat = whole.flatten(0, -4).flatten(1, 2)  # (chunks·batch, group·length, width), for matrix products
            self.made[name] = SimpleNamespace(whole=whole, flat=flat, values=whole[..., :-1], last=whole[..., -1:])
        return self.made[name]

    def products(self, name: str, a: Tensor, b: Tensor, c: Tensor, d: Tensor) -> SimpleNamespace:
        """a b + c d, chunk by chunk."""
        into = self.scratch(name, a.shape[-2] // self.size[1], b.shape[-1])
        torch.bmm(a, b, out=into.flat).baddbmm_(c, d)
        return into

    def causal(self, name: str, a: Tensor, b: Tensor) -> Tensor:
        """tril(a bᵀ), chunk by chunk, for each query of a group."""
        scores = self.scratch(name, a.shape[-2] // self.size[1], b.shape[-2])
        torch.bmm(a, b.mT, out=scores.flat)
        scores.whole.tril_()
        return scores.flat

    def carry(self, name: str, total: Tensor, a: Tensor, b: Tensor, backwards: bool = False) -> Tensor:
        """The total as each chunk finds it, when each adds its aᵀb; ``total`` itself ends with those of all chunks."""
        if name not in self.made:
            sums = self.like.new_empty(self.size[0] + 1, *total.shape)
            found, terms = (sums[1:], sums[:-1]) if backwards else (sums[:-1], sums[1:])
            self.made[name] = found.flatten(0, 1), terms.flatten(0, 1), sums.unbind()[:: -1 if backwards else 1]
        found, terms, (first, *rest, last) = self.made[name]
        torch.bmm(a.mT, b, out=terms)
        first.copy_(total)
        for term in rest:
            first = term.add_(first)
        torch.add(last, first, out=total)
        return found

    def _features(self, name: str, x: Tensor) -> SimpleNamespace:
        x, phi = self.part(x), self.scratch(name, x.shape[-3], self.like.shape[-1])
        if self.phi == "elu_plus_one":
            above_0 = self.scratch(f"above 0, {x.shape[-3]}", x.shape[-3], x.shape[-1]).whole
            torch.clamp(phi.whole.copy_(x), min=0, out=above_0)
            # e^x as 2^(x log2 e), a third of exp's time on some processors; off by (1 + |x|)·1e-7 of it in float32.
            phi.whole.clamp_(max=0).mul_(1.4426950408889634).exp2_().add_(above_0)
        else:
            phi.whole.copy_(BUILT_IN[self.phi](x.to(self.like.dtype)) if self.phi else x)
        return phi


def forward_sweep(
    parts: Chunks, S1: Tensor, eps: float, plan: Iterable, out: Tensor, divisor: Tensor | None, states: Tensor
) -> None:
    """Fill ``out``, ``divisor`` = denominator + eps and ``states`` (S1 before each step); S1 ends after all tokens."""
    for i, step in enumerate(plan):
        phi_q, phi_k, v1 = parts.load(step)
        states[:, i : i + 1] = S1.unsqueeze(1)  # nothing, where none are kept
        scores = parts.causal("scores", phi_q, phi_k)
        S1_found = parts.carry("S1", S1, v1, phi_k)
        numerator1 = parts.products("numerator1", phi_q, S1_found.mT, scores, v1)
        below = plus_eps(numerator1.last, eps)
        torch.div(numerator1.values, below, out=parts.part(out))
        if divisor is not None:
            parts.part(divisor).copy_(below)


def backward_sweep(
    parts: Chunks, grad_S1: Tensor, grad_out: Tensor, plan: Iterable, out: Tensor, divisor: Tensor, states: Tensor
) -> tuple[Tensor, Tensor, Tensor]:
    """The gradients of q, k and v; grad_S1, at first that of the last state, ends as that of the first.

    With G1 = the gradient of [numerator, denominator], and dS1 that of the S1 which a chunk leaves behind:

        dφ(Q) = G1 S1 + tril(G1 V1ᵀ) φ(K)           dφ(K) = V1 dS1 + tril(G1 V1ᵀ)ᵀ φ(Q)
        dV1   = φ(K) dS1ᵀ + tril(φ(Q) φ(K)ᵀ)ᵀ G1    then dS1 += G1ᵀ φ(Q)    (dV: without the last column)
    """
    grad_q, grad_k, grad_v = (x.new_empty(x.shape) for x in (parts.q, parts.k, parts.v))
    for i, step in reversed(list(enumerate(plan))):
        phi_q, phi_k, v1 = parts.load(step)
        below, here = parts.part(divisor), parts.part(out)
        g1 = parts.scratch("g1", here.shape[-3], here.shape[-1] + 1)
        torch.div(parts.part(grad_out), below, out=g1.values)

        scores = parts.causal("scores", phi_q, phi_k)
        S1_found = parts.carry("S1", states[:, i].clone(), v1, phi_k)
        if out.dtype != v1.dtype:  # out was rounded to half precision, too coarse for the difference that dφ(Q) is
            here = parts.products("numerator1", phi_q, S1_found.mT, scores, v1).values.div_(below)
        g_out = torch.mul(g1.values, here, out=parts.scratch("g out", here.shape[-3], here.shape[-1]).whole)
        torch.sum(g_out, -1, keepdim=True, out=g1.last).neg_()

        grad_scores = parts.causal("grad scores", g1.flat, v1)
        grad_S1_left = parts.carry("grad S1", grad_S1, g1.flat, phi_q, backwards=True)
        dphi_q = parts.products("grad phi_q", g1.flat, S1_found, grad_scores, phi_k)
        dphi_k = parts.products("grad phi_k", v1, grad_S1_left, grad_scores.mT, phi_q)
        dv = parts.products("grad v", phi_k, grad_S1_left[:, :-1].mT, scores.mT, g1.flat[..., :-1])
        for grad, d, phi in ((grad_q, dphi_q, phi_q), (grad_k, dphi_k, phi_k)):
            slope = phi.view(d.whole.shape).clamp_(max=1) if parts.phi else 1  # elu_plus_one: φ' = min(φ, 1)
            torch.mul(d.whole, slope, out=parts.part(grad))
        parts.part(grad_v).copy_(dv.whole)
    return grad_q, grad_k.squeeze(-3), grad_v.squeeze(-3)
