"""The forms of causal linear attention agree with each other and with plain loops over float64."""

import math

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from reference import attend, draw, reference

import linattn
from linattn import (
    KVCache,
    all_pairs_linear_attention,
    causal_linear_attention,
    elu_plus_one,
    linear_attention,
    recurrent_linear_attention,
    softmax_attention,
    trace,
)

FORMS = {
    "all pairs": all_pairs_linear_attention,
    "recurrence": recurrent_linear_attention,
    "chunks of 5": lambda *args, **kw: causal_linear_attention(*args, chunk_size=5, **kw),
    "fast": causal_linear_attention,
    "trace": lambda *args, **kw: trace(*args, **kw).out,
}
MAPS = {
    "elu_plus_one": None,
    "exponential": linattn.exponential,
    "taylor_2": linattn.taylor_2,
    "own": lambda x: torch.cat([x.square(), x.sigmoid()], -1),
    "random": linattn.positive_random_features(4, 7),
}
each_form = pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)


@st.composite
def inputs(draw_from):
    """q, k, v in float64 of any small shape, now and then transposed or expanded rather than contiguous."""
    lead = tuple(draw_from(st.lists(st.integers(1, 3), max_size=2)))
    n, d_k, d_v = draw_from(st.integers(0, 23)), draw_from(st.integers(1, 5)), draw_from(st.integers(1, 5))
    q, k, v = draw(*lead, n=n, d_k=d_k, d_v=d_v, seed=draw_from(st.integers(0, 9999)))
    match draw_from(st.sampled_from(["contiguous", "transposed", "expanded", "strided"])):
        case "transposed":
            q, k, v = (x.mT.contiguous().mT for x in (q, k, v))
        case "expanded" if lead:
            k, v = (x[:1].expand(x.shape) for x in (k, v))
        case "strided":
            q, k, v = (torch.stack([x, -x], -1)[..., 0] for x in (q, k, v))
    return q, k, v


@settings(max_examples=40, deadline=None)
@given(inputs(), st.integers(1, 30))
def test_every_form_equals_the_loops(qkv, chunk_size):
    expected = reference(*qkv)
    for name, form in FORMS.items():
        torch.testing.assert_close(form(*qkv), expected, rtol=1e-11, atol=1e-11, msg=lambda m, name=name: name + m)
    out = causal_linear_attention(*qkv, chunk_size=chunk_size)
    torch.testing.assert_close(out, expected, rtol=1e-11, atol=1e-11)


@pytest.mark.parametrize("feature_map", MAPS.values(), ids=MAPS)
@pytest.mark.parametrize("grad", [False, True], ids=["inference", "training"])
def test_forms_agree_for_every_kind_of_feature_map(feature_map, grad):
    qkv = draw(2, n=150, grad=grad)
    expected = all_pairs_linear_attention(*qkv, feature_map)
    for name, form in FORMS.items():
        torch.testing.assert_close(form(*qkv, feature_map), expected, msg=lambda m, name=name: name + m)


@pytest.mark.parametrize("n", [1, 2, 63, 64, 65, 127, 128, 129, 1000])
def test_lengths_around_the_chunk_size(n):
    qkv = draw(2, n=n)
    torch.testing.assert_close(causal_linear_attention(*qkv), all_pairs_linear_attention(*qkv))


@pytest.mark.parametrize("chunk_size", [1, 3, 64, 500])
def test_many_chunks_in_one_step_and_what_is_left_over(chunk_size):
    qkv = draw(2, n=1003, d_k=2, d_v=2)
    out = causal_linear_attention(*qkv, chunk_size=chunk_size)
    torch.testing.assert_close(out, all_pairs_linear_attention(*qkv))


@each_form
@pytest.mark.parametrize("lead", [(), (0,), (2, 0)], ids=str)
def test_no_tokens_and_empty_batches(form, lead):
    for n in (0, 3):
        assert form(*draw(*lead, n=n)).shape == (*lead, n, 3)


def test_no_tokens_keeps_the_state_and_lets_gradients_through():
    q, k, v = draw(2, n=0, grad=True)
    out, state = causal_linear_attention(q, k, v, return_state=True)
    assert not state.S.any() and not state.Z.any()
    out.sum().backward()
    assert q.grad.shape == q.shape


