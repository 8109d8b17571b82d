"""Find, load and identify libcudnn and its sub-libraries, once per process.

A library stays loaded. Everything that libcudnn does badly, such as ending the process when a
sub-library is missing, is looked for before the first call and becomes an exception.
"""

from __future__ import annotations

import ctypes
import filecmp
import os
import re
import sys
import warnings
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path

import cudnn_cffi._support.fork as _fork
import cudnn_cffi.library.elf as elf
import cudnn_cffi.library.sublibraries as parts

from ..errors import LibraryConflictError as LibraryConflictError
from ..errors import LibraryError as LibraryError
from ..errors import LibraryLoadError as LibraryLoadError
from ..errors import LibraryNotFoundError as LibraryNotFoundError
from ..versions import version_name
from .locate import VARIABLE as VARIABLE
from .locate import Candidate as Candidate
from .locate import Tried as Tried
from .locate import is_library, libraries_in, major_of, mapped, resolved
from .locate import search as search

# RTLD_LOCAL: two majors export the same names and must not see each other's. RTLD_NOW: what is
# unresolved shows here, as an exception, and not in a call, as the end of the process.
if sys.platform == "win32":
    _MODE = _LOADED = 0
else:
    _MODE = os.RTLD_LOCAL | os.RTLD_NOW
    _LOADED = _MODE | os.RTLD_NOLOAD

_INSTALL = "pip install nvidia-cudnn-cu13, or nvidia-cudnn-cu12 for CUDA 12"

_CUDA_WHEELS = {
    "cublas": "nvidia-cublas",
    "cublasLt": "nvidia-cublas",
    "cudart": "nvidia-cuda-runtime",
    "nvrtc": "nvidia-cuda-nvrtc",
}

_REINSTALL = (
    "reinstall its package: for a wheel, pip install --force-reinstall nvidia-cudnn-cu13, or "
    "nvidia-cudnn-cu12 for CUDA 12"
)


class SublibraryWarning(UserWarning):
    """A sub-library of libcudnn is not there, so part of its functions will fail."""


class Library:
    """A loaded libcudnn.

    Attributes:
        path: the real file.
        how: in words, how it was found.
        number: what cudnnGetVersion returns.
        version: the same as text, "9.28.0".
        cudart: the CUDA runtime it was built with, as CUDA numbers it: 13050 is 13.5.
        dl: the `ctypes` library.
        parts: the names of the sub-libraries that lay beside it when it was loaded.
    """

    __slots__ = ("cudart", "dl", "how", "number", "parts", "path", "version")

    def __init__(self, path: Path, how: str, dl: ctypes.CDLL) -> None:
        self.path = path
        self.parts = tuple(parts.siblings(path))
        self.how = how
        self.dl = dl
        self.number = self._size("cudnnGetVersion")
        self.version = version_name(self.number)
        self.cudart = self._size("cudnnGetCudartVersion")

    def address(self, symbol: str) -> int:
        """Where `symbol` is in memory; 0 when the library does not export it."""
        try:
            return ctypes.addressof(ctypes.c_char.in_dll(self.dl, symbol))
        except ValueError:
            return 0

    def check_parts(self) -> None:
        """Look for the sub-libraries again: to call without one would end the process.

        Raises:
            LibraryLoadError: one that was there is neither there nor loaded any more.
        """
        present = parts.siblings(self.path)
        if gone := [name for name in self.parts if name not in present]:
            loaded = {path.name.partition(".so")[0] for path in mapped()}
            gone = [name for name in gone if name not in loaded]
        if gone:
            raise LibraryLoadError(
                f"{self.path} ({self.how}) cannot be called: {', '.join(gone)} was beside it when "
                "it was loaded, and is not any more",
                library=str(self.path),
                version=self.version,
                hint=_REINSTALL,
            )

    def __str__(self) -> str:
        return f"cuDNN {self.version} ({self.path})"

    def __repr__(self) -> str:
        return f"<{self}, {self.how}>"

    def __reduce__(self) -> tuple[Callable[[str], Library], tuple[str]]:
        return load, (str(self.path),)  # a process has one; another process loads the same file

    def _size(self, symbol: str) -> int:
        address = self.address(symbol)
        return ctypes.CFUNCTYPE(ctypes.c_size_t)(address)() if address else 0


