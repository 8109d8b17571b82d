"""The model of one cuDNN release's C API, and the files that it is kept in.

A release's API is data; bindings, enum classes, docstrings, history and diff are views of it.
An `Api` says nothing that differs between two releases with the same API: version numbers and
hashes of header files are in the `Release` table. Layouts are those of a 64-bit little-endian
target with 4-byte `int` and enums (Linux x86-64 and aarch64, and Windows where no `long` occurs).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated, Any, Literal, TypeVar

import msgspec

from .._support.decoding import decoded
from ..versions import version_key as version_key
from ..versions import version_name as version_name
from ..versions import version_number as version_number
from ..versions import version_of as version_of

SCHEMA = 1

Direction = Literal["in", "out", "inout"]
Memory = Literal["host", "device"]
Owner = Literal["owned", "borrowed", "released"]

#: The role of a parameter, from the caller's point of view.
Kind = Literal[
    "scalar",  # a number by value, or one number written through a pointer
    "enum",
    "flags",  # an integer made of the bits of a `FlagSet`
    "handle",  # cudnnHandle_t
    "descriptor",  # any other opaque object of cuDNN's, by its handle type
    "stream",  # cudaStream_t
    "cuda",  # any other object of CUDA's
    "array",  # elements in host memory or, when `memory` says so, in device memory
    "records",  # an array of structs, as many as `count` says
    "struct",  # one struct through a pointer, or by value
    "scaling",  # alpha, beta and the like: one float in host memory, or double where the tensor is
    "value",  # one element in host memory, of the type that a cudnnDataType_t names
    "buffer",  # host memory whose type depends on another argument
    "text",  # characters with a capacity, or ending with a zero
    "device",  # device memory
    "workspace",  # device scratch memory with a size in bytes
    "reserve",  # device memory kept from a forward to a backward call
    "user_data",  # handed back to a callback untouched
    "callback",  # a function pointer
    "tag",  # a pointer that must be NULL
]

#: The number of elements that an attribute takes.
Count = Literal["one", "many"]

#: Whether an attribute has to be set before Finalize takes its descriptor.
Need = Literal[
    "required",  # Finalize refuses a descriptor without it
    "alternative",  # so it does, but for the attributes named in `unless` and `along_with`
    "optional",  # Finalize takes a descriptor without it, and the library has a default
    "unchecked",  # Finalize takes it, no default is known, so it may be needed or not
]

#: The header's word on whether an attribute has to be set.
Stated = Literal["required", "conditional", "optional"]

#: A default: a number, or the name of an enumerator.
Default = bool | int | float | str


class _Entity(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True): ...


class Parameter(_Entity, frozen=True):
    """A parameter of a function."""

    name: str
    type: str  # as C spells it: "const int[]", "cudnnHandle_t", "void *"
    direction: Direction = "in"
    kind: Kind = "scalar"
    memory: Memory | None = None  # where a pointer points
    length: str | None = None  # the parameter with the length of an array, or its capacity
    count: str | None = None  # the out-parameter with the number of elements written
    least: int | None = None  # elements that are written even where the length is smaller
    owner: Owner | None = None  # of an object whose handle is returned or passed
    optional: bool = False  # NULL has a meaning
    flags: str | None = None  # the `FlagSet` whose bits it takes
    documented: Direction | None = None  # what the header's comment claims

    @property
    def passed(self) -> tuple[str, int]:
        """The type without what makes no difference to a call: its base, and how many pointers.

        `const`, and `[]` for `*`, change nothing of a call, and what they tell is in the roles.
        """
        body, bracket, _ = self.type.partition("[")
        words = body.replace("*", " ").split()
        base = " ".join(w for w in words if w not in ("const", "struct", "enum", "union"))
        return base, body.count("*") + bool(bracket)

    @property
    def form(self) -> tuple[object, ...]:
        """All that a wrapper depends on, but the name."""
        fixed = self.kind == "array" and not self.length
        bound = self.type.partition("[")[2].rstrip("]") if fixed else ""
        roles = (self.direction, self.kind, self.memory, self.owner, self.optional)
        return (*self.passed, bound, *roles)


class Function(_Entity, frozen=True):
    """A function."""

    name: str
    header: str
    result: str
    parameters: tuple[Parameter, ...] = ()
    deprecated: bool = False
    quiet: bool = False  # deprecated by a comment alone: no compiler warns
    successor: str | None = None  # what the header recommends: a name, or "the graph API"
    reason: str | None = None  # why that, or why there is none: a fact of the generator's
    documented_since: str | None = None

    @property
    def signature(self) -> str:
        """The C signature without parameter names: what a caller's machine code depends on."""
        return f"{self.result}({', '.join(p.type for p in self.parameters)})"

    @property
    def form(self) -> tuple[object, ...]:
        """Return what a caller passes and gets: types and roles, not the names of parameters.

        One wrapper serves all releases with one form, unless a parameter means something else.
        """
        return (self.result, *(parameter.form for parameter in self.parameters))


