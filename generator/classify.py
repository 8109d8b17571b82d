"""What each parameter means: ordered rules over names and types, then facts.toml.

A rule sees a parameter with its function and answers with the fields of `model.Parameter` that
it knows, or with nothing. The first rule that answers decides. Facts come last, by name, and
replace fields. A pointer that no rule explains, and a fact that matches nothing, are errors: a
new release must be understood, not guessed at.
"""

from __future__ import annotations

import fnmatch
import functools
import os.path
import re
import sys
import tomllib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec
from cudnn_cffi.api import model

from .read.parse import Declarations

FACTS = Path(__file__).with_name("facts.toml")


class ClassificationError(Exception):
    """Something in the headers that neither a rule nor a fact explains, or a fact without use."""


Answer = Mapping[str, Any] | None


@dataclass(frozen=True)
class CType:
    """A C type taken apart, as far as roles depend on it."""

    base: str  # "void", "int", "cudnnTensorDescriptor_t"
    const: bool  # what it points to, or an element of it, or the value, may not be written
    pointers: int
    array: bool

    @classmethod
    @functools.cache
    def of(cls, text: str) -> CType:
        array = text.endswith("]")
        body = text[: text.index("[")] if array else text
        pointers = body.count("*")
        body = body.replace("*", " ")
        words = body.split()
        const = "const" in words
        base = " ".join(w for w in words if w not in ("const", "struct", "enum", "union"))
        return cls(base, const, pointers, array)

    @property
    def value(self) -> bool:
        return not self.pointers and not self.array


@dataclass(frozen=True)
class Types:
    """Which names are what, in one set of headers."""

    enums: frozenset[str]
    opaques: Mapping[str, model.Opaque]
    records: frozenset[str]
    callbacks: frozenset[str]

    @classmethod
    def of(cls, api: model.Api) -> Types:
        return cls(
            frozenset(enum.name for enum in api.enums),
            {opaque.name: opaque for opaque in api.opaques},
            frozenset(record.name for record in api.records),
            frozenset(callback.name for callback in api.callbacks),
        )


@dataclass(frozen=True)
class Site:
    """One parameter where it stands."""

    function: model.Function
    place: int
    parameter: model.Parameter
    type: CType
    types: Types

    @property
    def name(self) -> str:
        return self.parameter.name

    @property
    def verb(self) -> str:
        """Get, Set, Create...: the first word of the function's name, or RNNSet and the like."""
        found = re.match(r"cudnn(?:RNN|Dropout|Backend)?([A-Z][a-z]+)", self.function.name)
        return found[1] if found else ""

    def sibling(self, pattern: str) -> model.Parameter | None:
        matches = _matcher(pattern)
        for other in self.function.parameters:
            if other is not self.parameter and matches(other.name):
                return other
        return None

    def next(self, step: int = 1) -> model.Parameter | None:
        place = self.place + step
        return self.function.parameters[place] if place < len(self.function.parameters) else None


@functools.cache
def _matcher(pattern: str) -> Callable[[str], re.Match[str] | None]:
    return re.compile(pattern).fullmatch


RULES: list[Callable[[Site], Answer]] = []


def rule(function: Callable[[Site], Answer]) -> Callable[[Site], Answer]:
    RULES.append(function)
    return function


# By value -----------------------------------------------------------------------------------


@rule
def value_of_a_plain_type(site: Site) -> Answer:
    if not site.type.value:
        return None
    if site.type.base in site.types.enums:
        return {"kind": "enum"}
    if site.type.base in site.types.callbacks:
        return {"kind": "callback"}
    if site.type.base in site.types.records:
        return {"kind": "struct"}
    if site.type.base not in site.types.opaques:
        return {"kind": "scalar"}
    return None


@rule
def value_of_an_object(site: Site) -> Answer:
    if not site.type.value or site.type.base not in site.types.opaques:
        return None
    kind = _object_kind(site.type.base, site.types)
    if site.verb == "Destroy":
        return {"kind": kind, "owner": "released"}
    return {"kind": kind, "direction": _object_direction(site)}


