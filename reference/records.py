"""Facts of pages, gathered from the models."""

from __future__ import annotations

import inspect
import re
import textwrap
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from typing import Any

import cudnn_cffi
from cudnn_cffi import backend, families
from cudnn_cffi.api import history, steps, store
from cudnn_cffi.api.diff import library, things
from cudnn_cffi.api.history import Event, Span
from cudnn_cffi.api.model import Api, BackendAttribute, Callback, Function
from cudnn_cffi.api.names import reach
from cudnn_cffi.api.report import Report

from generator import meanings

from .guides import mentions

#: A name's state in releases without it.
ABSENT = "not there"
_DEPRECATED = ", deprecated"

#: Columns of code.
_WIDTH = 88

#: Kinds of names that have a heading in NVIDIA's documentation; descriptors have one, too.
_WITH_HEADING = {"function", "object type", "enumeration", "struct", "callback"}


@dataclass(frozen=True)
class Example:
    """A call of a function, in C and in Python."""

    c: str
    python: str


@dataclass(frozen=True)
class Member:
    """A member of an enumeration, in all releases."""

    name: str
    value: str  # in the last release that has it
    releases: str  # in which it is there, and where it had another value


@dataclass(frozen=True)
class Name:
    """The content of the page of a name."""

    history: history.History
    library: str | None
    presence: str  # in which releases it is there
    life: Sequence[Span]
    python: Sequence[str] = ()  # names in Python other than in C
    function: Function | None = None
    callback: Callback | None = None
    macro: str | None = None  # what it stands for
    doc: str = ""  # of the Python function
    formula: str = ""  # of the function
    see: Sequence[str] = ()  # names of this package that do the same
    manual: str = ""  # the address in NVIDIA's documentation
    example: Example | None = None
    members: Sequence[Member] = ()  # of an enumeration
    fields: Sequence[Any] = ()  # of a struct
    declares: Sequence[tuple[str, Sequence[str]]] = ()  # of a header or library: kinds and names
    used_by: Sequence[str] = ()  # functions
    held_by: Sequence[str] = ()  # attributes of descriptors
    guides: Sequence[str] = ()  # links to pages of the guide that are about it
    attribute: BackendAttribute | None = None
    descriptor: bool = False  # whether it is a type of descriptors
    instead: str | None = None  # what the headers or the facts recommend
    reason: str | None = None

    @property
    def gone(self) -> bool:
        """Whether the newest release lacks it."""
        return self.history.spans[-1].state == ABSENT

    @property
    def summary(self) -> str:
        """The first sentence of the docstring."""
        return self.doc.partition("\n\n")[0].replace("\n", " ")

    @property
    def state(self) -> str:
        """Descriptions of the states of its life."""
        return {"enumerator": "value", "constant": "value", "flag": "value"}.get(
            self.history.kind, "state"
        )

    @property
    def events(self) -> Sequence[Event]:
        """Changes, except that it was there in the oldest release."""
        return [event for event in self.history.events if event.severity]

    @property
    def returns(self) -> str:
        """The result of the Python function."""
        section = re.search(r"^Returns:\n((?:    .*\n?|\n)+)", self.doc, re.M)
        if section is None:
            return ""
        results = re.findall(r"^    (\w+): ", section[1], re.M)
        if results:
            return f"a named tuple of {', '.join(results)}"
        return " ".join(section[1].split()).rstrip(".").replace("`", "")


