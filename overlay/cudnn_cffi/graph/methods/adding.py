"""Add nodes whose inputs and options are read from the arguments of a method, by the record."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, cast

from ..arguments import dimension, no_operand
from ..record.enum_words import data_type_name, enumerator, extents
from ..record.hints import SETTINGS, unknown_argument
from ..record.operation import COMPUTED, ENUMS
from ..tensors import Tensor

if TYPE_CHECKING:
    from ..builder import Builder
    from ..record.operation import Operation, Option, Port
    from ..record.types import DataTypeName, Options, Settings
    from ..tensors import Node, Operand


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
    rank = len(next(iter(inputs.values())).shape) if inputs else 0
    found: dict[str, object] = {} if options is None else dict(options)
    for name, option in operation.settings.items():
        value = given.get(name)
        if value is not None and name not in found:
            found[name] = _read(operation, option, value, rank)
    settings = cast("Settings", given["settings"])
    return _add(self, operation, inputs, cast("Options", found), results, settings)


def read_inputs(
    self: Builder,
    operation: Operation,
    given: Mapping[str, object],
    *,
    numbers: bool | None = None,
) -> dict[str, Tensor]:
    """Return the inputs of a node, by the names of its ports.

    Args:
        operation, given: as for `add`.
        numbers: whether to read only the ports that take numbers, or only the others.
    """
    inputs: dict[str, Tensor] = {}
    rank = 4 if numbers else None
    for port in operation.inputs:
        value = given.get(port.name)
        if (value is None and port.optional) or numbers is (port.number is None):
            continue
        if port.many:
            for number, each in enumerate(cast("Sequence[object]", value)):
                inputs[f"{port.name}{number}"] = _tensor(operation, port, each)
        elif port.number is None:
            inputs[port.name] = _tensor(operation, port, value)
        else:
            kind = None if port.number == COMPUTED else cast("DataTypeName", port.number)
            what = f"{operation.method} {port.name}"
            inputs[port.name] = self._operand(cast("Operand", value), what, rank, kind)
        if rank is None:
            rank = len(next(iter(inputs.values())).shape) if inputs else None
    return inputs


def add_one(
    self: Builder,
    operation: Operation,
    given: Mapping[str, object],
    options: Options | None = None,
) -> Tensor:
    """Add a node and return its first result; see `add`."""
    return next(iter(add(self, operation, given, options).outputs.values()))


def _add(
    self: Builder,
    operation: Operation,
    inputs: dict[str, Tensor],
    options: Options,
    results: Sequence[str],
    settings: Settings,
) -> Node:
    """Add a node of inputs and options that are read already."""
    results = results or (operation.outputs[0].name,)
    if not settings:
        return self.add_node(operation, inputs, options, None, results)
    for name in settings:
        if name not in SETTINGS:
            raise unknown_argument(self, operation, name)
    compute = settings.get("compute_data_type")
    if compute is not None:
        options["compute_data_type"] = data_type_name(compute)
    return self.add_node(
        operation,
        inputs,
        options,
        settings.get("name"),
        results,
        settings.get("data_type"),
        settings.get("strides"),
        settings.get("layout"),
    )


def _tensor(operation: Operation, port: Port, value: object) -> Tensor:
    if type(value) is not Tensor:
        raise no_operand(value, f"{operation.method} {port.name}", "a tensor")
    return value


def _read(operation: Operation, option: Option, value: object, rank: int) -> object:
    """Return the value of an option in the form that nodes keep."""
    what = f"{operation.method} {option.name}"
    if option.type in ENUMS:
        return enumerator(value, ENUMS[option.type], option.type)
    if option.type == "float":
        return float(cast("float", value))
    if option.type == "bool":
        return bool(value)
    if option.type in ("shape", "sizes"):
        return extents(value, option.name)
    return dimension(value, rank, what) if option.type == "axis" else value
