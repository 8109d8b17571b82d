"""Files of networks whose records are any, with checksums that fit: read or refused, in Python and C."""

from __future__ import annotations

import contextlib
import os
import random
import shutil
import struct
import subprocess
import zlib
from pathlib import Path
from typing import Any

import pytest
from cudnn_cffi import errors
from cudnn_cffi.library import sublibraries
from cudnn_cffi.network import format as f
from cudnn_cffi.network.reading import read_file, read_pieces

from tests.compilers import c_compiler
from tests.diagnose.repro.conftest import Compile
from tests.network.conftest import Written, compile_c, registry, written
from tests.network.test_c_program import DAMAGED, DONE, PROGRAMS

__all__ = ["compile_c", "registry", "written"]  # fixtures

pytestmark = pytest.mark.attack

WATCHED = "-fsanitize=address,undefined", "-fno-sanitize-recover=undefined"

#: Numbers that break sums, products and comparisons.
NUMBERS = (*range(4), 7, 8, 9, 63, 64, 255, 256, *(1 << each for each in (15, 16, 31, 32, 46, 63)),
           *((1 << each) - 1 for each in (31, 32, 63, 64)))  # fmt: skip

COUNT = 300


@pytest.fixture(scope="module")
def watched(
    written: Written, compile_c: Compile, cudnn_library: Path, tmp_path_factory: Any
) -> Path:
    """Return the C program, which sanitizers of the compiler watch."""
    source = tmp_path_factory.mktemp("watched") / "watched.c"
    source.write_text("int main(void) { return 0; }")
    made = source.with_suffix("")
    if subprocess.run([c_compiler(), *WATCHED, source, "-o", made], check=False).returncode:
        pytest.skip("the compiler has no sanitizers")
    shutil.copy(written.folder / "good.c", source)
    release, headers = sublibraries.version_in(cudnn_library), f"-I{PROGRAMS}"
    driver = compile_c(PROGRAMS / "driver.c", release, headers, "-shared", "-fPIC")
    folders = [f"-Wl,-rpath,{each.parent}" for each in (cudnn_library, driver)]
    return compile_c(
        source, release, headers, str(cudnn_library), str(driver), *folders, *WATCHED,
        "-pthread", "-Wl,--allow-shlib-undefined",
    )  # fmt: skip


def changed(data: bytes, header: f.Header, draw: random.Random) -> bytes:
    """Return a file with other records, and checksums that fit."""
    made = bytearray(data)
    for _ in range(draw.choice((1, 1, 2, 3))):
        kind = draw.choice("IQ")
        place = draw.randrange(f.Header.CHECKED, header.records - 8) // 4 * 4
        (old,) = struct.unpack_from(f"<{kind}", made, place)
        other = draw.choice((*NUMBERS, old + 1, old - 1, old ^ 1 << draw.randrange(32)))
        struct.pack_into(f"<{kind}", made, place, other % (1 << 8 * struct.calcsize(f"<{kind}")))
    groups = (f.Tensor, f.StoredPlan, f.Tensor, f.Call, f.Step, f.Place)
    sizes = [each.FORMAT.size for each in groups]
    pieces = f.Header.FORMAT.size + sum(map(int.__mul__, sizes, header[12:18]))
    texts = zlib.crc32(made[header.records : header.records + header.texts])
    struct.pack_into("<I", made, pieces, texts)
    checksum = zlib.crc32(made[f.Header.CHECKED : header.records])
    struct.pack_into("<I", made, f.Header.CHECKED - 4, checksum)
    return bytes(made)


@pytest.mark.usefixtures("cudnn")
@pytest.mark.parametrize("name", ["good", "halves"])
def test_any_records(seed: int, name: str, watched: Path, written: Written, tmp_path: Path) -> None:
    good, path, draw = written.folder / f"{name}.net", tmp_path / "any.net", random.Random(seed)
    data, header = good.read_bytes(), read_file(good).header
    for number in range(COUNT):
        content = changed(data, header, draw)
        path.write_bytes(content)
        with contextlib.suppress(errors.NetworkFileError):
            read_pieces(path, read_file(path), None)
        done = subprocess.run(
            [watched, "--check", path], capture_output=True, check=False, timeout=60,
            env=os.environ | {"ASAN_OPTIONS": "detect_leaks=0"},
        )  # fmt: skip
        assert done.returncode in (DONE, DAMAGED), (number, done.stderr[:2000])
