"""Examples: the shortest programs that run, by the arrays that they take."""

from __future__ import annotations

import ast
import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, cast

if TYPE_CHECKING:
    from cudnn_cffi.types import DTypeWord

_EXAMPLES = Path(__file__).parent / "examples"

#: Data types as PyTorch calls them.
_TYPES = {"half": "torch.half", "int32": "torch.int32", "int64": "torch.int64"}


class Array(NamedTuple):
    """An array of an example.

    Attributes:
        shape: its extents.
        dtype: a word such as "half".
        numbers: what it holds, where that matters.
    """

    shape: tuple[int, ...]
    dtype: DTypeWord
    numbers: str = ""

    @classmethod
    def read(cls, text: str) -> Array:
        """Return what a text says: extents or numbers in brackets, then a data type."""
        numbers, bracket, rest = text.rpartition("]")
        if bracket:
            numbers += bracket
            shape, rows = [], ast.literal_eval(numbers)
            while isinstance(rows, list):
                shape.append(len(rows))
                rows = rows[0]
            return cls(tuple(shape), cast("DTypeWord", rest.strip()), numbers)
        words = text.replace(",", " ").split()
        dtype = words.pop() if words and not words[-1].isdigit() else "float32"
        return cls(tuple(map(int, words)), cast("DTypeWord", dtype))

    def code(self, name: str) -> str:
        """Return the line that makes it in PyTorch."""
        kind = _TYPES.get(self.dtype)
        last = (f"dtype={kind}, " if kind else "") + 'device="cuda"'
        if self.numbers:
            return f"{name} = torch.tensor({self.numbers}, {last})"
        is_count = self.dtype.startswith("int")
        maker = "zeros" if is_count else "ones" if "variance" in name else "randn"
        extents = ", ".join(map(str, self.shape)) or "()"
        return f"{name} = torch.{maker}({extents}, {last})"


class Sample(NamedTuple):
    """An example as a file describes it.

    Attributes:
        arrays: by their names.
        call: the arguments.
        code: a program in place of both.
        outputs: names of results, where there are several; with a point, attributes of one.
        operation: the one that computes it, where it has another name.
        make: the arguments of a module.
    """

    arrays: Mapping[str, Array]
    call: str
    code: str
    outputs: str = ""
    operation: str = ""
    make: str = ""


@cache
def samples(name: str) -> Mapping[str, Sample]:
    """Return the examples of a file, by what they are of."""
    text = (_EXAMPLES / f"{name}.toml").read_text(encoding="utf-8")
    found = {}
    for word, entry in tomllib.loads(text).items():
        told = {key: entry.pop(key, "").strip() for key in Sample._fields if key != "arrays"}
        told["call"] = told["call"] or ", ".join(entry)
        found[word] = Sample({key: Array.read(each) for key, each in entry.items()}, **told)
    return found