def install_cuda_core() -> str:
    """Return the command that installs cuda.core for the CUDA that cuDNN here was made with."""
    try:
        return f'pip install "cuda-core[cu{load().cudart // 1000}]"'
    except LibraryError:
        return 'pip install "cuda-core[cu13]" or "cuda-core[cu12]", by the release of CUDA'


_lock = _fork.lock()
_current: Library | None = None
_dll_folders: list[object] = []


def current() -> Library | None:
    """Return the library of this process, or None when none was needed yet."""
    return _current


def load(path: str | os.PathLike[str] | None = None) -> Library:
    """Return the library of this process, loaded when it is first asked for.

    `path` is the file or the folder it is in. Without one, `search` decides. A load that fails has
    no effect, so the next one can succeed.

    Raises:
        LibraryNotFoundError: no copy was found.
        LibraryLoadError: the copy that was found is broken.
        LibraryConflictError: another copy than the one asked for is in the process already.
    """
    global _current
    if path is None and _current is not None:
        return _current
    with _lock:
        if _current is None:
            _current = _open_first(path)
        elif path is not None:
            _check_same(_current, path)
        return _current


def _open_first(path: str | os.PathLike[str] | None) -> Library:
    """Open the first copy that opens; if only one exists, its error is raised."""
    tried: list[Tried] = []
    failed: list[LibraryLoadError] = []
    for result in search(path):
        if isinstance(result, Tried):
            tried.append(result)
            continue
        try:
            return _open(result)
        except LibraryLoadError as error:
            if error.library not in [other.library for other in failed]:
                failed.append(error)
        except LibraryConflictError as error:
            if failed:  # the conflict is with what the attempt before has left
                raise failed[0] from error
            raise
    if not failed:
        raise _not_found(path, tried)
    first, *others = failed
    if others:
        listed = "".join(f"\n  {error.message}" for error in others)
        raise LibraryLoadError(
            f"{first.message}; nor can what else was found:{listed}",
            library=first.library,
            hint=first.hint,
        ) from first
    raise first


def _find(path: str | os.PathLike[str]) -> Candidate:
    tried: list[Tried] = []
    for result in search(path):
        if isinstance(result, Candidate):
            return result
        tried.append(result)
    raise _not_found(path, tried)


def _not_found(path: str | os.PathLike[str] | None, tried: Iterable[Tried]) -> LibraryNotFoundError:
    if path is not None or os.environ.get(VARIABLE):
        what = "no libcudnn where it was said to be:"
        hint = f"name the file, or the folder it is in; without a path or {VARIABLE} it is searched"
    else:
        what = "no libcudnn was found. Looked in:"
        hint = f"{_INSTALL}; or name the file in {VARIABLE}"
    places = [f"  {place}: {result}" for place, result in tried]
    return LibraryNotFoundError("\n".join([what, *places]), hint=hint)


def _check_same(library: Library, path: str | os.PathLike[str]) -> None:
    wanted = _real(_find(path).path)
    with suppress(OSError):
        if wanted.samefile(library.path):
            return
    raise _conflict(wanted, library.path, library.version)


def _conflict(wanted: Path, present: Path, version: str) -> LibraryConflictError:
    return LibraryConflictError(
        f"{_labelled(wanted)} cannot be loaded: {_labelled(present, version)} is in this process "
        "already",
        library=str(present),
        version=version,
        hint="load the one you want before anything else uses cuDNN, and make every framework in "
        f"the process use the same one; without a path or {VARIABLE}, the one that is already "
        "there is used",
    )


