"""Where a copy of libcudnn may be: a catalogue of places, in the order in which they count.

Nothing here loads a library. A place is looked at only when everything before it had none, so the
slow ones cost nobody who does not need them.
"""

from __future__ import annotations

import os
import re
import stat
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from pathlib import Path

import cudnn_cffi.library.elf as elf

from .._support.arguments import path_of
from .._support.results import NamedTuple

#: The environment variable that names the library, or the folder that it is in.
VARIABLE = "CUDNN_CFFI_LIBRARY"

WINDOWS = sys.platform == "win32"

_LIBRARY = re.compile(
    r"cudnn64_(\d+)\.dll" if WINDOWS else r"libcudnn\.so(?:\.(\d+))?(?:\.\d+)*", re.IGNORECASE
)
_ANY_PART = re.compile(
    r"cudnn\w*64_(\d+)\.dll" if WINDOWS else r"libcudnn\w*\.so(?:\.(\d+))?(?:\.\d+)*", re.IGNORECASE
)
_WHEEL_FOLDERS = ("bin", "bin/x64") if WINDOWS else ("lib",)
_TOOLKIT_FOLDERS = ("bin/x64", "bin") if WINDOWS else ("lib64", "lib")
_TOOLKIT_VARIABLES = ("CUDNN_PATH", "CUDNN_HOME", "CUDNN_ROOT", "CUDA_PATH", "CUDA_HOME")


class Candidate(NamedTuple):
    """A file that should be libcudnn, and in words how it was found."""

    path: Path
    how: str


class Tried(NamedTuple):
    """A place that had no libcudnn, and what was looked at there."""

    place: str
    result: str


class Place(NamedTuple):
    """`find` yields candidates, or sentences about what it looked at in vain.

    Where `decides`, a place that has anything to say ends the search: who names a library wants no
    other.
    """

    name: str
    find: Callable[[Path | None], Iterator[Candidate | str]]
    decides: bool = False


def search(explicit: str | os.PathLike[str] | None = None) -> Iterator[Candidate | Tried]:
    """Every copy of libcudnn that can be found, best first, and each place that has none."""
    given = None if explicit is None else path_of(explicit)
    for place in PLACES:
        silent = True
        for result in place.find(given):
            silent = False
            yield result if isinstance(result, Candidate) else Tried(place.name, result)
        if place.decides and not silent:
            return


def is_library(path: Path) -> bool:
    """Return whether a file is libcudnn by name, and none of its sub-libraries."""
    return _LIBRARY.fullmatch(path.name) is not None


def libraries_in(folder: Path) -> list[Path]:
    """Return the files in `folder` that are libcudnn by name, the newest major first."""
    found: list[tuple[int, int, Path]] = []
    with suppress(OSError, ValueError):
        for path in absolute(folder).iterdir():
            if match := _LIBRARY.fullmatch(path.name):
                found.append((-int(match[1] or 0), len(path.name), path))
    return [path for *_, path in sorted(found)]


def resolved(path: Path) -> Path:
    """Like `Path.resolve`, for any path: links that lead nowhere, or in a circle, stay."""
    try:
        return Path(os.path.realpath(path))
    except (OSError, ValueError):  # a relative one, and the working folder was deleted
        return path


def absolute(path: Path) -> Path:
    """Like `Path.absolute`, also where the working folder was deleted."""
    try:
        return path.absolute()
    except OSError:
        return path


def why_no_file(path: Path) -> str:
    """Return in words what is at `path` if it is no file; "" if it is one."""
    try:
        kind = elf.kind_of(path.stat().st_mode)
    except FileNotFoundError:
        target = f", a link to {path.readlink()}," if path.is_symlink() else ""
        return f"{path}{target} does not exist"
    except (OSError, ValueError) as error:
        return f"{path} cannot be looked at: {getattr(error, 'strerror', None) or error}"
    return f"{path} is {kind}" if kind else ""


def is_folder(path: Path) -> bool:
    """Unlike `Path.is_dir`, also where it may not be looked at."""
    try:
        return stat.S_ISDIR(path.stat().st_mode)
    except (OSError, ValueError):
        return False


def major_of(path: Path) -> int | None:
    """Return the major release in the file name of libcudnn or one of its sub-libraries."""
    match = _ANY_PART.fullmatch(path.name)
    return int(match[1]) if match and match[1] else None


def mapped() -> list[Path]:
    """Return the files of cuDNN that are loaded in this process, sub-libraries included."""
    return [path for path in _modules() if _ANY_PART.fullmatch(path.name)]


