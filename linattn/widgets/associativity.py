"""Associativity: two orders of φ(Q) φ(K)ᵀ V, drawn to scale, counted, run on small numbers, and under a causal mask."""

from __future__ import annotations

from collections.abc import Sequence

import torch
import traitlets
from torch import Tensor

from ..feature_maps import elu_plus_one
from ..tasks import embed_sentence
from . import still
from .base import Widget
from .trait_types import Position, Rows, Stops

LEAST_N, MOST_N, MOST_D = 4, 65536, 1024
MOST_TOKENS, MOST_ENTRIES = 5, 3


class Associativity(Widget, module="associativity"):
    """Compare (φ(Q) φ(K)ᵀ) V with φ(Q) (φ(K)ᵀ V): the same result, not the same work.

    ``view`` "scale" draws both orders to scale for ``n`` tokens and widths ``d_k``, ``d_v``, and counts. ``view``
    "numbers" runs both, ``step`` by step, on small features ``phi_q``, ``phi_k`` (n, d_k) and values ``v`` (n, d_v),
    with the ``causal`` mask or without. ``stops`` make a walk-through, a list of {"view": "scale", "n": …, "text": …}
    and {"view": "numbers", "step": …, "causal": …, "text": …}.

    A stop with an "ask" waits for the reader's answer before it is shown: "cheaper" (which order needs fewer
    multiply-adds?), "crossover" (above which n does the right order?), "grows" (what becomes of the matrices in the
    middle as n doubles?) or "causal" (which rows are right with the mask, at this step of the repair?). The truth is
    computed from the numbers of the stop. A "question" of your own replaces the words.

    What the reader does arrives in these traits; setting them changes the picture. `multiply_adds` and
    `largest_intermediate` are pairs, scores first and S first; `S` and `out` belong to the small numbers.
    Raises ValueError for n outside 4 to 65,536, widths above 1024, more than 5 small tokens or 3 entries.
    """

    view = traitlets.Enum(("scale", "numbers"), "scale").tag(sync=True)
    n = traitlets.Int(1024, min=LEAST_N, max=MOST_N).tag(sync=True)
    d_k = traitlets.Int(64, min=1, max=MOST_D).tag(sync=True)
    d_v = traitlets.Int(64, min=1, max=MOST_D).tag(sync=True)
    causal = traitlets.Bool(False).tag(sync=True)
    step = Position(lambda now: 5 + len(now("v")) * now("causal"))
    phi_q, phi_k, v = Rows(), Rows(), Rows()
    stops = Stops("cheaper", "crossover", "grows", "causal")

    def __init__(
        self,
        n: int = 1024,
        d_k: int = 64,
        d_v: int = 64,
        *,
        view: str = "scale",
        causal: bool = False,
        step: int = 0,
        phi_q: Tensor | None = None,
        phi_k: Tensor | None = None,
        v: Tensor | None = None,
        stops: Sequence[dict] = (),
    ) -> None:
        given = [x is not None for x in (phi_q, phi_k, v)]
        if any(given) and not all(given):
            raise ValueError("pass all of phi_q, phi_k and v, or none of them")
        if not any(given):
            _, q, k, v = embed_sentence("the cat sat down", 2, 2)
            phi_q, phi_k = ((elu_plus_one(x) * 10).round() / 10 for x in (q, k))
        for name, x, most in (("n", n, MOST_N), ("d_k", d_k, MOST_D), ("d_v", d_v, MOST_D)):
            least = LEAST_N if name == "n" else 1
            if not least <= x <= most:
                raise ValueError(f"{name} must be from {least} to {most}: found {x}")
        _check_shapes(phi_q, phi_k, v)
        super().__init__(
            n=n, d_k=d_k, d_v=d_v, view=view, causal=causal, step=step, phi_q=phi_q, phi_k=phi_k, v=v,
            stops=list(stops),
        )  # fmt: skip

    @property
    def multiply_adds(self) -> tuple[int, int]:
        """Of (φ(Q) φ(K)ᵀ) V and of φ(Q) (φ(K)ᵀ V)."""
        return self.n**2 * (self.d_k + self.d_v), 2 * self.n * self.d_k * self.d_v

    @property
    def largest_intermediate(self) -> tuple[int, int]:
        """Numbers in the scores (n, n) and in S (d_k, d_v)."""
        return self.n**2, self.d_k * self.d_v

    @property
    def crossover(self) -> float:
        """n* = 2 d_k d_v/(d_k + d_v), where both orders cost the same."""
        return 2 * self.d_k * self.d_v / (self.d_k + self.d_v)

    @property
    def S(self) -> Tensor:
        """φ(K)ᵀ V of the small numbers (d_k, d_v)."""
        return self.phi_k.mT @ self.v

    @property
    def out(self) -> Tensor:
        """The right answer for the small numbers (n, d_v), with the causal mask if that is on."""
        scores = self.phi_q @ self.phi_k.mT
        return (scores.tril() if self.causal else scores) @ self.v

    def still(self) -> str:
        scores = self.phi_q @ self.phi_k.mT
        plain, name = self.phi_q @ self.S, "tril(scores) V" if self.causal else "scores V"
        shown = [
            (self.phi_q, "φ(Q)", "q", False), (self.phi_k.mT, "φ(K)ᵀ", "k", False), (self.v, "V", "v", True),
            (scores.tril() if self.causal else scores, "tril(scores)" if self.causal else "scores", "tile", True),
            (self.out, name, "out", True), (self.S, still.symbol("S"), "S", True), (plain, "φ(Q) S", "out", True),
        ]  # fmt: skip
        blocks = [
            still.matrix(x.double().round(decimals=6), label, kind, most=max(x.abs().max().item(), 1e-9), signed=signed)
            for x, label, kind, signed in shown
        ]
        verdict = "differs from φ(Q) S, which has seen the future" if self.causal else "equals φ(Q) S"
        lengths = sorted({2**i for i in range(2, 17)} | {self.n})
        rows = [
            [f"{x:,}" for x in (n, n * n * (self.d_k + self.d_v), 2 * n * self.d_k * self.d_v, n * n)] for n in lengths
        ]
        caption = (
            f"Both orders, dₖ = {self.d_k}, dᵥ = {self.d_v}: S always holds {self.d_k * self.d_v:,} numbers, "
            f"and the costs are equal at n* = {self.crossover:g}"
        )
        headings = ["n", "(φ(Q)φ(K)ᵀ)V, multiply-adds", "φ(Q)(φ(K)ᵀV), multiply-adds", "scores, numbers"]
        return (
            f'<figure class="la-still-figure"><div class="la-still-blocks">{"".join(blocks)}</div>'
            f"<figcaption>{name} {verdict}.</figcaption></figure>\n{still.table(caption, headings, rows)}"
        )


def _check_shapes(phi_q: Tensor, phi_k: Tensor, v: Tensor) -> None:
    """Raise ValueError where the small numbers do not fit together, or are too many to draw."""
    shapes = [tuple(torch.as_tensor(x).shape) for x in (phi_q, phi_k, v)]
    if any(len(shape) != 2 for shape in shapes) or shapes[0] != shapes[1] or shapes[2][0] != shapes[0][0]:
        raise ValueError(f"phi_q and phi_k must be (n, d_k) and v (n, d_v): found {', '.join(map(str, shapes))}")
    (n, d_k), d_v = shapes[0], shapes[2][1]
    if not 1 <= n <= MOST_TOKENS or not 1 <= d_k <= MOST_ENTRIES or not 1 <= d_v <= MOST_ENTRIES:
        raise ValueError(
            f"1 to {MOST_TOKENS} tokens with 1 to {MOST_ENTRIES} entries can be drawn: found {shapes[0]}, {shapes[2]}"
        )
