"""Find the arrays of a call that must not overlap, and refuse those that do.

Work on the device is done in no order that a caller knows: an output in the memory of an input is
written while other elements are still to be computed of what was there.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

from ... import arrays, errors
from ..operand import Operand, Pair, least_span, span
from .call_steps import AnyStep, Execute, Kernel, Step
from .streams import Change

#: Functions whose output may be one of their inputs, as cuDNN's documentation says where strides
#: are the same: the positions of both among the arguments, and of what may be that input as well.
_IN_PLACE: dict[str, tuple[int, ...]] = {
    "cudnnActivationBackward": (11, 6),  # dx, dy
    "cudnnActivationForward": (7, 4),  # y, x
    "cudnnConvolutionBiasActivationForward": (17, 12),  # y, z
    "cudnnOpTensor": (10, 4, 7),  # C, A, B
    "cudnnSoftmaxBackward": (10, 7),  # dx, dy
}


def pairs_of(
    takes: Sequence[Operand], judge: Callable[[Operand, Operand], bool | None]
) -> tuple[Pair, ...]:
    """Return the pairs of the arrays of a call.

    Args:
        takes: its operands.
        judge: returns for an output and an input whether they may be the same array; None if
            they may overlap in any way.
    """
    found = []
    in_memory = [each for each in takes if each.is_read and not each.by_value]
    for at, output in enumerate(in_memory):
        for place, other in enumerate(in_memory):
            if output.role != "output" or other is output:
                continue
            if other.role == "output":
                if place > at:
                    found.append(Pair(output.name, other.name))
                continue
            answer = judge(output, other)
            if answer is not None:
                found.append(Pair(output.name, other.name, answer and are_alike(output, other)))
    return tuple(found)


def are_alike(one: Operand, other: Operand) -> bool:
    """Return whether elements with the same index are at the same place."""
    return (
        one.shape == other.shape
        and arrays.same_strides(one.shape, one.strides, other.strides)
        and span(one) == span(other)
        and not (one.views or other.views or one.is_ragged or other.is_ragged)
    )


def pairs_of_steps(
    takes: Sequence[Operand],
    touches: Sequence[Collection[str]],
    steps: Sequence[AnyStep],
) -> tuple[Pair, ...]:
    """Return the pairs of a call that makes several steps.

    An output may overlap what no step reads since the first one that writes the output.

    Args:
        takes: the operands of the call.
        touches: the names of those that each step reads or writes.
        steps: as many; none if it is not known what they do.
    """
    if any(isinstance(each, Change) for each in steps):  # some run at the same time
        touches, steps = [{each.name for each in takes}], ()

    def judge(output: Operand, other: Operand) -> bool | None:
        first = next((at for at, names in enumerate(touches) if output.name in names), None)
        if first is None:
            return None
        if any(other.name in names for names in touches[first + 1 :]):
            return False
        if other.name not in touches[first]:
            return None
        return _may_be_one(steps[first], output.name, other.name) if steps else False

    return pairs_of(takes, judge)


def _may_be_one(step: AnyStep, output: str, other: str) -> bool | None:
    """Return whether an output and an input of a step may be the same; None if they may overlap."""
    if isinstance(step, Kernel):
        return step.by_element
    if isinstance(step, Step):
        target, *sources = _IN_PLACE.get(step.function, (0, 0))
        read = [at for at, each in enumerate(step.arguments) if each == other]
        is_fine = read in (sources[:1], sources)  # not the second one alone
        return target > 0 and is_fine and step.arguments[target] == output
    if not isinstance(step, Execute):
        return False
    known = {(each.output, each.other): each.may_be_one for each in step.plan._apart}
    written = {each.name for each in step.plan.outputs}
    found = [
        known.get((one, two))
        for one, place in step.arguments.items()
        if place == output and one in written
        for two, source in step.arguments.items()
        if source == other
    ]
    if not found or False in found:
        return False
    return None if set(found) == {None} else True


class Extents:
    """The bytes of the arrays of a call, and the distances at which they may be.

    Attributes:
        pairs: those that must not overlap.
        sizes: the bytes of each array, by its name.
    """

    def __init__(self, takes: Sequence[Operand], pairs: Sequence[Pair]) -> None:
        """Compute the extents."""
        self._takes = {each.name: each for each in takes}
        self.sizes = {each.name: least_span(each) for each in takes}
        self.pairs = tuple(
            each for each in pairs if self.sizes[each.output] and self.sizes[each.other]
        )
        #: Distances of each pair, in bytes, at which they are one array, or lie between each other.
        self._fine: dict[Pair, int] = {}

    def records(self, places: Mapping[str, int]) -> Iterator[tuple[int, ...]]:
        """Yield what the compiled layer compares, with distances as far as they are known.

        Args:
            places: the numbers of arguments, by their names.
        """
        for each in self.pairs:
            size, other = self.sizes[each.output], self.sizes[each.other]
            apart = other  # a distance at which nothing overlaps
            fine = 0 if each.may_be_one else apart, self._fine.get(each, apart)
            where = places[each.output], places[each.other]
            yield *where, size, other, *[distance % (1 << 64) for distance in fine]

    def check(self, found: Mapping[str, int]) -> bool:
        """Refuse arrays that overlap; return whether there are distances that were not known.

        Args:
            found: the address of each operand.

        Raises:
            ArgumentError: an output overlaps another array.
        """
        is_new = False
        for each in self.pairs:
            distance = found[each.output] - found[each.other]
            if not arrays.are_near(distance, self.sizes[each.output], self.sizes[each.other]):
                continue
            if (each.may_be_one and not distance) or self._fine.get(each) == distance:
                continue
            if self._meet(each, distance):
                raise arrays.overlap(each.output, each.other)
            self._fine[each] = distance
            is_new = True
        return is_new

    def check_workspace(self, found: Mapping[str, int], begin: int, size: int) -> None:
        """Refuse a workspace in the memory of an operand.

        Args:
            found: the address of each operand.
            begin, size: the address of the workspace, and its bytes.

        Raises:
            ArgumentError: it overlaps one.
        """
        for name, other in self.sizes.items():
            if other and arrays.are_near(begin - found[name], size, other):
                raise errors.ArgumentError(
                    f"workspace: expected memory of its own, it overlaps {name}"
                )

    def _meet(self, pair: Pair, distance: int) -> bool:
        """Return whether arrays at a distance have a byte in common."""
        laid = []
        for operand in (self._takes[pair.output], self._takes[pair.other]):
            elements = arrays.last_offset(operand.shape, operand.strides) + 1
            width = -(-span(operand) // elements)
            # Nothing tells more of ragged arrays, and of several elements in a byte.
            if operand.is_ragged or width * elements != span(operand):
                return True
            laid.append((operand.shape, operand.strides, width))
        return arrays.meet(distance, *laid)
