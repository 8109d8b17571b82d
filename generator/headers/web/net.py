"""HTTP for package indexes: pip's settings honoured, retries, failures in words."""

from __future__ import annotations

import hashlib
import re
import ssl
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import IO, Any, TypeVar
from urllib.parse import unquote, urlsplit

import requests
import urllib3
from requests.adapters import HTTPAdapter
from requests.auth import AuthBase, HTTPBasicAuth
from requests.utils import get_netrc_auth

from ..records import HeaderError, Once, Progress
from .pip import PipSettings
from .urls import shown, without_login

T = TypeVar("T")

_PAUSES = (0.3, 1.0)  # seconds before the second and the third attempt
_BUSY = (408, 429, 500, 502, 503, 504)


class NotFoundError(HeaderError):
    """The server says that there is nothing under this URL."""


class UnreachableError(HeaderError):
    """The server cannot be reached; `reason` says why."""

    def __init__(self, text: str, reason: str) -> None:
        super().__init__(text)
        self.reason = reason


class NoRangesError(Exception):
    """The server sends whole files only."""


class Network:
    """One session with all servers. Counts what it receives."""

    def __init__(self, settings: PipSettings) -> None:
        self.settings = settings
        self.received = 0  # bytes of bodies
        self.once = Once()
        self._session = requests.Session()
        if settings.cert is None:
            self._session.mount("https://", _SystemTrust())
        for host in settings.trusted_hosts:
            self._session.mount(f"https://{host}", HTTPAdapter())
        self._session.auth = _Credentials(settings)
        self._session.headers["User-Agent"] = "cudnn-cffi-generator"
        # Ranges and hashes are those of the file as it is stored.
        self._session.headers["Accept-Encoding"] = "identity"

    def close(self) -> None:
        """Close the connections."""
        self._session.close()

    def page(self, url: str, accept: str) -> tuple[bytes, str, str]:
        """Return the body of `url`, its content type, and its URL after redirections."""

        def read() -> tuple[bytes, str, str]:
            with self._open("GET", url, {"Accept": accept}) as response:
                kind = response.headers.get("Content-Type", "").partition(";")[0].strip().lower()
                return self._body(response), kind, without_login(response.url)

        return _with_retries(url, read)

    def size(self, url: str) -> int:
        """Return the size of the file at `url` in bytes.

        Raises:
            NoRangesError: the server does not tell.
        """

        def ask() -> int:
            with self._open("HEAD", url, {}) as response:
                return _length(response)

        size = _with_retries(url, ask)
        if not size:
            raise NoRangesError
        return size

    def part(self, url: str, start: int, last: int | None) -> tuple[int, bytes]:
        """Bytes `start` to `last`, inclusive, of the file at `url`.

        A negative `start` counts from the end of the file, and there is no `last` then.

        Returns:
            The position of the first byte, and the bytes.

        Raises:
            NoRangesError: the server does not send parts, or not such a part.
        """
        wanted = f"bytes={start}" if last is None else f"bytes={start}-{last}"

        def read() -> tuple[int, bytes]:
            with self._open("GET", url, {"Range": wanted}, refused=(400, 416, 501)) as response:
                sent = re.match(
                    r"bytes ([0-9]{1,18})-([0-9]{1,18})/", response.headers.get("Content-Range", "")
                )
                if response.status_code != 206 or sent is None:
                    raise NoRangesError
                data = self._body(response)
                span = int(sent[1]), int(sent[2])
                if len(data) != span[1] - span[0] + 1 or (
                    last is not None and span != (start, last)
                ):
                    raise _TransientError(f"it sent {len(data)} bytes as {sent[0]!r}")
                return span[0], data

        return _with_retries(url, read)

    def download(self, url: str, file: IO[bytes], label: str, progress: Progress) -> str:
        """Write the file at `url` into `file`; return its sha256."""

        def read() -> str:
            file.seek(0)
            file.truncate()
            total = hashlib.sha256()
            with self._open("GET", url, {}) as response:
                size = _length(response)
                done = 0
                for chunk in response.iter_content(1 << 20):
                    self.received += len(chunk)
                    total.update(chunk)
                    file.write(chunk)
                    done += len(chunk)
                    progress(done, size, label)
            return total.hexdigest()

        return _with_retries(url, read)

    def _body(self, response: requests.Response) -> bytes:
        data = response.content
        self.received += len(data)
        return data

    @contextmanager
    def _open(
        self, method: str, url: str, headers: dict[str, str], refused: tuple[int, ...] = ()
    ) -> Iterator[requests.Response]:
        settings = self.settings
        trusted = settings.trusts(url)
        # Given here and not to the session, where environment variables would win over pip's.
        with warnings.catch_warnings():
            if trusted:
                warnings.simplefilter("ignore", urllib3.exceptions.InsecureRequestWarning)
            try:
                response = self._session.request(
                    method,
                    url,
                    headers=headers,
                    stream=True,
                    timeout=settings.timeout,
                    verify=False if trusted else settings.cert,
                    cert=settings.client_cert,
                    proxies=settings.proxies,
                )
            except requests.RequestException:
                raise
            except OSError as error:  # a file of certificates that is not there
                raise HeaderError(
                    f"{shown(url)} cannot be asked: {error}. Check cert and client-cert in pip's "
                    "settings (`pip config list`), and REQUESTS_CA_BUNDLE"
                ) from error
        with response:
            status = response.status_code
            if status in refused:
                raise NoRangesError
            if status in (404, 410):
                raise NotFoundError(f"{shown(url)} does not exist ({status} {response.reason})")
            if status in (401, 403, 407):
                raise HeaderError(
                    f"{shown(url)} refuses access ({status} {response.reason}); check user and "
                    "password in pip's configuration or in ~/.netrc"
                )
            if status in _BUSY:
                raise _TransientError(f"{status} {response.reason}")
            if status >= 400:
                raise HeaderError(
                    f"{shown(url)}: expected a file, the server answered {status} {response.reason}"
                )
            yield response


