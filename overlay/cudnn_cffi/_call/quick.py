"""Callables for wrappers of numbers and of objects with addresses, without a Python frame."""

from __future__ import annotations

import operator
import struct
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, TypeVar, cast

from .._support.recent import Recent
from . import watching
from .arguments.addresses import device, getters, ways
from .arguments.convert import MANY, is_judged, is_plain, slow
from .arguments.scalars import check_address, latest_class, to_scale
from .codes import CONVERT, NUMBERS, PLAIN, REQUIRED
from .failure import failed
from .layer import ffi, get_compiled, lib
from .spec import WRAPPERS, Spec, read_spec

if TYPE_CHECKING:
    Function = TypeVar("Function", bound=Callable[..., object])
    #: The class of several results; and for each slot what the number in it means.
    Results = tuple[type[tuple[object, ...]] | None, *tuple[Mapping[int, object] | None, ...]]
    #: Arguments to convert, by their positions, and those that must not be NULL.
    Steps = tuple[list[tuple[int, Callable[[object], float]]], list[int]]


_make = get_compiled("cudnn_cffi_maker")
_indices = {wrapper: index for index, wrapper in enumerate(WRAPPERS)}

_COPIED = ("__module__", "__name__", "__qualname__", "__doc__", "__annotations__")


def quick(
    name: str, kinds: str, how: tuple[object, ...], results: Results
) -> Callable[..., object]:
    """Return what calls a shim with its arguments, all of them and in their order.

    Args:
        name: of the wrapper.
        kinds: a code of the struct module for each slot.
        how: for each argument what makes it a number where it is none: the name of the attribute
            that has it, a mapping from types to what is called, or what is called; else None. An
            enum gets a list with the class whose members are taken as they are.
        results: the class of several results, and for each slot what turns the number into the
            result, or None.
    """
    spec = read_spec(name)
    how = tuple(
        [
            latest_class[parameter.ctype] if parameter.kind == "enum" else each
            for each, parameter in zip(how, spec.parameters, strict=True)
        ]
    )
    if _make is None:
        return _make_in_python(name, spec, kinds, how, results)
    how = tuple([ways if each is getters else each for each in how])
    names = tuple([parameter.name for parameter in spec.parameters])
    return _make(_indices[name], name, names, how, results, slow, failed, CONVERT)


def instead(call: Callable[..., object]) -> Callable[[Function], Function]:
    """Put the compiled callable in the place of the function that passes its arguments on to it.

    It calls that function where arguments are left out or wrong, and has its signature.
    """
    if _make is None:
        return lambda function: function

    def replace(function: Function) -> Function:
        for attribute in _COPIED:
            setattr(call, attribute, getattr(function, attribute))
        call.__wrapped__ = function  # type: ignore[attr-defined]
        return cast("Function", call)

    return replace


def _learn(spec: Spec, how: tuple[object, ...], types: tuple[type, ...]) -> Steps | None:
    """Return what to convert and what to check for arguments of these types; None for slow ones."""
    steps: list[tuple[int, Callable[[object], float]]] = []
    required: list[int] = []
    for index, (kind, each, parameter) in enumerate(zip(types, how, spec.parameters, strict=True)):
        if is_judged(parameter) and not is_plain(kind, parameter):
            return None
        if parameter.code not in PLAIN and kind is not (float if each is to_scale else int):
            steps.append((index, _choose_converter(each, parameter.optional)))
        if parameter.code in REQUIRED and (kind is int or not isinstance(each, str)):
            required.append(index)
    # Convert first what may run the caller's code, which could close an object whose address
    # was taken already.
    steps.sort(key=lambda step: isinstance(how[step[0]], str))
    return steps, required


def _read_first(spec: Spec, how: tuple[object, ...], values: tuple[object, ...]) -> None:
    """Read what the compiled callable reads before it finds an argument that is not plain.

    So the caller's own exceptions come before the same refusals in both modes.
    """
    for value, each, parameter in zip(values, how, spec.parameters, strict=True):
        if parameter.kind in ("handle", "descriptor"):
            continue  # read last
        if type(value) is int and each is not to_scale:
            low, high = NUMBERS.get(parameter.code, NUMBERS["p"]).range
            if not low <= value <= high:
                return
        elif is_judged(parameter):
            if not is_plain(type(value), parameter):
                return
        elif parameter.code not in PLAIN and not (each is to_scale and type(value) is float):
            _choose_converter(each, parameter.optional)(value)


def _make_in_python(
    name: str, spec: Spec, kinds: str, how: tuple[object, ...], results: Results
) -> Callable[..., object]:
    shim = getattr(lib, name)
    functions, number = lib.functions, _indices[name]
    is_plain_shim = lib.is_plain(name)
    result, *mappings = results[0] or tuple, *results[1:]
    read = struct.Struct(kinds).unpack
    slots = ffi.typeof(f"int64_t[{len(kinds)}]")
    #: By the types of the arguments: what has to be converted and how, and what may be NULL but
    #: must not be. An object of ours has an address as long as it is open.
    known: Recent[tuple[type, ...], Steps] = Recent(MANY)

    def call(*values: object) -> object:
        if watching.watcher is not None:
            watching.watcher(name, values)
        types = (*map(type, values),)
        try:
            steps, required = known[types]
        except KeyError:
            learnt = _learn(spec, how, types)
            if learnt is None:
                with suppress(*CONVERT):
                    _read_first(spec, how, values)
                return slow(call, name, values)
            steps, required = known[types] = learnt
        try:
            numbers: Sequence[object] = values
            if steps:
                numbers = converted = [*values]
                for index, convert in steps:
                    converted[index] = convert(converted[index])
            if kinds:
                out = ffi.new(slots)
                status = shim(*numbers, out)
            elif not is_plain_shim or (function := functions[number]) is None:
                status = shim(*numbers)
            else:
                for index in required:
                    if not numbers[index]:
                        function = shim
                status = function(*numbers)
        except CONVERT as error:
            return slow(call, name, values, error)
        if status:
            return failed(call, name, status, values)
        if not kinds:
            return None
        found = read(ffi.buffer(out))
        if len(found) == 1:
            mapping = mappings[0]
            return found[0] if mapping is None else mapping[found[0]]
        return new(
            result,
            [
                number if mapping is None else mapping[number]
                for number, mapping in zip(found, mappings)  # noqa: B905
            ],
        )

    new = tuple.__new__
    return call


def _choose_converter(how: object, optional: bool) -> Callable[[object], float]:
    if isinstance(how, str):
        get = operator.attrgetter(how)
        return (lambda value: 0 if value is None else get(value)) if optional else get
    if how is getters:
        return device
    if how is to_scale:
        return to_scale
    assert callable(how)
    return lambda value: check_address(how(value))
