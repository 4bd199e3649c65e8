"""Each feature map against its paper's formula, and the properties the book claims for it."""

import math

import pytest
import torch
from reference import draw, phi

import linattn
from linattn import (
    check_feature_map,
    dpfp,
    elu_plus_one,
    exponential,
    hedgehog,
    identity_shifted,
    positive_random_features,
    relu_plus_eps,
    squared_relu,
    taylor_2,
)

MAPS = (elu_plus_one, relu_plus_eps, exponential, squared_relu, identity_shifted, taylor_2, dpfp, hedgehog)
HALVES = [torch.float16, torch.bfloat16, torch.float32, torch.float64]


@pytest.fixture
def x():
    return draw(2, n=9, d_k=5)[0] * 2


def test_elu_plus_one(x):
    torch.testing.assert_close(
        elu_plus_one(x), torch.tensor([[phi(row) for row in b] for b in x.tolist()], dtype=torch.float64)
    )


@pytest.mark.parametrize("dtype", HALVES, ids=str)
def test_elu_plus_one_keeps_its_relative_precision_far_below_zero(dtype):
    """The textbook form is exactly 0 here; e^x is still a normal number (float16: its smallest ones end at -9.7)."""
    lowest = {torch.float16: -9.0}.get(dtype, -80.0)
    x = torch.linspace(lowest, 0, 200, dtype=torch.float64).to(dtype)
    error = (elu_plus_one(x).double() / torch.exp(x.double()) - 1).abs().max()
    assert error <= 4 * torch.finfo(dtype).eps
    if dtype != torch.float64:
        assert (torch.nn.functional.elu(x[:20]) + 1 == 0).any()


def test_elu_plus_one_has_slope_1_at_exactly_zero():
    x = torch.tensor([-1.0, -0.0, 0.0, 2.0], requires_grad=True)
    elu_plus_one(x).sum().backward()
    torch.testing.assert_close(x.grad, torch.tensor([math.exp(-1), 1.0, 1.0, 1.0]))


def test_relu_has_no_gradient_at_and_below_zero_and_elu_has():
    x = torch.tensor([-3.0, 0.0], requires_grad=True)
    for feature_map, dead in ((relu_plus_eps, True), (squared_relu, True), (elu_plus_one, False)):
        (grad,) = torch.autograd.grad(feature_map(x).sum(), x)
        assert (grad == 0).all() == dead


def test_simple_maps(x):
    torch.testing.assert_close(relu_plus_eps(x, 0.25), torch.where(x > 0, x + 0.25, 0.25))
    torch.testing.assert_close(exponential(x), math.e**x)
    torch.testing.assert_close(squared_relu(x), torch.where(x > 0, x * x, 0))
    torch.testing.assert_close(identity_shifted(x), x + 1)
    assert identity_shifted(x).min() < 0


def test_taylor_kernel_is_one_plus_s_plus_half_s_squared(x):
    q, k = x[0], x[1]
    s = q @ k.mT / math.sqrt(5)
    torch.testing.assert_close(taylor_2(q) @ taylor_2(k).mT, 1 + s + s * s / 2)
    assert taylor_2(x).shape == (2, 9, 1 + 5 + 25)


@pytest.mark.parametrize("nu", [1, 2, 3])
def test_dpfp_is_the_product_of_rolled_parts(x, nu):
    row = x[0, 0].tolist()
    r = [max(a, 0) for a in row] + [max(-a, 0) for a in row]
    expected = [r[i] * r[(i + j) % 10] for j in range(1, nu + 1) for i in range(10)]
    torch.testing.assert_close(dpfp(x, nu)[0, 0], torch.tensor(expected, dtype=torch.float64))
    assert dpfp(x, nu).shape == (2, 9, 2 * 5 * nu)


def test_hedgehog_is_a_softmax_over_signed_projections(x):
    weight = torch.randn(5, 5, generator=torch.Generator().manual_seed(0)).double()
    y = (weight @ x[0, 0]).tolist()
    total = sum(math.exp(a) + math.exp(-a) for a in y)
    expected = [math.exp(a) / total for a in y] + [math.exp(-a) / total for a in y]
    torch.testing.assert_close(hedgehog(x, weight)[0, 0], torch.tensor(expected, dtype=torch.float64))
    torch.testing.assert_close(hedgehog(x), hedgehog(x, torch.eye(5).double()))


