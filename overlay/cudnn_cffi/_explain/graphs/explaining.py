"""Find the nearest supported graph of a record, and put the answer in words."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import msgspec

from ... import errors
from ..._tables import active, chosen_release
from ...choice import DeviceProperties
from ...graph.graph import advice_for
from ...graph.record.operations import OPERATIONS
from ...graph.show import saving
from ...plan import Sequence as Plans
from .. import elsewhere
from ..result import Built, Explanation, Step, difference, joined
from ..search import REFUSALS, Found, Search
from .changes import changes
from .sketch import check_sound, in_memory, lines, type_of

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from ...graph.methods.operations import Operations
    from ...graph.show.saving import GraphRecord
    from ...handles import Handle
    from ...plan import Plan
    from ..search import Chain

#: Heuristics that are asked which engines may take a graph, the slower and better ones first.
_MODES = ("A", "FALLBACK")

#: Options of `Graph.build` that `Graph.candidates` has not, or has otherwise.
_OF_BUILDS = ("modes", "most", "kernel_cache", "choose")

#: Maximum number of candidates of each that are built; they may have to be compiled.
_MOST = 2


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
    refused: errors.CudnnError | None = None,
) -> Explanation:
    """Return the nearest graph that is supported; see `explain`.

    Args:
        cls: the class of graphs.
        record: the graph.
        handle, device: one of them, or none for the current device.
        split, seconds, options, libraries: as for `explain`.
        is_text: whether the record is of a text that may be no graph.
        refused: the error of the graph, if it was built.
    """
    active()  # a graph may be refused before anything asks for a release
    builder = _Builder(cls, handle, device, split, options)
    if refused is None:
        try:
            built = builder.build_anyway(record)
        except REFUSALS as error:
            refused = error
        else:
            text = f"cuDNN {built.release} builds the graph as it is for {built.device}"
            graph = builder.graph(record)
            return Explanation(f"{text}: {built.way}", (), graph, built.release, built.device)
    if is_text and isinstance(refused, errors.GraphError):
        check_sound(record)
    name = device.name if device else _name_of(handle)
    if seconds == 0 or _is_lacking(refused):
        return nothing(refused, Found(), name, seconds)
    since = _since(record)

    def find(state: GraphRecord) -> Iterator[Step]:
        if state is record:
            if not split:
                parts = partial(_Builder(cls, handle, device, True, options).build_anyway, record)
                yield Step("plans", 1, "several plans one after the other", state, parts)
            text = msgspec.json.encode(state).decode()
            build = partial(builder.build, record)
            yield from elsewhere.devices(state, device, build, refused, text)
            if device is not None:
                yield from elsewhere.releases(state, libraries, text, device, 1 if since else 4)
        yield from changes(state)

    found = Search(record, find, builder, refused).run(seconds)
    if not found.chains:
        return nothing(refused, found, name, seconds, _advice(record) or since)
    return answer(
        found, refused, lines(record), lambda state: (lines(state), builder.graph(state)), name
    )


class _Builder:
    """Builds the graphs of records, for a device."""

    def __init__(
        self,
        cls: type[Operations],
        handle: Handle | None,
        device: DeviceProperties | None,
        split: bool,
        options: Mapping[str, Any],
    ) -> None:
        self._cls, self._handle, self._device, self.splits = cls, handle, device, split
        self._options = options
        self._filters = {name: each for name, each in options.items() if name not in _OF_BUILDS}

    def graph(self, record: GraphRecord) -> Any:
        """Return the graph of a record."""
        return saving.from_record(self._cls, record)

    def is_likely(self, record: GraphRecord) -> bool:
        """Return whether heuristics name an engine for a graph."""
        place = self._handle, self._device
        return any(self._propose(self.graph(record), place, mode) for mode in reversed(_MODES))

    def build(self, record: GraphRecord, where: DeviceProperties | None = None) -> Built:
        """Build a graph of the best candidates, for another device if there is one."""
        made = self.graph(record)
        place = (self._handle, self._device) if where is None else (None, where)
        filters = {n: each for n, each in self._filters.items() if n not in ("engine", "knobs")}
        for mode in _MODES:
            for each in self._propose(made, place, mode)[:_MOST]:
                try:
                    return _built(made.build(*place, each, split=False, **filters))
                except errors.NotSupportedError:
                    continue
        raise errors.NotSupportedError("no candidate is finished")

    def build_anyway(self, record: GraphRecord) -> Built:
        """Build a graph as `Graph.build` does."""
        made = self.graph(record)
        return _built(made.build(self._handle, self._device, split=self.splits, **self._options))

    def key(self, record: GraphRecord) -> bytes:
        """Return the JSON of a record."""
        return msgspec.json.encode(record)

    def kernel(self, record: GraphRecord) -> tuple[object, ...]:
        """Return the data types of inputs and of computation, and the operations."""
        return (
            record.compute_data_type,
            record.intermediate_data_type,
            tuple(type_of(record, each) for each in in_memory(record) if not each.output),
            tuple((node.kind, str(node.options.get("mode"))) for node in record.nodes),
        )

    def _propose(
        self, graph: Any, place: tuple[Handle | None, DeviceProperties | None], mode: str
    ) -> Any:
        return graph.candidates(*place, modes=(mode,), **self._filters)


def _built(plan: Plan) -> Built:
    return Built(_way(plan), chosen_release(), plan.device)


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
        # An engine is left out: an answer is built of the candidate that is found the quickest.
        sentence = f"{text}, as {built.way}" if built.way.endswith("together") else text
        return Explanation(
            sentence, change, made, built.release, built.device, reason, (), found.tried
        )

    first, *others = [one(*each) for each in found.chains]
    return first._replace(others=tuple(others))


def reason_of(refused: errors.CudnnError) -> str:
    """Return the reason of a refusal that tells most, in one line."""
    told: list[str] = [each.reason for each in getattr(refused, "refusals", ()) if each.reason]
    vague = ("not enabled for", "they suggest nothing")
    telling = [each for each in told if " " in each and not any(word in each for word in vague)]
    return (telling or told or [refused.message.splitlines()[0] if refused.message else ""])[0]


def _way(plan: Plan) -> str:
    if isinstance(plan, Plans):
        return f"{len(plan.parts)} plans together"
    return f"engine {plan.engine}"


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


def _advice(record: GraphRecord) -> str:
    """Return advice for the only operation of a graph, if engines take it in larger ones only."""
    (node,) = record.nodes if len(record.nodes) == 1 else (None,)
    if node is None:
        return ""
    mode = str(node.options.get("mode"))
    word = mode.lower() if node.kind == "pointwise" else node.kind
    found = advice_for((word, f"{node.kind} {mode}"))
    return f"; {found}" if found else ""


def _since(record: GraphRecord) -> str:
    """Return which operations a later release has first, by the records of all releases."""
    release, told = chosen_release(), []
    for node in record.nodes:
        operation = OPERATIONS.get(node.kind)
        since = operation.since if operation is not None and operation.descriptor else ""
        if since and tuple(map(int, since.split("."))) > tuple(map(int, release.split("."))):
            told.append(f"{node.kind} since cuDNN {since}")
    return f"; not tried: {joined(dict.fromkeys(told))}" if told else ""
