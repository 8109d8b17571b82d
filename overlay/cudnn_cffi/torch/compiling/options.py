"""The options of the backend."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypedDict

from ... import errors
from .. import fallback
from ..fusion.building import Settings

if TYPE_CHECKING:
    from ...choice.policy import Choose

#: PyTorch's functions, or its compiler, for what cuDNN does not compute of a graph.
Rest = Literal["eager", "inductor"]

_RESTS = ("eager", "inductor")


class Values(TypedDict, total=False):
    """The options as users write them; see `backend`."""

    rest: Rest
    choose: Choose
    fallback: fallback.Fallback
    capture: bool
    compile: bool
    seconds: float
    shapes: int


class Options(NamedTuple):
    """The options of the backend; see `backend`."""

    rest: Rest
    fallback: fallback.Fallback | None
    settings: Settings


def to_options(mode: object, options: object) -> Options:
    """Return the options as `torch.compile` passes them.

    Raises:
        ArgumentError: there is a mode, or an option is not known or not understood.
    """
    if mode is not None and mode != "default":
        raise errors.ArgumentError(
            f'mode: expected None or "default", got {mode!r}',
            hint='the backend has options: options={"capture": True, "choose": "time"}',
        )
    if options is not None and not isinstance(options, Mapping):
        raise errors.ArgumentError(f"options: expected a dict, got {options!r}")
    given: dict[str, Any] = dict(options or {})
    known = ("rest", "fallback", *(each for each in Settings._fields if each != "narrow"))
    for name in given:
        if name not in known:
            raise errors.ArgumentError(
                f"options: there is no {name!r}", hint=f"there are {', '.join(known)}"
            )
    rest = given.pop("rest", "eager")
    if rest not in _RESTS:
        raise errors.ArgumentError(f'rest: expected "eager" or "inductor", got {rest!r}')
    word = given.pop("fallback", None)
    if word is not None:
        fallback.check(word)
    return Options(rest, word, Settings(**given).check())
