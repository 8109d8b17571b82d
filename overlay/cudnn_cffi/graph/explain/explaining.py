"""`explain`: the nearest supported graph, and where the graph is supported as it is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from ... import errors
from ..._tables import chosen_release
from ...choice import DeviceProperties
from ...plan import Sequence as Plans
from ..graph import Graph
from ..record.operations import OPERATIONS
from ..show import saving
from . import elsewhere
from .changes import changes
from .result import Built, Explanation, difference, joined
from .search import REFUSALS, Found, Search
from .sketch import check_sound, lines

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from ...choice.device.properties import Device
    from ...handles import Handle
    from ...plan import Plan
    from ..show.saving import GraphRecord
    from .result import Step
    from .search import Chain

#: Seconds of a search, if nothing else is said.
SECONDS = 5.0


def explain(
    graph: Graph | str | bytes,
    handle: Handle | None = None,
    device: Device | None = None,
    *,
    split: bool = True,
    seconds: float = SECONDS,
    libraries: Iterable[str | os.PathLike[str]] = (),
    **options: Any,
) -> Explanation:
    """Return the nearest graph that cuDNN builds a plan of, found by search among small changes.

    Each answer was built, for the same device and release unless it names another. The changes are
    data types, layouts, alignment, padding, masks and other options, parts that are left out, the
    device, and the release; the search ends at the least changes with an answer. Nothing that is
    built is kept in caches.

    Args:
        graph: a `Graph`, or the JSON of one, which may be one that cannot be made.
        handle, device: as for `Graph.build`.
        split: whether several plans may compute a graph together, as `Graph.build` tries.
        seconds: how long to search; a build that has begun is not stopped. 0 only builds the graph.
        libraries: other libraries of cuDNN to try the graph with as it is, each in a process of its
            own that is started for it.
        options: filters, as for `Graph.build`.

    Raises:
        GraphError: the JSON is damaged, or not a graph.
        ArgumentError: `seconds` is negative, or there is no such device or option.
        NotInitializedError: there is neither a GPU nor `device`.
        SublibraryError: a library is missing, without which nothing can be built.
    """
    if not isinstance(seconds, (int, float)) or not seconds >= 0:
        raise errors.ArgumentError(f"seconds: expected a number from 0 on, got {seconds!r}")
    record = _record_of(graph)
    properties = None if device is None else DeviceProperties.of(device)

    def build(state: GraphRecord, where: DeviceProperties | None = properties) -> Built:
        made = saving.from_record(Graph, state)
        plan = made.build(None if where else handle, where, split=split, **options)
        return Built(_way(plan), chosen_release(), _device_of(plan))

    def is_likely(state: GraphRecord, where: DeviceProperties | None = properties) -> bool:
        made = saving.from_record(Graph, state)
        return bool(made.candidates(None if where else handle, where, **options))

    def build_elsewhere(where: DeviceProperties) -> Built:
        if not is_likely(record, where):
            raise errors.NotSupportedError(f"no engine for {where.name} is proposed")
        return build(record, where)

    try:
        built = build(record)
    except REFUSALS as error:
        refused = error
    else:
        text = f"cuDNN {built.release} builds the graph as it is for {built.device}: {built.way}"
        made = saving.from_record(Graph, record)
        return Explanation(text, (), made, built.release, built.device)
    if not isinstance(graph, Graph) and isinstance(refused, errors.GraphError):
        check_sound(record)
    name = properties.name if properties else _name_of(handle)
    if seconds == 0 or _is_lacking(refused):
        return _nothing(refused, Found(), name, seconds)

    def find(state: GraphRecord) -> Iterator[Step]:
        if state is record:
            yield from elsewhere.devices(state, properties, build_elsewhere)
            if properties is not None:
                text = msgspec.json.encode(state).decode()
                yield from elsewhere.releases(state, libraries, text, properties)
        yield from changes(state)

    thorough = split and len(record.nodes) > 1
    found = Search(
        record, find, is_likely, build, msgspec.json.encode, thorough=thorough
    ).run(seconds)
    if not found.chains:
        return _nothing(refused, found, name, seconds, _since(record))
    return answer(
        found,
        refused,
        lines(record),
        lambda state: (lines(state), saving.from_record(Graph, state)),
    )


def answer(
    found: Found,
    refused: errors.CudnnError,
    before: Sequence[str],
    shown: Callable[[Any], tuple[Sequence[str], Any]],
) -> Explanation:
    """Return what a search found, the first in its fields, others in `others`.

    Args:
        found: the search, with an answer at least.
        refused: the error of the original.
        before: the original as lines.
        shown: returns the lines of a changed computation, and what `Explanation.graph` is to be.
    """

    def one(chain: Chain, built: Built) -> Explanation:
        state = chain[-1].state
        after, made = shown(state)
        reason = reason_of(refused)
        phrases = [each.phrase for each in chain]
        if chain[-1].build is not None:
            text = f"{built.device} supports it as asked"
            if chain[-1].name == "release":
                text = f"cuDNN {built.release} supports it as asked on {built.device}"
            else:
                text += f" with cuDNN {built.release}"
            change = (f"- {refused_where(refused)}", f"+ {phrases[-1]}")
        else:
            text = f"with {joined(phrases)}, cuDNN {built.release} builds it for {built.device}"
            change = difference(before, after)
        sentence = f"{text}: {built.way}" if chain[-1].build is None else text
        return Explanation(sentence, change, made, built.release, built.device, reason, (), found.tried)

    first, *others = [one(*each) for each in found.chains]
    return first._replace(others=tuple(others))


def refused_where(refused: errors.CudnnError) -> str:
    """Return on which device nothing supports a computation, as far as an error tells."""
    head = refused.message.splitlines()[0] if refused.message else ""
    return head.removeprefix("no engine supports this graph on ").rstrip(":")


def reason_of(refused: errors.CudnnError) -> str:
    """Return the reason of a refusal that tells most, in one line."""
    told = [each.reason for each in getattr(refused, "refusals", ()) if each.reason]
    telling = [each for each in told if " " in each and "not enabled for" not in each]
    return (telling or told or [refused.message.splitlines()[0] if refused.message else ""])[0]


def _record_of(graph: Graph | str | bytes) -> GraphRecord:
    if isinstance(graph, (str, bytes)):
        record = saving.decode(graph)
        check_sound(record)
        return record
    if not isinstance(graph, Graph):
        raise errors.ArgumentError(f"graph: expected a Graph or its JSON, got {graph!r}")
    return saving.to_record(graph)


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


def _nothing(
    refused: errors.CudnnError, found: Found, device: str, seconds: float, more: str = ""
) -> Explanation:
    """Return that no graph was found, and what was tried."""
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
