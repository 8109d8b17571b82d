"""Records of handles that outlive the handles' objects."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from .. import driver
from ..driver import captures
from .workspace import Workspace

if TYPE_CHECKING:
    from .._object import Family


class Origin:
    """A handle that this process created.

    Attributes:
        kind: the class of the handle.
        context: the context that it was created in.
        shared: whether it belongs to a thread, and goes to another thread after that.
        workspace: the handle's, once it was used.
    """

    __slots__ = ("context", "kind", "shared", "workspace")

    def __init__(self, kind: type[Family], context: int) -> None:
        self.kind = kind
        self.context = context
        self.shared = False
        self.workspace: Workspace | None = None


#: The handles that this process created and did not destroy yet, by address.
by_address: dict[int, Origin] = {}

#: Handles of ended threads, by context. They are used again, since creating a handle
#: is slow and destroying one waits for the device.
idle: dict[int, list[tuple[int, Origin]]] = {}


def end(address: int) -> None:
    """Destroy a handle to which nothing refers any more, or keep it for another thread."""
    origin = by_address.pop(address, None)
    if origin is None:  # closed before
        return
    if origin.shared:
        try:
            if origin.workspace is not None:
                origin.workspace.clear()
        finally:
            idle.setdefault(origin.context, []).append((address, origin))
        return
    _destroy(address, origin)


def _destroy(address: int, origin: Origin) -> None:
    """Destroy a handle, which waits for the device: after the end of all captures."""
    with driver.in_context(origin.context):
        if captures.is_any_captured():
            captures.later(partial(_destroy, address, origin))
            return
        with captures.relaxed():
            origin.kind._destroy(address)
