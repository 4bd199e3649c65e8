"""A figure as HTML for the book: its JSON for figures.js, and the table of its numbers.

The table is for readers who do not see the figure, for pages without JavaScript, and for readers in doubt.
"""

import json
import math
from html import escape

from linattn.figure_style import PALETTE, number

MOST = 40  # rows or columns of the table; a longer figure lists every 2nd, 3rd, … and says so


def page_html(figure):
    """``<figure>``: a place for the plot, its JSON with CSS variables for the palette, and its table."""
    variables = {color: f"var({name})" for name, color in PALETTE.items()}
    plot = _replace(json.loads(figure.to_json()), variables)
    plot = json.dumps(plot, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")
    alt = escape(figure.layout.meta["alt"])
    return (
        '<figure class="la-figure">'
        f'<div class="la-figure-plot" role="img" aria-label="{alt}"><p>{alt}</p></div>'
        f'<script type="application/json">{plot}</script>'
        '<details class="la-figure-numbers" open><summary>Numbers of this figure</summary>'
        f"{table(figure)}</details></figure>"
    )


def table(figure):
    """The numbers of a figure's matrix, or of its lines or bars, a column each."""
    x, y = figure.layout.meta["x"], figure.layout.meta["y"]
    matrix = next((trace.z for trace in figure.data if trace.type == "heatmap"), None)
    if matrix is not None:
        names = _tick_names(figure.layout.yaxis, range(len(matrix)))
        columns = _tick_names(figure.layout.xaxis, range(len(matrix[0])))
        if figure.layout.meta.get("causal"):
            matrix = [[*row[: i + 1], *["hidden"] * len(row[i + 1 :])] for i, row in enumerate(matrix)]
        return _html(f"{y} ↓, {x} →", f"{y} \\ {x}", columns, list(zip(names, matrix, strict=True)))
    traces = [trace for trace in figure.data if trace.x is not None and trace.y is not None]
    places = sorted({place for trace in traces for place in trace.x if place is not None})
    columns = [dict(zip(trace.x, trace.y, strict=True)) for trace in traces]
    rows = [[column.get(place) for column in columns] for place in places]
    names = _tick_names(figure.layout.xaxis, places)
    return _html(y, x, [trace.name or y for trace in traces], list(zip(names, rows, strict=True)))


def _tick_names(axis, places):
    names = {}
    if axis.tickvals is not None and axis.ticktext is not None:
        names = dict(zip(axis.tickvals, axis.ticktext, strict=True))
    return [names.get(place, number(place)) for place in places]


def _html(caption, corner, columns, rows):
    row_step, column_step = math.ceil(len(rows) / MOST) or 1, math.ceil(len(columns) / MOST) or 1
    steps = ((row_step, "row"), (column_step, "column"))
    left_out = [f"every {_nth(step)} {kind}" for step, kind in steps if step > 1]
    note = f" ({', '.join(left_out)})" if left_out else ""
    head = "".join(f'<th scope="col">{escape(str(name))}</th>' for name in columns[::column_step])
    body = "".join(
        f'<tr><th scope="row">{escape(str(name))}</th>'
        + "".join(f"<td>{escape(number(value))}</td>" for value in values[::column_step])
        + "</tr>"
        for name, values in rows[::row_step]
    )
    return (
        f'<div class="la-figure-scroll" role="region" tabindex="0" aria-label="Numbers: {escape(caption)}">'
        f"<table><caption>{escape(caption + note)}</caption>"
        f'<thead><tr><th scope="col">{escape(corner)}</th>{head}</tr></thead>'
        f"<tbody>{body}</tbody></table></div>"
    )


def _nth(step):
    return {2: "2nd", 3: "3rd"}.get(step, f"{step}th")


def _replace(value, names):
    if isinstance(value, dict):
        return {key: _replace(item, names) for key, item in value.items()}
    if isinstance(value, list):
        return [_replace(item, names) for item in value]
    return names.get(value, value) if isinstance(value, str) else value
