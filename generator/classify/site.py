"""A parameter with its surroundings, as rules see it."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import msgspec
from cudnn_cffi.api import model

from .ctype import CType

#: Fields of `model.Parameter` that a rule finds for a parameter, or none.
Answer = Mapping[str, Any] | None

Rule = Callable[["Site"], Answer]


class Types(msgspec.Struct, frozen=True):
    """The kinds of names in one set of headers."""

    enums: frozenset[str]
    opaques: Mapping[str, model.Opaque]
    records: frozenset[str]
    callbacks: frozenset[str]

    @classmethod
    def of(cls, api: model.Api) -> Types:
        """Collect the names of a release."""
        return cls(
            frozenset(enum.name for enum in api.enums),
            {opaque.name: opaque for opaque in api.opaques},
            frozenset(record.name for record in api.records),
            frozenset(callback.name for callback in api.callbacks),
        )

    def names(self, base: str) -> bool:
        """Return whether a C type is an enum, a struct, an object or a callback."""
        known = (self.enums, self.opaques, self.records, self.callbacks)
        return any(base in each for each in known)


class Site(msgspec.Struct, frozen=True):
    """A parameter, and the function that it stands in."""

    function: model.Function
    index: int
    parameter: model.Parameter
    type: CType
    types: Types

    @property
    def name(self) -> str:
        """The name of the parameter."""
        return self.parameter.name

    @property
    def verb(self) -> str:
        """Get, Set, Create...: the first word of the function's name, or RNNSet and the like."""
        verb = re.match(r"cudnn(?:RNN|Dropout|Backend)?([A-Z][a-z]+)", self.function.name)
        return verb[1] if verb else ""

    def sibling(self, pattern: str) -> model.Parameter | None:
        """Return the first other parameter whose name matches a pattern."""
        matches = _matcher(pattern)
        for other in self.function.parameters:
            if other is not self.parameter and matches(other.name):
                return other
        return None

    def all(self) -> Iterator[Site]:
        """Yield the places of all parameters of the function."""
        for index, each in enumerate(self.function.parameters):
            yield Site(self.function, index, each, CType.of(each.type), self.types)

    def next(self) -> model.Parameter | None:
        """Return the parameter after this one."""
        return next(iter(self.function.parameters[self.index + 1 :]), None)


@functools.cache
def _matcher(pattern: str) -> Callable[[str], re.Match[str] | None]:
    return re.compile(pattern).fullmatch


def object_kind(name: str, types: Types) -> model.Kind:
    """Return the kind of an object, by its C type."""
    if name == "cudnnHandle_t":
        return "handle"
    if name == "cudaStream_t":
        return "stream"
    return "descriptor" if types.opaques[name].header.startswith("cudnn") else "cuda"