class Enumerator(_Entity, frozen=True):
    """A member of an enum or of a flag set."""

    name: str
    value: int
    deprecated: bool = False
    quiet: bool = False
    successor: str | None = None
    documented_since: str | None = None

    @property
    def sentinel(self) -> bool:
        """Return whether it counts the others, and so moves whenever one is added."""
        return self.name.endswith(("_COUNT", "_COUNTS"))


class Enum(_Entity, frozen=True):
    """An enum."""

    name: str
    header: str
    enumerators: tuple[Enumerator, ...]
    deprecated: bool = False
    quiet: bool = False
    successor: str | None = None
    documented_since: str | None = None


class Constant(_Entity, frozen=True):
    """An object-like macro with a value; one with bits of a mask is in a `FlagSet` instead."""

    name: str
    header: str
    value: int | float


class Macro(_Entity, frozen=True):
    """A function-like macro: its parameters and the tokens of its expansion."""

    name: str
    header: str
    parameters: tuple[str, ...]
    body: str


class VersionMacro(_Entity, frozen=True):
    """A macro with the version or a part of it.

    Its value differs in every release; that it is there, and how it is put together from others,
    does not.
    """

    name: str
    header: str
    formula: str = ""  # "CUDNN_MAJOR * 10000 + ..."; "" for a plain number


class FlagSet(_Entity, frozen=True):
    """Macros that are the bits of one mask. C gives the set no name; the generator does."""

    name: str
    header: str
    members: tuple[Enumerator, ...]


#: The beginning of the name of a field whose members C takes for members of the struct around it; a
#: number follows.
ANONYMOUS = "anonymous_"


class Field(_Entity, frozen=True):
    """A field of a struct."""

    name: str  # or `ANONYMOUS` and its index, where C gives none
    type: str  # as C spells it, without array bounds
    offset: int  # bytes
    size: int  # bytes, the whole array
    length: int | None = None  # number of elements of a fixed array
    record: str | None = None  # the `Record` that it is, where it has no name of its own in C


class Record(_Entity, frozen=True):
    """A struct or union whose members are public."""

    name: str
    tag: str  # "" where C gives none
    kind: Literal["struct", "union"]
    header: str
    size: int
    align: int
    fields: tuple[Field, ...]
    deprecated: bool = False
    quiet: bool = False
    successor: str | None = None


class Opaque(_Entity, frozen=True):
    """A type by which an object of cuDNN's is known, whose inside is not public."""

    name: str
    header: str
    target: str  # "struct cudnnTensorStruct *", "void *"
    deprecated: bool = False
    quiet: bool = False
    successor: str | None = None


class Callback(_Entity, frozen=True):
    """A type of functions that the caller provides."""

    name: str
    header: str
    result: str
    parameters: tuple[Parameter, ...]


class Typedef(_Entity, frozen=True):
    """Another name for a type: a number, or one of the other lists."""

    name: str
    header: str
    type: str


