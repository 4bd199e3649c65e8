"""Causal linear attention in chunks: matrix products inside a chunk, the state between chunks.

The equations are in :func:`plain_chunkwise`; ``sweeps.py`` computes the same thing faster, and this module
makes that one differentiable operation, which autograd, ``torch.func`` and ``torch.compile`` see from outside.
Source: Yang et al. 2024, arXiv 2312.06635, section 3.
"""

from __future__ import annotations

import math
from functools import partial

import torch
from torch import Tensor
from torch.autograd import forward_ad
from torch.nn.functional import pad

from .feature_maps import elu_plus_one
from .inputs import broadcast, hide, plus_eps, without_autocast
from .sweeps import Chunks, backward_sweep, forward_sweep, steps


def plain_chunkwise(
    q: Tensor, k: Tensor, v: Tensor, S1: Tensor, mask: Tensor | None, eps: float, chunk: int, phi: str
) -> tuple[Tensor, Tensor]:
    """The chunkwise form as its equations, for C tokens, with S and Z from all chunks before them:

        numerator   = φ(Q) S + tril(φ(Q) φ(K)ᵀ) V        (C, d_v)
        denominator = φ(Q) Z + tril(φ(Q) φ(K)ᵀ) 1        (C,)
        then          S += φ(K)ᵀ V,   Z += φ(K)ᵀ 1

    V1 = [V, 1] is V with a column of ones, so that Z is the last row of S1 = [S, Z]ᵀ. Returns out, S1.
    """
    phi_q, phi_k = (elu_plus_one(x.to(S1.dtype)) if phi else x for x in (q, k))
    phi_k, v1 = hide(mask, phi_k, pad(v, (0, 1), value=1.0))
    out = []
    for Q, K, V1 in zip(phi_q.split(chunk, -2), phi_k.split(chunk, -2), v1.split(chunk, -2), strict=True):
        K, V1, S1_found = K.unsqueeze(-3), V1.unsqueeze(-3), S1.unsqueeze(-3)
        numerator1 = Q @ S1_found.mT + (Q @ K.mT).tril() @ V1
        out.append(numerator1[..., :-1] / plus_eps(numerator1[..., -1:], eps))
        S1 = S1 + (V1.mT @ K).squeeze(-3)
    return torch.cat(out, -2).to(v.dtype), S1


@torch.library.custom_op("linattn::chunkwise", mutates_args=())
def _forward(
    q: Tensor, k: Tensor, v: Tensor, S1: Tensor, mask: Tensor | None,
    eps: float, chunk: int, group: int, phi: str, keep: bool,
) -> tuple[Tensor, Tensor, Tensor, Tensor]:  # fmt: skip
    """out, the last S1, and for the backward sweep, if ``keep``: denominator + eps, and the S1 before each step."""
    out, S1_last, divisor, states = _forward_shapes(q, k, v, S1, mask, eps, chunk, group, phi, keep)
    n, parts = q.shape[-2], Chunks(q, k, v, mask, phi, S1)

    def sweep(cuts: list[int], states: Tensor) -> None:
        S1_last.copy_(S1)
        plan, sums = steps(cuts, chunk, group), S1_last.flatten(0, -3)
        with without_autocast(q):
            forward_sweep(parts, sums, eps, plan, out, divisor if keep else None, states.flatten(0, -4))

    sweep([0, n], states)
    if not torch.isfinite(S1_last.sum()):
        # A NaN or inf in v stays in S for good, so this one look at the end finds any. Inside its chunk it has
        # met the earlier rows as well, as 0·NaN. It does not if its token is the first of its chunk: cut there.
        # What follows the first NaN in its column of v is NaN whatever it holds, and needs no cut.
        shown = v if mask is None else v.masked_fill(~mask.unsqueeze(-1), 0)
        bad = ~shown.isfinite() & (shown.isnan().cumsum(-2) <= shown.isnan())
        cuts = [0, *bad.any(-1).flatten(0, -2).any(0).nonzero().flatten().tolist(), n]
        if len(cuts) > 2:
            sweep(cuts, states[..., :0, :, :])
    return out, S1_last, divisor, states


