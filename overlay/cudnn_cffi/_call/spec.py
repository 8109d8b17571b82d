"""The description of a wrapper's arguments, read from the emitted `_specs`."""

from __future__ import annotations

from functools import cache

from .._specs import SPECS
from .._support.results import NamedTuple

#: The names of all wrappers. The position of one is its number in the compiled layer.
WRAPPERS = tuple(SPECS)


class Parameter(NamedTuple):
    """A parameter of a wrapper.

    Attributes:
        name: in Python.
        ctype: the C type, as the header spells it.
        kind: such as "handle", "array" or "device"; `api.model.Kind` lists them.
        optional: whether NULL has a meaning.
        position: that of its argument of the C function.
        code: how the shim takes that argument.
    """

    name: str
    ctype: str
    kind: str
    optional: bool
    position: int
    code: str

    @property
    def base(self) -> str:
        """The C type without a leading `const`."""
        return self.ctype.removeprefix("const ")


class Spec(NamedTuple):
    """The call of a wrapper: its function and parameters.

    Attributes:
        symbol: the C name.
        header: the file that declares it.
        result: the code of the C function's result.
        codes: those of all C arguments.
        parameters: of the wrapper.
        described: pairs of positions among the parameters: device memory, and the descriptor or
            number of bytes that says its size.
    """

    symbol: str
    header: str
    result: str
    codes: tuple[str, ...]
    parameters: tuple[Parameter, ...]
    described: tuple[tuple[int, int], ...]


@cache
def read_spec(wrapper: str) -> Spec:
    """Return the description of a wrapper, by its name."""
    symbol, header, result, codes, rows, described = SPECS[wrapper]
    new = tuple.__new__
    parameters = tuple([new(Parameter, (*row, codes[row[4]])) for row in rows])
    return new(Spec, (symbol, header, result, codes, parameters, described))
