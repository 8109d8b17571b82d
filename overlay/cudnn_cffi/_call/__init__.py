"""What stands between an emitted wrapper and libcudnn.

A wrapper calls a shim, compiled or made by `_abi`. The shim answers with a status, and writes what
else there is to memory that is lent to it. cuDNN's statuses are not negative; negative ones
are the shim's own: nothing bound yet, or NULL where C would crash. Whatever is not the plain case
ends up here: `slow` for arguments that the shim did not take as they are, `failed` for statuses.
Both either return what the call returns after all, or raise.
"""

from __future__ import annotations

import array
import atexit
import ctypes
import numbers
import operator
import os
import struct
import warnings
from _ctypes import CFuncPtr
from collections.abc import Callable, Sequence

from .. import arrays, errors
from .._object import Family
from .._support import fork as _fork
from .._support.results import result
from .._tables import (
    ENUM_TYPES,
    active,
    chosen_release,
    enum_map,
    expected_member,
    record_class,
)
from ..driver import streams
from ..versions import version_key
from .host import INTEGERS, HostMemory, c_code, describe, is_c_integer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, NamedTuple, NoReturn, TypeVar

    Function = TypeVar("Function", bound=Callable[..., Any])
else:
    from .._support.results import Record as NamedTuple

__all__ = [
    "CONVERT",
    "address_of",
    "enum_map",
    "failed",
    "ffi",
    "instead",
    "lend",
    "lib",
    "mode",
    "of_call",
    "outs",
    "plain",
    "quick",
    "result",
    "slow",
    "unpacker",
    "watch",
]

NOT_BOUND = -1
NULL_BASE = -1000


#: What a shim, or the conversion of an argument, raises for an argument it cannot take.
CONVERT = (AttributeError, TypeError, ValueError, OverflowError)

#: Codes of pointers that must not be NULL.
REQUIRED = ("P", "r4", "r8")

ARRAY_LIMIT = 1 << 26

#: Room for 64 results.
OUT_BYTES = 512


def _native() -> tuple[Any, Any, str]:
    wanted = os.environ.get("CUDNN_CFFI_MODE", "")
    if wanted not in ("", "api", "abi"):
        raise errors.CudnnError(f"CUDNN_CFFI_MODE is {wanted!r}; it may be 'api' or 'abi'")
    if wanted != "abi":
        try:
            from .._cudnn import ffi, lib
        except ImportError as error:
            if wanted == "api":
                raise errors.CudnnError(
                    f"CUDNN_CFFI_MODE is 'api', but the compiled call layer is missing: {error}",
                    hint="install a wheel, or build it in a checkout with `nox -s build`",
                ) from error
        else:
            from .._specs import LAYOUT

            if ffi.string(lib.cudnn_cffi_layout()).decode() == LAYOUT:
                return ffi, lib, "api"
            if wanted == "api":
                raise errors.CudnnError(
                    "CUDNN_CFFI_MODE is 'api', but the compiled call layer was built from other "
                    "tables",
                    hint="build it again with `nox -s build`",
                )
            warnings.warn(
                "the compiled call layer was built from other tables and is not used; build it "
                "again with `nox -s build`",
                RuntimeWarning,
                stacklevel=2,
            )
    from .abi import ffi, lib

    return ffi, lib, "abi"


ffi, lib, _mode = _native()


def mode() -> str:
    """How calls are made: "api" through the compiled layer, "abi" without."""
    return _mode


# Binding -----------------------------------------------------------------------------------------

_lock = _fork.lock()
_bound = False


def bind() -> bool:
    """Load libcudnn, choose its tables and give the shims their addresses, once.

    Returns whether this call did it; False where it was done before.
    """
    global _bound
    with _lock:
        if _bound:
            return False
        from .. import library
        from .._specs import SPECS
        from .._tables import pinned as _pinned

        loaded = library.load()
        loaded.check_parts()
        _pinned.check_all(loaded.version)
        functions = active(loaded.version).functions
        for place, (wrapper, spec) in enumerate(SPECS.items()):
            # A function that the tables do not have may still be there: they can be older.
            if functions.get(spec[0], wrapper) == wrapper:
                lib.cudnn_cffi_bind(place, loaded.address(spec[0]))
        _bound = True
        library.watch_handles(handles_made)
        return True


_handles_made = 0


def _made_handle(address: int) -> int:
    """Count a handle. Even one that is closed has set CUDA up, which does not survive a fork."""
    global _handles_made
    _handles_made += 1
    return address


def handles_made() -> int:
    """How many handles this process has made, or wrapped; closed ones count."""
    return _handles_made


def _unbind_forked() -> None:
    """In a child of a process that had handles every call ends in `failed`, which says so."""
    from .. import library

    if library.forked_with_handles:
        from .._specs import SPECS

        for place in range(len(SPECS)):
            lib.cudnn_cffi_bind(place, 0)


_fork.in_child("calls", _unbind_forked)

# Calls that take numbers, and what has them -------------------------------------------------------


def _compiled(name: str) -> Callable[..., Any] | None:
    """Return a function of the compiled layer that takes objects; None in ABI mode."""
    if _mode != "api":
        return None
    made: Any = ctypes.cast(getattr(lib, name)(), ctypes.py_object).value
    return made  # type: ignore[no-any-return]


_make = _compiled("cudnn_cffi_maker")
_tell = _compiled("cudnn_cffi_watcher")
_places: dict[str, int] = {}


