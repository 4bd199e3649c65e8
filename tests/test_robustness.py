"""Each kind of fault that people have reported of linear-attention libraries, as a test with the right value.

The names in brackets are public reports: repository#issue.
"""

import shutil
import subprocess
import sys

import pytest
import torch
from reference import draw
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.utils.checkpoint import checkpoint

import linattn.benchmark
from linattn import (
    LinearAttentionState,
    all_pairs_linear_attention,
    causal_linear_attention,
    elu_plus_one,
    exponential,
    linear_attention,
    recurrent_linear_attention,
    taylor_2,
    trace,
)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16], ids=str)
def test_half_precision_gives_no_nan_however_large_the_sums(dtype):
    """[fast-transformers#32, #62, #11; performer-pytorch#44; xformers#96; linear-attention-transformer#6]"""
    q, k, v = draw(n=3000, dtype=dtype)
    k = k + 60  # φ(q)·Z passes 65504, the largest float16, after a few hundred tokens
    out = causal_linear_attention(q, k, v)
    expected = all_pairs_linear_attention(*(x.double() for x in (q, k, v)))
    assert elu_plus_one(k).double().sum() > 65504 and out.isfinite().all()
    torch.testing.assert_close(out.double(), expected, rtol=torch.finfo(dtype).eps, atol=1e-3)


def test_bfloat16_far_below_zero_keeps_weights_and_gradients():
    """[flash-linear-attention#1261]: elu(x) + 1 rounds to 0 there; e^x does not."""
    q, k, v = (x.bfloat16().requires_grad_() for x in draw(n=50))
    out = causal_linear_attention(q, k - 12, v, eps=0)
    torch.testing.assert_close(
        out.double(), all_pairs_linear_attention(q.double(), (k - 12).double(), v.double(), eps=0), rtol=1e-2, atol=1e-2
    )
    for x in torch.autograd.grad(out.sum(), (q, k, v)):
        assert x.isfinite().all() and x.abs().max() < 100


def test_the_normaliser_is_there_the_right_way_up_and_over_the_keys():
    """[performer-pytorch#40; flash-linear-attention#594, #850]: by hand, φ(x) = x + 1 for these x."""
    q = k = torch.tensor([[0.0, 1.0], [1.0, 0.0]])
    v = torch.tensor([[1.0], [4.0]])
    # φ(q_1) = (2, 1), φ(k) = (1, 2), (2, 1): weights 4 and 5, so out_1 = (4·1 + 5·4)/9
    torch.testing.assert_close(causal_linear_attention(q, k, v, eps=0), torch.tensor([[1.0], [24 / 9]]))
    torch.testing.assert_close(linear_attention(q, k, v, eps=0)[1], torch.tensor([24 / 9]))


def test_the_normaliser_is_kept_for_decoding():
    """[flash-linear-attention#268]"""
    q, k, v = draw(n=9)
    _, state = causal_linear_attention(q, k, v, return_state=True)
    torch.testing.assert_close(state.Z, elu_plus_one(k).sum(0))
    torch.testing.assert_close(state.read(q[8]), causal_linear_attention(q, k, v)[8])


@pytest.mark.parametrize("split", [1, 63, 64, 65, 199])
def test_prefill_and_decode_equal_the_whole_pass(split):
    """[flash-linear-attention#285, #494, #351; transformers#46190]"""
    q, k, v = draw(2, n=200)
    whole = causal_linear_attention(q, k, v)
    first, state = causal_linear_attention(q[:, :split], k[:, :split], v[:, :split], return_state=True)
    rest = causal_linear_attention(q[:, split:], k[:, split:], v[:, split:], initial_state=state)
    torch.testing.assert_close(torch.cat([first, rest], 1), whole)


def test_no_state_leaks_between_calls_or_between_sequences():
    """[NeMo Automodel#2147]: a packed sample starts from zero; a batch is as if each sequence were alone."""
    q, k, v = draw(3, n=100)
    alone = torch.stack([causal_linear_attention(q[b], k[b], v[b]) for b in range(3)])
    torch.testing.assert_close(causal_linear_attention(q, k, v), alone)
    torch.testing.assert_close(causal_linear_attention(q[1], k[1], v[1]), alone[1], rtol=0, atol=0)


