"""The running state (S, Z) of linear attention.

Token t is written, S_t = S_(t-1) + φ(k_t) v_tᵀ and Z_t = Z_(t-1) + φ(k_t), then read,
out_t = φ(q_t)ᵀ S_t/(φ(q_t)·Z_t + eps).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import torch
from torch import Tensor

from .feature_maps import FeatureMap, apply, elu_plus_one
from .inputs import broadcast, check_eps, check_tensors, features, plus_eps, shape, sum_dtype, without_autocast


@dataclass(eq=False)
class LinearAttentionState:
    """What linear attention remembers of all tokens so far; its size does not depend on how many there were.

    S (…, d_phi, d_v) is the running sum of φ(k_i) v_iᵀ, Z (…, d_phi) that of φ(k_i), both float32 or wider.
    Source: Katharopoulos et al. 2020, arXiv 2006.16236, equations 18 to 20.
    """

    S: Tensor
    Z: Tensor
    feature_map: FeatureMap = elu_plus_one
    eps: float = 1e-6

    def __post_init__(self) -> None:
        check_tensors(S=self.S, Z=self.Z)
        check_eps(self.eps)
        if sum_dtype(self.S) != self.S.dtype:
            raise TypeError(f"S and Z are sums and must be float32 or wider, found {self.S.dtype}")
        if self.S.ndim < 2 or self.Z.shape != self.S.shape[:-1]:
            raise ValueError(f"S must be (…, d_phi, d_v) and Z (…, d_phi): found {shape(self.S)} and {shape(self.Z)}")

    @classmethod
    def zeros(
        cls, d_k: int, d_v: int, *, batch_shape: tuple[int, ...] = (), feature_map: FeatureMap = elu_plus_one,
        eps: float = 1e-6, dtype: torch.dtype = torch.float32, device: torch.device | str | None = None,
    ) -> LinearAttentionState:  # fmt: skip
        """The state before any token; d_phi is found by trying the feature map on one zero key."""
        k = torch.zeros(1, d_k, dtype=dtype, device=device)
        check_tensors(k=k)
        S = k.new_zeros(*batch_shape, apply(feature_map, k, "k").shape[-1], d_v, dtype=sum_dtype(k))
        return cls(S, S.new_zeros(S.shape[:-1]), feature_map, eps)

    def update(self, k: Tensor, v: Tensor, *, in_place: bool = False) -> LinearAttentionState:
        """Write one token, k (…, d_k) and v (…, d_v), or a block, (…, n, d_k) and (…, n, d_v). Returns self.

        S and Z become new tensors, so earlier ones and their gradients stay valid; ``in_place=True`` adds to
        the existing tensors instead (decoding without gradients).
        """
        self._check_kind("k", k)
        self._check_kind("v", v)
        phi_k = features(self.feature_map, k, "k")
        token = self._is_token("φ(k)", phi_k, self.S.shape[-2])
        if self._is_token("v", v, self.S.shape[-1]) != token or (not token and k.shape[-2] != v.shape[-2]):
            raise ValueError(f"v must have as many tokens as k: k has shape {shape(k)}, v has shape {shape(v)}")
        add, addcmul = (Tensor.add_, Tensor.addcmul_) if in_place else (Tensor.add, Tensor.addcmul)
        if token:
            self.S = addcmul(self.S, phi_k.unsqueeze(-1), v.unsqueeze(-2))
        else:
            with without_autocast(k):
                self.S = add(self.S, phi_k.mT @ v.to(phi_k.dtype))
        self.Z = add(self.Z, phi_k if token else phi_k.sum(-2))
        return self

    def read(self, q: Tensor) -> Tensor:
        """out = φ(q)ᵀS/(φ(q)·Z + eps) for one query, (…, d_k) -> (…, d_v), or a block of queries."""
        self._check_kind("q", q)
        phi_q = features(self.feature_map, q, "q")
        token = self._is_token("φ(q)", phi_q, self.S.shape[-2], written=False)
        d_phi, d_v = self.S.shape[-2:]
        with without_autocast(q):
            if phi_q.shape == self.Z.shape and self.S.numel():  # decoding: with matmul a step takes a tenth longer
                rows, S, Z = phi_q.reshape(-1, 1, d_phi), self.S.reshape(-1, d_phi, d_v), self.Z.reshape(-1, d_phi, 1)
                out = (rows.bmm(S) / plus_eps(rows.bmm(Z), self.eps)).view(*phi_q.shape[:-1], d_v)
            else:
                rows = phi_q.unsqueeze(-2) if token else phi_q
                out = rows @ self.S / plus_eps(rows @ self.Z.unsqueeze(-1), self.eps)
                out = out.squeeze(-2) if token else out
        return out if out.dtype == q.dtype else out.to(q.dtype)

    def to(self, *args, **kwargs) -> LinearAttentionState:
        """S and Z elsewhere or in another dtype, with the arguments of torch.Tensor.to."""
        return replace(self, S=self.S.to(*args, **kwargs), Z=self.Z.to(*args, **kwargs))

    def detach(self) -> LinearAttentionState:
        """The same tensors with no gradient history: what to carry from one training segment to the next."""
        return replace(self, S=self.S.detach(), Z=self.Z.detach())

    def clone(self) -> LinearAttentionState:
        """A copy that later in-place updates of this one do not touch."""
        return replace(self, S=self.S.clone(), Z=self.Z.clone())

    def _check_kind(self, name: str, x: Tensor) -> None:
        """Raise TypeError unless x is a tensor whose sums have the dtype of S, on the device of S."""
        S = self.S
        if not isinstance(x, Tensor) or x.dtype != S.dtype or x.device != S.device:
            check_tensors(**{name: x})
            if sum_dtype(x) != S.dtype or x.device != S.device:
                raise TypeError(f"{name} of {x.dtype} on {x.device} does not fit a state in {S.dtype} on {S.device}")

    def _is_token(self, name: str, x: Tensor, width: int, written: bool = True) -> bool:
        """Whether x is one token (…, width) and not a block (…, n, width), told apart by the axes of S.

        Raises ValueError unless it fits S; only a query may have more batch than S has.
        """
        if x.shape == self.Z.shape and x.shape[-1] == width:
            return True  # decoding, looked at no longer than this
        batch, lead = x.shape[: self.S.ndim - 2], self.S.shape[:-2]
        fits = x.ndim in (self.Z.ndim, self.S.ndim) and x.shape[-1] == width
        if not fits or not all(a in (1, b) or (b == 1 and not written) for a, b in zip(batch, lead, strict=True)):
            raise ValueError(
                f"{name} must fit S (…, d_phi, d_v) = {shape(self.S)}, as one token (…, d) or as a block (…, n, d): "
                f"found shape {shape(x)}"
            )
        return x.ndim == self.Z.ndim


def map_and_eps(
    feature_map: FeatureMap | None, eps: float | None, initial_state: LinearAttentionState | None
) -> tuple[FeatureMap, float]:
    """φ and eps to use: those given, else the state's, else elu_plus_one and 1e-6. The first two must not differ."""
    if initial_state is None:
        return elu_plus_one if feature_map is None else feature_map, 1e-6 if eps is None else eps
    if not isinstance(initial_state, LinearAttentionState):
        raise TypeError(f"initial_state must be a LinearAttentionState, found {type(initial_state).__name__}")
    for name, given in (("feature_map", feature_map), ("eps", eps)):
        if given is not None and given != getattr(initial_state, name):
            raise ValueError(f"{name} must be the very one that initial_state was made with (or left out)")
    return initial_state.feature_map, initial_state.eps


def starting_state(
    initial_state: LinearAttentionState | None, q: Tensor, k: Tensor, v: Tensor, d_phi: int
) -> tuple[Tensor, Tensor]:
    """S and Z to start from, after making sure that they fit: the initial state's, or zeros."""
    lead, dtype = broadcast(k.shape[:-2], v.shape[:-2]), sum_dtype(v)
    wanted = (*lead, d_phi, v.shape[-1])
    if initial_state is None:
        S = torch.zeros(wanted, dtype=dtype, device=v.device)
        return S, S.new_zeros(wanted[:-1])
    S = initial_state.S
    if S.dtype != dtype or S.device != v.device:
        raise TypeError(f"initial_state must hold {dtype} on {v.device} for this v, found {S.dtype} on {S.device}")
    if shape(S)[-len(wanted) :] != wanted:  # more axes of batch than k and v have are welcome
        raise ValueError(
            f"initial_state.S must have (…, d_phi, d_v) with the leading axes of k and v: {wanted}, found {shape(S)}"
        )
    broadcast(q.shape[:-2], S.shape[:-2], of="q and initial_state.S")
    return S, initial_state.Z