def quick(
    name: str, kinds: str, how: tuple[Any, ...], results: tuple[Any, ...]
) -> Callable[..., Any]:
    """What calls a shim with its arguments, all of them and in their order.

    Args:
        kinds: a code of the struct module for each slot.
        how: for each argument what makes it a number where it is none: the name of the attribute
            that has it, a mapping from types to what is called, or what is called; else None. An
            enum gets a list with the class whose members are taken as they are.
        results: the class of several results, and for each slot what turns the number into the
            result, or None.
    """
    from .._specs import SPECS

    rows = SPECS[name][4]
    how = tuple(
        [
            _members[row[1]] if row[2] == "enum" else each
            for each, row in zip(how, rows, strict=True)
        ]
    )
    if _make is None:
        return _plain_quick(name, kinds, how, results)
    if not _places:
        _places.update((each, place) for place, each in enumerate(SPECS))
    parameters = tuple([row[0] for row in rows])
    return _make(_places[name], name, parameters, how, results, slow, failed, CONVERT)  # type: ignore[no-any-return]


def instead(call: Any) -> Callable[[Function], Function]:
    """Puts the compiled function in the place of the one that passes its arguments on to it.

    That one is called where arguments are left out or wrong. It is what a signature is taken from.
    """
    if _make is None:
        return lambda function: function

    def replaced(function: Function) -> Function:
        for attribute in _ASSIGNED:
            setattr(call, attribute, getattr(function, attribute))
        call.__wrapped__ = function
        return call  # type: ignore[no-any-return]

    return replaced


_ASSIGNED = ("__module__", "__name__", "__qualname__", "__doc__", "__annotations__")


#: Looks at every call before it is made, where somebody wants that: gets name and arguments.
watcher: Callable[[str, Sequence[Any]], object] | None = None
_ended = False

#: Whether the environment asks for checks of all calls.
ALWAYS_CHECKED = os.environ.get("CUDNN_CFFI_CHECK", "0") not in ("", "0")


def watch(new: Callable[[str, Sequence[Any]], object] | None) -> None:
    """Let `new` look at every call of this interpreter; None for nobody."""
    global watcher
    watcher = None if _ended else new
    if _tell is not None:
        _tell(watcher)


@atexit.register
def _end() -> None:
    """The last calls come from finalizers, when nothing that looks at them has its names still."""
    global _ended
    _ended = True
    watch(None)


def _first(name: str, values: Sequence[Any]) -> None:
    """Look at the first call, where more than calling is due before it.

    That is so where CUDNN_CFFI_CHECK asks for checks; and where this package was imported once
    more, or by another interpreter of the process: then the compiled layer has its addresses
    already, and no call would end in `failed` and have its library and tables chosen.
    """
    bind()
    from .checking import settle

    settle()
    if watcher is not None:
        watcher(name, values)


if ALWAYS_CHECKED or (_tell is not None and lib.cudnn_cffi_bound()):
    watch(_first)


def _plain_quick(
    name: str, kinds: str, how: tuple[Any, ...], results: tuple[Any, ...]
) -> Callable[..., Any]:
    from .._specs import SPECS

    shim = getattr(lib, name)
    cls, *mappings = results
    rows, codes = SPECS[name][4], SPECS[name][3]
    read = struct.Struct(kinds).unpack
    slots, address = ffi.typeof(f"int64_t[{len(kinds)}]"), ffi.typeof("uintptr_t")
    #: By the types of the arguments, what has to be converted and how.
    known: dict[tuple[type, ...], list[tuple[int, Callable[[Any], Any]]]] = {}

    def learn(types: tuple[type, ...]) -> list[tuple[int, Callable[[Any], Any]]] | None:
        steps = []
        for place, (kind, each, row) in enumerate(zip(types, how, rows, strict=True)):
            code = codes[row[4]]
            if _is_judged(row, code) and not _is_plain(kind, row, code):
                return None
            if code not in _NUMBERS and kind is not (float if each is _scale else int):
                steps.append((place, _number_from(each, row[3])))
        # What may run any code first, so that no object is closed after its address was taken.
        steps.sort(key=lambda step: isinstance(how[step[0]], str))
        if len(known) > _MANY:
            known.clear()
        known[types] = steps
        return steps

    def call(*given: Any) -> Any:
        if watcher is not None:
            watcher(name, given)
        types = tuple(map(type, given))
        steps = known.get(types)
        if steps is None:
            steps = learn(types)
            if steps is None:
                return slow(call, name, given)
        try:
            if steps:
                numbers = list(given)
                for place, number_from in steps:
                    numbers[place] = number_from(numbers[place])
            else:
                numbers = given  # type: ignore[assignment]
            if not kinds:
                status = shim(*numbers)
            else:
                out = ffi.new(slots)
                status = shim(*numbers, int(ffi.cast(address, out)))
        except CONVERT as error:
            return slow(call, name, given, error)
        if status:
            return failed(call, name, status, given)
        if not kinds:
            return None
        values = [
            number if mapping is None else mapping[number]
            for number, mapping in zip(read(ffi.buffer(out)), mappings, strict=True)
        ]
        return tuple.__new__(cls, values) if len(values) > 1 else values[0]

    return call


def _number_from(how: Any, optional: bool) -> Callable[[Any], Any]:
    if isinstance(how, str):
        get = operator.attrgetter(how)
        return (lambda given: 0 if given is None else get(given)) if optional else get
    if how is _getters:
        return _device
    return how if how is _scale else lambda given: _exact(how(given))


def _exact(number: Any) -> int:
    """An address that somebody's attribute or method gave; nothing but an int is one."""
    if type(number) is not int:
        raise TypeError(f"an address was expected, a {type(number).__name__} came")
    return number


# Failure -----------------------------------------------------------------------------------------


def failed(call: Callable[..., Any], name: str, status: int, values: Sequence[Any]) -> Any:
    """Raise what the status of `call(*values)` means; return its result after a first binding."""
    if status == NOT_BOUND:
        from .. import library

        library.check_fork()
        if bind() or _has_address(name):
            return call(*values)
        raise missing(name)
    if status < 0:
        _refuse_null(name, NULL_BASE - status, values)
    raise _status_error(name, status, values)


def _has_address(name: str) -> bool:
    from .. import library
    from .._specs import SPECS

    loaded = library.current()
    functions = active().functions
    symbol = SPECS[name][0]
    return (
        loaded is not None and functions.get(symbol, name) == name and loaded.address(symbol) != 0
    )


