"""Files of errata: their records are checked, and nothing of a file with an error is used.

A file is JSON; `version` and `schema` tell it from the front end's, which `rules` reads:

    {
     "schema": "cudnn_cffi.errata",
     "version": 2,
     "records": [
      {
       "id": "matmul-odd-rows",
       "operation": "Matmul",
       "engines": [2],
       "knobs": {"SPLIT_K_SLC": {"above": 2}},
       "where": {"tensors": {"adesc": {"alignment": {"below": 16}}}},
       "releases": {"from": "9.10.0", "before": "9.20.0"},
       "architectures": ["9.0"],
       "kind": "wrong numbers",
       "symptom": "it computes wrong numbers if ...",
       "source": "owner/repository#1"
      }
     ]
    }

Version 1 has single values of knobs.
"""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

from .. import errors
from .._attributes import DESCRIPTORS
from .._support import files
from .._support.arguments import path_of
from .._support.wording import meant
from .._tables import active, elsewhere
from ..versions import version_name, version_number
from . import rules, scope
from .record import KINDS, MEASURED, SEEN, Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterable, Mapping
    from typing import Any

SCHEMA, VERSION = "cudnn_cffi.errata", 2

#: The version of the front end's files.
_OF_RULES = 1

#: The fields of records, with their types.
_FIELDS: dict[str, type | tuple[type, ...]] = {
    "id": str, "operation": str, "functions": list, "graphs": str, "engines": list,
    "knobs": dict, "where": (str, dict), "releases": dict, "architectures": list, "kind": str,
    "symptom": str, "workaround": str, "evidence": str, "source": str, "verified": bool,
    "avoided": bool, "shows": dict,
}  # fmt: skip

#: The parts of "shows", with their types.
_SHOWN: dict[str, type | tuple[type, ...]] = {
    **dict.fromkeys(("call", "data", "graph", "knobs"), dict),
    **dict.fromkeys(("after", "apart", "arguments"), list),
    **dict.fromkeys(("engine", "workspace"), int),
    "limit": (int, float),
    "seen": str,
}

#: Each record has one of these, by its scope.
_SUBJECTS = {"engine": "operation", "function": "functions", "graph": "graphs"}

#: More engines than a graph has: a gradient of images has 85 with cuDNN 9.19 and 9.24.
_MOST_ENGINES = 256

#: Longest file of errata, in bytes.
_LONGEST = 8 << 20


class _DamagedError(Exception):
    """A record that cannot be used, and why."""


def read_package(path: Path) -> list[Record]:
    """Return the records of the package's own file."""
    return [_record(each) for each in json.loads(path.read_bytes())["records"]]


def of_dict(row: dict[str, Any]) -> Record:
    """Return the record that `to_dict` wrote."""
    return _record(row)


def of_environment(variable: str) -> list[str]:
    """Return the files that an environment variable names."""
    return [each for each in os.environ.get(variable, "").split(os.pathsep) if each]


def added(
    path: str | os.PathLike[str],
    known: Mapping[str, Record],
    conditions: Mapping[str, Container[str]],
) -> dict[str, Record]:
    """Return the records of a user's file by their ids.

    Args:
        path: the file.
        known: the records that are there.
        conditions: the names of conditions, by scope.

    Raises:
        ErrataError: it is damaged, has an entry that matches nothing, or an id that is `known`.
        OSError: it cannot be read, is no regular file, or is too long.
    """
    source = path_of(path)
    try:
        document = json.loads(files.read(source, _LONGEST))
    except (ValueError, RecursionError) as error:
        raise errors.ErrataError(f"{source}: expected JSON: {error}") from error
    return of_document(document, str(source), known, conditions)


