"""Functions for what PyTorch has no module of, where operations do what they should."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import pytest

from tests.activations import WORDS

from .cases import compiled, operator_calls

#: Operations of `ops` that have another name here, and functions of one of their options.
NAMES = {
    "activation": "relu", "attention": "scaled_dot_product_attention", "average_pool": "avg_pool2d",
    "batch_norm_inference": "batch_norm", "col2im": "fold", "convolution": "conv2d",
    "convolution_transpose": "conv_transpose2d", "fold": "blocks_to_channels", "gelu_tanh": "gelu",
    "im2col": "unfold", "max_pool": "max_pool2d", "rnn": "rnn_tanh",
    "unfold": "channels_to_blocks",
}  # fmt: skip

#: Operations without functions with gradients, and why.
LEFT_OUT = {
    "candidates": "it computes nothing",
    "explain": "it computes nothing",
    "fill": "a number for all elements has no gradient: Tensor.fill_",
    "identity": "Tensor.clone",
    "record": "it computes nothing",
    "scale": "it overwrites its input: Tensor.mul_",
    "sum_pool": "avg_pool times the elements of a window",
}


def test_every_operation_has_a_function(torch: ModuleType) -> None:
    """Gradients are called by autograd alone."""
    from cudnn_cffi import ops
    from cudnn_cffi.torch import functional

    functions = {
        name for name in dir(ops)
        if name[0].islower() and callable(getattr(ops, name))
    } | set(ops.OPERATIONS)  # fmt: skip
    gradients = {name for name in functions if "_backward" in name}
    assert len(functions) > 60
    assert len(gradients) > 20
    missing = [
        name for name in sorted(functions - gradients - set(LEFT_OUT))
        if not callable(getattr(functional, NAMES.get(name, name), None))
    ]  # fmt: skip
    assert missing == []
    assert set(NAMES) | set(LEFT_OUT) <= functions, "nothing is left out that is not there"
    for name in LEFT_OUT:
        assert not callable(getattr(functional, name, None)), name


def test_every_operator_is_checked(torch: ModuleType) -> None:
    """The list of calls for opcheck has every operator; random numbers cannot be compared."""
    from cudnn_cffi.torch import functional
    from cudnn_cffi.torch.autograd import operators as library

    assert functional is not None
    called = {name for name, _ in operator_calls(torch, "cpu")}
    missing = set(library.implementations) - called
    assert missing == {"dropout", "recurrent", "recurrent_backward"}, missing


def checked(torch: Any, function: Any, *given: Any, second: bool = True) -> None:
    assert torch.autograd.gradcheck(function, given, fast_mode=True)
    if second:
        assert torch.autograd.gradgradcheck(function, given, fast_mode=True)


def wide(torch: Any, *shape: int) -> Any:
    return torch.randn(shape, dtype=torch.float64, requires_grad=True)


@pytest.mark.parametrize("word", ["relu6", *[word for word in WORDS if word != "gelu_tanh"]])
def test_activations(torch: ModuleType, operators: list[str], word: str) -> None:
    """Gradients and their gradients, by cuDNN's formula and PyTorch's."""
    from cudnn_cffi.torch import functional

    torch.manual_seed(1)
    x = wide(torch, 3, 4, 5)
    checked(torch, getattr(functional, word), x)
    assert {"activation", "activation_backward"} <= set(operators)
    if word == "gelu":
        checked(torch, lambda x: functional.gelu(x, "tanh"), x)
    if word == "swish":
        torch.testing.assert_close(functional.swish(x, 2.0), x * torch.sigmoid(2.0 * x))


@pytest.mark.parametrize("batch", [1, 3])
@pytest.mark.parametrize(
    "options", [{}, {"stride": 2}, {"padding": (1, 0), "dilation": 2}], ids=str
)
def test_columns(
    torch: ModuleType, operators: list[str], batch: int, options: dict[str, Any]
) -> None:
    from cudnn_cffi.torch import functional

    theirs = torch.nn.functional
    x = wide(torch, batch, 2, 7, 6)
    y = functional.unfold(x, (3, 2), **options)
    torch.testing.assert_close(y, theirs.unfold(x, (3, 2), **options))
    torch.testing.assert_close(
        functional.unfold(x[0], (3, 2), **options), theirs.unfold(x[0], (3, 2), **options)
    )
    back = functional.fold(y, (7, 6), (3, 2), **options)
    torch.testing.assert_close(back, theirs.fold(y, (7, 6), (3, 2), **options))
    torch.testing.assert_close(functional.fold(y[0], (7, 6), (3, 2), **options), back[0])
    checked(torch, lambda x: functional.unfold(x, (3, 2), **options), x)
    checked(torch, lambda y: functional.fold(y, (7, 6), (3, 2), **options),
            y.detach().requires_grad_())  # fmt: skip
    assert set(operators) == {"im2col", "col2im"}


def test_blocks(torch: ModuleType, operators: list[str]) -> None:
    from cudnn_cffi.torch import functional

    x = wide(torch, 2, 3, 4, 6)
    y = functional.blocks_to_channels(x, (2, 3))
    assert y.shape == (2, 18, 2, 2)
    torch.testing.assert_close(functional.channels_to_blocks(y, (2, 3)), x)
    checked(torch, lambda x: functional.blocks_to_channels(x, 2), x)
    found = torch.func.grad(lambda x: functional.blocks_to_channels(x, 2).square().sum())(x)
    torch.testing.assert_close(found, 2 * x)
    last = x.detach().to(memory_format=torch.channels_last)
    assert functional.blocks_to_channels(last).is_contiguous(memory_format=torch.channels_last)
    assert set(operators) == {"fold", "unfold"}


@pytest.mark.parametrize("shape", [(2, 3, 4, 6), (1, 2, 4, 6, 2)])
def test_blocks_by_pytorch(torch: ModuleType, shape: tuple[int, ...]) -> None:
    """The stand-in for cuDNN's result if it cannot compute: channels of a pixel follow each
    other."""
    from cudnn_cffi.torch.functional.conv import columns

    factor = (2, 3) if len(shape) == 4 else (2, 3, 1)
    x = torch.randn(shape)
    y: Any = columns.BlocksToChannels(factor).reference(x)
    channels = shape[1]
    assert torch.equal(y[0, :channels, 0, 0].flatten(), x[0, :, 0, 0].flatten())
    second = y[0, channels : 2 * channels, 1, 0].flatten()
    assert torch.equal(second, x[0, :, 2, 1].flatten())
    assert torch.equal(columns.ChannelsToBlocks(factor).reference(y), x)


@pytest.mark.parametrize("word", ["sum", "mean", "max", "min"])
def test_aggregation(torch: ModuleType, operators: list[str], word: str) -> None:
    """A node without edges has zeros, and no gradient."""
    from cudnn_cffi.torch import functional

    torch.manual_seed(2)
    offsets = torch.tensor([0, 3, 3, 4, 8], dtype=torch.int32)
    indices = torch.tensor([5, 1, 1, 0, 2, 3, 4, 5], dtype=torch.int32)
    x = wide(torch, 6, 3)
    wanted = torch.stack([
        {"sum": torch.sum, "mean": torch.mean, "max": torch.amax, "min": torch.amin}[word](
            x[indices[a:b].long()], 0
        )
        if a < b
        else x.new_zeros(3)
        for a, b in [(0, 3), (3, 3), (3, 4), (4, 8)]
    ])  # fmt: skip
    y = functional.aggregate(x, offsets, indices, word)
    torch.testing.assert_close(y, wanted)
    weights = torch.randn_like(y)
    (one,) = torch.autograd.grad((y * weights).sum(), x)
    (other,) = torch.autograd.grad((wanted * weights).sum(), x)
    if word in ("sum", "mean"):  # two edges are the same, whose gradients cuDNN gives to one
        torch.testing.assert_close(one, other)
    torch.testing.assert_close(one.sum(0), other.sum(0))
    distinct = torch.tensor([5, 1, 4, 0, 2, 3, 4, 5], dtype=torch.int32)
    checked(torch, lambda x: functional.aggregate(x, offsets, distinct, word), x)
    assert set(operators) == {"aggregate", "aggregate_backward"}


@pytest.mark.parametrize("activation", [None, "silu"])
@pytest.mark.parametrize("last", [False, True])
@pytest.mark.parametrize("has_bias", [False, True])
def test_causal_convolutions(
    torch: ModuleType, operators: list[str], activation: Any, last: bool, has_bias: bool
) -> None:
    from cudnn_cffi.torch import functional

    x, weight = wide(torch, 2, 4, 9), wide(torch, 4, 3)
    bias = wide(torch, 4) if has_bias else None
    y = torch.nn.functional.conv1d(x, weight[:, None], bias, padding=2, groups=4)[..., :9]
    y = torch.nn.functional.silu(y) if activation else y

    def function(x: Any, weight: Any, bias: Any = None) -> Any:
        x = x.transpose(1, 2) if last else x
        y = functional.causal_convolution(x, weight, bias, activation, channels_last=last)
        return y.transpose(1, 2) if last else y

    given = [each for each in (x, weight, bias) if each is not None]
    torch.testing.assert_close(function(*given), y)
    checked(torch, function, *given)
    assert set(operators) == {"causal_convolution", "causal_convolution_backward"}


@pytest.mark.parametrize("long", [False, True])
def test_causal_convolutions_by_fft(torch: ModuleType, operators: list[str], long: bool) -> None:
    """Eager gradients read what a long one kept; compiled ones compute it once more."""
    from cudnn_cffi.torch import functional

    x, weight = wide(torch, 2, 4, 8), wide(torch, 4, 8)

    def function(x: Any, weight: Any) -> Any:
        return functional.fft_causal_convolution(x, weight, long=long)

    wanted = torch.nn.functional.conv1d(x, weight[:, None], padding=7, groups=4)[..., :8]
    torch.testing.assert_close(function(x, weight), wanted)
    checked(torch, function, x, weight)
    other = torch.autograd.grad(wanted.square().sum(), (x, weight))
    for each, times in ((function, 1), (compiled(torch, function, x, weight), 1 + long)):
        operators.clear()
        found = torch.autograd.grad(each(x, weight).square().sum(), (x, weight))
        for one, two in zip(found, other, strict=True):
            torch.testing.assert_close(one, two)
        assert operators.count("fft_causal_convolution") == times, operators
        assert operators.count("fft_causal_convolution_backward") == 1, operators


@pytest.mark.parametrize("word", ["add", "mul", "min", "max", "sqrt", "not"])
@pytest.mark.parametrize("shape", [(2, 3, 4, 5), (1, 3, 1, 1)])
def test_tensor_operations(
    torch: ModuleType, operators: list[str], word: str, shape: tuple[int, ...]
) -> None:
    from cudnn_cffi.torch import functional

    torch.manual_seed(4)
    a = torch.rand(2, 3, 4, 5, dtype=torch.float64).add(0.5).requires_grad_()
    given: Any = (a,) if word in ("sqrt", "not") else (a, wide(torch, *shape))
    x, y = a.detach() * 1.5, given[-1].detach() * 0.7
    wanted = {
        "add": lambda: x + y, "mul": lambda: x * y, "min": lambda: torch.minimum(x, y),
        "max": lambda: torch.maximum(x, y), "sqrt": lambda: x.sqrt(), "not": lambda: 1 - x,
    }[word]()  # fmt: skip

    def function(a: Any, b: Any = None) -> Any:
        return functional.tensor_operation(word, a, b, alpha=1.5, alpha2=0.7)

    torch.testing.assert_close(function(*given).detach(), wanted)
    checked(torch, function, *given)
    assert set(operators) == {"tensor_operation"}
    if word == "add":
        torch.testing.assert_close(
            functional.add(given[0], given[1], 0.7), given[0] + 0.7 * given[1]
        )


@pytest.mark.parametrize(
    "word", ["sum", "mul", "min", "max", "amax", "mean", "norm1", "norm2", "mul_no_zeros"]
)
@pytest.mark.parametrize(("axes", "keep"), [(None, False), ((0, -1), True), (1, False)])
def test_reductions(
    torch: ModuleType, operators: list[str], word: str, axes: Any, keep: bool
) -> None:
    from cudnn_cffi.torch import functional

    torch.manual_seed(5)
    x = wide(torch, 2, 3, 4)
    y = functional.reduce(x, word, axes, keep)
    wanted = torch.sum(x, axes if axes is not None else (0, 1, 2), keepdim=keep)
    assert y.shape == wanted.shape
    if word == "sum":
        torch.testing.assert_close(y, wanted)
    checked(torch, lambda x: functional.reduce(x, word, axes, keep), x)
    assert set(operators) == {"reduce"}


def test_transforms(torch: ModuleType, operators: list[str]) -> None:
    from cudnn_cffi.torch import functional

    x = wide(torch, 2, 3, 4, 5)
    y = functional.transform(x, "NHWC", torch.float32)
    assert y.dtype == torch.float32
    assert y.is_contiguous(memory_format=torch.channels_last)
    torch.testing.assert_close(y.double(), x, rtol=1e-6, atol=1e-6)
    (grad,) = torch.autograd.grad((y * 3).sum(), x)
    assert grad.dtype == x.dtype
    torch.testing.assert_close(grad, torch.full_like(x, 3.0))
    checked(torch, lambda x: functional.transform(x, "NHWC"), x)
    assert set(operators) == {"transform"}


def test_attention_of_float32_refuses_gradients_in_its_call(
    torch: ModuleType, operators: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from cudnn_cffi import errors
    from cudnn_cffi.torch import functional

    from .stand_in import StandIn

    asked = []

    def plan(self: Any, *arrays: Any) -> None:
        asked.append((self.op.word, [tuple(each.shape) for each in arrays]))
        raise errors.NotSupportedError("FLOAT is not possible")

    monkeypatch.setattr(StandIn, "plan", plan)
    q, k, v = torch.randn(1, 2, 4, 8), torch.randn(1, 2, 6, 8), torch.randn(1, 2, 6, 16)
    functional.scaled_dot_product_attention(q, k, v)
    low = [each.bfloat16().requires_grad_() for each in (q, k, v)]
    functional.scaled_dot_product_attention(*low).sum().backward()
    assert not asked
    for mask in (None, torch.zeros(4, 6)):
        with pytest.raises(errors.NotSupportedError, match="FLOAT is not possible"):
            functional.scaled_dot_product_attention(q, k.clone().requires_grad_(), v, mask)
    shapes = [(1, 2, 4, 16), (1, 2, 4, 8), (1, 2, 6, 8), (1, 2, 6, 16), (1, 2, 4, 16), (1, 2, 4, 1)]
    assert asked == [("attention_backward", shapes)] * 2


@pytest.mark.parametrize("batches", [(3, 1, 1), (1, 3, 3), (3, 3, 1), (3, 1, 3)])
@pytest.mark.parametrize("masked", [True, False])
def test_attention_repeats_a_batch_of_one(
    torch: ModuleType, operators: list[str], batches: tuple[int, ...], masked: bool
) -> None:
    from cudnn_cffi.torch import functional

    q, k, v = (torch.randn(n, 2, 5, 8) for n in batches)
    mask = torch.randn(5, 5) if masked else None
    found = functional.scaled_dot_product_attention(q, k, v, mask)
    q, k, v = (each.double().expand(3, -1, -1, -1) for each in (q, k, v))
    wanted = torch.nn.functional.scaled_dot_product_attention(
        q, k, v, None if mask is None else mask.double()
    )
    assert (found - wanted).abs().max() < 1e-5


@pytest.mark.parametrize("batch_first", [True, False])
@pytest.mark.parametrize("adds", [True, False])
def test_multi_head_attention(
    torch: ModuleType, operators: list[str], batch_first: bool, adds: bool
) -> None:
    """The gradients may be computed again; there are no second ones."""
    from cudnn_cffi import errors
    from cudnn_cffi.torch import functional

    q, k, v = wide(torch, 2, 3, 4), wide(torch, 2, 5, 4), wide(torch, 2, 5, 6)
    q, k, v = (each.detach().transpose(0, 1).contiguous().requires_grad_() if not batch_first else each
               for each in (q, k, v))  # fmt: skip
    residual = wide(torch, *q.shape) if adds else None
    options = {"q_projection": 3, "k_projection": 3, "v_projection": 5, "o_projection": 4}
    weights = wide(torch, 2 * (3 * 4 + 3 * 4 + 5 * 6 + 4 * 5))

    def function(q: Any, k: Any, v: Any, weights: Any, residual: Any = None) -> Any:
        return functional.multi_head_attention(
            q, k, v, weights, 2, residual=residual, batch_first=batch_first, causal=True, **options
        )

    given = [each for each in (q, k, v, weights, residual) if each is not None]
    checked(torch, function, *given, second=False)
    y = function(*given)
    assert y.shape == (*q.shape[:2], 4)
    first = torch.autograd.grad(y.sum(), given, retain_graph=True)
    for one, other in zip(first, torch.autograd.grad(y.sum(), given), strict=True):
        torch.testing.assert_close(one, other)
    traced = compiled(torch, function, *given)
    found = torch.autograd.grad(traced(*given).sum(), given)
    for one, other in zip(first, found, strict=True):
        torch.testing.assert_close(one, other)
    for power in (2, 1):  # also where the gradient of y is a constant
        loss = (function(*given) ** power).sum()
        with pytest.raises(errors.NotSupportedError, match="no second derivative"):
            torch.autograd.grad(loss, q, create_graph=True)


@pytest.mark.parametrize("name", ["lstm", "gru", "rnn_tanh", "rnn_relu"])
def test_networks_are_those_of_modules(torch: ModuleType, name: str) -> None:
    """A function makes the layer that a module has; the layer itself is tested by modules."""
    from cudnn_cffi.torch import functional
    from cudnn_cffi.torch.functional import recurrent

    kind = {"lstm": "LSTM", "gru": "GRU"}.get(name, "RNN")
    more: dict[str, Any] = {"nonlinearity": "relu"} if name == "rnn_relu" else {}
    more |= {"proj_size": 3} if name == "lstm" else {}
    net = getattr(torch.nn, kind)(4, 5, 2, bidirectional=True, dropout=0.5, **more)
    seen: list[Any] = []

    class Layer:
        def __init__(self, *options: Any, choose: Any = None) -> None:
            self.options = options

        def __call__(self, *given: Any) -> Any:
            seen.append((self.options, given))

    x, h, c = torch.randn(6, 2, 4), torch.randn(4, 2, 3), torch.randn(4, 2, 5)
    states = (h, c) if name == "lstm" else h
    function = getattr(functional, name)
    patch = pytest.MonkeyPatch()
    with patch.context() as change:
        change.setattr(recurrent, "check_tensors", lambda **_: None)
        change.setattr(recurrent, "shared", lambda _cls, *options, choose: Layer(*options))
        for train in (True, False):
            function(x, states, net._flat_weights, True, 2, 0.5, train, True, False)
    (options, given), (other, _) = seen
    size = 3 if name == "lstm" else 0
    assert options == (net.mode, 4, 5, 2, True, False, 0.5, True, size, False)
    assert other == (*options[:6], 0.0, *options[7:])
    assert given[0] is x
    assert given[1] is h
    assert given[2] is (c if name == "lstm" else None)
    assert given[3] is None
    assert list(given[4:]) == list(net._flat_weights)


def test_vmap(torch: ModuleType, operators: list[str]) -> None:
    """One example after the other, for what has no further axis."""
    from cudnn_cffi.torch import functional

    x, weight = torch.randn(3, 2, 4, 9), torch.randn(4, 3)
    found = torch.func.vmap(lambda x: functional.causal_convolution(x, weight))(x)
    torch.testing.assert_close(found, torch.stack([
        functional.causal_convolution(each, weight) for each in x
    ]))  # fmt: skip
    offsets, indices = torch.tensor([0, 2, 3]), torch.tensor([1, 0, 3])
    found = torch.func.vmap(lambda x: functional.aggregate(x, offsets, indices, "max"))(x[:, 0])
    torch.testing.assert_close(found, torch.stack([
        functional.aggregate(each, offsets, indices, "max") for each in x[:, 0]
    ]))  # fmt: skip


def test_vmap_of_random_numbers(torch: ModuleType, operators: list[str]) -> None:
    """Each example has numbers of its own, which only one kind of randomness allows."""
    from cudnn_cffi import errors
    from cudnn_cffi.torch.functional.losses import Dropout

    def dropped(x: Any) -> Any:
        return Dropout.operator(x, 0.5, "")[0]

    x = torch.ones(4, 64)
    for word in ("error", "same"):
        with pytest.raises(errors.NotSupportedError, match="randomness='different'"):
            torch.func.vmap(dropped, randomness=word)(x)


def test_what_is_refused(torch: ModuleType, operators: list[str]) -> None:
    import cudnn_cffi as cudnn
    from cudnn_cffi.torch import functional

    x = torch.randn(2, 3, 4)
    calls: dict[str, Any] = {
        'layout: expected "NCHW" or': lambda: functional.transform(x, "NWHC"),
        "axes: expected -3 to 2": lambda: functional.reduce(x, "sum", 3),
        "operation: expected a word for an operation, got 'median'": lambda: functional.reduce(
            x, "median"
        ),
        "operation: expected a word for an operation, got 'sub'": lambda: (
            functional.tensor_operation("sub", x, x)
        ),
        "operation: expected an aggregation, got 'last'": lambda: functional.aggregate(
            x[0], x, x, "last"
        ),
        "activation: expected None or": lambda: functional.causal_convolution(
            x, x[0], activation="relu"
        ),
        "input: expected \\(N, C, H, W\\)": lambda: functional.unfold(x[0], 2),
        "y: expected \\(N, a multiple of 4": lambda: functional.fold(x, 3, 2),
        "kernel_size: expected 2 numbers": lambda: functional.unfold(x, (1, 2, 3)),
    }
    for word, call in calls.items():
        with pytest.raises(cudnn.CudnnError, match=word):
            call()


def test_a_batch_of_one_number_is_refused(torch: ModuleType, operators: list[str]) -> None:
    """Its variance would make the running one NaN."""
    from cudnn_cffi import errors
    from cudnn_cffi.torch import functional

    mean, variance = torch.zeros(3), torch.ones(3)
    for function in (functional.batch_norm, functional.batch_norm_activation):
        for shape in ((1, 3), (1, 3, 1, 1)):
            with pytest.raises(errors.ArgumentError, match="expected several numbers for each"):
                function(torch.randn(shape), mean, variance, training=True)
            function(torch.randn(shape), mean, variance)
        assert function(torch.randn(4, 0, 3), None, None, training=True).shape == (4, 0, 3)


@pytest.mark.parametrize("name", ["instance_norm", "batch_norm", "batch_norm_activation", "known"])
def test_second_derivatives_of_norms_with_a_bias_alone(
    torch: ModuleType, operators: list[str], name: str
) -> None:
    from cudnn_cffi.torch import functional

    torch.manual_seed(1)
    x, bias = wide(torch, 2, 4, 3, 3), wide(torch, 4)
    mean, variance = torch.zeros(4, dtype=torch.float64), torch.ones(4, dtype=torch.float64)

    def function(x: Any, bias: Any) -> Any:
        if name == "instance_norm":
            return functional.instance_norm(x, bias=bias)
        if name == "known":
            return functional.batch_norm(x, mean, variance, None, bias)
        if name == "batch_norm":
            return functional.batch_norm(x, None, None, None, bias, True)
        return functional.batch_norm_activation(x, None, None, None, bias, None, True)

    checked(torch, function, x, bias)
    assert operators