def test_a_detached_state_lets_go_of_earlier_segments():
    """[Infini-Attention#3]: memory held by the history of a state carried on."""
    state = LinearAttentionState.zeros(4, 3, dtype=torch.float64)
    for _ in range(3):
        q, k, v = draw(n=70, grad=True)
        out, state = causal_linear_attention(q, k, v, initial_state=state.detach(), return_state=True)
    out.sum().backward()
    assert state.detach().S.grad_fn is None and q.grad is not None


@pytest.mark.parametrize("n", [1, 5, 31, 33, 64, 95, 97, 191, 193])
def test_no_length_crashes_leaves_rows_unset_or_drops_gradients(n):
    """[flash-linear-attention#98, #1142, #122; lightning-attention#28; linear-attention-transformer#4]"""
    q, k, v = draw(2, n=n, grad=True)
    out, expected = causal_linear_attention(q, k, v), all_pairs_linear_attention(q, k, v)
    torch.testing.assert_close(out, expected)
    found = torch.autograd.grad(out.square().sum(), (q, k, v))
    torch.testing.assert_close(found, torch.autograd.grad(expected.square().sum(), (q, k, v)))


def test_empty_sequences_give_no_nan():
    """[flash-linear-attention#103]"""
    q, k, v = draw(2, n=0)
    out, state = causal_linear_attention(q, k, v, return_state=True)
    assert out.shape == (2, 0, 3) and not state.S.any()
    q, _, _ = draw(2, n=4)
    assert not linear_attention(q, k, v).any()  # queries without any key


def test_inputs_and_gradients_need_not_be_contiguous():
    """[flash-linear-attention#759, #871, #1138]: transposed heads; y.sum().backward(), whose gradient is expanded."""
    q, k, v = (x.transpose(1, 2).contiguous().transpose(1, 2).requires_grad_() for x in draw(2, 3, n=100))
    assert not q.is_contiguous()
    out = causal_linear_attention(q, k, v)
    torch.testing.assert_close(out, all_pairs_linear_attention(q, k, v))
    expected = torch.autograd.grad(all_pairs_linear_attention(q, k, v).sum(), (q, k, v))
    torch.testing.assert_close(torch.autograd.grad(out.sum(), (q, k, v)), expected)
    strided = draw(2, 3, n=200, seed=4)[2][..., ::2, :]
    expected = torch.autograd.grad(all_pairs_linear_attention(q, k, v), (q, k, v), strided)
    torch.testing.assert_close(torch.autograd.grad(causal_linear_attention(q, k, v), (q, k, v), strided), expected)


def test_axes_are_lead_then_tokens_then_features():
    """[transformers#40963]: heads are independent, tokens are not."""
    q, k, v = draw(5, n=4)
    one_head = causal_linear_attention(q, k, v)
    k[2] += 1
    changed = (causal_linear_attention(q, k, v) != one_head).flatten(1).any(1)
    assert changed.tolist() == [False, False, True, False, False]


@pytest.mark.parametrize("form", [causal_linear_attention, all_pairs_linear_attention, recurrent_linear_attention])
def test_grouped_queries_share_a_key_value_head(form):
    """[flash-linear-attention#1029]: by broadcasting; heads that do not divide are refused."""
    q, k, v = draw(2, 3, 4, n=90)
    k, v = k[:, :, :1].requires_grad_(), v[:, :, :1].requires_grad_()
    repeated = [x.expand(2, 3, 4, *x.shape[-2:]).contiguous() for x in (k, v)]
    out, expected = form(q, k, v), all_pairs_linear_attention(q, *repeated)
    torch.testing.assert_close(out, expected)
    found = torch.autograd.grad(out.square().sum(), (k, v))
    torch.testing.assert_close(found, torch.autograd.grad(expected.square().sum(), (k, v)))


@pytest.mark.parametrize(
    "shapes", [((4, 2), (2,)), ((2, 3), (2, 1)), ((2, 3), (1, 3)), ((2, 3), (1, 1)), ((3,), (2, 3))]
)
def test_any_broadcasting_of_leading_axes(shapes):
    q, k, v = draw(*shapes[0], n=70)[0], *draw(*shapes[1], n=70, seed=1)[1:]
    out, state = causal_linear_attention(q, k, v, return_state=True)
    torch.testing.assert_close(out, all_pairs_linear_attention(q, k, v))
    torch.testing.assert_close(state.read(q.expand(*out.shape[:-1], 4)[..., -1, :]), out[..., -1, :])