@each_form
def test_output_0_is_v_0_whatever_q_0_is(form):
    """out_0 = v_0 w/(w + eps), so |out_0 - v_0| ≤ |v_0| eps/w, plus rounding (a few units in the last place)."""
    for seed in range(20):
        q, k, v = draw(3, n=6, seed=seed, dtype=torch.float32)
        q[..., 0, :] *= 3
        w = (elu_plus_one(q[..., 0, :].double()) * elu_plus_one(k[..., 0, :].double())).sum(-1, keepdim=True)
        bound = v[..., 0, :].abs() * (1e-6 / w + 8 * torch.finfo(torch.float32).eps)
        assert ((form(q, k, v)[..., 0, :] - v[..., 0, :]).abs() <= bound).all()


@each_form
def test_constant_values_come_back(form):
    q, k, v = draw(2)
    torch.testing.assert_close(form(q, k, torch.ones_like(v), eps=0), torch.ones_like(v))


@each_form
def test_permuting_the_past_leaves_the_last_output_unchanged(form):
    q, k, v = draw(2, n=40)
    order = torch.cat([torch.randperm(39, generator=torch.Generator().manual_seed(1)), torch.tensor([39])])
    assert not torch.equal(k[:, order], k)
    torch.testing.assert_close(form(q, k[:, order], v[:, order])[:, -1], form(q, k, v)[:, -1])


@each_form
def test_no_output_depends_on_a_later_token(form):
    q, k, v = draw(2, n=40)
    before = form(q, k, v)
    for x in (q, k, v):
        x[:, 23:] += 1
    after = form(q, k, v)
    torch.testing.assert_close(after[:, :23], before[:, :23], rtol=1e-13, atol=1e-13)
    assert ((after - before).abs().amax((0, 2)) > 1e-3)[23:].all()


@pytest.mark.parametrize("eps", [1e-6, 0.5, 0.0])
def test_weights_are_not_negative_and_sum_to_w_over_w_plus_eps(eps):
    result = trace(*draw(2, n=30), eps=eps)
    w = result.denominator
    assert (result.weights >= 0).all()
    torch.testing.assert_close(result.weights.sum(-1), w / (w + eps))


def test_non_causal_forms_equal_the_loops():
    q, k, v = draw(2)
    k, v = k[:, :11], v[:, :11]  # as many queries as you like
    loops = [attend(*(x[b].tolist() for x in (q, k, v)), causal=False) for b in range(2)]
    expected = torch.tensor(loops, dtype=torch.float64)
    torch.testing.assert_close(linear_attention(q, k, v), expected)
    torch.testing.assert_close(all_pairs_linear_attention(q, k, v, causal=False), expected)


@pytest.mark.parametrize("causal", [True, False])
def test_softmax_attention_is_torch_s(causal):
    qkv = draw(2, 3)
    expected = torch.nn.functional.scaled_dot_product_attention(*qkv, is_causal=causal)
    torch.testing.assert_close(softmax_attention(*qkv, causal=causal), expected)


def test_kv_cache_gives_causal_softmax_token_by_token_and_grows():
    q, k, v = draw(2, n=7)
    cache, expected = KVCache(), softmax_attention(q, k, v)
    with pytest.raises(ValueError, match="empty"):
        cache.read(q[:, 0])
    for t in range(7):
        cache.update(k[:, t], v[:, t])
        torch.testing.assert_close(cache.read(q[:, t]), expected[:, t])
        assert cache.k.shape[-2] == t + 1


@each_form
def test_large_eps_scales_the_output_down(form):
    q, k, v = draw(n=1)
    w = (elu_plus_one(q) * elu_plus_one(k)).sum()
    torch.testing.assert_close(form(q, k, v, eps=0.5), v * w / (w + 0.5))


