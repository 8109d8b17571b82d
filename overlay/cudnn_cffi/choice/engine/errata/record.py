"""The records of errata, and the facts that their conditions read."""

from __future__ import annotations

import math

from ...._support.results import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from typing import TypedDict

    from .... import backend

    class Call(TypedDict, total=False):
        """The facts of a call that conditions of functions read; each reads those of its own."""

        alignment: int
        bias: Sequence[int]
        changes_scores: bool
        channels: int
        coefficient: float
        count: int
        dbias: bool
        do: Sequence[int]
        dropout: bool
        dropout_mask: bool
        dsink: bool
        flat_bias: bool
        float: bool
        fp8: bool
        in_parts: bool
        keys: int
        layout: str
        left_alone: bool
        lengths: bool
        mode: str
        o: Sequence[int]
        queries: int
        repeats: bool
        rows: bool
        sink: bool
        steps: Sequence[int]
        type: str
        width: int


#: The evidence of most entries.
MEASURED = "measured with cuDNN 9.19.0 on an H200"

#: The alignment that most engines require, in bytes.
ALIGNMENT = 16

#: Maximum extent of a CUDA grid along its second and third axis.
MAXIMUM_OF_GRID = 65535


class Erratum(NamedTuple):
    """An engine or a function that computes wrong numbers, fails, or ends the context.

    Attributes:
        subject: the name of an operation's descriptor class, of a C function, or of a function of
            `ops` and node of graphs, all of whose engines are wrong.
        engine: the engine's index among those of graphs with that operation; None for a function.
        applies: for an engine, takes an operation of that class and all operations of its graph,
            and returns whether it is one of those that go wrong; for a function, takes what
            `wrong_function` was given.
        symptom: what is wrong, and for which arrays.
        evidence: how it is known: what was measured, with which release, on which device.
        workaround: what computes the same; "" where another engine or function does.
        first: the first release that does it, as cudnnGetVersion numbers it; None where no older
            one is known to be right.
        last: the newest release that does it; None where no newer one is known to be right.
        architectures: the compute capabilities that do it, such as (9, 0); None where no device is
            known to be right.
    """

    subject: str
    engine: int | None
    applies: Callable[..., bool]
    symptom: str
    evidence: str = MEASURED
    workaround: str = ""
    first: int | None = None
    last: int | None = None
    architectures: tuple[tuple[int, int], ...] | None = None

    @property
    def reason(self) -> str:
        """Return the symptom, the evidence, and the ways out, as errors tell them."""
        ways = [self.workaround] if self.workaround else []
        if self.engine is not None:
            ways.append(f"engine={self.engine} uses it all the same")
        return "; ".join([f"{self.symptom} ({self.evidence})", *ways])

    def concerns(self, release: int, capability: Callable[[], tuple[int, int] | None]) -> bool:
        """Return whether the entry holds for a release and a device.

        Args:
            release: as cudnnGetVersion numbers it.
            capability: returns the compute capability of the device, None for an unknown one, for
                which all entries hold. It is asked only by entries that depend on it.
        """
        if self.first is not None and release < self.first:
            return False
        if self.last is not None and release > self.last:
            return False
        if self.architectures is None:
            return True
        known = capability()
        return known is None or known in self.architectures


def engines(
    subject: str,
    numbers: Sequence[int],
    applies: Callable[..., bool],
    symptom: str,
    evidence: str = MEASURED,
    workaround: str = "",
) -> list[Erratum]:
    """Return the same erratum of several engines for graphs with an operation."""
    subject = f"Operation{subject}Descriptor"
    return [Erratum(subject, number, applies, symptom, evidence, workaround) for number in numbers]


def functions(
    subjects: Iterable[str],
    applies: Callable[[Call], bool],
    symptom: str,
    evidence: str = MEASURED,
    workaround: str = "",
    last: int | None = None,
) -> list[Erratum]:
    """Return the same erratum of several functions."""
    return [
        Erratum(subject, None, applies, symptom, evidence, workaround, last=last)
        for subject in subjects
    ]


def kinds_of(operations: Iterable[backend.OperationDescriptor]) -> list[str]:
    """Return the kinds of the operations of a graph, such as "Matmul"."""
    names = [type(each).__name__ for each in operations]
    return [each.removeprefix("Operation").removesuffix("Descriptor") for each in names]


def tensor(operation: backend.OperationDescriptor, name: str) -> backend.TensorDescriptor | None:
    """Return a tensor of an operation; None where it has no such tensor."""
    found: backend.TensorDescriptor | None = getattr(operation, name, None)
    return found


def count(tensor: backend.TensorDescriptor) -> int:
    """Return the number of elements of a tensor."""
    return math.prod(tensor.dimensions)


def mode_of(operation: backend.OperationDescriptor) -> str:
    """Return the mode of a pointwise operation; "" for others."""
    descriptor: backend.PointwiseDescriptor | None = getattr(operation, "pw_descriptor", None)
    return "" if descriptor is None else descriptor.mode.name


def in_memory(operations: Iterable[backend.OperationDescriptor]) -> list[backend.TensorDescriptor]:
    """Return the tensors of operations that lie in memory."""
    names = ("adesc", "bdesc", "cdesc", "xdesc", "tdesc", "ydesc")
    found = [tensor(one, name) for one in operations for name in names]
    return [each for each in found if each is not None and not each.is_virtual and count(each) > 1]


def is_low(
    operation: backend.OperationDescriptor, operations: Sequence[backend.OperationDescriptor]
) -> bool:
    """Return whether an operation is alone, and has an array at a low address."""
    names = ("adesc", "bdesc", "cdesc", "x", "dy", "dw")
    found = [tensor(operation, name) for name in names]
    return len(operations) == 1 and any(
        each is not None and each.byte_alignment < ALIGNMENT for each in found
    )
