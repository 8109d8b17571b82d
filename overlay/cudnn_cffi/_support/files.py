"""Files that several processes write."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path


def replace(path: Path, *parts: bytes) -> None:
    """Write a file as a whole: readers see the old one or the new one, and no part of either.

    Args:
        path: the file, whose folder exists.
        parts: what it is to have.

    Raises:
        OSError: it cannot be written; nothing is left behind.
    """
    temporary: Path | None = None
    try:
        with tempfile.NamedTemporaryFile(
            dir=path.parent, prefix=f"{path.stem}-", suffix=".tmp", delete=False
        ) as file:
            temporary = Path(file.name)
            file.writelines(parts)
        temporary.replace(path)
    except BaseException:
        if temporary is not None:
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
