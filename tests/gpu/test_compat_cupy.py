"""`cudnn_cffi.compat.cupy_cudnn` on arrays of CuPy, against PyTorch on the CPU in float64."""

from __future__ import annotations

import itertools
import random
from typing import Any

import numpy as np
import pytest

from tests.gpu.conftest import library

TOLERANCES = {"d": 1e-11, "f": 3e-3, "e": 4e-3}


@pytest.fixture(scope="module")
def cp() -> Any:
    return library("cupy")


@pytest.fixture(scope="module")
def compat() -> Any:
    library("cupy")
    from cudnn_cffi.compat import cupy_cudnn

    return cupy_cudnn


@pytest.fixture(scope="module")
def raw() -> Any:
    library("cupy")
    from cudnn_cffi.compat import cupy_backends_cudnn

    return cupy_backends_cudnn


def fresh(cp: Any, shape: Any, dtype: str = "f") -> Any:
    return cp.asarray(np.random.default_rng().standard_normal(shape).astype(dtype))


def poisoned(cp: Any, shape: Any, dtype: str = "f") -> Any:
    return cp.full(shape, float("nan"), dtype)


def host(torch: Any, array: Any) -> Any:
    """Return a float64 tensor on the CPU."""
    return torch.from_numpy(np.ascontiguousarray(array.get()).astype("d"))


def error(torch: Any, result: Any, reference: Any) -> float:
    difference = host(torch, result) - reference
    assert not difference.isnan().any(), "an element was not written, or is NaN"
    return float(difference.norm()) / (float(reference.norm()) or 1.0)


def last(cp: Any, array: Any) -> Any:
    """Return an array (n, c, h, w) as (n, h, w, c)."""
    return cp.ascontiguousarray(array.transpose(0, 2, 3, 1))


def first(array: Any) -> Any:
    return array.transpose(0, 3, 1, 2)


# Convolutions


@pytest.mark.parametrize("dtype", "dfe")
@pytest.mark.parametrize("auto_tune", [False, True])
@pytest.mark.parametrize("seed", [random.randrange(1 << 30) for _ in range(3)], ids=range(3))
def test_convolution(
    compat: Any, cp: Any, torch: Any, dtype: str, auto_tune: bool, seed: int
) -> None:
    chance = random.Random(seed)
    spatial = chance.choice([2, 2, 3])
    groups = chance.choice([1, 1, 2])
    kernel = tuple(chance.choice([1, 3]) for _ in range(spatial))
    pad = tuple(chance.randrange(0, k) for k in kernel)
    stride = tuple(chance.choice([1, 2]) for _ in range(spatial))
    dilation = (
        tuple(chance.choice([1, 2]) for _ in range(spatial)) if dtype != "d" else (1,) * spatial
    )
    x = fresh(cp, (2, 8 * groups, *[chance.randrange(8, 12) for _ in range(spatial)]), dtype)
    w = fresh(cp, (16 * groups, 8, *kernel), dtype)
    b = fresh(cp, (16 * groups,), dtype)
    xs, ws, bs = (host(torch, each).requires_grad_() for each in (x, w, b))
    convolve = getattr(torch.nn.functional, f"conv{spatial}d")
    expected = convolve(xs, ws, bs, stride, pad, dilation, groups)
    y = poisoned(cp, tuple(expected.shape), dtype)
    window = (pad, stride, dilation, groups)
    how = {"auto_tune": auto_tune, "tensor_core": "auto"}
    for _ in range(2):
        y[...] = float("nan")
        got = compat.convolution_forward(x, w, b, y, *window, **how)
        assert got is None
        assert error(torch, y, expected.detach()) < TOLERANCES[dtype]
    gy = fresh(cp, y.shape, dtype)
    expected.backward(host(torch, gy))
    for deterministic in (False, True):
        gw, gx = poisoned(cp, w.shape, dtype), poisoned(cp, x.shape, dtype)
        compat.convolution_backward_filter(x, gy, gw, *window, deterministic=deterministic, **how)
        assert error(torch, gw, ws.grad) < TOLERANCES[dtype]
        compat.convolution_backward_data(
            w, gy, None, gx, *window, deterministic=deterministic, **how
        )
        assert error(torch, gx, xs.grad) < TOLERANCES[dtype]


