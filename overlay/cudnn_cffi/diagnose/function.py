"""Call a function of cuDNN as a record of errata says, on the arrays of a graph."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .. import arrays, descriptors
from .._lookup import calls
from ..graph.finalize import operands
from ..handles import handle

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..graph import Graph


class FunctionCall:
    """A call of a C function that computes what a graph says, with the operands of the graph.

    Arguments are those after the handle: numbers, None, and names of arrays for their addresses.
    An object with one key is {"workspace": bytes}; {"SoftmaxMode": "CHANNEL"}, a member of an enum;
    or {"TensorDescriptor.like": ["x"]}, a constructor with its arguments.
    """

    def __init__(self, name: str, given: Sequence[Any], graph: Graph) -> None:
        self._name, self._given = name, given
        self.operands = operands(graph)
        sizes = [each["workspace"] for each in given if _is_workspace(each)]
        self.workspace_size: int = sum(sizes)

    def __call__(self, **named: Any) -> None:
        """Call the function on arrays by their names; one of them is the workspace."""
        getattr(calls, self._name)(handle(), *[_argument(each, named) for each in self._given])


def _is_workspace(given: Any) -> bool:
    return isinstance(given, dict) and "workspace" in given


def _argument(given: Any, named: dict[str, Any]) -> Any:
    if isinstance(given, str) or _is_workspace(given):
        return named["workspace" if isinstance(given, dict) else given]
    if not isinstance(given, dict):
        return given
    ((name, value),) = given.items()
    cls, _, constructor = name.partition(".")
    if not constructor:
        return arrays.member(cls, value)
    made = getattr(getattr(descriptors, cls), constructor)
    return made(*[_argument(each, named) for each in value])
