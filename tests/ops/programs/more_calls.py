"""Addresses that classic functions get: multi-head attention, columns, folding, fused batch
norm."""

import inspect
import itertools
import math
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[3]))

import cudnn_cffi as cudnn
from cudnn_cffi import errors, ops
from cudnn_cffi._lookup import calls
from cudnn_cffi._ways import call_sequence as steps
from cudnn_cffi.choice.policy import Rule
from cudnn_cffi.ops.attn import multi_head_weights as heads

from tests.refusing import refusal

like = ops.Spec.like
HANDLE = SimpleNamespace(
    device=0, stream=None, get_stream=lambda: 7, workspace=SimpleNamespace(limit=None)
)
given: list[tuple[str, dict[str, Any]]] = []
constants: list[bytes] = []


def standing_in(name: str, answer: Any = None) -> None:
    real = getattr(calls, name)

    def stand_in(*arguments: Any) -> Any:
        bound = inspect.signature(real).bind(*arguments).arguments
        given.append((name, bound))
        return answer

    setattr(calls, name, stand_in)


def keep(_handle: Any, data: bytes) -> Any:
    constants.append(data)
    return SimpleNamespace(address=-len(constants))


steps.constant_of = keep
for name in (
    "cudnnMultiHeadAttnForward", "cudnnMultiHeadAttnBackwardData",
    "cudnnMultiHeadAttnBackwardWeights", "cudnnIm2Col", "cudnnTransformTensorEx",
    "cudnnTransformTensor", "cudnnPoolingForward", "cudnnPoolingBackward",
    "cudnnBatchNormalizationForwardTrainingEx", "cudnnBatchNormalizationBackwardEx",
):  # fmt: skip
    standing_in(name)
standing_in("cudnnGetMultiHeadAttnBuffers", (600 * 4, 64, 128))
standing_in("cudnnGetBatchNormalizationForwardTrainingExWorkspaceSize", 512)
standing_in("cudnnGetBatchNormalizationBackwardExWorkspaceSize", 256)
standing_in("cudnnGetBatchNormalizationTrainingExReserveSpaceSize", 96)


def check(
    operation: Any, *arrays: Any, names: dict[str, str], out: Any = None, **call: Any
) -> dict[str, Any]:
    """Run an operation's call on numbers; return what the last function got."""
    case = operation.case(*arrays, out=out, **call)
    way = operation.classic(case, Rule(pick="heuristic"), HANDLE)
    given.clear()
    addresses = {each.name: 1000 * (i + 1) for i, each in enumerate(way.operands)}
    way.call_with(HANDLE, 1 << 20, *addresses.values())
    assert {name for name, _ in given} <= {each.strip() for each in way.function.split(",")}
    for name, bound in given:
        for operand, parameters in names.items():
            for parameter in parameters.split():
                if parameter in bound:
                    assert bound[parameter] == addresses[operand], (name, operand, bound)
    return given[-1][1]


def refused(text: str, call: Any, kind: Any = errors.ArgumentError) -> None:
    refusal(kind, call, text)


