"""Each checker accepts the solution, tells a stub from a wrong answer, and says what kind of wrong."""

import pytest
import torch
import torch.nn.functional as F

from linattn import elu_plus_one, exponential, hedgehog, identity_shifted, squared_relu, taylor_2
from linattn.checks import feature_maps as check


def share(x):
    return x / x.sum(-1, keepdim=True)


def where(x):
    return torch.where(x > 0, x + 1, x.clamp(max=0).exp())


def cubed(x):
    return elu_plus_one(x) ** 3


def fixed_size(x):
    return torch.exp(1.1 * x @ torch.eye(16))


WRONG = [
    (check.weights, lambda q, k, phi: phi(q) @ phi(k).mT, "the scores"),
    (check.weights, lambda q, k, phi: share(phi(q @ k.mT)), "φ to q·k"),
    (check.weights, lambda q, k, phi: share(phi(q) @ k.mT), "missing on k"),
    (check.weights, lambda q, k, phi: share(q @ phi(k).mT), "missing on q"),
    (check.weights, lambda q, k, phi: share(q @ k.mT), "missing on both"),
    (check.weights, lambda q, k, phi: (q @ k.mT).softmax(-1), "softmax of q·k"),
    (check.weights, lambda q, k, phi: (phi(q) @ phi(k).mT).softmax(-1), "softmax of the kernel scores"),
    (check.weights, lambda q, k, phi: phi(q) @ phi(k).mT / (phi(q) @ phi(k).mT).sum(0), "column sums"),
    (check.weights, lambda q, k, phi: phi(q) @ phi(k).mT / (phi(q) @ phi(k).mT).sum(), "sum of all scores"),
    (check.weights, lambda q, k, phi: share(phi(k) @ phi(q).mT), "(3, 5)"),
    (check.weights, lambda q, k, phi: share((phi(q) @ phi(k).mT) ** 2), "numbers are not"),
    (check.safe_elu_plus_one, lambda x: F.elu(x) + 1, "exactly 0"),
    (check.safe_elu_plus_one, lambda x: torch.where(x > 0, x + 1, x.exp()), "nan"),
    (check.safe_elu_plus_one, lambda x: x.exp(), "overflows"),
    (check.safe_elu_plus_one, lambda x: F.relu(x) + 1e-3, "At x = -0.5"),
    (check.safe_elu_plus_one, lambda x: F.softplus(x), "At x ="),
    (check.safe_elu_plus_one, lambda x: (F.elu(x) + 1).clamp(min=1e-6), "lost its digits there"),
    (check.safe_elu_plus_one, lambda x: where(x.detach()), "gradient is cut off"),
    (check.safe_elu_plus_one, lambda x: where(x).detach() + x * 0, "slopes"),
    (check.safe_elu_plus_one, lambda x: where(x).sum(), "shape of x"),
    (check.taylor_sizes, lambda d: (1 + d + d * (d + 1) // 2, 1 + d + d * d), "swapped"),
    (check.taylor_sizes, lambda d: (d + d * d, d + d * (d + 1) // 2), "constant"),
    (check.taylor_sizes, lambda d: (1 + d * d, 1 + d * (d + 1) // 2), "first order"),
    (check.taylor_sizes, lambda d: (1 + d + d * d, 1 + d + d * (d - 1) // 2), "squares"),
    (check.taylor_sizes, lambda d: (1 + d + d * d, 1 + d + d * d / 2), "half of d²"),
    (check.taylor_sizes, lambda d: (d * d, d), "full map"),
    (check.taylor_sizes, lambda d: (1 + d + d * d, d), "each pair"),
    (check.taylor_sizes, lambda d: d * d, "two numbers"),
    (check.sharper, elu_plus_one, "too even"),
    (check.sharper, hedgehog, "too even"),
    (check.sharper, taylor_2, "273 features"),
    (check.sharper, identity_shifted, "negative"),
    (check.sharper, squared_relu, "exactly 0"),
    (check.sharper, exponential, "the list above has"),
    (check.sharper, lambda x: 2 * torch.cat([x, x], -1).exp(), "the list above has"),
    (check.sharper, lambda x: F.relu(x) ** 2 + 1e-3, "Dead zone"),
    (check.sharper, lambda x: torch.exp(9 * x), "inf or nan"),
    (check.sharper, lambda x: x.mT, "every axis"),
    (check.sharper, lambda x: x @ torch.ones(3), "RuntimeError"),
]


@pytest.mark.parametrize(("checker", "answer", "kind"), WRONG)
def test_a_wrong_answer_is_told_its_kind(checker, answer, kind):
    diagnosis = checker(answer)
    assert diagnosis.status == "wrong"
    assert kind in diagnosis.message


@pytest.mark.parametrize(
    ("checker", "answer"),
    [
        (check.weights, lambda q, k, phi: share(phi(q) @ phi(k).mT)),
        (check.weights, lambda q, k, phi: share(torch.einsum("nf,mf->nm", phi(q), phi(k)))),
        (check.safe_elu_plus_one, where),
        (check.safe_elu_plus_one, lambda x: x.clamp(max=0).exp() + F.relu(x)),
        (check.taylor_sizes, lambda d: (1 + d + d * d, 1 + d + d * (d + 1) // 2)),
        (check.taylor_sizes, lambda d: [1 + d + d**2, (d + 1) * (d + 2) / 2]),
        (check.sharper, cubed),
        (check.sharper, fixed_size),
    ],
)
def test_a_right_answer_is_accepted(checker, answer):
    assert checker(answer).status == "right", checker(answer)


@pytest.mark.parametrize(
    ("checker", "stub"),
    [
        (check.weights, lambda q, k, phi: ...),
        (check.weights, lambda q, k, phi: share(phi(q) @ phi(...).mT)),
        (check.safe_elu_plus_one, lambda x: ...),
        (check.safe_elu_plus_one, lambda x: torch.where(x > 0, x + 1, ...)),
        (check.taylor_sizes, lambda d: (..., ...)),
        (check.taylor_sizes, lambda d: None),
        (check.sharper, lambda x: ...),
    ],
)
def test_a_stub_is_not_attempted(checker, stub):
    assert checker(stub).status == "not attempted"
