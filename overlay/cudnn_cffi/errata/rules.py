"""The errata JSON of NVIDIA's front end, which PyTorch and TensorFlow read as well.

A file has "version" 1 and "rules". A rule names the operations of a graph by a tag such as
"ConvFwd_Add_ReluFwd", an engine, and optionally knobs, a range of releases whose end is excluded,
and shapes of the input and the filter of a convolution, with -1 for any extent. `rule_id`, `arch`
and the fields of `_FIELDS` are all that there are.
"""

from __future__ import annotations

import re

from .. import errors
from .._tables.active import active
from .record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

#: Fields of rules with their types.
_FIELDS = {
    "rule_id": str, "operation": str, "engine": int, "knob": (list, dict, str),
    "input_shape": list, "filter_shape": list, "shape_format": str,
    "cudnn_version_start": int, "cudnn_version_end": int, "arch": str,
}  # fmt: skip

#: Parts of tags, and the operations that they name.
_TAGS = {
    "ConvFwd": "ConvolutionForward",
    "ConvBwdData": "ConvolutionBackwardData",
    "ConvBwdFilter": "ConvolutionBackwardFilter",
    "Matmul": "Matmul",
    "Reduction": "Reduction",
    "GenStats": "GenStats",
    "Add": "Pointwise ADD",
    "Mul": "Pointwise MUL",
    "Min": "Pointwise MIN",
    "Max": "Pointwise MAX",
    "Sqrt": "Pointwise SQRT",
    **{
        f"{name}{way}": f"Pointwise {name.upper()}_{way.upper()}"
        for name in ("Relu", "Tanh", "Sigmoid", "Elu", "Gelu", "Softplus", "Swish")
        for way in ("Fwd", "Bwd")
    },
}
_OF_OPERATIONS = {operation: tag for tag, operation in _TAGS.items()}

#: The ports of the input and the filter of a convolution.
_PORTS = {
    "ConvolutionForward": ("x", "w"),
    "ConvolutionBackwardData": ("dx", "w"),
    "ConvolutionBackwardFilter": ("x", "dw"),
}

#: The axes of a shape in each format, as a graph's tensors have them.
_AXES = {"NCHW": (0, 1, 2, 3), "NHWC": (0, 3, 1, 2)}

_PREFIX = "CUDNN_KNOB_TYPE_"


class DamagedError(Exception):
    """A rule that cannot be used, and why."""


def read(rule: object) -> Record:
    """Return the record of a rule.

    Raises:
        DamagedError: a field is missing, unknown or has a value that means nothing.
    """
    if not isinstance(rule, dict):
        raise DamagedError(f"expected an object, got {type(rule).__name__}")
    for name, value in rule.items():
        if name not in _FIELDS:
            raise DamagedError(f"there is no field {name!r}; there are {', '.join(_FIELDS)}")
        if not isinstance(value, _FIELDS[name]) or isinstance(value, bool):  # type: ignore[arg-type]
            raise DamagedError(f'"{name}": got {value!r}')
    if missing := {"rule_id", "operation", "engine"} - rule.keys():
        raise DamagedError(f'expected "{min(missing)}"')
    operations = _operations(rule["operation"])
    end = rule.get("cudnn_version_end", -1)
    where: dict[str, Any] = {"operations": operations}
    if tensors := _tensors(rule, operations[0]):
        where["tensors"] = tensors
    symptom = f"a rule of the front end blocks it: {rule['rule_id']}"
    return Record(
        id=rule["rule_id"],
        scope="engine",
        subjects=(operations[0].partition(" ")[0],),
        engines=(rule["engine"],),
        knobs=_knobs(rule.get("knob", [])),
        where=where,
        first=rule.get("cudnn_version_start") or None,
        last=None if end == -1 else end - 1,
        architectures=_architectures(rule.get("arch", "")),
        symptom=symptom,
        evidence="a rule",
        source="a file of the front end",
        verified=False,
        avoided=True,
    )


def _operations(tag: str) -> list[str]:
    found = []
    for part in tag.strip("_").split("_"):
        if part not in _TAGS:
            raise DamagedError(f"it matches nothing: no operation has the tag {part!r}")
        found.append(_TAGS[part])
    return found


