"""Every call looked at before it is made: each array against its descriptor, each buffer's size.

cuDNN gets addresses: it cannot know that an array is of another type, shape or layout than its
descriptor says, or that a workspace is smaller than its size. To look costs several times what a
call through this package does, so it is done where it is asked for.
"""

from __future__ import annotations

import operator
from collections.abc import Sequence
from functools import cache
from typing import Any

from .. import _call, arrays, errors
from .._specs import SPECS
from .._support import blocks as _blocks
from .._support import fork as _fork
from ..descriptors import FilterDescriptor, TensorDescriptor

__all__ = ["check_calls", "settle"]

_CLASSES = {
    "cudnnTensorDescriptor_t": TensorDescriptor,
    "cudnnFilterDescriptor_t": FilterDescriptor,
}


_lock = _fork.lock()
_open: dict[object, None] = {}


def check_calls() -> _Checking:
    """Check the arguments of every call of this process, in all threads, until the block ends.

    An array (not an address, of which only the alignment is seen) has to be what the descriptor of
    the same name says: `x` as `xDesc`, `dy` as `dyDesc`; data type, shape, strides, alignment. A
    workspace, a reserve space or other memory whose size is an argument has to have that many
    bytes. What the calls raise then is what `check` raises, before anything is launched.

        with cudnn.check_calls():
            cudnn.cudnnConvolutionForward(handle, 1.0, x_desc, x, ...)

    It decorates functions too. The environment variable CUDNN_CFFI_CHECK=1 has all calls of a
    process checked.
    """
    return _Checking()


def settle() -> None:
    """Have calls looked at, or not, as the open blocks and the environment say.

    Called again, it comes to the same: so it is called whenever that may have changed. It looks
    again after each change, since a signal handler may have opened a block in between.
    """
    with _lock:
        while True:
            wanted = bool(_open) or _call.ALWAYS_CHECKED
            _call.watch(_look if wanted else None)
            if wanted == (bool(_open) or _call.ALWAYS_CHECKED):
                return


class _Checking(_blocks.Block):
    _open = _open
    _settle = staticmethod(settle)


@cache
def _pairs(name: str) -> tuple[tuple[int, str, int, str], ...]:
    """Of each memory its place and name, and the place and C type of what describes it."""
    _, _, _, _, parameters, _, described = SPECS[name]
    return tuple(
        (place, parameters[place][0], by, parameters[by][1].removeprefix("const "))
        for place, by in described
    )


def _look(name: str, values: Sequence[Any]) -> None:
    if not (_open or _call.ALWAYS_CHECKED):
        settle()  # a block ended without its end: an exception came from a signal handler
        return
    for place, parameter, by, ctype in _pairs(name):
        array, said = values[place], values[by]
        try:
            if not arrays.tells_shape(array):
                array = arrays.device_pointer(array)
            if array.__class__ is int and not array:
                continue
            if ctype in _CLASSES:
                descriptor = _descriptor(said, ctype)
                if descriptor is not None:
                    arrays.check(descriptor, array, parameter)
            elif array.__class__ is not int:
                _check_size(array, said, parameter)
        except errors.CudnnError as error:
            raise _call.of_call(SPECS[name][0], error) from None


def _descriptor(value: Any, ctype: str) -> Any:
    """The object of a descriptor; None for NULL and for what the call itself will refuse."""
    if isinstance(value, _CLASSES[ctype]):
        return None if value.closed else value
    try:
        address = _call.address_of(value, ctype)
    except (TypeError, OverflowError, errors.CudnnError):
        return None
    return _CLASSES[ctype].from_address(address) if address else None


def _check_size(array: Any, size: Any, name: str) -> None:
    came = arrays.size_in_bytes(array)
    try:
        expected = operator.index(size)
    except TypeError:
        return  # the call itself will refuse it
    if came < expected:
        raise errors.ArgumentError(f"{name}: {expected} bytes were expected, {came} came")
