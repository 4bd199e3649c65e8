"""What every public entry point does first: check its arguments, apply φ, choose the dtype of the sums."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from numbers import Real

import torch
from torch import Tensor

from .feature_maps import FeatureMap, apply, elu_plus_one, name_of

TINY = torch.finfo(torch.float32).tiny  #: An eps below it may not keep a divisor away from 0.
ONE, AS_IS = torch.ones((), device="cpu"), nullcontext()  #: Made once, as making them is a tenth of a decoding step.


def shape(x: Tensor) -> tuple[int, ...]:
    """The shape as a plain tuple, for messages."""
    return tuple(x.shape)


def broadcast(*shapes: torch.Size, of: str = "q, k and v") -> torch.Size:
    """torch.broadcast_shapes of leading axes, which takes 15 µs, only where they differ. Raises ValueError."""
    try:
        return shapes[0] if all(x == shapes[0] for x in shapes) else torch.broadcast_shapes(*shapes)
    except RuntimeError:
        raise ValueError(
            f"the leading axes of {of} must broadcast: found {', '.join(map(str, map(tuple, shapes)))}. For heads "
            "shared by groups of queries, reshape q to (…, heads, group, n, d_k) and k, v to (…, heads, 1, n, d)"
        ) from None


def check_tensors(**tensors: Tensor) -> None:
    """Raise unless all are floating-point tensors of one dtype and on one device."""
    (first_name, first), *_ = tensors.items()
    for name, x in tensors.items():
        if not isinstance(x, Tensor):
            raise TypeError(f"{name} must be a torch.Tensor, found {type(x).__name__}")
        if not x.is_floating_point() or x.dtype.itemsize < 2:
            raise TypeError(f"{name} must be a floating-point tensor of 16 bits or more, found dtype {x.dtype}")
        if x.dtype != first.dtype:
            raise TypeError(f"{name} must have the dtype of {first_name}: {first.dtype}, found {x.dtype}")
        if x.device != first.device:
            raise ValueError(f"{name} must be on the device of {first_name}: {first.device}, found {x.device}")


def check_eps(eps: float) -> None:
    """Raise unless eps is a number that float32 can hold, and not negative."""
    if not isinstance(eps, Real):
        raise TypeError(f"eps must be a number, found {type(eps).__name__}")
    if not 0 <= eps < 1e38:
        raise ValueError(f"eps must be 0 or positive and below 1e38, found {eps}")


def check_inputs(
    q: Tensor, k: Tensor, v: Tensor, eps: float = 0, key_mask: Tensor | None = None, *, same_length: bool = True
) -> None:
    """Raise TypeError or ValueError, naming the argument and both shapes, unless all of these fit together."""
    check_tensors(q=q, k=k, v=v)
    check_eps(eps)
    for name, x, wanted in (("q", q, "(…, n, d_k)"), ("k", k, "(…, n, d_k)"), ("v", v, "(…, n, d_v)")):
        if x.ndim < 2:
            raise ValueError(f"{name} must have shape {wanted}, found {shape(x)}")
    if q.shape[-1] == 0:
        raise ValueError(f"q and k must have at least one entry a token, d_k ≥ 1: q has shape {shape(q)}")
    if k.shape[-1] != q.shape[-1]:
        raise ValueError(f"k must have the d_k of q: q has shape {shape(q)}, k has shape {shape(k)}")
    if v.shape[-2] != k.shape[-2]:
        raise ValueError(f"v must have as many tokens as k: k has shape {shape(k)}, v has shape {shape(v)}")
    if same_length and k.shape[-2] != q.shape[-2]:
        raise ValueError(f"k must have as many tokens as q: q has shape {shape(q)}, k has shape {shape(k)}")
    broadcast(q.shape[:-2], k.shape[:-2], v.shape[:-2])
    if key_mask is None:
        return
    if not isinstance(key_mask, Tensor) or key_mask.dtype != torch.bool:
        found = key_mask.dtype if isinstance(key_mask, Tensor) else type(key_mask).__name__
        raise TypeError(f"key_mask must be a boolean tensor, True for a token, False for padding: found {found}")
    if key_mask.device != k.device:
        raise ValueError(f"key_mask must be on the device of k: {k.device}, found {key_mask.device}")
    fits = key_mask.ndim == k.ndim - 1 and key_mask.shape[-1] == k.shape[-2]
    if not fits or any(m not in (1, size) for m, size in zip(key_mask.shape[:-1], k.shape[:-2], strict=True)):
        raise ValueError(
            f"key_mask must have the axes of k except the last, (…, n), where a leading axis may be 1: "
            f"k has shape {shape(k)}, key_mask has shape {shape(key_mask)}. "
            "A mask (batch, n) for k (batch, heads, n, d_k) is key_mask[:, None]"
        )


def sum_dtype(x: Tensor) -> torch.dtype:
    """The dtype of sums that grow with n: float32, or the input's own if that is wider."""
    return x.dtype if x.dtype.itemsize >= 4 else torch.float32


