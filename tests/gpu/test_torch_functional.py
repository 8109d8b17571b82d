"""Functions that have no module of PyTorch's, against PyTorch in float64."""

from __future__ import annotations

from functools import partial
from typing import Any

import pytest

from tests.activations import WORDS

TOLERANCES = {"float64": 1e-10, "float32": 2e-5, "float16": 8e-3, "bfloat16": 5e-2}


pytestmark = pytest.mark.usefixtures("exact")


@pytest.fixture(autouse=True)
def fresh_memory(torch: Any) -> None:
    """Memory that PyTorch hands out has no number in it, and float32 is exact."""
    torch.manual_seed(7)
    poison(torch)


def poison(torch: Any) -> None:
    """Fill memory with NaN, and give it back to PyTorch's allocator."""
    kept = [
        torch.full((1 << n,), float("nan"), device="cuda") for n in range(6, 22) for _ in range(8)
    ]
    del kept


def error(one: Any, other: Any) -> float:
    assert one.shape == other.shape
    assert not one.isnan().any()
    one, other = one.detach().double().cpu(), other.detach().double().cpu()
    return float((one - other).norm() / other.norm().clamp(min=1e-3))


def compare(
    torch: Any, ours: Any, theirs: Any, given: list[Any], dtype: str, factor: float = 1.0
) -> Any:
    """Compare results and all gradients, and return our result."""
    kind = getattr(torch, dtype)
    inputs = [each.to(kind) for each in given]
    one = [torch.empty_like(each, device="cuda").copy_(each).requires_grad_() for each in inputs]
    other = [each.double().requires_grad_() for each in inputs]
    y, wanted = ours(*one), theirs(*other)
    limit = TOLERANCES[dtype] * factor
    assert error(y, wanted) < limit
    weights = torch.randn(wanted.shape).to(kind)
    poison(torch)
    got = torch.autograd.grad((y * weights.cuda()).sum(), one)
    exact = torch.autograd.grad((wanted * weights.double()).sum(), other)
    for place, (a, b) in enumerate(zip(got, exact, strict=True)):
        assert a.dtype == kind
        assert error(a, b) < 3 * limit, place
    return y


@pytest.mark.parametrize("dtype", ["float64", "float32", "float16", "bfloat16"])
@pytest.mark.parametrize("last", [False, True], ids=["first", "last"])
@pytest.mark.parametrize("adds", [False, True])
@pytest.mark.parametrize("channels", [8, 6])
def test_batch_norm_activation(
    torch: Any, dtype: str, last: bool, adds: bool, channels: int
) -> None:
    """The module, forward and backward, and its running statistics; then eval mode."""
    from cudnn_cffi import ops
    from cudnn_cffi.torch import modules

    kind = getattr(torch, dtype)
    wide = kind if dtype == "float64" else torch.float32
    ours = modules.BatchNormActivation2d(channels, momentum=0.3)
    for each in ours.parameters():
        torch.nn.init.uniform_(each, 0.5, 1.5)
    theirs = torch.nn.BatchNorm2d(channels, momentum=0.3).double()
    theirs.load_state_dict(ours.state_dict())
    ours = ours.to("cuda", wide)
    given = [torch.randn(6, channels, 5, 7).to(kind) for _ in range(1 + adds)]
    if last:
        given = [each.to(memory_format=torch.channels_last) for each in given]
    limit = 3 * TOLERANCES[dtype]
    for training in (True, False):
        ours.train(training)
        theirs.train(training)
        one = [torch.empty_like(each, device="cuda").copy_(each).requires_grad_() for each in given]
        other = [each.double().requires_grad_() for each in given]
        poison(torch)
        with ops.record() as log:
            y = ours(*one)
        inner = theirs(other[0]) + (other[1] if adds else 0)
        assert error(y, inner.relu()) < limit
        assert y.is_contiguous(memory_format=torch.channels_last) == last
        if training:
            assert [each.operation for each in log] == ["batch_norm_activation"]
            assert not ours.refused
        # Where rounding moved an element across zero, the reference follows what was computed.
        weights = torch.randn(y.shape).to(kind)
        poison(torch)
        got = torch.autograd.grad((y * weights.cuda()).sum(), [*one, *ours.parameters()])
        exact = torch.autograd.grad(
            (inner * (y.detach().cpu() > 0) * weights.double()).sum(),
            [*other, *theirs.parameters()],
        )
        for place, (a, b) in enumerate(zip(got, exact, strict=True)):
            assert error(a, b) < 5 * limit, place
        for a, b in zip(ours.buffers(), theirs.buffers(), strict=True):
            assert error(a, b) < max(limit, 1e-4)


