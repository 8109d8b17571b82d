"""What stands between an emitted wrapper and libcudnn.

A wrapper calls a shim, compiled or made by `_abi`. The shim answers with a status, and writes what
else there is to memory that is lent to it. cuDNN's statuses are not negative; negative ones
are the shim's own: nothing bound yet, or NULL where C would crash. Whatever is not the plain case
ends up here: `slow` for arguments that the shim did not take as they are, `failed` for statuses.
Both either return what the call returns after all, or raise.
"""

from __future__ import annotations

import atexit
import ctypes
import operator
import os
import struct
import warnings
from _ctypes import CFuncPtr
from collections.abc import Callable, Sequence

from . import _fork, arrays, errors, streams
from ._results import result
from ._tables import active, chosen_release, enum_map, expected_member, record_class
from .versions import version_key

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, NoReturn, TypeVar

    Function = TypeVar("Function", bound=Callable[..., Any])

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
            from ._cudnn import ffi, lib
        except ImportError as error:
            if wanted == "api":
                raise errors.CudnnError(
                    f"CUDNN_CFFI_MODE is 'api', but the compiled call layer is missing: {error}",
                    hint="install a wheel, or build it in a checkout with `nox -s build`",
                ) from error
        else:
            from ._specs import LAYOUT

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
    from ._abi import ffi, lib

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
        from . import _pinned, library
        from ._specs import SPECS

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
    from . import library

    if library.forked_with_handles:
        from ._specs import SPECS

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
            that has it, a mapping from types to what is called, or what is called; else None.
        results: the class of several results, and for each slot what turns the number into the
            result, or None.
    """
    if _make is None:
        return _plain_quick(name, kinds, how, results)
    from ._specs import SPECS

    if not _places:
        _places.update((each, place) for place, each in enumerate(SPECS))
    parameters = tuple([parameter[0] for parameter in SPECS[name][4]])
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
    from .checks import settle

    settle()
    if watcher is not None:
        watcher(name, values)


if ALWAYS_CHECKED or (_tell is not None and lib.cudnn_cffi_bound()):
    watch(_first)


def _plain_quick(
    name: str, kinds: str, how: tuple[Any, ...], results: tuple[Any, ...]
) -> Callable[..., Any]:
    from ._specs import SPECS

    shim = getattr(lib, name)
    cls, *mappings = results
    parameters = SPECS[name][4]
    read = struct.Struct(kinds).unpack
    slots, address = ffi.typeof(f"int64_t[{len(kinds)}]"), ffi.typeof("uintptr_t")
    steps = [
        (place, float if each is _scale else int, _number_from(each, parameters[place][3]))
        for place, each in enumerate(how)
        if each is not None
    ]

    def call(*given: Any) -> Any:
        if watcher is not None:
            watcher(name, given)
        try:
            numbers = list(given)
            for place, plain, number_from in steps:
                if numbers[place].__class__ is not plain:
                    numbers[place] = number_from(numbers[place])
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
    if isinstance(how, dict):
        return lambda given: how[given.__class__](given)
    return how  # type: ignore[no-any-return]


# Failure -----------------------------------------------------------------------------------------


def failed(call: Callable[..., Any], name: str, status: int, values: Sequence[Any]) -> Any:
    """Raise what the status of `call(*values)` means; return its result after a first binding."""
    if status == NOT_BOUND:
        from . import library

        library.check_fork()
        if bind() or _has_address(name):
            return call(*values)
        raise missing(name)
    if status < 0:
        _refuse_null(name, NULL_BASE - status, values)
    raise _status_error(name, status, values)


def _has_address(name: str) -> bool:
    from . import library
    from ._specs import SPECS

    loaded = library.current()
    functions = active().functions
    symbol = SPECS[name][0]
    return (
        loaded is not None and functions.get(symbol, name) == name and loaded.address(symbol) != 0
    )


def missing(name: str) -> errors.MissingFunctionError:
    """Why the loaded library does not have the function, as far as the tables know."""
    from . import library
    from ._index import HISTORY
    from ._specs import SPECS

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
    from ._specs import SPECS

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
    from . import library
    from ._specs import SPECS

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
    if isinstance(value, int) and not isinstance(value, bool):
        if base.startswith(("cudnn", "libraryProperty")):
            cls = active().enum_of(base)
            if cls is not None:
                return str(cls(value).name)
            return hex(value)
        if "*" in ctype or base.startswith("cuda"):
            return hex(value)
        return str(int(value))
    try:
        text = repr(value)
    except Exception as error:  # a broken repr must not hide the error that is being told
        text = f"<{type(value).__name__}, whose repr raised {type(error).__name__}>"
    return text if len(text) <= 80 else f"{text[:77]}..."


# Arguments ---------------------------------------------------------------------------------------


def slow(call: Callable[..., Any], name: str, values: Sequence[Any], error: BaseException) -> Any:
    """Convert each argument with care and call again; raise for the first that cannot be."""
    for value in values:
        switched = getattr(value, "_switched", None)
        if switched is not None and value._elsewhere():
            with switched():
                return call(*values)
    from ._specs import SPECS

    symbol, _, _, codes, parameters, *_ = SPECS[name]
    converted = [
        _convert(symbol, parameter, codes[parameter[4]], value)
        for parameter, value in zip(parameters, values, strict=True)
    ]
    if not isinstance(error, errors.CudnnError) or error.function:
        for parameter, value in zip(parameters, converted, strict=True):
            if codes[parameter[4]] in REQUIRED and not value:
                _refuse_null(name, parameter[4], values)
    if isinstance(error, errors.CudnnError):
        raise of_call(symbol, error)
    if all(new is old for new, old in zip(converted, values, strict=True)):
        bind()
        if not _has_address(name):  # nor, perhaps, the types of its arguments
            raise missing(name) from None
        rendered = {p[0]: _render(v, p[1]) for p, v in zip(parameters, values, strict=True)}
        raise errors.ArgumentError(
            f"{symbol}: {error}", function=symbol, arguments=rendered
        ) from error
    return call(*converted)


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


def _convert(symbol: str, parameter: tuple[Any, ...], code: str, value: Any) -> Any:
    name, ctype, kind, optional, _ = parameter
    try:
        if kind in ("handle", "descriptor"):
            return address_of(value, ctype.removeprefix("const "), optional)
        if kind == "stream":
            return streams.stream_pointer(value)
        if kind in ("device", "workspace", "reserve") or (kind == "array" and code == "p"):
            return arrays.device_pointer(value, current=True)
        if kind == "scaling":
            return _scale(value)
        if kind == "callback":
            return _callback(value)
        if code in ("P", "p"):
            return _host(value)
        if code in ("f", "d"):
            return _float(value)
        if code in _RANGES:
            if isinstance(value, str) and (refused := expected_member(ctype, value)):
                raise refused
            return _int(value, *_RANGES[code])
        return value
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
    if isinstance(value, int) and not isinstance(value, bool):
        number = value
    elif isinstance(value, (float, str, bytes)) or value is None:
        raise TypeError(f"an int was expected, a {type(value).__name__} came")
    else:
        try:
            number = operator.index(value)
        except TypeError:
            raise TypeError(f"an int was expected, a {type(value).__name__} came") from None
    if not low <= number <= high:
        raise OverflowError(f"{number} is out of range, {low} to {high}")
    return number


def _float(value: Any) -> float:
    if isinstance(value, (str, bytes)) or value is None:
        raise TypeError(f"a float was expected, a {type(value).__name__} came")
    try:
        return float(value)
    except TypeError:
        raise TypeError(f"a float was expected, a {type(value).__name__} came") from None


def address_of(value: Any, ctype: str, optional: bool = True) -> int:
    """The address of an object of cuDNN's: of ours, an int, or what holds a pointer."""
    if value is None:
        if optional:
            return 0
        raise TypeError(f"a {ctype} was expected, None came")
    slot = f"_{ctype}"
    if hasattr(type(value), slot):
        address = getattr(value, slot, None)
        if address is None:
            raise errors.ClosedError(f"the {type(value).__name__} is closed")
        return int(address)
    if hasattr(value, "_c_name"):
        raise TypeError(f"a {ctype} was expected, a {value._c_name} came")
    if isinstance(value, (bool, float, str, bytes)):
        raise TypeError(f"a {ctype} or its address was expected, a {type(value).__name__} came")
    address = _address(value)
    if address is None:
        raise TypeError(f"a {ctype} or its address was expected, a {type(value).__name__} came")
    return address


