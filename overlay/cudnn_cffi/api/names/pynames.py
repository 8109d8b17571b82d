"""The Python names of this package and the C names that they stand for.

Read from the emitted half, as data: no library, no call layer and no enum class is loaded.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from types import CodeType

import msgspec

from ..model import version_key

#: The modules with a class for each type of backend descriptors.
_BACKEND = ("graph", "backend")


class PythonNames(msgspec.Struct, frozen=True):
    """Names that the package offers beside the C names, which are all names in Python too."""

    classes: Mapping[str, str]  # "DataType" -> "cudnnDataType_t"
    members: Mapping[str, Mapping[str, str]]  # "DataType" -> "FLOAT" -> "CUDNN_DATA_FLOAT"
    methods: Mapping[str, Mapping[str, tuple[str, ...]]]  # "Handle" -> "__init__" -> C functions
    #: "MatmulDescriptor" -> "CUDNN_BACKEND_MATMUL_DESCRIPTOR", and its attributes alike
    descriptors: Mapping[str, tuple[str, Mapping[str, str]]]

    def c_names(self, text: str) -> tuple[str, ...]:
        """Return what a name stands for.

        Names such as `DataType`, `DataType.FLOAT`, `TensorDescriptor.set_4d`,
        `graph.MatmulDescriptor` or
        `graph.MatmulDescriptor.comp_type`.
        """
        name, _, member = text.partition(".")
        if name in _BACKEND:
            name, _, member = member.partition(".")
            c_name, attributes = self.descriptors.get(name, ("", {}))
            found = attributes.get(member) if member else c_name
            return (found,) if found else ()
        if not member:
            return (self.classes[name],) if name in self.classes else ()
        if member in self.members.get(name, ()):
            return (self.members[name][member],)
        return self.methods.get(name, {}).get(member, ())

    def is_class(self, text: str) -> bool:
        """Return whether a name is that of a class."""
        module, _, name = text.partition(".")
        return name in self.descriptors if module in _BACKEND else text in self.classes

    def python_names(self) -> Iterator[tuple[str, str]]:
        """Pairs of a Python name and a C name."""
        yield from self.classes.items()
        for name, (c_name, attributes) in self.descriptors.items():
            yield f"graph.{name}", c_name
            for attribute, c_attribute in attributes.items():
                yield f"graph.{name}.{attribute}", c_attribute
        for name, members in self.members.items():
            for member, c_name in members.items():
                yield f"{name}.{member}", c_name


@cache
def of_api(api: str) -> PythonNames:
    """Return the names of the API that `Release.api` names; no names if nothing was emitted."""
    releases = _releases()
    if api not in releases:
        return PythonNames({}, {}, {}, {})
    shared = releases[api]  # the release whose tables it has
    rows = import_module("cudnn_cffi._tables.rows").Rows(shared)
    classes: dict[str, str] = {}
    members: dict[str, Mapping[str, str]] = {}
    for name, (c_name, _, _, values) in (*rows.enums.items(), *rows.flags.items()):
        classes[name] = c_name
        members[name] = {member: value[0] for member, value in values.items()}
    classes.update((name, record[0]) for name, record in rows.records.items())
    classes.update(import_module("cudnn_cffi._index").FAMILIES)
    descriptors = import_module("cudnn_cffi._attributes").DESCRIPTORS
    return PythonNames(classes, members, _methods(), descriptors)


def newest() -> PythonNames:
    """Return the names of the newest API there is."""
    return of_api(max(_releases(), key=version_key, default=""))


@cache
def of_all() -> PythonNames:
    """Return the names of all APIs together: a name means the same in each that has it."""
    classes: dict[str, str] = {}
    members: dict[str, dict[str, str]] = {}
    for names in map(of_api, _releases()):
        classes |= names.classes
        for name, values in names.members.items():
            members.setdefault(name, {}).update(values)
    found = newest()
    return PythonNames(classes, members, found.methods, found.descriptors)


def _releases() -> Mapping[str, str]:
    try:
        releases: Mapping[str, str] = import_module("cudnn_cffi._index").RELEASES
    except ModuleNotFoundError:
        return {}
    return releases


@cache
def _methods() -> dict[str, dict[str, tuple[str, ...]]]:
    """For each class of descriptors, the C functions that each of its methods calls.

    From the compiled code of the module, which need not be run for that.
    """
    spec = find_spec("cudnn_cffi.families")
    code = spec.loader.get_code(spec.name) if spec and spec.loader else None  # type: ignore[attr-defined]
    if code is None:
        return {}
    found: dict[str, dict[str, tuple[str, ...]]] = {}
    for body in _inner(code):
        methods = {method.co_name: _functions(method) for method in _inner(body)}
        called = {name: functions for name, functions in methods.items() if functions}
        if called:
            # a class's own code names what it refers to itself: the function that destroys
            made = called.get("__init__", ()) + _functions(body)
            found[body.co_name] = {**called, "__init__": made}
    return found


def _inner(code: CodeType) -> list[CodeType]:
    return [constant for constant in code.co_consts if isinstance(constant, CodeType)]


def _functions(code: CodeType) -> tuple[str, ...]:
    return tuple(name for name in code.co_names if name.startswith("cudnn"))
