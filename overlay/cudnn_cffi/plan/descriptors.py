"""The few backend descriptors that plans need, by the names of their attributes."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from .._lookup import families
from .._tables import active
from ..driver import captures

if TYPE_CHECKING:
    from typing import Protocol

    from ..enums import BackendAttributeName, BackendAttributeType
    from ..families import BackendDescriptor

    class SetsAttributes(Protocol):
        """Sets attributes of a descriptor that is not finalized."""

        def set_in(self, pack: BackendDescriptor) -> None:
            """Set them."""


class _ExecutionPlan(families.BackendDescriptor):
    """The descriptor of a plan, whose end may unload kernels, also while a stream is captured."""

    __slots__ = ()

    def __del__(self, _finalizing: Callable[[], bool] = sys.is_finalizing) -> None:
        if not _finalizing():
            with captures.relaxed():
                super().__del__()


def empty(kind: str) -> BackendDescriptor:
    """Return a descriptor, not finalized, by the name of its type without `_DESCRIPTOR`."""
    kind_of = _ExecutionPlan if kind == "EXECUTION_PLAN" else families.BackendDescriptor
    return kind_of(active().enum("BackendDescriptorType")[f"{kind}_DESCRIPTOR"])


def _numbers(name: str, kind: str) -> tuple[BackendAttributeName, BackendAttributeType]:
    tables = active()
    return tables.enum("BackendAttributeName")[name], tables.enum("BackendAttributeType")[kind]


def set_attribute(
    descriptor: BackendDescriptor,
    name: str,
    kind: str,
    values: Sequence[object] | bytes,
    count: int = -1,
) -> None:
    """Set the elements of an attribute."""
    wanted = len(values) if count < 0 else count
    families.BackendDescriptor.set_attribute(descriptor, *_numbers(name, kind), wanted, values)


def read_number(descriptor: BackendDescriptor, name: str) -> int:
    """Return an attribute of one number."""
    get = families.BackendDescriptor.get_attribute
    return int(get(descriptor, *_numbers(name, "INT64"), 1, None).arrayOfElements[0])


def read_text(descriptor: BackendDescriptor, name: str) -> str:
    """Return an attribute of characters."""
    get = families.BackendDescriptor.get_attribute
    numbers = _numbers(name, "CHAR")
    count = get(descriptor, *numbers, 0, None).elementCount
    parts = get(descriptor, *numbers, count, None).arrayOfElements
    return b"".join(parts).partition(b"\0")[0].decode()


def variant_pack(
    uids: Sequence[int],
    pointers: Sequence[int],
    workspace: int,
    overrides: SetsAttributes | None = None,
) -> BackendDescriptor:
    """Return a finalized pack of addresses, and of extents in place of those of the plan."""
    pack = empty("VARIANT_PACK")
    if overrides is not None:
        overrides.set_in(pack)
    fill(pack, uids, pointers, workspace)
    return pack


def fill(
    pack: BackendDescriptor, uids: Sequence[int], pointers: Sequence[int], workspace: int
) -> None:
    """Set everything in a new or reopened pack, and finalize it."""
    set_attribute(pack, "VARIANT_PACK_UNIQUE_IDS", "INT64", uids)
    set_attribute(pack, "VARIANT_PACK_DATA_POINTERS", "VOID_PTR", pointers)
    set_attribute(pack, "VARIANT_PACK_WORKSPACE", "VOID_PTR", [workspace])
    pack.finalize()
