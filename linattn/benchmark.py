"""Time and memory of the forms of attention against each other: ``python -m linattn.benchmark``.

Every function returns plain data (dicts of numbers), so that a notebook can plot it. Contenders are measured
in turn, round after round, in one process: on a shared machine only the ratios within one run mean anything.
Before anything is timed, all contenders for linear attention must agree with each other.
"""

from __future__ import annotations

import argparse
import importlib.metadata
import importlib.util
import json
import re
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterable
from pathlib import Path

import torch
import torch.nn.functional as F
from torch import Tensor

from .attention import all_pairs_linear_attention, causal_linear_attention, recurrent_linear_attention
from .chunked import chunk_length
from .feature_maps import elu_plus_one
from .state import LinearAttentionState

__all__ = [
    "batched_chunks",
    "check_agreement",
    "compare",
    "cumulative_outer_products",
    "decode",
    "inputs",
    "interleave",
    "matmul",
    "memory",
    "operations",
    "peak_growth",
    "peak_memory",
    "peers",
    "token_loop",
    "softmax",
    "table",
]

Contender = Callable[[Tensor, Tensor, Tensor], Tensor]
Report = Callable[[str], None]


def token_loop(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    """The textbook token loop: a new S and Z at every step."""
    phi_q, phi_k = F.elu(q) + 1, F.elu(k) + 1
    S = q.new_zeros(*q.shape[:-2], q.shape[-1], v.shape[-1])
    Z = q.new_zeros(*q.shape[:-2], q.shape[-1])
    outs = []
    for t in range(q.shape[-2]):
        S = S + phi_k[..., t, :].unsqueeze(-1) * v[..., t, :].unsqueeze(-2)
        Z = Z + phi_k[..., t, :]
        numerator = torch.einsum("...f,...fe->...e", phi_q[..., t, :], S)
        denominator = torch.einsum("...f,...f->...", phi_q[..., t, :], Z).unsqueeze(-1)
        outs.append(numerator / (denominator + 1e-6))
    return torch.stack(outs, dim=-2)


def cumulative_outer_products(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    """Every S_t at once by a cumulative sum: memory n·d_k·d_v."""
    phi_q, phi_k = elu_plus_one(q), elu_plus_one(k)
    S = (phi_k.unsqueeze(-1) * v.unsqueeze(-2)).cumsum(-3)
    denominator = (phi_q * phi_k.cumsum(-2)).sum(-1, keepdim=True)
    return torch.einsum("...nf,...nfe->...ne", phi_q, S) / (denominator + 1e-6)


def batched_chunks(q: Tensor, k: Tensor, v: Tensor, chunk: int = 64) -> Tensor:
    """All chunks at once, states and keys by cumulative sums: the usual plain-PyTorch reference form."""
    phi_q, phi_k = elu_plus_one(q), elu_plus_one(k)
    denominator = (phi_q * phi_k.cumsum(-2)).sum(-1, keepdim=True)
    n, left = q.shape[-2], -q.shape[-2] % chunk
    Q, K, V = (F.pad(x, (0, 0, 0, left)).unflatten(-2, (-1, chunk)) for x in (phi_q, phi_k, v))
    write = K.mT @ V
    S = write.cumsum(-3) - write
    numerator = Q @ S + (Q @ K.mT).tril() @ V
    return numerator.flatten(-3, -2)[..., :n, :] / (denominator + 1e-6)


def softmax(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    """Fused causal softmax attention, for comparison: another function, and quadratic."""
    return F.scaled_dot_product_attention(q, k, v, is_causal=True)


# Each with the longest n at which it is measured, forward and with gradients: what grows as n², holds n·d_k·d_v
# numbers or loops over tokens would take minutes or all memory beyond.
CONTENDERS: dict[str, tuple[Contender, int, int]] = {
    "linattn": (causal_linear_attention, sys.maxsize, sys.maxsize),
    "token loop": (token_loop, 4096, 1024),
    "recurrence": (recurrent_linear_attention, 4096, 1024),
    "all pairs": (all_pairs_linear_attention, 4096, 4096),
    "outer products": (cumulative_outer_products, 4096, 1024),
    "batched chunks": (batched_chunks, 65536, 16384),
    "softmax (SDPA)": (softmax, 16384, 4096),
}


def peers() -> tuple[dict[str, tuple[Contender, int, int]], dict[str, str]]:
    """Other people's plain-PyTorch forms that are installed (``pip install linattn[bench]``), and why others are not.

    All get the default map, so that they compute our function, except linear-attention-transformer, which has
    maps of its own and lets a token see whole earlier buckets only; ``OTHER_FUNCTIONS`` says so.
    """
    found, missing = {}, {}
    for name, load in (
        ("fla-core naive", _fla),
        ("performer-pytorch", _performer),
        ("linear-attention-transformer", _bucketed),
    ):
        try:
            found[name] = load()
        except Exception as error:  # not installed, or broken on this Python: say so and go on
            missing[name] = f"{type(error).__name__}: {error}"
    return found, missing


def _fla() -> tuple[Contender, int, int]:
    # Loaded from its file: the package around it wants triton, the reference form only torch and einops.
    path = importlib.metadata.distribution("fla-core").locate_file("fla/ops/linear_attn/naive.py")
    spec = importlib.util.spec_from_file_location("fla_naive", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)

    def naive_chunks(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
        q, k, v = (x.transpose(1, 2) for x in (elu_plus_one(q), elu_plus_one(k), v))
        return module.naive_chunk_linear_attn(q, k, v, scale=1.0, normalize=True).transpose(1, 2)

    return naive_chunks, 65536, 16384


def _performer() -> tuple[Contender, int, int]:
    module = importlib.import_module("performer_pytorch.performer_pytorch")
    noncuda = module.causal_linear_attention_noncuda
    return lambda q, k, v: noncuda(elu_plus_one(q), elu_plus_one(k), v, eps=0.0), 4096, 1024


def _bucketed() -> tuple[Contender, int, int]:
    module = importlib.import_module("linear_attention_transformer.linear_attention_transformer")
    return lambda q, k, v: module.causal_linear_attn(q, k, v, bucket_size=64), 65536, 16384


OTHER_FUNCTIONS = ("softmax (SDPA)", "linear-attention-transformer")


def inputs(n: int, d: int, heads: int, dtype=torch.float32, device: str = "cpu", grad: bool = False) -> list[Tensor]:
    """Random q, k, v (1, heads, n, d)."""
    generator = torch.Generator().manual_seed(0)
    draw = (torch.randn(1, heads, n, d, generator=generator) for _ in range(3))
    return [x.to(device, dtype).requires_grad_(grad) for x in draw]


def check_agreement(contenders: Iterable[str], everyone: dict, d: int = 64, device: str = "cpu") -> dict[str, float]:
    """The largest difference of each from all pairs in float64, at n = 256, of outputs and gradients.

    RuntimeError above 1e-4.
    """
    exact = [x.detach().double().requires_grad_() for x in inputs(256, d, 2, device=device)]
    weight = torch.randn(exact[2].shape, generator=torch.Generator().manual_seed(1)).to(device)

    def results(contender: Contender, qkv: list[Tensor]) -> list[Tensor]:
        out = contender(*qkv)
        return [out, *torch.autograd.grad((out * weight).sum(), qkv)]

    expected = results(all_pairs_linear_attention, exact)
    differences = {}
    for name in contenders:
        if name not in OTHER_FUNCTIONS:
            found = results(everyone[name][0], inputs(256, d, 2, device=device, grad=True))
            differences[name] = max((x - y).abs().max().item() for x, y in zip(found, expected, strict=True))
            if not differences[name] < 1e-4:
                raise RuntimeError(f"{name} does not compute the same function: it differs by {differences[name]:.2g}")
    return differences


def interleave(
    functions: dict[str, Callable[[], object]], rounds: int = 5, device: str = "cpu", report: Report | None = None
) -> dict[str, dict[str, float]]:
    """Milliseconds a call takes, {name: {median, low, high}}, from ``rounds`` rounds that each run all in turn.

    With one CPU thread, of processor time, which other processes on the machine disturb less; else of the clock's.
    """
    if rounds < 1:
        raise ValueError(f"rounds must be at least 1, found {rounds}")
    one_thread = device == "cpu" and torch.get_num_threads() == 1
    clock = time.process_time if one_thread else time.perf_counter
    wait = torch.cuda.synchronize if device.startswith("cuda") else lambda: None
    times: dict[str, list[float]] = {name: [] for name in functions}
    repeats = dict.fromkeys(functions, 1)
    for i in range(rounds + 1):  # round 0 warms up, and finds how often to repeat what is short
        for name, function in functions.items():
            if report:
                report(f"round {i} of {rounds}: {name}")
            wait()
            start = clock()
            for _ in range(repeats[name]):
                function()
            wait()
            took = (clock() - start) / repeats[name]
            if i == 0:
                repeats[name] = max(1, min(200, int(0.02 / max(took, 1e-6))))
            else:
                times[name].append(took * 1e3)
    return {name: {"median": statistics.median(t), "low": min(t), "high": max(t)} for name, t in times.items()}


def matmul(size: int = 1024, device: str = "cpu", dtype=torch.float32) -> Callable[[], Tensor]:
    """One large matrix product, 2·size³ operations, whose speed stands for the machine's peak."""
    a, b, out = (torch.randn(size, size, device=device).to(dtype) for _ in range(3))
    return lambda: torch.mm(a, b, out=out)


def operations(n: int, d: int, heads: int, backward: bool) -> int:
    """Floating-point operations in the matrix products of our chunkwise form, masked halves of scores included."""
    chunk = chunk_length(heads * d)
    products = (2 * chunk * d + 2 * d * d) + (5 * chunk * d + 5 * d * d if backward else 0)
    return 2 * heads * n * products


def compare(
    n: int, *, d: int = 64, heads: int = 8, backward: bool = False, rounds: int = 5, device: str = "cpu",
    dtype=torch.float32, names: Iterable[str] | None = None, report: Report | None = None,
) -> dict:  # fmt: skip
    """Time all contenders (or those in ``names``) at one length: {n, d, …, ms: {name: …}, ratio, peak}.

    ``ratio`` is a contender's median over ours; ``peak`` our fraction of the speed of one large matrix product.
    """
    everyone = {**CONTENDERS, **peers()[0]}
    names = list(everyone if names is None else names)
    if "linattn" not in names or not everyone.keys() >= set(names):
        raise ValueError(f"names must hold 'linattn' and others of {', '.join(everyone)}: found {names}")
    fits = n % 64 == 0  # other people's forms take whole chunks only
    chosen = [x for x in names if n <= everyone[x][2 if backward else 1] and (fits or x in CONTENDERS)]
    q, k, v = inputs(n, d, heads, dtype, device, grad=backward)
    grad_out = torch.randn_like(v)

    def run(contender: Contender) -> Callable[[], object]:
        if backward:
            return lambda: torch.autograd.grad(contender(q, k, v), (q, k, v), grad_out)
        return lambda: contender(q, k, v)

    functions = {"matmul": matmul(device=device, dtype=dtype), **{x: run(everyone[x][0]) for x in chosen}}
    ms = interleave(functions, rounds, device, report)
    peak = 1024**3 * 2 / ms.pop("matmul")["median"]
    ours = ms["linattn"]["median"]
    return {
        "n": n, "d": d, "heads": heads, "backward": backward, "device": device, "dtype": str(dtype), "ms": ms,
        "ratio": {name: t["median"] / ours for name, t in ms.items()},
        "peak": operations(n, d, heads, backward) / ours / peak,
    }  # fmt: skip


@torch.inference_mode()
def decode(
    context: int, *, d: int = 64, heads: int = 8, rounds: int = 5, device: str = "cpu", report: Report | None = None
) -> dict:
    """One more token after ``context`` tokens: our state, written in place and read, against SDPA over a KV cache.

    The cache is preallocated, and the step writes one row of it. Both run in inference mode. Sizes in KiB.
    """
    q, k, v = inputs(context, d, heads, device=device)
    state = LinearAttentionState.zeros(d, d, batch_shape=(1, heads), device=device).update(k, v)
    q_t, k_t, v_t = (x[..., -1, :].contiguous() for x in (q, k, v))

    def state_step() -> Tensor:
        return state.update(k_t, v_t, in_place=True).read(q_t)

    def cache_step() -> Tensor:
        k[..., -1, :], v[..., -1, :] = k_t, v_t
        return F.scaled_dot_product_attention(q_t.unsqueeze(-2), k, v)

    ms = interleave({"state": state_step, "KV cache": cache_step}, rounds, device, report)
    kib = {"state": 4 * (state.S.numel() + state.Z.numel()) / 1024, "KV cache": 8 * k.numel() / 1024}
    ratio = ms["KV cache"]["median"] / ms["state"]["median"]
    return {"context": context, "d": d, "heads": heads, "ms": ms, "ratio": ratio, "KiB": kib}


def memory(n: int, *, d: int = 64, heads: int = 8, backward: bool = False, names=("linattn", "batched chunks")) -> dict:
    """Peak memory beyond the inputs, as a multiple of one input, {name: multiple}; each in a process of its own."""
    multiples = {}
    for name in names:
        script = f"""import torch; torch.set_num_threads({torch.get_num_threads()})
from linattn.benchmark import peak_growth; print(peak_growth({name!r}, {n}, {d}, {heads}, {backward}))"""
        run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
        multiples[name] = float(run.stdout)
    return {"n": n, "d": d, "heads": heads, "backward": backward, "multiple": multiples}


def peak_growth(name: str, n: int, d: int, heads: int, backward: bool) -> float:
    """Growth of this process's peak memory in one call, after a short one has loaded what torch loads late."""
    contender = {**CONTENDERS, **peers()[0]}[name][0]
    for length in (min(512, n), n):
        q, k, v = inputs(length, d, heads, grad=backward)
        before = peak_memory()
        out = contender(q, k, v)
        if backward:
            out.backward(torch.ones(()).expand(out.shape))
    return (peak_memory() - before) / (q.numel() * q.element_size())


def peak_memory() -> int:
    """The most memory this process has had, in bytes."""
    status = Path("/proc/self/status")
    if status.exists():  # Linux, where the peak that getrusage knows is inherited from the parent process
        return next(int(line.split()[1]) * 1024 for line in status.read_text().splitlines() if "VmHWM" in line)
    import resource  # macOS: bytes; Windows has none

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def table(rows: list[list[str]]) -> str:
    """Rows, the first one a header, as aligned text."""
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    return "\n".join("  ".join(cell.rjust(w) for cell, w in zip(row, widths, strict=True)) for row in rows)


def _speed_table(results: list[dict]) -> str:
    names = list(dict.fromkeys(name for r in results for name in r["ms"]))
    rows = [["", *(f"n={r['n']}" for r in results)]]
    for name in names:
        cells = []
        for r in results:
            t = r["ms"].get(name)
            cells.append(
                f"{t['median']:.2f} ms [{t['low']:.2f}–{t['high']:.2f}]  ×{r['ratio'][name]:.2f}" if t else "–"
            )
        rows.append([name, *cells])
    return table([*rows, ["fraction of matmul peak, masked halves counted", *(f"{r['peak']:.2f}" for r in results)]])


def _count(text: str) -> int:
    """A number of something, at least 1, from the command line."""
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"at least 1, found {text}")
    return int(text)


def main(arguments: list[str] | None = None) -> None:
    """Command line."""
    parser = argparse.ArgumentParser(prog="python -m linattn.benchmark", description=__doc__.split("\n\n")[0])
    parser.add_argument("--device", default="cpu", help="cpu (default) or cuda")
    parser.add_argument("--threads", type=_count, default=1, help="CPU threads (default 1)")
    parser.add_argument("--rounds", type=_count, default=5, help="rounds over all contenders (default 5)")
    parser.add_argument("--heads", type=_count, default=8, help="batch times heads (default 8)")
    parser.add_argument("--width", type=_count, default=64, help="d_k = d_v (default 64)")
    lengths = [512, 1024, 4096, 16384]
    parser.add_argument("--lengths", type=_count, nargs="+", default=lengths, help="values of n (default %(default)s)")
    parser.add_argument("--json", action="store_true", help="print all numbers as JSON instead of tables")
    options = parser.parse_args(arguments)
    if not re.fullmatch(r"cpu|cuda(:\d+)?", options.device):
        parser.error(f"--device: cpu or cuda, found {options.device}")
    if options.device.startswith("cuda") and not torch.cuda.is_available():
        parser.error("--device cuda: this torch sees no CUDA device")
    torch.set_num_threads(options.threads)

    def report(text: str) -> None:
        if sys.stderr.isatty():
            print(f"\r\033[K{text}", end="", file=sys.stderr, flush=True)
        elif text:
            print(text, file=sys.stderr, flush=True)

    found, missing = peers()
    everyone = {**CONTENDERS, **found}
    common = {"d": options.width, "heads": options.heads, "rounds": options.rounds, "device": options.device}
    report("checking that all contenders agree")
    result = {
        "torch": torch.__version__, "threads": options.threads, "missing peers": missing,
        "difference from float64": check_agreement(everyone, everyone, options.width, options.device),
    }  # fmt: skip
    for part, backward in (("forward", False), ("forward + backward", True)):
        result[part] = [
            compare(
                n, backward=backward, report=lambda text, n=n, part=part: report(f"{part}, n={n}, {text}"), **common
            )
            for n in options.lengths
        ]
    bf16, f32 = ("bfloat16", torch.bfloat16), ("float32", torch.float32)
    typed = {name: inputs(4096, options.width, options.heads, dtype, options.device) for name, dtype in (bf16, f32)}
    functions = {name: lambda qkv=qkv: causal_linear_attention(*qkv) for name, qkv in typed.items()}
    result["dtype"] = interleave(functions, options.rounds, options.device, report)
    result["decode"] = [decode(c, report=report, **common) for c in (512, 1024, 4096, 16384, 65536)]
    if options.device == "cpu" and sys.platform != "win32":
        report("memory")
        result["memory"] = [memory(16384, d=options.width, heads=options.heads, backward=b) for b in (False, True)]
    report("")
    print(json.dumps(result, indent=1) if options.json else _text(result))


def _text(result: dict) -> str:
    one, missing = result["forward"][0], result["missing peers"]
    others = [name for name in OTHER_FUNCTIONS if name not in missing]
    parts = [
        f"torch {result['torch']}, {one['device']}, {result['threads']} thread(s), "
        f"{one['heads']} heads of width {one['d']}, {one['dtype']}. Median [lowest–highest] × over linattn's.",
        f"Largest difference from float64, gradients too: {max(result['difference from float64'].values()):.1e}. "
        f"Other functions, for comparison: {', '.join(others)}.",
        "–: would take minutes or all memory at that length, or takes whole chunks of 64 tokens only.",
        *(f"Not measured, {name}: {why}" for name, why in missing.items()),
        *(["pip install -e '.[bench]' brings what is missing."] if missing else []),
    ]
    for part in ("forward", "forward + backward"):
        parts += ["", part, _speed_table(result[part])]
    ratio = result["dtype"]["bfloat16"]["median"] / result["dtype"]["float32"]["median"]
    parts += ["", f"bfloat16 takes {ratio:.2f} times as long as float32 (n=4096)", "", "decoding one token"]
    rows = [["context", "state", "KV cache", "ratio", "state KiB", "cache KiB"]]
    for r in result["decode"]:
        ms = [f"{r['ms'][x]['median']:.3f} ms" for x in ("state", "KV cache")]
        rows.append([str(r["context"]), *ms, f"{r['ratio']:.1f}", *(f"{kib:.0f}" for kib in r["KiB"].values())])
    parts.append(table(rows))
    for r in result.get("memory", []):
        what = "forward + backward" if r["backward"] else "forward"
        multiples = ", ".join(f"{name} {x:.2f}" for name, x in r["multiple"].items())
        parts.append(f"peak memory beyond the inputs, {what}, n={r['n']}, in units of one input: {multiples}")
    return "\n".join(parts)


if __name__ == "__main__":
    main()
