"""The methods of a front end's graph that add operations, made from their records."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from ..failures import cudnnGraphNotSupportedError
from .options import OPTIONS
from .records import ENGINES_IN_PYTHON, METHODS, Method

if TYPE_CHECKING:
    from typing import NoReturn

    from ..tensors import OutDims, Tensor

    #: The result of an operation, or several.
    Made = Tensor | list[Tensor | None]


class Operations:
    """A method for each record; scripts/stubs.py writes their types."""

    def _add(
        self, method: Method, given: Mapping[str, object], name: str, compute_data_type: object,
        out_dims: OutDims | None = None,
    ) -> Made:  # fmt: skip
        """Add the operation of a method with its arguments by name, and return the results."""
        raise NotImplementedError

    def _add_attention(
        self, method: Method, tensors: tuple[object, ...], options: dict[str, object]
    ) -> Made:
        """Add attention with tensors by place, and tensors and options by name."""
        raise NotImplementedError


def _compiled(method: Method) -> Callable[..., Made]:
    """Return a method with the signature of its record, as `namedtuple` makes its own."""
    names = [each.name for each in method.arguments]
    given = ", ".join(f"{each!r}: {each}" for each in names if each not in _SETTINGS)
    settings = ", ".join(each for each in _SETTINGS if each in names)
    call = f"self._add(method, {{{given}}}, {settings})"
    scope: dict[str, Callable[..., Made]] = {}
    exec(f"def {method.name}({method.signature}): return {call}", {"method": method}, scope)
    made = scope[method.name]
    made.__annotations__ = {each.name: each.type for each in method.arguments}
    made.__annotations__["return"] = method.returns
    made.__doc__ = method.help
    return made


_SETTINGS = ("name", "compute_data_type", "out_dims")


def _of_attention(method: Method) -> Callable[..., Made]:
    def made(self: Operations, *tensors: object, **options: object) -> Made:
        return self._add_attention(method, tensors, options)

    made.__annotations__ = {"tensors": "Operand", "options": "Unpack[Options]"}
    made.__annotations__["return"] = method.returns
    made.__doc__ = (
        f"{method.help}\n\nArgs:\n    tensors: {', '.join(method.ports)}.\n"
        f"    options: {', '.join(sorted(OPTIONS))}."
    )
    return made


def _in_python(word: str) -> Callable[..., NoReturn]:
    def made(self: Operations, *tensors: object, **options: object) -> NoReturn:
        raise cudnnGraphNotSupportedError(
            f"No valid engine configs for {word.upper()}: cuDNN has no such operation. "
            "NVIDIA's front end computes it with kernels of its own, written in Python, which "
            "cudnn_cffi does not have; import the front end for this graph"
        )

    made.__doc__ = f"Raise cudnnGraphNotSupportedError: only engines in Python compute {word}."
    return made


def _set(name: str, made: Callable[..., object]) -> None:
    made.__name__, made.__qualname__ = name, f"Operations.{name}"
    made.__module__ = __name__
    setattr(Operations, name, made)


for _name, _method in METHODS.items():
    _set(_name, _compiled(_method) if _method.operation else _of_attention(_method))
for _name in ENGINES_IN_PYTHON:
    _set(_name, _in_python(_name))
