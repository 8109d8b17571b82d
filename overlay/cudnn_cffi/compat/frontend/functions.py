"""The functions of the front end's module that make and keep graphs, and tell of cuDNN."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from contextlib import contextmanager
from functools import wraps
from typing import TYPE_CHECKING, ParamSpec, TypeVar, Unpack

from ... import library
from ..._lookup import calls
from ..._support.recent import Recent
from .enums import data_type, heur_mode
from .executing import pygraph

if TYPE_CHECKING:
    from .handles import HandleLike
    from .methods.options import GraphOptions
    from .tensors import Tensor

    #: The result of a function that `jit` decorates.
    _Recorded = tuple[pygraph, Sequence[Tensor]]

_P = ParamSpec("_P")
_R = TypeVar("_R")


def graph_cache(
    key_fn: Callable[_P, Hashable], maxsize: int = 256
) -> Callable[[Callable[_P, _R]], Callable[_P, _R]]:
    """Return a decorator that keeps what a function returned, by keys of its arguments.

    Args:
        key_fn: returns a key for the arguments of a call.
        maxsize: how many results are kept; the oldest goes first.
    """

    def decorator(function: Callable[_P, _R]) -> Callable[_P, _R]:
        kept: dict[Hashable, _R] = Recent(maxsize)

        @wraps(function)
        def wrapper(*given: _P.args, **named: _P.kwargs) -> _R:
            key = key_fn(*given, **named)
            found = kept.get(key)
            if found is None:
                found = kept[key] = function(*given, **named)
            return found

        return wrapper

    return decorator


def jit(
    heur_modes: Sequence[heur_mode] | heur_mode = heur_mode.A, **options: object
) -> Callable[[Callable[_P, _Recorded]], Callable[_P, tuple[pygraph, list[int]]]]:
    """Return a decorator for a function that returns a graph and tensors.

    The decorated function builds the graph, and returns it with the uids of the tensors.

    Args:
        heur_modes: the heuristics to ask.
        options: ignored.
    """
    modes = [heur_modes] if isinstance(heur_modes, heur_mode) else list(heur_modes)

    def decorator(function: Callable[_P, _Recorded]) -> Callable[_P, tuple[pygraph, list[int]]]:
        @wraps(function)
        def wrapper(*given: _P.args, **named: _P.kwargs) -> tuple[pygraph, list[int]]:
            made, tensors = function(*given, **named)
            if not made.get_execution_plan_count():
                made.build(modes)
            return made, [each.get_uid() for each in tensors]

        return wrapper

    return decorator


@contextmanager
def graph(
    handle: HandleLike | None,
    name: str = "cudnn_graph",
    io_data_type: object = data_type.HALF,
    intermediate_data_type: object = data_type.FLOAT,
    compute_data_type: object = data_type.FLOAT,
    **options: Unpack[GraphOptions],
) -> Iterator[tuple[pygraph, list[Tensor]]]:
    """Yield an empty graph, and an empty list for its tensors.

    Args:
        handle, name, io_data_type, intermediate_data_type, compute_data_type, options: as for
            `pygraph`.
    """
    made = pygraph(name, io_data_type, intermediate_data_type, compute_data_type, handle, **options)
    yield made, []


def backend_version() -> int:
    """Return the version of cuDNN as a number, such as 91900."""
    return int(calls.cudnnGetVersion())


def backend_version_string() -> str:
    """Return the version of cuDNN as text, such as "9.19.0"."""
    return str(library.load().version)


def get_last_error_string() -> str:
    """Return cuDNN's last message on this thread."""
    return str(calls.cudnnGetLastErrorString(512))


def sdpa_capabilities() -> frozenset[str]:
    """Return an empty set: these are of attention kernels of the front end's own."""
    return frozenset()
