"""The address that an argument stands for: an object of cuDNN's, host memory, device memory."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from types import MemberDescriptorType

from ... import arrays, errors
from ..._object import Family
from ..._support.wording import a_kind
from ...driver import streams
from ..codes import NUMBERS
from .host import INTEGERS, HostMemory, c_code, check_contiguous, describe
from .scalars import check_address, to_int

#: Getters of the address of device memory, by type.
getters = arrays.getters
stream = streams.stream_pointer


class _Ways(dict[type, object]):
    """Getters of the address of memory for compiled callables: a slot with it, or a function."""

    def __missing__(self, cls: type) -> object:
        getter = getters[cls]
        if cls not in getters:
            return getter  # learns when it is called
        own = type(getter) is operator.attrgetter and issubclass(cls, arrays.OwnArray)
        slot: object = getattr(cls, "_pointer", None) if own else None
        way = self[cls] = slot if isinstance(slot, MemberDescriptorType) else getter
        return way


ways = _Ways()


def device(value: object) -> int:
    """Return the address of memory on the device, from an object that is no int."""
    return check_address(getters[type(value)](value))


def address_of(value: object, ctype: str, optional: bool = True) -> int:
    """Return the address of an object of cuDNN's: of ours, an int, or what holds a pointer."""
    if value is None:
        if optional:
            return 0
        raise TypeError(f"expected a {ctype}, got None")
    slot = f"_{ctype}"
    address = getattr(value, slot, None)
    if type(address) is int:
        return to_int(address, *NUMBERS["p"].range)
    if isinstance(value, Family) and hasattr(type(value), slot):
        if address is None:
            raise errors.ClosedError(f"the {type(value).__name__} is closed")
        return to_int(address, *NUMBERS["p"].range)
    if isinstance(value, Family):
        raise TypeError(f"expected a {ctype}, got a {value._c_name}")
    memory = describe(value)
    if memory is not None and memory.size is None:
        return memory.address
    if c_code(value) in (*INTEGERS,):
        return to_int(value, *NUMBERS["p"].range)
    if memory is None and not _is_mock(value) and not isinstance(value, (bool, float, str, bytes)):
        try:
            return to_int(value, *NUMBERS["p"].range)
        except TypeError:
            pass
    raise TypeError(f"expected a {ctype} or its address, got {a_kind(value)}")


def _is_mock(value: object) -> bool:
    """Return whether an object has every attribute, as mocks do, so that none means anything."""
    return hasattr(value, "_cudnn_cffi_has_no_such_name")


def addresses_of(values: Sequence[object], convert: Callable[[object], int]) -> list[int]:
    """Return all addresses: of our own objects last, so that nothing can close one after that."""
    addresses = [0 if isinstance(each, Family) else convert(each) for each in values]
    for position, each in enumerate(values):
        if isinstance(each, Family):
            addresses[position] = convert(each)
    return addresses


def host_address(value: object, size: int, written: bool, kept: list[HostMemory]) -> int:
    """Return the address of memory on the host.

    Args:
        value: an address or pointer, taken as it is; memory that `describe` knows; None for NULL.
        size: the bytes that it must have, where it says how many it has.
        written: whether it must be writable.
        kept: gets what must live until nobody uses the address any more.

    Raises:
        TypeError: it is none of these, too small, or must not be written.
    """
    if value is None:
        return 0
    memory = describe(value)
    if memory is None:
        raise TypeError(f"expected host memory or its address, got {a_kind(value)}")
    if memory.size is not None:
        check_contiguous(memory)
        if memory.size < size:
            raise TypeError(f"expected {size} bytes, got {memory.size}")
        if written and not memory.writable:
            raise TypeError(f"expected memory to write to, got a read-only {type(value).__name__}")
    kept.append(memory)
    return memory.address
