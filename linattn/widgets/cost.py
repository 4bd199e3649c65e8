"""What attention costs: multiply-adds, memory, and what decoding keeps, for any sizes, beside measurements."""

from __future__ import annotations

import math
from collections.abc import Sequence

import traitlets

from ..chunked import chunk_length
from . import still
from .base import Widget
from .trait_types import OutOfReach, Stops

BYTES = {"float32": 4, "bfloat16": 2, "float16": 2}
#: Bytes of a number in sums over tokens: S, Z and the row sums of fused softmax stay in float32.
SUMS = 4
LEAST_N, MOST_N = 16, 2**20
NAMES = {
    "softmax": "softmax", "fused": "fused softmax", "kernel": "masked kernel", "recurrence": "recurrence",
    "chunks": "chunkwise", "cache": "KV cache", "state": "S and Z",
}  # fmt: skip
#: The form that each of the benchmark's contenders is.
MEASURED = {"softmax (SDPA)": "fused", "all pairs": "kernel", "recurrence": "recurrence", "linattn": "chunks"}
LIMITS = {"n": (LEAST_N, MOST_N), "d": (4, 512), "batch": (1, 1024), "layers": (1, 256), "heads": (1, 256)}
LIMITS |= {"kv_heads": (1, 256), "chunk": (1, 4096)}


def _size(name: str, value: int) -> traitlets.Int:
    least, most = LIMITS[name]
    return traitlets.Int(value, min=least, max=most).tag(sync=True)


