"""Reasons why engines refuse a graph, in cuDNN's words, gathered in one error."""

from __future__ import annotations

import logging
import re
import threading
from contextlib import contextmanager

from ... import errors, logs
from ..._support.results import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping


class Refusal(NamedTuple):
    """An engine, or a way to find engines, that does not support a graph.

    Attributes are plain values, so it can be pickled and compared.
    """

    engine: int | None  # None where heuristics were asked
    knobs: dict[str, int]
    stage: str  # "heuristics A", "engine", "configuration", "plan", "filter" or "errata"
    status: str  # the C name
    reason: str  # in cuDNN's words

    def to_dict(self) -> dict[str, object]:
        """Return the fields by name."""
        return {**self._asdict(), "knobs": dict(self.knobs)}


_REASON = re.compile(r"Reason: (.*)")
_ADDRESS = re.compile(r"0x[0-9a-f]+")

#: An expression of C++ alone, which says where in cuDNN it was and not why.
_EXPRESSION = re.compile(r"[\w.:>-]+(\(\))?")

_LONGEST = 300


class Listener(logging.Handler):
    """Keeps what cuDNN's log says on this thread."""

    def __init__(self) -> None:
        super().__init__()
        self._thread = threading.get_native_id()
        self._texts: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        """Keep a message of this thread."""
        message: logs.Message = record.cudnn  # type: ignore[attr-defined]
        if message.thread == self._thread:
            self._texts.append(message.text)

    def take(self) -> str:
        """Return the reason in the messages since the last call, and forget them."""
        texts, self._texts = self._texts, []
        reasons: list[str] = []
        for text in texts:
            lines = iter(text.splitlines())
            for line in lines:
                if found := _REASON.search(line):
                    reasons.append(found[1].strip())
                elif reasons and line.strip().startswith("at: "):
                    reasons[-1] += f" {line.strip()}"
        telling = [each for each in reasons if not _EXPRESSION.fullmatch(each)]
        return (telling or reasons or [""])[0]


@contextmanager
def listening() -> Iterator[Listener]:
    """Keep cuDNN's warnings while a `with` block runs."""
    listener = Listener()
    logger = logging.Logger("cudnn.refusals", logging.WARNING)
    logger.addHandler(listener)
    with logs.log(logging.WARNING, logger):
        yield listener


def refusal(
    stage: str,
    error: errors.CudnnError,
    listener: Listener,
    engine: int | None = None,
    knobs: Mapping[str, int] | None = None,
) -> Refusal:
    """Return the text for a failed call.

    Raises:
        CudnnError: `error`, where it is neither cuDNN's nor says that there is too little memory.
    """
    if error.status is None and not isinstance(error, errors.AllocationError):
        raise error
    told, text = listener.take(), error.text.strip()
    parts = [each for each in (text, told) if each]
    telling = [each for each in parts if not _EXPRESSION.fullmatch(each)] or parts[:1]
    reason = "; ".join(dict.fromkeys(telling)) or ("" if error.status_name else error.message)
    reason = _ADDRESS.sub("0x...", " ".join(reason.split()))
    reason = reason.replace(
        f"Engine {engine} is", "the engine is"
    )  # so that equal ones are told once
    if len(reason) > _LONGEST:
        reason = f"{reason[: _LONGEST - 3]}..."
    return Refusal(engine, dict(knobs or {}), stage, error.status_name, reason)


def forget(error: BaseException) -> None:
    """Drop the frames of an error's traceback.

    They refer to each other in cycles, and to plans and memory. The garbage collector would free
    those at any time, also while a stream is captured, which breaks the capture.
    """
    chain: BaseException | None = error
    while chain is not None:
        following = chain.__cause__ or chain.__context__
        chain.__traceback__ = chain.__cause__ = chain.__context__ = None
        chain = following


def _name(each: Refusal) -> str:
    return each.stage if each.engine is None else f"engine {each.engine}"


def no_plan(refusals: Iterable[Refusal], text: str, device: str) -> errors.NoPlanError:
    """Return the error for a graph that no engine takes, with all reasons, grouped."""
    all_refusals = tuple(refusals)
    groups: dict[tuple[str, str], dict[str, list[str]]] = {}
    for each in all_refusals:
        names = groups.setdefault((each.status.removeprefix("CUDNN_STATUS_"), each.reason), {})
        knobs = ", ".join(f"{name}={value}" for name, value in each.knobs.items())
        names.setdefault(_name(each), []).append(knobs)
    lines = [f"no engine supports this graph on {device}:"]
    lines += [f"    {line}" for line in text.splitlines()]
    for (status, reason), names in sorted(groups.items(), key=_rank):
        shown = [_with_knobs(name, knobs) for name, knobs in names.items()]
        more = f" and {len(shown) - _MOST_NAMES} more" if len(shown) > _MOST_NAMES else ""
        said = ": ".join(filter(None, (status, reason)))
        lines.append(f"  {', '.join(shown[:_MOST_NAMES])}{more}")
        lines.append(f"    {said}")
    lacking = next((each.status for each in all_refusals if "PREREQ" in each.status), "")
    hint = errors.hint_for(lacking) if lacking else ""
    return errors.NoPlanError("\n".join(lines), refusals=all_refusals, hint=hint)


def _with_knobs(name: str, knobs: list[str]) -> str:
    """Return an engine's name, with the values of its knobs or the number of configurations."""
    different = list(dict.fromkeys(knobs))
    if len(different) > 1:
        return f"{name} ({len(different)} configurations)"
    return f"{name} ({different[0]})" if different[0] else name


#: Parts of statuses that say more of this process or moment than of the computation.
_PASSING = (
    *("ALLOC", "EXECUTION", "INCOMPATIBLE", "INITIALIZED", "INTERNAL", "PREREQUISITE"),
    *("SUBLIBRARY", "VERSION"),
)


#: Parts of statuses that tell of something that is missing.
_LACKING = ("ALLOC", "PREREQUISITE", "SUBLIBRARY", "VERSION")

#: The reason of an engine that did not get a handle of cuBLAS, as without a GPU.
_NO_CUBLAS = "create_cublas_handle"


def is_final(refusals: Iterable[errors.Refusal]) -> bool:
    """Return whether an engine of this release will never support the computation.

    It may, if a library was missing, or memory, or the GPU.
    """
    return not _names(refusals, _PASSING)


def is_makeshift(refusals: Iterable[errors.Refusal]) -> bool:
    """Return whether something is missing here, so that another process may do better.

    An engine that fails to compile is no sign of that: it fails everywhere.
    """
    return _names(refusals, _LACKING)


def _names(refusals: Iterable[errors.Refusal], words: tuple[str, ...]) -> bool:
    return any(
        _NO_CUBLAS in each.reason or any(word in each.status for word in words) for each in refusals
    )


_MOST_NAMES = 24


def _rank(group: tuple[tuple[str, str], dict[str, list[str]]]) -> tuple[bool, bool, bool, int]:
    """Return a sort key: reasons that a caller can act on first, other devices last."""
    (status, reason), names = group
    passing = any(word in status for word in _PASSING)
    telling = bool(reason) and not _EXPRESSION.fullmatch(reason)
    return "ARCH_MISMATCH" in status, not passing, not telling, len(names)
