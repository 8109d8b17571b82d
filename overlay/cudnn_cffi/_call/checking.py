"""Checks before each call: of each array against its descriptor, of each buffer against its size.

cuDNN gets addresses: it cannot know that an array is of another type, shape or layout than its
descriptor says, or that a workspace is smaller than its size. A check costs several times what a
call through this package does, so calls are checked only where somebody asks for it.
"""

from __future__ import annotations

import operator
from collections.abc import Sequence
from functools import cache

from .. import arrays, errors
from .._support import blocks, fork
from .._support.arguments import is_on
from .._support.results import NamedTuple
from .._tables import TolerantEnum, enum_map
from . import watching
from .arguments.addresses import address_of
from .arguments.messages import with_function
from .binding import bind
from .failure import failed
from .layer import ffi, lib, mode
from .spec import read_spec
from .watching import watch

#: Whether the environment asks for checks of all calls.
_ALWAYS = is_on("CUDNN_CFFI_CHECK", False)

_lock = fork.lock()
_open: dict[object, None] = {}


def check_calls() -> _Checking:
    """Check the arguments of every call of this process, in all threads, until the block ends.

    An array has to fit the descriptor of the same name, `x` the `xDesc` and `dy` the `dyDesc`, by
    data type, shape, strides and alignment; an address by its alignment alone. A workspace, a
    reserve space or other memory whose size is an argument has to have that many bytes. The calls
    then raise the errors of `check`, before anything is launched.

        with cudnn.check_calls():
            cudnn.cudnnConvolutionForward(handle, 1.0, x_desc, x, ...)

    It decorates functions too. The environment variable CUDNN_CFFI_CHECK=1 has all calls of a
    process checked.
    """
    return _Checking()


def _settle() -> None:
    """Check calls, or not, as the open blocks and the environment say.

    Called again, it comes to the same: so it is called whenever that may have changed. It looks
    again after each change, since a signal handler may have opened a block in between.
    """
    with _lock:
        while True:
            wanted = bool(_open) or _ALWAYS
            watch(_check_call if wanted else None)
            if wanted == (bool(_open) or _ALWAYS):
                return


class _Checking(blocks.Block[None, None]):
    _open = _open
    _settle = staticmethod(_settle)

    def _want(self) -> tuple[None, None]:
        return None, None


_DIM_MAX = 8


class _Described(NamedTuple):
    """Data type, extents and strides in elements, as `arrays.check` compares them."""

    dtype: TolerantEnum
    shape: tuple[int, ...]
    strides: tuple[int, ...]


def _ask(getter: str, address: int, *memory: object) -> None:
    """Call a getter, whose results go to memory: arrays, and the slots of numbers last."""
    *filled, slots = memory

    def ask(*values: int) -> None:
        out = int(ffi.cast("uintptr_t", slots))
        if status := getattr(lib, getter)(*values, *filled, out):
            failed(ask, getter, status, values)

    ask(address, _DIM_MAX)


def _read_tensor(address: int) -> _Described:
    slots, shape, strides = ffi.new("int64_t[2]"), ffi.new("int[8]"), ffi.new("int[8]")
    _ask("cudnnGetTensorNdDescriptor", address, shape, strides, slots)
    count = max(min(slots[1], _DIM_MAX), 0)
    kind = enum_map("DataType")[slots[0]]
    return _Described(kind, tuple(ffi.unpack(shape, count)), tuple(ffi.unpack(strides, count)))


def _read_filter(address: int) -> _Described:
    slots, extents = ffi.new("int64_t[3]"), ffi.new("int[8]")
    _ask("cudnnGetFilterNdDescriptor", address, extents, slots)
    shape = tuple(ffi.unpack(extents, max(min(slots[2], _DIM_MAX), 0)))
    layout = enum_map("TensorFormat")[slots[1]].name
    return _Described(enum_map("DataType")[slots[0]], shape, arrays.packed_strides(shape, layout))


#: By C type, what reads a descriptor at an address.
_READERS = {
    "cudnnTensorDescriptor_t": _read_tensor,
    "cudnnFilterDescriptor_t": _read_filter,
}


class _Pair(NamedTuple):
    """Device memory among the arguments, and the argument that says its size, by positions."""

    memory: int
    name: str
    size: int
    ctype: str


@cache
def _find_pairs(name: str) -> tuple[_Pair, ...]:
    spec = read_spec(name)
    return tuple(
        _Pair(memory, spec.parameters[memory].name, size, spec.parameters[size].base)
        for memory, size in spec.described
    )


def _check_call(name: str, values: Sequence[object]) -> None:
    if not (_open or _ALWAYS):
        _settle()  # a block ended without its end: a signal handler raised an exception
        return
    for pair in _find_pairs(name):
        array, expected = values[pair.memory], values[pair.size]
        try:
            if not arrays.tells_shape(array):
                array = arrays.device_pointer(array)
            if array.__class__ is int and not array:
                continue
            if pair.ctype in _READERS:
                described = _describe(expected, pair.ctype)
                if described is not None:
                    arrays.check(described, array, pair.name)
            elif array.__class__ is not int:
                _check_size(array, expected, pair.name)
        except errors.CudnnError as error:
            raise with_function(read_spec(name).symbol, error) from None


def _describe(descriptor: object, ctype: str) -> _Described | None:
    """Return what a descriptor says; None for NULL and for what the call itself will refuse."""
    try:
        address = address_of(descriptor, ctype)
    except (TypeError, OverflowError, errors.CudnnError):
        return None
    return _READERS[ctype](address) if address else None


def _check_size(array: object, size: object, name: str) -> None:
    came = arrays.size_in_bytes(array)
    try:
        expected = operator.index(size)  # type: ignore[arg-type]
    except TypeError:
        return  # the call itself will refuse it
    if came < expected:
        raise errors.ArgumentError(f"{name}: expected {expected} bytes, got {came}")


def _begin(name: str, values: Sequence[object]) -> None:
    """Look at the first call, where more than calling is due before it.

    That is so where CUDNN_CFFI_CHECK asks for checks; and where this package was imported once
    more, or by another interpreter of the process: then the compiled layer has its addresses
    already, and no call would end in `failed` and have its library and tables chosen.
    """
    bind()
    _settle()
    if watching.watcher is not None:
        watching.watcher(name, values)


if _ALWAYS or (mode() == "api" and lib.cudnn_cffi_bound()):
    watch(_begin)
