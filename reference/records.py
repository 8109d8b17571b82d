"""What pages say, gathered from the models: no text that is not a fact of theirs."""

from __future__ import annotations

import inspect
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import cudnn_cffi
from cudnn_cffi.api import history, reach, steps, store
from cudnn_cffi.api.diff import library, things
from cudnn_cffi.api.model import Api, BackendAttribute, Function
from cudnn_cffi.api.report import Report


@dataclass(frozen=True)
class Example:
    """A call of a function, in C and in Python."""

    c: str
    python: str


@dataclass(frozen=True)
class Name:
    """What the page of a name says."""

    history: history.History
    library: str | None
    function: Function | None = None
    doc: str = ""  # of the Python function
    example: Example | None = None
    members: Sequence[tuple[str, Any, bool]] = ()  # of an enumeration: name, value, deprecated
    fields: Sequence[Any] = ()  # of a struct
    used_by: Sequence[str] = ()
    attribute: BackendAttribute | None = None
    successor: str | None = None
    reason: str | None = None
    last: str = ""  # the last release that has it


@dataclass
class Models:
    """All models, and what follows from them."""

    everything: history.Everything = field(default_factory=history.everything)

    @cached_property
    def apis(self) -> dict[str, Api]:
        """The APIs, oldest first."""
        return {api.release: api for api in store().apis()}

    @cached_property
    def newest(self) -> Api:
        """The newest API."""
        return list(self.apis.values())[-1]

    @cached_property
    def reports(self) -> list[Report]:
        """Each release against the one before, oldest first."""
        return list(steps.reports())

    @cached_property
    def last_api(self) -> dict[str, Api]:
        """For each name, the newest API that has it."""
        return {name: api for api in self.apis.values() for name in api.index()}

    @cached_property
    def attributes(self) -> dict[str, BackendAttribute]:
        """Backend attributes by name, as the newest API that has them tells."""
        return {a.name: a for api in self.apis.values() for a in api.attributes}

    @cached_property
    def _advice(self) -> Mapping[str, tuple[str, str]]:
        return store().advice()

    @cached_property
    def _successors(self) -> dict[str, str]:
        found = {}
        for report in self.reports:
            for item in report.findings:
                if item.successor:
                    found[item.name] = item.successor.name
        return found

    @cached_property
    def _used_by(self) -> dict[str, set[str]]:
        found: dict[str, set[str]] = defaultdict(set)
        for api in self.apis.values():
            for type_, functions in reach.functions_by_type(api).items():
                found[type_] |= functions
            for function in api.functions:
                for word in re.findall(r"cudnn\w+", " ".join(p.type for p in function.parameters)):
                    found[word].add(function.name)
        return found

    def names(self) -> Iterator[Name]:
        """Yield every name, sorted."""
        for each in self.everything.names:
            yield self.name(each)

    def name(self, known: history.History) -> Name:
        """Return what is known of a name."""
        api = self._api_of(known)
        entity = things(api)[known.name].entity if known.name in things(api) else None
        function = entity if known.kind == "function" else None
        members = getattr(entity, "enumerators", None) or getattr(entity, "members", None) or ()
        reason = getattr(entity, "reason", None)
        return Name(
            history=known,
            library=library(known.header) if known.header else None,
            function=function,
            doc=documentation(known.name) if function else "",
            example=example(function) if function else None,
            members=[(m.name, m.value, getattr(m, "deprecated", False)) for m in members],
            fields=getattr(entity, "fields", ()),
            used_by=sorted(self._used_by.get(known.name, ())),
            attribute=self.attributes.get(known.name),
            successor=self._successors.get(known.name) or self._recommended(entity, known.name),
            reason=reason,
            last=next(s.last for s in reversed(known.spans) if s.state != "not there"),
        )

    def _recommended(self, entity: Any, name: str) -> str | None:
        named = getattr(entity, "successor", None) or self._advice.get(name, (None,))[0]
        return str(named) if named else None

    def _api_of(self, known: history.History) -> Api:
        last = next(s.last for s in reversed(known.spans) if s.state != "not there")
        release = next(r for r in self.everything.releases if r.version == last)
        return self.apis[release.api]

    def descriptors(self) -> dict[str, list[BackendAttribute]]:
        """Return the attributes of each descriptor type, by the type's enumerator."""
        found: dict[str, list[BackendAttribute]] = defaultdict(list)
        for attribute in self.attributes.values():
            found[attribute.owner].append(attribute)
        return dict(sorted(found.items()))


def documentation(name: str) -> str:
    """Return the docstring of a function's wrapper, "" where the package has none."""
    try:
        return inspect.getdoc(getattr(cudnn_cffi, name)) or ""
    except AttributeError:
        return ""


def example(function: Function) -> Example:
    """Return how the function is called: what comes in has the parameters' names."""
    return Example(_in_c(function), _in_python(function))


def _in_c(function: Function) -> str:
    lines, arguments = [], []
    for each in function.parameters:
        base, pointers = each.passed
        written = each.direction == "out" and each.kind not in ("device", "workspace", "reserve")
        if written and pointers == 1 and each.length is None and base != "void":
            lines.append(f"{base} {each.name};")
            arguments.append(f"&{each.name}")
        else:
            arguments.append(each.name)
    call = f"{function.name}({', '.join(arguments)});"
    if function.result != "void":
        call = f"{function.result} result = {call}"
    return "\n".join([*lines, call])


def _in_python(function: Function) -> str:
    wrapper = getattr(cudnn_cffi, function.name, None)
    if wrapper is None:
        return ""
    try:
        parameters = inspect.signature(wrapper).parameters.values()
    except (TypeError, ValueError):
        return ""
    needed = [p.name for p in parameters if p.default is inspect.Parameter.empty]
    doc = inspect.getdoc(wrapper) or ""
    section = re.search(r"^Returns:\n((?:    .*\n|\n)+)", doc, re.M)
    results = re.findall(r"^    (\w+): ", section[1], re.M) if section else []
    left = f"{', '.join(results)} = " if 0 < len(results) <= 6 else "result = " if section else ""
    return f"{left}cudnn.{function.name}({', '.join(needed)})"