def missing(name: str) -> errors.MissingFunctionError:
    """Why the loaded library does not have the function, as far as the tables know."""
    from .. import library
    from .._index import HISTORY
    from .._specs import SPECS

    symbol = SPECS[name][0]
    loaded = library.current()
    version = loaded.version if loaded is not None else ""
    since, removed, successor = HISTORY[symbol]
    if active().functions.get(symbol, name) != name:
        text = "has another signature in the loaded release"
        hint = f"cudnn_cffi.{symbol} of the release's own tables fits"
    elif removed is not None and _later(version, removed):
        text = f"removed in {removed}"
        hint = f"use {successor}" if successor else ""
    elif not _later(version, since):
        text = f"added in {since}"
        hint = f"load cuDNN {since} or newer"
    else:
        text = "not exported by the loaded library"
        hint = "`python -m cudnn_cffi doctor` checks the installation"
    place = f", loaded {version} from {loaded.path}" if loaded is not None else ""
    return errors.MissingFunctionError(
        f"{symbol}: {text}{place}", function=symbol, version=version, hint=hint
    )


def _later(version: str, limit: str) -> bool:
    return bool(version) and version_key(version) >= version_key(limit)


def _refuse_null(name: str, place: int, values: Sequence[Any]) -> NoReturn:
    from .._specs import SPECS

    symbol, _, _, _, parameters, *_ = SPECS[name]
    for (parameter, ctype, *_, at), value in zip(parameters, values, strict=True):
        if at == place:
            raise errors.NullPointerError(
                f"{symbol}: {parameter} must not be NULL, it is a {ctype}",
                function=symbol,
                arguments={parameter: _render(value, ctype)},
            )
    raise errors.NullPointerError(f"{symbol}: argument {place} must not be NULL", function=symbol)


def _status_error(name: str, status: int, values: Sequence[Any]) -> errors.CudnnError:
    text = last_error()  # first, before anything else calls cuDNN on this thread
    from .. import library
    from .._specs import SPECS

    symbol, _, _, _, parameters, *_ = SPECS[name]
    tables = active()
    member = tables.enum("Status")(status)
    loaded = library.current()
    rendered = {}
    for (parameter, ctype, *_), value in zip(parameters, values, strict=True):
        rendered[parameter] = _render(value, ctype)
    known = tables.c_name(member)
    hint = ""
    if symbol.startswith("cudnnBackend") and known.endswith("NOT_INITIALIZED"):
        hint = "a backend descriptor is read, and used, after cudnnBackendFinalize"
    return errors.from_status(
        symbol,
        member,
        known,
        text=text,
        arguments=rendered,
        library=str(loaded.path) if loaded is not None else "",
        version=loaded.version if loaded is not None else "",
        tables=chosen_release(),
        hint=hint,
    )


def last_error() -> str:
    """cuDNN's text for the last error of this thread, which reading clears; "" if it has none."""
    tell = getattr(lib, "cudnnGetLastErrorString", None)  # which older releases do not have
    if tell is None:
        return ""
    buffer = ffi.new("char[]", 4096)
    if tell(buffer, 4096) != 0:
        return ""
    text: str = ffi.string(buffer, 4096).decode("utf-8", "replace")
    return text.strip()


def _render(value: Any, ctype: str) -> str:
    base = ctype.removeprefix("const ")
    if isinstance(value, int) and (ctype or not isinstance(value, bool)):
        if ENUM_TYPES.get(type(value), base) != base:
            return f"{type(value).__name__}.{value.name}"  # type: ignore[attr-defined]
        value = int.__index__(value)  # whatever its class makes of that
        if base.startswith(("cudnn", "libraryProperty")):
            cls = active().enum_of(base)
            if cls is not None:
                return str(cls(value).name)
            return hex(value)
        if "*" in ctype or base.startswith("cuda"):
            return hex(value)
        return str(int(value))
    if isinstance(value, float) and base in ("float", "double"):
        value = float.__float__(value)
    try:
        text = repr(value)
    except Exception as error:  # a broken repr must not hide the error that is being told
        text = f"<{type(value).__name__}, whose repr raised {type(error).__name__}>"
    return text if len(text) <= 80 else f"{text[:77]}..."


# Arguments ---------------------------------------------------------------------------------------


#: Sets of types, by the name of the wrapper: see `plain`.
_plain: dict[str, set[tuple[type, ...]]] = {}

#: So many types of arguments of one wrapper are remembered.
_MANY = 256

#: Codes of what C takes as a number.
_NUMBERS = "iIqQfd"


def plain(name: str) -> set[tuple[type, ...]]:
    """Types of arguments with which a call can be made at once, as `slow` has found them to be.

    They are the types of all that is a number or an object with an address, in their order. What
    has them runs no code of the caller's while it is read.
    """
    return _plain.setdefault(name, set())


class _Members(dict[str, "list[type | None]"]):
    """By C name of an enum the class whose members are taken as numbers: the last that came."""

    def __missing__(self, ctype: str) -> list[type | None]:
        bare = ctype.removeprefix("const ")
        found = self[ctype] = [None] if bare == ctype else self[bare]
        return found


_members = _Members()


def _is_judged(parameter: tuple[Any, ...], code: str) -> bool:
    """Whether the type of an argument has to be plain: for numbers, and objects with an address."""
    return code[0] not in "Ast" and parameter[2] not in _CONVERTED


_CONVERTED = ("array", "stream", "device", "workspace", "reserve")


def _is_plain(kind: type, parameter: tuple[Any, ...], code: str) -> bool:
    """Whether an argument of this type is read without running code of the caller's."""
    _, ctype, role, optional, _ = parameter
    if kind is int:
        return True
    if role == "enum":
        return bool(ENUM_TYPES.get(kind) == ctype.removeprefix("const "))
    if code in ("f", "d"):
        return kind is float
    if role in ("handle", "descriptor"):
        slot = f"_{ctype.removeprefix('const ')}"
        return (kind is type(None) and optional) or (
            issubclass(kind, Family) and hasattr(kind, slot)
        )
    return kind is bool and code in _NUMBERS


