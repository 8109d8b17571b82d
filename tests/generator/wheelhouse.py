"""A package index on this machine, with wheels that are made for a test."""

from __future__ import annotations

import base64
import hashlib
import io
import json
import random
import re
import ssl
import struct
import threading
import time
import zipfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import quote

LINUX = "manylinux_2_27_x86_64"
ARM = "manylinux_2_27_aarch64"
WINDOWS = "win_amd64"


def cudnn_headers(version: str, suffix: str = "", newline: str = "\n") -> dict[str, bytes]:
    """The smallest thing that has the shape of a cuDNN release; with copies where `suffix`."""
    major, minor, patch = version.split(".")[:3]
    text = {
        "cudnn.h": '#include "cudnn_version.h"\n#include "cudnn_ops.h"\n',
        "cudnn_version.h": f"#define CUDNN_MAJOR {major} /* and so on */\n"
        f"#define CUDNN_MINOR {minor}\n#define CUDNN_PATCHLEVEL {patch}\n"
        "#define CUDNN_VERSION (CUDNN_MAJOR * 10000 + CUDNN_MINOR * 100 + CUDNN_PATCHLEVEL)\n",
        "cudnn_ops.h": f"#define CUDNN_OPS_MAJOR {major}\n#define CUDNN_OPS_MINOR {minor}\n"
        f"#define CUDNN_OPS_PATCH {patch}\nint cudnnOps(void);\n",
    }
    if suffix:
        text.update({f"{name[:-2]}_{suffix}.h": body for name, body in list(text.items())})
    return {name: body.replace("\n", newline).encode() for name, body in text.items()}


def cuda_runtime_headers(version: str = "13.0") -> dict[str, bytes]:
    """CUDA's headers but for crt/, in miniature."""
    major, minor = map(int, version.split("."))
    return {
        "cuda_runtime.h": b'#include "cuda_runtime_api.h"\n#include <utility>\n',
        "cuda_runtime_api.h": b'#include "crt/host_defines.h"\n#include "driver_types.h"\n'
        + b"#define CUDART_VERSION  %d\n" % (major * 1000 + minor * 10),
        "driver_types.h": b"#include <stddef.h>\ntypedef struct CUstream_st *cudaStream_t;\n",
        "library_types.h": b"typedef enum { MAJOR_VERSION } libraryPropertyType;\n",
        "cuda_unrelated.h": b"#error nobody includes this\n",
    }


CUDA_CRT = {
    "crt/host_defines.h": b'#include "host_more.h"\n',
    "crt/host_more.h": b"#define CUDARTAPI\n",
    "crt/math.hpp": b"#error nobody includes this\n",
}


def shared_library(*functions: str) -> bytes:
    """The smallest ELF file with a table of symbols which it defines."""
    strings = b"\0" + b"".join(name.encode() + b"\0" for name in functions)
    symbols = bytes(24)
    for name in functions:
        at = strings.index(b"\0" + name.encode() + b"\0") + 1
        symbols += struct.pack("<IBBHQQ", at, 0x12, 0, 1, 0, 0)  # a global function
    names = b"\0.dynsym\0.dynstr\0.shstrtab\0"
    body = symbols + strings + names
    sections = bytes(64)
    offset = 64
    # type and link of each section, and the size of its entries
    for title, content, kind, link, entry in (
        (b".dynsym", symbols, 11, 2, 24),
        (b".dynstr", strings, 3, 0, 0),
        (b".shstrtab", names, 3, 0, 0),
    ):
        fields = (names.index(title), kind, 0, 0, offset, len(content), link, 0, 1, entry)
        sections += struct.pack("<IIQQQQIIQQ", *fields)
        offset += len(content)
    head = struct.pack(
        "<16sHHIQQQIHHHHHH", b"\x7fELF\x02\x01\x01", 3, 62, 1, 0, 0, offset, 0, 64, 0, 0, 64, 4, 3
    )
    return head + body + sections