@pytest.mark.parametrize("dtype", "fe")
@pytest.mark.parametrize("w_last", [False, True])
def test_convolution_with_channels_last(
    compat: Any, raw: Any, cp: Any, torch: Any, dtype: str, w_last: bool
) -> None:
    x, w, b = (
        fresh(cp, (2, 8, 9, 7), dtype),
        fresh(cp, (16, 8, 3, 3), dtype),
        fresh(cp, (16,), dtype),
    )
    xs, ws, bs = (host(torch, each).requires_grad_() for each in (x, w, b))
    expected = torch.nn.functional.conv2d(xs, ws, bs, 1, 1)
    nhwc = raw.CUDNN_TENSOR_NHWC
    layouts = {"d_layout": nhwc, "w_layout": nhwc if w_last else raw.CUDNN_TENSOR_NCHW}
    given = last(cp, w) if w_last else w
    window = ((1, 1), (1, 1), (1, 1), 1)
    how = {"auto_tune": False, "tensor_core": "always", **layouts}
    y = poisoned(cp, (2, 9, 7, 16), dtype)
    compat.convolution_forward(last(cp, x), given, b, y, *window, **how)
    assert error(torch, first(y), expected.detach()) < TOLERANCES[dtype]
    gy = fresh(cp, (2, 16, 9, 7), dtype)
    expected.backward(host(torch, gy))
    gw, gx = poisoned(cp, given.shape, dtype), poisoned(cp, (2, 9, 7, 8), dtype)
    compat.convolution_backward_filter(
        last(cp, x), last(cp, gy), gw, *window, deterministic=False, **how
    )
    assert error(torch, first(gw) if w_last else gw, ws.grad) < TOLERANCES[dtype]
    compat.convolution_backward_data(
        given, last(cp, gy), None, gx, *window, deterministic=False, **how
    )
    assert error(torch, first(gx), xs.grad) < TOLERANCES[dtype]


def test_transposed_convolution_with_a_bias(compat: Any, cp: Any, torch: Any) -> None:
    x, w, b = fresh(cp, (2, 8, 5, 6)), fresh(cp, (8, 4, 3, 3)), fresh(cp, (4,))
    expected = torch.nn.functional.conv_transpose2d(
        *(host(torch, each) for each in (x, w, b)), stride=2, padding=1
    )
    y = poisoned(cp, tuple(expected.shape))
    compat.convolution_backward_data(
        w, x, b, y, (1, 1), (2, 2), (1, 1), 1, deterministic=False, auto_tune=False,
        tensor_core="auto",
    )  # fmt: skip
    assert error(torch, y, expected) < TOLERANCES["f"]


def test_what_a_convolution_refuses(compat: Any, raw: Any, cp: Any) -> None:
    x, w, y = fresh(cp, (2, 8, 5, 5)), fresh(cp, (4, 8, 3, 3)), fresh(cp, (2, 4, 3, 3))
    window = ((0, 0), (1, 1), (1, 1), 1)
    how = {"auto_tune": False, "tensor_core": "auto"}
    with pytest.raises(raw.CuDNNError) as caught:
        compat.convolution_forward(x, w, None, y[:, :, :2].copy(), *window, **how)
    assert caught.value.status == 3
    assert "cudnnConvolutionForward" in str(caught.value)
    with pytest.raises(ValueError, match="always"):
        compat.convolution_forward(x, w, None, y, *window, auto_tune=False, tensor_core="maybe")
    with pytest.raises(TypeError, match="int32"):
        compat.convolution_forward(x.astype("i"), w, None, y, *window, **how)
    with pytest.raises(ValueError, match="c-contiguous"):
        compat.convolution_forward(x, w, None, y.transpose(0, 1, 3, 2), *window, **how)


def test_the_limit_of_the_workspace_is_kept(compat: Any, cp: Any, torch: Any) -> None:
    from cudnn_cffi import ops

    before = compat.get_max_workspace_size()
    assert before == 8 * 1024 * 1024
    x, w = fresh(cp, (8, 64, 28, 28)), fresh(cp, (64, 64, 3, 3))
    expected = torch.nn.functional.conv2d(host(torch, x), host(torch, w), None, 1, 1)
    try:
        for limit in (0, 1 << 20, 1 << 30):
            compat.set_max_workspace_size(limit)
            y = poisoned(cp, x.shape)
            with ops.record() as log:
                compat.convolution_forward(
                    x, w, None, y, (1, 1), (1, 1), (1, 1), 1, auto_tune=False, tensor_core="auto"
                )
            assert error(torch, y, expected) < TOLERANCES["f"]
            assert all(each.workspace <= limit for each in log), limit
            assert log
    finally:
        compat.set_max_workspace_size(before)


# Layers


@pytest.mark.parametrize("dtype", "dfe")
@pytest.mark.parametrize("mode", [0, 1, 2, 3])
@pytest.mark.parametrize("spatial", [2, 3])
def test_pooling(compat: Any, cp: Any, torch: Any, dtype: str, mode: int, spatial: int) -> None:
    x = fresh(cp, (2, 3, *(8, 6, 6)[:spatial]), dtype)
    xs = host(torch, x).requires_grad_()
    functional = torch.nn.functional
    if mode in (0, 3):
        expected = getattr(functional, f"max_pool{spatial}d")(xs, 3, 2, 1)
    else:
        pool = getattr(functional, f"avg_pool{spatial}d")
        expected = pool(xs, 3, 2, 1, count_include_pad=mode == 1)
    window = ((3,) * spatial, (2,) * spatial, (1,) * spatial, mode)
    y = poisoned(cp, tuple(expected.shape), dtype)
    assert compat.pooling_forward(x, y, *window) is y
    assert error(torch, y, expected.detach()) < TOLERANCES[dtype]
    gy = fresh(cp, y.shape, dtype)
    expected.backward(host(torch, gy))
    gx = compat.pooling_backward(x, y, gy, *window)
    assert error(torch, gx, xs.grad) < TOLERANCES[dtype]


