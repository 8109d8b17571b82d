"""`cudnn_cffi.v9_28_0` and the like: the names of one release.

Importing such a module must cost next to nothing, so all that it needs is imported when the first
name is asked for.
"""

from __future__ import annotations

import sys
from importlib import import_module

TYPE_CHECKING = False  # typing's own would cost as much as all the rest
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

#: Releases whose modules have been used to call, checked against the library when it is loaded.
_used: set[str] = set()


def module(name: str, version: str) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """`__getattr__` and `__dir__` of the module of a release, which takes no new names."""
    package = sys.modules[__name__.partition(".")[0]]
    sys.modules[name].__class__ = package.__class__

    def __getattr__(attribute: str) -> Any:
        here = sys.modules[name]
        if attribute == "__all__":
            return __dir__()
        if attribute[:1] in ("", "_"):
            raise AttributeError(
                f"module {name!r} has no attribute {attribute!r}", name=attribute, obj=here
            )
        from .._index import CALLS
        from . import VERSION_MACROS, tables, version_macro

        if attribute in VERSION_MACROS:
            return version_macro(attribute, version)
        own = tables(version)
        if attribute in own.functions:
            _check(version)
            wrapper = own.functions[attribute]
            from .._resolve import OVERLAY

            if wrapper in OVERLAY:
                return getattr(import_module(f"cudnn_cffi.{OVERLAY[wrapper]}"), wrapper)
            return getattr(import_module(f"cudnn_cffi.calls.{CALLS[wrapper]}"), wrapper)
        family = _family(attribute)
        if family is not None and _has_family(family, own.functions):
            _check(version)
            import cudnn_cffi

            return getattr(cudnn_cffi, family)
        try:
            return own.get(attribute)
        except KeyError:
            pass
        from . import AbsentError

        raise AbsentError(f"cuDNN {version} has no {attribute}", version, name=attribute, obj=here)

    def __dir__() -> list[str]:
        from .._resolve import names

        return sorted(names(version))

    return __getattr__, __dir__


def _family(name: str) -> str | None:
    """The class of that name, or for the C type of that name."""
    from .._index import FAMILIES

    for cls, c_name in FAMILIES.items():
        if name in (cls, c_name):
            return cls
    return None


def _has_family(cls: str, functions: Any) -> bool:
    stem = cls if cls != "Handle" else ""
    return f"cudnnCreate{stem}" in functions or (
        cls.startswith("Backend") and "cudnnBackendCreateDescriptor" in functions
    )


def _check(version: str) -> None:
    """Refuse to call a loaded library whose API is another one."""
    from .. import library

    loaded = library.current()
    if loaded is None:
        _used.add(version)
        return
    from .._index import RELEASES
    from .selection import check_pinned

    check_pinned(version, loaded.version, RELEASES)


def check_all(version: str) -> None:
    """Check every release that was pinned before the library was loaded."""
    from .._index import RELEASES
    from .selection import check_pinned

    for pinned in sorted(_used):
        check_pinned(pinned, version, RELEASES)
