"""Classes of backend descriptors that no generated release has."""

from __future__ import annotations

from typing import Any

from .. import errors


def absent(name: str) -> Any:
    """Return a class in the place of one that was not emitted, so that others can import it.

    Raises:
        AttributeError: it is no name of a class of descriptors.
    """
    if not name.endswith("Descriptor"):
        raise AttributeError(f"module 'cudnn_cffi.backend' has no attribute {name!r}", name=name)

    def refuse(*_: object, **__: object) -> None:
        raise errors.MissingFunctionError(f"{name}: no generated release has it")

    body = {"__init__": refuse, "open": classmethod(refuse), "__module__": "cudnn_cffi.backend"}
    return type(name, (), body)