@pytest.mark.parametrize("t", [1, 30, 63, 64, 65, 99])
def test_causality_settled_by_gradients(t):
    """[fast-transformers#111; linear-attention-transformer#16]: out_t has gradient exactly 0 for later tokens."""
    q, k, v = draw(n=100, grad=True)
    for x in torch.autograd.grad(causal_linear_attention(q, k, v)[t].sum(), (q, k, v)):
        assert not x[t + 1 :].any() and x[: t + 1].any()


def test_a_mask_does_something_and_left_padding_does_not_enter_the_state():
    """[fast-transformers#105; mamba#66; transformers#46773]"""
    q, k, v = draw(2, n=100)
    mask = torch.arange(100).expand(2, 100) >= torch.tensor([[0], [30]])
    out, state = causal_linear_attention(q, k, v, key_mask=mask, return_state=True)
    alone, alone_state = causal_linear_attention(q[1, 30:], k[1, 30:], v[1, 30:], return_state=True)
    torch.testing.assert_close(out[1, 30:], alone)
    torch.testing.assert_close(state.S[1], alone_state.S)
    torch.testing.assert_close(state.Z[1], alone_state.Z)
    torch.testing.assert_close(out[0], causal_linear_attention(q[0], k[0], v[0]))


def test_queries_and_keys_of_different_length():
    """[performer-pytorch#68; cosFormer#4]: right without causality, refused with it."""
    q, k, v = draw(2, n=9)
    out = linear_attention(q[:, :4], k, v)
    torch.testing.assert_close(out, linear_attention(q, k, v)[:, :4])
    with pytest.raises(ValueError, match="k must have as many tokens as q"):
        causal_linear_attention(q[:, :4], k, v)


@pytest.mark.filterwarnings("ignore:.*should not be instantiated:DeprecationWarning")  # by torch.compile itself
@pytest.mark.parametrize("backend", ["eager", "aot_eager"])
def test_torch_compile_gives_the_same_in_one_graph(backend):
    """[flash-linear-attention#52]"""
    torch._dynamo.reset()

    def block(q, k, v):
        out, state = causal_linear_attention(q * 2, k, v, return_state=True)
        return out + 1, state.S, state.Z

    compiled = torch.compile(block, backend=backend, fullgraph=True)
    for grad in (False, True):  # no input wants a gradient, although none is forbidden; then all do
        qkv = draw(2, n=150, dtype=torch.float32, grad=grad)
        expected, found = block(*qkv), compiled(*qkv)
        torch.testing.assert_close(found, expected)
    expected, found = (torch.autograd.grad(sum(x.square().sum() for x in y), qkv) for y in (expected, found))
    torch.testing.assert_close(found, expected)


@pytest.mark.filterwarnings("ignore:.*should not be instantiated:DeprecationWarning")  # by torch.compile itself
@pytest.mark.filterwarnings("ignore:The .grad attribute of a Tensor:UserWarning")  # likewise
@pytest.mark.parametrize("transform", [torch.func.grad, torch.func.vmap, lambda f: torch.func.vmap(torch.func.grad(f))])
def test_torch_compile_around_torch_func(transform):
    """Autograd through a compiled vmap alone is beyond torch, which says so."""
    torch._dynamo.reset()
    x = draw(2, n=70, dtype=torch.float32, grad=transform is not torch.func.vmap)[0]
    function = transform(lambda q: causal_linear_attention(q, q, q).sum())
    expected, found = function(x), torch.compile(function, backend="eager")(x)
    torch.testing.assert_close(found, expected)
    if x.requires_grad:
        expected, found = (torch.autograd.grad(y.square().sum(), x)[0] for y in (expected, found))
        torch.testing.assert_close(found, expected)


