"""Names, arguments and words of other packages, as their documentation has them.

Each is taken, or the error names what there is here.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import cudnn_cffi
import pytest
from cudnn_cffi import choice, errors, ops

#: Names are those of the library that is loaded.
pytestmark = pytest.mark.usefixtures("cudnn")

PAGES = Path(__file__).parents[2] / "docs" / "porting"

#: The same, of which type checkers know nothing.
tried: Any = ops
front: Any = cudnn_cffi

#: Names of theano.gpuarray.dnn, of its configuration, and what to use.
THEANO = {
    "dnn_conv": "ops.convolution", "dnn_conv3d": "ops.convolution",
    "dnn_gradweight": "ops.convolution_backward_filter",
    "dnn_gradweight3d": "ops.convolution_backward_filter",
    "dnn_gradinput": "ops.convolution_backward_data",
    "dnn_gradinput3d": "ops.convolution_backward_data",
    "dnn_pool": "ops.max_pool", "dnn_batch_normalization_train": "ops.batch_norm",
    "dnn_batch_normalization_test": "ops.batch_norm_inference", "dnn_spatialtf": "ops.grid_sample",
    "dnn_available": "load", "dnn_present": "load", "version": "cudnnGetVersion",
    "RNNBlock": "ops.LSTM", "GpuDnnConvDesc": "ops.convolution", "GpuDnnConv": "ops.convolution",
    "GpuDnnConvGradW": "ops.convolution_backward_filter",
    "GpuDnnConvGradI": "ops.convolution_backward_data", "GpuDnnPoolDesc": "ops.max_pool",
    "GpuDnnPool": "ops.max_pool", "GpuDnnPoolGrad": "ops.pooling_backward",
    "GpuDnnSoftmax": "ops.softmax", "GpuDnnSoftmaxGrad": "ops.softmax_backward",
    "GpuDnnReduction": "ops.reduce", "GpuDnnBatchNorm": "ops.batch_norm",
    "GpuDnnBatchNormInference": "ops.batch_norm_inference",
    "GpuDnnBatchNormGrad": "ops.batch_norm_backward", "GpuDnnDropoutOp": "ops.dropout",
    "GpuDnnRNNOp": "ops.rnn", "GpuDnnRNNGradInputs": "ops.rnn_backward_data",
    "GpuDnnRNNGradWeights": "ops.rnn_backward_weights",
    "GpuDnnTransformerGrid": "ops.affine_grid", "GpuDnnTransformerSampler": "ops.grid_sample",
    "GpuDnnTransformerGradI": "ops.grid_sample_backward",
    "GpuDnnTransformerGradT": "ops.affine_grid_backward", "workmem": "conv_fwd_algo",
    "dnn": "algo_fwd", "precision": "allow_tf32", "enabled": "convert(model, back=True)", "include_path": "load",
    "library_path": "load", "bin_path": "load", "base_path": "load", "DnnVersion": "cudnnGetVersion",
    "get_param_size": "weights_count of ops.LSTM", "split_params": "parameters of ops.LSTM",
    "scale_width": "size of ops.affine_grid", "scale_height": "size of ops.affine_grid",
    "local_dnn_reduction": "ops.reduce", "NoCuDNNRaise": "load",
}  # fmt: skip

#: Names of cudnn.torch and of nn, in Lua.
LUA = {
    "SpatialConvolution": "ops.convolution", "TemporalConvolution": "ops.convolution",
    "VolumetricConvolution": "ops.convolution", "SpatialDilatedConvolution": "ops.convolution",
    "VolumetricDilatedConvolution": "ops.convolution", "bias2D_updateOutput": "ops.add",
    "bias2D_accGradParameters": "ops.convolution_backward_bias",
    "Convolution2D_updateOutput": "ops.convolution",
    "Convolution2D_updateGradInput": "ops.convolution_backward_data",
    "Convolution2D_accGradParameters": "ops.convolution_backward_filter",
    "Pooling_updateOutput": "ops.Pooling", "MaxPooling2D_updateOutput": "ops.max_pool",
    "AveragePooling2D_updateOutput": "ops.average_pool",
    "Pooling_updateGradInput": "ops.pooling_backward",
    "MaxPooling2D_updateGradInput": "ops.pooling_backward",
    "ReLU_updateOutput": "ops.relu", "ReLU_updateGradInput": "ops.activation_backward",
    "Tanh_updateOutput": "ops.tanh", "Sigmoid_updateGradInput": "ops.activation_backward",
    "SpatialDivisiveNormalization": "ops.divisive_norm", "Dropout": "ops.dropout", "SpatialFullConvolution": "convolution_transpose",
    "VolumetricFullConvolution": "convolution_transpose", "SpatialMaxPooling": "ops.max_pool",
    "SpatialAveragePooling": "ops.average_pool", "VolumetricMaxPooling": "ops.max_pool",
    "VolumetricAveragePooling": "ops.average_pool", "ReLU": "ops.relu", "Tanh": "ops.tanh",
    "ClippedReLU": "ops.clipped_relu", "Sigmoid": "ops.sigmoid", "SoftMax": "ops.softmax",
    "LogSoftMax": "ops.log_softmax", "SpatialSoftMax": "ops.softmax",
    "SpatialLogSoftMax": "ops.log_softmax", "VolumetricSoftMax": "ops.softmax",
    "VolumetricLogSoftMax": "ops.log_softmax", "SpatialCrossEntropyCriterion": "cross_entropy",
    "VolumetricCrossEntropyCriterion": "cross_entropy", "BatchNormalization": "ops.batch_norm",
    "SpatialBatchNormalization": "ops.batch_norm", "VolumetricBatchNormalization": "ops.batch_norm",
    "SpatialCrossMapLRN": "ops.local_response_norm", "RNNReLU": "ops.RNN", "RNNTanh": "ops.RNN",
    "LSTM": "ops.lstm", "BLSTM": "bidirectional=True", "GRU": "ops.gru",
    "BGRU": "bidirectional=True", "find": "choose=", "useFindEx": "benchmark",
    "configureMath": "allow_tf32", "setMode": "conv_fwd_algo", "resetMode": "conv_fwd_algo",
    "setPersist": "PERSIST_STATIC", "getSharedWorkspace": "Handle.workspace",
    "adjustSharedWorkspaceSize": "workspace_limit", "getHandle": "handle",
    "toDescriptor": "TensorDescriptor", "functional": "cudnn_cffi.torch", "convert": "convert of",
}  # fmt: skip

#: Names of chainer.functions.
CHAINER = {
    "convolution_2d": "ops.convolution", "convolution_nd": "ops.convolution",
    "deconvolution_2d": "ops.convolution_transpose", "max_pooling_2d": "ops.max_pool",
    "max_pooling_nd": "ops.max_pool", "average_pooling_2d": "ops.average_pool",
    "batch_normalization": "ops.batch_norm", "clipped_relu": "ops.clipped_relu",
    "fixed_batch_normalization": "ops.batch_norm_inference",
    "local_response_normalization": "ops.local_response_norm", "n_step_lstm": "ops.lstm",
    "n_step_bilstm": "bidirectional=True", "n_step_gru": "ops.gru", "n_step_rnn": "ops.rnn",
    "n_step_bigru": "bidirectional=True", "n_step_birnn": "bidirectional=True",
    "connectionist_temporal_classification": "ops.ctc_loss",
    "spatial_transformer_grid": "ops.affine_grid",
    "spatial_transformer_sampler": "ops.grid_sample", "dropout": "ops.dropout",
}  # fmt: skip


#: Names of torch.backends.cudnn and its submodules.
PYTORCH = {
    "is_available": "load", "is_acceptable": "ops refuse", "flags": "choice",
    "set_flags": "choice", "benchmark_limit": "most=", "fp32_precision": "allow_tf32",
    "rnn": "ops.rnn", "conv": "ops.convolution",
}  # fmt: skip


@pytest.mark.parametrize(
    ("name", "says"), sorted({**THEANO, **LUA, **CHAINER, **PYTORCH}.items()), ids=lambda each: each
)
@pytest.mark.parametrize("module", [front, tried], ids=["cudnn_cffi", "ops"])
def test_a_name_leads_to_ours(module: Any, name: str, says: str) -> None:
    if hasattr(module, name):
        assert module is tried or name in ("is_available", "version")
        return
    for do in (lambda: getattr(module, name), lambda: setattr(module, name, 1)):
        with pytest.raises(AttributeError) as caught:
            do()
        told = str(caught.value)
        near = f"did you mean {says.removeprefix('ops.')}?"
        # A name in another case is a misspelt one, of `ops` itself.
        assert says in told or near in told or ("did you mean" in told and module is tried), told


@pytest.mark.parametrize("page", ["cupy", "libcudnn", "others"])
def test_each_name_of_a_page_is_told_of(page: str) -> None:
    text = (PAGES / f"{page}.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (`[^|]*) \|", text, re.M)
    names = {
        name
        for row in rows
        for span in re.findall(r"`([^`]+)`", row)
        if " import " not in f" {span}" and "&" not in span and " *" not in span
        for name in re.findall(r"(?:^|[.:])([a-zA-Z_]\w\w+)(?:\(|$)", span)
    }
    assert len(names) > 30
    arguments = {
        "border_mode",
        "direction_hint",
        "subsample",
        "dilation",
        "num_groups",
        "tensor_core",
    }
    said = re.compile(r"attribute '\w+'(?: with the tables of cuDNN [\d.]+)?[:;] \w")
    silent = []
    for name in sorted(names - arguments):
        try:
            getattr(cudnn_cffi, name)
        except AttributeError as error:
            silent += [] if said.search(str(error)) else [name]
    assert not silent


@pytest.mark.parametrize(
    "name",
    [
        *("ConvolutionFwdPreference", "ConvolutionBwdDataPreference"),
        *("ConvolutionBwdFilterPreference", "AddMode"),
    ],
)
def test_enums_that_are_gone_lead_to_the_module_that_has_them(name: str) -> None:
    """By the names of this package, of the old one, and of C."""
    says = rf"use cudnn_cffi\.compat\.libcudnn\.cudnn{name}(?!\w)"
    for spelt in (name, f"cudnn{name}", f"cudnn{name}_t"):
        with pytest.raises(AttributeError, match=says):
            getattr(cudnn_cffi, spelt)


@pytest.mark.parametrize(
    ("cls", "argument", "says"),
    [
        # Theano
        ("AffineGrid", "precision", "leave it out: the data type of the arrays decides;"),
        ("Convolution", "border_mode", "use padding;"),
        ("Convolution", "subsample", "use stride;"),
        ("Convolution", "filter_dilation", "use dilation;"),
        ("Convolution", "conv_mode", "use flip, as in flip=True"),
        ("Convolution", "direction_hint", "leave it out: gradients are operations of their own"),
        ("Convolution", "workmem", "use choose;"),
        ("Convolution", "algo", "use choose;"),
        (
            "Convolution",
            "precision",
            'leave it out: the data type of the arrays decides; choose={"tf32"',
        ),
        ("Convolution", "num_groups", "use groups;"),
        ("Pooling", "ws", "use window;"),
        ("Pooling", "pad", "use padding;"),
        ("Pooling", "mode", "use kind;"),
        ("Pooling", "ignore_border", "leave it out: windows end inside of the padded array"),
        ("Softmax", "algo", "use accurate, as in accurate=False"),
        ("Softmax", "mode", "use axis;"),
        ("Softmax", "fast", "use accurate, as in accurate=False"),
        ("BatchNorm", "gamma", "use scale;"),
        ("BatchNorm", "beta", "pass it where the operation is called; what a norm adds is bias;"),
        ("BatchNorm", "running_average_factor", "use momentum;"),
        ("BatchNorm", "running_var", "use running_variance;"),
        ("BatchNormInference", "running_mean", "use mean;"),
        ("Reduction", "red_op", "use operation;"),
        ("Reduction", "axis", "use axes;"),
        ("Reduction", "acc_dtype", "leave it out: the data type"),
        ("Reduction", "return_indices", "use indices;"),
        ("LSTM", "num_layers", "use layers;"),
        ("LSTM", "rnn_mode", "leave it out: RNN, LSTM and GRU"),
        ("RNN", "rnn_mode", "use nonlinearity;"),
        ("LSTM", "input_mode", "use skip_input;"),
        ("LSTM", "direction_mode", "use bidirectional;"),
        ("AffineGrid", "scale_width", "use size;"),
        # Chainer and CuPy
        ("Convolution", "dilate", "use dilation;"),
        ("Convolution", "cover_all", "leave it out: windows end"),
        ("Convolution", "auto_tune", 'use choose, as in choose="time"'),
        ("Convolution", "tensor_core", "use choose, as in"),
        ("Pooling", "ksize", "use window;"),
        ("BatchNorm", "decay", "use momentum, which is 1 - decay;"),
        ("BatchNorm", "eps", "use epsilon;"),
        ("Dropout", "ratio", "use rate;"),
        ("LSTM", "n_layers", "use layers;"),
        ("LSTM", "dropout_ratio", "use dropout;"),
        ("CTCLoss", "blank_symbol", "leave it out: the blank is label 0;"),
        # CUDA.jl
        ("Convolution", "mathType", "leave it out: the data type"),
        ("Convolution", "math_type", "leave it out: the data type"),
        ("Convolution", "mode", "use flip, as in flip=True"),
        ("Convolution", "convDesc", "name padding, stride, dilation and groups;"),
        ("Pooling", "maxpoolingNanOpt", "leave it out: NaN is propagated;"),
        ("Reduction", "reduceTensorOp", "use operation;"),
        ("TensorOperation", "nanOpt", "use propagate_nan;"),
        ("Activation", "coef", "use coefficient;"),
        ("LSTM", "hiddenSize", "did you mean hidden_size?"),
        ("LSTM", "numLayers", "use layers;"),
        ("LSTM", "projSize", "use projection_size;"),
        ("LSTM", "dirMode", "use bidirectional;"),
        ("MultiHeadAttention", "nHeads", "use heads;"),
        ("MultiHeadAttention", "qProjSize", "use q_projection;"),
        ("MultiHeadAttention", "smScaler", "use scale;"),
        # PyTorch and JAX
        ("Convolution", "kernel_size", "leave it out: the extents of the filters decide;"),
        ("Convolution", "dtype", "leave it out: the data type"),
        ("Pooling", "ceil_mode", "leave it out: windows end"),
        ("Pooling", "count_include_pad", 'use kind, as in kind="average_without_padding"'),
        ("Activation", "inplace", "use out, as in out=x;"),
        ("LayerNorm", "normalized_shape", "leave it out: the shape of the scale decides;"),
        ("Attention", "enable_gqa", "leave it out: k and v may have fewer heads than q;"),
        ("GridSample", "align_corners", "leave it out: -1 and 1 are the centers"),
    ],
)
def test_an_argument_leads_to_ours(cls: str, argument: str, says: str) -> None:
    kind = getattr(tried, cls)
    sizes = {"LSTM": (3, 4), "RNN": (3, 4), "GroupNorm": (2,), "AffineGrid": ((1, 2, 3, 4),)}
    with pytest.raises(errors.ArgumentError, match=argument) as caught:
        kind(*sizes.get(cls, ()), **{argument: 1})
    assert caught.value.hint.startswith(says)


@pytest.mark.parametrize(
    ("theirs", "ours"),
    [
        (lambda: tried.Pooling("max_deterministic"), lambda: ops.Pooling(deterministic=True)),
        (lambda: tried.Pooling("average_inc_pad"), lambda: ops.Pooling("average")),
        (lambda: tried.Pooling("average_exc_pad"), lambda: ops.Pooling("average_without_padding")),
        (lambda: tried.Pooling("CUDNN_POOLING_MAX"), lambda: ops.Pooling()),
        (lambda: tried.Pooling("CUDNN_POOLING_AVERAGE"), lambda: ops.Pooling("average")),
        (lambda: tried.Pooling("CUDNN_POOLING_AVERAGE_COUNT_EXCLUDE_PADDING"),
         lambda: ops.Pooling("average_without_padding")),
        (lambda: tried.Pooling("CUDNN_POOLING_MAX_DETERMINISTIC", 3),
         lambda: ops.Pooling("max", 3, deterministic=True)),
        (lambda: tried.Pooling(front.PoolingMode.MAX_DETERMINISTIC),
         lambda: ops.Pooling(deterministic=True)),
        (lambda: tried.Reduction("absmax"), lambda: ops.Reduction("amax")),
        (lambda: tried.Reduction("maximum"), lambda: ops.Reduction("max")),
        (lambda: tried.Reduction("CUDNN_REDUCE_TENSOR_NORM1"), lambda: ops.Reduction("norm1")),
        (lambda: tried.TensorOperation("CUDNN_OP_TENSOR_ADD"), lambda: ops.TensorOperation("add")),
        (lambda: tried.Activation("CUDNN_ACTIVATION_CLIPPED_RELU", 3.0),
         lambda: ops.Activation("clipped_relu", 3.0)),
        (lambda: tried.Activation(front.ActivationMode.TANH), lambda: ops.Activation("tanh")),
        (lambda: tried.BatchNorm("per-activation"), lambda: ops.BatchNorm("per_activation")),
        (lambda: tried.BatchNorm("CUDNN_BATCHNORM_SPATIAL"), lambda: ops.BatchNorm()),
        (lambda: tried.RNN(3, 4, nonlinearity="rnn_relu"),
         lambda: ops.RNN(3, 4, nonlinearity="relu")),
    ],
)  # fmt: skip
def test_a_word_means_ours(theirs: Any, ours: Any) -> None:
    assert repr(theirs()) == repr(ours())


def test_a_graph_takes_the_word_of_a_reduction() -> None:
    one, other = cudnn_cffi.Graph(), cudnn_cffi.Graph()
    for graph, word in ((one, "absmax"), (other, "AMAX")):
        graph.output(graph.reduction(graph.tensor((2, 3, 4), "float32", name="x"), word, dims=1))
    assert one == other


@pytest.mark.parametrize(
    ("make", "hint"),
    [
        (lambda: tried.Softmax("fast"), "name accurate=False;"),
        (lambda: tried.softmax(1, "fast"), "name accurate=False;"),
        (lambda: tried.Softmax("log"), "name log=True;"),
        (lambda: tried.Softmax("accurate"), "leave it out: accurate=True is the default;"),
        (lambda: tried.Softmax("fast", "channel"), "options: axis, log, accurate"),
        (lambda: tried.Activation("relu6"), "use clipped_relu;"),
        (lambda: tried.Activation("ClippedReLU"), "did you mean clipped_relu?"),
        (lambda: choice(algo_fwd="fft").__enter__(), "use forward;"),  # type: ignore[call-arg]
        (lambda: choice(algo_bwd="fft").__enter__(), "use data and filter;"),  # type: ignore[call-arg]
        (lambda: choice(conv_bwd_data_algo=1).__enter__(), "use data;"),  # type: ignore[call-arg]
        (lambda: choice(precision="float32").__enter__(), "use tf32;"),  # type: ignore[call-arg]
        (lambda: choice(mathType=1).__enter__(), "use tf32 or tensor_cores;"),  # type: ignore[call-arg]
        (lambda: choice(fastest=True).__enter__(), "use workspace_limit=-1;"),  # type: ignore[call-arg]
    ],
)
def test_a_word_that_means_nothing_here_leads_to_ours(make: Any, hint: str) -> None:
    with pytest.raises(errors.ArgumentError) as caught:
        make()
    assert caught.value.hint.startswith(hint)
