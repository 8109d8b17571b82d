"""Functions that shims.c.j2 calls: heads of shims, and how thunks read arguments."""

from __future__ import annotations

from ..lower import values
from ..lower.codes import Code
from ..lower.plan import Plan

#: Maximum number of arguments of a function that is called with words; native/ has room for as
#: many.
MOST_WORDS = 32


def declared(kind: str, name: str) -> str:
    """Return the declaration of a name of a C type."""
    return f"{kind} {name}".replace("* ", "*")


def word(code: Code, value: str) -> str:
    """Return what puts a value of C into a slot for results."""
    return f"from_double({value})" if code.slot == "d" else f"(int64_t){value}"


def prototype(plan: Plan) -> str:
    """Return the head of a shim."""
    taken = [declared(code.taken, f"a{i}") for i, code in plan.taken]
    taken += ["uintptr_t results"] if plan.slots else []
    return f"int {plan.name}({', '.join(taken) or 'void'})"


def is_packed(plan: Plan) -> bool:
    """Return whether a plan has a C function that takes its arguments in words.

    Functions that put work on a device have one: they take a handle, and have no results.
    """
    first = plan.parameters[0].source.type if plan.parameters else ""
    return (
        first == "cudnnHandle_t"
        and plan.is_quick
        and not plan.slots
        and plan.result_code == "status"
        and len(plan.arguments) <= MOST_WORDS
    )


def readers(plan: Plan) -> list[str]:
    """Return the calls that turn arguments into numbers, those of open objects last.

    Nothing can close an object after its address was read.
    """
    calls: tuple[list[str], list[str]] = [], []
    for at, (argument, (i, code)) in enumerate(zip(plan.arguments, plan.taken, strict=True)):
        by_class = plan.parameters[at].source.kind == "enum" and code.taken == "int"
        if isinstance(argument, values.Number) and not by_class:
            read = f"{code.reader}("
        else:
            read = f"{_reader(argument)}(self, {at}, "
        last = isinstance(argument, values.Object) and not argument.detached
        calls[last].append(f"{read}arguments[{at}], &a{i})")
    return [*calls[0], *calls[1]]


def _reader(argument: values.Argument) -> str:
    match argument:
        case values.Number():
            return "to_enum"
        case values.DeviceMemory():
            return "to_memory"
        case values.Factor():
            return "to_factor"
        case values.Object(detached=False, optional=optional):
            return "to_object_or_null" if optional else "to_object"
        case _:
            return "to_pointer"
