"""The arguments of a call of a plan: which operand each one is, and whether it fits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from .. import arrays, errors
from .arrays.outputs import storage
from .operand import Operand


def bind(
    takes: Sequence[Operand], given: Sequence[object], named: Mapping[str, object]
) -> dict[str, object]:
    """Return the arguments by the names of their operands.

    Args:
        takes: the operands that are arguments, inputs first.
        given: arguments in that order; outputs may be left out.
        named: arguments by name.

    Raises:
        ArgumentError: there are too many, an input is missing, or a name is wrong or comes twice.
    """
    names = [each.name for each in takes]
    order = ", ".join(names)
    if len(given) > len(names):
        raise errors.ArgumentError(
            f"expected {len(names)} operands, got {len(given)}", hint=f"in order: {order}"
        )
    bound = dict(zip(names, given, strict=False))
    for name, value in named.items():
        if name not in names:
            raise errors.ArgumentError(f"there is no operand {name!r}", hint=f"one of {order}")
        if name in bound:
            raise errors.ArgumentError(f"{name}: given twice, by its place and by its name")
        bound[name] = value
    for each in takes:
        if each.role == "output" and bound.get(each.name, ...) is None:
            del bound[each.name]
        elif each.role == "input" and each.name not in bound:
            raise errors.ArgumentError(f"{each.name}: it is missing", hint=f"in order: {order}")
    return bound


def check(operand: Operand, array: object, device: int | None) -> tuple[int, int | None]:
    """Return the address and the device of an array that fits its operand.

    Args:
        operand: of the plan.
        array: an array of any library in device memory.
        device: the ordinal that the array has to be on, if that is known yet.

    Raises:
        ArgumentError: it is no array in device memory, is an output and read-only, has another data
            type or other strides, or is on another device.
        ShapeMismatchError: it has another shape.
        MisalignedPointerError: its address is not a multiple of what the plan was made for.
        NullPointerError: it has no memory.
        ClosedError: its memory was freed.
    """
    try:
        info = arrays.describe(array)
    except errors.CudnnError as error:
        hint = error.hint if array is not None else "only outputs may be left out"
        raise error.replace(message=f"{operand.name}: {error.message}", hint=hint) from error
    if operand.role == "output":
        arrays.check_writable(array, operand.name)
    types, shape, strides = storage(operand)
    if info.dtype == "bool" and operand.is_bits:
        raise errors.ArgumentError(
            f"{operand.name}: expected uint8 with packed bits (8 truth values in a byte, the first "
            "in the lowest bit), got an array of bool",
            hint="FLOAT in the graph, for outputs by identity, has an element for each; "
            "numpy.packbits(x, bitorder='little') packs bits",
        )
    if info.dtype not in types:
        raise errors.ArgumentError(f"{operand.name}: expected {types[0]}, got {info.dtype}")
    if tuple(info.shape) != shape:
        raise errors.ShapeMismatchError(
            f"{operand.name}: expected the shape {shape}, got {tuple(info.shape)}",
            hint="a plan is for one shape; build another for this one"
            if len(info.shape) == len(shape)
            else "also axes of one element have to be there",
        )
    same = zip(shape, info.strides, strides, strict=True)
    if any(got != wanted for extent, got, wanted in same if extent > 1):
        raise errors.ArgumentError(
            f"{operand.name}: expected strides of {strides} elements, got {tuple(info.strides)}",
            hint="build a plan for this layout, or copy the array into the expected one",
        )
    if not info.address and 0 not in shape:
        raise errors.NullPointerError(f"{operand.name}: expected device memory, got NULL")
    if info.address % operand.alignment:
        raise errors.MisalignedPointerError(
            f"{operand.name}: expected an address that is a multiple of {operand.alignment}, "
            f"got {info.address:#x}",
            hint="a view can begin in the middle of an allocation: copy it to a fresh one, or "
            "build the plan with a smaller alignment",
        )
    if device is not None and info.device is not None and info.device != device:
        raise errors.ArgumentError(
            f"{operand.name}: expected memory of device {device}, got of device {info.device}"
        )
    return info.address, info.device
