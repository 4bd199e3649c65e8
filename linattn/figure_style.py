"""How the book's figures look: the palette, which series gets which colour, and the one plotly template."""

import math
import re
from pathlib import Path

import plotly.graph_objects as go

# Fills of the symbols, the same in widgets, equations and prose.
COLORS = {"q": "#0072b2", "k": "#e69f00", "v": "#009e73", "S": "#cc79a7", "Z": "#d55e00", "out": "#56b4e9"}
# widgets.css in its light theme, by variable. A notebook shows these, a page of the book the variables.
PALETTE = {f"--la-{role}": color for role, color in COLORS.items()} | {
    "--la-q-ink": "#0067a1",
    "--la-k-ink": "#8a5a00",
    "--la-v-ink": "#00734f",
    "--la-S-ink": "#9c3d72",
    "--la-Z-ink": "#a84800",
    "--la-out-ink": "#1b6d99",
    "--la-series-1": "#332288",
    "--la-series-2": "#c0485b",
    "--la-series-3": "#1f7f70",
    "--la-series-4": "#75751c",
    "--la-series-5": "#a13a90",
    "--la-series-6": "#50585f",
    "--la-ink": "#1f2328",
    "--la-ink-soft": "#57606a",
    "--la-surface": "#ffffff",
    "--la-line": "#d0d7de",
    "--la-below": "#0062a3",
    "--la-above": "#b04a01",
    "--la-high": "#2b1d7a",
    "--la-below-cell": "#8cc0e6",
    "--la-above-cell": "#f0b27a",
    "--la-high-cell": "#b3aae6",
}
# Of the six, those that are too like a symbol's colour to stand in one figure with it.
NEAR = {"k": {4}, "v": {3}, "S": {2, 5}, "out": {6}}
# Also where two lines coincide, both are seen.
DASHES = ("solid", "dash", "dot", "dashdot", "longdash", "longdashdot")
MARKERS = ("circle", "square", "diamond", "triangle-up", "x", "cross")
# A series that is one of the symbols: its letter, perhaps with an index, perhaps inside φ( ).
SYMBOL = re.compile(r"(?:φ\()?(q|k|v|S|Z|out)(?:[_₀-₉ₜᵢ]\w*)?\)?")

_WIDGETS = (Path(__file__).parent / "widgets" / "widgets.css").read_text(encoding="utf-8")
# What turns a notebook's figures dark, out of the one stylesheet: a figure without widgets must bring it along.
DARK = re.search(r"@media not print \{\n  :is\(body\[data-jp-theme-light.*?\n\}\n", _WIDGETS, re.DOTALL)[0]

_AXIS = {
    "automargin": True,
    "fixedrange": True,  # a finger on the figure scrolls the page
    "gridcolor": PALETTE["--la-line"],
    "linecolor": PALETTE["--la-line"],
    "zerolinecolor": PALETTE["--la-ink-soft"],
    "zerolinewidth": 1,
    "ticks": "",
    "separatethousands": True,
    "title": {"standoff": 10, "font": {"color": PALETTE["--la-ink-soft"], "size": 14}},
    "tickfont": {"color": PALETTE["--la-ink-soft"], "size": 13},
}
TEMPLATE = go.layout.Template(
    layout={
        "font": {"family": "system-ui, sans-serif", "size": 14, "color": PALETTE["--la-ink"]},
        "paper_bgcolor": PALETTE["--la-surface"],
        "plot_bgcolor": PALETTE["--la-surface"],
        "height": 380,
        "margin": {"l": 48, "r": 16, "t": 40, "b": 48},
        "showlegend": False,
        "dragmode": False,
        "legend": {"orientation": "h", "x": 1, "xanchor": "right", "y": 1.02, "yanchor": "bottom"},
        "hoverlabel": {
            "bgcolor": PALETTE["--la-surface"],
            "bordercolor": PALETTE["--la-ink-soft"],
            "font": {"color": PALETTE["--la-ink"]},
        },
        "annotationdefaults": {"showarrow": False, "font": {"color": PALETTE["--la-ink-soft"], "size": 14}},
        "xaxis": _AXIS,
        "yaxis": _AXIS,
    },
    data={"heatmap": [{"colorbar": {"thickness": 10, "outlinewidth": 0, "ticks": ""}}]},
)


