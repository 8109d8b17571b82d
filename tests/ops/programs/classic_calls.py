"""Which address classic functions get for each of their parameters, without calling them."""

import inspect
from typing import Any

import cudnn_cffi as cudnn
from cudnn_cffi import ops
from cudnn_cffi._lookup import calls
from cudnn_cffi.choice.policy import Rule

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
check(ops.ConvolutionBackwardBias(), x)
operation: Any
for operation, wanted in (
    (ops.Softmax("channel"), (4, 8, 30, 1)),
    (ops.Softmax("last"), (192, 5, 1, 1)),
    (ops.Softmax("instance"), (4, 240, 1, 1)),
    (ops.Softmax(0), (1, 4, 240, 1)),
    (ops.Softmax((2, 3), log=True), (32, 30, 1, 1)),
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
check(ops.Fill(2.0), x, alpha=1.0, beta=0.0)

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
    way = operation._call(case, parts, algorithm, 77, True, "")
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
