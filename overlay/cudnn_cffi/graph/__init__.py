"""cuDNN's graph API: descriptors of the backend as classes.

Each type of backend descriptors is a class here, such as `TensorDescriptor`.
"""

from __future__ import annotations

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
