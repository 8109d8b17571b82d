"""Calls every wrapper with bad arguments; run in a child by test_sweep, for a call may crash.

usage: python sweep.py each PROGRESS SKIP...
       python sweep.py mixed PROGRESS EXAMPLES

`each` makes one argument bad at a time, in every way; `mixed` lets hypothesis mix them, and prints
the smallest mixture that misbehaves. Before each call its number, function and case are written over the start of the file PROGRESS, so
that whoever finds the process dead can tell which call it was, and start again with the numbers of
all such calls to SKIP. A call that misbehaves is printed as a line of JSON, and at the end the
number of calls.
"""

from __future__ import annotations

import ctypes
import json
import os
import sys
from collections.abc import Iterator
from typing import Any, NamedTuple

import cudnn_cffi as cudnn
from cudnn_cffi import _tables
from cudnn_cffi._index import FAMILIES
from cudnn_cffi._specs import SPECS
from cudnn_cffi.errors import CudnnError

NAN = float("nan")

#: Lowest and highest of each code of an integer.
LIMITS = {
    "i": (-(1 << 31), (1 << 31) - 1),
    "I": (0, (1 << 32) - 1),
    "q": (-(1 << 63), (1 << 63) - 1),
    "Q": (0, (1 << 64) - 1),
}
NO_ADDRESS = (-1, 1 << 64)


class Parameter(NamedTuple):
    name: str
    ctype: str
    kind: str
    optional: bool
    code: str


class Case(NamedTuple):
    """One call: `wrong` names the parameters of which one has to be told by the exception."""

    function: str
    name: str
    arguments: tuple[Any, ...]
    wrong: tuple[str, ...]


def parameters(wrapper: str) -> list[Parameter]:
    _, _, _, codes, rows, *_ = SPECS[wrapper]
    return [Parameter(*row[:4], codes[row[4]]) for row in rows]


class Closed:
    """Stands for an argument to be made anew for each call: an object of a family, closed."""