def slow(
    call: Callable[..., Any], name: str, values: Sequence[Any], error: BaseException | None = None
) -> Any:
    """Convert the arguments with care, each once, and call again; raise for one that cannot be.

    What can run code of the caller's is converted here, or before anything else in the second call.
    Objects of ours stay what they are: their addresses are read last, so that cuDNN never gets one
    of an object that was closed meanwhile. `error` is what the first attempt raised; None where it
    found something that is not plain.
    """
    for value in values:
        switched = getattr(type(value), "_switched", None) if isinstance(value, Family) else None
        if switched is not None and value._elsewhere():
            with switched(value):
                return call(*values)
    from .._specs import SPECS

    symbol, _, _, codes, parameters, *_ = SPECS[name]
    kept: list[HostMemory] = []  # until the call is over
    converted = list(values)
    judged = [_is_judged(row, codes[row[4]]) for row in parameters]
    # Memory and streams last: where only a number was not plain the call itself converts them.
    for place in sorted(range(len(values)), key=lambda at: _phase(parameters[at], judged[at])):
        row = parameters[place]
        if error is None and not judged[place]:
            continue
        size = 0
        if row[2] in ("buffer", "output"):
            size = _size_of(row[0], parameters, converted)
        converted[place] = _convert(symbol, row, codes[row[4]], values[place], kept, size)
    if error is not None and (not isinstance(error, errors.CudnnError) or error.function):
        for parameter, value in zip(parameters, converted, strict=True):
            if codes[parameter[4]] in REQUIRED and value.__class__ is int and not value:
                _refuse_null(name, parameter[4], values)
    if isinstance(error, errors.CudnnError):
        raise of_call(symbol, error)
    known = _plain.get(name)
    if all(new is old for new, old in zip(converted, values, strict=True)) and (
        error is not None or known is None
    ):
        bind()
        if not _has_address(name):  # nor, perhaps, the types of its arguments
            raise missing(name) from None
        rendered = {p[0]: _render(v, p[1]) for p, v in zip(parameters, values, strict=True)}
        raise errors.ArgumentError(
            f"{symbol}: {error or 'the arguments cannot be taken'}",
            function=symbol,
            arguments=rendered,
        ) from error
    if known is not None:
        _learn(known, parameters, codes, values)
        _learn(known, parameters, codes, converted)
    return call(*converted)


def _learn(
    known: set[tuple[type, ...]],
    parameters: Sequence[tuple[Any, ...]],
    codes: Sequence[str],
    values: Sequence[Any],
) -> None:
    judged = [
        (type(value), row, codes[row[4]])
        for value, row in zip(values, parameters, strict=True)
        if _is_judged(row, codes[row[4]])
    ]
    if all(_is_plain(*each) for each in judged):
        if len(known) > _MANY:
            known.clear()
        known.add(tuple([kind for kind, *_ in judged]))


def _phase(parameter: tuple[Any, ...], judged: bool) -> int:
    """When an argument is converted; a buffer after what may be its size."""
    return 2 if not judged else 1 if parameter[2] in ("buffer", "output") else 0


def _size_of(name: str, parameters: Sequence[tuple[Any, ...]], values: Sequence[Any]) -> int:
    """The bytes that a buffer must have, where another argument says it."""
    for row, value in zip(parameters, values, strict=True):
        if row[0] == f"{name}SizeInBytes":
            return int(value)
    return 0


def of_call(symbol: str, error: errors.CudnnError) -> errors.CudnnError:
    """An error that did not know which function it was for."""
    if error.function:
        return error
    made = type(error)(
        f"{symbol}: {error.message}",
        function=symbol,
        arguments=error.arguments,
        hint=error.hint,
    )
    made.__cause__ = error.__cause__
    return made


def _refused(name: str, text: str, value: Any) -> errors.ArgumentError:
    """What to raise for the argument `name`; `slow` adds the function."""
    return errors.ArgumentError(f"{name}: {text}", arguments={name: _render(value, "")})


_RANGES = {
    "i": (-(1 << 31), (1 << 31) - 1),
    "I": (0, (1 << 32) - 1),
    "q": (-(1 << 63), (1 << 63) - 1),
    "Q": (0, (1 << 64) - 1),
    "p": (0, (1 << 64) - 1),
}


def _convert(
    symbol: str,
    parameter: tuple[Any, ...],
    code: str,
    value: Any,
    kept: list[HostMemory],
    size: int = 0,
) -> Any:
    """An argument as what C takes; lists, and objects of ours, as they are."""
    name, ctype, kind, optional, _ = parameter
    bare = ctype.removeprefix("const ")
    try:
        if kind in ("handle", "descriptor"):
            if value is None and optional:
                return None
            address = address_of(value, bare, optional)
            mine = isinstance(value, Family) and getattr(value, f"_{bare}", None) is address
            return value if mine else address
        if kind == "stream":
            return _exact(streams.stream_pointer(value))
        if kind in ("device", "workspace", "reserve") or (kind == "array" and code == "p"):
            return _exact(arrays.device_pointer(value, current=True))
        if code == "A":
            return value
        if kind == "scaling" and code[0] in "st":
            return _scale(value)
        if kind == "callback":
            return _callback(value, kept)
        if kind in ("struct", "records"):
            size = ctypes.sizeof(record_class(bare.rstrip(" *")))
        if code in ("P", "p") or code[0] == "r":
            return _host(value, size, kind == "output", kept)
        if kind == "enum":
            return _enum(value, bare)
        if code in ("f", "d"):
            return _float(value)
        return _int(value, *_RANGES[code])
    except errors.CudnnError as error:
        raise type(error)(
            f"{symbol}: {name}: {error.message}",
            function=symbol,
            arguments={name: _render(value, ctype)},
            hint=error.hint,
        ) from None
    except (TypeError, ValueError, OverflowError, AttributeError) as error:
        raise errors.ArgumentError(
            f"{symbol}: {name}: {error}",
            function=symbol,
            arguments={name: _render(value, ctype)},
        ) from error


