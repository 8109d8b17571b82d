"""Installing the kernels of this package in PyTorch, for models and code that do not know it."""

from __future__ import annotations

from collections import Counter
from difflib import get_close_matches
from itertools import count
from typing import TYPE_CHECKING, Literal, NamedTuple, Self, TypeAlias

from ... import errors
from ..._support import fork
from ...choice.record_table import format_html, format_table
from ..fallback import Fallback, check
from . import attention, convolution
from .kernel import Part, set_fallback, set_listeners

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType

__all__ = ["Installation", "Report", "Row", "install", "uninstall"]

#: A part of PyTorch that `install` takes over.
Name: TypeAlias = Literal["attention", "convolution"]

_parts: dict[str, Part] = {
    "attention": Part(attention.MAKERS),
    "convolution": Part(convolution.MAKERS),
}

#: The installations that hold, in their order, and the parts that are in PyTorch's table.
_stack: list[Installation] = []
_begun: set[str] = set()

_lock = fork.lock()


class Row(NamedTuple):
    """A number of calls of an operation.

    Attributes:
        operation: the name, as in `ops.record`.
        calls: how many there were.
        why: PyTorch's own kernel computed them; "" if this package did.
    """

    operation: str
    calls: int
    why: str


class Report(list[Row]):
    """The calls since an installation began; prints as a table, in notebooks as HTML."""

    @property
    def handled(self) -> dict[str, int]:
        """Return the number of calls that this package computed, by operation."""
        return {each.operation: each.calls for each in self if not each.why}

    @property
    def fallbacks(self) -> dict[str, dict[str, int]]:
        """Return the number of calls that PyTorch computed, by operation and reason."""
        found: dict[str, dict[str, int]] = {}
        for each in self:
            if each.why:
                found.setdefault(each.operation, {})[each.why] = each.calls
        return found

    def to_dicts(self) -> list[dict[str, object]]:
        """Return each row as a dictionary of plain values."""
        return [each._asdict() for each in self]

    def _rows(self) -> list[tuple[str, str, str, str]]:
        return [
            (each.operation, str(each.calls), "PyTorch" if each.why else "cudnn_cffi", each.why)
            for each in self
        ]

    def __repr__(self) -> str:
        return format_table(_COLUMNS, self._rows()) if self else "Report: no calls"

    def _repr_html_(self) -> str:
        return format_html(_COLUMNS, self._rows())


_COLUMNS = ("operation", "calls", "by", "why")


class Installation:
    """An installation, which `install` returns; a context manager that undoes it.

    Another block installs it again, and its report goes on; of blocks inside of each other, and of
    several threads, the last one undoes it. A copy, also a pickled one, is undone and has no calls.

    Attributes:
        names: the parts of PyTorch that it takes over.
        fallback: what happens if cuDNN refuses a call.
    """

    def __init__(self, names: tuple[str, ...], fallback: Fallback | None) -> None:
        self.names = names
        self.fallback = fallback
        self._refused: Counter[tuple[str, str]] = Counter()
        #: Counters of calls that cuDNN computed: a lock for each would cost more than the rest.
        self._computed: dict[str, count[int]] = {}
        #: Number of times that each was asked, which counts, too.
        self._asked: Counter[str] = Counter()
        #: Number of blocks that are in it, of all threads.
        self._blocks = 0

    @property
    def active(self) -> bool:
        """Return whether it holds: it was not undone."""
        return any(each is self for each in _stack)

    @property
    def report(self) -> Report:
        """Return what was computed while it held, and what was not, with the reason."""
        return Report([Row(word, calls, why) for (word, why), calls in sorted(self._count())])

    def undo(self) -> None:
        """Undo this installation; those that began before or after it hold on."""
        with _lock:
            _set([each for each in _stack if each is not self])

    def _note(self, word: str, why: str) -> None:
        """Count a call of a layer with a name, and why PyTorch computes it, or ""."""
        if why:
            with _lock:
                self._refused[word, why] += 1
        else:
            self._counter(word)()

    def _counter(self, word: str) -> Callable[[], int]:
        """Return what counts a call of a layer that cuDNN computes."""
        return (self._computed.get(word) or self._computed.setdefault(word, count())).__next__

    def _count(self) -> list[tuple[tuple[str, str], int]]:
        """Return the numbers of calls."""
        with _lock:
            found = Counter(self._refused)
            for word, each in tuple(self._computed.items()):
                found[word, ""] = next(each) - self._asked[word]
                self._asked[word] += 1
            return list(found.items())

    def __enter__(self) -> Self:
        with _lock:
            if not self.active:  # a second block
                _set([*_stack, self])
            self._blocks += 1
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:  # fmt: skip
        with _lock:
            self._blocks -= 1
            if not self._blocks:
                _set([each for each in _stack if each is not self])

    def __reduce__(self) -> tuple[type[Installation], tuple[tuple[str, ...], Fallback | None]]:
        return Installation, (self.names, self.fallback)

    def __repr__(self) -> str:
        state = "" if self.active else ", undone"
        return f"Installation({', '.join(map(repr, self.names))}{state})"


