"""abidiff, which reads debug information, on libraries made from the real headers.

NVIDIA's own libraries have none, so that abidiff sees their symbols only. Libraries whose functions
do nothing, compiled from the headers of two releases, show it everything that a compiler knows.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from itertools import pairwise
from pathlib import Path

import pytest
from cudnn_cffi.api import store
from cudnn_cffi.api.diff import compare
from cudnn_cffi.api.model import Api

pytestmark = pytest.mark.headers

#: Every step at which something changed.
STEPS = [
    (old.version, new.version) for old, new in pairwise(store().releases()) if old.api != new.api
]


@pytest.fixture(scope="module")
def tools() -> str:
    for tool in ("abidiff", "cc"):
        if shutil.which(tool) is None:
            pytest.skip(f"no {tool}; Debian has abidiff in abigail-tools")
    folder = os.environ.get("CUDNN_CFFI_TEST_HEADERS")
    if folder is None:
        pytest.skip("no folder of headers is named in CUDNN_CFFI_TEST_HEADERS")
    return folder


@pytest.fixture(scope="module")
def cuda(tools: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of CUDA's headers."""
    assert tools
    headers = pytest.importorskip("generator.headers", reason="no generator to find CUDA with")
    try:
        with headers.Registry() as registry:
            found = registry.cuda_headers()
    except headers.HeaderError as error:
        pytest.skip(f"no headers of CUDA: {error}")
    folder = tmp_path_factory.mktemp("cuda")
    for name, content in found.files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)
    return folder


def library(api: Api, headers: Path, cuda: Path, folder: Path) -> Path:
    """A library with each function of `api`, which does nothing, and a variable of each type."""
    lines = ["#include <cudnn.h>", "#include <cudnn_backend.h>"]
    for function in api.functions:
        declared = [
            re.sub(r"(\[\])?$", rf" p{n}\1", parameter.type, count=1)
            for n, parameter in enumerate(function.parameters)
        ]
        body = "" if function.result == "void" else "return 0;"
        parameters = ", ".join(declared) or "void"
        lines.append(f"{function.result} {function.name}({parameters}) {{ {body} }}")
    types = [*(enum.name for enum in api.enums), *(record.name for record in api.records)]
    lines += [f"{n} a_{n};" for n in types if n.startswith("cudnn") and "." not in n]
    source = folder / f"{api.release}.c"
    source.write_text("\n".join(lines) + "\n")
    target = source.with_suffix(".so")
    flags = ["-g", "-w", "-shared", "-fPIC", "-fno-eliminate-unused-debug-types"]
    subprocess.run(["cc", *flags, "-I", headers, "-I", cuda, "-o", target, source], check=True)
    return target


@pytest.mark.parametrize(("old", "new"), STEPS)
def test_abidiff_finds_the_same(old: str, new: str, tools: str, cuda: Path, tmp_path: Path) -> None:
    models = store()
    releases = {release.version: release for release in models.releases()}
    apis = [models.api(releases[version].api) for version in (old, new)]
    made = [
        library(api, Path(tools, releases[version].build), cuda, tmp_path)
        for api, version in zip(apis, (old, new), strict=True)
    ]
    command = ["abidiff", "--no-linkage-name", "--harmless", "--redundant", *map(str, made)]
    output = subprocess.run(command, capture_output=True, text=True, timeout=120).stdout

    findings = compare(*apis)
    assert added(output) == {f.name for f in findings if f.rule == "func-added"}
    assert removed(output) == {f.name for f in findings if f.rule == "func-removed"}
    assert renumbered(output) == {
        f.name: (f.old, f.new)
        for f in findings
        if f.rule in ("enumerator-value-changed", "enum-sentinel-moved")
    }
    assert resized(output) == {
        f.name: (f.old, f.new) for f in findings if f.rule == "record-size-changed"
    }


def test_abidiff_finds_the_same_symbols_in_real_libraries(cudnn_libraries: list[Path]) -> None:
    """Compare the two most distant libraries of one major that are there."""
    if shutil.which("abidiff") is None:
        pytest.skip("no abidiff; Debian has it in abigail-tools")
    from cudnn_cffi.library.sublibraries import version_in

    versions = {version_in(path): path for path in cudnn_libraries}
    known = {release.version: release for release in store().releases()}
    newest = next(version for version in reversed(versions) if version in known)
    major = newest.partition(".")[0] + "."
    oldest = next(version for version in versions if version.startswith(major))
    if oldest == newest:
        pytest.skip(f"only one libcudnn {major[0]}; name folders in CUDNN_CFFI_TEST_LIBRARIES")
    command = ["abidiff", str(versions[oldest]), str(versions[newest])]
    output = subprocess.run(command, capture_output=True, text=True, timeout=120).stdout
    found = {sort: set(re.findall(rf"\[{sort}\] (cudnn\w+)@", output)) for sort in ("A", "D")}
    models = store()
    findings = compare(*(models.api(known[version].api) for version in (oldest, newest)))
    assert found["A"] == {f.name for f in findings if f.rule == "func-added"}
    assert found["D"] == {f.name for f in findings if f.rule == "func-removed"}


def added(output: str) -> set[str]:
    return set(re.findall(r"\[A\] 'function .*?(\w+)\(", output))


def removed(output: str) -> set[str]:
    return set(re.findall(r"\[D\] 'function .*?(\w+)\(", output))


def renumbered(output: str) -> dict[str, tuple[int, int]]:
    found = re.findall(r"'\w+::(\w+)' from value '(-?\d+)' to '(-?\d+)'", output)
    return {name: (int(before), int(after)) for name, before, after in found}


def resized(output: str) -> dict[str, tuple[int, int]]:
    """Sizes in bytes; abidiff has them in bits."""
    found = re.findall(
        r"type '(?:struct|union) (\w+)' at .*? changed:\n\s+type size changed from (\d+) to (\d+)",
        output,
    )
    return {name: (int(before) // 8, int(after) // 8) for name, before, after in found}
