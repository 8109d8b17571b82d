"""`explain` for users: of a graph, or of the JSON of one."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from ... import errors
from ..._support.arguments import boolean, path_of
from ...choice import DeviceProperties
from ...choice.filters import to_filters
from ...graph.graph import Graph
from ..result import SECONDS

if TYPE_CHECKING:
    from ...handles import Handle
    from ..result import Explanation

    Device = DeviceProperties | str

#: Options of `Graph.build` beside filters.
_NO_FILTERS = ("choose", "engine", "kernel_cache", "knobs", "modes", "most", "sm_count")


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
        ArgumentError: `seconds` is negative, or there is no such device, option or file.
        NotInitializedError: there is neither a GPU nor `device`.
        SublibraryError: a library is missing, without which nothing can be built.
    """
    if not isinstance(seconds, (int, float)) or not seconds >= 0:
        raise errors.ArgumentError(f"seconds: expected a number from 0 on, got {seconds!r}")
    split = boolean(split, "split")
    to_filters({name: each for name, each in options.items() if name not in _NO_FILTERS})
    if isinstance(libraries, (str, bytes, os.PathLike)) or not isinstance(libraries, Iterable):
        raise errors.ArgumentError(f"libraries: expected a list of files, got {libraries!r}")
    paths = [path_of(each, "libraries") for each in libraries]
    for each in paths:
        if not each.is_file():
            raise errors.ArgumentError(f"libraries: there is no file {each}")
    from ...graph.show import saving
    from .explaining import explain_record
    from .sketch import check_sound

    if isinstance(graph, (str, bytes)):
        record = saving.decode(graph)
        check_sound(record)
    elif isinstance(graph, Graph):
        record = saving.to_record(graph)
    else:
        raise errors.ArgumentError(f"graph: expected a Graph or its JSON, got {graph!r}")
    with errors.quiet():
        return explain_record(
            Graph,
            record,
            handle,
            None if device is None else DeviceProperties.of(device),
            split=split,
            seconds=seconds,
            options=options,
            libraries=paths,
            is_text=not isinstance(graph, Graph),
        )
