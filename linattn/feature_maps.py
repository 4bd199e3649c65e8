"""Feature maps φ: (…, d) -> (…, d_phi), each acting on every token alone.

The kernel that replaces softmax's exp(q·k/√d) is κ(q, k) = φ(q)·φ(k). Attention weights are non-negative
whenever every feature is. Each function takes any floating dtype and keeps it.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import torch
import torch.nn.functional as F
from torch import Tensor

FeatureMap = Callable[[Tensor], Tensor]


def elu_plus_one(x: Tensor) -> Tensor:
    """elu(x) + 1, the default map: e^x below zero, x + 1 above; positive, and smooth at zero.

    Written as exp(min(x, 0)) + max(x, 0), which is 0 only where e^x itself underflows (-104 in float32, -93 in
    bfloat16, -17.3 in float16). The textbook form rounds e^x - 1 to -1 long before: near -17, in bfloat16 near -6.

    (…, d) -> (…, d). Source: Katharopoulos et al. 2020, arXiv 2006.16236, equation 7.
    """
    # relu, not clamp(min=0): clamp passes the gradient at exactly 0, and φ'(0) would be 2 instead of 1.
    return x.clamp_max(0).exp_() + x.relu()


def relu_plus_eps(x: Tensor, eps: float = 1e-3) -> Tensor:
    """max(x, 0) + eps: positive, but the gradient is 0 wherever x ≤ 0 (a dead zone). (…, d) -> (…, d)."""
    return F.relu(x) + eps


def exponential(x: Tensor) -> Tensor:
    """e^x, entry by entry: positive and spiky. Overflows in float32 from x = 89 on. (…, d) -> (…, d)."""
    return torch.exp(x)


def squared_relu(x: Tensor) -> Tensor:
    """max(x, 0)²: non-negative, and exactly 0 (with gradient 0) wherever x ≤ 0. (…, d) -> (…, d)."""
    return F.relu(x).square()


def identity_shifted(x: Tensor) -> Tensor:
    """x + 1, the bad example: negative below -1, so weights go negative and the denominator may reach 0."""
    return x + 1


def taylor_2(x: Tensor) -> Tensor:
    """Second-order Taylor expansion of the exponential: φ(q)·φ(k) = 1 + s + s²/2 with s = q·k/√d.

    The features are 1, x/d^¼ and all products x_i x_j/√(2d). The kernel is at least ½ (at s = -1), although
    single features are negative. (…, d) -> (…, 1 + d + d²).
    """
    x = x / x.shape[-1] ** 0.25
    squares = (x.unsqueeze(-1) * x.unsqueeze(-2)).flatten(-2) / math.sqrt(2)
    return torch.cat([torch.ones_like(x[..., :1]), x, squares], dim=-1)


def dpfp(x: Tensor, nu: int = 3) -> Tensor:
    """Deterministic parameter-free projection: all products r_i r_(i+j), j = 1…nu, with r = relu([x, -x]).

    (…, d) -> (…, 2 d nu). Source: Schlag et al. 2021, arXiv 2102.11174, equation 37.
    """
    if nu < 1:
        raise ValueError(f"nu must be at least 1, found {nu}")
    r = F.relu(torch.cat([x, -x], dim=-1))
    return torch.cat([r * r.roll(-j, dims=-1) for j in range(1, nu + 1)], dim=-1)


def hedgehog(x: Tensor, weight: Tensor | None = None) -> Tensor:
    """softmax([W x, -W x]) over the features; W (d, d) is meant to be learnt and starts as the identity.

    (…, d) -> (…, 2 d). Source: Zhang et al. 2024, arXiv 2402.04347, section 4.2.
    """
    projected = x if weight is None else F.linear(x, weight.to(x.dtype))
    return torch.cat([projected, -projected], dim=-1).softmax(dim=-1)


def positive_random_features(d: int, m: int, seed: int = 0) -> FeatureMap:
    """FAVOR+: φ(x) = exp(W x' - ‖x'‖²/2)/√m with x' = x/d^¼, so that φ(q)·φ(k) is exp(q·k/√d) on average.

    The m rows of W are standard normal and orthogonal in groups of d, drawn once from ``seed``.
    Returns the map (…, d) -> (…, m). Source: Choromanski et al. 2021, arXiv 2009.14794, lemma 1.
    """
    if d < 1 or m < 1:
        raise ValueError(f"d and m must be at least 1, found {d} and {m}")
    generator = torch.Generator().manual_seed(seed)
    blocks = []
    for _ in range(-(-m // d)):
        gaussian, other = (torch.randn(d, d, generator=generator, dtype=torch.float64, device="cpu") for _ in range(2))
        q, r = torch.linalg.qr(gaussian)
        # Without these signs QR does not give a uniformly distributed rotation.
        blocks.append(other.norm(dim=-1, keepdim=True) * (q * r.diagonal().sign()).T)
    weight = torch.cat(blocks)[:m]

    def random_features(x: Tensor) -> Tensor:
        if x.shape[-1] != d:
            raise ValueError(f"these random features are for d = {d}, found shape {tuple(x.shape)}")
        x = x / d**0.25
        projected = F.linear(x, weight.to(x.device, x.dtype))
        return torch.exp(projected - x.square().sum(-1, keepdim=True) / 2) / math.sqrt(m)

    return random_features


def apply(feature_map: FeatureMap, x: Tensor, name: str = "x") -> Tensor:
    """φ(x), a real tensor with every axis of x but the last; ``name`` is the argument that x came from."""
    if not callable(feature_map):
        raise TypeError(f"feature_map must be a function (…, d) -> (…, d_phi), found {type(feature_map).__name__}")
    phi = feature_map(x)
    if not isinstance(phi, Tensor) or phi.is_complex():
        kind = phi.dtype if isinstance(phi, Tensor) else type(phi).__name__
        raise TypeError(f"feature_map must return a real torch.Tensor, found {kind}")
    kept = phi.shape == x.shape or (phi.ndim == x.ndim and phi.shape[:-1] == x.shape[:-1])
    if not kept or phi.shape[-1:] == (0,):
        raise ValueError(
            f"feature_map must keep every axis but the last: {name} has shape {tuple(x.shape)}, "
            f"feature_map({name}) has shape {tuple(phi.shape)}; at least one feature is needed"
        )
    return phi


def check_feature_map(feature_map: FeatureMap, x: Tensor) -> Tensor:
    """φ(x), after making sure that φ keeps the leading axes of ``x`` and that no feature is negative.

    Raises ValueError otherwise. The attention functions check shapes only; signs cost a pass over the data.
    """
    phi = apply(feature_map, x)
    if phi.numel() and not phi.min() >= 0:  # a NaN is the smallest
        raise ValueError(f"feature_map must not return negative features: the smallest found is {phi.min().item():.4g}")
    return phi


#: The functions above by name; they are known to act on each token alone.
BUILT_IN = {
    f.__name__: f
    for f in (elu_plus_one, relu_plus_eps, exponential, squared_relu, identity_shifted, taylor_2, dpfp, hedgehog)
}


def name_of(feature_map: FeatureMap) -> str | None:
    """The name under which ``BUILT_IN`` has it; None for any other function."""
    name = getattr(feature_map, "__name__", None)
    return name if BUILT_IN.get(name) is feature_map else None
