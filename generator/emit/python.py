"""Plans as Python: signatures, conversions, calls and results."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence

from cudnn_cffi.api import model

from ..lower import values
from ..lower.plan import Plan, PyParameter
from .text.layout import WIDTH, Bracketed, Choice, Item, call, lay_out, tuple_of

#: Names of emitted functions for the numbers that were returned. Names of ours begin with an
#: underscore, which those of parameters never do: see `names.parameter_name`.
RESULTS = "_r"


# Arguments ---------------------------------------------------------------------------------------

#: By kind of argument: the type that is taken as it is, and what makes one of anything else.
_PLAIN: dict[type, tuple[str, str]] = {
    values.DeviceMemory: ("int", "_device"),
    values.StreamArgument: ("int", "_stream"),
    values.Factor: ("float", "_scale"),
}


def argument(value: values.Argument) -> Item:
    """Return the expression of an argument of the shim."""
    name = value.parameter
    match value:
        case values.Number():
            return name
        case values.Object(optional=True):
            given = _unless("int", name, _address(value))
            return Choice(("0", f"if {name} is None", f"else {name}", *given.parts[1:]))
        case values.Object():
            return _unless("int", name, _address(value))
    if type(value) in _PLAIN:
        plain, function = _PLAIN[type(value)]
        return _unless(plain, name, f"{function}({name})")
    function, *items = _conversion(value)
    if isinstance(value, (values.Array, values.Objects)) and value.optional:
        function = f"_NULL if {name} is None else {function}"
    return call(function, *items)


def _unless(plain: str, name: str, other: str) -> Choice:
    """Return a parameter as it is where it has a plain type, else something made of it."""
    return Choice((name, f"if _type({name}) is {plain}", f"else {other}"))


def _address(value: values.Object) -> str:
    """Return the address that an object has for a C type."""
    own = f'_detach("{value.c_type}")' if value.detached else f"_{value.c_type}"
    return f"{value.parameter}.{own}"


def _conversion(value: values.Argument) -> list[str]:
    """Return the function of the runtime that makes memory for the shim, and its arguments."""
    name = value.parameter
    match value:
        case values.Array():
            given = [name, _quoted(value.code), str(value.length), _quoted(value.c_name)]
            return ["_array", *given]
        case values.Objects():
            given = [name, _quoted(value.c_type), str(value.length), _quoted(value.c_name)]
            return ["_objects", *given, *(["True"] if value.detached else [])]
        case values.GivenText():
            return ["_characters", name, _quoted(value.c_name)]
        case values.Element():
            return ["_element", name, value.data_type, _quoted(value.c_name)]
        case values.AttributeIn():
            given = [name, value.type, value.length, _quoted(value.c_name), str(value.owner)]
            return ["_attribute_in", *given]
        case values.AttributeOut():
            return ["_attribute_out", name, value.type, value.length, _quoted(value.c_name)]
        case values.Allocated():
            more = [_quoted(value.c_length)] if value.c_length or value.least else []
            more += [str(value.least)] if value.least else []
            return ["_memory", _quoted(value.c_type), str(value.length), *more]
        case values.AllocatedRecords():
            return ["_records", _quoted(value.c_type), str(value.length), _quoted(value.c_length)]
    raise TypeError(value)


def _quoted(text: str | None) -> str:
    return "None" if text is None else f'"{text}"'


def local(value: values.Argument) -> str | None:
    """Return the variable that holds what is converted before the call; None if nothing is."""
    if isinstance(value, (values.Allocated, values.AllocatedRecords)):
        return f"_out_{value.parameter}"
    return None if value.judged else f"_in_{value.parameter}"


def converter(value: values.Argument) -> str:
    """Return the expression that tells `_call.quick` how an argument becomes a number."""
    match value:
        case values.Number():
            return "None"
        case values.Object(c_type=c_type, detached=detached):
            if detached:
                return f'lambda given: given._detach("{c_type}")'
            return f'"_{c_type}"'
        case values.DeviceMemory():
            return "_getters"
        case _:
            return _PLAIN[type(value)][1]


def _order(value: values.Argument) -> int:
    """Results' memory first; lists of objects last, as nothing may close one of them then."""
    if isinstance(value, (values.Allocated, values.AllocatedRecords)):
        return 0
    return 2 if isinstance(value, values.Objects) else 1


