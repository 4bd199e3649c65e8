"""Softmax attention and its KV cache: what linear attention is compared with.

It weighs value m by exp(q_n·k_m/√d_k), divided by the sum over the m that query n may see.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import torch
from torch import Tensor

from .inputs import check_inputs, check_tensors, shape, sum_dtype, without_autocast


def softmax_attention(q: Tensor, k: Tensor, v: Tensor, *, causal: bool = True) -> Tensor:
    """softmax(Q Kᵀ/√d_k) V with the (n, m) score matrix written out: exact, quadratic in time and memory.

    When causal, the last query sees all keys: with m keys and n queries, query i sees keys up to i + m - n.
    Half precision is computed in float32. A NaN in one value reaches all outputs, as 0·NaN.
    Source: Vaswani et al. 2017, arXiv 1706.03762, equation 1.
    """
    check_inputs(q, k, v, same_length=False)
    n, m = q.shape[-2], k.shape[-2]
    if causal and m < n:
        raise ValueError(f"causal attention needs at least as many keys as queries: found {m} and {n}")
    wide_q, wide_k, wide_v = (x.to(sum_dtype(x)) for x in (q, k, v))
    with without_autocast(q):
        scores = torch.einsum("...nf,...mf->...nm", wide_q, wide_k) / math.sqrt(q.shape[-1])
        if causal:  # hide the future
            scores = scores.masked_fill(torch.ones(n, m, device=q.device).triu(1 + m - n).bool(), -math.inf)
        return torch.einsum("...nm,...me->...ne", scores.softmax(dim=-1), wide_v).to(q.dtype)


@dataclass(eq=False)
class KVCache:
    """What softmax attention has to remember: every key and value, so it grows with every token."""

    k: Tensor | None = None
    v: Tensor | None = None

    def update(self, k: Tensor, v: Tensor) -> KVCache:
        """Append one token, k (…, d_k) and v (…, d_v). Returns self."""
        check_tensors(**({} if self.k is None else {"the cache": self.k}), k=k, v=v)
        for name, x, kept in (("k", k, self.k), ("v", v, self.v)):
            if x.ndim < 1 or (kept is not None and x.shape != (*kept.shape[:-2], kept.shape[-1])):
                wanted = "be one token, (…, d)" if kept is None else f"fit the tokens kept, {shape(kept)}"
                raise ValueError(f"{name} must {wanted}: found {shape(x)}")
        k, v = k.unsqueeze(-2), v.unsqueeze(-2)
        check_inputs(k, k, v)
        self.k, self.v = (x if old is None else torch.cat([old, x], dim=-2) for old, x in ((self.k, k), (self.v, v)))
        return self

    def read(self, q: Tensor) -> Tensor:
        """Softmax attention of one query over all tokens kept: (…, d_k) -> (…, d_v)."""
        if self.k is None:
            raise ValueError("the cache is empty: update it with a token before reading")
        check_tensors(**{"the cache": self.k, "q": q})
        if q.ndim != self.k.ndim - 1:
            raise ValueError(f"q must be one query, (…, d_k), of the cache's keys, {shape(self.k)}: found {shape(q)}")
        return softmax_attention(q.unsqueeze(-2), self.k, self.v).squeeze(-2)