# Multi-head attention.
Q, K, V, W = like((3, 5, 12)), like((3, 7, 10)), like((3, 7, 14)), like((600,))
attend = ops.MultiHeadAttention(
    2, 12, 10, 14, q_projection=6, k_projection=6, v_projection=8, o_projection=16, scale=0.5
)
names = {"q": "queries", "k": "keys", "v": "values", "weights": "weights", "o": "out"}
bound = check(attend, Q, K, V, W, names=names)
assert bound["currIdx"] == -1
assert (bound["loWinIdx"], bound["hiWinIdx"]) == ([0] * 5, [7] * 5)
assert bound["reserveSpaceSizeInBytes"] == 0 and bound["reserveSpace"] is None
assert bound["workSpaceSizeInBytes"] == 64 + 128 and bound["workSpace"]
assert bound["residuals"] is None
assert bound["qDesc"].shape == (3, 5, 1, 12) and bound["oDesc"].shape == (3, 5, 1, 16)
attention = bound["attnDesc"]
assert (attention.heads, attention.q_projection, attention.o_projection) == (2, 6, 16)
assert (attention.max_q_length, attention.max_kv_length, attention.max_batch) == (5, 7, 3)
assert attention.scale == 0.5
assert constants[-2:] == [b"\5\0\0\0" * 3, b"\7\0\0\0" * 3]
residual = like((3, 5, 16))
refused("residual: cuDNN adds one", lambda: attend.case(Q, K, V, W, residual))
long, Q16 = ops.MultiHeadAttention(**{**attend.options, "q_size": 16}), like((3, 5, 16))
bound = check(
    long, Q16, K, V, W, residual, names={**names, "residual": "residuals", "reserve":
    "reserveSpace"}, training=True, q_lengths=(5, 2, 1), kv_lengths=(7, 7, 3),
    windows=((0, 1, 2, 3, 4), (3, 4, 5, 6, 7)),
)  # fmt: skip
assert bound["reserveSpaceSizeInBytes"] == 128 and bound["workSpaceSizeInBytes"] == 64
assert bound["hiWinIdx"] == [3, 4, 5, 6, 7]
assert bound["qDesc"].lengths == (5, 2, 1) and bound["kDesc"].lengths == (7, 7, 3)
assert constants[-2] == b"\5\0\0\0\2\0\0\0\1\0\0\0"
bound = check(attend, Q, K, V, W, names=names, step=3)
assert bound["currIdx"] == 3
back = ops.MultiHeadAttentionBackward(**attend.options)
bound = check(
    back, residual, Q, K, V, W, like((128,), "uint8"),
    names={
        "do": "dout", "q": "queries", "k": "keys", "v": "values", "weights": "weights",
        "reserve": "reserveSpace", "dq": "dqueries", "dk": "dkeys", "dv": "dvalues",
        "dweights": "dweights",
    },
)  # fmt: skip
assert [name for name, _ in given] == [
    "cudnnMultiHeadAttnBackwardData", "cudnnMultiHeadAttnBackwardWeights",
]  # fmt: skip
assert bound["addGrad"].name == "SET"
causal = ops.MultiHeadAttention(1, 8, causal=True, batch_first=False, bias=True)
x = like((4, 2, 8))
bound = check(causal, x, x, x, W, names=names)
assert bound["hiWinIdx"] == [1, 2, 3, 4]
assert bound["qDesc"].batch == 2 and bound["qDesc"].axes[0].name == "TIME_DIM"
assert "ENABLE_PROJ_BIASES" in str(cudnn.AttnMode(bound["attnDesc"].mode))
refused("q: expected (batch, time, 12)", lambda: attend.case(K, K, V, W), errors.ShapeMismatchError)
refused(
    "v: expected a batch of 3", lambda: attend.case(Q, K, like((3, 6, 14)), W), errors.CudnnError
)
refused("k: expected float32", lambda: attend.case(Q, like(K.shape, "half"), V, W))
refused("q_lengths: expected 3 numbers", lambda: attend.case(Q, K, V, W, q_lengths=(6, 1, 1)))
refused("windows: expected 5 first", lambda: attend.case(Q, K, V, W, windows=((0,), (1,))))
refused(
    "windows: expected 0 <= first", lambda: attend.case(Q, K, V, W, windows=((3,) * 5, (2,) * 5))
)
refused("step: expected a number", lambda: attend.case(Q, K, V, W, step=5))
refused("step: it is for inference", lambda: attend(Q, K, V, W, step=1, training=True))
refused("out: expected an array", lambda: attend(Q, K, V, W, step=1))
refused("windows: expected the first keys", lambda: attend(Q, K, V, W, windows=3))
refused("heads: expected 1 or more", lambda: ops.MultiHeadAttention(0, 8))
refused("k_projection: expected as many", lambda: ops.MultiHeadAttention(1, 8, 6))
refused("dropout", lambda: ops.MultiHeadAttention(1, 8, dropout=1.5), errors.CudnnError)
dropping = ops.MultiHeadAttention(1, 8, dropout=0.5, output_dropout=0.5, seed=7)
assert (dropping.state.seed, dropping.output_state.seed) == (7, 7 + (1 << 62))
refused("bias: cuDNN has no gradients", lambda: ops.MultiHeadAttentionBackward(
    1, 8, bias=True).case(x.__class__.like((2, 4, 8)), *(like((2, 4, 8)),) * 3, W,
                          like((128,), "uint8")))  # fmt: skip
refused("weights: expected an array of 600", lambda: attend.classic(
    attend.case(Q, K, V), Rule(), HANDLE))  # fmt: skip
refused("weights: expected the shape (600,)", lambda: attend.classic(
    attend.case(Q, K, V, like((5,))), Rule(), HANDLE), errors.ShapeMismatchError)  # fmt: skip

