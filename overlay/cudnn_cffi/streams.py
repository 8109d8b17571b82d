"""CUDA streams of any library, as the address that cuDNN takes."""

from __future__ import annotations

import operator
from typing import Any

from . import errors

__all__ = ["stream_pointer"]


def stream_pointer(stream: Any) -> int:
    """The cudaStream_t behind `stream`.

    Args:
        stream: an address; None for the default stream; an object with `__cuda_stream__`
            (cuda.core and whoever follows it); a stream of PyTorch, CuPy, Numba or PyCUDA.

    Raises:
        ArgumentError: it is none of these.
    """
    if stream is None:
        return 0
    protocol = getattr(stream, "__cuda_stream__", None)
    if protocol is not None:
        answer = protocol() if callable(protocol) else protocol
        return int(answer[1])
    for name in ("cuda_stream", "ptr", "handle"):  # PyTorch; CuPy; Numba and PyCUDA
        address = getattr(stream, name, None)
        if address is not None and not callable(address):
            return _address(getattr(address, "value", address))
    return _address(stream)


def _address(value: Any) -> int:
    if not isinstance(value, (bool, float, str, bytes)):
        try:
            address = operator.index(value) if value is not None else 0
        except TypeError:
            pass
        else:
            if 0 <= address < 1 << 64:
                return address
    raise errors.ArgumentError(
        f"a CUDA stream was expected, a {type(value).__name__} came",
        hint="pass an address, None, or an object with __cuda_stream__",
    )
