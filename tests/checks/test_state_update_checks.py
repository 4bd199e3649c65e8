"""The checkers of chapter 4 accept right answers, wait for the unfilled, and name the kind of wrong."""

from fractions import Fraction

import pytest
import torch

from linattn import causal_linear_attention, elu_plus_one, recurrent_linear_attention
from linattn.checks import mutants
from linattn.checks import state_update as check


def running(*, S_first=True, Z_first=True, phi_q=elu_plus_one, phi_k=elu_plus_one):
    """The loop of the chapter, with its typical slips as switches."""

    def loop(q, k, v):
        S, Z = v.new_zeros(k.shape[-1], v.shape[-1]), v.new_zeros(k.shape[-1])
        outs = []
        for query, key, value in zip(phi_q(q), phi_k(k), v, strict=True):
            old_S, old_Z = S, Z
            S, Z = S + torch.outer(key, value), Z + key
            numerator = query @ (S if S_first else old_S)
            outs.append(numerator / (query @ (Z if Z_first else old_Z) + 1e-6))
        return torch.stack(outs)

    return loop


@pytest.mark.parametrize("answer", [recurrent_linear_attention, causal_linear_attention, running()])
def test_loop_accepts_every_right_form(answer):
    assert check.loop(answer).status == "right"


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        (running(S_first=False, Z_first=False), "Both S and Z are one token behind"),
        (running(Z_first=False), "Z is one token behind: update before you read"),
        (running(S_first=False), "S is one token behind"),
        (running(phi_k=lambda x: x), "φ is missing on k"),
        (running(phi_q=lambda x: x), "φ is missing on q"),
        (running(phi_q=lambda x: x, phi_k=lambda x: x), "φ is missing on both"),
        (mutants.no_mask, "sees the whole sequence"),
        (mutants.no_normaliser, "numerator alone"),
        (mutants.divided_by_count, "number of tokens"),
        (mutants.full_sequence_normaliser, "last Z"),
        (mutants.z_without_q, "missing in the denominator"),
        (mutants.transposed_state, "on its side"),
        (lambda q, k, v: elu_plus_one(k).T @ v, "last S"),
        (lambda q, k, v: recurrent_linear_attention(q, k, v)[-1], "last output alone"),
        (lambda q, k, v: v[:3], "has shape (3, 4), wanted (5, 4)"),
        (lambda q, k, v: v, "largest error"),
        (lambda q, k, v: v / torch.zeros(5, 1), "no finite numbers"),
        (lambda q, k, v: 1 / 0, "raised ZeroDivisionError"),
        (lambda q, k, v: "out", "found str"),
        (lambda q, k, v: list(recurrent_linear_attention(q, k, v)), "list of tensors: `torch.stack` makes"),
        (lambda q, k, v: [[1.0, 2.0], [3.0]], "rows of equal length"),
    ],
)  # fmt: skip
def test_loop_says_what_kind_of_wrong(answer, says):
    diagnosis = check.loop(answer)
    assert diagnosis.status == "wrong"
    assert says in diagnosis.message


def test_loop_tries_values_of_another_width():
    square_only = lambda q, k, v: recurrent_linear_attention(q, k, v.reshape(len(v), q.shape[-1]))  # noqa: E731
    diagnosis = check.loop(square_only)
    assert diagnosis.status == "wrong"
    assert "n = 7" in diagnosis.message


def test_write_accepts_the_update():
    assert check.write(lambda S, Z, f, v: (S + torch.outer(f, v), Z + f)).status == "right"


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        (lambda S, Z, f, v: (S + torch.outer(f, v), Z), "Z is one token behind"),
        (lambda S, Z, f, v: (S + torch.outer(f, v), f), "Z holds this token only"),
        (lambda S, Z, f, v: (S + torch.outer(f, v), Z + f.sum()), "entry by entry"),
        (lambda S, Z, f, v: (S + torch.outer(f, v), Z.sum()), "Z has shape ()"),
        (lambda S, Z, f, v: (S, Z + f), "S did not change"),
        (lambda S, Z, f, v: (torch.outer(f, v), Z + f), "S holds this token only"),
        (lambda S, Z, f, v: S + torch.outer(f, v), "Return two things"),
    ],
)
def test_write_says_what_kind_of_wrong(answer, says):
    diagnosis = check.write(answer)
    assert diagnosis.status == "wrong"
    assert says in diagnosis.message


def test_write_with_its_line_missing_is_not_attempted():
    assert check.write(lambda S, Z, f, v: (S + torch.outer(f, v), ...)).status == "not attempted"


RIGHT = ([[11, 7], [14, 2]], [6, 5], [50 / 22, 18 / 22])


