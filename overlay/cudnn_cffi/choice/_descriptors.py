"""Make and read the backend descriptors of engines, heuristics and plans."""

from __future__ import annotations

from contextlib import suppress
from functools import cache

from .. import backend, errors
from .._lookup import calls

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = ["clear_last_error", "make"]


@cache
def _classes() -> dict[str, Any]:
    """Return the class of each type of descriptors."""
    found = [getattr(backend, name) for name in backend.__all__]
    return {each.c_name: each for each in found if each.c_name}


def make(kind: str, **values: Any) -> Any:
    """Make a descriptor, with no text of an earlier error left that could pass for its own.

    Args:
        kind: the type, as in "ENGINEHEUR".
        **values: the attributes; None leaves one out.

    Raises:
        NotSupportedError: the loaded release has no such type.
        ArgumentError: the loaded release has no such attribute.
        CudnnError: cuDNN refuses the descriptor.
    """
    cls = _classes()[f"CUDNN_BACKEND_{kind}_DESCRIPTOR"]
    clear_last_error()
    return cls(**values)


def clear_last_error() -> None:
    """Forget cuDNN's text for the last error of this thread.

    A call that fails without a text would leave that of an earlier call.
    """
    with suppress(errors.CudnnError):  # older releases do not have it
        calls.cudnnGetLastErrorString(64)
