"""The signatures of functions that pass arguments on to an operation."""

from __future__ import annotations

import inspect
import re
from typing import TYPE_CHECKING, Any, TypedDict

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Protocol, Self, TypeAlias

    from ...choice import DeviceProperties
    from ...choice.policy import Choose as Choose
    from ...handles import Handle as Handle
    from ...types import Array as Array
    from ...types import ArrayT as ArrayT
    from ...types import CallStream as CallStream
    from ...types import DTypeWord as DTypeWord
    from ...types import SupportsCudaArrayInterface

    class Viewed(SupportsCudaArrayInterface, Protocol):
        """An array whose library makes views of it."""

        def __getitem__(self, key: slice, /) -> Self: ...
        def reshape(self, shape: Sequence[int], /) -> Self: ...
        def transpose(self, *axes: int) -> Self: ...

    #: The outputs of a call: an array, or several with None for those to be made.
    Out: TypeAlias = "Array | Sequence[Array | None] | None"

    #: A device that need not be there: its properties, or the name of one that is known.
    Device: TypeAlias = DeviceProperties | str


class InPlace(TypedDict, total=False):
    """Keywords of calls that change an array in place, for type checkers."""

    handle: Handle | None
    stream: CallStream
    choose: Choose


class Plain(InPlace, total=False):
    """Keywords of calls without factors."""

    out: Out


class Call(Plain, total=False):
    """Keywords of most calls."""

    alpha: float
    beta: float


class _Later(inspect.Signature):
    """A signature that is found when it is asked for: those of all functions take milliseconds."""

    __slots__ = ("_of",)

    def __init__(self, parameters: Any = None, *, of: Any = None, **more: Any) -> None:
        if of is None:
            super().__init__(parameters, **more)
        else:
            self._of = of

    def __getattr__(self, name: str) -> Any:
        if name not in ("_parameters", "_return_annotation"):
            raise AttributeError(name)
        found = _all_arguments(*self._of)
        super().__init__(list(found.parameters.values()), return_annotation=found.return_annotation)
        return getattr(self, name)


def _all_arguments(function: Any, cls: Any) -> inspect.Signature:
    signature = inspect.signature(function)
    own = list(signature.parameters.values())
    if own[-1].kind is not inspect.Parameter.VAR_KEYWORD:
        return signature
    known: dict[str, inspect.Parameter] = {}
    for each in (cls.__call__, cls.__init__):
        known |= inspect.signature(each).parameters
    listed = (function.__doc__ or "").partition("    Args:\n")[2].partition("\n\n")[0]
    passed = [
        known[name].replace(kind=inspect.Parameter.KEYWORD_ONLY)
        for names in re.findall(r"^        (\w[\w, \n]*?):", listed, re.MULTILINE)
        for name in re.findall(r"\w+", names)
        if name in known and name not in signature.parameters
    ]
    return signature.replace(parameters=[*own[:-1], *passed])


def tell(function: Any, cls: Any) -> None:
    """Have `inspect.signature` list all arguments that the help of a function lists.

    Args:
        function: a function whose open arguments go to an operation.
        cls: the class of the operation; its options and the arguments of its call are known.
    """
    plain = getattr(function, "__wrapped__", None)
    if plain is None:  # nothing is compiled
        function.__signature__ = _all_arguments(function, cls)
    else:
        function.__signature__ = _Later(of=(plain, cls))
