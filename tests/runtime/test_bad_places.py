"""A search among what is no library: the good copy is found, and the rest is said."""

from __future__ import annotations

import os
import random
import shutil
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conftest import Program, Run

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the places are Linux's")

LOAD = """
import faulthandler
faulthandler.dump_traceback_later(60, exit=True)
import cudnn_cffi as cudnn
print(cudnn.load().path)
cudnn.TensorDescriptor()
"""

NAME = "libcudnn.so.9"


def _loop(folder: Path) -> None:
    (folder / NAME).symlink_to(NAME)


def _empty(folder: Path) -> None:
    (folder / NAME).touch()


def _unreadable(folder: Path) -> None:
    (folder / NAME).write_bytes(b"\x7fELF")
    (folder / NAME).chmod(0)


def _foreign(folder: Path) -> None:
    (folder / NAME).write_text("INPUT(libcudnn.so)")


def _looped_folder(folder: Path) -> None:
    folder.rmdir()
    folder.symlink_to(folder.name)


def _pipe_in_its_place(folder: Path) -> None:
    folder.rmdir()
    os.mkfifo(folder)


def _file_in_its_place(folder: Path) -> None:
    folder.rmdir()
    folder.touch()


#: Properties of a bad folder.
BAD: dict[str, Callable[[Path], object]] = {
    "loop": _loop,
    "dangling": lambda folder: (folder / NAME).symlink_to("nowhere"),
    "folder": lambda folder: (folder / NAME).mkdir(),
    "pipe": lambda folder: os.mkfifo(folder / NAME),
    "empty": _empty,
    "unreadable": _unreadable,
    "foreign": _foreign,
    "looped folder": _looped_folder,
    "pipe in the folder's place": _pipe_in_its_place,
    "nothing": lambda folder: folder.rmdir(),
    "file in the folder's place": _file_in_its_place,
}


def bad_places(root: Path, kinds: list[str]) -> list[str]:
    places = []
    for number, kind in enumerate(kinds):
        folder = root / str(number)
        folder.mkdir(parents=True)
        BAD[kind](folder)
        places.append(str(folder))
    return places


def test_a_good_copy_behind_every_bad_place(run: Run, cudnn_library: Path, tmp_path: Path) -> None:
    places = [*bad_places(tmp_path, list(BAD)), "loopy", "", "/proc/1/root"]
    path = os.pathsep.join([*places, str(cudnn_library.parent)])
    assert run(LOAD, LD_LIBRARY_PATH=path).stdout.strip() == str(cudnn_library)


def test_each_bad_place_is_listed_with_its_reason(run: Run, tmp_path: Path) -> None:
    kinds = ["loop", "dangling", "folder", "pipe"]
    code = """
from cudnn_cffi import library
from cudnn_cffi.library import locate
locate.PLACES = [each for each in locate.PLACES if each.find is locate._loader]  # no wheel is found
try:
    library.load()
except library.LibraryNotFoundError as error:
    print(error)
"""
    path = os.pathsep.join(bad_places(tmp_path, kinds))
    printed = run(code, LD_LIBRARY_PATH=path).stdout
    for number, why in enumerate(["symbolic links", "a link to nowhere", "a folder", "a pipe"]):
        [line] = [each for each in printed.splitlines() if str(tmp_path / str(number)) in each]
        assert why in line


@pytest.mark.parametrize("kind", ["pipe", "loop", "dangling"])
def test_a_named_one_that_is_no_file(kind: str, run: Run, tmp_path: Path) -> None:
    [folder] = bad_places(tmp_path, [kind])
    done = run(LOAD, Path(folder) / NAME, check=False)
    assert "LibraryNotFoundError" in done.stderr


@pytest.mark.parametrize("kind", ["pipe", "loop", "folder"])
def test_a_part_that_is_no_file_is_a_warning(
    kind: str, run: Run, cudnn_library: Path, tmp_path: Path
) -> None:
    for file in cudnn_library.parent.iterdir():
        if not file.name.startswith("libcudnn_adv"):
            (tmp_path / file.name).symlink_to(file)
    shutil.copyfile(cudnn_library, tmp_path / "copy")
    (tmp_path / NAME).unlink()
    (tmp_path / "copy").rename(tmp_path / NAME)
    part = tmp_path / "libcudnn_adv.so.9"
    {"pipe": os.mkfifo, "loop": lambda p: p.symlink_to(p.name), "folder": Path.mkdir}[kind](part)
    done = run(LOAD, tmp_path / NAME)
    assert "libcudnn_adv.so.9" in done.stderr
    assert "SublibraryWarning" in done.stderr


def test_a_deleted_working_folder(run: Run, cudnn_library: Path, tmp_path: Path) -> None:
    gone = str(tmp_path / "gone")
    code = f"import os; os.mkdir({gone!r}); os.chdir({gone!r}); os.rmdir({gone!r})\n{LOAD}"
    for path in ("", "relative"):
        done = run(code, cudnn_library, LD_LIBRARY_PATH=path)
        assert done.stdout.strip() == str(cudnn_library)
    found = run(code, LD_LIBRARY_PATH=f"relative:{cudnn_library.parent}")
    assert found.stdout.strip() == str(cudnn_library)


def test_a_part_deleted_before_the_first_call(
    program: Program, cudnn_library: Path, tmp_path: Path
) -> None:
    """cuDNN itself would end the process."""
    for file in cudnn_library.parent.iterdir():
        os.link(file, tmp_path / file.name)
    done = program("deleted_part", tmp_path / NAME, tmp_path / "libcudnn_ops.so.9")
    assert done.stdout == "LibraryLoadError True\n0\n"


@pytest.mark.parametrize("command", ["info", "doctor"])
def test_reports_among_bad_places(
    command: str, run: Run, cudnn_library: Path, tmp_path: Path
) -> None:
    kinds = list(BAD)
    random.Random(1).shuffle(kinds)
    places = [*bad_places(tmp_path, kinds), "loopy", "/proc/1/root", str(cudnn_library.parent)]
    gone = tmp_path / "gone"
    gone.mkdir()
    code = f"""
import os, sys
os.chdir({str(gone)!r})
os.rmdir({str(gone)!r})
import cudnn_cffi.diagnose.{command} as module
import cudnn_cffi.diagnose.info as info
print(module.to_text(info.collect() if module is info else module.examine(info.collect())))
"""
    done = run(code, LD_LIBRARY_PATH=os.pathsep.join(places))
    assert str(cudnn_library) in done.stdout


def test_a_log_without_a_library_is_one_error(run: Run, tmp_path: Path) -> None:
    code = """
import sys
import cudnn_cffi as cudnn
from cudnn_cffi import errors
sys.unraisablehook = lambda found: print("ignored:", found.exc_value)
try:
    with cudnn.log("INFO"):
        print("logs")
except errors.LibraryNotFoundError:
    print("not found")
"""
    missing = tmp_path / NAME
    done = run(code, missing)
    assert done.stdout == "not found\n"
    assert not done.stderr
