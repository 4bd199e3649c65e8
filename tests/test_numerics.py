"""Rounding, ε, NaN and infinity, dtypes, gradients: the numbers, each against float64."""

import math

import pytest
import torch
from reference import attend, draw, reference

from linattn import (
    LinearAttentionState,
    all_pairs_linear_attention,
    causal_linear_attention,
    elu_plus_one,
    linear_attention,
    recurrent_linear_attention,
    squared_relu,
)

HALVES = [torch.float16, torch.bfloat16]
FORMS = [all_pairs_linear_attention, recurrent_linear_attention, causal_linear_attention]


def relative_error(found, expected):
    return ((found.double() - expected).norm() / expected.norm()).item()


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("dtype", [*HALVES, torch.float32], ids=str)
def test_relative_error_is_that_of_rounding_input_and_output(form, dtype):
    """float32: below 1e-6. Halves: the input is taken as it is, so only the output's rounding is left."""
    qkv = draw(2, n=700, d_k=16, d_v=16, dtype=dtype)
    expected = all_pairs_linear_attention(*(x.double() for x in qkv))
    out = form(*qkv)
    assert out.dtype == dtype
    assert relative_error(out, expected) < (1e-6 if dtype == torch.float32 else torch.finfo(dtype).eps / 2)


@pytest.mark.parametrize("dtype", HALVES, ids=str)
def test_65536_tokens_in_half_precision(dtype):
    """Summed in half precision Z stops growing (bfloat16) or overflows (float16); ours stays at the rounding floor."""
    n = 65536
    q, k, v = (x.to(dtype) for x in draw(n=n, d_k=2, d_v=2))
    v = (v.float() + 1).to(dtype)
    expected = causal_linear_attention(*(x.double() for x in (q, k, v)))
    assert relative_error(causal_linear_attention(q, k, v), expected) < torch.finfo(dtype).eps

    phi_q, phi_k, S1 = elu_plus_one(q), elu_plus_one(k), torch.zeros(2, 3, dtype=dtype)
    for write in (phi_k.unsqueeze(-1) * torch.nn.functional.pad(v, (0, 1), value=1.0).unsqueeze(-2)).unbind():
        S1 += write
    naive = (phi_q[-1] @ S1)[:2] / (phi_q[-1] @ S1)[2]
    error = relative_error(naive, expected[-1])
    assert math.isnan(error) or error > 0.1


@pytest.mark.parametrize("mean", [0, 1, 30])
def test_half_precision_gradients_are_at_the_rounding_floor(mean):
    """Also where v has a mean, of which dφ(q) is a small difference."""
    q, k, v = draw(2, n=500, d_k=16, d_v=16, dtype=torch.bfloat16)
    qkv = tuple(x.requires_grad_() for x in (q, k, v + mean))
    exact = tuple(x.detach().double().requires_grad_() for x in qkv)
    weight = draw(2, n=500, d_v=16, seed=3)[2]
    found = torch.autograd.grad((causal_linear_attention(*qkv).double() * weight.bfloat16()).sum(), qkv)
    expected = torch.autograd.grad((all_pairs_linear_attention(*exact) * weight.bfloat16()).sum(), exact)
    for x, y in zip(found, expected, strict=True):
        assert x.dtype == torch.bfloat16 and relative_error(x, y) < 2 * torch.finfo(torch.bfloat16).eps


@pytest.mark.parametrize(("dtype", "least"), [(torch.float32, -87), (torch.float64, -700)], ids=["float32", "float64"])
def test_features_far_below_zero_keep_their_relative_precision_in_the_sweeps(dtype, least):
    x = torch.linspace(least, 0, 5001, dtype=dtype).view(-1, 1, 1)  # sequences of one token: Z is its feature
    Z = causal_linear_attention(x, x, x, return_state=True)[1].Z
    error = (Z.double() - x.double().exp().squeeze(-1)).abs() / x.double().exp().squeeze(-1)
    assert (error <= (1 + x.double().abs().squeeze(-1)) * torch.finfo(dtype).eps).all()


