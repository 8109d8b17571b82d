"""Header files on this machine: in a folder, of an installed wheel, of a toolkit."""

from __future__ import annotations

import base64
import hashlib
import importlib
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from cudnn_cffi.api.model import version_of

from .contents import CUDA_OTHERS, CUDA_ROOTS, cuda_headers, header_set, is_public
from .records import CudaHeaders, HeaderError, HeaderSet, in_home, listing, reading
from .web import projects

if TYPE_CHECKING:
    from importlib.metadata import PackagePath

#: Where headers are, seen from a folder that somebody names.
_BELOW = ("", "include", "nvidia/cudnn/include", "nvidia/cu13/include")

_VARIABLES = ("CUDNN_PATH", "CUDNN_HOME", "CUDA_PATH", "CUDA_HOME", "CONDA_PREFIX")
_SYSTEM = (
    "/usr/include/x86_64-linux-gnu",
    "/usr/include/aarch64-linux-gnu",
    "/usr/include",
    "/usr/local/include",
    "/usr/local/cuda",
    "/opt/cuda",
)


def from_folder(folder: str | os.PathLike[str], version: str | None = None) -> HeaderSet:
    """Return the cuDNN headers in a folder, or in its include folder.

    Args:
        folder: an include folder, the root of a cuDNN archive or toolkit, or site-packages.
        version: needed only for headers that do not tell it themselves: "1.0.0".

    Raises:
        HeaderError: no such folder, no cudnn.h, an unreadable or empty file, no version, another
            version than the given one, or headers of several releases.
    """
    found = _below(Path(folder), "cudnn.h")
    files = {path.name: _bytes(path) for path in _entries(found) if is_public(path.name)}
    return header_set(files, str(found), version=version and version_of(version))


def cuda_from_folder(folder: str | os.PathLike[str]) -> CudaHeaders:
    """Return the CUDA headers in a folder, or in its include folder.

    Raises:
        HeaderError: no such folder, or headers are missing or unreadable.
    """
    found = _below(Path(folder), "cuda_runtime_api.h")
    paths = [*_entries(found), *(_entries(found / "crt") if (found / "crt").is_dir() else ())]
    files = {
        path.relative_to(found).as_posix(): _bytes(path)
        for path in paths
        if path.suffix in (".h", ".hpp")
    }
    others = [name for name in CUDA_OTHERS if name in files]
    return cuda_headers(files, str(found), (*CUDA_ROOTS, *others))


def installed() -> HeaderSet:
    """Return the headers of the cuDNN on this machine: of a wheel, else of a toolkit or the system.

    Raises:
        HeaderError: none was found, and where it was looked for; or a wheel's were changed.
    """
    changed = []
    for name in projects.CUDNN:
        version, paths = _wheel(name)
        public = {path.name: path for path in paths if is_public(path.name)}
        if "cudnn.h" not in public:
            continue
        files = {file: _bytes(_location(path)) for file, path in sorted(public.items())}
        origin = f"{name} {version} in {_location(public['cudnn.h']).parent}"
        different = [file for file, path in public.items() if not _intact(path, files[file])]
        if not different:
            return header_set(files, origin, version=version)
        changed.append(f"{origin}: {listing(different)}")
    if changed:
        raise HeaderError(
            "the installed headers are not those of the wheel that installed them "
            f"({'; '.join(changed)}). Were two wheels of cuDNN installed over each other? Keep "
            "one of them, and install it again"
        )
    return from_folder(_located("cudnn", "cudnn.h"))


def installed_cuda() -> CudaHeaders:
    """Return the headers of the CUDA on this machine: of wheels, else of a toolkit.

    Raises:
        HeaderError: none was found, and where it was looked for; or some are missing.
    """
    for pair in projects.CUDA:
        files: dict[str, bytes] = {}
        origin = []
        for name in pair:
            version, paths = _wheel(name)
            origin.append(f"{name} {version}")
            for path in paths:
                files[path.as_posix().partition("/include/")[2]] = _bytes(_location(path))
        if "cuda_runtime_api.h" in files:
            return cuda_headers(files, " and ".join(origin))
    return cuda_from_folder(_located("cudart", "cuda_runtime_api.h"))


def _wheel(name: str) -> tuple[str, list[PackagePath]]:
    """Version and header files of an installed project; no files where it is not installed."""
    from importlib import metadata

    try:
        distribution = metadata.distribution(name)
    except metadata.PackageNotFoundError:
        return "", []
    version = re.match(r"[\d.]*\d", distribution.version)
    headers = [
        path
        for path in distribution.files or ()
        if path.suffix in (".h", ".hpp") and "include" in path.parts
    ]
    return version[0] if version else "", headers


def _location(path: PackagePath) -> Path:
    return Path(str(path.locate()))


def _intact(path: PackagePath, content: bytes) -> bool:
    if path.hash is None or path.hash.mode not in hashlib.algorithms_available:
        return True  # nothing to compare with
    actual = base64.urlsafe_b64encode(hashlib.new(path.hash.mode, content).digest()).decode()
    return actual.rstrip("=") == path.hash.value.rstrip("=")


def _located(library: str, header: str) -> Path:
    """Return a folder with `header`, as cuda-pathfinder finds it, or else in the usual places."""
    for folder in (tried := list(_places(library))):
        for place in _BELOW:
            if (folder / place / header).is_file():
                return folder / place
    raise HeaderError(
        f"no {header} is installed here; looked for wheels of the projects "
        f"{listing(projects.CUDNN)}, and in {listing(map(str, tried), 20)}. Install one "
        f"(`pip install {projects.CUDNN[0]}`), or name the folder or the release to use"
    )


def _places(library: str) -> Iterator[Path]:
    try:
        pathfinder = importlib.import_module("cuda.pathfinder")
        found = pathfinder.find_nvidia_header_directory(library)
    except (ImportError, AttributeError, RuntimeError):
        found = None
    if found:
        yield Path(found)
    for variable in _VARIABLES:
        if os.environ.get(variable):
            yield Path(os.environ[variable])
    yield from map(Path, _SYSTEM)


def _below(folder: Path, name: str) -> Path:
    folder = in_home(folder)
    if not folder.is_dir():
        state = "is not a folder" if folder.exists() else "does not exist"
        raise HeaderError(f"{folder} {state}; expected the folder with {name}")
    for place in _BELOW:
        path = folder / place / name
        if path.exists() or path.is_symlink():  # a broken link fails later, by its own name
            return path.parent
    there = listing(path.name for path in _entries(folder)) or "nothing"
    raise HeaderError(
        f"{folder}: expected {name} there or in its include folder, and found {there}. "
        "Point at the folder with the header files"
    )


def _entries(folder: Path) -> list[Path]:
    with reading(folder):
        return sorted(folder.iterdir())


def _bytes(path: Path) -> bytes:
    with reading(path):
        if path.exists() and not path.is_file():  # a pipe would be waited for
            raise HeaderError(f"{path} cannot be read: it is not a regular file")
        return path.read_bytes()
