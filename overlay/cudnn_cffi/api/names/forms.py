"""Find the releases of a function that one wrapper serves."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..model import Function, Parameter

#: Synonyms in names of arrays on the device, and of their descriptors: words in older releases,
#: letters in newer ones.
_OPERANDS = (
    {"src", "dest", "srcdest", "diff", "srcdiff", "destdiff", "grad", "filter", "bias"}
    | {"a", "b", "c", "x", "y", "z", "w"}
    | {"dx", "dy", "dz", "dw", "db"}
)

#: Version 8 says in the name where these are read, since it has a form that reads elsewhere.
_HOST = frozenset({"labels", "labellengths", "inputlengths"})


def fits(one: Function, other: Function) -> bool:
    """Return whether two functions of one name have one wrapper.

    They have the same types and roles, and their parameters mean the same. The wrapper has the
    newest names as keywords, with every release.
    """
    mine, others = one.parameters, other.parameters
    if mine == others and one.result == other.result:
        return True
    if one.form != other.form:
        return False
    renamed = [(a, b) for a, b in zip(mine, others, strict=True) if a.name != b.name]
    names = {parameter.name for parameter in mine}
    if any(b.name in names for _, b in renamed):
        return False  # parameters in another order
    return all(
        _type_says_all(a, mine)
        or same_meaning(a.name, b.name, operand=a.kind in ("descriptor", "device"))
        for a, b in renamed
    )


def _type_says_all(one: Parameter, parameters: tuple[Parameter, ...]) -> bool:
    """Return whether no other parameter can be meant: an object or enum whose type occurs once."""
    if one.kind not in ("handle", "descriptor", "enum", "callback", "stream"):
        return False
    return sum(p.passed == one.passed for p in parameters) == 1


def same_meaning(one: str, other: str, operand: bool = False) -> bool:
    """Return whether two names of a parameter are one word, in other spellings or as synonyms.

    fMode, fwdMode and fwd_mode are one word, upscaleA and dilationA are not.

    Args:
        one: a name.
        other: another one.
        operand: whether the names are of arrays on the device, or describe these.
    """
    if operand and {_stem(one), _stem(other)} <= _OPERANDS:
        return True
    plain = {name.lower().removeprefix("host") for name in (one, other)}
    if len(plain) == 1 and plain <= _HOST:
        return True
    words = [_words(one), _words(other)]
    return len(words[0]) == len(words[1]) and all(map(abbreviates, *words))


def _stem(name: str) -> str:
    return name.removesuffix("Desc").removesuffix("Data").lower()


def _words(name: str) -> list[str]:
    return [word.lower() for word in re.findall(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+", name)]


def abbreviates(one: str, other: str) -> bool:
    """Return whether the letters of the shorter word are in the longer one, in their order."""
    short, long = sorted((one, other), key=len)
    left = iter(long)
    return short[:1] == long[:1] and all(letter in left for letter in short)
