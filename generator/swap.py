"""Replace a folder as a whole, by one run at a time, and restore it after a killed run.

Three names beside a folder `tree` belong to this module: `.tree.lock` is locked by the run that
writes; `.tree.new` is being written or removed; `.tree.old` is the content between two renames,
where the system cannot exchange two folders in one step.
"""

from __future__ import annotations

import contextlib
import ctypes
import logging
import os
import shutil
import sys
import time
from collections.abc import Iterator, Mapping
from pathlib import Path

log = logging.getLogger(__name__)


@contextlib.contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Keep other runs from writing `folder`, and restore it after a killed run.

    The lock is the operating system's, so that it ends with the process that holds it.

    Raises:
        OSError: the folder above may not be written.
    """
    path = _beside(folder, "lock")
    folder.parent.mkdir(parents=True, exist_ok=True)
    with contextlib.ExitStack() as stack:
        while True:
            descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
            stack.callback(os.close, descriptor)
            _wait(descriptor, folder)
            if _is(path, descriptor):
                break  # else the run that had it has removed it meanwhile
        try:
            recover(folder)
            yield
        finally:
            with contextlib.suppress(OSError):  # Windows keeps a file that is open
                path.unlink()


def _wait(descriptor: int, folder: Path) -> None:
    waiting = False
    while not _take(descriptor):
        if not waiting:
            log.warning("waiting for another run, which is writing %s", folder)
        waiting = True
        time.sleep(0.05)


if sys.platform == "win32":
    import msvcrt

    def _take(descriptor: int) -> bool:
        try:
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        except PermissionError:
            return False
        return True
else:
    import fcntl

    def _take(descriptor: int) -> bool:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True


def _is(path: Path, descriptor: int) -> bool:
    try:
        return os.path.samestat(path.stat(), os.fstat(descriptor))
    except FileNotFoundError:
        return False


def replace(folder: Path, files: Mapping[str, bytes]) -> None:
    """Make `folder`, whose lock is held, consist of `files`; on failure it stays as it was.

    Raises:
        OSError: the disk is full, or a folder may not be written.
    """
    new = _beside(folder, "new")
    try:
        new.mkdir()
        for name, data in files.items():
            path = new / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
        if not folder.exists():
            new.rename(folder)
        elif not _exchange(new, folder):
            folder.rename(_beside(folder, "old"))
            new.rename(folder)
    finally:
        recover(folder)


def _exchange(one: Path, other: Path) -> bool:
    """Exchange two folders in one step; False where the system or the file system cannot."""
    if sys.platform != "linux":
        return False
    rename = getattr(ctypes.CDLL(None), "renameat2", None)  # in glibc since 2.28
    here, exchange = -100, 2  # AT_FDCWD, RENAME_EXCHANGE
    return rename is not None and not rename(
        here, os.fsencode(one), here, os.fsencode(other), exchange
    )


def interrupted(folder: Path) -> bool:
    """Return whether a run was killed that had moved `folder` away and put nothing in its place."""
    return _beside(folder, "old").is_dir() and not _has_content(folder)


def recover(folder: Path) -> None:
    """Put back what a killed run moved away, and remove what it left; the lock is held."""
    new, old = _beside(folder, "new"), _beside(folder, "old")
    if interrupted(folder):
        if folder.exists():
            folder.rmdir()
        old.rename(folder)
        log.warning("%s is as it was before a run that was stopped while replacing it", folder)
    _remove(new)
    if old.exists():
        # Under the other name first: a folder that is half removed must never be put back.
        old.rename(new)
        _remove(new)


def _has_content(folder: Path) -> bool:
    try:
        return any(folder.iterdir())
    except FileNotFoundError:
        return False


def _remove(folder: Path) -> None:
    if not folder.is_dir():
        return
    with contextlib.suppress(OSError):
        folder.chmod(0o700)  # a folder that may not be written keeps its files
        for path, folders, _ in os.walk(folder):
            for name in folders:
                Path(path, name).chmod(0o700)
    shutil.rmtree(folder, ignore_errors=True)
    if folder.exists():
        log.warning("%s is left over and cannot be removed: remove it by hand", folder)


def _beside(folder: Path, what: str) -> Path:
    return folder.parent / f".{folder.name}.{what}"