class BackendAttribute(_Entity, frozen=True):
    """One attribute of a backend descriptor: what cudnnBackendSetAttribute takes for it."""

    name: str
    value: int
    owner: str  # an enumerator of cudnnBackendDescriptorType_t
    types: tuple[str, ...]  # enumerators of cudnnBackendAttributeType_t; several where a choice
    source: str  # "probe 9.28.0", or "fact: why"
    readable: bool | None = None  # None: not known
    writable: bool | None = None
    # The entry of its descriptor's schema; None, False or empty if not known
    told_by: str | None = None  # "probe 9.28.0", or "inherited 9.28.0": by another release
    by_fact: tuple[str, ...] = ()  # those of the fields below that no library told
    count: Count | None = None
    most: int | None = None  # of many: the most that are taken
    as_long_as: tuple[str, ...] = ()  # attributes that give the same length, or number, or rank
    needed: Need | None = None  # by Finalize of its descriptor
    needed_in_graph: Need | None = None  # of an operation: by Finalize of a graph of it alone
    unless: tuple[str, ...] = ()  # needed only while none of these is set, or set otherwise
    along_with: tuple[str, ...] = ()  # needed only where one of these is set
    required_in: tuple[tuple[str, ...], ...] = ()  # modes: needed where all members of one are set
    stated: Stated | None = None  # by the header
    default: Default | None = None
    uninitialized: bool = False  # what it is without being set is left to chance
    unread_default: bool = False  # the default is shown but not used: it must be set
    fatal: bool = False  # Finalize without it, and without those of `unless`, ends the process
    misread: bool = False  # reading it succeeds and returns something else
    target: str | None = None  # the descriptor type that it holds
    enum: str | None = None  # the enum that its elements are of


class Header(_Entity, frozen=True):
    """A header file."""

    name: str
    includes: tuple[str, ...] = ()  # other headers of cuDNN's


class Library(_Entity, frozen=True):
    """A library file that programs and packages name; in a file name the major version follows."""

    name: str  # "libcudnn_ops"
    # As in `Release.undeclared`, once a release was chosen; in a file it is None, since releases
    # with one API may differ in it.
    undeclared: tuple[str, ...] | None = None


#: In a file; a name of a file too, so nothing else may get through.
Version = Annotated[str, msgspec.Meta(pattern=r"^[0-9]+(\.[0-9]+){2,3}\Z")]


class Api(_Entity, frozen=True):
    """The API of a release."""

    release: Version  # the first release with this API
    schema: int = SCHEMA
    headers: tuple[Header, ...] = ()
    functions: tuple[Function, ...] = ()
    enums: tuple[Enum, ...] = ()
    constants: tuple[Constant, ...] = ()
    macros: tuple[Macro, ...] = ()
    versions: tuple[VersionMacro, ...] = ()
    flags: tuple[FlagSet, ...] = ()
    records: tuple[Record, ...] = ()
    opaques: tuple[Opaque, ...] = ()
    callbacks: tuple[Callback, ...] = ()
    typedefs: tuple[Typedef, ...] = ()
    attributes: tuple[BackendAttribute, ...] = ()
    libraries: tuple[Library, ...] = ()  # none where only the headers are known

    def index(self) -> dict[str, Any]:
        """Every named thing: entities, enumerators, flag members. Keep it, it is built anew."""
        index: dict[str, Any] = {}
        for section in SECTIONS:
            for entity in getattr(self, section):
                index.setdefault(entity.name, entity)
        for enum in self.enums:
            index.update((member.name, member) for member in enum.enumerators)
        for flags in self.flags:
            index.update((member.name, member) for member in flags.members)
        return index


#: The lists of an `Api`, in the order in which they are written.
SECTIONS = tuple(name for name in Api.__struct_fields__ if name not in ("release", "schema"))


