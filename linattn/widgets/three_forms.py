"""Three forms of one causal linear attention on the same tokens: the matrix, the recurrence, and chunks of any size."""

from __future__ import annotations

import math
from collections.abc import Sequence

import torch
import traitlets
from torch import Tensor

from .. import attention
from ..feature_maps import FeatureMap, elu_plus_one
from ..tasks import embed_sentence
from . import still
from .base import Widget
from .trait_types import Position, Rows, Stops

FORMS = ("matrix", "recurrence", "chunks")
#: n + d_k + d_v columns fit beside each other on a phone.
MOST_COLUMNS = 11


class ThreeForms(Widget, module="three_forms"):
    """Compute the same out from the same tokens as a matrix, as a recurrence, and in chunks of ``chunk_size``.

    A sentence becomes features and values by `linattn.tasks.embed_sentence` and ``feature_map``; or pass ``phi_q``,
    ``phi_k`` (n, d_k) and ``v`` (n, d_v). ``form`` ("matrix", "recurrence", "chunks") and ``step`` say where it opens;
    ``stops`` make a walk-through, a list of {"form": …, "chunk_size": …, "step": …, "text": …}, and a stop
    with "ask": "chunk_size" waits for an answer: which chunk size needs the fewest multiply-adds? The truth is counted.

    What the reader does arrives in these traits; setting them changes the picture. `out` is the result of the form on
    screen; `multiply_adds` and `numbers_kept` have an entry for each form.
    Raises ValueError where n + d_k + d_v is above 11: too much to draw.
    """

    tokens = traitlets.List(traitlets.Unicode()).tag(sync=True)
    phi_q, phi_k, v = Rows(), Rows(), Rows()
    form = traitlets.Enum(FORMS, "matrix").tag(sync=True)
    chunk_size = Position(lambda now: len(now("v")), 2, least=1)
    step = Position(lambda now: _moves(now("form"), len(now("v")), now("chunk_size")))
    eps = traitlets.Float(1e-6, min=0).tag(sync=True)
    stops = Stops("chunk_size")

    def __init__(
        self,
        sentence: str | None = None,
        *,
        d_k: int = 2,
        d_v: int = 2,
        feature_map: FeatureMap = elu_plus_one,
        phi_q: Tensor | None = None,
        phi_k: Tensor | None = None,
        v: Tensor | None = None,
        form: str = "matrix",
        chunk_size: int = 2,
        step: int = 0,
        eps: float = 1e-6,
        stops: Sequence[dict] = (),
    ) -> None:
        given = [x is not None for x in (phi_q, phi_k, v)]
        if any(given) and not all(given):
            raise ValueError("pass all of phi_q, phi_k and v, or none of them and a sentence")
        if any(given):
            tokens = [str(t) for t in range(len(v))]
        else:
            tokens, q, k, v = embed_sentence(sentence or "the cat sat on the mat", d_k, d_v)
            phi_q, phi_k = feature_map(q), feature_map(k)
        _check_shapes(phi_q, phi_k, v)
        super().__init__(
            tokens=tokens, phi_q=phi_q, phi_k=phi_k, v=v, form=form, chunk_size=chunk_size, step=step, eps=eps,
            stops=list(stops),
        )  # fmt: skip

    def results(self) -> dict[str, Tensor]:
        """out (n, d_v) of each form, each computed by its own function of `linattn`."""
        inputs = (self.phi_q, self.phi_k, self.v, _as_they_are)
        return {
            "matrix": attention.all_pairs_linear_attention(*inputs, eps=self.eps),
            "recurrence": attention.recurrent_linear_attention(*inputs, eps=self.eps),
            "chunks": attention.causal_linear_attention(*inputs, eps=self.eps, chunk_size=self.chunk_size),
        }

    @property
    def out(self) -> Tensor:
        """The result of the form on screen (n, d_v)."""
        return self.results()[self.form]

    @property
    def multiply_adds(self) -> dict[str, int]:
        """Of each form, for the numerators; a chunk's block of scores is counted whole, an empty S is not read."""
        (n, d_k), d_v, C = self.phi_k.shape, self.v.shape[1], self.chunk_size
        lengths = [min(C, n - a) for a in range(0, n, C)]
        through_S = sum(lengths[1:]) + sum(lengths[:-1])
        inside = sum(length**2 for length in lengths)
        return {
            "matrix": n * n * (d_k + d_v),
            "recurrence": 2 * n * d_k * d_v,
            "chunks": inside * (d_k + d_v) + through_S * d_k * d_v,
        }

    @property
    def numbers_kept(self) -> dict[str, int]:
        """Numbers that each form holds of scores, S and Z, besides q, k, v and out."""
        (n, d_k), d_v, C = self.phi_k.shape, self.v.shape[1], self.chunk_size
        state = d_k * d_v + d_k
        return {"matrix": n * n, "recurrence": state, "chunks": C * C + (state if n > C else 0)}

    def still(self) -> str:
        scores = (self.phi_q @ self.phi_k.mT).tril()
        S, Z = self.phi_k.mT @ self.v, self.phi_k.sum(0)
        shown = [
            (self.phi_q, "φ(Q)", "q", False), (self.phi_k.mT, "φ(K)ᵀ", "k", False), (self.v, "V", "v", True),
            (scores, "scores, masked", "tile", True), (S, still.symbol("S"), "S", True),
            (Z[:, None], still.symbol("Z"), "Z", False), (self.out, still.symbol("out"), "out", True),
        ]  # fmt: skip
        blocks = [
            still.matrix(x, label, kind, most=max(x.abs().max().item(), 1e-9), signed=signed)
            for x, label, kind, signed in shown
        ]
        results, n = self.results(), len(self.v)
        waits = {"matrix": 1, "recurrence": n, "chunks": math.ceil(n / self.chunk_size)}
        rows = [
            (
                f"chunks of {self.chunk_size}" if form == "chunks" else form,
                *(str(x[form]) for x in (self.multiply_adds, self.numbers_kept, waits)),
                still.number((results[form] - results["matrix"]).abs().max().item(), 1),
            )
            for form in FORMS
        ]
        headings = ["form", "multiply-adds", "numbers kept", "steps in a row", "out differs from matrix, in float32"]
        return (
            f'<figure class="la-still-figure"><div class="la-still-blocks">{"".join(blocks)}</div>'
            f"<figcaption>The matrix form keeps all scores, the recurrence S and Z, chunks a part of each.</figcaption>"
            f"</figure>\n{still.table('The same out in three forms', headings, rows)}"
        )


def _moves(form: str, n: int, C: int) -> int:
    """How many there are, as `plan` in three_forms_math.js: of the last chunk S is not written."""
    return {"matrix": 3, "recurrence": 2 * n, "chunks": 3 * math.ceil(n / max(C, 1)) - 1}[form]


def _as_they_are(features: Tensor) -> Tensor:
    """The feature map where features are what is given."""
    return features


def _check_shapes(phi_q: Tensor, phi_k: Tensor, v: Tensor) -> None:
    """Raise ValueError where features and values do not fit together, or are too many to draw."""
    shapes = [tuple(torch.as_tensor(x).shape) for x in (phi_q, phi_k, v)]
    if any(len(shape) != 2 for shape in shapes) or shapes[0] != shapes[1] or shapes[2][0] != shapes[0][0]:
        raise ValueError(f"phi_q and phi_k must be (n, d_k) and v (n, d_v): found {', '.join(map(str, shapes))}")
    columns = sum(shapes[0]) + shapes[2][1]
    if columns > MOST_COLUMNS or 0 in (*shapes[0], shapes[2][1]):
        raise ValueError(f"n + d_k + d_v up to {MOST_COLUMNS} can be drawn, found {columns}: {shapes[0]}, {shapes[2]}")