def without_autocast(x: Tensor) -> AbstractContextManager:
    """A context in which sums keep their dtype even if the caller has turned on torch.autocast."""
    kind = "cpu" if x.is_cpu or x.is_meta else x.device.type  # the latter takes 2 µs, a twentieth of a decoding step
    return torch.autocast(kind, enabled=False) if torch.is_autocast_enabled(kind) else AS_IS


def features(feature_map: FeatureMap, x: Tensor, name: str) -> Tensor:
    """φ(x) in the dtype of the sums; ``name`` is the argument that x came from.

    Our own maps get x in that dtype already; any other gets it as it is, as its weights may have that dtype.
    """
    dtype = sum_dtype(x)
    if name_of(feature_map):
        return feature_map(x if x.dtype == dtype else x.to(dtype))
    return apply(feature_map, x, name).to(dtype)


def features_of_both(feature_map: FeatureMap, q: Tensor, k: Tensor, key_mask: Tensor | None) -> tuple[Tensor, Tensor]:
    """φ(Q) and φ(K), as many features in one as in the other; a masked key is 0 before φ already.

    Hiding its features alone would let a NaN in it into the gradient of φ, as 0·NaN.
    """
    if key_mask is not None:
        k = k.masked_fill(~key_mask.unsqueeze(-1), 0)
    phi_q, phi_k = features(feature_map, q, "q"), features(feature_map, k, "k")
    if phi_q.shape[-1] != phi_k.shape[-1]:
        raise ValueError(f"feature_map must make as many features of q as of k: {shape(phi_q)} and {shape(phi_k)}")
    return phi_q, phi_k


def hide(key_mask: Tensor | None, phi_k: Tensor, v: Tensor) -> tuple[Tensor, Tensor]:
    """φ(K) and V, both in the dtype of the sums, and 0 for tokens that are masked (even where they hold NaN)."""
    v = v.to(phi_k.dtype)
    if key_mask is None:
        return phi_k, v
    hidden = ~key_mask.unsqueeze(-1)
    return phi_k.masked_fill(hidden, 0), v.masked_fill(hidden, 0)


def prepare(
    q: Tensor, k: Tensor, v: Tensor, feature_map: FeatureMap | None, eps: float, key_mask: Tensor | None = None,
    same_length: bool = True,
) -> tuple[Tensor, Tensor, Tensor]:  # fmt: skip
    """φ(Q), φ(K) and V in the dtype of the sums, after all checks, with masked tokens hidden."""
    check_inputs(q, k, v, eps, key_mask, same_length=same_length)
    phi_q, phi_k = features_of_both(elu_plus_one if feature_map is None else feature_map, q, k, key_mask)
    return phi_q, *hide(key_mask, phi_k, v)


def plus_eps(denominator: Tensor, eps: float) -> Tensor:
    """denominator + eps, to divide by.

    With eps = 0 a row that no key has weight on (padding, features that are all 0) gives 0 instead of 0/0.
    """
    plain = type(denominator) is Tensor  # a FakeTensor, which is of a subclass, may not meet a real one
    divisor = torch.add(denominator, ONE, alpha=float(eps)) if plain else denominator + float(eps)
    return divisor.masked_fill(divisor == 0, torch.inf) if eps < TINY else divisor
