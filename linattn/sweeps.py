"""The fast chunkwise kernels: one sweep over the chunks forwards, one backwards, in scratch that fits the cache.

The equations and V1, S1 are those of :func:`linattn.chunked.plain_chunkwise`. Here q is (*batch, group, n, d),
the queries that share a key/value head side by side; k and v are (*batch, n, d).
"""

from __future__ import annotations

from collections.abc import Iterator

import torch
from torch import Tensor

from .feature_maps import BUILT_IN
from .inputs import TINY

Step = tuple[int, int, int]  # first token, number of chunks, tokens in a chunk


def steps(start: int, stop: int, chunk: int, group: int) -> Iterator[Step]:
    """Full steps of ``group`` chunks, then one of the chunks left over, then a short chunk."""
    while start < stop:
        length = min(chunk, stop - start)
        chunks = min(group, (stop - start) // length)
        yield start, chunks, length
        start += chunks * length


class Chunks:
    """The inputs, one step at a time, as batches of chunks in buffers that every step uses again.

    ``phi`` names a map of our own to apply on the way in; it is empty if q and k are features already.
    """

    def __init__(self, q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None, phi: str, like: Tensor) -> None:
        self.q, self.k, self.v, self.phi, self.like = q, k.unsqueeze(-3), v.unsqueeze(-3), phi, like
        self.hidden = None if mask is None else ~mask[..., None, :, None]
        self.buffers: dict[str, Tensor] = {}
        # Given back at once, this block makes glibc's malloc keep what is freed from now on: buffers that went back to
        # the system cost page faults at the next call, up to half its time at n = 1024.
        like.new_empty(2**21)

    def load(self, step: Step) -> tuple[Tensor, Tensor, Tensor]:
        """φ(Q), φ(K) and V1 of one step, each (chunks·batch, rows, d)."""
        self.step = step
        phi_q, phi_k, v = self._features("phi_q", self.q), self._features("phi_k", self.k), self.part(self.v)
        v1 = self.buffer("v1", *v.shape[:-1], v.shape[-1] + 1)
        v1[..., :-1].copy_(v)
        v1[..., -1:].fill_(1)
        if self.hidden is not None:
            phi_k.masked_fill_(self.part(self.hidden), 0)
            v1.masked_fill_(self.part(self.hidden), 0)
        return flat(phi_q), flat(phi_k), flat(v1)

    def part(self, x: Tensor) -> Tensor:
        """The step's share of x: (*batch, group, n, d) seen as (chunks, *batch, group, length, d)."""
        start, chunks, length = self.step
        return x[..., start : start + chunks * length, :].unflatten(-2, (chunks, length)).movedim(-3, 0)

    def buffer(self, name: str, *shape: int) -> Tensor:
        """Scratch memory of this name: the same at every step, so that it stays in the cache."""
        if name not in self.buffers or self.buffers[name].shape != shape:
            self.buffers[name] = self.like.new_empty(shape)
        return self.buffers[name]

    def product(self, name: str, a: Tensor, b: Tensor) -> Tensor:
        """a b, chunk by chunk."""
        return torch.bmm(a, b, out=self.buffer(name, *a.shape[:-1], b.shape[-1]))

    def causal(self, name: str, a: Tensor, b: Tensor) -> Tensor:
        """tril(a bᵀ), chunk by chunk, for each query of a group."""
        scores = self.product(name, a, b.mT)
        scores.view(-1, b.shape[-2], b.shape[-2]).tril_()
        return scores

    def carry(self, name: str, total: Tensor, a: Tensor, b: Tensor, backwards: bool = False) -> Tensor:
        """The total as each chunk finds it, when each adds its a b; ``total`` itself ends with those of all chunks."""
        sums = self.buffer(name, self.step[1] + 1, *total.shape)
        found, terms = (sums[1:], sums[:-1]) if backwards else (sums[:-1], sums[1:])
        torch.bmm(a, b, out=terms.flatten(0, 1))
        first, *rest = reversed(sums.unbind()) if backwards else sums.unbind()
        first.copy_(total)
        for term in rest:
            first = term.add_(first)
        total.copy_(first)
        return found.flatten(0, 1)

    def _features(self, name: str, x: Tensor) -> Tensor:
        x = self.part(x)
        if self.phi and x.dtype != self.like.dtype:
            x = self.buffer("wide " + name, *x.shape).copy_(x)
        if self.phi == "elu_plus_one":
            phi = torch.clamp(x, max=0, out=self.buffer(name, *x.shape)).exp_()
            return phi.add_(torch.clamp(x, min=0, out=self.buffer("above 0", *x.shape)))
        phi = BUILT_IN[self.phi](x) if self.phi else x
        return self.buffer(name, *phi.shape).copy_(phi)


def flat(x: Tensor) -> Tensor:
    """(chunks, *batch, group, length, d) as the (chunks·batch, group·length, d) that matrix products take."""
    return x.flatten(0, -4).flatten(1, 2)


def forward_sweep(
    parts: Chunks, S1: Tensor, eps: float, plan: list[Step], out: Tensor, divisor: Tensor | None, states: Tensor
) -> None:
    """Fill ``out``, ``divisor`` = denominator + eps and ``states`` (S1 before each step); S1 ends after all tokens."""
    for i, step in enumerate(plan):
        phi_q, phi_k, v1 = parts.load(step)
        if states.shape[1]:
            states[:, i] = S1
        scores = parts.causal("scores", phi_q, phi_k)
        S1_found = parts.carry("S1", S1, phi_k.mT, v1)
        numerator = parts.product("numerator", phi_q, S1_found).baddbmm_(scores, v1)

        here = parts.part(out)
        numerator = numerator.view(*here.shape[:-1], numerator.shape[-1])
        below = numerator[..., -1:].add_(eps)
        if eps < TINY:
            below.masked_fill_(below == 0, torch.inf)  # no key has any weight: out = 0
        torch.div(numerator[..., :-1], below, out=here)
        if divisor is not None:
            parts.part(divisor).copy_(below)


def backward_sweep(
    parts: Chunks, grad_S1: Tensor, grad_out: Tensor, plan: list[Step], out: Tensor, divisor: Tensor, states: Tensor
) -> tuple[Tensor, Tensor, Tensor]:
    """The gradients of q, k and v; grad_S1, at first that of the last state, ends as that of the first.

    With G1 = the gradient of [numerator, denominator], and dS1 that of the S1 which a chunk leaves behind:

        dφ(Q) = G1 S1ᵀ + tril(G1 V1ᵀ) φ(K)          dφ(K) = V1 dS1ᵀ + tril(G1 V1ᵀ)ᵀ φ(Q)
        dV1   = φ(K) dS1 + tril(φ(Q) φ(K)ᵀ)ᵀ G1     then dS1 += φ(Q)ᵀ G1     (dV: without the last column)
    """
    grad_q, grad_k, grad_v = (x.new_empty(x.shape) for x in (parts.q, parts.k, parts.v))
    for i, step in reversed(list(enumerate(plan))):
        phi_q, phi_k, v1 = parts.load(step)
        grad_here, here = parts.part(grad_out), parts.part(out)
        g1 = parts.buffer("g1", *here.shape[:-1], here.shape[-1] + 1)
        g = torch.div(grad_here, parts.part(divisor), out=g1[..., :-1])

        scores = parts.causal("scores", phi_q, phi_k)
        S1_found = parts.carry("S1", states[:, i].clone(), phi_k.mT, v1)
        if out.dtype != g.dtype:  # out was rounded to half precision, too coarse for the difference that dφ(Q) is
            numerator = parts.product("numerator", phi_q, S1_found).baddbmm_(scores, v1)
            here = numerator.view(g1.shape)[..., :-1].div_(parts.part(divisor))
        torch.sum(torch.mul(g, here, out=parts.buffer("g out", *here.shape)), -1, keepdim=True, out=g1[..., -1:]).neg_()
        g1 = flat(g1)

        grad_scores = parts.causal("grad scores", g1, v1)
        grad_S1_left = parts.carry("grad S1", grad_S1, phi_q.mT, g1, backwards=True)
        grad_phi_q = parts.product("grad_phi_q", g1, S1_found.mT).baddbmm_(grad_scores, phi_k)
        grad_phi_k = parts.product("grad_phi_k", v1, grad_S1_left.mT).baddbmm_(grad_scores.mT, phi_q)
        grad_v_here = parts.product("grad_v", phi_k, grad_S1_left[..., :-1]).baddbmm_(scores.mT, g1[..., :-1])

        if parts.phi:  # elu_plus_one: φ' = min(φ, 1)
            grad_phi_q.mul_(phi_q.clamp_(max=1))
            grad_phi_k.mul_(phi_k.clamp_(max=1))
        for grad, x in ((grad_q, grad_phi_q), (grad_k, grad_phi_k), (grad_v, grad_v_here)):
            there = parts.part(grad)
            there.copy_(x.view(there.shape))
    return grad_q, grad_k.squeeze(-3), grad_v.squeeze(-3)