def test_a_mutant_is_seen():
    """The comparison with the loops can fail: a strict mask, a dropped carry and no φ on k are all refused."""
    q, k, v = draw(n=20)
    phi_q, phi_k = elu_plus_one(q), elu_plus_one(k)

    def masked(scores):
        return scores @ v / (scores.sum(-1, keepdim=True) + 1e-6)

    scores = (phi_q @ phi_k.mT).tril()
    same_chunk = (torch.arange(20)[:, None] // 5) == (torch.arange(20) // 5)
    for mutant in (scores.tril(-1), scores * same_chunk, (phi_q @ k.mT).tril()):
        with pytest.raises(AssertionError):
            torch.testing.assert_close(masked(mutant), reference(q, k, v))
    torch.testing.assert_close(masked(scores), reference(q, k, v))


BAD = {
    "not a tensor": (lambda q, k, v: (q.tolist(), k, v), TypeError, "q must be a torch.Tensor, found list"),
    "integers": (
        lambda q, k, v: (q, k.long(), v),
        TypeError,
        "k must be a floating-point tensor of 16 bits or more, found .*int64",
    ),
    "mixed dtypes": (lambda q, k, v: (q, k, v.float()), TypeError, "v must have the dtype of q: .*64, found .*32"),
    "mixed devices": (lambda q, k, v: (q, k.to("meta"), v), ValueError, "k must be on the device of q: cpu, found m"),
    "one axis": (lambda q, k, v: (q[0, 0], k, v), ValueError, r"q must have shape \(…, n, d_k\), found \(4,\)"),
    "other d_k": (
        lambda q, k, v: (q, k[..., :2], v),
        ValueError,
        r"k must have the d_k of q: q has shape \(2, 17, 4\), k has shape \(2, 17, 2\)",
    ),
    "other n of v": (
        lambda q, k, v: (q, k, v[:, 1:]),
        ValueError,
        r"v must have as many tokens as k: k has shape \(2, 17, 4\), v has shape \(2, 16, 3\)",
    ),
    "other n of q": (
        lambda q, k, v: (q[:, 1:], k, v),
        ValueError,
        r"k must have as many tokens as q: q has shape \(2, 16, 4\), k has shape \(2, 17, 4\)",
    ),
    "heads that do not divide": (
        lambda q, k, v: (q.repeat(3, 1, 1), k.repeat(2, 1, 1), v.repeat(2, 1, 1)),
        ValueError,
        r"leading axes of q, k and v must broadcast: found \(6,\), \(4,\), \(4,\)\. .* reshape q to",
    ),
}


@each_form
@pytest.mark.parametrize("case", BAD.values(), ids=BAD)
def test_input_that_does_not_fit_is_refused_by_name_and_shape(form, case):
    change, error, message = case
    with pytest.raises(error, match=message):
        form(*change(*draw(2)))


@each_form
@pytest.mark.parametrize("eps", [-1e-6, math.nan, math.inf, 10**400])
def test_bad_eps_is_refused(form, eps):
    with pytest.raises(ValueError, match="eps must be 0 or positive and below 1e38, found"):
        form(*draw(2), eps=eps)


@each_form
@pytest.mark.parametrize("eps", ["1e-6", [1e-6], torch.tensor(1e-6)], ids=["str", "list", "Tensor"])
def test_eps_that_is_no_number_is_refused(form, eps):
    with pytest.raises(TypeError, match=f"eps must be a number, found {type(eps).__name__}"):
        form(*draw(2), eps=eps)


@each_form
def test_tokens_without_entries_are_refused(form):
    q, k, v = draw(2)
    with pytest.raises(ValueError, match=r"at least one entry a token, d_k ≥ 1: q has shape \(2, 17, 0\)"):
        form(q[..., :0], k[..., :0], v)


NO_MAPS = {
    "no function": ("elu", TypeError, r"feature_map must be a function .*, found str$"),
    "features, not a map": (torch.ones(5, 4), TypeError, r"feature_map must be a function .*, found Tensor$"),
    "returns nothing": (lambda x: None, TypeError, "feature_map must return a real torch.Tensor, found NoneType"),
    "returns an array": (lambda x: x.numpy(), TypeError, "must return a real torch.Tensor, found ndarray"),
    "complex": (lambda x: torch.complex(x, x), TypeError, "must return a real torch.Tensor, found torch.complex128"),
    "no feature": (lambda x: x[..., :0], ValueError, r"has shape \(2, 17, 0\); at least one feature"),
}


@each_form
@pytest.mark.parametrize("case", NO_MAPS.values(), ids=NO_MAPS)
def test_what_is_no_feature_map_is_refused(form, case):
    feature_map, error, message = case
    with pytest.raises(error, match=message):
        form(*draw(2), feature_map)


@each_form
def test_a_map_with_other_widths_for_q_and_k_is_refused(form):
    widths = iter([3, 5])
    message = r"as many features of q as of k: \(2, 17, 3\) and \(2, 17, 5\)"
    with pytest.raises(ValueError, match=message):
        form(*draw(2), lambda x: torch.ones(*x.shape[:-1], next(widths)))


def test_a_token_that_does_not_fit_the_cache_is_refused():
    cache = KVCache().update(torch.ones(2, 4), torch.ones(2, 3))
    for k, v, message in (
        (torch.ones(2, 5), torch.ones(2, 3), r"k must fit the tokens kept, \(2, 1, 4\): found \(2, 5\)"),
        (torch.ones(2, 4), torch.ones(2, 5), r"v must fit the tokens kept, \(2, 1, 3\): found \(2, 5\)"),
        (torch.ones(2, 4), torch.ones(3, 3), r"v must fit the tokens kept, \(2, 1, 3\): found \(3, 3\)"),
    ):
        with pytest.raises(ValueError, match=message):
            cache.update(k, v)
    assert cache.k.shape == (2, 1, 4)
    with pytest.raises(ValueError, match="leading axes"):
        KVCache().update(torch.ones(2, 4), torch.ones(3, 3))


def test_the_cache_says_what_is_no_token():
    cache = KVCache()
    with pytest.raises(TypeError, match="k must be a torch.Tensor, found list"):
        cache.update([1.0], torch.ones(1))
    with pytest.raises(ValueError, match=r"v must be one token, \(…, d\): found \(\)"):
        cache.update(torch.ones(1), torch.tensor(1.0))
    cache.update(torch.ones(2), torch.ones(3))
    with pytest.raises(TypeError, match="k must have the dtype of the cache: torch.float32, found torch.float64"):
        cache.update(torch.ones(2).double(), torch.ones(3).double())
    with pytest.raises(TypeError, match="q must have the dtype of the cache"):
        cache.read(torch.ones(2).double())
    assert cache.k.shape == (1, 2) and cache.v.shape == (1, 3)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16], ids=str)
