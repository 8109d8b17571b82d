"""Facts that no rule can know: facts.toml."""

from __future__ import annotations

import fnmatch
import functools
import os
import re
import sys
import tomllib
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from .errors import ClassificationError

FACTS = Path(__file__).with_name("facts.toml")

_FACT_SECTIONS = ("parameters", "functions", "flags", "comments")


@dataclass
class Facts:
    """facts.toml: `[parameters."function.parameter"]`, `[flags.Name]`, `[functions.name]`, ...

    A key of `parameters` or `functions` may be a pattern (`cudnnRNN*Ex.keys`). Every entry has a
    `reason`; that of a function is in the model. One about older releases than those on the
    package index says by `until` which had it last.
    """

    parameters: dict[str, dict[str, Any]] = field(default_factory=dict)
    functions: dict[str, dict[str, Any]] = field(default_factory=dict)
    flags: dict[str, dict[str, Any]] = field(default_factory=dict)
    #: Comments of the headers that are wrong, by "function.parameter" patterns.
    comments: dict[str, dict[str, Any]] = field(default_factory=dict)
    #: By "function(number of parameters)": declarations of parameters whose rule is right.
    confirmed: dict[str, list[str]] = field(default_factory=dict)
    used: set[str] = field(default_factory=set)

    @classmethod
    def load(cls, path: str | os.PathLike[str] = FACTS) -> Facts:
        """Read the facts.

        Raises:
            ClassificationError: a table is unknown, or a fact gives no reason.
        """
        data = tomllib.loads(Path(path).read_text(encoding="utf-8"))
        known = (*_FACT_SECTIONS, "confirmed")
        facts = cls(**{key: data.get(key, {}) for key in known})
        unknown = data.keys() - set(known)
        if unknown:
            raise ClassificationError(f"{path}: unknown tables {sorted(unknown)}")
        for key, declarations in facts.confirmed.items():
            if not isinstance(declarations, list) or not re.fullmatch(r"\w+\(\d+\)", key):
                raise ClassificationError(
                    f'{path}: confirmed.{key} is no list by "function(number of parameters)"'
                )
        for section in _FACT_SECTIONS:
            for key, fact in getattr(facts, section).items():
                if not str(fact.get("reason", "")).strip():
                    raise ClassificationError(f"{path}: {section}.{key} gives no reason")
        return facts

    def parameter(self, key: str) -> dict[str, Any]:
        """Return the stated fields of a parameter, by "function.parameter"."""
        if not self._any(key):
            return {}
        found = self._stated("parameters", key)
        for about in ("reason", "until"):
            found.pop(about, None)
        # Models leave out what equals the default by identity, so equal texts must be one object.
        return {k: sys.intern(v) if isinstance(v, str) else v for k, v in found.items()}

    def states(self, key: str) -> bool:
        """Return whether a fact about this parameter alone says what kind it is of."""
        return "kind" in self.parameters.get(key, {})

    def confirms(self, function: str, count: int, declaration: str) -> bool:
        """Return whether what a rule says of a parameter is right; see `proofs.line`."""
        if declaration not in self.confirmed.get(f"{function}({count})", ()):
            return False
        self.used.add(_confirmed(f"{function}({count})", declaration))
        return True

    @functools.cached_property
    def _any(self) -> Callable[[str], re.Match[str] | None]:
        """Return whether any pattern of `parameters` matches: for most keys none does."""
        return re.compile("|".join(map(fnmatch.translate, self.parameters)) or r"(?!)").match

    def function(self, name: str) -> dict[str, Any]:
        """Return the stated fields of a function."""
        return self._stated("functions", name)

    def _stated(self, section: str, key: str) -> dict[str, Any]:
        """Return the facts of a section, joined by the patterns of their keys."""
        found: dict[str, Any] = {}
        for pattern, fact in getattr(self, section).items():
            if fnmatch.fnmatchcase(key, pattern):
                self.used.add(f"{section}.{pattern}")
                found |= fact
        return found

    def unused(self, old: bool = False) -> list[str]:
        """Facts that nothing matched; those about older releases only if `old`."""
        every = {
            f"{section}.{key}"
            for section in _FACT_SECTIONS
            for key, fact in getattr(self, section).items()
            if old or "until" not in fact
        }
        every |= {_confirmed(key, each) for key, names in self.confirmed.items() for each in names}
        return sorted(every - self.used)


def _confirmed(key: str, declaration: str) -> str:
    return f"confirmed.{key}: {declaration}"