def of_document(
    document: object,
    source: str,
    known: Mapping[str, Record],
    conditions: Mapping[str, Container[str]],
) -> dict[str, Record]:
    """Return the records of a document by their ids; see `added`."""
    if not isinstance(document, dict):
        raise errors.ErrataError(f"{source}: expected an object, got {type(document).__name__}")
    given, versions = "records", tuple(range(1, VERSION + 1))
    read: Callable[[object], Record] = _record
    if "rules" in document and "schema" not in document:
        given, read, versions = "rules", rules.read, (_OF_RULES,)
    elif document.get("schema") != SCHEMA:
        raise errors.ErrataError(
            f'{source}: "schema": expected "{SCHEMA}", got {document.get("schema")!r}',
            hint='a file of the front end has "version" and "rules"',
        )
    version = document.get("version")
    if type(version) is not int or version not in versions:
        known_ones = " or ".join(map(str, versions))
        raise errors.ErrataError(f"{source}: expected version {known_ones}, got {version!r}")
    unknown = document.keys() - {"schema", "version", given}
    if unknown:
        raise errors.ErrataError(f"{source}: there is no field {min(unknown)!r}")
    rows = document.get(given)
    if not isinstance(rows, list):
        raise errors.ErrataError(f'{source}: expected a list of "{given}"')
    found: dict[str, Record] = {}
    for place, row in enumerate(rows):
        where = f"{source}: {given}[{place}]"
        try:
            if isinstance(row, dict) and given == "records":
                row = {"source": source, "evidence": f"as {source} says", **row}
            record = read(row)._replace(own=True)
            _check(record, known, conditions)
            if version == 1 and not all(type(each) is int for each in record.knobs.values()):
                raise _DamagedError('"knobs": version 1 has single values; expected version 2')
        except (_DamagedError, rules.DamagedError) as error:
            name = row.get("id", row.get("rule_id", "")) if isinstance(row, dict) else ""
            raise errors.ErrataError(
                f"{where}{f' ({name})' if name else ''}: {error}; nothing of the file is used"
            ) from error
        if record.id in found or record.id in known:
            raise errors.ErrataError(f"{where}: there is another record {record.id!r}")
        found[record.id] = record
    return found


def save(path: str | os.PathLike[str], records: Iterable[Record], *, frontend: bool) -> None:
    """Write records to a file, ours or the front end's.

    Raises:
        ErrataError: the front end's format cannot express one.
        OSError: the file cannot be written.
    """
    document: dict[str, object]
    if frontend:
        rows: list[dict[str, object]] = [row for each in records for row in rules.write(each)]
        document = {"version": _OF_RULES, "rules": rows}
    else:
        rows = [to_dict(each) for each in records]
        document = {"schema": SCHEMA, "version": VERSION, "records": rows}
    text = json.dumps(document, indent=1)
    files.replace(path_of(path), f"{text}\n".encode(), mode=0o666)


def _record(row: object) -> Record:
    """Return a record of a file of ours.

    Raises:
        _DamagedError: a field is unknown, or has a value of another type.
    """
    if not isinstance(row, dict):
        raise _DamagedError(f"expected an object, got {type(row).__name__}")
    for name, value in row.items():
        kind = _FIELDS.get(name)
        if kind is None:
            raise _DamagedError(f"there is no field {name!r}; there are {', '.join(_FIELDS)}")
        if not isinstance(value, kind):
            raise _DamagedError(f'"{name}": got {value!r}')
    for name, value in row.get("shows", {}).items():
        if name not in _SHOWN or not isinstance(value, _SHOWN[name]):
            raise _DamagedError(
                f'"shows": expected some of {", ".join(_SHOWN)}, got {name}={value!r}'
            )
    subjects = [name for name in _SUBJECTS if _SUBJECTS[name] in row]
    if len(subjects) != 1 or not row.get("id"):
        raise _DamagedError('expected "id", and one of "operation", "functions" and "graphs"')
    subject = row[_SUBJECTS[subjects[0]]]
    first, last = _releases(row.get("releases", {}))
    verified: bool = row.get("verified", True)
    return Record(
        id=row["id"],
        scope=subjects[0],
        subjects=(subject,) if isinstance(subject, str) else tuple(subject),
        engines=tuple(row.get("engines", ())),
        knobs=row.get("knobs", {}),
        where=row.get("where", {}),
        first=first,
        last=last,
        architectures=tuple(map(_architecture, row.get("architectures", ()))),
        kind=row.get("kind", "wrong numbers"),
        symptom=row.get("symptom", ""),
        workaround=row.get("workaround", ""),
        evidence=row.get("evidence", MEASURED if verified else "reported, not verified here"),
        source=row.get("source", SEEN),
        verified=verified,
        avoided=bool(row.get("avoided", verified)),
        shows=row.get("shows", {}),
    )