@pytest.mark.parametrize("dtype", ["float32", "float16", "bfloat16"])
def test_a_residual_without_a_gradient(torch: Any, dtype: str) -> None:
    """Fused or not, the other gradients are the same."""
    from cudnn_cffi.torch import modules

    kind = getattr(torch, dtype)
    for channels in (8, 6):
        norm, plain = (
            m(channels).cuda() for m in (modules.BatchNormActivation2d, torch.nn.BatchNorm2d)
        )
        x, z, dy = (torch.randn(4, channels, 9, 9, device="cuda", dtype=kind).to(
            memory_format=torch.channels_last) for _ in range(3))  # fmt: skip
        x.requires_grad_()
        y = norm(x, z)
        (one,) = torch.autograd.grad(y, x, dy)
        inner = plain.double()(x.double()) + z.double()
        (other,) = torch.autograd.grad(inner, x, dy.double() * (y > 0))
        assert error(one, other) < 5 * TOLERANCES[dtype]
        assert not norm.refused


@pytest.mark.parametrize("adds", [False, True])
def test_a_network_with_fused_norms_trains_as_without(torch: Any, adds: bool) -> None:
    """The same losses, in float16 with channels last, where one kernel computes each norm."""
    from cudnn_cffi.torch import convert, modules

    nn = torch.nn

    class Net(nn.Module):  # type: ignore[name-defined,misc]
        def __init__(self, fused: bool) -> None:
            super().__init__()
            self.fused = fused
            self.first, self.second = (nn.Conv2d(16, 16, 3, padding=1, bias=False) for _ in "ab")
            made = modules.BatchNormActivation2d if fused else nn.BatchNorm2d
            self.norm, self.other = made(16), made(16)
            self.last = nn.Linear(16, 4)

        def forward(self, x: Any) -> Any:
            if self.fused:
                y = self.norm(self.first(x))
                y = self.other(self.second(y), x) if adds else self.other(self.second(y))
            else:
                y = torch.relu(self.norm(self.first(x)))
                y = self.other(self.second(y))
                y = torch.relu(y + x if adds else y)
            return self.last(y.mean((2, 3)))

    torch.manual_seed(3)
    plain = Net(False)
    x = torch.randn(16, 16, 12, 12, device="cuda", dtype=torch.float16)
    x = x.to(memory_format=torch.channels_last)
    labels = torch.randint(0, 4, (16,), device="cuda")
    losses = []
    for fused in (False, True):
        net = Net(fused)
        net.load_state_dict(plain.state_dict())
        net = net.cuda().to(memory_format=torch.channels_last)
        if fused:
            convert(net)
        optimizer = torch.optim.SGD(net.parameters(), 0.1)
        row = []
        for _ in range(15):
            with torch.autocast("cuda", torch.float16):
                loss = nn.functional.cross_entropy(net(x), labels)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            row.append(float(loss))
        losses.append(row)
    assert losses[0][-1] < 0.95 * losses[0][0]
    for one, other in zip(*losses, strict=True):
        assert abs(one - other) < 2e-2 * losses[0][0], losses


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32"])
@pytest.mark.parametrize("causal", [False, True])
def test_attention_as_a_module(torch: Any, dtype: str, causal: bool) -> None:
    """By cuDNN in half precision; with dropout, results change from call to call in training."""
    from cudnn_cffi.torch import modules

    module = modules.ScaledDotProductAttention(0.0, causal)
    theirs = torch.nn.functional.scaled_dot_product_attention
    shape = (2, 4, 64, 64)
    compare(torch, module, lambda q, k, v: theirs(q, k, v, is_causal=causal),
            [torch.randn(shape) for _ in range(3)], dtype, 2.0)  # fmt: skip
    if dtype != "float32":
        assert not module.refused
        q = torch.randn(shape, device="cuda", dtype=getattr(torch, dtype))
        drops = modules.ScaledDotProductAttention(0.5, causal)
        assert not torch.equal(drops(q, q, q), drops(q, q, q))
        drops.eval()
        assert torch.equal(drops(q, q, q), module(q, q, q))