def _object_kind(name: str, types: Types) -> model.Kind:
    if name == "cudnnHandle_t":
        return "handle"
    if name == "cudaStream_t":
        return "stream"
    return "descriptor" if types.opaques[name].header.startswith("cudnn") else "cuda"


_CHANGERS = ("Set", "Init", "Initialize", "Finalize", "Derive", "Restore", "Make", "Copy")


def _object_direction(site: Site) -> model.Direction:
    """Functions that change an object take it by value; without const, but so do others."""
    if site.type.const or site.type.base in ("cudnnHandle_t", "cudaStream_t"):
        return "in"
    following = site.next()
    beside = CType.of(following.type) if following is not None else None
    if beside is not None and beside.pointers == 2:
        return "out"  # a descriptor for the memory whose address comes back beside it
    if beside is not None and beside.base == "void" and _follows_handle(site):
        return "in"  # it describes the memory beside it, which is set
    if site.verb == "Get" and site.function.name.endswith("Descriptors"):
        return "out"
    if site.verb not in _CHANGERS or (
        site.verb == "Set" and site.place and not _follows_handle(site)
    ):
        return "in"
    return "inout"


def _follows_handle(site: Site) -> bool:
    return site.place == 1 and site.function.parameters[0].type == "cudnnHandle_t"


# Pointers whose name or type says it all ------------------------------------------------------


@rule
def pointer_to_a_handle(site: Site) -> Answer:
    """T* of an object: its handle comes back; from Create the caller's own."""
    opaque = site.types.opaques.get(site.type.base)
    if opaque is None or site.type.const or site.type.pointers != 1 or "*" not in opaque.target:
        return None
    kind = _object_kind(opaque.name, site.types)
    owner = "owned" if site.verb == "Create" or "Create" in site.function.name else "borrowed"
    return {"kind": kind, "direction": "out", "owner": owner}


@rule
def handles_of_const_objects(site: Site) -> Answer:
    if site.type.base in site.types.opaques and site.type.const and site.type.pointers == 1:
        length = site.sibling("seqLength")
        return {"kind": "array", "memory": "host", "length": length.name if length else None}
    return None


@rule
def tag_that_must_be_null(site: Site) -> Answer:
    opaque = site.types.opaques.get(site.type.base)
    if opaque is not None and site.type.pointers == 1 and "*" not in opaque.target:
        return {"kind": "tag", "direction": "out", "optional": True}
    return None


@rule
def list_of_results(site: Site) -> Answer:
    capacity, count = site.sibling("requested\\w+Count"), site.sibling("returned\\w+Count")
    if site.type.pointers == 1 and site.type.base in site.types.records and capacity and count:
        return {
            "kind": "records",
            "direction": "out",
            "memory": "host",
            "length": capacity.name,
            "count": count.name,
        }
    return None


@rule
def pointer_to_a_struct(site: Site) -> Answer:
    if site.type.pointers == 1 and site.type.base in site.types.records:
        return {
            "kind": "struct",
            "memory": "host",
            "direction": "in" if site.type.const else "out",
        }
    return None


@rule
def text_buffer(site: Site) -> Answer:
    if site.type.base == "char" and site.type.pointers == 1 and not site.type.const:
        capacity = site.next()
        return {
            "kind": "text",
            "direction": "out",
            "memory": "host",
            "length": capacity.name if capacity else None,
        }
    return None


@rule
def address_of_device_memory(site: Site) -> Answer:
    if site.type.base == "void" and site.type.pointers == 2 and site.name != "udata":
        return {"kind": "device", "direction": "out", "memory": "device", "owner": "borrowed"}
    return None


@rule
def data_for_a_callback(site: Site) -> Answer:
    if site.name == "udata":
        out = site.type.pointers == 2
        return {
            "kind": "user_data",
            "direction": "out" if out else "in",
            "optional": not out,
            "owner": "borrowed" if out else None,
        }
    return None


@rule
def pointer_to_a_callback(site: Site) -> Answer:
    if site.type.base in site.types.callbacks and site.type.pointers == 1:
        return {"kind": "callback", "direction": "out", "owner": "borrowed"}
    return None


