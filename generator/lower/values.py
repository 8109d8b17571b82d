"""What a call converts before it and makes of its results, as records.

An *argument* says how one Python parameter becomes what the shim takes, a *value* what one result
is made of. `emit` writes both as Python and as C; nothing else knows how they are spelled.
"""

from __future__ import annotations

from dataclasses import dataclass

# Arguments ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Argument:
    """What a shim takes, made of the Python parameter of this name."""

    parameter: str

    #: Whether the extension can read it with no help of Python code.
    quick = False
    #: Whether it has to be known to be a plain number or object before anything is converted: to
    #: take another one for what it is can run any code, so it comes before anything is measured.
    judged = False


@dataclass(frozen=True)
class Number(Argument):
    """A number as it is; also an address in host memory."""

    quick = judged = True


@dataclass(frozen=True)
class Object(Argument):
    """An address, or an object that has one for `c_type`; None for NULL where `optional`."""

    c_type: str
    optional: bool = False
    detached: bool = False  # the object gives it away, since the function destroys it

    quick = judged = True


@dataclass(frozen=True)
class DeviceMemory(Argument):
    """An address, or memory on the device that gives one in the way of its type."""

    quick = True


@dataclass(frozen=True)
class StreamArgument(Argument):
    """An address, or an object that is a CUDA stream."""

    quick = True


@dataclass(frozen=True)
class Factor(Argument):
    """A scaling factor: a float, or what one can be read from."""

    quick = True


@dataclass(frozen=True)
class Array(Argument):
    """Numbers of one code, as many as the parameter `length` says."""

    code: str
    length: str | None
    c_name: str
    optional: bool = False


@dataclass(frozen=True)
class Objects(Argument):
    """Objects that have an address for `c_type`."""

    c_type: str
    length: str | None
    c_name: str
    optional: bool = False
    detached: bool = False


@dataclass(frozen=True)
class Element(Argument):
    """One element of the type that the parameter `data_type` names."""

    data_type: str
    c_name: str


@dataclass(frozen=True)
class AttributeIn(Argument):
    """Elements of a backend attribute; `owner` is the descriptor that they are set on."""

    type: str
    length: str
    c_name: str
    owner: str | None


@dataclass(frozen=True)
class AttributeOut(Argument):
    """Memory for elements of a backend attribute."""

    type: str
    length: str
    c_name: str


@dataclass(frozen=True)
class Allocated(Argument):
    """Memory that the wrapper makes for a result: `length` elements of a C type."""

    c_type: str
    length: str | int
    c_length: str | None = None  # the name in C of the parameter that is the length
    least: int | None = None  # it is made as large as this where the caller asks for less


@dataclass(frozen=True)
class AllocatedRecords(Argument):
    """Memory that the wrapper makes for structs."""

    c_type: str
    length: str | int
    c_length: str | None


# Results -----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Slot:
    """The number in a 64-bit slot."""

    index: int


@dataclass(frozen=True)
class Mapped:
    """The member of an enum that has the number."""

    enum: str
    slot: Slot


@dataclass(frozen=True)
class Text:
    """The text at the address in a slot."""

    slot: Slot


@dataclass(frozen=True)
class NewHandle:
    """The address of a handle that was created, which is noted."""

    slot: Slot


Count = str | int


@dataclass(frozen=True)
class Trimmed:
    """How many elements there are: a result, but at most the capacity."""

    count: Slot | Mapped
    capacity: Count


@dataclass(frozen=True)
class Characters:
    """The text in memory that the wrapper made."""

    memory: Allocated


@dataclass(frozen=True)
class Elements:
    """The first elements of memory that the wrapper made, as members of `enum` if that is set."""

    memory: Allocated
    count: Count | Trimmed
    enum: str | None


@dataclass(frozen=True)
class Records:
    """The first structs of memory that the wrapper made; one alone where `single`."""

    memory: AllocatedRecords
    count: Count | Trimmed
    single: bool = False


@dataclass(frozen=True)
class OneElement:
    """One element of memory that the wrapper made, whose type is another result."""

    memory: Allocated
    data_type: Slot | Mapped


@dataclass(frozen=True)
class AttributeValues:
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
