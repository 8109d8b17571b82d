"""Plans on a machine without a driver: exactly those that docs/without-a-gpu.md lists."""

from __future__ import annotations

import ctypes
import json
import os
import re
import subprocess
import sysconfig
from pathlib import Path

import pytest
from cudnn_cffi.driver import libcuda, stand_in
from cudnn_cffi.library import sublibraries

from tests.choice.conftest import release_of
from tests.conftest import ROOT, Program, Run, cache

PAGE = ROOT / "docs" / "without-a-gpu.md"
SOURCE = ROOT / "native" / "stand_in" / "libcuda.c"

if not libcuda.why_absent():
    pytest.skip("there is an NVIDIA driver", allow_module_level=True)

COLUMNS = ("cuBLAS and NVRTC", "cuBLAS", "no stand-in")

#: Attention is refused as an erratum there.
WRONG_ATTENTION = ((9, 10, 0), (9, 10, 1))


def listed(release: tuple[int, ...], column: str) -> str:
    """Return the page's cell for a release: "all", "none", or names of graphs."""
    rows = re.findall(r"^\| (before|from) ([\d.]+) \| (.*) \|$", PAGE.read_text(), re.M)
    cells = next(cells for word, _, cells in rows if word == "before")
    for word, first, each in rows:
        if word == "from" and release >= tuple(map(int, first.split("."))):
            cells = each
    return str(cells.split(" | ")[COLUMNS.index(column)])


def cuda_libraries(library: Path, stem: str) -> list[Path]:
    """Return CUDA's libraries of a name, for the CUDA that a libcudnn was made with."""
    major = 12 if release_of(library) < (9, 12) else 13
    folders = [Path(each) for each in os.environ.get("LD_LIBRARY_PATH", "").split(":") if each]
    wheels = Path(sysconfig.get_path("purelib"), "nvidia")
    folders += [cache() / "libraries" / f"cuda-{major}", *wheels.glob("*/lib")]
    for folder in folders:
        if found := sorted(folder.glob(f"lib{stem}*.so*{major}*")):
            return found
    pytest.skip(f"no lib{stem} of CUDA {major}: scripts/libraries.py cuda-{major} fetches it")


def folder_of(library: Path, stems: tuple[str, ...], target: Path) -> str:
    target.mkdir()
    for stem in stems:
        for each in cuda_libraries(library, stem):
            (target / each.name).symlink_to(each)
    return str(target)


def beside(library: Path, name: str) -> bool:
    return any(any(each.glob(name)) for each in sublibraries.search_folders(library))


@pytest.fixture(scope="session")
def stand_in_is_built() -> None:
    if why := stand_in.why_not():
        pytest.skip(why)


@pytest.mark.slow
@pytest.mark.usefixtures("stand_in_is_built")
@pytest.mark.parametrize("column", COLUMNS)
def test_the_page_lists_what_is_planned(
    column: str, cudnn_libraries: list[Path], program: Program, tmp_path: Path
) -> None:
    stems = ("cublas", "nvrtc") if column != "cuBLAS" else ("cublas",)
    for library in cudnn_libraries:
        release = release_of(library)
        if column == "cuBLAS" and beside(library, "libnvrtc.so*"):
            continue
        folder = tmp_path / sublibraries.version_in(library)
        places = folder_of(library, stems, folder) if release >= (9, 8) else ""
        told = program(
            "without_gpu",
            library,
            column.replace(" ", "-"),
            LD_LIBRARY_PATH=places,
            LD_DEBUG="symbols",
            LD_DEBUG_OUTPUT=str(folder),
        )
        assert not told.stderr, (release, told.stderr)
        answer = json.loads(told.stdout.splitlines()[-1])
        planned = {name for name, why in answer["refused"].items() if not why}
        expected = listed(release, column)
        names = set(answer["refused"]) if expected == "all" else set(expected.split(", "))
        names -= {"none", "attention" if release in WRONG_ATTENTION else ""}
        assert planned == names, (release, column, answer["refused"])
        assert answer["again"]
        assert not answer["unsaved"] or release < (9, 10), release
        assert bool(answer["supported"]) == ("convolution" in names), answer["table"]
        if missing := [why for why in answer["refused"].values() if "PREREQUISITE" in why]:
            assert all("doctor" in why for why in missing), missing[0]
        assert looked_up(tmp_path, folder.name) <= functions(), release


