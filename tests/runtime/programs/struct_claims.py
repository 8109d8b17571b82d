"""Print what this Python has of a release's enums, constants and structs, as assertions of C.

No library is loaded: a pinned module of another release would refuse to be read.
"""

import ctypes
import sys
from collections.abc import Iterator
from importlib import import_module
from types import ModuleType


def claims(release: ModuleType) -> Iterator[str]:
    """Yield a line of C for each name of a release, which compiles where Python's value is true."""
    for name in dir(release):
        value = getattr(release, name)
        if name.startswith("CUDNN_") and isinstance(value, int):
            yield f'_Static_assert({name} == {int(value)}, "{name}");'
        if not (name.startswith("cudnn") and isinstance(value, type)):
            continue
        if issubclass(value, (ctypes.Structure, ctypes.Union)):
            kind = ctypes.sizeof(value), ctypes.alignment(value)
            yield f'_Static_assert(sizeof({name}) == {kind[0]}, "size of {name}");'
            yield f'_Static_assert(_Alignof({name}) == {kind[1]}, "alignment of {name}");'
            for field, *_ in value._fields_:
                place, member = getattr(value, field), field.removeprefix("_")
                size = f"sizeof((({name} *)0)->{member})"
                yield f'_Static_assert(offsetof({name}, {member}) == {place.offset}, "{member}");'
                yield f'_Static_assert({size} == {place.size}, "size of {member}");'
        elif issubclass(value, int):
            yield f'_Static_assert(sizeof({name}) == {ctypes.sizeof(ctypes.c_int)}, "{name}");'


version = sys.argv[1].replace(".", "_")
print(*claims(import_module(f"cudnn_cffi.v{version}")), sep="\n")