@pytest.mark.filterwarnings("ignore:.*should not be instantiated:DeprecationWarning")  # by torch.compile itself
@pytest.mark.parametrize("dynamic", [None, True])
def test_one_compiled_function_takes_any_length(dynamic):
    torch._dynamo.reset()
    compiled = torch.compile(causal_linear_attention, backend="aot_eager", dynamic=dynamic, fullgraph=True)
    for n in (150, 90, 64, 1, 33):
        qkv = draw(2, n=n, grad=True)
        found, expected = compiled(*qkv), causal_linear_attention(*qkv)
        torch.testing.assert_close(found, expected)
        found, expected = (torch.autograd.grad(x.square().sum(), qkv) for x in (found, expected))
        torch.testing.assert_close(found, expected)


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # torch.compile's own
@pytest.mark.skipif(not shutil.which("g++"), reason="torch.compile's default backend needs a C++ compiler")
def test_compiled_with_queries_that_share_heads_over_two_axes_in_two_layouts():
    torch._dynamo.reset()
    compiled = torch.compile(lambda q, k, v: causal_linear_attention(q * 2, k, v), fullgraph=True)
    for n, turned in ((70, False), (70, True), (33, False), (33, True), (50, True)):
        qkv = draw(2, n=n)[0], draw(3, 1, n=n)[1], draw(1, n=n)[2]
        qkv = [(x.mT.contiguous().mT if turned else x).detach().requires_grad_() for x in qkv]
        found, expected = compiled(*qkv), causal_linear_attention(qkv[0] * 2, *qkv[1:])
        torch.testing.assert_close(found, expected)
        found, expected = (torch.autograd.grad(x.square().sum(), qkv) for x in (found, expected))
        torch.testing.assert_close(found, expected)


class Block(torch.nn.Module):
    def forward(self, q, k, v):
        return causal_linear_attention(q, k, v)


@pytest.mark.parametrize("grad", [False, True])
def test_torch_export_with_a_length_that_may_change(grad):
    shapes = {name: {1: torch.export.Dim("n")} for name in ("q", "k", "v")}
    exported = torch.export.export(Block(), tuple(draw(2, n=100, grad=grad)), dynamic_shapes=shapes).module()
    longer = draw(2, n=260, seed=5)
    torch.testing.assert_close(exported(*longer), causal_linear_attention(*longer))


@pytest.mark.parametrize("axis", [0, 1], ids=["batch", "heads"])
@pytest.mark.parametrize("grad", [False, True], ids=["inference", "training"])
def test_torch_export_with_leading_axes_that_may_change(axis, grad):
    shapes = {name: {axis: torch.export.Dim("leading")} for name in ("q", "k", "v")}
    exported = torch.export.export(Block(), tuple(draw(2, 3, n=70, grad=grad)), dynamic_shapes=shapes).module()
    for more in ((5, 3), (80, 3)) if axis == 0 else ((2, 7), (2, 150)):
        qkv = draw(*more, n=70, seed=5)
        torch.testing.assert_close(exported(*qkv), causal_linear_attention(*qkv))


@pytest.mark.parametrize("reentrant", [False, True])
def test_gradient_checkpointing(reentrant):
    q, k, v = draw(2, n=100, grad=True)
    expected = torch.autograd.grad(causal_linear_attention(q, k, v).square().sum(), (q, k, v))
    out = checkpoint(causal_linear_attention, q, k, v, use_reentrant=reentrant)
    out.square().sum().backward()
    for x, grad in zip((q, k, v), expected, strict=True):
        torch.testing.assert_close(x.grad, grad)


FORMS = [linear_attention, all_pairs_linear_attention, recurrent_linear_attention, causal_linear_attention]


@pytest.mark.parametrize("form", FORMS)
def test_shapes_can_be_worked_out_without_any_numbers(form):
    """On the meta device and with torch's fake tensors, as tools do that plan memory."""
    q, k, v = draw(2, n=20)
    assert form(*(x.to("meta") for x in (q, k, v))).shape == v.shape
    with FakeTensorMode():
        fakes = [torch.empty(x.shape) for x in (q, k, v)]
        assert form(*fakes).shape == v.shape


@pytest.mark.parametrize("form", FORMS)
def test_values_of_width_0(form):
    q, k, v = draw(2, n=20)
    assert form(q, k, v[..., :0]).shape == (2, 20, 0)


def test_an_import_under_another_default_device_changes_nothing():
    script = """if True:
        import torch
        with torch.device("meta"):
            import linattn
        x = torch.ones(2, 5, 4)
        print(linattn.linear_attention(x, x, x)[0, 0, 0].item())"""
    out = subprocess.check_output([sys.executable, "-c", script], text=True)
    assert abs(float(out) - 1) < 1e-6


@pytest.mark.parametrize("masked", [False, True])
def test_the_operators_keep_the_promises_of_custom_operators(masked):
    q, k, v = draw(2, n=20)
    q, S1 = q.unsqueeze(1), torch.zeros(2, 4, 4, dtype=torch.float64)
    mask = torch.arange(20).expand(2, 20) > 2 if masked else None
    tests, plan = ("test_schema", "test_faketensor"), (8, 2, "elu_plus_one")
    torch.library.opcheck(torch.ops.linattn.chunkwise.default, (q, k, v, S1, mask, 1e-6, *plan, True), test_utils=tests)
    out, _, *kept = torch.ops.linattn.chunkwise.default(q, k, v, S1, mask, 1e-6, *plan, True)
    given = torch.ones_like(out), S1, q, k, v, S1, mask, out, *kept, *plan
    torch.library.opcheck(torch.ops.linattn.chunkwise_backward.default, given, test_utils=tests)