# Where weights are: cuDNN's axes, in any order, become heads, rows and columns.
vars(heads)["handles"] = SimpleNamespace(handle=lambda _device: HANDLE)
places = {
    "Q_WEIGHTS": (0, 6, 12), "K_WEIGHTS": (144, 6, 10), "V_WEIGHTS": (264, 8, 14),
    "O_WEIGHTS": (488, 16, 8),
}  # fmt: skip


def find(_handle: Any, _attention: Any, kind: Any, _size: int, base: int, desc: Any) -> int:
    if kind.name not in places:
        return 0
    offset, rows, columns = places[kind.name]
    cudnn.cudnnSetTensorNdDescriptor(
        desc, cudnn.DataType.FLOAT, 3, [columns, 2, rows], [1, rows * columns, columns]
    )
    return base + 4 * offset


calls.cudnnGetMultiHeadAttnWeights = find
assert attend.weights_count() == 600
try:
    layout = attend.layout(W)
except errors.CudnnError as error:
    raise AssertionError(str(error)) from error
assert [each.name for each in layout] == [
    f"{name}.weight" for name in ("query", "key", "value", "output")
]
assert layout[0].shape == (2, 6, 12) and layout[0].strides == (72, 12, 1)
assert [each.offset for each in layout] == [0, 144, 264, 488]

# Columns: those of a window lie next to each other.
image = like((2, 3, 6, 5))
bound = check(ops.Im2Col((3, 2), 1, (1, 0), 2), image, names={"x": "x", "y": "colBuffer"})
conv, filters = bound["convDesc"], bound["wDesc"]
assert (conv.padding, conv.stride, conv.dilation) == ((1, 0), (1, 1), (2, 2))
assert filters.shape[1:] == (3, 3, 2) and conv.mode.name == "CROSS_CORRELATION"
case = ops.Im2Col((3, 2), 1, (1, 0), 2).case(image)
assert case.outputs["y"].shape == (2, 18, 4 * 3)
assert case.outputs["y"].strides == (12, 24, 1)
assert ops.Im2Col(2).case(like((2, 3, 6))).outputs["y"].shape == (2, 6, 5)
back = ops.Col2Im(image.shape, (3, 2), 1, (1, 0), 2)
assert back.case(case.outputs["y"]).outputs["x"].shape == image.shape
assert back.case(like((2, 18, 12))).outputs["x"].strides == image.strides
none = ops.Im2Col(2).case(like((0, 3, 6))).outputs["y"]
assert none.shape == (0, 6, 5)
assert ops.Col2Im((0, 3, 6), 2).case(none).outputs["x"].shape == (0, 3, 6)
refused("x: the spatial extents", lambda: ops.Im2Col(9).case(image), errors.CudnnError)
refused("x: expected (N, C, W)", lambda: ops.Im2Col(1).case(like((2, 3))))
refused("y: expected the shape", lambda: back.case(like((2, 18, 11))), errors.ShapeMismatchError)
refused("y: expected C order", lambda: back.case(like((2, 18, 12))._replace(strides=(1, 2, 36))))
refused("out: expected strides", lambda: ops.Im2Col(2).case(image, out=like((2, 12, 20))))

refused(
    "output_padding: expected less than the stride (1, 1), got (1, 0)",
    lambda: ops.ConvolutionTranspose(dilation=2, output_padding=(1, 0)).case(
        image, like((3, 2, 3, 3))
    ),
)

# Folding.
bound = check(ops.Fold((2, 1)), image, names={"x": "srcData", "y": "destData"})
assert bound["destDesc"].shape == (2, 6, 3, 5) and bound["transDesc"].direction.name == "FOLD"
assert ops.Fold((2, 1), layout="NHWC").case(image).outputs["y"].layout == "NHWC"
bound = check(ops.Unfold(2), like((2, 12, 3, 2)), names={"x": "srcData", "y": "destData"})
assert bound["destDesc"].shape == (2, 3, 6, 4)
# It numbers the pixels of a block by the order of axes in memory: rows have to be outside.
for shape, factors in (((2, 3, 4, 6), (2, 3)), ((2, 3, 4, 2), (2, 1))):
    blocks = [axis + 2 for axis, f in enumerate(factors) if f > 1]
    for order in itertools.permutations(range(len(shape))):
        case = ops.Fold(factors).case(like(shape, layout=order))
        way = ops.Fold(factors).classic(case, Rule(pick="heuristic"), HANDLE)
        assert (way.workspace_size > 0) == (sorted(blocks, key=order.index) != blocks), order
        given.clear()
        way.call_with(HANDLE, 1 << 20, 1000, 2000)
        bound = given[-1][1]
        steps = [bound["srcDesc"].strides[axis] for axis in blocks]
        assert steps == sorted(steps, reverse=True), order
        assert bound["srcData"] == ((1 << 20) if way.workspace_size else 1000), order
        assert bound["destData"] == 2000
