"""From the bytes of header files to a `HeaderSet`: the files that belong to it, and its release."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from cudnn_cffi.api.model import version_name

from .records import CudaHeaders, HeaderError, HeaderSet, listing

_COMMENT = re.compile(rb"/\*.*?\*/|//[^\n]*", re.DOTALL)
_MACRO = re.compile(
    rb"^[ \t]*#[ \t]*define[ \t]+CUDNN_(?:(\w+)_)??(MAJOR|MINOR|PATCHLEVEL|PATCH|VERSION)"
    rb"[ \t]+(\d+)[ \t]*$",
    re.MULTILINE,
)
_INCLUDE = re.compile(rb'^[ \t]*#[ \t]*include[ \t]*["<]([^">\n]+)[">]', re.MULTILINE)
_COPY = re.compile(r"(.+)_v\d+\.h")

#: Headers that cuDNN's headers include, over all releases.
CUDA_ROOTS = ("cuda_runtime.h", "cuda_runtime_api.h", "driver_types.h", "library_types.h")


#: Headers that none has included so far, taken from a folder that somebody names.
CUDA_OTHERS = ("cuda.h", "cuda_fp16.h", "cuda_bf16.h", "cuda_fp8.h", "cuComplex.h")


def is_public(name: str) -> bool:
    """Return whether a file of this name, below the include folder, belongs to cuDNN's C API."""
    # The C++ front end is another project that installs into the same folders.
    return (
        name.startswith("cudnn")
        and name.endswith(".h")
        and "/" not in name
        and not name.startswith("cudnn_frontend")
    )


def header_set(
    files: Mapping[str, bytes], origin: str, *, version: str | None = None, build: str | None = None
) -> HeaderSet:
    """Return the public headers among `files`, which are named without a folder.

    Args:
        files: names and contents.
        origin: where they come from, for messages and for the record.
        version: what the release is known to be ("9.28.0" or "9.28.0.42"). Needed where the
            headers do not say it; an error where they say another.
        build: the same with the build number, where that is known.

    Raises:
        HeaderError: no cudnn.h, an empty file, no version, or more than one.
    """
    public = {name: _unix(files[name]) for name in sorted(files) if is_public(name)}
    if "cudnn.h" not in public:
        there = listing(sorted(files)) or "nothing"
        raise HeaderError(
            f"{origin}: expected cuDNN's headers, cudnn.h first of all, and found {there}"
        )
    for name, content in public.items():
        if not name.isprintable():  # nor does UTF-8 have a surrogate
            raise HeaderError(f"{origin}: {name!a} is not a name of a header")
        if not content.strip():
            raise HeaderError(f"{origin}: {name} is empty; get a fresh copy of the headers")
    found = _version(public, origin)
    if version is None and found is None:
        raise HeaderError(
            f"{origin}: these headers do not tell their version, neither by CUDNN_MAJOR, "
            "CUDNN_MINOR and CUDNN_PATCHLEVEL nor by a number of 1000 or more in CUDNN_VERSION; "
            "state the version, such as --version 1.0.0"
        )
    if version is not None:
        if not re.fullmatch(r"\d+\.\d+\.\d+(\.\d+)?", version):
            raise HeaderError(f"{version!r} is not a version of headers; expected one like 9.28.0")
        build = build or version
        version = ".".join(version.split(".")[:3])
        if found not in (None, version):
            raise HeaderError(f"{origin}: expected headers of {version}, but these are of {found}")
    version = version or found or ""
    kept = {name: data for name, data in public.items() if not _is_copy(name, public)}
    return HeaderSet(version=version, build=build or version, files=kept, origin=origin)


def cuda_headers(
    files: Mapping[str, bytes], origin: str, roots: Iterable[str] = CUDA_ROOTS
) -> CudaHeaders:
    """Return the headers among `files` that cuDNN's include, and all that those include in turn.

    Args:
        files: contents by the names that `#include` uses: "cuda.h", "crt/host_defines.h".
        origin: where they come from, for messages and for the record.
        roots: what cuDNN's may include.

    Raises:
        HeaderError: one is missing, or CUDA's version is not found.
    """
    kept: dict[str, bytes] = {}
    todo = list(roots)
    while todo:
        name = todo.pop()
        if name in kept:
            continue
        if name not in files:
            raise HeaderError(
                f"{origin}: expected CUDA's headers, but {name} is not among them; point at the "
                "include folder of a CUDA toolkit, or leave the choice to the generator"
            )
        kept[name] = _unix(files[name])
        folder = name.rpartition("/")[0]
        for match in _INCLUDE.findall(kept[name]):
            included = match.decode("ascii", "replace")
            beside = f"{folder}/{included}" if folder else included
            # C's own headers, and what only CUDA's compiler has, are not there and not needed.
            # Headers under crt/ are: CUDA's wheels keep them apart, so they can be missing.
            wanted = beside if beside in files else included
            if wanted in files or wanted.startswith("crt/"):
                todo.append(wanted)
    match_ = re.search(rb"define[ \t]+CUDART_VERSION[ \t]+(\d+)", kept["cuda_runtime_api.h"])
    if match_ is None:
        raise HeaderError(f"{origin}: cuda_runtime_api.h does not define CUDART_VERSION")
    number = int(match_[1])
    version = f"{number // 1000}.{number % 1000 // 10}"
    return CudaHeaders(version=version, files=dict(sorted(kept.items())), origin=origin)


def _unix(content: bytes) -> bytes:
    r"""With \n line ends: a few Windows wheels differ from the Linux ones in nothing else."""
    return content.replace(b"\r\n", b"\n")


def _is_copy(name: str, files: Mapping[str, bytes]) -> bool:
    match = _COPY.fullmatch(name)
    return match is not None and files.get(f"{match[1]}.h") == files[name]


def _version(files: Mapping[str, bytes], origin: str) -> str | None:
    """Return the release that the version macros of all files agree on; None without macros."""
    claims: dict[tuple[str, bytes], str] = {}  # by file and the macro's middle part
    for name, content in files.items():
        groups: dict[bytes, dict[bytes, int]] = {}
        for group, part, number in _MACRO.findall(_COMMENT.sub(b" ", content)):
            groups.setdefault(group, {})[part.replace(b"PATCHLEVEL", b"PATCH")] = int(number)
        for group, parts in groups.items():
            numbers = [parts.get(part) for part in (b"MAJOR", b"MINOR", b"PATCH")]
            if None not in numbers:
                claims[name, group] = ".".join(map(str, numbers))
            elif group:
                continue  # not a version, whatever it is
            elif any(number is not None for number in numbers):
                raise HeaderError(
                    f"{origin}: {name} defines only some of CUDNN_MAJOR, CUDNN_MINOR and "
                    "CUDNN_PATCHLEVEL; it looks cut off, get a fresh copy of the headers"
                )
            elif parts[b"VERSION"] >= 1000:  # the first release says 20, which is no such number
                claims[name, group] = version_name(parts[b"VERSION"])
    if len(set(claims.values())) > 1:
        by_version: dict[str, list[str]] = {}
        for (name, _), version in claims.items():
            by_version.setdefault(version, []).append(name)
        mix = "; ".join(f"{version} in {listing(by)}" for version, by in sorted(by_version.items()))
        raise HeaderError(
            f"{origin}: expected the headers of one release, but these are of several: {mix}. "
            "Give a folder that holds one release only"
        )
    return next(iter(claims.values()), None)
