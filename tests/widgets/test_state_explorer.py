"""The state explorer in Python: what goes in, what comes out, what the page gets."""

import ipywidgets
import pytest
import torch
from reader import traits

import linattn
from linattn.widgets import FeatureMapExplorer, Position0, StateExplorer


def doubled(x):
    return torch.exp(x / 2).repeat_interleave(2, dim=-1)


def test_state_and_output_of_the_token_on_screen_are_tensors_of_trace():
    explorer = StateExplorer("one two three", d_k=3, d_v=2, t=2)
    wanted = linattn.trace(explorer.q, explorer.k, explorer.v)
    assert explorer.q.shape == (3, 3) and explorer.v.shape == (3, 2)
    for name in ("S", "Z", "out"):
        assert torch.equal(getattr(explorer, name), getattr(wanted, name)[2])
    explorer.t = 0
    assert torch.equal(explorer.out, wanted.out[0])


def test_messages_from_the_browser_arrive_as_tensors_and_names_as_functions():
    explorer = StateExplorer("a b", d_k=2, d_v=1)
    changes = {"tokens": ["b"], "q": [[1.0, 2.0]], "k": [[0.5, -3]], "v": [[7.0]], "feature_map": "exponential", "t": 0}
    explorer.set_state(changes)
    assert explorer.feature_map is linattn.exponential
    assert explorer.q.dtype == torch.get_default_dtype() and explorer.k.tolist() == [[0.5, -3.0]]
    torch.testing.assert_close(explorer.out, torch.tensor([7.0]))


def test_tensors_go_in_with_their_dtype_and_without_gradients():
    q, k, v = (torch.randn(3, 2, dtype=torch.float64, requires_grad=True) for _ in range(3))
    explorer = StateExplorer(q=q, k=k, v=v)
    assert explorer.tokens == ["0", "1", "2"]
    assert explorer.q.dtype == torch.float64 and not explorer.out.requires_grad
    torch.testing.assert_close(explorer.trace.out, linattn.causal_linear_attention(q, k, v).detach())


@pytest.mark.parametrize("widget", [StateExplorer, FeatureMapExplorer, Position0])
def test_a_tensor_of_another_dtype_takes_that_of_the_numbers_it_goes_with(widget):
    one = widget()
    for value in (one.q.float() / 2, one.q.double() / 2, (one.q / 2).tolist()):
        one.q = value
        assert one.q.dtype == one.k.dtype
        assert (one.weights if widget is FeatureMapExplorer else one.out).isfinite().all()


def test_numbers_travel_in_the_shortest_decimals_that_are_exact():
    explorer = StateExplorer("the cat sat")
    sent = traits(explorer)
    assert sent["q"][0] == [-0.7, -0.7, -0.4, -1.2]
    x = torch.randn(16, 8, generator=torch.Generator().manual_seed(0)) * 1e-3
    for dtype in (torch.float32, torch.float64):
        explorer = StateExplorer(q=x.to(dtype), k=x.to(dtype), v=x.to(dtype))
        assert torch.equal(torch.tensor(traits(explorer)["v"], dtype=dtype), explorer.v)


def test_half_precision_is_shown_in_single():
    x = torch.ones(2, 2, dtype=torch.bfloat16)
    assert StateExplorer(q=x, k=x, v=x).q.dtype == torch.float32


def test_own_feature_map_travels_as_numbers_and_follows_changes():
    explorer = StateExplorer("a b c", d_k=2, d_v=2, feature_map=doubled)
    sent = traits(explorer)
    assert sent["feature_map"] == sent["own_map"] == "doubled"
    torch.testing.assert_close(torch.tensor(sent["phi_k"]), doubled(explorer.k))
    explorer.k = explorer.k + 1
    torch.testing.assert_close(explorer.phi_k, doubled(explorer.k))
    explorer.set_state({"feature_map": "elu_plus_one"})
    explorer.set_state({"q": [[0, 0]] * 3, "feature_map": "doubled"})
    assert explorer.feature_map is doubled
    assert explorer.phi_q.tolist() == [[1, 1, 1, 1]] * 3


def test_a_map_with_the_name_of_a_built_in_one_is_not_taken_for_it():
    def elu_plus_one(x):
        return torch.exp(x)

    explorer = StateExplorer(feature_map=elu_plus_one)
    assert traits(explorer)["feature_map"] == "your elu_plus_one"
    assert StateExplorer(feature_map=lambda x: x.exp()).own_map == "your function"


def test_a_map_set_later_reaches_the_browser():
    explorer = StateExplorer()
    assert explorer.own_map is None and explorer.phi_q is None
    explorer.feature_map = doubled
    assert explorer.own_map == "doubled" and explorer.phi_q.shape == (6, 8)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"q": torch.ones(2, 2)}, "all of q, k and v"),
        ({"q": torch.ones(1, 2, 2), "k": torch.ones(1, 2, 2), "v": torch.ones(1, 2, 2)}, r"without batch axes"),
        ({"q": torch.ones(2, 2), "k": torch.ones(3, 2), "v": torch.ones(3, 2)}, "as many tokens"),
        ({"q": torch.ones(2, 2), "k": torch.ones(2, 2), "v": torch.ones(2, 2), "tokens": ["a"]}, "found 1 names"),
        ({"sentence": "x " * 17}, "1 to 16 tokens"),
        ({"sentence": " "}, "1 to 16 tokens"),
        ({"d_k": 9}, "up to 8"),
        ({"d_v": 9}, "up to 8"),
        ({"t": 6}, "0 to 5"),
        ({"t": -1}, "0 to 5"),
        ({"q": torch.ones(2, 2) * torch.inf, "k": torch.ones(2, 2), "v": torch.ones(2, 2)}, "finite"),
    ],
)
def test_what_cannot_be_drawn_is_refused_with_a_reason(arguments, message):
    with pytest.raises(ValueError, match=message):
        StateExplorer(**arguments)


def test_no_text_in_a_token_can_leave_its_place():
    evil = "</script><script>alert(1)</script>"
    explorer = StateExplorer(f"a {evil}", t=1)
    page = explorer.to_html()
    assert "<script>alert" not in page
    assert traits(explorer)["tokens"] == ["a", evil]


def test_still_has_every_number_of_its_token():
    explorer = StateExplorer("the cat sat", t=1)
    from linattn.widgets.still import number

    text = explorer.still()
    for x in (explorer.S, explorer.Z, explorer.out, explorer.v[1]):
        for entry in x.flatten().tolist():
            assert f">{number(entry)}</td>" in text
    assert "“cat”, is written into S and Z" in text


def test_both_forms_live_and_one_form_in_the_book(monkeypatch):
    live, _ = StateExplorer()._repr_mimebundle_()
    assert {"text/html", "application/vnd.jupyter.widget-view+json"} <= set(live)
    ipywidgets.Widget.close_all()
    monkeypatch.setenv("LINATTN_BOOK", "1")
    book, _ = StateExplorer()._repr_mimebundle_()
    assert set(book) == {"text/plain", "text/html"}
    assert ipywidgets.Widget.get_manager_state()["state"] == {}
