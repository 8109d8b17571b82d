"""Read arrays of each library in the compiled layer; it learns a type when it is first seen."""

from __future__ import annotations

import sys

from ...arrays import table_of
from ...arrays.libraries import cupy_stream, library_of
from ...memory import DeviceArray
from ..arrays import cupy_fields
from ..arrays.torch_bits import ASKED, NO_BITS, Bits, find_bits
from .compiled import native

#: Whether the compiled layer reads fields of other libraries' objects, at places that are found
#: once; else it asks them by methods and attributes. `benchmarks/reading.py` measures both.
READ_PRIVATE = True

#: The way that the compiled layer reads arrays of a type.
_BY_TABLE, _BY_SLOTS, _BY_ATTRIBUTES, _BY_FIELDS = 1, 2, 3, 4

_learnt: set[type] = set()


def is_learnt(kind: type) -> bool:
    """Return whether the compiled layer knows how to read arrays of a type."""
    return kind in _learnt


def learn_type(array: object) -> None:
    """Tell the compiled layer how to read arrays of a type."""
    kind = type(array)
    how = None if native is None or kind in _learnt else _how_to_read(array)
    if how is not None and native is not None and native._learn_array(kind, *how):
        _learnt.add(kind)


def _how_to_read(array: object) -> tuple[int, object, object, Bits] | None:
    """Return how the compiled layer reads arrays of this type; None where it cannot."""
    kind: type = type(array)
    library = library_of(array)
    if isinstance(array, DeviceArray):
        return _BY_SLOTS, None, None, NO_BITS
    table = table_of(kind)
    if library == "torch":
        # Other classes derived from these may have no memory of their own.
        if kind.__name__ in ("Tensor", "Parameter") and table is not None:
            bits = find_bits(sys.modules["torch"].Tensor) if READ_PRIVATE else None
            return _BY_TABLE, table, True, ASKED if bits is None else bits
    elif library == "cupy" and kind.__name__ == "ndarray":
        if table is not None:
            return _BY_TABLE, table, True, NO_BITS
        stream = (READ_PRIVATE and cupy_fields.current_stream()) or cupy_stream()
        fields = cupy_fields.find_fields(kind) if READ_PRIVATE else None
        return (_BY_ATTRIBUTES if fields is None else _BY_FIELDS), fields, stream, NO_BITS
    elif not library and table is not None:
        # Work on arrays of other libraries is in the stream of the handle, as for `DeviceArray`.
        return _BY_TABLE, table, None, NO_BITS
    return None
