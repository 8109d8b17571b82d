"""Advice for names that do not exist, and modules that give it."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable
from types import ModuleType
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


class UnknownNameError(AttributeError):
    """A name that a module does not have; what is meant is looked up only to be printed."""

    def __str__(self) -> str:
        return f"{super().__str__()}{advice(self.name or '', self.obj)}"

    def __reduce__(self) -> Any:
        return AttributeError, (str(self),)  # modules cannot be pickled


class Module(ModuleType):
    """A module that says what is meant by a name that it does not have, read or set.

    `dir` lists what it has for its users: neither the modules that it is made of nor what it has
    imported from elsewhere. A function `_advise` of it may say more about a name. `equip` makes a
    module one of this class.
    """

    def _find(self, name: str) -> Any:
        """Return what has a name that is not there yet; refuse others."""
        raise UnknownNameError(
            f"module {self.__name__!r} has no attribute {name!r}", name=name, obj=self
        )

    def __setattr__(self, name: str, value: object) -> None:
        known = name[:1] == "_" or name in self.__dict__ or f"{self.__name__}.{name}" in sys.modules
        if not known:
            raise UnknownNameError(
                f"module {self.__name__!r} has no attribute {name!r} to set", name=name, obj=self
            )
        super().__setattr__(name, value)

    @property
    def __all__(self) -> list[str]:
        """Return the names that `import *` takes, and that `help` documents."""
        return dir(self)

    def __dir__(self) -> list[str]:
        return sorted(name for name, value in vars(self).items() if _is_own(name, value))


def equip(name: str, kind: type[Module] = Module) -> None:
    """Make a module one of a class, whose `_find` is asked for names that it does not have.

    That is the module's own function `__getattr__`: a class with such a method takes three times as
    long for each name that is there, such as that of a function that is called.
    """
    module: Any = sys.modules[name]
    module.__class__ = kind
    vars(module)["__getattr__"] = module._find  # noqa: SLF001


def _is_own(name: str, value: object) -> bool:
    """Return whether a name of a module is for its users."""
    if name[0] == "_" or name == "TYPE_CHECKING" or isinstance(value, ModuleType):
        return False
    home = getattr(value, "__module__", None) or type(value).__module__
    return str(home).partition(".")[0] in (__package__, "builtins")


#: Operations that other packages call the same.
_OPERATIONS = (
    "add", "batch_norm", "convolution", "cross_entropy", "ctc_loss", "dropout", "elu",
    "gelu", "grid_sample", "group_norm", "gru", "instance_norm", "layer_norm",
    "log_softmax", "lstm", "multi_head_attention", "reduce", "relu", "rms_norm", "rnn",
    "sigmoid", "softmax", "swish", "tanh",
)  # fmt: skip

#: What to use, by words of other packages. Names of ours are in backquotes.
_ADVICE = {
    "activation": "use `ops.Activation`",
    "algo algorithm autotune find setconvolutionalgo setmode setpersist": (
        "name choose= in a call of `ops`, or set `conv_fwd_algo`, `conv_bwd_data_algo` or "
        "`conv_bwd_filter_algo` on the package"
    ),
    "allowtf32 configmath configuremath convmathmode fp32precision mathmode mathtype tf32": (
        "set it on the package, as in cudnn_cffi.`allow_tf32` = False, or name "
        "math=`MathType`.FMA_MATH where a descriptor is made"
    ),
    "array fromnumpy": "use `DeviceArray.from_numpy`",
    "attention scaleddotproductattention sdpa": (
        "use `ops.attention`; `ops.multi_head_attention` for the one with projections"
    ),
    "averagepool averagepooling avgpool maxdeterministic maxpool maxpooling pool pooling "
    "spatialaveragepooling spatialmaxpooling volumetricaveragepooling volumetricmaxpooling": (
        "use `ops.max_pool`, `ops.average_pool` or `ops.Pooling`"
    ),
    "backward grad": (
        "use the method backward of an operation such as `ops.Convolution`, or "
        "`ops.convolution_backward_data` and `ops.convolution_backward_filter`; cudnn_cffi.torch "
        "has functions with gradients"
    ),
    "batchnormalization bn spatialbatchnormalization volumetricbatchnormalization": (
        "use `ops.batch_norm`"
    ),
    "benchmark convfwdalgo deterministic verbose": (
        "set it on the package, as in cudnn_cffi.`benchmark` = True"
    ),
    "usefindex": 'name choose="time" in a call of `ops`, or set `benchmark` on the package',
    "benchmarklimit": "name most= in `choice.set_default`, or in `choice.autotune`",
    "binpath includepath librarypath": (
        "`load` takes a path, and so does the variable CUDNN_CFFI_LIBRARY"
    ),
    "configmap": "name a policy for each section in `choice.set_default`",
    "conv convolve spatialconvolution temporalconvolution volumetricconvolution": (
        "use `ops.convolution`"
    ),
    "spatialtf spatialtransformer": "use `ops.affine_grid` and `ops.grid_sample`",
    "convtranspose deconvolution spatialfullconvolution volumetricfullconvolution": (
        "use `ops.convolution_transpose`"
    ),
    "candidates": "use `ops.candidates`, `Graph.candidates`, or candidates of cudnn_cffi.torch",
    "convbwdalgo": "use `conv_bwd_data_algo` and `conv_bwd_filter_algo`",
    "convert": "use convert of cudnn_cffi.torch, which changes a model; `ops` has its layers",
    "ctc": "use `ops.ctc_loss`",
    "debug logging": '`log`, as in log("INFO"), shows every call',
    "empty": "use `DeviceArray.empty`",
    "enabled": (
        "`ops` always use cuDNN; convert(model, back=True) of cudnn_cffi.torch gives a model back "
        "to PyTorch, whose own switch is torch.backends.cudnn.enabled"
    ),
    "available isavailable present": "`load` loads the library, and raises where there is none",
    "batchnormsupported convsupported reducesupported softmaxsupported tensoropsupported": (
        "`ops.candidates` lists what computes an operation; it is empty where nothing does"
    ),
    "batchnormalizationtrain batchnormalizationtest": (
        "use `ops.batch_norm`, and `ops.batch_norm_inference` with given statistics"
    ),
    "flags setflags": (
        "use a scope, as in with `choice`(deterministic=True), or `choice.set_default`"
    ),
    "functional modules nn": "use functional and modules of cudnn_cffi.torch, or `ops`",
    "fromdlpack": "use `DeviceArray.from_dlpack`",
    "fuse": "import it from cudnn_cffi.torch; a `Graph` fuses what engines take",
    "profile": "import it from cudnn_cffi.torch, or use `ops.record`",
    "sharechoices": "import it from cudnn_cffi.torch, or use `choice.export` and `choice.adopt`",
    "getversion": "use `cudnnGetVersion`, or `__version__` for that of this package",
    "graph plan": "use `Graph`; `Graph.build` returns a `Plan`",
    "isacceptable": "`ops` refuse what they do not take, and name it",
    "linear matmul": "use `Graph.matmul`, or your array library: cuBLAS computes it",
    "blstm": "use `ops.LSTM`, with bidirectional=True",
    "lrn spatialcrossmaplrn": "use `ops.local_response_norm`",
    "mha": "use `ops.multi_head_attention`",
    "norm normalization": (
        "use `ops.layer_norm`, `ops.rms_norm`, `ops.instance_norm`, `ops.group_norm` or "
        "`ops.batch_norm`"
    ),
    "record recorder": "use `ops.record`",
    "setstream": "set the attribute `Handle.stream`",
    "synchronize": "use `DeviceArray.synchronize` or `Stream.synchronize`",
    "tensor": "use `TensorDescriptor.packed`, or `DeviceArray.empty` for memory",
    "version": "use `cudnnGetVersion`, or `__version__` for that of this package",
    "workspace": "use `Handle.workspace`",
    "workspacelimit": (
        "name workspace_limit in `choice.set_default`, or set the attribute "
        "`Handle.workspace`.limit"
    ),
    "zeros": "use `DeviceArray.zeros`",
}

#: The same by word, lower case without underscores.
WORDS = {word: text for words, text in _ADVICE.items() for word in words.split()}
WORDS |= {name.replace("_", ""): f"use `ops.{name}`" for name in _OPERATIONS}


def advice(name: str, module: object) -> str:
    """Return the end of an error's text: what to use for `name`; "" where nothing is near."""
    word = name.lower().replace("_", "")
    own = getattr(module, "__dict__", {}).get("_advise")
    if own is not None and (text := own(name)):
        return f": {text}"
    if isinstance(module, Module) and (near := _nearest(name, dir(module))):
        return f"; did you mean {near}?"
    text = WORDS.get(word) or WORDS.get(word.rstrip("123456789d")) or WORDS.get(_of_theano(word))
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


def _of_theano(word: str) -> str:
    """Return what a name such as dnn_pool or GpuDnnPoolDesc of Theano's is about."""
    return re.sub(r"^(?:gpu)?dnn(\w+?)(?:op|desc|base|inplace)*$", r"\1", word)


#: So many letters say something, where a name begins with them.
_ENOUGH = 5


def _nearest(name: str, known: Iterable[str]) -> str | None:
    from difflib import get_close_matches

    names = [other for other in known if other[0] != "_"]
    found = get_close_matches(name, names, 1, 0.8)
    if not found:
        lower = name.lower()
        found = [other for other in names if other.lower() == lower]
    if not found and len(name) >= _ENOUGH:
        found = sorted((other for other in names if other.lower().startswith(lower)), key=len)
    return found[0] if found else None
