"""The call layer without a compiler: the shims of `_native`, made in Python from their codes.

They have the names, arguments and results of the compiled ones, and are slower.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from .._abi_types import ffi as ffi
from .._specs import DOUBLE, LAYOUT
from .codes import NOT_BOUND, NULL_BASE, NUMBERS, PLAIN, REQUIRED
from .spec import WRAPPERS, read_spec

Shim = Callable[..., Any]


class Library:
    """What has the attributes of the `lib` of the compiled cffi module."""

    def __init__(self) -> None:
        self._indices = {name: index for index, name in enumerate(WRAPPERS)}
        self._functions: dict[str, Any] = {}
        self._addresses = [0] * len(WRAPPERS)

    def cudnn_cffi_layout(self) -> Any:
        return ffi.new("char[]", LAYOUT.encode())

    def cudnn_cffi_bind(self, index: int, address: int) -> None:
        self._addresses[index] = address
        self._functions.clear()

    def _function(self, name: str) -> Any:
        """Return the C function as something to call; None while there is no address."""
        function = self._functions.get(name)
        if function is None:
            address = self._addresses[self._indices[name]]
            if not address:
                return None
            function = self._functions[name] = ffi.cast(read_spec(name).function_type, address)
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
        steps = [_STEPS[code[0]](i, code, self) for i, code in enumerate(codes)]
        takes = sum(1 for code in codes if code[0] not in "o0")
        if result == "status" and all(code in _AS_THEY_ARE for code in codes):
            return self._make_plain(name, codes)
        slots = result not in ("status", "void") or any(code[0] == "o" for code in codes)

        def call(*values: Any) -> int:
            if len(values) != takes + slots:
                raise TypeError(f"{name}: {takes + slots} arguments expected, {len(values)} came")
            values, lent = values[:takes], values[takes:]
            function = self._function(name)
            if function is None:
                _check(taken, values)
                return NOT_BOUND
            for i, code in enumerate(taken):
                if code in REQUIRED and values[i].__class__ is int and not values[i]:
                    _check(taken, values)
                    return NULL_BASE - positions[i]
            left = iter(values)
            state = _State(values, returns)
            if slots:
                state.results = ffi.cast(_BYTES, lent[0])
                ffi.buffer(state.results, size)[:] = zeros
            arguments = [step(left, state) for step in steps]
            returned = function(*arguments)
            if returns:
                ffi.cast(_SLOT[returns_as], state.results)[0] = returned
            for narrow, wide, indices in lower:
                halves, wholes = ffi.cast(narrow, state.results), ffi.cast(wide, state.results)
                for index in indices:
                    wholes[index] = halves[2 * index]
            return returned if result == "status" else 0

        returns = result not in ("status", "void")
        returns_as = "Q" if result == "text" else result
        outs = [code[1] for code in codes if code[0] == "o"]
        size = 8 * (len(outs) + returns)
        zeros = bytes(size)
        # C writes int and float to the lower half of a slot only.
        lower = [
            (narrow, wide, [i for i, out in enumerate(outs, returns) if out == code])
            for code, (narrow, wide) in _LOWER.items()
            if code in outs
        ]
        taken = [code for code in codes if code[0] not in "o0"]
        positions = [i for i, code in enumerate(codes) if code[0] not in "o0"]
        return call

    def _make_plain(self, name: str, codes: Sequence[str]) -> Shim:
        """Make the shim of a function that takes its arguments as they are."""
        required = [position for position, code in enumerate(codes) if code == "P"]
        functions = self._functions

        def call(*values: Any) -> Any:
            function = functions.get(name) or self._function(name)
            if function is None:
                _check(codes, values)
                return NOT_BOUND
            for position in required:
                if values[position].__class__ is int and not values[position]:
                    _check(codes, values)
                    return NULL_BASE - position
            return function(*values)

        return call

    def is_double(self, getter: str, descriptor: int) -> bool:
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


_BYTES = ffi.typeof("char *")
_AS_THEY_ARE = frozenset(f"PpA{PLAIN}")


def _check(codes: Sequence[str], values: Sequence[Any]) -> None:
    """Raise for what the C function would not take; the compiled shims see that first."""
    for code, value in zip(codes, values, strict=True):
        ffi.new(_CELLS.get(code[0], "void *[1]"), [value])


#: Memory for one argument, by its code.
_CELLS = {code: f"{number.ctype}[1]" for code, number in NUMBERS.items()}
_CELLS |= {**dict.fromkeys("Pr", _CELLS["p"]), **dict.fromkeys("st", _CELLS["d"])}


class _State:
    """What one call keeps until it returns."""

    def __init__(self, values: Sequence[Any], taken: int) -> None:
        self.values = values
        self.taken = taken  # slots in `results`
        self.results: Any = None


Step = Callable[[Any, _State], Any]


def _plain(_index: int, _code: str, _library: Library) -> Step:
    return lambda left, _: next(left)


def _null(_index: int, _code: str, _library: Library) -> Step:
    return lambda _left, _state: ffi.NULL


def _out(_index: int, _code: str, _library: Library) -> Step:
    def step(_left: Any, state: _State) -> Any:
        slot = state.results + 8 * state.taken
        state.taken += 1
        return slot

    return step


#: The type in which a value fills its slot of 64 bits.
_SLOT = {
    **dict.fromkeys("iIq", ffi.typeof("int64_t *")),
    **dict.fromkeys("Qp", ffi.typeof("uint64_t *")),
    **dict.fromkeys("fd", ffi.typeof("double *")),
}

#: Types of results that fill the lower half of a slot, and of the whole slot.
_LOWER = {
    "i": (ffi.typeof("int *"), ffi.typeof("int64_t *")),
    "I": (ffi.typeof("unsigned int *"), ffi.typeof("int64_t *")),
    "f": (ffi.typeof("float *"), ffi.typeof("double *")),
}


def _factor(_index: int, code: str, library: Library) -> Step:
    getter = "cudnnGetTensorNdDescriptor" if code[0] == "s" else "cudnnGetFilterNdDescriptor"
    index = int(code[1:])

    def step(left: Any, state: _State) -> Any:
        double = library.is_double(getter, state.values[index])
        return ffi.new("double *" if double else "float *", next(left))

    return step


def _by_value(_index: int, code: str, _library: Library) -> Step:
    kind = "uint32_t *" if code == "r4" else "uint64_t *"
    # new() refuses what is no address, cast() would not.
    return lambda left, _: ffi.cast(kind, ffi.new("uintptr_t[1]", [next(left)])[0])[0]


_STEPS: dict[str, Callable[[int, str, Library], Step]] = {
    **dict.fromkeys("PpAiIqQfd", _plain),
    "0": _null,
    "o": _out,
    "s": _factor,
    "t": _factor,
    "r": _by_value,
}

lib = Library()
