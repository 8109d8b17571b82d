"""Values for all elements, products in place, and which way is tried first for large arrays."""

import math
import struct
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[3]))

import ml_dtypes
import numpy as np
from cudnn_cffi import errors, ops
from cudnn_cffi._ways.call_sequence import Steps
from cudnn_cffi._ways.graph_draft import Draft
from cudnn_cffi.choice.policy import Rule
from cudnn_cffi.kernels import can_compile

from tests.ops.imitation import HANDLE, install

install()
VALUES = (0.0, -0.0, 0.5, -3.0, 1 / 3, 65504.0, 1e-8, 1.00390625, 3e38, np.inf, -np.inf, np.nan)


def filled(value, array):
    strides = tuple(s // array.itemsize for s in array.strides)
    operation = ops.Fill(value)
    case = operation.case(ops.Spec(array.dtype.name, array.shape, strides, None))
    way = operation.classic(case, Rule(pick="heuristic"), HANDLE)
    if way.function != "cudnnSetTensor":
        way.call_with(HANDLE, 0, array.ctypes.data)
    return way.function


for dtype, width in ((np.float16, 16), (ml_dtypes.bfloat16, 16), (np.float32, 32)):
    for value in VALUES:
        x = np.full((3, 4, 5), 7, dtype)
        function = filled(value, x.transpose(2, 0, 1))
        if dtype is np.float16 and 65504 < abs(value) < np.inf:
            assert function == "cudnnSetTensor"
            continue
        assert function == f"cuMemsetD{width}Async", (dtype, value)
        wanted = np.full_like(x, np.asarray(value, np.float32).astype(dtype))
        assert x.tobytes() == wanted.tobytes(), (dtype, value)
    x = np.ones((3, 4, 5), dtype)
    filled(struct.unpack("<d", b"\xff" * 7 + b"\x7f")[0], x)  # NaN with all bits of the fraction
    assert np.isnan(x).all(), dtype
    # A number beyond the largest one is rounded to infinity: cuDNN says what that gives.
    largest = 65519.9 if dtype is np.float16 else float(ml_dtypes.finfo(dtype).max)
    beyond = largest * (1 + 2.0**-8 if dtype is ml_dtypes.bfloat16 else 1 + 2.0**-11)
    assert filled(largest, x) != filled(beyond, x) == "cudnnSetTensor", dtype
    assert filled(1.0, np.ones((4, 8), dtype)[:, ::2]) == "cudnnSetTensor"
assert filled(1.0, np.ones(8)) == filled(1.0, np.ones(8, np.int32)) == "cudnnSetTensor"


for value in (0.0, -0.0, 0.0):  # equal numbers, whose operations functions share
    assert str(ops.Fill.for_function({"value": value}).options["value"]) == str(value)


def scaled(value, array):
    strides = tuple(s // array.itemsize for s in array.strides)
    operation = ops.Scale(value)
    case = operation.case(ops.Spec(array.dtype.name, array.shape, strides, None))
    way = operation._by_graph(case, Rule(), HANDLE, None)
    assert way.is_mixed  # type: ignore[union-attr]
    scratch = np.full(way.workspace_size, 0x7F, np.uint8)
    way.call_with(HANDLE, scratch.ctypes.data, array.ctypes.data)  # type: ignore[union-attr]


chance = np.random.default_rng(5)
for dtype in (np.float16, np.float32):
    x = chance.standard_normal((6, 4, 5)).astype(dtype)
    wanted = (x * np.float32(0.3)).astype(dtype)
    scaled(0.3, x.transpose(2, 0, 1))
    assert (x == wanted).all()
refused = ((1.0, np.ones(8)), (1.0, np.ones((4, 8), np.float16)[:, ::2]), (1e39, x), (-0.0, x))
for value, array in (*refused, (0.0, x)):  # 0 times a NaN is 0 by the function
    try:
        scaled(value, array)
    except ops.Unfit:
        pass
    else:
        raise AssertionError

# A step writes to the workspace the number that engines read there: a float32, of all its numbers.
for value in (0.0, -0.0, 1 / 3, 2**53 + 1, 1e-45, np.inf, -np.inf, np.nan):
    way = Steps({}, {})
    way.number("number", value)
    scratch = np.full(1, 7, np.float32)
    way.classic().call_with(HANDLE, scratch.ctypes.data)
    assert scratch.tobytes() == np.float32(value).tobytes(), value
assert ops.Fill.for_function({"value": np.nan}) is not ops.Fill.for_function({"value": np.nan})

# A value that is no number is refused in words; a zero keeps its sign, of whichever type it is.
for function in (ops.fill, ops.scale):
    for value in (0j, np.zeros(2), "0", None):
        try:
            function(np.zeros(3, np.float32), value)
        except errors.ArgumentError as error:
            assert error.message.startswith("value: "), error
        else:
            raise AssertionError
signs = [
    ops.Fill.for_function({"value": each}) for each in (np.float32(-0.0), np.float32(0.0), 0, False)
]
assert [math.copysign(1.0, each.options["value"]) for each in signs] == [-1.0, 1.0, 1.0, 1.0]

large, small = ops.Spec.like((2048, 2048)), ops.Spec.like((2048, 1023))
odd = ops.Spec.like((2048, 2050))
first, last = (ops.Spec.like((32, 64, 56, 56), layout=each) for each in ("NCHW", "NHWC"))
channel, channels, narrow = (ops.Spec.like(each) for each in ((1, 64, 1, 1), (64,), (1023,)))
whole = ops.Spec.like((64, 56, 56))
half = ops.Spec.like((64, 64, 56, 56), "half", "NHWC")
own, pixels = ops.Spec.like((64,), "half"), ops.Spec.like((2, 64, 7, 7), "half", "NHWC")
like = ops.Spec.like
GRAPH, CLASSIC = ("graph", "classic"), ("classic", "graph")
NARROW = CLASSIC if can_compile() else GRAPH  # a kernel, where one can be compiled
for operation, given, wanted in (
    (ops.Scale(2.0), (large,), GRAPH),
    (ops.Scale(2.0), (small,), CLASSIC),
    (ops.Scale(2.0), (large._replace(alignment=8),), CLASSIC),
    (ops.TensorOperation("add"), (large, large._replace(alignment=8)), CLASSIC),
    (ops.TensorOperation("add"), (large, large), GRAPH),
    (ops.TensorOperation("add"), (small, small), CLASSIC),
    (ops.TensorOperation("add"), (large, ops.Spec.like((1, 2048))), GRAPH),  # for each row
    (ops.TensorOperation("add"), (large, ops.Spec.like((2048,))), GRAPH),
    (ops.TensorOperation("add"), (large, ops.Spec.like((2048, 1))), CLASSIC),
    (ops.TensorOperation("add"), (large, ops.Spec.like((1, 1))), CLASSIC),
    (ops.TensorOperation("add"), (odd, ops.Spec.like((1, 2050))), CLASSIC),
    (ops.TensorOperation("add"), (last, channel), GRAPH),
    (ops.TensorOperation("add"), (first, channel), CLASSIC),
    (ops.BatchNormInference(), (last, *(channels,) * 4), GRAPH),
    (ops.BatchNormInference(), (first, *(channels,) * 4), CLASSIC),
    (ops.BatchNormInference(), (small._replace(shape=(2048, 1023)), *(narrow,) * 4), CLASSIC),
    (ops.BatchNormInference("per_activation"), (last, *(whole,) * 4), CLASSIC),
    (ops.BatchNormInference(), (half, *(own,) * 4), NARROW),
    (ops.BatchNormInference(), (half, own, own, channels, channels), NARROW),
    (ops.BatchNormInference(), (pixels, *(own,) * 4), NARROW),  # the others are converted first
    (ops.BatchNormInference(), (pixels, *(channels,) * 4), CLASSIC),
    (ops.BatchNormInference(), (like((2, 64, 7, 7), "half"), *(own,) * 4), CLASSIC),
    (ops.BatchNormInference(), (like((2, 64), "half"), *(own,) * 4), NARROW),
    (ops.BatchNormInference("per_activation"), (like((2, 64), "half"), *(own,) * 4), CLASSIC),
    (ops.TensorOperation("add", alpha2=0.5), (large, large), CLASSIC),
    (ops.TensorOperation("sqrt"), (large,), GRAPH),
    (ops.Activation("relu"), (large,), GRAPH),
    (ops.Activation("relu"), (small,), CLASSIC),
):
    case = operation.case(*given)
    assert operation._order(case, Rule(pick="heuristic")) == wanted, (operation, given)
    for via in ("classic", "graph"):
        assert operation._order(case, Rule(pick="heuristic", via=via)) == (via,)
    assert operation._order(case, Rule(pick="time")) == operation.ways
# Parameters of any of the types are computed with in float32: nothing is rounded in between.
for given in ((half, *(own,) * 4), (half, own, channels, own, channels), (half, *(channels,) * 4)):
    infer = ops.BatchNormInference()
    case = infer.case(*given)
    draft = Draft(case.inputs, case.outputs)
    infer.graph(case, draft)
    nodes = draft.graph.nodes
    assert draft.graph.compute_data_type == "FLOAT"
    assert not any("compute_data_type" in each.options for each in nodes)
    kinds = [each.data_type for node in nodes for each in node.outputs.values()]
    assert kinds == [*["FLOAT"] * 5, "HALF"], kinds
for wrong in (
    (half, own._replace(dtype="bfloat16"), own, own, own),
    (half, own, own, own, channels._replace(dtype="float64")),
    (first, own, channels, channels, channels),
):
    try:
        ops.BatchNormInference().case(*wrong)
    except errors.ArgumentError as error:
        assert "float32" in error.message, error
    else:
        raise AssertionError(wrong)
try:
    ops.BatchNorm().case(half, own, own)
except errors.ArgumentError as error:
    assert "scale: expected float32, got float16" in error.message, error
else:
    raise AssertionError
assert ops.Spec.like((1, 64, 1, 1)).innermost == 1
assert ops.Spec.like((4, 64, 3, 3), layout="NHWC").innermost == 1
assert ops.Spec.like((4, 64, 3, 3)).innermost == 3