def placed(torch: Any, x: Any, how: str) -> Any:
    """Return a copy whose rows, examples or first element are not at multiples of 16 bytes."""
    shape = list(x.shape)
    apart = {"rows": -1, "examples": 0}.get(how)
    if apart is not None:
        shape[apart] += 3
    room = torch.full((x[0].numel() * x.shape[0] * 2,), float("nan"), device="cuda", dtype=x.dtype)
    strides = list(room[: x.numel()].view(x.shape).stride())
    if how == "rows":
        strides = list(room.new_empty(shape).stride())
    if how == "examples":
        strides[0] += 3
    return room.as_strided(x.shape, strides, 1 if how == "address" else 0).copy_(x)


@pytest.mark.parametrize("how", ["rows", "examples", "address"])
@pytest.mark.parametrize("adds", [False, True])
def test_attention_of_rows_that_begin_anywhere(torch: Any, how: str, adds: bool) -> None:
    """Engines take NaN from between rows, and then end the context."""
    from cudnn_cffi.torch import functional

    shapes = {"q": (4, 4, 3, 8), "k": (4, 4, 6, 8), "v": (4, 4, 6, 8), "do": (4, 4, 3, 8)}
    shapes |= {"mask": (4, 4, 3, 6)} if adds else {}
    base = {name: torch.randn(s, device="cuda").half() for name, s in shapes.items()}
    exact = {name: each.double().requires_grad_(name != "do") for name, each in base.items()}
    for odd in base:
        given = base | {odd: placed(torch, base[odd], how)}
        found = []
        for function, arrays in (
            (functional.scaled_dot_product_attention, given),
            (torch.nn.functional.scaled_dot_product_attention, exact),
        ):
            inputs = [
                each.detach().requires_grad_() for name, each in arrays.items() if name != "do"
            ]
            o = function(*inputs)
            found.append([o, *torch.autograd.grad(o, inputs, arrays["do"])])
        torch.cuda.synchronize()
        for one, other in zip(*found, strict=True):
            assert error(one, other) < 5e-3, odd


@pytest.mark.parametrize("shape", [(4, 1, 1, 6), (4, 4, 1, 1), (4, 1, 1, 1), (3, 1), (1, 6)])
@pytest.mark.parametrize("learns", [False, True])
def test_masks_of_attention_that_are_repeated(torch: Any, shape: Any, learns: bool) -> None:
    """No engine has their gradients, nor the results of a mask of one element for each example."""
    from cudnn_cffi.torch import functional

    base = [torch.randn(s).half() for s in ((4, 4, 3, 8), (4, 4, 6, 8), (4, 4, 6, 8), shape)]
    do = torch.randn(4, 4, 3, 8).half()
    found = []
    for function, kind in (
        (functional.scaled_dot_product_attention, torch.float16),
        (torch.nn.functional.scaled_dot_product_attention, torch.float64),
    ):
        inputs = [each.to("cuda", kind).requires_grad_() for each in base]
        if not learns:
            inputs[3].requires_grad_(False)
        o = function(*inputs)
        wanted = [each for each in inputs if each.requires_grad]
        found.append([o, *torch.autograd.grad(o, wanted, do.to("cuda", kind))])
    for one, other in zip(
        *found, strict=True
    ):  # the gradient of some masks is zero, but for rounding
        size = max(float(other.norm()), other.numel() ** 0.5)
        assert float((one.double() - other).norm()) < 5e-3 * size


@pytest.mark.parametrize("scale", [0.0, -0.4])
def test_scales_of_attention(torch: Any, scale: float) -> None:
    """Engines compute scales above zero; others write NaN."""
    from cudnn_cffi.torch import functional

    ours, theirs = (
        partial(module.scaled_dot_product_attention, scale=scale)
        for module in (functional, torch.nn.functional)
    )
    compare(torch, ours, theirs, [torch.randn(2, 4, 64, 64) for _ in range(3)], "float16")


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
@pytest.mark.parametrize("adds", [False, True])
def test_queries_that_see_no_key(torch: Any, dtype: str, adds: bool) -> None:
    """Their results and gradients are zeros, and others do not notice them."""
    from cudnn_cffi.torch import functional

    kind = getattr(torch, dtype)
    q, k, v = (torch.randn(2, 4, 64, 64, device="cuda", dtype=kind) for _ in range(3))
    for each in (q, k, v):
        each.requires_grad_()
    sees = torch.rand(2, 4, 64, 64, device="cuda") > 0.3
    sees[0, :, 5] = sees[1] = False
    mask = sees
    if adds:
        mask = torch.zeros(sees.shape, device="cuda", dtype=kind).masked_fill(~sees, float("-inf"))
    o = functional.scaled_dot_product_attention(q, k, v, mask)
    found = torch.autograd.grad(o, (q, k, v), torch.ones_like(o))
    assert (o[0, :, 5] == 0).all()
    assert (found[0][0, :, 5] == 0).all()
    for each in (o, *found):
        assert (each[1] == 0).all()
        assert each.isfinite().all()
        assert (each[0] != 0).any()


