"""The bug lab: eleven broken causal linear attentions, four checks, and the hunt for the smallest set that sees all."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import torch
import traitlets
from torch import Tensor

from ..attention import all_pairs_linear_attention, causal_linear_attention
from ..checks.mutants import CHECKS, MUTANTS, Attention
from . import still
from .base import Widget
from .trait_types import Stops

LIMITS = {"sequences": (1, 64), "n": (1, 8), "d": (1, 8), "seed": (0, 9999)}
#: What a stop may ask (bug_lab_asks.js), and what it needs some of.
ASKS = {"lamps": "on", "missed": "chosen", "smallest": None}
#: The name of the function that is not broken.
RIGHT = "the right function"


class BugLab(Widget, module="bug_lab"):
    """Switch bugs on, see which of the four checks of `linattn.checks.mutants` light up, and find the fewest that do.

    ``on`` names the bugs that are switched on, ``chosen`` the checks in the reader's set, of those in
    `linattn.checks.mutants.MUTANTS` and ``CHECKS``. Each check runs on ``sequences`` random sequences of ``n`` tokens
    with ``d`` entries and sees a bug where an output is off by more than ``tolerance``·(1 + size). ``stops`` make a
    walk-through, a list of dicts of these traits with a "text" each, and perhaps an "ask" that Next waits for: "lamps"
    (which checks see the bug that ``on`` names last), "missed" (how many bugs ``chosen`` misses), "smallest" (which set
    is the smallest that sees every bug).

    What the reader does arrives in these traits; setting them changes the picture. `table` has what each check sees,
    computed in torch, and `missed` the bugs that the chosen set does not see.
    Raises ValueError, here or in a stop, for unknown names, more than 64 sequences, 8 tokens or 8 entries, a tolerance
    beyond 0 to 1, a question about nothing.
    """

    on = traitlets.List(traitlets.Enum(tuple(MUTANTS))).tag(sync=True)
    chosen = traitlets.List(traitlets.Enum(tuple(CHECKS))).tag(sync=True)
    sequences = traitlets.Int(64, min=1, max=64).tag(sync=True)
    n = traitlets.Int(6, min=1, max=8).tag(sync=True)
    d = traitlets.Int(4, min=1, max=8).tag(sync=True)
    tolerance = traitlets.Float(1e-3).tag(sync=True)
    seed = traitlets.Int(0, min=0, max=9999).tag(sync=True)
    revealed = traitlets.Bool(False).tag(sync=True)
    docs = traitlets.Dict(traitlets.Unicode()).tag(sync=True)
    stops = Stops(*ASKS)

    def __init__(
        self,
        on: Sequence[str] = (),
        chosen: Sequence[str] = (),
        *,
        sequences: int = 64,
        n: int = 6,
        d: int = 4,
        tolerance: float = 1e-3,
        seed: int = 0,
        stops: Sequence[dict] = (),
    ) -> None:
        numbers = {"sequences": sequences, "n": n, "d": d, "tolerance": tolerance, "seed": seed}
        opening = {"on": on, "chosen": chosen, **numbers}
        for settings in (opening, *(opening | stop for stop in stops)):
            _check(settings)
        super().__init__(
            on=[name for name in MUTANTS if name in on], chosen=[name for name in CHECKS if name in chosen], **numbers,
            stops=list(stops), docs={name: mutant.__doc__ for name, mutant in MUTANTS.items()},
        )  # fmt: skip

    @property
    def table(self) -> dict[str, dict[str, bool]]:
        """Whether the check sees the bug, as table[bug][check]; the last row is the right function."""
        return {name: {check: far > self.tolerance for check, far in row.items()} for name, row in self._far().items()}

    @property
    def missed(self) -> list[str]:
        """The bugs that none of the chosen checks sees."""
        table = self.table
        return [name for name in MUTANTS if not any(table[name][check] for check in self.chosen)]

    def _far(self) -> dict[str, dict[str, float]]:
        data, other = (draw(2 * self.seed + i, self.sequences, self.n, self.d) for i in (0, 1))
        functions = MUTANTS | {RIGHT: causal_linear_attention}
        return {name: distances(function, data, other) for name, function in functions.items()}

    def still(self) -> str:
        far = self._far()
        rows = [
            [name, *(f"{'seen' if x > self.tolerance else 'passes'}, {told(x, self.tolerance)}" for x in row.values())]
            for name, row in far.items()
        ]
        items = "".join(
            f"<li><b>{still.escape(name)}</b>: {still.escape(about)}</li>" for name, about in self.docs.items()
        )
        caption = (
            f"What each check sees on {self.sequences} random sequences, n = {self.n}, d = {self.d}: an output is off "
            f"by more than {limit(self.tolerance)}·(1 + size)"
        )
        return f"<figure>{still.table(caption, ['function', *CHECKS], rows)}</figure>\n<ul>{items}</ul>"


def _check(settings: dict) -> None:
    """Raise ValueError for what the lab does not know, cannot run or cannot ask."""
    for name, known in (("on", MUTANTS), ("chosen", CHECKS)):
        if unknown := [x for x in settings[name] if x not in known]:
            raise ValueError(f"{name} must be some of {', '.join(known)}: found {unknown[0]!r}")
    for name, (least, most) in LIMITS.items():
        if not least <= settings[name] <= most:
            raise ValueError(f"{name} must be from {least} to {most}: found {settings[name]}")
    if not 0 < settings["tolerance"] <= 1:
        raise ValueError(f"tolerance must be above 0 and at most 1: found {settings['tolerance']}")
    if (some := ASKS.get(settings.get("ask"))) and not settings[some]:
        raise ValueError(f"the ask {settings['ask']} needs some of {some}: found none")


def limit(tolerance: float) -> str:
    """A tolerance (`limit` of bug_lab_words.js)."""
    mantissa, exponent = f"{tolerance:e}".split("e")
    return f"{float(mantissa):g}" + (f"e{int(exponent)}".replace("-", "−") if tolerance < 1 else "")


def told(x: float, tolerance: float) -> str:
    """A distance, with as many digits as tell on which side of the tolerance it is (`far` of bug_lab_words.js)."""
    if x == math.inf:
        return "∞"
    side = lambda y: (y > tolerance) - (y < tolerance)  # noqa: E731
    text, digits = still.number(x), 2
    while side(float(text.replace(",", "").replace("−", "-"))) != side(x):
        text, digits = still.plain(x, digits), digits + 1
    return text


Triple = tuple[Tensor, Tensor, Tensor]


def draw(seed: int, sequences: int, n: int, d: int) -> Triple:
    """q, k, v (sequences, n, d), float64, Gaussian: the numbers that the browser draws (bug_lab_math.js)."""
    normal = _gaussian(seed)
    numbers = torch.tensor([next(normal) for _ in range(3 * sequences * n * d)], dtype=torch.float64)
    q, k, v = numbers.reshape(sequences, 3, n, d).unbind(1)
    return q, k, v


def distances(attention: Attention, data: Triple, other: Triple) -> dict[str, float]:
    """How badly a function breaks the rule of each check: the largest |a − b|/(1 + |b|)."""
    q, k, v = data
    out, same = attention(q, k, v), v[:, :1].expand_as(v).contiguous()
    ahead = [0.0]
    for t in range(1, q.shape[-2]):
        mixed = (torch.cat((a[:, :t], b[:, t:]), 1) for a, b in zip(data, other, strict=True))
        ahead.append(_distance(attention(*mixed)[:, :t], out[:, :t]))
    return {
        "position 0": _distance(out[:, 0], v[:, 0]),
        "constant v": _distance(attention(q, k, same), same),
        "causality": max(ahead),
        "reference": _distance(out, all_pairs_linear_attention(q, k, v)),
    }


def _distance(a: Tensor, b: Tensor) -> float:
    return ((a - b).abs() / (1 + b.abs())).nan_to_num(nan=math.inf, posinf=math.inf).max().item()


def _gaussian(seed: int) -> Iterator[float]:
    """mulberry32 and Box–Muller, in 32-bit integers as JavaScript has them."""
    state, mask = seed, 0xFFFFFFFF

    def uniform() -> float:
        nonlocal state
        state = (state + 0x6D2B79F5) & mask
        x = (state ^ state >> 15) * (state | 1) & mask
        x ^= x + ((x ^ x >> 7) * (x | 61) & mask) & mask
        return ((x ^ x >> 14) + 0.5) / 2**32

    while True:
        yield math.sqrt(-2 * math.log(uniform())) * math.cos(2 * math.pi * uniform())