def _address(value: Any) -> int | None:
    """The address that a pointer-like object holds; None where it is no such object."""
    if isinstance(value, ffi.CData):
        kind = ffi.typeof(value).kind
        if kind in ("pointer", "array", "function"):
            return int(ffi.cast("uintptr_t", value))
        return int(value) if kind == "primitive" else None
    if isinstance(value, (ctypes.c_void_p, ctypes.c_char_p)):
        return ctypes.cast(value, ctypes.c_void_p).value or 0
    if isinstance(value, ctypes._Pointer):
        return ctypes.cast(value, ctypes.c_void_p).value or 0
    if isinstance(value, CFuncPtr):
        return ctypes.cast(value, ctypes.c_void_p).value or 0
    if isinstance(value, (ctypes.Structure, ctypes.Union, ctypes.Array, ctypes._SimpleCData)):
        return ctypes.addressof(value)
    try:
        number = int(operator.index(value))  # which may have given an int of a class of its own
    except TypeError:
        return None
    if not 0 <= number < 1 << 64:
        raise OverflowError(f"{number} is no address")
    return number


def _host(value: Any) -> int:
    """The address of host memory: a pointer of any kind, a buffer, None for NULL."""
    if value is None:
        return 0
    if isinstance(value, (bool, float, str)):
        raise TypeError(f"host memory or its address was expected, a {type(value).__name__} came")
    address = _address(value)
    if address is not None:
        return address
    try:
        view = ffi.from_buffer(value)
    except (TypeError, BufferError, ValueError):
        raise TypeError(
            f"host memory or its address was expected, a {type(value).__name__} came"
        ) from None
    # The caller's reference keeps the memory until the call is over.
    return int(ffi.cast("uintptr_t", view))


