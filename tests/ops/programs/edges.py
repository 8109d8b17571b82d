"""Operations on arrays that cuDNN does not take, computed by stand-ins of its functions in NumPy."""

import itertools
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[3]))

import numpy as np
from cudnn_cffi import errors, ops
from cudnn_cffi._lookup import calls
from cudnn_cffi.choice.policy import Rule
from cudnn_cffi.diagnose.evaluate import evaluate
from cudnn_cffi.ops.element.activation import ACTIVATIONS

from tests.ops.imitation import HANDLE, _Plan, install, seen, store, wide

install()
chance = np.random.default_rng(11)


def windows(pooling, shape):
    """Yield the place of each result, its part of an image with padding, and that without."""
    for place in np.ndindex(*shape[2:]):
        begin = [i * s - p for i, s, p in zip(place, pooling.stride, pooling.padding, strict=True)]
        end = [b + k for b, k in zip(begin, pooling.window, strict=True)]
        yield place, tuple(slice(max(b, 0), e) for b, e in zip(begin, end, strict=True))


def share(pooling, part, mode):
    return np.prod(pooling.window) if "INCLUDE" in mode else part[0, 0].size


def forward(_h, pooling, alpha, x, a, beta, y, b):
    values, mode = wide(seen(x, a)), pooling.mode.name
    found = np.zeros(y.shape)
    for place, inside in windows(pooling, y.shape):
        part = values[:, :, *inside]
        axes = tuple(range(2, part.ndim))
        if "MAX" in mode:
            found[:, :, *place] = part.max(axes)
        else:
            found[:, :, *place] = part.sum(axes) / share(pooling, part, mode)
    store(y, b, alpha, found, beta)


def backward(_h, pooling, alpha, y, b, dy, c, x, a, beta, dx, d):
    """Compute as cuDNN does, and refuse what it refuses."""
    mode, found = pooling.mode.name, np.zeros(dx.shape)
    gradient, results, values = wide(seen(dy, c)), seen(y, b), seen(x, a)
    last = x.strides[1] == 1 and x.shape[1] > 1
    if "MAX" in mode:
        assert last or x.shape[1] <= 65535
        assert x.strides == dx.strides
        assert y.strides == dy.strides
    for place, inside in windows(pooling, y.shape):
        part = found[:, :, *inside]
        of = gradient[(..., *place, *(None,) * len(place))]
        if "MAX" in mode:
            part += of * (values[:, :, *inside] == results[(..., *place, *(None,) * len(place))])
        else:
            part += of / share(pooling, part, mode)
    store(dx, d, alpha, found, beta)


def op_tensor(_h, op, alpha, x, a, alpha2, y, b, beta, z, c):
    first, second = alpha * wide(seen(x, a)), alpha2 * wide(seen(y, b))
    name = op.op.name
    functions = {"ADD": np.add, "MUL": np.multiply, "MAX": np.maximum, "MIN": np.minimum}
    store(z, c, 1.0, functions[name](first, second), beta)


def activate(_h, activation, alpha, x, a, beta, y, b):
    values, number = wide(seen(x, a)), activation.coefficient
    below = number * np.expm1(np.minimum(values, 0)) if activation.mode.name == "ELU" else 0.0
    store(y, b, alpha, np.where(values > 0, values, below), beta)


def activate_backward(_h, activation, alpha, y, b, dy, c, _x, _a, beta, dx, d):
    """Compute as cuDNN does, from the result alone."""
    results, number = wide(seen(y, b)), activation.coefficient
    if activation.mode.name == "ELU":
        slope = np.where(results >= 0, 1.0, results + number)
    else:
        slope = results > 0
    store(dx, d, alpha, wide(seen(dy, c)) * slope, beta)


def set_tensor(_h, y, a, value):
    store(y, a, 1.0, np.full(y.shape, value), 0.0)


for name, function in {
    "cudnnPoolingForward": forward,
    "cudnnPoolingBackward": backward,
    "cudnnOpTensor": op_tensor,
    "cudnnSetTensor": set_tensor,
    "cudnnActivationForward": activate,
    "cudnnActivationBackward": activate_backward,
}.items():
    setattr(calls, name, function)


