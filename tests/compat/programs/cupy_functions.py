"""Calls of cuDNN by functions of cupy.cudnn: each array in its place, sizes, factors, streams."""

import ctypes
import sys
import warnings
from typing import Any

import numpy as np

from tests.compat.fake_cupy import HANDLE, Array, Memory, Recorder, empty, install

cupy = install()

import cudnn_cffi as cudnn
from cudnn_cffi.compat import cupy_backends_cudnn as raw
from cudnn_cffi.compat import cupy_cudnn
from cudnn_cffi.compat._cupy import recurrent as _cupy_recurrent
from cudnn_cffi.compat._cupy.layers import _in_c_order as in_c_order

NEW = cudnn.has("cudnnSetRNNDescriptor_v8") and not cudnn.has("cudnnSetRNNDescriptor_v6")

# Advice of docs/porting/cupy.md for libraries that import CuPy's modules themselves
sys.modules["cupy.cuda"] = cupy.cuda
sys.modules["cupy.cudnn"] = sys.modules["cupyx.cudnn"] = cupy.cudnn = cupy_cudnn
sys.modules["cupy.cuda.cudnn"] = cupy.cuda.cudnn = raw
import cupy.cuda.cudnn as backend
import cupy.cudnn as frontend
from cupy.cuda import cudnn as libcudnn

assert frontend is cupy_cudnn and backend is libcudnn is raw

record = Recorder(
    *("cudnnSetStream", "cudnnPoolingForward", "cudnnPoolingBackward", "cudnnAddTensor"),
    *("cudnnActivationForward", "cudnnActivationBackward", "cudnnSoftmaxForward"),
    *("cudnnSoftmaxBackward", "cudnnCTCLoss", "cudnnGetCTCLossWorkspaceSize"),
    *("cudnnDropoutGetStatesSize", "cudnnSetDropoutDescriptor", "cudnnDropoutForward"),
    *("cudnnDropoutBackward", "cudnnBatchNormalizationForwardTrainingEx"),
    *("cudnnGetBatchNormalizationForwardTrainingExWorkspaceSize",),
    *("cudnnGetBatchNormalizationTrainingExReserveSpaceSize",),
    *("cudnnBatchNormalizationForwardInference", "cudnnBatchNormalizationBackwardEx"),
    *("cudnnGetBatchNormalizationBackwardExWorkspaceSize", "cudnnQueryRuntimeError"),
    *("cudnnMakeFusedOpsPlan", "cudnnFusedOpsExecute"),
)
record.results.update(
    cudnnGetCTCLossWorkspaceSize=96,
    cudnnDropoutGetStatesSize=1024,
    cudnnGetBatchNormalizationForwardTrainingExWorkspaceSize=64,
    cudnnGetBatchNormalizationTrainingExReserveSpaceSize=32,
    cudnnGetBatchNormalizationBackwardExWorkspaceSize=128,
    cudnnMakeFusedOpsPlan=4096,
)


def ptr(array):
    return array.data.ptr


def shape_of(desc):
    return raw.getTensor4dDescriptor(desc)


def check_ordered():
    """The stream of CuPy is set before each function that computes."""
    names = [name for name, _ in record.calls]
    assert names[-2] == "cudnnSetStream", names
    arguments = record.calls[-2][1]
    assert arguments["handle"] == HANDLE and arguments["streamId"] == 0x600, arguments


# Pooling

x, y, gy = empty((2, 3, 8, 6)), empty((2, 3, 4, 3)), empty((2, 3, 4, 3))
seen: dict[str, Any] = {}


def pooling(**arguments):
    seen.update(arguments)


