"""The call layer: what stands between an emitted wrapper and libcudnn.

A wrapper calls a shim, compiled or made by `abi`. The shim answers with a status, and writes what
else there is to memory that is lent to it. cuDNN's statuses are not negative; negative ones are the
shim's own: nothing bound yet, or NULL where C would crash. Two functions take all that is not the
plain case: `slow` for arguments that the shim did not take as they are, `failed` for statuses. Both
return what the call returns after all, or raise.

Emitted wrappers import from here, under the same names with an underscore in front, what they are
made by (`quick`, `instead`, `enum_map`), what converts arguments and reads results, and
`slow` and `failed`. Who looks at calls they read from `watching.watcher`, since it changes.
"""

from __future__ import annotations

from .._tables import enum_map
from .addresses import address_of, device, getters, stream
from .attributes import attribute_in, attribute_out, attribute_values
from .binding import bind, count_handles, made_handle
from .callbacks import DO_NOTHING, callback_lock, function_pointer
from .checking import check_calls
from .codes import CONVERT
from .convert import plain, slow
from .elements import array, element, element_value, objects
from .failure import failed
from .host import describe as describe_host
from .layer import ffi, lib, mode
from .quick import instead, quick
from .results import lend, memory, outs, record_values, records, string, text, unpacker
from .scalars import to_float, to_int
from .scalars import to_scale as scale
from .spec import read_spec

#: NULL as an argument for an array.
NULL = ffi.NULL

#: Reads the elements of a C array.
unpack = ffi.unpack

__all__ = [
    "CONVERT",
    "DO_NOTHING",
    "NULL",
    "address_of",
    "array",
    "attribute_in",
    "attribute_out",
    "attribute_values",
    "bind",
    "callback_lock",
    "check_calls",
    "count_handles",
    "describe_host",
    "device",
    "element",
    "element_value",
    "enum_map",
    "failed",
    "ffi",
    "function_pointer",
    "getters",
    "instead",
    "lend",
    "lib",
    "made_handle",
    "memory",
    "mode",
    "objects",
    "outs",
    "plain",
    "quick",
    "read_spec",
    "record_values",
    "records",
    "scale",
    "slow",
    "stream",
    "string",
    "text",
    "to_float",
    "to_int",
    "unpack",
    "unpacker",
]
