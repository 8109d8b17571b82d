"""Where libcudnn is looked for, and in which order. No library is loaded here."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest
from cudnn_cffi.library.locate import PLACES, VARIABLE, Candidate, Tried, libraries_in, search

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the file names are Linux's")


@pytest.fixture(autouse=True)
def nothing_around(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only what a test puts there is found."""
    for name in ("VIRTUAL_ENV", "CONDA_PREFIX", "LD_LIBRARY_PATH", "CUDA_PATH", "CUDA_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.delenv(VARIABLE, raising=False)
    monkeypatch.setattr("cudnn_cffi.library.locate._modules", list)


def file(path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.touch()
    return path


def candidates(**given: Path) -> list[Candidate]:
    return [found for found in search(**given) if isinstance(found, Candidate)]


def test_an_explicit_path_ends_the_search(tmp_path: Path) -> None:
    path = file(tmp_path / "libcudnn.so.9")
    assert list(search(path)) == [Candidate(path, "named by the caller")]


@pytest.mark.parametrize("inner", ["", "lib", "lib64"])
def test_an_explicit_folder_may_be_the_toolkits_root(tmp_path: Path, inner: str) -> None:
    path = file(tmp_path / inner / "libcudnn.so.9")
    assert [found.path for found in candidates(explicit=tmp_path)] == [path]


def test_an_explicit_path_that_is_wrong_is_not_replaced_by_another(tmp_path: Path) -> None:
    assert list(search(tmp_path / "no")) == [
        Tried("the caller's path", f"{tmp_path / 'no'} does not exist")
    ]


def test_the_variable_comes_next(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, str(file(tmp_path / "libcudnn.so.8")))
    assert [found.how for found in candidates()] == [f"named by {VARIABLE}"]
    explicit = file(tmp_path / "mine" / "libcudnn.so.9")
    assert [found.path for found in candidates(explicit=explicit)] == [explicit]


def test_what_is_loaded_goes_before_what_is_installed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    installed = file(tmp_path / "site" / "nvidia/cudnn/lib/libcudnn.so.9")
    loaded = file(tmp_path / "elsewhere" / "libcudnn.so.8")
    monkeypatch.syspath_prepend(tmp_path / "site")
    monkeypatch.setattr("cudnn_cffi.library.locate._modules", lambda: [loaded])
    assert [found.path for found in candidates()][:2] == [loaded, installed]


def test_a_loaded_part_leads_to_the_library_beside_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    library = file(tmp_path / "libcudnn.so.9")
    part = file(tmp_path / "libcudnn_graph.so.9")
    monkeypatch.setattr("cudnn_cffi.library.locate._modules", lambda: [part])
    assert candidates()[0].path == library


def test_of_two_majors_in_one_folder_the_newer_is_first(tmp_path: Path) -> None:
    names = ["libcudnn.so", "libcudnn.so.8", "libcudnn.so.10", "libcudnn.so.9.1.0", "libcudnn.so.9"]
    for name in [*names, "libcudnn_graph.so.9", "libcudnn.so.9.bak", "xlibcudnn.so.9"]:
        file(tmp_path / name)
    assert [path.name for path in libraries_in(tmp_path)] == [
        "libcudnn.so.10",
        "libcudnn.so.9",
        "libcudnn.so.9.1.0",
        "libcudnn.so.8",
        "libcudnn.so",
    ]


def test_a_wheel_in_any_folder_of_the_import_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = file(tmp_path / "nvidia/cudnn/lib/libcudnn.so.9")
    monkeypatch.syspath_prepend(tmp_path)
    assert candidates()[0] == Candidate(path, f"pip wheel in {tmp_path}")


def test_a_wheel_beside_another_nvidia_package(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A regular package hides the other folders from imports, not from this."""
    file(tmp_path / "first/nvidia/__init__.py")
    path = file(tmp_path / "second/nvidia/cudnn/lib/libcudnn.so.9")
    monkeypatch.syspath_prepend(tmp_path / "second")
    monkeypatch.syspath_prepend(tmp_path / "first")
    assert candidates()[0].path == path


def test_a_wheel_in_the_users_site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import site

    path = file(tmp_path / "nvidia/cudnn/lib/libcudnn.so.9")
    monkeypatch.setattr(site, "ENABLE_USER_SITE", True)
    monkeypatch.setattr(site, "getusersitepackages", lambda: str(tmp_path))
    assert path in [found.path for found in candidates()]


def test_a_wheel_in_the_active_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    inner = f"lib/{version}/site-packages/nvidia/cudnn/lib/libcudnn.so.9"
    monkeypatch.setenv("VIRTUAL_ENV", str(tmp_path))
    path = file(tmp_path / inner)
    assert path in [found.path for found in candidates()]


def test_conda_and_the_loader_and_the_toolkit_in_this_order(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    conda = file(tmp_path / "conda/lib/libcudnn.so.9")
    folder = file(tmp_path / "ld/libcudnn.so.9")
    toolkit = file(tmp_path / "cuda/lib64/libcudnn.so.9")
    monkeypatch.setenv("CONDA_PREFIX", str(tmp_path / "conda"))
    monkeypatch.setenv("LD_LIBRARY_PATH", f"{tmp_path / 'none'}:{folder.parent}")
    monkeypatch.setenv("CUDA_PATH", str(tmp_path / "cuda"))
    ours = [found.path for found in candidates() if tmp_path in found.path.parents]
    assert ours == [conda, folder, toolkit]


def test_the_loaders_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tmp_path / "ldconfig"
    program.write_text(
        "#!/bin/sh\n"
        f"echo '\tlibcudnn.so.8 (libc6,x86-64) => {file(tmp_path / 'libcudnn.so.8')}'\n"
        f"echo '\tlibcudnn.so.9 (libc6,x86-64) => {file(tmp_path / 'libcudnn.so.9')}'\n"
        "echo '\tlibcudnn_ops.so.9 (libc6,x86-64) => /usr/lib/libcudnn_ops.so.9'\n"
    )
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    found = [c.path.name for c in candidates() if "ldconfig" in c.how]
    assert found == ["libcudnn.so.9", "libcudnn.so.8"]


def test_the_loaders_cache_has_folders_of_any_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Bytes of another encoding than the locale's are kept as Python keeps file names."""
    library = file(Path(os.fsdecode(os.fsencode(tmp_path) + b"/\xe9\x85 b")) / "libcudnn.so.9")
    program = tmp_path / "ldconfig"
    line = b"\tlibcudnn.so.9 (libc6,x86-64) => " + os.fsencode(library)
    program.write_bytes(b"#!/bin/sh\ncat << END\n" + line + b"\nEND\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    assert [c.path for c in candidates() if "ldconfig" in c.how] == [library]


def test_later_places_are_not_looked_at_before_they_are_needed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file(tmp_path / "nvidia/cudnn/lib/libcudnn.so.9")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr("subprocess.run", lambda *_, **__: pytest.fail("a program was started"))
    assert isinstance(next(found for found in search() if isinstance(found, Candidate)), Candidate)


def test_every_place_says_where_it_looked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CONDA_PREFIX", str(tmp_path))
    said = {tried.place: tried.result for tried in search() if isinstance(tried, Tried)}
    assert set(said) <= {place.name for place in PLACES}
    assert said["conda"] == f"none in {tmp_path / 'lib'}"
    assert said["this process"] == "none"