# Arrays -------------------------------------------------------------------------------------

#: Which parameters may say how long an array is, by the array's name; with or without Requested.
_LENGTHS = (
    (r"\w*[a-z]A|axes", ("nbDims", "arrayLength")),  # a number for each dimension
    (r"\w+Array", ("arrayLength", "batchSize")),
)

#: How capacities end; the second is a slip of the pen in 7.5.0.
_REQUESTED = ("Requested", "Requsted")


@rule
def array_on_the_device(site: Site) -> Answer:
    if site.type.const and site.name.startswith("dev") and site.type.base != "void":
        return {"kind": "array", "memory": "device"}
    return None


@rule
def array_in(site: Site) -> Answer:
    if not site.type.array or not site.type.const:
        return None
    return {"kind": "array", "memory": "host", "length": _length(site, (site.name + "Size",))}


@rule
def array_out(site: Site) -> Answer:
    """T[] that is written: the capacity goes in, often as ...Requested, and a count comes back."""
    if not site.type.array or site.type.const:
        return None
    stem = site.name.removesuffix("Array")
    own = tuple(f"{stem}Size{ending}" for ending in _REQUESTED)
    capacity = _length(site, own, requested=True)
    count = None
    for ending in _REQUESTED:
        if capacity is not None and capacity.endswith(ending):
            written = capacity.removesuffix(ending)
            for name in (written, written.replace("Size", "ArraySize")):
                if (found := site.sibling(name)) is not None and "*" in found.type:
                    count = found.name
    return {
        "kind": "array",
        "direction": "out",
        "memory": "host",
        "length": capacity,
        "count": count,
    }


def _length(site: Site, own: tuple[str, ...], requested: bool = False) -> str | None:
    """The parameter that says how long an array is; None where no rule knows it."""
    names = list(own)
    for pattern, lengths in _LENGTHS:
        if re.fullmatch(pattern, site.name):
            asked = [f"{length}Requested" for length in lengths]
            names += [*asked, *lengths] if requested else [*lengths, *asked]
    for name in names:
        found = site.sibling(name)
        if found is not None and CType.of(found.type).value:
            return found.name
    return None


@rule
def number_out(site: Site) -> Answer:
    """int *n, cudnnDataType_t *dataType: a number that comes back."""
    if site.type.pointers != 1 or site.type.const or site.type.base == "void":
        return None
    kind = "enum" if site.type.base in site.types.enums else "scalar"
    return {"kind": kind, "direction": "out"}


@rule
def elements_behind_a_typed_pointer(site: Site) -> Answer:
    """const float *dropoutMask is on the device; const int *labels is on the host."""
    if site.type.pointers != 1 or not site.type.const or site.type.base == "void":
        return None
    if site.type.base == "float":
        return {"kind": "array", "memory": "device"}
    return {"kind": "array", "memory": "host"}


# void * ----------------------------------------------------------------------------------------


@rule
def scaling_factor(site: Site) -> Answer:
    """Also what cudnnSetTensor fills a tensor with: cuDNN reads it as it reads alpha and beta."""
    if _is_void(site) and site.type.const and re.match(r"alpha|beta|value(Ptr)?$", site.name):
        return {"kind": "scaling", "memory": "host"}
    return None


@rule
def single_element(site: Site) -> Answer:
    if _is_void(site) and site.name == "paddingFill":
        out = site.verb == "Get"
        return {"kind": "value", "memory": "host", "direction": "out" if out else "in"}
    return None


@rule
def typed_by_another_argument(site: Site) -> Answer:
    if _is_void(site) and site.name in ("arrayOfElements", "param", "ptr", "algoSpace"):
        out = not site.type.const and site.verb in ("Get", "Save")
        length = site.sibling("elementCount|requestedElementCount|algoSpaceSizeInBytes")
        written = site.sibling("elementCount") if out else None
        return {
            "kind": "buffer",
            "memory": "host",
            "direction": "out" if out else "in",
            "length": _capacity(site) or (length.name if length else None),
            "count": written.name if written else None,
        }
    return None


