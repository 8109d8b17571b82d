"""Advice for names that do not exist: imported only where one was asked for."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches
from typing import Any

from . import errors
from ._index import HISTORY, RELEASES
from ._tables import elsewhere


class AbsentError(AttributeError):
    """A name that a release does not have; its text says which releases have it, or what is meant.

    The text is looked up when it is printed: most such errors are caught and dropped.
    """

    def __init__(self, message: str, release: str = "", **about: Any) -> None:
        super().__init__(message, **about)
        self.release = release

    def __str__(self) -> str:
        text, name = super().__str__(), self.name or ""
        if when := elsewhere(name, self.release):
            successor = HISTORY[name][2] if name in HISTORY else None
            use = f"; use {successor}" if successor and when.startswith("removed") else ""
            return f"{text}: it was {when}{use}"
        return f"{text}{advice(name, self.obj)}"

    def __reduce__(self) -> Any:
        return AttributeError, (str(self),)  # modules cannot be pickled


_CONVOLUTION = "`ConvolutionDescriptor.cross_correlation` makes a convolution to call: conv(x, w)"
_SETTING = "set it on the package, as in cudnn_cffi.`benchmark` = True"
_TF32 = (
    "set it on the package, as in cudnn_cffi.`allow_tf32` = False, or name "
    "math=`MathType`.FMA_MATH where a descriptor is made"
)
_ALGORITHM = (
    "name choose= in a call of `ops`, or set `conv_fwd_algo`, `conv_bwd_data_algo` or "
    "`conv_bwd_filter_algo` on the package"
)
_POOLING = "`PoolingDescriptor.max` and `PoolingDescriptor.average` make a pooling to call: pool(x)"
_ACTIVATION = "`ActivationDescriptor.{}` makes an activation to call: f(x)"
_RNN = "`RNNDescriptor.{}` describes the network that `cudnnRNNForward` computes"
_BATCH_NORM = (
    "use `cudnnBatchNormalizationForwardTraining`, `cudnnBatchNormalizationForwardInference` and "
    "`TensorDescriptor.for_batch_norm`"
)
_NORM = "use `cudnnNormalizationForwardTraining` or `cudnnNormalizationForwardInference`"
_BACKWARD = (
    "use `cudnnConvolutionBackwardData`, `cudnnConvolutionBackwardFilter`, `cudnnPoolingBackward` "
    "or `cudnnActivationBackward`"
)
_ATTENTION = "`AttnDescriptor.of` describes what `cudnnMultiHeadAttnForward` computes"
_ARRAY = "use `DeviceArray.{}`"
_LOG = '`log`, as in log("INFO"), shows every call'
_GRAPH = "use `Graph`; `Graph.build` returns a `Plan`"

#: Words of other packages, lower case without underscores. Names of ours are in backquotes.
WORDS = {
    "activation": _ACTIVATION.format("relu"),
    "add": "use `cudnnAddTensor` or `OpTensorDescriptor.of`",
    "algo": _ALGORITHM,
    "algorithm": _ALGORITHM,
    "allowtf32": _TF32,
    "array": _ARRAY.format("from_numpy"),
    "attention": _ATTENTION,
    "autotune": _ALGORITHM,
    "averagepool": _POOLING,
    "avgpool": _POOLING,
    "backward": _BACKWARD,
    "batchnorm": _BATCH_NORM,
    "batchnormalization": _BATCH_NORM,
    "benchmark": _SETTING,
    "benchmarklimit": "name most= in `choice.set_default` or `choice.autotune`",
    "bn": _BATCH_NORM,
    "conv": _CONVOLUTION,
    "convfwdalgo": _SETTING,
    "convolution": _CONVOLUTION,
    "convolve": _CONVOLUTION,
    "ctc": "`CTCLossDescriptor.of` describes what `cudnnCTCLoss_v8` computes",
    "ctcloss": "`CTCLossDescriptor.of` describes what `cudnnCTCLoss_v8` computes",
    "debug": _LOG,
    "deterministic": _SETTING,
    "dropout": "use `DropoutDescriptor.with_state`",
    "elu": _ACTIVATION.format("elu"),
    "empty": _ARRAY.format("empty"),
    "enabled": "`load` loads the library, and raises where there is none",
    "fromdlpack": _ARRAY.format("from_dlpack"),
    "fromnumpy": _ARRAY.format("from_numpy"),
    "grad": _BACKWARD,
    "graph": _GRAPH,
    "gru": _RNN.format("gru"),
    "isavailable": "`load` loads the library, and raises where there is none",
    "layernorm": _NORM,
    "logging": _LOG,
    "lrn": "use `LRNDescriptor.of`",
    "lstm": _RNN.format("lstm"),
    "maxpool": _POOLING,
    "mha": _ATTENTION,
    "multiheadattention": _ATTENTION,
    "norm": _NORM,
    "normalization": _NORM,
    "plan": _GRAPH,
    "pool": _POOLING,
    "pooling": _POOLING,
    "reduce": "use `ReduceTensorDescriptor.of` and `cudnnReduceTensor`",
    "relu": _ACTIVATION.format("relu"),
    "rnn": _RNN.format("of"),
    "scaleddotproductattention": _ATTENTION,
    "sdpa": _ATTENTION,
    "setstream": "set the attribute `Handle.stream`",
    "sigmoid": _ACTIVATION.format("sigmoid"),
    "softmax": "use `cudnnSoftmaxForward` and `cudnnSoftmaxBackward`",
    "spatialconvolution": _CONVOLUTION,
    "swish": _ACTIVATION.format("swish"),
    "synchronize": "use `DeviceArray.synchronize` or `Stream.synchronize`",
    "tanh": _ACTIVATION.format("tanh"),
    "tensor": "use `TensorDescriptor.packed`, or `DeviceArray.empty` for memory",
    "tf32": _TF32,
    "verbose": _SETTING,
    "version": "use `cudnnGetVersion`, or `__version__` for that of this package",
    "workspace": "use `Handle.workspace`",
    "workspacelimit": "name workspace_limit in `choice.set_default`, or set the attribute "
    "`Handle.workspace`.limit",
    "zeros": _ARRAY.format("zeros"),
}


def advice(name: str, module: object) -> str:
    """Return the end of an error's text: what to use for `name`; "" where nothing is near."""
    word = name.lower().replace("_", "")
    text = WORDS.get(word) or WORDS.get(word.rstrip("123456789d"))
    if text is not None:
        return f": {text.replace('`', '')}"
    known = dir(module)
    if name[:1] == "v" and name[1:].replace("_", "").isdigit():
        return f": the newest known release is v{list(RELEASES)[-1].replace('.', '_')}"
    near = _nearest(name, known)
    if near is None:
        near = _nearest(name, [other for other in errors.__all__ if other[0].isupper()])
        near = near and f"cudnn_cffi.{near}"
    return f"; did you mean {near}?" if near else ""


#: So many letters say something, where a name begins with them.
_ENOUGH = 5


def _nearest(name: str, known: Iterable[str]) -> str | None:
    names = [other for other in known if other[0] != "_"]
    found = get_close_matches(name, names, 1, 0.8)
    if not found:
        lower = name.lower()
        found = [other for other in names if other.lower() == lower]
    if not found and len(name) >= _ENOUGH:
        found = sorted((other for other in names if other.lower().startswith(lower)), key=len)
    return found[0] if found else None
