"""SARIF 2.1.0, for code scanning: a result for each place that `--uses` found, or for each name.

Every place can be mended alone, so each is a result of its own (3.27.12).
"""

from __future__ import annotations

import hashlib
import json
import os
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

from ..records import Item, Place, Report
from ..rules import RULES, Rule, Severity
from . import words

#: A URL of the package, whatever index it is fetched from.
_INFORMATION = "pkg:pypi/cudnn-cffi"

#: The name by which GitHub knows a result again.
_FINGERPRINT = "primaryLocationLineHash"

_LEVELS: dict[Severity, str] = {
    "breaking": "error",
    "risk": "warning",
    "added": "note",
    "info": "note",
}


def render(report: Report) -> str:
    """Return the report as SARIF."""
    ids = sorted({item.rule for item in report.findings})
    name, _, version = report.tool.partition(" ")
    skipped = report.uses.skipped if report.uses else ()
    run = {
        "tool": {
            "driver": {
                "name": name,
                "version": version,
                "informationUri": _INFORMATION,
                "rules": [_rule(RULES[id]) for id in ids],
            }
        },
        "results": list(_results(report, ids)),
        "invocations": [
            {
                "executionSuccessful": True,
                "exitCode": report.exit,
                "toolExecutionNotifications": [
                    {"level": "warning", "message": {"text": words.printable(reason)}}
                    for reason in skipped
                ],
            }
        ],
        "columnKind": "unicodeCodePoints",
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


def _results(report: Report, ids: list[str]) -> Iterator[dict[str, Any]]:
    alike: Counter[str] = Counter()
    for item in report.findings:
        for place in item.places or (None,):
            result: dict[str, Any] = {
                "ruleId": item.rule,
                "ruleIndex": ids.index(item.rule),
                "level": _LEVELS[item.severity],
                "message": {"text": words.message(item)},
                "locations": [
                    {
                        "physicalLocation": _physical(place),
                        "logicalLocations": [
                            {"fullyQualifiedName": item.subject, "kind": item.kind}
                        ],
                    }
                ],
                "partialFingerprints": _fingerprint(item, place, alike),
                "properties": {"severity": item.severity, "axes": item.axes},
            }
            if item.suppressed is not None:
                result["suppressions"] = [{"kind": "external", "justification": item.suppressed}]
            yield result


def _fingerprint(item: Item, place: Place | None, alike: Counter[str]) -> dict[str, str]:
    """Return the same for a place whose line moves: its number among its like in the file."""
    where = (_uri(place.path), words.printable(place.text)) if place else ()
    text = "\0".join((item.rule, item.subject, *where))
    alike[text] += 1
    digest = hashlib.sha256(text.encode()).hexdigest()[:16]
    return {_FINGERPRINT: f"{digest}:{alike[text]}"}


def _physical(place: Place | None) -> dict[str, Any]:
    if place is None:  # code scanning refuses a result without a file
        return {"artifactLocation": {"uri": "cudnn.h"}, "region": {"startLine": 1}}
    physical: dict[str, Any] = {"artifactLocation": {"uri": _uri(place.path)}}
    if place.line is not None:
        physical["region"] = {"startLine": place.line, "startColumn": place.column}
    return physical


def _uri(text: str) -> str:
    """Relative to the current folder if the file is in it, as code scanning expects."""
    path = Path(text)
    if path.is_absolute():
        if not path.is_relative_to(Path.cwd()):
            return path.as_uri()
        path = path.relative_to(Path.cwd())
    return quote(os.fsencode(path.as_posix()))
