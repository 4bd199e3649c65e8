"""Checkers for chapter 4: the write, a token by hand, memory, the loop, forgetting a token."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from linattn.attention import all_pairs_linear_attention
from linattn.checks import NOT_ATTEMPTED, Diagnosis, attempt, mutants, right, wrong
from linattn.checks.answers import is_blank, kind, never_raises, number, tensor
from linattn.feature_maps import elu_plus_one as phi

# The three tokens that the chapter works by hand: d_k = d_v = 2, small whole numbers.
Q = torch.tensor([[1.0, 0.0], [0.0, 2.0], [1.0, 1.0]])
K = torch.tensor([[0.0, 1.0], [2.0, 0.0], [1.0, 1.0]])
V = torch.tensor([[3.0, -1.0], [0.0, 2.0], [4.0, 1.0]])


def _draw(*shape: int, seed: int) -> Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


def _close(a: Tensor, b: Tensor) -> bool:
    """Is a this tensor? A shape that differs is a no, never an error."""
    return a.shape == b.shape and torch.allclose(a.to(b.dtype), b, rtol=1e-3, atol=1e-3)


def _explain(found: Any, wanted: Tensor, name: str, kinds: list[tuple[Any, str]]) -> Diagnosis | None:
    """None if found is wanted; else the kind of wrong: a known one, the shape, or the numbers."""
    found = tensor(found, name)
    if isinstance(found, Diagnosis):
        return found
    found = found.to(wanted.dtype)
    if _close(found, wanted):
        return None
    for value, message in kinds:
        if _close(found, value):
            return wrong(message)
    if not found.isfinite().all():
        return wrong(f"{name} has entries that are no finite numbers: do you divide by a Z that is still zero?")
    if found.shape != wanted.shape:
        return wrong(f"{name} has shape {tuple(found.shape)}, wanted {tuple(wanted.shape)}.")
    return wrong(
        f"{name} has the right shape but other numbers: its largest error is {(found - wanted).abs().max().item():.3g}."
    )


def _pair(result: Any) -> tuple[Any, Any] | Diagnosis:
    if isinstance(result, Diagnosis):
        return result
    if not isinstance(result, tuple | list) or len(result) != 2:
        return wrong("Return two things, the new S and the new Z: `return S, Z`.")
    return NOT_ATTEMPTED if is_blank(result) else tuple(result)


@never_raises
def write(answer: Callable[[Tensor, Tensor, Tensor, Tensor], tuple[Tensor, Tensor]]) -> Diagnosis:
    """``write(S, Z, phi_k, v) -> (S, Z)`` adds one token to the state."""
    S, Z = _draw(3, 2, seed=0), _draw(3, seed=1).abs()
    phi_k, v = phi(_draw(3, seed=2)), _draw(2, seed=3)
    found = _pair(attempt(answer, S.clone(), Z.clone(), phi_k, v))
    if isinstance(found, Diagnosis):
        return found
    tile = torch.outer(phi_k, v)
    return (
        _explain(
            found[0],
            S + tile,
            "S",
            [
                (S, "S did not change: add the tile φ(k) vᵀ to it."),
                (tile, "S holds this token only: add the tile to the old S, do not replace it."),
                (S - tile, "The tile is taken away from S: a write adds it."),
            ],
        )
        or _explain(
            found[1],
            Z + phi_k,
            "Z",
            [
                (Z, "Z is one token behind: add φ(k) to it."),
                (phi_k, "Z holds this token only: add φ(k) to the old Z, do not replace it."),
                (Z - phi_k, "φ(k) is taken away from Z: a write adds it."),
                (Z + phi_k.sum(), "You added the sum of φ(k) to every entry: add φ(k) entry by entry."),
            ],
        )
        or right("S grew by the tile φ(k) vᵀ and Z by φ(k): that is everything a token leaves behind.")
    )


@never_raises
def token_2(S_2: Any, Z_2: Any, out_2: Any) -> Diagnosis:
    """The state after token 2 of the worked example, and the output read from it."""
    if is_blank([S_2, Z_2, out_2]):
        return NOT_ATTEMPTED
    phi_q, phi_k = phi(Q), phi(K)
    S, Z = phi_k.T @ V, phi_k.sum(0)
    numerator, w = phi_q[2] @ S, phi_q[2] @ Z
    before, before_Z = phi_k[:2].T @ V[:2], phi_k[:2].sum(0)
    return (
        _explain(
            S_2,
            S,
            "S_2",
            [
                (before, "S_2 is still S_1: write token 2 before you read."),
                (torch.outer(phi_k[2], V[2]), "That is the tile of token 2 alone: add it to S_1."),
                (before + torch.outer(K[2], V[2]), "Your tile is k_2 v_2ᵀ: apply φ to k_2 first."),
                (
                    before + torch.outer(V[2], phi_k[2]),
                    "The tile lies on its side: φ(k_2) runs down, v_2 runs along.",
                ),
            ],
        )
        or _explain(
            Z_2,
            Z,
            "Z_2",
            [
                (before_Z, "Z_2 is still Z_1: write token 2 before you read."),
                (phi_k[2], "That is φ(k_2) alone: add it to Z_1."),
                (before_Z + K[2], "Z_2 has k_2 where φ(k_2) belongs."),
            ],
        )
        or _explain(
            out_2,
            numerator / w,
            "out_2",
            [
                (numerator, "That is the numerator φ(q_2)ᵀS_2: divide it by φ(q_2)·Z_2."),
                (numerator / Z.sum(), "You divided by the sum of Z_2's entries: divide by φ(q_2)·Z_2."),
                (Q[2] @ S / (Q[2] @ Z), "You read with q_2: apply φ to q_2 first."),
                (phi_q[2] @ before / (phi_q[2] @ before_Z), "You read before you wrote: use S_2 and Z_2."),
            ],
        )
        or right("S_2, Z_2 and out_2 are right. You have done by hand what the loop does.")
    )


@never_raises
def memory(state_numbers: Any, tokens: Any) -> Diagnosis:
    """Numbers in S and Z at d_phi = d_v = 64, and the number of tokens at which the KV cache holds more."""
    if is_blank([state_numbers, tokens]):
        return NOT_ATTEMPTED
    for name, answer in {"state_numbers": state_numbers, "tokens": tokens}.items():
        if number(answer) is None:
            return wrong(f"{name} should be one number; found {kind(answer)}.")
    state_numbers, tokens = number(state_numbers), number(tokens)
    if state_numbers != 64 * 64 + 64:
        kinds = {
            64 * 64: "4096 counts S only: Z keeps 64 more.",
            64: "64 counts Z only: S is a matrix of 64 rows and 64 columns.",
            2 * 64: "128 is what one token adds to the KV cache. S has 64 · 64 entries and Z has 64.",
        }
        return wrong(kinds.get(state_numbers, "S has d_phi · d_v numbers, and Z has d_phi numbers."))
    if tokens != 33:
        keys_only = "You counted the keys only. A cache keeps the values too: 128 numbers a token."
        kinds = {
            32: "At 32 tokens the cache holds 32 · 128 = 4096 numbers: still fewer than 4160.",
            32.5: "32.5 is where the two lines cross: give the first whole number of tokens after it.",
            65: keys_only,
            66: keys_only,
        }
        return wrong(kinds.get(tokens, "Each token adds d_k + d_v = 128 numbers. When does that pass 4160?"))
    return right("4160 numbers, whatever n is; the cache passes that at its 33rd token, position 32.")


def _slip(*, of_q=phi, of_k=phi, S_behind: int = 0, Z_behind: int = 0) -> mutants.Attention:
    """The loop with a slip: φ forgotten on q or k, or S or Z some tokens behind."""

    def attention(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
        scores = of_q(q) @ of_k(k).mT
        return scores.tril(-S_behind) @ v / (scores.tril(-Z_behind).sum(-1, keepdim=True) + mutants.EPS)

    return attention


def _no_map(x: Tensor) -> Tensor:
    return x


LOOPS: list[tuple[mutants.Attention, str]] = [
    (mutants.strict_mask, "Both S and Z are one token behind: update before you read."),
    (_slip(Z_behind=1), "Z is one token behind: update before you read."),
    (_slip(S_behind=1), "S is one token behind: update before you read."),
    (mutants.no_mask, "Every token sees the whole sequence: read inside the loop, not after it."),
    (mutants.no_normaliser, "That is the numerator alone: divide by φ(q_t)·Z_t + ε."),
    (mutants.divided_by_count, "You divided by the number of tokens: divide by φ(q_t)·Z_t + ε."),
    (mutants.full_sequence_normaliser, "The denominator is made with the last Z: read inside the loop."),
    (mutants.z_without_q, "φ(q_t) is missing in the denominator: divide by φ(q_t)·Z_t."),
    (mutants.large_eps, "ε is 1e-2: use 1e-6, or every output shrinks."),
    (mutants.transposed_state, "S lies on its side: in the tile, φ(k_t) runs down and v_t runs along."),
    (mutants.phi_forgotten_on_k, "φ is missing on k: write φ(k_t), not k_t."),
    (_slip(of_q=_no_map), "φ is missing on q: read with φ(q_t), not with q_t."),
    (_slip(of_q=_no_map, of_k=_no_map), "φ is missing on both q and k."),
    (lambda q, k, v: phi(k).mT @ v, "That is the last S: return the outputs, one row per token."),
]


@never_raises
def loop(answer: Callable[[Tensor, Tensor, Tensor], Tensor]) -> Diagnosis:
    """``loop(q, k, v) -> out`` for one sequence, ``(n, d_k)``, ``(n, d_k)``, ``(n, d_v)`` to ``(n, d_v)``."""
    q, k, v = (_draw(5, 4, seed=seed) for seed in (4, 5, 6))
    out = attempt(answer, q, k, v)
    if isinstance(out, Diagnosis):
        return out
    kinds = [(wrong_loop(q, k, v), message) for wrong_loop, message in LOOPS]
    wanted = all_pairs_linear_attention(q, k, v)
    kinds.append((wanted[-1], "That is the last output alone: collect one output per token."))
    fault = _explain(out, wanted, "out", kinds)
    if fault:
        return fault
    q, k, v = _draw(7, 3, seed=7), _draw(7, 3, seed=8), _draw(7, 2, seed=9)  # d_v differs from d_k, n from 5
    out = attempt(answer, q, k, v)
    if isinstance(out, Diagnosis):
        return wrong(f"Right for n = 5, d_k = d_v = 4. But for n = 7, d_k = 3, d_v = 2: {out.message}")
    return _explain(out, all_pairs_linear_attention(q, k, v), "out", []) or right(
        "Your loop equals the masked all-pairs form, and no n × n matrix was ever built."
    )


@never_raises
def forget(answer: Callable[[Tensor, Tensor, Tensor, Tensor], tuple[Tensor, Tensor]]) -> Diagnosis:
    """``forget(S, Z, phi_k, v) -> (S, Z)`` takes one token out of the state again."""
    k, v = _draw(6, 3, seed=10), _draw(6, 2, seed=11)
    phi_k, j = phi(k), 2
    S, Z = phi_k.T @ v, phi_k.sum(0)
    found = _pair(attempt(answer, S.clone(), Z.clone(), phi_k[j], v[j]))
    if isinstance(found, Diagnosis):
        return found
    tile = torch.outer(phi_k[j], v[j])
    return (
        _explain(
            found[0],
            S - tile,
            "S",
            [
                (S, "S did not change: take the token's tile φ(k) vᵀ out of it."),
                (S + tile, "You wrote the token a second time: subtract its tile."),
                (tile, "That is the token's tile: subtract it from S."),
                (tile - S, "The signs are the other way round: S minus the tile."),
            ],
        )
        or _explain(
            found[1],
            Z - phi_k[j],
            "Z",
            [
                (Z, "Z still counts the token: take φ(k) out of it too, or every output shrinks."),
                (Z + phi_k[j], "You wrote the token into Z a second time: subtract φ(k)."),
            ],
        )
        or right("One subtraction each, and the token is gone, wherever in the past it was.")
    )
