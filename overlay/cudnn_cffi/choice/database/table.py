"""The databases in force: the package's, those of the environment, and those that were loaded."""

from __future__ import annotations

import hashlib
import os
import re
from contextlib import ExitStack
from pathlib import Path

from ... import driver, errors, library
from ..._support import fork
from ..._support.arguments import OFF
from ..device.properties import DeviceProperties
from .reader import Case, Database, Timed, read

TYPE_CHECKING = False
if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from ...handles import Handle

#: The environment variable with files, separated like PATH; 0 turns databases off.
VARIABLE = "CUDNN_CFFI_ENGINES"

#: The folder of the package's own files, whose names are those of device and release.
FOLDER = Path(__file__).parent

_lock = fork.lock()

#: Databases of the environment and the package, by device and release.
_known: dict[tuple[str, str], tuple[Database, ...]] = {}

#: The files that `load` has added, the last one first.
_loaded: list[Database] = []

#: The blocks of `off` that did not end; those of several threads end in any order.
_off: list[ExitStack] = []


def load(
    path: str | os.PathLike[str],
    device: DeviceProperties | Handle | int | str | None = None,
) -> Database:
    """Use a file for choices, before those that were loaded earlier, and return it.

    Args:
        path: a file of `python -m benchmarks.engines --pack`.
        device: what the file must be of: an ordinal, a handle, properties or a known name; by
            default the current device.

    Raises:
        DatabaseError: the file is damaged, has an entry that matches nothing, or is of another
            device or release; nothing of it is used.
        OSError: it cannot be read, is no regular file, or is too long.
        NotInitializedError: `device` is None, and there is no GPU.
    """
    found = read(path)
    _check(found, (DeviceProperties.of(device).kind,))
    with _lock:
        _loaded.insert(0, found)
    return found


def unload() -> None:
    """Forget the files that `load` has added."""
    with _lock:
        _loaded.clear()


def off() -> AbstractContextManager[object]:
    """Let choices time, whatever was recorded, until the end of a `with` block, if there is one.

    Returns: a context manager, at whose end databases are used as before.
    """
    undo = ExitStack()
    _off.append(undo)
    undo.callback(_off.remove, undo)
    return undo


def is_on() -> bool:
    """Return whether choices by "time" use databases."""
    return not _off and os.environ.get(VARIABLE, "").strip().lower() not in OFF


def databases() -> tuple[Database, ...]:
    """Return the databases that were loaded, those of the environment, and the package's.

    They are those of all devices and releases.

    Raises:
        DatabaseError: one is damaged.
        OSError: one cannot be read.
    """
    own = [read(path) for path in sorted(FOLDER.glob("*.jsonl"))]
    return (*_loaded, *map(read, _of_environment()), *own)


def _of_environment() -> list[str]:
    given = os.environ.get(VARIABLE, "")
    if given.strip().lower() in OFF:
        return []
    return [each for each in given.split(os.pathsep) if each]


def file_of(device: str, release: str) -> Path:
    """Return the package's file of a device and release, which need not exist."""
    return FOLDER / f"{re.sub(r'[^A-Za-z0-9.-]+', '-', f'{device}-{release}')}.jsonl"


def signature_of(computation_signature: str) -> str:
    """Return what a case is found by, of the signature of its computation."""
    return hashlib.sha256(computation_signature.encode()).hexdigest()[:24]


def covers(device: str) -> bool:
    """Return whether databases are used, and there is one of a device and the loaded release.

    Args:
        device: the kind of the device, as `DeviceProperties.kind`.

    Raises:
        DatabaseError, OSError: as `find` does.
    """
    return is_on() and bool(_of((device, library.load().version)))


def _of(place: tuple[str, str]) -> list[Database]:
    """Return the databases of a device and release, in the order in which they count."""
    found = (*_loaded, *_files(place))
    return [each for each in found if (each.device, each.release) == place]


def find(computation_signature: str, device: str) -> Case | None:
    """Return the case of a computation on a device, with the loaded release; None if unknown.

    Args:
        computation_signature: of the computation.
        device: the kind of the device, as `DeviceProperties.kind`.

    Raises:
        DatabaseError: a file of the environment is damaged, or of another device or release.
        OSError: such a file cannot be read.
    """
    if not is_on():
        return None
    place = device, library.load().version
    several = _of(place)
    signature = signature_of(computation_signature) if several else ""
    found = (each.cases.get(signature) for each in several)
    return next((case for case in found if case is not None), None)


def right_rows(case: Case) -> tuple[Timed, ...]:
    """Return the engines of a case that are right, the fastest first."""
    return tuple([each for each in case.rows if each.is_right])


def _files(place: tuple[str, str]) -> tuple[Database, ...]:
    """Return the files of the environment and of the package for a device and release."""
    if place not in _known:
        with _lock:
            if place not in _known:
                several = [read(path) for path in _of_environment()]
                for each in several:
                    _check(each, (place[0], *_present()))
                path = file_of(*place)
                if path.exists():
                    several.append(read(path, lazily=True))
                _known[place] = tuple([each for each in several if each.device == place[0]])
    return _known[place]


def _present() -> list[str]:
    """Return the kinds of the devices of this machine."""
    found = []
    for device in range(driver.count()):
        try:
            found.append(DeviceProperties.from_device(device).kind)
        except errors.CudnnError:
            continue
    return found


def _check(found: Database, devices: tuple[str, ...]) -> None:
    """Refuse a database of another release or of none of the devices.

    Raises:
        DatabaseError: it is one.
    """
    release = library.load().version
    if found.release != release:
        raise errors.DatabaseError(
            f"{found.path}: expected cuDNN {release}, got a database of {found.release}",
            hint="engines have other numbers and times in another release; nothing of it is used",
        )
    if found.device not in devices:
        raise errors.DatabaseError(
            f"{found.path}: expected {' or '.join(dict.fromkeys(devices))}, got a database of "
            f"{found.device}",
            hint="engines have other times on another device; nothing of it is used",
        )