@pytest.mark.parametrize("word", [word for word in WORDS if word != "gelu_tanh"])
@pytest.mark.parametrize("dtype", ["float32", "float16", "bfloat16"])
def test_activations_and_second_derivatives(torch: Any, word: str, dtype: str) -> None:
    from cudnn_cffi.torch import functional

    theirs: Any = {
        "clipped_relu": lambda x: x.clamp(0.0, 6.0), "relu": torch.relu,
        "swish": torch.nn.functional.silu,
    }.get(word, getattr(torch.nn.functional, word, None))  # fmt: skip
    function = getattr(functional, word)
    x = torch.randn(4, 8, 16) + 0.1
    compare(torch, function, theirs, [x], dtype, 4.0)
    found = []
    for call, given in ((function, x.cuda()), (theirs, x.double())):
        own = given.requires_grad_()
        (grad,) = torch.autograd.grad(call(own).square().sum(), own, create_graph=True)
        found.append(torch.autograd.grad(grad.square().sum(), own)[0])
    assert error(*found) < 1e-4


@pytest.mark.parametrize("word", ["relu", "clipped_relu", "sigmoid", "tanh", "elu"])
def test_gradcheck_in_double(torch: Any, word: str) -> None:
    """Functions that cuDNN computes in double."""
    from cudnn_cffi.torch import functional

    x = torch.randn(3, 4, 5, device="cuda", dtype=torch.float64) * 2
    x.requires_grad_()
    function = getattr(functional, word)
    assert torch.autograd.gradcheck(function, (x,), fast_mode=True)
    assert torch.autograd.gradgradcheck(function, (x,), fast_mode=True)


@pytest.mark.parametrize("dtype", ["float32", "float16", "bfloat16"])
@pytest.mark.parametrize("batch", [1, 3])
def test_columns(torch: Any, dtype: str, batch: int) -> None:
    from cudnn_cffi.torch import functional

    theirs = torch.nn.functional
    options: dict[str, Any] = {"stride": (2, 1), "padding": (0, 1), "dilation": (1, 2)}
    x = torch.randn(batch, 5, 9, 8)
    y = compare(
        torch, lambda x: functional.unfold(x, (3, 2), **options),
        lambda x: theirs.unfold(x, (3, 2), **options), [x], dtype,
    )  # fmt: skip
    compare(
        torch, lambda y: functional.fold(y, (9, 8), (3, 2), **options),
        lambda y: theirs.fold(y, (9, 8), (3, 2), **options), [y.detach().float().cpu()], dtype,
    )  # fmt: skip


@pytest.mark.parametrize("last", [False, True], ids=["first", "last"])
def test_blocks(torch: Any, last: bool) -> None:
    """The result is the input again, and the gradient of the one is the other."""
    from cudnn_cffi.torch import functional
    from cudnn_cffi.torch.functional.conv import columns

    x = torch.randn(2, 3, 4, 6, device="cuda")
    x = x.to(memory_format=torch.channels_last) if last else x
    x.requires_grad_()
    y = functional.blocks_to_channels(x, 2)
    assert y.shape == (2, 12, 2, 3)
    assert torch.equal(y, columns.BlocksToChannels((2, 2)).reference(x))
    assert torch.equal(functional.channels_to_blocks(y, 2), x)
    dy = torch.randn_like(y)
    (grad,) = torch.autograd.grad(y, x, dy)
    assert torch.equal(functional.blocks_to_channels(grad, 2), dy)


