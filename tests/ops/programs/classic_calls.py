"""Addresses that classic functions get for each of their parameters, without calling them."""

import inspect
import math
import sys
from types import SimpleNamespace
from typing import Any

import cudnn_cffi as cudnn
from cudnn_cffi import ops
from cudnn_cffi._lookup import calls
from cudnn_cffi._operation.way_search import find_first
from cudnn_cffi._ways.classic_call import Classic, operands_of
from cudnn_cffi._ways.graph_draft import Draft
from cudnn_cffi.choice.policy import Rule
from cudnn_cffi.ops.conv import base as convolving
from cudnn_cffi.ops.conv.base import Offer

like = ops.Spec.like
x, y8, p, w = like((4, 8, 6, 5)), like((4, 8, 3, 2)), like((8,)), like((8, 8, 3, 3))
HANDLE = object()

#: Names of parameters, by those of operands.
NAMES = {
    "scale": "bnScale", "bias": "bnBias", "running_mean": "resultRunningMean",
    "running_variance": "resultRunningVariance", "dscale": "dBnScaleResult_",
    "dbias": "dBnBiasResult_",
}  # fmt: skip
SAVED = {
    "BatchNorm": {"mean": "resultSaveMean", "inv_variance": "resultSaveInvVariance"},
    "BatchNormBackward": {"mean": "savedMean", "inv_variance": "savedInvVariance"},
    "BatchNormInference": {"mean": "estimatedMean", "variance": "estimatedVariance"},
    "TensorOperation": {"a": "A", "b": "B", "y": "C"},
    "Reduction": {"x": "A", "y": "C", "indices": "indices"},
    "Scale": {"x": "y"},
    "Fill": {"x": "y"},
}


def check(operation, *arrays, alpha=0.5, beta=0.25, out=None, **call):
    case = operation.case(*arrays, out=out, **call)
    case = case._replace(alpha=alpha, beta=beta)
    way = operation.classic(case, Rule(pick="heuristic"), HANDLE)
    given = []
    name = way.function
    real = getattr(calls, name)
    setattr(calls, name, lambda *arguments: given.append(arguments))
    try:
        way = operation.classic(case, Rule(pick="heuristic"), HANDLE)
        addresses = [1000 * (i + 1) for i in range(len(way.operands))]
        way.call_with(HANDLE, 0, *addresses)
    finally:
        setattr(calls, name, real)
    (arguments,) = given
    bound = inspect.signature(real).bind(*arguments).arguments
    known = {**NAMES, **SAVED.get(type(operation).__name__, {})}
    for operand, address in zip(way.operands, addresses, strict=True):
        parameter = known.get(operand.name, operand.name)
        assert bound[parameter] == address, (name, operand.name, bound)
    assert bound["handle"] is HANDLE
    if "alpha" in bound and "valuePtr" not in bound and operation.gives:
        assert (bound["alpha"], bound["beta"]) == (alpha, beta)
    return bound


bound = check(ops.Activation("clipped_relu", 3.0), x)
assert bound["activationDesc"].coefficient == 3.0
check(ops.ActivationBackward("tanh"), x, x, x)
bound = check(ops.Pooling("max", 3, 2, 1), x)
assert bound["poolingDesc"].mode.name == "MAX"
assert bound["yDesc"].shape == (4, 8, 3, 3)
bound = check(ops.Pooling("average", 2, deterministic=True), like((4, 8, 6)))
assert bound["poolingDesc"].window == (1, 2)
assert bound["xDesc"].shape == (4, 8, 1, 6)
bound = check(ops.PoolingBackward("max", 2, deterministic=True), y8, x, y8)
assert bound["poolingDesc"].mode.name == "MAX_DETERMINISTIC"
pooling = ops.PoolingBackward("max", 2)
for rule, keeps in (
    (Rule(), False),
    (Rule(deterministic=False), False),
    (Rule(deterministic=True), True),
    (Rule(pick="deterministic"), True),
):
    pooled: Any = pooling.classic(pooling.case(y8, x, y8), rule, HANDLE)
    (made,) = [e for e in pooled.steps[0].arguments if isinstance(e, cudnn.PoolingDescriptor)]
    assert made.mode.name == ("MAX_DETERMINISTIC" if keeps else "MAX"), rule
    assert pooled.deterministic is keeps