def test_two_threads_give_what_one_gives():
    qkv = draw(3, n=700, d_k=16, d_v=16, dtype=torch.float32, grad=True)
    before, results = torch.get_num_threads(), []
    for threads in (1, 2):
        torch.set_num_threads(threads)
        out = causal_linear_attention(*qkv)
        results.append([out, *torch.autograd.grad(out.square().sum(), qkv)])
    torch.set_num_threads(before)
    torch.testing.assert_close(*results, rtol=1e-5, atol=1e-5)


def test_torch_func_transforms():
    q, k, v = draw(3, n=70)

    def loss(q, k, v):
        return causal_linear_attention(q, k, v).square().sum()

    torch.testing.assert_close(torch.func.vmap(causal_linear_attention)(q, k, v), causal_linear_attention(q, k, v))
    shared = torch.func.vmap(causal_linear_attention, in_dims=(0, None, None))(q, k[0], v[0])
    torch.testing.assert_close(shared, causal_linear_attention(q, k[:1], v[:1]))
    inputs = [x.clone().requires_grad_() for x in (q, k, v)]
    expected = torch.autograd.grad(loss(*inputs), inputs)
    torch.testing.assert_close(torch.func.grad(loss, (0, 1, 2))(q, k, v), expected)
    per_sample = torch.func.vmap(torch.func.grad(loss, (0, 1, 2)))(q, k, v)
    torch.testing.assert_close(per_sample, expected)

    def batched(q, k, v):
        return torch.func.vmap(causal_linear_attention)(q, k, v).square().sum()

    torch.testing.assert_close(torch.func.grad(batched, (0, 1, 2))(q, k, v), expected)
    torch.testing.assert_close(torch.autograd.grad(batched(*inputs), inputs), expected)
    rows = torch.func.jacrev(lambda x: causal_linear_attention(x, k[0], v[0])[-1])(q[0])
    torch.testing.assert_close(
        rows[:, -1],
        torch.stack(
            [torch.func.grad(lambda x, j=j: causal_linear_attention(x, k[0], v[0])[-1, j])(q[0])[-1] for j in range(3)]
        ),
    )


@pytest.mark.parametrize("feature_map", [elu_plus_one, exponential, taylor_2])
@pytest.mark.parametrize("form", [causal_linear_attention, all_pairs_linear_attention, recurrent_linear_attention])
def test_what_stands_in_a_masked_token_reaches_no_gradient(form, feature_map):
    q, k, v = draw(2, n=9)
    key_mask = torch.ones(2, 9, dtype=torch.bool)
    key_mask[:, 3] = False
    expected, found = [], []
    for gradients, fill in ((expected, 0.0), (found, torch.nan)):
        inputs = [x.masked_fill(~key_mask.unsqueeze(-1), fill).requires_grad_() for x in (k, v)]
        gradients += torch.autograd.grad(form(q, *inputs, feature_map, key_mask=key_mask).square().sum(), inputs)
    torch.testing.assert_close(found, expected)


def test_a_map_that_is_falsy_is_a_map_all_the_same():
    q, k, v = (x.exp() for x in draw(n=5))
    for form in (causal_linear_attention, linear_attention, all_pairs_linear_attention):
        torch.testing.assert_close(form(q, k, v, torch.nn.Sequential()), form(q, k, v, lambda x: x))


@pytest.mark.parametrize("form", [causal_linear_attention, recurrent_linear_attention])
def test_an_eps_that_rounds_to_0_is_0(form):
    q, k, v = draw(n=5, dtype=torch.float32)
    nothing = torch.zeros(5, dtype=torch.bool)
    assert not form(q, k, v, eps=1e-50, key_mask=nothing).any()


@pytest.mark.filterwarnings("ignore:.torch.jit.script. is deprecated:DeprecationWarning")  # torch's own
def test_forward_mode_is_refused_clearly():
    q, k, v = draw(n=5)
    with pytest.raises((NotImplementedError, RuntimeError), match="jvp|forward"):
        torch.func.jvp(lambda x: causal_linear_attention(x, k, v), (q,), (q,))


