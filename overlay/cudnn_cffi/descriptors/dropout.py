"""The descriptor of a dropout, and the base of networks that hold one."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Self

from .. import arrays, errors, memory
from .._lookup import calls, families
from .._support.arguments import integers, reals
from .._support.children import Children
from .._support.wording import a_kind
from ..handles import checked_handle
from ._core.configured import Configured, Field, made_by_methods

if TYPE_CHECKING:
    from ..calls import ops as _ops
    from ..handles import Handle
    from ..types import DevicePointer, SupportsClose


#: A dropout as networks take it: an object, an address, or None for no dropout.
Dropout = families.DropoutDescriptor | int | None


@made_by_methods
class DropoutDescriptor(families.DropoutDescriptor):
    """A dropout, with the state of its random numbers in device memory.

    It belongs to a handle: it keeps the handle alive, and closing the handle closes it. Closing it
    closes the descriptors of networks that were made with it, since they hold its address. Because
    of the state, each is equal to itself alone and cannot be pickled.

    Set by `cudnnSetDropoutDescriptor`, read by `cudnnGetDropoutDescriptor` (cudnn_ops.h).
    """

    __slots__ = ("_handle", "_memory", "_states", "_users")
    _handle: Handle | None
    _memory: memory.Memory | None  # what was allocated here
    _states: DevicePointer
    _users: Children

    @classmethod
    def with_state(
        cls, handle: Handle, rate: float, seed: int = 0, *, states: DevicePointer = None
    ) -> Self:
        """Drop elements with the probability `rate`.

        Calls `cudnnDropoutGetStatesSize` and `cudnnSetDropoutDescriptor` (cudnn_ops.h).

        Args:
            handle: the state is on its device, and its stream initializes the state.
            rate: the probability, from 0 to 1.
            seed: the seed of the random numbers.
            states: device memory for the state, of `cudnnDropoutGetStatesSize` bytes; allocated by
                default.

        Raises:
            ArgumentError: `rate` is not a probability, or `states` is too small or on another
                device.
            ClosedError: the handle, its stream or `states` is closed.
            AllocationError: there is no memory for the state.
        """
        (rate,), (seed,) = reals(rate=rate), integers(seed=seed)
        if not 0 <= rate <= 1:
            raise errors.ArgumentError(f"rate: expected 0 to 1, got {rate}")
        stream = checked_handle(handle).stream
        size = calls.cudnnDropoutGetStatesSize(handle)
        self = cls()
        self._memory = None
        if states is None:
            self._memory = memory.Memory(size, handle.device, stream)
            states = self._memory.address
        elif arrays.tells_shape(states) and (came := arrays.size_in_bytes(states)) < size:
            raise errors.ArgumentError(f"states: expected {size} bytes, got {came}")
        self._states = states
        self._handle = handle
        handle.adopt(self)
        self.set(handle, rate, states, size, seed)
        return self

    rate: Field[float] = Field(
        "dropout", "Return the probability with which an element is dropped."
    )
    seed: Field[int] = Field("seed", "Return the seed of the random numbers.")
    states: Field[int] = Field("states", "Return the address of the state.")

    def _read(self) -> _ops.GetDropoutDescriptorResult:
        return self.get(self._of_handle())

    def _of_handle(self) -> Handle:
        handle: Handle | None = getattr(self, "_handle", None)
        if handle is None:
            self.address  # noqa: B018  raises for a closed one
            raise errors.ArgumentError(
                "the DropoutDescriptor has no state", hint="DropoutDescriptor.with_state makes one"
            )
        return handle

    def adopt(self, user: SupportsClose) -> None:
        """Close `user`, which holds the address of this descriptor, before this one is destroyed.

        Args:
            user: an object with `close`; it is not kept alive.
        """
        if not hasattr(self, "_users"):
            self._users = Children()
        self._users.add(user)

    def _detach(self, c_name: str) -> int:
        address = super()._detach(c_name)
        if hasattr(self, "_users"):
            self._users.close()
        return address

    def close(self) -> None:
        """Destroy the descriptor, and free the state after the work of the handle's stream.

        Objects made with the descriptor are closed first. Closing again does nothing.
        """
        super().close()
        state, handle = getattr(self, "_memory", None), getattr(self, "_handle", None)
        self._memory = self._states = self._handle = None
        if state is not None and handle is not None:
            state.close(handle._order())

    def __repr__(self) -> str:
        handle = getattr(self, "_handle", None)
        if self.closed or handle is None:
            return f"Dropout({'closed' if self.closed else 'not set'})"
        try:
            got = self._read()
        except errors.CudnnError as error:
            return f"Dropout({self.address:#x}, {type(error).__name__} when read)"
        return f"Dropout({got.dropout:g} seed {got.seed})"


class WithDropouts(Configured):
    """The base of networks that hold the addresses of dropouts, and are closed with them."""

    __slots__ = ()
    _dropouts: tuple[Dropout, ...]
    _dropout_values: ClassVar[dict[str, str]]  # of the getter, by the names of the arguments

    def _hold(self, *dropouts: Dropout) -> None:
        """Close this network when its dropouts are closed."""
        self._dropouts = dropouts  # type: ignore[misc]
        for each in dropouts:
            if isinstance(each, DropoutDescriptor):
                each.adopt(self)

    def _find(self, name: str) -> Dropout:
        """Return a dropout: the object if it is known, else its address; None for NULL."""
        address: int = getattr(self._read(), self._dropout_values[name])
        objects = families.DropoutDescriptor
        known = (each for each in getattr(self, "_dropouts", ()) if isinstance(each, objects))
        same = (each for each in known if not each.closed and each.address == address)
        return next(same, address or None)

    def _configuration(self) -> dict[str, object]:
        configuration = super()._configuration()
        if configuration:
            got = self._read()
            for name, value in self._dropout_values.items():
                configuration[name] = getattr(got, value) or None
        return configuration

    def _arguments(self) -> dict[str, object]:
        arguments = self._configuration()
        found = {name: self._find(name) for name in self._dropout_values if arguments}
        return arguments | found

    def __reduce__(self) -> tuple[object, ...]:
        configuration = self._configuration()
        if any(configuration.get(name) for name in self._dropout_values):
            raise TypeError(
                f"{a_kind(self)} with dropout cannot be pickled: the state of the dropout is in "
                "device memory"
            )
        return super().__reduce__()
