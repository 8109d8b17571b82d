"""A network that was loaded from a file: plans and calls in a sequence, with the weights."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, NoReturn

from .. import errors
from .._support.constructors import list_makers
from .._tables import active
from ..arrays import data_type
from ..descriptors import ActivationDescriptor, PoolingDescriptor, TensorDescriptor
from ..plan.run.call_steps import HANDLE, HasAddress, Place, Step
from ..plan.sequence import Part
from ..plan.sequence import Sequence as Several
from . import format as f
from .weights import Weights

if TYPE_CHECKING:
    from ..handles import Handle
    from ..plan.computation import Device
    from ..plan.operand import Operand
    from ..plan.run.launcher import Launch

#: Stands for the weights among the names of places.
HELD = "\0weights"


class FunctionStep:
    """A part of a network: a classic function on x and y."""

    #: The same attributes as `Plan`, so that callers need not distinguish.
    workspace_size = 0
    engine = None
    knobs: Mapping[str, int] = {}
    notes: tuple[str, ...] = ()
    closed = False

    def __init__(self, call: f.Call, operands: Sequence[Operand]) -> None:
        """Describe the call of a record, with its input and its output."""
        self.call = call
        self._operands = operands

    @cached_property
    def _step(self) -> Step:
        call = self.call
        x, y = (
            TensorDescriptor.strided(
                each.shape, each.strides, data_type(each.data_type), axes=len(each.shape)
            )
            for each in self._operands
        )
        about: tuple[object, ...] = ()
        name = "cudnnTransformTensor"
        if call.function == f.POOL:
            pool = PoolingDescriptor._of(
                _member("PoolingMode", call.mode), call.window, call.stride, call.padding,
                bool(call.nan), len(call.window),
            )  # fmt: skip
            about, name = (pool,), "cudnnPoolingForward"
        elif call.function == f.ACTIVATE:
            mode = _activation(call)
            about, name = (mode,), "cudnnActivationForward"
        return Step(name, HANDLE, *about, 1.0, x, "x", 0.0, y, "y")

    def steps(self, source: Place, target: Place) -> list[Step]:
        """Return the call as a step; arguments are placeholders at an offset from x, and from y."""
        known = {"x": source(0), "y": target(0)}
        return [self._step.placed(lambda each: known[each] if isinstance(each, str) else each)]

    def placed(self, launch: Launch, found: Mapping[str, int]) -> Launch:
        """Return an execution of this in the place of another one, as a plan does."""
        return launch._replace(found=dict(found))

    def _execute(self, launch: Launch) -> None:
        self._step.run(launch.handle, launch.found, launch.workspace)

    def close(self) -> None:
        """Do nothing: it has no plan."""

    def __repr__(self) -> str:
        x, y = self._operands
        return f"<{self._step.function} of {x.shape}, to {y.shape}>"


def _activation(call: f.Call) -> ActivationDescriptor:
    mode, nan = _member("ActivationMode", call.mode), bool(call.nan)
    if mode == "SWISH":
        return ActivationDescriptor._of(mode, 0.0, nan, call.coefficient)
    return ActivationDescriptor._of(mode, call.coefficient, nan)


def _member(enum: str, number: int) -> str:
    return str(active().enum(enum)(number).name)


@list_makers
class Network(Several):
    """A network that `load_network` returned; it is called as a `Plan` is.

    `network(x)` runs it in the order of a stream and returns the outputs, made in the library of
    the inputs: those of `inputs` and `outputs`, by their order or by name. Threads that share it
    wait for each other; one that must not wait loads the file itself.

    Attributes:
        path: of the file.
        release: that the plans are of, as text.
        weights_size: bytes of the weights in device memory.
        rebuilt: whether plans were built anew, of their graphs.
    """

    path: str
    release: str
    weights_size: int
    rebuilt: bool

    def __init__(
        self,
        steps: Sequence[Part],
        operands: Sequence[Operand],
        *,
        buffers: int,
        weights: Weights | None,
        handle: Handle | None,
        device: Device | None,
        about: Mapping[str, object],
    ) -> None:
        """Put a network together; `weights` are None for a device that is only described."""
        vars(self).update(about)
        self._weights = weights
        held: dict[str, HasAddress] = {HELD: weights or _NoMemory()}
        super().__init__(
            steps, operands, buffers=buffers, handle=handle, device=device, held=held,
            text=f"the network of {self.path}",
        )  # fmt: skip

    def _check_open(self) -> None:
        super()._check_open()
        if self._weights is None:
            raise errors.NotSupportedError(
                "the network was loaded for a device that is only described",
                hint="load it without device= where the device is",
            )

    def _list_steps(self) -> Any:
        return None if self._weights is None else super()._list_steps()

    def _destroy(self) -> None:
        super()._destroy()
        if self._weights is not None:
            self._weights.close()

    def to_json(self) -> NoReturn:
        """Refuse: its file has all of it.

        Raises:
            NotSupportedError: always.
        """
        raise errors.NotSupportedError("a Network has no JSON", hint="copy its file")

    def __copy__(self) -> NoReturn:
        self.__reduce__()

    def __reduce__(self) -> NoReturn:
        raise errors.NotSupportedError(
            "a Network cannot be copied or pickled",
            hint="load_network reads its file again, for another thread or process",
        )

    def _about(self) -> str:
        return f"{len(self.parts)} steps, weights {self.weights_size} bytes"


class _NoMemory:
    """The place of weights that are not loaded."""

    address = None