class Sample:
    """Arguments that are right by their type; descriptors are real, handles cannot be."""

    def __init__(self) -> None:
        self.classes = {
            c_name: getattr(cudnn, cls) for cls, c_name in FAMILIES.items() if cudnn.has(cls)
        }
        self.memory = ctypes.create_string_buffer(1 << 16)
        #: Living objects, by the C names of their types.
        self.kept: dict[str, Any] = {}

    def open(self, c_name: str) -> Any:
        """A living object of a type; 0 where one cannot be had without a GPU."""
        cls = self.classes.get(c_name)
        if cls is None or c_name == "cudnnHandle_t":
            return 0
        found = self.kept.get(c_name)
        if found is None or found.closed:
            given: dict[str, tuple[Any, ...]] = {
                "cudnnBackendDescriptor_t": (cudnn.BackendDescriptorType.TENSOR_DESCRIPTOR,),
                "cudnnFusedOpsConstParamPack_t": (0,),
                "cudnnFusedOpsVariantParamPack_t": (0,),
                "cudnnFusedOpsPlan_t": (0,),
                "cudnnPersistentRNNPlan_t": (self.kept.get("cudnnRNNDescriptor_t", 0), 1, 0),
            }
            try:
                found = self.kept[c_name] = cls(*given.get(c_name, ()))
            except CudnnError:
                return 0
        return found

    def closed(self, c_name: str) -> Any:
        cls = self.classes.get(c_name)
        if cls is None:
            return None
        found = cls.from_address(ctypes.addressof(self.memory))
        found.close()
        return found

    def foreign(self, c_name: str) -> Any:
        other = "cudnnTensorDescriptor_t"
        return self.open(other if c_name != other else "cudnnFilterDescriptor_t")

    def good(self, parameter: Parameter) -> Any:
        kind, code = parameter.kind, parameter.code
        if kind in ("handle", "descriptor"):
            return self.open(parameter.ctype.removeprefix("const "))
        if code == "A":
            if kind == "array" and _holds_objects(parameter):
                return self.several(parameter)
            return [1] * 8 if kind == "array" else 1
        if kind in ("stream", "device", "workspace", "reserve", "user_data", "callback"):
            return None
        if kind in ("struct", "buffer", "output", "cuda"):
            return self.memory
        return 1.0 if kind == "scaling" or code in "fd" else 1

    def several(self, parameter: Parameter) -> list[Any]:
        element = parameter.ctype.removeprefix("const ").removesuffix("[]").strip(" *")
        if element == "cudnnAlgorithmPerformance_t":
            return list(cudnn.cudnnCreateAlgorithmPerformance(8))
        return [self.open(element)] * 8

    def wrong(self, parameter: Parameter) -> Iterator[Any]:
        """Values that have to be refused before the call, with the parameter's name."""
        kind, code = parameter.kind, parameter.code
        yield object()
        if kind in ("handle", "descriptor"):
            c_name = parameter.ctype.removeprefix("const ")
            yield from ("text", b"bytes", 1.5, NAN, [], True, *NO_ADDRESS)
            if parameter.code == "P":
                yield from (None, 0)
            yield self.foreign(c_name)
            if (closed := self.closed(c_name)) is not None:
                yield closed
        elif kind == "array" and code == "A":
            yield from ("text", b"bytes", 1.5, NAN, {}, [object()] * 8, *NO_ADDRESS)
            yield from (["text"] * 8, [None] * 8, [1 << 80] * 8, [NAN] * 8)
            if not parameter.optional:
                yield from (None, 0)
        elif kind in ("stream", "device", "workspace", "reserve") or code == "p":
            yield from ("text", 1.5, NAN, [], *NO_ADDRESS)
        elif kind in ("struct", "buffer", "output", "cuda") and code != "A":
            yield from ("text", 1.5, NAN, [], *NO_ADDRESS)
            if code == "P" or code[0] == "r":
                yield from (None, 0)
        elif kind == "scaling":
            yield from ("text", b"bytes", None, [], [1.0, 2.0], 1 << 40)
        elif code in LIMITS:
            low, high = LIMITS[code]
            yield from ("text", b"bytes", 1.5, NAN, None, [], low - 1, high + 1, 1 << 200)
        elif code in "fd":
            yield from ("text", b"bytes", None, [], 1j)

    def allowed(self, parameter: Parameter) -> Iterator[Any]:
        """Values that cuDNN has to judge."""
        if parameter.code in LIMITS:
            low, high = LIMITS[parameter.code]
            yield from sorted(
                {low, -1, 0, 3, 9, 65536, high} & {*range(low, low + 1)}
                | {number for number in (-1, 0, 3, 9, 65536, high) if low <= number <= high}
            )
        elif parameter.code in ("f", "d") or parameter.kind == "scaling":
            yield from (NAN, float("inf"), -0.0, 1e308)
        elif parameter.kind == "array" and _holds_objects(parameter):
            yield ()
        elif parameter.kind == "array" and parameter.code == "A":
            yield from ([0] * 8, [-1] * 8, [(1 << 31) - 1] * 8, (1,) * 8, [])
        elif parameter.code in ("p", "P", "A") and parameter.optional:
            yield None


def _holds_objects(parameter: Parameter) -> bool:
    return parameter.ctype.removeprefix("const ").startswith("cudnn")


