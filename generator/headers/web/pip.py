"""Configuration of pip: indexes, folders of wheels, certificates, a proxy.

Read from pip's own files and variables rather than asked of pip, which does not tell all of it.
"""

from __future__ import annotations

import configparser
import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from urllib.parse import urlsplit

import msgspec
import platformdirs

from ..records import HeaderError

#: Later ones win: these headers are installed as little as what `pip download` fetches.
_SECTIONS = ("global", "install", "download")


class PipSettings(msgspec.Struct, frozen=True):
    """The part of pip's configuration that decides where packages come from."""

    indexes: tuple[str, ...] = ()  # the first one is the main one
    find_links: tuple[str, ...] = ()  # URLs and folders
    cert: str | None = None
    client_cert: str | None = None
    proxy: str | None = None
    timeout: float = 15.0  # seconds
    trusted_hosts: tuple[str, ...] = ()  # "host" or "host:port": certificates not checked

    @property
    def proxies(self) -> dict[str, str] | None:
        """By the scheme of a URL; None leaves the choice to the environment."""
        return {"http": self.proxy, "https": self.proxy} if self.proxy else None

    def trusts(self, url: str) -> bool:
        """Return whether the host of `url` needs no valid certificate."""
        parts = urlsplit(url)
        return parts.hostname in self.trusted_hosts or parts.netloc in self.trusted_hosts


def default_index() -> str:
    """Return the index that pip uses when nothing is configured, as pip itself knows it.

    Raises:
        HeaderError: pip is not installed in this interpreter.
    """
    try:
        from pip._internal.models.index import PyPI
    except ImportError:
        raise HeaderError(
            "no package index is configured, and pip, which knows one, is not installed; "
            "set PIP_INDEX_URL, or index-url in pip's configuration"
        ) from None
    return str(PyPI.simple_url)


def read_settings(environ: Mapping[str, str] | None = None) -> PipSettings:
    """pip's settings for this interpreter and user.

    Raises:
        HeaderError: a configuration file of pip's cannot be read, or a value makes no sense.
    """
    environ = os.environ if environ is None else environ
    values = _values(environ)
    indexes = [
        values.get("index-url") or default_index(),
        *values.get("extra-index-url", "").split(),
    ]
    if values.get("no-index", "0").strip().lower() in ("1", "true", "yes", "on", "y", "t"):
        indexes = []
    timeout = values.get("timeout") or "15"
    try:
        seconds = float(timeout)
    except ValueError:
        raise HeaderError(
            f"pip's timeout is {timeout!r}; expected a number of seconds (see `pip config debug`)"
        ) from None
    return PipSettings(
        indexes=tuple(dict.fromkeys(url.strip().rstrip("/") for url in indexes)),
        find_links=tuple(dict.fromkeys(values.get("find-links", "").split())),
        cert=values.get("cert") or None,
        client_cert=values.get("client-cert") or None,
        proxy=values.get("proxy") or None,
        timeout=seconds,
        trusted_hosts=tuple(values.get("trusted-host", "").split()),
    )


def _values(environ: Mapping[str, str]) -> dict[str, str]:
    sections: dict[str, dict[str, str]] = {}
    for path in _files(environ):
        for section, values in _read(path).items():
            sections.setdefault(section, {}).update(values)
    merged: dict[str, str] = {}
    for section in _SECTIONS:
        merged.update((key, value) for key, value in sections.get(section, {}).items() if value)
    merged.update(
        (_key(name.removeprefix("PIP_")), value)
        for name, value in environ.items()
        if name.startswith("PIP_") and value
    )
    return merged


def _key(name: str) -> str:
    key = name.lower().replace("_", "-").removeprefix("--")
    return "timeout" if key == "default-timeout" else key


def _files(environ: Mapping[str, str]) -> Iterator[Path]:
    """pip's configuration files, the ones that win last."""
    explicit = environ.get("PIP_CONFIG_FILE")
    if explicit == os.devnull:
        return
    name = "pip.ini" if sys.platform == "win32" else "pip.conf"
    if sys.platform == "darwin":
        shared = platformdirs.site_data_dir("pip", appauthor=False, multipath=True)
    else:
        shared = platformdirs.site_config_dir("pip", appauthor=False, multipath=True)
    for folder in shared.split(os.pathsep):
        yield Path(folder, name)
    if sys.platform not in ("win32", "darwin"):
        yield Path("/etc", name)
    if not (explicit and Path(explicit).exists()):
        with suppress(RuntimeError):  # the user has no home
            yield Path.home() / ("pip" if sys.platform == "win32" else ".pip") / name
            yield Path(platformdirs.user_config_dir("pip", appauthor=False, roaming=True), name)
    yield Path(sys.prefix, name)
    if explicit:
        yield Path(explicit)


def _read(path: Path) -> dict[str, dict[str, str]]:
    parser = configparser.RawConfigParser()
    try:
        with path.open(encoding="utf-8") as file:
            parser.read_file(file)
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except (OSError, UnicodeDecodeError, configparser.Error) as error:
        raise HeaderError(
            f"pip's configuration {path} cannot be read: {error}. Repair it, or set "
            "PIP_CONFIG_FILE to another"
        ) from error
    return {
        section: {_key(name): value for name, value in parser.items(section)}
        for section in parser.sections()
    }
