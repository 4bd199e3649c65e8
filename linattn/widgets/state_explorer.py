"""The state explorer: linear attention token by token, in three moves each: write, add, read."""

from __future__ import annotations

from collections.abc import Sequence

import traitlets
from torch import Tensor

from ..feature_maps import BUILT_IN, FeatureMap, elu_plus_one
from ..tasks import embed_sentence
from ..tracing import Trace, trace
from . import still
from .base import Widget
from .trait_types import Position, Rows, Stops

MOST_TOKENS, MOST_ENTRIES, MOST_FEATURES = 16, 8, 80


class StateExplorer(Widget, module="state_explorer"):
    """Watch S and Z take up one token after the other, and out_t being read from them.

    A sentence becomes q, k, v by `linattn.tasks.embed_sentence`; or pass tensors q, k (n, d_k) and v (n, d_v), with
    names for the ``tokens`` if you like. ``feature_map`` may be any function of yours: the browser then gets its
    values from Python. ``t`` and ``phase`` ("write", "add" or "read") say where it opens; ``stops`` make a
    walk-through, a list of {"t": …, "phase": …, "text": …}.

    ``predict`` makes the reader commit to an answer before a step, a list of {"t": …, "phase": …, "ask": …}, where
    the question asked is "rows" (which rows of S change with this token?), "Z" (what will Z_t be?) or "moves" with
    "of" ("out", "S" or "Z"), "by" ("q", "k" or "v") and "at" (a token, t by default): if q_at changes, does out_t
    move? The truth is computed from the numbers on screen. A "question" of your own replaces the words.

    What the reader does arrives in `tokens`, `q`, `k`, `v`, `t`, `phase` and `feature_map`; setting these changes the
    picture. `trace` has every intermediate, and `S`, `Z`, `out` are S_t, Z_t and out_t of the token on screen.
    Raises ValueError for more than 16 tokens, 8 entries of q, k or v, or 80 features: too many to draw.
    """

    tokens = traitlets.List(traitlets.Unicode()).tag(sync=True)
    q, k, v = Rows(), Rows(), Rows()
    feature_map = traitlets.Any(elu_plus_one).tag(
        sync=True, to_json=lambda f, widget: widget._map_name(f), from_json=lambda name, widget: widget._map(name)
    )
    t = Position(lambda now: len(now("q")) - 1)
    phase = traitlets.Enum(("write", "add", "read"), "write").tag(sync=True)
    eps = traitlets.Float(1e-6, min=0).tag(sync=True)
    seed = traitlets.Int(0).tag(sync=True)
    stops = Stops()
    predict = traitlets.List(traitlets.Dict()).tag(sync=True)
    #: The name of the reader's own feature map, and what it makes of q and k; None where the browser knows the map.
    own_map = traitlets.Unicode(None, allow_none=True).tag(sync=True)
    phi_q, phi_k = Rows(allow_none=True, default_value=None), Rows(allow_none=True, default_value=None)

    def __init__(
        self,
        sentence: str | None = None,
        *,
        d_k: int = 4,
        d_v: int = 4,
        feature_map: FeatureMap = elu_plus_one,
        q: Tensor | None = None,
        k: Tensor | None = None,
        v: Tensor | None = None,
        tokens: Sequence[str] | None = None,
        t: int = 0,
        phase: str = "write",
        eps: float = 1e-6,
        seed: int = 0,
        stops: Sequence[dict] = (),
        predict: Sequence[dict] = (),
    ) -> None:
        given = [x is not None for x in (q, k, v)]
        if any(given) and not all(given):
            raise ValueError("pass all of q, k and v, or none of them and a sentence")
        if any(given):
            names = [str(i) for i in range(len(q))] if tokens is None else [str(token) for token in tokens]
        else:
            names, q, k, v = embed_sentence("the cat sat on the mat" if sentence is None else sentence, d_k, d_v, seed)
        result = trace(q, k, v, feature_map, eps=eps)
        _check_sizes(names, result, q)
        self._own: FeatureMap | None = None if feature_map in BUILT_IN.values() else feature_map
        own = {} if self._own is None else {"phi_q": feature_map(q), "phi_k": feature_map(k)}
        super().__init__(
            tokens=names, q=q, k=k, v=v, feature_map=feature_map, t=t, phase=phase, eps=eps, seed=seed,
            stops=list(stops), predict=list(predict),
            own_map=None if self._own is None else self._map_name(feature_map), **own,
        )  # fmt: skip

    @property
    def trace(self) -> Trace:
        """Every intermediate of every token, computed in torch from what is on screen."""
        return trace(self.q, self.k, self.v, self.feature_map, eps=self.eps)

    @property
    def S(self) -> Tensor:
        """S_t (d_phi, d_v), with token t in it."""
        return self.trace.S[self.t]

    @property
    def Z(self) -> Tensor:
        """Z_t (d_phi), with token t in it."""
        return self.trace.Z[self.t]

    @property
    def out(self) -> Tensor:
        """out_t (d_v)."""
        return self.trace.out[self.t]

    def still(self) -> str:
        result, t = self.trace, self.t
        phi_k, v, S, Z, out = result.phi_k[t], self.v[t], result.S[t], result.Z[t], result.out[t]
        signed = bool((result.phi_q < 0).any() or (result.phi_k < 0).any())
        blocks = [
            still.matrix(phi_k[:, None], still.symbol("k", t, True), "k", most=_most(result.phi_k), signed=signed),
            still.matrix(v[None], still.symbol("v", t), "v", most=_most(self.v)),
            still.matrix(S, still.symbol("S", t), "S", most=_most(result.S)),
            still.matrix(Z[:, None], still.symbol("Z", t), "Z", most=_most(result.Z), signed=signed),
            still.matrix(out[None], still.symbol("out", t), "out", most=_most(result.out)),
        ]
        headings = ["token", *(still.symbol(name) for name in "qkv"), still.symbol("Z"), "denominator", "weights"]
        rows = [
            (
                f"{i} {token}",
                *(_list(x[i]) for x in (self.q, self.k, self.v, result.Z)),
                still.number(result.denominator[i].item(), 3),
                _list(result.weights[i, : i + 1]),
                _list(result.out[i]),
            )
            for i, token in enumerate(self.tokens)
        ]
        caption = f"Every token of “{' '.join(self.tokens)}”, written and then read"
        return (
            f'<figure class="la-still-figure"><div class="la-still-blocks">{"".join(blocks)}</div>'
            f"<figcaption>Token {t}, “{still.escape(self.tokens[t])}”, is written into S and Z, then read from "
            f"them.</figcaption></figure>\n{still.table(caption, [*headings, still.symbol('out')], rows)}"
        )

    def _map_name(self, feature_map: FeatureMap) -> str:
        name = getattr(feature_map, "__name__", "your function").replace("<lambda>", "your function")
        return name if BUILT_IN.get(name, feature_map) is feature_map else f"your {name}"

    def _map(self, name: str) -> FeatureMap:
        return BUILT_IN.get(name, self._own)

    @traitlets.validate("predict")
    def _askable(self, proposal: dict) -> list[dict]:
        _check_predictions(proposal["value"], len(self.q), self.own_map is not None)
        return proposal["value"]

    @traitlets.observe("q", "k", "feature_map")
    def _apply_own_map(self, _change: object) -> None:
        """Compute what the browser cannot; with a built-in map it can do all itself."""
        if self.feature_map in BUILT_IN.values():
            return
        self._own = self.feature_map
        self.own_map = self._map_name(self._own)
        self.phi_q, self.phi_k = self._own(self.q), self._own(self.k)


