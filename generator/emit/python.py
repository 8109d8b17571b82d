"""Plans as Python: signatures, conversions, calls and results."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

from cudnn_cffi.api import model

from ..lower import values
from ..plan import Plan, PyParameter

#: What emitted functions call the numbers that came back. Names of ours begin with an underscore,
#: which those of parameters never do: see `names.parameter_name`.
RESULTS = "_r"


# Arguments ---------------------------------------------------------------------------------------


def argument(value: values.Argument) -> str:
    """The expression for what the shim takes."""
    name = value.parameter
    is_int = f"{name} if _type({name}) is int else"
    match value:
        case values.Number():
            return name
        case values.Object():
            own = f"{name}._{value.c_type}"
            if value.detached:
                own = f"{name}._detach({value.c_type!r})"
            null = f"0 if {name} is None else " if value.optional else ""
            return f"{null}{is_int} {own}"
        case values.DeviceMemory():
            return f"{is_int} _device({name})"
        case values.StreamArgument():
            return f"{is_int} _stream({name})"
        case values.Factor():
            return f"{name} if _type({name}) is float else _scale({name})"
        case values.Array():
            text = f'_array({name}, "{value.code}", {value.length}, {value.c_name!r})'
            return f"_NULL if {name} is None else {text}" if value.optional else text
        case values.Objects():
            detached = ", True" if value.detached else ""
            text = f"_objects({name}, {value.c_type!r}, {value.length}, {value.c_name!r}{detached})"
            return f"_NULL if {name} is None else {text}" if value.optional else text
        case values.Element():
            return f"_element({name}, {value.data_type}, {value.c_name!r})"
        case values.AttributeIn():
            of = f"{value.type}, {value.length}, {value.c_name!r}, {value.owner}"
            return f"_attribute_in({name}, {of})"
        case values.AttributeOut():
            return f"_attribute_out({name}, {value.type}, {value.length}, {value.c_name!r})"
        case values.Allocated():
            least = f", {value.least}" if value.least else ""
            named = f", {value.c_length!r}{least}" if value.c_length or least else ""
            return f'_memory("{value.c_type}", {value.length}{named})'
        case values.AllocatedRecords():
            return f"_records({value.c_type!r}, {value.length}, {value.c_length!r})"
    raise TypeError(value)


def local(value: values.Argument) -> str | None:
    """The variable that holds what is converted before the call; None where nothing is."""
    if isinstance(value, (values.Allocated, values.AllocatedRecords)):
        return f"_out_{value.parameter}"
    return None if value.judged else f"_in_{value.parameter}"


def converter(value: values.Argument) -> str:
    """What `_call.quick` is told of an argument: how what is no number becomes one."""
    match value:
        case values.Number():
            return "None"
        case values.Object(c_type=c_type, detached=detached):
            return f"lambda given: given._detach({c_type!r})" if detached else f'"_{c_type}"'
        case values.DeviceMemory():
            return "_getters"
        case values.StreamArgument():
            return "_stream"
        case values.Factor():
            return "_scale"
    raise TypeError(value)


def _order(value: values.Argument) -> int:
    """Results' memory first; lists of objects last, as nothing may close one of them then."""
    if isinstance(value, (values.Allocated, values.AllocatedRecords)):
        return 0
    return 2 if isinstance(value, values.Objects) else 1


def conversions(plan: Plan) -> list[str]:
    """Statements before the call."""
    converted = sorted((a for a in plan.arguments if local(a)), key=_order)
    return [f"{local(each)} = {argument(each)}" for each in converted]


def judged(plan: Plan) -> str:
    """The types of the arguments that must be plain, as a tuple."""
    inner = ", ".join(f"_type({a.parameter})" for a in plan.arguments if a.judged)
    return f"({inner},)" if inner else ""


def call(plan: Plan) -> str:
    """The call of the shim."""
    arguments = [local(each) or argument(each) for each in plan.arguments]
    if plan.returns_slots:
        arguments.append("_out[0]")
    return f"_{plan.name}({', '.join(arguments)})"


# Results -----------------------------------------------------------------------------------------


def result(value: values.Value | values.Trimmed | values.Count) -> str:
    """The expression for a result."""
    match value:
        case values.Slot(index):
            return f"{RESULTS}[{index}]"
        case values.Mapped(enum, slot):
            return f"_{enum}[{result(slot)}]"
        case values.Text(slot):
            return f"_text({result(slot)})"
        case values.NewHandle(slot):
            return f"_made_handle({result(slot)})"
        case values.Trimmed(count, capacity):
            return f"min({result(count)}, {capacity})"
        case values.Characters(memory):
            return f"_string({local(memory)}, {memory.length})"
        case values.Elements(memory, count, enum):
            elements = f"_unpack({local(memory)}, {result(count)})"
            return f"tuple(map(_{enum}.__getitem__, {elements}))" if enum else f"tuple({elements})"
        case values.Records(memory, count, single):
            records = f"_record_values({local(memory)}, {memory.c_type!r}, {result(count)})"
            return f"{records}[0]" if single else records
        case values.OneElement(memory, data_type):
            return f"_element_value({local(memory)}, {result(data_type)})"
        case values.AttributeValues(memory, count):
            return f"_attribute_values({local(memory)}, {memory.type}, {result(count)})"
        case _:
            return str(value)


