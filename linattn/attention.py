"""The readable forms of linear attention, and ``causal_linear_attention``, the fast one.

All take q, k (…, n, d_k) and v (…, n, d_v) and return (…, n, d_v). Query n weighs value m by φ(q_n)·φ(k_m), divided
by the sum over the m that n may see.
"""

from __future__ import annotations

from numbers import Integral

import torch
from torch import Tensor

from .chunked import chunkwise, wants_gradient
from .feature_maps import FeatureMap, name_of
from .inputs import check_inputs, features_of_both, plus_eps, prepare, without_autocast
from .state import LinearAttentionState, map_and_eps, starting_state


def linear_attention(
    q: Tensor, k: Tensor, v: Tensor, feature_map: FeatureMap | None = None, *, eps: float = 1e-6,
    key_mask: Tensor | None = None,
) -> Tensor:  # fmt: skip
    """Non-causal: φ(Q) (φ(K)ᵀ V), regrouped so that no (n, m) matrix is made; every query sees every key.

    q (…, n, d_k), k (…, m, d_k), v (…, m, d_v), key_mask (…, m) -> (…, n, d_v).
    Source: Katharopoulos et al. 2020, arXiv 2006.16236, equation 6.
    """
    phi_q, phi_k, wide_v = prepare(q, k, v, feature_map, eps, key_mask, same_length=False)
    with without_autocast(q):
        S = phi_k.mT @ wide_v
        Z = phi_k.sum(dim=-2)
        return (phi_q @ S / plus_eps(phi_q @ Z.unsqueeze(-1), eps)).to(q.dtype)


def all_pairs_linear_attention(
    q: Tensor, k: Tensor, v: Tensor, feature_map: FeatureMap | None = None, *, eps: float = 1e-6,
    causal: bool = True, key_mask: Tensor | None = None,
) -> Tensor:  # fmt: skip
    """The same weights with the (n, m) kernel score matrix φ(Q) φ(K)ᵀ written out, masked when causal.

    Every row meets every value, so a NaN in one token reaches all outputs, as 0·NaN; the other forms keep it out.
    Source: Katharopoulos et al. 2020, arXiv 2006.16236, equations 4 and 8.
    """
    phi_q, phi_k, wide_v = prepare(q, k, v, feature_map, eps, key_mask, same_length=causal)
    with without_autocast(q):
        scores = torch.einsum("...nf,...mf->...nm", phi_q, phi_k)
        scores = scores.tril() if causal else scores
        return (scores @ wide_v / plus_eps(scores.sum(dim=-1, keepdim=True), eps)).to(q.dtype)


def recurrent_linear_attention(
    q: Tensor, k: Tensor, v: Tensor, feature_map: FeatureMap | None = None, *, eps: float | None = None,
    key_mask: Tensor | None = None, initial_state: LinearAttentionState | None = None, return_state: bool = False,
) -> Tensor | tuple[Tensor, LinearAttentionState]:  # fmt: skip
    """Causal, one token at a time: write φ(k_t) v_tᵀ into S and φ(k_t) into Z, then read with φ(q_t).

    Arguments, shapes and errors are those of :func:`causal_linear_attention`.
    Source: Katharopoulos et al. 2020, arXiv 2006.16236, equations 18 to 20.
    """
    feature_map, eps = map_and_eps(feature_map, eps, initial_state)
    phi_q, phi_k, wide_v = prepare(q, k, v, feature_map, eps, key_mask)
    S, Z = starting_state(initial_state, phi_q, phi_k, wide_v, phi_k.shape[-1])

    outs = []
    with without_autocast(q):
        for t in range(q.shape[-2]):
            S = S + phi_k[..., t, :].unsqueeze(-1) * wide_v[..., t, :].unsqueeze(-2)
            Z = Z + phi_k[..., t, :]
            numerator = torch.einsum("...f,...fe->...e", phi_q[..., t, :], S)
            denominator = (phi_q[..., t, :] * Z).sum(dim=-1, keepdim=True)
            outs.append(numerator / plus_eps(denominator, eps))

    out = (torch.stack(outs, dim=-2) if outs else phi_q @ S).to(q.dtype)
    if not return_state:
        return out
    S, Z = (x[(None,) * (out.ndim - S.ndim)] for x in (S, Z))
    # A copy, because without any token these are still the initial state's.
    return out, LinearAttentionState(S, Z, feature_map, eps).clone()