def _releases(given: Mapping[str, Any]) -> tuple[int | None, int | None]:
    if not given.keys() <= {"from", "before"}:
        raise _DamagedError(f'"releases": expected "from" and "before", got {given}')
    for each in given.values():
        if not isinstance(each, str) or not re.fullmatch(r"\d{1,4}\.\d{1,4}\.\d{1,4}", each):
            raise _DamagedError(f'"releases": expected such as "9.10.0", got {each!r}')
    first = version_number(given["from"]) if "from" in given else None
    last = version_number(given["before"]) - 1 if "before" in given else None
    return first, last


def _architecture(text: object) -> tuple[int, int]:
    found = re.fullmatch(r"(\d{1,9})\.(\d)", text) if isinstance(text, str) else None
    if found is None:
        raise _DamagedError(f'"architectures": expected such as "9.0", got {text!r}')
    return int(found[1]), int(found[2])


def operations() -> set[str]:
    """Return the kinds of operations that graphs have."""
    return {
        name.removeprefix("Operation").removesuffix("Descriptor")
        for name in DESCRIPTORS
        if name.startswith("Operation") and name != "OperationGraphDescriptor"
    }


def _check(
    record: Record, known: Mapping[str, Record], conditions: Mapping[str, Container[str]]
) -> None:
    """Refuse a record of a user that cannot match anything.

    Raises:
        _DamagedError: it says which part matches nothing.
    """
    if record.kind not in KINDS:
        raise _DamagedError(f'"kind": expected {", ".join(KINDS)}, got {record.kind!r}')
    if not record.id:
        raise _DamagedError('expected an "id", or a "rule_id"')
    if not record.symptom:
        raise _DamagedError('expected a "symptom"')
    if record.last is not None and (record.first or 0) > record.last:
        raise _DamagedError('it matches nothing: "before" is no later than "from"')
    if record.scope == "graph":
        raise _DamagedError('"graphs": only the package has such records')
    if isinstance(record.where, str):
        if record.where not in conditions[record.scope]:
            raise _DamagedError(f"there is no condition {record.where!r}")
    elif why := scope.problem(record.where, record.scope):
        raise _DamagedError(f'"where": {why}')
    if record.scope == "engine":
        _check_engines(record)
    else:
        if not record.subjects:
            raise _DamagedError('it matches nothing: "functions" is empty')
        functions = [each for each in known.values() if each.scope == "function"]
        asked = sorted({name for each in functions for name in each.subjects})
        for name in record.subjects:
            if name not in asked:
                raise _DamagedError(
                    f"it matches nothing: {name!r} is not asked about; {', '.join(asked)} are"
                )
        if record.engines or record.knobs:
            raise _DamagedError('"engines" and "knobs" go with "operation"')


