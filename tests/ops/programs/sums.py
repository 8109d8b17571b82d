"""Sums and means over axes, computed by stand-ins of cuDNN's functions in NumPy."""

import itertools
import sys
from collections import Counter
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[3]))

import ml_dtypes  # noqa: F401  gives NumPy bfloat16
import numpy as np
from cudnn_cffi import ops
from cudnn_cffi._ways.case import Case
from cudnn_cffi._ways.classic_call import Step
from cudnn_cffi.choice.policy import Rule
from cudnn_cffi.ops.element import reduction_kernels as sums

from tests.ops import imitation
from tests.ops.imitation import HANDLE, install, run

install()
chance = np.random.default_rng(3)
ways: Counter[str] = Counter()
TYPES = "float16", "float32", "float64"


def check(shape, order, axes, word, dtype, keep=False, **more):
    x = chance.standard_normal(shape).astype(dtype)
    back = np.argsort(order)
    x = np.ascontiguousarray(x.transpose(order)).transpose(back)
    operation = ops.Reduction(word, axes, keep_axes=keep)
    spec = ops.Spec(dtype, x.shape, tuple(s // x.itemsize for s in x.strides), None)
    case = operation.case(spec)._replace(**more)
    ways[operation.classic(case, Rule(pick="heuristic"), HANDLE).function] += 1
    got = run(operation, x)
    over = tuple(range(x.ndim)) if axes is None else axes
    wanted = getattr(x.astype(np.float64), word)(over, keepdims=keep)
    assert got.shape == wanted.shape, (got.shape, wanted.shape)
    size = np.abs(x.astype(np.float64)).sum(over, keepdims=keep)  # of what cancels
    size = size / (x.size / wanted.size if word == "mean" else 1)
    # The result is rounded, and what is added as float32 has it; nothing between two steps.
    rounding = {"bfloat16": 2.0**-8, "float16": 2.0**-11}.get(dtype, 0.0)
    limit = rounding * np.abs(wanted) + (1e-13 if dtype == "float64" else 1e-6) * size
    assert (np.abs(got - wanted) <= limit).all(), (shape, order, axes, word, dtype)


def set_limits(**limits):
    sums._LIMITS = sums._LIMITS._replace(**limits)


def check_all():
    for word, dtype in itertools.product(("sum", "mean"), TYPES):
        for order in ((0, 1, 2, 3), (0, 2, 3, 1), (1, 0, 3, 2)):
            for axes in (None, 0, 1, 2, 3, (0, 2, 3), (2, 3), (1, 2), (0, 1), (0, 3), (1, 2, 3)):
                for shape in ((4, 6, 5, 3), (1, 8, 1, 7), (5, 1, 4, 4)):
                    keep = bool(chance.integers(2))
                    reduced = range(4) if axes is None else np.atleast_1d(axes)
                    if any(shape[axis] > 1 for axis in reduced):
                        check(shape, order, axes, word, dtype, keep)
        check((64,), (0,), None, word, dtype)
        check((2, 3, 4, 2, 3, 2), range(6), (1, 2), word, dtype)


check_all()
assert set(ways) == {"cudnnConvolutionBackwardBias", "cudnnReduceTensor"}, ways

# With other limits, what is large goes the other ways.
set_limits(
    contiguous_per_block=4,
    strided_per_block=4,
    single_per_block=16,
    windows=4,
    window_extent=16,
    strided_sums=12,
    sums=3,
)
ways.clear()
check_all()
names = (
    *("cudnnPoolingForward", "cudnnConvolutionBackwardBias", "cudnnReduceTensor"),
    "cudnnTransformTensor",
)
assert {*names[:3], ", ".join(names[:2]), f"{names[1]}, {names[1]}"} == set(ways), ways

# Sums of bfloat16 are means of one window, or those of a copy in float32.
TYPES = ("bfloat16",)
for limits in (
    {},
    {
        "window_contiguous": 4,
        "window_strided": 2,
        "window_minimum": 2,
        "windows": 4,
        "window_extent": 16,
    },
):
    set_limits(**limits)
    ways.clear()
    check_all()
    copied = {each for each in ways if each.startswith(f"{names[3]}, ")}
    assert set(ways) == {names[0]} | copied, ways
    assert f"{names[3]}, {names[2]}" in copied, ways

# The gradient of a bias, too.
for shape, batch in (((3, 4, 5, 6), True), ((4, 5, 6), False), ((3, 8, 9), True)):
    dy = chance.standard_normal(shape).astype("float32")
    db = run(ops.ConvolutionBackwardBias(batch=batch), dy)
    over = tuple(axis for axis in range(dy.ndim) if axis != batch)
    assert np.allclose(db, dy.sum(over), atol=1e-4)

# Results that are added to others, and arrays with gaps or another type.
x = ops.Spec.like((8, 64, 16, 16), "half")
LIMITS = {
    "window_contiguous": 512,
    "window_strided": 64,
    "window_minimum": 32,
    "parts_per_block": 3072,
    "windows_maximum": 49152,
    "columns": 32768,
    "contiguous_per_block": 8192,
    "strided_per_block": 2048,
    "single_per_block": 8192,
    "windows": 1024,
    "window_extent": 256,
    "strided_sums": 16384,
    "sums": 32,
}
set_limits(**LIMITS)


def way_of(operation, *given, **more):
    case = operation.case(*given, **more)
    return operation.classic(case, Rule(pick="heuristic"), HANDLE)


total = ops.Reduction("mean", (0, 2, 3))
case = total.case(x)._replace(alpha=3.0, beta=0.5)
(step,) = total.classic(case, Rule(pick="heuristic"), HANDLE).steps
assert isinstance(step, Step)
assert (step.arguments[1], step.arguments[4]) == (3.0 / (8 * 256), 0.5)
way = way_of(total, ops.Spec.like((32, 64, 56, 56)))
assert way.function == "cudnnPoolingForward, cudnnConvolutionBackwardBias"
assert way.workspace_size == 32 * 64 * 4
large = ops.Spec.like((32, 64, 56, 56), "half")
assert way_of(ops.Reduction("sum", (2, 3)), large).function == "cudnnConvolutionBackwardBias"
rows = ops.Spec.like((2048, 40000), "half")
assert way_of(ops.Reduction("sum", 1), rows).function == "cudnnPoolingForward"
assert way_of(ops.Reduction("sum", 1), ops.Spec.like((1000, 40000))).workspace_size == 1000 * 50 * 4
broad = ops.Reduction("sum", 0)
assert way_of(broad, ops.Spec.like((32, 32768))).function == "cudnnPoolingForward"
assert way_of(broad, ops.Spec.like((32, 16384))).function == "cudnnConvolutionBackwardBias"
assert way_of(broad, ops.Spec.like((67, 32768))).function == "cudnnConvolutionBackwardBias"
# Means of float16 that others follow would be rounded: one window, or none.
assert way_of(broad, ops.Spec.like((64, 32768), "half")).function == "cudnnPoolingForward"
assert way_of(broad, ops.Spec.like((128, 32768), "half")).function == "cudnnConvolutionBackwardBias"
assert way_of(broad, ops.Spec.like((128, 32768))).function == ", ".join(names[:1] * 2)
small = (chance.standard_normal((128, 32768)) * 1e-5).astype("float16")
small[chance.random(small.shape) < 0.9] = 0  # such as gradients after a ReLU
wanted = small.astype("float64").sum(0)
assert np.abs(run(broad, small) - wanted).mean() < 1e-2 * np.abs(wanted).mean()
for shape, order, axes in (
    ((8, 65536), (0, 1), 1),
    ((16384,), (0,), None),
    ((4, 8, 128, 128), (0, 1, 2, 3), (0, 2, 3)),
    ((8, 64, 32, 64), (0, 2, 3, 1), (0, 2, 3)),
    ((8192, 64), (0, 1), 0),
    ((70000, 3), (0, 1), 0),
):
    tiny = (chance.random([shape[axis] for axis in order]) * 1e-6).astype("float16")
    tiny = tiny.transpose(np.argsort(order))
    over = tuple(range(tiny.ndim)) if axes is None else axes
    for word, more in (("sum", 1.0), ("mean", 1000.0)):
        wanted = getattr((tiny * more).astype("float16").astype("float64"), word)(over)
        got = run(ops.Reduction(word, axes), (tiny * more).astype("float16"))
        assert np.abs(got - wanted).max() < 1e-3 * np.abs(wanted).max(), (shape, word)
every = ops.Reduction("sum")
assert way_of(every, ops.Spec.like((8192,))).function == "cudnnConvolutionBackwardBias"
assert way_of(every, ops.Spec.like((16384,))).workspace_size == 512 * 4
assert way_of(every, ops.Spec.like((1 << 20,))).function == "cudnnReduceTensor"
for word in ("sum", "mean"):
    assert way_of(ops.Reduction(word), large).function == "cudnnReduceTensor"
way = way_of(total, ops.Spec.like((32, 64, 56, 56), layout="NHWC"))
assert way.function == "cudnnConvolutionBackwardBias, cudnnConvolutionBackwardBias"
assert way.workspace_size == 256 * 64 * 4
last = ops.Spec.like((32, 64, 56, 56), "half", "NHWC")
for operation in (total, ops.ConvolutionBackwardBias()):
    steps = way_of(operation, last).steps
    assert [each.function for each in steps] == [names[3], names[1], names[1], names[3]]
# Large sums of float16 that would be rounded in between, along axes that lie side by side.
GRAPH, CLASSIC = ("graph", "classic"), ("classic", "graph")
summed, bias, rows = ops.Reduction("sum", 1), ops.ConvolutionBackwardBias(), (32, 200704)
for operation, given, wanted in (
    (summed, ops.Spec.like(rows, "half"), GRAPH),
    (bias, last, GRAPH),
    (ops.Reduction("sum", 0), ops.Spec.like((4096, 4096), "half"), GRAPH),
    (summed, ops.Spec.like((16, 32768), "half"), CLASSIC),  # small
    (summed, ops.Spec.like(rows), CLASSIC),
    (ops.Reduction("mean", 1), ops.Spec.like(rows, "half"), GRAPH),
    (ops.Reduction("max", 1), ops.Spec.like(rows, "half"), CLASSIC),
    (ops.Reduction("sum"), ops.Spec.like((6422528,), "half"), CLASSIC),
    (bias, large, CLASSIC),  # apart
    (summed, ops.Spec.like((8, 1 << 21), "half"), CLASSIC),  # long
    (summed, ops.Spec.like((16384, 512), "half"), CLASSIC),  # one step
):
    assert operation._order(operation.case(given), Rule(pick="heuristic")) == wanted, given
    for rule in (Rule(pick="heuristic", deterministic=True), Rule(pick="deterministic")):
        assert operation._order(operation.case(given), rule) == CLASSIC, given
few = ops.Reduction("sum", 1)
way = way_of(few, ops.Spec.like((32, 200704)))
assert way.function == "cudnnPoolingForward, cudnnConvolutionBackwardBias"
assert way.workspace_size == 32 * 392 * 4
way = way_of(few, ops.Spec.like((32, 100003)))  # a prime number
assert way.function == "cudnnConvolutionBackwardBias"
assert way_of(few, ops.Spec.like((31, 100003))).function == "cudnnReduceTensor"
gaps = ops.Spec("float16", (8, 64, 16, 16), (2 * 16384, 256, 16, 1), None)
slow: tuple[tuple[Any, dict[str, Any]], ...] = (
    ((gaps,), {}),
    ((x,), {"out": ops.Spec.like((64,), "float32")}),
    ((ops.Spec.like((8, 64, 16, 16), "half", "NHWC"),), {"axes": 0}),
    ((ops.Spec.like((1, 64, 10007, 1), "half", "NHWC"),), {}),  # a prime number
)
for inputs, extra in slow:
    operation = ops.Reduction("sum", extra.pop("axes", (0, 2, 3)))
    assert way_of(operation, *inputs, **extra).function == "cudnnReduceTensor", (inputs, extra)
for word in ("min", "prod", "norm1", "norm2", "amax"):
    assert way_of(ops.Reduction(word, 0), x).function == "cudnnReduceTensor"


# Sums in float32.
def converted(operation, x, **more):
    spec = ops.Spec("float16", x.shape, tuple(s // x.itemsize for s in x.strides), None)
    case = operation.case(spec)._replace(**more)
    way = sums.in_float32(
        case, lambda inner: operation.classic(inner, Rule(pick="heuristic"), HANDLE)
    )
    (target,) = case.outputs.values()
    y = np.full(target.shape, 8, target.dtype)
    scratch = np.full(way.workspace_size + 512, 0x7F, np.uint8)
    at = -(-scratch.ctypes.data // 256) * 256
    way.call_with(HANDLE, at, x.ctypes.data, y.ctypes.data)
    return way.function, y


for axes in (None, 1, (0, 2, 3), (2, 3)):
    some = chance.standard_normal((4, 6, 5, 3)).astype("float16")
    over = tuple(range(4)) if axes is None else axes
    function, y = converted(ops.Reduction("sum", axes), some, alpha=2.0, beta=0.5)
    assert np.allclose(y, 2 * some.astype("float64").sum(over) + 4, rtol=2e-3, atol=2e-3), axes
    assert function.startswith("cudnnTransformTensor, "), function
    assert y.dtype == "float16"
    wanted = some.max(over)
    if axes in (None, (2, 3)):  # by windows
        assert np.array_equal(converted(ops.Reduction("max", axes), some)[1], wanted), axes
    wide = {"y": ops.Spec("float32", wanted.shape, tuple(s // 2 for s in wanted.strides), None)}
    _, y = converted(ops.Reduction("mean", axes), some, outputs=wide, alpha=2.0, beta=0.5)
    assert y.dtype == "float32"
    assert np.allclose(y, 2 * some.astype("float64").mean(over) + 4), axes
last = ops.Spec("bfloat16", (8, 64, 16, 16), (16384, 1, 1024, 64), None)
way = way_of(ops.ConvolutionBackwardBias(), last)
assert way.function.startswith("cudnnTransformTensor, cudnn"), way.function
assert way.instead is not None
way = way.instead()
assert way.function == "cudnnTransformTensor, cudnnConvolutionBackwardBias", way.function
assert way.workspace_size == 4 * 8 * 64 * 256 + 256
assert [each.function for each in way.steps].count("cudnnTransformTensor") == 2


# By a plan, which writes float32, and a conversion.
RULE = Rule(pick="heuristic")
for dtype, axes in itertools.product(("float16", "bfloat16", "float32"), (1, 0, (0, 2, 3))):
    some = chance.standard_normal((4, 6, 5, 3)).astype(dtype)
    operation = ops.Reduction("sum", axes, keep_axes=True)
    case = operation.case(ops.Spec(dtype, some.shape, (90, 15, 3, 1), None))
    case = case._replace(alpha=2.0, beta=0.5)
    made: list[Case] = []

    def plan(inner, operation=operation, made=made):
        made.append(inner)
        return imitation._Plan(operation, inner)

    assert isinstance(sums.from_float32(case, RULE, None, plan), imitation._Plan)
    way = sums.from_float32(case, RULE, HANDLE, plan)
    assert dtype == "float32" or way.deterministic is False  # type: ignore[union-attr]
    try:
        sums.from_float32(case, RULE._replace(deterministic=True), HANDLE, plan)
    except ops.Unfit:
        pass
    else:
        raise AssertionError
    assert {each.outputs["y"].dtype for each in made} == {"float32"}
    if dtype == "float32":
        assert isinstance(way, imitation._Plan)
        continue
    target = case.outputs["y"]
    y = np.full(target.shape, 8, dtype)
    scratch = np.full(way.workspace_size + 512, 0x7F, np.uint8)
    start = -(-scratch.ctypes.data // 256) * 256
    way.call_with(HANDLE, start, some.ctypes.data, y.ctypes.data)  # type: ignore[union-attr]
    wanted = 2 * some.astype("float64").sum(axes, keepdims=True).astype("float32") + 4
    assert np.array_equal(y, wanted.astype(dtype)), (dtype, axes)
    apart = case.outputs["y"]._replace(strides=tuple(2 * s for s in target.strides))
    try:
        sums.from_float32(case._replace(outputs={"y": apart}), RULE, HANDLE, plan)
    except ops.Unfit:
        pass
    else:
        raise AssertionError


# Maxima.
def check_maxima():
    for dtype in ("bfloat16", "float16", "float32", "float64"):
        for order in ((0, 1, 2, 3), (0, 2, 3, 1), (1, 0, 3, 2)):
            for axes in (None, 0, 1, 2, 3, (0, 2, 3), (2, 3), (1, 2), (0, 1), (0, 3), (1, 2, 3)):
                for nan in (True, False):
                    x = chance.standard_normal((4, 6, 5, 3)).astype(dtype)
                    x[0, :2, 1] = -np.inf
                    x[1, 2, 3, 2] = np.nan
                    back = np.argsort(order)
                    x = np.ascontiguousarray(x.transpose(order)).transpose(back)
                    operation = ops.Reduction("max", axes, propagate_nan=nan)
                    spec = ops.Spec(dtype, x.shape, tuple(s // x.itemsize for s in x.strides), None)
                    ways[way_of(operation, spec).function] += 1
                    if way_of(operation, spec).function.endswith("cudnnReduceTensor"):
                        continue
                    over = tuple(range(4)) if axes is None else axes
                    wanted = (np.max if nan else np.fmax.reduce)(x, axis=over)
                    got = run(operation, x)
                    assert np.array_equal(got, wanted, equal_nan=True), (dtype, order, axes)


ways.clear()
check_maxima()
pooling, *others = "cudnnPoolingForward", "cudnnReduceTensor"
others.append(f"cudnnTransformTensor, {others[0]}")
assert {pooling, f"{pooling}, {pooling}", *others} == set(ways), ways
assert ways[pooling] > 50, ways
set_limits(window_contiguous=4, windows=4, window_extent=16)
ways.clear()
check_maxima()
assert "cudnnPoolingForward, cudnnPoolingForward" in ways, ways
set_limits(**LIMITS)
most = ops.Reduction("max", 1)
assert way_of(most, ops.Spec.like((8, 512))).function == "cudnnPoolingForward"
for shape, parts in (((8, 2048), 64), ((32, 200704), 392), ((512, 1 << 17), 128)):
    way = way_of(most, ops.Spec.like(shape))
    assert way.function == "cudnnPoolingForward, cudnnPoolingForward"
    assert way.workspace_size == 4 * shape[0] * parts, (shape, way.workspace_size)
way = way_of(ops.Reduction("max"), ops.Spec.like((6422528,)))
assert way.function == ", ".join(["cudnnPoolingForward"] * 3)
assert way.workspace_size == 4 * (12544 + 448)  # 392 of them, and what aligns them
assert way_of(most, ops.Spec.like((32, 100003))).function == "cudnnReduceTensor"  # a prime number
found = ops.Reduction("max", 1, indices=True)
assert way_of(found, ops.Spec.like((8, 2048))).function == "cudnnReduceTensor"
