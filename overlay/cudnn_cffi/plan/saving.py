"""Plans as JSON: cuDNN's own text, with what this package has to know beside it.

A digest over all of it finds damage. cuDNN itself ends the process for some texts that are damaged,
and takes others, in which only a number has changed.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TypedDict, cast

from .. import driver as _driver
from .. import errors, library
from ..driver import graphs
from .operand import Operand, check_operands

#: The number of the form of these texts; form 1 has no graph.
SCHEMA = 2

#: Properties that tell a device from others, by the names in cuDNN's own JSON.
Profile = dict[str, object]


class Part(TypedDict, total=False):
    """A part of a sequence: a plan as JSON or a copy, and where its operands are."""

    plan: str
    copy: CopyFields
    places: dict[str, tuple[str, int]]


class Saved(TypedDict, total=False):
    """A saved plan or sequence, as `decode` returns it."""

    schema: int
    digest: str
    cuda: int
    release: str
    device: str
    operands: tuple[Operand, ...]
    notes: list[str]
    signature: str
    text: str
    plan: str
    engine: int | None
    knobs: dict[str, int] | None
    replays: bool
    graph: str
    profile: Profile
    parts: list[Part]
    buffers: int


class EngineFields(TypedDict, total=False):
    """The engine in cuDNN's JSON of a plan."""

    engineId: int
    knobChoices: dict[str, int] | None
    targetSMcount: int


class GraphFields(TypedDict, total=False):
    """The operation graph in cuDNN's JSON of a plan."""

    tensors: list[dict[str, str]]


class PlanFields(TypedDict, total=False):
    """cuDNN's JSON of a plan, as far as plans read it."""

    engine: EngineFields
    operationGraph: GraphFields
    GPUProfile: Profile


class CopyFields(TypedDict):
    """The arguments of a `Copy`."""

    shape: list[int]
    data_type: str
    source: tuple[list[int], int]
    target: tuple[list[int], int]


_FIELDS = {
    "schema": int,
    "digest": str,
    "release": str,
    "device": str,
    "operands": list,
    "notes": list,
    "signature": str,
    "text": str,
}

#: Bound of cuDNN's whole numbers.
_END = 1 << 63

#: JSON keys of a single plan; keys of a sequence.
_OF_ONE: dict[str, type] = {"plan": str}
_OF_MANY: dict[str, type] = {"parts": list, "profile": dict, "buffers": int}


def encode(
    *, release: str, device: str, operands: tuple[Operand, ...], plan: str, **rest: object
) -> str:
    """Return a plan as JSON."""
    fields = [fields_of(each) for each in operands]
    return seal(release=release, device=device, operands=fields, **rest, plan=plan)


#: Fields of operands that are written only where they say something: older plans lack them.
_LATE = ("shares", "is_ragged", "has_bytes")


def fields_of(operand: Operand) -> dict[str, object]:
    """Return an operand as JSON has it."""
    fields = operand._asdict()
    return {name: each for name, each in fields.items() if each or name not in _LATE}


