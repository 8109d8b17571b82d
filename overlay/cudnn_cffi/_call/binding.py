"""The library's addresses for the shims: bound with the first call, taken away by some forks."""

from __future__ import annotations

from .. import errors, library
from .._index import HISTORY
from .._support import fork
from .._tables import active, pinned
from ..library import companions
from ..versions import version_key
from .layer import lib
from .spec import WRAPPERS, read_spec

_lock = fork.lock()
_bound = False
_handles = 0


def bind() -> bool:
    """Load libcudnn, choose its tables and give the shims their addresses, once.

    Returns whether this call did it; False where it was done before.
    """
    global _bound
    with _lock:
        if _bound:
            return False
        loaded = library.load()
        loaded.check_parts()
        companions.link_driver(loaded)
        pinned.check_all(loaded.version)
        functions = active(loaded.version).functions
        for index, wrapper in enumerate(WRAPPERS):
            symbol = read_spec(wrapper).symbol
            # A function that the tables do not have may still be there: they can be older.
            if functions.get(symbol, wrapper) == wrapper:
                lib.cudnn_cffi_bind(index, loaded.address(symbol))
        _bound = True
        return True


def has_address(wrapper: str) -> bool:
    """Return whether the loaded library has the function that a wrapper calls."""
    loaded = library.current()
    symbol = read_spec(wrapper).symbol
    return (
        loaded is not None
        and active().functions.get(symbol, wrapper) == wrapper
        and loaded.address(symbol) != 0
    )


def missing(name: str) -> errors.MissingFunctionError:
    """Return the error that says why the loaded library does not have a function."""
    symbol = read_spec(name).symbol
    loaded = library.current()
    version = loaded.version if loaded is not None else ""
    since, removed, successor = HISTORY[symbol]
    if active().functions.get(symbol, name) != name:
        text = "has another signature in the loaded release"
        hint = f"cudnn_cffi.{symbol} of the release's own tables fits"
    elif removed is not None and _is_since(version, removed):
        text = f"removed in {removed}"
        hint = f"use {successor}" if successor else ""
    elif not _is_since(version, since):
        text = f"added in {since}"
        hint = f"load cuDNN {since} or newer"
    else:
        text = "not exported by the loaded library"
        hint = "`python -m cudnn_cffi doctor` checks the installation"
    where = f", loaded {version} from {loaded.path}" if loaded is not None else ""
    return errors.MissingFunctionError(
        f"{symbol}: {text}{where}", function=symbol, version=version, hint=hint
    )


def _is_since(version: str, limit: str) -> bool:
    return bool(version) and version_key(version) >= version_key(limit)


def made_handle(address: int) -> int:
    """Count a handle, and return it.

    One that is closed counts too: it has set CUDA up, which does not survive a fork.
    """
    global _handles
    _handles += 1
    return address


def count_handles() -> int:
    """Return how many handles this process has made, or wrapped, also those that are closed."""
    return _handles


def _unbind_forked() -> None:
    """Unbind in a child of a process that had handles, so that each call ends in `failed`."""
    if count_handles():
        for index in range(len(WRAPPERS)):
            lib.cudnn_cffi_bind(index, 0)


fork.watch(count_handles)
fork.in_child("calls", _unbind_forked)
