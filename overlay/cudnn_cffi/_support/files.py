"""Files that several processes write."""

from __future__ import annotations

import os
import secrets
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

_BINARY = getattr(os, "O_BINARY", 0)


def replace(path: Path, *parts: bytes, mode: int = 0o600) -> None:
    """Write a file as a whole: readers see the old one or the new one, and no part of either.

    A link stays one, and its target is replaced. A file keeps its mode.

    Args:
        path: the file, whose folder exists.
        parts: what it is to have.
        mode: that of a new file, less what the process masks.

    Raises:
        OSError: it cannot be written; nothing is left behind.
    """
    path = Path(os.path.realpath(path))
    temporary = path.with_name(f"{path.stem}-{os.getpid()}-{secrets.token_hex(4)}.tmp")
    try:
        number = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _BINARY, mode)
        with open(number, "wb") as file:  # noqa: PTH123
            file.writelines(parts)
        with suppress(FileNotFoundError):
            kept, own = (stat.S_IMODE(each.stat().st_mode) for each in (path, temporary))
            if kept != own:  # some file systems have one mode for all, and refuse to set it
                temporary.chmod(kept)
        temporary.replace(path)
    except BaseException:
        with suppress(OSError):
            temporary.unlink()
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
