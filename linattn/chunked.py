"""Causal linear attention in chunks: matrix products inside a chunk, the state between chunks.

For the C tokens of a chunk, with S and Z from all chunks before it:

    scores      = tril(φ(Q) φ(K)ᵀ)                 (C, C)
    numerator   = φ(Q) S + scores V                (C, d_v)
    denominator = φ(Q) Z + scores 1                (C,)
    then          S += φ(K)ᵀ V,   Z += φ(K)ᵀ 1

Source: Yang et al. 2024, arXiv 2312.06635, section 3.
"""

from __future__ import annotations

import torch
from torch import Tensor

from .feature_maps import FeatureMap, elu_plus_one
from .inputs import check_eps, check_qkv, divide, features
from .state import LinearAttentionState


def chunkwise_linear_attention(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    feature_map: FeatureMap | None = None,
    *,
    chunk_size: int = 64,
    eps: float = 1e-6,
    initial_state: LinearAttentionState | None = None,
    return_state: bool = False,
) -> Tensor | tuple[Tensor, LinearAttentionState]:
    """Causal linear attention, ``chunk_size`` tokens at a time; no (n, n) and no (n, d_phi, d_v) tensor.

    q, k (…, n, d_k), v (…, n, d_v) -> (…, n, d_v).
    """
    check_qkv(q, k, v, same_length=True)
    check_eps(eps)
    if not isinstance(chunk_size, int) or chunk_size < 1:
        raise ValueError(f"chunk_size must be a positive integer, found {chunk_size!r}")
    if feature_map is None:
        feature_map = initial_state.feature_map if initial_state else elu_plus_one
    phi_q, phi_k = features(feature_map, q, "q"), features(feature_map, k, "k")
    wide_v = v.to(phi_k.dtype)
    if initial_state is None:
        lead = torch.broadcast_shapes(k.shape[:-2], v.shape[:-2])
        S = phi_k.new_zeros(*lead, phi_k.shape[-1], v.shape[-1])
        Z = phi_k.new_zeros(*lead, phi_k.shape[-1])
    else:
        S, Z = initial_state.S, initial_state.Z

    outs = []
    for start in range(0, q.shape[-2], chunk_size):
        rows = slice(start, start + chunk_size)
        phi_q_c, phi_k_c, v_c = phi_q[..., rows, :], phi_k[..., rows, :], wide_v[..., rows, :]
        scores = (phi_q_c @ phi_k_c.mT).tril()
        numerator = phi_q_c @ S + scores @ v_c
        denominator = (phi_q_c @ Z.unsqueeze(-1)).squeeze(-1) + scores.sum(-1)
        outs.append(divide(numerator, denominator, eps))
        S, Z = S + phi_k_c.mT @ v_c, Z + phi_k_c.sum(-2)

    lead = torch.broadcast_shapes(q.shape[:-2], S.shape[:-2])
    out = torch.cat(outs, dim=-2) if outs else wide_v.new_zeros(*lead, 0, v.shape[-1])
    out = out.to(q.dtype)
    return (out, LinearAttentionState(S, Z, feature_map, eps)) if return_state else out
