"""Make and read the backend descriptors of engines, heuristics and plans."""

from __future__ import annotations

from contextlib import suppress

from ... import errors
from ..._backend import find_type
from ..._lookup import calls

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def make(kind: str, **values: object) -> Any:
    """Make a descriptor, with no text of an earlier error left that could pass for its own.

    Args:
        kind: the type, as in "ENGINEHEUR".
        **values: the attributes; None leaves one out.

    Raises:
        NotSupportedError: the loaded release has no such type.
        ArgumentError: the loaded release has no such attribute.
        CudnnError: cuDNN refuses the descriptor.
    """
    cls = find_type(kind)
    clear_last_error()
    return cls(**values)


def clear_last_error() -> None:
    """Forget cuDNN's text for the last error of this thread.

    A call that fails without setting a text leaves the text of an earlier one.
    """
    with suppress(errors.CudnnError):  # older releases do not have it
        calls.cudnnGetLastErrorString(64)
