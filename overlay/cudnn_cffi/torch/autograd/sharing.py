"""The layers that functions and operators share: one memory for all of them."""

from __future__ import annotations

from typing import Any, TypeVar

import torch

from ..._support.recent import Recent
from ...choice.policy import Policy

_T = TypeVar("_T")

#: Layers by word, options and choice; and, for functions that are called often, by the arguments of
#: a call and the number of axes.
layers: dict[object, Any] = Recent(1024)


#: Whether Dynamo traces.
is_dynamo = torch.compiler.is_dynamo_compiling

#: The types of arguments that stay what they are.
_PLAIN = frozenset({int, bool, float, str, tuple, type(None)})


def keep(layer: _T, x: Any, given: tuple[object, ...]) -> _T:
    """Keep a layer for arguments, and return it: see `nodes.known`."""
    if not is_dynamo() and _PLAIN.issuperset(map(type, given)):
        layers[*given, x.ndim] = layer
    return layer


def shared(cls: type[_T], *options: object, choose: Any = None) -> _T:
    """Return the layer that functions share for these options, with a `Choose`."""
    word: str = cls.word  # type: ignore[attr-defined]
    key = (word, options, choose)  # a class in it would be too much for some compilers
    try:
        found: _T | None = layers.get(key)
    except TypeError:  # a policy given as a mapping
        choose = Policy.of(choose)
        key = (word, options, choose)
        found = layers.get(key)
    if found is None:
        found = layers[key] = cls(*options, choose=choose)  # type: ignore[call-arg]
    return found