assert cupy_cudnn.pooling_forward(x, y, (2, 2), (2, 2), (0, 0), raw.CUDNN_POOLING_MAX) is y
check_ordered()
got = record.take("cudnnPoolingForward")
assert (got["handle"], got["x"], got["y"], got["alpha"], got["beta"]) == (
    HANDLE, ptr(x), ptr(y), 1.0, 0.0,
)  # fmt: skip
gx = cupy_cudnn.pooling_backward(x, y, gy, (2, 2), (2, 2), (0, 0), raw.CUDNN_POOLING_MAX)
got = record.take("cudnnPoolingBackward")
assert gx.shape == x.shape and gx.dtype == x.dtype
assert (got["y"], got["dy"], got["x"], got["dx"]) == (ptr(y), ptr(gy), ptr(x), ptr(gx))
y5 = empty((1, 1, 2, 2, 2))
cupy_cudnn.pooling_forward(empty((1, 1, 4, 4, 4)), y5, (2, 2, 2), (2, 2, 2), (0, 0, 0), 1)
record.take("cudnnPoolingForward")
try:
    cupy_cudnn.pooling_forward(
        x, empty((4, 3, 2, 3)).transpose(2, 1, 0, 3), (2, 2), (2, 2), (0, 0), 0
    )
except ValueError as error:
    assert "c-contiguous" in str(error)
else:
    raise AssertionError("an output with other strides must be refused")

# Activation and softmax

for dtype in "efd":
    x = empty((4, 3, 5), dtype)
    y = cupy_cudnn.activation_forward(x, raw.CUDNN_ACTIVATION_RELU)
    check_ordered()
    got = record.take("cudnnActivationForward")
    assert (got["x"], got["y"], y.shape, y.dtype) == (ptr(x), ptr(y), x.shape, x.dtype)
gx = cupy_cudnn.activation_backward(x, y, x, raw.CUDNN_ACTIVATION_CLIPPED_RELU, 6.0)
got = record.take("cudnnActivationBackward")
assert (got["x"], got["y"], got["dy"], got["dx"]) == (ptr(x), ptr(y), ptr(x), ptr(gx))
cupy_cudnn.activation_forward(empty(()), 1)
record.calls.clear()
try:
    cupy_cudnn.activation_forward(empty((2, 2), "i"), 1)
except TypeError as error:
    assert str(error) == "Dtype int32 is not supported in cuDNN"
else:
    raise AssertionError("int32 must be refused")

x = empty((4, 3, 5), "f")
for axis, mode in ((1, 1), (-1, 1), (0, 1)):
    y = cupy_cudnn.softmax_forward(x, axis, raw.CUDNN_SOFTMAX_ACCURATE)
    got = record.take("cudnnSoftmaxForward")
    assert (got["mode"], got["algo"], got["x"], got["y"]) == (mode, 1, ptr(x), ptr(y)), got
flat = empty((6, 1), "f")
cupy_cudnn.softmax_forward(flat, 1, 0)
assert record.take("cudnnSoftmaxForward")["mode"] == raw.CUDNN_SOFTMAX_MODE_INSTANCE
gx = cupy_cudnn.softmax_backward(y, x, 1, raw.CUDNN_SOFTMAX_LOG)
got = record.take("cudnnSoftmaxBackward")
assert (got["y"], got["dy"], got["dx"]) == (ptr(y), ptr(x), ptr(gx))

# CTC loss

probs = empty((5, 2, 4), "f")
labels, counts, steps = (np.array(each, "i") for each in ([1, 2, 3], [2, 1], [5, 5]))
loss, gradients = cupy_cudnn.ctc_loss(probs, labels, counts, steps, 0)
got = record.take("cudnnCTCLoss")
assert (got["probs"], got["costs"], got["gradients"]) == (ptr(probs), ptr(loss), ptr(gradients))
assert (got["hostLabels"], got["workSpaceSizeInBytes"]) == (labels.ctypes.data, 96)
assert loss.shape == (2,) and gradients.shape == probs.shape
for other in (labels.astype("q"), np.repeat(labels, 2)[::2], labels.astype("B"), [1, 2, 3]):
    made = in_c_order(other)
    assert list((ctypes.c_int * 3).from_address(made.ctypes.data)) == [1, 2, 3], other
assert in_c_order(labels) is labels

# Dropout

