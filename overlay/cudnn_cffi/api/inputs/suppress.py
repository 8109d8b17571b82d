"""Findings that somebody has looked at and accepts: a TOML file, each entry with its reason.

[[suppress]]
rule = "enum-sentinel-moved"    # a rule ID or a pattern such as "func-*"
name = "CUDNN_KNOB_TYPE_*"      # a name or a pattern
reason = "we size no array by it"
"""

from __future__ import annotations

import tomllib
from fnmatch import fnmatchcase
from pathlib import Path

import msgspec

from ..._support.decoding import decoded
from ..errors import CannotCompareError
from ..records import Suppression as Suppression
from ..rules import RULES


class _File(msgspec.Struct, forbid_unknown_fields=True):
    suppress: tuple[Suppression, ...] = ()


def read(path: Path) -> tuple[Suppression, ...]:
    """Return the entries of a suppression file.

    Raises:
        CannotCompareError: unreadable, not TOML, or an entry that says nothing or too much.
    """
    try:
        text = path.read_text(encoding="utf-8")
        entries = decoded(tomllib.loads(text), _File, msgspec.convert).suppress
    except OSError as error:
        raise CannotCompareError(f"{path}: cannot be read: {error.strerror or error}") from error
    except (ValueError, msgspec.ValidationError) as error:
        raise CannotCompareError(f"{path}: not a suppression file: {error}") from error
    for number, entry in enumerate(entries, 1):
        wrong = _wrong(entry)
        if wrong:
            raise CannotCompareError(f"{path}: entry {number} {wrong}")
    return entries


def _wrong(entry: Suppression) -> str | None:
    if not entry.reason.strip():
        return "has an empty reason: say why the finding is accepted"
    if entry.rule == "*" and entry.name == "*":
        return "would suppress everything: give a rule or a name"
    if not any(fnmatchcase(rule, entry.rule) for rule in RULES):
        return f"has the rule {entry.rule!r}, which matches no rule"
    return None
