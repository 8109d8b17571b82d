"""The complete cuDNN C API for Python, and layers, graphs and PyTorch modules on top of it.

The package has every function of cuDNN under its C name, without out-parameters, and every enum,
flag, constant and struct, exact for the loaded release. Handles and descriptors are objects that
free themselves. Importing the package loads no library and needs no GPU: the first name that
depends on a release finds and loads libcudnn.

    cudnn_cffi.ops      layers and their gradients on arrays of any library
    cudnn_cffi.Graph    several operations, compiled into one plan
    cudnn_cffi.choice   choose, time and save engines and algorithms
    cudnn_cffi.errata   known errors of cuDNN: list, add and switch them
    cudnn_cffi.jax      operations and plans inside jax.jit, jax.grad and jax.vmap
    cudnn_cffi.torch    functions and modules for PyTorch; convert and fuse models
    cudnn_cffi.compat   the names of CuPy, cudnn-python-wrappers and NVIDIA's front end
    cudnn_cffi.errors   all exceptions
    python -m cudnn_cffi --help      the commands: doctor, diff, history and others

Example::

    import cudnn_cffi as cudnn

    x = cudnn.TensorDescriptor()
    x.set_4d(cudnn.TensorFormat.NCHW, cudnn.DataType.FLOAT, 8, 64, 56, 56)
    print(x.get_4d())
"""

# An import costs what it imports, so names are looked up in `resolve`, which is imported with the
# first of them. Type checkers read `__init__.pyi` instead of this.

from __future__ import annotations

import os
import sys

from ._version import __version__ as __version__

TYPE_CHECKING = False

if TYPE_CHECKING:
    from importlib.machinery import ModuleSpec

if not os.path.exists(os.path.join(__path__[0], "_index.py")):  # noqa: PTH110, PTH118
    # A checkout: the emitted half of the package is in another folder of the search path.
    for _half in [os.path.join(entry, __name__) for entry in sys.path]:  # noqa: PTH118
        if os.path.exists(os.path.join(_half, "_index.py")):  # noqa: PTH110, PTH118
            __path__.append(_half)


def _data_folder() -> str:
    """Return the folder of what the user generated: $CUDNN_CFFI_DATA, or one among his data.

    Return "" for a user without a home: a folder below the working one would be another each time.
    """
    base, below = os.environ.get("XDG_DATA_HOME"), "~/.local/share"
    if sys.platform == "win32":
        base, below = os.environ.get("LOCALAPPDATA"), "~/AppData/Local"
    elif sys.platform == "darwin":
        below = "~/Library/Application Support"
    folder = os.path.join(base or os.path.expanduser(below), "cudnn-cffi")  # noqa: PTH111, PTH118
    return os.environ.get("CUDNN_CFFI_DATA") or (folder if os.path.isabs(folder) else "")  # noqa: PTH117


if os.path.exists(_data_folder()):  # noqa: PTH110
    from ._user_tables import put_first

    put_first(__path__)
    del put_first

#: Submodules that are there without an import of their own.
_SUBMODULES = ("choice", "errata", "errors", "graph", "ops", "types")

#: Settings of the process, which `_settings` reads and sets.
_SETTINGS = ("algo_bwd", "algo_bwd_data", "algo_bwd_filter", "algo_fwd", "allow_tf32",
             "benchmark", "conv_bwd_data_algo", "conv_bwd_filter_algo", "conv_fwd_algo",
             "deterministic", "fastest", "verbose")  # fmt: skip

#: Names that begin like a submodule's and are no submodules.
_LOWERCASE = ("check", "check_calls", "explain", "handle", "has", "is_available",
              "libraryPropertyType", "load", "load_network", "log", "pinned_empty", "repro",
              "version")  # fmt: skip


class _UnknownNameError(AttributeError):
    """A name that no release has; what to use instead is looked up only to be printed."""

    def __str__(self) -> str:
        from ._advice import advice

        return f"{super().__str__()}{advice(self.name or '', self.obj)}"

    def __reduce__(self) -> tuple[type[AttributeError], tuple[str]]:
        return AttributeError, (str(self),)  # modules cannot be pickled


class _Module(type(sys)):  # type: ignore[misc]
    """A module that takes no new public names: one that is set in vain is a misspelt setting."""

    def __setattr__(self, name: str, value: object) -> None:
        if name in _SETTINGS and self.__name__ == __name__:
            from ._settings import assign

            assign(name, value)
            return
        if not (
            name[:1] == "_"
            or name in self.__dict__
            or f"{self.__name__}.{name}" in sys.modules  # set by the import of a submodule
            or hasattr(self, name)
        ):
            raise _UnknownNameError(
                f"module {self.__name__!r} has no attribute {name!r} to set", name=name, obj=self
            )
        super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Module


class _Finder:
    """Finds modules by their names of earlier versions, which pickles have, after all others."""

    @staticmethod
    def find_spec(name: str, *_: object) -> ModuleSpec | None:
        if not name.startswith(f"{__name__}."):
            return None
        from ._front.moved import find_spec

        return find_spec(name)


if all(getattr(each, "__module__", "") != __name__ for each in sys.meta_path):
    sys.meta_path.append(_Finder)


def _is_release(name: str) -> bool:
    from ._index import RELEASES

    return name[:1] == "v" and name[1:].replace("_", ".") in RELEASES


def __getattr__(name: str) -> object:
    if name == "__all__":
        from ._front.resolve import public

        return public()
    first = name[:1]
    if first in ("", "_") or (
        first.islower() and not name.startswith("cudnn") and name not in _LOWERCASE
    ):
        # cuDNN has no such names. An import statement imports a submodule; to look a name up here
        # would load the library for every `from . import`.
        if name in _SUBMODULES or (first == "v" and _is_release(name)):
            from importlib import import_module

            return import_module(f"{__name__}.{name}")
        if name in _SETTINGS:
            from ._settings import read

            return read(name)
        raise _UnknownNameError(
            f"module {__name__!r} has no attribute {name!r}", name=name, obj=sys.modules[__name__]
        )
    from ._front.resolve import find

    value = globals()[name] = find(name)
    return value


def __dir__() -> list[str]:
    from ._front.resolve import listed

    releases = (name for name in globals() if _is_release(name))
    return sorted({"__version__", *_SUBMODULES, *_SETTINGS, *releases, *listed()})
