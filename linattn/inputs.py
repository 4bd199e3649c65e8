"""What every public entry point does first: check its arguments, apply φ, choose the dtype of the sums."""

from __future__ import annotations

import torch
from torch import Tensor

from .feature_maps import FeatureMap


def shape(x: Tensor) -> tuple[int, ...]:
    """The shape as a plain tuple, for messages."""
    return tuple(x.shape)


def check_qkv(q: Tensor, k: Tensor, v: Tensor, *, same_length: bool) -> None:
    """Raise TypeError or ValueError, naming the argument and both shapes, unless q, k, v fit together."""
    check_tensors(q=q, k=k, v=v)
    for name, x, wanted in (("q", q, "(…, n, d_k)"), ("k", k, "(…, n, d_k)"), ("v", v, "(…, n, d_v)")):
        if x.ndim < 2:
            raise ValueError(f"{name} must have shape {wanted}, found {shape(x)}")
    if k.shape[-1] != q.shape[-1]:
        raise ValueError(f"k must have the d_k of q: q has shape {shape(q)}, k has shape {shape(k)}")
    if v.shape[-2] != k.shape[-2]:
        raise ValueError(f"v must have as many tokens as k: k has shape {shape(k)}, v has shape {shape(v)}")
    if same_length and k.shape[-2] != q.shape[-2]:
        raise ValueError(f"k must have as many tokens as q: q has shape {shape(q)}, k has shape {shape(k)}")
    try:
        torch.broadcast_shapes(q.shape[:-2], k.shape[:-2], v.shape[:-2])
    except RuntimeError:
        raise ValueError(
            f"the leading axes of q, k and v must broadcast: found {shape(q)}, {shape(k)} and {shape(v)}. "
            "For key/value heads shared by groups of queries, reshape q to (…, heads, group, n, d_k) "
            "and k, v to (…, heads, 1, n, d)"
        ) from None


def check_tensors(**tensors: Tensor) -> None:
    """Raise unless all are floating-point tensors of one dtype and on one device."""
    (first_name, first), *_ = tensors.items()
    for name, x in tensors.items():
        if not isinstance(x, Tensor):
            raise TypeError(f"{name} must be a torch.Tensor, found {type(x).__name__}")
        if not x.is_floating_point():
            raise TypeError(f"{name} must be a floating-point tensor, found dtype {x.dtype}")
        if x.dtype != first.dtype:
            raise TypeError(f"{name} must have the dtype of {first_name}: {first.dtype}, found {x.dtype}")
        if x.device != first.device:
            raise ValueError(
                f"{name} must be on the device of {first_name}: {first.device}, found {x.device}"
            )


def check_eps(eps: float) -> None:
    """Raise unless eps is a number that is not negative."""
    if not eps >= 0:
        raise ValueError(f"eps must be 0 or positive, found {eps}")


def sum_dtype(x: Tensor) -> torch.dtype:
    """The dtype of sums that grow with n: float32, or the input's own if that is wider."""
    return torch.promote_types(x.dtype, torch.float32)


def features(feature_map: FeatureMap, x: Tensor, name: str) -> Tensor:
    """φ(x) in the dtype of the sums; ``name`` is the argument that x came from."""
    phi = feature_map(x.to(sum_dtype(x)))
    if phi.ndim != x.ndim or phi.shape[:-1] != x.shape[:-1]:
        raise ValueError(
            f"feature_map must keep every axis but the last: {name} has shape {shape(x)}, "
            f"feature_map({name}) has shape {shape(phi)}"
        )
    return phi


def divide(numerator: Tensor, denominator: Tensor, eps: float) -> Tensor:
    """numerator/(denominator + eps), and 0 where that divisor is exactly 0.

    (…, d_v), (…) -> (…, d_v). With eps = 0 nothing is scaled down by w/(w + eps), and a row that no key
    has weight on (padding, or features that are all 0) gives 0 instead of 0/0.
    """
    divisor = (denominator + eps).unsqueeze(-1)
    empty = divisor == 0
    return torch.where(empty, 0, numerator / divisor.masked_fill(empty, 1))