def _capacity(site: Site) -> str | None:
    found = site.sibling("requested\\w+Count")
    return found.name if found else None


@rule
def scratch_memory(site: Site) -> Answer:
    if _is_void(site) and re.fullmatch(r"work[sS]pace|temp(Data)?2?", site.name):
        return _sized(site, "workspace", "inout")
    return None


@rule
def reserve_space(site: Site) -> Answer:
    """Written by a forward call, read by the backward calls that follow it."""
    if _is_void(site) and re.fullmatch(r"reserveSpace", site.name):
        if site.type.const:
            return _sized(site, "reserve", "in")
        backward = "Backward" in site.function.name
        return _sized(site, "reserve", "inout" if backward else "out")
    return None


def _sized(site: Site, kind: model.Kind, direction: model.Direction) -> Answer:
    size = site.sibling(rf"(?i){site.name}Size(InBytes)?")
    return {
        "kind": kind,
        "direction": direction,
        "memory": "device",
        "length": size.name if size else None,
        "optional": size is not None,
    }


@rule
def device_memory(site: Site) -> Answer:
    """Everything else without a type is a tensor's data.

    Read when const. Otherwise written, and read as well where beta blends the result with what
    is there, or where the function takes it from whoever ran before.
    """
    if not _is_void(site):
        return None
    size = site.sibling(rf"(?i){site.name}s?(Size|SizeInBytes)")
    answer: dict[str, Any] = {"kind": "device", "memory": "device"}
    if size is not None:
        answer["length"] = size.name
    if site.type.const:
        return answer
    blends = any(p.name.startswith("beta") for p in site.function.parameters)
    accumulates = any(p.type in _ACCUMULATING for p in site.function.parameters)
    running = site.name.startswith("resultRunning")
    saved = site.name.startswith("resultSave")
    inout = running or ((blends or accumulates) and not saved)
    return {**answer, "direction": "inout" if inout else "out"}


#: Types of arguments that say whether a result is added to what is there.
_ACCUMULATING = ("cudnnWgradMode_t", "cudnnAccumulateResult_t")


def _is_void(site: Site) -> bool:
    return site.type.base == "void" and site.type.pointers == 1


# Facts -----------------------------------------------------------------------------------------


@dataclass
class Facts:
    """facts.toml: `[parameters."function.parameter"]`, `[flags.Name]`, `[functions.name]`.

    A key of `parameters` or `functions` may be a pattern (`cudnnRNN*Ex.keys`). Every entry has a
    `reason`; that of a function is in the model. One about older releases than those on the
    package index says by `until` which had it last.
    """

    parameters: dict[str, dict[str, Any]] = field(default_factory=dict)
    functions: dict[str, dict[str, Any]] = field(default_factory=dict)
    flags: dict[str, dict[str, Any]] = field(default_factory=dict)
    #: Names that mean the same, as `words`; see `merge`.
    synonyms: dict[str, dict[str, Any]] = field(default_factory=dict)
    #: Comments of the headers that are wrong, by "function.parameter" patterns.
    comments: dict[str, dict[str, Any]] = field(default_factory=dict)
    used: set[str] = field(default_factory=set)

    @classmethod
    def load(cls, path: str | os.PathLike[str] = FACTS) -> Facts:
        data = tomllib.loads(Path(path).read_text(encoding="utf-8"))
        facts = cls(**{key: data.get(key, {}) for key in _FACT_SECTIONS})
        unknown = data.keys() - set(_FACT_SECTIONS)
        if unknown:
            raise ClassificationError(f"{path}: unknown tables {sorted(unknown)}")
        for section in _FACT_SECTIONS:
            for key, fact in getattr(facts, section).items():
                if not str(fact.get("reason", "")).strip():
                    raise ClassificationError(f"{path}: {section}.{key} gives no reason")
        return facts

    def parameter(self, key: str) -> dict[str, Any]:
        if not self._any(key):
            return {}
        found: dict[str, Any] = {}
        for pattern, fact in self.parameters.items():
            if fnmatch.fnmatchcase(key, pattern):
                self.used.add(f"parameters.{pattern}")
                found.update(fact)
        for about in ("reason", "until"):
            found.pop(about, None)
        # Models leave out what equals the default by identity, so equal texts must be one object.
        return {k: sys.intern(v) if isinstance(v, str) else v for k, v in found.items()}

    @functools.cached_property
    def _any(self) -> Callable[[str], re.Match[str] | None]:
        """Whether any pattern of `parameters` matches: for most keys none does."""
        return re.compile("|".join(map(fnmatch.translate, self.parameters)) or r"(?!)").match

    def function(self, name: str) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for pattern, fact in self.functions.items():
            if fnmatch.fnmatchcase(name, pattern):
                self.used.add(f"functions.{pattern}")
                found.update(fact)
        return found

    def unused(self, old: bool = False) -> list[str]:
        """Facts that nothing matched; those about older releases only if `old`."""
        every = {
            f"{section}.{key}"
            for section in _FACT_SECTIONS
            if section != "synonyms"  # which `merge` reads
            for key, fact in getattr(self, section).items()
            if old or "until" not in fact
        }
        return sorted(every - self.used)


