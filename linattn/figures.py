"""Plotly figures in the book's one style: `lines`, `bars`, `heatmap`.

They take tensors, arrays or lists and return a :class:`Figure`, a plotly figure that can be edited further.
JupyterLab, VS Code and Colab draw it with their own plotly. In the book it is a ``<figure>`` with the
figure's JSON and the table of its numbers, drawn by `book/_static/figures.js` when the reader comes near.

Texts are plain Unicode ("φ(q)·Z", "10⁻⁶"), not LaTeX.
"""

import math
import os

import plotly.graph_objects as go

from linattn.figure_page import page_html
from linattn.figure_style import (
    COLORS,
    DARK,
    DASHES,
    MARKERS,
    PALETTE,
    TEMPLATE,
    color,
    end_labels,
    log_axis,
    named_axis,
    number,
    scale,
)

__all__ = ["COLORS", "Figure", "bars", "heatmap", "lines"]

PLOTLY = "application/vnd.plotly.v1+json"


class Figure(go.Figure):
    """A plotly figure that a notebook draws natively and a page of the book with figures.js."""

    def _repr_mimebundle_(self, include=None, exclude=None, validate=True, **kwargs):
        if os.environ.get("LINATTN_BOOK") == "1":  # while the book is built
            return {"text/plain": self.layout.meta["alt"], "text/html": page_html(self)}
        bundle = super()._repr_mimebundle_(include, exclude, validate, **kwargs)
        if PLOTLY in bundle:
            # Not "responsive": JupyterLab tells a figure its size; plotly makes it 0 high when the theme changes.
            bundle[PLOTLY]["config"] = {"displayModeBar": False}
        if bundle:
            bundle.setdefault("text/html", page_html(self))  # Colab's renderer brings HTML of its own
        return bundle

    def _repr_html_(self):
        return page_html(self)

    def _ipython_display_(self):
        from IPython.display import display

        if bundle := self._repr_mimebundle_():
            display(bundle, raw=True)
            if PLOTLY in bundle:  # a notebook shows one kind of each output, so the style is an output of its own
                display({"text/html": f"<style>{DARK}</style>"}, raw=True)
        else:  # in a terminal plotly opens a browser
            super()._ipython_display_()


def lines(series, *, x, y, alt, log_x=False, log_y=False, markers=False):
    """Lines, each labelled at its end.

    Parameters
    ----------
    series : dict of name -> (x values, y values)
        A series named q, k, v, S, Z or out (or out_0, φ(k), …) has that symbol's colour.
    x, y : str
        Titles of the axes, with the unit.
    alt : str
        One sentence that says what is seen, for readers who do not see it.
    log_x, log_y : bool
        Logarithmic axes; they leave out values that are not positive.
    markers : bool
        Mark every point.

    Raises
    ------
    ValueError
        No alt text, no series, or a series whose x and y are not two equally long lists of numbers.
    """
    figure = _figure(series, x, y, alt)
    for index, (name, (xs, ys)) in enumerate(series.items()):
        xs, ys = _numbers(xs, f"x of {name!r}"), _numbers(ys, f"y of {name!r}")
        _same_length(f"x of {name!r}", xs, f"y of {name!r}", ys)
        ink = color(name, index, ink=True, beside=series)
        figure.add_scatter(
            x=xs,
            y=ys,
            name=name,
            mode="lines+markers" if markers else "lines",
            line={"color": ink, "width": 2.5, "dash": DASHES[index % len(DASHES)]},
            marker={"color": ink, "size": 8, "symbol": MARKERS[index % len(MARKERS)]},
            hovertemplate="%{y:,.4~g}",
        )
    if log_x:
        figure.update_xaxes(log_axis([value for line in figure.data for value in line.x], at_points=True))
    if log_y:
        figure.update_yaxes(log_axis([value for line in figure.data for value in line.y]))
    figure.update_layout(hovermode="x unified")
    if len(figure.data) > 1:
        labels = end_labels(figure.data, log_x, log_y)
        figure.update_layout(
            annotations=[*figure.layout.annotations, *labels],
            margin_r=24 + 7.5 * max(len(name) for name in series),
        )
    return figure


def bars(series, *, x, y, alt):
    """Bars side by side; up to twelve show their numbers.

    Parameters
    ----------
    series : dict of name -> (labels, values)
        All series have the same labels, which may repeat ("the cat sat on the mat").
    x, y, alt : str
        As in :func:`lines`.

    Raises
    ------
    ValueError
        No alt text, no series, as many labels as values are missing, or series with different labels.
    """
    figure = _figure(series, x, y, alt)
    labels = [str(label) for label in next(iter(series.values()))[0]]
    few = len(labels) * len(series) <= 12
    for index, (name, (own_labels, values)) in enumerate(series.items()):
        if [str(label) for label in own_labels] != labels:
            raise ValueError(f"{name!r} has labels {list(own_labels)}, the first series has {labels}")
        values = _numbers(values, f"values of {name!r}")
        _same_length("labels", labels, f"values of {name!r}", values)
        figure.add_bar(
            x=list(range(len(labels))),
            y=values,
            name=name,
            marker={"color": color(name, index, beside=series), "line": {"width": 0}},
            hovertemplate="%{y:,.4~g}",
            text=[number(value, digits=3) for value in values] if few else None,
            textposition="outside",
            textangle=0,
            textfont={"size": 12},
            constraintext="none",
            cliponaxis=False,
        )
    figure.update_xaxes(**named_axis(labels), showgrid=False)
    figure.update_layout(hovermode="x unified", showlegend=len(series) > 1, bargap=0.3, bargroupgap=0.08)
    return figure