check(ops.ConvolutionBackwardBias(), x)
operation: Any
for operation, wanted in (
    (ops.Softmax("channel"), (4, 8, 30, 1)),
    (ops.Softmax("last"), (192, 5, 1, 1)),
    (ops.Softmax("instance"), (4, 240, 1, 1)),
    (ops.Softmax(0), (1, 4, 240, 1)),
    (ops.Softmax((2, 3)), (32, 30, 1, 1)),
    (ops.Softmax("last", log=True), (192, 5, 1, 1)),
):
    bound = check(operation, x)
    assert bound["xDesc"].shape == wanted, bound["xDesc"]
bound = check(ops.Softmax(), like((4, 8, 6, 5), layout="NHWC"))
assert bound["xDesc"].shape == (120, 8, 1, 1)
check(ops.SoftmaxBackward(), x, x)
for mode, shape in (("spatial", (1, 8, 1, 1)), ("per_activation", (1, 8, 6, 5))):
    q = like(shape[1:] if mode == "per_activation" else (8,))
    bound = check(ops.BatchNorm(mode, momentum=0.3), x, q, q, q, q)
    assert bound["exponentialAverageFactor"] == 0.3
    assert bound["bnScaleBiasMeanVarDesc"].shape == shape
    bound = check(ops.BatchNorm(mode), x, q, q)
    assert not bound["resultRunningMean"] and bound["exponentialAverageFactor"] == 0
    check(ops.BatchNormInference(mode), x, q, q, q, q)
    check(ops.BatchNormBackward(mode), x, x, q, q, q, alpha=1.0, beta=0.0)
    check(ops.BatchNormBackward(mode), x, x, q, alpha=1.0, beta=0.0)

INFER = "cudnnBatchNormalizationForwardInference"
room: Any = sys.modules["cudnn_cffi.ops.norm.batch_inference"]


