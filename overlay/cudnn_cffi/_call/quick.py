"""Callables for wrappers whose arguments are numbers and what has them: no frame of Python's."""

from __future__ import annotations

import operator
import struct

from .._support.recent import Recent
from . import watching
from .addresses import device, getters
from .codes import CONVERT, PLAIN
from .convert import MANY, is_judged, is_plain, slow
from .failure import failed
from .layer import ffi, get_compiled, lib
from .scalars import check_address, latest_class, to_scale
from .spec import WRAPPERS, Spec, read_spec

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, TypeVar

    Function = TypeVar("Function", bound=Callable[..., Any])

__all__ = ["instead", "quick"]

_make = get_compiled("cudnn_cffi_maker")
_indices = {wrapper: index for index, wrapper in enumerate(WRAPPERS)}

_COPIED = ("__module__", "__name__", "__qualname__", "__doc__", "__annotations__")


def quick(
    name: str, kinds: str, how: tuple[Any, ...], results: tuple[Any, ...]
) -> Callable[..., Any]:
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
    names = tuple([parameter.name for parameter in spec.parameters])
    return _make(_indices[name], name, names, how, results, slow, failed, CONVERT)  # type: ignore[no-any-return]


def instead(call: Any) -> Callable[[Function], Function]:
    """Put the compiled callable in the place of the function that passes its arguments on to it.

    It calls that function where arguments are left out or wrong, and has its signature.
    """
    if _make is None:
        return lambda function: function

    def replace(function: Function) -> Function:
        for attribute in _COPIED:
            setattr(call, attribute, getattr(function, attribute))
        call.__wrapped__ = function
        return call  # type: ignore[no-any-return]

    return replace


def _make_in_python(
    name: str, spec: Spec, kinds: str, how: tuple[Any, ...], results: tuple[Any, ...]
) -> Callable[..., Any]:
    shim = getattr(lib, name)
    cls, *mappings = results
    read = struct.Struct(kinds).unpack
    slots, address = ffi.typeof(f"int64_t[{len(kinds)}]"), ffi.typeof("uintptr_t")
    #: By the types of the arguments, what has to be converted and how.
    known = Recent(MANY)

    def learn(types: tuple[type, ...]) -> list[tuple[int, Callable[[Any], Any]]] | None:
        steps = []
        for index, (kind, each, parameter) in enumerate(
            zip(types, how, spec.parameters, strict=True)
        ):
            if is_judged(parameter) and not is_plain(kind, parameter):
                return None
            if parameter.code not in PLAIN and kind is not (float if each is to_scale else int):
                steps.append((index, _choose_converter(each, parameter.optional)))
        # What may run any code first, so that no object is closed after its address was taken.
        steps.sort(key=lambda step: isinstance(how[step[0]], str))
        known[types] = steps
        return steps

    def call(*values: Any) -> Any:
        if watching.watcher is not None:
            watching.watcher(name, values)
        types = tuple(map(type, values))
        steps = known.get(types)
        if steps is None:
            steps = learn(types)
            if steps is None:
                return slow(call, name, values)
        try:
            if steps:
                numbers = list(values)
                for index, convert in steps:
                    numbers[index] = convert(numbers[index])
            else:
                numbers = values  # type: ignore[assignment]
            if not kinds:
                status = shim(*numbers)
            else:
                out = ffi.new(slots)
                status = shim(*numbers, int(ffi.cast(address, out)))
        except CONVERT as error:
            return slow(call, name, values, error)
        if status:
            return failed(call, name, status, values)
        if not kinds:
            return None
        made = [
            number if mapping is None else mapping[number]
            for number, mapping in zip(read(ffi.buffer(out)), mappings, strict=True)
        ]
        return tuple.__new__(cls, made) if len(made) > 1 else made[0]

    return call


def _choose_converter(how: Any, optional: bool) -> Callable[[Any], Any]:
    if isinstance(how, str):
        get = operator.attrgetter(how)
        return (lambda value: 0 if value is None else get(value)) if optional else get
    if how is getters:
        return device
    return how if how is to_scale else lambda value: check_address(how(value))