def _int(value: Any, low: int, high: int) -> int:
    """A whole number by its `__index__`, asked once, as an int that no class has changed."""
    number = value
    if c_code(value) in (*INTEGERS, "?"):
        number = value.value
    elif isinstance(value, ffi.CData) and is_c_integer(value):
        number = int(value)
    if type(number) is not int:
        if isinstance(number, (float, str, bytes)) or number is None:
            raise TypeError(f"an int was expected, a {_kind(value)} came")
        try:
            number = int.__index__(operator.index(number))
        except TypeError as error:
            if hasattr(type(number), "__index__") and not _is_array(number):
                raise
            raise TypeError(f"an int was expected, a {_kind(value)} came") from error
    if not low <= number <= high:
        raise OverflowError(f"{number} is out of range, {low} to {high}")
    return number


def _is_array(value: Any) -> bool:
    return hasattr(type(value), "__len__") or hasattr(type(value), "__array_interface__")


def _enum(value: Any, ctype: str) -> int:
    """The number of a member of an enum, of whichever release's class, or a number as it is."""
    cls = type(value)
    own = ENUM_TYPES.get(cls)
    if own is not None:
        if own != ctype:
            raise TypeError(f"a {ctype} was expected, a {own} came: {cls.__name__}.{value.name}")
        _members[ctype][0] = cls
    if isinstance(value, str) and (refused := expected_member(ctype, value)):
        raise refused
    return _int(value, *_RANGES["i"])


def _float(value: Any) -> float:
    """A number by its `__float__`, as a float that no class has changed."""
    if isinstance(value, float):
        return float.__float__(value)
    if c_code(value) in (*INTEGERS, *"?fd"):
        return float(value.value)
    if isinstance(value, (str, bytes, bytearray)) or value is None or _is_complex(value):
        raise TypeError(f"a float was expected, a {_kind(value)} came")
    try:
        return float(value)
    except TypeError as error:
        if hasattr(type(value), "__float__") and not _is_array(value):
            raise
        raise TypeError(f"a float was expected, a {_kind(value)} came") from error


def _is_complex(value: Any) -> bool:
    """Whether `float` would cut an imaginary part off."""
    if isinstance(value, numbers.Complex):
        return not isinstance(value, numbers.Real)
    return getattr(getattr(value, "dtype", None), "kind", "") == "c"


def address_of(value: Any, ctype: str, optional: bool = True) -> int:
    """The address of an object of cuDNN's: of ours, an int, or what holds a pointer."""
    if value is None:
        if optional:
            return 0
        raise TypeError(f"a {ctype} was expected, None came")
    slot = f"_{ctype}"
    address = getattr(value, slot, None)
    if type(address) is int:
        return _int(address, *_RANGES["p"])
    if isinstance(value, Family) and hasattr(type(value), slot):
        if address is None:
            raise errors.ClosedError(f"the {type(value).__name__} is closed")
        return _int(address, *_RANGES["p"])
    if isinstance(value, Family):
        raise TypeError(f"a {ctype} was expected, a {value._c_name} came")
    found = describe(value)
    if found is not None and found.size is None:
        return found.address
    if c_code(value) in (*INTEGERS,):
        return _int(value.value, *_RANGES["p"])
    if found is None and not _is_mock(value) and not isinstance(value, (bool, float, str, bytes)):
        try:
            return _int(value, *_RANGES["p"])
        except TypeError:
            pass
    raise TypeError(f"a {ctype} or its address was expected, a {_kind(value)} came")


def _is_mock(value: Any) -> bool:
    """Whether it has an answer for every name, so that none of them means anything."""
    return hasattr(value, "_cudnn_cffi_has_no_such_name")


def _host(
    value: Any, size: int = 0, written: bool = False, kept: list[HostMemory] | None = None
) -> int:
    """The address of memory on the host.

    Args:
        value: an address or pointer, taken as it is; memory that `describe` knows; None for NULL.
        size: the bytes that it must have, where it says how many it has.
        written: whether it must be writable.
        kept: gets what must live until nobody uses the address any more.

    Raises:
        TypeError: it is none of these, too small, or must not be written.
    """
    if value is None:
        return 0
    found = describe(value)
    if found is None:
        raise TypeError(f"host memory or its address was expected, a {_kind(value)} came")
    if found.size is not None:
        _together(found)
        if found.size < size:
            raise TypeError(f"{size} bytes were expected, {found.size} came")
        if written and not found.writable:
            raise TypeError(f"memory to write to was expected, a read-only {_kind(value)} came")
    if kept is not None:
        kept.append(found)
    return found.address


def _callback(value: Any, kept: list[HostMemory]) -> int:
    """The address of a C function: a pointer to one, or made for a Python callable."""
    if callable(value) and not isinstance(value, (CFuncPtr, ffi.CData)):
        from ..logs import function_pointer

        return function_pointer(value)
    return _host(value, kept=kept)


_getters = arrays.getters
_stream = streams.stream_pointer


def _device(value: Any) -> int:
    """The address of memory on the device, from what is no int."""
    return _exact(_getters[type(value)](value))


_NULL = ffi.NULL


