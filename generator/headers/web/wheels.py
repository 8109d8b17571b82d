"""Files out of a wheel, without the rest of the wheel where that can be avoided."""

from __future__ import annotations

import base64
import csv
import hashlib
import io
import lzma
import struct
import tempfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import pairwise

from remotezip import PartialBuffer, RemoteFetcher, RemoteZip

from ..records import HeaderError, Progress, Wheel, listing, reading
from .index import local_path
from .net import Network, NoRangesError
from .urls import server, shown

_TAIL = 64 * 1024  # bytes; holds a wheel's directory, its RECORD and more
_DAMAGE = (
    zipfile.BadZipFile,
    zlib.error,
    lzma.LZMAError,
    csv.Error,
    struct.error,
    EOFError,
    LookupError,
    NotImplementedError,
    OverflowError,
    RuntimeError,
    ValueError,
)
_GAP = 256 * 1024  # bytes; less than this between two files costs less than another request


def read_members(
    wheel: Wheel,
    wanted: Callable[[str], bool],
    network: Network,
    progress: Progress,
) -> dict[str, bytes]:
    """Return the files of `wheel` whose path `wanted` accepts, checked against its RECORD.

    Raises:
        HeaderError: it cannot be read, is damaged, or is not what its hashes promise.
    """
    try:
        with _open(wheel, network, progress) as archive:
            try:
                hashes, contents = _read(archive, wheel, wanted)
            except (OSError, NoRangesError) as error:  # of a decompressor, or beyond the end
                raise zipfile.BadZipFile(str(error) or "a place that is not there") from error
    except _DAMAGE as error:
        raise HeaderError(
            f"{wheel.file}: expected a wheel, and got a damaged, truncated or foreign file "
            f"({error}). It is from {shown(wheel.url)}; try again, or use another index"
        ) from error
    for name, content in contents.items():
        algorithm, expected = hashes.get(name, ("sha256", ""))
        actual = base64.urlsafe_b64encode(hashlib.new(algorithm, content).digest()).decode()
        if expected.rstrip("=") != actual.rstrip("="):
            state = "differs from" if expected else "is not in"
            raise HeaderError(
                f"{wheel.file}: {name} {state} the wheel's own RECORD, so it was tampered with. "
                f"It is from {shown(wheel.url)}; do not use it, and tell who runs that index"
            )
    return contents


def _read(
    archive: zipfile.ZipFile, wheel: Wheel, wanted: Callable[[str], bool]
) -> tuple[dict[str, tuple[str, str]], dict[str, bytes]]:
    """Return what the RECORD says of all files, and the contents of those that are wanted."""
    names = [info.filename for info in archive.infolist() if not info.is_dir()]
    chosen = sorted(name for name in names if wanted(name))
    record = next((name for name in names if name.endswith(".dist-info/RECORD")), None)
    if record is None:
        raise HeaderError(
            f"{wheel.file}: expected a wheel, but it has no RECORD, only {listing(names)}"
        )
    if isinstance(archive, _RemoteWheel):
        archive.load([record, *chosen])
    return _hashes(archive.read(record)), {name: archive.read(name) for name in chosen}


def _hashes(record: bytes) -> dict[str, tuple[str, str]]:
    """Algorithm and hash, in base 64, of each file that a RECORD lists."""
    rows = csv.reader(io.StringIO(record.decode("utf-8", "replace")))
    hashes = ((row[0], row[1].partition("=")) for row in rows if len(row) > 1)
    return {
        name: (algorithm, value)
        for name, (algorithm, _, value) in hashes
        if algorithm in hashlib.algorithms_guaranteed and not algorithm.startswith("shake")
    }


@contextmanager
def _open(wheel: Wheel, network: Network, progress: Progress) -> Iterator[zipfile.ZipFile]:
    path = local_path(wheel.url)
    if path is not None:
        with reading(path):
            archive = zipfile.ZipFile(path)
        with archive:
            yield archive
        return
    try:
        remote = _RemoteWheel(wheel, network, progress)
    except NoRangesError:
        network.once.warn(
            f"{server(wheel.url)} does not send parts of files, so whole wheels are downloaded"
        )
    else:
        with remote:
            yield remote
        return
    try:
        with tempfile.TemporaryFile(prefix="cudnn-cffi-") as file:
            sha256 = network.download(wheel.url, file, wheel.file, progress)
            if wheel.sha256 and sha256 != wheel.sha256:
                raise HeaderError(
                    f"{wheel.file}: expected sha256 {wheel.sha256}, as its index says, and got "
                    f"{sha256}. It is from {shown(wheel.url)}; try again, or use another index"
                )
            with zipfile.ZipFile(file) as archive:
                yield archive
    except OSError as error:
        raise HeaderError(
            f"{wheel.file} cannot be stored in {tempfile.gettempdir()}: "
            f"{error.strerror or error}. Make room, or let TMPDIR name another folder"
        ) from error


class _RemoteWheel(RemoteZip):  # type: ignore[misc]
    """A wheel on a server, read in parts."""

    def __init__(self, wheel: Wheel, network: Network, progress: Progress) -> None:
        """Open a wheel.

        Raises:
            NoRangesError: the server cannot send parts.
        """
        self._parts = _Parts(wheel, network, progress)
        super().__init__(wheel.url, initial_buffer_size=_TAIL, fetcher=lambda *_, **__: self._parts)

    def load(self, names: list[str]) -> None:
        """Get all of `names` now, in as few requests as possible."""
        starts = sorted([*(info.header_offset for info in self.infolist()), self.start_dir])
        follow = dict(pairwise(starts))
        spans: list[tuple[int, int]] = []
        for start in sorted(self.getinfo(name).header_offset for name in names):
            stop = follow[start]
            if spans and start - spans[-1][1] < _GAP:
                spans[-1] = (spans[-1][0], stop)
            else:
                spans.append((start, stop))
        self._parts.load(spans)


class _Parts(RemoteFetcher):  # type: ignore[misc]
    """Fetches parts of a wheel, and keeps them."""

    def __init__(self, wheel: Wheel, network: Network, progress: Progress) -> None:
        super().__init__(wheel.url)
        self._wheel, self._network, self._progress = wheel, network, progress
        self._kept: list[tuple[int, bytes]] = []

    def load(self, spans: list[tuple[int, int]]) -> None:
        missing = [span for span in spans if self._find(*span) is None]
        total = sum(stop - start for start, stop in missing)
        done = 0
        for start, stop in missing:
            self._kept.append(self._network.part(self._wheel.url, start, stop - 1))
            done += stop - start
            self._progress(done, total, self._wheel.file)

    def fetch(self, data_range: tuple[int, int | None], stream: bool = False) -> PartialBuffer:
        start, last = data_range
        if start < 0 or last is None:
            first, data = self._tail_of(-start)
            self._kept.append((first, data))
        else:
            found = self._find(start, last + 1)
            if found is None:
                self._kept.append(self._network.part(self._wheel.url, start, last))
                found = self._kept[-1][1]
            first, data = start, found
        return PartialBuffer(io.BytesIO(data), first, len(data), stream)

    def _tail_of(self, length: int) -> tuple[int, bytes]:
        try:
            return self._network.part(self._wheel.url, -length, None)
        except NoRangesError:
            # Some servers know ranges, but not those that count from the end.
            size = self._network.size(self._wheel.url)
            return self._network.part(self._wheel.url, max(0, size - length), size - 1)

    def _find(self, start: int, stop: int) -> bytes | None:
        for first, data in self._kept:
            if first <= start and stop <= first + len(data):
                return data[start - first : stop - first]
        return None