def _labelled(path: Path, version: str = "") -> str:
    return f"cuDNN {version or parts.version_in(path) or 'of unknown version'} ({path})"


def _open(candidate: Candidate) -> Library:
    path = _real(candidate.path)
    if sys.platform == "win32":
        _dll_folders.append(os.add_dll_directory(str(path.parent)))
        return _identified(path, candidate.how, _dlopen(path, candidate.how))
    how = candidate.how
    loaded = mapped()
    if path not in loaded:
        _check_file(path, how)
        if stranger := _stranger(path, loaded):
            beside = () if is_library(stranger) else libraries_in(stranger.parent)
            twin = next(iter(beside), stranger)
            if not filecmp.cmp(path, twin, shallow=False):
                raise _conflict(path, twin, parts.version_in(twin))
            how = f"already loaded in this process, and the same as {path}, {how}"
            path = _real(twin)
    dl = _already_open(path) if path in loaded else None
    _open_sublibraries(path, loaded, how, astray=dl is not None and _opened_astray(dl, path))
    return _identified(path, how, dl or _dlopen(path, how))


def _real(path: Path) -> Path:
    """Return the file to open: through a link, libcudnn looks for its parts beside the link.

    Except where only the links lie together, as in a store that names files by their content.
    """
    link = resolved(path.parent) / path.name
    try:
        real = path.resolve(strict=True)
        if real.parent != link.parent:
            core = parts.core(real)
            if core and core not in parts.siblings(real) and core in parts.siblings(link):
                return link
    except (OSError, RuntimeError):  # a loop of links is a RuntimeError before Python 3.13
        return link
    return real


def _check_file(path: Path, how: str) -> None:
    try:
        own = elf.read(path)
    except (OSError, elf.ElfError) as error:
        raise _failure(path, how, error) from error
    if path.name.startswith("libcudnn_") or own.soname.startswith("libcudnn_"):
        raise LibraryLoadError(
            f"{path} ({how}) is a sub-library of libcudnn",
            library=str(path),
            hint=f"name libcudnn.so itself, or the folder {path.parent}",
        )
    absent = parts.missing(path)
    core = parts.core(path)
    if core in absent and not _environment_has(core, path):
        raise LibraryLoadError(
            f"{path} ({how}) cannot work: {core}.so is not beside it in {path.parent}",
            library=str(path),
            hint=_REINSTALL,
        )
    unusable = [f"{name} is missing" for name in absent]
    for name, part in parts.siblings(path).items():
        try:
            elf.check(part)
        except (OSError, elf.ElfError) as error:
            if name == core:
                raise _failure(path, how, error, part) from error
            unusable.append(f"{part.name}: {error}")
    if unusable:
        warnings.warn(
            f"not all of cuDNN is usable in {path.parent}: {'; '.join(unusable)}. A function that "
            f"needs what is not there fails and, in most releases, ends the process; {_REINSTALL}",
            SublibraryWarning,
            stacklevel=5,
        )


def _stranger(path: Path, loaded: list[Path]) -> Path | None:
    """Return a loaded file of the same major, but no part beside it: by name, their parts mix."""
    major = major_of(path) or major_of(Path(elf.read(path).soname))
    for other in sorted(loaded, key=is_library, reverse=True):
        if major_of(other) == major and (other.parent != path.parent or is_library(other)):
            return other
    return None


def _already_open(path: Path) -> ctypes.CDLL | None:
    """Return the copy in memory, even where the file was replaced or deleted meanwhile."""
    for name in (str(path), f"libcudnn.so.{major_of(path)}"):
        with suppress(OSError):
            return ctypes.CDLL(name, mode=_LOADED)
    return None