states = cupy_cudnn.DropoutStates(None, 7)
got = record.take("cudnnSetDropoutDescriptor")
assert (got["handle"], got["states"], got["stateSizeInBytes"], got["seed"]) == (
    HANDLE, 0x7000, 1024, 7,
)  # fmt: skip
reserve, y = states.forward(None, x, 0.25)
drop = [each for name, each in record.calls if name == "cudnnSetDropoutDescriptor"]
assert [each["dropout"] for each in drop] == [0.25] and drop[0]["states"] == 0
got = record.take("cudnnDropoutForward")
assert (got["x"], got["y"], got["reserveSpace"]) == (ptr(x), ptr(y), ptr(reserve))
assert got["reserveSpaceSizeInBytes"] == reserve.size > 0
dx = states.backward(HANDLE, y, 0.25, reserve)
got = record.take("cudnnDropoutBackward")
assert (got["dy"], got["dx"], got["reserveSpace"]) == (ptr(y), ptr(dx), ptr(reserve))
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    assert cupy_cudnn.create_dropout_states(HANDLE).size == 1024
assert [each.category for each in caught] == [DeprecationWarning]
record.calls.clear()

# Batch normalization

x, gy = empty((2, 4, 3, 3)), empty((2, 4, 3, 3))
gamma, beta, mean, var = (empty((4,)) for _ in range(4))
y, save, inv = cupy_cudnn.batch_normalization_forward_training(  # type: ignore[misc]
    x, gamma, beta, mean, var, None, None, 1e-5, 0.9, True, raw.CUDNN_BATCHNORM_SPATIAL, False
)
got = record.take("cudnnBatchNormalizationForwardTrainingEx")
assert abs(got["exponentialAverageFactor"] - 0.1) < 1e-12 and got["epsilon"] == 1e-5
assert (got["resultRunningMean"], got["resultRunningVariance"]) == (ptr(mean), ptr(var))
assert (got["bnScale"], got["bnBias"]) == (ptr(gamma), ptr(beta))
assert (got["resultSaveMean"], got["resultSaveInvVariance"]) == (ptr(save), ptr(inv))
assert (got["xData"], got["yData"], got["zData"]) == (ptr(x), ptr(y), 0)
assert (got["workspace"], got["reserveSpace"], got["activationDesc"]) == (0, 0, 0)
only = cupy_cudnn.batch_normalization_forward_training(
    x, gamma, beta, mean, var, save, inv, 1e-5, 0.9, False, 0, False
)
assert isinstance(only, Array)
record.calls.clear()
# Outputs have cuDNN's type, whatever the types of the others, and no gaps.
means, saves = empty((4,), "d"), empty((8,))[::2]
assert not saves.flags.c_contiguous
only = cupy_cudnn.batch_normalization_forward_training(
    x, gamma, beta, means, var, saves, inv, 1e-5, 0.9, True, raw.CUDNN_BATCHNORM_SPATIAL, False
)
got = record.take("cudnnBatchNormalizationForwardTrainingEx")
assert got["resultRunningMean"] != ptr(means) and got["resultRunningVariance"] == ptr(var)
assert got["resultSaveMean"] != ptr(saves) and got["resultSaveInvVariance"] == ptr(inv)
cupy_cudnn.batch_normalization_backward(
    x, gamma, x, saves, inv, 1e-5, True, raw.CUDNN_BATCHNORM_SPATIAL, False
)
got = record.take("cudnnBatchNormalizationBackwardEx")
assert got["savedMean"] != ptr(saves) and got["savedInvVariance"] == ptr(inv)
# Half: parameters are float32, and running statistics come back in their own type.
half = empty((2, 3, 3, 4), "e")
parameters = empty((4,), "e"), empty((4,), "e"), empty((4,), "e"), empty((4,), "e")
result = cupy_cudnn.batch_normalization_forward_training_ex(
    half, *parameters, None, None, 1e-5, 0.9, True,
    raw.CUDNN_BATCHNORM_SPATIAL_PERSISTENT, False, raw.CUDNN_TENSOR_NHWC,
)  # fmt: skip
reserve, y, save, inv = result
got = record.take("cudnnBatchNormalizationForwardTrainingEx")
assert (reserve.mem.size, got["reserveSpaceSizeInBytes"], got["workSpaceSizeInBytes"]) == (
    32,
    32,
    64,
)
assert save.dtype == "f" and got["bnScale"] != ptr(parameters[0])
got = cupy_cudnn.batch_normalization_forward_inference(
    half, *parameters, 1e-5, True, raw.CUDNN_BATCHNORM_SPATIAL, raw.CUDNN_TENSOR_NHWC
)
assert got.dtype == "e"
got = record.take("cudnnBatchNormalizationForwardInference")
assert got["estimatedMean"] != ptr(parameters[2])
gx, ggamma, gbeta = cupy_cudnn.batch_normalization_backward(
    half, parameters[0], half, save, inv, 1e-5, True, raw.CUDNN_BATCHNORM_SPATIAL, True,
    raw.CUDNN_TENSOR_NHWC, reserve_space=reserve,
)  # fmt: skip
got = record.take("cudnnBatchNormalizationBackwardEx")
assert (got["savedMean"], got["savedInvVariance"]) == (ptr(save), ptr(inv))
assert (got["dyData"], got["dxData"], got["workSpaceSizeInBytes"]) == (ptr(half), ptr(gx), 128)
assert ggamma.dtype == gbeta.dtype == "e" and got["reserveSpaceSizeInBytes"] == 32
try:
    cupy_cudnn.batch_normalization_forward_training(
        x, gamma, beta, mean, var, None, inv, 1e-5, 0.9, True, 1, False
    )