def _callback(value: Any) -> int:
    """The address of a C function: a pointer to one, or made for a Python callable."""
    if callable(value) and not isinstance(value, (CFuncPtr, ffi.CData)):
        from .logs import function_pointer

        return function_pointer(value)
    return _host(value)


_getters = arrays.getters
_stream = streams.stream_pointer
_object = address_of

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
            return float(value[0])
        raise TypeError(f"a number was expected, a {kind.cname} came")
    if isinstance(value, (ctypes.c_float, ctypes.c_double)):
        return float(value.value)
    if isinstance(value, ctypes._Pointer):
        return float(value.contents.value)
    if _on_device(value):
        raise TypeError("a number in host memory was expected, device memory came")
    if getattr(value, "size", 1) not in (1, None) and not callable(value.size):
        raise TypeError(f"one number was expected, {value.size} came")
    try:
        return float(value)
    except (TypeError, ValueError):
        raise TypeError(f"a number was expected, a {type(value).__name__} came") from None


def _on_device(value: Any) -> bool:
    if hasattr(value, "is_cuda"):  # whose interface raises where a gradient is wanted
        return bool(value.is_cuda)
    return getattr(value, "__cuda_array_interface__", None) is not None


# Arrays in host memory ---------------------------------------------------------------------------


def _memory(element: str, length: int = 1, name: str = "") -> Any:
    """Zeroed memory for `length` results."""
    try:
        length = _int(length, 0, ARRAY_LIMIT)
    except (TypeError, OverflowError) as error:
        raise _refused(name, str(error), length) from error
    return ffi.new(f"{element}[]", max(length, 1))