def _opened_astray(dl: ctypes.CDLL, path: Path) -> bool:
    """Return whether it was opened through a link in a folder where it finds no sub-library."""
    entry = ctypes.c_void_p()
    try:
        dlinfo = ctypes.CDLL(None).dlinfo
    except AttributeError:
        return False
    link_map = 2  # RTLD_DI_LINKMAP
    if dlinfo(ctypes.c_void_p(dl._handle), link_map, ctypes.byref(entry)) or not entry.value:
        return False
    # A struct link_map begins with an address and the name that the file was opened by.
    name = ctypes.cast(entry.value, ctypes.POINTER(ctypes.c_char_p))[1]
    return bool(name) and resolved(Path(os.fsdecode(name)).parent) != path.parent


def _open_sublibraries(path: Path, loaded: list[Path], how: str, *, astray: bool) -> None:
    """Open the part that the first call needs, for that call would end the process on failure.

    LD_LIBRARY_PATH goes before the RUNPATH of a part that needs another. Where it leads to parts of
    another copy, and where libcudnn looks in the wrong folder (`astray`), all parts are opened from
    here first: a part is not looked for again once it is loaded.
    """
    if any(
        part.name.startswith("libcudnn_") and major_of(part) == major_of(path) for part in loaded
    ):
        return
    try:
        core = parts.core(path)
        present = parts.siblings(path)
    except OSError:
        return
    if core not in present or _asked_for_first(core, parts.version_in(path)):
        return
    chosen = [present[core]]
    if astray or _environment_has(core, path):
        chosen = parts.in_order(present.values())
    for part in chosen:
        try:
            ctypes.CDLL(str(part), mode=_MODE)
        except OSError as error:
            if part == present[core]:
                raise _failure(path, how, error, part) from error


def _asked_for_first(core: str, version: str) -> bool:
    """Return whether the loader has the core under its full version, the first name libcudnn tries.

    Then a package of the system's has the same release, and all parts come from there. Another
    core from here beside it would be a second one, with its own state.
    """
    try:
        return bool(version and ctypes.CDLL(f"{core}.so.{version}", mode=_MODE))
    except OSError:
        return False


def _environment_has(name: str, path: Path) -> bool:
    for entry in os.environ.get("LD_LIBRARY_PATH", "").split(os.pathsep):
        folder = resolved(Path(entry))
        if entry and folder != path.parent and name in parts.siblings(path, folder):
            return True
    return False


def _dlopen(path: Path, how: str) -> ctypes.CDLL:
    try:
        return ctypes.CDLL(str(path), mode=_MODE)
    except OSError as error:
        raise _failure(path, how, error) from error


def _identified(path: Path, how: str, dl: ctypes.CDLL) -> Library:
    library = Library(path, how, dl)
    if not library.number:
        raise LibraryLoadError(
            f"{path} ({how}) is not libcudnn: it has no cudnnGetVersion",
            library=str(path),
            hint=f"name libcudnn.so or its folder; {VARIABLE} and the argument of load() count",
        )
    return library


def _failure(path: Path, how: str, error: Exception, part: Path | None = None) -> LibraryLoadError:
    of = f", a part of {path}," if part else ""
    return LibraryLoadError(
        f"{part or path}{of} ({how}) cannot be loaded: {error}",
        library=str(path),
        hint=_advice(error),
    )


def _advice(error: Exception) -> str:
    if isinstance(error, PermissionError):
        return "make the file and its folder readable"
    absent = re.search(r"(lib([\w+-]+)\.so[.\d]*): cannot open shared object", str(error))
    if absent is None:
        return _REINSTALL if isinstance(error, elf.ElfError) else ""
    name, stem = absent[1], absent[2]
    if stem == "cuda":
        return f"{name} is the NVIDIA driver's: install the driver"
    if stem.startswith("cudnn"):
        return f"{name} is cuDNN's own: {_REINSTALL}"
    if wheel := _CUDA_WHEELS.get(stem):
        major = name.partition(".so.")[2].partition(".")[0]
        # CUDA 13's wheels carry no number.
        wheel += f"-cu{major}" if major in ("11", "12") else ""
        return f"{name} is CUDA's: pip install {wheel}, or put its folder on LD_LIBRARY_PATH"
    return f"install the system's package with {name}"
