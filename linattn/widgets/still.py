"""Pieces of HTML for stills, which paper and browsers without JavaScript show: plain tables under widgets.css."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

from torch import Tensor


def number(x: float, decimals: int = 2) -> str:
    """As `format` in dom.js: a true minus sign, commas, powers of ten where it gets long, 0 only where it is 0."""
    if x == 0:
        return "0"
    size = abs(x)
    if not size < float("inf") or 0.5 * 10**-decimals <= size < 1e4:
        places = max(decimals - (2 if size >= 100 else 1 if size >= 10 else 0), 0)
        return f"{x:,.{places}f}".replace("-", "−")
    mantissa, exponent = f"{x:.{0 if size < 1 else 1}e}".split("e")
    return f"{mantissa}e{int(exponent)}".replace("-", "−")


def plain(x: float, digits: int = 6) -> str:
    """A number as it was set, with no more than so many digits: 0.25, 1e−6."""
    mantissa, e, exponent = f"{x:.{digits}g}".partition("e")
    return (f"{mantissa}e{int(exponent)}" if e else mantissa).replace("-", "−")


def pair(x: Tensor) -> str:
    """A small vector as it was set: (0.8, −1.8)."""
    return f"({', '.join(plain(entry) for entry in x.tolist())})"


def sub(index: int) -> str:
    """An index in plain text: k₀."""
    return str(index).translate(str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉"))


def symbol(name: str, index: int | None = None, features: bool = False) -> str:
    """A letter in its colour: symbol("k", 2, True) is φ(k₂)."""
    core = f"<i>{name}</i>" + ("" if index is None else f"<sub>{index}</sub>")
    return f'<span class="la-symbol la-sym-{name}">{f"φ({core})" if features else core}</span>'


def matrix(values: Tensor, label: str, kind: str, *, most: float, signed: bool = True) -> str:
    """A block of numbers (rows, columns) as a small table; ``label`` is HTML, ``most`` gets the full colour."""
    rows = "".join(
        "<tr>"
        + "".join(
            f'<td class="la-cell{" la-negative" if x < 0 else ""}" '
            f'style="--size:{min(abs(x) / most, 1):.4f}">{number(x)}</td>'
            for x in row
        )
        + "</tr>"
        for row in values.tolist()
    )
    classes = f"la-block la-block-{kind}" + (" la-signed" if signed else "")
    return f'<table class="{classes}"><caption class="la-block-label">{label}</caption><tbody>{rows}</tbody></table>'


def table(caption: str, headings: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table of text with its first column as row headings; ``headings`` are HTML, all else is escaped."""
    head = "".join(f'<th scope="col">{heading}</th>' for heading in headings)
    body = "".join(
        f'<tr><th scope="row">{escape(first)}</th>' + "".join(f"<td>{escape(cell)}</td>" for cell in rest) + "</tr>"
        for first, *rest in rows
    )
    return (
        f'<div class="la-scroll"><table class="la-numbers"><caption>{escape(caption)}</caption>'
        f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>"
    )