def cases(sample: Sample) -> Iterator[Case]:
    for wrapper in sorted(set(_tables.active().functions.values())):
        found = parameters(wrapper)
        for nothing in (None, 0):
            arguments = tuple(nothing for _ in found)
            yield Case(wrapper, f"all {nothing}", arguments, ())
        for place, parameter in enumerate(found):
            for values, wrong in ((sample.wrong, (parameter.name,)), (sample.allowed, ())):
                for i, value in enumerate(values(parameter)):
                    arguments = tuple(
                        value if at == place else sample.good(other)
                        for at, other in enumerate(found)
                    )
                    # An earlier NULL may be told instead, but only of a parameter that is NULL.
                    nulls = tuple(
                        p.name
                        for p, v in zip(found, arguments, strict=True)
                        if v.__class__ is int and v == 0 and p.code == "P"
                    )
                    what = "wrong" if wrong else "allowed"
                    name = f"{parameter.name} {what} {i} {type(value).__name__}"
                    accepts = nulls if wrong and _is_null(value) else ()
                    yield Case(wrapper, name, arguments, (*wrong, *accepts))


def _is_null(value: Any) -> bool:
    return value is None or (value.__class__ is int and value == 0)


def judge(case: Case) -> str:
    """The fault of a call; "" if there is none."""
    try:
        getattr(cudnn, case.function)(*case.arguments)
    except CudnnError as error:
        text = str(error)
        if case.wrong and not any(name in error.arguments for name in case.wrong):
            return f"{type(error).__name__} does not name {case.wrong[0]}: {text}"
        if case.wrong and error.status is not None:
            return f"{case.wrong[0]} reached cuDNN: {text}"
        if error.function != SPECS[case.function][0]:
            return f"{type(error).__name__} names {error.function!r} as the function: {text}"
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    else:
        if case.wrong:
            return f"{case.wrong[0]} was accepted"
    return ""


class Progress:
    """The last action of a dead process."""

    def __init__(self, path: str) -> None:
        self.file = os.open(path, os.O_RDWR | os.O_CREAT)

    def write(self, number: int, case: Case) -> None:
        line = f"{number}\t{case.function}\t{case.name}\n"
        os.pwrite(self.file, line.encode().ljust(400)[:400], 0)


def each(progress: Progress, skip: list[int]) -> None:
    begin = max(skip, default=-1)
    for number, case in enumerate(cases(Sample())):
        if number <= begin:
            continue
        progress.write(number, case)
        if trouble := judge(case):
            found = {"function": case.function, "case": case.name, "problem": trouble}
            print(json.dumps(found), flush=True)
    print(json.dumps({"calls": number + 1}))


def mixed(progress: Progress, examples: int) -> None:
    from hypothesis import HealthCheck, given, settings
    from hypothesis import strategies as st

    sample = Sample()
    wrappers = st.sampled_from(sorted(set(_tables.active().functions.values())))
    calls = 0

    @settings(
        max_examples=examples,
        derandomize=True,
        database=None,
        deadline=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(wrappers, st.data())
    def check(wrapper: str, data: st.DataObject) -> None:
        nonlocal calls
        calls += 1
        found = parameters(wrapper)
        arguments: list[Any] = []
        told: list[str] = []
        odd: list[str] = []
        for parameter in found:
            ways = {
                "good": [sample.good(parameter)],
                "wrong": [*sample.wrong(parameter)],
                "allowed": [*sample.allowed(parameter)],
            }
            way = data.draw(st.sampled_from([name for name in ways if ways[name]]))
            arguments.append(data.draw(st.sampled_from(ways[way])))
            if way == "wrong" or (_is_null(arguments[-1]) and parameter.code == "P"):
                told.append(parameter.name)
            elif way == "allowed" or parameter.code == "A":
                odd.append(parameter.name)
        if told:  # a length may be too much now, or a sequence too short, and be told instead
            told += odd
        case = Case(wrapper, repr(arguments), tuple(arguments), tuple(told))
        progress.write(calls, case)
        trouble = judge(case)
        assert not trouble, f"{wrapper}{tuple(arguments)}: {trouble}"

    check()
    print(json.dumps({"calls": calls}))


if __name__ == "__main__":
    how, path, *numbers = sys.argv[1:]
    if how == "each":
        each(Progress(path), [int(number) for number in numbers])
    else:
        mixed(Progress(path), int(numbers[0]))
