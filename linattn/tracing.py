"""A trace of everything that happens in causal linear attention, for teaching and for testing."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from .feature_maps import FeatureMap
from .inputs import plus_eps, prepare, without_autocast


@dataclass(frozen=True)
class Trace:
    """Every intermediate of every step t of causal linear attention; … are the leading axes of what each is made of."""

    phi_q: Tensor  #: φ(q_t), (…, n, d_phi)
    phi_k: Tensor  #: φ(k_t), (…, n, d_phi)
    write: Tensor  #: the rank-1 term φ(k_t) v_tᵀ, (…, n, d_phi, d_v)
    S: Tensor  #: S_t, after token t is written, (…, n, d_phi, d_v)
    Z: Tensor  #: Z_t, after token t is written, (…, n, d_phi)
    numerator: Tensor  #: φ(q_t)ᵀ S_t, (…, n, d_v)
    denominator: Tensor  #: φ(q_t)·Z_t, without eps, (…, n)
    weights: Tensor  #: the weights of out_t in row t, 0 for tokens after t, (…, n, n)
    out: Tensor  #: (…, n, d_v)


def trace(q: Tensor, k: Tensor, v: Tensor, feature_map: FeatureMap | None = None, *, eps: float = 1e-6) -> Trace:
    """Run causal linear attention and keep everything: memory grows as n·d_phi·d_v and n². See :class:`Trace`.

    q, k (…, n, d_k), v (…, n, d_v); errors as :func:`linattn.causal_linear_attention`.
    """
    phi_q, phi_k, v = prepare(q, k, v, feature_map, eps)
    with without_autocast(q):
        write = phi_k.unsqueeze(-1) * v.unsqueeze(-2)
        S, Z = write.cumsum(dim=-3), phi_k.cumsum(dim=-2)
        numerator = torch.einsum("...nf,...nfe->...ne", phi_q, S)
        denominator = (phi_q * Z).sum(-1, keepdim=True)
        scores = torch.einsum("...nf,...mf->...nm", phi_q, phi_k).tril()
        weights, out = (x / plus_eps(denominator, eps) for x in (scores, numerator))
    return Trace(phi_q, phi_k, write, S, Z, numerator, denominator.squeeze(-1), weights, out.to(q.dtype))