def spec(array):
    strides = tuple(s // array.itemsize for s in array.strides)
    return ops.Spec(array.dtype.name, array.shape, strides, None)


def compute(operation, *given, out=None, **call):
    """Return the outputs, and the way that computed them."""
    if out is not None:
        call["out"] = spec(out)
    case = operation.case(*map(spec, given), **call)
    way = operation.find_way(case, Rule(pick="heuristic"), HANDLE, None)
    named = dict(zip(operation.takes, given, strict=False))
    results = []
    for name, each in case.outputs.items():
        if out is not None and name == operation.gives[0]:
            results.append(out)
        else:
            raw = np.full(max(1, int(np.prod(each.shape))), 77, each.dtype)
            if raw.dtype.kind == "f":
                raw[:] = np.nan
            strides = [s * raw.itemsize for s in each.strides]
            results.append(np.lib.stride_tricks.as_strided(raw, each.shape, strides))
        named[name] = results[-1]
    scratch = np.full(way.workspace_size + 512, 0x7F, np.uint8)
    start = -(-scratch.ctypes.data // 256) * 256
    way.call_with(HANDLE, start, *[named[each.name].ctypes.data for each in way.operands])
    return (results[0] if len(results) == 1 else tuple(results)), way


def normal(*shape, dtype="float32", last=False):
    made = chance.standard_normal(shape)
    if last:
        order = (0, *range(2, len(shape)), 1)
        made = np.ascontiguousarray(made.transpose(order)).transpose(np.argsort(order))
    return made.astype(dtype, order="K")


def close(got, wanted, told):
    assert got.shape == wanted.shape, told
    assert np.abs(got.astype(np.float64) - wanted).max(initial=0) < 1e-5, told


# Pooling, with paddings that differ on both sides, against sums over all elements.


def padded(x, pads, value):
    return np.pad(x.astype(np.float64), ((0, 0), (0, 0), *pads), constant_values=value)


def pool(x, kind, window, stride, pads):
    image = padded(x, pads, -np.inf if kind == "max" else 0.0)
    inside = padded(np.ones_like(x), pads, 0.0)
    axes = tuple(range(2, x.ndim))
    shape = (window,) * len(axes)
    cut = (slice(None), slice(None), *(slice(None, None, stride) for _ in axes))
    views = np.lib.stride_tricks.sliding_window_view(image, shape, axes)[cut]
    over = tuple(range(-len(axes), 0))
    if kind == "max":
        return views.max(over)
    total = views.sum(over)
    if kind == "sum":
        return total
    if kind == "average":
        return total / window ** len(axes)
    counts = np.lib.stride_tricks.sliding_window_view(inside, shape, axes)[cut].sum(over)
    return total / counts


def slopes(function, x, dy):
    """Return the gradient of sum(function(x) * dy), by differences."""
    x, found = x.astype(np.float64), np.zeros(x.shape)
    for place in np.ndindex(x.shape):
        kept = x[place]
        x[place] = kept + 1e-6
        above = (function(x) * dy).sum()
        x[place] = kept - 1e-6
        found[place] = (above - (function(x) * dy).sum()) / 2e-6
        x[place] = kept
    return found


for kind, last, pads, dtype in itertools.product(
    ("max", "average", "sum", "average_without_padding"), (False, True),
    (((0, 0), (0, 0)), ((1, 1), (1, 1)), ((0, 1), (1, 0)), ((1, 2), (2, 0))),
    ("float32", "float64"),
):  # fmt: skip
    uneven = any(a != b for a, b in pads)
    if kind == "average_without_padding" and uneven:
        continue  # by a graph alone
    told = kind, last, pads, dtype
    x = normal(2, 3, 5, 4, dtype=dtype, last=last)
    options = {"kind": kind, "window": 3, "stride": 2 if uneven else 1, "padding": pads}
    where = 3, options["stride"], pads
    y, _ = compute(ops.Pooling(**options), x)
    close(y, pool(x, kind, *where), told)
    dy = normal(*y.shape, dtype=dtype, last=last)
    wanted = slopes(lambda z, kind=kind, where=where: pool(z, kind, *where), x, dy)
    dx, _ = compute(ops.PoolingBackward(**options), dy, x, y)
    close(dx, wanted, told)
    dx = np.ones_like(normal(*x.shape, dtype=dtype, last=not last))
    compute(ops.PoolingBackward(**options), dy, x, y, out=dx, alpha=2.0, beta=3.0)
    close(dx, 3 + 2 * wanted, told)
    other = np.empty_like(normal(*y.shape, dtype=dtype, last=not last))
    other[...] = dy
    dx, _ = compute(ops.PoolingBackward(**options), other, x, y)
    close(dx, wanted, told)

# Maxima of more channels than the function takes.
for shape in ((1, 65536, 2, 2), (2, 70000, 2, 2), (1, 65537, 2, 2)):
    x = normal(*shape)
    y, _ = compute(ops.Pooling("max", 2), x)
    dx, way = compute(ops.PoolingBackward("max", 2), y, x, y)
    close(dx, x * (x == x.max((2, 3), keepdims=True)), shape)
    assert way.workspace_size == 0

# Reductions over axes of one element.
x = normal(4, 1, 5, 1)
for name in ("add", "mul", "min", "max", "amax", "avg", "norm1", "norm2"):
    wanted = np.abs(x) if name in ("amax", "norm1", "norm2") else x
    for alpha, beta in ((1.0, 0.0), (-2.0, 3.0)):
        y, _ = compute(
            ops.Reduction(name, (1, 3)), x, out=np.ones((4, 5), np.float32), alpha=alpha, beta=beta
        )
        close(y, alpha * wanted[:, 0, :, 0].astype(np.float64) + beta, (name, alpha))
(y, at), _ = compute(ops.Reduction("max", 1, indices=True), x)
close(y, x[:, 0], "max")
assert (at == 0).all()

# Elements that are repeated, and gaps.
row = np.broadcast_to(normal(2, 1, 4), (2, 3, 4))
gaps = normal(2, 6, 12)[:, ::2, ::3]
for x in (row, gaps):
    y, way = compute(ops.Softmax("last"), x)
    power = np.exp(x.astype(np.float64))
    close(y, power / power.sum(-1, keepdims=True), x.strides)
    assert way.is_mixed
x = normal(2, 3, 4)
other = np.full((4, 3, 2), np.nan, np.float32).transpose()
compute(ops.Softmax("last"), x, out=other)
power = np.exp(x.astype(np.float64))
close(other, power / power.sum(-1, keepdims=True), "order")
whole = np.full((2, 3, 8), 5.0, np.float32)
x = np.ascontiguousarray(row)
compute(ops.Softmax("last"), x, out=whole[:, :, ::2], alpha=2.0, beta=0.5)
power = np.exp(x.astype(np.float64))
close(whole[:, :, ::2], 2.5 + 2 * power / power.sum(-1, keepdims=True), "out")
assert (whole[:, :, 1::2] == 5.0).all()
x = normal(4, 4, 3, 3)
shared = ops.Spec("float32", (4, 4, 3, 3), (0, 9, 3, 1), None)
try:
    ops.Softmax().case(spec(x), out=shared)
except errors.ArgumentError as error:
    assert "out: expected an array without repeated elements" in error.message
else:
    raise AssertionError("an output whose elements share memory was taken")

# The gradient of ELU near 0, and where the result hardly tells -20 from -21.
x = np.array([[0.0, -0.0, 1e-30, -1e-30, -1e-3, 3.0, -7.0, -15.0]])
for alpha, dtype, last in itertools.product(
    (1.0, 2.0, 0.5), ("float16", "float32", "float64"), (0, 1)
):
    given = (np.concatenate([x, normal(7, 8)]) * np.ones((2, 1, 1))).astype(dtype)
    given = given.transpose(0, 2, 1) if last else given
    wanted = np.where(given > 0, 1.0, alpha * np.exp(np.minimum(given, 0).astype(np.float64)))
    result = np.where(given > 0, given, alpha * np.expm1(np.minimum(given, 0))).astype(dtype)
    dx, _ = compute(ops.ActivationBackward("elu", alpha), np.ones_like(given), given, result)
    near = 2e-3 if dtype == "float16" else 1e-6
    assert np.allclose(dx, wanted, rtol=near, atol=2e-7), (alpha, dtype)
    dx[...] = 1.0
    compute(
        ops.ActivationBackward("elu", alpha), np.ones_like(given), given, result, out=dx, alpha=2.0,
        beta=0.5,
    )  # fmt: skip
    assert np.allclose(dx, 0.5 + 2 * wanted, rtol=4e-3, atol=1e-6), (alpha, dtype)

# Where the input was overwritten, the gradient follows from the result, or is refused.
x = np.concatenate([[0.0, -0.0, 6.0, 40.0, -40.0], normal(27)]).reshape(2, 16)
dy = normal(2, 16, dtype="float64")
for word, result, slope in (
    ("sigmoid", 1 / (1 + np.exp(-x)), 1 / (2 + np.exp(x) + np.exp(-x))),
    ("tanh", np.tanh(x), 1 / np.cosh(x) ** 2),
):
    operation = ops.ActivationBackward(word)
    case = operation.case(spec(dy), None, spec(result))
    given = {name: each.reshape(1, 32, 1, 1) for name, each in (("dy", dy), ("y", result))}
    found = evaluate(_Plan(operation, case).graph, given)
    assert np.allclose(found["dx"].reshape(2, 16), dy * slope, rtol=1e-6, atol=1e-12), word
    way = operation.classic(case, Rule(pick="heuristic"), HANDLE)
    assert [each.name for each in way.operands] == ["dy", "y", "dx"], word
for word in ACTIVATIONS:
    for y in (None, spec(dy)):
        try:
            ops.ActivationBackward(word).case(spec(dy), None, y)
        except errors.ArgumentError as error:
            assert "the gradient of" in error.message, word
            assert "y: relu, clipped_relu, sigmoid, tanh" in error.hint, word
        else:
            assert y is not None, word
            assert ACTIVATIONS[word].by_result, word

# At the ceiling of a clipped ReLU the gradient is 0.
for ceiling, dtype in itertools.product((6.0, 0.1, 1e6), ("float16", "float32", "float64")):
    operation = ops.ActivationBackward("clipped_relu", ceiling)
    case = operation.case(*[spec(x.astype(dtype))] * 3)
    step: Any = operation.classic(case, Rule(pick="heuristic"), HANDLE).steps[0]
    number = step.arguments[1].coefficient
    with np.errstate(over="ignore"):
        limit = np.array(ceiling, dtype)
    below = float(np.nextafter(limit, np.array(0, dtype)))
    assert np.isinf(limit) or below <= number < float(limit), (ceiling, dtype)

# Arrays at addresses that cuDNN cannot read are copied, also after calls with aligned arrays.
bias = ops.ConvolutionBackwardBias()
well = ops.Spec.like((4, 8, 6, 5))
for aligned, out in ((4, 16), (8, 16), (16, 4), (16, 16)):
    low, result = well._replace(alignment=aligned), ops.Spec.like((8,))._replace(alignment=out)
    case = bias.case(low, out=result, beta=1.0)
    way = bias.by_classic(case, Rule(pick="heuristic", via="classic"), HANDLE)
    expected = [16 if alignment == 16 else 4 for alignment in (aligned, out)]
    assert [each.alignment for each in way.operands] == expected
    assert way.is_mixed is not (aligned == out == 16)
norm = ops.BatchNorm()
for dtype, alignment in (("float16", 16), ("bfloat16", 16), ("float32", 4)):
    case = norm.case(ops.Spec.like((4, 8, 6, 5), dtype), *[ops.Spec.like((8,))] * 2)
    way = norm.by_classic(case, Rule(deterministic=True), HANDLE)
    assert {each.alignment for each in way.operands} == {alignment}, dtype

# Arrays without elements.
for operation, shapes, wanted in (
    (ops.Softmax(), [(0, 4, 3, 3)], [(0, 4, 3, 3)]),
    (ops.Pooling(), [(0, 4, 4, 4)], [(0, 4, 2, 2)]),
    (ops.PoolingBackward(), [(0, 4, 2, 2), (0, 4, 4, 4), (0, 4, 2, 2)], [(0, 4, 4, 4)]),
    (ops.Convolution(activation="relu"), [(0, 4, 4, 4), (8, 4, 3, 3), (8,)], [(0, 8, 2, 2)]),
    (ops.ConvolutionTranspose(), [(0, 8, 2, 2), (8, 4, 3, 3), (4,)], [(0, 4, 4, 4)]),
    (ops.ConvolutionBackwardBias(), [(0, 8, 2, 2)], [(8,)]),
    (ops.BatchNorm(), [(0, 4, 3, 3), (4,), (4,)], [(0, 4, 3, 3), (4,), (4,)]),
    (ops.BatchNormBackward(), [(0, 4, 3, 3), (0, 4, 3, 3), (4,)], [(0, 4, 3, 3), (4,), (4,)]),
    (ops.Reduction("add"), [(0, 4)], [()]),
    (ops.Reduction("norm2", 0), [(0, 4)], [(4,)]),
    (ops.Reduction("max", 1), [(0, 4)], [(0,)]),
    (ops.Dropout(), [(0, 4)], [(0, 4), (0,)]),
):
    found, _ = compute(operation, *[np.ones(each, np.float32) for each in shapes])
    found = found if isinstance(found, tuple) else (found,)
    assert [each.shape for each in found] == wanted, operation
    assert not any(each.any() for each in found), operation
for operation in (ops.Reduction("max"), ops.Reduction("mean"), ops.Attention()):
    given = [np.ones((2, 2, n, 8), np.float16) for n in (4, 0, 0)][: len(operation.takes)]
    given = given if len(operation.takes) > 1 else [np.ones((0, 4), np.float32)]
    try:
        operation.case(*map(spec, given))
        compute(operation, *given)
    except errors.ArgumentError as error:
        assert "no elements" in str(error), error
    else:
        raise AssertionError(operation)
y, _ = compute(
    ops.Reduction("add", 0), np.ones((0, 4), np.float32), out=np.ones(4, np.float32), beta=1.0
)
assert (y == 1).all()
