"""Finding, loading and identifying libcudnn, with the real thing, in children."""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path

import pytest
from cudnn_cffi.library import LibraryNotFoundError, load
from cudnn_cffi.library.sublibraries import core, siblings, version_in

from tests.conftest import Program, Run

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the libraries are Linux's")

#: Loads and says what it got; `calls` needs a sub-library besides the one with the version.
REPORT = """
import ctypes
import cudnn_cffi.library as library

def calls(dl):
    made = ctypes.c_void_p()
    return dl.cudnnCreateTensorDescriptor(ctypes.byref(made))

try:
    found = library.load()
except library.LibraryError as error:
    print(type(error).__name__)
    print(error)
else:
    print(found.version, found.path, calls(found.dl), found.how, sep="|")
"""


def report(done: object) -> list[str]:
    return str(getattr(done, "stdout", "")).strip().split("|")


def copied(library: Path, folder: Path, *but: str) -> Path:
    """A copy of the library, beside links to its parts, except the parts `but`."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, path in siblings(library).items():
        if name not in but:
            (folder / path.name).symlink_to(path)
    return Path(shutil.copy(library, folder))


def test_a_library_is_copied_as_itself_and_pickled_as_its_file(run: Run, library: Path) -> None:
    done = run(
        """
        import copy, pickle
        import cudnn_cffi.library as library
        found = library.load()
        assert copy.copy(found) is copy.deepcopy(found) is found, "a process has one library"
        assert pickle.loads(pickle.dumps(found)) is found, "the same file is the same library"
        """,
        library,
    )
    assert not done.stderr


# Identity ---------------------------------------------------------------------------------------


def test_says_what_it_loaded(run: Run, cudnn_libraries: list[Path]) -> None:
    for library in cudnn_libraries:
        version, path, status, how = report(run(REPORT, library))
        assert version == version_in(library)
        assert Path(path) == library
        assert status == "0"
        assert how == "named by CUDNN_CFFI_LIBRARY"


def test_knows_the_cuda_runtime_it_was_built_with(run: Run, cudnn_library: Path) -> None:
    code = "import cudnn_cffi.library as l; print(l.load().cudart, l.load().number)"
    cudart, number = map(int, run(code, cudnn_library).stdout.split())
    assert 11000 <= cudart < 20000
    assert number > 8000


def test_addresses_of_symbols(run: Run, cudnn_library: Path) -> None:
    code = """
        import ctypes
        import cudnn_cffi.library as library
        found = library.load()
        version = ctypes.CFUNCTYPE(ctypes.c_size_t)(found.address("cudnnGetVersion"))
        assert version() == found.number, found.number
        nowhere = found.address("cudnnNeverHeardOf")
        assert nowhere == 0, nowhere
    """
    run(code, cudnn_library)


def test_nothing_is_loaded_before_it_is_asked_for(run: Run, cudnn_library: Path) -> None:
    code = """
        import cudnn_cffi.library as library
        import cudnn_cffi.library.locate as locate
        assert library.current() is None, library.current()
        assert locate.mapped() == [], locate.mapped()
        found = library.load()
        assert library.current() is found is library.load(), library.current()
        assert found.path in locate.mapped(), locate.mapped()
    """
    run(code, cudnn_library)


def test_many_threads_get_one_library(program: Program, cudnn_library: Path) -> None:
    program("one_library", cudnn_library)


# Where it is --------------------------------------------------------------------------------------


def test_the_wheel_is_found_and_loaded(run: Run, cudnn_library: Path, tmp_path: Path) -> None:
    path = copied(cudnn_library, tmp_path / "nvidia/cudnn/lib")
    code = f"import sys; sys.path.insert(0, {str(tmp_path)!r})\n{REPORT}"
    _, found, status, how = report(run(code))
    assert (Path(found), status, how) == (path, "0", f"pip wheel in {tmp_path}")


def test_a_link_in_another_folder_works(
    run: Run, cudnn_libraries: list[Path], tmp_path: Path
) -> None:
    """Opened as it stands it does not: libcudnn looks for its parts beside the link.

    The call fails, or ends the process, or is answered by what else the loader can find.
    """
    direct = """
        import ctypes, os
        import cudnn_cffi.library.locate as locate
        made = ctypes.c_void_p()
        dl = ctypes.CDLL(os.environ["CUDNN_CFFI_LIBRARY"])
        if not dl.cudnnCreateTensorDescriptor(ctypes.byref(made)):
            print(*(path.parent for path in locate.mapped() if "_ops" in path.name))
    """
    for library in cudnn_libraries:
        link = tmp_path / str(version_in(library)) / library.name
        link.parent.mkdir()
        link.symlink_to(library)
        assert str(library.parent) not in run(direct, link, check=False).stdout
        _, path, status, _ = report(run(REPORT, link))
        assert (Path(path), status) == (library, "0")


def test_a_link_that_somebody_else_opened_works_too(
    run: Run, cudnn_library: Path, tmp_path: Path
) -> None:
    link = tmp_path / cudnn_library.name
    link.symlink_to(cudnn_library)
    before = f"import ctypes; other = ctypes.CDLL({str(link)!r})"
    _, path, status, how = report(run(f"{before}\n{REPORT}"))
    assert (Path(path), status) == (cudnn_library, "0")
    assert how == "already loaded in this process"


def test_links_into_a_store_of_nameless_files(
    run: Run, cudnn_library: Path, tmp_path: Path
) -> None:
    """Here only the links lie together, so the library has to be opened as a link."""
    for number, path in enumerate([cudnn_library, *siblings(cudnn_library).values()]):
        stored = tmp_path / "store" / str(number) / "file"
        stored.parent.mkdir(parents=True)
        try:
            stored.hardlink_to(path)
        except OSError as error:
            pytest.skip(f"needs the library on the same file system as {tmp_path}: {error}")
        (tmp_path / "links").mkdir(exist_ok=True)
        (tmp_path / "links" / path.name).symlink_to(stored)
    link = tmp_path / "links" / cudnn_library.name
    _, path_opened, status, _ = report(run(REPORT, link))
    assert (Path(path_opened), status) == (link, "0")


def test_not_found_lists_every_place_and_the_command(run: Run, tmp_path: Path) -> None:
    name, *lines = run(REPORT, PATH=str(tmp_path)).stdout.splitlines()
    if name.count("|"):
        pytest.skip("this machine has a libcudnn of its own")
    assert name == "LibraryNotFoundError"
    text = "\n".join(lines)
    for place in ("this process", "pip wheels", "conda", "the system's loader", "CUDA toolkits"):
        assert f"  {place}: " in text
    assert "pip install nvidia-cudnn-cu13, or nvidia-cudnn-cu12 for CUDA 12" in text
    assert "cudnn-cffi[" not in text


def test_a_failed_attempt_does_not_spoil_the_next(run: Run, cudnn_library: Path) -> None:
    code = f"""
        import cudnn_cffi.library as library
        for wrong in ("/nonexistent", "/etc/hosts"):
            try:
                library.load(wrong)
            except library.LibraryError:
                assert library.current() is None, wrong
            else:
                raise SystemExit("loaded?")
        assert library.load({str(cudnn_library)!r}).number, "no version"
    """
    run(code)


def test_a_wrong_path_is_said_at_once(tmp_path: Path) -> None:
    with pytest.raises(LibraryNotFoundError, match="does not exist"):
        load(tmp_path / "libcudnn.so.9")


# Two copies ---------------------------------------------------------------------------------------


def loads(path: Path) -> str:
    """Code by which another part of the process uses cuDNN."""
    return f"import ctypes; ctypes.CDLL({str(path)!r}).cudnnGetVersion()\n"


def test_the_copy_in_the_process_is_used(run: Run, cudnn_library: Path, tmp_path: Path) -> None:
    other = copied(cudnn_library, tmp_path / "nvidia/cudnn/lib")
    code = f"import sys; sys.path.insert(0, {str(tmp_path)!r})\n{loads(cudnn_library)}{REPORT}"
    _, path, status, how = report(run(code))
    assert other.exists()
    assert (Path(path), status, how) == (cudnn_library, "0", "already loaded in this process")


def test_two_releases_of_a_major_cannot_be_in_one_process(
    run: Run, two_of_one_major: tuple[Path, Path]
) -> None:
    """The second would work with the parts of the first, and say it is the first."""
    first, second = two_of_one_major
    name, text = run(loads(first) + REPORT, second).stdout.split("\n", 1)
    assert name == "LibraryConflictError"
    for library in (first, second):
        assert f"cuDNN {version_in(library)} ({library})" in text


def test_nor_two_in_one_folder(
    run: Run, two_of_one_major: tuple[Path, Path], tmp_path: Path
) -> None:
    part = core(two_of_one_major[0])
    first = copied(two_of_one_major[0], tmp_path, part)
    shutil.copy(siblings(two_of_one_major[0])[part], tmp_path)
    second = Path(shutil.copy(two_of_one_major[1], f"{first}.1"))
    name, text = run(loads(first) + REPORT, second).stdout.split("\n", 1)
    assert name == "LibraryConflictError"
    assert str(first) in text


def test_a_second_copy_of_the_same_release_stands_for_the_first(
    run: Run, cudnn_library: Path, tmp_path: Path
) -> None:
    other = copied(cudnn_library, tmp_path / "copy")
    _, path_used, status, how = report(run(loads(cudnn_library) + REPORT, other))
    assert (Path(path_used), status) == (cudnn_library, "0")
    assert "already loaded" in how


def test_another_major_can_be_there_too(
    run: Run, cudnn_library: Path, cudnn8_library: Path
) -> None:
    if cudnn_library.name == cudnn8_library.name:
        pytest.skip("needs two majors")
    _, path, status, _ = report(run(loads(cudnn8_library) + REPORT, cudnn_library))
    assert (Path(path), status) == (cudnn_library, "0")


def test_once_loaded_another_one_is_refused(run: Run, cudnn_libraries: list[Path]) -> None:
    if len(cudnn_libraries) < 2:
        pytest.skip("needs two libraries")
    first, second = cudnn_libraries[0], cudnn_libraries[-1]
    code = f"""
        import cudnn_cffi.library as library
        found = library.load({str(first)!r})
        assert library.load({str(first.parent)!r}) is found, "loaded twice"
        try:
            library.load({str(second)!r})
        except library.LibraryConflictError as error:
            print(error)
    """
    text = run(code).stdout
    assert str(first) in text
    assert str(second) in text
    assert version_in(second) in text


def test_parts_come_from_its_own_folder(run: Run, two_of_one_major: tuple[Path, Path]) -> None:
    """LD_LIBRARY_PATH would lead most releases to the parts of another one."""
    first, second = two_of_one_major
    code = f"""{REPORT}
