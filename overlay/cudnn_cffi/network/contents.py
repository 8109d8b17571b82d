"""The contents of a network's file, for people and programs."""

from __future__ import annotations

import json
import os

from .._support.output import write
from .._support.results import NamedTuple
from ..plan.operand import Operand
from ..versions import version_name
from . import format as f
from .reading import read_file

_SIDES = ("inputs", "outputs")


class Contents(NamedTuple):
    """The contents of a file.

    Attributes:
        path: of the file.
        inputs, outputs: what a call takes and returns, as `Operand`.
        steps: how many there are, and `plans` how many different plans of cuDNN's.
        weights, arena, workspace, size: bytes of weights, of memory between steps, of the largest
            workspace, and of the file.
        device, release, cuda: what runs it: the device's name, cuDNN, and CUDA's major version.
        has_sources: whether all plans can be built anew, for another device or release.
    """

    path: str
    inputs: tuple[Operand, ...]
    outputs: tuple[Operand, ...]
    steps: int
    plans: int
    weights: int
    arena: int
    workspace: int
    size: int
    device: str
    release: str
    cuda: int
    has_sources: bool

    def to_dict(self) -> dict[str, object]:
        """Return the fields by name, with operands as dicts."""
        sides = {name: [each._asdict() for each in getattr(self, name)] for name in _SIDES}
        return self._asdict() | sides

    def __str__(self) -> str:
        rows = [
            *((f"input {each.name}", _describe(each)) for each in self.inputs),
            *((f"output {each.name}", _describe(each)) for each in self.outputs),
            ("device", f"{self.device}, cuDNN {self.release}, CUDA {self.cuda}"),
            ("steps", f"{self.steps}, {self.plans} different plans"),
            ("weights", f"{self.weights} bytes"),
            ("memory", f"{self.arena} bytes between steps, {self.workspace} of workspace"),
            ("file", f"{self.size} bytes, {'with' if self.has_sources else 'without'} graphs"),
        ]
        width = max(len(name) for name, _ in rows)
        return "\n".join([self.path, *(f"  {name:{width}}  {text}" for name, text in rows)])


def _describe(operand: Operand) -> str:
    return f"{operand.data_type} {operand.shape} strides {operand.strides}"


def main(path: str, *, as_json: bool = False) -> int:
    """Print the contents of a file, and return the exit status."""
    found = read_contents(path)
    write(f"{json.dumps(found.to_dict()) if as_json else found}\n")
    return 0


def read_contents(path: str | os.PathLike[str]) -> Contents:
    """Return what the file of a network has; it needs no device.

    Raises:
        NetworkFileError: it is damaged, cut off, or of a newer format.
        OSError: it cannot be read.
    """
    file = read_file(path)
    header, operands = file.header, [each.operand for each in file.tensors]
    return Contents(
        os.fspath(path),
        tuple([each for each in operands if each.role == "input"]),
        tuple([each for each in operands if each.role == "output"]),
        len(file.steps),
        len(file.plans),
        header.weights,
        header.arena,
        max([each.workspace for each in file.plans], default=0),
        header.size,
        f.from_name(header.device),
        version_name(header.release),
        header.cuda,
        all(each.source_size for each in file.plans),
    )
