"""Meanings, from arguments.toml, functions.toml and computed.toml."""

from __future__ import annotations

import fnmatch
import re
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from functools import cache, cached_property
from pathlib import Path
from typing import Any, NamedTuple

from cudnn_cffi.api.model import Function, Parameter

from .. import GeneratorError

_HERE = Path(__file__).parent

#: The file that scripts/c_names.py writes, from records of operations and nodes.
COMPUTED = _HERE / "computed.toml"

#: Maximum number of operations that a docstring names.
SHOWN = 6

#: Facts about a function that name another one.
_OTHERS = ("workspace", "reserve", "left_by", "kept_for")

_FIELDS = {
    "argument": {"names", "kinds", "functions", "text", "reason"},
    "function": {"names", "formula", "see", "reason", *_OTHERS},
}


class MeaningsError(GeneratorError):
    """A file of meanings has an entry that is not complete, or that matches nothing."""


class Rule(NamedTuple):
    """The meaning of parameters, by their name.

    Attributes:
        key: tells the rule in messages.
        is_name: matches names of parameters.
        is_function: matches names of functions.
        kinds: of parameters; empty for any.
        text: the meaning. Fields in braces are facts about the function; a rule whose text has a
            field that a function lacks does not apply to that function.
    """

    key: str
    is_name: re.Pattern[str]
    is_function: re.Pattern[str]
    kinds: frozenset[str]
    text: str

    def matches(self, function: str, parameter: Parameter) -> bool:
        """Return whether the rule is about a parameter of a function."""
        return bool(
            self.is_name.fullmatch(parameter.name)
            and (not self.kinds or parameter.kind in self.kinds)
            and self.is_function.fullmatch(function)
        )


class Meanings:
    """Facts about functions and their arguments that the headers do not tell.

    Args:
        arguments: the contents of arguments.toml.
        functions: the contents of functions.toml.
        computed: the contents of computed.toml.

    Raises:
        MeaningsError: an entry has no reason, or an unknown field.
    """

    def __init__(
        self,
        arguments: Mapping[str, Any],
        functions: Mapping[str, Any],
        computed: Mapping[str, Mapping[str, Sequence[str]]],
    ) -> None:
        self.rules = [_rule(entry) for entry in arguments.get("argument", ())]
        self.functions: dict[str, dict[str, Any]] = {}
        self.computed = computed
        for entry in functions.get("function", ()):
            _require("function", entry)
            told = {key: value for key, value in entry.items() if key not in ("names", "reason")}
            for name in entry["names"]:
                known = self.functions.setdefault(name, {})
                if twice := known.keys() & told.keys():
                    raise MeaningsError(f"functions.toml: {name} has two {', '.join(twice)}")
                known.update(told)
        self.manuals: Mapping[str, str] = functions.get("manual", {})

    def formula(self, function: str) -> str:
        """Return what a function computes; "" if that is not known."""
        return str(self.functions.get(function, {}).get("formula", ""))

    def argument(self, function: Function, parameter: Parameter) -> str:
        """Return the meaning of a parameter or result; "" if that is not known."""
        for rule in self.rules:
            if rule.matches(function.name, parameter):
                text = self._filled(rule.text, function)
                if text:
                    return text
        return ""

    def see(self, function: str) -> list[str]:
        """Return names of this package that do the same, such as "ops.relu" and "Graph.relu"."""
        told = self.computed.get(function, {})
        operations = [f"ops.{name}" for name in told.get("ops", ())][:SHOWN]
        methods = [f"Graph.{name}" for name in told.get("graph", ())]
        return [*operations, *methods, *self.functions.get(function, {}).get("see", ())]

    def manual(self, name: str, header: str) -> str:
        """Return the address in NVIDIA's documentation of a function or a type; "" without one.

        Args:
            header: the file that declares it, such as "cudnn_ops.h".
        """
        page = self.manuals.get(header.removesuffix(".h"), "")
        return page.format(name=name, anchor=name.lower().replace("_", "-"))

    def unused(self, functions: Iterable[Function]) -> list[str]:
        """Return the entries that match none of the functions, each as a line."""
        known = list(functions)
        names = {function.name for function in known}
        used = set()
        for function in known:
            for parameter in function.parameters:
                for rule in self.rules:
                    if rule.matches(function.name, parameter):
                        used.add(rule.key)
                        if self._filled(rule.text, function):
                            break
        told = {*self.functions, *self.computed}
        for facts in self.functions.values():
            told |= {facts[key] for key in _OTHERS if key in facts}
        headers = {function.header.removesuffix(".h") for function in known}
        return sorted(
            [f"arguments.toml: {rule.key}" for rule in self.rules if rule.key not in used]
            + [f"functions.toml or computed.toml: {name}" for name in told - names]
            + [f"functions.toml: manual.{key}" for key in self.manuals if key not in headers]
        )

    @cached_property
    def _sized(self) -> dict[str, dict[str, list[str]]]:
        """By function that tells a size: the functions whose workspace or reserve space it is."""
        found: dict[str, dict[str, list[str]]] = {}
        for name, facts in self.functions.items():
            for key in ("workspace", "reserve"):
                if key in facts:
                    found.setdefault(facts[key], {}).setdefault(f"{key}_of", []).append(name)
        return found

    def _filled(self, text: str, function: Function) -> str:
        """Return a rule's text for a function; "" if the function lacks a field of it."""
        fields: dict[str, str] = {
            key: f"`{value}`"
            for key, value in self.functions.get(function.name, {}).items()
            if key in _OTHERS
        }
        for key, names in self._sized.get(function.name, {}).items():
            fields[key] = _listed(names)
        if blended := [
            p.name for p in function.parameters if (p.kind, p.direction) == ("device", "inout")
        ]:
            fields["blended"] = _listed(blended)
        try:
            return text.format(**fields)
        except KeyError:
            return ""


@cache
def load() -> Meanings:
    """Return the meanings that come with the generator."""
    return Meanings(*(_read(f"{name}.toml") for name in ("arguments", "functions", "computed")))


def _read(name: str) -> dict[str, Any]:
    return tomllib.loads((_HERE / name).read_text(encoding="utf-8"))


def _rule(entry: Mapping[str, Any]) -> Rule:
    _require("argument", entry)
    functions = entry.get("functions", ["*"])
    return Rule(
        f"{', '.join(entry['names'])} of {', '.join(functions)}: {entry['text']}",
        _pattern(entry["names"]),
        _pattern(functions),
        frozenset(entry.get("kinds", ())),
        entry["text"],
    )


def _require(table: str, entry: Mapping[str, Any]) -> None:
    """Raise an error if an entry lacks a name or reason, or has other fields than are known."""
    unknown = sorted(entry.keys() - _FIELDS[table])
    if unknown:
        raise MeaningsError(f"{table}s.toml: unknown fields {', '.join(unknown)} in {entry}")
    for key in ("names", "reason", *(("text",) if table == "argument" else ())):
        if not entry.get(key):
            raise MeaningsError(f"{table}s.toml: an entry without {key}: {entry}")


def _pattern(patterns: Sequence[str]) -> re.Pattern[str]:
    return re.compile("|".join(map(fnmatch.translate, patterns)))


def _listed(names: Sequence[str]) -> str:
    *others, last = (f"`{name}`" for name in names)
    return f"{', '.join(others)} and {last}" if others else last