import cudnn_cffi.library.locate as locate
# A part that needs another one has a search path of its own.
for check in ("cudnnAdvVersionCheck", "cudnnAdvTrainVersionCheck"):
    if found.address(check):
        assert getattr(found.dl, check)() == 0, check
print({{path.parent for path in locate.mapped()}})
"""
    for mine, other in ((first, second), (second, first)):
        done = run(code, mine, LD_LIBRARY_PATH=str(other.parent))
        version, _, status, rest = report(done)
        assert (version, status) == (version_in(mine), "0")
        assert str(other.parent) not in rest


def test_the_same_release_in_the_system_gives_all_parts_or_none(
    run: Run, cudnn_libraries: list[Path], tmp_path: Path
) -> None:
    """libcudnn 9 asks for its parts by their full version first, as the system's packages name them.

    Two cores in one process would not know of each other's objects.
    """
    nines = [path for path in cudnn_libraries if version_in(path).startswith("9.")]
    if not nines:
        pytest.skip("needs a libcudnn 9")
    library = min(nines, key=lambda path: siblings(path)[core(path)].stat().st_size)
    for name in (core(library), "libcudnn_ops"):
        part = siblings(library)[name]
        shutil.copy(part, tmp_path / f"{name}.so.{version_in(library)}")
        (tmp_path / part.name).symlink_to(f"{name}.so.{version_in(library)}")
    code = f"{REPORT}\nimport cudnn_cffi.library.locate as l; print(*l.mapped())"
    done = run(code, library, LD_LIBRARY_PATH=str(tmp_path))
    answer, files = done.stdout.strip().splitlines()
    assert answer.split("|")[2] == "0"
    assert files.count(core(library)) == 1


# Broken ones --------------------------------------------------------------------------------------


def failure(run: Run, path: Path) -> str:
    done = run(REPORT, path)
    name, text = done.stdout.split("\n", 1)
    assert name == "LibraryLoadError", done.stdout
    return text


def test_a_missing_part_that_every_call_needs(
    run: Run, cudnn_libraries: list[Path], tmp_path: Path
) -> None:
    """Without this check the first call would end the process."""
    for library in cudnn_libraries:
        path = copied(library, tmp_path / str(version_in(library)), core(library))
        text = failure(run, path)
        assert f"{core(library)}.so is not beside it" in text
        assert "reinstall" in text


def test_a_missing_part_that_some_calls_need(run: Run, cudnn_library: Path, tmp_path: Path) -> None:
    part = next(name for name in siblings(cudnn_library) if name.startswith("libcudnn_adv"))
    done = run(REPORT, copied(cudnn_library, tmp_path / "some", part))
    assert f"SublibraryWarning: not all of cuDNN is usable in {tmp_path / 'some'}" in done.stderr
    assert f"{part} is missing" in done.stderr
    assert report(done)[2] == "0"


@pytest.mark.parametrize("length", [0, 10, 64, 100_000])
def test_a_file_that_is_cut_short(
    run: Run, cudnn_library: Path, tmp_path: Path, length: int
) -> None:
    path = tmp_path / cudnn_library.name
    path.write_bytes(cudnn_library.read_bytes()[:length])
    assert "cannot be loaded: it is" in failure(run, path)


def test_a_part_that_is_cut_short(run: Run, cudnn_library: Path, tmp_path: Path) -> None:
    name = core(cudnn_library)
    path = copied(cudnn_library, tmp_path / "cut", name)
    part = siblings(cudnn_library)[name]
    with part.open("rb") as whole:
        (path.parent / part.name).write_bytes(whole.read(1_000_000))
    assert f"{part.name}, a part of {path}" in failure(run, path)


def test_a_file_that_is_something_else(run: Run, tmp_path: Path) -> None:
    text = tmp_path / "libcudnn.so.9"
    text.write_text("version https://git-lfs.github.com/spec/v1\n")
    assert "not a shared library" in failure(run, text)
    import _ctypes

    assert "it has no cudnnGetVersion" in failure(run, Path(_ctypes.__file__))


def test_a_part_named_in_place_of_the_library(run: Run, cudnn_library: Path) -> None:
    part = siblings(cudnn_library)[core(cudnn_library)]
    text = failure(run, part)
    assert "is a sub-library" in text
    assert str(cudnn_library.parent) in text


#: Root may read everything, so a child of root's stops being root; it then may not even read
#: where its Python is, so what it will need is imported before.
NOBODY = """
import importlib.util, os, shutil, site, subprocess, sys
import cudnn_cffi.library
os.geteuid() or os.seteuid(65534)
"""


def test_a_file_that_may_not_be_read(run: Run, cudnn_library: Path) -> None:
    with tempfile.TemporaryDirectory() as name:
        Path(name).chmod(0o755)
        path = Path(shutil.copy(cudnn_library, name))
        path.chmod(0)
        done = run(NOBODY + REPORT, path)
    assert done.stdout.startswith("LibraryLoadError\n")
    assert "make the file and its folder readable" in done.stdout


def test_folders_that_may_not_be_read(run: Run) -> None:
    """They are passed over in a search, and named where they were asked for."""
    with tempfile.TemporaryDirectory() as name:
        closed = Path(name) / "closed"
        (closed / "inner").mkdir(parents=True)
        closed.chmod(0)
        inner = str(closed / "inner")
        code = f"{NOBODY}sys.path.append({inner!r})\n{REPORT}"
        searched = run(code, LD_LIBRARY_PATH=inner, CUDA_HOME=inner, CONDA_PREFIX=inner)
        named = run(code, Path(inner))
        closed.chmod(0o755)
    assert "LibraryNotFoundError" in searched.stdout or "|" in searched.stdout
    assert f"{inner} cannot be looked at" in named.stdout


def test_what_it_needs_is_not_there() -> None:
    """The loader's own words, and whose library is meant."""
    from cudnn_cffi.library import _advice

    def said(name: str) -> str:
        return _advice(OSError(f"{name}: cannot open shared object file: No such file"))

    assert "driver" in said("libcuda.so.1")
    assert "pip install nvidia-cublas-cu11," in said("libcublasLt.so.11")
    assert "pip install nvidia-cuda-nvrtc-cu12," in said("libnvrtc.so.12")
    assert "pip install nvidia-cublas," in said("libcublas.so.13")
    assert "reinstall" in said("libcudnn_ops.so.9")
    assert "libz.so.1" in said("libz.so.1")


# Fork ---------------------------------------------------------------------------------------------


def test_a_fork_without_handles_is_safe(program: Program, cudnn_library: Path) -> None:
    assert program("library_fork", cudnn_library, 0).returncode == 0


def test_a_fork_with_handles_is_refused_in_the_child(program: Program, cudnn_library: Path) -> None:
    done = program("library_fork", cudnn_library, 1, check=False)
    assert done.returncode == 3, done.stderr
    assert "'spawn' or 'forkserver'" in done.stdout


def test_a_fork_while_another_thread_loads(program: Program, cudnn_library: Path) -> None:
    """The child must not wait for a lock whose owner it does not have."""
    program("fork_while_loading", cudnn_library)
