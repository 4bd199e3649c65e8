"""Inputs for the chapters: sentences become q, k, v by a small fixed rule, the same in Python and in the browser."""

from __future__ import annotations

import re

import torch
from torch import Tensor

#: What separates words. Written out, because Python and JavaScript disagree about rarer kinds of white space.
_SPACES = re.compile("[ \t\n\r\f\v\u00a0]+")


def _hash(text: str) -> int:
    """A well-mixed unsigned 32-bit integer: FNV-1a over the UTF-8 bytes, then a finalizer that spreads every bit."""
    h = 2166136261
    for byte in text.encode():
        h = (h ^ byte) * 16777619 & 0xFFFFFFFF
    h = (h ^ h >> 16) * 0x7FEB352D & 0xFFFFFFFF
    h = (h ^ h >> 15) * 0x846CA68B & 0xFFFFFFFF
    return h ^ h >> 16


def _tenths(seed: int, role: str, what: str | int, i: int, limit: int) -> int:
    """An integer from -limit to limit, fixed by its arguments."""
    return _hash(f"{seed} {role} {i} {what}") % (2 * limit + 1) - limit


def embed_sentence(
    sentence: str, d_k: int = 4, d_v: int = 4, seed: int = 0
) -> tuple[list[str], Tensor, Tensor, Tensor]:
    """Split a sentence at white space and give every word a query, a key and a value.

    q and k are fixed by the word (up to 1.6 either way) plus a little by its position (up to 0.3), so that two
    equal words have similar, not equal, keys; v is fixed by the word alone (up to 1.5). All are whole tenths, made
    by hashing, not learnt: they stand for no meaning. The first entries do not depend on d_k and d_v.

    Returns the words, q (n, d_k), k (n, d_k) and v (n, d_v), in torch's default dtype.
    """
    if not isinstance(sentence, str):
        raise TypeError(f"sentence must be a string, found {type(sentence).__name__}")
    if d_k < 1 or d_v < 1:
        raise ValueError(f"d_k and d_v must be at least 1, found d_k = {d_k}, d_v = {d_v}")
    tokens = [word for word in _SPACES.split(sentence) if word]

    def rows(role: str, limit: int, d: int, positions: bool) -> Tensor:
        return torch.tensor(
            [
                [
                    (_tenths(seed, role, word, i, limit) + (_tenths(seed, "at", t, i, 3) if positions else 0)) / 10
                    for i in range(d)
                ]
                for t, word in enumerate(tokens)
            ]
        ).reshape(len(tokens), d)

    return tokens, rows("q", 16, d_k, True), rows("k", 16, d_k, True), rows("v", 15, d_v, False)