def check_conversions(kind: str, mode: str, types: tuple[str, ...], *, planned: bool) -> None:
    """Inference converts parameters of other types to float32 first, and no others."""
    shape = (8,) if mode == "spatial" else (8, 6, 5)
    infer = ops.BatchNormInference(mode)
    case = infer.case(like((4, 8, 6, 5), kind), *(like(shape, each) for each in types))
    narrow = [name for name, each in zip(infer.takes[1:], types, strict=True) if each == kind]
    converted: list[dict[str, int]] = []

    def find(inner: Any, rule: Any, *_: Any) -> Any:
        """Return what stands for the plan that converts, or raise for want of an engine."""
        assert list(inner.inputs) == narrow, inner
        assert [each.dtype for each in inner.outputs.values()] == ["float32"] * len(narrow)
        assert [each.shape for each in inner.outputs.values()] == [shape] * len(narrow)
        assert (rule.pick, rule.via) == ("heuristic", "graph"), rule
        draft = Draft(inner.inputs, inner.outputs)
        room._conversion.graph(inner, draft)
        assert [e.options["mode"] for e in draft.graph.nodes] == ["IDENTITY"] * len(narrow)
        if not planned:
            raise ops.Unfit("no engine")
        names = [*inner.inputs, *inner.outputs]
        return Classic(
            "a plan",
            operands_of(inner.inputs, inner.outputs),
            lambda _handle, _at, _size, *at: converted.append(dict(zip(names, at, strict=True))),
        )

    room._conversion.find_way = find
    room.is_captured = lambda _: False
    way = infer.classic(case._replace(alpha=0.5, beta=0.25), Rule(pick="time"), HANDLE)
    assert not way.is_late
    made: list[Any] = []
    before = {name: getattr(calls, name) for name in ("cudnnTransformTensor", INFER)}
    for name, real in before.items():
        bind = inspect.signature(real).bind
        setattr(calls, name, lambda *e, bind=bind: made.append(bind(*e).arguments))
    addresses = [1000 * (i + 1) for i in range(len(way.operands))]
    way.call_with(HANDLE, 1 << 20, *addresses)
    for name, real in before.items():
        setattr(calls, name, real)
    at = dict(zip([each.name for each in way.operands], addresses, strict=True))
    *copies, call = made
    if planned:
        (found,) = converted
        assert [found[name] for name in narrow] == [at[name] for name in narrow]
        assert not copies
        places = list(found.values())[len(narrow) :]
    else:
        assert [each["x"] for each in copies] == [at[name] for name in narrow], (types, made)
        for copy in copies:
            source, target = copy["xDesc"], copy["yDesc"]
            assert (source.shape, target.shape) == ((1, 1, 1, math.prod(shape)),) * 2, copy
            assert (source.dtype.name, target.dtype.name) == (kind.upper(), "FLOAT"), copy
            assert (copy["alpha"], copy["beta"]) == (1.0, 0.0)
        places = [each["y"] for each in copies]
    at |= dict(zip(narrow, places, strict=True))
    assert len(set(places)) == len(places) == len(narrow)
    assert all(1 << 20 <= each < (1 << 20) + way.workspace_size for each in places)
    assert call["bnScaleBiasMeanVarDesc"].dtype.name == "FLOAT"
    wanted = (at["scale"], at["bias"], at["mean"], at["variance"])
    names = ("bnScale", "bnBias", "estimatedMean", "estimatedVariance")
    assert tuple(call[name] for name in names) == wanted, (call, at)
    assert (call["alpha"], call["beta"], call["x"], call["y"]) == (0.5, 0.25, at["x"], at["y"])
    if not planned:  # a capture forbids plans: the next call looks for one
        room.is_captured = lambda _: True
        assert infer.classic(case, Rule(), HANDLE).is_late
        assert find_first(infer, case, Rule(), HANDLE, None).is_late  # type: ignore[union-attr]


for planned in (True, False):
    check_conversions("half", "spatial", ("half",) * 4, planned=planned)
    wide = ("bfloat16", "bfloat16", "float32", "float32")
    check_conversions("bfloat16", "spatial", wide, planned=planned)
    wide = ("float32", "half", "float32", "half")
    check_conversions("half", "per_activation", wide, planned=planned)

# With channels innermost, what PyTorch takes there: persistent kernels with a workspace.
SIZES = {
    "cudnnGetBatchNormalizationForwardTrainingExWorkspaceSize": 300,
    "cudnnGetBatchNormalizationBackwardExWorkspaceSize": 500,
    "cudnnGetBatchNormalizationTrainingExReserveSpaceSize": 0,
}
for name in SIZES:
    setattr(calls, name, lambda *_, name=name: SIZES[name])
last, q = like((4, 8, 6, 5), "half", "NHWC"), like((8,))
SAVED["BatchNorm"]["x"] = "xData"
names = {"y": "yData", "dy": "dyData", "dx": "dxData", "x": "xData", "scale": "bnScaleData",
         "dscale": "dBnScaleData", "dbias": "dBnBiasData"}  # fmt: skip
SAVED["BatchNormBackward"] |= names
SAVED["BatchNorm"] |= {"y": "yData", "scale": "bnScale", "bias": "bnBias"}
bound = check(ops.BatchNorm(momentum=0.3), last, q, q, q, q)
assert (bound["mode"].name, bound["bnOps"].name) == ("SPATIAL_PERSISTENT", "BN")
assert (bound["exponentialAverageFactor"], bound["workSpaceSizeInBytes"]) == (0.3, 512)
bound = check(ops.BatchNormBackward(), last, last, q, q, q, alpha=1.0, beta=0.0)
assert (bound["mode"].name, bound["workSpaceSizeInBytes"]) == ("SPATIAL_PERSISTENT", 512)
SIZES["cudnnGetBatchNormalizationTrainingExReserveSpaceSize"] = 64
bound = check(ops.BatchNorm(), last, q, q)
assert bound["reserveSpaceSizeInBytes"] == 64
back = ops.BatchNormBackward()
try:
    back.classic(back.case(last, last, q, q, q), Rule(), HANDLE)
