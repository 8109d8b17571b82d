"""Plan the calls of one variant of a function: codes, conversions, results and defaults."""

from __future__ import annotations

import re

import msgspec
from cudnn_cffi.api import model

from ..classify import CType
from . import names
from .codes import code_of
from .merge import Variant
from .plan import (
    ALGORITHMS,
    CHARACTERS,
    DEVICE_KINDS,
    DIMENSIONS,
    SCALED,
    SPATIAL_DIMENSIONS,
    Context,
    Default,
    Plan,
    PlanError,
    PyParameter,
    Result,
)
from .values import (
    Allocated,
    AllocatedRecords,
    Argument,
    Array,
    AttributeIn,
    AttributeOut,
    AttributeValues,
    Characters,
    Count,
    DeviceMemory,
    Element,
    Elements,
    Factor,
    GivenText,
    Mapped,
    NewHandle,
    Number,
    Object,
    Objects,
    OneElement,
    Records,
    Slot,
    StreamArgument,
    Text,
    Trimmed,
    Value,
)

_RETURNED = {"cudnnStatus_t": "status", "void": "void", "const char *": "text"}


def plan(variant: Variant, context: Context) -> Plan:
    """Plan the calls of a variant."""
    return _Planner(variant, context).run()


class _Deferred(msgspec.Struct, frozen=True):
    """A result that is made from others, so that it waits until all slots are given out."""

    source: model.Parameter
    annotation: str
    memory: Allocated | AllocatedRecords | AttributeOut
    enum: str | None = None