def _length(response: requests.Response) -> int:
    """Return the number of bytes that the server promises; 0 if it gives no number."""
    text = response.headers.get("Content-Length", "")
    return int(text) if re.fullmatch(r"[0-9]{1,18}", text) else 0


class _TransientError(Exception):
    pass


def _with_retries(url: str, action: Callable[[], T]) -> T:
    """Return the result of `action`, tried again where a second attempt has a chance."""
    for pause in (*_PAUSES, None):
        try:
            return action()
        except (requests.RequestException, _TransientError) as error:
            hopeless = isinstance(
                error,
                requests.exceptions.SSLError
                | requests.exceptions.InvalidURL
                | requests.exceptions.InvalidSchema
                | requests.exceptions.MissingSchema,
            )
            if pause is None or hopeless:
                reason = _reason(error)
                text = (
                    f"{shown(url)} cannot be read: {reason}. Check the network and "
                    "pip's settings (`pip config list`): index-url, proxy, cert"
                )
                if isinstance(error, requests.ConnectionError | requests.Timeout):
                    raise UnreachableError(text, reason) from error
                raise HeaderError(text) from error
        time.sleep(pause)
    raise AssertionError("unreachable")


def _reason(error: BaseException) -> str:
    """Return the innermost cause, without the names of the objects that it passed through."""
    cause: object = error
    while isinstance(cause, BaseException):
        inner = getattr(cause, "reason", None) or next(
            (arg for arg in cause.args if isinstance(arg, BaseException)), None
        )
        if not isinstance(inner, BaseException):
            break
        cause = inner
    text = re.sub(r"<[^>]*>|\w*Connection\w*\([^)]*\)", "", str(cause)).lstrip(": ")
    return text or type(cause).__name__


class _SystemTrust(HTTPAdapter):
    """Trusts the system's certificates, as pip does, besides those that come with requests."""

    def init_poolmanager(self, *args: Any, **options: Any) -> None:
        super().init_poolmanager(*args, **options, ssl_context=ssl.create_default_context())

    def proxy_manager_for(self, proxy: str, **options: Any) -> Any:
        context = ssl.create_default_context()
        return super().proxy_manager_for(proxy, **options, ssl_context=context)


class _Credentials(AuthBase):
    """User and password for a host, from the URLs in pip's configuration or from ~/.netrc."""

    def __init__(self, settings: PipSettings) -> None:
        self._by_host: dict[str, tuple[str, str]] = {}
        for url in (*settings.indexes, *settings.find_links):
            parts = urlsplit(url)
            if parts.username is not None:
                host = parts.netloc.rpartition("@")[2]
                self._by_host[host] = (unquote(parts.username), unquote(parts.password or ""))

    def __call__(self, request: requests.PreparedRequest) -> requests.PreparedRequest:
        url = request.url or ""
        login = self._by_host.get(urlsplit(url).netloc.rpartition("@")[2]) or get_netrc_auth(url)
        return HTTPBasicAuth(*login)(request) if login else request
