"""Add nodes whose inputs and options are read from the arguments of a method, by the record."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from ..._support.arguments import boolean, integers, real
from ..arguments import dimension, is_iterable, no_operand
from ..record.enum_words import data_type_name, enumerator, extents
from ..record.hints import SETTINGS, unknown_argument
from ..record.operation import ENUMS
from ..tensors import Tensor

if TYPE_CHECKING:
    from ..builder import Builder
    from ..record.operation import Operation
    from ..record.types import Options, Settings
    from ..tensors import Node


def add(
    self: Builder,
    operation: Operation,
    given: Mapping[str, object],
    options: Options | None = None,
    results: Sequence[str] = (),
) -> Node:
    """Add a node.

    Args:
        operation: its record.
        given: arguments by the names of ports and options, None for those that are not given;
            "settings" has the settings that all operations take. Other names are passed over.
        options: the options that are read already.
        results: the ports of the wanted results; without any, the first one.

    Raises:
        ArgumentError: an input is missing, is no tensor or number, or an option is not possible.
    """
    inputs = read_inputs(self, operation, given)
    found = {} if options is None else options
    for name, _, kind, _ in operation.settings.values():
        value = given.get(name)
        if value is not None and name not in found:
            found[name] = _read(operation, name, kind, value, inputs)  # type: ignore[literal-required]
    settings: Settings = given["settings"]  # type: ignore[assignment]
    results = results or (operation.outputs[0].name,)
    if not settings:
        return self._add_node(operation, inputs, found, None, results)
    for name in settings:
        if name not in SETTINGS:
            raise unknown_argument(self, operation, name)
    compute = settings.get("compute_data_type")
    if compute is not None:
        found["compute_data_type"] = data_type_name(compute)
    return self._add_node(
        operation,
        inputs,
        found,
        settings.get("name"),
        results,
        settings.get("data_type"),
        settings.get("strides"),
        settings.get("layout"),
    )


def read_inputs(
    self: Builder, operation: Operation, given: Mapping[str, object], *, numbers: bool | None = None
) -> dict[str, Tensor]:
    """Return the inputs of a node, by the names of its ports.

    Args:
        operation, given: as for `add`.
        numbers: whether to read only the ports that take numbers, or only the others.
    """
    inputs: dict[str, Tensor] = {}
    rank = 4 if numbers else None
    for name, _, optional, many, number, _ in operation.inputs:
        value = given.get(name)
        if (value is None and optional) or numbers is (number is None):
            continue
        if number is None and type(value) is Tensor:
            inputs[name] = value
        elif many:
            if not is_iterable(value):
                raise no_operand(value, f"{operation.method} {name}", "a sequence of tensors")
            for index, each in enumerate(value):
                inputs[f"{name}{index}"] = _tensor(operation, name, each)
        elif number is None:
            inputs[name] = _tensor(operation, name, value)
        else:
            if rank is None and inputs:
                rank = len(next(iter(inputs.values())).shape)
            what = f"{operation.method} {name}"
            inputs[name] = self._operand(value, what, rank, number or None)  # type: ignore[arg-type]
    return inputs


def add_one(
    self: Builder, operation: Operation, given: Mapping[str, object], options: Options | None = None
) -> Tensor:
    """Add a node and return its first result; see `add`."""
    return next(iter(add(self, operation, given, options).outputs.values()))


def _tensor(operation: Operation, port: str, value: object) -> Tensor:
    if type(value) is not Tensor:
        raise no_operand(value, f"{operation.method} {port}", "a tensor")
    return value


def _read(
    operation: Operation, name: str, kind: str, value: object, inputs: dict[str, Tensor]
) -> object:
    """Return the value of an option in the form that nodes keep."""
    if kind in ENUMS:
        return enumerator(value, ENUMS[kind], kind)
    if kind == "int":
        return integers(**{name: value})[0]
    if kind == "float":
        return real(value, name)
    if kind == "bool":
        return boolean(value, name)
    if kind in ("shape", "sizes"):
        return extents(value, name)
    if kind == "axis":
        rank = len(next(iter(inputs.values())).shape)
        return dimension(value, rank, f"{operation.method} {name}")
    return value