class Release(_Entity, frozen=True):
    """One released version, and which `Api` it has."""

    version: Version  # "9.28.0", what cudnnGetVersion reports
    build: Version  # "9.28.0.42", or the version again where no build number is known
    api: Version  # the `Api.release` with its tables
    headers: str = ""  # sha256 over the names and contents of its header files
    # the day on which its first wheel was published, "2026-11-03", where that is known
    date: str = ""
    # The platforms of its wheels, such as "linux_x86_64", by CUDA's major version
    wheels: dict[str, tuple[str, ...]] = {}
    # Functions that a library file exports and no header declares, sorted; by each file read.
    undeclared: dict[str, tuple[str, ...]] = {}
    remarks: tuple[str, ...] = ()  # what the tables lack of the headers, or have in another way


class ModelError(ValueError):
    """A model file that cannot be read; the text says which and why."""


E = TypeVar("E", bound=msgspec.Struct)

#: Exceptions of msgspec for damaged bytes.
DAMAGE = (msgspec.MsgspecError, UnicodeDecodeError, RecursionError)


def replace(entity: E, **changes: Any) -> E:
    """Return a copy of an entity with other values for some fields."""
    return msgspec.structs.replace(entity, **changes)


def encode(api: Api) -> bytes:
    """JSON with one entity or enumerator a line, so that a line diff shows what changed."""
    parts = [b'{"schema":%d,"release":"%s"' % (api.schema, api.release.encode())]
    for section in SECTIONS:
        lines = b",\n".join(map(_encode_entity, getattr(api, section)))
        parts.append(b',\n"%s":[\n%s%s]' % (section.encode(), lines, b"\n" if lines else b""))
    return b"".join([*parts, b"}\n"])


def _encode_entity(entity: _Entity) -> bytes:
    if not isinstance(entity, Enum):
        return msgspec.json.encode(entity)
    whole = msgspec.json.encode(msgspec.structs.replace(entity, enumerators=()))
    members = b'"enumerators":[\n %s]' % b",\n ".join(map(msgspec.json.encode, entity.enumerators))
    return whole.replace(b'"enumerators":[]', members, 1)


def decode(data: bytes, source: str = "model") -> Api:
    """Return the `Api` in `data`.

    Raises:
        ModelError: not JSON, not a model, or one of a newer schema.
    """
    try:
        head = decoded(data, _Head)
        if head.schema != SCHEMA:
            raise ModelError(f"{source}: schema {head.schema}, but this version reads {SCHEMA}")
        return decoded(data, Api)
    except DAMAGE as error:
        raise ModelError(f"{source}: not a cuDNN API model: {error}") from error


class _Head(msgspec.Struct):
    schema: int


def encode_releases(releases: Sequence[Release]) -> bytes:
    """Return the table of releases as JSON."""
    lines = b",\n".join(msgspec.json.encode(release) for release in releases)
    return b"[\n%s\n]\n" % lines


def decode_releases(data: bytes, source: str = "releases") -> tuple[Release, ...]:
    """Read the table of releases.

    Raises:
        ModelError: it is none.
    """
    try:
        return decoded(data, tuple[Release, ...])
    except DAMAGE as error:
        raise ModelError(f"{source}: not a table of cuDNN releases: {error}") from error


def advice(apis: Iterable[Api]) -> dict[str, tuple[str, str]]:
    """Return what the headers of `apis`, oldest first, recommend: the last word on each name."""
    found: dict[str, tuple[str, str]] = {}
    for api in apis:
        named: list[Any] = [*api.functions, *api.enums, *api.records, *api.opaques]
        named += (member for enum in api.enums for member in enum.enumerators)
        for each in named:
            known = found.get(each.name, ("", ""))[0]
            if each.successor not in (None, known) and getattr(each, "reason", None) is None:
                found[each.name] = (each.successor, api.release)
    return dict(sorted(found.items()))


def encode_advice(advice: Mapping[str, tuple[str, str]]) -> bytes:
    """Return the successors of functions as JSON."""
    lines = [b"%s:%s" % tuple(map(msgspec.json.encode, pair)) for pair in advice.items()]
    return b"{\n%s\n}\n" % b",\n".join(lines)