def conversions(plan: Plan) -> list[str]:
    """Statements before the call."""
    converted = sorted((a for a in plan.arguments if local(a)), key=_order)
    return [lay_out(argument(each), 8, f"{local(each)} = ") for each in converted]


def judged(plan: Plan) -> str:
    """Return the line that finds arguments that are not plain; "" if every one may come."""
    types = tuple_of(f"_type({a.parameter})" for a in plan.arguments if a.judged)
    return lay_out(types, 4, "if ", f" not in _plain_{plan.name}:") if types.items else ""


def call_of(plan: Plan) -> str:
    """Return the call of the shim."""
    arguments = [local(each) or argument(each) for each in plan.arguments]
    if plan.slots:
        arguments.append("_out[0]")
    return lay_out(call(f"_{plan.name}", *arguments), 8, "_status = ")


def quick(plan: Plan) -> str:
    """Return the callable that stands for a quick plan."""
    maps = [f"_{v.enum}" if isinstance(v, values.Mapped) else "None" for v in plan.slot_values]
    callable_ = call(
        "_quick",
        f'"{plan.name}"',
        f'"{plan.slots}"',
        tuple_of(map(converter, plan.arguments)),
        tuple_of([plan.tuple_name or "None", *maps]),
    )
    return lay_out(callable_, 0, f"_{plan.name} = ")


# Results -----------------------------------------------------------------------------------------


def result(value: values.Value | values.Trimmed | values.Count) -> Item:
    """Return the expression for a result."""
    match value:
        case values.Slot(index):
            return f"{RESULTS}[{index}]"
        case values.Mapped(enum, slot):
            return f"_{enum}[{result(slot)}]"
        case values.Text(slot):
            return call("_text", result(slot))
        case values.NewHandle(slot):
            return call("_made_handle", result(slot))
        case values.Trimmed(count, capacity):
            # cuDNN 8 answers with any number for a descriptor that has not been set.
            return call("max", call("min", result(count), str(capacity)), "0")
        case values.Characters(memory):
            return call("_string", f"{local(memory)}", str(memory.length))
        case values.Elements(memory, count, enum):
            elements = call("_unpack", f"{local(memory)}", result(count))
            members = call("map", f"_{enum}.__getitem__", elements) if enum else elements
            return call("tuple", members)
        case values.Records(memory, count, single):
            c_type = _quoted(memory.c_type)
            records = call("_record_values", f"{local(memory)}", c_type, result(count))
            return f"{records}[0]" if single else records
        case values.OneElement(memory, data_type):
            return call("_element_value", f"{local(memory)}", result(data_type))
        case values.AttributeValues(memory, count):
            return call("_attribute_values", f"{local(memory)}", memory.type, result(count))
        case _:
            return str(value)


def returned(plan: Plan) -> str:
    """Return the statement that a wrapper returns with."""
    results = [result(each.value) for each in plan.results] or ["None"]
    if plan.tuple_name is not None:
        return lay_out(call("_new", plan.tuple_name, tuple_of(results)), 4, "return ")
    return lay_out(results[0], 4, "return ")


def unpacking(slots: str) -> str:
    """Return what the struct module reads the slots by: qqd -> 2qd."""
    runs = [(code, len(list(run))) for code, run in itertools.groupby(slots)]
    return "".join(code if length == 1 else f"{length}{code}" for code, length in runs)


# Imports of modules of calls
# -----------------------------------------------------------------------

_RESULT_NEEDS: dict[type, tuple[str, ...]] = {
    values.Text: ("_text",),
    values.NewHandle: ("_made_handle",),
    values.Characters: ("_string",),
    values.Records: ("_record_values",),
    values.OneElement: ("_element_value",),
    values.AttributeValues: ("_attribute_values",),
}


#: Names that functions take from the call layer: functions with a callable, and those with
#: conversions.
_BY_QUICK = ("_instead", "_quick")
_BY_SLOW = ("_CONVERT", "_failed", "_lend", "_lib", "_outs", "_plain", "_slow", "_unpack")