def returned(plan: Plan) -> str:
    """The expression that a wrapper returns."""
    if not plan.results:
        return "None"
    expressions = [result(each.value) for each in plan.results]
    if plan.tuple_name is None:
        return expressions[0]
    return f"_new({plan.tuple_name}, ({', '.join(expressions)}))"


def quick_results(plan: Plan) -> list[str]:
    """For each result of a quick plan the mapping that its number goes through, or None."""
    return [f"_{v.enum}" if isinstance(v, values.Mapped) else "None" for v in plan.slot_values]


def unpacking(slots: str) -> str:
    """What the struct module reads the slots by: qqd -> 2qd."""
    runs = [(code, len(list(run))) for code, run in itertools.groupby(slots)]
    return "".join(code if length == 1 else f"{length}{code}" for code, length in runs)


# What modules of calls need -----------------------------------------------------------------------

_ARGUMENT_NEEDS: dict[type, tuple[str, ...]] = {
    values.DeviceMemory: ("_device",),
    values.StreamArgument: ("_stream",),
    values.Factor: ("_scale",),
    values.Array: ("_array",),
    values.Objects: ("_objects",),
    values.Element: ("_element",),
    values.AttributeIn: ("_attribute_in",),
    values.AttributeOut: ("_attribute_out",),
    values.Allocated: ("_memory",),
    values.AllocatedRecords: ("_records",),
}

_RESULT_NEEDS: dict[type, tuple[str, ...]] = {
    values.Text: ("_text",),
    values.NewHandle: ("_made_handle",),
    values.Characters: ("_string",),
    values.Records: ("_record_values",),
    values.OneElement: ("_element_value",),
    values.AttributeValues: ("_attribute_values",),
}


def needs(plan: Plan) -> Iterator[str]:
    """The names of the runtime that the wrapper uses."""
    for each in plan.arguments:
        if plan.is_quick:
            if not each.judged:
                yield converter(each)
            continue
        yield from _ARGUMENT_NEEDS.get(type(each), ())
        if isinstance(each, (values.Array, values.Objects)) and each.optional:
            yield "_NULL"
    for each_result in plan.results:
        yield from _RESULT_NEEDS.get(type(each_result.value), ())


def enum_maps(plan: Plan) -> Iterator[str]:
    """The enums whose members the wrapper finds by number."""
    for each in plan.results:
        match each.value:
            case values.Mapped(enum, _) | values.Elements(_, _, str(enum)):
                yield enum
            case values.Records(_, values.Trimmed(values.Mapped(enum, _), _)):
                yield enum


# Signatures --------------------------------------------------------------------------------------


def is_object(parameter: model.Parameter, c_type: str) -> bool:
    """Whether the parameter is an object of a C type, by value."""
    return parameter.type.removeprefix("const ") == c_type


def _own(plan: Plan, c_type: str) -> PyParameter | None:
    """The parameter that is `self` in a method of `c_type`."""
    objects = [p for p in plan.parameters if c_type and is_object(p.source, c_type)]
    return objects[0] if objects else None


def signature(plan: Plan, leading: bool = False, without: str = "") -> str:
    """The parameters with types and defaults, but for the first object of the type `without`."""
    own = _own(plan, without)
    parts = []
    for parameter in plan.parameters:
        if parameter is not own:
            default = f" = {parameter.default.value}" if parameter.default else ""
            parts.append(f"{parameter.name}: {parameter.annotation}{default}")
    text = ", ".join(parts)
    return f", {text}" if leading and text else text


def passed(plan: Plan, me: str = "") -> str:
    """The names of the parameters; `self` for the first object of the type `me`."""
    own = _own(plan, me)
    return ", ".join("self" if p is own else p.name for p in plan.parameters)


def as_tuple(plan: Plan) -> str:
    """The parameters as a tuple."""
    inner = ", ".join(p.name for p in plan.parameters)
    return f"({inner},)" if plan.parameters else "()"


def annotation_in(plan: Plan, module: str) -> str:
    """What the function returns, where its module is known under its name with an underscore."""
    return f"_{module}.{plan.tuple_name}" if plan.tuple_name else plan.annotation
