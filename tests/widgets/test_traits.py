"""What a trait takes, set by Python, by a stop or by the browser, and what it says to what it does not take."""

import pytest
import torch

from linattn.widgets import Associativity, Cost, FeatureMapExplorer, Position0, Recall, StateExplorer, ThreeForms

#: A widget, the largest value of a position, and what there is none of beyond it.
POSITIONS = [
    (lambda: StateExplorer("a b c"), "t", 0, 2),
    (lambda: Associativity(causal=True), "step", 0, 9),
    (lambda: Associativity(), "step", 0, 5),
    (lambda: ThreeForms(), "chunk_size", 1, 6),
    (lambda: ThreeForms(), "step", 0, 3),
    (lambda: ThreeForms(form="recurrence"), "step", 0, 12),
    (lambda: ThreeForms(form="chunks", chunk_size=4), "step", 0, 5),
    (lambda: FeatureMapExplorer(), "pair", 0, 4),
    (lambda: Position0(), "step", 0, 13),
    (lambda: Recall(pairs=8), "m", 0, 8),
    (lambda: Recall(pairs=8), "pair", 0, 7),
]


@pytest.mark.parametrize(("make", "name", "least", "most"), POSITIONS)
def test_a_position_is_one_that_there_is_and_the_error_says_which_there_are(make, name, least, most):
    widget = make()
    for value in (least, most):
        setattr(widget, name, value)
        widget.stops = [{name: value, "text": "There."}]
    for value in (least - 1, most + 1):
        found = f"{name} must be from {least} to {most}: found {value}"
        with pytest.raises(ValueError, match=found):
            setattr(widget, name, value)
        assert getattr(widget, name) == most
        with pytest.raises(ValueError, match=rf"{found}, in the stop {{"):
            widget.stops = [{name: value, "text": "Nowhere."}]


def test_what_is_set_together_fits_together_or_is_not_set_at_all():
    explorer = StateExplorer(t=5)
    three = {name: [[1.0] * 4] * 3 for name in "qkv"} | {"tokens": ["a", "b", "c"]}
    explorer.set_state({"t": 2, **three})
    assert explorer.t == 2 and explorer.S.shape == (4, 4)
    with pytest.raises(ValueError, match="t must be from 0 to 1: found 4"), explorer.hold_trait_notifications():
        explorer.t = 4
        explorer.q = explorer.q[:2]
    assert explorer.t == 2 and len(explorer.q) == 3


@pytest.mark.parametrize(
    ("make", "stop", "message"),
    [
        (StateExplorer, {"phase": "erase"}, "'phase' trait .* any of \\['write', 'add', 'read'\\]"),
        (Associativity, {"step": 6, "causal": False}, "step must be from 0 to 5: found 6"),
        (Associativity, {"n": 3}, "'n' trait .* not be less than 4"),
        (ThreeForms, {"form": "matrix", "step": 4}, "step must be from 0 to 3: found 4"),
        (FeatureMapExplorer, {"feature_map": "sigmoid"}, "feature_map must be one of elu_plus_one"),
        (FeatureMapExplorer, {"q": [1.5, 1.0]}, r"q must be a finite tensor \(n, d\): found shape \(2,\)"),
        (Cost, {"dtype": "int8"}, "'dtype' trait .* any of"),
    ],
)  # fmt: skip
def test_a_stop_sets_only_what_the_widget_takes(make, stop, message):
    with pytest.raises(ValueError, match=rf"{message}.*, in the stop {{"):
        make(stops=[{**stop, "text": "Nowhere."}])
    ThreeForms(stops=[{"form": "recurrence", "step": 12, "text": "The end of another form than that on screen."}])


def test_questions_set_later_are_checked_too():
    with pytest.raises(ValueError, match="t of a prediction must be one of"):
        StateExplorer().predict = [{"t": 6, "phase": "add", "ask": "Z"}]


def test_an_error_is_short_and_says_what_was_found():
    k = torch.ones(6, 4)
    k[2, 1] = torch.nan
    with pytest.raises(ValueError, match=r"k must be a finite tensor \(n, d\): found nan at \[2, 1\]$"):
        StateExplorer().k = k
    with pytest.raises(TypeError, match="sentence must be a string, found list"):
        StateExplorer(["the", "cat"])