except ValueError as error:
    assert str(error) == "Both mean and inv_std must be None if one is."
else:
    raise AssertionError("one of mean and inv_std must be refused")

# Convolutions, by operations of this package

from cudnn_cffi import errors, ops
from cudnn_cffi.compat._cupy import convolutions as _cupy_convolutions

window = ((1, 0), (2, 1), (1, 1), 2)
made = _cupy_convolutions._operation(ops.Convolution, *window, True, False)
assert made is _cupy_convolutions._operation(ops.Convolution, *window, True, False)
rule = made.policy.forward
assert (rule.pick, rule.workspace_limit) == ("time", 8 << 20) and not rule.deterministic
assert made.options["padding"] == (1, 0) and made.options["groups"] == 2
cupy_cudnn.set_max_workspace_size(0)
made = _cupy_convolutions._operation(ops.ConvolutionBackwardFilter, *window, False, True)
rule = made.policy.filter
assert (rule.pick, rule.workspace_limit, rule.deterministic) == ("heuristic", 0, True)
cupy_cudnn.set_max_workspace_size(8 << 20)

passed: list[Any] = []


def operation(kind, *options):
    def call(*given, out):
        passed.append((kind, options, given, out))

    return call


real = _cupy_convolutions._operation
_cupy_convolutions._operation = operation
nhwc = {"d_layout": raw.CUDNN_TENSOR_NHWC, "w_layout": raw.CUDNN_TENSOR_NHWC}
x, W, b, y = empty((2, 8, 6, 4)), empty((16, 3, 3, 2)), empty((16,)), empty((2, 8, 6, 16))
cupy_cudnn.convolution_forward(x, W, b, y, *window, auto_tune=True, tensor_core="never", **nhwc)
kind, options, (given, filters, bias), out = passed.pop()
assert kind is ops.Convolution and options[-2:] == (True, False)
assert (given.shape, filters.shape, out.shape) == ((2, 4, 8, 6), (16, 2, 3, 3), (2, 16, 8, 6))
assert (ptr(given), ptr(filters), ptr(bias), ptr(out)) == (ptr(x), ptr(W), ptr(b), ptr(y))
gradient = {"auto_tune": True, "tensor_core": "auto", "deterministic": True, **nhwc}
cupy_cudnn.convolution_backward_filter(x, y, W, *window, **gradient)
kind, options, (given, gy, shape), out = passed.pop()
assert kind is ops.ConvolutionBackwardFilter and options[-2:] == (False, True)
assert (ptr(given), ptr(gy), shape, ptr(out)) == (ptr(x), ptr(y), (16, 2, 3, 3), ptr(W))
record.calls.clear()
wide = empty((4,))
cupy_cudnn.convolution_backward_data(W, y, wide, x, *window, **gradient)
kind, options, (gy, filters, shape), out = passed.pop()
assert kind is ops.ConvolutionBackwardData and shape == (2, 4, 8, 6)
assert (ptr(gy), ptr(filters), ptr(out)) == (ptr(y), ptr(W), ptr(x))
got = record.take("cudnnAddTensor")
assert (got["A"], got["C"], got["alpha"], got["beta"]) == (ptr(wide), ptr(x), 1.0, 1.0)
how = {"auto_tune": False, "tensor_core": "auto"}