def needs(plan: Plan) -> Iterator[str]:
    """Yield the names of the runtime that a function uses."""
    yield from _BY_QUICK if plan.is_quick else _BY_SLOW
    if not plan.is_quick and plan.slots:
        yield "_unpacker"
    if not plan.is_quick and plan.described:
        yield "_watching"
    if any(enum_maps(plan)):
        yield "_enum_map"
    for each in plan.arguments:
        if plan.is_quick:
            if not each.judged:
                yield converter(each)
            continue
        if not each.judged:
            yield _PLAIN[type(each)][1] if type(each) in _PLAIN else _conversion(each)[0]
        if isinstance(each, (values.Array, values.Objects)) and each.optional:
            yield "_NULL"
    for each_result in plan.results:
        yield from _RESULT_NEEDS.get(type(each_result.value), ())


def enum_maps(plan: Plan) -> Iterator[str]:
    """Yield the enums whose members the wrapper finds by number."""
    for each in plan.results:
        match each.value:
            case values.Mapped(enum, _) | values.Elements(_, _, str(enum)):
                yield enum
            case values.Records(_, values.Trimmed(values.Mapped(enum, _), _)):
                yield enum


# Signatures --------------------------------------------------------------------------------------


def is_object(parameter: model.Parameter, c_type: str) -> bool:
    """Return whether the parameter is an object of a C type, by value."""
    return parameter.type.removeprefix("const ") == c_type


def own(plan: Plan, c_type: str) -> PyParameter | None:
    """Return the parameter that is `self` in a method of `c_type`."""
    objects = [p for p in plan.parameters if c_type and is_object(p.source, c_type)]
    return objects[0] if objects else None


def definition(
    plan: Plan,
    indent: int = 0,
    name: str = "",
    returns: str = "",
    me: str = "",
    method: bool = False,
    end: str = ":",
) -> str:
    """Return the head of a function, or of a method of `me`, with types and defaults."""
    me_ = own(plan, me)
    items = ["self"] if method else []
    for parameter in plan.parameters:
        if parameter is not me_:
            default = f" = {parameter.default.value}" if parameter.default else ""
            items.append(f"{parameter.name}: {parameter.annotation}{default}")
    head = Bracketed(f"def {name or plan.name}(", tuple(items))
    return lay_out(head, indent, after=f" -> {returns or plan.annotation}{end}")


def passed_to(
    plan: Plan,
    function: str,
    indent: int = 4,
    me: str = "",
    before: str = "return ",
    after: str = "",
) -> str:
    """Return the call with the parameters; `self` stands for the first object of the type `me`."""
    me_ = own(plan, me)
    items = ("self" if p is me_ else p.name for p in plan.parameters)
    return lay_out(call(function, *items), indent, before, after)


def handed_to(plan: Plan, function: str, status: str = "", error: str = "") -> str:
    """Return the call of the slow path, with the function, its name and all arguments."""
    items: list[Item] = [plan.name, f'"{plan.name}"', status, _parameters(plan), error]
    return lay_out(Bracketed(f"{function}(", tuple(i for i in items if i)), 8, "return ")


def watched(plan: Plan) -> str:
    """Return the call that shows the arguments to who watches."""
    return lay_out(call("_watching.watcher", f'"{plan.name}"', _parameters(plan)), 8)


def _parameters(plan: Plan) -> Bracketed:
    return tuple_of(p.name for p in plan.parameters)


def imported(names: Sequence[str], module: str, indent: int = 0) -> str:
    """Return an import of names."""
    flat = f"from {module} import {', '.join(names)}"
    if indent + len(flat) <= WIDTH:
        return flat
    inner = "".join(f"{' ' * (indent + 4)}{name},\n" for name in names)
    return f"from {module} import (\n{inner}{' ' * indent})"


def annotation_in(plan: Plan) -> str:
    """Return the function's result type in code that has its module as `_module`."""
    return f"_{plan.module}.{plan.tuple_name}" if plan.tuple_name else plan.annotation