_FACT_SECTIONS = ("parameters", "functions", "flags", "comments", "synonyms")


def classify(declarations: Declarations, facts: Facts) -> model.Api:
    """The declarations with a role for every parameter and a set for every bit mask.

    Raises:
        ClassificationError: naming each parameter that nothing explains.
    """
    api = declarations.api
    types = Types.of(api)
    unexplained: list[str] = []
    functions = []
    for function in api.functions:
        parameters = tuple(
            _role(Site(function, i, p, CType.of(p.type), types), facts, unexplained)
            for i, p in enumerate(function.parameters)
        )
        function = msgspec.structs.replace(function, parameters=parameters)
        function = msgspec.structs.replace(function, **facts.function(function.name))
        functions.append(_check(function, facts, unexplained))
    if unexplained:
        raise ClassificationError(
            "nothing explains these parameters; add a rule to generator/classify.py or a fact "
            "to generator/facts.toml:\n" + "\n".join(unexplained)
        )
    flags, taken = _flag_sets(declarations, facts)
    functions = [_with_flags(function, flags, facts) for function in functions]
    return msgspec.structs.replace(
        api,
        functions=tuple(functions),
        constants=tuple(c for c in api.constants if c.name not in taken),
        flags=tuple(flags),
    )


def classify_again(api: model.Api, facts: Facts) -> model.Api:
    """The same API with the roles that the rules and facts of today give; needs no header."""
    functions = tuple(
        model.Function(
            name=function.name,
            header=function.header,
            result=function.result,
            parameters=tuple(
                model.Parameter(name=p.name, type=p.type, documented=p.documented)
                for p in function.parameters
            ),
            deprecated=function.deprecated,
            quiet=function.quiet,
            successor=function.successor,
            documented_since=function.documented_since,
        )
        for function in api.functions
    )
    bits = [(flags.header, member) for flags in api.flags for member in flags.members]
    constants = [model.Constant(name=m.name, header=h, value=m.value) for h, m in bits]
    bodies = {m.name: f"1 << {m.value.bit_length() - 1}" for _, m in bits if m.value}
    bare = model.replace(api, functions=functions, constants=(*constants, *api.constants), flags=())
    return classify(Declarations(bare, bodies), facts)


def _role(site: Site, facts: Facts, unexplained: list[str]) -> model.Parameter:
    answer: dict[str, Any] = {}
    for each in RULES:
        found = each(site)
        if found is not None:
            answer.update(found)
            break
    else:
        answer["kind"] = None
    answer.update(facts.parameter(f"{site.function.name}.{site.name}"))
    answer["length"] = answer.get("length") or None  # a fact says "" where no parameter tells
    if answer["kind"] is None:
        unexplained.append(f"  {site.function.name}: {site.parameter.type} {site.name}")
        return site.parameter
    return msgspec.structs.replace(site.parameter, **answer)


def _unsized(parameter: model.Parameter, facts: Facts, function: model.Function) -> bool:
    """Whether nothing says how long an array in host memory is, nor that nothing does."""
    if parameter.memory == "device" or parameter.length or parameter.direction == "out":
        return False
    return "length" not in facts.parameter(f"{function.name}.{parameter.name}")