@pytest.mark.parametrize("dtype", ["float32", "float16", "bfloat16"])
@pytest.mark.parametrize("word", ["add", "mul", "min", "max"])
@pytest.mark.parametrize("shape", [(2, 3, 4, 5), (1, 3, 1, 1)])
def test_tensor_operations(torch: Any, dtype: str, word: str, shape: tuple[int, ...]) -> None:
    from cudnn_cffi.torch import functional

    theirs = {"add": torch.add, "mul": torch.mul, "min": torch.minimum, "max": torch.maximum}[word]
    compare(
        torch, lambda a, b: functional.tensor_operation(word, a, b, alpha=0.5, alpha2=2.0),
        lambda a, b: theirs(0.5 * a, 2.0 * b), [torch.randn(2, 3, 4, 5), torch.randn(shape)], dtype,
    )  # fmt: skip


@pytest.mark.parametrize("word", ["sum", "mul", "min", "max", "amax", "mean", "norm1", "norm2"])
@pytest.mark.parametrize(("axes", "keep"), [(None, False), ((0, 2), True), (1, False)])
def test_reductions(torch: Any, word: str, axes: Any, keep: bool) -> None:
    from cudnn_cffi.torch import functional
    from cudnn_cffi.torch.functional.tensors import Reduction

    name = {"sum": "add", "mean": "avg"}.get(word, word)
    chosen = tuple(range(3)) if axes is None else (axes,) if isinstance(axes, int) else axes
    layer = Reduction(name, chosen, keep)
    x = torch.rand(4, 3, 5) + 0.5
    compare(
        torch, lambda x: functional.reduce(x, word, axes, keep), layer.reference, [x], "float32"
    )


@pytest.mark.parametrize("layout", [None, "NCHW", "NHWC"])
@pytest.mark.parametrize("dtype", [None, "float16", "bfloat16"])
def test_transforms(torch: Any, layout: Any, dtype: Any) -> None:
    from cudnn_cffi.torch import functional

    kind = None if dtype is None else getattr(torch, dtype)
    x = torch.randn(2, 3, 4, 5, device="cuda", requires_grad=True)
    y = functional.transform(x, layout, kind)
    assert torch.equal(y, x.to(y.dtype))
    assert y.dtype == (kind or x.dtype)
    if layout == "NHWC":
        assert y.is_contiguous(memory_format=torch.channels_last)
    (grad,) = torch.autograd.grad(y.sum(), x)
    assert torch.equal(grad, torch.ones_like(x))


@pytest.mark.parametrize("dtype", ["float64", "float32", "float16"])
@pytest.mark.parametrize("adds", [False, True])
def test_multi_head_attention(torch: Any, dtype: str, adds: bool) -> None:
    from cudnn_cffi import ops
    from cudnn_cffi.torch import functional

    sizes: dict[str, Any] = {
        "q_projection": 6, "k_projection": 6, "v_projection": 8, "o_projection": 16
    }  # fmt: skip
    options = {**sizes, "scale": 0.4, "causal": True}
    exact = ops.MultiHeadAttention(2, 16, 10, 14, **options)
    count = exact.weights_count(dtype)
    places = {each.name: each for each in exact.layout(torch.empty(count, device="cuda",
                                                                    dtype=getattr(torch, dtype)))}  # fmt: skip

    def theirs(q: Any, k: Any, v: Any, weights: Any, residual: Any = None) -> Any:
        total = 0
        mask = torch.ones(q.shape[1], k.shape[1], dtype=torch.bool).tril()
        parts = {
            name: weights.as_strided(each.shape, each.strides, each.offset)
            for name, each in places.items()
        }
        for head in range(2):
            wq, wk, wv, wo = (
                parts[f"{name}.weight"][head] for name in ("query", "key", "value", "output")
            )
            scores = 0.4 * (q @ wq.T) @ (k @ wk.T).transpose(1, 2)
            rows = scores.masked_fill(~mask, float("-inf")).softmax(2)
            total = total + rows @ (v @ wv.T) @ wo.T
        return total if residual is None else total + residual

    given = [torch.randn(3, 5, 16), torch.randn(3, 7, 10), torch.randn(3, 7, 14),
             torch.randn(count) * 0.3]  # fmt: skip
    given += [torch.randn(3, 5, 16)] if adds else []

    def ours(q: Any, k: Any, v: Any, weights: Any, residual: Any = None) -> Any:
        return functional.multi_head_attention(q, k, v, weights, 2, residual=residual, **options)

    compare(torch, ours, theirs, given, dtype, 3.0)
    kind = getattr(torch, dtype)
    leaves = [each.to("cuda", kind).requires_grad_() for each in given]
    first = torch.autograd.grad(ours(*leaves).sum(), leaves)
    traced = torch.compile(ours, fullgraph=True, backend="aot_eager")
    for one, other in zip(first, torch.autograd.grad(traced(*leaves).sum(), leaves), strict=True):
        assert error(one, other) < TOLERANCES[dtype]


