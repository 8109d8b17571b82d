"""What the names of the front door stand for, for the release that is loaded."""

from __future__ import annotations

import sys
from importlib import import_module

from ._index import CALLS, FAMILIES
from ._tables import (
    VERSION_MACROS,
    AbsentError,
    Tables,
    active,
    chosen_release,
    in_use,
    newest,
    tables,
    version_macro,
)
from ._tables.pinned import _has_family

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

#: Names of the overlay, by module; they are preferred to emitted ones. `_own.pyi` has them too.
OVERLAY = {
    "ActivationDescriptor": "descriptors",
    "AllocationError": "errors",
    "ArchMismatchError": "errors",
    "ArgumentError": "errors",
    "AttnDescriptor": "descriptors",
    "BadParamError": "errors",
    "CTCLossDescriptor": "descriptors",
    "ClosedError": "errors",
    "ConvolutionDescriptor": "descriptors",
    "CudnnError": "errors",
    "DeprecatedError": "errors",
    "DeviceArray": "memory",
    "DropoutDescriptor": "descriptors",
    "ExecutionFailedError": "errors",
    "FilterDescriptor": "descriptors",
    "ForkedError": "errors",
    "Handle": "handles",
    "InternalError": "errors",
    "LRNDescriptor": "descriptors",
    "LibraryConflictError": "errors",
    "LibraryError": "errors",
    "LibraryLoadError": "errors",
    "LibraryNotFoundError": "errors",
    "LicenseError": "errors",
    "MisalignedPointerError": "errors",
    "MissingFunctionError": "errors",
    "NotFinalizedError": "errors",
    "NotInitializedError": "errors",
    "NotSupportedError": "errors",
    "NullPointerError": "errors",
    "OpTensorDescriptor": "descriptors",
    "PoolingDescriptor": "descriptors",
    "RNNDataDescriptor": "descriptors",
    "RNNDescriptor": "descriptors",
    "ReduceTensorDescriptor": "descriptors",
    "RuntimeInProgressError": "errors",
    "RuntimeOverflowError": "errors",
    "SeqDataDescriptor": "descriptors",
    "ShapeMismatchError": "errors",
    "SpatialTransformerDescriptor": "descriptors",
    "Stream": "driver.streams",
    "SublibraryError": "errors",
    "TensorDescriptor": "descriptors",
    "TensorTransformDescriptor": "descriptors",
    "UnknownMemberError": "errors",
    "UnsupportedVersionError": "errors",
    "VersionMismatchError": "errors",
    "check": "arrays",
    "check_calls": "_call.checking",
    "cudnnSetCallback": "logs",
    "handle": "handles",
    "has": "_resolve",
    "load": "library",
    "log": "logs",
    "pinned_empty": "memory",
}

_PACKAGE = __name__.rpartition(".")[0]


def has(name: str) -> bool:
    """Return whether the loaded release has a function, enum, constant or class of this name.

    Without a library it says what the newest known release has. `hasattr` says less: functions of
    all known releases are attributes of `cudnn_cffi`, and those that the loaded one lacks raise
    when they are called.

    Raises:
        ArgumentError: `name` is not a str.
    """
    if not isinstance(name, str):
        from .errors import ArgumentError

        raise ArgumentError(f"name: a str was expected, {name!r} came")
    return name in _names(active())


def find(name: str) -> Any:
    """Return what a name stands for; the library is loaded where that depends on the release.

    Raises:
        AbsentError: the release has nothing of that name.
    """
    if name in OVERLAY:
        return getattr(import_module(f"{_PACKAGE}.{OVERLAY[name]}"), name)
    if name in CALLS:
        from ._lookup import function

        return function(name)
    if name in FAMILIES:
        return getattr(import_module(f"{_PACKAGE}.families"), name)
    for cls, c_name in FAMILIES.items():
        if name == c_name:
            return find(cls)
    if name in VERSION_MACROS:
        active()
        return version_macro(name, chosen_release())
    try:
        return active().get(name)
    except KeyError:
        pass
    release = chosen_release()
    raise AbsentError(
        f"module {_PACKAGE!r} has no attribute {name!r} with the tables of cuDNN {release}",
        release,
        name=name,
        obj=sys.modules[_PACKAGE],
    )


_names_of: dict[str, frozenset[str]] = {}


def names(release: str) -> frozenset[str]:
    """The names of a release: what its module has."""
    return _names(tables(release))


def _names(own: Tables) -> frozenset[str]:
    if own.release not in _names_of:
        found = {*own.functions, *own.names()}
        for cls, c_name in FAMILIES.items():
            if _has_family(cls, own.functions):
                found |= {cls, c_name}
        _names_of[own.release] = frozenset(found)
    return _names_of[own.release]


#: What the overlay adds, whatever the release.
OURS = frozenset(name for name in OVERLAY if name not in FAMILIES)


def public() -> list[str]:
    """`__all__`: what `import *` gives, of the library that it loads."""
    from .errors import LibraryError

    try:
        own = active()
    except LibraryError:  # says why when the first name is asked for that depends on it
        own = newest()
    return sorted({"__version__", *OURS, *_names(own)})


def listed() -> frozenset[str]:
    """What `dir` lists: the names of the release in use; of the newest before one is loaded."""
    # Looking around must not load a library.
    return OURS | _names(in_use())