@_forward.register_fake
def _forward_shapes(q, k, v, S1, mask, eps, chunk, group, phi, keep):
    """The four results, unfilled. There are at most two steps that are not full."""
    kept_rows, kept_states = (q.shape[-2], q.shape[-2] // (chunk * group) + 2) if keep else (0, 0)
    return (
        v.new_empty(*q.shape[:-1], v.shape[-1]),
        S1.new_empty(S1.shape),
        S1.new_empty(*q.shape[:-2], kept_rows, 1),
        S1.new_empty(*S1.shape[:-2], kept_states, *S1.shape[-2:]),
    )


@torch.library.custom_op("linattn::chunkwise_backward", mutates_args=())
def _backward(
    grad_out: Tensor, grad_S1: Tensor, q: Tensor, k: Tensor, v: Tensor, S1: Tensor, mask: Tensor | None,
    out: Tensor, divisor: Tensor, states: Tensor, chunk: int, group: int, phi: str,
) -> tuple[Tensor, Tensor, Tensor, Tensor]:  # fmt: skip
    """The gradients of q, k, v and of the first S1."""
    grad_S1 = grad_S1.clone(memory_format=torch.contiguous_format)
    parts = Chunks(q, k, v, mask, phi, S1)
    plan = steps([0, q.shape[-2]], chunk, group)
    with without_autocast(q):
        grads = backward_sweep(parts, grad_S1.flatten(0, -3), grad_out, plan, out, divisor, states.flatten(0, -4))
    return *grads, grad_S1


@_backward.register_fake
def _(grad_out, grad_S1, q, k, v, S1, mask, out, divisor, states, chunk, group, phi):
    return tuple(x.new_empty(x.shape) for x in (q, k, v, S1))


for _operator in (_forward, _backward):  # torch.func.vmap: one more batch axis in front

    @_operator.register_vmap
    def _(info, in_dims, *args, operator=_operator):
        def to_front(x, dim):
            return x.expand(info.batch_size, *x.shape) if dim is None else x.movedim(dim, 0)

        args = (to_front(x, d) if isinstance(x, Tensor) else x for x, d in zip(args, in_dims, strict=True))
        return operator(*args), (0, 0, 0, 0)


class _Chunkwise(torch.autograd.Function):
    """The forward sweep. (With ``register_autograd`` instead, nested transforms of torch.func would not work.)"""

    generate_vmap_rule = True

    @staticmethod
    def forward(q, k, v, S1, mask, eps, chunk, group, phi):
        return _forward(q, k, v, S1, mask, eps, chunk, group, phi, True)

    @staticmethod
    def setup_context(ctx, inputs, output):
        tensors, ctx.options = inputs[:5], inputs[5:]
        out, _, *kept = output
        ctx.mark_non_differentiable(*kept)
        ctx.set_materialize_grads(False)  # or zeros would be made for all that is kept
        ctx.save_for_backward(*tensors, out, *kept)

    @staticmethod
    def backward(ctx, grad_out, grad_S1, *_):
        *_, S1, _, out, _, _ = saved = ctx.saved_tensors  # read once: checkpointing refuses a second time
        grads = (torch.zeros_like(x) if g is None else g for g, x in ((grad_out, out), (grad_S1, S1)))
        return *_ChunkwiseBackward.apply(*grads, *saved, *ctx.options), *5 * [None]


class _ChunkwiseBackward(torch.autograd.Function):
    """The backward sweep; its own derivative (double backward) goes through the plain form."""

    generate_vmap_rule = True

    @staticmethod
    def forward(grad_out, grad_S1, q, k, v, S1, mask, out, divisor, states, eps, chunk, group, phi):
        return _backward(grad_out, grad_S1, q, k, v, S1, mask, out, divisor, states, chunk, group, phi)

    @staticmethod
    def setup_context(ctx, inputs, output):
        *tensors, _, _, _, ctx.eps, ctx.chunk, _, ctx.phi = inputs
        ctx.save_for_backward(*tensors)

    @staticmethod
    def backward(ctx, *grads):
        *tensors, mask = ctx.saved_tensors
        plain = partial(plain_chunkwise, mask=mask, eps=ctx.eps, chunk=ctx.chunk, phi=ctx.phi)

        def gradients(grad_out, grad_S1, *inputs):
            return torch.func.vjp(plain, *inputs)[1]((grad_out, grad_S1))

        with without_autocast(tensors[0]):
            return *torch.func.vjp(gradients, *tensors)[1](grads), *8 * [None]


def chunk_length(entries: int) -> int:
    """The default, for tokens with so many entries in all heads together.

    Longer chunks waste the masked half of their scores, shorter ones are too small for fast products: 64 or 16 take up
    to 1.1 times as long. With room for one in a step (below), 64 is as fast and halves the states kept for backward.
    """
    return 32 * min(2, 1 + (entries - 1) // 2**11)  # without a branch, which torch.export would make a condition


def chunkwise(
    q: Tensor, k: Tensor, v: Tensor, S1: Tensor, key_mask: Tensor | None, eps: float, chunk_size: int | None, phi: str
) -> tuple[Tensor, Tensor]:
    """out and the last S1, from q, k (…, n, d), v (…, n, d_v) and the first S1 (…, d_v + 1, d_phi).

    ``phi`` names the built-in map to apply; it is empty if q and k are features already.
    """
    # Axes of size 1 in k and v where q has more are groups of queries with one key/value head: the sweeps read
    # them side by side, (*heads, group, n, d), and k, v and the state as (*heads, n, d), with nothing copied.
    heads = broadcast(k.shape[:-2], v.shape[:-2], S1.shape[:-2])
    lead = broadcast(q.shape[:-2], heads)
    heads = (1,) * (len(lead) - len(heads)) + heads
    shared = tuple(i - len(lead) - 2 for i in range(len(lead)) if heads[i] != lead[i])
    last = tuple(range(-2 - len(shared), -2))

    def fold(x: Tensor) -> Tensor:
        return x.expand(*heads, *x.shape[-2:])[None].squeeze(shared)

    Q = q.expand(*lead, *q.shape[-2:])[None].movedim(shared, last)
    Q = Q.reshape(*Q.shape[: -2 - len(shared)], math.prod([lead[i + 2] for i in shared]), *q.shape[-2:])
    mask = None if key_mask is None else fold(key_mask.unsqueeze(-1)).squeeze(-1)

    # A step is fastest when a buffer holds about 2^17 entries a thread (two at most, as more cost memory). Fewer mean
    # more calls (2^15: 1.1 to 1.2 times as long), more fall out of the cache. Compiled code can't count its threads.
    n, entries = q.shape[-2], max(1, math.prod(lead) * max(S1.shape[-1], S1.shape[-2] - 1))
    chunk = max(1, min(chunk_size or chunk_length(entries), n))
    threads = 1 if torch.compiler.is_compiling() else min(torch.get_num_threads(), 2)
    group = max(1, min(n // chunk, threads * 2**17 // (chunk * entries)))

    inputs = Q, fold(k), fold(v), fold(S1), mask, eps, chunk, group, phi
    out, S1, *_ = _Chunkwise.apply(*inputs) if wants_gradient(*inputs[:4]) else _forward(*inputs, False)
    out = out.unflatten(-3, (*(lead[i + 2] for i in shared), 1)).squeeze(-3).movedim(last, shared)
    return out.squeeze(0), S1.reshape(*heads, *S1.shape[-2:])


def wants_gradient(*tensors: Tensor) -> bool:
    """Whether autograd may have to record these: torch.func hides it, and forward mode must say that it is refused."""
    hidden = torch._C._functorch.maybe_current_level() is not None
    recorded = torch.is_grad_enabled() and (hidden or any(x.requires_grad for x in tensors))
    return recorded or forward_ad._current_level >= 0