def test_random_features_estimate_the_softmax_kernel_without_bias():
    q, k = draw(n=6, d_k=4)[:2]
    estimates = []
    for seed in range(200):
        feature_map = positive_random_features(4, 64, seed)
        estimates.append(feature_map(q) @ feature_map(k).mT)
    estimates = torch.stack(estimates)
    expected = (q @ k.mT / 2).exp()
    deviation = estimates.std(0) / math.sqrt(200)
    assert ((estimates.mean(0) - expected).abs() < 5 * deviation).all()
    assert (estimates > 0).all()


def test_random_features_follow_their_formula_and_their_seed():
    torch.testing.assert_close(
        positive_random_features(4, 9, 3)(torch.ones(4)), positive_random_features(4, 9, 3)(torch.ones(4))
    )
    assert positive_random_features(4, 9)(torch.ones(2, 4)).shape == (2, 9)
    at_zero = positive_random_features(4, 9)(torch.zeros(4))
    torch.testing.assert_close(at_zero, torch.full((9,), 1 / 3))
    x = torch.tensor([0.3, -1, 0.2, 2], dtype=torch.float64)
    log = torch.log(positive_random_features(4, 4, 1)(x) * 2) + (x / math.sqrt(2)).square().sum() / 2
    rows = torch.stack([torch.log(positive_random_features(4, 4, 1)(e) * 2) + 0.25 for e in torch.eye(4).double()], 1)
    torch.testing.assert_close(log, rows @ x)  # linear in x
    gram = rows @ rows.T
    torch.testing.assert_close(gram, torch.diag(gram.diagonal()))  # orthogonal


@pytest.mark.parametrize("dtype", HALVES, ids=str)
@pytest.mark.parametrize("feature_map", [*MAPS, positive_random_features(4, 6)], ids=lambda f: f.__name__)
def test_maps_keep_dtype_and_leading_axes_and_act_on_each_token_alone(feature_map, dtype):
    x = draw(2, n=5)[0].to(dtype)
    whole = feature_map(x)
    assert whole.dtype == dtype and whole.shape[:-1] == x.shape[:-1]
    torch.testing.assert_close(whole[:, 3], feature_map(x[:, 3]))
    assert feature_map(x[:, :0]).shape == (2, 0, whole.shape[-1])


@pytest.mark.parametrize("feature_map", MAPS, ids=lambda f: f.__name__)
def test_gradients(feature_map):
    x = draw(n=3)[0].requires_grad_()
    assert torch.autograd.gradcheck(feature_map, x) and torch.autograd.gradgradcheck(feature_map, x)


def test_sizes_that_make_no_map_are_refused():
    with pytest.raises(ValueError, match="nu must be at least 1, found 0"):
        dpfp(torch.ones(3), 0)
    with pytest.raises(ValueError, match="d and m must be at least 1, found 4 and 0"):
        positive_random_features(4, 0)
    with pytest.raises(ValueError, match=r"random features are for d = 3, found shape \(5, 4\)"):
        positive_random_features(3, 8)(torch.ones(5, 4))
    with pytest.raises(ValueError, match="negative features: the smallest found is nan"):
        check_feature_map(lambda x: x * math.nan, torch.ones(5, 4))


def test_checking_a_feature_map(x):
    torch.testing.assert_close(check_feature_map(elu_plus_one, x), elu_plus_one(x))
    with pytest.raises(ValueError, match="feature_map must not return negative features: the smallest found is -"):
        check_feature_map(identity_shifted, x)
    with pytest.raises(ValueError, match=r"keep every axis but the last: x has shape \(2, 9, 5\), .*\(2, 8, 5\)"):
        check_feature_map(lambda x: x[:, 1:], x)


def test_the_default_map_is_elu_plus_one():
    qkv = draw(2)
    torch.testing.assert_close(
        linattn.causal_linear_attention(*qkv), linattn.causal_linear_attention(*qkv, elu_plus_one)
    )
