"""Something to import for PyTorch where docstrings are read, and nothing is computed."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

#: New enough for cudnn_cffi.torch.
_VERSION = "99.0"


class _Names:
    """Has every name that does not begin with an underscore."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return _thing(name)


class _Meta(_Names, type):
    """Has classes with every name."""


class _Object(_Names, metaclass=_Meta):
    """A class that can be called with anything."""

    def __init__(self, *_: Any, **__: Any) -> None:
        """Take anything; no docstring is inherited from it."""
        self.__doc__ = None

    def __call__(self, *arguments: Any, **_: Any) -> Any:
        """Decorate: return the function, or what takes one."""
        return arguments[0] if len(arguments) == 1 and callable(arguments[0]) else self

    @classmethod
    def apply(cls) -> None:
        """Stand for the method that is asked of a base class, which asks no metaclass."""


def _is_class(name: str) -> bool:
    bare = name.lstrip("_")  # `_NormBase` is a class, `_C` is a module
    return (len(bare) > 1 and bare[0].isupper()) or name in ("dtype", "device")


def _thing(name: str, module: str = "torch") -> Any:
    if _is_class(name):
        return _Meta(name, (_Object,), {"__module__": module, "__doc__": None})
    return _Object()


class _Module(ModuleType):
    """A module with every name: classes, and modules, which can be called, too."""

    def __init__(self, name: str) -> None:
        """Be a package, too."""
        super().__init__(name)
        self.__path__ = []

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        full = f"{self.__name__}.{name}"
        value = _thing(name, self.__name__) if _is_class(name) else _Module(full)
        setattr(self, name, value)
        return value

    def __call__(self, *arguments: Any, **_: Any) -> Any:
        """Decorate: return the function, or what takes one."""
        return arguments[0] if len(arguments) == 1 and callable(arguments[0]) else self

    def __float__(self) -> float:
        """Be a number, too: the room asks PyTorch what it computes while it is imported."""
        return 0.0


class _Finder(MetaPathFinder, Loader):
    def find_spec(self, name: str, _path: Any = None, _target: Any = None) -> ModuleSpec | None:
        return ModuleSpec(name, self) if name.partition(".")[0] == "torch" else None

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        parent, _, name = spec.name.rpartition(".")
        module = getattr(sys.modules[parent], name) if parent else _Module(spec.name)
        assert isinstance(module, ModuleType), spec.name
        return module

    def exec_module(self, module: ModuleType) -> None:
        if module.__name__ == "torch":
            module.__version__ = _VERSION  # type: ignore[attr-defined]


def hide_signature(_app: Any, *place: Any) -> tuple[str, str] | None:
    """Leave out arguments of the stand-in, and of errors, which only the package raises."""
    kind, signature = place[0], place[4]
    if not signature:  # there is none that Sphinx could replace
        return None
    is_hidden = kind == "exception" or signature.startswith("(*_: ")
    return ("", "") if is_hidden else None


def install() -> None:
    """Have `import torch` find it, also where there is a PyTorch: pages are the same everywhere."""
    if not any(isinstance(each, _Finder) for each in sys.meta_path):
        sys.meta_path.insert(0, _Finder())


@contextmanager
def installed() -> Iterator[None]:
    """Have `import torch` find it in a block, and forget what was imported there over it."""
    before = set(sys.modules)
    install()
    try:
        yield
    finally:
        sys.meta_path[:] = [each for each in sys.meta_path if not isinstance(each, _Finder)]
        for name in set(sys.modules) - before:
            if f"{name}.".startswith(("torch.", "cudnn_cffi.torch.", "reference.")):
                parent, _, last = name.rpartition(".")
                del sys.modules[name]
                if parent in sys.modules:
                    vars(sys.modules[parent]).pop(last, None)