def _most(x: Tensor) -> float:
    return max(x.abs().max().item(), 1e-9)


def _list(x: Tensor) -> str:
    return "  ".join(still.number(entry) for entry in x.tolist())


def _check_sizes(tokens: Sequence[str], result: Trace, q: Tensor) -> None:
    """Raise ValueError where there is too much, or nothing, to draw."""
    if result.out.ndim != 2:
        raise ValueError(f"q, k and v must have shape (n, d), without batch axes: found q {tuple(q.shape)}")
    n, d_v = result.out.shape
    if len(tokens) != n:
        raise ValueError(f"tokens must name each of the {n} rows of q, k and v: found {len(tokens)} names")
    if not 1 <= n <= MOST_TOKENS:
        raise ValueError(f"1 to {MOST_TOKENS} tokens can be drawn, found {n}: pass a part of them")
    if max(q.shape[-1], d_v) > MOST_ENTRIES or result.Z.shape[-1] > MOST_FEATURES:
        raise ValueError(
            f"d_k and d_v up to {MOST_ENTRIES} and d_phi up to {MOST_FEATURES} can be drawn, found "
            f"{q.shape[-1]}, {d_v} and {result.Z.shape[-1]}"
        )


def _check_predictions(predict: Sequence[dict], n: int, own_map: bool) -> None:
    """Raise ValueError for a question that could not be asked, or whose answer could not be computed."""
    allowed = {
        "t": range(n), "phase": ("write", "add", "read"), "ask": ("rows", "Z", "moves"), "of": ("out", "S", "Z"),
        # A map that only Python knows has no values for a q or k that nobody has asked for.
        "by": ("v",) if own_map else ("q", "k", "v"), "at": range(n),
    }  # fmt: skip
    for item in predict:
        if missing := {"t", "phase", "ask"} - item.keys():
            raise ValueError(f"a prediction needs {', '.join(sorted(missing))}: found {item}")
        if unknown := item.keys() - allowed.keys() - {"question"}:
            raise ValueError(f"a prediction knows nothing of {', '.join(sorted(unknown))}: found {item}")
        if item["ask"] == "moves":
            item = {"of": "out", "by": "q", **item}
        for key in item.keys() & allowed.keys():
            if item[key] not in allowed[key]:
                raise ValueError(f"{key} of a prediction must be one of {list(allowed[key])}: found {item}")
        if item["t"] == 0 and item["phase"] == "write":
            raise ValueError(f"the first step of all cannot be locked: found {item}")
