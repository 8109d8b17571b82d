"""Files of a project on a package index, or in a folder of wheels."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urljoin, urlsplit
from urllib.request import url2pathname

from packaging.utils import InvalidWheelFilename, canonicalize_name, parse_wheel_filename

from ..failures import Failures
from ..records import Build, HeaderError, Wheel, in_home, reading
from .net import Network, NotFoundError, UnreachableError
from .pip import PipSettings
from .urls import shown, without_login

_ACCEPT = (
    "application/vnd.pypi.simple.v1+json, application/vnd.pypi.simple.v1+html;q=0.2, "
    "text/html;q=0.1"
)
_ARCHIVES = (".whl", ".tar.gz", ".zip", ".tar.bz2", ".egg")

#: Platforms in the order of preference. Headers are the same for all.
_PLATFORMS = (r"\w*linux\w*_x86_64", r"\w*linux\w*_aarch64", r"win_amd64", r".*")


class Answers:
    """Wheels found so far."""

    def __init__(self, failures: Failures) -> None:
        """Begin without wheels; places in `failures` are not asked again, new ones are added."""
        self.wheels: list[Wheel] = []
        self._failures = failures

    def collect(self, project: str, settings: PipSettings, network: Network) -> None:
        """Ask every place that pip would ask for the wheels of `project`."""
        for place in settings.find_links:
            self._try(place, project, network, is_index=False)
        for index in settings.indexes:
            self._try(index, project, network, is_index=True)

    def _try(self, place: str, project: str, network: Network, *, is_index: bool) -> None:
        if place in self._failures:
            return
        try:
            found = _index(f"{place}/{project}/", network) if is_index else _links(place, network)
        except NotFoundError:
            return  # not every index has every project
        except UnreachableError as error:
            what = "index" if is_index else "page of links"
            why = f"the {what} {shown(place)} cannot be reached: {error.reason}"
            self._failures.add_server(place, why)
            return
        except HeaderError as error:
            self._failures.add(place, str(error))
            return
        self.wheels += [wheel for wheel in found if _belongs(wheel.file, project)]


def builds(wheels: Iterable[Wheel]) -> list[Build]:
    """Wheels grouped by build, oldest build first. Pre-releases are left out.

    Wheels of a build are ordered by preference: Linux before Windows, those on this machine
    before those on a server, the newest CUDA before older ones.
    """
    by_build: dict[tuple[int, ...], list[Wheel]] = {}
    for wheel in wheels:
        version = parse_wheel_filename(wheel.file)[1]
        if not version.is_prerelease:
            # A post-release repackages the same build.
            by_build.setdefault(version.release, []).append(wheel)
    return [
        Build(
            build=".".join(map(str, release)),
            wheels=tuple(sorted({w.file: w for w in reversed(of_it)}.values(), key=_preference)),
        )
        for release, of_it in sorted(by_build.items())
    ]


def local_path(url: str) -> Path | None:
    """Return the file that a file:// URL means; None for other URLs."""
    parts = urlsplit(url)
    return Path(url2pathname(parts.path)) if parts.scheme == "file" else None


def _preference(wheel: Wheel) -> tuple[object, ...]:
    name, _, tag, tags = parse_wheel_filename(wheel.file)
    cuda = re.search(r"-cu(\d+)$", name)
    return (
        min(
            rank
            for rank, pattern in enumerate(_PLATFORMS)
            for known in tags
            if re.fullmatch(pattern, known.platform)
        ),
        local_path(wheel.url) is None,
        -int(cuda[1]) if cuda else 0,
        -tag[0] if tag else 0,
        wheel.file,
    )


def _belongs(file: str, project: str) -> bool:
    try:
        return parse_wheel_filename(file)[0] == canonicalize_name(project)
    except InvalidWheelFilename:
        return False


def _index(url: str, network: Network) -> list[Wheel]:
    """Return the wheels on one project's page of an index."""
    path = local_path(url)
    if path is not None:
        page = path / "index.html"
        return _from_html(_bytes(page), page.as_uri(), url, is_index=True)
    body, kind, base = network.page(url, _ACCEPT)
    if kind.endswith("json"):
        return _from_json(body, base, url)
    if kind.endswith("html"):
        return _from_html(body, base, url, is_index=True)
    raise HeaderError(
        f"{shown(url)}: expected a page of a package index, in HTML or JSON, and got "
        f"{kind or 'something without a content type'}; check pip's index-url"
    )


def _links(place: str, network: Network) -> list[Wheel]:
    """Return the wheels in a folder, or on any page with links."""
    path = local_path(place)
    if path is None and "://" not in place:
        path = in_home(place)
    if path is None:
        body, _, base = network.page(place, "text/html")
        return _from_html(body, base, place, is_index=False)
    if path.is_dir() or path.suffix == ".whl":
        with reading(path):
            files = sorted(path.glob("*.whl")) if path.is_dir() else [path] if path.exists() else []
            return [Wheel(file=file.name, url=file.resolve().as_uri()) for file in files]
    return _from_html(_bytes(path), path.resolve().as_uri(), place, is_index=False)


def _bytes(page: Path) -> bytes:
    with reading(page):
        try:
            return page.read_bytes()
        except (FileNotFoundError, NotADirectoryError):
            raise NotFoundError(f"{page} does not exist") from None


def _from_json(body: bytes, base: str, url: str) -> list[Wheel]:
    try:
        return [
            Wheel(
                file=file["filename"],
                url=without_login(urljoin(base, file["url"])).partition("#")[0],
                sha256=file.get("hashes", {}).get("sha256", ""),
                yanked=file.get("yanked", False) is not False,
                uploaded=file.get("upload-time") or "",
            )
            for file in json.loads(body)["files"]
            if file["filename"].endswith(".whl")
        ]
    except (ValueError, LookupError, TypeError, AttributeError) as error:
        raise HeaderError(
            f"{shown(url)}: expected the JSON of a package index, and got something else "
            f"({type(error).__name__}: {error}); check pip's index-url"
        ) from error


def _from_html(body: bytes, base: str, url: str, *, is_index: bool) -> list[Wheel]:
    page = _Page()
    page.feed(body.decode("utf-8", "replace"))
    base = urljoin(base, page.base)
    found = []
    archives = 0
    for href, yanked in page.links:
        target = urljoin(base, href)
        target, _, fragment = target.partition("#")
        file = unquote(urlsplit(target).path.rpartition("/")[2])
        archives += file.endswith(_ARCHIVES)
        if file.endswith(".whl"):
            sha256 = fragment.removeprefix("sha256=") if fragment.startswith("sha256=") else ""
            found.append(Wheel(file, without_login(target), sha256.partition("&")[0], yanked))
    if is_index and not archives:
        raise HeaderError(
            f"{shown(url)}: expected a page of a package index, and got HTML with no link to any "
            "package; is it the page of a login or a proxy? Check pip's index-url"
        )
    return found


class _Page(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.base = ""
        self.links: list[tuple[str, bool]] = []

    def handle_starttag(self, tag: str, attrs: Sequence[tuple[str, str | None]]) -> None:
        values = dict(attrs)
        href = values.get("href")
        if tag == "base" and href and not self.base:
            self.base = href
        elif tag == "a" and href:
            self.links.append((href, "data-yanked" in values))
