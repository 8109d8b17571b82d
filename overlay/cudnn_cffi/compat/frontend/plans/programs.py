"""A plan with the arrays, numbers and addresses that a program passes to it."""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from .... import arrays, errors
from ....arrays.libraries import has_core
from ....driver import timing
from ....plan import Plan
from ....plan.arrays.outputs import empty as new_array
from ....plan.arrays.outputs import storage
from ....plan.operand import Number, Operand, encode, least_span

if TYPE_CHECKING:
    from ....handles import Handle
    from ....types import DevicePointer


#: Data types whose arrays may hold the bits of any other type.
_BYTES = ("uint8", "int8")

#: Further data types for a given one, with elements of as many bits.
_ALIKE = {
    "float16": ("uint16", "int16"),
    "bfloat16": ("uint16", "int16"),
    "int32": ("uint32",),
    "int64": ("uint64",),
    "int8": ("bool",),
    "uint8": ("bool",),
}


class Program:
    """A plan with what the program passes to it, and what it does not know of.

    Attributes:
        plan: the plan.
        operands: arguments of a call, in its order.
        numbers: passed at each call, by uid.
        hidden: the same, as arrays once they were passed.
        aligned: the uids whose addresses have to be multiples of 16.
        launcher: executes the plan without a Python frame, where that is possible.
    """

    __slots__ = ("aligned", "hidden", "launcher", "names", "numbers", "operands", "plan")

    def __init__(
        self,
        plan: Plan,
        hidden: Mapping[int, Sequence[float]],
        aligned: set[int],
        names: Mapping[int, str],
    ) -> None:
        self.plan = plan
        self.operands = tuple([each for each in plan.operands if each.is_argument])
        self.aligned = aligned
        self.names = dict(names)
        self.numbers = hidden
        self.hidden: dict[int, Sequence[float] | DevicePointer] = dict(hidden)
        self.launcher: Any = None  # an object of the compiled layer

    def addresses(
        self, given: Mapping[int, DevicePointer], handle: Handle
    ) -> tuple[list[int], list[Number]]:
        """Return the addresses in the plan's order, and what has to live until cuDNN has them.

        Raises:
            ValueError: one is missing, is not a multiple of what it has to be, or is that of an
                output that is read-only; an array tells another data type or device, or is smaller.
        """
        found: list[int] = []
        keep: list[Number] = []
        for each in self.operands:
            value = given.get(each.uid)
            if value is None and each.uid in self.hidden:
                found.append(self._hidden(each, handle))
                continue
            if value is None:
                raise ValueError(
                    f"the variant pack has no buffer for the tensor {self._name(each)!r} "
                    f"(uid {each.uid})"
                )
            if each.by_value:
                address = host_address(each, value, keep)
            else:
                address = self._check(each, value, handle)
            found.append(address)
        return found, keep

    def _name(self, operand: Operand) -> str:
        return self.names.get(operand.uid, operand.name)

    def _check(self, operand: Operand, value: object, handle: Handle) -> int:
        """Return the address of an operand's array, which fits as far as the array tells."""
        name, least = self._name(operand), self.alignment(operand)
        try:
            address = arrays.device_pointer(value)
            info = arrays.describe(value) if arrays.tells_shape(value) else None
        except errors.CudnnError as error:
            raise error.replace(message=f"{name}: {error.message}") from None
        if not address:
            raise errors.NullPointerError(f"{name}: it has no memory")
        if address % least:
            raise errors.MisalignedPointerError(
                f"{name}: expected an address that is a multiple of {least}, got {address:#x}"
            )
        if info is not None:
            types, _, _ = storage(operand)
            kind = info.dtype.rpartition(".")[2]
            alike = () if operand.is_bits else _ALIKE.get(types[0], ())
            if kind not in (*types, *_BYTES, *alike):
                raise errors.ArgumentError(f"{name}: expected {types[0]}, got {info.dtype}")
            if info.device not in (None, handle.device):
                raise errors.ArgumentError(
                    f"{name}: expected memory of device {handle.device}, got of device "
                    f"{info.device}"
                )
            size, wanted = arrays.span_of(info), least_span(operand)
            if kind in alike:  # `span_of` counts a byte for each element of types unknown to cuDNN
                size *= arrays.itemsize(types[0]) // arrays.itemsize(kind)
            if size < wanted:
                raise errors.ArgumentError(f"{name}: expected {wanted} bytes, got {size}")
        if operand.role == "output":
            arrays.check_writable(value, name)
        return address

    def alignment(self, operand: Operand) -> int:
        """Return what an address has to be a multiple of: 16 for attention, else an element."""
        if operand.uid in self.aligned:
            return operand.alignment
        return max(arrays.itemsize(arrays.dtype_name(operand.data_type)), 1)

    def slot(self, operand: Operand) -> tuple[int, int, bool, bool, bool]:
        """Return what the launcher has to know of an operand, after an execution."""
        fixed = self.hidden.get(operand.uid)
        address = 0 if fixed is None else arrays.device_pointer(fixed)
        mask = 0 if operand.by_value else self.alignment(operand) - 1
        return mask, address, operand.by_value, operand.role == "output", operand.is_ragged

    def _hidden(self, operand: Operand, handle: Handle) -> int:
        values = self.hidden[operand.uid]
        if isinstance(values, list):
            values = self.hidden[operand.uid] = _on_device(operand, values, handle)
        return arrays.device_pointer(values)


def _on_device(operand: Operand, values: Sequence[float], handle: Handle) -> DevicePointer:
    """Return the numbers of an operand as an array in memory of the handle's device."""
    code = "i" if operand.data_type == "INT32" else "f"
    data = struct.pack(f"{len(values)}{code}", *values)
    made: DevicePointer = new_array("own" if has_core() else "torch", operand, handle.device, None)
    with handle._current():
        timing.copy_in(arrays.device_pointer(made), data)
    return made


def host_address(operand: Operand, value: Any, keep: list[Number]) -> int:
    """Return the address of a number in host memory."""
    if type(value) is int:
        return value
    if hasattr(value, "data_ptr"):
        return int(value.data_ptr())
    interface = getattr(value, "__array_interface__", None)
    # A number of NumPy's, which is no array, tells the address of one that ends at once.
    if interface is not None and (hasattr(value, "ctypes") or not hasattr(value, "item")):
        return int(interface["data"][0])
    keep.append(Number(encode(operand, value)))
    return int(keep[-1].address)
