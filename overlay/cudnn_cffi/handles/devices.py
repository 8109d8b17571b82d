"""Handles of several devices: a call with a handle has its context current."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import TypeVar

from .. import driver as _driver
from .. import errors
from .._lookup import families

#: Where a handle has its address.
stored = families.Handle.__dict__["_cudnnHandle_t"]


class ElsewhereError(TypeError):
    """The handle's context is not current: the call layer makes it current and calls again."""


class _Switching:
    """Make the handle's context current for the time of a call.

    In another context the address cannot be read, so a call fails and takes the slow way. It makes
    the context current around a second attempt.
    """

    __slots__ = ()

    _context: int
    device: int

    @property
    def _cudnnHandle_t(self) -> int:
        if _driver.current_context() != self._context:
            raise ElsewhereError(f"the context of device {self.device} is not current")
        return stored.__get__(self)

    @_cudnnHandle_t.setter
    def _cudnnHandle_t(self, address: int) -> None:
        stored.__set__(self, address)

    @_cudnnHandle_t.deleter
    def _cudnnHandle_t(self) -> None:
        stored.__delete__(self)

    @property
    def address(self) -> int:
        """Return the address of the handle, whichever context is current.

        Raises:
            ClosedError: the handle is closed.
        """
        try:
            address: int = stored.__get__(self)
        except AttributeError:
            raise errors.ClosedError("the Handle is closed") from None
        return address

    def _elsewhere(self) -> bool:
        return bool(self._context) and _driver.current_context() != self._context

    def _switched(self) -> AbstractContextManager[object]:
        return self._current()  # type: ignore[attr-defined]


_T = TypeVar("_T")

_switching_classes: dict[int, type] = {}


def switching(cls: type[_T]) -> type[_T]:
    """Return a class like `cls`, with its name, whose objects switch contexts."""
    key = id(cls)  # which the new class keeps alive
    if key not in _switching_classes:
        own = {"__slots__": (), "__module__": cls.__module__}
        _switching_classes[key] = type(cls.__name__, (_Switching, cls), own)
    return _switching_classes[key]


def explain(error: errors.CudnnError, device: int) -> errors.CudnnError:
    """Return the error of a handle that could not be made, with facts of driver and device."""
    why = _driver.why_unusable()
    if why:
        told = {"driver": why}
    else:
        about = _driver.info(device)
        told = {
            "device": str(about),
            "driver": about.driver,
        }
    return error.replace(arguments=told)
