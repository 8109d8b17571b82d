"""cuDNN's graph API: graphs of operations, and descriptors of the backend as classes.

A `Graph` is made in lines of Python, checked, and compiled into a plan. Each type of backend
descriptors is a class here as well, such as `TensorDescriptor`.
"""

from __future__ import annotations

from .attention import alibi_slopes as alibi_slopes
from .graph import Graph as Graph
from .table import OPERATIONS as OPERATIONS
from .tensors import Node as Node
from .tensors import Tensor as Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def __getattr__(name: str) -> Any:
    if name.endswith("Descriptor"):
        from .. import backend

        if name in backend.__all__:
            value = globals()[name] = getattr(backend, name)
            return value
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}", name=name)


def __dir__() -> list[str]:
    from .. import backend

    return sorted({*globals(), *backend.__all__})
