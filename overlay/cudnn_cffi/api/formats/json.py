"""For programs: the report itself, as docs/diff-schema.json describes."""

from __future__ import annotations

from typing import Any

import msgspec

from ..records import SCHEMA, Report


def render(record: object) -> str:
    """Return a report, or another record, as JSON."""
    return msgspec.json.format(msgspec.json.encode(record), indent=2).decode() + "\n"


def schema(
    record: type = Report, title: str = f"A comparison of two cuDNN releases, schema {SCHEMA}"
) -> dict[str, Any]:
    """Return the JSON Schema of what `render` writes."""
    described = _plain(msgspec.json.decode(msgspec.json.encode(msgspec.json.schema(record))))
    url = "https://json-schema.org/draft/2020-12/schema"
    return {"$schema": url, "title": title, **described}


def _plain(part: Any) -> Any:
    """Return a schema, or a part of one, as msgspec 0.22 and 0.23 both write it."""
    from inspect import cleandoc  # which is slow to import, and only schemas need it

    if isinstance(part, list):
        return [_plain(each) for each in part]
    if not isinstance(part, dict):
        return part
    return {
        key: cleandoc(value) if key == "description" and isinstance(value, str) else _plain(value)
        for key, value in part.items()
        if key != "propertyNames"  # since 0.23; readers need not check the keys of a table
    }
