"""Steps of a call in two streams: where the next ones run, and running them one by one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import Enum
from typing import TYPE_CHECKING, Protocol

from ...driver.events import record, wait_for
from ...handles import beside

if TYPE_CHECKING:
    from ...handles import Handle

__all__ = ["Change", "run_all"]


class Change(Enum):
    """Where the next steps run; the values are those of the compiled layer."""

    #: In a second stream of the thread's, where it has one: see `handles.beside`.
    FORK = -3
    #: In the call's own stream.
    BACK = -4
    #: Likewise, after the steps in the second one.
    JOIN = -5

    @property
    def undone(self) -> str:
        """Return the text of an error."""
        return "streams could not wait for each other"

    @property
    def names(self) -> frozenset[str]:
        """Return no names: it reads and writes nothing."""
        return frozenset()

    def placed(self, _: object) -> Change:
        """Return itself."""
        return self

    def words(self, _: Mapping[str, int]) -> tuple[int, tuple[()], tuple[()]]:
        """Return the step as the compiled layer takes it; see `call_steps.Step.words`."""
        return self.value, (), ()


class Runs(Protocol):
    """A step that works."""

    def run(self, handle: Handle, addresses: Mapping[str, int], scratch: int) -> None: ...


def run_all(
    steps: Iterable[Runs | Change], handle: Handle, addresses: Mapping[str, int], scratch: int
) -> None:
    """Run steps; arguments are those of `call_steps.Step.run`."""
    here, own = handle, 0
    other: Handle | None = None
    try:
        for each in steps:
            if not isinstance(each, Change):
                each.run(here, addresses, scratch)
                continue
            here = handle
            if each is Change.FORK and (found := beside(handle)) is not handle:
                own = handle.get_stream()
                wait_for(record(own), found.get_stream())
                here = other = found
            elif each is Change.JOIN and other is not None:
                _join(other, own)
                other = None
    finally:
        if other is not None:
            _join(other, own)


def _join(other: Handle, stream: int) -> None:
    """Make a stream wait for that of another handle."""
    wait_for(record(other.get_stream()), stream)