@dataclass
class Models:
    """All models, and what follows from them."""

    everything: history.Everything = field(default_factory=history.everything)

    @cached_property
    def apis(self) -> dict[str, Api]:
        """The APIs, oldest first."""
        return {api.release: api for api in store().apis()}

    @cached_property
    def wheels(self) -> dict[str, dict[str, tuple[str, ...]]]:
        """The platforms of each release's wheels, by CUDA's major version."""
        return {release.version: release.wheels for release in store().releases()}

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
        """Return the record of a name."""
        name, kind = known.name, known.kind
        api = self.last_api.get(name) or self._api_of(known)
        entity = things(api)[name].entity if name in things(api) else None
        function = entity if kind == "function" else None
        known_meanings = meanings.load()
        return Name(
            history=known,
            library=library(known.header) if function and known.header else None,
            presence=self.presence(known),
            life=_life(known),
            python=[*known.python, *self._methods.get(name, ())],
            function=function,
            callback=entity if kind == "callback" else None,
            macro=entity.body if kind == "macro" and entity else None,
            doc=documentation(name) if function else "",
            formula=known_meanings.formula(name),
            see=known_meanings.see(name),
            manual=self.manual(known),
            example=self._example(name, function),
            members=self._members(entity, kind),
            fields=getattr(entity, "fields", ()),
            declares=self._declared_by.get(name, ()),
            used_by=sorted(self._used_by.get(name, ())),
            held_by=self.held_by.get(name, ()),
            guides=mentions().get(name, ()),
            attribute=self.attributes.get(name),
            descriptor=name in self.descriptors(),
            instead=self._successors.get(name) or self._recommended(entity, name),
            reason=getattr(entity, "reason", None),
        )

    def manual(self, known: history.History) -> str:
        """Return the address of a function, type or descriptor in NVIDIA's documentation, or ""."""
        has_heading = known.kind in _WITH_HEADING or known.name in self.descriptors()
        return meanings.load().manual(known.name, known.header or "") if has_heading else ""

    def presence(self, known: history.History) -> str:
        """Say in which releases a name is there."""
        newest = self.everything.releases[-1].version
        there = [span for span in known.spans if span.state != ABSENT]
        first, last = there[0].first, there[-1].last
        gap = any(s.state == ABSENT and s.first > first for s in known.spans[1:-1])
        if last != newest:
            following = next(s.first for s in reversed(known.spans) if s.state == ABSENT)
            since = "" if first == self._oldest else f"added in {first} and "
            return f"{since}removed in {following}"
        if first == self._oldest:
            return "there in most releases" if gap else "there in every release"
        return f"since {first}"

    @property
    def _oldest(self) -> str:
        return self.everything.releases[0].version

    @cached_property
    def _histories(self) -> dict[str, history.History]:
        return {each.name: each for each in self.everything.names}

    def since(self, name: str) -> str:
        """Return the first release with a name, or that it is older than all."""
        spans = self._histories[name].spans
        first = next(span.first for span in spans if span.state != ABSENT)
        return f"{first} or before" if first == self._oldest else first

    def _members(self, entity: Any, kind: str) -> Sequence[Member]:
        if kind != "enumeration":
            return ()
        known = [h for h in self.everything.names if h.owner == entity.name]
        order = {e.name: place for place, e in enumerate(entity.enumerators)}
        members = []
        for each in known:
            there = [span for span in each.spans if span.state != ABSENT]
            value = there[-1].state.partition(",")[0]
            short = [_span(span, value) for span in there]
            if short == [f"{self._oldest} to {self.everything.releases[-1].version}"]:
                short = ["all"]
            members.append(Member(each.name, value, "; ".join(short)))
        return sorted(members, key=lambda m: (order.get(m.name, len(order)), m.name))

    @cached_property
    def _methods(self) -> dict[str, list[str]]:
        """Methods of emitted classes by the function that they call."""
        found: dict[str, list[str]] = defaultdict(list)
        for class_name, value in vars(families).items():
            for method, function in getattr(value, "_functions", {}).items():
                found[function].append(f"{class_name}.{method}")
        return {function: sorted(methods) for function, methods in found.items()}

    @cached_property
    def _declared_by(self) -> dict[str, list[tuple[str, list[str]]]]:
        """Declarations of headers and functions of libraries in the last release that has both."""
        found: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
        for api in self.apis.values():
            now: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
            for name, thing in things(api).items():
                if thing.header and thing.kind not in ("enumerator", "flag"):
                    now[thing.header][thing.kind].append(name)
                if thing.kind == "function" and (file := library(thing.header or "")):
                    now[file]["function"].append(name)
            found.update(now)
        return {
            owner: [(kind, sorted(names)) for kind, names in sorted(kinds.items())]
            for owner, kinds in found.items()
        }

    @cached_property
    def held_by(self) -> dict[str, list[str]]:
        """Attributes by the enumeration or the type of descriptors that they hold."""
        found: dict[str, list[str]] = defaultdict(list)
        for attribute in self.attributes.values():
            for held in (attribute.target, attribute.enum):
                if held:
                    found[held].append(attribute.name)
        return {held: sorted(names) for held, names in found.items()}

    def _example(self, name: str, function: Function | None) -> Example | None:
        if function is not None:
            return example(function, self._methods.get(name, ()))
        attribute = self.attributes.get(name)
        return _attribute_example(attribute) if attribute else None

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


