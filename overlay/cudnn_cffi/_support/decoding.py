"""Decode records, one thread at a time."""

from __future__ import annotations

from collections.abc import Callable
from threading import RLock
from typing import Any, TypeVar

import msgspec

T = TypeVar("T")

_LOCK = RLock()


def decoded(data: object, kind: type[T], decode: Callable[..., Any] = msgspec.json.decode) -> T:
    """Return `data` as a `kind`.

    msgspec prepares a type when it is first decoded; two threads that do so at once end the
    process (0.22.0). So everything here that decodes a type calls this function.

    Args:
        data: what `decode` takes.
        kind: a class of msgspec, or a tuple or a dict of some.
        decode: a function of msgspec that has a `type`.

    Raises:
        msgspec.MsgspecError: `data` is damaged, or is not of that kind.
    """
    with _LOCK:
        result: T = decode(data, type=kind)
    return result