def fails(error):
    def call(*given, out):
        raise error

    _cupy_convolutions._operation = lambda *options: call
    try:
        cupy_cudnn.convolution_forward(x, W, b, y, *window, **how)
    except Exception as caught:
        return caught
    raise AssertionError(f"{error!r} must come out")


caught = fails(errors.ArgumentError("x: no"))
assert type(caught) is raw.CuDNNError and caught.status == 3
text = str(caught)
assert "func: cudnnConvolutionForward" in text and "pad=(1, 0)" in text and "x: shape=" in text
assert fails(errors.from_status("f", 3000, "CUDNN_STATUS_NOT_SUPPORTED")).status == 9
caught = fails(errors.NoPlanError("none"))
assert (
    type(caught) is RuntimeError and "No conv fwd algo" in str(caught) and "8388608" in str(caught)
)
assert type(fails(errors.LibraryNotFoundError("none"))) is errors.LibraryNotFoundError
_cupy_convolutions._operation = real
for wrong, kind, word in (
    ({"tensor_core": "maybe"}, ValueError, "always"),
    ({"d_layout": 7}, ValueError, "cudnnTensorFormat"),
):
    try:
        cupy_cudnn.convolution_forward(x, W, b, y, *window, **{**how, **wrong})
    except kind as error:
        assert word in str(error)
    else:
        raise AssertionError(wrong)

# Scaling factors are addresses, or numbers that are no ints

single_desc = cupy_cudnn.create_tensor_descriptor(empty((2, 3, 4, 5)))
double_desc = cupy_cudnn.create_tensor_descriptor(empty((2, 3, 4, 5), "d"))
single, double = np.array([1.5], "f"), np.array([0.1], "d")
for each, number in ((single_desc, single), (double_desc, double)):
    cupy_cudnn.add_tensor(HANDLE, number.ctypes.data, 1, 2, 0.5, each.value, 3)
    got = record.take("cudnnAddTensor")
    assert (got["alpha"], got["beta"]) == (float(number[0]), 0.5)
for wrong in (0, 1, 4095):
    try:
        cupy_cudnn.add_tensor(HANDLE, wrong, 1, 2, 0.5, single_desc.value, 3)
    except raw.CuDNNError as error:
        assert error.status == 3 and "address" in str(error)
    else:
        raise AssertionError(f"{wrong} is no address")
record.calls.clear()

# Fused operations

