"""The browser's arithmetic (attention.js, embedding.js) against torch."""

import functools
import math

import pytest
import torch
from reader import close, run

import linattn
from linattn.feature_maps import BUILT_IN
from linattn.tasks import embed_sentence
from linattn.widgets.still import number

TRACED = ("phi_q", "phi_k", "write", "S", "Z", "numerator", "denominator", "out")


@pytest.fixture
def javascript(page):
    """Call a function of a module, run in Chromium: javascript("attention", "$attention.dot", [1], [2])."""
    return functools.partial(run, page)


def test_every_built_in_map_is_known_to_both(javascript):
    assert javascript("attention", "() => Object.keys($attention.featureMaps)") == list(BUILT_IN)
    assert set(javascript("attention", "() => Object.keys($attention.featureMapLabels)")) == set(BUILT_IN)


@pytest.mark.parametrize("name", BUILT_IN)
def test_feature_map_equals_torch(javascript, name):
    x = torch.randn(40, 4, dtype=torch.float64, generator=torch.Generator().manual_seed(1)) * 3
    x[0], x[1], x[2] = 0.0, -20.0, torch.tensor([20.0, -20.0, 0.0, 1e-9], dtype=torch.float64)
    close(javascript("attention", f"(x) => x.map($attention.featureMaps.{name})", x.tolist()), BUILT_IN[name](x))


@pytest.mark.parametrize("eps", [0.0, 1e-6, 0.1])
@pytest.mark.parametrize("name", BUILT_IN)
def test_every_step_equals_trace(javascript, name, eps):
    generator = torch.Generator().manual_seed(2)
    q, k, v = (torch.randn(7, d, dtype=torch.float64, generator=generator) for d in (3, 3, 2))
    wanted = linattn.trace(q, k, v, BUILT_IN[name], eps=eps)
    expression = (
        f"(q, k, v, eps) => $attention.trace(q.map($attention.featureMaps.{name}),"
        f" k.map($attention.featureMaps.{name}), v, eps)"
    )
    found = javascript("attention", expression, q.tolist(), k.tolist(), v.tolist(), eps)
    for field in TRACED:
        close(found[field], getattr(wanted, field))
    for t, row in enumerate(found["weights"]):
        close(row, wanted.weights[t, : t + 1])


def test_a_read_with_no_weight_at_all_gives_zero_as_in_torch(javascript):
    q = k = -torch.ones(2, 2, dtype=torch.float64)
    v = torch.ones(2, 2, dtype=torch.float64)
    wanted = linattn.trace(q, k, v, linattn.squared_relu, eps=0)
    assert wanted.out.abs().max() == 0
    found = javascript("attention", "(z, v) => $attention.trace(z, z, v, 0).out", [[0, 0]] * 2, v.tolist())
    close(found, wanted.out)


@pytest.mark.parametrize(
    ("sentence", "d_k", "d_v", "seed"),
    [
        ("the cat sat on the mat", 4, 4, 0),
        ("  a  rose\tis\u00a0a rose ", 2, 6, 3),
        ("Übergrößenträger 漢字 🙂 naïve", 5, 1, 12345),
        ("one", 1, 1, -7),
    ],
)
def test_sentence_has_the_same_numbers_in_both(javascript, sentence, d_k, d_v, seed):
    tokens, *wanted = embed_sentence(sentence, d_k, d_v, seed)
    found = javascript(
        "embedding", "(s, k, v, seed) => $embedding.embed($embedding.words(s), k, v, seed)", sentence, d_k, d_v, seed
    )
    assert found["tokens"] == tokens
    for name, x in zip("qkv", wanted, strict=True):
        assert found[name] == [[round(a, 1) for a in row] for row in x.tolist()]


def test_a_number_reads_the_same_in_both(javascript):
    numbers = [0, 1, -1.005, 0.004, -0.0049, 0.005, 9.999, 12.345, -123.456, -1234.56, 9999.4, 9999.6, 12345.6]
    numbers += [-1e-7, 3e8, math.pi]
    for decimals in (2, 4):
        found = javascript("dom", "(x, d) => x.map((a) => $dom.format(a, d))", numbers, decimals)
        assert found == [number(x, decimals) for x in numbers]


def test_typed_numbers_are_understood_or_refused(javascript):
    wanted = {"1": 1, "−1.5": -1.5, "-0,25": -0.25, " +2. ": 2, ".5": 0.5, "1e-2": 0.01}
    wanted |= dict.fromkeys(("", "-", "x", "1 2", "1.2.3", "Infinity", "0x10", "--1"))
    assert javascript("dom", "(texts) => texts.map($dom.parse)", list(wanted)) == list(wanted.values())
