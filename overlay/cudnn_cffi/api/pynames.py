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

from .model import version_key


class PythonNames(msgspec.Struct, frozen=True):
    """What the package offers beside the C names, which are all names in Python too."""

    classes: Mapping[str, str]  # "DataType" -> "cudnnDataType_t"
    members: Mapping[str, Mapping[str, str]]  # "DataType" -> "FLOAT" -> "CUDNN_DATA_FLOAT"
    methods: Mapping[str, Mapping[str, tuple[str, ...]]]  # "Handle" -> "__init__" -> C functions

    def c_names(self, text: str) -> tuple[str, ...]:
        """Return what `DataType`, `DataType.FLOAT` or `TensorDescriptor.set_4d` stands for."""
        name, _, member = text.partition(".")
        if not member:
            return (self.classes[name],) if name in self.classes else ()
        if member in self.members.get(name, ()):
            return (self.members[name][member],)
        return self.methods.get(name, {}).get(member, ())

    def python_names(self) -> Iterator[tuple[str, str]]:
        """Pairs of a Python name and a C name."""
        yield from self.classes.items()
        for name, members in self.members.items():
            for member, c_name in members.items():
                yield f"{name}.{member}", c_name


@cache
def of_api(api: str) -> PythonNames:
    """Return the names of the API that `Release.api` names; no names if nothing was emitted."""
    classes: dict[str, str] = {}
    members: dict[str, Mapping[str, str]] = {}
    try:
        index = import_module("cudnn_cffi._index")
    except ModuleNotFoundError:
        return PythonNames({}, {}, {})
    if api not in index.RELEASES:
        return PythonNames({}, {}, {})
    shared = index.RELEASES[api]  # the release whose tables it has
    tables = import_module(f"cudnn_cffi.tables.v{shared.replace('.', '_')}")
    for name, (c_name, _, _, values) in (*tables.ENUMS.items(), *tables.FLAGS.items()):
        classes[name] = c_name
        members[name] = {member: value[0] for member, value in values.items()}
    classes.update((name, record[0]) for name, record in tables.RECORDS.items())
    classes.update(index.FAMILIES)
    return PythonNames(classes, members, _methods())


def newest() -> PythonNames:
    """Return the names of the newest API there is."""
    try:
        releases = import_module("cudnn_cffi._index").RELEASES
    except ModuleNotFoundError:
        return PythonNames({}, {}, {})
    return of_api(releases[max(releases, key=version_key)])


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