x = empty((2, 4, 3, 3))
plan = cupy_cudnn.create_fused_ops_plan(raw.CUDNN_FUSED_BN_FINALIZE_STATISTICS_TRAINING)
pack = cupy_cudnn.create_fused_ops_const_param_pack(
    raw.CUDNN_FUSED_SCALE_BIAS_ACTIVATION_CONV_BNSTATS,
    [
        (raw.CUDNN_PARAM_XDESC, cupy_cudnn.create_tensor_descriptor(x)),
        (raw.CUDNN_PARAM_XDATA_PLACEHOLDER, raw.CUDNN_PTR_16B_ALIGNED),
        (raw.CUDNN_PARAM_WDESC, cupy_cudnn.create_filter_descriptor(x)),
        (
            raw.CUDNN_PARAM_CONV_DESC,
            cupy_cudnn.create_convolution_descriptor((0, 0), (1, 1), x.dtype),
        ),
        (raw.CUDNN_PARAM_ACTIVATION_DESC, cupy_cudnn.create_activation_descriptor(1)),
    ],
)
get = cupy_cudnn.get_fused_ops_const_param_pack_attribute
assert get(pack, raw.CUDNN_PARAM_XDATA_PLACEHOLDER) == (2, 0)
address, is_null = get(pack, raw.CUDNN_PARAM_XDESC)
assert is_null == 0 and shape_of(address)[1:5] == (2, 4, 3, 3)
raw.destroyTensorDescriptor(address)
assert cupy_cudnn.make_fused_ops_plan(plan, pack) == 4096
variant = cupy_cudnn.create_fused_ops_variant_param_pack(
    raw.CUDNN_FUSED_BN_FINALIZE_STATISTICS_TRAINING,
    [
        (raw.CUDNN_SCALAR_INT64_T_BN_ACCUMULATION_COUNT, 7),
        (raw.CUDNN_SCALAR_DOUBLE_BN_EPSILON, 1e-5),
        (raw.CUDNN_PTR_YSUM, x),
    ],
)
read = cupy_cudnn.get_fused_ops_variant_param_pack_attribute
assert read(variant, raw.CUDNN_SCALAR_INT64_T_BN_ACCUMULATION_COUNT) == 7
assert read(variant.value, raw.CUDNN_SCALAR_DOUBLE_BN_EPSILON) == 1e-5
assert read(variant, raw.CUDNN_PTR_YSUM) == ptr(x)
record.calls.clear()
cupy_cudnn.fused_ops_execute(plan, variant)
check_ordered()
record.calls.clear()

# Recurrent networks

if not NEW:
    print("passed, but recurrent calls of cuDNN 9")
    sys.exit()

more = Recorder(
    *("cudnnRNNForward", "cudnnRNNBackwardData_v8", "cudnnRNNBackwardWeights_v8"),
    *("cudnnGetRNNTempSpaceSizes", "cudnnGetRNNWeightSpaceSize", "cudnnGetRNNWeightParams"),
)


class Sizes:
    workSpaceSize, reserveSpaceSize = 512, 256


described: list[Any] = []


def note(handle, desc, mode, data):
    settings = cudnn.cudnnGetRNNDescriptor_v8(desc)
    lengths = cudnn.cudnnGetRNNDataDescriptor(data, 3)
    described.append((settings, lengths))
    return Sizes


from cudnn_cffi import _lookup

_lookup.calls.cudnnGetRNNTempSpaceSizes = note
more.results["cudnnGetRNNWeightSpaceSize"] = 9999
on_device: list[Any] = []


def to_device(_handle, lengths):
    on_device.append(lengths)
    return 0x9000


_cupy_recurrent.on_device = to_device

