"""Constructors of a class, as `help` and `inspect.signature` show them."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from inspect import Signature
    from types import CodeType
    from typing import Protocol, TypeVar

    class Coded(Protocol):
        """A function that is written in Python."""

        @property
        def __code__(self) -> CodeType: ...

    _C = TypeVar("_C", bound=type)

    #: Name, default and annotation of a parameter.
    Parameters = Iterable[tuple[str, object, object]]


#: The flag of code that takes any keywords.
_OPEN = 0x08


class Shown:
    """The `__signature__` of classes whose constructor takes `*values, **named`."""

    def __init__(self, parameters: Callable[[type], Parameters | None]) -> None:
        """Make it.

        Args:
            parameters: returns name, default and annotation of each parameter of a class (... for
                no default); None where its constructor is another one.
        """
        self._parameters = parameters

    def __get__(self, instance: object, owner: type) -> Signature:
        found = None if instance is not None else self._parameters(owner)
        if found is None:
            raise AttributeError("__signature__")
        from inspect import Parameter, Signature  # which takes as long as all of this package

        return Signature(
            [
                Parameter(
                    name,
                    Parameter.POSITIONAL_OR_KEYWORD,
                    default=Parameter.empty if default is ... else default,
                    annotation=annotation or Parameter.empty,
                )
                for name, default, annotation in found
            ]
        )


def makers(cls: type) -> dict[str, Coded]:
    """Return the public class methods that make objects of a class, its own ones first."""
    found: dict[str, Coded] = {}
    for base in cls.__mro__[:-1]:
        for name, value in vars(base).items():
            if isinstance(value, classmethod) and name[0] != "_" and name != "of_info":
                found.setdefault(name, value.__func__)
    return found


def list_makers(cls: _C) -> _C:
    """Put all constructors of a class after the first line of its help."""
    head, gap, rest = (cls.__dict__.get("__doc__") or "").partition("\n\n")
    found = makers(cls)
    if head and found:
        indent = rest[: len(rest) - len(rest.lstrip(" "))]
        fields = getattr(cls, "_fields", ())
        own = fields if issubclass(cls, tuple) else taken(cls.__init__)
        calls = [f"({', '.join(own)})"]
        calls += [f".{name}({', '.join(taken(each))})" for name, each in found.items()]
        lines = "".join(f"{indent}    {cls.__name__}{each}\n" for each in calls)
        cls.__doc__ = f"{head}\n\n{indent}Made by::\n\n{lines}{gap[1:]}{rest}"
    return cls


def taken(function: Coded) -> list[str]:
    """Return the names of a function's arguments, without the first."""
    code = function.__code__
    names = list(code.co_varnames[1 : code.co_argcount + code.co_kwonlyargcount])
    return [*names, "..."] if code.co_flags & _OPEN and names else names