@pytest.mark.parametrize("dtype", "dfe")
@pytest.mark.parametrize(
    ("mode", "coefficient", "function"),
    [
        (0, 0.0, lambda torch, x: torch.sigmoid(x)),
        (1, 0.0, lambda torch, x: torch.relu(x)),
        (2, 0.0, lambda torch, x: torch.tanh(x)),
        (3, 0.8, lambda _, x: x.clamp(0, 0.8)),
        (4, 0.7, lambda torch, x: torch.nn.functional.elu(x, 0.7)),
    ],
)
@pytest.mark.parametrize("shape", [(7,), (3, 5), (2, 3, 4, 5, 2)])
def test_activation(
    compat: Any, cp: Any, torch: Any, dtype: str, mode: int, coefficient: float, function: Any,
    shape: Any,
) -> None:  # fmt: skip
    x, gy = fresh(cp, shape, dtype), fresh(cp, shape, dtype)
    xs = host(torch, x).requires_grad_()
    expected = function(torch, xs)
    y = compat.activation_forward(x, mode, coefficient)
    assert error(torch, y, expected.detach()) < TOLERANCES[dtype]
    expected.backward(host(torch, gy))
    gx = compat.activation_backward(x, y, gy, mode, coefficient)
    assert gx.dtype == x.dtype
    assert error(torch, gx, xs.grad) < TOLERANCES[dtype]


@pytest.mark.parametrize("dtype", "dfe")
@pytest.mark.parametrize("algorithm", [0, 1, 2])
@pytest.mark.parametrize(
    ("shape", "axis"), [((4, 5), 1), ((4, 5, 3), 1), ((4, 5, 3), -1), ((6, 2), 0)]
)
def test_softmax(
    compat: Any, cp: Any, torch: Any, dtype: str, algorithm: int, shape: Any, axis: int
) -> None:
    x, gy = fresh(cp, shape, dtype), fresh(cp, shape, dtype)
    xs = host(torch, x).requires_grad_()
    function = torch.log_softmax if algorithm == 2 else torch.softmax
    expected = function(xs, axis)
    y = compat.softmax_forward(x, axis, algorithm)
    assert error(torch, y, expected.detach()) < TOLERANCES[dtype]
    expected.backward(host(torch, gy))
    gx = compat.softmax_backward(y, gy, axis, algorithm)
    assert error(torch, gx, xs.grad) < 3 * TOLERANCES[dtype]


def test_ctc_loss(compat: Any, cp: Any, torch: Any) -> None:
    scores = fresh(cp, (12, 3, 6))
    probs = cp.exp(scores) / cp.exp(scores).sum(axis=2, keepdims=True)
    labels, counts, steps = [1, 2, 3, 4, 5, 1, 2, 2], [3, 3, 2], [12, 10, 9]
    loss, gradients = compat.ctc_loss(
        probs, *(np.array(each, "i") for each in (labels, counts, steps)), 0
    )
    logs = host(torch, scores).requires_grad_()
    expected = torch.nn.functional.ctc_loss(
        logs.log_softmax(2), torch.tensor(labels), torch.tensor(steps), torch.tensor(counts),
        reduction="none",
    )  # fmt: skip
    assert error(torch, loss, expected.detach()) < 1e-3
    assert gradients.shape == probs.shape