def _life(known: history.History) -> Sequence[Span]:
    """Return releases and states, without a function's signature where that is ever the same."""
    signatures = {s.state.removesuffix(_DEPRECATED) for s in known.spans} - {ABSENT}
    if known.kind != "function" or len(signatures) > 1:
        return known.spans
    return [Span(s.first, s.last, _short(s.state)) for s in known.spans]


def _short(state: str) -> str:
    if state == ABSENT:
        return state
    return "deprecated" if state.endswith(_DEPRECATED) else "there"


def _span(span: Span, value: str) -> str:
    """Return the releases of a span, with what is not the value that a member has last."""
    releases = span.first if span.first == span.last else f"{span.first} to {span.last}"
    now, _, remark = span.state.partition(", ")
    notes = [remark] if remark else []
    if now != value:
        notes.insert(0, now)
    return f"{releases} ({', '.join(notes)})" if notes else releases


def documentation(name: str) -> str:
    """Return the docstring of a function's wrapper, "" where the package has none."""
    try:
        return inspect.getdoc(getattr(cudnn_cffi, name)) or ""
    except AttributeError:
        return ""


def example(function: Function, methods: Sequence[str] = ()) -> Example:
    """Return how the function is called: what comes in has the parameters' names."""
    return Example(_in_c(function), _in_python(function, methods))


def _in_c(function: Function) -> str:
    lines, arguments = [], []
    for each in function.parameters:
        base, pointers = each.passed
        written = each.direction == "out" and each.kind not in ("device", "workspace", "reserve")
        if each.kind == "tag":
            arguments.append("NULL")
        elif written and pointers == 1 and each.length is None and base != "void":
            lines.append(f"{base} {each.name};")
            arguments.append(f"&{each.name}")
        else:
            arguments.append(each.name)
    name = "status" if function.result == "cudnnStatus_t" else "result"
    if name in [each.name for each in function.parameters]:
        name = "outcome"
    left = "" if function.result == "void" else f"{function.result} {name} = "
    call = _wrapped(f"{left}{function.name}(", arguments, ");")
    return "\n".join([*lines, call])


def _wrapped(start: str, arguments: Sequence[str], end: str) -> str:
    """Return a call, its arguments on lines of their own where one line is too short."""
    line = start + ", ".join(arguments) + end
    if len(line) <= _WIDTH or not arguments:
        return line
    inside = textwrap.wrap(
        ", ".join(arguments), _WIDTH - 4, break_long_words=False, break_on_hyphens=False
    )
    return "\n".join([start, *(f"    {each}" for each in inside), end])