LSTM, BOTH = raw.CUDNN_LSTM, raw.CUDNN_BIDIRECTIONAL
hx, cx, w = empty((4, 3, 7)), empty((4, 3, 7)), empty((50, 1, 1))
xs = empty((6, 5))
dropout = [*states.__dict__]
states._desc.value = 0  # of a fake handle
# Batches of 3, 2 and 1 are sequences of 3, 2 and 1 steps.
reserve, hy, cy, ys = cupy_cudnn.rnn_forward_training(states, BOTH, LSTM, hx, cx, w, xs, [3, 2, 1])
got = more.take("cudnnRNNForward")
assert on_device[-1] == (3, 2, 1)
settings, data = described[-1]
assert (settings.inputSize, settings.hiddenSize, settings.numLayers) == (5, 7, 2)
assert settings.cellMode.name == "LSTM" and settings.dirMode.name == "BIDIRECTIONAL"
assert settings.auxFlags == 0 and settings.biasMode.name == "DOUBLE_BIAS"
assert tuple(data.seqLengthArray) == (3, 2, 1) and data.layout.name == "SEQ_MAJOR_PACKED"
assert ys.shape == (6, 14) and hy.shape == hx.shape and cy.shape == cx.shape
assert (got["x"], got["y"], got["hx"], got["hy"], got["cx"], got["cy"]) == (
    ptr(xs), ptr(ys), ptr(hx), ptr(hy), ptr(cx), ptr(cy),
)  # fmt: skip
assert (got["fwdMode"], got["weightSpace"], got["weightSpaceSize"]) == (1, ptr(w), 9999)
assert (got["workSpaceSize"], got["reserveSpaceSize"], reserve.mem.size) == (512, 256, 256)
hy, cy, ys = cupy_cudnn.rnn_forward_inference(states, BOTH, LSTM, hx, cx, w, xs, [3, 2, 1])
got = more.take("cudnnRNNForward")
assert (got["fwdMode"], got["reserveSpaceSize"]) == (0, 0)
dhx, dcx, dxs = cupy_cudnn.rnn_backward_data(
    states, BOTH, LSTM, hx, cx, w, xs, ys, reserve, hy, cy, ys, [3, 2, 1]
)
got = more.take("cudnnRNNBackwardData_v8")
assert (got["y"], got["dy"], got["dx"], got["weightSpace"]) == (ptr(ys), ptr(ys), ptr(dxs), ptr(w))
assert (got["hx"], got["dhy"], got["dhx"]) == (ptr(hx), ptr(hy), ptr(dhx))
assert (got["cx"], got["dcy"], got["dcx"]) == (ptr(cx), ptr(cy), ptr(dcx))
dw = cupy_cudnn.rnn_backward_weights(states, BOTH, LSTM, xs, hx, ys, w, reserve, [3, 2, 1])
got = more.take("cudnnRNNBackwardWeights_v8")
assert (got["x"], got["hx"], got["y"], got["dweightSpace"]) == (ptr(xs), ptr(hx), ptr(ys), ptr(dw))
assert got["addGrad"] == 0 and not dw.any()

# Descriptors of time steps that a program made itself
steps = [raw.createTensorDescriptor() for _ in range(3)]
for each, count in zip(steps, (4, 4, 1), strict=True):
    raw.setTensorNdDescriptor(each, 0, 3, (count, 9, 1), (9, 1, 1))
array = (ctypes.c_size_t * 3)(*steps)
rnn = cupy_cudnn.create_rnn_descriptor(7, 1, states._desc, 0, 0, LSTM, raw.CUDNN_DATA_FLOAT)
assert raw.getRNNWorkspaceSize(HANDLE, rnn.value, 3, ctypes.addressof(array)) == 512
assert raw.getRNNTrainingReserveSize(HANDLE, rnn.value, 3, ctypes.addressof(array)) == 256
settings, data = described[-1]
assert settings.inputSize == 9 and tuple(data.seqLengthArray) == (3, 2, 2)

# Padded sequences, and a network without cells
lengths = np.array([4, 2, 3], "i")
hx, xs = empty((2, 3, 7)), empty((4, 3, 5))
one, gru = raw.CUDNN_UNIDIRECTIONAL, raw.CUDNN_GRU
reserve, hy, cy, ys = cupy_cudnn.rnn_forward_training_ex(states, one, gru, hx, None, w, xs, lengths)
got = more.take("cudnnRNNForward")
data = cudnn.cudnnGetRNNDataDescriptor
assert on_device[-1] == (4, 2, 3) and ys.shape == (4, 3, 7) and cy.size == 0
assert (got["cDesc"] or 0, got["cx"], got["cy"]) == (0, 0, 0)
settings = described[-1][0]
assert settings.inputSize == 5 and settings.auxFlags == 1 and settings.cellMode.name == "GRU"
hy, cy, ys = cupy_cudnn.rnn_forward_inference_ex(states, one, gru, hx, None, w, xs, lengths)
assert more.take("cudnnRNNForward")["fwdMode"] == 0
dhx, dcx, dxs = cupy_cudnn.rnn_backward_data_ex(
    states, one, gru, hx, None, w, xs, ys, reserve, hy, None, ys, lengths
)
got = more.take("cudnnRNNBackwardData_v8")
assert (got["dx"], got["dcx"], dcx.size) == (ptr(dxs), 0, 0)
dw = cupy_cudnn.rnn_backward_weights_ex(states, one, gru, xs, hx, ys, w, reserve, lengths)
more.take("cudnnRNNBackwardWeights_v8")
try:
    cupy_cudnn.rnn_forward_inference(states, one, gru, hx, None, w, empty((5, 5)), [2, 3])