def wheel_bytes(
    project: str,
    version: str,
    headers: Mapping[str, bytes],
    *,
    include: str = "nvidia/cudnn/include",
    library: int = 400_000,
    changed: Mapping[str, bytes] | None = None,
    record: bool | bytes = True,
) -> bytes:
    """A wheel.

    Args:
        headers: by their names below `include`.
        library: bytes of something that cannot be compressed, before and after what is wanted.
        changed: contents by header that differ from what RECORD says.
        record: whether there is a RECORD at all, or its contents.
    """
    noise = random.Random(0)
    info = f"{project.replace('-', '_')}-{version}.dist-info"
    files = {"nvidia/cudnn/lib/noise.bin": noise.randbytes(library)}
    files["nvidia/cudnn/lib/libcudnn.so.9"] = shared_library("cudnnOps", "cudnnHidden", "other")
    files.update({f"{include}/{name}": content for name, content in headers.items()})
    files["nvidia/cudnn/lib/libcudnn_ops.so.9"] = noise.randbytes(library)
    files[f"{info}/METADATA"] = f"Name: {project}\nVersion: {version}\n".encode()
    rows = []
    for name, content in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).decode().rstrip("=")
        rows.append(f"{name},sha256={digest},{len(content)}\n")
    if record:
        right = "".join([*rows, f"{info}/RECORD,,\n"]).encode()
        files[f"{info}/RECORD"] = right if record is True else record
    files.update({f"{include}/{name}": content for name, content in (changed or {}).items()})
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            # Noise stays as it is; to find that out takes most of the time.
            archive.writestr(name, content, zipfile.ZIP_STORED if len(content) == library else None)
    return buffer.getvalue()


@dataclass
class Link:
    """The entry of the index for one file."""

    file: str
    sha256: str
    yanked: str | None = None
    uploaded: str | None = None


@dataclass
class House:
    """The server, and the knobs that a test turns."""

    form: str = "html"  # or "json": what the index answers
    ranges: bool = True  # whether parts of files are sent
    suffix_ranges: bool = True  # whether parts counted from the end are sent
    slow: float = 0.0  # seconds before each answer
    short_parts: bool = False  # whether 100 bytes are sent, whatever was asked for
    busy: int = 0  # answers of 503 before the next good one
    cuts: int = 0  # bodies that end early before the next whole one
    length: str | None = None  # what is said of the length of a body, in the place of the truth
    login: tuple[str, str] | None = None  # user and password that every request needs
    files: dict[str, bytes] = field(default_factory=dict)
    links: dict[str, list[Link]] = field(default_factory=dict)  # by project
    pages: dict[str, tuple[str, bytes]] = field(default_factory=dict)  # other answers, by path
    requests: list[str] = field(default_factory=list)
    sent: int = 0  # bytes of bodies

    def add(
        self,
        version: str,
        project: str = "nvidia-cudnn-cu13",
        *,
        platform: str = LINUX,
        headers: Mapping[str, bytes] | None = None,
        yanked: str | None = None,
        uploaded: str | None = None,
        data: bytes | None = None,
        sha256: str | None = None,
        edit: Callable[[bytes], bytes] = lambda data: data,
        **how: object,
    ) -> str:
        """Publish a wheel; the result is its file name."""
        file = f"{project.replace('-', '_')}-{version}-py3-none-{platform}.whl"
        if data is None:
            contents = cudnn_headers(version, "v9") if headers is None else headers
            data = wheel_bytes(project, version, contents, **how)  # type: ignore[arg-type]
        promised = hashlib.sha256(data).hexdigest() if sha256 is None else sha256
        self.files[file] = edit(data)
        self.links.setdefault(project, []).append(Link(file, promised, yanked, uploaded))
        return file

    def add_cuda(self, runtime: str, crt: str) -> None:
        """Publish the two wheels that CUDA's headers come in."""
        self.add(
            runtime,
            "nvidia-cuda-runtime",
            headers=cuda_runtime_headers(".".join(runtime.split(".")[:2])),
            include="nvidia/cu13/include",
        )
        self.add(crt, "nvidia-cuda-crt", headers=CUDA_CRT, include="nvidia/cu13/include")

    def start(self, certificate: ssl.SSLContext | None = None) -> None:
        """Begin to serve, over TLS where there is a certificate."""
        house = self

        class Handler(_Handler):
            pass

        Handler.house = house
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,))
        self.host = f"127.0.0.1:{self._server.server_address[1]}"
        if certificate is not None:
            self._server.socket = certificate.wrap_socket(self._server.socket, server_side=True)
        self.url = f"http{'s' if certificate else ''}://{self.host}/simple"
        self._thread.start()

    def stop(self) -> None:
        if self._thread.is_alive():
            self._server.shutdown()
            self._thread.join()
            self._server.server_close()

    def answer(self, path: str) -> tuple[str, bytes] | None:
        """Content type and body for `path`."""
        if path in self.pages:
            return self.pages[path]
        if match := re.fullmatch(r"/simple/([^/]+)/", path):
            links = self.links.get(match[1])
            if links is None:
                return None
            if self.form == "json":
                return "application/vnd.pypi.simple.v1+json", _json_page(links)
            return "text/html", _html_page(links)
        file = path.removeprefix("/files/a%2Bb/")
        return ("application/octet-stream", self.files[file]) if file in self.files else None


