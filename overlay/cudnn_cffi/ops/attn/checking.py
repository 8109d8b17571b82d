"""Lengths, offsets and page tables compared with their limits, before anything reads by them."""

from __future__ import annotations

import array
import itertools
import math
from typing import Any, NamedTuple

from ... import driver, errors
from ..._ways.array_spec import Spec
from ..._ways.call_sequence import Steps
from ..._ways.case import Case, Way, is_deterministic, plan_of
from ..._ways.classic_call import Classic
from ...choice.engine.finalize import is_captured
from ...driver.timing import copy_out

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    #: Reads an array of whole numbers in device memory by its name; None if there is none.
    Read = Callable[[str], "Sequence[int] | None"]


class Pages(NamedTuple):
    """Limits of a page table: entries of a row, pages, and how many keys a page has."""

    columns: int
    pages: int
    size: int


class Vectors(NamedTuple):
    """Limits of a ragged array: its name, vectors, and the elements from one to the next."""

    name: str
    vectors: int
    step: int


class Limits(NamedTuple):
    """Limits of the small arrays of a call.

    Attributes:
        most: the length of the longest sequence, by the names of lengths.
        least: that of the shortest one that is not empty.
        keys: the name of the lengths of keys.
        tables: of page tables, by name.
        offsets: the name of offsets, that of the lengths, and the array, for each ragged one.
    """

    most: Mapping[str, int]
    least: int = 0
    keys: str = "seq_len_kv"
    tables: Mapping[str, Pages] = {}
    offsets: Sequence[tuple[str, str, Vectors]] = ()

    def check(self, read: Read) -> None:
        """Refuse numbers beyond their limits.

        Raises:
            ArgumentError: there is one.
        """
        found = {name: read(name) for name in self.most}
        for name, lengths in found.items():
            most = self.most[name]
            expected = f"0, or {self.least} to {most}" if self.least else f"0 to {most}"
            for row, length in enumerate(lengths or ()):
                if length and not max(1, self.least) <= length <= most:
                    raise errors.ArgumentError(
                        f"{name}: expected {expected}, got {length} at {row}"
                    )
        for name, table in self.tables.items():
            self._check_pages(name, table, read(name) or (), found.get(self.keys))
        for name, lengths_of, own in self.offsets:
            _check_offsets(name, own, read(name) or (), found.get(lengths_of))

    def _check_pages(
        self, name: str, table: Pages, indices: Sequence[int], lengths: Sequence[int] | None
    ) -> None:
        for row in range(len(indices) // table.columns):
            length = self.most[self.keys] if lengths is None else lengths[row]
            for place in range(-(-length // table.size)):
                page = indices[row * table.columns + place]
                if not 0 <= page < table.pages:
                    raise errors.ArgumentError(
                        f"{name}: expected 0 to {table.pages - 1}, got {page} at ({row}, {place})"
                    )


def _check_offsets(
    name: str, own: Vectors, offsets: Sequence[int], lengths: Sequence[int] | None
) -> None:
    for row, (begin, end) in enumerate(itertools.pairwise(offsets)):
        if lengths is None and end < begin:
            raise errors.ArgumentError(f"{name}: expected {begin} or more at {row + 1}, got {end}")
        count = -(-(end - begin) // own.step) if lengths is None else lengths[row]
        last = (own.vectors - count) * own.step
        if count and not 0 <= begin <= last:
            raise errors.ArgumentError(
                f"{name}: expected {count} vectors of {own.name} from {begin} at {row}, in "
                f"{own.vectors} vectors of {own.step} elements"
            )


def step_of(specs: Mapping[str, Spec], limits: Limits) -> Callable[[Any, Mapping[str, int]], None]:
    """Return the step that refuses numbers beyond their limits; it waits for the stream.

    Args:
        specs: the arrays of the call.
        limits: of the small ones.
    """

    def check(handle: Any, at: Mapping[str, int]) -> None:
        def read(name: str) -> Sequence[int] | None:
            spec = specs.get(name)
            if spec is None:
                return None
            found = array.array("i" if spec.dtype == "int32" else "q")
            found.frombytes(copy_out(at[name], math.prod(spec.shape) * found.itemsize))
            return found

        if is_captured(handle):
            raise errors.ArgumentError(
                "checked: lengths cannot be read while a stream is captured",
                hint="leave it out of what is captured",
            )
        driver.synchronize(handle.get_stream())
        limits.check(read)

    return check


def checked(way: Way, case: Case, limits: Limits) -> Classic:
    """Return a way to compute a case that refuses numbers beyond their limits first."""
    steps = Steps(case.inputs, case.outputs)
    steps.then(step_of(case.inputs, limits))
    steps.way(way, {each.name: each.name for each in way.operands if each.is_argument})
    made = steps.classic(deterministic=is_deterministic(way))
    made.core = plan_of(way)
    return made