if sys.platform == "win32":

    def _modules() -> Iterable[Path]:
        import ctypes
        from ctypes import wintypes

        kernel = ctypes.WinDLL("kernel32", use_last_error=True)
        process = wintypes.HANDLE(-1)
        handles = (wintypes.HMODULE * 4096)()
        needed = wintypes.DWORD()
        kernel.K32EnumProcessModules.argtypes = [
            wintypes.HANDLE,
            ctypes.c_void_p,
            wintypes.DWORD,
            ctypes.POINTER(wintypes.DWORD),
        ]
        kernel.GetModuleFileNameW.argtypes = [wintypes.HMODULE, wintypes.LPWSTR, wintypes.DWORD]
        if not kernel.K32EnumProcessModules(
            process, handles, ctypes.sizeof(handles), ctypes.byref(needed)
        ):
            return
        name = ctypes.create_unicode_buffer(32768)
        for handle in handles[: needed.value // ctypes.sizeof(wintypes.HMODULE)]:
            if kernel.GetModuleFileNameW(handle, name, len(name)):
                yield Path(name.value)

else:

    def _modules() -> Iterable[Path]:
        try:
            maps = Path("/proc/self/maps").read_bytes()
        except OSError:
            return
        # A process with a framework in it has thousands of lines here; few matter.
        names = {line[line.find(b"/") :] for line in maps.splitlines() if b"libcudnn" in line}
        for name in sorted(names):
            yield Path(os.fsdecode(name.removesuffix(b" (deleted)")))


def _argument(given: Path | None) -> Iterator[Candidate | str]:
    if given is not None:
        yield from _named(given, "named by the caller")


def _variable(_: Path | None) -> Iterator[Candidate | str]:
    if value := os.environ.get(VARIABLE):
        yield from _named(Path(value), f"named by {VARIABLE}")


def _named(path: Path, how: str) -> Iterator[Candidate | str]:
    with suppress(RuntimeError):  # there is no such user
        path = path.expanduser()
    path = absolute(path)
    if is_folder(path):
        yield from _in_folders([path, *(path / name for name in _TOOLKIT_FOLDERS)], how)
    else:
        yield why_no_file(path) or Candidate(path, how)


def _loaded(_: Path | None) -> Iterator[Candidate | str]:
    parts = sorted(mapped(), key=lambda path: -(major_of(path) or 0))
    for path in parts:
        if is_library(path):
            yield Candidate(path, "already loaded in this process")
    folders = dict.fromkeys(path.parent for path in parts)
    for folder in folders:
        if not any(is_library(path) for path in parts if path.parent == folder):
            yield from _in_folders([folder], "beside a sub-library that is already loaded")
    if not parts:
        yield "none"


def _wheels(_: Path | None) -> Iterator[Candidate | str]:
    roots = dict.fromkeys(_site_folders())
    for root in roots:
        for name in _WHEEL_FOLDERS:
            yield from _files_in(root / "cudnn" / name, f"pip wheel in {root.parent}")
    yield f"no nvidia/cudnn/{_WHEEL_FOLDERS[0]} in {_listed(root.parent for root in roots)}"


def _site_folders() -> Iterator[Path]:
    """Every folder that may be called `nvidia`, from the ones that imports use to the others."""
    import importlib.util
    import site

    # Also where a finder hook of an editable install puts it.
    with suppress(ImportError, ValueError, AttributeError):
        spec = importlib.util.find_spec("nvidia")
        for location in (spec and spec.submodule_search_locations) or ():
            yield Path(location)
    folders = list(sys.path)
    with suppress(AttributeError):  # an old virtualenv replaces `site` by one without these
        folders += site.getsitepackages()
        if site.ENABLE_USER_SITE:
            folders.append(site.getusersitepackages())
    if environment := os.environ.get("VIRTUAL_ENV"):
        version = f"python{sys.version_info.major}.{sys.version_info.minor}"
        inner = "Lib/site-packages" if WINDOWS else f"lib/{version}/site-packages"
        folders.append(str(Path(environment) / inner))
    for folder in folders:
        path = absolute(Path(folder or "."))
        if is_folder(path):
            yield path / "nvidia"


def _conda(_: Path | None) -> Iterator[Candidate | str]:
    prefixes = [Path(prefix) for prefix in [os.environ.get("CONDA_PREFIX")] if prefix]
    if is_folder(Path(sys.prefix) / "conda-meta"):
        prefixes.append(Path(sys.prefix))
    inner = "Library/bin" if WINDOWS else "lib"
    if prefixes:
        yield from _in_folders([prefix / inner for prefix in prefixes], "conda environment")
    else:
        yield "CONDA_PREFIX is not set"


def _loader(_: Path | None) -> Iterator[Candidate | str]:
    variable = "PATH" if WINDOWS else "LD_LIBRARY_PATH"
    value = os.environ.get(variable, "")
    folders = [Path(part) for part in value.split(os.pathsep) if part]
    if folders:
        yield from _in_folders(folders, f"a folder of {variable}")
    else:
        yield f"{variable} is not set"
    if not WINDOWS:
        yield from _cache()


def _cache() -> Iterator[Candidate | str]:
    """Yield what the loader's cache knows: the loader itself would not resolve links."""
    import shutil

    program = shutil.which("ldconfig") or shutil.which("ldconfig", path="/sbin:/usr/sbin")
    lines = _output(program, "-p").split("\n") if program else []
    paths = [Path(line.rpartition(" => ")[2].strip()) for line in lines if "libcudnn.so" in line]
    paths.sort(key=lambda path: -(major_of(path) or 0))
    for path in paths:
        yield why_no_file(path) or Candidate(path, "the system's loader cache (ldconfig)")
    if not paths:
        yield "ldconfig knows none" if program else "there is no ldconfig"


def _output(*command: str) -> str:
    """Return what a program prints, as file names; "" where it does not run, or fails."""
    import subprocess

    with suppress(OSError, subprocess.SubprocessError):
        return os.fsdecode(
            subprocess.run(command, capture_output=True, timeout=60, check=True).stdout
        )
    return ""


def _toolkits(_: Path | None) -> Iterator[Candidate | str]:
    for variable in _TOOLKIT_VARIABLES:
        if value := os.environ.get(variable):
            yield from _in_folders([Path(value) / name for name in _TOOLKIT_FOLDERS], variable)
    if WINDOWS:
        installed = Path(os.environ.get("PROGRAMFILES", "C:/Program Files")) / "NVIDIA" / "CUDNN"
        folders = sorted([*installed.glob("v*/bin"), *installed.glob("v*/bin/*")], reverse=True)
    else:
        folders = [Path("/usr/local/cuda") / name for name in _TOOLKIT_FOLDERS]
    yield from _in_folders(folders, "an installed CUDA toolkit")


def _pathfinder(_: Path | None) -> Iterator[Candidate | str]:
    """Yield what cuda.pathfinder would load, asked in a child, since it loads what it finds."""
    import importlib.util

    found = None
    with suppress(ImportError, ValueError):
        found = importlib.util.find_spec("cuda.pathfinder")
    if not (found and sys.executable):
        yield "not installed"
        return
    code = (
        "import os, sys; sys.path[:] = sys.argv[1:]; import cuda.pathfinder as finder; "
        "found = os.fsencode(finder.load_nvidia_dynamic_lib('cudnn').abs_path); "
        "sys.stdout.buffer.write(found)"
    )
    path = Path(_output(sys.executable, "-c", code, *sys.path).strip())
    yield Candidate(path, "cuda.pathfinder") if path.is_file() else "it finds none either"


def _in_folders(folders: Iterable[Path], how: str) -> Iterator[Candidate | str]:
    folders = list(folders)
    found = False
    for folder in folders:
        for result in _files_in(folder, f"{how}, {folder}"):
            found = True
            yield result
    if not found:
        yield f"none in {_listed(folders)}"


def _files_in(folder: Path, how: str) -> Iterator[Candidate | str]:
    """Yield each path in `folder` that is named as libcudnn: a candidate, or why it is no file."""
    for path in libraries_in(folder):
        yield why_no_file(path) or Candidate(path, how)


def _listed(paths: Iterable[Path]) -> str:
    return ", ".join(str(path) for path in dict.fromkeys(paths)) or "no folder at all"


#: In order; cuda.pathfinder is last because it looks where the others did, at a higher price.
PLACES: tuple[Place, ...] = (
    Place("the caller's path", _argument, decides=True),
    Place(VARIABLE, _variable, decides=True),
    Place("this process", _loaded),
    Place("pip wheels", _wheels),
    Place("conda", _conda),
    Place("the system's loader", _loader),
    Place("CUDA toolkits", _toolkits),
    Place("cuda.pathfinder", _pathfinder),
)
