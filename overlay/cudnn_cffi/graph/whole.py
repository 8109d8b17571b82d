"""Methods of graphs add all of an operation, or nothing: an error leaves the graph as it was."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from inspect import isfunction
from typing import Concatenate, ParamSpec, Protocol, TypeVar

from .tensors import Node, Tensor


class Growing(Protocol):
    """The part of a graph that is taken back."""

    tensors: dict[int, Tensor]
    nodes: list[Node]
    outputs: list[Tensor]
    by_name: dict[str, Tensor | Node]
    next_uid: int


_G = TypeVar("_G", bound=Growing)
_P = ParamSpec("_P")
_T = TypeVar("_T")
_C = TypeVar("_C")


def _take_back(
    graph: Growing, tensors: int, nodes: int, outputs: int, names: int, next_uid: int
) -> None:
    """Remove all that was added to a graph since it had these numbers of things."""
    graph.next_uid = next_uid
    for each in graph.outputs[outputs:]:
        each.is_output, each.is_virtual = False, True
    del graph.outputs[outputs:]
    for node in graph.nodes[nodes:]:  # tensors that were there before are nobody's results again
        for each in node.outputs.values():
            each.producer, each.port = None, ""
        node.outputs = {}
    del graph.nodes[nodes:]
    while len(graph.tensors) > tensors:
        graph.tensors.popitem()
    for name in [*graph.by_name][names:]:
        thing = graph.by_name[name]
        made = thing.outputs.values() if isinstance(thing, Node) else (thing,)
        if not made or any(graph.tensors.get(each.uid) is not each for each in made):
            del graph.by_name[name]


def whole(method: Callable[Concatenate[_G, _P], _T]) -> Callable[Concatenate[_G, _P], _T]:
    """Return a method that adds several things, and none of them if it raises an error."""

    @wraps(method)
    def added(self: _G, /, *args: _P.args, **kwargs: _P.kwargs) -> _T:
        tensors, nodes, uid = len(self.tensors), len(self.nodes), self.next_uid
        outputs, names = len(self.outputs), len(self.by_name)
        try:
            return method(self, *args, **kwargs)
        except BaseException:
            _take_back(self, tensors, nodes, outputs, names, uid)
            raise

    added.__name__ = method.__name__.lstrip("_")
    return added


def wholes(cls: type[_C]) -> type[_C]:
    """Make all methods of a class of graphs `whole`."""
    for name, each in [*vars(cls).items()]:
        if isfunction(each) and name[0] != "_":
            setattr(cls, name, whole(each))
    return cls
