"""The call layer without a compiler: the shims of `_native`, made in Python from `_specs`.

Same names, same arguments, same results as the compiled ones, only slower.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from .._abi_types import ffi as ffi
from .._specs import DOUBLE, LAYOUT, SPECS

NOT_BOUND = -1
NULL_BASE = -1000

Shim = Callable[..., Any]


class Library:
    """Looks like the `lib` of a compiled cffi module."""

    def __init__(self) -> None:
        self._places = {name: i for i, name in enumerate(SPECS)}
        self._functions: dict[str, Any] = {}
        self._addresses = [0] * len(SPECS)

    def cudnn_cffi_layout(self) -> Any:
        return ffi.new("char[]", LAYOUT.encode())

    def cudnn_cffi_bind(self, place: int, address: int) -> None:
        self._addresses[place] = address
        self._functions.clear()

    def _function(self, name: str) -> Any:
        """The C function as something to call; None while there is no address."""
        found = self._functions.get(name)
        if found is None:
            address = self._addresses[self._places[name]]
            if not address:
                return None
            found = self._functions[name] = ffi.cast(SPECS[name][5], address)
        return found

    def __getattr__(self, name: str) -> Shim:
        if name not in SPECS:
            raise AttributeError(name)
        shim = self._make(name)
        setattr(self, name, shim)
        return shim

    def _make(self, name: str) -> Shim:
        _, _, result, codes, *_ = SPECS[name]
        steps = [_STEPS[code[0]](i, code, self) for i, code in enumerate(codes)]
        takes = sum(1 for code in codes if code[0] not in "o0")
        if result == "status" and all(code in _AS_THEY_ARE for code in codes):
            return self._make_plain(name, codes)
        slots = result not in ("status", "void") or any(code[0] == "o" for code in codes)

        def call(*given: Any) -> int:
            if len(given) != takes + slots:
                raise TypeError(f"{name}: {takes + slots} arguments expected, {len(given)} came")
            given, lent = given[:takes], given[takes:]
            function = self._function(name)
            if function is None:
                _check(taken, given)
                return NOT_BOUND
            for i, code in enumerate(taken):
                if code in _REQUIRED and given[i].__class__ is int and not given[i]:
                    _check(taken, given)
                    return NULL_BASE - positions[i]
            left = iter(given)
            state = _State(given, returns)
            if slots:
                state.results = ffi.cast(_BYTES, lent[0])
                ffi.buffer(state.results, size)[:] = zeros
            arguments = [step(left, state) for step in steps]
            returned = function(*arguments)
            if returns:
                ffi.cast(_SLOT[returns_as], state.results)[0] = returned
            for narrow, wide, places in lower:
                halves, wholes = ffi.cast(narrow, state.results), ffi.cast(wide, state.results)
                for place in places:
                    wholes[place] = halves[2 * place]
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
        """For a function that takes just what it is given."""
        required = [place for place, code in enumerate(codes) if code == "P"]
        functions = self._functions

        def call(*given: Any) -> Any:
            function = functions.get(name) or self._function(name)
            if function is None:
                _check(codes, given)
                return NOT_BOUND
            for place in required:
                if given[place].__class__ is int and not given[place]:
                    _check(codes, given)
                    return NULL_BASE - place
            return function(*given)

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
_AS_THEY_ARE = frozenset("PpAiIqQfd")
_REQUIRED = ("P", "r4", "r8")


def _check(codes: Sequence[str], given: Sequence[Any]) -> None:
    """Raise for what the C function would not take; the compiled shims see that first."""
    for code, value in zip(codes, given, strict=True):
        ffi.new(_TYPES.get(code[0], "void *[1]"), [value])


_TYPES = {
    "P": "uintptr_t[1]",
    "p": "uintptr_t[1]",
    "r": "uintptr_t[1]",
    "i": "int[1]",
    "I": "unsigned int[1]",
    "q": "int64_t[1]",
    "Q": "uint64_t[1]",
    "f": "float[1]",
    "d": "double[1]",
    "s": "double[1]",
    "t": "double[1]",
}


class _State:
    """What one call keeps until it returns."""

    def __init__(self, given: Sequence[Any], taken: int) -> None:
        self.given = given
        self.taken = taken  # slots in `results`
        self.results: Any = None


Step = Callable[[Any, _State], Any]


def _plain(_place: int, _code: str, _library: Library) -> Step:
    return lambda left, _: next(left)


def _null(_place: int, _code: str, _library: Library) -> Step:
    return lambda _left, _state: ffi.NULL


def _out(_place: int, _code: str, _library: Library) -> Step:
    def step(_left: Any, state: _State) -> Any:
        slot = state.results + 8 * state.taken
        state.taken += 1
        return slot

    return step


#: How a value is written to its slot of 64 bits.
_SLOT = {
    **dict.fromkeys("iIq", ffi.typeof("int64_t *")),
    **dict.fromkeys("Qp", ffi.typeof("uint64_t *")),
    **dict.fromkeys("fd", ffi.typeof("double *")),
}


_LOWER = {
    "i": (ffi.typeof("int *"), ffi.typeof("int64_t *")),
    "I": (ffi.typeof("unsigned int *"), ffi.typeof("int64_t *")),
    "f": (ffi.typeof("float *"), ffi.typeof("double *")),
}


def _factor(_place: int, code: str, library: Library) -> Step:
    getter = "cudnnGetTensorNdDescriptor" if code[0] == "s" else "cudnnGetFilterNdDescriptor"
    at = int(code[1:])

    def step(left: Any, state: _State) -> Any:
        double = library.is_double(getter, state.given[at])
        return ffi.new("double *" if double else "float *", next(left))

    return step


def _by_value(_place: int, code: str, _library: Library) -> Step:
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