refused("x: expected spatial extents", lambda: ops.Fold(2).case(image), errors.ShapeMismatchError)
refused("x: expected a multiple of 4", lambda: ops.Unfold(2).case(image), errors.ShapeMismatchError)
refused("x: expected 4 or 5 axes", lambda: ops.Fold(2).case(like((2, 3))))
refused("layout:", lambda: ops.Fold(2, layout="CHWN"))

# Types that the function does not have are copied as bytes.
for kind, size in (("uint8", 1), ("int32", 4), ("int64", 8), ("bool", 1)):
    for operation in (ops.Transform("NHWC"), ops.Activation("identity")):
        bound = check(operation, like((2, 3, 4, 5), kind), names={"x": "x", "y": "y"})
        for desc in (bound["xDesc"], bound["yDesc"]):
            assert " int8 " in str(desc) and math.prod(desc.shape) == 120 * size, desc
        case = operation.case(like((2, 3, 4, 5), kind), alpha=2.0)
        refused("copied without factors", lambda operation=operation, case=case: operation.classic(
            case, Rule(), HANDLE), errors.NotSupportedError)  # fmt: skip

# Sums are means times the elements of the window.
pooled = like((2, 3, 3, 2))
bound = check(ops.Pooling("sum", (2, 2)), image, names={"x": "x", "y": "y"})
assert bound["alpha"] == 4.0 and bound["poolingDesc"].mode.name == "AVERAGE_COUNT_INCLUDE_PADDING"
bound = check(ops.PoolingBackward("sum", (2, 2)), pooled, image, pooled, names={"dx": "dx"})
assert bound["alpha"] == 4.0

# The identity is a copy, and so is its gradient.
bound = check(ops.Activation("identity"), image, names={"x": "x", "y": "y"})
bound = check(ops.ActivationBackward("identity"), image, image, names={"dy": "x", "dx": "y"})

# Batch norm with what follows, in one call.
x, p = like((2, 8, 3, 3), "half", "NHWC"), like((8,))
operation = ops.BatchNormActivation("spatial_persistent", momentum=0.3)
names = {
    "x": "xData", "residual": "zData", "y": "yData", "scale": "bnScale", "bias": "bnBias",
    "running_mean": "resultRunningMean", "running_variance": "resultRunningVariance",
    "mean": "resultSaveMean", "inv_variance": "resultSaveInvVariance", "reserve": "reserveSpace",
}  # fmt: skip
bound = check(operation, x, p, p, x, p, p, names=names)
assert bound["bnOps"].name == "BN_ADD_ACTIVATION" and bound["reserveSpaceSizeInBytes"] == 96
assert bound["workSpaceSizeInBytes"] == 512 and bound["exponentialAverageFactor"] == 0.3
del names["residual"], names["running_mean"], names["running_variance"]
bound = check(operation, x, p, p, names=names)
assert bound["bnOps"].name == "BN_ACTIVATION" and bound["zDesc"] is None
names = {
    "dy": "dyData", "x": "xData", "y": "yData", "scale": "bnScaleData", "bias": "bnBiasData",
    "mean": "savedMean", "inv_variance": "savedInvVariance", "reserve": "reserveSpace",
    "dx": "dxData", "dscale": "dBnScaleData", "dbias": "dBnBiasData", "dresidual": "dzData",
}  # fmt: skip
reserve = like((96,), "uint8")
back = ops.BatchNormActivationBackward("spatial_persistent", residual=True)
bound = check(back, x, x, x, p, p, p, p, reserve, names=names)
assert bound["bnOps"].name == "BN_ADD_ACTIVATION" and bound["workSpaceSizeInBytes"] == 256
refused("reserve: expected 96 bytes", lambda: check(
    back, x, x, x, p, p, p, p, like((95,), "uint8"), names={}))  # fmt: skip
refused("residual: expected an array without gaps", lambda: operation.case(
    x, p, p, like(x.shape, "half")))  # fmt: skip

