"""cuDNN's graph API: graphs of operations, and descriptors of the backend as classes.

A `Graph` is made in lines of Python, checked, and compiled into a plan. Each type of backend
descriptors is a class here as well, such as `TensorDescriptor`. The classes are those of all
releases; one that the loaded release lacks raises when it is used.
"""

from __future__ import annotations

from .._advice import Module, equip
from .graph import Graph as Graph
from .methods.attention import alibi_slopes as alibi_slopes
from .record.hints import unknown_name
from .record.operations import OPERATIONS as OPERATIONS
from .tensors import Node as Node
from .tensors import Tensor as Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..backend import *  # noqa: F403


class _Module(Module):
    """This module, whose classes of descriptors are made when they are used first."""

    def _find(self, name: str) -> object:
        from .. import backend

        if name in backend.__all__:
            value = globals()[name] = getattr(backend, name)
            return value
        raise unknown_name(__name__, name, dir(self))

    def __dir__(self) -> list[str]:
        from .. import backend

        own = ("Graph", "Node", "OPERATIONS", "Tensor", "alibi_slopes")
        return sorted({*own, *backend.__all__})


equip(__name__, _Module)
