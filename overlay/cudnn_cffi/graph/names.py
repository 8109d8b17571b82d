"""The names of tensors and nodes."""

from __future__ import annotations

import re
from typing import Any

from .. import errors
from .._support.wording import a_kind
from ..plan.operand import OPTIONS
from .tensors import Node, Tensor

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_.]*\Z")

#: Before the names of nodes, which are a space of their own.
NODE = "node "


class Names:
    """Names that are unique in a graph, and made up where nobody gave one.

    Attributes:
        by_name: the tensors by their names, and the nodes by theirs behind `NODE`.
    """

    by_name: dict[str, Any]

    def name_of(self, thing: Tensor | Node) -> str:
        """Return the name of a tensor or node; one that has none gets one, and keeps it.

        Raises:
            ArgumentError: it is neither.
        """
        _check_thing(thing)
        if thing._name is None:
            if isinstance(thing, Node):
                base, prefix = thing.word, NODE
            elif thing.producer is not None:
                base, prefix = f"{thing.producer.name}_{thing.port}", ""
            elif thing.by_value:
                base, prefix = "constant" if thing.is_constant else "scalar", ""
            else:
                base, prefix = "virtual" if thing.is_virtual else "input", ""
            name, count = base, 0
            while prefix + name in self.by_name:
                count += 1
                name = f"{base}_{count}"
            thing._name = name
            self.by_name[prefix + name] = thing
        return thing._name

    def rename(self, thing: Tensor | Node, name: str) -> None:
        """Give a tensor or node another name.

        Raises:
            ArgumentError: it is neither, or the name is in use or no name.
        """
        _check_thing(thing)
        prefix = NODE if isinstance(thing, Node) else ""
        if name != thing._name:
            self._check_name(name, prefix)
            if thing._name is not None:
                del self.by_name[prefix + thing._name]
            thing._name = name
            self.by_name[prefix + name] = thing

    def _check_name(self, name: Any, prefix: str = "") -> None:
        if type(name) is not str or not (name.isidentifier() or _NAME.match(name)):
            raise errors.ArgumentError(f"name: expected letters, digits, _ and ., got {name!r}")
        if not prefix and name in OPTIONS:
            raise errors.ArgumentError(
                f"name: {name!r} is an argument of each call of a plan, so no tensor can have it",
                hint=f"for example {name}_",
            )
        if prefix + name in self.by_name:
            what = "node" if prefix else "tensor"
            raise errors.ArgumentError(f"name: a {what} of this graph is called {name!r} already")


def _check_thing(thing: Any) -> None:
    if not isinstance(thing, (Tensor, Node)):
        raise errors.ArgumentError(f"expected a tensor or node of a graph, got {a_kind(thing)}")