def causal_linear_attention(
    q: Tensor, k: Tensor, v: Tensor, feature_map: FeatureMap | None = None, *, eps: float | None = None,
    chunk_size: int | None = None, key_mask: Tensor | None = None,
    initial_state: LinearAttentionState | None = None, return_state: bool = False,
) -> Tensor | tuple[Tensor, LinearAttentionState]:  # fmt: skip
    """Causal linear attention by the chunkwise form, fast: out_t = φ(q_t)ᵀ S_t/(φ(q_t)·Z_t + eps).

    q, k (…, n, d_k), v (…, n, d_v) -> (…, n, d_v), with any leading axes, none included, of one floating dtype
    on one device. Leading axes broadcast: key/value heads shared by groups of queries are q (…, heads, group,
    n, d_k) and k, v (…, heads, 1, n, d), and k and v are not copied. Sums are in float32, or wider input's dtype.

    ``feature_map`` takes (…, d_k) to (…, d_phi), each token alone; by default elu(x) + 1.
    ``eps``, by default 1e-6, scales every output by w/(w + eps), w = φ(q_t)·Z_t: with w near it (inputs around -7)
    out_0 = v_0 bends. ``eps=0`` does not bend it while w > 0 in floating point, and gives 0 where no key has weight;
    gradients need 1/w finite too. ``feature_map`` and ``eps`` of an initial state hold unless given, and must agree.
    ``key_mask`` (…, n), boolean, with the leading axes of k, each as long or 1: tokens marked False (padding) are not
    written, whatever k and v hold there; q is not masked, and a NaN in it makes gradients NaN.
    ``initial_state`` continues from a :class:`LinearAttentionState`, which is not changed; ``return_state`` gives
    back the state after the last token too, to continue from or to ``update`` and ``read`` token by token. It has the
    leading axes of the output, of size 1 where k and v are shared.

    Relative error against float64, as tested on normal draws: 1e-6 in float32; in half precision that of rounding the
    output, eps/2 of the dtype, and 2 eps for gradients. NaN or infinity in token t reaches no output before t (but
    may reach gradients). Differentiable, also twice, and under torch.func's vmap and grad; not in forward mode, which
    ``recurrent_linear_attention`` has. Raises TypeError or ValueError, which name the argument that does not fit.
    """
    feature_map, eps = map_and_eps(feature_map, eps, initial_state)
    check_inputs(q, k, v, eps, key_mask)
    if chunk_size is not None and (not isinstance(chunk_size, Integral) or chunk_size is True or chunk_size < 1):
        raise ValueError(f"chunk_size must be a positive integer, found {chunk_size!r}")

    # The default map is applied inside the sweeps, and so is, when no gradient is wanted, any of our own maps,
    # as they act on each token alone: φ of the whole sequence is never stored. Another map gets the whole of it.
    carried = () if initial_state is None else (initial_state.S, initial_state.Z)
    name = name_of(feature_map) or ""
    if name != "elu_plus_one" and (not name or wants_gradient(q, k, v, *carried)):
        (q, k), name = features_of_both(feature_map, q, k, key_mask), ""
    d_phi = feature_map(k[..., :0, :]).shape[-1] if name else k.shape[-1]
    S, Z = starting_state(initial_state, q, k, v, d_phi)
    S1 = torch.cat([S.mT, Z.unsqueeze(-2)], -2)
    out, S1 = chunkwise(q, k, v, S1, key_mask, float(eps), chunk_size, name)
    if not return_state:
        return out
    S, Z = (x.clone(memory_format=torch.contiguous_format) for x in (S1[..., :-1, :].mT, S1[..., -1, :]))
    return out, LinearAttentionState(S, Z, feature_map, eps)
