"""Plan the call of one function from Python.

A plan has the machine-level arguments, what is converted before the call and what is returned after
it. Templates print a plan; they decide nothing.

The compiled layer has one C shim for each plan, the ABI layer builds the same from its codes: see
`lower.codes`. Conversions and results are records of `lower.values`.

A function with results other than its status writes them to 64-bit slots of memory that the wrapper
lends it, by its last argument.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

import msgspec
from cudnn_cffi.api import model

from .. import GeneratorError
from ..classify import CType
from . import names
from .codes import SPELLED, Code, code_of
from .merge import Merged, Variant
from .values import (
    Argument,
    Mapped,
    Slot,
    Value,
)


class PlanError(GeneratorError):
    """A function that the call layer cannot express."""


#: By code of a scaling factor, the descriptor whose data type it has, which is the first one of a
#: function, and the function to ask. Measured: where types differ, cuDNN refuses the call, but for
#: cudnnTransformTensor and cudnnTransformTensorEx, whose factors have the type of the source.
SCALED = {
    "s": ("cudnnTensorDescriptor_t", "cudnnGetTensorNdDescriptor"),
    "t": ("cudnnFilterDescriptor_t", "cudnnGetFilterNdDescriptor"),
}

#: Descriptors that say all of an array.
DESCRIBING = ("cudnnTensorDescriptor_t", "cudnnFilterDescriptor_t")

DEVICE_KINDS = {"device", "workspace", "reserve"}

#: Numbers of elements that are returned if the caller does not say: all dimensions that cuDNN can
#: have, of windows only the spatial ones, for cuDNN refuses a larger capacity there; more
#: algorithms than any release lists; a text longer than any message.
DIMENSIONS, SPATIAL_DIMENSIONS, ALGORITHMS, CHARACTERS = 8, 6, 16, 2048


class Default(NamedTuple):
    """The value of a parameter that the caller leaves out."""

    value: int | None


class PyParameter(msgspec.Struct, frozen=True):
    """One parameter of the Python wrapper."""

    source: model.Parameter
    name: str
    annotation: str
    default: Default | None = None


class Result(msgspec.Struct, frozen=True):
    """A value that a call returns."""

    source: model.Parameter
    name: str
    annotation: str
    value: Value


@dataclass
class Plan:
    """The plan of calls of one variant of a function."""

    variant: Variant
    codes: tuple[str, ...] = ()
    result_code: str = "status"  # "status", "void", "text" or a code of a value
    parameters: list[PyParameter] = field(default_factory=list)
    arguments: list[Argument] = field(default_factory=list)  # for codes that take one
    results: list[Result] = field(default_factory=list)
    slots: str = ""  # results in slots, as codes of the struct module
    enums: set[str] = field(default_factory=set)
    families: set[str] = field(default_factory=set)
    records: set[str] = field(default_factory=set)

    @property
    def function(self) -> model.Function:
        """The function in the model."""
        return self.variant.function

    @property
    def name(self) -> str:
        """The name of the wrapper."""
        return self.variant.wrapper

    @property
    def module(self) -> str:
        """The module of calls that has the wrapper."""
        return self.variant.module

    @property
    def taken(self) -> list[tuple[int, Code]]:
        """The indices of the C arguments that the shim takes, with the records of their codes."""
        return [(i, code) for i, code in enumerate(map(code_of, self.codes)) if code.taken]

    @property
    def outs(self) -> list[tuple[int, Code]]:
        """The indices of the C arguments that return numbers, with the codes of the numbers."""
        return [(i, code_of(c[1])) for i, c in enumerate(self.codes) if c[0] == "o"]

    @property
    def is_quick(self) -> bool:
        """Return whether the extension can make the call and its result without Python code."""
        plain = all(isinstance(result.value, (Slot, Mapped)) for result in self.results)
        return (
            plain
            and len(self.results) == len(self.slots)
            and all(argument.quick for argument in self.arguments)
            and not any(code[0] == "r" for code in self.codes)
        )

    @property
    def slot_values(self) -> list[Slot | Mapped]:
        """The results of a quick plan."""
        return [r.value for r in self.results if isinstance(r.value, (Slot, Mapped))]

    @property
    def tuple_name(self) -> str | None:
        """The name of the named tuple that is returned; None for fewer than two results."""
        return self.name.removeprefix("cudnn") + "Result" if len(self.results) > 1 else None

    @cached_property
    def described(self) -> tuple[tuple[int, int], ...]:
        """The indices of parameters for device memory, each with that of what says its size.

        That is the descriptor that is named after it, or a number of bytes.
        """
        places = {p.source.name: i for i, p in enumerate(self.parameters)}
        tensors = {
            p.source.name.lower(): i
            for i, p in enumerate(self.parameters)
            if p.source.kind == "descriptor" and CType.of(p.source.type).base in DESCRIBING
        }
        found = []
        for i, parameter in enumerate(self.parameters):
            source = parameter.source
            if source.kind not in DEVICE_KINDS:
                continue
            by = tensors.get(f"{source.name.lower().removesuffix('data')}desc")
            if by is None:
                by = places.get(source.length or "")
            if by is not None:
                found.append((i, by))
        return tuple(found)

    @property
    def annotation(self) -> str:
        """The type that the wrapper returns."""
        if not self.results:
            return "None"
        return self.tuple_name or self.results[0].annotation


class Context(msgspec.Struct, frozen=True):
    """Names that plans refer to."""

    enums: Mapping[str, str]  # C name -> Python class
    opaques: Mapping[str, model.Opaque]
    callbacks: frozenset[str]
    unsigned: frozenset[str]  # enums with a member that no int can be
    families: frozenset[str]  # C handle types with a class
    records: Mapping[str, model.Record]
    typedefs: Mapping[str, str]
    functions: frozenset[str]

    @classmethod
    def of(cls, merged: Merged) -> Context:
        """Collect the names of all releases."""
        apis = merged.apis.values()
        opaques = {o.name: o for api in apis for o in api.opaques}
        records = {r.name: r for api in apis for r in api.records}
        typedefs = {t.name: t.type for api in apis for t in api.typedefs}
        callbacks = frozenset(c.name for api in apis for c in api.callbacks)
        all_enums = [e for api in apis for e in api.enums]
        enums = {e.name: names.class_name(e.name) for e in all_enums}
        unsigned = {e.name for e in all_enums if any(m.value >= 1 << 31 for m in e.enumerators)}
        return cls(
            enums=enums,
            opaques=opaques,
            callbacks=callbacks,
            unsigned=frozenset(unsigned),
            families=family_types(merged),
            records=records,
            typedefs=typedefs,
            functions=frozenset(merged.variants),
        )

    def code(self, base: str, where: str) -> str:
        """Return the code of a C type.

        Raises:
            PlanError: there is no code for it.
        """
        while base in self.typedefs:
            base = self.typedefs[base]
        if base in self.enums:
            return "I" if base in self.unsigned else "i"
        if base in self.callbacks or (base in self.opaques and "*" in self.opaques[base].target):
            return "p"
        if base == "...":
            raise PlanError(f"{where}: it takes any number of arguments")
        if base not in SPELLED:
            raise PlanError(f"{where}: there is no rule for the type {base}")
        return SPELLED[base]


def family_types(merged: Merged) -> frozenset[str]:
    """Handle types whose objects some function makes and some function destroys, one at a time."""
    owned: dict[str | None, set[str]] = defaultdict(set)
    for variant in merged.all_variants():
        for parameter in variant.function.parameters:
            if parameter.kind in ("handle", "descriptor"):
                owned[parameter.owner].add(CType.of(parameter.type).base)
    return frozenset(owned["owned"] & owned["released"])