@pytest.mark.parametrize("name", ["lstm", "gru", "rnn_tanh", "rnn_relu"])
@pytest.mark.parametrize("batch_first", [True, False])
def test_networks(torch: Any, name: str, batch_first: bool) -> None:
    """Against PyTorch's functions of the same names in float64, on the CPU."""
    from cudnn_cffi.torch import functional

    kind = {"lstm": "LSTM", "gru": "GRU"}.get(name, "RNN")
    more: dict[str, Any] = {"nonlinearity": "relu"} if name == "rnn_relu" else {}
    more |= {"proj_size": 8} if name == "lstm" else {}
    net = getattr(torch.nn, kind)(12, 16, 2, bidirectional=True, **more)
    widths = (8, 16) if name == "lstm" else (16,)
    given = [torch.randn(5, 5, 12), *[torch.randn(4, 5, each) for each in widths],
             *[each.detach() for each in net._flat_weights]]  # fmt: skip

    def calling(function: Any) -> Any:
        def call(x: Any, *rest: Any) -> Any:
            hx = tuple(rest[:2]) if name == "lstm" else rest[0]
            params = list(rest[len(widths) :])
            y, *states = function(x, hx, params, True, 2, 0.0, True, True, batch_first)
            return torch.cat([y.flatten(), *[each.flatten() for each in states]])

        return call

    compare(torch, calling(getattr(functional, name)), calling(getattr(torch, name)), given,
            "float32", 2.0)  # fmt: skip


@pytest.mark.parametrize(
    ("name", "function", "since"),
    [
        ("causal_convolution", "cudnnCausalConv1dForward", "9.22"),
        ("fft_causal_convolution", "cudnnFFTCausalConv1dForward", "9.26"),
        ("aggregate", "cudnnGnnAggSimpleForward", "9.26"),
    ],
)
def test_functions_of_newer_releases(torch: Any, name: str, function: str, since: str) -> None:
    """They compute where the release has them, and say since when there is one elsewhere."""
    import cudnn_cffi as cudnn
    from cudnn_cffi.torch import functional

    def numbers(*given: int) -> Any:
        return torch.tensor(given, device="cuda", dtype=torch.int32)

    x, weight = torch.randn(2, 4, 64), torch.randn(4, 3 if name == "causal_convolution" else 64)
    offsets, indices = (0, 2, 3), (1, 0, 3)

    def over_edges(x: Any) -> Any:
        return torch.stack([x[1] + x[0], x[3]])

    def convolved(x: Any, weight: Any) -> Any:
        padded = torch.nn.functional.pad(x, (weight.shape[1] - 1, 0))
        return torch.conv1d(padded, weight[:, None], groups=4)

    ours, given = getattr(functional, name), [x, weight]
    theirs: Any = convolved
    if name == "aggregate":
        given, theirs = [torch.randn(4, 6)], over_edges
        edges = numbers(*offsets), numbers(*indices)

        ours = lambda x: functional.aggregate(x, *edges)  # noqa: E731

    if cudnn.has(function):
        compare(torch, ours, theirs, given, "float32", 5.0)
    else:
        with pytest.raises(cudnn.NotSupportedError, match=f"{function} was added in cuDNN {since}"):
            ours(*[each.cuda() for each in given])


AUTOCAST: dict[str, tuple[tuple[int, ...], tuple[Any, ...]]] = {
    "conv1d": ((2, 4, 9), ("w(6, 4, 3)",)), "conv2d": ((2, 4, 9, 8), ("w(6, 4, 3, 3)",)),
    "conv_transpose2d": ((2, 4, 9, 8), ("w(4, 6, 3, 3)",)), "relu": ((2, 4, 9), ()),
    "gelu": ((2, 4, 9), ()), "silu": ((2, 4, 9), ()), "softplus": ((2, 4, 9), ()),
    "elu": ((2, 4, 9), ()), "leaky_relu": ((2, 4, 9), ()), "softmax": ((2, 4, 9), (1,)),
    "log_softmax": ((2, 4, 9), (1,)), "layer_norm": ((2, 4, 16), ((16,),)),
    "rms_norm": ((2, 4, 16), ((16,),)), "group_norm": ((2, 4, 9, 8), (2,)),
    "instance_norm": ((2, 4, 9, 8), ()), "local_response_norm": ((2, 8, 9, 8), (5,)),
    "max_pool2d": ((2, 4, 8, 8), (2,)), "avg_pool2d": ((2, 4, 8, 8), (2,)),
    "unfold": ((2, 4, 8, 8), (2,)), "fold": ((2, 16, 16), ((8, 8), 2, 1, 0, 2)),
    "grid_sample": ((2, 4, 8, 8), ("w(2, 5, 6, 2)",)),
}  # fmt: skip


