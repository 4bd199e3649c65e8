"""Position 0: drag q_0 and out_0 stays v_0; the same query at position 1 moves the output; ε bends both."""

from __future__ import annotations

from collections.abc import Sequence

import torch
import traitlets
from torch import Tensor

from ..feature_maps import FeatureMap, elu_plus_one
from ..tracing import Trace, trace
from . import still
from .base import Widget
from .trait_types import ENTRYWISE, MapChoice, Position, Rows, Stops

LEAST, MOST, MOST_EPS = -20, 5, 0.1
#: Where the transport bar leads the query from where it opens: once around, then far below zero.
PATH = (
    (2, 0), (3, 2), (1, 3), (-1, 2), (-3, 3), (-3, 0), (-2, -3), (1, -3), (3, -2), (5, -5),
    (-5, -5), (-10, -10), (-20, -20),
)  # fmt: skip


class Position0(Widget, module="position_0"):
    """Drag the query of a sequence of two tokens, in the plane or by sliders, and watch the output.

    At position 0 the factor w = φ(q_0)·φ(k_0) stands above and below, and out_0 = v_0 · w/(w + ε) stays v_0 while w is
    large beside ε. The same query at position 1 (``t=1``) moves out_1 between v_0 and v_1. ``view`` "eps" puts every
    entry of q_0 at ``x``, of k_0 too with ``follow``, and shows what ε takes, predicted and measured.

    ``q`` (2,), ``k`` (2, 2) and ``v`` (2, 2) are where it opens; ``feature_map`` is one of the library's maps that keep
    two entries, as the page has to evaluate it wherever the query is dragged. ``path`` lists where the transport bar
    leads the query, by default from ``q`` once around and far below zero; ``stops`` make a walk-through, a list of
    dicts of these traits with a "text" each, q as [[…, …]], the map by its name, and perhaps an "ask" that Next waits
    for: "moves" (where out_t goes while the query is dragged), "left" (how much of v_0 is left).

    What the reader does arrives in these traits; setting them changes the picture. `trace` reads the query at both
    positions, `w` is φ(q_t)·Z_t of the position on screen, `out` its output.
    Raises ValueError, here or in a stop, for other shapes, entries beyond −20 to 20 (of q and x: to 5), ε beyond 0 to
    0.1, and other maps.
    """

    view = traitlets.Enum(("drag", "eps"), "drag").tag(sync=True)
    t = traitlets.Int(0, min=0, max=1).tag(sync=True)
    q, k, v = Rows(), Rows(), Rows()
    eps = traitlets.Float(1e-6, min=0, max=MOST_EPS).tag(sync=True)
    feature_map = MapChoice(ENTRYWISE, elu_plus_one)
    x = traitlets.Float(-8.0, min=LEAST, max=MOST).tag(sync=True)
    follow = traitlets.Bool(True).tag(sync=True)
    step = Position(lambda now: len(now("path")) - 1)
    path = traitlets.List(traitlets.List(traitlets.Float())).tag(sync=True)
    stops = Stops("moves", "left")

    def __init__(
        self,
        q: Sequence[float] | Tensor = (1.0, -0.5),
        k: Tensor | Sequence[Sequence[float]] = ((2.0, -2.0), (-2.0, 2.0)),
        v: Tensor | Sequence[Sequence[float]] = ((2.0, 1.0), (-1.0, -1.5)),
        *,
        feature_map: FeatureMap = elu_plus_one,
        t: int = 0,
        eps: float = 1e-6,
        view: str = "drag",
        x: float = -8.0,
        follow: bool = True,
        path: Sequence[Sequence[float]] | None = None,
        stops: Sequence[dict] = (),
    ) -> None:
        q, k, v = (torch.as_tensor(a, dtype=torch.float64) for a in (q, k, v))
        opening = {"q": q[None], "k": k, "v": v, "t": t, "eps": eps, "view": view, "x": x, "follow": follow}
        for settings in (opening, *(opening | stop for stop in stops)):
            _check(settings)
        path = [q.tolist(), *PATH] if path is None else path
        if not path or any(len(point) != 2 or not all(LEAST <= a <= MOST for a in point) for point in path):
            raise ValueError(f"path must list points (2,) from {LEAST} to {MOST}: found {path}")
        super().__init__(
            **opening, feature_map=feature_map, path=[list(map(float, point)) for point in path], stops=list(stops)
        )

    @property
    def trace(self) -> Trace:
        """Every intermediate, the same query read at both positions; in view "eps" q_0 (and k_0) are at x."""
        q, k = self.q, self.k
        if self.view == "eps":
            q = torch.full_like(q, self.x)
            k = torch.cat((q, k[1:])) if self.follow else k
        return trace(q.expand(2, 2), k, self.v, self.feature_map, eps=self.eps)

    @property
    def w(self) -> Tensor:
        """φ(q_t)·Z_t, the denominator without ε."""
        return self.trace.denominator[self._shown]

    @property
    def out(self) -> Tensor:
        """out_t (2,)."""
        return self.trace.out[self._shown]

    @property
    def _shown(self) -> int:
        return 0 if self.view == "eps" else self.t

    def still(self) -> str:
        result, q = trace(self.q.expand(2, 2), self.k, self.v, self.feature_map, eps=self.eps), self.q[0]
        most = max(self.v.abs().max().item(), 1e-9)
        blocks = [still.matrix(q[:, None], still.symbol("q"), "q", most=20)]
        for t in (0, 1):
            blocks += [
                still.matrix(self.v[t][None], still.symbol("v", t), "v", most=most),
                still.matrix(result.out[t][None], still.symbol("out", t), "out", most=most),
            ]
        walk = torch.tensor(self.path, dtype=self.q.dtype)
        rows = []
        for point in walk:
            steps = trace(point.expand(2, 2), self.k, self.v, self.feature_map, eps=self.eps)
            rows.append([_list(point), digits(steps.denominator[0].item()), *map(_list, steps.out)])
        headings = [still.symbol("q"), "w = φ(q₀)·φ(k₀)", still.symbol("out", 0), still.symbol("out", 1)]
        eps = still.plain(self.eps)
        caption = f"The query at several places, read at both positions: ε = {eps}, v₀ = {still.pair(self.v[0])}"
        lost = []
        for x in range(LEAST, MOST + 1, 5):
            at = torch.full((1, 2), float(x), dtype=self.q.dtype)
            key = at if self.follow else self.k[:1]
            steps = trace(at, key, self.v[:1], self.feature_map, eps=self.eps)
            w = steps.denominator[0].item()
            factor = w / (w + self.eps) if w else 0.0
            lost.append([str(x).replace("-", "−"), digits(w), still.number(factor, 4), _list(steps.out[0])])
        who = "q₀ and k₀" if self.follow else "q₀"
        return (
            f'<figure class="la-still-figure"><div class="la-still-blocks">{"".join(blocks)}</div>'
            f"<figcaption>Read at position 0 the output is v₀; the same query at position 1 mixes v₀ and v₁."
            f"</figcaption></figure>\n{still.table(caption, headings, rows)}\n"
            + still.table(
                f"Every entry of {who} at x: what ε = {eps} leaves of v₀",
                ["x", "w", "w/(w + ε)", still.symbol("out", 0)],
                lost,
            )
        )