def _array(value: Any, element: str, length: int | None, name: str) -> Any:
    """A C array of the numbers in `value`, which must have at least `length`."""
    if value is None:
        raise _refused(name, "a sequence was expected, None came", value)
    if isinstance(value, (str, bytes, dict, set, bool, float)):
        raise _refused(name, f"a sequence of numbers was expected, a {_kind(value)} came", value)
    if not isinstance(value, (list, tuple)):
        try:
            address = _address(value)
        except OverflowError as error:
            raise _refused(name, str(error), value) from error
        if address is not None:
            if not address:
                raise errors.NullPointerError(
                    f"{name} must not be NULL", arguments={name: _render(value, "")}
                )
            return ffi.cast(f"{element} *", address)
        if _on_device(value):
            raise _refused(name, "host memory was expected, device memory came", value)
        try:
            value = tuple(value)
        except TypeError:
            text = f"a sequence of numbers was expected, a {_kind(value)} came"
            raise _refused(name, text, value) from None
    _enough(value, length, name)
    try:
        return ffi.new(f"{element}[]", value or 1)
    except (TypeError, OverflowError) as error:
        raise _refused(name, str(error), value) from error


def _enough(value: Any, length: Any, name: str, factor: int = 1) -> None:
    """Refuse a sequence that is shorter than cuDNN would read.

    A length that is no int is not judged here: `slow` knows the parameter that it came from.
    """
    if not isinstance(length, int):
        return
    if length < 0:
        raise _refused(name, f"the number of its elements is {length}, below 0", value)
    if len(value) < length * factor:
        text = f"{length * factor} elements were expected, {len(value)} came"
        raise _refused(name, text, value)


def _kind(value: Any) -> str:
    return type(value).__name__


def _objects(value: Any, ctype: str, length: int | None, name: str, release: bool = False) -> Any:
    """A C array with the addresses of the objects in `value`."""
    if isinstance(value, (int, ffi.CData)) or value is None:
        return _array(value, "uintptr_t", length, name)
    if isinstance(value, (str, bytes, bytearray, memoryview)):
        raise _refused(name, f"a sequence of {ctype} was expected, a {_kind(value)} came", value)
    try:
        addresses = [address_of(each, ctype, optional=False) for each in value]
        if 0 in addresses:
            raise TypeError(f"a {ctype} was expected at {addresses.index(0)}, NULL came")
    except (TypeError, OverflowError) as error:
        raise _refused(name, str(getattr(error, "message", error)), value) from error
    array = _array(addresses, "uintptr_t", length, name)
    if release:
        for each in value:
            if hasattr(each, "_detach"):
                each._detach(ctype)
    return array


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


def _data_type(descriptor: Any) -> int:
    from ._lookup import calls

    if "cudnnGetTensorNdDescriptor" in active().functions:
        return calls.cudnnGetTensorNdDescriptor(descriptor).dataType
    return calls.cudnnGetTensor4dDescriptor(descriptor).dataType


def _element(value: Any, data_type: int, name: str) -> Any:
    """Memory with one element of `data_type`, from a number; other memory as it is."""
    if value is None:
        return ffi.NULL
    if not isinstance(value, (int, float)) or isinstance(value, bool):
        try:
            return ffi.cast("char *", _host(value))
        except (TypeError, OverflowError) as error:
            raise _refused(name, str(error), value) from error
    kind = active().enum("DataType")(data_type).name
    if kind == "BFLOAT16":
        data = _bfloat16(float(value))
    elif kind in _FORMATS:
        try:
            data = struct.pack(_FORMATS[kind], value if _FORMATS[kind] in "fde" else int(value))
        except (struct.error, OverflowError, ValueError) as error:
            raise _refused(name, f"{value} is no {kind}: {error}", value) from error
    else:
        refused = _refused(name, f"a number cannot be turned into one {kind}", value)
        refused.hint = "pass memory that holds the element"
        raise refused
    return ffi.new("char[]", data + bytes(8 - len(data)))


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

