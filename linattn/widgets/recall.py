"""Recall: write random pairs into S one by one, read them all back, and see what a state of this size can hold."""

from __future__ import annotations

import math
from collections.abc import Sequence

import torch
import traitlets
from torch import Tensor

from ..tasks import _hash
from . import still
from .base import Widget
from .trait_types import Position, Stops

RULES = {"sum": "plain sum", "decay": "decay", "delta": "delta rule"}
#: A squared error below this is rounding and nothing else.
EXACT = 1e-20
D_V = 4
MOST_D, MOST_PAIRS, MOST_SEED = 32, 64, 9999


class Recall(Widget, module="recall"):
    """Write ``m`` of ``pairs`` random pairs (k, v) into S (d_phi, 4), read each back, compare with what was written.

    ``rule`` is the plain "sum" S + k vᵀ, "decay" ``gamma`` S + k vᵀ, or "delta" S + ``beta`` k (v − Sᵀk)ᵀ. Keys and
    values are unit vectors in random directions, fixed by ``seed``; with ``orthogonal`` the keys are at right angles in
    sets of d_phi, which is all there is room for. ``rewrite`` gives pair 1 the key of pair 0. ``pair`` is looked at
    closely. ``stops`` make a walk-through, a list of dicts of these traits with a "text" each, and a stop
    with "ask": "exact" waits for an answer: how many pairs come back exactly? The truth is read back from S.

    `k`, `v`, `S`, `read` and `errors` (squared, one a pair written) belong to m; `curve` and `least` hold for
    every m from 0 the mean squared error, and that of the best S there is for these keys (least squares).
    Raises ValueError (TraitError once made) for sizes and rates out of range.
    """

    d_phi = traitlets.Int(16, min=2, max=MOST_D).tag(sync=True)
    pairs = traitlets.Int(48, min=2, max=MOST_PAIRS).tag(sync=True)
    m = Position(lambda now: now("pairs"))
    pair = Position(lambda now: now("pairs") - 1)
    rule = traitlets.Enum(tuple(RULES), "sum").tag(sync=True)
    gamma = traitlets.Float(0.9, min=0, max=1).tag(sync=True)
    beta = traitlets.Float(1.0, min=0, max=1).tag(sync=True)
    orthogonal = traitlets.Bool(False).tag(sync=True)
    rewrite = traitlets.Bool(False).tag(sync=True)
    seed = traitlets.Int(0, min=0, max=MOST_SEED).tag(sync=True)
    stops = Stops("exact")

    def __init__(
        self,
        d_phi: int = 16,
        *,
        pairs: int = 48,
        m: int = 0,
        pair: int = 0,
        rule: str = "sum",
        gamma: float = 0.9,
        beta: float = 1.0,
        orthogonal: bool = False,
        rewrite: bool = False,
        seed: int = 0,
        stops: Sequence[dict] = (),
    ) -> None:
        limits = {"d_phi": (d_phi, 2, MOST_D), "pairs": (pairs, 2, MOST_PAIRS), "seed": (seed, 0, MOST_SEED)}
        limits |= {"m": (m, 0, pairs), "pair": (pair, 0, pairs - 1), "gamma": (gamma, 0, 1), "beta": (beta, 0, 1)}
        for name, (value, least, most) in limits.items():
            if not least <= value <= most:
                raise ValueError(f"{name} must be from {least} to {most}: found {value}")
        if rule not in RULES:
            raise ValueError(f"rule must be one of {', '.join(RULES)}: found {rule!r}")
        super().__init__(
            d_phi=d_phi, pairs=pairs, m=m, pair=pair, rule=rule, gamma=gamma, beta=beta, orthogonal=orthogonal,
            rewrite=rewrite, seed=seed, stops=list(stops),
        )  # fmt: skip

    @traitlets.validate("pairs")
    def _room(self, proposal: dict) -> int:
        pairs, least = proposal["value"], max(self.m, self.pair + 1)
        if pairs < least:
            raise traitlets.TraitError(
                f"with m = {self.m} and pair = {self.pair}, pairs must be at least {least}: found {pairs}"
            )
        return pairs

    def _all_pairs(self) -> tuple[Tensor, Tensor]:
        def draw(role: str, d: int) -> Tensor:
            rows = [[_normal(self.seed, role, j, i) for i in range(d)] for j in range(self.pairs)]
            return torch.nn.functional.normalize(torch.tensor(rows, dtype=torch.float64), dim=-1)

        keys, values = draw("key", self.d_phi), draw("value", D_V)
        if self.orthogonal:
            # Q of the QR decomposition is Gram–Schmidt up to the signs, which R's diagonal tells.
            parts = [torch.linalg.qr(part.T) for part in keys.split(self.d_phi)]
            keys = torch.cat([(Q * R.diagonal().sign()).T for Q, R in parts])
        if self.rewrite:
            keys[1] = keys[0]
        return keys, values

    def _states(self) -> list[Tensor]:
        """S after 0, 1, … pairs."""
        keys, values = self._all_pairs()
        states = [torch.zeros(self.d_phi, D_V, dtype=torch.float64)]
        for k, v in zip(keys, values, strict=True):
            S = states[-1]
            if self.rule == "delta":
                S = S + self.beta * torch.outer(k, v - k @ S)
            else:
                S = (self.gamma if self.rule == "decay" else 1) * S + torch.outer(k, v)
            states.append(S)
        return states

    @property
    def k(self) -> Tensor:
        """The keys written, (m, d_phi)."""
        return self._all_pairs()[0][: self.m]

    @property
    def v(self) -> Tensor:
        """The values written, (m, 4)."""
        return self._all_pairs()[1][: self.m]

    @property
    def S(self) -> Tensor:
        """The memory (d_phi, 4) after m writes."""
        return self._states()[self.m]

    @property
    def read(self) -> Tensor:
        """What comes back for each key, (m, 4)."""
        return self.k @ self.S

    @property
    def errors(self) -> Tensor:
        """Squared distance between what was written and what comes back, (m,)."""
        return (self.read - self.v).square().sum(-1)

    @property
    def curve(self) -> Tensor:
        """The mean of `errors` after 0, 1, … pairs, (pairs + 1,)."""
        keys, values = self._all_pairs()
        errors = [(keys[:m] @ S - values[:m]).square().sum() / max(m, 1) for m, S in enumerate(self._states())]
        return torch.stack(errors)

    @property
    def least(self) -> Tensor:
        """The same for the best S that these keys allow, (pairs + 1,); no way of writing does better."""
        keys, values = self._all_pairs()
        best = [torch.zeros((), dtype=torch.float64)]
        for m in range(1, self.pairs + 1):
            left = values[:m] - keys[:m] @ (torch.linalg.pinv(keys[:m]) @ values[:m])
            best.append(left.square().sum() / m)
        return torch.stack(best)

    def still(self) -> str:
        curve, least = self.curve.tolist(), self.least.tolist()
        top = max(1.0, *curve)
        at = [(40 + 420 * m / self.pairs, 190 - 170 * error / top) for m, error in enumerate(curve)]
        points = " ".join(f"{x:.1f},{y:.1f}" for x, y in at)
        marks = [("end", 34, 196, "0"), ("end", 34, 26, still.number(top))]
        marks += [("middle", 40 + 420 * m / self.pairs, 208, str(m)) for m in (0, self.pairs)]
        line = said = ""
        if self.d_phi < self.pairs:
            knee = 40 + 420 * self.d_phi / self.pairs
            marks += [("middle", knee, 208, f"{self.d_phi} = d_φ")]
            line = f'<line class="la-knee" x1="{knee:.1f}" x2="{knee:.1f}" y1="14" y2="190"/>'
            said = f" The dashed line is at {self.d_phi} pairs."
        texts = "".join(
            f'<text x="{x:.1f}" y="{y}" style="text-anchor:{side}">{text}</text>' for side, x, y, text in marks
        )
        rows = [
            [str(m), _loss(curve[m]), still.number(max(m - 1, 0) / self.d_phi, 4), _loss(least[m])]
            for m in sorted({*range(0, self.pairs + 1, 4), self.d_phi, self.m})
            if m <= self.pairs
        ]
        keys = "keys at right angles" if self.orthogonal else "keys in random directions"
        rate = {"sum": "", "decay": f", γ = {self.gamma:g}", "delta": f", β = {self.beta:g}"}[self.rule]
        setting = f"{self.d_phi} features, {RULES[self.rule]}{rate}, {keys}"
        setting += ", pair 1 with the key of pair 0" if self.rewrite else ""
        return (
            f'<figure class="la-still-figure"><svg viewBox="-16 0 496 214" class="la-recall-chart" aria-hidden="true">'
            f'<line class="la-axis" x1="40" x2="460" y1="190" y2="190"/>{line}'
            f'<polyline class="la-recall-line" points="{points}"/>{texts}</svg>'
            f"<figcaption>Mean squared error of recall over the number of pairs written, {setting}.{said}"
            f"</figcaption></figure>\n"
            + still.table(
                f"Recall from S: {setting}",
                ["pairs m", "mean squared error", "(m − 1)/d_φ, expected of random keys summed", "best possible"],
                rows,
            )
        )


def _loss(x: float) -> str:
    """A squared error for reading, as `loss` in recall_words.js."""
    return "0, up to rounding" if 0 < x < EXACT else still.number(x, 4)


def _normal(seed: int, role: str, j: int, i: int) -> float:
    """A normal number, fixed by its arguments, the same as in recall_math.js (Box and Muller)."""
    a, b = ((_hash(f"{seed} {role} {j} {i} {which}") + 0.5) / 2**32 for which in "ab")
    return math.sqrt(-2 * math.log(a)) * math.cos(2 * math.pi * b)