class _Planner:
    def __init__(self, variant: Variant, context: Context) -> None:
        self.context = context
        self.function = variant.function
        self.plan = Plan(variant)
        self.codes: list[str] = []
        self.deferred: list[_Deferred] = []

    def run(self) -> Plan:
        self._returned()
        for parameter in self.function.parameters:
            before = len(self.codes)
            self._parameter(parameter)
            if len(self.codes) != before + 1:
                raise PlanError(f"{self.function.name}.{parameter.name}: not one code")
        self.plan.codes = tuple(self.codes)
        self._finish_outputs()
        self._defaults()
        return self.plan

    def _returned(self) -> None:
        """Plan what the C function itself returns."""
        result = self.function.result
        kind = CType.of(result)
        code = _RETURNED.get(result)
        if code is None:
            code = "p" if kind.pointers else self.context.code(kind.base, self.function.name)
        self.plan.result_code = code
        if code in ("status", "void"):
            return
        source = model.Parameter(name="result", type=result, direction="out")
        value: Value
        if code == "text":
            value, annotation = Text(self._slot("Q")), "str"
        else:
            value, annotation = self._number(source, code)
        self.plan.results.append(Result(source, "result", annotation, value))

    # Parameters

    def _parameter(self, parameter: model.Parameter) -> None:
        kind = CType.of(parameter.type)
        in_device = parameter.kind == "array" and parameter.memory == "device"
        if parameter.kind == "tag":
            self.codes.append("0")
        elif parameter.kind in DEVICE_KINDS or in_device:
            if kind.pointers == 2:
                self._pointer_out(parameter)
            else:
                name = names.parameter_name(parameter.name)
                self._take(parameter, "DevicePointer", "p", DeviceMemory(name))
        elif kind.value or kind.function:
            self._value(parameter, kind)
        elif parameter.direction == "in" or parameter.kind == "buffer":
            self._pointer_in(parameter, kind)
        else:
            self._out(parameter, kind)

    def _value(self, parameter: model.Parameter, kind: CType) -> None:
        if parameter.kind in ("handle", "descriptor"):
            self._object(parameter, kind.base)
        elif parameter.kind == "stream":
            name = names.parameter_name(parameter.name)
            self._take(parameter, "Stream", "p", StreamArgument(name))
        elif parameter.kind == "cuda":
            self._host_memory(parameter)
        elif parameter.kind == "callback":
            self._address(parameter, "Callback", "p" if parameter.optional else "P")
        elif parameter.kind == "struct":
            size = self.context.records[kind.base].size
            if size not in (4, 8) or not self._is_of_integers(kind.base):
                what = "" if size not in (4, 8) else " that are not all integers"
                raise PlanError(f"{self.function.name}: a struct of {size} bytes{what} by value")
            self._address(parameter, "HostPointer", f"r{size}")
        else:
            code = self.context.code(kind.base, self.function.name)
            annotation = "float" if code in "fd" else "int"
            if kind.base in self.context.enums:
                annotation = self._enum(kind.base)
            elif parameter.flags:
                annotation = f"{self._enum(parameter.flags)} | int"
            self._address(parameter, annotation, code)

    def _object(self, parameter: model.Parameter, base: str) -> None:
        name = names.parameter_name(parameter.name)
        if base in self.context.families:
            self.plan.families.add(base)
            annotation = f"{names.class_name(base)} | int"
            if parameter.optional:
                annotation += " | None"
            value = Object(name, base, parameter.optional, parameter.owner == "released")
            self._take(parameter, annotation, "p" if parameter.optional else "P", value)
        else:
            self._host_memory(parameter)

    def _host_memory(self, parameter: model.Parameter) -> None:
        if parameter.optional:
            self._address(parameter, "HostPointer | None", "p")
        else:
            self._address(parameter, "HostPointer", "P")

    def _pointer_in(self, parameter: model.Parameter, kind: CType) -> None:
        name = names.parameter_name(parameter.name)
        if parameter.kind == "array":
            self._array_in(parameter, kind, name)
        elif parameter.kind == "text":
            self._take(parameter, "str | bytes | HostPointer", "A", GivenText(name, parameter.name))
        elif parameter.kind == "scaling":
            if code := self._scaled_by():
                self._take(parameter, "ScalingFactor", code, Factor(name))
            else:
                self._host_memory(parameter)
        elif parameter.kind == "value":
            value = Element(name, self._data_type(), parameter.name)
            self._take(parameter, "float | HostPointer", "A", value)
        elif parameter.kind == "buffer":
            self._buffer(parameter, name)
        elif parameter.kind in ("struct", "user_data", "records"):
            self._host_memory(parameter)
        else:
            raise PlanError(f"{self.function.name}.{parameter.name}: {parameter.kind} by pointer")

    def _is_of_integers(self, record: str) -> bool:
        """Return whether a struct goes in a register for integers: floats go in others."""
        for member in self.context.records[record].fields:
            inside = member.record or member.type
            if inside in self.context.records:
                plain = self._is_of_integers(inside)
            else:
                plain = "*" in inside or self.context.code(inside, record) not in "fd"
            if not plain:
                return False
        return True

    def _array_in(self, parameter: model.Parameter, kind: CType, name: str) -> None:
        length = names.parameter_name(parameter.length) if parameter.length else None
        length = length or (str(kind.bound) if kind.bound else None)
        value: Argument
        if kind.base in self.context.opaques:
            released = parameter.owner == "released"
            value = Objects(name, kind.base, length, parameter.name, parameter.optional, released)
        else:
            code = self.context.code(kind.base, self.function.name)
            code = code.replace("?", "B")
            value = Array(name, code, length, parameter.name, parameter.optional)
        annotation = "Sequence[int] | HostPointer"
        if parameter.optional:
            annotation += " | None"
        self._take(parameter, annotation, "A", value)

    def _buffer(self, parameter: model.Parameter, name: str) -> None:
        """Elements whose type another argument names, or memory as it is."""
        kinds = {p.type: names.parameter_name(p.name) for p in self.function.parameters}
        type_name = kinds.get("cudnnBackendAttributeType_t")
        if type_name is None or parameter.length is None:
            self._host_memory(parameter)
            return
        length = names.parameter_name(parameter.length)
        if parameter.direction == "in":
            owners = [p.name for p in self.function.parameters if p.kind == "descriptor"]
            owner = names.parameter_name(owners[0]) if owners else None
            value = AttributeIn(name, type_name, length, parameter.name, owner)
            self._take(parameter, "object", "A", value)
        else:
            memory = AttributeOut(name, type_name, length, parameter.name)
            self._take(parameter, "object", "A", memory)
            self.deferred.append(_Deferred(parameter, "list[Any]", memory))

    # Outputs

    def _out(self, parameter: model.Parameter, kind: CType) -> None:
        if parameter.kind == "text" and parameter.owner == "borrowed":
            self.codes.append("op")
            self._result(parameter, "str", Text(self._slot("Q")))
        elif kind.array or parameter.kind in ("array", "records", "text", "struct", "value"):
            self._memory_out(parameter, kind)
        elif (
            kind.base in self.context.opaques or kind.pointers == 2 or parameter.kind == "callback"
        ):
            self._pointer_out(parameter)
        else:
            code = self.context.code(kind.base, self.function.name)
            value, annotation = self._number(parameter, code)
            self.codes.append("o" + code)
            self._result(parameter, annotation, value)

    def _pointer_out(self, parameter: model.Parameter) -> None:
        self.codes.append("op")
        slot = self._slot("Q")
        created = parameter.kind == "handle" and parameter.owner == "owned"
        self._result(parameter, "int", NewHandle(slot) if created else slot)

    def _memory_out(self, parameter: model.Parameter, kind: CType) -> None:
        """Memory that the wrapper allocates, for elements of a known size."""
        name = names.parameter_name(parameter.name)
        length = names.parameter_name(parameter.length) if parameter.length else kind.bound or 1
        memory: Allocated | AllocatedRecords
        annotation, enum = "tuple[int, ...]", None
        if parameter.kind == "text":
            memory = Allocated(name, "char", length, parameter.length)
            self._result(parameter, "str", Characters(memory))
        elif parameter.kind in ("records", "struct"):
            self.plan.records.add(kind.base)
            annotation = names.class_name(kind.base)
            memory = AllocatedRecords(name, kind.base, length, parameter.length)
            if parameter.kind == "struct":
                self._result(parameter, annotation, Records(memory, 1, single=True))
            annotation = f"list[{annotation}]"
        elif parameter.kind == "value":
            memory, annotation = Allocated(name, "char", 8), "float"
        else:
            element = "uintptr_t"
            if kind.base not in self.context.opaques:
                element = code_of(self.context.code(kind.base, self.function.name)).passed
            if kind.base in self.context.enums:
                enum = self._enum(kind.base)
                annotation = f"tuple[{enum}, ...]"
            memory = Allocated(name, element, length, parameter.length, parameter.least)
        self.codes.append("A")
        self.plan.arguments.append(memory)
        if parameter.kind not in ("text", "struct"):
            self.deferred.append(_Deferred(parameter, annotation, memory, enum))

    def _finish_outputs(self) -> None:
        """Arrays last: they need the counts that are known only when all slots are given out."""
        slots = {r.source.name: r for r in self.plan.results}
        order = {p.name: i for i, p in enumerate(self.function.parameters)}
        for each in self.deferred:
            source = each.source
            bound = CType.of(source.type).bound
            capacity = names.parameter_name(source.length) if source.length else bound or 1
            count: Count | Trimmed = capacity
            if source.count is not None:
                counted = slots[source.count]
                count = Trimmed(_number_in(counted), capacity)
                if source.kind == "records":
                    self.plan.results.remove(counted)
            value: Value
            match each.memory:
                case AttributeOut() as memory:
                    assert isinstance(count, Trimmed)
                    value = AttributeValues(memory, count)
                case AllocatedRecords() as memory:
                    value = Records(memory, count)
                case memory if source.kind == "value":
                    value = OneElement(memory, _number_in(slots["dataType"]))
                case memory:
                    value = Elements(memory, count, each.enum)
            self._result(source, each.annotation, value)
        self.plan.results.sort(key=lambda r: order.get(r.source.name, -1))

    def _number(self, parameter: model.Parameter, code: str) -> tuple[Slot | Mapped, str]:
        base = CType.of(parameter.type).base
        enum = base if base in self.context.enums else parameter.flags
        if enum:
            cls = self._enum(enum)
            return Mapped(cls, self._slot("q")), cls
        return self._slot(code_of(code).slot), "float" if code in "fd" else "int"

    def _slot(self, code: str) -> Slot:
        self.plan.slots += code
        return Slot(len(self.plan.slots) - 1)

    def _result(self, parameter: model.Parameter, annotation: str, value: Value) -> None:
        name = names.parameter_name(parameter.name)
        self.plan.results.append(Result(parameter, name, annotation, value))

    # Small things

    def _take(
        self, parameter: model.Parameter, annotation: str, code: str, value: Argument
    ) -> None:
        self.plan.parameters.append(PyParameter(parameter, value.parameter, annotation))
        self.codes.append(code)
        self.plan.arguments.append(value)

    def _address(self, parameter: model.Parameter, annotation: str, code: str) -> None:
        """Plan a number, or an address in host memory; the care that memory needs is `slow`'s."""
        self._take(parameter, annotation, code, Number(names.parameter_name(parameter.name)))

    def _enum(self, c_name: str) -> str:
        cls = self.context.enums.get(c_name, c_name)
        self.plan.enums.add(cls)
        return cls

    def _scaled_by(self) -> str | None:
        """Return the code of alpha and beta; None in cuDNN 1, which has no such data type."""
        for code, (wanted, getter) in SCALED.items():
            for index, parameter in enumerate(self.function.parameters):
                kind = CType.of(parameter.type)
                if kind.base == wanted and kind.value and getter in self.context.functions:
                    return f"{code}{index}"
        return None

    def _data_type(self) -> str:
        for parameter in self.function.parameters:
            if parameter.type == "cudnnDataType_t":
                return names.parameter_name(parameter.name)
        raise PlanError(f"{self.function.name}: nothing tells the type of one element")

    def _defaults(self) -> None:
        """Make capacities of returned arrays optional if no required argument follows."""
        defaults: dict[str | None, Default] = {}
        for p in self.function.parameters:
            if p.kind == "text":
                defaults[p.length] = Default(CHARACTERS)
            elif p.kind == "records" and p.count is not None:
                defaults[p.length] = Default(ALGORITHMS)
            elif p.kind == "array" and p.count is not None:
                spatial = re.search("Pooling|Convolution", self.function.name)
                defaults[p.length] = Default(SPATIAL_DIMENSIONS if spatial else DIMENSIONS)
        for argument in self.plan.arguments:
            if isinstance(argument, AttributeOut):
                defaults[argument.parameter] = Default(None)
        for index, parameter in reversed(list(enumerate(self.plan.parameters))):
            default = defaults.get(parameter.name)
            if default is None or "SizeRequested" in parameter.name:
                break
            self.plan.parameters[index] = msgspec.structs.replace(parameter, default=default)


def _number_in(result: Result) -> Slot | Mapped:
    """Return the number that is a result."""
    assert isinstance(result.value, (Slot, Mapped)), result.name
    return result.value
