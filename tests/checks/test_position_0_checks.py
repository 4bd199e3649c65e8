"""The checkers of chapter 5, and the mutants that its checks are measured by."""

import pytest
import torch

from linattn import (
    causal_linear_attention,
    elu_plus_one,
    recurrent_linear_attention,
    softmax_attention,
)
from linattn.checks import mutants
from linattn.checks import position_0 as check

SEEN_BY = {  # which of position 0, constant v, causality, reference see the mutant
    "strict mask": "PV-R",
    "no mask": "P-CR",
    "mask one too far": "P-CR",
    "no normaliser": "PV-R",
    "divided by count": "PV-R",
    "full-sequence normaliser": "PVCR",
    "Z without q": "PV-R",
    "ε = 1e-2": "PV-R",
    "dead relu": "PV-R",
    "transposed S": "PV-R",
    "φ forgotten on k": "---R",
}


@pytest.mark.parametrize("attention", [causal_linear_attention, recurrent_linear_attention])
def test_all_checks_pass_the_right_function(attention):
    assert [name for name, test in mutants.CHECKS.items() if not test(attention)] == []


@pytest.mark.parametrize("name", mutants.MUTANTS)
def test_each_mutant_is_seen_by_the_checks_that_can_see_it(name):
    seen = "".join(
        letter if not test(mutants.MUTANTS[name]) else "-"
        for letter, test in zip("PVCR", mutants.CHECKS.values(), strict=True)
    )
    assert seen == SEEN_BY[name]


@pytest.mark.parametrize("name", mutants.MUTANTS)
def test_each_mutant_says_its_fault(name):
    assert mutants.MUTANTS[name].__doc__.endswith(".")


def test_mutants_take_one_sequence_and_batches_alike():
    q, k, v = mutants.draw()
    for mutant in mutants.MUTANTS.values():
        torch.testing.assert_close(mutant(q, k, v)[3], mutant(q[3], k[3], v[3]))


def test_factor_accepts_the_ratio():
    assert check.factor(lambda w, eps: w / (w + eps)).status == "right"


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        (lambda w, eps: w / w, "without ε"),
        (lambda w, eps: 1 - eps / w, "exact ratio"),
        (lambda w, eps: eps / (w + eps), "lost"),
        (lambda w, eps: (w + eps) / w, "upside down"),
        (lambda w, eps: 1 / (w + eps), "numerator is w"),
        (lambda w, eps: w - eps, "what multiplies v_0"),
        (lambda w, eps: "half", "found str"),
    ],
)
def test_factor_says_what_kind_of_wrong(answer, says):
    diagnosis = check.factor(answer)
    assert diagnosis.status == "wrong"
    assert says in diagnosis.message


def test_dead_probability_accepts_the_power():
    assert check.dead_probability(lambda d: (3 / 4) ** d).status == "right"


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        (lambda d: 0.25**d, "both entries are positive"),
        (lambda d: 0.5**d, "3 of the 4"),
        (lambda d: 1 - 0.75**d, "the other one"),
        (lambda d: 1 - 0.25**d, "all d products"),
        (lambda d: 0.75, "one product"),
        (lambda d: 0.75 * d, "multiply"),
        (lambda d: d, "independently"),
    ],
)
def test_dead_probability_says_what_kind_of_wrong(answer, says):
    diagnosis = check.dead_probability(answer)
    assert diagnosis.status == "wrong"
    assert says in diagnosis.message


def out_0_close(attention, *, batch=64, n=6, tol=1e-3, positions=1):
    generator = torch.Generator().manual_seed(7)
    q, k, v = (torch.randn(batch, n, 4, generator=generator, dtype=torch.float64) for _ in range(3))
    return torch.allclose(attention(q, k, v)[:, :positions], v[:, :positions], rtol=tol, atol=tol)


def test_position_0_test_accepts_a_sharp_test():
    assert check.position_0_test(out_0_close).status == "right"


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        (lambda f: True, "passes 10 broken functions"),
        (lambda f: False, "refuses a correct function"),
        (lambda f: out_0_close(f, tol=0), "refuses a correct function"),
        (lambda f: out_0_close(f, positions=6), "refuses a correct function"),
        (lambda f: out_0_close(f, tol=2e-2), "misses ε = 1e-2"),
        (lambda f: out_0_close(f, n=1), "sees the future"),
        (lambda f: undefined, "raised NameError"),  # noqa: F821
        (lambda f: torch.isclose(torch.ones(3), torch.ones(3)), "add .all()"),
    ],
)
def test_position_0_test_says_what_kind_of_wrong(answer, says):
    diagnosis = check.position_0_test(answer)
    assert diagnosis.status == "wrong"
    assert says in diagnosis.message


def test_position_0_test_wants_enough_draws_for_the_dead_relu():
    def one_living_draw(attention):
        q, k, v = torch.ones(3, 4), torch.ones(3, 4), torch.arange(12.0).reshape(3, 4) + 5
        return torch.allclose(attention(q, k, v)[0], v[0], rtol=1e-4)

    assert "misses the dead relu" in check.position_0_test(one_living_draw).message


def test_position_0_test_may_answer_with_a_tensor_of_one_bool_and_crash_on_a_mutant():
    def passes(attention):
        if attention is mutants.transposed_state:
            return torch.ones(3, dtype=torch.bool)  # no single True or False: counts as not passed
        return torch.tensor(out_0_close(attention))

    assert check.position_0_test(passes).status == "right"


@pytest.mark.parametrize(
    "answer",
    [
        softmax_attention,
        lambda q, k, v: v.cumsum(-2) / torch.arange(1, 7)[:, None],
        lambda q, k, v: recurrent_linear_attention(*(x.unflatten(-2, (3, 2)) for x in (q, k, v))).flatten(1, 2),
        lambda q, k, v: causal_linear_attention(q, k, v, lambda x: 2 * elu_plus_one(x) ** 2),
    ],
    ids=["softmax", "mean", "dropped carry", "another map"],
)
def test_undetected_accepts_bugs_that_three_checks_miss(answer):
    assert check.undetected(answer).status == "right"


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        (causal_linear_attention, "This function is right"),
        (lambda q, k, v: v, "taken already"),
        (mutants.strict_mask, "Caught by position 0 and constant v"),
        (mutants.no_mask, "Caught by position 0 and causality"),
        (lambda q, k, v: v[..., :1, :], "one output per token"),
        (lambda q, k, v: 0, "one output per token"),
    ],
)
def test_undetected_says_what_kind_of_wrong(answer, says):
    diagnosis = check.undetected(answer)
    assert diagnosis.status == "wrong"
    assert says in diagnosis.message


CHECKERS = [check.factor, check.dead_probability, check.position_0_test, check.undetected]


@pytest.mark.parametrize("checker", CHECKERS)
def test_an_empty_stub_is_not_attempted(checker):
    def stub(*_): ...

    assert checker(stub).status == "not attempted"
