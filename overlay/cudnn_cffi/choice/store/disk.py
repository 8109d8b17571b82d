"""Choices, plans and kernels on disk, shared by processes and kept for later ones.

A folder for each release, major of CUDA and kind of device has a file for each computation: the
engine and its knobs, and the plan as cuDNN's JSON, which needs no compiler to load. Another one has
the binaries of this package's kernels. Files are written beside their place and renamed, so that
readers see all of a file or nothing. Each begins with a hash of the rest.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import sys
import time
from contextlib import suppress
from pathlib import Path

from ... import library
from ..._support import files, fork
from ..._support.arguments import OFF, ON
from ..._support.results import NamedTuple
from ..warn_once import warn_once

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, TypeVar

    _T = TypeVar("_T")

#: The environment variable that names the folder, or turns the cache off.
VARIABLE = "CUDNN_CFFI_PLAN_CACHE"

_WAY_OUT = f"{VARIABLE}=0 turns this off, another folder moves it"

#: Maximum size of all files, in bytes. When there are more, those that were not used longest are
#: removed.
limit = 512 << 20

#: Raise it when engines are filtered in another way: stored refusals may be void.
_SCHEMA = 6
_LONGEST = 64 << 20

#: Names of files that are written here: the folder may have others, which are not removed.
_OURS = re.compile(r"[0-9a-f]{32}(-[0-9a-f-]+)?\.(json|cubin|tmp)")

#: The bytes of a hash and of the end of its line.
_OF_HASH = 65

#: Seconds for which a file that is being written is left alone; then its writer is gone.
_WRITING = 600

#: Bytes that may be written before all files are looked at again, by folder and limit.
_room: dict[tuple[Path, int], int] = {}

_lock = fork.lock()


class Saved(NamedTuple):
    """The contents of a file.

    Attributes:
        engine: the index of the engine; None where no engine supports the computation.
        knobs: values of its knobs by name.
        tuned: whether it was chosen by timing.
        uids: the unique ids of the tensors in `plan`, in the order of the operands.
        plan: cuDNN's JSON of the plan, or "".
        refusals: why engines do not support the computation, as dictionaries.
    """

    engine: int | None
    knobs: dict[str, int]
    tuned: bool = False
    uids: tuple[int, ...] = ()
    plan: str = ""
    refusals: tuple[dict[str, Any], ...] = ()


def folder() -> Path | None:
    """Return the folder of the cache, which need not exist; None where it is turned off.

    It is `$CUDNN_CFFI_PLAN_CACHE`, or "plans" in this package's folder among the user's caches. The
    values "0" and "off" turn the cache off; "1" and "on" leave it where it is without one.
    """
    given = os.environ.get(VARIABLE, "")
    if given.strip().lower() in OFF:
        return None
    if given and given.strip().lower() not in ON:
        return Path(given)
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA")
        return Path(base or Path.home() / "AppData/Local") / "cudnn-cffi" / "Cache" / "plans"
    given = os.environ.get("XDG_CACHE_HOME", "").strip()
    try:
        base_folder = Path(given) if given else Path.home() / ".cache"
    except RuntimeError:  # there is no home
        return None
    return base_folder / "cudnn-cffi" / "plans"


def _path(device: str, key: str) -> Path | None:
    base = folder()
    if base is None:
        return None
    loaded = library.load()
    # One release is built with several majors of CUDA, whose compilers and engines differ.
    name = f"{loaded.version}-cuda{loaded.cudart // 1000}-{device}"
    place = re.sub(r"[^A-Za-z0-9.-]+", "-", name)
    name = hashlib.sha256(key.encode()).hexdigest()[:32]
    return base / place / f"{name}.json"


def load(device: str, key: str) -> Saved | None:
    """Return what was saved; None where there is nothing, or nothing that can be used.

    A file that is damaged is a warning, once. So is a file or folder that another user has or may
    write: who writes a plan decides what this process runs.

    Args:
        device: the name and fingerprint of the device.
        key: the signature of the computation and the options.
    """
    return _read(_path(device, key), "plan", lambda body: _decode(body, key))


def load_kernel(key: str) -> bytes | None:
    """Return the binary of kernels that was saved; see `load`.

    Args:
        key: tells source, options and compiler.
    """
    return _read(_kernel_path(key), "kernel", lambda body: body)


def _kernel_path(key: str) -> Path | None:
    base = folder()
    name = hashlib.sha256(key.encode()).hexdigest()[:32]
    return None if base is None else base / "kernels" / f"{name}.cubin"


def _read(path: Path | None, word: str, decode: Callable[[bytes], _T]) -> _T | None:
    """Return what a file has; None where there is none, or it is not used, which is a warning."""
    if path is None:
        return None
    try:
        if not _is_trusted(path.parent):
            return None
        digest, _, body = files.read(path, _LONGEST, own=True).partition(b"\n")
        if digest != _digest(body):
            raise ValueError("its hash is another one")
        found = decode(body)
    except FileNotFoundError:
        return None
    except OSError as error:
        warn_once(f"the saved {word} {path} is not used: {error.strerror or error}")
        return None
    except (
        ArithmeticError, AttributeError, KeyError, RecursionError, TypeError, ValueError,
    ) as error:  # fmt: skip
        warn_once(f"the saved {word} {path} is damaged and not used: {error}")
        return None
    with suppress(OSError):
        os.utime(path)  # it was used: see `_trim`
    return found


def _is_trusted(place: Path) -> bool:
    """Return whether nobody else can change a folder of plans; if somebody can, that is a warning.

    Raises:
        OSError: there is no such folder.
    """
    reason = files.distrust(place.stat())
    if reason:
        warn_once(f"the saved plans in {place} are not used: {reason}; {_WAY_OUT}")
    return not reason


def _decode(body: bytes, key: str) -> Saved | None:
    fields = json.loads(body)
    if fields["schema"] != _SCHEMA or fields["key"] != key:
        return None  # of another version of this package
    engine = fields["engine"]
    knobs = {str(name): int(value) for name, value in fields["knobs"].items()}
    return Saved(
        None if engine is None else int(engine),
        knobs,
        bool(fields["tuned"]),
        tuple(int(uid) for uid in fields["uids"]),
        str(fields["plan"]),
        tuple(dict(each) for each in fields["refusals"]),
    )


def _digest(body: bytes) -> bytes:
    return hashlib.sha256(body).hexdigest().encode()


def save(device: str, key: str, saved: Saved) -> bool:
    """Write a file, and return whether it was; where it cannot be written, that is a warning."""
    fields = {"schema": _SCHEMA, "key": key, **saved._asdict()}
    return _write(_path(device, key), json.dumps(fields).encode())


def save_kernel(key: str, code: bytes) -> bool:
    """Write the binary of kernels, and return whether it was written; see `load_kernel`."""
    return _write(_kernel_path(key), code)


def _write(path: Path | None, body: bytes) -> bool:
    if path is None:
        return False
    if len(body) > _LONGEST - _OF_HASH:
        return False  # it would not be read
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        if not _is_trusted(path.parent):
            return False
        files.replace(path, _digest(body), b"\n", body, own=True)
    except OSError as error:
        warn_once(f"plans cannot be saved in {path.parent}: {error.strerror or error}; {_WAY_OUT}")
        return False
    _trim(path.parents[1], len(body) + _OF_HASH)
    return True


def _files(base: Path) -> list[tuple[float, int, Path]]:
    """Return time, size and path of each file, those that were not used longest first."""
    found = []
    recent = time.time() - _WRITING
    for path in base.glob("*/*"):
        if _OURS.fullmatch(path.name):
            with suppress(OSError):
                state = path.stat()
                if path.suffix != ".tmp" or state.st_mtime < recent:
                    found.append((state.st_mtime, state.st_size, path))
    return sorted(found)


def _trim(base: Path, written: int) -> None:
    """Remove files until the rest fits, with some room to spare.

    Args:
        base: the folder.
        written: bytes that were written to it just now.
    """
    key = base, limit
    with _lock:
        left = _room.get(key, 0) - written
        if left < 0:
            found = _files(base)
            total = sum(size for _, size, _ in found)
            fits = limit if total <= limit else limit * 3 // 4
            for _, size, path in found:
                if total <= fits:
                    break
                with suppress(OSError):
                    path.unlink()
                    total -= size
            left = min(limit - total, limit // 64)  # other processes write, too
            _room.clear()
        _room[key] = left


def size() -> int:
    """Return the bytes of all files."""
    base = folder()
    return 0 if base is None else sum(size for _, size, _ in _files(base))


def clear() -> None:
    """Remove all files, of all releases and devices."""
    base = folder()
    for _, _, path in _files(base) if base is not None else ():
        with suppress(OSError):
            path.unlink()