@pytest.mark.parametrize("dtype", "dfe")
@pytest.mark.parametrize("case", ["spatial", "activation", "vectors", "persistent"])
def test_batch_normalization(
    compat: Any, raw: Any, cp: Any, torch: Any, dtype: str, case: str
) -> None:
    modes = {
        "spatial": raw.CUDNN_BATCHNORM_SPATIAL,
        "activation": raw.CUDNN_BATCHNORM_PER_ACTIVATION,
        "vectors": raw.CUDNN_BATCHNORM_PER_ACTIVATION,
        "persistent": raw.CUDNN_BATCHNORM_SPATIAL_PERSISTENT,
    }
    persistent = case == "persistent"
    layout = raw.CUDNN_TENSOR_NHWC if persistent else raw.CUDNN_TENSOR_NCHW
    if persistent and dtype == "d":
        pytest.skip("cuDNN has no persistent kernel of float64")
    shape = (6, 5) if case == "vectors" else (6, 8, 4, 3)
    size = {"spatial": (8,), "persistent": (8,), "vectors": (5,), "activation": (8, 4, 3)}[case]
    axes = (0, 2, 3) if size == (8,) else (0,)
    x, gy = fresh(cp, shape, dtype), fresh(cp, shape, dtype)
    kind = "f" if dtype == "e" and not persistent else dtype
    gamma, beta, mean, var = (fresh(cp, size, kind) for _ in range(4))
    var = abs(var) + 1
    if persistent:
        given, grad = last(cp, x), last(cp, gy)
    else:
        given, grad = x, gy
    eps, decay = 1e-3, 0.75
    xs = host(torch, x).requires_grad_()
    wide = (1, 8, 1, 1) if size == (8,) else (1, *size)
    scale, bias = (host(torch, each).reshape(wide).requires_grad_() for each in (gamma, beta))
    center = xs.mean(axes, keepdim=True)
    spread = xs.var(axes, correction=0, keepdim=True)
    expected = scale * (xs - center) / (spread + eps).sqrt() + bias
    count = xs.numel() / scale.numel()
    running = (
        decay * host(torch, mean).reshape(wide) + (1 - decay) * center,
        decay * host(torch, var).reshape(wide) + (1 - decay) * spread * count / (count - 1),
    )
    arguments = (eps, case != "vectors", modes[case])
    inferred = compat.batch_normalization_forward_inference(
        given, gamma, beta, mean, var, *arguments, layout
    )
    there = host(torch, mean).reshape(wide), host(torch, var).reshape(wide)
    wanted = scale * (xs - there[0]) / (there[1] + eps).sqrt() + bias
    inferred = first(inferred) if persistent else inferred
    assert error(torch, inferred, wanted.detach()) < TOLERANCES[dtype]
    reserve, y, save, inv = compat.batch_normalization_forward_training_ex(
        given, gamma, beta, mean, var, None, None, eps, decay, case != "vectors", modes[case],
        True, layout,
    )  # fmt: skip
    assert (reserve is not None) == (persistent and dtype == "e")
    assert error(torch, first(y) if persistent else y, expected.detach()) < TOLERANCES[dtype]
    assert error(torch, mean.reshape(wide), running[0].detach()) < TOLERANCES[dtype]
    assert error(torch, var.reshape(wide), running[1].detach()) < TOLERANCES[dtype]
    assert error(torch, save.reshape(wide), center.detach()) < TOLERANCES[dtype]
    assert error(torch, inv.reshape(wide), (spread + eps).rsqrt().detach()) < TOLERANCES[dtype]
    expected.backward(host(torch, gy))
    gx, ggamma, gbeta = compat.batch_normalization_backward(
        given, gamma, grad, save, inv, eps, case != "vectors", modes[case], True, layout,
        reserve_space=reserve,
    )  # fmt: skip
    assert error(torch, first(gx) if persistent else gx, xs.grad) < 3 * TOLERANCES[dtype]
    assert ggamma.dtype == (x.dtype if gamma.dtype == "e" else gamma.dtype)
    assert error(torch, ggamma.reshape(wide), scale.grad) < 3 * TOLERANCES[dtype]
    assert error(torch, gbeta.reshape(wide), bias.grad) < 3 * TOLERANCES[dtype]


def test_batch_normalization_without_ex(compat: Any, raw: Any, cp: Any, torch: Any) -> None:
    x = fresh(cp, (4, 3, 5, 5))
    gamma, beta, mean, var = (cp.ones(3, "f") for _ in range(4))
    rest = (1e-5, 0.9, True, raw.CUDNN_BATCHNORM_SPATIAL, False)
    y, save, inv = compat.batch_normalization_forward_training(
        x, gamma, beta, mean, var, None, None, *rest
    )
    again = compat.batch_normalization_forward_training(x, gamma, beta, mean, var, save, inv, *rest)
    assert error(torch, again, host(torch, y)) < 1e-6


@pytest.mark.parametrize("dtype", "dfe")
def test_dropout(compat: Any, cp: Any, torch: Any, dtype: str) -> None:
    x = cp.ones((300, 40), dtype)
    states = compat.DropoutStates(None, 5)
    reserve, y = states.forward(None, x, 0.25)
    kept = host(torch, y) != 0
    assert abs(float(kept.double().mean()) - 0.75) < 0.03
    assert error(torch, y, kept.double() / 0.75) < TOLERANCES[dtype]
    dx = states.backward(None, x, 0.25, reserve)
    assert error(torch, dx, host(torch, y)) == 0
    _, other = states.forward(compat.get_handle(), x, 0.25)
    assert error(torch, other, host(torch, y)) > 0.1
    _, same = compat.DropoutStates(None, 5).forward(None, x, 0.25)
    assert error(torch, same, host(torch, y)) == 0


# Recurrent networks


