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
    described = msgspec.json.decode(msgspec.json.encode(msgspec.json.schema(record)))
    url = "https://json-schema.org/draft/2020-12/schema"
    return {"$schema": url, "title": title, **described}
