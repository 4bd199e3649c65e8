"""Each checker accepts the solution, tells a stub from a wrong answer, and says what kind of wrong."""

import math

import pytest
import torch

from linattn.checks import associativity as check


def solution_regrouped(phi_q, phi_k, v):
    S, Z = phi_k.mT @ v, phi_k.sum(-2)
    return (phi_q @ S) / (phi_q @ Z).unsqueeze(-1)


def with_eps(phi_q, phi_k, v):
    S, Z = phi_k.mT @ v, phi_k.sum(-2)
    return (phi_q @ S) / ((phi_q @ Z).unsqueeze(-1) + 1e-6)


def all_pairs(phi_q, phi_k, v):
    scores = phi_q @ phi_k.mT
    return scores / scores.sum(-1, keepdim=True) @ v


def masked(phi_q, phi_k, v):
    scores = (phi_q @ phi_k.mT).tril()
    return scores @ v / scores.sum(-1, keepdim=True)


def summed_over_features(phi_q, phi_k, v):
    return (phi_q @ (phi_k.mT @ v)) / (phi_q @ phi_k.sum(-1)).unsqueeze(-1)


def blank_middle(phi_q, phi_k, v):
    S = phi_k.mT @ v
    Z = ...
    return (phi_q @ S) / (phi_q @ Z).unsqueeze(-1)


WRONG = [
    (check.regrouped, lambda q, k, v: q @ (k.mT @ v), "numerator alone"),
    (check.regrouped, lambda q, k, v: q @ (k.mT @ v) / (q @ k.mean(-2)).unsqueeze(-1), "not a mean"),
    (check.regrouped, lambda q, k, v: q @ (k.mT @ v) / k.sum(), "one number"),
    (check.regrouped, masked, "masked the future"),
    (check.regrouped, summed_over_features, "one entry per token"),
    (check.regrouped, all_pairs, "(n, n) matrix"),
    (check.regrouped, lambda q, k, v: k.mT @ v, "shape (n, d_v)"),
    (check.regrouped, lambda q, k, v: 2 * solution_regrouped(q, k, v), "numbers are not"),
    (check.regrouped, lambda q, k, v: [1.0], "returned a list"),
    (check.regrouped, lambda q, k, v: q @ v, "RuntimeError"),
    (check.costs, lambda n, d_k, d_v: (2 * n * d_k * d_v, n * n * (d_k + d_v)), "swapped"),
    (check.costs, lambda n, d_k, d_v: (2 * n * n * (d_k + d_v), 4 * n * d_k * d_v), "doubled"),
    (check.costs, lambda n, d_k, d_v: (n * n, d_k * d_v), "entries of the middle"),
    (check.costs, lambda n, d_k, d_v: (n * n * d_k, 2 * n * d_k * d_v), "one product"),
    (check.costs, lambda n, d_k, d_v: (n * n * (d_k + d_v), n * d_k * d_v), "one product"),
    (check.costs, lambda n, d_k, d_v: (n * n * (d_k + d_v), 2 * n * d_k), "(a, b) times (b, c)"),
    (check.costs, lambda n, d_k, d_v: (2 * n * n * d_k, 2 * n * d_k * d_v), "At n = 10"),
    (check.costs, lambda n, d_k, d_v: n * n, "two numbers"),
    (check.crossover, lambda d_k, d_v: d_k * d_v / (d_k + d_v), "half"),
    (check.crossover, lambda d_k, d_v: (d_k + d_v) / 2, "ordinary mean"),
    (check.crossover, lambda d_k, d_v: d_k, "smaller"),
    (check.crossover, lambda d_k, d_v: d_v, "larger"),
    (check.crossover, lambda d_k, d_v: 2 * d_k * d_v // (d_k + d_v), "rounded down"),
    (check.crossover, lambda d_k, d_v: round(2 * d_k * d_v / (d_k + d_v)), "rounded."),
    (check.crossover, lambda d_k, d_v: math.sqrt(d_k * d_v), "cost the same at"),
    (check.crossover, lambda d_k, d_v: "64", "one number"),
    (check.counterexample, lambda: (torch.ones(1, 2),) * 3, "n ≥ 2"),
    (check.counterexample, lambda: (torch.ones(3, 2), torch.ones(3, 2), torch.eye(3, 1)), "agree"),
    (check.counterexample, lambda: (torch.ones(3, 2), torch.zeros(3, 2), torch.ones(3, 1)), "agree"),
    (check.counterexample, lambda: (torch.ones(3, 2), torch.ones(2, 2), torch.ones(2, 1)), "same n"),
    (check.counterexample, lambda: (torch.ones(3),) * 3, "matrices"),
    (check.counterexample, lambda: (torch.full((2, 1), torch.nan),) * 3, "finite"),
    (check.counterexample, lambda: (torch.full((2, 1), torch.inf),) * 3, "finite"),
    (check.counterexample, lambda: torch.ones(3, 2), "three tensors"),
]


@pytest.mark.parametrize(("checker", "answer", "kind"), WRONG)
def test_a_wrong_answer_is_told_its_kind(checker, answer, kind):
    diagnosis = checker(answer)
    assert diagnosis.status == "wrong"
    assert kind in diagnosis.message


@pytest.mark.parametrize(
    ("checker", "answer"),
    [
        (check.regrouped, solution_regrouped),
        (check.regrouped, with_eps),
        (check.costs, lambda n, d_k, d_v: (n * n * (d_k + d_v), 2 * n * d_k * d_v)),
        (check.costs, lambda n, d_k, d_v: [n**2 * d_k + n**2 * d_v, n * d_k * d_v + n * d_k * d_v]),
        (check.crossover, lambda d_k, d_v: 2 / (1 / d_k + 1 / d_v)),
        (check.counterexample, lambda: (torch.ones(2, 1), torch.ones(2, 1), torch.tensor([[0.0], [1.0]]))),
        (check.counterexample, lambda: tuple(torch.arange(6).reshape(3, 2) for _ in range(3))),
    ],
)
def test_a_right_answer_is_accepted(checker, answer):
    assert checker(answer).status == "right", checker(answer)


@pytest.mark.parametrize(
    ("checker", "stub"),
    [
        (check.regrouped, blank_middle),
        (check.regrouped, lambda phi_q, phi_k, v: ...),
        (check.costs, lambda n, d_k, d_v: ...),
        (check.costs, lambda n, d_k, d_v: (n * n * (d_k + d_v), ...)),
        (check.crossover, lambda d_k, d_v: None),
        (check.counterexample, lambda: ...),
        (check.counterexample, lambda: (torch.ones(2, 1), torch.ones(2, 1), ...)),
    ],
)
def test_a_stub_is_not_attempted(checker, stub):
    assert checker(stub).status == "not attempted"
