"""Streaming equals the whole: tokens, blocks, splits, the state's contract, and the trace."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from reference import draw, reference

from linattn import (
    LinearAttentionState,
    causal_linear_attention,
    elu_plus_one,
    linear_attention,
    recurrent_linear_attention,
    squared_relu,
    taylor_2,
    trace,
)


def zeros(d_k=4, d_v=3, **options):
    return LinearAttentionState.zeros(d_k, d_v, **{"dtype": torch.float64, **options})


@pytest.mark.parametrize("in_place", [False, True])
@pytest.mark.parametrize("lead", [(), (2,), (2, 3)], ids=str)
def test_token_by_token_equals_one_call(lead, in_place):
    q, k, v = draw(*lead)
    expected, last = causal_linear_attention(q, k, v, return_state=True)
    state = zeros(batch_shape=lead)
    for t in range(17):
        state.update(k[..., t, :], v[..., t, :], in_place=in_place)
        torch.testing.assert_close(state.read(q[..., t, :]), expected[..., t, :])
    torch.testing.assert_close((state.S, state.Z), (last.S, last.Z))


@pytest.mark.parametrize(("lead", "d_v"), [((), 0), ((0,), 3), ((2, 0), 0)], ids=str)
def test_nothing_to_read_is_read_as_nothing(lead, d_v):
    q, k, v = torch.randn(3, *lead, 4).unbind()
    state = zeros(d_v=d_v, batch_shape=lead, dtype=torch.float32)
    assert state.update(k, v[..., :d_v]).read(q).shape == (*lead, d_v)


@settings(max_examples=25, deadline=None)
@given(st.lists(st.integers(0, 40), min_size=1, max_size=5), st.integers(1, 20))
def test_any_split_into_calls_equals_one_call(lengths, chunk_size):
    q, k, v = draw(2, n=sum(lengths))
    expected, last = causal_linear_attention(q, k, v, return_state=True)
    for form in (causal_linear_attention, recurrent_linear_attention):
        options = {"chunk_size": chunk_size} if form is causal_linear_attention else {}
        state, outs = None, []
        for q_part, k_part, v_part in zip(*(x.split(lengths, 1) for x in (q, k, v)), strict=True):
            out, state = form(q_part, k_part, v_part, initial_state=state, return_state=True, **options)
            outs.append(out)
        torch.testing.assert_close(torch.cat(outs, 1), expected)
        torch.testing.assert_close((state.S, state.Z), (last.S, last.Z))


@pytest.mark.parametrize("feature_map", [elu_plus_one, taylor_2, lambda x: x.exp()])
def test_a_prompt_in_one_call_is_continued_token_by_token(feature_map):
    q, k, v = draw(2, n=200)
    expected = recurrent_linear_attention(q, k, v, feature_map)
    out, state = causal_linear_attention(q[:, :190], k[:, :190], v[:, :190], feature_map, return_state=True)
    torch.testing.assert_close(out, expected[:, :190])
    for t in range(190, 200):
        torch.testing.assert_close(state.update(k[:, t], v[:, t], in_place=True).read(q[:, t]), expected[:, t])


def test_a_block_is_written_at_once_and_read_as_a_whole():
    q, k, v = draw(2)
    state = zeros(batch_shape=(2,)).update(k, v)
    torch.testing.assert_close(state.read(q), linear_attention(q, k, v))
    torch.testing.assert_close(state.S, elu_plus_one(k).mT @ v)


def test_gradients_flow_through_a_split_as_through_the_whole():
    q, k, v = draw(2, n=150, grad=True)
    whole = causal_linear_attention(q, k, v)
    first, state = causal_linear_attention(q[:, :70], k[:, :70], v[:, :70], return_state=True)
    second = causal_linear_attention(q[:, 70:], k[:, 70:], v[:, 70:], initial_state=state)
    weight = draw(2, n=150, d_v=3, seed=5)[2]
    expected = torch.autograd.grad((whole * weight).sum(), (q, k, v))
    found = torch.autograd.grad((torch.cat([first, second], 1) * weight).sum(), (q, k, v))
    torch.testing.assert_close(found, expected)


def test_gradients_flow_through_streaming_updates():
    q, k, v = draw(n=5, grad=True)
    state, total = zeros(), 0
    for t in range(5):
        total = total + state.update(k[t], v[t]).read(q[t]).sum()
    found = torch.autograd.grad(total, (q, k, v))
    torch.testing.assert_close(found, torch.autograd.grad(causal_linear_attention(q, k, v).sum(), (q, k, v)))


def test_a_detached_state_carries_the_numbers_but_no_history():
    q, k, v = draw(2, grad=True)
    _, state = causal_linear_attention(q, k, v, return_state=True)
    carried = state.detach()
    assert state.S.requires_grad and not carried.S.requires_grad and not carried.Z.requires_grad
    torch.testing.assert_close(carried.S, state.S.detach())


def test_neither_an_initial_state_nor_a_clone_is_touched():
    q, k, v = draw(2)
    state = zeros(batch_shape=(2,)).update(k, v)
    kept = state.clone()
    causal_linear_attention(q, k, v, initial_state=state)
    torch.testing.assert_close((state.S, state.Z), (kept.S, kept.Z), rtol=0, atol=0)
    state.update(k, v, in_place=True)
    torch.testing.assert_close(kept.S * 2, state.S)


@pytest.mark.parametrize("lead", [(), (1,), (2, 3)])
@pytest.mark.parametrize("d_v", [1, 3])
def test_a_returned_state_owns_its_two_tensors(lead, d_v):
    q, k, v = draw(*lead, d_v=d_v)
    with torch.no_grad():
        _, state = causal_linear_attention(q, k, v, return_state=True)
    for x in (state.S, state.Z):
        assert not x._is_view() and x.is_contiguous() and x.untyped_storage().nbytes() == x.numel() * x.element_size()
    state.update(k[..., 0, :].requires_grad_() * 1, v[..., 0, :], in_place=True)


@pytest.mark.parametrize("block", [False, True])
def test_an_update_in_place_that_cannot_write_S_writes_nothing(block):
    shared = torch.zeros(1, 4, 3).expand(2, 4, 3)  # all batches in one memory, so nothing can be added to it
    state = LinearAttentionState(shared, torch.zeros(2, 4))
    k, v = torch.ones(2, 5, 4), torch.ones(2, 5, 3)
    with pytest.raises(RuntimeError):
        state.update(*((k, v) if block else (k[:, 0], v[:, 0])), in_place=True)
    assert not state.Z.any() and not state.S.any()


def test_update_in_place_keeps_the_memory_and_the_default_does_not():
    q, k, v = draw()
    state = zeros()
    S = state.S
    state.update(k[0], v[0], in_place=True)
    assert state.S is S and S.any()
    state.update(k[1], v[1])
    assert state.S is not S


def test_a_state_is_as_large_after_a_thousand_tokens_as_after_one():
    q, k, v = draw(n=1000)
    state = zeros().update(k[0], v[0])
    sizes = state.S.shape, state.Z.shape
    assert (state.update(k[1:], v[1:]).S.shape, state.Z.shape) == sizes == ((4, 3), (4,))


def test_the_state_keeps_half_precision_sums_in_float32():
    q, k, v = draw(dtype=torch.bfloat16)
    state = zeros(dtype=torch.bfloat16).update(k, v)
    assert state.S.dtype == state.Z.dtype == torch.float32 and state.read(q).dtype == torch.bfloat16


def test_the_state_s_map_is_used_and_may_not_be_exchanged():
    q, k, v = draw()
    _, state = causal_linear_attention(q, k, v, squared_relu, return_state=True)
    assert state.feature_map is squared_relu
    torch.testing.assert_close(
        causal_linear_attention(q, k, v, initial_state=state),
        recurrent_linear_attention(q, k, v, squared_relu, initial_state=state),
    )
    for form in (causal_linear_attention, recurrent_linear_attention):
        with pytest.raises(ValueError, match="feature_map must be the very one that initial_state was made with"):
            form(q, k, v, elu_plus_one, initial_state=state)


@pytest.mark.parametrize("form", [causal_linear_attention, recurrent_linear_attention])
def test_the_state_s_eps_is_used_and_may_not_be_exchanged(form):
    x, v = torch.full((4, 2), -12.0, dtype=torch.float64), torch.rand(4, 3, dtype=torch.float64)
    whole = form(x, x, v, eps=0)
    _, state = form(x[:2], x[:2], v[:2], eps=0, return_state=True)
    out, last = form(x[2:], x[2:], v[2:], initial_state=state, return_state=True)
    torch.testing.assert_close(out, whole[2:])
    assert last.eps == 0
    with pytest.raises(ValueError, match="eps must be the very one that initial_state was made with"):
        form(x, x, v, eps=1e-3, initial_state=state)


@pytest.mark.parametrize("form", [causal_linear_attention, recurrent_linear_attention])
def test_the_last_state_has_the_axes_of_the_output_and_memory_of_its_own(form):
    q, k, v = draw(2, n=7)
    out, state = form(q, k[0], v[0], return_state=True)
    assert state.S.shape == (1, 4, 3)
    torch.testing.assert_close(state.read(q[:, -1]), out[:, -1])
    _, same = form(q[:, :0], k[:1, :0], v[:1, :0], initial_state=state, return_state=True)
    same.update(k[:1, 0], v[:1, 0], in_place=True)
    torch.testing.assert_close(state.Z, elu_plus_one(k[0]).sum(0, keepdim=True))


BAD = {
    "not a state": ((1, 2), TypeError, "initial_state must be a LinearAttentionState, found tuple"),
    "dtype": (zeros(dtype=torch.float32), TypeError, "initial_state must hold torch.float64 .*found torch.float32"),
    "d_phi": (zeros(d_k=5, batch_shape=(2,)), ValueError, r"S must have .*: \(2, 4, 3\), found \(2, 5, 3\)"),
    "batch": (zeros(batch_shape=(3,)), ValueError, r"with the leading axes of k and v: \(2, 4, 3\), found \(3, 4, 3\)"),
}  # fmt: skip


@pytest.mark.parametrize("form", [causal_linear_attention, recurrent_linear_attention])
@pytest.mark.parametrize("case", BAD.values(), ids=BAD)
def test_an_initial_state_that_does_not_fit_is_refused(form, case):
    state, error, message = case
    with pytest.raises(error, match=message):
        form(*draw(2), initial_state=state)
    q, k, v = draw(2)
    with pytest.raises(ValueError, match=r"of q and initial_state.S must broadcast: found \(2,\), \(3,\)"):
        form(q, k[0], v[0], initial_state=zeros(batch_shape=(3,)))


def test_a_state_checks_its_own_arguments():
    with pytest.raises(ValueError, match=r"S must be .*: found \(4, 3\) and \(3,\)"):
        LinearAttentionState(torch.zeros(4, 3), torch.zeros(3))
    with pytest.raises(ValueError, match="eps must be 0 or positive and below 1e38, found -1"):
        zeros(eps=-1)
    with pytest.raises(TypeError, match="must be a floating-point tensor of 16 bits or more, found dtype torch.int64"):
        zeros(dtype=torch.int64)
    with pytest.raises(TypeError, match="S and Z are sums and must be float32 or wider, found torch.bfloat16"):
        LinearAttentionState(torch.zeros(4, 3).bfloat16(), torch.zeros(4).bfloat16())
    state = zeros(batch_shape=(2,))
    q, k, v = draw(2)
    with pytest.raises(ValueError, match=r"φ\(q\) must fit S .* = \(2, 4, 3\), .*found shape \(3, 4\)"):
        state.read(q[:1, 0].expand(3, 4))
    with pytest.raises(ValueError, match=r"φ\(k\) must fit S .* one token \(…, d\) or as a block .*found shape \(4,\)"):
        state.update(k[0, 0], v[0, 0])
    with pytest.raises(ValueError, match=r"v must have as many tokens as k"):
        state.update(k, v[:, 1:])
    for k_bad, v_bad, name in (
        (k[..., :2], v, "φ.k."),
        (k[:, 0, :2], v[:, 0], "φ.k."),
        (k, v[..., :2], "v"),
        (k[:, 0], v[:, 0, :1], "v"),
        (k.repeat(2, 1, 1), v.repeat(2, 1, 1), "φ.k."),
    ):
        with pytest.raises(ValueError, match=rf"{name} must fit S .*= \(2, 4, 3\), .*found shape"):
            state.update(k_bad, v_bad)
    with pytest.raises(ValueError, match=r"φ\(q\) must fit S .*= \(2, 4, 3\), .*found shape \(2, 17, 2\)"):
        state.read(q[..., :2])
    with pytest.raises(TypeError, match="k of torch.float32 on cpu does not fit a state in torch.float64"):
        state.update(k.float(), v.float())
    with pytest.raises(TypeError, match="v of torch.float32 on cpu does not fit a state in torch.float64"):
        state.update(k, v.float())
    for in_place in (False, True):
        with pytest.raises(ValueError, match=r"v must have as many tokens as k: .*\(2, 4\), v has shape \(2, 17, 3\)"):
            state.update(k[:, 0], v, in_place=in_place)
    with pytest.raises(TypeError, match="q must be a torch.Tensor, found list"):
        state.read([1.0])


def test_the_trace_is_every_step_of_the_recurrence():
    q, k, v = draw(2, n=6)
    result = trace(q, k, v, eps=0.01)
    S, Z = torch.zeros(2, 4, 3).double(), torch.zeros(2, 4).double()
    for t in range(6):
        write = torch.einsum("bf,be->bfe", elu_plus_one(k[:, t]), v[:, t])
        S, Z = S + write, Z + elu_plus_one(k[:, t])
        torch.testing.assert_close(result.write[:, t], write)
        torch.testing.assert_close((result.S[:, t], result.Z[:, t]), (S, Z))
        phi_q = elu_plus_one(q[:, t])
        torch.testing.assert_close(result.numerator[:, t], torch.einsum("bf,bfe->be", phi_q, S))
        torch.testing.assert_close(result.denominator[:, t], (phi_q * Z).sum(-1))
        assert not result.weights[:, t, t + 1 :].any()
    torch.testing.assert_close(result.weights @ v, result.out)
    torch.testing.assert_close(result.out, reference(q, k, v, eps=0.01))
    torch.testing.assert_close((result.phi_q, result.phi_k), (elu_plus_one(q), elu_plus_one(k)))


def test_a_state_moves_to_another_dtype():
    q, k, v = draw(2)
    state = LinearAttentionState.zeros(4, 3, batch_shape=(2,), eps=0.5).update(k.float(), v.float())
    wide = state.to(torch.float64)
    assert (wide.S.dtype, wide.Z.dtype, wide.eps) == (torch.float64, torch.float64, 0.5)
    torch.testing.assert_close(wide.update(k, v).read(q).float(), state.update(k.float(), v.float()).read(q.float()))
    with pytest.raises(TypeError, match="must be float32 or wider"):
        state.to(torch.bfloat16)
