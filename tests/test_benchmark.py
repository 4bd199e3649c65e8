"""The benchmark measures what it says: agreement first, plain data, every contender. No timing is asserted."""

import json
import subprocess
import sys
import warnings

import pytest
import torch
from reference import draw

from linattn import all_pairs_linear_attention, benchmark, causal_linear_attention

LINEAR = [name for name in benchmark.CONTENDERS if name not in benchmark.OTHER_FUNCTIONS]


@pytest.mark.parametrize("name", LINEAR)
def test_every_contender_computes_the_same_function(name):
    q, k, v = draw(1, 2, n=150, d_v=4)
    out = benchmark.CONTENDERS[name][0](q, k, v)
    torch.testing.assert_close(out, all_pairs_linear_attention(q, k, v), rtol=1e-6, atol=1e-6)


def test_a_contender_that_computes_something_else_stops_the_run():
    everyone = {"linattn": benchmark.CONTENDERS["linattn"], "no normaliser": (lambda q, k, v: q @ k.mT @ v, 9, 9)}
    with pytest.raises(RuntimeError, match="no normaliser does not compute the same function"):
        benchmark.check_agreement(everyone, everyone)

    def constant_gradient(q, k, v):
        return all_pairs_linear_attention(q.detach(), k, v) + (q - q.detach()).sum()

    everyone["no normaliser"] = constant_gradient, 9, 9
    with pytest.raises(RuntimeError, match="does not compute the same function"):
        benchmark.check_agreement(everyone, everyone)


def test_every_peer_is_either_found_or_named_with_the_reason():
    found, missing = benchmark.peers()
    assert len(found) + len(missing) == 3
    assert all(":" in reason for reason in missing.values())


@pytest.mark.parametrize("backward", [False, True])
def test_compare_returns_plain_data(backward):
    result = benchmark.compare(64, d=8, heads=2, backward=backward, rounds=1, names=["linattn", "all pairs"])
    assert json.loads(json.dumps(result)) == result
    assert set(result["ms"]) == set(result["ratio"]) == {"linattn", "all pairs"}
    assert result["ratio"]["linattn"] == 1 and result["peak"] > 0
    assert all(t["low"] <= t["median"] <= t["high"] for t in result["ms"].values())


def test_what_grows_too_fast_is_left_out_at_great_length():
    assert set(benchmark.compare(8192, d=4, heads=1, rounds=1)["ms"]).isdisjoint({"all pairs", "token loop"})


def test_operations_are_those_of_the_products():
    # Chunks of 32: scores and their product with V, the read and the write of S
    assert benchmark.operations(64, 16, 1, backward=False) == 2 * 64 * (32 * 16 + 32 * 16 + 16 * 16 + 16 * 16)


def test_decode_compares_a_flat_state_with_a_growing_cache():
    short, long = (benchmark.decode(context, d=8, heads=2, rounds=1)["KiB"] for context in (32, 64))
    assert short["state"] == long["state"] and long["KV cache"] == 2 * short["KV cache"]


@pytest.mark.parametrize("flag", [[], ["--json"]], ids=["table", "json"])
def test_the_command(flag):
    arguments = ["--lengths", "64", "--width", "8", "--heads", "1", "--rounds", "1", *flag]
    run = subprocess.run(
        [sys.executable, "-m", "linattn.benchmark", *arguments], capture_output=True, text=True, check=True
    )
    assert "round 1 of 1" in run.stderr
    assert "\033" not in run.stderr  # control codes are for a terminal
    if flag:
        result = json.loads(run.stdout)
        assert result["forward"][0]["n"] == 64 and len(result["decode"]) == 5
    else:
        for words in ("fraction of matmul peak", "decoding one token", "token loop", "softmax", "bfloat16"):
            assert words in run.stdout
        (compared,) = (line for line in run.stdout.splitlines() if "for comparison" in line)
        with warnings.catch_warnings(action="ignore"):  # which are errors in tests, and so would be a reason
            missing = benchmark.peers()[1]
        for name, why in missing.items():
            assert name not in compared and f"Not measured, {name}: {why}" in run.stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--lengths", "64", "0"], "--lengths: at least 1, found 0"), (["--heads", "-1"], "--heads: at least 1"),
        (["--width", "x"], "--width: at least 1, found x"), (["--threads", "0"], "--threads: at least 1"),
        (["--rounds", "0"], "--rounds: at least 1"), (["--device", "mps"], "--device: cpu or cuda, found mps"),
    ],
)  # fmt: skip
def test_options_that_cannot_be_are_refused(arguments, message, capsys):
    with pytest.raises(SystemExit):
        benchmark.main(arguments)
    assert message in capsys.readouterr().err


def test_a_length_that_others_cannot_take_is_measured_without_them(monkeypatch):
    def whole_chunks(q, k, v):
        return causal_linear_attention(*(x.unflatten(-2, (-1, 64)).flatten(-3, -2) for x in (q, k, v)))

    monkeypatch.setattr(benchmark, "peers", lambda: ({"another": (whole_chunks, 4096, 4096)}, {}))
    for n, measured in ((64, True), (100, False)):
        names = ("linattn", "another")
        assert ("another" in benchmark.compare(n, d=8, heads=1, rounds=1, names=names)["ms"]) == measured


def test_a_device_that_is_not_there_is_refused():
    if torch.cuda.is_available():
        pytest.skip("there is one")
    run = subprocess.run(
        [sys.executable, "-m", "linattn.benchmark", "--device", "cuda"], capture_output=True, text=True
    )
    assert run.returncode == 2 and "this torch sees no CUDA device" in run.stderr