class Cost(Widget, module="cost"):
    """Draw what causal attention of length ``n`` costs, on log axes, and mark where the linear forms win.

    ``view`` "work" counts the multiply-adds of softmax, fused softmax, the masked kernel, the recurrence and the
    chunkwise form; "memory" the bytes each holds at work, besides q, k, v and out, in one layer; "decoding" the bytes
    kept from token to token, a KV cache against S and Z. q, k, v and φ have ``d`` entries a head; S, Z and row sums
    are float32 whatever ``dtype`` is. ``heads // kv_heads`` query heads share a key/value head: scores, row sums and
    the reads φ(q)S are counted for each query head; k, v, S, Z and the writes φ(k)vᵀ, in which q has no part, once for
    each key/value head. ``measurements``, a list of the dicts that `linattn.benchmark.compare` returns, adds a view
    "time" that draws them beside the formulas.
    ``stops`` make a walk-through, a list of dicts of these traits with a "text" each, and a stop with
    "ask": "crossover" waits for an answer: above which n do the view's first two lines change places? The truth is
    counted.

    `costs` is what the view on screen counts at n, by name; `crossings` the lengths at which the lines cross.
    Raises ValueError for sizes out of range, key/value heads that do not divide the heads, and other dtypes.
    """

    view = traitlets.Enum(("work", "memory", "decoding", "time"), "work").tag(sync=True)
    n, d, chunk = _size("n", 1024), _size("d", 64), _size("chunk", 64)
    batch, layers, heads, kv_heads = _size("batch", 1), _size("layers", 12), _size("heads", 12), _size("kv_heads", 12)
    dtype = traitlets.Enum(tuple(BYTES), "float32").tag(sync=True)
    measurements = traitlets.List(traitlets.Dict()).tag(sync=True)
    stops = Stops("crossover")

    def __init__(
        self,
        n: int = 1024,
        d: int = 64,
        *,
        batch: int = 1,
        layers: int = 12,
        heads: int = 12,
        kv_heads: int | None = None,
        dtype: str = "float32",
        chunk: int = 64,
        view: str = "work",
        measurements: Sequence[dict] = (),
        stops: Sequence[dict] = (),
    ) -> None:
        kv_heads = heads if kv_heads is None else kv_heads
        sizes = {"n": n, "d": d, "batch": batch, "layers": layers, "heads": heads, "kv_heads": kv_heads, "chunk": chunk}
        for name, value in sizes.items():
            least, most = LIMITS[name]
            if not least <= value <= most:
                raise ValueError(f"{name} must be from {least} to {most}: found {value}")
        if dtype not in BYTES:
            raise ValueError(f"dtype must be one of {', '.join(BYTES)}: found {dtype!r}")
        if view == "time" and not measurements:
            raise ValueError("view 'time' needs measurements")
        # Forward runs alone, and of one size: what the time view can draw in one picture.
        runs = [run for run in measurements if not run["backward"] and "linattn" in run["ms"]]
        runs = [
            {**run, "chunk": chunk_length(run["heads"] * run["d"])}
            for run in runs
            if (run["d"], run["heads"]) == (runs[0]["d"], runs[0]["heads"])
        ]
        if measurements and not runs:
            raise ValueError("measurements must hold forward runs with 'linattn' among them")
        super().__init__(**sizes, dtype=dtype, view=view, measurements=runs, stops=list(stops))

    @traitlets.validate("heads", "kv_heads")
    def _shared(self, proposal: dict) -> int:
        # Set together, both are set by now; alone, each is held against the other.
        sizes = {"heads": self.heads, "kv_heads": self.kv_heads, proposal["trait"].name: proposal["value"]}
        if sizes["heads"] % sizes["kv_heads"]:
            raise OutOfReach(f"kv_heads must divide heads: found {sizes['kv_heads']} and {sizes['heads']}")
        return proposal["value"]

    @property
    def costs(self) -> dict[str, int]:
        """What the view on screen counts at n; of "time", the multiply-adds."""
        return self._costs(self.n, self.view)

    def _costs(self, n: int, view: str) -> dict[str, int]:
        d, C, state = self.d, self.chunk, SUMS * (self.d**2 + self.d)
        size, group = BYTES[self.dtype], self.heads // self.kv_heads
        # One key/value head with its query heads.
        if view == "decoding":
            each = {"cache": size * 2 * n * d, "state": state}
        elif view == "memory":
            scores = group * size * n * n
            each = {"softmax": scores, "fused": group * SUMS * n, "kernel": scores, "recurrence": state}
            each["chunks"] = group * size * min(C, n) ** 2 + (state if n > C else 0)
        else:
            lengths = [min(C, n - a) for a in range(0, n, C)]
            inside, read, written = sum(length**2 for length in lengths), sum(lengths[1:]), sum(lengths[:-1])
            scores = group * 2 * n * n * d
            each = {"softmax": scores, "fused": group * n * (n + 1) * d, "kernel": scores}
            each["recurrence"] = (group + 1) * n * d * d
            each["chunks"] = group * 2 * inside * d + (group * read + written) * d * d
        return {
            name: x * self.batch * self.kv_heads * (1 if view == "memory" else self.layers) for name, x in each.items()
        }

    @property
    def crossings(self) -> dict[tuple[str, str], float]:
        """The n at which the linear form becomes the cheaper one, by the two lines' names."""
        d, wider = self.d, SUMS / BYTES[self.dtype]
        if self.view == "decoding":
            return {("cache", "state"): wider * (d + 1) / 2}
        if self.view == "memory":
            state = (d**2 + d) * self.kv_heads / self.heads
            return {("softmax", "recurrence"): (wider * state) ** 0.5, ("fused", "recurrence"): state}
        both = d * (self.heads + self.kv_heads) / self.heads
        return {("softmax", "recurrence"): both / 2, ("fused", "recurrence"): both - 1}

    def _formulas(self, view: str) -> dict[str, str]:
        """What each form counts for one key/value head, as `formulas` in cost_words.js, where chunks fill n."""
        size, sums = f"{BYTES[self.dtype]} B", f"{SUMS} B"
        g, both = ("g·", "(g + 1)") if self.heads > self.kv_heads else ("", "2")
        state = f"(d² + d) × {sums}"
        if view == "decoding":
            return {"cache": f"2·n·d × {size}", "state": state}
        if view == "memory":
            chunks = f"({g}C² + d² + d) × {sums}" if size == sums else f"{g}C² × {size} + {state}"
            scores = f"{g}n² × {size}"
            return {
                "softmax": scores, "fused": f"{g}n × {sums}", "kernel": scores, "recurrence": state, "chunks": chunks
            }  # fmt: skip
        return {
            "softmax": f"2·{g}n²·d", "fused": f"{g}n·(n + 1)·d", "kernel": f"2·{g}n²·d", "recurrence": f"{both}·n·d²",
            "chunks": f"2·{g}n·C·d + {both}·(n − C)·d²",
        }  # fmt: skip

    def _caption(self, view: str) -> str:
        """What is counted, what makes a formula the number below it, and the sizes, as `caption` in cost_words.js."""
        one_layer, group = view == "memory", self.heads // self.kv_heads
        factors = [f"batch {self.batch}", *[_many(self.layers, "layer")] * (not one_layer)]
        factors.append(_many(self.kv_heads, "key/value head" if group > 1 else "head"))
        title = {
            "work": "Multiply-adds",
            "memory": "Bytes held at work in one layer, besides q, k, v and out",
            "decoding": "Bytes kept from token to token",
        }[view]
        product = self.batch * (1 if one_layer else self.layers) * self.kv_heads
        factor = f"each formula × {product:,} = {' × '.join(factors)}"
        if group > 1:
            factor += f", each shared by g = {group} query heads"
        factor += ", one layer at a time" * one_layer
        letters = [f"d = {self.d}"] + [f"C = {self.chunk}"] * (view != "decoding") + [self.dtype] * (view != "work")
        return f"{title}: {factor}; {', '.join(letters)}"

    def still(self) -> str:
        tables = []
        for view in ("work", "memory", "decoding"):
            formulas = self._formulas(view)
            if "chunks" in formulas:
                formulas["chunks"] += ", n = 2C, 3C, …" if view == "work" else ", n > C"
            rows = [["formula", *formulas.values()]]
            shown = still.number if view == "work" else _bytes
            rows += [[f"{n:,}", *map(shown, self._costs(n, view).values())] for n in _lengths(self.n)]
            tables.append(still.table(self._caption(view), ["n", *(NAMES[name] for name in formulas)], rows))
        for i, run in enumerate(self.measurements):
            rows = [
                [NAMES.get(MEASURED.get(name), name), *(still.number(t[part], 3) for part in ("median", "low", "high"))]
                for name, t in run["ms"].items()
            ]
            caption = f"Measured, n = {run['n']:,}"
            caption += "" if i else "; fused softmax is torch's scaled_dot_product_attention"
            tables.append(still.table(caption, ["form", "ms, median", "low", "high"], rows))
        return "\n".join(tables)


def _bytes(x: float) -> str:
    """As `bytes` in cost_words.js."""
    power = min(int(math.log2(x) // 10), 5)
    return f"{still.number(x / 1024**power)} {('B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB')[power]}"


def _many(x: int, what: str) -> str:
    return f"{x} {what}" + "s" * (x != 1)


def _lengths(n: int) -> list[int]:
    return sorted({n, *(4**power for power in range(2, 11))})
