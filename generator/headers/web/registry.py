"""Headers from the package indexes that pip uses, through the cache."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

import msgspec
from cudnn_cffi.api.model import version_of

from ..cache import Cache
from ..contents import cuda_headers, header_set, is_public
from ..exports import FRONT, LIBRARY, functions
from ..failures import Failures
from ..records import (
    PAGES,
    Available,
    Build,
    CudaHeaders,
    HeaderError,
    HeaderSet,
    Once,
    Progress,
    Wheel,
    listing,
)
from ..releases import check_spec, is_exact, nearest, releases, resolve
from . import projects
from .urls import shown

# All that speaks to a network is imported on first use: with a warm cache nothing of it is needed.
if TYPE_CHECKING:
    from .net import Network
    from .pip import PipSettings

#: Seconds for which the list of releases is taken to be up to date.
FRESH = 3600.0

_FOLDER = "give a folder with cuDNN's headers: --headers (and --cuda-headers for CUDA's)"
_CUDA_FOLDER = "give a folder with CUDA's headers: --cuda-headers (and --headers for cuDNN's)"


class _Listing(msgspec.Struct, frozen=True):
    when: float
    releases: tuple[Available, ...]


class _Exports(msgspec.Struct, frozen=True):
    libraries: tuple[str, ...]  # paths in the wheel
    functions: dict[str, tuple[str, ...]]  # by library, of those that were read


class _Known(msgspec.Struct, frozen=True):
    """Releases, and how much they can be relied on."""

    releases: tuple[Available, ...]
    asked: bool = True  # whether the indexes were asked for them just now
    source: str = ""  # where they are from, if not from all indexes
    caveat: str = ""  # what to warn of, if so


class Registry:
    """The package indexes that pip is configured to use, and what was fetched from them before.

    A context manager; one object for several calls keeps connections open between them. An index
    that fails is not asked again until the connections are closed.
    """

    def __init__(
        self,
        *,
        cache: Cache | None = None,
        settings: PipSettings | None = None,
        progress: Progress | None = None,
    ) -> None:
        """Prepare to ask indexes.

        Args:
            cache: by default the user's.
            settings: by default what pip is configured to use.
            progress: called while something takes long; the numbers are bytes, or pages where the
                label is `PAGES`.
        """
        self._cache = cache or Cache()
        self._progress = progress or (lambda *_: None)
        self._open_network: Network | None = None
        self._failures = Failures()
        self._once = Once()
        if settings is not None:
            self._settings = settings

    def __enter__(self) -> Registry:
        return self

    def __exit__(self, *_: object) -> None:
        self._failures = Failures()
        if self._open_network is not None:
            self._open_network.close()
            self._open_network = None

    @property
    def received(self) -> int:
        """Bytes received from servers since the connection was opened."""
        return 0 if self._open_network is None else self._open_network.received

    def available(self, *, refresh: bool = False) -> tuple[Available, ...]:
        """Every release on the indexes, oldest first.

        Args:
            refresh: ask the indexes even where the answer of the last hour is known.

        Raises:
            HeaderError: no index could be read, or none has a release.
        """
        known = self._releases(refresh=refresh)
        self._once.warn(known.caveat)
        return known.releases

    def resolve(self, spec: str, *, refresh: bool = False) -> list[Available]:
        """Return the releases on the indexes that `spec` means; see `resolve` of this package.

        Args:
            spec: "all", "latest", a release, also as cudnnGetVersion gives it, a build, or the
                beginning of a version.
            refresh: ask the indexes even where the answer of the last hour is known.

        Raises:
            HeaderError: there is none such, or an index that may have it failed.
        """
        spec = version_of(spec)
        check_spec(spec)
        known = self._releases(refresh=refresh)
        try:
            found = resolve(spec, known.releases)
        except HeaderError:
            if not known.asked:
                return self.resolve(spec, refresh=True)  # it may be new
            if not known.caveat:
                raise
            elsewhere = f"in {known.source} it is not; {nearest(spec, known.releases)}"
            text = self._failures.explain(f"cuDNN {spec}", elsewhere, _FOLDER)
            raise HeaderError(text) from None
        self._once.warn(known.caveat)
        return found

    def fetch(self, release: str | Available, *, refresh: bool = False) -> HeaderSet:
        """Return the headers of one release.

        Args:
            release: what `resolve` takes, but for "all"; or one of `available()`. An exact one
                ("9.28.0") that was fetched before needs no network.
            refresh: ask the indexes again, and fetch what the cache has already.

        Raises:
            HeaderError: no such release, or it cannot be read.
        """
        if isinstance(release, str):
            release = version_of(release)
            kept = None if refresh or not is_exact(release) else self._kept(release)
            if kept is not None:
                return kept
            release = self._find(release, refresh=refresh)
        kept = None if refresh else self._kept(release.build)
        if kept is None:
            wheel = release.wheels[0]
            libraries = set()

            def wanted(path: str) -> bool:  # asked about every file of the wheel
                if library := _library_name(path):
                    libraries.add(library)
                header = _is_header(path) and is_public(_included_name(path))
                return header or _is_front(path)

            paths = self._members(wheel, wanted)
            front = [paths.pop(path) for path in list(paths) if _is_front(path)]
            files = {_included_name(path): content for path, content in paths.items()}
            kept = header_set(files, wheel.file, version=release.version, build=release.build)
            kept = msgspec.structs.replace(
                kept,
                libraries=tuple(sorted(libraries)),
                date=release.date,
                wheels=release.platforms,
                exports=self._exports_of(wheel, *front),
            )
            self._cache.store(f"cudnn-{kept.build}", kept)
        if release.newest:
            self._cache.store(f"newest-{kept.version}", kept.build)
        return kept

    def exports(self, release: str, wanted: Callable[[str], bool]) -> dict[str, tuple[str, ...]]:
        """Return the functions that libraries of a release export, by library.

        Files are fetched one after the other, and what was read of them is cached.

        Args:
            release: what `resolve` takes, but for "all".
            wanted: whether a library is wanted, by its name: "libcudnn_ops".

        Raises:
            HeaderError: no such release, or a file of it cannot be read.
        """
        found = self._find(release, refresh=False)
        entry = f"exports-{found.build}"
        known = self._cache.load(entry, _Exports) or _Exports((), {})
        if not known.libraries:
            paths: list[str] = []

            def listed(path: str) -> bool:
                paths.extend([path] if LIBRARY.fullmatch(path) else ())
                return False

            self._members(found.wheels[0], listed)
            known = _Exports(tuple(sorted(paths)), {})
        for path in known.libraries:
            name = _library_name(path)
            if wanted(name) and name not in known.functions:
                data = self._members(found.wheels[0], path.__eq__)[path]
                known.functions[name] = functions(data, path)
                self._cache.store(entry, known)
        return {name: each for name, each in known.functions.items() if wanted(name)}

    def cuda_headers(self) -> CudaHeaders:
        """Return what cuDNN's headers include of CUDA's: of one chosen version, else of the newest.

        Raises:
            HeaderError: none can be found, or read.
        """
        name = f"cuda-{projects.CUDA_PIN[0]}"
        kept = self._cache.load(name, CudaHeaders)
        if kept is None:
            wheels = self._cuda_wheels()
            files: dict[str, bytes] = {}
            for wheel in wheels:
                for path, content in self._members(wheel, _is_header).items():
                    files.setdefault(_included_name(path), content)
            kept = cuda_headers(files, " and ".join(wheel.file for wheel in wheels))
            self._cache.store(name, kept)
        return kept

    @cached_property
    def _settings(self) -> PipSettings:
        from .pip import read_settings

        return read_settings()

    @property
    def _network(self) -> Network:
        if self._open_network is None:
            from .net import Network

            self._open_network = Network(self._settings)
        return self._open_network

    def _exports_of(self, wheel: Wheel, *front: bytes) -> dict[str, tuple[str, ...]]:
        """Return what libcudnn exports; nothing where it cannot be read: headers are enough."""
        found = {}
        for data in front[:1]:
            try:
                found[FRONT] = functions(data, f"{FRONT} of {wheel.file}")
            except HeaderError as error:
                self._once.warn(f"{error}; what it exports stays unknown")
        return found

    def _kept(self, spec: str) -> HeaderSet | None:
        """Return what the cache has for a release or a build."""
        build = spec if spec.count(".") == 3 else self._cache.load(f"newest-{spec}", str)
        kept = None if build is None else self._cache.load(f"cudnn-{build}", HeaderSet)
        # Records from before libraries were looked for do not name them.
        return None if kept is None or kept.libraries is None else kept

    def _find(self, spec: str, *, refresh: bool) -> Available:
        found = self.resolve(spec, refresh=refresh)
        if spec == "all":
            raise HeaderError(f"{spec!r} means {len(found)} releases; fetch one at a time")
        return found[0]

    def _releases(self, *, refresh: bool) -> _Known:
        """Every release, from the indexes or as the cache has them.

        Raises:
            HeaderError: there is none.
        """
        name = f"releases-{_key(self._settings)}"
        kept = self._cache.load(name, _Listing)
        if kept is not None and not refresh and 0 <= time.time() - kept.when < FRESH:
            return _Known(kept.releases, asked=False)
        found = releases(self._ask(projects.CUDNN))
        if self._failures and kept is not None:
            day = time.strftime("%Y-%m-%d %H:%M", time.localtime(kept.when))
            source = f"the list of releases of {day}"
            caveat = f"{self._failures}. Going on with {source}"
            return _Known(kept.releases, source=source, caveat=caveat)
        if not found:
            raise HeaderError(
                self._missing("Releases of cuDNN", ", ".join(projects.CUDNN), _FOLDER)
            )
        if self._failures:
            caveat = f"{self._failures}. Releases may be missing"
            return _Known(found, source=self._others(), caveat=caveat)
        self._cache.store(name, _Listing(time.time(), found))
        return _Known(found)

    def _cuda_wheels(self) -> tuple[Wheel, Wheel]:
        for pair in projects.CUDA:
            runtime, crt = (self._ask([project]) for project in pair)
            choice = [(a, b) for a in runtime for b in crt if _minor(a) == _minor(b)]
            pinned = [ab for ab in choice if tuple(each.build for each in ab) == projects.CUDA_PIN]
            for a, b in (pinned or choice)[-1:]:
                return a.wheels[0], b.wheels[0]
        looked = " or ".join(" with ".join(pair) for pair in projects.CUDA)
        raise HeaderError(self._missing("CUDA's headers", looked, _CUDA_FOLDER))

    def _ask(self, names: Sequence[str]) -> list[Build]:
        """Return the builds of projects together; indexes that fail are added to the failures."""
        from .index import Answers, builds

        answers = Answers(self._failures)
        for done, project in enumerate(names):
            self._progress(done, len(names), PAGES)
            answers.collect(project, self._settings, self._network)
        self._progress(len(names), len(names), PAGES)
        return builds(answers.wheels)

    def _members(self, wheel: Wheel, wanted: Callable[[str], bool]) -> dict[str, bytes]:
        from .wheels import read_members

        return read_members(wheel, wanted, self._network, self._progress)

    def _missing(self, what: str, projects: str, folders: str) -> str:
        """Return the text of the error for `what`, which was not found."""
        others = self._others()
        if self._failures:
            return self._failures.explain(what, others and f"in {others} there are none", folders)
        where = f"in {others}" if others else "nowhere: pip's settings have no-index"
        return f"{what} were not found. Looked for {projects} {where}; or {folders}"

    def _others(self) -> str:
        """Return the places that did not fail."""
        settings = self._settings
        places = (*settings.find_links, *settings.indexes)
        return listing([shown(place) for place in places if place not in self._failures], 20)


def _key(settings: PipSettings) -> str:
    return hashlib.sha256(msgspec.json.encode(settings)).hexdigest()[:16]


def _library_name(path: str) -> str:
    match = LIBRARY.fullmatch(path)
    return match[1] if match else ""


def _is_front(path: str) -> bool:
    return _library_name(path) == FRONT


def _is_header(path: str) -> bool:
    return "/include/" in path and path.endswith((".h", ".hpp"))


def _included_name(path: str) -> str:
    return path.partition("/include/")[2]


def _minor(build: Build) -> str:
    return ".".join(build.build.split(".")[:2])