def _in_python(function: Function, methods: Sequence[str]) -> str:
    wrapper = getattr(cudnn_cffi, function.name, None)
    if wrapper is None:
        return ""
    try:
        needed = _needed(wrapper)
    except (TypeError, ValueError):
        return ""
    doc = inspect.getdoc(wrapper) or ""
    section = re.search(r"^Returns:\n((?:    (?!None;).*\n|\n)+)", doc, re.M)
    results = re.findall(r"^    (\w+): ", section[1], re.M) if section else []
    left = f"{', '.join(results)} = " if 0 < len(results) <= 6 else "result = " if section else ""
    lines = [_wrapped(f"{left}cudnn.{function.name}(", needed, ")")]
    for path in methods:
        if call := _method_call(path, needed):
            lines += ["", f"# The same, as a method of a {path.partition('.')[0]}:", left + call]
            break
    return "import cudnn_cffi as cudnn\n\n" + "\n".join(lines)


def _method_call(path: str, needed: Sequence[str]) -> str:
    """Return the call of a method in place of a function, "" where it takes other arguments."""
    class_name, _, method = path.partition(".")
    arguments = _needed(getattr(getattr(families, class_name), method))[1:]  # without self
    own = [name for name in needed if name not in arguments]
    return _wrapped(f"{own[0]}.{method}(", arguments, ")") if len(own) == 1 else ""


def _needed(function: Any) -> list[str]:
    parameters = inspect.signature(function).parameters.values()
    return [p.name for p in parameters if p.default is inspect.Parameter.empty]


def python_class(owner: str) -> str:
    """Return the class of a type of descriptors, by its enumerator; "" where there is none."""
    return _classes().get(owner, "")


@cache
def _classes() -> dict[str, str]:
    named = {name: getattr(backend, name) for name in backend.__all__}
    return {value.c_name: name for name, value in named.items() if hasattr(value, "c_name")}


def property_of(attribute: BackendAttribute) -> str:
    """Return the property of the descriptor's class for an attribute, "" where there is none."""
    found = getattr(backend, python_class(attribute.owner), None)
    pattern = re.compile(rf"C: {attribute.name}\b")
    for name, value in vars(found).items() if found else ():
        if isinstance(value, property) and pattern.search(value.__doc__ or ""):
            return str(name)
    return ""


def _attribute_example(attribute: BackendAttribute) -> Example:
    """Return how an attribute is set, or read where it cannot be set."""
    name, variable = attribute.name, property_of(attribute)
    kind = attribute.types[0] if attribute.types else "type"
    one = attribute.count != "many"
    count, value = ("1", "&value") if one else ("count", "values")
    python = f"# descriptor: a cudnn_cffi.graph.{python_class(attribute.owner)}\n"
    if attribute.writable is False:
        call = ["descriptor", name, kind, count, "&found", value]
        c = "int64_t found;\n" + _wrapped(
            "cudnnStatus_t status = cudnnBackendGetAttribute(", call, ");"
        )
        python += f"value = descriptor.{variable}"
    else:
        call = ["descriptor", name, kind, count, value]
        c = _wrapped("cudnnStatus_t status = cudnnBackendSetAttribute(", call, ");")
        python += f"descriptor.{variable} = {'value' if one else 'values'}"
    return Example(c, python if variable else "")


def descriptor_in_python(owner: str, attributes: Sequence[BackendAttribute]) -> str:
    """Return how a descriptor is made with what must be set, "" where it has no class."""
    name = python_class(owner)
    keywords = [f"{word}={word}" for a in attributes if required(a) and (word := property_of(a))]
    call = _wrapped(f"{variable_of(owner)} = graph.{name}(", keywords, ")")
    return f"from cudnn_cffi import graph\n\n{call}" if name else ""


def required(attribute: BackendAttribute) -> bool:
    """Return whether an attribute must be set, whatever else is."""
    return "required" in (attribute.needed, attribute.needed_in_graph) and not attribute.unless


def variable_of(owner: str) -> str:
    """Return what an example calls a descriptor of a type."""
    return owner.removeprefix("CUDNN_BACKEND_").removesuffix("_DESCRIPTOR").lower()