CELLS = {
    0: ("RNN", 1, {"nonlinearity": "relu"}),
    1: ("RNN", 1, {}),
    2: ("LSTM", 4, {}),
    3: ("GRU", 3, {}),
}


def flat_weights(
    compat: Any, raw: Any, cp: Any, module: Any, mode: int, dtype: str, states: Any
) -> Any:
    """Put the parameters of a module of PyTorch in one array, as Chainer does."""
    handle = compat.get_handle()
    both = 1 if module.bidirectional else 0
    data_type = compat.get_data_type(np.dtype(dtype))
    rnn = compat.create_rnn_descriptor(
        module.hidden_size, module.num_layers, states._desc, raw.CUDNN_LINEAR_INPUT, both, mode,
        data_type,
    )  # fmt: skip
    x_desc = compat.create_tensor_nd_descriptor(cp.empty((1, module.input_size, 1), dtype))
    size = raw.getRNNParamsSize(handle, rnn.value, x_desc.value, data_type)
    w = cp.zeros((size // np.dtype(dtype).itemsize, 1, 1), dtype)
    w_desc = compat.create_filter_descriptor(w)
    gates = CELLS[mode][1]
    for layer, back in itertools.product(range(module.num_layers), range(both + 1)):
        suffix = f"l{layer}" + ("_reverse" if back else "")
        place = layer * (both + 1) + back
        for side, kind in enumerate(("ih", "hh")):
            for part, find in (
                ("weight", compat.get_rnn_lin_layer_matrix_params),
                ("bias", compat.get_rnn_lin_layer_bias_params),
            ):
                stacked = getattr(module, f"{part}_{kind}_{suffix}").detach().chunk(gates)
                for gate, values in enumerate(stacked):
                    view = find(handle, rnn, place, x_desc, w_desc, w, side * gates + gate)
                    view[...] = cp.asarray(values.numpy().astype(dtype)).reshape(view.shape)
    return w


@pytest.mark.parametrize("mode", [0, 1, 2, 3])
@pytest.mark.parametrize("both", [0, 1])
@pytest.mark.parametrize("padded", [False, True])
@pytest.mark.parametrize("dtype", "dfe")
def test_recurrent(
    compat: Any, raw: Any, cp: Any, torch: Any, mode: int, both: int, padded: bool, dtype: str
) -> None:
    layers, inputs, units, lengths = 2, 5, 6, [7, 4, 4, 2]
    name, _, options = CELLS[mode]
    torch.manual_seed(random.randrange(1 << 30))
    module = getattr(torch.nn, name)(
        inputs, units, layers, bidirectional=bool(both), dtype=torch.float64, **options
    )
    if mode == 0:
        # Units are on either side of zero, and far from it: there the slope of ReLU jumps, and
        # rounding could bring a unit to the other side.
        with torch.no_grad():
            for part, values in module.named_parameters():
                if part.startswith("bias_ih"):
                    values.copy_(4.0 * (-1.0) ** torch.arange(units))
                else:
                    values.mul_(0.2)
    states = compat.DropoutStates(None, 1)
    w = flat_weights(compat, raw, cp, module, mode, dtype, states)
    batch, longest = len(lengths), max(lengths)
    rnn = torch.nn.utils.rnn
    x = torch.randn(longest, batch, inputs, dtype=torch.float64)
    x = rnn.pad_packed_sequence(rnn.pack_padded_sequence(x, lengths))[0]
    x = torch.from_numpy(x.numpy().astype(dtype).astype("d")).requires_grad_()
    state = (layers * (both + 1), batch, units)
    hx, cx = fresh(cp, state, dtype), fresh(cp, state, dtype) if mode == 2 else None
    begin = [host(torch, each).requires_grad_() for each in (hx, cx) if each is not None]
    packed = rnn.pack_padded_sequence(x, lengths)
    out, end = module(packed, tuple(begin) if mode == 2 else begin[0])
    end = list(end) if mode == 2 else [end]
    batches = [int(each) for each in packed.batch_sizes]

    def given(tensor: Any) -> Any:
        """Return sequences in the form of the function."""
        values = tensor if padded else rnn.pack_padded_sequence(tensor, lengths).data
        return cp.asarray(values.detach().numpy().astype(dtype))

    def padded_out(array: Any) -> Any:
        """Return sequences of the function as (time, batch, size), zero after their ends."""
        tensor = host(torch, array)
        if not padded:
            sequence = rnn.PackedSequence(tensor, packed.batch_sizes)
            return rnn.pad_packed_sequence(sequence)[0]
        return rnn.pad_packed_sequence(rnn.pack_padded_sequence(tensor, lengths))[0]

    def off(tensor: Any, reference: Any) -> float:
        return float((tensor - reference).norm() / reference.norm())

    suffix = "_ex" if padded else ""
    counts = np.array(lengths, "i") if padded else batches
    call = (states, both, mode)
    y = rnn.pad_packed_sequence(out)[0]
    limit = 5 * TOLERANCES[dtype] if dtype == "e" else TOLERANCES[dtype]
    hy, cy, ys = getattr(compat, f"rnn_forward_inference{suffix}")(
        *call, hx, cx, w, given(x), counts
    )
    assert off(padded_out(ys), y.detach()) < limit
    reserve, hy, cy, ys = getattr(compat, f"rnn_forward_training{suffix}")(
        *call, hx, cx, w, given(x), counts
    )
    assert off(padded_out(ys), y.detach()) < limit
    assert error(torch, hy, end[0].detach()) < limit
    if mode == 2:
        assert error(torch, cy, end[1].detach()) < limit
    else:
        assert cy.size == 0
    dy = torch.randn_like(y)
    dy = rnn.pad_packed_sequence(rnn.pack_padded_sequence(dy, lengths))[0]
    dhy = fresh(cp, state, dtype)
    dcy = fresh(cp, state, dtype) if mode == 2 else None
    heads, gradients = [y, end[0]], [dy, host(torch, dhy)]
    if mode == 2:
        heads.append(end[1])
        gradients.append(host(torch, dcy))
    torch.autograd.backward(heads, gradients)
    dhx, dcx, dxs = getattr(compat, f"rnn_backward_data{suffix}")(
        *call, hx, cx, w, given(x), ys, reserve, dhy, dcy, given(dy), counts
    )
    assert error(torch, dhx, begin[0].grad) < 3 * limit
    if mode == 2:
        assert error(torch, dcx, begin[1].grad) < 3 * limit
    assert off(padded_out(dxs), x.grad) < 3 * limit
    dw = getattr(compat, f"rnn_backward_weights{suffix}")(
        *call, given(x), hx, ys, w, reserve, counts
    )
    for parameter in module.parameters():
        parameter.data = parameter.grad
    wanted = flat_weights(compat, raw, cp, module, mode, dtype, states)
    assert error(torch, dw, host(torch, wanted)) < 3 * limit


def test_dropout_between_layers(compat: Any, raw: Any, cp: Any, torch: Any) -> None:
    """The same seed drops the same elements; without dropout, training is inference."""
    module = torch.nn.LSTM(5, 64, 2)
    xs, hx = fresh(cp, (9, 4, 5)), cp.zeros((2, 4, 64), "f")
    lengths = np.full(4, 9, "i")

    w = flat_weights(compat, raw, cp, module, 2, "f", compat.DropoutStates(None, 0))

    def train(ratio: float, seed: int) -> Any:
        states = compat.DropoutStates(None, seed)
        states.set_dropout_ratio(ratio)
        call = (states, raw.CUDNN_UNIDIRECTIONAL, raw.CUDNN_LSTM, hx, hx, w, xs, lengths)
        trained = compat.rnn_forward_training_ex(*call)[3]
        return host(torch, trained), host(torch, compat.rnn_forward_inference_ex(*call)[2])

    plain, inferred = train(0.0, 1)
    assert torch.allclose(plain, inferred, atol=1e-4)
    dropped, same = train(0.5, 1)
    assert torch.allclose(same, inferred, atol=1e-4)
    assert float((dropped - inferred).norm() / inferred.norm()) > 0.05
    assert torch.allclose(train(0.5, 1)[0], dropped, atol=1e-4)
    assert not torch.allclose(train(0.5, 2)[0], dropped, atol=1e-4)


def test_weights_lie_in_the_old_order(compat: Any, raw: Any, cp: Any, torch: Any) -> None:
    """All matrices, layer by layer and gate by gate, and then all biases, without gaps."""
    module = torch.nn.LSTM(5, 6, 2, bidirectional=True)
    states = compat.DropoutStates(None, 1)
    w = flat_weights(compat, raw, cp, module, 2, "f", states)
    parts = [
        getattr(module, f"{part}_{kind}_l{layer}{back}").detach().numpy().ravel()
        for part in ("weight", "bias")
        for layer in range(2)
        for back in ("", "_reverse")
        for kind in ("ih", "hh")
    ]
    wanted = np.concatenate(parts)
    assert w.size >= wanted.size
    assert np.array_equal(w.get().ravel()[: wanted.size], wanted)


def test_plans_of_persistent_kernels(compat: Any, raw: Any, cp: Any, torch: Any) -> None:
    """They compute what the standard algorithm computes."""
    import ctypes

    steps, batch, size, units = 5, 4, 32, 64
    module = torch.nn.LSTM(size, units)
    states = compat.DropoutStates(None, 1)
    w = flat_weights(compat, raw, cp, module, 2, "f", states)
    x = fresh(cp, (steps, batch, size))
    wanted = module(host(torch, x).float())[0].detach()
    handle, kind = compat.get_handle(), raw.CUDNN_DATA_FLOAT
    state = cp.zeros((1, batch, units), "f")
    state_desc = compat.create_tensor_nd_descriptor(state)
    w_desc = compat.create_filter_descriptor(w)
    arrays = {}
    for width in (size, units):
        desc = compat.create_tensor_nd_descriptor(cp.empty((batch, width, 1), "f"))
        arrays[width] = desc, (ctypes.c_size_t * steps)(*[desc.value] * steps)
    for algorithm in (raw.CUDNN_RNN_ALGO_STANDARD, raw.CUDNN_RNN_ALGO_PERSIST_DYNAMIC):
        rnn = compat.create_rnn_descriptor(
            units, 1, states._desc, raw.CUDNN_LINEAR_INPUT, raw.CUDNN_UNIDIRECTIONAL,
            raw.CUDNN_LSTM, kind, algorithm,
        )  # fmt: skip
        plan = 0
        if algorithm == raw.CUDNN_RNN_ALGO_PERSIST_DYNAMIC:
            plan = raw.createPersistentRNNPlan(rnn.value, batch, kind)
            raw.setPersistentRNNPlan(rnn.value, plan)
        x_at, y_at = (ctypes.addressof(arrays[width][1]) for width in (size, units))
        space = cp.empty(max(raw.getRNNWorkspaceSize(handle, rnn.value, steps, x_at), 1), "b")
        y = poisoned(cp, (steps, batch, units))
        hy, cy = poisoned(cp, state.shape), poisoned(cp, state.shape)
        raw.RNNForwardInference(
            handle, rnn.value, steps, x_at, x.data.ptr, state_desc.value, state.data.ptr,
            state_desc.value, state.data.ptr, w_desc.value, w.data.ptr, y_at, y.data.ptr,
            state_desc.value, hy.data.ptr, state_desc.value, cy.data.ptr, space.data.ptr,
            space.size,
        )  # fmt: skip
        assert error(torch, y, wanted.double()) < 2e-3, algorithm
        raw.destroyPersistentRNNPlan(plan)


# Descriptors and the rest


def test_tensor_operations(compat: Any, raw: Any, cp: Any, torch: Any) -> None:
    a, b, c = fresh(cp, (2, 3, 4, 5)), fresh(cp, (1, 3, 1, 1)), poisoned(cp, (2, 3, 4, 5))
    one, zero = np.array(1, "f"), np.array(0, "f")
    op = compat.create_op_tensor_descriptor(raw.CUDNN_OP_TENSOR_MUL, a.dtype)
    full, narrow = compat.create_tensor_descriptor(a), compat.create_tensor_descriptor(b)
    raw.opTensor(
        compat.get_handle(), op.value, one.ctypes.data, full.value, a.data.ptr, one.ctypes.data,
        narrow.value, b.data.ptr, zero.ctypes.data, full.value, c.data.ptr,
    )  # fmt: skip
    assert error(torch, c, host(torch, a) * host(torch, b)) < 1e-6
    compat.add_tensor(
        compat.get_handle(), one.ctypes.data, narrow.value, b.data.ptr, one.ctypes.data,
        full.value, c.data.ptr,
    )  # fmt: skip
    assert error(torch, c, host(torch, a) * host(torch, b) + host(torch, b)) < 1e-6
    reduce = compat.create_reduce_tensor_descriptor(raw.CUDNN_REDUCE_TENSOR_ADD, a.dtype)
    total = poisoned(cp, (1, 3, 1, 1))
    size = raw.getReductionWorkspaceSize(
        compat.get_handle(), reduce.value, full.value, narrow.value
    )
    work = cp.empty(size, "b")
    raw.reduceTensor(
        compat.get_handle(), reduce.value, 0, 0, work.data.ptr, size, one.ctypes.data, full.value,
        a.data.ptr, zero.ctypes.data, narrow.value, total.data.ptr,
    )  # fmt: skip
    assert error(torch, total, host(torch, a).sum((0, 2, 3), keepdim=True)) < 1e-4
    half = np.array(0.5, "f")
    raw.scaleTensor(compat.get_handle(), full.value, a.data.ptr, half.ctypes.data)
    raw.setTensor(compat.get_handle(), full.value, c.data.ptr, half.ctypes.data)
    assert float(abs(c - 0.5).max()) == 0


def test_fused_statistics(compat: Any, raw: Any, cp: Any, torch: Any) -> None:
    """Statistics of a batch from sums: a fused operation that every release has, or refuses."""
    channels, count = 32, 4 * 6 * 6
    values = fresh(cp, (count, channels))
    shape = (1, channels, 1, 1)
    sums = values.sum(0).reshape(shape)
    squares = (values * values).sum(0).reshape(shape)
    gamma, beta = fresh(cp, shape), fresh(cp, shape)
    mean, var = cp.zeros(shape, "f"), cp.ones(shape, "f")
    save, inv = poisoned(cp, shape), poisoned(cp, shape)
    eq_scale, eq_bias = poisoned(cp, shape, "e"), poisoned(cp, shape, "e")
    ops = raw.CUDNN_FUSED_BN_FINALIZE_STATISTICS_TRAINING
    params = compat.create_tensor_descriptor(gamma)
    aligned = raw.CUDNN_PTR_16B_ALIGNED
    const = compat.create_fused_ops_const_param_pack(
        ops,
        [
            (raw.CUDNN_PARAM_BN_MODE, raw.CUDNN_BATCHNORM_SPATIAL),
            (raw.CUDNN_PARAM_YSTATS_DESC, params),
            (raw.CUDNN_PARAM_YSUM_PLACEHOLDER, aligned),
            (raw.CUDNN_PARAM_YSQSUM_PLACEHOLDER, aligned),
            (raw.CUDNN_PARAM_BN_SCALEBIAS_MEANVAR_DESC, params),
            (raw.CUDNN_PARAM_BN_SCALE_PLACEHOLDER, aligned),
            (raw.CUDNN_PARAM_BN_BIAS_PLACEHOLDER, aligned),
            (raw.CUDNN_PARAM_BN_SAVED_MEAN_PLACEHOLDER, aligned),
            (raw.CUDNN_PARAM_BN_SAVED_INVSTD_PLACEHOLDER, aligned),
            (raw.CUDNN_PARAM_BN_RUNNING_MEAN_PLACEHOLDER, aligned),
            (raw.CUDNN_PARAM_BN_RUNNING_VAR_PLACEHOLDER, aligned),
            (raw.CUDNN_PARAM_BN_EQSCALEBIAS_DESC, compat.create_tensor_descriptor(eq_scale)),
            (raw.CUDNN_PARAM_BN_EQSCALE_PLACEHOLDER, aligned),
            (raw.CUDNN_PARAM_BN_EQBIAS_PLACEHOLDER, aligned),
        ],
    )
    plan = compat.create_fused_ops_plan(ops)
    try:
        size = compat.make_fused_ops_plan(plan, const)
    except raw.CuDNNError as caught:
        if caught.status != 9:
            raise
        pytest.skip("this cuDNN does not support fused statistics here")
    work = cp.empty(max(size, 1), "b")
    variant = compat.create_fused_ops_variant_param_pack(
        ops,
        [
            (raw.CUDNN_PTR_YSUM, sums),
            (raw.CUDNN_PTR_YSQSUM, squares),
            (raw.CUDNN_PTR_BN_SCALE, gamma),
            (raw.CUDNN_PTR_BN_BIAS, beta),
            (raw.CUDNN_PTR_BN_SAVED_MEAN, save),
            (raw.CUDNN_PTR_BN_SAVED_INVSTD, inv),
            (raw.CUDNN_PTR_BN_RUNNING_MEAN, mean),
            (raw.CUDNN_PTR_BN_RUNNING_VAR, var),
            (raw.CUDNN_PTR_BN_EQSCALE, eq_scale),
            (raw.CUDNN_PTR_BN_EQBIAS, eq_bias),
            (raw.CUDNN_PTR_WORKSPACE, work),
            (raw.CUDNN_SCALAR_SIZE_T_WORKSPACE_SIZE_IN_BYTES, size),
            (raw.CUDNN_SCALAR_INT64_T_BN_ACCUMULATION_COUNT, count),
            (raw.CUDNN_SCALAR_DOUBLE_BN_EXP_AVG_FACTOR, 0.5),
            (raw.CUDNN_SCALAR_DOUBLE_BN_EPSILON, 1e-3),
        ],
    )
    compat.fused_ops_execute(plan, variant)
    center = host(torch, values).mean(0).reshape(shape)
    spread = host(torch, values).var(0, correction=0).reshape(shape)
    assert error(torch, save, center) < 1e-3
    assert error(torch, inv, (spread + 1e-3).rsqrt()) < 1e-3
    assert error(torch, eq_scale, host(torch, gamma) * (spread + 1e-3).rsqrt()) < 4e-3


def test_streams(compat: Any, raw: Any, cp: Any) -> None:
    stream = cp.cuda.Stream(non_blocking=True)
    with stream:
        x = cp.ones((64, 64), "f")
        y = compat.activation_forward(x, raw.CUDNN_ACTIVATION_RELU)
        assert raw.getStream(compat.get_handle()) == stream.ptr
        y *= 2
    stream.synchronize()
    assert float(y.sum()) == 2 * 64 * 64


def test_handles_are_made_anew(compat: Any, raw: Any) -> None:
    assert compat.get_handle() == compat.get_handle()
    compat.reset_handles()
    assert raw.dropoutGetStatesSize(compat.get_handle()) > 0
