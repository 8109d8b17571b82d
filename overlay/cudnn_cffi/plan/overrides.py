"""Extents and strides that an execution gives tensors, in place of those of the plan."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING

from .descriptors import set_attribute
from .plan import Plan

if TYPE_CHECKING:
    from ..families import BackendDescriptor
    from .operand import Operand

#: The type of an address in `array`, as long as C's pointers.
_ADDRESS = "Q"


class Overrides:
    """Extents and strides of tensors, by their unique ids, for the variant packs of a plan.

    cuDNN takes them as the address of a `std::vector<std::vector<int64_t>>`, and no C type stands
    for that. Common libraries of C++ lay a vector out as three addresses: of its begin, of its end,
    and of the end of its memory.

    Attributes:
        found: extents and strides by unique id.
    """

    __slots__ = ("_kept", "_lists", "found")

    def __init__(self, found: Mapping[int, tuple[Sequence[int], Sequence[int]]]) -> None:
        """Lay out extents and strides as vectors."""
        self.found = {uid: (tuple(a), tuple(b)) for uid, (a, b) in found.items()}
        self._kept: list[array[int]] = []
        self._lists = [self._nested(each) for each in zip(*self.found.values(), strict=True)]

    def _nested(self, rows: Iterable[Sequence[int]]) -> array[int]:
        """Return a vector of vectors."""
        inner = array(_ADDRESS)
        for row in rows:
            inner.extend(self._vector(array("q", row)))
        return self._vector(inner)

    def _vector(self, elements: array[int]) -> array[int]:
        """Return a vector of elements, which are kept."""
        self._kept.append(elements)
        begin, count = elements.buffer_info()
        end = begin + count * elements.itemsize
        return array(_ADDRESS, (begin, end, end))

    def set_in(self, pack: BackendDescriptor) -> None:
        """Set them in a variant pack that is not finalized.

        Raises:
            NotSupportedError: the loaded release has no such attributes; it says since when.
        """
        set_attribute(pack, "VARIANT_PACK_OVERRIDE_UNIQUE_IDS", "INT64", list(self.found))
        for name, vector in zip(("SHAPES", "STRIDES"), self._lists, strict=True):
            data = vector.tobytes()
            set_attribute(pack, f"VARIANT_PACK_OVERRIDE_{name}", "VOID_PTR", data, 1)


class OverriddenPlan(Plan):
    """A plan that is executed with other extents than it was made for.

    It has the descriptor and the lock of the other plan, which it keeps alive.
    """

    def __init__(
        self, plan: Plan, overrides: Overrides, operands: Sequence[Operand] | None = None
    ) -> None:
        """Execute a plan with other extents.

        Args:
            plan: of a graph that has `override_shapes`.
            overrides: the extents and strides.
            operands: the operands with these; by default those of the plan.
        """
        self._of = plan
        self._overrides = overrides
        super().__init__(
            plan.execution_plan,
            plan.operands if operands is None else operands,
            handle=plan._handle,
            engine=plan.engine,
            knobs=plan.knobs,
            notes=plan.notes,
            text=plan.text,
            replays=False,
        )
        self.share()

    def _arm_compiled(self) -> bool:
        return False  # the compiled layer makes packs without overrides

    def _lock(self) -> AbstractContextManager[object]:
        return self._of._lock()