# Cross entropy and group norm refuse by name.
entropy = ops.CrossEntropy()
logits, labels = like((4, 10, 3)), like((4, 3), "int64")
refused(
    "target: expected labels",
    lambda: entropy.case(logits, like((4, 10, 3), "int32")),
    errors.CudnnError,
)
refused(
    "target: expected float32, or labels", lambda: entropy.case(logits, like(logits.shape, "half"))
)
refused("weight: expected float32 (10,)", lambda: entropy.case(logits, labels, like((9,))))
refused("weight: it is for labels", lambda: entropy.case(logits, logits, like((10,))))
refused("label_smoothing: expected 0 to 1", lambda: ops.CrossEntropy(label_smoothing=2))
refused("ignore_index", lambda: ops.CrossEntropy(ignore_index=1 << 30))
refused("label_smoothing: it is for", lambda: ops.CrossEntropy(label_smoothing=0.1).case(
    logits, logits))  # fmt: skip
refused("dloss: expected float32", lambda: ops.CrossEntropyBackward().case(
    like((1,), "half"), like(logits.shape, "half"), labels))  # fmt: skip
last, marks = like((2, 5, 4, 3), layout="NHWC"), like((2, 4, 3), "int32")
made = ops.CrossEntropyBackward().case(like((1,)), last, marks, out=last)
assert made.outputs["dx"].strides == last.strides
for one, other in ((last, like(last.shape)), (like(last.shape), last)):
    refused("dx: expected an array in", lambda one=one, other=other: ops.CrossEntropyBackward()
            .case(like((1,)), one, marks, out=other))  # fmt: skip
refused("groups: expected 1 or more", lambda: ops.GroupNorm(0))
refused("x: expected a multiple of 3", lambda: ops.GroupNorm(3).case(image._replace(
    shape=(2, 4, 3, 5))), errors.CudnnError)  # fmt: skip
refused(
    "scale: expected 3 numbers", lambda: ops.GroupNorm(3).case(image, like((4,))), errors.CudnnError
)
refused("scale: expected float32", lambda: ops.GroupNorm(3).case(image, like((3,), "half")))
refused("mean: ", lambda: ops.GroupNormBackward(3).case(
    image, image, None, like((2, 2)), like((2, 2))), errors.CudnnError)  # fmt: skip

# Causal convolutions and aggregation: functions of newer releases, called with a stream.
x, w, b = like((2, 8, 16)), like((8, 4)), like((8,))
edges = (like((5,), "int32"), like((9,), "int32"))
short = ops.CausalConvolution("silu")
if tuple(map(int, cudnn.library.load().version.split("."))) < (9, 26):
    for operation, arrays in (
        (ops.FFTCausalConvolution(), (x, w)),
        (ops.Aggregation("max"), (like((6, 3)), *edges)),
    ):
        case = operation.case(*arrays)
        refused(
            "was added in cuDNN 9.2", lambda o=operation, c=case: o.classic(c, Rule(), HANDLE),
            errors.NotSupportedError,
        )  # fmt: skip
