"""URLs as they may be kept and shown."""

from __future__ import annotations

from urllib.parse import urlsplit, urlunsplit


def without_login(url: str) -> str:
    """`url` without user and password, to keep and to show."""
    parts = urlsplit(url)
    return urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2]))


def shown(url: str) -> str:
    """`url` for a message: no password, no hash."""
    return without_login(url).partition("#")[0]


def server(url: str) -> str:
    """Return the server of `url`, "https://host:port"; "" for a folder or a file."""
    parts = urlsplit(url)
    host = parts.netloc.rpartition("@")[2]
    return f"{parts.scheme}://{host}" if parts.scheme != "file" and host else ""
