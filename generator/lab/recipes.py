"""Valid descriptors of each type, written down in recipes.toml, for the library of one release."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from cudnn_cffi.api.model import Api

RECIPES = Path(__file__).with_name("recipes.toml")

DESCRIPTOR = "CUDNN_TYPE_BACKEND_DESCRIPTOR"
TENSOR = "CUDNN_BACKEND_TENSOR_DESCRIPTOR"

#: One call of cudnnBackendSetAttribute: attribute, type, values, and the count where it is not
#: the number of values.
Step = list[Any]

#: Values that are set on a descriptor, by attribute.
State = dict[str, Step]


class MissingError(Exception):
    """Something that a recipe wants and the release does not have; the text is its name."""


@cache
def load(path: Path = RECIPES) -> Mapping[str, Any]:
    """Return the table: descriptor type -> recipes, and the tensors by name."""
    return tomllib.loads(path.read_text(encoding="utf-8"))


def stem(name: str) -> str:
    """Return a descriptor type's name without what all of them share."""
    return name.removeprefix("CUDNN_BACKEND_").removesuffix("_DESCRIPTOR")


class Recipes:
    """The recipes for one release."""

    def __init__(
        self,
        api: Api,
        types: Mapping[str, Sequence[str]],
        device: str,
        table: Mapping[str, Any] | None = None,
    ) -> None:
        """Keep the parts of recipes that a release has names for.

        Args:
            api: the model of the release; its enumerators are what values are made from.
            types: the types of each attribute that the release has.
            device: a device as cuDNN describes it in JSON.
            table: the recipes, by default those of this package.
        """
        self._table = load() if table is None else table
        self._types = types
        self._device = device
        self._numbers = {m.name: m.value for enum in api.enums for m in enum.enumerators}
        #: Descriptor type -> the recipe of a finalized one; filled by the code that found it.
        self.found: dict[str, dict[str, Any]] = {}

    def states(self, descriptor: str) -> Iterator[State]:
        """Yield the recipes of a type, without the attributes that the release does not have."""
        for recipe in self._table.get(descriptor, ()):
            try:
                yield {
                    name: self.step(name, value, index)
                    for index, (name, value) in enumerate(recipe.items(), 1)
                    if self._types.get(name)
                }
            except MissingError:
                continue

    def step(self, attribute: str, value: Any, uid: int = 1) -> Step:
        """Return a step that sets `attribute` to a value as recipes.toml writes it.

        Raises:
            MissingError: an enumerator, or a descriptor that cannot be made.
        """
        values = value if isinstance(value, list) else [value]
        type_ = self._types[attribute][0]
        return [
            attribute,
            type_,
            [self._value(one, uid + index) for index, one in enumerate(values)],
        ]

    def _value(self, value: Any, uid: int) -> Any:
        if not isinstance(value, str):
            return value
        if value == "device.json":
            return self._device
        if value.startswith("CUDNN_BACKEND_"):
            if value not in self.found:
                raise MissingError(value)
            return self.found[value]
        if value.startswith("CUDNN_"):
            if value not in self._numbers:
                raise MissingError(value)
            return self._numbers[value]
        return self.tensor(uid=uid, **self._table["tensors"][value])

    def tensor(
        self,
        dims: Sequence[int],
        type: str = "CUDNN_DATA_FLOAT",
        *,
        by_value: bool = False,
        uid: int = 1,
    ) -> dict[str, Any]:
        """Return a job that makes a packed tensor.

        Raises:
            MissingError: its data type.
        """
        if type not in self._numbers:
            raise MissingError(type)
        strides = [1]
        for size in reversed(dims[1:]):
            strides.insert(0, strides[0] * size)
        values = {
            "DATA_TYPE": ("DATA_TYPE", [self._numbers[type]]),
            "DIMENSIONS": ("INT64", list(dims)),
            "STRIDES": ("INT64", strides),
            "UNIQUE_ID": ("INT64", [uid]),
            "BYTE_ALIGNMENT": ("INT64", [16]),
        }
        if by_value:
            values["IS_BY_VALUE"] = ("BOOLEAN", [True])
        steps = [
            [f"CUDNN_ATTR_TENSOR_{name}", f"CUDNN_TYPE_{type_}", data, None]
            for name, (type_, data) in values.items()
        ]
        return {"descriptor": TENSOR, "set": steps}

    def tensors(self, uid: int = 1) -> list[dict[str, Any]]:
        """Every tensor of the table that the release has."""
        made = []
        for tensor in self._table["tensors"].values():
            try:
                made.append(self.tensor(uid=uid, **tensor))
            except MissingError:
                continue
        return made


def longer(state: State, names: Iterable[str], length: int) -> State:
    """Return the lists and numbers in `names` with another length, tensors with another rank."""
    changed = dict(state)
    for name in names:
        attribute, type_, values = state[name][:3]
        if type_ == DESCRIPTOR:
            changed[name] = [attribute, type_, [_ranked(one, length) for one in values]]
        elif attribute.endswith("_SPATIAL_DIMS"):
            changed[name] = [attribute, type_, [length]]
        elif len(set(values)) == 1:
            changed[name] = [attribute, type_, values[:1] * length]
        else:
            changed[name] = [attribute, type_, list(range(length))]
    return changed


def _ranked(job: Any, rank: int) -> Any:
    if not isinstance(job, dict) or job.get("descriptor") != TENSOR:
        return job
    steps = []
    for attribute, type_, values, count in job["set"]:
        if attribute.endswith(("_DIMENSIONS", "_STRIDES")):
            fill = values[0] if attribute.endswith("_STRIDES") else 1
            values = [fill] * (rank - len(values)) + values[max(0, len(values) - rank) :]
        steps.append([attribute, type_, values, count])
    return {**job, "set": steps}
