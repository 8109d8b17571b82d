"""For programs: the report itself. Its schema is docs/diff-schema.json."""

from __future__ import annotations

from typing import Any

import msgspec

from ..report import SCHEMA, Report


def render(report: Report) -> str:
    """Return the report as JSON."""
    return msgspec.json.format(msgspec.json.encode(report), indent=2).decode() + "\n"


def schema() -> dict[str, Any]:
    """Return the JSON Schema of what `render` writes."""
    described = msgspec.json.decode(msgspec.json.encode(msgspec.json.schema(Report)))
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"A comparison of two cuDNN releases, schema {SCHEMA}",
        **described,
    }
