"""Reads what the library logs of a descriptor: fields with a C type and a value.

The format of the log is not documented: text that is not understood is ignored, never an error.
"""

from __future__ import annotations

import math
import re
import sys
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from ..lab.bench import SUCCESS
from ..lab.recipes import TENSOR

Value = int | float | bool | str

_HEAD = re.compile(
    r"(?P<name>\w*)(?:\[\d*\])?: type=(?P<type>[\w*]+)(?:; val=(?P<value>[^\n]*);|:)"
)
_MEMBER = re.compile(r"(?P<name>CUDNN_\w+) \((?P<number>-?\d+)\)")


class Field(NamedTuple):
    """A field of a descriptor, as cuDNN's log shows it."""

    name: str  # "" where the log gives none
    type: str  # the C type, or the descriptor type of a child
    value: str  # "" of a child
    text: str  # all of it, with the children

    @property
    def child(self) -> bool:
        """Return whether it is a descriptor."""
        return self.type.startswith("CUDNN_BACKEND_")

    @property
    def number(self) -> Value | None:
        """The value as a number; of an enum its number."""
        member = _MEMBER.fullmatch(self.value)
        text = member["number"] if member else self.value
        if text in ("true", "false"):
            return text == "true"
        try:
            return _exact(float(text)) if self.type in ("float", "double") else int(text)
        except ValueError:
            return None

    @property
    def member(self) -> str | None:
        """The enumerator, where the log names one."""
        member = _MEMBER.fullmatch(self.value)
        return member["name"] if member else None

    def shows(self, values: Sequence[object]) -> bool:
        """Return whether the field shows the value that was set."""
        if self.value.startswith("["):
            return self.value.strip("[]").replace(" ", "") == ",".join(map(str, values))
        return len(values) == 1 and self.number is not None and self.number == values[0]


def _exact(number: float) -> float:
    """Return a logged number: six digits are enough for all defaults but the largest float."""
    largest = sys.float_info.max
    return math.copysign(largest, number) if f"{abs(number):g}" == f"{largest:g}" else number


def parse(dump: Sequence[str]) -> list[Field]:
    """Return the fields of a dump as generator.lab.child answers it."""
    fields = []
    for text in dump:
        head = _HEAD.match(text)
        if head:
            fields.append(Field(head["name"], head["type"], head["value"] or "", text))
    return fields


def changed(before: Sequence[Field], after: Sequence[Field]) -> tuple[int | None, Field] | None:
    """Return the one field that differs: its index (None if it was not shown), and its value now.

    Returns:
        None where none differs, or several do: a wrong child spills into its neighbours.
    """
    if len(before) == len(after):
        found = [index for index, (a, b) in enumerate(zip(before, after, strict=True)) if a != b]
        return (found[0], after[found[0]]) if len(found) == 1 else None
    rest = list(before)
    new = []
    for field in after:
        if field in rest:
            rest.remove(field)
        else:
            new.append(field)
    return (None, new[0]) if len(new) == 1 and not rest else None


def goes_into(target: str, fresh: Sequence[Field], answer: Mapping[str, Any], mark: int) -> bool:
    """Return whether a child of this type was set, and the field that shows it has its type.

    Args:
        target: the type.
        fresh: the fields before.
        answer: that of the job that set it.
        mark: the identifier of a tensor, to find it again.
    """
    if answer.get("set", [""])[-1] != SUCCESS:
        return False
    change = changed(fresh, parse(answer.get("dump", ())))
    if change is None or change[1].type != target:
        return False
    index, field = change
    own = f"val={mark};" in field.text
    if index is not None and fresh[index].child:
        return fresh[index].type == target and (target != TENSOR or own)
    return target == TENSOR and own