def test_softmax_in_half_precision_is_as_exact_as_its_input(dtype):
    q, k, v = (4 * x for x in draw(2, n=50))
    half = [x.to(dtype) for x in (q, k, v)]
    exact = softmax_attention(*(x.double() for x in half))
    error = (softmax_attention(*half).double() - exact).abs().max() / exact.abs().max()
    assert error <= torch.finfo(dtype).eps / 2
    large = torch.full((3, 64), 200.0).to(dtype)  # q·k is larger than float16 can hold
    with torch.autocast("cpu", dtype):
        torch.testing.assert_close(softmax_attention(large, large, large), large)


def test_a_block_in_the_cache_is_not_read_as_if_it_were_tokens():
    cache = KVCache().update(torch.ones(2, 10, 4), torch.ones(2, 10, 3))  # ten heads, or so the cache must think
    assert cache.read(torch.ones(2, 10, 4)).shape == (2, 10, 3)
    with pytest.raises(ValueError, match=r"q must be one query, .* \(2, 10, 1, 4\): found \(2, 4\)"):
        cache.read(torch.ones(2, 4))


@each_form
def test_a_feature_map_that_changes_another_axis_is_refused(form):
    message = r"feature_map must keep every axis but the last: q has shape \(2, 17, 4\), .* \(2, 16, 4\)"
    with pytest.raises(ValueError, match=message):
        form(*draw(2), lambda x: x[..., 1:, :])


@pytest.mark.parametrize("chunk_size", [0, -1, 2.5, "64", True])
def test_bad_chunk_size_is_refused(chunk_size):
    with pytest.raises(ValueError, match="chunk_size must be a positive integer, found"):
        causal_linear_attention(*draw(2), chunk_size=chunk_size)


def test_causal_softmax_needs_as_many_keys_as_queries():
    q, k, v = draw(2)
    with pytest.raises(ValueError, match="at least as many keys as queries: found 16 and 17"):
        softmax_attention(q, k[:, 1:], v[:, 1:])