def looked_up(folder: Path, prefix: str) -> set[str]:
    """Return the functions that were looked up in the stand-in, by what the loader wrote."""
    found: set[str] = set()
    for each in folder.glob(f"{prefix}.*"):
        lines = re.findall(r"symbol=(cu[A-Z]\w*);.*file=\S*stand-in", each.read_text())
        found.update(lines)
    return found


def functions() -> set[str]:
    return set(re.findall(r"(?:int |NO_DEVICE\()(cu[A-Z]\w*)", SOURCE.read_text()))


def test_the_stand_in_has_what_sub_libraries_import(cudnn_libraries: list[Path]) -> None:
    for library in cudnn_libraries:
        for part in sublibraries.siblings(library).values():
            try:
                done = subprocess.run(["nm", "-D", "-u", part], capture_output=True, text=True)
            except FileNotFoundError:
                pytest.skip("nm is not installed")
            assert set(re.findall(r"\bU (cu[A-Z]\w*)$", done.stdout, re.M)) <= functions()


def test_without_cublas_and_the_stand_in_the_refusal_is_in_words(
    cudnn_library: Path, program: Program
) -> None:
    if release_of(cudnn_library) < (9, 8):
        pytest.skip("no cuDNN 9.8 or newer")
    if beside(cudnn_library, "libcublasLt.so*"):
        pytest.skip("cuDNN finds cuBLAS")
    for argument in ("", "no-stand-in"):
        told = program("without_gpu", cudnn_library, argument)
        answer = json.loads(told.stdout.splitlines()[-1])
        assert not told.stderr
        assert re.search(r'take device="H200".*without-a-gpu.md', answer["hint"])
        for why in answer["refused"].values():
            assert why.startswith("SublibraryError: "), why
            assert "hint: pip install nvidia-cublas" in why or "without-a-gpu.md" in why, why


@pytest.mark.usefixtures("stand_in_is_built")
def test_a_stand_in_is_no_device(cudnn_library: Path, run: Run) -> None:
    told = run(
        """
        import ctypes, cudnn_cffi as cudnn
        from cudnn_cffi.driver import libcuda, why_unusable
        if cudnn.has("CUDNN_BACKEND_DEVICEPROP_DESCRIPTOR"):
            cudnn.DeviceProperties("H200").descriptor
            own = ctypes.CDLL("libcuda.so.1")
            assert own.cuInit(0) == 100 and own.cuDeviceGetCount(None) == 100
        assert "no NVIDIA driver" in why_unusable() and libcuda.load() is None
        for make in cudnn.Handle, cudnn.DeviceProperties.current:
            try:
                make()
            except cudnn.NotInitializedError as error:
                assert "no NVIDIA driver" in str(error)
            else:
                raise AssertionError
        """,
        cudnn_library,
    )
    assert not told.stderr


def test_nothing_stands_in_where_a_driver_or_a_sign_of_it_is(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    opened: list[str] = []
    monkeypatch.setattr(ctypes, "CDLL", lambda name: opened.append(name))
    monkeypatch.setattr(stand_in, "FILE", tmp_path)
    monkeypatch.setattr(stand_in, "_SIGNS", (tmp_path,))
    assert f"though there is {tmp_path}" in stand_in.why_not()
    stand_in.load()
    monkeypatch.setattr(stand_in, "_SIGNS", ())
    monkeypatch.setattr(libcuda, "why_absent", lambda: "")
    assert stand_in.why_not() == ""
    stand_in.load()
    assert not opened
    monkeypatch.setattr(libcuda, "why_absent", lambda: "no NVIDIA driver")
    assert "C compiler" in stand_in.why_not()
    stand_in.load()
    assert not opened
