"""A computation that a plan is made for, before an engine is chosen."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, NoReturn, Protocol, Self

from .. import errors
from .._backend import values_of
from .._support.wording import a_kind
from ..handles import lasting
from .operand import Operand, check_operands

if TYPE_CHECKING:
    from ..backend import DevicePropDescriptor, OperationGraphDescriptor
    from ..handles import Handle


class Device(Protocol):
    """A description of a device that need not be there, such as `DeviceProperties`."""

    @property
    def name(self) -> str:
        """Return the name of the device."""

    @property
    def descriptor(self) -> DevicePropDescriptor:
        """Return a finalized descriptor of device properties."""

    @property
    def kind(self) -> str:
        """Return a text for all devices that the same plans are for."""

    @property
    def compute_capability(self) -> tuple[int, int]:
        """Return the major and the minor number."""

    @property
    def multiprocessors(self) -> int:
        """Return how many streaming multiprocessors there are."""


class Computation:
    """An operation graph with its operands, on the device that will execute it.

    Attributes:
        operands: what a plan reads and writes: inputs, then outputs, in the order of a call.
        handle: the handle of the device, or None.
        device: what describes a device without a handle, or None; one of the two is there. It has
            `descriptor`, a finalized descriptor of device properties, `name`, `kind`,
            `compute_capability` and `multiprocessors`.
        signature: the same for computations that can use the same plan: it covers structure, types,
            shapes, strides, alignment and options, and no names.
        text: the graph in words, for errors.
        names: the name of each tensor, by unique id, for errors.
    """

    _owner: Handle | None

    __slots__ = (
        "_operation_graph",
        "_owner",
        "device",
        "handle",
        "names",
        "operands",
        "signature",
        "text",
    )

    def __init__(
        self,
        operation_graph: OperationGraphDescriptor,
        operands: Sequence[Operand],
        *,
        handle: Handle | None = None,
        device: Device | None = None,
        signature: str = "",
        text: str = "",
        names: Mapping[int, str] | None = None,
    ) -> None:
        """Collect the parts of a computation.

        Raises:
            ArgumentError: operands contradict each other, or not exactly one of `handle` and
                `device` is there.
        """
        if (handle is None) == (device is None):
            given = "both" if device else "neither"
            raise errors.ArgumentError(f"expected either a handle or a device, got {given}")
        self._operation_graph = operation_graph
        self.operands = check_operands(operands)
        self.handle = handle
        self.device = device
        self.signature = signature
        self.text = text
        self.names = dict(names or {each.uid: each.name for each in self.operands})

    @property
    def kind(self) -> str:
        """Return a text that computations with the same kernels share; "" if none may be shared."""
        return ""

    @property
    def leads_to_others(self) -> bool:
        """Return whether its plan leads to others of the same policy, by `Plan.at`."""
        return False

    @property
    def is_current(self) -> bool:
        """Return whether it would be described in the same way now: errata may have changed."""
        return True

    @property
    def lowered_signature(self) -> str:
        """Return the signature of the graph as cuDNN gets it; "" if that is the same graph."""
        return ""

    @property
    def write(self) -> Callable[[], str] | None:
        """Return what writes the graph as JSON; None where cuDNN's JSON of a plan is enough."""
        for each in values_of(self._operation_graph).get("ops", ()):
            options = values_of(each).get("pw_descriptor")
            if options is not None and options.nan_propagation.name == "PROPAGATE_NAN":
                return _no_graph
        return None

    @property
    def operation_graph(self) -> OperationGraphDescriptor:
        """Return the finalized descriptor."""
        return self._operation_graph

    @property
    def owner(self) -> Handle | None:
        """Return the handle that descriptors and plans are made with; None without a handle.

        Plans are shared by all who compute the same, so none belongs to the handle of one of them.
        """
        try:
            return self._owner
        except AttributeError:
            self._owner = None if self.handle is None else lasting(self.handle)
        return self._owner

    @staticmethod
    def check(given: object) -> None:
        """Refuse an object that is no computation.

        Raises:
            ArgumentError: it is something else.
        """
        if not hasattr(given, "operands"):
            raise errors.ArgumentError(
                f"computation: expected a Computation, got {a_kind(given)}",
                hint="graph.computation() makes one; a Graph has build, candidates and autotune",
            )

    def __copy__(self) -> Self:
        return self  # nothing of it changes

    def __deepcopy__(self, _: object) -> Self:
        return self

    def __reduce__(self) -> NoReturn:
        raise TypeError(
            f"a {type(self).__name__} cannot be pickled: it is objects of cuDNN's; pickle its graph"
        )

    def __repr__(self) -> str:
        return f"<Computation {', '.join(map(str, self.operands))}>"


def _no_graph() -> NoReturn:
    raise errors.NotSupportedError(
        "cuDNN's JSON of the plan does not say that NaN passes its pointwise operations",
        hint="build it of a Graph, which is saved with it",
    )
