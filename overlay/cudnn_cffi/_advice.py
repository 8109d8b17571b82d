"""Hints for names that do not exist, and the class of modules that give them."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable
from importlib import import_module
from types import MethodType, ModuleType
from typing import TypedDict, Unpack

from . import errors
from ._index import HISTORY, RELEASES
from ._tables import elsewhere


class _Named(TypedDict, total=False):
    """The keywords of an AttributeError."""

    name: str
    obj: object


class AbsentError(AttributeError):
    """A name that a release does not have; its text says which releases have it, or what is meant.

    The text is looked up when it is printed: most such errors are caught and dropped.
    """

    def __init__(self, message: str, release: str = "", **about: Unpack[_Named]) -> None:
        super().__init__(message, **about)
        self.release = release

    def __str__(self) -> str:
        text, name = super().__str__(), self.name or ""
        if when := elsewhere(name, self.release):
            successor = HISTORY[name][2] if name in HISTORY else None
            use = f"; use {successor}" if successor and when.startswith("removed") else ""
            return f"{text}: it was {when}{use}"
        return f"{text}{advice(name, self.obj)}"

    def __reduce__(self) -> tuple[type[AttributeError], tuple[str]]:
        return AttributeError, (str(self),)  # modules cannot be pickled


class UnknownNameError(AttributeError):
    """A name that a module does not have; what is meant is looked up only to be printed."""

    def __str__(self) -> str:
        return f"{super().__str__()}{advice(self.name or '', self.obj)}"

    def __reduce__(self) -> tuple[type[AttributeError], tuple[str]]:
        return AttributeError, (str(self),)  # modules cannot be pickled


class Module(ModuleType):
    """A module that says what is meant by a name that it does not have, read or set.

    `dir` lists what it has for its users: neither the modules that it is made of nor what it has
    imported from elsewhere. A function `_advise` of it may say more about a name. `equip` makes a
    module one of this class.
    """

    def _find(self, name: str) -> object:
        """Return what has a name that is not there yet; refuse others."""
        raise UnknownNameError(
            f"module {self.__name__!r} has no attribute {name!r}", name=name, obj=self
        )

    def __setattr__(self, name: str, value: object) -> None:
        if isinstance(value, ModuleType) and callable(self.__dict__.get(name)):
            return  # the import of a module that once had the name of a function
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
    module = sys.modules[name]
    module.__class__ = kind
    vars(module)["__getattr__"] = MethodType(kind._find, module)  # noqa: SLF001


def _is_own(name: str, value: object) -> bool:
    """Return whether a name of a module is for its users."""
    if name[0] == "_" or name == "TYPE_CHECKING" or isinstance(value, ModuleType):
        return False
    home = getattr(value, "__module__", None) or type(value).__module__
    return str(home).partition(".")[0] in (__package__, "builtins")


#: Hints, by words of other packages. Names of ours are in backquotes.
_ADVICE = {
    "activation": "use `ops.Activation`",
    "algo algorithm autotune find setconvolutionalgo setmode workmem": (
        "name choose= in a call of `ops`, or set `conv_fwd_algo`, `conv_bwd_data_algo` or "
        "`conv_bwd_filter_algo` on the package"
    ),
    "allowtf32 configmath configuremath convmathmode fp32precision mathmode mathtype tf32": (
        "set it on the package, as in cudnn_cffi.`allow_tf32` = False, or name "
        "math=`MathType`.FMA_MATH where a descriptor is made"
    ),
    "array fromnumpy": "use `DeviceArray.from_numpy`",
    "scaleddotproductflashattentionbackward sdpabackward": "use `ops.attention_backward`",
    "attention scaleddotproductattention scaleddotproductflashattention sdpa": (
        "use `ops.attention`; `ops.multi_head_attention` for the one with projections"
    ),
    "averagepooling avgpool spatialaveragepooling volumetricaveragepooling": (
        "use `ops.average_pool`"
    ),
    "maxpooling spatialmaxpooling volumetricmaxpooling": "use `ops.max_pool`",
    "maxdeterministic": "use `ops.max_pool`, with deterministic=True",
    "pool pooling": "use `ops.max_pool`, `ops.average_pool` or `ops.Pooling`",
    "averagepooling2dupdategradinput maxpooling2dupdategradinput poolgrad "
    "poolingupdategradinput": "use `ops.pooling_backward`",
    "reluupdategradinput sigmoidupdategradinput tanhupdategradinput": (
        "use `ops.activation_backward`"
    ),
    "softmaxgrad": "use `ops.softmax_backward`",
    "backward grad": (
        "use the method backward of an operation such as `ops.Convolution`, or "
        "`ops.convolution_backward_data` and `ops.convolution_backward_filter`; cudnn_cffi.torch "
        "has functions with gradients"
    ),
    "batchnormgrad": "use `ops.batch_norm_backward`",
    "batchnormalization bn spatialbatchnormalization volumetricbatchnormalization": (
        "use `ops.batch_norm`"
    ),
    "algobwd algobwddata algobwdfilter algofwd benchmark convbwddataalgo convbwdfilteralgo "
    "convfwdalgo deterministic fastest verbose": (
        "set it on the package, as in cudnn_cffi.`benchmark` = True"
    ),
    "resetmode": (
        "set `conv_fwd_algo` and its like to None on the package; modules of cudnn_cffi.torch have "
        "reset_mode"
    ),
    "setpersist": (
        'name choose="PERSIST_STATIC" where `ops.LSTM` or its like is made; modules of '
        "cudnn_cffi.torch have an attribute choose"
    ),
    "usefindex": 'name choose="time" in a call of `ops`, or set `benchmark` on the package',
    "benchmarklimit": "name most= in `choice.set_default`, or in `choice.autotune`",
    "basepath binpath includepath librarypath": (
        "`load` takes a path, and so does the variable CUDNN_CFFI_LIBRARY"
    ),
    "configmap": "name a policy for each section in `choice.set_default`",
    "conv convolve spatialconvolution spatialdilatedconvolution temporalconvolution "
    "volumetricconvolution volumetricdilatedconvolution": "use `ops.convolution`",
    "convgradi convdgrad convolution2dupdategradinput gradinput": (
        "use `ops.convolution_backward_data`"
    ),
    "convgradw convolution2daccgradparameters convwgrad gradweight": (
        "use `ops.convolution_backward_filter`"
    ),
    "bias2daccgradparameters": "use `ops.convolution_backward_bias`",
    "bias2dupdateoutput": "use `ops.add`",
    "spatialtf spatialtransformer": "use `ops.affine_grid` and `ops.grid_sample`",
    "spatialtransformergrid transformergrid": "use `ops.affine_grid`",
    "spatialtransformersampler transformersampler": "use `ops.grid_sample`",
    "transformergradi": "use `ops.grid_sample_backward`",
    "transformergradt": "use `ops.affine_grid_backward`",
    "convtranspose deconvolution spatialfullconvolution volumetricfullconvolution": (
        "use `ops.convolution_transpose`"
    ),
    "candidates": "use `ops.candidates`, `Graph.candidates`, or candidates of cudnn_cffi.torch",
    "convbwdalgo": "use `conv_bwd_data_algo` and `conv_bwd_filter_algo`",
    "convert": "use convert of cudnn_cffi.torch, which changes a model; `ops` has its layers",
    "connectionisttemporalclassification ctc": "use `ops.ctc_loss`",
    "dnn": (
        "use `ops`; what Theano configures is set on the package, as in "
        'cudnn_cffi.`algo_fwd` = "small"'
    ),
    "debug logging": '`log`, as in log("INFO"), shows every call',
    "empty": "use `DeviceArray.empty`",
    "enabled": (
        "`ops` always use cuDNN; convert(model, back=True) of cudnn_cffi.torch gives a model back "
        "to PyTorch, whose own switch is torch.backends.cudnn.enabled"
    ),
    "available isavailable present": (
        "use `is_available` of the package; `load` raises where there is no library"
    ),
    "batchnormsupported convsupported reducesupported softmaxsupported tensoropsupported": (
        "`ops.candidates` lists what computes an operation; it is empty where nothing does"
    ),
    "batchnormalizationtrain": "use `ops.batch_norm`",
    "batchnormalizationtest batchnorminference fixedbatchnormalization": (
        "use `ops.batch_norm_inference`"
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
    "bgru bigru": "use `ops.GRU`, with bidirectional=True",
    "bilstm blstm": "use `ops.LSTM`, with bidirectional=True",
    "birnn": "use `ops.RNN`, with bidirectional=True",
    "getparamsize": "use the method weights_count of `ops.LSTM` or its like",
    "splitparams": "use the method parameters of `ops.LSTM` or its like",
    "scaleheight scalewidth": "multiply the extents in size of `ops.affine_grid`",
    "nocudnnraise": "use `load`, which raises if there is no library",
    "rnnblock": "use `ops.RNN`, `ops.LSTM` or `ops.GRU`",
    "rnngradinputs": "use `ops.rnn_backward_data`",
    "rnngradweights": "use `ops.rnn_backward_weights`",
    "rnnrelu rnntanh": 'use `ops.RNN`, with nonlinearity="relu" or "tanh"',
    "divisivenormalization spatialdivisivenormalization": "use `ops.divisive_norm`",
    "localresponsenormalization lrn spatialcrossmaplrn": "use `ops.local_response_norm`",
    "mha": "use `ops.multi_head_attention`",
    "norm normalization": (
        "use `ops.layer_norm`, `ops.rms_norm`, `ops.instance_norm`, `ops.group_norm` or "
        "`ops.batch_norm`"
    ),
    "record recorder": "use `ops.record`",
    "precision": (
        "the data type of the arrays decides; `allow_tf32` = False on the package keeps float32 "
        "exact"
    ),
    "gethandle resethandles": "use `handle`",
    "logsoftmax spatiallogsoftmax volumetriclogsoftmax": "use `ops.log_softmax`",
    "localdnnreduction reducetensor reduction": "use `ops.reduce`",
    "spatialcrossentropycriterion volumetriccrossentropycriterion": "use `ops.cross_entropy`",
    "spatialsoftmax volumetricsoftmax": "use `ops.softmax`",
    "setstream": "set the attribute `Handle.stream`",
    "synchronize": "use `DeviceArray.synchronize` or `Stream.synchronize`",
    "tensor todescriptor": "use `TensorDescriptor.packed`, or `DeviceArray.empty` for memory",
    "version": (
        "use `version` of the package, `cudnnGetVersion` for its number, or `__version__` for that "
        "of the package itself"
    ),
    "workspace": "use `Handle.workspace`",
    "adjustsharedworkspacesize getmaxworkspacesize getsharedworkspace setmaxworkspacesize "
    "setsharedworkspacesize workspacelimit": (
        "name workspace_limit in `choice.set_default`, or set the attribute "
        "`Handle.workspace`.limit"
    ),
    "zeros": "use `DeviceArray.zeros`",
}

#: The same by word, lower case without underscores.
WORDS = {word: text for words, text in _ADVICE.items() for word in words.split()}


def advice(name: str, module: object) -> str:
    """Return the end of an error's text: what to use for `name`; "" where nothing is near."""
    word = _plain(name)
    own = getattr(module, "__dict__", {}).get("_advise")
    if own is not None and (text := own(name)):
        return f": {text}"
    known = dir(module)
    if isinstance(module, Module):
        same = [each for each in known if _plain(each) == word]
        if same:
            return f"; did you mean {same[-1]}?"  # functions come after classes
    if text := _of_others(word):
        return f": {text.replace('`', '')}"
    if isinstance(module, Module) and (near := _nearest(name, known)):
        return f"; did you mean {near}?"
    if name in _SUBMODULES:
        return f": import {__package__}.{name}"
    theirs = _of_compat(name)
    theirs = theirs and f": {theirs}"
    if name[:1] == "v" and name[1:].replace("_", "").isdigit():
        return f": the newest known release is v{list(RELEASES)[-1].replace('.', '_')}"
    near = _nearest(name, known)
    if near is None:
        near = _nearest(name, [other for other in errors.__all__ if other[0].isupper()])
        near = near and f"cudnn_cffi.{near}"
    return theirs + (f"; did you mean {near}?" if near else "")