def _check(function: model.Function, facts: Facts, unexplained: list[str]) -> model.Function:
    """Lengths and counts must name parameters that there are."""
    names = {parameter.name for parameter in function.parameters}
    for parameter in function.parameters:
        for what in (parameter.length, parameter.count):
            if what is not None and what not in names:
                unexplained.append(f"  {function.name}.{parameter.name}: no parameter {what!r}")
        if parameter.kind == "array" and parameter.direction == "out" and not parameter.length:
            unexplained.append(
                f"  {function.name}: {parameter.type} {parameter.name}: an array that is written, "
                "without a capacity"
            )
        if (
            parameter.kind == "array"
            and "[" in parameter.type
            and _unsized(parameter, facts, function)
        ):
            unexplained.append(
                f"  {function.name}: {parameter.type} {parameter.name}: an array of unknown length"
            )
    return function


# Bit masks ---------------------------------------------------------------------------------------

_SHIFT = re.compile(r"\(?\s*1[uU]?[lL]*\s*<<.*")


def _flag_sets(
    declarations: Declarations, facts: Facts
) -> tuple[list[model.FlagSet], frozenset[str]]:
    """Macros defined as shifted bits, with their zero-valued neighbours, grouped into sets.

    A fact names a set by the prefix of its members. Bits that no fact claims make a set of their
    own per common prefix, so that a new mask needs no fact, only a better name.
    """
    constants = {c.name: c for c in declarations.api.constants}
    bits = [name for name, body in declarations.bodies.items() if _SHIFT.fullmatch(body)]
    bits = [name for name in bits if name in constants]
    groups: dict[str, list[str]] = {}
    claimed: set[str] = set()
    for name, fact in facts.flags.items():
        members = [
            constant
            for constant in constants
            if constant.startswith(fact["prefix"])
            and constant.endswith(fact.get("suffix", ""))
            and (constant in bits or constants[constant].value == 0)
        ]
        if any(member in bits for member in members):
            facts.used.add(f"flags.{name}")
            groups[name] = members
            claimed.update(members)
    for name in bits:
        if name not in claimed:
            stem = name.rpartition("_")[0]
            groups.setdefault(_camel(stem), []).append(name)
            claimed.add(name)
    sets = []
    for name, members in groups.items():
        sets.append(
            model.FlagSet(
                name=name,
                header=constants[members[0]].header,
                members=tuple(
                    model.Enumerator(name=member, value=int(constants[member].value))
                    for member in members
                ),
            )
        )
    return sorted(sets, key=lambda s: s.name), frozenset(claimed)


def _camel(macro: str) -> str:
    words = macro.removeprefix("CUDNN_").split("_")
    return "".join(word.capitalize() for word in words) + "Flags"


def _with_flags(
    function: model.Function, sets: Iterable[model.FlagSet], facts: Facts
) -> model.Function:
    names = {s.name for s in sets}
    changed = []
    for parameter in function.parameters:
        for name in names & facts.flags.keys():
            if f"{function.name}.{parameter.name}" in facts.flags[name].get("parameters", ()):
                parameter = msgspec.structs.replace(parameter, kind="flags", flags=name)
        changed.append(parameter)
    return msgspec.structs.replace(function, parameters=tuple(changed))


def disagreements(api: model.Api, facts: Facts) -> list[tuple[str, model.Parameter]]:
    """Parameters whose direction is not the one that the header's comment claims.

    Those are left out of which facts.toml says why the comment is wrong.
    """
    found = [
        (f"{function.name}.{parameter.name}", parameter)
        for function in api.functions
        for parameter in function.parameters
        if parameter.documented is not None and parameter.documented != parameter.direction
    ]
    unexplained = []
    for key, parameter in found:
        reasons = [pattern for pattern in facts.comments if fnmatch.fnmatchcase(key, pattern)]
        facts.used.update(f"comments.{pattern}" for pattern in reasons)
        if not reasons:
            unexplained.append((key, parameter))
    return unexplained