def _scale(value: Any) -> float:
    """A scaling factor as a number, from a number or from memory with one."""
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        if isinstance(value, int) and abs(value) > 1 << 24:
            raise errors.ArgumentError(
                f"a scaling factor was expected, {value} looks like an address",
                hint="pass the number itself, or a typed pointer (ctypes, cffi, NumPy)",
            )
        return float(value)
    if isinstance(value, (bool, str, bytes)) or value is None:
        raise TypeError(f"a number was expected, a {type(value).__name__} came")
    if isinstance(value, ffi.CData):
        kind = ffi.typeof(value)
        if kind.kind in ("pointer", "array") and kind.item.cname in ("float", "double"):
            if value == ffi.NULL:
                raise errors.NullPointerError("a number was expected, NULL came")
            if kind.kind == "array" and not len(value):
                raise TypeError("a number was expected, an empty array came")
            return float(value[0])
        raise TypeError(f"a number was expected, a {kind.cname} came")
    if isinstance(value, (ctypes.c_float, ctypes.c_double)):
        return float(value.value)
    if isinstance(value, ctypes._Pointer):
        return _float(value.contents)
    if _on_device(value):
        raise TypeError("a number in host memory was expected, device memory came")
    if getattr(value, "size", 1) not in (1, None) and not callable(value.size):
        raise TypeError(f"one number was expected, {value.size} came")
    try:
        return _float(value)
    except (TypeError, ValueError):
        raise TypeError(f"a number was expected, a {type(value).__name__} came") from None


def _on_device(value: Any) -> bool:
    if hasattr(value, "is_cuda"):  # whose interface raises where a gradient is wanted
        return bool(value.is_cuda)
    return getattr(value, "__cuda_array_interface__", None) is not None


# Arrays in host memory ---------------------------------------------------------------------------


def _memory(element: str, length: int = 1, name: str = "", least: int = 1) -> Any:
    """Zeroed memory for `length` results, or for `least`."""
    try:
        length = _int(length, 0, ARRAY_LIMIT)
    except (TypeError, OverflowError) as error:
        raise _refused(name, str(error), length) from error
    return ffi.new(f"{element}[]", max(length, least))


_WIDTHS = {"char": ("int", 1), **{code: ("int", array.array(code).itemsize) for code in "iIqQB"}}
_WIDTHS |= {"f": ("float", 4), "d": ("float", 8)}


def _array(value: Any, code: str, length: int | None, name: str) -> Any:
    """A C array of the numbers in `value`, which must have at least `length`.

    The elements of lists, and of memory whose size is known, are converted one by one. An address
    or a pointer is taken as it is, if what it points to is not known to be something else.
    """
    try:
        if value is None or isinstance(value, (str, bytes, dict, set, bool, float)):
            raise TypeError(f"a sequence of numbers was expected, {_came(value)} came")
        if type(value) is list or type(value) is tuple:
            values = tuple(value)
        else:
            found = describe(value)
            if found is not None and found.size is None:
                _fits(found, code)
                if not found.address:
                    raise errors.NullPointerError(
                        f"{name} must not be NULL", arguments={name: _render(value, "")}
                    )
                return ffi.cast("void *", found.address)
            values = _elements(value)
        _enough(len(values), length)
        return ffi.from_buffer(_numbers(values, code))
    except errors.CudnnError:
        raise
    except (TypeError, OverflowError) as error:
        raise _refused(name, str(error), value) from error


def _elements(value: Any) -> tuple[Any, ...]:
    """The elements of a sequence, or of memory with elements, as they are now."""
    if isinstance(value, ctypes._SimpleCData):
        return (value.value,)
    if isinstance(value, ffi.CData) and ffi.typeof(value).kind == "pointer":
        return (value[0],)  # describe has said that it is one
    if _on_device(value):
        raise TypeError("host memory was expected, device memory came")
    try:
        return tuple(value)
    except TypeError:
        raise TypeError(f"a sequence of numbers was expected, {_came(value)} came") from None


def _numbers(values: Sequence[Any], code: str) -> array.array[Any]:
    """Numbers as elements of C, integers by their `__index__`, floats by their `__float__`."""
    try:
        return array.array(code, values or (0,))
    except (TypeError, OverflowError):
        pass
    exact: list[float] = []
    for place, value in enumerate(values):
        try:
            exact.append(_float(value) if code in "fd" else _int(value, *_LIMITS[code]))
        except (TypeError, OverflowError) as error:
            raise type(error)(f"element {place}: {error}") from error
    return array.array(code, exact)


_LIMITS = {**_RANGES, "B": (0, 255)}


def _fits(found: HostMemory, code: str) -> None:
    """Refuse memory whose elements are known to be others; bytes can be anything."""
    _together(found)
    wanted = _WIDTHS[code]
    if found.element not in (None, wanted, ("int", 1)):
        kind, size = found.element
        raise TypeError(
            f"{wanted[0]}s of {8 * wanted[1]} bits were expected, {kind}s of {8 * size} bits came"
        )


def _together(found: HostMemory) -> None:
    if found.element is not None and found.element[0] == "strided":
        raise TypeError("contiguous memory was expected, memory with gaps came")


def _enough(came: int, length: int | None) -> None:
    """Refuse a sequence that is shorter than cuDNN would read."""
    if length is None:
        return
    if length < 0:
        raise TypeError(f"the number of its elements is {length}, below 0")
    if came < length:
        raise TypeError(f"{length} elements were expected, {came} came")


def _came(value: Any) -> str:
    return "None" if value is None else f"a {_kind(value)}"


def _kind(value: Any) -> str:
    return type(value).__name__


def _objects(value: Any, ctype: str, length: int | None, name: str, release: bool = False) -> Any:
    """A C array with the addresses of the objects in `value`."""
    if isinstance(value, (int, ffi.CData)) or value is None:
        return _array(value, "Q", length, name)
    try:
        if isinstance(value, (str, bytes, bytearray, memoryview)):
            raise TypeError(f"a sequence of {ctype} was expected, a {_kind(value)} came")
        values = _elements(value)
        addresses = _addresses(values, lambda each: address_of(each, ctype, optional=False))
        if 0 in addresses:
            raise TypeError(f"a {ctype} was expected at {addresses.index(0)}, NULL came")
        _enough(len(addresses), length)
    except (TypeError, OverflowError) as error:
        raise _refused(name, str(getattr(error, "message", error)), value) from error
    if release:
        for each in values:
            if isinstance(each, Family):
                each._detach(ctype)
    return ffi.from_buffer(_numbers(addresses, "Q"))