@pytest.mark.parametrize(
    "form", [causal_linear_attention, all_pairs_linear_attention, recurrent_linear_attention, linear_attention]
)
def test_autocast_leaves_the_sums_in_float32(form):
    qkv = draw(2, n=300, dtype=torch.float32, grad=True)
    weight = draw(2, n=300, dtype=torch.float32, seed=2)[2]
    expected = torch.autograd.grad((form(*qkv) * weight).sum(), qkv)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        out = form(*qkv)
        state = LinearAttentionState.zeros(4, 3, batch_shape=(2,)).update(*(x.detach() for x in qkv[1:]))
        last = state.read(qkv[0].detach())
    torch.testing.assert_close(out, form(*qkv), rtol=1e-6, atol=1e-6)
    torch.testing.assert_close(last, linear_attention(*qkv).detach(), rtol=1e-5, atol=1e-6)
    torch.testing.assert_close(torch.autograd.grad((out * weight).sum(), qkv), expected, rtol=1e-4, atol=1e-5)


def test_inference_mode_and_no_grad():
    qkv = draw(2, n=70, grad=True)
    expected = causal_linear_attention(*qkv).detach()
    for context in (torch.no_grad(), torch.inference_mode()):
        with context:
            torch.testing.assert_close(causal_linear_attention(*qkv), expected)


def test_the_inputs_are_never_written_to():
    qkv = draw(2, n=150, grad=True)
    copies = [x.detach().clone() for x in qkv]
    mask = torch.rand(2, 150, generator=torch.Generator().manual_seed(0)) < 0.5
    causal_linear_attention(*qkv, key_mask=mask).sum().backward()
    for x, copy in zip(qkv, copies, strict=True):
        torch.testing.assert_close(x.detach(), copy, rtol=0, atol=0)


@pytest.mark.parametrize(
    ("n", "heads", "threads", "backward", "limit"),
    [
        (16384, 8, 1, False, 1.05), (16384, 8, 16, False, 1.05), (16384, 8, 1, True, 4.8), (16384, 8, 16, True, 4.8),
        (4096, 64, 1, True, 5.4),  # no room for two chunks in a step: with chunks of 32 the states would be two inputs
    ],
)  # fmt: skip
def test_peak_memory_in_units_of_one_input(n, heads, threads, backward, limit):
    """Forward: the output and scratch. Training: output, three gradients, and the saved states. Never (n, n)."""
    if sys.platform == "win32":
        pytest.skip("no peak memory is told there")
    before = torch.get_num_threads()
    torch.set_num_threads(threads)
    try:
        multiples = linattn.benchmark.memory(n, heads=heads, backward=backward, names=["linattn"])["multiple"]
    finally:
        torch.set_num_threads(before)
    assert 0.5 < multiples["linattn"] <= limit


def test_shared_heads_are_not_copied():
    """Copied for 16 queries each, k and v would take as much memory again as q, twice."""
    script = """if True:
        import torch
        from linattn import causal_linear_attention
        from linattn.benchmark import peak_memory
        for n in (64, 16384):
            q, k, v = torch.randn(16, n, 64), torch.randn(1, n, 64), torch.randn(1, n, 64)
            before = peak_memory()
            causal_linear_attention(q, k, v)
        print((peak_memory() - before) / (q.numel() * 4))"""
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert 0.5 < float(run.stdout) < 1.2


def test_our_own_maps_never_store_the_features_of_a_whole_sequence(monkeypatch):
    longest = 0
    original = linattn.feature_maps.BUILT_IN["taylor_2"]

    def watched(x):
        nonlocal longest
        longest = max(longest, x.shape[-2])
        return original(x)

    watched.__name__ = "taylor_2"
    monkeypatch.setitem(linattn.feature_maps.BUILT_IN, "taylor_2", watched)
    q, k, v = draw(2, n=500)
    torch.testing.assert_close(causal_linear_attention(q, k, v, watched), all_pairs_linear_attention(q, k, v, original))
    assert 0 < longest <= 64


def test_trace_and_streaming_agree_with_the_fast_path_for_a_map_that_goes_negative():
    q, k, v = draw(2, n=100)
    fast = causal_linear_attention(q, k, v, linattn.identity_shifted)
    torch.testing.assert_close(fast, trace(q, k, v, linattn.identity_shifted).out, rtol=1e-6, atol=1e-6)
