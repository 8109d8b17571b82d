"""The base class of all emitted classes: it owns a pointer and frees it once."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING, ClassVar, Protocol, Self, TypeVar, runtime_checkable

from . import errors
from ._support import fork
from ._support.wording import a, a_kind
from ._tables import in_use

if TYPE_CHECKING:
    from .types import SupportsClose

_T = TypeVar("_T")


@runtime_checkable
class Adopting(Protocol):
    """An object of cuDNN's that closes others before it is closed itself."""

    def adopt(self, child: SupportsClose, /) -> None: ...


def removed(_: str) -> Callable[[_T], _T]:
    """Mark a function, for type checkers, that the newest release lacks."""
    return lambda function: function


class _Listing(type):
    """A class that lists the methods that the release in use has."""

    _functions: Mapping[str, str]

    def __dir__(cls) -> list[str]:
        return sorted(set(super().__dir__()) - cls._absent())

    def _absent(cls) -> set[str]:
        """Return the methods whose function the release in use lacks."""
        has = in_use().functions
        return {name for name, function in cls._functions.items() if function not in has}


class Family(metaclass=_Listing):
    """An object of cuDNN's, by its address.

    Made by the constructor it is owned: closed by `close`, at the end of a `with` block, or when
    nothing refers to it any more. Made by `from_address` it is only borrowed and never destroyed.
    At the exit of the interpreter nothing is destroyed: the driver may be gone by then.
    """

    __slots__ = ("__weakref__", "_keep", "_owned")

    _c_name: ClassVar[str]
    _slot: ClassVar[str]  # the attribute with the address
    _functions: ClassVar[Mapping[str, str]] = {}  # of cuDNN's, by the methods that call them
    _destroy: ClassVar[Callable[[int], None]]
    _keep: object
    _owned: bool

    def __init_subclass__(cls) -> None:
        if "_c_name" in cls.__dict__:
            cls._slot = f"_{cls._c_name}"

    def _own(self, address: int) -> None:
        setattr(self, self._slot, address)
        self._owned = True

    @classmethod
    def from_address(cls, address: int, keep: object = None) -> Self:
        """Wrap the object at `address`, which somebody else owns.

        Args:
            address: a pointer of the C type; not NULL.
            keep: whatever must live as long as the result, such as the owner.
        """
        if not isinstance(address, int) or isinstance(address, bool):
            raise errors.ArgumentError(
                f"expected the address of {a(cls._c_name)}, got {a_kind(address)}"
            )
        if not address:
            raise errors.NullPointerError(f"expected {a(cls._c_name)}, got NULL")
        self = cls.__new__(cls)
        setattr(self, cls._slot, address)
        self._owned = False
        self._keep = keep
        return self

    @property
    def address(self) -> int:
        """The pointer, as an int.

        Raises:
            ClosedError: the object is closed.
        """
        address: int | None = getattr(self, self._slot, None)
        if address is None:
            raise errors.ClosedError(f"the {type(self).__name__} is closed")
        return address

    @property
    def closed(self) -> bool:
        return not hasattr(self, self._slot)

    def _elsewhere(self) -> bool:
        """Return whether it cannot be used as this thread is: a call uses it in `_switched`."""
        return False

    def _switched(self) -> AbstractContextManager[object]:
        """Return a context manager that has the object usable while its block runs."""
        return nullcontext()

    def _detach(self, c_name: str) -> int:
        """Give the address away: from now on this object is closed and destroys nothing."""
        if c_name != self._c_name:
            raise TypeError(f"expected {a(c_name)}, got {a(self._c_name)}")
        slot = self._slot
        try:
            address: int = getattr(self, slot)
            delattr(self, slot)  # of several threads one succeeds
        except AttributeError:
            raise errors.ClosedError(f"the {type(self).__name__} is closed") from None
        return address

    def close(self) -> None:
        """Destroy the object if it is owned; closing again does nothing.

        No other thread may be in a call with it: as in C, that call would use freed memory.
        """
        try:
            address = self._detach(self._c_name)
        except errors.ClosedError:
            return
        if self._owned:
            self._owned = False
            type(self)._destroy(address)
        self._keep = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __del__(self, _finalizing: Callable[[], bool] = sys.is_finalizing) -> None:
        # By default argument: at exit this module's own names may be gone already.
        if not _finalizing() and getattr(self, "_owned", False):
            try:
                self.close()
            except errors.CudnnError:
                if not fork.is_lost():  # the object is the parent process's
                    raise

    def __dir__(self) -> list[str]:
        return sorted(set(super().__dir__()) - type(self)._absent())

    def __index__(self) -> int:
        return self.address

    def __repr__(self) -> str:
        state = "closed" if self.closed else hex(self.address)
        return f"<{type(self).__name__} {state}>"

    def __copy__(self) -> Self:
        raise TypeError(f"{a_kind(self)} cannot be copied: it owns one object of cuDNN's")

    def __reduce__(self) -> tuple[object, ...]:
        raise TypeError(f"{a_kind(self)} cannot be pickled: it is an address")
