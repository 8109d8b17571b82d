"""Where objects of this package have the values of their slots, for the compiled layer."""

from __future__ import annotations

import ctypes
import sys
from functools import cache

_WORD = 8


@cache
def find_offset(cls: type, name: str) -> int:
    """Return where objects of a class have a slot, in bytes; 0 where that is not certain.

    It is looked for in an object whose slots are all empty but this one. Only CPython with its lock
    has an object's address as its `id`, and changes no slot while another thread reads it.

    Args:
        cls: the class, or one that it is derived from.
        name: of the slot.
    """
    if sys.implementation.name != "cpython" or ctypes.sizeof(ctypes.c_void_p) != _WORD:
        return 0
    if not getattr(sys, "_is_gil_enabled", lambda: True)():
        return 0
    # `__del__` does nothing: the sample is never initialised.
    own: dict[str, object] = {"__slots__": (), "__module__": __name__, "__del__": lambda _: None}
    derived: type = type(cls)(f"_{cls.__name__}WithOneValue", (cls,), own)
    sample: object = object.__new__(derived)
    value = object()
    slot = cls.__dict__[name]
    slot.__set__(sample, value)
    size = cls.__basicsize__ - object.__basicsize__
    words = (ctypes.c_size_t * (size // _WORD)).from_address(id(sample) + object.__basicsize__)
    places = [index for index, word in enumerate(words) if word == id(value)]
    slot.__delete__(sample)
    return object.__basicsize__ + places[0] * _WORD if len(places) == 1 else 0
