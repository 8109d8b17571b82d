"""The complete cuDNN C API for Python.

Every function of cuDNN under its C name, without its out-parameters; every enum, flag, constant
and struct, exact for the release that is loaded; descriptors and handles as objects that own what
they hold. Importing this loads no library and needs no GPU: libcudnn is found and loaded, and its
release's tables are chosen, when the first name is used that depends on it.

    import cudnn_cffi as cudnn

    x = cudnn.TensorDescriptor()
    x.set_4d(cudnn.TensorFormat.NCHW, cudnn.DataType.FLOAT, 8, 64, 56, 56)
    print(x.get_4d())
"""

from __future__ import annotations

# An import costs what it imports, so typing, re and pkgutil are not, where that can be helped.
import os
import sys
from importlib import import_module

from ._version import __version__

TYPE_CHECKING = False

if not os.path.exists(os.path.join(__path__[0], "_index.py")):  # noqa: PTH110, PTH118
    # A checkout: the emitted half of the package is in another folder of the search path.
    for _half in [os.path.join(entry, __name__) for entry in sys.path]:  # noqa: PTH118
        if os.path.exists(os.path.join(_half, "_index.py")):  # noqa: PTH110, PTH118
            __path__.append(_half)

if TYPE_CHECKING:
    from typing import Any

    # Of two definitions mypy takes the first and pyright the last: the overlay's must be both.
    from ._own import *
    from .names import *  # type: ignore[assignment]  # isort: skip
    from ._own import *  # isort: skip

#: Names of the overlay, by module; they are preferred to emitted ones. `_own.pyi` has them too.
_OVERLAY = {
    "ActivationDescriptor": "layers",
    "AttnDescriptor": "recurrent",
    "CTCLossDescriptor": "recurrent",
    "ConvolutionDescriptor": "layers",
    "CudnnError": "errors",
    "DeviceArray": "memory",
    "DropoutDescriptor": "layers",
    "FilterDescriptor": "descriptors",
    "Handle": "handles",
    "LRNDescriptor": "layers",
    "OpTensorDescriptor": "descriptors",
    "PoolingDescriptor": "layers",
    "RNNDataDescriptor": "recurrent",
    "RNNDescriptor": "recurrent",
    "ReduceTensorDescriptor": "descriptors",
    "SeqDataDescriptor": "recurrent",
    "SpatialTransformerDescriptor": "layers",
    "Stream": "streams",
    "TensorDescriptor": "descriptors",
    "TensorTransformDescriptor": "descriptors",
    "check": "arrays",
    "check_calls": "checks",
    "handle": "handles",
    "load": "library",
    "log": "logs",
    "pinned_empty": "memory",
}


#: What begins like a submodule's name and is none.
_LOWERCASE = {"libraryPropertyType", *(name for name in _OVERLAY if name[0].islower())}


def has(name: str) -> bool:
    """Whether the loaded release has a function, enum, constant or class of this name.

    Without a library it says what the newest known release has.
    """
    from ._index import FAMILIES
    from ._pinned import _has_family
    from ._tables import VERSION_MACROS, active

    if not isinstance(name, str):
        from .errors import ArgumentError

        raise ArgumentError(f"name: a str was expected, {name!r} came")
    tables = active()
    if name in tables.functions or name in VERSION_MACROS:
        return True
    if name in FAMILIES:
        return _has_family(name, tables.functions)
    try:
        tables.get(name)
    except KeyError:
        return False
    return True


def _get(name: str) -> Any:
    if name[0] == "_" or (
        name[0].islower() and not name.startswith("cudnn") and name not in _LOWERCASE
    ):
        # Not one of cuDNN's names. A submodule is imported by whoever asks for it; to look a name
        # up here would load the library for every `from . import`.
        if name[0] == "v" and name[1:].replace("_", "").isdigit():
            return import_module(f"{__name__}.{name}")
        raise AttributeError(
            f"module {__name__!r} has no attribute {name!r}", name=name, obj=sys.modules[__name__]
        )
    value = _find(name)
    globals()[name] = value
    return value


if not TYPE_CHECKING:  # for which every name would exist otherwise
    __getattr__ = _get


def _find(name: str) -> Any:
    if name in _OVERLAY:
        return getattr(import_module(f"{__name__}.{_OVERLAY[name]}"), name)
    from ._index import CALLS, FAMILIES

    if name in CALLS:
        if any(other.startswith(f"{name}__") for other in CALLS):
            # Its signature changed between releases: the loaded one has a form of its own.
            from ._tables import active

            name = active().functions.get(name, name)
        return getattr(import_module(f"{__name__}.calls.{CALLS[name]}"), name)
    if name in FAMILIES:
        return getattr(import_module(f"{__name__}.families"), name)
    for cls, c_name in FAMILIES.items():
        if name == c_name:
            return _find(cls)
    from ._tables import VERSION_MACROS, AbsentError, active, chosen_release, version_macro

    if name in VERSION_MACROS:
        active()
        return version_macro(name, chosen_release())
    try:
        return active().get(name)
    except KeyError:
        pass
    release = chosen_release()
    raise AbsentError(
        f"module {__name__!r} has no attribute {name!r} with the tables of cuDNN {release}",
        release,
        name=name,
        obj=sys.modules[__name__],
    )


def __dir__() -> list[str]:
    from ._index import CALLS, FAMILIES, RELEASES
    from ._tables import chosen, tables

    # Looking around must not load a library.
    names = (chosen() or tables(list(RELEASES)[-1])).names()
    ours = {name for name, value in globals().items() if _is_submodule(name, value)}
    known = {*__all__, *ours, *_OVERLAY, *CALLS, *FAMILIES, *FAMILIES.values(), *names}
    return sorted(name for name in known if name[0] != "_" or name in __all__)


def _is_submodule(name: str, value: object) -> bool:
    return getattr(value, "__name__", "") == f"{__name__}.{name}"


__all__ = ["__version__", "has"]
