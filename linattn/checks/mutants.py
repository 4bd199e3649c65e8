"""Eleven broken causal linear attentions, and the four checks that hunt them.

A check is trusted only when it has been seen to fail. Each mutant is ``f(q, k, v) -> out`` with one fault,
of a kind that people really write; its docstring says which. Layout ``(…, n, d)`` with ``d_k = d_v``.
"""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor

from linattn.attention import all_pairs_linear_attention
from linattn.feature_maps import elu_plus_one as phi

Attention = Callable[[Tensor, Tensor, Tensor], Tensor]
EPS = 1e-6


def _weigh(scores: Tensor, v: Tensor, eps: float = EPS) -> Tensor:
    """Divide each row of masked scores ``(…, n, n)`` by its sum, and take that average of ``v``."""
    return scores @ v / (scores.sum(-1, keepdim=True) + eps)


def strict_mask(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    """Reads before it writes: token t does not see itself."""
    return _weigh((phi(q) @ phi(k).mT).tril(-1), v)


def no_mask(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    """Sees the whole sequence, the future too."""
    return _weigh(phi(q) @ phi(k).mT, v)


def mask_one_too_far(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    """Sees one token of the future."""
    return _weigh((phi(q) @ phi(k).mT).tril(1), v)


def no_normaliser(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    """Never divides by φ(qₜ)·Zₜ."""
    return (phi(q) @ phi(k).mT).tril() @ v


def divided_by_count(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    """Divides by the number of tokens seen instead of φ(qₜ)·Zₜ."""
    return no_normaliser(q, k, v) / torch.arange(1, q.shape[-2] + 1, dtype=q.dtype)[:, None]


def full_sequence_normaliser(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    """Uses the last Z for every token: the denominator sees the future."""
    return no_normaliser(q, k, v) / ((phi(q) @ phi(k).mT).sum(-1, keepdim=True) + EPS)


def z_without_q(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    """Divides by the sum of Zₜ's entries: φ(qₜ) is missing in the denominator."""
    return no_normaliser(q, k, v) / (phi(k).cumsum(-2).sum(-1, keepdim=True) + EPS)


def large_eps(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    """Ten thousand times the ε that was meant: every output shrinks a little."""
    return _weigh((phi(q) @ phi(k).mT).tril(), v, eps=1e-2)


def dead_relu(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    """relu with no ε as the feature map: all weights can be zero."""
    return _weigh((q.relu() @ k.relu().mT).tril(), v)


def transposed_state(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    """Reads Sᵀ instead of S, which only a square state lets pass in silence."""
    S = (phi(k)[..., :, None] * v[..., None, :]).cumsum(-3)
    denominator = (phi(q) * phi(k).cumsum(-2)).sum(-1, keepdim=True)
    return torch.einsum("...nf,...nef->...ne", phi(q), S) / (denominator + EPS)


def phi_forgotten_on_k(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    """Uses kₜ where φ(kₜ) belongs: weights can be negative."""
    return _weigh((phi(q) @ k.mT).tril(), v)


MUTANTS: dict[str, Attention] = {
    "strict mask": strict_mask,
    "no mask": no_mask,
    "mask one too far": mask_one_too_far,
    "no normaliser": no_normaliser,
    "divided by count": divided_by_count,
    "full-sequence normaliser": full_sequence_normaliser,
    "Z without q": z_without_q,
    "ε = 1e-2": large_eps,
    "dead relu": dead_relu,
    "transposed S": transposed_state,
    "φ forgotten on k": phi_forgotten_on_k,
}


def draw(seed: int = 0) -> tuple[Tensor, Tensor, Tensor]:
    """q, k, v ``(64, 6, 4)``, Gaussian, float64: many small cases, so that a rare fault shows."""
    generator = torch.Generator().manual_seed(seed)
    return tuple(torch.randn(64, 6, 4, generator=generator, dtype=torch.float64) for _ in range(3))


def _same(a: Tensor, b: Tensor) -> bool:
    return torch.allclose(a, b, rtol=1e-3, atol=1e-3)


def position_0(attention: Attention) -> bool:
    """out_0 is v_0, whatever q_0 is."""
    q, k, v = draw()
    return _same(attention(q, k, v)[..., 0, :], v[..., 0, :])


def constant_v(attention: Attention) -> bool:
    """When every token carries the same value, every output is that value."""
    q, k, v = draw()
    v = v[..., :1, :].expand_as(v).contiguous()
    return _same(attention(q, k, v), v)


def causality(attention: Attention) -> bool:
    """Changing tokens from position t on leaves every earlier output as it was."""
    q, k, v = draw()
    other_q, other_k, other_v = draw(seed=1)
    out = attention(q, k, v)
    for t in range(1, q.shape[-2]):
        changed = [torch.cat((a[..., :t, :], b[..., t:, :]), -2) for a, b in ((q, other_q), (k, other_k), (v, other_v))]
        if not _same(attention(*changed)[..., :t, :], out[..., :t, :]):
            return False
    return True


def reference(attention: Attention) -> bool:
    """The outputs equal those of the masked all-pairs form."""
    q, k, v = draw()
    return _same(attention(q, k, v), all_pairs_linear_attention(q, k, v))


CHECKS: dict[str, Callable[[Attention], bool]] = {
    "position 0": position_0,
    "constant v": constant_v,
    "causality": causality,
    "reference": reference,
}