def seal(**saved: object) -> str:
    """Return fields as JSON, with CUDA's major version and a digest."""
    about = {"schema": SCHEMA, "digest": "", "cuda": library.load().cudart // 1000}
    saved = json.loads(json.dumps(about | saved))
    return json.dumps(saved | {"digest": digest(saved)})


def digest(saved: Mapping[str, object]) -> str:
    """Return a hash of a saved plan without its digest, and without the first schema's number."""
    import hashlib  # not to load a network

    without = ("digest", "schema") if saved.get("schema") == 1 else ("digest",)
    rest = {name: value for name, value in saved.items() if name not in without}
    return hashlib.sha256(json.dumps(rest).encode()).hexdigest()[:32]


def decode(text: str) -> Saved:
    """Return the plan that `encode` wrote, with its operands checked.

    Raises:
        ArgumentError: the text is not one of `encode`, is damaged, or is of another schema.
    """
    try:
        saved = json.loads(text)
    except (ValueError, TypeError, RecursionError) as error:
        raise damaged(str(error)) from None
    if not isinstance(saved, dict) or "schema" not in saved:
        raise damaged("it is not the JSON of a plan")
    if saved["schema"] not in (1, SCHEMA):
        raise errors.ArgumentError(
            f"the JSON of a plan: expected schema {SCHEMA}, got {saved['schema']!r}",
            hint="another version of this package wrote it: build the plan anew",
        )
    if saved.get("digest") != digest(saved):
        raise damaged("its digest is of another text")
    for name, kind in (_FIELDS | (_OF_MANY if "parts" in saved else _OF_ONE)).items():
        if not isinstance(saved.get(name), kind):
            raise damaged(f"{name!r} is no {kind.__name__}")
    knobs, engine = saved.get("knobs"), saved.get("engine")
    if knobs is not None and not (
        isinstance(knobs, dict) and all(type(value) is int for value in knobs.values())
    ):
        raise damaged("'knobs' is no dict of whole numbers")
    has_graph = "graph" in saved
    if type(engine) is not int and (has_graph or engine is not None):
        raise damaged("'engine' is no int")
    if has_graph and not isinstance(saved["graph"], str):
        raise damaged("'graph' is no str")
    try:
        saved["operands"] = check_operands([_operand(each) for each in saved["operands"]])
        if "plan" in saved:
            saved["profile"] = json.loads(saved["plan"])["GPUProfile"]
        saved["profile"]["deviceName"]
    except (TypeError, KeyError, ValueError, AttributeError, RecursionError) as error:
        raise damaged(f"{type(error).__name__}: {error}") from None
    is_made = has_graph or has_kernels(saved.get("plan", ""))
    if "=PROPAGATE_NAN" in saved["text"] and "parts" not in saved and not is_made:
        raise errors.ArgumentError(
            "the JSON of a plan: NaN passes its ReLU, which a plan of cuDNN's JSON alone has lost",
            hint="an older version of this package wrote it: build the plan anew",
        )
    return cast("Saved", saved)


def _operand(fields: object) -> Operand:
    values = dict(fields)  # type: ignore[call-overload]
    for name in ("shape", "strides"):
        values[name] = tuple(values[name])
    values["views"] = tuple((uid, offset) for uid, offset in values.get("views", ()))
    values["shares"] = tuple(values.get("shares", ()))
    made = Operand(**values)
    views = [number for view in made.views for number in view]
    whole = (made.uid, made.alignment, *made.shape, *made.strides, *views)
    if not all(type(each) is int and -_END <= each < _END for each in whole):
        raise TypeError("an operand is not made of whole numbers")
    if not all(isinstance(each, str) for each in (made.name, made.data_type, made.role)):
        raise TypeError("an operand has a word that is no text")
    return made


def damaged(why: str) -> errors.ArgumentError:
    """Return the error for a text that `encode` did not write."""
    return errors.ArgumentError(f"the JSON of a plan is damaged: {why}", hint="build the plan anew")


def has_kernels(text: str) -> bool:
    """Return whether cuDNN's JSON of a plan has kernels, which were compiled for it.

    Other plans are made of engine, knobs and graph, and cuDNN writes not all attributes of a graph.
    """
    return '"payload"' in text


def device_profile(device: int) -> Profile:
    """Return what tells a device from others, by the names in cuDNN's own JSON."""
    return {
        "deviceName": _driver.info(device).name,
        "multiProcessorCount": graphs.attribute(device, 16),
        "deviceVer": graphs.attribute(device, 75) * 100 + graphs.attribute(device, 76) * 10,
    }


def described_profile(device: object) -> Profile:
    """Return the profile of a described device: the fields that its JSON has.

    Raises:
        ArgumentError: it is no description of a device.
    """
    if not hasattr(device, "name"):
        raise errors.ArgumentError(
            f"device: expected a description of a device, got {device!r}",
            hint="DeviceProperties(...) makes one of a name, JSON or a file",
        )
    write = getattr(device, "to_json", None)
    fields = {} if write is None else json.loads(write())
    names = ("multiProcessorCount", "deviceVer")
    known = {name: fields[name] for name in names if name in fields}
    return {"deviceName": str(device.name), **known}


def check_place(saved: Saved, expected: Profile) -> None:
    """Refuse a plan of another release, major version of CUDA, or device.

    Raises:
        VersionMismatchError: another release of cuDNN has made it, or one for another CUDA.
        ArgumentError: it is for another device.
    """
    loaded = library.load()
    cuda = loaded.cudart // 1000  # engines differ; older versions of this package wrote none
    for what, wanted, has in (
        ("cuDNN", loaded.version, saved["release"]), ("CUDA", cuda, saved.get("cuda", cuda)),
    ):  # fmt: skip
        if has != wanted:
            raise errors.VersionMismatchError(
                f"the JSON of a plan: expected one of {what} {wanted}, got one of {what} {has}",
                hint=f"a plan is for one version of {what}: build it anew",
            )
    got = saved["profile"]
    if any(got.get(name) != value for name, value in expected.items()):
        raise errors.ArgumentError(
            f"the JSON of a plan: expected one for {words(expected)}, got one for {words(got)}",
            hint="a plan is for one kind of device: build it anew",
        )


def words(profile: Profile) -> str:
    """Return a device in words, for errors."""
    name = profile.get("deviceName", "an unknown device")
    count = profile.get("multiProcessorCount")
    return f"{name} ({count} multiprocessors)" if count else str(name)