def test_token_2_accepts_lists_and_tensors():
    assert check.token_2(*RIGHT).status == "right"
    assert check.token_2(*(torch.tensor(x) for x in RIGHT)).status == "right"
    assert check.token_2(RIGHT[0], RIGHT[1], [Fraction(25, 11), Fraction(9, 11)]).status == "right"


@pytest.mark.parametrize(
    ("S_2", "Z_2", "out_2", "says"),
    [
        ([[3, 5], [6, 0]], RIGHT[1], RIGHT[2], "S_2 is still S_1"),
        ([[8, 2], [8, 2]], RIGHT[1], RIGHT[2], "tile of token 2 alone"),
        ([[7, 6], [10, 1]], RIGHT[1], RIGHT[2], "apply φ to k_2"),
        ([[11, 13], [8, 2]], RIGHT[1], RIGHT[2], "on its side"),
        (RIGHT[0], [4, 3], RIGHT[2], "Z_2 is still Z_1"),
        (RIGHT[0], [5, 4], RIGHT[2], "k_2 where φ(k_2) belongs"),
        (RIGHT[0], RIGHT[1], [50, 18], "numerator"),
        (RIGHT[0], RIGHT[1], [50 / 11, 18 / 11], "sum of Z_2"),
        (RIGHT[0], RIGHT[1], [18 / 14, 10 / 14], "before you wrote"),
        (RIGHT[0], [[6], [5]], RIGHT[2], "has shape (2, 1)"),
        ("no idea", RIGHT[1], RIGHT[2], "found str"),
        ([[11, 7], [14]], RIGHT[1], RIGHT[2], "rows of equal length"),
        ([torch.tensor([11.0, 7.0]), torch.tensor([14.0, 2.0])], RIGHT[1], RIGHT[2], "torch.stack"),
        (torch.ones(2, 2) * 1j, RIGHT[1], RIGHT[2], "complex"),
        (RIGHT[0], RIGHT[1], [float("nan"), 9 / 11], "no finite numbers"),
    ],
)
def test_token_2_says_what_kind_of_wrong(S_2, Z_2, out_2, says):
    diagnosis = check.token_2(S_2, Z_2, out_2)
    assert diagnosis.status == "wrong"
    assert says in diagnosis.message


def test_token_2_waits_for_all_three():
    assert check.token_2(RIGHT[0], ..., ...).status == "not attempted"
    assert check.token_2(RIGHT[0], [..., ...], RIGHT[2]).status == "not attempted"


def test_memory_accepts_the_count():
    assert check.memory(4160, 33).status == "right"
    assert check.memory(torch.tensor(4160), torch.tensor([33.0])).status == "right"


@pytest.mark.parametrize(
    ("numbers", "tokens", "says"),
    [
        (4096, 33, "S only"),
        (64, 33, "Z only"),
        (128, 33, "one token adds"),
        (9999, 33, "d_phi · d_v"),
        (4160, 32, "still fewer"),
        (4160, 32.5, "whole number"),
        (4160, 65, "keys only"),
        (4160, 64, "d_k + d_v = 128"),
        ("many", 33, "state_numbers should be one number; found str"),
        ([4160], 33, "state_numbers should be one number; found a list of 1"),
        (4160, [33], "tokens should be one number; found a list of 1"),
        (torch.tensor([4160, 33]), 33, "found Tensor of shape (2,)"),
        (4160, torch.tensor([33, 33]), "found Tensor of shape (2,)"),
        (4160, float("nan"), "d_k + d_v = 128"),
    ],
)
def test_memory_says_what_kind_of_wrong(numbers, tokens, says):
    diagnosis = check.memory(numbers, tokens)
    assert diagnosis.status == "wrong"
    assert says in diagnosis.message


def test_memory_waits_for_both():
    assert check.memory(4160, ...).status == "not attempted"


def test_forget_accepts_the_subtraction():
    assert check.forget(lambda S, Z, f, v: (S - torch.outer(f, v), Z - f)).status == "right"


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        (lambda S, Z, f, v: (S, Z - f), "S did not change"),
        (lambda S, Z, f, v: (S + torch.outer(f, v), Z + f), "a second time"),
        (lambda S, Z, f, v: (S - torch.outer(f, v), Z), "Z still counts the token"),
        (lambda S, Z, f, v: (torch.outer(f, v) - S, f - Z), "other way round"),
        (lambda S, Z, f, v: S - torch.outer(f, v), "Return two things"),
    ],
)
def test_forget_says_what_kind_of_wrong(answer, says):
    diagnosis = check.forget(answer)
    assert diagnosis.status == "wrong"
    assert says in diagnosis.message


@pytest.mark.parametrize("checker", [check.write, check.loop, check.forget])
def test_an_empty_stub_is_not_attempted(checker):
    def stub(*_): ...

    assert checker(stub).status == "not attempted"
