"""Files that several processes read and write."""

from __future__ import annotations

import errno
import os
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from .arguments import path_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import BinaryIO

_BINARY = getattr(os, "O_BINARY", 0)

#: Opening a FIFO or a device that nobody writes to would wait for ever.
_AT_ONCE = getattr(os, "O_NONBLOCK", 0)


def read(path: str | os.PathLike[str], longest: int = 64 << 20, *, own: bool = False) -> bytes:
    """Return the content of a regular file.

    Args:
        path: the file, or a link to it.
        longest: the maximum size, in bytes.
        own: whether to refuse a file that another user has, or may write; see `distrust`.

    Raises:
        OSError: it cannot be read, is no regular file, is longer, or is refused.
    """
    with opened(path) as file:
        if own and (reason := distrust(os.fstat(file.fileno()))):
            raise _refusal(reason, path)
        content = file.read(longest + 1)
    if len(content) > longest:
        raise _refusal(f"expected at most {longest} bytes, got more", path)
    return content


def opened(path: str | os.PathLike[str]) -> BinaryIO:
    """Return a regular file, open for reading.

    Raises:
        OSError: it cannot be read, or is no regular file.
    """
    file = open(path_of(path), "rb", opener=_open)  # noqa: SIM115  no number of a file
    if stat.S_ISREG(os.fstat(file.fileno()).st_mode):
        return file
    file.close()
    raise _refusal("expected a regular file, got a FIFO, socket or device", path)


def distrust(state: os.stat_result) -> str:
    """Return why others can decide what a file or folder contains; "" if they cannot.

    Its owner must be the user of this process or root, and nobody else may write it. Windows has
    other rights, which are not looked at.
    """
    if sys.platform == "win32":
        return ""
    if state.st_uid not in (0, os.geteuid()):
        return f"it belongs to another user ({state.st_uid})"
    if state.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        return f"other users may write it (mode {stat.S_IMODE(state.st_mode):o})"
    return ""


def _open(path: str, flags: int) -> int:
    return os.open(path, flags | _AT_ONCE)


def _refusal(reason: str, path: str | os.PathLike[str]) -> OSError:
    return OSError(errno.EINVAL, reason, os.fspath(path))


def replace(path: Path, *parts: bytes, mode: int = 0o600, own: bool = False) -> None:
    """Write a file as a whole: readers see the old one or the new one, and no part of either.

    A link stays one, and its target is replaced. A file keeps its mode.

    Args:
        path: the file, whose folder exists.
        parts: what it is to have.
        mode: that of a new file, less what the process masks.
        own: whether to replace whatever has the name, a link or a FIFO too, by a file of `mode`.

    Raises:
        OSError: it cannot be written, or is no regular file; nothing is left of it.
    """
    if not own:
        path = Path(os.path.realpath(path))
        if path.exists() and not path.is_file():
            raise _refusal("expected a regular file, got a folder, FIFO, socket or device", path)
    temporary = path.with_name(f"{path.stem}-{os.getpid()}-{os.urandom(4).hex()}.tmp")
    try:
        number = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _BINARY, mode)
        with open(number, "wb") as file:  # noqa: PTH123
            file.writelines(parts)
        if not own and path.exists():
            kept, new = (stat.S_IMODE(each.stat().st_mode) for each in (path, temporary))
            if kept != new:  # some file systems have one mode for all, and refuse to set it
                temporary.chmod(kept)
        temporary.replace(path)
    except BaseException as error:
        with suppress(OSError):
            temporary.unlink()
        if isinstance(error, OSError):
            error.filename = os.fspath(path)  # nobody knows the temporary file
            del error.filename2
        raise


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Keep other processes out that lock the same file, while a `with` block runs.

    The lock is a file beside it, with ".lock" after the name, which stays.

    Raises:
        OSError: that file cannot be made.
    """
    path = Path(os.path.realpath(path))
    with path.with_name(f"{path.name}.lock").open("a+b") as file:
        _lock(file.fileno(), True)
        try:
            yield
        finally:
            _lock(file.fileno(), False)


if sys.platform == "win32":
    import msvcrt

    def _lock(number: int, on: bool) -> None:
        os.lseek(number, 0, os.SEEK_SET)
        msvcrt.locking(number, msvcrt.LK_LOCK if on else msvcrt.LK_UNLCK, 1)

else:
    import fcntl

    def _lock(number: int, on: bool) -> None:
        fcntl.flock(number, fcntl.LOCK_EX if on else fcntl.LOCK_UN)
