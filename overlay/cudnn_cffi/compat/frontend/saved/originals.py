"""Read plans of NVIDIA's front end: UBJSON, with cuDNN's own JSON of the plan in it."""

from __future__ import annotations

import json
import struct
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from .... import errors
from ....plan import saving
from ....plan.operand import Operand

#: The beginning of plans of the front end's own engines.
_IN_PYTHON = b"CUDNN_FE_PYPLAN"

_NUMBERS = {b"i": ">b", b"U": ">B", b"I": ">h", b"l": ">i", b"L": ">q", b"d": ">f", b"D": ">d"}
_CONSTANTS: dict[bytes, bool | None] = {b"Z": None, b"T": True, b"F": False}
#: Maximum depth of lists and objects in each other.
_DEEPEST = 60

#: Actions on memory after cuDNN's workspace before each execution.
_COPY, _ZERO = 0, 1


class Original(NamedTuple):
    """A plan that the original wrote.

    Attributes:
        text: the plan, as `Plan.from_json` takes it.
        tensors: of the program, with the fields of the original.
        hidden: numbers that are passed each time, by uid.
        aligned: the uids whose addresses have to be multiples of 16.
    """

    text: str
    tensors: list[dict[str, Any]]
    hidden: dict[int, list[float]]
    aligned: set[int]


def is_original(data: bytes) -> bool:
    """Return whether bytes begin as what the original writes."""
    return (data[:1] == b"{" and data[1:2] in _NUMBERS) or data.startswith(_IN_PYTHON)


def decode_ubjson(data: bytes) -> Any:
    """Return what UBJSON says.

    Raises:
        ArgumentError: it is damaged.
    """
    reader = _Reader(data)
    try:
        value = reader.value(reader.tag(), 0)
    except (struct.error, UnicodeDecodeError, OverflowError, ValueError) as error:
        raise _damaged(f"at byte {reader.at}: {error}") from None
    if reader.at != len(data):
        raise _damaged(f"{len(data) - reader.at} bytes follow it")
    return value


class _Reader:
    """A position in UBJSON."""

    def __init__(self, data: bytes) -> None:
        self.data, self.at = data, 0

    def tag(self) -> bytes:
        self.at += 1
        return self.data[self.at - 1 : self.at]

    def number(self, tag: bytes) -> Any:
        if tag not in _NUMBERS:
            raise ValueError(f"{tag!r} begins no number")
        (value,) = struct.unpack_from(_NUMBERS[tag], self.data, self.at)
        self.at += struct.calcsize(_NUMBERS[tag])
        return value

    def text(self) -> str:
        length = self.number(self.tag())
        if not isinstance(length, int) or not 0 <= length <= len(self.data) - self.at:
            raise ValueError(f"a text of {length} bytes ends after the data")
        self.at += length
        return self.data[self.at - length : self.at].decode()

    def value(self, tag: bytes, depth: int) -> Any:
        if depth > _DEEPEST:
            raise ValueError("lists lie too deep in each other")
        if tag in _CONSTANTS:
            return _CONSTANTS[tag]
        if tag in (b"S", b"H"):
            return self.text()
        if tag == b"[":
            values = []
            while (tag := self.tag()) != b"]":
                values.append(self.value(tag, depth + 1))
            return values
        if tag == b"{":
            fields = {}
            while self.data[self.at : self.at + 1] != b"}":
                name = self.text()
                fields[name] = self.value(self.tag(), depth + 1)
            self.at += 1
            return fields
        return self.number(tag)


def read_original(data: bytes) -> Original:
    """Return a plan that the original wrote, in the form of this package.

    Raises:
        ArgumentError: it is damaged, has no plan of cuDNN, or lacks a tensor.
    """
    if data.startswith(_IN_PYTHON):
        raise errors.ArgumentError(
            "deserialize: the plan is one of the front end's own kernels, which cudnn_cffi does "
            "not have",
            hint="build the graph anew: an engine of cuDNN may compute it",
        )
    saved = decode_ubjson(data)
    if not isinstance(saved, dict) or "cudnn_backend_data" not in saved:
        raise _damaged("it has no plan of cuDNN")
    try:
        return _converted(saved)
    except (KeyError, TypeError, ValueError, IndexError, AttributeError, struct.error) as error:
        raise _damaged(f"{type(error).__name__}: {error}") from error