def _addresses(values: Sequence[Any], convert: Callable[[Any], int]) -> list[int]:
    """The addresses of all values: of our own last, so that nothing can close one after that."""
    found = [0 if isinstance(each, Family) else convert(each) for each in values]
    for place, each in enumerate(values):
        if isinstance(each, Family):
            found[place] = convert(each)
    return found


# Results -----------------------------------------------------------------------------------------

#: Memory for the results of a call: its address and a view of it. A wrapper takes one out and
#: puts it back when it has read it, so that calls on other threads, or from a finalizer or signal
#: handler in between, have others. A call that fails loses its own.
outs: list[tuple[int, bytearray]] = []


def lend() -> tuple[int, bytearray]:
    """Memory for results, old or new; to be put back into `outs`."""
    try:
        return outs.pop()
    except IndexError:
        pass
    memory = bytearray(OUT_BYTES)
    return int(ffi.cast("uintptr_t", ffi.from_buffer(memory))), memory


def unpacker(form: str) -> Callable[[bytearray], tuple[Any, ...]]:
    """Reads results from memory, by a format of the struct module."""
    return struct.Struct(form).unpack_from


def _text(address: int) -> str:
    """A text that cuDNN keeps."""
    if not address:
        return ""
    text: str = ffi.string(ffi.cast("char *", address)).decode("utf-8", "replace")
    return text


def _string(buffer: Any, length: int) -> str:
    text: str = ffi.string(buffer, max(length, 1)).decode("utf-8", "replace")
    return text


