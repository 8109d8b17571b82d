"""SARIF 2.1.0, for code scanning: findings with the places that `--uses` found, or the C names."""

from __future__ import annotations

import json
from pathlib import PurePath
from typing import Any
from urllib.parse import quote

from ..report import Item, Place, Report
from ..rules import RULES, Rule, Severity
from . import words

_LEVELS: dict[Severity, str] = {
    "breaking": "error",
    "risk": "warning",
    "added": "note",
    "info": "note",
}


def render(report: Report) -> str:
    ids = sorted({item.rule for item in report.findings})
    name, _, version = report.tool.partition(" ")
    run = {
        "tool": {
            "driver": {
                "name": name,
                "version": version,
                "rules": [_rule(RULES[id]) for id in ids],
            }
        },
        "results": [_result(item, ids.index(item.rule)) for item in report.findings],
        "invocations": [{"executionSuccessful": True, "exitCode": report.exit}],
        "columnKind": "utf16CodeUnits",
        "properties": {
            "old": report.old.version,
            "new": report.new.version,
            "compared": {what: list(counts) for what, counts in report.compared.items()},
        },
    }
    log = {
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [run],
    }
    return json.dumps(log, indent=1, ensure_ascii=False) + "\n"


def _rule(rule: Rule) -> dict[str, Any]:
    severity = rule.severity()
    return {
        "id": rule.id,
        "shortDescription": {"text": f"{rule.title}."},
        "fullDescription": {"text": rule.reason},
        "help": {"text": rule.advice},
        "defaultConfiguration": {"level": _LEVELS[severity] if severity else "none"},
        "properties": {axis: getattr(rule, axis) for axis in ("abi", "source", "python")},
    }


def _result(item: Item, index: int) -> dict[str, Any]:
    result: dict[str, Any] = {
        "ruleId": item.rule,
        "ruleIndex": index,
        "level": _LEVELS[item.severity],
        "message": {"text": words.message(item)},
        "locations": [_location(place, item) for place in item.places] or [_named(item)],
        "properties": {"severity": item.severity, "axes": item.axes},
    }
    if item.suppressed is not None:
        result["suppressions"] = [{"kind": "external", "justification": item.suppressed}]
    return result


def _named(item: Item) -> dict[str, Any]:
    return {"logicalLocations": [{"fullyQualifiedName": item.subject, "kind": item.kind}]}


def _location(place: Place, item: Item) -> dict[str, Any]:
    path = PurePath(place.path)
    uri = path.as_uri() if path.is_absolute() else quote(path.as_posix())
    physical: dict[str, Any] = {"artifactLocation": {"uri": uri}}
    if place.line is not None:
        physical["region"] = {"startLine": place.line, "startColumn": place.column}
    return {"physicalLocation": physical, **_named(item)}
