"""Stand-ins without a GPU: a `cupy` with NumPy's memory, and cuDNN functions that note a call."""

import inspect
import sys
import types
from typing import Any

import numpy as np
from cudnn_cffi import _lookup
from cudnn_cffi.handles import placing

HANDLE = 0x5000


class Array(np.ndarray):
    """An array of NumPy with the attributes of CuPy's."""

    @property
    def data(self) -> Any:
        where = self.__array_interface__["data"][0] if self.size else 0
        return types.SimpleNamespace(ptr=where, device=types.SimpleNamespace(id=0), device_id=0)

    def get(self) -> Any:
        return np.asarray(self)


Array.__module__ = "cupy"


class Memory:
    """Memory as CuPy allocates it."""

    def __init__(self, size: int) -> None:
        self.ptr = 0x7000 if size else 0
        self.mem = types.SimpleNamespace(size=size)


def empty(shape: Any, dtype: Any = "f") -> Array:
    return np.full(shape, 77, dtype).view(Array)


def install() -> Any:
    """Put the stand-in where `import cupy` finds it, and a handle where `get_handle` does."""
    cupy = types.ModuleType("cupy")
    cupy.ndarray = Array  # type: ignore[attr-defined]
    cupy.empty = empty  # type: ignore[attr-defined]
    cupy.zeros = lambda shape, dtype="f": np.zeros(shape, dtype).view(Array)  # type: ignore[attr-defined]
    stream = types.SimpleNamespace(ptr=0x600)
    cupy.cuda = types.SimpleNamespace(  # type: ignore[attr-defined]
        alloc=Memory,
        get_current_stream=lambda: stream,
        runtime=types.SimpleNamespace(getDevice=lambda: 0),
        Device=lambda: types.SimpleNamespace(compute_capability="90"),
    )
    sys.modules["cupy"] = cupy
    placing._following.handles[0] = types.SimpleNamespace(  # type: ignore[assignment]
        address=HANDLE, closed=False, close=lambda: None
    )
    return cupy


class Recorder:
    """Notes the calls of functions that need a device, bound to their parameters.

    Attributes:
        calls: names and arguments, in their order.
        results: what functions return, by name.
    """

    def __init__(self, *names: str) -> None:
        self.calls: list[tuple[str, dict[str, Any]]] = []
        self.results: dict[str, Any] = {}
        for name in names:
            self._replace(name)

    def _replace(self, name: str) -> None:
        real = getattr(_lookup.calls, name)
        signature = inspect.signature(real)

        def noted(*args: Any) -> Any:
            bound = signature.bind(*args).arguments
            self.calls.append((name, dict(bound)))
            return self.results.get(name)

        setattr(_lookup.calls, name, noted)

    def take(self, name: str) -> dict[str, Any]:
        """Return the arguments of the one call of a function, and forget all calls."""
        found = [arguments for each, arguments in self.calls if each == name]
        self.calls.clear()
        assert len(found) == 1, (name, found)
        return found[0]
