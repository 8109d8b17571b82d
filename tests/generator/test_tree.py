"""The tree on disk: replaced as a whole, or left as it was."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from cudnn_cffi.api.model import ModelError

from generator import pipeline, tree
from generator.classify import ClassificationError
from generator.headers import HeaderError, HeaderSet
from generator.parse import ParseError
from generator.tree import TreeError
from tests.generator.small import BASE, CUDA, headers

FIRST = headers("9.1.0")
SECOND = headers("9.2.0", BASE + "cudnnStatus_t cudnnNew(int number);\n")


def content(folder: Path) -> dict[str, bytes]:
    """All files below the folder that holds the tree, so that leftovers show."""
    return {
        p.relative_to(folder).as_posix(): p.read_bytes() for p in folder.rglob("*") if p.is_file()
    }


@pytest.fixture
def out(tmp_path: Path) -> Path:
    """A tree with one release, alone in its folder."""
    pipeline.generate([FIRST], CUDA, tmp_path / "tree")
    return tmp_path / "tree"


def test_a_tree_is_made_where_there_is_none(tmp_path: Path) -> None:
    report = pipeline.generate([FIRST], CUDA, tmp_path / "a" / "b")
    assert report.changed == len(content(tmp_path / "a" / "b")) > 15
    assert report.generated == ["9.1.0"]
    assert sorted(p.name for p in (tmp_path / "a").iterdir()) == ["b"]


def test_a_release_is_added_to_those_that_are_there(out: Path) -> None:
    report = pipeline.generate([SECOND], CUDA, out)
    assert (report.releases, report.apis) == (2, 2)
    assert sorted(tree.load(out).releases) == ["9.1.0", "9.2.0"]


def test_files_that_are_emitted_no_longer_go(out: Path) -> None:
    stale = out / "cudnn_cffi" / "tables" / "v1_2_3.py"
    stale.write_text("ENUMS = {}\n")
    pipeline.reemit(out)
    assert not stale.exists()


def test_bytecode_is_no_difference(out: Path) -> None:
    cache = out / "cudnn_cffi" / "__pycache__"
    cache.mkdir()
    (cache / "x.pyc").write_bytes(b"")
    assert pipeline.check(out) == []


def test_differences_are_named(out: Path) -> None:
    (out / "roles.txt").unlink()
    (out / "cudnn_cffi" / "own.py").write_text("")
    (out / "cudnn_cffi" / "_index.py").write_text("")
    assert tree.differences(out, tree.files(tree.load(out))) == [
        "differs: cudnn_cffi/_index.py",
        "missing: roles.txt",
        "not emitted: cudnn_cffi/own.py",
    ]


# Failures


class Broken:
    """A run that fails in one of several ways, and what it must say."""

    def parse(self, _: pytest.MonkeyPatch) -> tuple[HeaderSet, type[Exception], str]:
        broken = headers("9.2.0", BASE + "cudnnStatus_t cudnnNew(int")
        return broken, ParseError, r"do not compile"

    def classify(self, _: pytest.MonkeyPatch) -> tuple[HeaderSet, type[Exception], str]:
        unknown = headers("9.2.0", BASE + "cudnnStatus_t cudnnNew(int ***x);")
        return unknown, ClassificationError, r"cudnnNew: int \*\*\* x"

    def disk_full(self, patch: pytest.MonkeyPatch) -> tuple[HeaderSet, type[Exception], str]:
        write, left = Path.write_bytes, [10]

        def full(self: Path, data: Any) -> int:
            left[0] -= 1
            if left[0] < 0:
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(self))
            return write(self, data)

        patch.setattr(Path, "write_bytes", full)
        return SECOND, TreeError, r"tree cannot be written: No space left.*nothing was changed"

    def no_permission(self, patch: pytest.MonkeyPatch) -> tuple[HeaderSet, type[Exception], str]:
        def refuse(*_: Any, **__: Any) -> str:
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))

        patch.setattr("generator.tree.tempfile.mkdtemp", refuse)
        return SECOND, TreeError, r"tree cannot be written: Permission denied; nothing was changed"

    def renaming(self, patch: pytest.MonkeyPatch) -> tuple[HeaderSet, type[Exception], str]:
        rename = Path.rename

        def fail(self: Path, target: Any) -> Path:
            if ".new-" in str(self):
                raise OSError(errno.EIO, "it broke")
            return rename(self, target)

        patch.setattr(Path, "rename", fail)
        return SECOND, TreeError, r"it broke; nothing was changed"


@pytest.fixture(params=[name for name in vars(Broken) if not name.startswith("_")])
def broken(
    request: pytest.FixtureRequest, out: Path, monkeypatch: pytest.MonkeyPatch
) -> tuple[HeaderSet, type[Exception], str]:
    assert out.exists()  # made before anything is broken
    made: tuple[HeaderSet, type[Exception], str] = getattr(Broken(), request.param)(monkeypatch)
    return made


def test_a_failure_leaves_the_tree_as_it_was(
    out: Path, broken: tuple[HeaderSet, type[Exception], str]
) -> None:
    before = content(out.parent)
    bad, error, message = broken
    with pytest.raises(error, match=message):
        pipeline.generate([headers("9.3.0"), bad], CUDA, out)
    assert content(out.parent) == before
    assert sorted(p.name for p in out.parent.iterdir()) == ["tree"]


def test_a_failure_leaves_no_tree_where_there_was_none(tmp_path: Path) -> None:
    broken = headers("9.2.0", BASE + "nonsense")
    with pytest.raises(ParseError):
        pipeline.generate([FIRST, broken], CUDA, tmp_path / "tree")
    assert list(tmp_path.iterdir()) == []


def test_headers_that_cannot_be_had_in_the_middle_change_nothing(out: Path) -> None:
    def sets() -> Iterator[HeaderSet]:
        yield SECOND
        raise HeaderError("the index went away")

    before = content(out.parent)
    with pytest.raises(HeaderError):
        pipeline.generate(sets(), CUDA, out)
    assert content(out.parent) == before


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="needs a user who is refused")
def test_a_folder_that_may_not_be_written_is_named(out: Path) -> None:
    before = content(out)
    out.parent.chmod(0o500)
    try:
        with pytest.raises(TreeError, match="Permission denied"):
            pipeline.generate([SECOND], CUDA, out)
    finally:
        out.parent.chmod(0o700)
    assert content(out) == before


def test_a_path_through_a_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(TreeError, match=r"cannot be written: (Not a directory|File exists)"):
        pipeline.generate([FIRST], CUDA, tmp_path / "file" / "tree")


def test_a_folder_with_other_things_in_it_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").write_text("years of work")
    with pytest.raises(TreeError, match=r"files that were not generated, such as thesis\.tex"):
        pipeline.generate([FIRST], CUDA, tmp_path)
    assert content(tmp_path) == {"thesis.tex": b"years of work"}


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("9.1.0.json", "{", "9.1.0.json: not a cuDNN API model"),
        ("9.1.0.json", '{"schema":99,"release":"9.1.0"}', "schema 99, but this version reads 1"),
        ("releases.json", "[1]", "releases.json: not a table of cuDNN releases"),
    ],
)
def test_a_damaged_model_is_named(out: Path, name: str, text: str, message: str) -> None:
    (out / "cudnn_cffi" / "api" / name).write_text(text)
    before = content(out)
    with pytest.raises(ModelError, match=message):
        pipeline.generate([SECOND], CUDA, out)
    assert content(out) == before


def test_a_model_that_is_gone_is_named(out: Path) -> None:
    (out / "cudnn_cffi" / "api" / "9.1.0.json").unlink()
    with pytest.raises(ModelError, match=r"9\.1\.0\.json: cannot be read"):
        pipeline.reemit(out)


def test_there_must_be_models_to_emit_from(tmp_path: Path) -> None:
    with pytest.raises(pipeline.PipelineError, match="no models to emit from"):
        pipeline.reemit(tmp_path)


def test_the_same_headers_from_a_folder_do_not_unname_the_build(tmp_path: Path) -> None:
    """A wheel says which build it has, a folder does not; equal files are of the same build."""
    out = tmp_path / "tree"
    wheel = msgspec.structs.replace(FIRST, build=f"{FIRST.version}.42")
    pipeline.generate([wheel], CUDA, out)
    report = pipeline.generate([FIRST], CUDA, out)
    assert report.changed == 0
    assert tree.load(out).releases[FIRST.version].build == f"{FIRST.version}.42"
