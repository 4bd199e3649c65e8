"""Types of traits that several widgets have: a tensor, a position, one of a few feature maps, a walk-through."""

from __future__ import annotations

import struct
from collections.abc import Callable
from typing import Any

import torch
import traitlets
from torch import Tensor

from .. import feature_maps

#: The maps that act on every entry alone, by name; every widget that lets choose a map knows them.
ENTRYWISE: dict[str, Callable] = {
    f.__name__: f
    for f in (
        feature_maps.elu_plus_one,
        feature_maps.relu_plus_eps,
        feature_maps.exponential,
        feature_maps.squared_relu,
        feature_maps.identity_shifted,
    )
}

#: What a stop has besides settings.
WORDS = {"text", "ask", "question"}


class Rows(traitlets.TraitType):
    """A trait that is a tensor (n, d) in Python and a list of lists on its way to the browser."""

    info_text = "a finite tensor (n, d)"

    def __init__(self, **kwargs: object) -> None:
        super().__init__(**kwargs)
        self.tag(sync=True, to_json=lambda x, _: None if x is None else _rows(x))

    def validate(self, obj: traitlets.HasTraits, value: object) -> Tensor:
        # A new q keeps the dtype of the old one, with which it fits k and v.
        old = getattr(obj, self.name) if obj.trait_has_value(self.name) else None
        x = torch.as_tensor(value, dtype=None if old is None else old.dtype).detach().cpu()
        x = x.to(torch.promote_types(x.dtype, torch.float32))
        if x.ndim != 2:
            raise ValueError(f"{self.name} must be {self.info_text}: found shape {tuple(x.shape)}")
        for i, j in (~x.isfinite()).nonzero().tolist():
            raise ValueError(f"{self.name} must be {self.info_text}: found {x[i, j]:g} at [{i}, {j}]")
        return x


class OutOfReach(traitlets.TraitError, ValueError):
    """A ValueError after which traitlets puts back all that was set together."""


class Position(traitlets.Int):
    """A trait from ``least`` to what other traits allow: ``most(now)``, where now(name) is such a trait's value."""

    def __init__(self, most: Callable[[Callable[[str], Any]], int], default: int = 0, *, least: int = 0) -> None:
        super().__init__(default)
        self.most, self.least = most, least
        self.tag(sync=True)

    def check(self, value: int, now: Callable[[str], Any]) -> None:
        most = self.most(now)
        if not self.least <= value <= most:
            raise OutOfReach(f"{self.name} must be from {self.least} to {most}: found {value}")

    def _cross_validate(self, obj: traitlets.HasTraits, value: int) -> int:
        # Of traits that are set together all are set by now, in whichever order.
        self.check(value, lambda name: getattr(obj, name))
        return super()._cross_validate(obj, value)


class MapChoice(traitlets.TraitType):
    """A trait that is one of a few feature maps in Python and that map's name on its way to the browser."""

    def __init__(self, maps: dict[str, Callable], default: Callable) -> None:
        super().__init__(default)
        self.maps = maps
        self.tag(sync=True, to_json=lambda f, _: f.__name__, from_json=lambda name, _: maps[name])

    def validate(self, obj: traitlets.HasTraits, value: object) -> Callable:
        if value not in self.maps.values():
            raise ValueError(f"{self.name} must be one of {', '.join(self.maps)}: found {value!r}")
        return value


class Stops(traitlets.List):
    """A trait that is a walk-through: dicts with a "text", settings of the widget's traits, and perhaps an "ask".

    ``asks`` are the names of the questions that the widget knows; "question" replaces the words of the one asked.
    """

    def __init__(self, *asks: str) -> None:
        super().__init__(traitlets.Dict())
        self.asks = asks
        self.tag(sync=True)

    def validate(self, obj: traitlets.HasTraits, value: object) -> list[dict]:
        stops = super().validate(obj, value)
        for stop in stops:
            if not isinstance(stop.get("text"), str):
                raise ValueError(f"a stop needs a text: found {stop}")
            if unknown := stop.keys() - WORDS - set(obj.trait_names(sync=True)):
                raise ValueError(f"a stop sets nothing called {', '.join(sorted(unknown))}: found {stop}")
            if ("ask" in stop or "question" in stop) and stop.get("ask") not in self.asks:
                known = f"one of {', '.join(self.asks)}" if self.asks else "left out: this widget asks nothing"
                raise ValueError(f"the ask of a stop must be {known}: found {stop}")
            for name in stop.keys() - WORDS:
                try:
                    _check_setting(obj, name, stop)
                except (ValueError, traitlets.TraitError) as error:
                    raise ValueError(f"{str(error).rstrip('.')}, in the stop {stop}") from error
        return stops


def _check_setting(obj: traitlets.HasTraits, name: str, stop: dict) -> None:
    """Raise ValueError or TraitError where the trait would not take what the stop sets it to."""
    trait, value = obj.traits()[name], stop[name]
    if isinstance(trait, MapChoice):
        if value not in trait.maps:
            raise ValueError(f"{name} must be one of {', '.join(trait.maps)}: found {value!r}")
    elif hasattr(trait, "validate"):
        trait.validate(obj, value)
    if isinstance(trait, Position):
        trait.check(value, lambda other: stop[other] if other in stop else getattr(obj, other))


def _rows(x: Tensor) -> list[list[float]]:
    """A list of lists in the shortest decimals that give the same tensor again: 0.3, not 0.30000001192092896."""
    if x.dtype != torch.float32:
        return x.tolist()

    def shortest(a: float) -> float:
        return next(
            b for digits in (6, 7, 8, 9) if struct.pack("f", b := float(f"{a:.{digits}g}")) == struct.pack("f", a)
        )

    return [[shortest(a) for a in row] for row in x.tolist()]
