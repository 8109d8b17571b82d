"""Sums and means over axes without kernels, by stand-ins of cuDNN's functions in NumPy."""

import itertools
import sys
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[3]))

import ml_dtypes  # noqa: F401  gives NumPy bfloat16
import numpy as np
from cudnn_cffi import ops
from cudnn_cffi._ways.case import Case
from cudnn_cffi.choice.policy import Rule
from cudnn_cffi.ops.element import reduction_kernels as sums

from tests.ops import imitation
from tests.ops.imitation import HANDLE, install, run

install()
chance = np.random.default_rng(3)
ways: Counter[str] = Counter()
TYPES = "float16", "bfloat16", "float32", "float64"


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
assert set(ways) == {"cudnnReduceTensor", "cudnnTransformTensor, cudnnReduceTensor"}, ways

# The gradient of a bias, too.
for dtype, (shape, batch) in itertools.product(
    TYPES, (((3, 4, 5, 6), True), ((4, 5, 6), False), ((3, 8, 9), True))
):
    dy = chance.standard_normal(shape).astype(dtype)
    db = run(ops.ConvolutionBackwardBias(batch=batch), dy)
    over = tuple(axis for axis in range(dy.ndim) if axis != batch)
    assert np.allclose(db.astype("float64"), dy.astype("float64").sum(over), 2.0**-8, 1e-4)


def way_of(operation, *given, **more):
    case = operation.case(*given, **more)
    return operation.classic(case, Rule(pick="heuristic"), HANDLE)


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
    assert np.array_equal(converted(ops.Reduction("max", axes), some)[1], wanted), axes
    wide = {"y": ops.Spec("float32", wanted.shape, tuple(s // 2 for s in wanted.strides), None)}
    _, y = converted(ops.Reduction("mean", axes), some, outputs=wide, alpha=2.0, beta=0.5)
    assert y.dtype == "float32"
    assert np.allclose(y, 2 * some.astype("float64").mean(over) + 4), axes
last = ops.Spec("bfloat16", (8, 64, 16, 16), (16384, 1, 1024, 64), None)
way = way_of(ops.ConvolutionBackwardBias(), last)
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