def _records(ctype: str, length: int, name: str = "") -> Any:
    size = ctypes.sizeof(record_class(ctype))
    try:
        count = _int(length, 0, ARRAY_LIMIT // size)
    except (TypeError, OverflowError) as error:
        raise _refused(name, str(error), length) from error
    return ffi.new("char[]", max(count, 1) * size)


def _record_values(buffer: Any, ctype: str, count: int) -> list[Any]:
    cls = record_class(ctype)
    size = ctypes.sizeof(cls)
    view = ffi.buffer(buffer)
    return [cls.from_buffer_copy(view[i * size : (i + 1) * size]) for i in range(count)]


# Single elements, by the name of their data type -------------------------------------------------

_FORMATS = {
    "FLOAT": "f",
    "DOUBLE": "d",
    "HALF": "e",
    "INT8": "b",
    "INT32": "i",
    "INT64": "q",
    "UINT8": "B",
    "BOOLEAN": "?",
}


def _element(value: Any, data_type: int, name: str) -> Any:
    """Memory with one element of `data_type`, from a number; other memory as it is."""
    if value is None:
        return ffi.NULL
    try:
        kind = active().enum("DataType")(data_type).name
        form = _FORMATS.get(kind)
        found = None if isinstance(value, (int, ctypes._SimpleCData)) else describe(value)
        if found is not None:
            size = 2 if kind == "BFLOAT16" else struct.calcsize(form or "")
            if found.size is not None and found.size < size:
                raise TypeError(f"{size} bytes were expected, {found.size} came")
            if form in _WIDTHS:
                _fits(found, form)
            return _raw(found)
        if kind == "BFLOAT16":
            data = _bfloat16(_float(value))
        elif form is not None:
            data = struct.pack(form, _float(value) if form in "fde" else _whole(value))
        else:
            refused = _refused(name, f"a number cannot be turned into one {kind}", value)
            refused.hint = "pass memory that holds the element"
            raise refused
    except (struct.error, TypeError, ValueError, OverflowError) as error:
        raise _refused(name, str(error), value) from error
    return ffi.new("char[]", data + bytes(8 - len(data)))


def _whole(value: Any) -> int:
    """An int, also from a float that is whole."""
    return (
        int(value)
        if isinstance(value, float) and value.is_integer()
        else _int(value, *_RANGES["q"])
    )


def _raw(found: HostMemory) -> Any:
    """Memory as an argument that keeps it as it is until the call is over."""
    pointer = ffi.cast("char *", found.address)
    if found.keep is None:
        return pointer
    return ffi.gc(pointer, lambda _, keep=found.keep: None)  # noqa: ARG005


def _bfloat16(value: float) -> bytes:
    """Rounded to nearest even, as the upper half of a float."""
    (bits,) = struct.unpack("I", struct.pack("f", value))
    if value == value:
        bits += 0x7FFF + (bits >> 16 & 1)
    return struct.pack("H", bits >> 16 & 0xFFFF)


def _element_value(buffer: Any, data_type: Any) -> Any:
    """The number in memory that cuDNN filled with one element of `data_type`."""
    data = bytes(ffi.buffer(buffer))
    kind = data_type.name
    if kind == "BFLOAT16":
        return struct.unpack("f", bytes(2) + data[:2])[0]
    form = _FORMATS.get(kind)
    return data if form is None else struct.unpack_from(form, data)[0]


# Attributes of backend descriptors ---------------------------------------------------------------

#: Codes of the elements of the attribute types that are no enums, by name.
_ATTRIBUTE_ELEMENTS = {
    "HANDLE": "Q",
    "VOID_PTR": "Q",
    "BACKEND_DESCRIPTOR": "Q",
    "INT64": "q",
    "INT32": "i",
    "FLOAT": "f",
    "DOUBLE": "d",
    "BOOLEAN": "B",
    "CHAR": "B",
    "FRACTION": "q",
}


_C_TYPES = {
    "i": "int32_t",
    "q": "int64_t",
    "Q": "uint64_t",
    "f": "float",
    "d": "double",
    "B": "unsigned char",
}


class _Elements(NamedTuple):
    """What an attribute consists of: the name of its type, the code of C's elements, how many."""

    name: str
    code: str
    length: int

    @property
    def size(self) -> int:
        return self.length * _WIDTHS[self.code][1]


def _attribute_elements(attribute_type: int, count: int) -> _Elements:
    name: str = active().enum("BackendAttributeType")(attribute_type).name
    if count < 0:
        raise TypeError(f"the number of its elements is {count}, below 0")
    if count > ARRAY_LIMIT:
        raise OverflowError(f"{count} is out of range, 0 to {ARRAY_LIMIT}")
    factor = 2 if name == "FRACTION" else 1  # numerator and denominator
    return _Elements(name, _ATTRIBUTE_ELEMENTS.get(name, "i"), count * factor)


def _attribute_in(value: Any, attribute_type: int, count: int, name: str, owner: Any = None) -> Any:
    """Elements of an attribute as a C array: numbers, enums, objects, fractions, text, memory.

    `owner` is the descriptor that gets it: it keeps the objects alive.
    """
    try:
        return _elements_in(value, _attribute_elements(attribute_type, count), name, owner)
    except errors.CudnnError:
        raise
    except (TypeError, OverflowError) as error:
        raise _refused(name, str(error), value) from error


def _elements_in(value: Any, wanted: _Elements, name: str, owner: Any) -> Any:
    if value is None:
        if wanted.length:
            raise errors.NullPointerError(
                f"{name}: {wanted.length} elements were expected, None came",
                arguments={name: "None"},
            )
        return ffi.NULL
    if isinstance(value, str) and wanted.name == "CHAR":
        value = value.encode()
    is_list = isinstance(value, (list, tuple))
    found = None if is_list or isinstance(value, numbers.Number) else describe(value)
    if found is not None and (found.size is None or found.element in (None, ("int", 1))):
        _enough_bytes(found, wanted)
        return _raw(found)
    if found is not None and not _is_one(value):
        values = _elements(value)
    elif is_list:
        values = tuple(value)
    else:
        is_array = getattr(value, "__array_interface__", None) is not None
        values = tuple(value) if is_array and value.shape else (value,)
    if wanted.name == "FRACTION" and any(isinstance(each, (tuple, list)) for each in values):
        values = tuple(part for each in values for part in each)
    if wanted.code == "Q":
        _refer(owner, values)
        values = tuple(_addresses(values, lambda each: _attribute_address(each, name)))
    _enough(len(values), wanted.length)
    if wanted.name == "VOID_PTR":
        # cuDNN reads overrides of shapes and strides as one std::vector, which has three pointers:
        # with NULL as the only element it is empty.
        values = (*values, 0, 0)
    return ffi.from_buffer(_numbers(values, wanted.code))


def _is_one(value: Any) -> bool:
    """Whether memory is one number and no sequence: of ctypes, or an array without dimensions."""
    return isinstance(value, ctypes._SimpleCData) or getattr(value, "shape", None) == ()


def _enough_bytes(found: HostMemory, wanted: _Elements) -> None:
    """Refuse memory that is smaller than the elements, or holds others."""
    _fits(found, wanted.code)
    if found.size is not None and found.size < wanted.size:
        width = _WIDTHS[wanted.code][1]
        raise TypeError(
            f"{wanted.length} elements of {width} bytes were expected, {found.size} bytes came"
        )


class _References(dict):  # type: ignore[type-arg]
    """All that a descriptor was ever given, by identity."""


def _refer(owner: Any, values: Sequence[Any]) -> None:
    """Have a descriptor keep objects alive, and be closed before a handle that is among them."""
    if not hasattr(owner, "_c_name"):
        return
    kept = getattr(owner, "_keep", None)
    for each in values:
        if hasattr(each, "_c_name"):
            if not isinstance(kept, _References):
                kept = owner._keep = _References({0: kept})
            kept[id(each)] = each
            if hasattr(each, "adopt"):
                each.adopt(owner)


def _attribute_address(value: Any, name: str) -> int:
    if value is None:
        return 0
    ctype = getattr(value, "_c_name", None)
    try:
        if ctype is not None:
            return address_of(value, ctype, optional=False)
        if isinstance(value, int) and not isinstance(value, bool):
            return value
        return arrays.device_pointer(value)
    except TypeError as error:
        raise _refused(name, str(getattr(error, "message", error)), value) from error


def _attribute_out(value: Any, attribute_type: int, count: int, name: str) -> Any:
    """Memory for `count` elements of an attribute.

    Descriptors are not made by cuDNN but filled, so they must be given; so may be other memory.
    """
    try:
        wanted = _attribute_elements(attribute_type, count)
        if value is None:
            return ffi.new("char[]", wanted.size) if wanted.length else ffi.NULL
        if isinstance(value, str):
            raise TypeError("memory to write to was expected, a str came")
        if not isinstance(value, (list, tuple, Family)):
            found = describe(value)
            if found is None:
                raise TypeError(f"memory to write to was expected, a {_kind(value)} came")
            if not found.writable:
                raise TypeError(f"memory to write to was expected, a read-only {_kind(value)} came")
            _enough_bytes(found, wanted)
            return _raw(found)
        return _elements_in(value, wanted, name, None)
    except errors.CudnnError:
        raise
    except (TypeError, OverflowError) as error:
        raise _refused(name, str(error), value) from error


def _attribute_values(buffer: Any, attribute_type: Any, count: int) -> list[Any]:
    """The elements that cuDNN wrote: numbers, enum members by the type, addresses, pairs."""
    if not count or buffer == ffi.NULL:
        return []
    name, code, _ = _attribute_elements(attribute_type, count)
    element = _C_TYPES[code] if name != "CHAR" else "char"
    if name == "FRACTION":
        flat = ffi.unpack(ffi.cast("int64_t *", buffer), count * 2)
        return list(zip(flat[::2], flat[1::2], strict=True))
    values = ffi.unpack(ffi.cast(f"{element} *", buffer), count)
    if name == "CHAR":
        return [values]
    if name == "BOOLEAN":
        return [bool(each) for each in values]
    cls = active().attribute_enum(name)
    return [cls(each) for each in values] if cls is not None else list(values)
