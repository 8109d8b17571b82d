"""The operations that functions share: one for each class and its options."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

from .._support.recent import Recent

_T = TypeVar("_T")

#: Maximum number of operations that functions share.
_MAXIMUM = 1024

#: By class and options.
_made: dict[Any, Any] = Recent(_MAXIMUM)


def shared(cls: type[_T], options: Mapping[str, Any]) -> _T:
    """Return the operation that functions share for these options."""
    key = (cls, *options, *options.values())
    try:
        found = _made.get(key)
    except TypeError:  # a list among the options
        options = {name: _frozen(value) for name, value in options.items()}
        key = (cls, *options, *options.values())
        found = _made.get(key)
    if found is None:
        found = _made[key] = cls(**options)
    return found


def _frozen(value: Any) -> Any:
    if isinstance(value, Mapping):
        return tuple(sorted((name, _frozen(each)) for name, each in value.items()))
    if isinstance(value, Sequence) and not isinstance(value, str):
        return tuple([_frozen(each) for each in value])
    return value
