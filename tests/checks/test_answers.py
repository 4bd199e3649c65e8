"""However odd an answer is, no checker of any chapter raises, accepts it, or misnames what it found."""

import numpy as np
import pytest
import torch

from linattn.checks import Diagnosis, associativity, feature_maps, position_0, state_update
from linattn.checks.answers import kind, number, tensor

ODD = {
    "None": None,
    "...": ...,
    "text": "64",
    "number": 3,
    "nan": float("nan"),
    "complex": 1j,
    "huge": 10**400,
    "empty list": [],
    "blanks": [..., ...],
    "ragged": [[1, 2], [3]],
    "list of tensors": [torch.ones(2), torch.ones(2)],
    "list of arrays": [np.ones(2), np.ones(3)],
    "three lists": ([[1.0]], [[1.0]], [[1.0]]),
    "three columns missing": (torch.ones(2, 0),) * 3,
    "three too large": (torch.full((2, 1), 1e200, dtype=torch.float64),) * 3,
    "array": np.ones(2),
    "array of objects": np.array([None, 1], dtype=object),
    "two numbers": torch.ones(2),
    "no numbers": torch.empty(0),
    "nans": torch.full((5, 4), torch.nan),
    "whole numbers": torch.ones(64, 6, 4, dtype=torch.int64),
    "float32": torch.ones(64, 6, 4),
    "complex tensor": torch.ones(64, 6, 4, dtype=torch.complex64),
    "no storage": torch.ones(2, 2, device="meta"),
    "sparse": torch.eye(2).to_sparse(),
    "dictionary": {"out": 1},
    "function": len,
}
# Those that take a function of the reader's.
CHECKERS = [
    associativity.regrouped,
    associativity.costs,
    associativity.crossover,
    associativity.counterexample,
    feature_maps.weights,
    feature_maps.safe_elu_plus_one,
    feature_maps.taylor_sizes,
    feature_maps.sharper,
    state_update.write,
    state_update.loop,
    state_update.forget,
    position_0.factor,
    position_0.dead_probability,
    position_0.position_0_test,
    position_0.undetected,
]
BLANK = ("None", "...")

every_odd_answer = pytest.mark.parametrize("name", ODD)


def refused(diagnosis, name):
    assert isinstance(diagnosis, Diagnosis), diagnosis
    assert diagnosis.status == "not attempted" if name in BLANK else diagnosis.status != "right"


@every_odd_answer
@pytest.mark.parametrize("checker", CHECKERS, ids=lambda checker: checker.__name__)
def test_an_odd_result_is_refused(checker, name):
    refused(checker(lambda *_: ODD[name]), name)


@every_odd_answer
def test_an_odd_value_is_refused(name):
    odd = ODD[name]
    for diagnosis in (state_update.memory(odd, 33), state_update.memory(4160, odd)):
        refused(diagnosis, name)
    right = [[[11, 7], [14, 2]], [6, 5], [25 / 11, 9 / 11]]
    for place in range(3):
        refused(state_update.token_2(*right[:place], odd, *right[place + 1 :]), name)


@pytest.mark.parametrize("checker", CHECKERS, ids=lambda checker: checker.__name__)
def test_an_answer_that_is_no_function_is_refused(checker):
    assert checker(3).status == "wrong"


@pytest.mark.parametrize(
    ("checker", "answer"),
    [
        (associativity.costs, lambda n, d_k, d_v: torch.tensor([n * n * (d_k + d_v), 2 * n * d_k * d_v])),
        (associativity.crossover, lambda d_k, d_v: torch.tensor(2 * d_k * d_v / (d_k + d_v), dtype=torch.float64)),
        (feature_maps.taylor_sizes, lambda d: np.array([1 + d + d * d, 1 + d + d * (d + 1) // 2])),
        (position_0.factor, lambda w, eps: torch.tensor([w / (w + eps)])),
        (position_0.undetected, lambda q, k, v: (v.cumsum(-2) / torch.arange(1, 7)[:, None]).float()),
    ],
)
def test_a_right_answer_in_another_dress_is_accepted(checker, answer):
    assert checker(answer).status == "right", checker(answer)


@pytest.mark.parametrize(
    ("checker", "answer", "says"),
    [
        (associativity.costs, lambda *_: torch.ones(3), "You returned Tensor of shape (3,)"),
        (associativity.costs, lambda *_: (torch.ones(2), 1), "One of yours is Tensor of shape (2,)"),
        (associativity.crossover, lambda *_: [25.6], "You returned a list of 1"),
        (associativity.counterexample, lambda: ODD["three columns missing"], "at least one column"),
        (associativity.counterexample, lambda: ODD["three too large"], "too large"),
        (associativity.counterexample, lambda: (torch.ones(2, 1) * 1j,) * 3, "real numbers"),
        (feature_maps.taylor_sizes, lambda d: [[1], [2]], "One of yours is a list of 1"),
        (position_0.factor, lambda w, eps: [w / (w + eps)], "found a list of 1"),
        (position_0.position_0_test, lambda f: [True], "Return True or False; found a list of 1"),
        (position_0.position_0_test, lambda f: np.array([True, False]), "add .all()"),
        (position_0.undetected, lambda q, k, v: list(v), "in one tensor of real numbers"),
    ],
)
def test_an_odd_answer_is_told_what_is_odd(checker, answer, says):
    assert says in checker(answer).message


def test_number_takes_real_numbers_only():
    assert [number(x) for x in (3, 2.5, np.int64(4), torch.tensor([5]), 10**400)] == [3, 2.5, 4, 5, float("inf")]
    assert [number(x) for x in (True, "3", 1j, [3], torch.ones(2), None)] == [None] * 6


def test_a_list_of_tensors_is_no_list_of_numbers():
    assert tensor([torch.ones(2)], "out").message.startswith("out is a list of tensors")
    assert tensor((1.0, torch.ones(())), "out").tolist() == [1, 1]
    assert kind((1, 2)) == "a tuple of 2"