else:
    for name in dir(cudnn):
        if "CausalConv1d" in name and name.endswith(("Forward", "Backward")):
            assert "Since 9.2" in getattr(cudnn, name).__doc__
            standing_in(name)
    standing_in("cudnnGnnAggSimpleForward")
    standing_in("cudnnGnnAggSimpleBackward")
    zeroed: list[tuple[int, int]] = []
    vars(sys.modules["cudnn_cffi.plan.run.call_steps"])["fill_with"] = (
        lambda address, _bits, size, *_: zeroed.append((address, size))
    )
    names = {"x": "x", "weight": "weight", "bias": "bias", "y": "y"}
    bound = check(short, x, w, b, names=names)
    sizes = [bound[name] for name in ("batch", "dim", "seqLen", "kernelSize")]
    assert sizes == [2, 8, 16, 4] and bound["activation"].name == "SILU" and bound["stream"] == 7
    del names["bias"]
    bound = check(ops.CausalConvolution(channels_last=True), like((2, 16, 8)), w, names=names)
    assert given[-1][0] == "cudnnCausalConv1dNwhForward" and bound["bias"] < 0
    assert [bound[name] for name in ("batch", "dim", "seqLen")] == [2, 8, 16]
    names = {"dy": "dy", "x": "x", "weight": "weight", "bias": "bias", "dx": "dx",
             "dweight": "dweight", "dbias": "dbias"}  # fmt: skip
    half = like(x.shape, "half")
    bound = check(
        ops.CausalConvolutionBackward(), half, half, like(w.shape, "half"), like((8,), "half"),
        names=names,
    )  # fmt: skip
    assert bound["dataType"].name == "HALF" and bound["dwDataType"].name == "FLOAT"
    assert [size for _, size in zeroed] == [8 * 4 * 4, 8 * 4]
    names = {"x": "x", "weight": "weight", "y": "y", "dy": "dy", "dx": "dx", "dweight": "dweight"}
    check(ops.FFTCausalConvolution(), x, w, names={k: names[k] for k in ("x", "weight", "y")})
    del names["y"]
    check(ops.FFTCausalConvolutionBackward(), x, x, w, names=names)
    long, kernels = like((2, 8, 4096)), like((8, 4096))
    bound = check(
        ops.FFTCausalConvolution(long=True), long, kernels, names={"reserve": "reserveSpace"}
    )
    kept = bound["reserveSpaceSizeInBytes"]
    assert kept > 0 and bound["workspaceSizeInBytes"] > 0 and bound["workspace"] == 1 << 20
    bound = check(
        ops.FFTCausalConvolutionBackward(4096), long, None, None, like((kept,), "uint8"),
        names={"dy": "dy", "reserve": "reserveSpace", "dx": "dx", "dweight": "dweight"},
    )  # fmt: skip
    assert bound["kernelSize"] == 4096
    zeroed.clear()
    bound = check(
        ops.Aggregation("max"), like((6, 3)), *edges,
        names={"x": "nodeFeatures", "y": "output", "positions": "outPositions"},
    )  # fmt: skip
    graph = bound["graph"]
    assert (graph.nSrcNodes, graph.nDstNodes, graph.nIndices) == (6, 4, 9)
    assert graph.idxType.name == "INT32" and (graph.cscOffsets, graph.cscIndices) == (2000, 3000)
    assert bound["nodeFeatDim"] == 3 and bound["aggOp"].name == "MAX"
    bound = check(
        ops.AggregationBackward(6, "max"), like((4, 3)), *edges, None, None,
        like((4, 3), "int32"), names={"dy": "gradOutput", "positions": "outPositions",
                                      "dx": "gradNodeFeatures"},
    )  # fmt: skip
    assert zeroed[-1][1] == 6 * 3 * 4
refused("activation: expected None", lambda: ops.CausalConvolution("relu"))
refused("weight: expected (8,", lambda: short.case(x, like((7, 4))), errors.ShapeMismatchError)
refused("bias: expected the shape", lambda: short.case(x, w, like((7,))), errors.ShapeMismatchError)
refused(
    "x: expected (batch, channels, time)", lambda: short.case(like((2, 8)), w), errors.CudnnError
)
refused("weight: expected float32", lambda: short.case(x, like(w.shape, "half")))
refused("x: expected x and weight", lambda: ops.FFTCausalConvolutionBackward().case(x))
refused("reserve: expected an operation with kernel", lambda: ops.FFTCausalConvolutionBackward().case(
    x, x, w, like((3,), "uint8")))  # fmt: skip
refused("operation: expected an aggregation, got 'prod'", lambda: ops.Aggregation("prod"))
refused("indices: expected int32 or int64", lambda: ops.Aggregation().case(
    like((6, 3)), edges[0], like((9,), "int64")))  # fmt: skip
refused("positions: they go", lambda: ops.AggregationBackward(6, "max").case(like((4, 3)), *edges))
refused("nodes: expected 1 or more", lambda: ops.AggregationBackward(0))

# Without projections there are no weights.
calls.cudnnGetMultiHeadAttnBuffers = lambda *_: (0, 64, 128)
plain, x = ops.MultiHeadAttention(2, 8), like((2, 4, 8))
bound = check(plain, x, x, x, names={"q": "queries", "o": "out"})
assert bound["weightSizeInBytes"] == 0 and bound["weights"] is None
case = plain.case(x, x, x)
assert case.outputs["o"].shape == (2, 4, 16)
back = ops.MultiHeadAttentionBackward(2, 8)
bound = check(
    back, case.outputs["o"], x, x, x, None, like((128,), "uint8"), names={"dq": "dqueries"}
)
assert [name for name, _ in given] == ["cudnnMultiHeadAttnBackwardData"]
assert list(back.case(case.outputs["o"], x, x, x, None, like((128,), "uint8")).outputs) == [
    "dq", "dk", "dv",
]  # fmt: skip
