"""The C program of a network: compiled by a real compiler, on good and damaged files."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from cudnn_cffi.library import sublibraries

from tests.diagnose.repro.conftest import Compile
from tests.network.conftest import Written

PROGRAMS = Path(__file__).parent / "programs"

#: Exit statuses of the program.
DONE, FAILED, DAMAGED, NEWER, OTHER_RELEASE, OTHER_DEVICE, WRONG_ARGUMENTS = range(7)


@pytest.fixture(scope="module")
def made(written: Written, compile_c: Compile, cudnn_library: Path) -> Path:
    release = sublibraries.version_in(cudnn_library)
    headers = f"-I{PROGRAMS}"
    driver = compile_c(PROGRAMS / "driver.c", release, headers, "-shared", "-fPIC")
    source = written.folder / "good.c"
    assert len(source.read_text().splitlines()) <= 400
    folders = [f"-Wl,-rpath,{each.parent}" for each in (cudnn_library, driver)]
    return compile_c(
        source, release, headers, str(cudnn_library), str(driver), *folders,
        "-pthread", "-Wl,--allow-shlib-undefined",
    )  # fmt: skip


def run(made: Path, *arguments: object, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [made, *map(str, arguments)], capture_output=True, text=True, check=False, timeout=60,
        env=os.environ | environment,
    )  # fmt: skip


def test_it_takes_the_file_that_was_written(made: Path, written: Written) -> None:
    done = run(made, "--check", written.folder / "good.net")
    assert (done.returncode, done.stderr) == (DONE, "")
    assert done.stdout == "input x: 4096 bytes\noutput y: 1024 bytes\n"


def test_it_knows_all_data_types(made: Path, written: Written) -> None:
    """Also truth values, of which engines have eight in a byte."""
    sizes = written.facts["sizes"]
    assert (sizes["a_BOOLEAN"], sizes["a_INT8"]) == (3, 19)
    done = run(made, "--check", written.folder / "typed.net")
    assert (done.returncode, done.stderr) == (DONE, "")
    lines = [f"input {name}: {size} bytes" for name, size in sizes.items()]
    assert done.stdout.splitlines() == ["input x: 4096 bytes", "output y: 1024 bytes", *lines]


@pytest.mark.parametrize(("name", "size"), [("twice", 8192), ("halves", 16384)])
def test_it_takes_arrays_in_two_roles(made: Path, written: Written, name: str, size: int) -> None:
    done = run(made, "--check", written.folder / f"{name}.net")
    assert (done.returncode, done.stderr) == (DONE, "")
    assert done.stdout == f"input x: {size} bytes\noutput y: 8192 bytes\n"


def test_it_refuses_what_python_refuses(made: Path, written: Written) -> None:
    damaged = [
        name for name, error in written.facts["found"].items() if error == "NetworkFileError"
    ]
    statuses = {
        name: run(made, "--check", written.folder / f"{name}.net").returncode for name in damaged
    }
    assert statuses == {name: NEWER if name in ("newer", "older") else DAMAGED for name in damaged}


def test_it_refuses_what_is_cut_off_or_changed_in_any_section(
    made: Path, written: Written, tmp_path: Path
) -> None:
    data, path = (written.folder / "good.net").read_bytes(), tmp_path / "changed.net"
    for begin in written.facts["sections"]:
        for content in (data[:begin], data[:begin] + bytes([data[begin] ^ 1]) + data[begin + 1 :]):
            path.write_bytes(content)
            done = run(made, "--check", path)
            assert done.returncode == (NEWER if begin == 8 and len(content) > 8 else DAMAGED), begin
            assert not done.stdout


def test_it_runs_on_the_device_and_release_of_the_file_alone(made: Path, written: Written) -> None:
    folder, count = written.folder, str(written.facts["multiprocessors"])
    x, y = folder / "x.bin", folder / "y.bin"
    there = {"DEVICE": "NVIDIA H200", "MULTIPROCESSORS": count}
    for name, environment, status in (
        ("good", {"DEVICE": "NVIDIA A100", "MULTIPROCESSORS": count}, OTHER_DEVICE),
        ("good", there | {"MULTIPROCESSORS": "78"}, OTHER_DEVICE),
        ("other-release", there, OTHER_RELEASE),
        ("other-cuda", there, OTHER_RELEASE),
        ("good", there, FAILED),  # a context cannot be made
    ):
        done = run(made, folder / f"{name}.net", x, y, **environment)
        assert done.returncode == status, done.stderr
    assert run(made, folder / "good.net", x, **there).returncode == WRONG_ARGUMENTS


def test_engines_are_opened_while_a_context_is_made(made: Path, written: Written) -> None:
    there = {"DEVICE": "NVIDIA H200", "MULTIPROCESSORS": str(written.facts["multiprocessors"])}
    given = [written.folder / name for name in ("good.net", "x.bin", "y.bin")]
    done = run(made, *given, **there, AWAITED="libcudnn_engines_")
    assert (done.returncode, "libcudnn_engines_ is loaded" in done.stdout) == (FAILED, True)
