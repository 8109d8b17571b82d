"""Choices for operations and their arrays: remembered, listed, and handed to other processes.

Every search notes its result, under a readable key: operation, arrays, options, settings,
device and release. A choice from a file, or from another process, is noted in the same
way, and the next search for that key takes it instead. `files` reads and writes the entries.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar

from ... import errors, library
from ..._kept import warn_once
from ..._support import fork
from ..._support.recent import Recent
from ..._support.results import NamedTuple
from ...errata import table as errata
from .. import policy
from ..record_table import Rows, format_bytes
from .plan_cache import is_enabled, plans

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any, ClassVar


#: The name of the operation, in choices of plans that were built from graphs.
GRAPH = "graph"

#: NVIDIA's variable that forbids TensorFloat-32, or forces it. Heuristics suggest, and engines
#: support, other things by it.
TF32_VARIABLE = "NVIDIA_TF32_OVERRIDE"

#: Sources of a choice, the one that counts most first.
HOW = ("hand", "time", "heuristic")

#: Maximum number of choices that are remembered.
_MOST = 100_000


class Choice(NamedTuple):
    """The choice for an operation on arrays of one kind.

    Attributes:
        operation: the name of its function, or "graph" for a graph that was built as such.
        arrays: data type, shape and layout by name, inputs and outputs, as text; of a graph its
            text in lines, by number.
        options: of the operation, and arguments of the call that matter; of a graph its signature.
        settings: what the rule says besides what to pick, such as `deterministic`; and NVIDIA's
            variable NVIDIA_TF32_OVERRIDE, where it is set.
        device: the name and fingerprint of the device.
        release: the version of cuDNN.
        via: "graph" or "classic".
        engine: the index of the engine; None for classic functions.
        knobs: values of the engine's knobs by name.
        algorithm: the name of the classic algorithm; "" where the function has none.
        how: "time" or "heuristic"; or "hand", which counts more than both.
        time: microseconds on the device; None where it was not timed.
        workspace: in bytes; None where it is not known.
    """

    operation: str
    arrays: Mapping[str, str]
    options: Mapping[str, object]
    settings: Mapping[str, object]
    device: str
    release: str
    via: str
    engine: int | None = None
    knobs: Mapping[str, int] = {}
    algorithm: str = ""
    how: str = "heuristic"
    time: float | None = None
    workspace: int | None = None

    @property
    def key(self) -> str:
        """Return its key, as text."""
        # The text of a graph has the names of its tensors, which do not matter.
        arrays = {} if self.operation == GRAPH else self.arrays
        fields = (self.operation, arrays, *self[2:6])
        return json.dumps(fields, sort_keys=True)

    @property
    def name(self) -> str:
        """The operation and its arrays, for messages."""
        if self.operation == GRAPH:
            return f"graph {str(self.options.get('signature', ''))[:12]}"
        return f"{self.operation}({', '.join(f'{n} {text}' for n, text in self.arrays.items())})"

    @property
    def way(self) -> str:
        """The engine with its knobs, or the algorithm, as text."""
        if self.engine is None:
            return self.algorithm or "classic"
        return str(policy.Engine(self.engine, tuple(sorted(self.knobs.items()))))

    @property
    def changes(self) -> dict[str, object]:
        """Return what makes a rule pick it: fields of `Rule`."""
        if self.engine is None:
            return {"pick": self.algorithm or "heuristic", "via": "classic"}
        return {
            "pick": policy.Engine(self.engine, tuple(sorted(self.knobs.items()))),
            "via": "graph",
        }

    def fits(self, pick: object) -> bool:
        """Return whether an entry applies to the pick of a rule; a timed one fits both words."""
        return pick == "heuristic" or (pick == "time" and self.how != "heuristic")

    def beats(self, other: Choice) -> bool:
        """Return whether it counts more than an earlier one for the same key."""
        if self.how != other.how:
            return HOW.index(self.how) < HOW.index(other.how)
        if self.how != "time" or other.time is None:
            return True
        return self.time is not None and self.time <= other.time

    def to_dict(self) -> dict[str, object]:
        """Return the fields as files have them: without what is empty."""
        chosen = (
            {"via": "classic", **({"algorithm": self.algorithm} if self.algorithm else {})}
            if self.engine is None
            else {"via": "graph", "engine": self.engine, "knobs": dict(sorted(self.knobs.items()))}
        )
        fields = {
            "operation": self.operation,
            "arrays": dict(self.arrays),
            "options": dict(sorted(self.options.items())),
            "settings": dict(sorted(self.settings.items())),
            "device": self.device,
            "release": self.release,
            "choice": chosen,
            "how": self.how,
            "time": None if self.time is None else round(self.time, 3),
            "workspace": self.workspace,
        }
        return {name: value for name, value in fields.items() if value not in (None, {})}


class Choices(Rows[Choice]):
    """Choices, sorted by operation, device and arrays; prints as a table."""

    _columns: ClassVar[tuple[str, ...]] = (
        *("operation", "arrays", "options", "choice", "how", "time us", "workspace"),
        *("release", "device"),
    )

    @staticmethod
    def _cells(record: Choice) -> tuple[str, ...]:
        arrays = "; ".join(f"{name} {text}" for name, text in record.arrays.items())
        options = {**record.options, **record.settings}
        return (
            record.operation,
            arrays if record.operation != GRAPH else f"{len(record.arrays)} lines",
            " ".join(f"{name}={value}" for name, value in options.items()) or "-",
            record.way,
            record.how,
            "-" if record.time is None else f"{record.time:.2f}",
            format_bytes(record.workspace),
            record.release,
            record.device,
        )


_lock = fork.lock()
_book: dict[str, Choice] = Recent(_MOST)

#: Generation counter, part of cache keys; grows when choices are adopted.
generation = 0

#: Number of times that choices which were timed in the background began to hold; likewise.
timed = 0

#: The keys of choices that were not made by this process.
_adopted: set[str] = set()

_unlisted: ContextVar[bool] = ContextVar("cudnn_cffi_unlisted_choice", default=False)


def choices() -> Choices:
    """Return what was chosen in this process, and what was taken over from files and others."""
    with _lock:
        found = list(_book.values())
    return Choices(sorted(found, key=lambda each: (each.operation, each.device, each.key)))


def forget() -> None:
    """Forget all choices of this process; the next call or build looks for its engine again.

    Plans that were saved on disk stay, and with them what was chosen by timing: a `no_cache()`
    block, or CUDNN_CFFI_PLAN_CACHE=0, leaves them out.
    """
    with _lock:
        _book.clear()
        _adopted.clear()
    renew()


def adopt_all(found: Iterable[Choice]) -> None:
    """Take choices over, in the place of those that are known for the same keys."""
    with _lock:
        for each in found:
            _book[each.key] = each
            _adopted.add(each.key)
        _adopted.intersection_update(_book)  # which forgets the oldest
    renew()


def is_adopted(found: Choice | None = None) -> bool:
    """Return whether a choice, or any one, was not made by this process."""
    return bool(_adopted) if found is None else found.key in _adopted


def renew() -> None:
    """Make all memories of choices look again."""
    global generation
    generation += 1
    plans.clear()
    policy.renew()


def hold() -> None:
    """Make all memories of choices take what was timed in the background, but not in captures."""
    global timed
    timed += 1
    policy.renew()


errata.listeners.append(renew)


def search(key: Choice, pick: object) -> Choice | None:
    """Return what is known for the key of a choice; None where nothing fits what a rule picks."""
    if not _book:
        return None
    found = _book.get(key.key)
    return found if found is not None and found.fits(pick) else None


def note(found: Choice) -> None:
    """Remember the result of a search, unless the known choice counts more."""
    key = found.key
    with _lock:
        known = _book.get(key)
        if known is None or found.beats(known):
            _book[key] = found
            _adopted.discard(key)


def blank(
    operation: str,
    arrays: Mapping[str, str],
    options: Mapping[str, object],
    settings: Mapping[str, object],
    device: str,
) -> Choice:
    """Return an entry that has its key alone, for the release that is loaded."""
    release = library.load().version
    settings = {**settings, TF32_VARIABLE: os.environ.get(TF32_VARIABLE)}
    return Choice(operation, arrays, _plain(options), _plain(settings), device, release, "graph")


def _plain(value: object) -> Any:
    """Return a value as JSON has it, without what is None."""
    if isinstance(value, Mapping):
        return {str(name): _plain(each) for name, each in value.items() if each is not None}
    if hasattr(value, "name"):  # a member of an enum
        return str(value.name)
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, (tuple, list)):
        return [_plain(each) for each in value]
    return str(value)


def refused(known: Choice, error: Exception) -> None:
    """Warn, once, that an entry cannot be used; a search takes its place."""
    text = errors.first_line(error)
    settings = ", ".join(f"{name}={value}" for name, value in known.settings.items())
    what = f"{known.name}{f' with {settings}' if settings else ''}"
    warn_once(f"the choice of {known.way} for {what} is not used: {text}")


def is_listed() -> bool:
    """Return whether choices are looked up and noted here."""
    return is_enabled() and not _unlisted.get()


@contextmanager
def unlisted() -> Iterator[None]:
    """Note no choices while a `with` block runs, which builds parts of a larger choice."""
    token = _unlisted.set(True)
    try:
        yield
    finally:
        _unlisted.reset(token)