def _knobs(given: Any) -> dict[str, int]:
    pairs = given.items() if isinstance(given, dict) else _split(given)
    names = {
        int(each): name.removeprefix(_PREFIX)
        for name, each in active().enum("BackendKnobType").__members__.items()
    }
    found = {}
    for name, value in pairs:
        number = re.fullmatch(r"k(\d{1,9})", name)
        if number is None or not re.fullmatch(r"-?\d{1,18}", str(value)):
            raise DamagedError(f'"knob": expected such as "k2=4", got {name}={value}')
        if int(number[1]) not in names:
            raise DamagedError(f"it matches nothing: no knob has the number {number[1]}")
        found[names[int(number[1])]] = int(value)
    return found


def _split(given: Any) -> Iterator[tuple[str, str]]:
    for each in [given] if isinstance(given, str) and given else given:
        if not isinstance(each, str):
            raise DamagedError(f'"knob": expected text, got {each!r}')
        name, _, value = each.partition("=")
        yield name, value


def _tensors(rule: Mapping[str, Any], operation: str) -> dict[str, object]:
    found: dict[str, object] = {}
    ports = _PORTS.get(operation, ())
    for name, port in zip(("input_shape", "filter_shape"), ports, strict=False):
        shape = rule.get(name)
        if shape is None:
            continue
        layout = rule.get("shape_format", "") if name == "input_shape" else "NCHW"
        if layout not in _AXES:
            raise DamagedError(f'"shape_format": expected NCHW or NHWC, got {layout!r}')
        if len(shape) != 4 or not all(type(each) is int and each >= -1 for each in shape):
            raise DamagedError(f'"{name}": expected 4 extents, or -1 for any, got {shape}')
        found[port] = {"shape": [shape[axis] for axis in _AXES[layout]]}
    if not ports and {"input_shape", "filter_shape"} & rule.keys():
        raise DamagedError("it matches nothing: shapes go with convolutions")
    return found


def _architectures(text: str) -> tuple[tuple[int, int], ...]:
    found = []
    for each in re.split(r"[\s,;]+", text.strip()) if text.strip() else ():
        number = re.fullmatch(r"(?:sm_?)?(\d{1,9})\.?(\d)", each.lower())
        if number is None:
            raise DamagedError(f'"arch": expected such as "sm_90", got {each!r}')
        found.append((int(number[1]), int(number[2])))
    return tuple(found)


def write(record: Record) -> Iterator[dict[str, object]]:
    """Yield the rules of a record: one for each of its engines.

    Raises:
        ErrataError: a rule cannot express the record.
    """
    where = record.where if isinstance(record.where, dict) else None
    operations: list[str] = (where or {}).get("operations", [])
    expressed = (
        record.scope == "engine"
        and where is not None
        and bool(operations)
        and where.keys() <= {"operations", "tensors"}
        and all(each in _OF_OPERATIONS for each in operations)
        and all(type(each) is int for each in record.knobs.values())
    )
    shapes = _shapes(where.get("tensors", {}), operations[0]) if expressed and where else None
    if shapes is None:
        raise errors.ErrataError(
            f"{record.id}: the front end's rules cannot express it",
            hint="they have the operations of a whole graph, engines, knobs, releases and shapes",
        )
    members = active().enum("BackendKnobType").__members__
    knobs = [f"k{int(members[name])}={value}" for name, value in record.knobs.items()]
    for engine in record.engines:
        several = len(record.engines) > 1
        yield {
            "rule_id": f"{record.id}-{engine}" if several else record.id,
            "operation": "_".join(_OF_OPERATIONS[each] for each in operations),
            "engine": engine,
            **({"knob": knobs} if knobs else {}),
            **shapes,
            "cudnn_version_start": record.first or 0,
            "cudnn_version_end": -1 if record.last is None else record.last + 1,
            **(
                {"arch": ",".join(f"sm_{major}{minor}" for major, minor in record.architectures)}
                if record.architectures
                else {}
            ),
        }


def _shapes(tensors: Mapping[str, Any], operation: str) -> dict[str, object] | None:
    found: dict[str, object] = {}
    ports = dict(zip(_PORTS.get(operation, ()), ("input_shape", "filter_shape"), strict=False))
    for port, facts in tensors.items():
        shape = facts.get("shape")
        if port not in ports or facts.keys() != {"shape"} or len(shape) != 4:
            return None
        if not all(type(each) is int for each in shape):
            return None
        found[ports[port]] = shape
        if ports[port] == "input_shape":
            found["shape_format"] = "NCHW"
    return found