def color(name, index, ink=False, beside=()):
    """The symbol's colour if the series is a symbol, else one of six that colour-blind readers tell apart.

    Of the six none is given that is like the colour of a symbol among the names ``beside`` it.
    """
    if symbol := SYMBOL.fullmatch(name):
        return PALETTE[f"--la-{symbol[1]}{'-ink' if ink else ''}"]
    near = set().union(*(NEAR.get(symbol[1], ()) for symbol in map(SYMBOL.fullmatch, beside) if symbol))
    free = [number for number in range(1, 7) if number not in near]
    return PALETTE[f"--la-series-{free[index % len(free)]}"]


def scale(signed, with_numbers):
    """Blue, the surface at 0, orange; or from the surface up. Paler where numbers are written on it."""
    kind = "-cell" if with_numbers else ""
    if signed:
        names = (f"--la-below{kind}", "--la-surface", f"--la-above{kind}")
    else:
        names = ("--la-surface", f"--la-high{kind}")
    return [[index / (len(names) - 1), PALETTE[name]] for index, name in enumerate(names)]


def number(value, digits=4):
    """A number as text: a real minus sign, 3.8e−6 for 0.0000038, 65,536 with its comma; empty where there is none."""
    if value is None or isinstance(value, str):
        return value or ""
    whole = float(value).is_integer() and abs(value) < 1e6
    mantissa, _, exponent = (f"{value:,.0f}" if whole else f"{value:,.{digits}g}").partition("e")
    return (f"{mantissa}e{int(exponent)}" if exponent else mantissa).replace("-", "−")


def named_axis(names):
    """One tick a position, with its name. Plotly itself would merge categories that have the same name."""
    step = math.ceil(len(names) / 24)
    return {"tickvals": list(range(len(names)))[::step], "ticktext": [str(name) for name in names][::step]}


def log_axis(values, at_points=False):
    """A logarithm with ticks at the points if they are few (n = 512, 1,024, …), else at powers of ten."""
    positive = sorted({value for value in values if value and value > 0})
    if at_points and len(positive) <= 8:
        return {"type": "log", "tickvals": positive, "ticktext": [number(value) for value in positive]}
    low, high = (positive[0], positive[-1]) if positive else (1, 1)
    plain = low >= 1e-3 and high < 1e6
    return {
        "type": "log",
        "exponentformat": "none" if plain else "power",
        "dtick": 1 if high >= 100 * low else None,
    }


def end_labels(lines, log_x, log_y):
    """Annotations that write each line's name at its end, moved by pixels where two of them would touch.

    `lines` are plotly's scatter traces; the pixels are those of the default height.
    """
    ends = []
    for line in lines:
        drawn = [(x, y) for x, y in zip(line.x, line.y, strict=True) if _drawn(x, log_x) and _drawn(y, log_y)]
        if drawn:
            heights = [_on_axis(y, log_y) for _, y in drawn]
            ends.append((line, _on_axis(drawn[-1][0], log_x), heights))
    last = max((x for _, x, _ in ends), default=0)
    every = [height for _, _, heights in ends for height in heights]
    pixels = 300 / ((max(every) - min(every)) or 1) if every else 0
    ends.sort(key=lambda end: end[2][-1])
    moved, free = [], -math.inf
    for _, _, heights in ends:
        moved.append(max(0.0, free - heights[-1] * pixels))
        free = heights[-1] * pixels + moved[-1] + 18
    return [
        {
            "text": line.name,
            "name": "end",
            # At the plot's edge where the line ends there: in data coordinates the axis would grow to hold the text.
            **({"xref": "paper", "x": 1} if x == last else {"x": x}),
            "y": heights[-1],
            "xanchor": "left",
            "xshift": 8,
            "yshift": up,
            "font": {"color": line.line.color},
        }
        for (line, x, heights), up in zip(ends, moved, strict=True)
    ]


def _drawn(value, log):
    return value is not None and (value > 0 or not log)


def _on_axis(value, log):
    return math.log10(value) if log else value
