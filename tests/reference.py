"""Linear attention once more, independently of the library: plain loops over Python floats (64 bits)."""

import math

import torch
from torch import Tensor


def phi(x: list[float]) -> list[float]:
    """elu(x) + 1 of one token."""
    return [math.exp(a) if a < 0 else a + 1 for a in x]


def attend(
    q: list, k: list, v: list, eps: float = 1e-6, visible: list | None = None, phi=phi, causal: bool = True
) -> list:
    """Each out_t is the average of v_i over the visible i ≤ t, with weights φ(q_t)·φ(k_i)."""
    out = []
    for t in range(len(q)):
        total, row = 0.0, [0.0] * len(v[0])
        for i in range(t + 1 if causal else len(k)):
            if visible is None or visible[i]:
                weight = math.fsum(a * b for a, b in zip(phi(q[t]), phi(k[i]), strict=True))
                total += weight
                row = [r + weight * e for r, e in zip(row, v[i], strict=True)]
        out.append([r / (total + eps) if total + eps else 0.0 for r in row])
    return out


def reference(q: Tensor, k: Tensor, v: Tensor, **options) -> Tensor:
    """:func:`attend` for each index of the leading axes; float64."""
    lead = torch.broadcast_shapes(q.shape[:-2], k.shape[:-2], v.shape[:-2])
    out = torch.zeros(*lead, q.shape[-2], v.shape[-1], dtype=torch.float64)
    q, k, v = (x.detach().double().expand(*lead, *x.shape[-2:]) for x in (q, k, v))
    for index in torch.cartesian_prod(*(torch.arange(a) for a in lead)).view(-1, len(lead)).tolist() if lead else [[]]:
        i = tuple(index)
        if q.shape[-2]:
            out[i] = torch.tensor(attend(q[i].tolist(), k[i].tolist(), v[i].tolist(), **options), dtype=torch.float64)
    return out


def draw(*shape: int, d_k: int = 4, d_v: int = 3, n: int = 17, seed: int = 0, dtype=torch.float64, grad=False):
    """Random q, k, v with the leading axes ``shape``."""
    generator = torch.Generator().manual_seed(seed)
    return tuple(
        torch.randn(*shape, n, d, generator=generator, dtype=torch.float64).to(dtype).requires_grad_(grad)
        for d in (d_k, d_k, d_v)
    )
