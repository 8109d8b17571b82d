"""Objects that are closed before their parent."""

from __future__ import annotations

import weakref

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..types import SupportsClose


class Children:
    """Objects to be closed with their parent, by weak references."""

    __slots__ = ("_references",)

    def __init__(self) -> None:
        self._references: dict[int, weakref.ref[SupportsClose]] = {}

    def add(self, child: SupportsClose) -> None:
        """Add a child that `close` closes."""
        references, key = self._references, id(child)
        references[key] = weakref.ref(child, lambda _: references.pop(key, None))

    def close(self) -> None:
        """Close all children, the last one first."""
        for reference in list(self._references.values())[::-1]:
            child = reference()
            if child is not None:
                child.close()
        self.clear()

    def clear(self) -> None:
        """Forget all children."""
        self._references.clear()
