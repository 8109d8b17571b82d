"""Records that describe header files and where to get them, and the one error of this package."""

from __future__ import annotations

import hashlib
import logging
import os
import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path

import msgspec

from .. import GeneratorError

#: Called with the work done, all the work (0 if not known) and the name of the current task.
Progress = Callable[[int, int, str], None]

#: The current task where the unit is pages; else it is bytes.
PAGES = "asking the package index"

#: Where this package says what went wrong but did not stop it.
log = logging.getLogger("generator.headers")


class HeaderError(GeneratorError):
    """Header files cannot be had. The text says what was expected, the value, and what to do."""


class Once:
    """Logs a warning the first time that it is given one."""

    def __init__(self) -> None:
        self._said: set[str] = set()

    def warn(self, text: str) -> None:
        """Log a warning, unless it is empty or was logged before."""
        if text and text not in self._said:
            self._said.add(text)
            log.warning("%s", text)


class Wheel(msgspec.Struct, frozen=True, omit_defaults=True):
    """One wheel on a package index or in a folder."""

    file: str
    url: str  # file:// for one on this machine
    sha256: str = ""  # as the index gives it; "" where it gives none
    yanked: bool = False
    uploaded: str = ""  # when, in ISO 8601; "" where the index does not tell


class Build(msgspec.Struct, frozen=True, omit_defaults=True):
    """All wheels of one build of a project, the one to prefer first."""

    build: str  # "9.28.0.42"
    wheels: tuple[Wheel, ...]

    @property
    def version(self) -> str:
        """The release that it is a build of: "9.28.0"."""
        return ".".join((*self.build.split("."), "0", "0")[:3])

    @property
    def yanked(self) -> bool:
        """Return whether the index advises against it; the headers can be used all the same."""
        return all(wheel.yanked for wheel in self.wheels)


class Available(Build, frozen=True, omit_defaults=True):
    """A release that can be fetched: its newest build, and the builds that this one replaced."""

    older: tuple[Build, ...] = ()
    newest: bool = True  # False for one of those

    @property
    def date(self) -> str:
        """The day on which the first wheel of the release was published; "" if no index tells."""
        wheels = (wheel for build in (self, *self.older) for wheel in build.wheels)
        return min((wheel.uploaded[:10] for wheel in wheels if wheel.uploaded), default="")

    @property
    def platforms(self) -> dict[str, tuple[str, ...]]:
        """The platforms of its wheels, such as "linux_x86_64", by CUDA's major version."""
        found: dict[str, set[str]] = {}
        for wheel in (wheel for build in (self, *self.older) for wheel in build.wheels):
            if named := _PLATFORM.fullmatch(wheel.file):
                cuda, system, machine = named.groups()
                found.setdefault(cuda, set()).add(f"{system}_{machine}")
        return {cuda: tuple(sorted(found[cuda])) for cuda in sorted(found, key=int)}


_PLATFORM = re.compile(r"nvidia_cudnn_cu(\d+)-.*-(?:many)?(linux|win)(?:\d+|_\d+_\d+)?_(\w+)\.whl")


class _Files(msgspec.Struct, frozen=True, dict=True):
    version: str
    files: dict[str, bytes]  # sorted by name; line ends are \n
    origin: str  # for people: a wheel's name, a folder

    @cached_property
    def digest(self) -> str:
        """sha256 over names and contents, the same for all sources of the headers."""
        total = hashlib.sha256()
        for name, content in sorted(self.files.items()):
            total.update(b"%s\0%d\0" % (name.encode(), len(content)))
            total.update(content)
        return total.hexdigest()


class HeaderSet(_Files, frozen=True, dict=True, kw_only=True):
    """The public headers of one release. `version` is what the files say of themselves."""

    build: str  # "9.28.0.42" where known, else the version again
    libraries: tuple[str, ...] | None = None  # "libcudnn_ops"; None where only headers are there
    date: str = ""  # the day on which the release's first wheel was published, if an index tells
    wheels: dict[str, tuple[str, ...]] = {}  # their platforms, by CUDA's major version
    exports: dict[str, tuple[str, ...]] = {}  # functions by library, of those that were read
    remarks: tuple[str, ...] = ()  # what the model lacks of them, or has in another way


class CudaHeaders(_Files, frozen=True, dict=True, kw_only=True):
    """Headers of CUDA that cuDNN's headers include, by the names that `#include` uses."""


def in_home(path: str | os.PathLike[str]) -> Path:
    """Return a path whose ~ is the home of a user; as it is where there is none."""
    return Path(os.path.expanduser(path))  # noqa: PTH111


@contextmanager
def reading(path: object) -> Iterator[None]:
    """Name the file in an error of the system.

    Raises:
        HeaderError: the file cannot be read.
    """
    try:
        yield
    except OSError as error:
        raise HeaderError(f"{path} cannot be read: {error.strerror or error}") from error


def listing(names: Iterable[str], most: int = 6) -> str:
    """Return the first few of `names`, for a message."""
    names = list(names)
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more
