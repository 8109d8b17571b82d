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


_OP = "use `ops.{}`"
_SETTING = "set it on the package, as in cudnn_cffi.`benchmark` = True"
_TF32 = (
    "set it on the package, as in cudnn_cffi.`allow_tf32` = False, or name "
    "math=`MathType`.FMA_MATH where a descriptor is made"
)
_ALGORITHM = (
    "name choose= in a call of `ops`, or set `conv_fwd_algo`, `conv_bwd_data_algo` or "
    "`conv_bwd_filter_algo` on the package"
)
_POOLING = "use `ops.max_pool`, `ops.average_pool` or `ops.Pooling`"
_NORM = (
    "use `ops.layer_norm`, `ops.rms_norm`, `ops.instance_norm`, `ops.group_norm` or "
    "`ops.batch_norm`"
)
_BACKWARD = (
    "use the method backward of an operation such as `ops.Convolution`, or "
    "`ops.convolution_backward_data` and `ops.convolution_backward_filter`; cudnn_cffi.torch has "
    "functions with gradients"
)
_ATTENTION = "use `ops.attention`; `ops.multi_head_attention` for the one with projections"
_ARRAY = "use `DeviceArray.{}`"
_LOG = '`log`, as in log("INFO"), shows every call'
_GRAPH = "use `Graph`; `Graph.build` returns a `Plan`"
_SCOPE = "use a scope, as in with `choice`(deterministic=True), or `choice.set_default`"
_PLACE = "`load` takes a path, and so does the variable CUDNN_CFFI_LIBRARY"
_CONVERT = "use convert of cudnn_cffi.torch, which changes a model; `ops` has its layers"

#: Operations that other packages call the same.
_OPERATIONS = (
    "add", "batch_norm", "convolution", "cross_entropy", "ctc_loss", "dropout", "elu",
    "gelu", "grid_sample", "group_norm", "gru", "instance_norm", "layer_norm",
    "log_softmax", "lstm", "multi_head_attention", "reduce", "relu", "rms_norm", "rnn",
    "sigmoid", "softmax", "swish", "tanh",
)  # fmt: skip

#: Words of other packages, lower case without underscores. Names of ours are in backquotes.
WORDS = {
    **{name.replace("_", ""): _OP.format(name) for name in _OPERATIONS},
    "activation": _OP.format("Activation"),
    "algo": _ALGORITHM,
    "algobwd": _ALGORITHM,
    "algorithm": _ALGORITHM,
    "allowtf32": _TF32,
    "array": _ARRAY.format("from_numpy"),
    "attention": _ATTENTION,
    "autotune": _ALGORITHM,
    "averagepool": _POOLING,
    "avgpool": _POOLING,
    "backward": _BACKWARD,
    "batchnormalization": _OP.format("batch_norm"),
    "benchmark": _SETTING,
    "benchmarklimit": "name most= in `choice.set_default`, or in `choice.autotune`",
    "binpath": _PLACE,
    "bn": _OP.format("batch_norm"),
    "configmap": "name a policy for each section in `choice.set_default`",
    "conv": _OP.format("convolution"),
    "convert": _CONVERT,
    "convfwdalgo": _SETTING,
    "convmathmode": _TF32,
    "convolve": _OP.format("convolution"),
    "ctc": _OP.format("ctc_loss"),
    "debug": _LOG,
    "deterministic": _SETTING,
    "empty": _ARRAY.format("empty"),
    "enabled": "`load` loads the library, and raises where there is none",
    "flags": _SCOPE,
    "fp32precision": _TF32,
    "fromdlpack": _ARRAY.format("from_dlpack"),
    "fromnumpy": _ARRAY.format("from_numpy"),
    "grad": _BACKWARD,
    "graph": _GRAPH,
    "includepath": _PLACE,
    "isacceptable": "`ops` refuse what they do not take, and name it",
    "isavailable": "`load` loads the library, and raises where there is none",
    "librarypath": _PLACE,
    "logging": _LOG,
    "lrn": _OP.format("local_response_norm"),
    "mathmode": _TF32,
    "mathtype": _TF32,
    "maxpool": _POOLING,
    "mha": _OP.format("multi_head_attention"),
    "norm": _NORM,
    "normalization": _NORM,
    "plan": _GRAPH,
    "pool": _POOLING,
    "pooling": _POOLING,
    "scaleddotproductattention": _ATTENTION,
    "sdpa": _ATTENTION,
    "setflags": _SCOPE,
    "setstream": "set the attribute `Handle.stream`",
    "spatialconvolution": _OP.format("convolution"),
    "synchronize": "use `DeviceArray.synchronize` or `Stream.synchronize`",
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