def digits(x: float) -> str:
    """Below 0.1 three digits (`f` of position_0_words.js)."""
    if not 0 < abs(x) < 0.1:
        return still.number(x, 3)
    mantissa, exponent = f"{x:.2e}".split("e")
    short = f"{float(mantissa):g}e{int(exponent)}" if abs(float(f"{x:.2e}")) < 1e-3 else f"{x:.3g}"
    return short.replace("-", "−")


def _list(x: Tensor) -> str:
    return "  ".join(still.number(entry) for entry in x.tolist())


def _check(settings: dict) -> None:
    """Raise ValueError where there is no plane to drag in, and for what cannot be reached in it."""
    for name, tokens in (("q", 1), ("k", 2), ("v", 2)):
        x = torch.as_tensor(settings[name])
        if tuple(x.shape) != (tokens, 2):
            raise ValueError(f"{name} must have shape {(tokens, 2)}, two entries a token: found {tuple(x.shape)}")
        if not (x.abs() <= 20).all() or (name == "q" and (x > MOST).any()):
            raise ValueError(f"{name} must lie from −20 to {MOST if name == 'q' else 20}: found {x.tolist()}")
    for name, least, most in (("t", 0, 1), ("eps", 0, MOST_EPS), ("x", LEAST, MOST)):
        if not least <= settings[name] <= most:
            raise ValueError(f"{name} must be from {least} to {most}: found {settings[name]}")
    for name, known in (("view", ("drag", "eps")), ("feature_map", tuple(ENTRYWISE))):
        if settings.get(name, known[0]) not in known:
            raise ValueError(f"{name} must be one of {', '.join(known)}: found {settings[name]!r}")
