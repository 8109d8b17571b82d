"""Files that are kept for later processes: where they are, and that nobody else has written them.

Files are written beside their place and renamed, so that readers see all of a file or nothing. Each
begins with a hash of the rest.
"""

from __future__ import annotations

import hashlib
import os
import re
import sys
import time
import warnings
from contextlib import suppress
from pathlib import Path

from .._support import files, fork
from .._support.arguments import OFF, ON

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeVar

    _T = TypeVar("_T")

#: The environment variable that names the folder, or turns the cache off.
VARIABLE = "CUDNN_CFFI_PLAN_CACHE"

_WAY_OUT = f"{VARIABLE}=0 turns this off, another folder moves it"

#: Maximum size of all files, in bytes. When there are more, those that were not used longest are
#: removed.
limit = 512 << 20

#: Maximum size of a file, in bytes.
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

_warned: set[str] = set()


def warn_once(text: str) -> None:
    """Warn of something that was not warned of before in this process."""
    if text not in _warned:
        _warned.add(text)
        warnings.warn(text, RuntimeWarning, stacklevel=6)


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


def place(inner: str, key: str, suffix: str) -> Path | None:
    """Return the path of a file; None where the cache is turned off.

    Args:
        inner: the folder in that of the cache.
        key: tells the file from all others there.
        suffix: of its name.
    """
    base, name = folder(), hashlib.sha256(key.encode(errors="surrogatepass")).hexdigest()[:32]
    return None if base is None else base / inner / f"{name}{suffix}"


def read(path: Path | None, word: str, decode: Callable[[bytes], _T]) -> _T | None:
    """Return what a file has; None where there is nothing, or nothing that can be used.

    A file that is damaged is a warning, once. So is a file or folder that another user has or may
    write: who writes a plan decides what this process runs.

    Args:
        path: of `place`.
        word: says what it is, in warnings.
        decode: returns what its bytes say, or raises an error.
    """
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


def _digest(body: bytes) -> bytes:
    return hashlib.sha256(body).hexdigest().encode()


def write(path: Path | None, body: bytes) -> bool:
    """Write a file, and return whether it was; where it cannot be written, that is a warning."""
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