@pytest.mark.parametrize("shift", [-6.0, -8.0, -10.0, -15.0])
def test_eps_scales_output_0_by_w_over_w_plus_eps_and_eps_0_does_not(shift):
    """With far-negative inputs w = φ(q_0)·φ(k_0) comes near eps, and out_0 bends away from v_0."""
    q, k, v = draw(n=3, dtype=torch.float32)
    q, k = q + shift, k + shift
    w = (elu_plus_one(q[0].double()) * elu_plus_one(k[0].double())).sum()
    out = causal_linear_attention(q, k, v)
    torch.testing.assert_close(out[0].double(), v[0].double() * w / (w + 1e-6), rtol=1e-5, atol=0)
    torch.testing.assert_close(causal_linear_attention(q, k, v, eps=0)[0], v[0])


@pytest.mark.parametrize("form", [*FORMS, linear_attention])
@pytest.mark.parametrize("grad", [False, True], ids=["inference", "training"])
def test_eps_0_gives_0_where_no_key_has_weight(form, grad):
    q, k, v = draw(2, n=5)
    k[:, :2] = -1.0  # squared_relu makes these keys all 0
    if form is linear_attention:
        k[:] = -1.0
    q, k, v = (x.requires_grad_(grad) for x in (q, k, v))
    out = form(q, k, v, squared_relu, eps=0)
    assert not out[:, :2].any() and out.isfinite().all()
    if form is not linear_attention:
        assert (out[:, 4] != 0).any()
    if grad:
        grads = torch.autograd.grad(out.sum(), (q, k, v))
        assert all(x.isfinite().all() for x in grads)


def test_eps_0_survives_features_that_underflow():
    q, k, v = draw(2, n=100, dtype=torch.float32, grad=True)
    out = causal_linear_attention(q - 60, k - 60, v, eps=0)  # φ(q)·φ(k) is 0 in float32
    assert not out.any()
    for x in torch.autograd.grad(out.sum(), (q, k, v)):
        assert x.isfinite().all()


BAD = [math.nan, math.inf, -math.inf]


@pytest.mark.parametrize("bad", BAD, ids=str)
@pytest.mark.parametrize("which", ["q", "k", "v"])
@pytest.mark.parametrize("t", [0, 37, 64])
@pytest.mark.parametrize("grad", [False, True], ids=["inference", "training"])
def test_nan_and_infinity_reach_no_earlier_output_and_no_other_sequence(bad, which, t, grad):
    """…and what they do reach is what they reach in the recurrence."""
    tensors = dict(zip("qkv", draw(2, n=150, grad=grad), strict=True))
    clean = causal_linear_attention(**tensors)
    with torch.no_grad():
        tensors[which][1, t, 0] = bad
        tensors["v"][1, min(t + 30, 149), 1] = math.nan
    out = causal_linear_attention(**tensors)
    torch.testing.assert_close(out[0], clean[0])
    torch.testing.assert_close(out[1, :t], clean[1, :t])
    torch.testing.assert_close(out, recurrent_linear_attention(**tensors), equal_nan=True)


def test_every_token_may_be_nan():
    q, k, v = draw(2, n=130)
    assert causal_linear_attention(q, k, v * math.nan).isnan().all()


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("eps", [1e-6, 0])
def test_a_key_mask_hides_tokens_whatever_they_hold(form, eps):
    q, k, v = draw(2, 3, n=90)
    mask = torch.rand(2, 1, 90, generator=torch.Generator().manual_seed(0)) < 0.7
    mask[0, :, :5] = False  # padding on the left
    mask[1, :, 60:] = False  # and on the right
    hidden = ~mask.expand(2, 3, 90)
    k[hidden], v[hidden] = math.nan, math.inf
    out = form(q, k, v, eps=eps, key_mask=mask)
    for b in range(2):
        expected = reference(q[b], k[b], v[b], eps=eps, visible=mask[b, 0].tolist())
        torch.testing.assert_close(out[b], expected)
    assert not out[0, :, :5].any()


def test_a_key_mask_in_the_non_causal_form():
    q, k, v = draw(n=12)
    mask = torch.arange(12) > 3
    expected = torch.tensor(attend(*(x.tolist() for x in (q, k, v)), visible=mask.tolist(), causal=False))
    k[~mask], v[~mask] = math.nan, math.nan
    for form in (linear_attention, lambda *a, **kw: all_pairs_linear_attention(*a, causal=False, **kw)):
        torch.testing.assert_close(form(q, k, v, key_mask=mask), expected.double(), rtol=1e-6, atol=1e-6)


