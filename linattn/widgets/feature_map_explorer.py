"""Feature maps: φ and its slope along one entry, the kernel of a pair, the weights of a row against softmax's."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from html import escape

import torch
import traitlets
from torch import Tensor

from ..feature_maps import FeatureMap, elu_plus_one, positive_random_features, relu_plus_eps, taylor_2
from ..tracing import trace
from . import still
from .base import Widget
from .trait_types import ENTRYWISE, MapChoice, Position, Rows, Stops

TOGETHER = (taylor_2, positive_random_features)
#: The maps that can be chosen, by name; positive_random_features makes its map from the sliders m and seed.
MAPS: dict[str, Callable] = ENTRYWISE | {f.__name__: f for f in TOGETHER}
LEAST, MOST, EDGE, MOST_M, SEEDS, MOST_KEYS, EPS = -4, 4, 3, 64, 8, 6, 1e-6
KEYS = ((2.0, 1.5), (-1.5, 2.0), (-2.0, -1.0), (1.0, -2.5), (0.5, 0.5))


@cache
def _directions() -> list:
    """W of the random features for two entries, for each seed; a map of m features takes the first m rows."""
    # log(φ(x) √m) + ‖x'‖²/2 = W x', so two unit vectors give the two columns of W exactly as the library drew it.
    unit = torch.eye(2, dtype=torch.float64) * 2**0.25
    columns = [(positive_random_features(2, MOST_M, seed)(unit) * MOST_M**0.5).log() + 0.5 for seed in range(SEEDS)]
    return [[[round(a, 7) for a in row] for row in W.T.tolist()] for W in columns]


class FeatureMapExplorer(Widget, module="feature_map_explorer"):
    """Compare feature maps in three views: "curve", "pair" and "row".

    "curve" draws φ and its slope over one entry ``x``; maps whose entries act together (Taylor, random features) are
    drawn along (x, 0). "pair" compares φ(q)·φ(k) with exp(q·k/√d) for the query ``q`` (2,) and key number ``pair`` of
    ``k`` (n, 2); "row" compares the weights of q on all keys with softmax's. ``feature_map`` is one of the library's
    maps, or `positive_random_features` itself, which takes ``m`` and ``seed`` from the widget. ``stops`` make a
    walk-through, a list of dicts of these traits with a "text" each, the map by its name and q as [[…, …]].

    A stop with an "ask" waits for the reader's answer before it is shown: "gradient" (which maps have the slope 0 at
    x?), "denominator" (what sign has the sum of the scores?), "favourite" (which key gets the largest weight?),
    "entropy" (larger or smaller than softmax's?), "sharpest" (which map gives one key the largest share?), "longer" (q
    has become twice as long: whose largest weight grew more?) or "score" (and what did φ(q)·φ(k) of the pair do?). The
    truth is computed from the numbers of the stop. A "question" of your own replaces the words.

    What the reader does arrives in these traits; setting them changes the picture. `phi` is the map itself, and
    `kernel`, `weights`, `softmax`, `denominator` and `entropy` are what the browser shows.
    Raises ValueError for other maps, entries beyond −3 to 3 (of x: −4 to 4), and more than 6 keys.
    """

    view = traitlets.Enum(("curve", "pair", "row"), "curve").tag(sync=True)
    feature_map = MapChoice(MAPS, elu_plus_one)
    m = traitlets.Int(16, min=1, max=MOST_M).tag(sync=True)
    seed = traitlets.Int(0, min=0, max=SEEDS - 1).tag(sync=True)
    x = traitlets.Float(1.0, min=LEAST, max=MOST).tag(sync=True)
    pair = Position(lambda now: len(now("k")) - 1)
    q, k = Rows(), Rows()
    stops = Stops("gradient", "denominator", "favourite", "entropy", "sharpest", "longer", "score")
    directions = traitlets.List().tag(sync=True)

    def __init__(
        self,
        feature_map: Callable = elu_plus_one,
        *,
        view: str = "curve",
        x: float = 1.0,
        q: Sequence[float] | Tensor = (1.5, 1.0),
        k: Tensor | Sequence[Sequence[float]] = KEYS,
        pair: int = 0,
        m: int = 16,
        seed: int = 0,
        stops: Sequence[dict] = (),
    ) -> None:
        q, k = (torch.as_tensor(a, dtype=torch.float64) for a in (q, k))
        if tuple(q.shape) != (2,) or k.ndim != 2 or k.shape[1] != 2 or not 1 <= len(k) <= MOST_KEYS:
            raise ValueError(
                f"q must be (2,) and k (n, 2), n up to {MOST_KEYS}: found {tuple(q.shape)}, {tuple(k.shape)}"
            )
        if not (q.abs() <= EDGE).all() or not (k.abs() <= EDGE).all():
            raise ValueError(f"entries of q and k must lie from −{EDGE} to {EDGE}: found {q.tolist()}, {k.tolist()}")
        limits = {
            "x": (x, LEAST, MOST),
            "m": (m, 1, MOST_M),
            "seed": (seed, 0, SEEDS - 1),
        }
        for name, (value, least, most) in limits.items():
            if not least <= value <= most:
                raise ValueError(f"{name} must be from {least} to {most}: found {value}")
        super().__init__(
            feature_map=feature_map, view=view, x=x, q=q[None], k=k, pair=pair, m=m, seed=seed, stops=list(stops),
            directions=_directions(),
        )  # fmt: skip

    @property
    def phi(self) -> FeatureMap:
        """The map on vectors of two entries."""
        if self.feature_map is positive_random_features:
            return positive_random_features(2, self.m, self.seed)
        return self.feature_map

    @property
    def kernel(self) -> Tensor:
        """φ(q)·φ(k_i) for every key (n,)."""
        return (self.phi(self.q) @ self.phi(self.k).mT)[0]

    @property
    def denominator(self) -> Tensor:
        """The sum of the kernel over the keys, φ(q)·Z."""
        return self.kernel.sum()

    @property
    def weights(self) -> Tensor:
        """The weights of q on the keys (n,), as the attention functions give them."""
        n = len(self.k)
        return trace(self.q.expand(n, 2), self.k, self.k, self.phi, eps=EPS).weights[-1]

    @property
    def softmax(self) -> Tensor:
        """The weights that softmax attention gives the same keys (n,)."""
        return (self.k @ self.q[0] / 2**0.5).softmax(-1)

    @property
    def entropy(self) -> tuple[float | None, float]:
        """Of the map's weights (None where they are no distribution) and of softmax's."""
        weights = self.weights
        proper = bool((weights >= 0).all() and (weights > 0).any())
        return torch.special.entr(weights).sum().item() if proper else None, torch.special.entr(
            self.softmax
        ).sum().item()

    def along(self, x: Tensor) -> tuple[Tensor, Tensor]:
        """Features (…, d_phi) and their slopes for entries x (…,): φ of x alone, or of (x, 0) for maps like Taylor."""
        together = self.feature_map in TOGETHER

        def features(entry: Tensor) -> Tensor:
            entry = entry[..., None]
            return self.phi(torch.cat((entry, torch.zeros_like(entry)), -1) if together else entry)

        slopes = torch.autograd.functional.jacobian(lambda entry: features(entry).sum(tuple(range(x.ndim))), x)
        return features(x), slopes.movedim(0, -1)

    def still(self) -> str:
        x = torch.arange(LEAST, MOST + 0.5, 0.5, dtype=torch.float64)
        together = self.feature_map in TOGETHER
        curves = [y.norm(dim=-1) if together else y[..., 0] for y in self.along(x)]
        names = ["length of φ(x, 0)", "length of its slopes"] if together else ["φ(x)", "φ′(x)"]
        rows = [
            [still.number(a, 4) for a in row] for row in zip(x.tolist(), *(y.tolist() for y in curves), strict=True)
        ]
        title = self.feature_map.__name__
        if self.feature_map is positive_random_features:
            title += f" with m = {self.m}, seed {self.seed}"
        columns = ((self.k @ self.q[0] / 2**0.5).exp(), self.softmax, self.kernel, self.weights)
        numbers = torch.stack(columns, -1).tolist()
        keys = [
            [f"k{still.sub(i)}", "  ".join(map(still.plain, self.k[i].tolist())), *(still.number(a, 4) for a in row)]
            for i, row in enumerate(numbers)
        ]
        mine, softmax = self.entropy
        told = "no distribution, so no entropy" if mine is None else f"entropy {still.number(mine, 3)}"
        caption = (
            f"q = {still.pair(self.q[0])}: denominator {still.number(self.denominator.item(), 3)}, {told}; "
            f"softmax: entropy {still.number(softmax, 3)}"
        )
        headings = ["key", "entries", "exp(q·k/√d)", "softmax", "φ(q)·φ(k)", "weight"]
        return (
            f'<figure class="la-still-figure">{_drawing(x, curves, self.feature_map is relu_plus_eps)}'
            f"<figcaption>{escape(title)}: {names[0]} as a line, {names[1]} dashed, from x = −4 to 4.</figcaption>"
            "</figure>\n" + still.table(title, ["x", *names], rows) + "\n" + still.table(caption, headings, keys)
        )


def _drawing(x: Tensor, curves: list[Tensor], jumps: bool) -> str:
    """φ and φ′ as lines over x on one frame from −2 to 5; a slope that ``jumps`` at 0 breaks off there."""
    (phi, slope), left = curves, x <= 0
    # Right of the jump the line starts at 0 as well.
    right = torch.cat((x.new_zeros(1), x[~left])), torch.cat((slope[~left][:1], slope[~left]))
    parts = [(x, phi), *([(x[left], slope[left]), right] if jumps else [(x, slope)])]
    lines = ""
    for i, (across, y) in enumerate(parts):
        pairs = zip(across.tolist(), y.tolist(), strict=True)
        points = " ".join(f"{40 * (a + 4):.0f},{20 * (5 - b):.1f}" for a, b in pairs)
        dashes = ' stroke-dasharray="5 4"' if i else ""
        lines += f'<polyline points="{points}" fill="none" stroke="currentColor" stroke-width="2"{dashes}/>'
    axes = '<path d="M0 100H320M160 0V140" stroke="currentColor" stroke-width="0.5"/>'
    return f'<svg class="la-fm-still" viewBox="0 0 320 140" aria-hidden="true">{axes}{lines}</svg>'
