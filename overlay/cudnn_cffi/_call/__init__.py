"""The call layer: convert arguments, call libcudnn, turn statuses into exceptions.

A wrapper calls a shim, compiled or made by `abi`. The shim answers with a status, and writes what
else there is to memory that is lent to it. cuDNN's statuses are not negative; negative ones are the
shim's own: nothing bound yet, or NULL where C would crash. Two functions take all that is not the
plain case: `slow` for arguments that the shim did not take as they are, `failed` for statuses. Both
return what the call returns after all, or raise.

Emitted wrappers import from here, under the same names with an underscore in front, what they are
made by (`quick`, `instead`, `enum_map`), what converts arguments and reads results, and
`slow` and `failed`. Wrappers read the watcher of calls from `watching.watcher`, since it changes.
"""

from __future__ import annotations

from .._tables import enum_map as enum_map
from .arguments import host, scalars
from .arguments.addresses import address_of as address_of
from .arguments.addresses import device as device
from .arguments.addresses import getters as getters
from .arguments.addresses import stream as stream
from .arguments.attributes import attribute_in as attribute_in
from .arguments.attributes import attribute_out as attribute_out
from .arguments.attributes import attribute_size as attribute_size
from .arguments.attributes import attribute_values as attribute_values
from .arguments.convert import plain as plain
from .arguments.convert import slow as slow
from .arguments.elements import array as array
from .arguments.elements import characters as characters
from .arguments.elements import element as element
from .arguments.elements import element_value as element_value
from .arguments.elements import objects as objects
from .arguments.scalars import to_float as to_float
from .arguments.scalars import to_int as to_int
from .binding import bind as bind
from .binding import count_handles as count_handles
from .binding import made_handle as made_handle
from .callbacks import DO_NOTHING as DO_NOTHING
from .callbacks import callback_lock as callback_lock
from .callbacks import function_pointer as function_pointer
from .checking import check_calls as check_calls
from .codes import CONVERT as CONVERT
from .failure import failed as failed
from .layer import ffi as ffi
from .layer import lib as lib
from .layer import mode as mode
from .quick import instead as instead
from .quick import quick as quick
from .results import lend as lend
from .results import memory as memory
from .results import outs as outs
from .results import record_values as record_values
from .results import records as records
from .results import string as string
from .results import text as text
from .results import unpacker as unpacker
from .spec import read_spec as read_spec

#: NULL as an argument for an array.
NULL = ffi.NULL

#: Reads the elements of a C array.
unpack = ffi.unpack

describe_host = host.describe
scale = scalars.to_scale