#: C element types of the attribute types that are no enums, by name.
_ATTRIBUTE_ELEMENTS = {
    "HANDLE": "uintptr_t",
    "VOID_PTR": "uintptr_t",
    "BACKEND_DESCRIPTOR": "uintptr_t",
    "INT64": "int64_t",
    "INT32": "int32_t",
    "FLOAT": "float",
    "DOUBLE": "double",
    "BOOLEAN": "unsigned char",
    "CHAR": "char",
    "FRACTION": "int64_t",
}


def _attribute_type_name(attribute_type: Any) -> str:
    if not isinstance(attribute_type, int):
        raise TypeError(f"attributeType: an int was expected, {attribute_type!r} came")
    name: str = active().enum("BackendAttributeType")(attribute_type).name
    return name


def _attribute_element(attribute_type: Any) -> str:
    """The C type of an attribute's elements; all enums are int."""
    return _ATTRIBUTE_ELEMENTS.get(_attribute_type_name(attribute_type), "int")


def _attribute_in(value: Any, attribute_type: Any, count: Any, name: str, owner: Any = None) -> Any:
    """Elements of an attribute as a C array: numbers, enums, objects, fractions, text, memory.

    `owner` is the descriptor that gets it: it keeps the objects alive.
    """
    element = _attribute_element(attribute_type)
    factor = _attribute_factor(attribute_type)
    if value is None:
        if isinstance(count, int) and count > 0:
            raise errors.NullPointerError(
                f"{name}: {count} elements were expected, None came", arguments={name: "None"}
            )
        return ffi.NULL
    if isinstance(value, str) and element == "char":
        value = value.encode()
    if isinstance(value, (bytes, bytearray, memoryview, ctypes.Array)):
        _enough(memoryview(value).cast("B"), count, name, factor * ffi.sizeof(element))
        return ffi.cast("char *", _host(value))
    if isinstance(value, (ffi.CData, ctypes._SimpleCData, ctypes._Pointer, ctypes.Structure)):
        return ffi.cast("char *", _host(value))
    if not isinstance(value, (list, tuple)):
        is_array = getattr(value, "__array_interface__", None) is not None
        value = value.tolist() if is_array else [value]
        value = value if isinstance(value, list) else [value]
    if factor == 2 and any(isinstance(each, tuple) for each in value):
        value = [part for each in value for part in each]
    if element == "uintptr_t":
        _refer(owner, value)
        value = [_attribute_address(each, name) for each in value]
    _enough(value, count, name, factor)
    try:
        return ffi.new(f"{element}[]", value or 1)
    except (TypeError, OverflowError) as error:
        raise _refused(name, str(error), value) from error


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


def _attribute_factor(attribute_type: Any) -> int:
    """How many C elements one element of an attribute is."""
    return 2 if active().enum("BackendAttributeType")(attribute_type).name == "FRACTION" else 1


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


def _attribute_out(value: Any, attribute_type: Any, count: Any, name: str) -> Any:
    """Memory for `count` elements of an attribute.

    Descriptors are not made by cuDNN but filled, so they must be given; so may be other memory.
    """
    if isinstance(value, (bytes, str)):
        raise _refused(name, f"memory to write to was expected, a {_kind(value)} came", value)
    if value is not None:
        return _attribute_in(value, attribute_type, count, name)
    element = _attribute_element(attribute_type)
    length = _int(count, 0, ARRAY_LIMIT) * _attribute_factor(attribute_type)
    if not length:
        return ffi.NULL
    return ffi.new(f"{element}[]", length)


def _attribute_values(buffer: Any, attribute_type: Any, count: int) -> list[Any]:
    """The elements that cuDNN wrote: numbers, enum members by the type, addresses, pairs."""
    if not count or buffer == ffi.NULL:
        return []
    name = _attribute_type_name(attribute_type)
    element = _attribute_element(attribute_type)
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
