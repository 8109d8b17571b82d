"""The report about this machine: complete where things work, and never a crash where not."""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path

import cudnn_cffi
import pytest
from cudnn_cffi.diagnose.info import Info, collect, to_json, to_text
from cudnn_cffi.library.sublibraries import siblings, version_in

from tests.compilers import c_library
from tests.conftest import Run

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the libraries are Linux's")

INFO = "import cudnn_cffi.diagnose.info as info; print(info.to_json(info.collect()))"


def test_names_the_library_and_each_part(run: Run, cudnn_libraries: list[Path]) -> None:
    for library in cudnn_libraries:
        found = json.loads(run(INFO, library).stdout)
        assert found["library"]["version"] == version_in(library)
        assert found["library"]["path"] == str(library)
        assert found["library"]["how"] == "named by CUDNN_CFFI_LIBRARY"
        parts = {part["name"]: part for part in found["parts"]}
        assert set(parts) == set(siblings(library))
        for name, part in parts.items():
            assert part["path"] == str(siblings(library)[name])
            assert part["version"] in ("", version_in(library))
            assert part["problem"] == ""
        assert found["package"]["tables"].startswith(version_in(library))


def test_names_the_folder_of_the_package() -> None:
    assert collect().package.path == str(Path(cudnn_cffi.__file__).parent)


def test_asking_loads_nothing_here(run: Run, cudnn_library: Path) -> None:
    code = f"{INFO}; import cudnn_cffi.library.locate as l; assert l.mapped() == [], l.mapped()"
    run(code, cudnn_library)


def test_a_library_in_use_is_the_one_described(run: Run, cudnn_libraries: list[Path]) -> None:
    if len(cudnn_libraries) < 2:
        pytest.skip("needs two libraries")
    used, named = cudnn_libraries[0], cudnn_libraries[-1]
    code = f"import cudnn_cffi.library as l; l.load({str(used)!r}); {INFO}"
    found = json.loads(run(code, named).stdout)
    assert found["library"]["path"] == str(used)
    assert found["library"]["how"] == "named by the caller"
    assert str(used) in found["in_process"]
    assert str(named) in [copy["real"] for copy in found["copies"]]


def test_a_copy_that_another_package_loaded_is_the_one_described(
    run: Run, cudnn_library: Path
) -> None:
    code = f"import ctypes; ctypes.CDLL({str(cudnn_library)!r}); {INFO}"
    found = json.loads(run(code).stdout)
    assert found["library"]["path"] == str(cudnn_library)
    assert found["library"]["how"] == "already loaded in this process"


def test_where_there_is_nothing_it_says_where_it_looked(run: Run, tmp_path: Path) -> None:
    found = json.loads(run(INFO, tmp_path / "none").stdout)
    assert found["library"]["error"] == "LibraryNotFoundError"
    assert str(tmp_path / "none") in found["library"]["text"]
    assert found["library"]["version"] == ""
    assert found["parts"] == []
    assert "no library is loaded" in found["package"]["tables"]


def test_survives_a_library_that_ends_the_process(
    run: Run, cudnn_library: Path, tmp_path: Path
) -> None:
    path = Path(shutil.copy(cudnn_library, tmp_path))
    for part in siblings(cudnn_library).values():
        text = "void __attribute__((constructor)) end(void) { __builtin_trap(); }\n"
        c_library(tmp_path / part.name, text)
    found = json.loads(run(INFO, path).stdout)
    assert found["library"]["crashed"] == "loading libcudnn"
    assert "SIG" in found["library"]["text"]
    assert found["driver"]["path"] or found["driver"]["problem"]


def test_secrets_stay_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NVIDIA_API_KEY", "hush")
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "0")
    found = collect()
    assert found.environment["CUDA_VISIBLE_DEVICES"] == "0"
    assert "hush" not in to_json(found)


@pytest.fixture(scope="module")
def here() -> Info:
    return collect()


def test_json_has_all_that_the_record_has(here: Info) -> None:
    found = json.loads(to_json(here))
    assert list(found) == list(Info.__dataclass_fields__)
    assert found["schema"] == 1


def test_text_is_readable_in_one_look(here: Info) -> None:
    lines = to_text(here).splitlines()
    assert lines[0] == f"cudnn_cffi {here.package.version}"
    titles = [line for line in lines if not line.startswith(" ")]
    assert "Driver" in titles
    assert all(line == line.rstrip() for line in lines)


def test_knows_the_tables_and_how_calls_are_made(here: Info) -> None:
    assert here.package.problem == ""
    assert here.package.calls in ("compiled (API mode)", "interpreted (ABI mode)")
    assert len(here.package.releases) > 50
