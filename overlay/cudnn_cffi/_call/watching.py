"""The watcher that sees every call before it is made."""

from __future__ import annotations

import atexit
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from .layer import get_compiled

if TYPE_CHECKING:
    Watcher = Callable[[str, Sequence[object]], object]


#: Gets the name of the wrapper and the arguments of each call; None where nobody looks.
watcher: Watcher | None = None

_tell_compiled = get_compiled("cudnn_cffi_watcher")
_exiting = False


def watch(new: Watcher | None) -> None:
    """Let `new` look at every call of this interpreter; None for nobody."""
    global watcher
    watcher = None if _exiting else new
    if _tell_compiled is not None:
        _tell_compiled(watcher)


@atexit.register
def _stop_watching() -> None:
    """Stop before finalizers call cuDNN at exit, when the globals of the watcher are gone."""
    global _exiting
    _exiting = True
    watch(None)