def _set(stack: list[Installation]) -> None:
    """Have these installations hold, and no others; if a part cannot begin, nothing changes."""
    wanted = {name for each in stack for name in each.names}
    begun: list[Part] = []
    try:
        for name in sorted(wanted - _begun):
            _parts[name].begin()
            begun.append(_parts[name])
    except BaseException:
        for part in begun:
            part.end()
        raise
    _stack[:] = stack
    set_listeners(stack)
    set_fallback(stack[-1].fallback if stack else None)
    for name in sorted(_begun - wanted):
        _parts[name].end()
    _begun.clear()
    _begun.update(wanted)


def install(*names: Name, fallback: Fallback | None = None) -> Installation:
    """Have PyTorch's own functions and modules compute by this package where they call cuDNN.

    Models, and code in Python or C++, stay as they are: kernels of PyTorch's operators on CUDA are
    replaced in its dispatcher, for the whole process. Gradients, autocast, transforms of
    `torch.func` and compiled models, also those compiled before, go through them. PyTorch chooses,
    as always, which attention and convolutions cuDNN computes (`torch.nn.attention.sdpa_kernel`
    with `CUDNN_ATTENTION` has it choose cuDNN); its switches, choices of this package
    (`cudnn_cffi.choice`) and known errors (`cudnn_cffi.errata`) decide how. Gradients are often
    computed on another thread, where the scopes of choices do not hold. A convolution adds its
    bias before it rounds, and PyTorch afterwards, which it still does for transposed ones and those
    over one axis. PyTorch computes what it fuses itself, such as `cudnn_convolution_relu`.

    Installing twice is as installing once, except that each installation has a report of its own.
    The table of PyTorch's dispatcher has no lock: install and undo while no other thread is inside
    of these operators.

    Args:
        names: "attention" (`scaled_dot_product_attention` and what calls it) and "convolution"
            (convolutions, also transposed ones); both if there are none.
        fallback: what happens if cuDNN refuses a call: "warn" (PyTorch's own kernel computes, with
            one warning for each kind of layer), "silent", or "error"; None for `modules.fallback`.
            The latest installation decides.

    Returns: the installation, with a `report`. As a context manager, it is undone at the end.

    Raises:
        ArgumentError: a name or `fallback` is unknown.
        NotSupportedError: PyTorch is older than 2.9, or has no cuDNN.
    """
    for each in names:
        if not isinstance(each, str) or each not in _parts:
            known = ", ".join(map(repr, _parts))
            close = get_close_matches(str(each), _parts, 1)
            raise errors.ArgumentError(
                f"install: expected {known}, got {each!r}",
                hint=f"use {close[0]!r}" if close else "",
            )
    if fallback is not None:
        check(fallback)
    made = Installation(tuple(dict.fromkeys(names or _parts)), fallback)
    with _lock:
        _set([*_stack, made])
    return made


def uninstall() -> None:
    """Undo all installations: PyTorch's own kernels compute again, with the same bits as before.

    Nothing happens if there is none.
    """
    with _lock:
        _set([])