def heatmap(matrix, *, x, y, alt, signed=True, rows=None, columns=None, causal=False):
    """A matrix as coloured cells, row 0 at the top; up to 12 × 12 shows its numbers.

    Parameters
    ----------
    matrix : (rows, columns)
    x, y : str
        What the columns and what the rows are.
    alt : str
        As in :func:`lines`.
    signed : bool
        True: a scale centred on 0, blue below and orange above. False: from 0 upwards.
    rows, columns : list of str, optional
        Their names, which may repeat; without them, positions counted from 0.
    causal : bool
        True: a row does not see what stands right of the diagonal; there is a dot for each, no number.

    Raises
    ------
    ValueError
        No alt text, not a matrix, or names that do not fit it.
    """
    cells = [_numbers(row, "a row of the matrix") for row in matrix]
    figure = _figure(cells and cells[0], x, y, alt)
    rows, columns = rows or range(len(cells)), columns or range(len(cells[0]))
    _same_length("rows", rows, "the matrix", cells)
    for row in cells:
        _same_length("columns", columns, "a row of the matrix", row)
    seen = [row[: i + 1] + [None] * len(row[i + 1 :]) for i, row in enumerate(cells)] if causal else cells
    largest = max((abs(value) for row in seen for value in row if value is not None), default=0) or 1
    small = len(rows) <= 12 and len(columns) <= 12
    gap = 2 if small else 0
    place = f"{y} %{{y}}, {x} %{{x}}"
    figure.add_heatmap(
        z=seen,
        zmin=-largest if signed else 0,
        zmax=largest,
        colorscale=scale(signed, with_numbers=small),
        xgap=gap,
        ygap=gap,
        showscale=not small,
        texttemplate="%{z:.2f}" if small else None,
        textfont={"color": PALETTE["--la-ink"]},
        hovertemplate=f"{place}<br>%{{z:,.4~g}}<extra></extra>",
        hoverongaps=False,
    )
    if causal:
        figure.layout.meta["causal"] = True
        figure.add_heatmap(
            z=[[None] * (i + 1) + [0] * len(row[i + 1 :]) for i, row in enumerate(cells)],
            colorscale=[[0, PALETTE["--la-surface"]], [1, PALETTE["--la-surface"]]],
            showscale=False,
            text=[[""] * (i + 1) + ["·"] * len(row[i + 1 :]) for i, row in enumerate(cells)],
            texttemplate="%{text}" if small else None,
            textfont={"color": PALETTE["--la-ink-soft"], "size": 20},
            hovertemplate=f"{place}<br>hidden<extra></extra>",
            hoverongaps=False,
        )
    figure.update_xaxes(**named_axis(columns), showgrid=False, zeroline=False)
    figure.update_yaxes(**named_axis(rows), showgrid=False, zeroline=False, autorange="reversed")
    cell = 48 if small else max(4, min(24, 480 // max(len(rows), len(columns))))
    width = max(300, len(columns) * cell + (90 if small else 150))
    figure.update_layout(height=len(rows) * cell + 100, width=width)
    return figure


def _figure(content, x, y, alt):
    """An empty figure with the axes' titles; y's lies flat above its axis, read with a straight head."""
    if not alt.strip():
        raise ValueError("alt must say in one sentence what the figure shows")
    if not content:
        raise ValueError("there is nothing to draw")
    figure = Figure(layout={"template": TEMPLATE, "meta": {"alt": alt, "x": x, "y": y}})
    figure.update_xaxes(title_text=x)
    corner = {"xref": "paper", "yref": "paper", "x": 0, "y": 1, "xanchor": "left", "yanchor": "bottom"}
    return figure.add_annotation(text=y, name="y", yshift=6, **corner)


def _numbers(values, what):
    """The numbers of a tensor, array or list, rounded to seven digits; None for one that is not finite."""
    values = values.tolist() if hasattr(values, "tolist") else [float(value) for value in values]
    if not isinstance(values, list) or any(isinstance(value, list) for value in values):
        raise ValueError(f"{what} must have one axis")
    return [float(f"{value:.7g}") if math.isfinite(value) else None for value in values]


def _same_length(one, ones, other, others):
    if len(ones) != len(others):
        raise ValueError(f"{one} and {other} must be equally long, they are {len(ones)} and {len(others)}")