except ops.Unfit as error:
    assert "kept" in str(error)
else:
    raise AssertionError
way = ops.BatchNorm().classic(ops.BatchNorm().case(last, q, q), Rule(deterministic=True), HANDLE)
assert (way.function, way.algorithm) == ("cudnnBatchNormalizationForwardTraining", "SPATIAL")

for b in (x, like((1, 8, 1, 1)), like((5,))):
    operation = ops.TensorOperation("mul", alpha2=3.0)
    case = operation.case(x, b)
    way = operation.classic(case, Rule(), HANDLE)
    assert [each.name for each in way.operands] == ["a", "b", "y"]
check(ops.Transform("NHWC"), x)
check(ops.Transform(dtype="half"), x)
check(ops.Scale(2.0), x, alpha=1.0, beta=0.0)
gaps = x._replace(strides=tuple(2 * each for each in x.strides))
check(ops.Fill(2.0), gaps, alpha=1.0, beta=0.0)
check(ops.Fill(1e9), like((4, 8), "half"), alpha=1.0, beta=0.0)  # the type has no such number

# Convolutions: the algorithm, and each array in its place. cuDNN is not asked, as there is no GPU.
for operation, arrays, more in (
    (ops.Convolution(1), (x, w), {}),
    (ops.ConvolutionBackwardData(1), (x, w), {"shape": (4, 8, 6, 5)}),
    (ops.ConvolutionBackwardFilter(1), (x, x), {"shape": (8, 8, 3, 3)}),
    (ops.ConvolutionTranspose(1), (x, w), {}),
):
    case = operation.case(*arrays, **more)
    parts = operation._descriptors(*operation._parts(case), Rule())
    name = operation._functions[0]
    given: list[Any] = []
    real = getattr(calls, name)
    setattr(calls, name, lambda *arguments, given=given: given.append(arguments))
    algorithm = {"forward": "IMPLICIT_GEMM"}.get(operation.section, "ALGO_1")
    way = operation._call(case, algorithm, Offer(parts, 77, True, ""))
    addresses = {each.name: 1000 * (i + 1) for i, each in enumerate(way.operands)}
    way.call_with(HANDLE, 5, *addresses.values())
    setattr(calls, name, real)
    bound = inspect.signature(real).bind(*given[0]).arguments
    assert (bound["workSpace"], bound["workSpaceSizeInBytes"]) == (5, 77)
    assert bound["algo"].name == algorithm
    known = {"x": "dy", "y": "dx"} if type(operation).__name__ == "ConvolutionTranspose" else {}
    for operand, address in addresses.items():
        parameter = known.get(operand, operand)
        assert bound[parameter] == address, (name, operand, bound)
        desc = bound[f"{parameter}Desc"]
        spec = {**case.inputs, **case.outputs}[operand]
        assert desc.shape == spec.shape, (operand, desc)

# Algorithms of cuDNN without a GPU: records, and the workspace by the math type.
device = SimpleNamespace(workspace=SimpleNamespace(limit=None))
asked: list[Any] = []


def record(algorithm, math, status=0):
    return SimpleNamespace(
        algo=cudnn.ConvolutionFwdAlgo[algorithm], status=status, memory=7, time=1.0,
        determinism=SimpleNamespace(name="DETERMINISTIC"), mathType=cudnn.MathType[math],
    )  # fmt: skip


records = [
    record("GEMM", "TENSOR_OP_MATH", 1), record("GEMM", "TENSOR_OP_MATH"),
    record("GEMM", "FMA_MATH"), record("DIRECT", "DEFAULT_MATH"),
]  # fmt: skip


