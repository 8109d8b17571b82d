"""The recipes of the generator, built through the emitted classes: for programs of the tests."""

from __future__ import annotations

import ctypes
from pathlib import Path
from typing import Any

from cudnn_cffi import backend
from cudnn_cffi._attributes import DESCRIPTORS

from generator.lab.recipes import load

ROOT = Path(__file__).parents[2]
DEVICE = ROOT / "generator/lab/device.json"

#: Classes by descriptor type.
CLASSES = {row[0]: getattr(backend, name) for name, row in DESCRIPTORS.items()}


def preload(libraries: list[str]) -> None:
    """Load what stands in for the driver's library."""
    for library in libraries:
        ctypes.CDLL(library, ctypes.RTLD_GLOBAL)


def tensor(
    dims: list[int], type: str = "CUDNN_DATA_FLOAT", *, by_value: bool = False, uid: int = 1
) -> backend.TensorDescriptor:
    """Return a packed tensor."""
    strides = [1]
    for size in reversed(dims[1:]):
        strides.insert(0, strides[0] * size)
    return backend.TensorDescriptor(
        data_type=type,
        dimensions=dims,
        strides=strides,
        unique_id=uid,
        byte_alignment=16,
        is_by_value=True if by_value else None,
    )


class Replay:
    """Builds a descriptor of each type that has a recipe, with its children."""

    def __init__(self) -> None:
        self.made: dict[str, Any] = {}

    def keywords(self, c_name: str) -> list[dict[str, Any]]:
        """Return what the recipes of a type set, without what this release lacks."""
        known = {each.c_name: each for each in CLASSES[c_name].attributes()}
        found = []
        for recipe in load().get(c_name, ()):
            values = {}
            for place, (name, value) in enumerate(recipe.items(), 1):
                if attribute := known.get(name):
                    several = value if isinstance(value, list) else [value]
                    elements = [self._value(each, place + i) for i, each in enumerate(several)]
                    values[attribute.name] = elements if attribute.many else elements[0]
            found.append(values)
        return found

    def _value(self, value: Any, uid: int) -> Any:
        if not isinstance(value, str):
            return value
        if value == "device.json":
            return DEVICE.read_text(encoding="utf-8")
        if value.startswith("CUDNN_BACKEND_"):
            return self.build(value)
        return value if value.startswith("CUDNN_") else tensor(uid=uid, **load()["tensors"][value])

    def build(self, c_name: str) -> Any:
        """Return the descriptor of a type, of the first recipe that this release finalizes."""
        if c_name not in self.made:
            failure: Exception = LookupError(f"no recipe of {c_name}")
            for values in self.keywords(c_name):
                try:
                    self.made[c_name] = CLASSES[c_name](**values)
                    break
                except Exception as error:
                    failure = error
            else:
                raise failure
        return self.made[c_name]