def _check_engines(record: Record) -> None:
    kinds = operations()
    where = record.where if isinstance(record.where, dict) else {}
    beside, without = where.get("with", ()), where.get("without", ())
    for name in (*record.subjects, *where.get("operations", ()), *beside, *without):
        kind = name.partition(" ")[0]
        if kind not in kinds:
            raise _DamagedError(_no_match(f"there is no operation {kind!r}", kind, kinds))
    if "operations" in where and record.subjects[0] != where["operations"][0].partition(" ")[0]:
        raise _DamagedError('it matches nothing: "operation" is not the first of "operations"')
    if there := {*record.subjects, *beside}.intersection(without):
        raise _DamagedError(f"it matches nothing: without {min(there)!r}, which is there")
    is_advice = not record.engines and not record.avoided
    if not (record.engines or is_advice) or not all(
        type(each) is int and each >= 0 for each in record.engines
    ):
        raise _DamagedError(f'"engines": expected indices, got {list(record.engines)}')
    if beyond := [each for each in record.engines if each >= _MOST_ENGINES]:
        raise _DamagedError(f"it matches nothing: no graph has the engine {beyond[0]}")
    members = active().enum("BackendKnobType").__members__
    for name, value in record.knobs.items():
        if name not in members:
            raise _DamagedError(f"it matches nothing: there is no knob {name!r}")
        if why := scope.problem_of_number(value):
            raise _DamagedError(f'"knobs": {name}: {why}')
    _check_names(record.subjects[0], where)


def _check_names(kind: str, where: Mapping[str, Any]) -> None:
    """Refuse tensors that an operation does not have, and other names that no release has.

    Raises:
        _DamagedError: it says which.
    """
    attributes = DESCRIPTORS[f"Operation{kind}Descriptor"][1]
    for port, facts in where.get("tensors", {}).items():
        if port != "any" and attributes.keys().isdisjoint(scope.ports_of(port)):
            raise _DamagedError(f"it matches nothing: {kind} has no tensor {port!r}")
        types = facts.get("data_type", [])
        for each in types if isinstance(types, list) else [types]:
            _check_member("DataType", "CUDNN_DATA_", each)
    for name, value in where.get("options", {}).items():
        if not any(name in names for _, names in DESCRIPTORS.values()):
            raise _DamagedError(f"it matches nothing: there is no option {name!r}")
        for each in value if isinstance(value, list) else [value]:
            if kind == "Pointwise" and name == "mode":
                _check_member("PointwiseMode", "CUDNN_POINTWISE_", each)
    for name in (*where.get("operations", ()), *where.get("with", ()), *where.get("without", ())):
        other, _, mode = name.partition(" ")
        if other == "Pointwise" and mode:
            _check_member("PointwiseMode", "CUDNN_POINTWISE_", mode)


def _check_member(enum: str, prefix: str, name: object) -> None:
    tables = active()
    known = tables.enum(enum).__members__
    if str(name) not in known and not elsewhere(f"{prefix}{name}", tables.release):
        raise _DamagedError(_no_match(f"no {enum} is {name!r}", name, known))


def _no_match(text: str, name: object, known: Iterable[str]) -> str:
    return f"it matches nothing: {text}; {meant(name, known)}".rstrip("; ")


def to_dict(record: Record) -> dict[str, object]:
    """Return a record as files have it, without what is the default."""
    subject: object = list(record.subjects) if record.scope == "function" else record.subjects[0]
    releases = {}
    if record.first is not None:
        releases["from"] = version_name(record.first)
    if record.last is not None:
        releases["before"] = version_name(record.last + 1)
    fields = {
        "id": record.id,
        _SUBJECTS[record.scope]: subject,
        "engines": list(record.engines),
        "knobs": dict(record.knobs),
        "where": record.where,
        "releases": releases,
        "architectures": [f"{major}.{minor}" for major, minor in record.architectures],
        "kind": record.kind,
        "symptom": record.symptom,
        "workaround": record.workaround,
        "evidence": record.evidence,
        "source": record.source,
    }
    found = {name: value for name, value in fields.items() if value}
    flags = {"verified": record.verified, "avoided": record.avoided}
    shows = {"shows": record.shows} if record.shows else {}
    return {**found, **flags, **shows}