def ask(self, name, handle, parts, *more):
    asked.append(name)
    if name.endswith("WorkspaceSize"):
        return 100 + int(parts[3].math)
    return records


setattr(convolving.Convolving, "_ask", ask)  # noqa: B010
half = like((4, 8, 6, 5), "half"), like((8, 8, 3, 3), "half")
operation = ops.Convolution(1)
case = operation.case(*half)
tensor, exact = int(cudnn.MathType.TENSOR_OP_MATH), int(cudnn.MathType.FMA_MATH)


def math_of(way):
    """Return what a way says of its math type, and that of the descriptor that it is called with."""
    (conv,) = [e for e in way.steps[0].arguments if isinstance(e, cudnn.ConvolutionDescriptor)]
    return way.math, conv.math.name, way.workspace_size


# An algorithm that is named runs with the math type that it is said to have.
way = operation.classic(case, Rule(pick="GEMM"), device)
assert math_of(way) == ("TENSOR_OP_MATH", "TENSOR_OP_MATH", 100 + tensor), math_of(way)
ways = {name: way for name, way, _ in operation.algorithms(case, device)}
assert math_of(ways["GEMM"]) == ("TENSOR_OP_MATH", "TENSOR_OP_MATH", 100 + tensor)
assert math_of(ways["DIRECT"]) == ("DEFAULT_MATH", "DEFAULT_MATH", 100)
# No tensor cores where they are forbidden; TF32 is of no concern to float16.
for rule in (Rule(pick="GEMM", tensor_cores=False), Rule(pick="heuristic", tensor_cores=False)):
    way = operation.classic(case, rule, device)
    assert (way.algorithm, *math_of(way)[:2]) == ("GEMM", "FMA_MATH", "FMA_MATH"), math_of(way)
way = operation.classic(case, Rule(pick="heuristic", tf32=False), device)
assert math_of(way)[:2] == ("TENSOR_OP_MATH", "TENSOR_OP_MATH")
singles = operation.case(x, w)
way = operation.classic(singles, Rule(pick="heuristic", tf32=False), device)
assert math_of(way)[:2] == ("FMA_MATH", "FMA_MATH")

# While a stream is captured nothing is timed.
for captured, function in ((False, 2), (True, 1)):
    setattr(convolving, "is_captured", lambda _, captured=captured: captured)  # noqa: B010
    asked.clear()
    operation.classic(case, Rule(pick="time"), device)
    assert asked == [operation._functions[function]], (captured, asked)

# A bias of a transposed convolution is added after each algorithm, and is not its output.
records = [record("GEMM", "FMA_MATH")]
records[0].algo = SimpleNamespace(name="ALGO_1")
transposed = ops.ConvolutionTranspose(1)
case = transposed.case(x, w, p)
found: dict[str, Any] = {name: way for name, way, _ in transposed.algorithms(case, device)}
assert [each.function for each in found["ALGO_1"].steps] == [
    "cudnnConvolutionBackwardData", "cudnnAddTensor"
]  # fmt: skip
assert found["ALGO_1"].steps[0].arguments[-1] == "y"
assert [each.name for each in found["ALGO_1"].operands] == ["x", "w", "bias", "y"]

# One axis becomes two; both sides are padded alike, or a graph does it.
case = ops.Convolution(1, 2, 3).case(like((4, 8, 20)), like((8, 8, 3)))
x_desc, w_desc, y_desc, conv = ops.Convolution(1, 2, 3)._descriptors(
    *ops.Convolution()._parts(case), Rule()
)
assert (x_desc.shape, w_desc.shape) == ((4, 8, 1, 20), (8, 8, 1, 3))
assert (conv.padding, conv.stride, conv.dilation) == ((0, 1), (1, 2), (1, 3))
try:
    ops.Convolution(((1, 0), (0, 0))).classic(
        ops.Convolution(((1, 0), (0, 0))).case(x, w), Rule(pick="GEMM"), HANDLE
    )
except ops.Unfit as error:
    assert "both sides alike" in str(error)
else:
    raise AssertionError
assert cudnn.ops is ops
