"""Plans as C: shims, the thunks of quick calls, and declarations for cffi."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..lower import values
from ..lower.codes import code_of, returned
from ..lower.plan import Plan

#: How many arguments a function may have that is called with words; native/ has room for as many.
MOST_WORDS = 32


def prototype(plan: Plan) -> str:
    """Return the head of a shim."""
    taken = [(code_of(code).taken, f"a{i}") for i, code in enumerate(plan.codes)]
    if plan.returns_slots:
        taken.append(("uintptr_t", "results"))
    parameters = ", ".join(f"{kind} {name}".replace("* ", "*") for kind, name in taken if kind)
    return f"int {plan.name}({parameters or 'void'})"


def shim(plan: Plan, index: int, getters: Mapping[str, int], double: int) -> str:
    """Return the C function that calls cuDNN's function number `index`.

    Args:
        plan: its plan.
        index: the number of the function.
        getters: the number of the function that tells the data type, by the code of the factors.
        double: the value of CUDNN_DATA_DOUBLE.
    """
    types = ", ".join(code_of(code).passed for code in plan.codes) or "void"
    lines = [f"static {prototype(plan)}", "{"]
    lines.append(f"    typedef {returned(plan.result_code).passed} (*F)({types});")
    lines.append(f"    F f = (F)functions[{index}];")
    outs = [(i, code[1]) for i, code in enumerate(plan.codes) if code[0] == "o"]
    if plan.returns_slots:
        lines.append("    int64_t *out = (int64_t *)results;")
    lines += [f"    {code_of(code).passed} o{i} = 0;".replace("* ", "*") for i, code in outs]
    factors = [(i, code) for i, code in enumerate(plan.codes) if code[0] in "st"]
    lines += [f"    union factor f{i};" for i, _ in factors]
    lines.append("    if (!f) return NOT_BOUND;")
    for i, code in enumerate(plan.codes):
        if code == "P" or code[0] == "r":
            lines.append(f"    if (!a{i}) return NULL_ARGUMENT({i});")
    if factors:
        (code,) = {code for _, code in factors}
        getter = f"functions[{getters[code[0]]}]"
        lines.append(f"    int is_double = data_type_of({getter}, a{code[1:]}) == {double};")
    lines += [f"    scale(&f{i}, a{i}, is_double);" for i, _ in factors]
    call = f"f({', '.join(_passed(i, code) for i, code in enumerate(plan.codes))})"
    lines += _returning(plan, call, outs)
    return "\n".join([*lines, "}"])


def _passed(index: int, code: str) -> str:
    """Return what a shim passes to cuDNN."""
    if code in ("P", "p"):
        return f"(void *)a{index}"
    if code == "0":
        return "NULL"
    if code[0] == "o":
        return f"&o{index}"
    if code[0] in "st":
        return f"&f{index}"
    if code[0] == "r":
        return f"*({code_of(code).passed} *)a{index}"
    return f"a{index}"


def _returning(plan: Plan, call: str, outs: Sequence[tuple[int, str]]) -> list[str]:
    """Return the call, and its results in their slots."""
    first = 0
    if plan.result_code == "status":
        if not outs:
            return [f"    return {call};"]
        lines = [f"    int status = {call};"]
    elif plan.result_code == "void":
        lines = [f"    {call};"]
    else:
        lines = [f"    out[0] = (int64_t){call};"]
        first = 1
    for slot, (i, code) in enumerate(outs, first):
        value = f"from_double(o{i})" if code_of(code).slot == "d" else f"(int64_t)o{i}"
        lines.append(f"    out[{slot}] = {value};")
    return [*lines, "    return status;" if plan.result_code == "status" else "    return 0;"]


def thunk(plan: Plan) -> str:
    """Return a C function for Python around the shim: arguments in, result out, status raised."""
    taken = [(i, code) for i, code in enumerate(plan.codes) if code[0] not in "o0"]
    lines = [
        f"static PyObject *py_{plan.name}(struct function *self, PyObject *const *arguments)",
        "{",
        *(f"    {code_of(code).taken} a{i};" for i, code in taken),
    ]
    if plan.slots:
        lines.append(f"    int64_t out[{len(plan.slots)}];")
    lines += ["    int status;", "    PyThreadState *thread;"]
    tests = []
    for at, ((i, code), argument) in enumerate(zip(taken, plan.arguments, strict=True)):
        # Addresses of objects are read last: nothing can close one after that.
        last = isinstance(argument, values.Object) and not argument.detached
        enum = plan.parameters[at].source.kind == "enum"
        tests.append((last, f"{_reader(argument, code, at, enum)}&a{i})"))
    if tests:
        tests.sort(key=lambda test: test[0])
        lines.append(f"    if ({' || '.join(t for _, t in tests)}) return wrong(self, arguments);")
    given = [f"a{i}" for i, _ in taken] + (["(uintptr_t)out"] if plan.slots else [])
    lines.append("    thread = PyEval_SaveThread();")
    lines.append(f"    status = {plan.name}({', '.join(given)});")
    lines.append("    PyEval_RestoreThread(thread);")
    lines.append("    if (status) return refused(self, arguments, status);")
    slots = f'out, "{plan.slots}", {len(plan.slots)}'
    lines.append(f"    return result(self, {slots});" if plan.slots else "    Py_RETURN_NONE;")
    return "\n".join([*lines, "}"])


def is_packed(plan: Plan) -> bool:
    """Return whether a plan has a C function that takes its arguments in words.

    Those have one that put work on a device: they take a handle, and have no results.
    """
    first = plan.parameters[0].source.type if plan.parameters else ""
    return (
        first == "cudnnHandle_t"
        and plan.is_quick
        and not plan.slots
        and plan.result_code == "status"
        and len(plan.arguments) <= MOST_WORDS
    )


def packed(plan: Plan) -> str:
    """Return the C function that calls the shim with arguments in words."""
    taken = [code for code in plan.codes if code[0] not in "o0"]
    given = ", ".join(_unpacked(at, code) for at, code in enumerate(taken))
    return "\n".join(
        [
            f"static int packed_{plan.name}(const uint64_t *words)",
            "{",
            f"    return {plan.name}({given});",
            "}",
        ]
    )


def _unpacked(at: int, code: str) -> str:
    """Return an argument of a shim, from its word."""
    kind = code_of(code).taken
    if kind == "double":
        return f"to_real(words[{at}])"
    if kind == "float":
        return f"(float)to_real(words[{at}])"
    return f"({kind})words[{at}]".replace("* )", "*)")


def _reader(argument: values.Argument, code: str, at: int, enum: bool) -> str:
    """Return the call that turns an argument into a number, up to the address of the number."""
    match argument:
        case values.Number() if not enum:
            return f"{code_of(code).reader}(arguments[{at}], "
        case values.Number():
            name = "to_enum"
        case values.DeviceMemory():
            name = "to_memory"
        case values.Factor():
            name = "to_factor"
        case values.Object(detached=False, optional=optional):
            name = "to_object_or_null" if optional else "to_object"
        case _:
            name = "to_pointer"
    return f"{name}(self, {at}, arguments[{at}], "
