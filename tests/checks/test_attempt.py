"""`attempt` tells an unfilled stub from a wrong answer and never raises."""

import pytest
import torch

from linattn.checks import NOT_ATTEMPTED, Diagnosis, attempt, wrong

ONES = torch.ones(2, 2)


@pytest.mark.parametrize(
    "stub",
    [
        lambda x: ...,
        lambda x: None,
        lambda x: x @ ...,
        lambda x: torch.einsum("nf,fe->ne", x, ...),
        lambda x: (...).shape,
    ],
)
def test_an_unfilled_line_is_not_attempted(stub):
    assert attempt(stub, ONES) is NOT_ATTEMPTED


def test_an_exception_is_named_not_raised():
    diagnosis = attempt(lambda x: x @ torch.ones(3), ONES)
    assert isinstance(diagnosis, Diagnosis)
    assert diagnosis.status == "wrong"
    assert "RuntimeError" in diagnosis.message


def test_a_result_is_handed_on():
    assert attempt(lambda x: x + 1, 1) == 2


def test_the_html_of_a_diagnosis_shows_code_and_escapes_the_rest():
    html = wrong("i < t, so `a < b` & more")._repr_html_()
    assert "<code>a &lt; b</code>" in html
    assert "i &lt; t" in html and "&amp; more" in html
