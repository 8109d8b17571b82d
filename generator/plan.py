"""How one function is called from Python: the machine-level arguments, what is converted before
the call and what comes back after it. Templates print a plan; they decide nothing.

The compiled layer has one C shim for each plan, the ABI layer builds the same from its codes:

    P p   a pointer that must not be NULL, one that may be
    i I q Q f d   int, unsigned, 64 bits signed and unsigned, float, double by value
    A     a pointer to memory that the wrapper holds
    0     NULL
    s<n> t<n>     alpha or beta, as float or double after the tensor or filter descriptor at
                  place n
    r4 r8 a struct of integers by value, through a pointer to it
    o<c>  a pointer to a result of one of the kinds above

A function with results other than its status writes them to 64-bit slots of memory that the wrapper
lends it, by its last argument.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from cudnn_cffi.api import model

from . import names
from .classify import CType
from .merge import Merged, Variant


class PlanError(Exception):
    """A function that the call layer cannot express."""


_CODES = {
    "int": "i",
    "int32_t": "i",
    "unsigned int": "I",
    "unsigned": "I",
    "uint32_t": "I",
    "long long": "q",
    "int64_t": "q",
    "unsigned long long": "Q",
    "uint64_t": "Q",
    "size_t": "Q",
    "float": "f",
    "double": "d",
    "int8_t": "i",
    "char": "i",
}

#: The C type of a number by its code; also of the elements of an array.
C_TYPES = {
    "i": "int",
    "I": "unsigned int",
    "q": "int64_t",
    "Q": "uint64_t",
    "f": "float",
    "d": "double",
}

#: By code of a scaling factor, the descriptor whose data type it has, and the function to ask.
SCALED = {
    "s": ("cudnnTensorDescriptor_t", "cudnnGetTensorNdDescriptor"),
    "t": ("cudnnFilterDescriptor_t", "cudnnGetFilterNdDescriptor"),
}

#: Descriptors that say all of an array.
DESCRIBING = ("cudnnTensorDescriptor_t", "cudnnFilterDescriptor_t")

_DEVICE_KINDS = {"device", "workspace", "reserve"}


@dataclass(frozen=True)
class Argument:
    """What a shim takes for a parameter.

    Attributes:
        text: it, as an expression.
        how: what turns the parameter into a number where it is none yet: the name of the attribute
            that has it, what is called with it, or a mapping from types to what is called. None
            where it has to be a number; "" where a number is not enough.
        parameter: the Python name of the parameter; None for memory that the wrapper makes.
    """

    text: str
    how: str | None = ""
    parameter: str | None = None

    @property
    def judged(self) -> bool:
        """Whether the type of what is given must be known to be plain before the call.

        It is for numbers and for objects that hold an address: to take another one for what it is
        can run any code, which has to happen before anything is measured or looked up.
        """
        return self.how is None or self.how.startswith(('"', "lambda"))

    @property
    def local(self) -> str | None:
        """The variable that holds what is converted before the call; None where nothing is."""
        if self.parameter is None or self.judged:
            return None
        return f"_in_{self.parameter}"


#: What emitted functions call the numbers that came back. Names of ours begin with an underscore,
#: which those of parameters never do: see `names.parameter_name`.
RESULTS = "_r"

#: How memory on the device gives its address.
BY_TYPE = "_getters"


@dataclass(frozen=True)
class PyParameter:
    """One parameter of the Python wrapper."""

    source: model.Parameter
    name: str
    annotation: str
    default: str | None = None


@dataclass(frozen=True)
class Result:
    """One value that comes back."""

    source: model.Parameter
    name: str
    annotation: str
    expression: str


@dataclass
class Plan:
    variant: Variant
    codes: tuple[str, ...] = ()
    result_code: str = "status"  # "status", "void", "text" or a code of a value
    parameters: list[PyParameter] = field(default_factory=list)
    before: list[str] = field(default_factory=list)  # statements
    arguments: list[Argument] = field(default_factory=list)  # for codes that take one
    results: list[Result] = field(default_factory=list)
    slots: str = ""  # results in slots, as codes of the struct module
    imports: set[str] = field(default_factory=set)  # runtime names that the code uses
    enums: set[str] = field(default_factory=set)
    families: set[str] = field(default_factory=set)
    records: set[str] = field(default_factory=set)

    @property
    def function(self) -> model.Function:
        return self.variant.function

    @property
    def name(self) -> str:
        return self.variant.wrapper

    @property
    def returns_slots(self) -> bool:
        return bool(self.slots)

    @property
    def quick(self) -> tuple[str | None, ...] | None:
        """What turns each slot into its result: a mapping by name, or None where it is one already.

        None for a plan that needs more than that between Python and C.
        """
        if self.before or self.result_code == "text" or any(c[0] == "r" for c in self.codes):
            return None
        if any(argument.how == "" for argument in self.arguments):
            return None
        if len(self.results) != len(self.slots):
            return None
        found: list[str | None] = []
        for place, result in enumerate(self.results):
            slot = f"{RESULTS}[{place}]"
            name, _, rest = result.expression.partition("[")
            if result.expression != slot and rest != f"{slot}]":
                return None
            found.append(None if result.expression == slot else name)
        return tuple(found)

    @property
    def tuple_name(self) -> str | None:
        """The name of the named tuple that comes back; None for fewer than two results."""
        return self.name.removeprefix("cudnn") + "Result" if len(self.results) > 1 else None

    @property
    def described(self) -> tuple[tuple[int, int], ...]:
        """Places of memory on the device among the parameters, each with that of what says how
        large it is: the descriptor that is named after it, or a number of bytes."""
        places = {p.source.name: i for i, p in enumerate(self.parameters)}
        tensors = {
            p.source.name.lower(): i
            for i, p in enumerate(self.parameters)
            if p.source.kind == "descriptor" and CType.of(p.source.type).base in DESCRIBING
        }
        found = []
        for i, parameter in enumerate(self.parameters):
            source = parameter.source
            if source.kind not in _DEVICE_KINDS:
                continue
            by = tensors.get(f"{source.name.lower().removesuffix('data')}desc")
            if by is None:
                by = places.get(source.length or "")
            if by is not None:
                found.append((i, by))
        return tuple(found)

    @property
    def annotation(self) -> str:
        if not self.results:
            return "None"
        return self.tuple_name or self.results[0].annotation


@dataclass(frozen=True)
class Context:
    """Names that plans refer to."""

    enums: Mapping[str, str]  # C name -> Python class
    opaques: Mapping[str, model.Opaque]
    families: frozenset[str]  # C handle types with a class
    records: Mapping[str, model.Record]
    typedefs: Mapping[str, str]
    functions: frozenset[str]

    @classmethod
    def of(cls, merged: Merged) -> Context:
        enums: dict[str, str] = {}
        opaques: dict[str, model.Opaque] = {}
        records: dict[str, model.Record] = {}
        typedefs: dict[str, str] = {}
        for api in merged.apis.values():
            enums.update((e.name, names.class_name(e.name)) for e in api.enums)
            opaques.update((o.name, o) for o in api.opaques)
            records.update((r.name, r) for r in api.records)
            typedefs.update((t.name, t.type) for t in api.typedefs)
        families = family_types(merged)
        return cls(enums, opaques, families, records, typedefs, frozenset(merged.variants))

    def code(self, base: str, where: str) -> str:
        base = self.typedefs.get(base, base)
        if base in self.enums:
            return "i"
        if base in self.opaques:
            return "p"
        if base not in _CODES:
            raise PlanError(f"{where}: there is no rule for the type {base}")
        return _CODES[base]


def family_types(merged: Merged) -> frozenset[str]:
    """Handle types whose objects some function makes and some function destroys, one at a time."""
    made, destroyed = set(), set()
    for variant in merged.all_variants():
        for parameter in variant.function.parameters:
            base = CType.of(parameter.type).base
            if parameter.kind in ("handle", "descriptor"):
                if parameter.owner == "owned":
                    made.add(base)
                elif parameter.owner == "released":
                    destroyed.add(base)
    return frozenset(made & destroyed)


def plan(variant: Variant, context: Context) -> Plan:
    return _Planner(variant, context).run()


class _Planner:
    def __init__(self, variant: Variant, context: Context) -> None:
        self.context = context
        self.function = variant.function
        self.plan = Plan(variant)
        self.codes: list[str] = []

    def run(self) -> Plan:
        self._result_code()
        if self.function.result not in ("cudnnStatus_t", "void"):
            self._returned_value()
        for parameter in self.function.parameters:
            before = len(self.codes)
            self._parameter(parameter)
            if len(self.codes) != before + 1:
                raise PlanError(f"{self.function.name}.{parameter.name}: not one code")
        self.plan.codes = tuple(self.codes)
        self._finish_outputs()
        self._defaults()
        return self.plan

    # Results of the C function itself

    def _result_code(self) -> None:
        result = self.function.result
        if result == "cudnnStatus_t":
            code = "status"
        elif result == "void":
            code = "void"
        elif result == "const char *":
            code = "text"
        else:
            code = self.context.code(result, self.function.name)
        self.plan.result_code = code

    def _returned_value(self) -> None:
        source = model.Parameter(name="result", type=self.function.result, direction="out")
        if self.plan.result_code == "text":
            expression = self._slot("Q", "_text({})", {"_text"})
            annotation = "str"
        else:
            expression, annotation = self._number(source, self.plan.result_code)
        self.plan.results.append(Result(source, "result", annotation, expression))

    # Parameters

    def _parameter(self, parameter: model.Parameter) -> None:
        kind = CType.of(parameter.type)
        by_value = kind.value
        if parameter.kind == "tag":
            self.codes.append("0")
        elif parameter.kind in _DEVICE_KINDS or (
            parameter.kind == "array" and parameter.memory == "device"
        ):
            if kind.pointers == 2:
                self._pointer_out(parameter)
            else:
                name = names.parameter_name(parameter.name)
                self.plan.imports.add(BY_TYPE)
                self.plan.imports.add("_device")
                text = f"{name} if _type({name}) is int else _device({name})"
                self._take(parameter, "DevicePointer", "p", text, BY_TYPE)
        elif by_value:
            self._value(parameter, kind)
        elif parameter.direction == "in" or parameter.kind == "buffer":
            self._pointer_in(parameter, kind)
        else:
            self._out(parameter, kind)

    def _value(self, parameter: model.Parameter, kind: CType) -> None:
        if parameter.kind in ("handle", "descriptor"):
            self._object(parameter, kind.base)
        elif parameter.kind == "stream":
            self._convert(parameter, "Stream", "p", "_stream")
        elif parameter.kind == "cuda":
            self._address(parameter, "HostPointer", "P")
        elif parameter.kind == "callback":
            self._address(parameter, "Callback", "p" if parameter.optional else "P")
        elif parameter.kind == "struct":
            size = self.context.records[kind.base].size
            if size not in (4, 8):
                raise PlanError(f"{self.function.name}: a struct of {size} bytes by value")
            self._address(parameter, "HostPointer", f"r{size}")
        else:
            code = self.context.code(kind.base, self.function.name)
            name = names.parameter_name(parameter.name)
            annotation = "float" if code in "fd" else "int"
            if kind.base in self.context.enums:
                annotation = self._enum(kind.base)
            elif parameter.flags:
                annotation = f"{self._enum(parameter.flags)} | int"
            self._take(parameter, annotation, code, name, None)

    def _object(self, parameter: model.Parameter, base: str) -> None:
        name = names.parameter_name(parameter.name)
        if base in self.context.families:
            self.plan.families.add(base)
            annotation = f"{names.class_name(base)} | int"
            text, how = f"{name}._{base}", f'"_{base}"'
            if parameter.owner == "released":
                text, how = f"{name}._detach({base!r})", f"lambda given: given._detach({base!r})"
            text = f"{name} if _type({name}) is int else {text}"
            if parameter.optional:
                annotation += " | None"
                text = f"0 if {name} is None else {text}"
            self._take(parameter, annotation, "p" if parameter.optional else "P", text, how)
        else:
            annotation = "HostPointer | None" if parameter.optional else "HostPointer"
            self._address(parameter, annotation, "p" if parameter.optional else "P")

    def _pointer_in(self, parameter: model.Parameter, kind: CType) -> None:
        name = names.parameter_name(parameter.name)
        if parameter.kind == "array":
            self._array_in(parameter, kind, name)
        elif parameter.kind == "scaling":
            code = self._scaled_by()
            if code is None:
                self._address(parameter, "HostPointer", "P")
            else:
                self._convert(parameter, "ScalingFactor", code, "_scale", "float")
        elif parameter.kind == "value":
            self.plan.imports.add("_element")
            source = self._data_type()
            text = f"_element({name}, {source}, {parameter.name!r})"
            self._take(parameter, "float | HostPointer", "A", text)
        elif parameter.kind == "buffer":
            self._buffer(parameter, name)
        elif parameter.kind in ("struct", "user_data", "records"):
            self._address(parameter, "HostPointer", "p" if parameter.optional else "P")
        else:
            raise PlanError(f"{self.function.name}.{parameter.name}: {parameter.kind} by pointer")

    def _array_in(self, parameter: model.Parameter, kind: CType, name: str) -> None:
        length = names.parameter_name(parameter.length) if parameter.length else "None"
        if kind.base in self.context.opaques:
            self.plan.imports.add("_objects")
            text = f"_objects({name}, {kind.base!r}, {length}, {parameter.name!r})"
            if parameter.owner == "released":
                text = f"_objects({name}, {kind.base!r}, {length}, {parameter.name!r}, True)"
            annotation = "Sequence[int] | HostPointer"
        else:
            code = self.context.code(kind.base, self.function.name)
            self.plan.imports.add("_array")
            text = f'_array({name}, "{code}", {length}, {parameter.name!r})'
            annotation = "Sequence[int] | HostPointer"
        if parameter.optional:
            text = f"_NULL if {name} is None else {text}"
            annotation += " | None"
            self.plan.imports.add("_NULL")
        self._take(parameter, annotation, "A", text)

    def _buffer(self, parameter: model.Parameter, name: str) -> None:
        """Elements whose type another argument names, or memory as it is."""
        kinds = {p.type: names.parameter_name(p.name) for p in self.function.parameters}
        type_name = kinds.get("cudnnBackendAttributeType_t")
        if type_name is None or parameter.length is None:
            annotation = "HostPointer | None" if parameter.optional else "HostPointer"
            self._address(parameter, annotation, "p" if parameter.optional else "P")
            return
        length = names.parameter_name(parameter.length)
        if parameter.direction == "in":
            self.plan.imports.add("_attribute_in")
            owners = [p.name for p in self.function.parameters if p.kind == "descriptor"]
            owner = names.parameter_name(owners[0]) if owners else None
            text = f"_attribute_in({name}, {type_name}, {length}, {parameter.name!r}, {owner})"
            self._take(parameter, "object", "A", text)
            return
        self.plan.imports.update(("_attribute_out", "_attribute_values"))
        text = f"_attribute_out({name}, {type_name}, {length}, {parameter.name!r})"
        self._take(parameter, "object", "A", text)
        self.pending_attribute = (parameter, type_name, length)

    pending_attribute: tuple[model.Parameter, str, str] | None = None

    # Outputs

    def _out(self, parameter: model.Parameter, kind: CType) -> None:
        if kind.array or parameter.kind in ("array", "records", "text", "struct", "value"):
            self._memory_out(parameter, kind)
        elif (
            kind.base in self.context.opaques or kind.pointers == 2 or parameter.kind == "callback"
        ):
            self._pointer_out(parameter)
        else:
            code = self.context.code(kind.base, self.function.name)
            expression, annotation = self._number(parameter, code)
            self.codes.append("o" + code)
            self._result(parameter, annotation, expression)

    def _pointer_out(self, parameter: model.Parameter) -> None:
        self.codes.append("op")
        text = "{}"
        if parameter.kind == "handle" and parameter.owner == "owned":
            self.plan.imports.add("_made_handle")
            text = "_made_handle({})"
        self._result(parameter, "int", self._slot("Q", text))

    def _memory_out(self, parameter: model.Parameter, kind: CType) -> None:
        """Memory that the wrapper allocates, for elements of a known size."""
        name = names.parameter_name(parameter.name)
        local = f"_out_{name}"
        self.codes.append("A")
        self.plan.arguments.append(Argument(local))
        length = names.parameter_name(parameter.length) if parameter.length else "1"
        if parameter.kind == "text":
            self.plan.imports.update(("_memory", "_string"))
            self.plan.before.append(f'{local} = _memory("char", {length}, {parameter.length!r})')
            self._result(parameter, "str", f"_string({local}, {length})")
        elif parameter.kind in ("records", "struct"):
            self.plan.imports.update(("_records", "_record_values"))
            self.plan.records.add(kind.base)
            cls = names.class_name(kind.base)
            self.plan.before.append(
                f"{local} = _records({kind.base!r}, {length}, {parameter.length!r})"
            )
            if parameter.kind == "struct":
                self._result(parameter, cls, f"_record_values({local}, {kind.base!r}, 1)[0]")
            else:
                text = f"_record_values({local}, {kind.base!r}, {{count}})"
                self.deferred.append((parameter, f"list[{cls}]", text, True))
        elif parameter.kind == "value":
            self.plan.imports.update(("_memory", "_element_value"))
            self.plan.before.append(f'{local} = _memory("char", 8)')
            self.deferred.append(
                (parameter, "float", f"_element_value({local}, {{data_type}})", False)
            )
        else:
            element = "uintptr_t"
            convert = "tuple({})"
            annotation = "tuple[int, ...]"
            if kind.base not in self.context.opaques:
                element = C_TYPES[self.context.code(kind.base, self.function.name)]
            if kind.base in self.context.enums:
                cls = self._enum(kind.base)
                convert = f"tuple(map(_{cls}.__getitem__, {{}}))"
                annotation = f"tuple[{cls}, ...]"
            self.plan.imports.add("_memory")
            least = f", {parameter.least}" if parameter.least else ""
            self.plan.before.append(
                f'{local} = _memory("{element}", {length}, {parameter.length!r}{least})'
            )
            text = convert.format(f"_unpack({local}, {{count}})")
            self.deferred.append((parameter, annotation, text, False))

    @property
    def deferred(self) -> list[tuple[model.Parameter, str, str, bool]]:
        return self.__dict__.setdefault("_deferred", [])  # type: ignore[no-any-return]

    def _finish_outputs(self) -> None:
        """Arrays last: they need the counts that are known only when all slots are given out."""
        slots = {result.source.name: result for result in self.plan.results}
        order = {p.name: i for i, p in enumerate(self.function.parameters)}
        for parameter, annotation, text, drop_count in self.deferred:
            length = names.parameter_name(parameter.length) if parameter.length else "1"
            count = length
            if parameter.count is not None:
                count = f"min({slots[parameter.count].expression}, {length})"
                if drop_count:
                    self.plan.results.remove(slots[parameter.count])
            data_type = slots["dataType"].expression if "{data_type}" in text else ""
            self._result(parameter, annotation, text.format(count=count, data_type=data_type))
        if self.pending_attribute is not None:
            parameter, type_name, length = self.pending_attribute
            count = slots[parameter.count or ""].expression
            name = names.parameter_name(parameter.name)
            text = f"_attribute_values(_in_{name}, {type_name}, min({count}, {length}))"
            self._result(parameter, "list[Any]", text)
        self.plan.results.sort(key=lambda r: order.get(r.source.name, -1))

    def _number(self, parameter: model.Parameter, code: str) -> tuple[str, str]:
        base = CType.of(parameter.type).base
        if base in self.context.enums:
            cls = self._enum(base)
            return self._slot("q", f"_{cls}[{{}}]"), cls
        if parameter.flags:
            cls = self._enum(parameter.flags)
            return self._slot("q", f"_{cls}[{{}}]"), cls
        if code in "fd":
            return self._slot("d", "{}"), "float"
        return self._slot("Q" if code in "Qp" else "q", "{}"), "int"

    def _slot(self, code: str, text: str, imports: set[str] | None = None) -> str:
        place = len(self.plan.slots)
        self.plan.slots += code
        self.plan.imports.update(imports or ())
        return text.format(f"{RESULTS}[{place}]")

    def _result(self, parameter: model.Parameter, annotation: str, expression: str) -> None:
        name = names.parameter_name(parameter.name)
        self.plan.results.append(Result(parameter, name, annotation, expression))

    # Small things

    def _take(
        self,
        parameter: model.Parameter,
        annotation: str,
        code: str,
        text: str,
        how: str | None = "",
    ) -> None:
        name = names.parameter_name(parameter.name)
        self.plan.parameters.append(PyParameter(parameter, name, annotation))
        self.codes.append(code)
        self.plan.arguments.append(Argument(text, how, name))

    def _address(self, parameter: model.Parameter, annotation: str, code: str) -> None:
        """An address in host memory; the care that memory with one needs is `slow`'s."""
        name = names.parameter_name(parameter.name)
        self._take(parameter, annotation, code, name, None)

    def _convert(
        self,
        parameter: model.Parameter,
        annotation: str,
        code: str,
        function: str,
        plain: str = "int",
    ) -> None:
        name = names.parameter_name(parameter.name)
        self.plan.imports.add(function)
        text = f"{name} if _type({name}) is {plain} else {function}({name})"
        self._take(parameter, annotation, code, text, function)

    def _enum(self, c_name: str) -> str:
        cls = self.context.enums.get(c_name, c_name)
        self.plan.enums.add(cls)
        return cls

    def _scaled_by(self) -> str | None:
        """The code of alpha and beta; None where nothing tells float from double, in cuDNN 1."""
        for code, (wanted, getter) in SCALED.items():
            for place, parameter in enumerate(self.function.parameters):
                kind = CType.of(parameter.type)
                if kind.base == wanted and kind.value and getter in self.context.functions:
                    return f"{code}{place}"
        return None

    def _data_type(self) -> str:
        for parameter in self.function.parameters:
            if parameter.type == "cudnnDataType_t":
                return names.parameter_name(parameter.name)
        raise PlanError(f"{self.function.name}: nothing tells the type of one element")

    def _defaults(self) -> None:
        """Capacities of arrays that come back trimmed can be left out where they are last."""
        counted = {
            p.length: p.kind
            for p in self.function.parameters
            if p.direction == "out" and p.count is not None and p.kind in ("array", "records")
        }
        for place in range(len(self.plan.parameters) - 1, -1, -1):
            parameter = self.plan.parameters[place]
            default = None
            if parameter.name in counted:
                if counted[parameter.name] == "records":
                    default = "ALGO_COUNT"
                else:
                    spatial = re.search("Pooling|Convolution", self.function.name)
                    default = "SPATIAL_MAX" if spatial else "DIM_MAX"
            elif parameter.source.kind == "text" or any(
                p.kind == "text" and p.length == parameter.name for p in self.function.parameters
            ):
                default = "TEXT_SIZE"
            elif parameter.source.kind == "buffer" and parameter.source.direction == "out":
                default = "None" if self.pending_attribute else None
            if default is None or "SizeRequested" in parameter.name:
                break
            self.plan.parameters[place] = PyParameter(
                parameter.source, parameter.name, parameter.annotation, default
            )
