"""`cudnn_cffi.v9_28_0` and the like: the names of one release.

Importing such a module must cost next to nothing, so all that it needs is imported when the first
name is asked for.
"""

from __future__ import annotations

import sys

TYPE_CHECKING = False  # typing's own would cost as much as all the rest
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any


def open_release(name: str, version: str) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Return `__getattr__` and `__dir__` for the module of a release, and close it for new names.

    Args:
        name: of the module.
        version: the release.
    """
    module = sys.modules[name]
    module.__class__ = sys.modules[__name__.partition(".")[0]].__class__

    def __getattr__(attribute: str) -> Any:
        if attribute == "__all__":
            return __dir__()
        if attribute[:1] in ("", "_"):
            raise AttributeError(
                f"module {name!r} has no attribute {attribute!r}", name=attribute, obj=module
            )
        from .resolve import find_in, graph_in

        if attribute == "graph":
            return graph_in(version, name)
        return find_in(version, attribute, module)

    def __dir__() -> list[str]:
        from .resolve import names

        return sorted({"graph", *names(version)})

    return __getattr__, __dir__
