"""A case: a graph, an engine with its knobs, data by seed, and the expected results."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any

import numpy as np

from ... import errata, errors
from ..._support.results import NamedTuple
from ...graph import Graph
from ...graph.finalize import operands
from ...plan.operand import Operand
from ..evaluate import NoReferenceError, reference
from . import data
from .judge import Expected, expect

if TYPE_CHECKING:
    Data = str | float | Sequence[float]

#: The fields of a case as JSON has them, beside the graph.
SCHEMA = "cudnn_cffi.repro"

#: Maximum number of elements, of all tensors of a graph, that NumPy computes with.
_MOST = 1 << 25

#: Maximum number of elements that may be given one by one.
_MOST_GIVEN = 1 << 15


class Case(NamedTuple):
    """A case, as files have it.

    Attributes:
        graph: the graph.
        engine: the index of the engine.
        knobs: values of its knobs by name.
        seed: of the data.
        data: for each input one of `data.KINDS`, a number, or all elements.
        checksums: of the inputs' memory, in hexadecimal.
        expected: the outputs; empty if there is nothing to compare with.
        reference: how the expected results were computed, or why there are none.
        release: of the cuDNN that the file was written with.
        without: the records of functions without which the graph is built.
    """

    graph: Graph
    engine: int
    knobs: Mapping[str, int]
    seed: int
    data: Mapping[str, Data]
    checksums: Mapping[str, str]
    expected: tuple[Expected, ...]
    reference: str
    release: str
    without: Sequence[str] = ()

    @property
    def operands(self) -> tuple[Operand, ...]:
        """Return the operands of a plan of the graph."""
        return operands(self.graph.lowered(), self.graph)

    def inputs(self) -> dict[str, Any]:
        """Return the memory of the inputs in device memory by name; see `data.memory`."""
        return {
            each.name: data.memory(each, self.data[each.name], self.seed)
            for each in self.operands
            if each.role == "input" and each.is_argument and not each.by_value
        }

    def numbers(self) -> dict[str, float]:
        """Return the inputs that are numbers in host memory."""
        return {
            each.name: float(self.data[each.name])  # type: ignore[arg-type]
            for each in self.operands
            if each.role == "input" and each.is_argument and each.by_value
        }

    def exact(self, inputs: Mapping[str, Any]) -> dict[str, Any]:
        """Return the outputs in float64 by name.

        Raises:
            NoReferenceError: a node has no function in NumPy here, or there are too many elements.
        """
        count = sum(math.prod(each.shape) for each in self.graph.tensors.values())
        if count > _MOST:
            raise NoReferenceError(f"{count} elements, which take long")
        given: dict[str, Any] = dict(self.numbers())
        for each in self.operands:
            if each.name in inputs:
                given[each.name] = data.seen(inputs[each.name], each)
        return reference(self.graph, given)

    def to_json(self) -> str:
        """Return the case as JSON; each value of the graph on a line of its own."""
        fields = self._asdict() | {
            "graph": json.loads(self.graph.to_json()),
            "expected": [each._asdict() for each in self.expected],
        }
        lines = [f" {json.dumps(key)}: {json.dumps(value)}" for key, value in fields.items()]
        return "{\n" + ",\n".join([f' "schema": "{SCHEMA}"', *lines]) + "\n}"

    @classmethod
    def from_json(cls, text: str) -> Case:
        """Return the case that `to_json` wrote.

        Raises:
            ArgumentError: it is something else, or damaged.
            GraphError: its graph is damaged.
        """
        try:
            fields: dict[str, Any] = json.loads(text)
            if fields.pop("schema") != SCHEMA:
                raise ValueError("its schema is another")
            fields["graph"] = Graph.from_json(json.dumps(fields["graph"]))
            fields["expected"] = tuple(Expected(**each) for each in fields["expected"])
            return cls(**fields)
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            raise errors.ArgumentError(f"expected the JSON of a case: {error}") from None


def without_errata(ids: Iterable[str] = ()) -> AbstractContextManager[object]:
    """Return what lets graphs be built that the package would refuse or change.

    Args:
        ids: of records of functions.
    """
    return errata.off(*ids, *(each.id for each in errata.records() if each.scope == "graph"))


def make(
    graph: Graph,
    engine: int,
    knobs: Mapping[str, int],
    seed: int,
    given: Mapping[str, Any],
    tolerance: float | Mapping[str, float] | None,
    release: str,
    without: Sequence[str] = (),
) -> Case:
    """Return a case with its data and its expected results.

    Raises:
        ArgumentError: `given` names no input, or has data of another kind or length; or an input of
            integers, which usually are indices, is not among it.
        NotSupportedError: no data can be made for the data type of an array.
    """
    taken = [each for each in operands(graph.lowered(), graph) if each.is_argument]
    inputs = {each.name: each for each in taken if each.role == "input"}
    _check_tolerance(tolerance, [each.name for each in taken if each.role == "output"])
    for name in given:
        if name not in inputs:
            raise errors.ArgumentError(
                f"data: there is no input {name!r}", hint=f"one of {', '.join(inputs)}"
            )
    chosen = {name: _checked(each, given.get(name)) for name, each in inputs.items()}
    for each in taken:
        if not each.by_value:
            data.format_of(each)
    case = Case(graph, engine, dict(knobs), seed, chosen, {}, (), "", release, without)
    memory = case.inputs()
    sums = {name: f"{data.checksum(each):#018x}" for name, each in memory.items()}
    case = case._replace(checksums=sums)
    try:
        exact = case.exact(memory)
    except NoReferenceError as error:
        return case._replace(reference=f"none: NumPy does not compute {error}")
    return with_expected(case, exact, tolerance, {})


def _check_tolerance(given: Any, outputs: Sequence[str]) -> None:
    for name, value in (given if isinstance(given, Mapping) else {"": given}).items():
        if name and name not in outputs:
            raise errors.ArgumentError(
                f"tolerance: there is no output {name!r}", hint=f"one of {', '.join(outputs)}"
            )
        is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
        if value is not None and not (is_number and value >= 0):
            raise errors.ArgumentError(f"tolerance: expected a number from 0 on, got {value!r}")


def with_expected(
    case: Case,
    exact: Mapping[str, Any],
    tolerance: float | Mapping[str, float] | None,
    worst: Mapping[str, Sequence[int]],
) -> Case:
    """Return a case that expects outputs, among them the elements that were the furthest off."""
    limits: Mapping[str, float] = tolerance if isinstance(tolerance, Mapping) else {}
    common = None if isinstance(tolerance, Mapping) else tolerance
    expected = tuple(
        expect(exact[each.name], each, limits.get(each.name, common), worst.get(each.name, ()))
        for each in case.operands
        if each.role == "output"
    )
    return case._replace(expected=expected, reference="NumPy, node by node in float64")


def _checked(operand: Operand, given: Any) -> Data:
    """Return the data of an input, checked."""
    where = f"data of {operand.name}"
    if given is None:
        if operand.data_type in data.INDICES:
            raise errors.ArgumentError(
                f"{where}: expected its elements, since it is {operand.data_type}, which usually "
                "is an index, a length or a seed",
                hint=f"data={{{operand.name!r}: ...}}: a number, or all elements",
            )
        if operand.by_value:
            return 1.0
        return "positive" if operand.name.startswith("inv_variance") else "normal"
    if isinstance(given, str):
        if given not in data.KINDS or operand.by_value:
            raise errors.ArgumentError(
                f"{where}: there is no kind {given!r}",
                hint="pass a number" if operand.by_value else f"one of {', '.join(data.KINDS)}",
            )
        return given
    try:
        values = np.asarray(given, np.float64)
    except (TypeError, ValueError):
        raise errors.ArgumentError(f"{where}: expected numbers, got {given!r}") from None
    kept = data.FORMATS.get(operand.data_type)
    if kept is not None and not kept.exponent:
        wrong = values[values != np.rint(np.clip(values, kept.smallest, kept.largest))]
        if wrong.size:
            raise errors.ArgumentError(
                f"{where}: expected whole numbers from {kept.smallest:.0f} to {kept.largest:.0f}, "
                f"got {wrong[0]}"
            )
    if values.ndim == 0:
        return float(values)
    count = int(np.prod(operand.shape))
    if operand.by_value or values.size != count or count > _MOST_GIVEN:
        raise errors.ArgumentError(
            f"{where}: expected a kind, a number, or {count} elements, at most {_MOST_GIVEN}; got "
            f"{values.size}"
        )
    return [float(each) for each in values.ravel()]
