"""Records kept on disk, believed only when their hash is right."""

from __future__ import annotations

import contextlib
import hashlib
import os
import tempfile
from pathlib import Path
from typing import TypeVar

import msgspec
from cudnn_cffi._support import files
from cudnn_cffi._support.decoding import decoded

from .records import Once

T = TypeVar("T")

_FORMAT = b"cudnn-cffi cache 1"


class Cache:
    """A folder of records. Nothing here raises: without a cache all still works, only slower.

    Several processes may use the folder at once: an entry appears whole or not at all.
    """

    def __init__(self, folder: str | os.PathLike[str] | None = None) -> None:
        """Open the cache in a folder; by default $CUDNN_CFFI_CACHE, or the user's cache folder."""
        chosen = folder or os.environ.get("CUDNN_CFFI_CACHE")
        if not chosen:
            import platformdirs

            with contextlib.suppress(RuntimeError):  # the user has no home
                chosen = platformdirs.user_cache_dir("cudnn-cffi", appauthor=False)
        self._is_there = bool(chosen)
        self.folder = Path(chosen or os.devnull)
        self._once = Once()

    def load(self, name: str, kind: type[T]) -> T | None:
        """Return the entry `name`, or None: never stored, damaged, or of another format."""
        if not self._is_there:
            return None
        path = self.folder / name
        try:
            head, _, body = files.read(path, own=True).partition(b"\n")
        except FileNotFoundError:
            return None
        except OSError as error:
            self._once.warn(f"{path} cannot be read ({_why(error)}); it is fetched again")
            return None
        if head == _head(name, body):
            with contextlib.suppress(msgspec.MsgspecError):
                return decoded(body, kind, msgspec.msgpack.decode)
        self._once.warn(f"{path} is damaged or of another version; it is fetched again")
        return None

    def store(self, name: str, value: object) -> None:
        """Keep `value` under `name`, or say once why that does not work."""
        if not self._is_there:
            self._once.warn("no home is known for a cache: name a folder in CUDNN_CFFI_CACHE")
            return
        body = msgspec.msgpack.encode(value)
        path = self.folder / name
        temporary = None
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            with tempfile.NamedTemporaryFile(dir=path.parent, prefix=".new-", delete=False) as file:
                temporary = file.name
                file.write(_head(name, body) + b"\n" + body)
            Path(temporary).replace(path)
        except OSError as error:
            if temporary is not None:
                with contextlib.suppress(OSError):
                    Path(temporary).unlink()
            self._once.warn(
                f"{self.folder} cannot be written to ({_why(error)}); going on without a cache. "
                "CUDNN_CFFI_CACHE can name another folder"
            )


def _head(name: str, body: bytes) -> bytes:
    # With the name: an entry that was renamed is not the one that was asked for.
    return b"%s %s" % (_FORMAT, hashlib.sha256(name.encode() + b"\0" + body).hexdigest().encode())


def _why(error: OSError) -> str:
    return error.strerror or str(error)