@pytest.mark.parametrize("name", AUTOCAST)
@pytest.mark.parametrize("given", ["float32", "bfloat16"])
def test_autocast_of_functions(torch: Any, name: str, given: str) -> None:
    """Results have the types of PyTorch's functions of the same names, and their values."""
    from cudnn_cffi.torch import functional

    shape, arguments = AUTOCAST[name]
    x = torch.randn(shape, device="cuda", dtype=getattr(torch, given)).requires_grad_()
    more = [
        torch.rand(*map(int, each[2:-1].split(",")), device="cuda")
        if isinstance(each, str)
        else each
        for each in arguments
    ]
    named = {"align_corners": True} if name == "grid_sample" else {}
    with torch.autocast("cuda", torch.bfloat16):
        one = getattr(functional, name)(x, *more, **named)
        other = getattr(torch.nn.functional, name)(x, *more, **named)
    assert one.dtype == other.dtype
    assert error(one, other) < 3e-2
    one.float().sum().backward()
    assert x.grad.dtype == x.dtype


@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
def test_gradients_of_activations_at_their_edges(torch: Any, dtype: str) -> None:
    """Zero, the bound, and numbers so negative that exp is nothing beside 1: as PyTorch has them."""
    from cudnn_cffi.torch import modules

    kind = getattr(torch, dtype)
    edges = [0.0, -0.0, 6.0, 2.5, 1e-30, -1e-30, -7.5, -20.0, -100.0, 5.97, 6.03, 300.0, -300.0]
    x = torch.tensor(edges * 5 + [0.5] * 7, device="cuda").to(kind)
    for ours, theirs in (
        (modules.ReLU(), torch.nn.ReLU()),
        (modules.ReLU6(), torch.nn.ReLU6()),
        (modules.ClippedReLU(2.5), torch.nn.Hardtanh(0.0, 2.5)),
        (modules.ELU(2.0), torch.nn.ELU(2.0)),
        (modules.ELU(0.5), torch.nn.ELU(0.5)),
        (modules.LeakyReLU(0.2), torch.nn.LeakyReLU(0.2)),
    ):
        found = []
        for module in (ours, theirs):
            leaf = x.clone().requires_grad_()
            y = module(leaf)
            found.append((y, torch.autograd.grad(y, leaf, torch.ones_like(y))[0]))
        torch.testing.assert_close(*found, msg=lambda m, o=ours: f"{o} {m}")


def test_options_that_change_from_call_to_call(torch: Any) -> None:
    """Functions that know a call by its arguments tell others from it."""
    from cudnn_cffi import errors
    from cudnn_cffi.torch import functional

    theirs = torch.nn.functional
    x = torch.randn(3, 4, 9, 12)
    calls: list[tuple[str, tuple[Any, ...], dict[str, Any]]] = [
        ("max_pool2d", (2,), {}), ("max_pool2d", (3,), {}), ("max_pool2d", ((3, 2),), {}),
        ("max_pool2d", (2, 1), {}), ("max_pool2d", (2, 1, 1), {}), ("avg_pool2d", (2,), {}),
        ("max_pool2d", (3,), {"ceil_mode": True}), ("avg_pool2d", (3, 3, 1), {}),
        ("avg_pool2d", (3, 3, 1), {"count_include_pad": False}), ("softmax", (1,), {}),
        ("softmax", (-1,), {}), ("log_softmax", (1,), {}), ("softmax", (0,), {}),
        ("softmax", (1,), {"dtype": torch.float64}), ("leaky_relu", (), {}),
        ("leaky_relu", (0.25,), {}), ("elu", (0.25,), {}), ("relu", (), {}),
    ]  # fmt: skip
    for _ in range(3):
        for given in (x, x[0]):
            for name, rest, options in calls:
                own = given.cuda().requires_grad_()
                y = getattr(functional, name)(own, *rest, **options)
                other = given.double().requires_grad_()
                wanted = getattr(theirs, name)(other, *rest, **options)
                assert error(y, wanted) < 1e-5, (name, rest, options)
                (one,) = torch.autograd.grad(y.square().sum(), own)
                (two,) = torch.autograd.grad(wanted.square().sum(), other)
                assert error(one, two) < 1e-4, (name, rest, options)
    with pytest.raises(errors.NotSupportedError):
        functional.max_pool2d(x.cuda(), 2, ceil_mode=True)
    with pytest.raises(errors.NotSupportedError):
        functional.max_pool2d(x.cuda(), 2, return_indices=True)
    with pytest.raises(errors.ArgumentError):
        functional.softmax(x.cuda(), 4)
    with pytest.raises(errors.ArgumentError):
        functional.softmax(x, 1)


