"""Records of a call's conversions and results.

An *argument* says how one Python parameter becomes what the shim takes, a *value* what one result
is made of. `emit` writes both as Python and as C; nothing else knows how they are spelled.
"""

from __future__ import annotations

import msgspec

# Arguments ---------------------------------------------------------------------------------------


class Argument(msgspec.Struct, frozen=True):
    """The value that a shim takes, made of the Python parameter of this name."""

    parameter: str

    #: Whether the extension can read it with no help of Python code.
    quick = False
    #: Whether it has to be known to be a plain number or object before anything is converted: the
    #: conversion of others may run any code, so it comes before the sizes of buffers are taken.
    judged = False


class Number(Argument, frozen=True):
    """A number as it is; also an address in host memory."""

    quick = judged = True


class Object(Argument, frozen=True):
    """An address, or an object that has one for `c_type`; None for NULL where `optional`."""

    c_type: str
    optional: bool = False
    detached: bool = False  # the object gives it away, since the function destroys it

    quick = judged = True


class DeviceMemory(Argument, frozen=True):
    """An address, or memory on the device that gives one in the way of its type."""

    quick = True


class StreamArgument(Argument, frozen=True):
    """An address, or an object that is a CUDA stream."""

    quick = True


class Factor(Argument, frozen=True):
    """A scaling factor: a float, or what one can be read from."""

    quick = True


class Array(Argument, frozen=True):
    """Numbers of one code, as many as the parameter `length` says."""

    code: str
    length: str | None
    c_name: str
    optional: bool = False


class Objects(Argument, frozen=True):
    """Objects that have an address for `c_type`."""

    c_type: str
    length: str | None
    c_name: str
    optional: bool = False
    detached: bool = False


class GivenText(Argument, frozen=True):
    """Text that ends with a zero."""

    c_name: str


class Element(Argument, frozen=True):
    """One element of the type that the parameter `data_type` names."""

    data_type: str
    c_name: str


class AttributeIn(Argument, frozen=True):
    """Elements of a backend attribute; `owner` is the descriptor that they are set on."""

    type: str
    length: str
    c_name: str
    owner: str | None


class AttributeOut(Argument, frozen=True):
    """Memory for elements of a backend attribute."""

    type: str
    length: str
    c_name: str


class Allocated(Argument, frozen=True):
    """Memory that the wrapper makes for a result: `length` elements of a C type."""

    c_type: str
    length: str | int
    c_length: str | None = None  # the name in C of the parameter that is the length
    least: int | None = None  # it is made as large as this where the caller asks for less


class AllocatedRecords(Argument, frozen=True):
    """Memory that the wrapper makes for structs."""

    c_type: str
    length: str | int
    c_length: str | None


# Results -----------------------------------------------------------------------------------------


class Slot(msgspec.Struct, frozen=True):
    """The number in a 64-bit slot."""

    index: int


class Mapped(msgspec.Struct, frozen=True):
    """The member of an enum that has the number."""

    enum: str
    slot: Slot


class Text(msgspec.Struct, frozen=True):
    """The text at the address in a slot."""

    slot: Slot


class NewHandle(msgspec.Struct, frozen=True):
    """The address of a handle that was created, which is noted."""

    slot: Slot


Count = str | int


class Trimmed(msgspec.Struct, frozen=True):
    """The number of elements: a result, but at most the capacity."""

    count: Slot | Mapped
    capacity: Count


class Characters(msgspec.Struct, frozen=True):
    """The text in memory that the wrapper made."""

    memory: Allocated


class Elements(msgspec.Struct, frozen=True):
    """The first elements of memory that the wrapper made, as members of `enum` if that is set."""

    memory: Allocated
    count: Count | Trimmed
    enum: str | None


class Records(msgspec.Struct, frozen=True):
    """The first structs of memory that the wrapper made; one alone where `single`."""

    memory: AllocatedRecords
    count: Count | Trimmed
    single: bool = False


class OneElement(msgspec.Struct, frozen=True):
    """One element of memory that the wrapper made, whose type is another result."""

    memory: Allocated
    data_type: Slot | Mapped


class AttributeValues(msgspec.Struct, frozen=True):
    """Elements of a backend attribute."""

    memory: AttributeOut
    count: Trimmed


Value = (
    Slot
    | Mapped
    | Text
    | NewHandle
    | Characters
    | Elements
    | Records
    | OneElement
    | AttributeValues
)
