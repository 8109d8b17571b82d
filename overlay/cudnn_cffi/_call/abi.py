"""The call layer without a compiler: the shims of `_native`, made in Python from their codes.

They have the names, arguments and results of the compiled ones, and are slower.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence

from _cffi_backend import FFI

from .._specs import DOUBLE, LAYOUT, TYPES
from .codes import NOT_BOUND, NULL_BASE, NUMBERS, PLAIN, REQUIRED
from .spec import WRAPPERS, Spec, read_spec

#: Reads C types that are spelled out by a parser in C; the one of `cffi.FFI` is slow to import.
ffi = FFI()

Shim = Callable[..., int]


class Library:
    """An object with the attributes of the `lib` of the compiled cffi module."""

    def __init__(self) -> None:
        self._indices = {name: index for index, name in enumerate(WRAPPERS)}
        self._addresses = [0] * len(WRAPPERS)
        #: Callables for the C functions, by their numbers; None if not called yet, or not bound.
        self.functions: list[FFI.CData | None] = [None] * len(WRAPPERS)

    def cudnn_cffi_layout(self) -> FFI.CData:
        return ffi.new("char[]", LAYOUT.encode())

    def cudnn_cffi_bind(self, index: int, address: int) -> None:
        self._addresses[index] = address
        self.functions[index] = None

    def _function(self, name: str) -> FFI.CData | None:
        """Return the C function as something to call; None while there is no address."""
        index = self._indices[name]
        function, address = self.functions[index], self._addresses[index]
        if function is None and address:
            function = ffi.cast(_function_type(read_spec(name)), address)
            self.functions[index] = function
        return function

    def __getattr__(self, name: str) -> Shim:
        if name not in self._indices:
            raise AttributeError(name)
        shim = self._make(name)
        setattr(self, name, shim)
        return shim

    def _make(self, name: str) -> Shim:
        spec = read_spec(name)
        result, codes = spec.result, spec.codes
        if self.is_plain(name):
            return self._make_plain(name, codes)
        returns = result not in ("status", "void")
        outs = [code[1] for code in codes if code[0] == "o"]
        taken = [code for code in codes if code[0] not in "o0"]
        positions = [i for i, code in enumerate(codes) if code[0] not in "o0"]
        required = [i for i, code in enumerate(taken) if code in REQUIRED]
        #: Slots that are no argument of the shim: by position in C the offset of a result; None for
        #: NULL.
        offsets = iter(range(8 * returns, 8 * (len(outs) + returns), 8))
        inserted = [
            (i, next(offsets) if code[0] == "o" else None)
            for i, code in enumerate(codes)
            if code[0] in "o0"
        ]
        changed = [
            (i, _STEPS[code[0]](code, self)) for i, code in enumerate(codes) if code[0] in _STEPS
        ]
        first = _WHOLE["p" if result == "text" else result] if returns else ""
        returned_as = struct.Struct(f"={first}")
        # C writes int and float to the lower half of a slot only.
        written = struct.Struct(f"={first}{''.join([_WRITTEN[code] for code in outs])}")
        wide = struct.Struct(f"={first}{''.join([_WHOLE[code] for code in outs])}")
        widens = any(_WRITTEN[code] != _WHOLE[code] for code in outs)
        size = wide.size
        zeros = bytes(size)
        takes = len(taken)
        functions, index = self.functions, self._indices[name]

        def call(*values: object) -> int:
            if len(values) != takes + (size > 0):
                raise TypeError(
                    f"{name}: expected {takes + (size > 0)} arguments, got {len(values)}"
                )
            function = functions[index] or self._function(name)
            if function is None:
                _check(taken, values[:takes])
                return NOT_BOUND
            for i in required:
                if values[i].__class__ is int and not values[i]:
                    _check(taken, values[:takes])
                    return NULL_BASE - positions[i]
            arguments = list(values)
            if size:
                results = ffi.cast(_BYTES, arguments.pop())
                slots = ffi.buffer(results, size)
                slots[:] = zeros
            for i, offset in inserted:
                arguments.insert(i, ffi.NULL if offset is None else results + offset)
            for i, step in changed:
                arguments[i] = step(arguments[i], values)
            returned: int = function(*arguments)
            if returns:
                returned_as.pack_into(slots, 0, returned)
            if widens:
                wide.pack_into(slots, 0, *written.unpack(slots))
            return returned if result == "status" else 0

        return call

    def is_plain(self, name: str) -> bool:
        """Return whether a function takes its arguments as they are, and returns a status."""
        spec = read_spec(name)
        return spec.result == "status" and all(code in _AS_THEY_ARE for code in spec.codes)

    def _make_plain(self, name: str, codes: Sequence[str]) -> Shim:
        """Make the shim of a function that takes its arguments as they are."""
        required = [position for position, code in enumerate(codes) if code == "P"]
        functions, index = self.functions, self._indices[name]

        def call(*values: object) -> int:
            function = functions[index] or self._function(name)
            if function is None:
                _check(codes, values)
                return NOT_BOUND
            for position in required:
                if values[position].__class__ is int and not values[position]:
                    _check(codes, values)
                    return NULL_BASE - position
            return function(*values)

        return call

    def is_double(self, getter: str, descriptor: object) -> bool:
        function = self._function(getter)
        if function is None:
            return False
        kind, other, count = ffi.new("int *"), ffi.new("int *"), ffi.new("int *")
        dim, stride = ffi.new("int *"), ffi.new("int *")
        if getter == "cudnnGetTensorNdDescriptor":
            function(descriptor, 1, kind, count, dim, stride)
        else:
            function(descriptor, 1, kind, other, count, dim)
        return bool(kind[0] == DOUBLE)


def _function_type(spec: Spec) -> str:
    """Return how C spells the type of a function, with addresses as numbers."""
    parameters = ", ".join([TYPES.get(code) or TYPES[code[0]] for code in spec.codes])
    return f"{TYPES[spec.result]}(*)({parameters or 'void'})"


_BYTES = ffi.typeof("char *")
_AS_THEY_ARE = frozenset(f"PpA{PLAIN}")


def _check(codes: Sequence[str], values: Sequence[object]) -> None:
    """Raise for what the C function would not take; the compiled shims see that first."""
    for code, value in zip(codes, values, strict=True):
        ffi.new(_CELLS.get(code[0], "void *[1]"), [value])


#: Memory for one argument, by its code.
_CELLS = {code: f"{number.ctype}[1]" for code, number in NUMBERS.items()}
_CELLS |= {**dict.fromkeys("Pr", _CELLS["p"]), **dict.fromkeys("st", _CELLS["d"])}


#: Codes of the struct module: how a value fills its slot of 64 bits, and how C writes it there.
_WHOLE = {
    **dict.fromkeys("bBhHiIq?", "q"),
    **dict.fromkeys("Qp", "Q"),
    **dict.fromkeys("fd", "d"),
}
_WRITTEN = _WHOLE | {code: f"{code}{8 - struct.calcsize(code)}x" for code in "bBhHiIf?"}

#: Makes what C takes of an argument of the shim, and all of them.
Step = Callable[[object, Sequence[object]], object]


def _factor(code: str, library: Library) -> Step:
    getter = "cudnnGetTensorNdDescriptor" if code[0] == "s" else "cudnnGetFilterNdDescriptor"
    index = int(code[1:])

    def step(value: object, values: Sequence[object]) -> FFI.CData:
        double = library.is_double(getter, values[index])
        return ffi.new("double *" if double else "float *", value)

    return step


def _by_value(code: str, _library: Library) -> Step:
    kind = "uint32_t *" if code == "r4" else "uint64_t *"
    # new() refuses what is no address, cast() would not.
    return lambda value, _: ffi.cast(kind, ffi.new("uintptr_t[1]", [value])[0])[0]


_STEPS: dict[str, Callable[[str, Library], Step]] = {
    "s": _factor,
    "t": _factor,
    "r": _by_value,
}

lib = Library()
