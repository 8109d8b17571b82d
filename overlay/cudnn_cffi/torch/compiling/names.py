"""The names of modules that nodes of a graph come from."""

from __future__ import annotations

import re

from torch import fx, nn

#: Attributes of modules that Dynamo's words go through, such as `__dict__`; none can be a module.
_OWN = frozenset(dir(nn.Module()))

_INDEX = re.compile(r"\[['\"]?([^'\"\]]*)['\"]?\]")


class Names:
    """Names for nodes, each given once."""

    def __init__(self) -> None:
        self._given: set[str] = set()

    def of(self, node: fx.Node) -> str:
        """Return the name of the module that a node is of, as in the model; else of the node."""
        stack = node.meta.get("nn_module_stack")
        text = str(list(stack.values())[-1][0]) if stack else ""
        parts = [each for each in _INDEX.sub(r".\1", text).split(".") if each]
        # The first two are Dynamo's words for the model: L and self.
        found = name = ".".join([each for each in parts[2:] if each not in _OWN]) or node.name
        count = 0
        while found in self._given:
            count += 1
            found = f"{name}_{count}"
        self._given.add(found)
        return found