@pytest.mark.parametrize("keys", [1, 2, 40])
def test_queries_that_see_no_key_in_float32(torch: Any, keys: int) -> None:
    """Engines of float32 divide by the sum of a row, whatever it has, and have no gradients."""
    from cudnn_cffi import errors
    from cudnn_cffi.torch import functional

    q, k, v = (torch.randn(2, 4, n, 16, device="cuda") for n in (5, keys, keys))
    mask = torch.rand(5, keys, device="cuda") > 0.3
    mask[1] = False
    wanted = torch.nn.functional.scaled_dot_product_attention(
        q.double(), k.double(), v.double(), mask
    )
    found = functional.scaled_dot_product_attention(q, k, v, mask)
    assert bool((found[:, :, ~mask.any(-1)] == 0).all())
    assert error(found, wanted.nan_to_num()) < TOLERANCES["float32"]
    with pytest.raises(errors.NotSupportedError, match="FLOAT is not possible"):
        functional.scaled_dot_product_attention(q, k.requires_grad_(), v, mask)


def test_grids_of_single_points(torch: Any) -> None:
    """Where the point of an extent of 1 lies differs."""
    from cudnn_cffi import errors
    from cudnn_cffi.torch import functional

    theta = torch.randn(2, 2, 3, device="cuda")
    with pytest.raises(errors.NotSupportedError, match="extents above 1"):
        functional.affine_grid(theta, (2, 3, 1, 5), align_corners=True)


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("where", ["q", "k", "v", "do"])
def test_a_nan_reaches_all_of_attention_that_depends_on_it(
    torch: Any, where: str, causal: bool
) -> None:
    """Engines skip keys that no query sees; nothing else may become a number."""
    from cudnn_cffi.torch import functional

    torch.manual_seed(3)
    for queries, keys, width, dtype in (
        (3, 6, 64, torch.float16), (128, 300, 64, torch.bfloat16), (257, 129, 128, torch.float16),
    ):  # fmt: skip
        made = {
            name: torch.randn(2, 2, count, width, device="cuda").to(dtype)
            for name, count in (("q", queries), ("k", keys), ("v", keys), ("do", queries))
        }
        place = (queries if where in ("q", "do") else keys) // 3
        made[where][1, 0, place, 3] = float("nan")
        q, k, v, do = (each.requires_grad_(name != "do") for name, each in made.items())
        o = functional.scaled_dot_product_attention(q, k, v, is_causal=causal)
        found = dict(zip("qkv", torch.autograd.grad(o, (q, k, v), do), strict=True))
        seen = torch.ones(queries, keys, dtype=torch.bool, device="cuda")
        seen = seen.tril() if causal else seen
        rows = seen[:, place].clone()
        if where in ("q", "do"):
            rows = torch.arange(queries, device="cuda") == place
        columns = slice(3, 4) if where in ("v", "do") else slice(None)
        if where != "do":
            assert o[1, 0, :, columns].isnan()[rows].all()
        assert found["q"][1, 0].isnan()[rows].all()
        assert found["k"][1, 0].isnan()[seen[rows].any(0)].all()
        if where != "v":
            assert found["v"][1, 0, :, columns].isnan()[seen[rows].any(0)].all()
        for each in (o, *found.values()):
            assert not each[0].isnan().any()
            assert not each[1, 1].isnan().any()