def _html_page(links: list[Link]) -> bytes:
    lines = ["<!DOCTYPE html><title>Links</title>"]
    for link in links:
        yanked = "" if link.yanked is None else f' data-yanked="{link.yanked}"'
        target = f"../../files/a%2Bb/{quote(link.file)}#sha256={link.sha256}"
        lines.append(f'<a href="{target}"{yanked}>{link.file}</a><br/>')
    return "\n".join(lines).encode()


def _json_page(links: list[Link]) -> bytes:
    files = [
        {
            "filename": link.file,
            "url": f"/files/a%2Bb/{quote(link.file)}",
            "hashes": {"sha256": link.sha256},
            "yanked": False if link.yanked is None else link.yanked or True,
            **({"upload-time": link.uploaded} if link.uploaded else {}),
        }
        for link in links
    ]
    return json.dumps({"meta": {"api-version": "1.0"}, "files": files}).encode()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    house: House

    def do_HEAD(self) -> None:
        self._respond(body=False)

    def do_GET(self) -> None:
        self._respond(body=True)

    def _respond(self, *, body: bool) -> None:
        house = self.house
        wanted = self.headers.get("Range")
        house.requests.append(f"{self.command} {self.path}" + (f" {wanted}" if wanted else ""))
        time.sleep(house.slow)
        if house.login is not None:
            plain = ":".join(house.login).encode()
            expected = "Basic " + base64.b64encode(plain).decode()
            if self.headers.get("Authorization") != expected:
                return self._send(401, b"", {})
        if house.busy:
            house.busy -= 1
            return self._send(503, b"", {})
        found = house.answer(self.path)
        if found is None:
            return self._send(404, b"", {})
        kind, data = found
        status, headers = 200, {"Content-Type": kind}
        part = self._range(wanted, len(data)) if wanted else None
        if part is not None:
            start, stop = part
            headers["Content-Range"] = f"bytes {start}-{stop - 1}/{len(data)}"
            status, data = 206, data[start:stop]
        return self._send(status, data, headers, body=body)

    def _range(self, wanted: str, size: int) -> tuple[int, int] | None:
        match = re.fullmatch(r"bytes=(\d*)-(\d*)", wanted)
        if not self.house.ranges or match is None:
            return None
        if not match[1]:
            length = min(int(match[2]), size)
            return (size - length, size) if self.house.suffix_ranges else None
        if self.house.short_parts:
            return int(match[1]), int(match[1]) + 100
        return int(match[1]), min(int(match[2] or size - 1) + 1, size)

    def _send(
        self, status: int, data: bytes, headers: Mapping[str, str], *, body: bool = True
    ) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", self.house.length or str(len(data)))
        self.close_connection = self.house.length is not None  # else the body would have no end
        self.end_headers()
        if not body:
            return
        if self.house.cuts and data:
            self.house.cuts -= 1
            data = data[: len(data) // 2]
            self.close_connection = True
        self.house.sent += len(data)
        try:
            self.wfile.write(data)
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True  # the client has seen enough

    def log_message(self, *_: object) -> None:
        pass
