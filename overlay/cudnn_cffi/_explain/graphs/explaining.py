"""Find the nearest supported graph of a record, and put the answer in words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from ... import errors
from ..._tables import chosen_release
from ...choice import DeviceProperties
from ...graph.record.operations import OPERATIONS
from ...graph.show import saving
from ...plan import Sequence as Plans
from .. import elsewhere
from ..result import Built, Explanation, Step, difference, joined
from ..search import REFUSALS, Found, Search
from .changes import changes
from .sketch import check_sound, lines

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from ...graph.methods.operations import Operations
    from ...graph.show.saving import GraphRecord
    from ...handles import Handle
    from ...plan import Plan
    from ..search import Chain

#: Heuristics that are asked whether an engine may take a graph, the quickest first.
_MODES = ("FALLBACK", "A")

#: Options of `Graph.build` that `Graph.candidates` has not, or has otherwise.
_OF_BUILDS = ("modes", "most", "kernel_cache", "choose")

#: Seconds of a search, if nothing else is said.
SECONDS = 5.0


def explain_record(
    cls: type[Operations],
    record: GraphRecord,
    handle: Handle | None,
    device: DeviceProperties | None,
    *,
    split: bool,
    seconds: float,
    options: Mapping[str, Any],
    libraries: Iterable[str | os.PathLike[str]] = (),
    is_text: bool = False,
) -> Explanation:
    """Return the nearest graph that is supported; see `explain`.

    Args:
        cls: the class of graphs.
        record: the graph.
        handle, device: one of them, or none for the current device.
        split, seconds, options, libraries: as for `explain`.
        is_text: whether the record is of a text that may be no graph.
    """
    filters = {name: value for name, value in options.items() if name not in _OF_BUILDS}

    def build(state: GraphRecord, where: DeviceProperties | None = device) -> Built:
        made: Any = saving.from_record(cls, state)
        plan = made.build(None if where else handle, where, split=split, **options)
        return Built(_way(plan), chosen_release(), _device_of(plan))

    def build_parts() -> Built:
        made: Any = saving.from_record(cls, record)
        plan = made.build(None if device else handle, device, **options)
        return Built(_way(plan), chosen_release(), _device_of(plan))

    def is_likely(state: GraphRecord, where: DeviceProperties | None = device) -> bool:
        made: Any = saving.from_record(cls, state)
        place = (None if where else handle, where)
        return any(made.candidates(*place, modes=(mode,), **filters) for mode in _MODES)

    def build_elsewhere(where: DeviceProperties) -> Built:
        if not is_likely(record, where):
            raise errors.NotSupportedError(f"no engine for {where.name} is proposed")
        return build(record, where)

    try:
        built = build(record)
    except REFUSALS as error:
        refused: errors.CudnnError = error
    else:
        text = f"cuDNN {built.release} builds the graph as it is for {built.device}: {built.way}"
        made = saving.from_record(cls, record)
        return Explanation(text, (), made, built.release, built.device)
    if is_text and isinstance(refused, errors.GraphError):
        check_sound(record)
    name = device.name if device else _name_of(handle)
    if seconds == 0 or _is_lacking(refused):
        return nothing(refused, Found(), name, seconds)

    def find(state: GraphRecord) -> Iterator[Step]:
        if state is record:
            if not split:
                yield Step("plans", 1, "several plans one after the other", state, build_parts)
            yield from elsewhere.devices(state, device, build_elsewhere, refused)
            if device is not None:
                text = msgspec.json.encode(state).decode()
                cost = 1 if since else 4
                yield from elsewhere.releases(state, libraries, text, device, cost)
        yield from changes(state)

    since = _since(record)
    thorough = split and len(record.nodes) > 1
    found = Search(record, find, is_likely, build, msgspec.json.encode, thorough=thorough).run(
        seconds
    )
    if not found.chains:
        return nothing(refused, found, name, seconds, since)
    return answer(
        found,
        refused,
        lines(record),
        lambda state: (lines(state), saving.from_record(cls, state)),
        name,
    )


def answer(
    found: Found,
    refused: errors.CudnnError,
    before: Sequence[str],
    shown: Callable[[Any], tuple[Sequence[str], Any]],
    device: str,
) -> Explanation:
    """Return what a search found, the first in its fields, others in `others`.

    Args:
        found: the search, with an answer at least.
        refused: the error of the original.
        before: the original as lines.
        shown: returns the lines of a changed computation, and what `Explanation.graph` is to be.
        device: the name of the device that refuses the original.
    """

    def one(chain: Chain, built: Built) -> Explanation:
        state = chain[-1].state
        after, made = shown(state)
        reason = reason_of(refused)
        phrases = [each.phrase for each in chain]
        if chain[-1].name in ("device", "release"):
            text = f"{built.device} supports it as asked"
            if chain[-1].name == "release":
                text = f"cuDNN {built.release} supports it as asked on {built.device}"
            else:
                text += f" with cuDNN {built.release}"
            old = [f"device {device}", f"cuDNN {chosen_release()}"]
            change = difference(old, [f"device {built.device}", f"cuDNN {built.release}"])
        else:
            text = f"with {joined(phrases)}, cuDNN {built.release} builds it for {built.device}"
            change = difference(before, after)
        sentence = text if chain[-1].name in ("device", "release") else f"{text}: {built.way}"
        return Explanation(
            sentence, change, made, built.release, built.device, reason, (), found.tried
        )

    first, *others = [one(*each) for each in found.chains]
    return first._replace(others=tuple(others))


def reason_of(refused: errors.CudnnError) -> str:
    """Return the reason of a refusal that tells most, in one line."""
    told = [each.reason for each in getattr(refused, "refusals", ()) if each.reason]
    vague = ("not enabled for", "they suggest nothing")
    telling = [each for each in told if " " in each and not any(word in each for word in vague)]
    return (telling or told or [refused.message.splitlines()[0] if refused.message else ""])[0]


def _way(plan: Plan) -> str:
    if isinstance(plan, Plans):
        return f"{len(plan.parts)} plans together"
    return f"engine {plan.engine}"


def _device_of(plan: Plan) -> str:
    return plan.device or _name_of(plan.handle)


def _name_of(handle: Handle | None) -> str:
    if handle is None:
        return DeviceProperties.current().name
    return DeviceProperties.from_handle(handle).name


def nothing(
    refused: errors.CudnnError, found: Found, device: str, seconds: float, more: str = ""
) -> Explanation:
    """Return that nothing was found, and how much was tried.

    Args:
        refused: the error of the original.
        found: the search.
        device: the name of the device.
        seconds: the limit of the search; 0 if there was none.
        more: the end of the sentence.
    """
    release, reason = chosen_release(), reason_of(refused)
    text = f"cuDNN {release} does not build it for {device}"
    if _is_lacking(refused):
        text += f", for something is missing here: {refused.hint or reason}"
    elif seconds:
        limit = "" if found.is_complete else f" within {seconds:g} s"
        text += f", nor with any of {found.tried} small changes that were tried{limit}"
    return Explanation(text + more, (), None, "", "", reason, (), found.tried)


def _is_lacking(refused: errors.CudnnError) -> bool:
    """Return whether a library is missing, without which no change can be judged."""
    refusals = getattr(refused, "refusals", ())
    return any("PREREQUISITE" in each.status or "SUBLIBRARY" in each.status for each in refusals)


def _since(record: GraphRecord) -> str:
    """Return which operations a later release has first, by the records of all releases."""
    release, told = chosen_release(), []
    for node in record.nodes:
        operation = OPERATIONS.get(node.kind)
        since = operation.since if operation is not None and operation.descriptor else ""
        if since and tuple(map(int, since.split("."))) > tuple(map(int, release.split("."))):
            told.append(f"{node.kind} since cuDNN {since}")
    return f"; not tried: {joined(dict.fromkeys(told))}" if told else ""