def _converted(saved: dict[str, Any]) -> Original:
    plan = json.loads(saved["cudnn_backend_data"])
    known = {int(each["name"]): each for each in plan["operationGraph"]["tensors"]}
    described = {each["uid"]: each for each in saved.get("tensors", ())}
    memory = {int(uid): each for uid, each in saved.get("workspace_modifications", {}).items()}
    numbers = {int(uid): _number(each) for uid, each in saved.get("pass_by_values", {}).items()}
    written = {uid for node in saved.get("nodes", ()) for uid in node["outputs"].values()}
    views: dict[int, list[tuple[int, int]]] = {}
    for uid, (base, offset) in saved.get("variant_pack_replacements") or ():
        views.setdefault(base, []).append((uid, offset))
    replaced = {uid for each in views.values() for uid, _ in each}
    hidden: dict[int, list[float]] = {}
    operands = []
    for uid in sorted({*saved["variant_pack_uids"], *views} - replaced):
        fields = known.get(uid)
        if fields is None:
            operand = _operand_of_program(described[uid])
        else:
            operand = _operand(uid, fields, described.get(uid, {}).get("name"))
        operand = operand._replace(views=tuple(views.get(uid, ())))
        if uid in written:
            operand = operand._replace(role="output")
        if uid in numbers:
            operand = operand._replace(value=numbers[uid])
        if uid in memory:
            kind, _, bits = memory[uid]
            if kind == _COPY:
                hidden[uid] = _floats(bits, operand.data_type)
            else:
                operand = operand._replace(role="workspace", fill=0 if kind == _ZERO else None)
        operands.append(operand)
    roles = ("input", "output", "workspace")
    operands.sort(key=lambda each: (roles.index(each.role), each.uid))
    number = plan["cudnnVersion"]
    engine = plan.get("engine", {})
    text = saving.encode(
        release=f"{number // 10000}.{number // 100 % 100}.{number % 100}",
        device=str(plan["GPUProfile"]["deviceName"]),
        operands=tuple(_named(operands)),
        plan=saved["cudnn_backend_data"],
        engine=engine.get("engineId"),
        knobs={
            name.removeprefix("CUDNN_KNOB_TYPE_"): value
            for name, value in engine.get("knobChoices", {}).items()
        },
        notes=[],
        signature="",
        text="",
    )
    aligned = {int(uid) for uid in saved.get("aligned_operands", {})}
    return Original(text, list(described.values()), hidden, aligned)


def _operand(uid: int, fields: Mapping[str, Any], name: str | None) -> Operand:
    return Operand(
        name or f"tensor_{uid}",
        uid,
        tuple(fields["dim"]),
        tuple(fields["stride"]),
        fields["dataType"].removeprefix("CUDNN_DATA_"),
        fields["ptrAlignment"],
        by_value=bool(fields["isByValue"]),
    )


def _operand_of_program(fields: Mapping[str, Any]) -> Operand:
    """Return what only a slice of is part of the operation graph."""
    return Operand(
        fields.get("name") or f"tensor_{fields['uid']}",
        fields["uid"],
        tuple(fields["dim"]),
        tuple(fields["stride"]),
        fields["data_type"],
    )


def _named(operands: Sequence[Operand]) -> list[Operand]:
    """Return operands with names that differ, as plans want them."""
    taken: set[str] = set()
    result = []
    for each in operands:
        name = each.name if each.name not in taken else f"{each.name}_{each.uid}"
        taken.add(name)
        result.append(each._replace(name=name))
    return result


def _number(fields: Mapping[str, Any]) -> float:
    """Return a number that is passed by value; the original writes floats as hexadecimal bits."""
    value = fields["value"]
    return _float(value) if isinstance(value, str) else value


def _float(bits: str) -> float:
    return struct.unpack("=f", struct.pack("=I", int(bits, 16)))[0]


def _floats(bits: Sequence[str], data_type: str) -> list[float]:
    """Return numbers of an array; integers lie in the bits of floats, too."""
    code = "i" if data_type == "INT32" else "f"
    data = b"".join(struct.pack("=I", int(each, 16)) for each in bits)
    return list(struct.unpack(f"={len(bits)}{code}", data))


def _damaged(why: str) -> errors.ArgumentError:
    return errors.ArgumentError(
        f"deserialize: the data of NVIDIA's front end is damaged: {why}",
        hint="build the plan anew",
    )