except raw.CuDNNError as error:
    assert error.status == 3 and "must not grow" in str(error)
else:
    raise AssertionError("growing batches must be refused")

# Weights: views at the places that cuDNN names

rnn = cupy_cudnn.create_rnn_descriptor(7, 1, states._desc, 0, 0, LSTM, raw.CUDNN_DATA_FLOAT)
x_desc = cupy_cudnn.create_tensor_nd_descriptor(empty((1, 5, 1)))
w = empty((400, 1, 1))
w_desc = cupy_cudnn.create_filter_descriptor(w)
assert raw.getRNNParamsSize(HANDLE, rnn.value, x_desc.value, raw.CUDNN_DATA_FLOAT) == 9999


def place(handle, desc, layer, size, space, number, matrix, bias):
    assert cudnn.cudnnGetRNNDescriptor_v8(desc).inputSize == 5
    raw.setTensorNdDescriptor(matrix.address, 0, 3, (1, 7, 5), (35, 5, 1))
    raw.setTensorNdDescriptor(bias.address, 0, 3, (1, 7, 1), (7, 1, 1))

    class Found:
        mAddr, bAddr = space + 4 * 35 * number, space + 4 * (300 + 7 * number)

    return Found


_lookup.calls.cudnnGetRNNWeightParams = place
matrix = cupy_cudnn.get_rnn_lin_layer_matrix_params(HANDLE, rnn, 0, x_desc, w_desc, w, 3)
assert matrix.shape == (35, 1, 1) and ptr(matrix) == ptr(w) + 4 * 105
bias = cupy_cudnn.get_rnn_lin_layer_bias_params(HANDLE, rnn, 0, x_desc, w_desc, w, 2)
assert bias.shape == (7, 1, 1) and ptr(bias) == ptr(w) + 4 * 314

# Plans of persistent kernels: compiled when the size of the input is known, for their batches

built: list[Any] = []


def build(handle, desc, minibatch):
    settings = cudnn.cudnnGetRNNDescriptor_v8(desc)
    built.append((handle, settings.inputSize, settings.algo.name, minibatch))


_lookup.calls.cudnnBuildRNNDynamic = build
dynamic = raw.createRNNDescriptor()
given = (7, 1, states._desc.value, 0, 0, LSTM)
raw.setRNNDescriptor_v6(HANDLE, dynamic, *given, raw.CUDNN_RNN_ALGO_PERSIST_DYNAMIC, 0)
plans = [raw.createPersistentRNNPlan(dynamic, count, 0) for count in (4, 8)]
assert len(set(plans)) == 2 and not built
raw.getRNNWorkspaceSize(HANDLE, dynamic, 3, ctypes.addressof(array))
assert not built
for plan in plans:
    raw.setPersistentRNNPlan(dynamic, plan)
    for _ in range(2):
        raw.getRNNWorkspaceSize(HANDLE, dynamic, 3, ctypes.addressof(array))
assert built == [(HANDLE, 9, "PERSIST_DYNAMIC", 4), (HANDLE, 9, "PERSIST_DYNAMIC", 8)]
for plan in (*plans, 0):
    raw.destroyPersistentRNNPlan(plan)
for call in (
    lambda: raw.setPersistentRNNPlan(dynamic, plans[0]),
    lambda: raw.createPersistentRNNPlan(dynamic, 0, 0),
    lambda: raw.createPersistentRNNPlan(rnn.value, 4, 0),
):
    try:
        call()
    except raw.CuDNNError as error:
        assert error.status == 3
    else:
        raise AssertionError("plans that are none must be refused")

assert isinstance(reserve, Memory) and isinstance(ctypes.c_int(1), ctypes._SimpleCData)
print("passed")