#: Submodules that need an import of their own.
_SUBMODULES = ("api", "backend", "compat", "descriptors", "diagnose", "memory", "torch")


def _plain(name: str) -> str:
    return name.lower().replace("_", "")


#: Beginnings and ends that Theano, Chainer, CuPy and cudnn.torch give to names of operations.
_AFFIXES = re.compile(
    r"(?:gpudnn|dnn)(.+?)(?:op|desc|base|inplace|[1-3]d)*"
    r"|(?:nstep)?(.+?)(?:forward|forwardtraining|forwardinference|updateoutput|[1-3]d|nd)*"
)


def _of_others(word: str) -> str:
    """Return what to use for a word of another package; "" for other words."""
    whole = _AFFIXES.fullmatch(word)
    for each in (word, *(whole.groups() if whole else ())):
        if each and (text := WORDS.get(each) or _operation(each)):
            return text
    return ""


def _operation(word: str) -> str:
    """Return where an operation is whose name is such a word; "" where none is."""
    # They are upper rooms, which are imported only to print an error.
    ops, graph = (import_module(f"{__package__}.{room}") for room in ("ops", "graph"))

    found = [each for each in dir(ops) if _plain(each) == word]
    if found:
        return f"use ops.{found[-1]}"
    methods = [each for each in dir(graph.Graph) if each[0] != "_" and _plain(each) == word]
    return f"use Graph.{methods[0]}" if methods else ""


#: Modules of compat, and whose names they have.
_COMPAT = {
    "cupy_cudnn": "CuPy",
    "cupy_backends_cudnn": "CuPy",
    "libcudnn": "cudnn-python-wrappers",
    "libcudnn_1": "cudnn-python-wrappers 1.0",
    "frontend": "NVIDIA's front end",
}


def _of_compat(name: str) -> str:
    """Return which module has a name as another package had it; "" where none has."""
    for place, package in _COMPAT.items():
        known = dir(import_module(f"{__package__}.compat.{place}"))
        bare = name.removesuffix("_t")
        if found := next((each for each in (name, bare, f"cudnn{bare}") if each in known), ""):
            return f"a name of {package}: use {__package__}.compat.{place}.{found}"
    return ""


#: Minimum length of a name's beginning that tells something.
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
