"""Calls of operations that are known go straight to their plans, in the compiled layer.

A shortcut stands in front of a function, or of the call of an operation. It remembers the plan that
a call ran, and the operand of each argument. A later call with arrays in the same places, and the
same numbers and words elsewhere, goes to that plan without any Python, if the arrays fit it and
nothing that decides has changed. All others go to the function.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable, Collection
from types import FunctionType
from typing import Any, TypeVar

from .._call.layer import get_compiled
from ..choice import policy
from .recording import watchers

_F = TypeVar("_F", bound=Callable[..., Any])

_types: Any = get_compiled("cudnn_cffi_shortcuts")
if _types is not None:
    _types[0]._set_up(policy._open.get, policy._process, watchers)


def make_memory() -> Any:
    """Return a memory of calls; None where nothing was compiled."""
    return None if _types is None else _types[1]()


def shortcut(function: _F, memory: Any = None) -> _F:
    """Return a shortcut in front of a function.

    Args:
        function: what makes the calls that are not known.
        memory: of the calls; without one, the first argument has it, as its attribute `_memory`.
    """
    if _types is None:
        return function
    made: Any = functools.update_wrapper(_types[0](function, memory), function)
    return made


#: Tells the shortcut of a call: plan, arrays in operand order (None for those not given), answer,
#: and a copy function per operand (None for no copy), or () for no copies at all.
note: Callable[[Any, tuple[Any, ...], Any, tuple[Any, ...]], None] = (
    (lambda *_: None) if _types is None else _types[0]._note
)


def cover(namespace: dict[str, Any], modules: Collection[str]) -> None:
    """Put a shortcut in front of each function of a namespace that is of one of some modules."""
    for name, function in tuple(namespace.items()):
        if isinstance(function, FunctionType) and function.__module__ in modules:
            made = namespace[name] = shortcut(function, make_memory())
            setattr(sys.modules[function.__module__], function.__name__, made)