def test_masked_tokens_get_no_gradient_and_leave_no_trace_in_the_state():
    q, k, v = draw(2, n=150, grad=True)
    mask = torch.rand(2, 150, generator=torch.Generator().manual_seed(0)) < 0.5
    out, state = causal_linear_attention(q, k, v, key_mask=mask, return_state=True)
    found = torch.autograd.grad(out.square().sum(), (q, k, v))
    expected = torch.autograd.grad(all_pairs_linear_attention(q, k, v, key_mask=mask).square().sum(), (q, k, v))
    torch.testing.assert_close(found, expected)
    assert not found[1][~mask].any() and not found[2][~mask].any()
    with torch.no_grad():
        alone = LinearAttentionState.zeros(4, 3, dtype=torch.float64).update(k[0][mask[0]], v[0][mask[0]])
    torch.testing.assert_close(state.S[0].detach(), alone.S)


def test_bad_masks_are_refused():
    q, k, v = draw(2, 3)
    with pytest.raises(
        TypeError, match="key_mask must be a boolean tensor, True for a token, False for padding: found"
    ):
        causal_linear_attention(q, k, v, key_mask=torch.ones(2, 3, 17))
    for wrong in ((2, 17), (2, 3, 16), (2, 2, 17)):
        with pytest.raises(ValueError, match=r"key_mask must have the axes of k except the last"):
            causal_linear_attention(q, k, v, key_mask=torch.ones(wrong, dtype=torch.bool))


@pytest.mark.parametrize("chunk_size", [2, 3, 8])
@pytest.mark.parametrize("masked", [False, True])
def test_gradcheck_first_and_second_order(chunk_size, masked):
    q, k, v = draw(2, n=7, d_k=2, d_v=2, grad=True)
    _, state = causal_linear_attention(*draw(2, n=2, d_k=2, d_v=2, seed=1), return_state=True)
    mask = torch.tensor([[True] * 7, [False, True, True, False, True, True, True]]) if masked else None

    def f(q, k, v, S, Z):
        start = LinearAttentionState(S, Z)
        out, last = causal_linear_attention(
            q, k, v, chunk_size=chunk_size, key_mask=mask, initial_state=start, return_state=True
        )
        return out, last.S, last.Z

    inputs = q, k, v, state.S.requires_grad_(), state.Z.requires_grad_()
    assert torch.autograd.gradcheck(f, inputs)
    assert torch.autograd.gradgradcheck(f, inputs, fast_mode=True)


@pytest.mark.parametrize("form", FORMS)
def test_gradients_equal_those_through_the_score_matrix(form):
    q, k, v = draw(2, 3, n=300, d_k=5, grad=True)
    weight = draw(2, 3, n=300, seed=9)[2]
    found = torch.autograd.grad((form(q, k, v) * weight).sum(), (q, k, v))
    expected = torch.autograd.grad((all_pairs_linear_attention(q, k, v) * weight).sum(), (q, k, v))
    torch.testing.assert_close(found, expected)


def test_gradients_reach_the_parameters_of_a_feature_map():
    q, k, v = draw(2, n=100)
    weight = torch.randn(4, 4, generator=torch.Generator().manual_seed(0)).double().requires_grad_()

    def learnt(x):
        return elu_plus_one(x @ weight)

    found = torch.autograd.grad(causal_linear_attention(q, k, v, learnt).square().sum(), weight)
    expected = torch.autograd.grad(all_pairs_linear_attention(q, k, v, learnt).square().sum(), weight)
    torch.testing.assert_close(found, expected)


@pytest.mark.parametrize("wanted", ["q", "k", "v", "qk", "kv"])
def test_any_subset_of_the_inputs_may_want_a_gradient(wanted):
    tensors = dict(zip("qkv", draw(2, n=80), strict=True))
    for name in wanted:
        tensors[name].requires_grad_()
    inputs = [tensors[name] for name in wanted]
    found = torch.autograd.grad(causal_linear_attention(**tensors).square().sum(), inputs)
    expected = torch.autograd.grad(all_pairs_linear_attention(**tensors).square().sum(), inputs)
    torch.testing.assert_close(found, expected)
