"""The tree on disk: replaced as a whole, or left as it was."""

from __future__ import annotations

import errno
import hashlib
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from cudnn_cffi.api.inputs.store import Store
from cudnn_cffi.api.model import ModelError

from generator import pipeline, swap, tree
from generator.classify import ClassificationError
from generator.headers import HeaderError, HeaderSet
from generator.read.compiling import ParseError
from generator.tree import TreeError
from tests.generator.small import BASE, CUDA, content, headers
from tests.threads import in_threads

FIRST = headers("9.1.0")
SECOND = headers("9.2.0", BASE + "cudnnStatus_t cudnnNew(int number);\n")


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
    stale = out / "cudnn_cffi" / "v1_2_3.py"
    stale.write_text("ENUMS = {}\n")
    listed = f"{hashlib.sha256(stale.read_bytes()).hexdigest()}  cudnn_cffi/v1_2_3.py\n"
    with (out / tree.MANIFEST).open("a") as file:
        file.write(listed)
    pipeline.reemit(out)
    assert not stale.exists()
    assert pipeline.check(out) == []


def test_bytecode_is_no_difference(out: Path) -> None:
    cache = out / "cudnn_cffi" / "__pycache__"
    cache.mkdir()
    (cache / "x.pyc").write_bytes(b"")
    assert pipeline.check(out) == []


def test_differences_are_named(out: Path) -> None:
    (out / "roles.txt").unlink()
    (out / "cudnn_cffi" / "own.py").write_text("")
    (out / "cudnn_cffi" / "_index.py").write_text("")
    assert tree.differences(out, tree.files(tree.load(out).merged())) == [
        "differs: cudnn_cffi/_index.py",
        "missing: roles.txt",
        "not emitted: cudnn_cffi/own.py",
    ]


# Files that were not generated


class Foreign:
    """Things in a folder that are nobody's but the user's, by the name that an error gives them."""

    def file(self, out: Path) -> str:
        (out / "cudnn_cffi" / "precious.txt").write_text("years of work")
        return "cudnn_cffi/precious.txt"

    def in_bytecode(self, out: Path) -> str:
        (out / "cudnn_cffi" / "__pycache__").mkdir()
        (out / "cudnn_cffi" / "__pycache__" / "precious.txt").write_text("years of work")
        return "cudnn_cffi/__pycache__/precious.txt"

    def empty_folder(self, out: Path) -> str:
        (out / "cudnn_cffi" / "plans").mkdir()
        return "cudnn_cffi/plans/"

    def link(self, out: Path) -> str:
        (out / "cudnn_cffi" / "_link.py").symlink_to("_index.py")
        return "cudnn_cffi/_link.py"

    def link_in_the_place_of_a_file(self, out: Path) -> str:
        (out / "roles.txt").rename(out.parent / "elsewhere")
        (out / "roles.txt").symlink_to(out.parent / "elsewhere")
        return "roles.txt"

    def linked_folder(self, out: Path) -> str:
        (out / "more").symlink_to(out.parent)
        return "more"


def everything(folder: Path) -> dict[str, object]:
    """Files with their contents, links with their targets, and folders."""
    return {
        str(path): path.readlink() if path.is_symlink() else path.is_file() and path.read_bytes()
        for path in sorted(folder.rglob("*"))
    }


@pytest.mark.skipif(os.name != "posix", reason="needs links")
@pytest.mark.parametrize("stamped", [True, False], ids=["in a tree", "elsewhere"])
@pytest.mark.parametrize("kind", [name for name in vars(Foreign) if not name.startswith("_")])
def test_what_was_not_generated_is_named_and_stays(out: Path, kind: str, stamped: bool) -> None:
    if not stamped:
        (out / tree.MANIFEST).unlink()
    name = getattr(Foreign(), kind)(out)
    before = everything(out.parent)
    with pytest.raises(TreeError, match=f": {name}\\. Move" if stamped else "has no manifest"):
        pipeline.generate([SECOND], CUDA, out)
    assert everything(out.parent) == before


def test_an_empty_folder_becomes_a_tree(tmp_path: Path) -> None:
    (tmp_path / "tree").mkdir()
    assert pipeline.generate([FIRST], CUDA, tmp_path / "tree").releases == 1
    assert pipeline.check(tmp_path / "tree") == []


@pytest.mark.skipif(os.name != "posix", reason="needs links")
def test_through_a_link_its_target_is_written(out: Path) -> None:
    link = out.parent / "link"
    link.symlink_to("tree", target_is_directory=True)
    pipeline.generate([SECOND], CUDA, link)
    assert link.is_symlink()
    assert sorted(tree.load(out).releases) == ["9.1.0", "9.2.0"]
    assert sorted(path.name for path in out.parent.iterdir()) == ["link", "tree"]


def test_the_root_folder_is_refused() -> None:
    with pytest.raises(TreeError, match="/ is not empty and has no manifest"):
        pipeline.generate([FIRST], CUDA, Path(Path.cwd().anchor))


def test_an_edit_of_an_emitted_file_is_said_when_it_is_undone(
    out: Path, caplog: pytest.LogCaptureFixture
) -> None:
    roles = out / "roles.txt"
    before = roles.read_bytes()
    roles.write_text("mine")
    pipeline.generate([FIRST], CUDA, out)
    assert roles.read_bytes() == before
    assert "roles.txt was changed since it was emitted" in caplog.text
    caplog.clear()
    pipeline.generate([SECOND], CUDA, out)
    assert not caplog.text


def test_the_manifest_is_in_the_form_of_sha256sum(out: Path) -> None:
    mark, *lines = (out / tree.MANIFEST).read_text().splitlines()
    assert mark.startswith("#")
    files = {name: data for name, data in content(out).items() if name != tree.MANIFEST}
    assert lines == [
        f"{hashlib.sha256(data).hexdigest()}  {n}" for n, data in sorted(files.items())
    ]


def test_a_model_with_another_hash_is_refused_unless_trusted(out: Path) -> None:
    path = out / "cudnn_cffi" / "api" / "history.json"
    path.write_bytes(path.read_bytes().replace(b'"tensorDesc"', b'"tensorDesk"'))
    for run in (
        pipeline.check,
        pipeline.reemit,
        lambda out: pipeline.generate([SECOND], CUDA, out),
    ):
        with pytest.raises(TreeError, match=r"history\.json is not the file that was generated"):
            run(out)
    assert pipeline.reemit(out, trust_models=True).changed > 3
    assert pipeline.check(out) == []
    assert "tensorDesk" in (out / "roles.txt").read_text()


def test_a_table_of_releases_that_is_gone_is_not_taken_for_an_empty_tree(out: Path) -> None:
    (out / "cudnn_cffi" / "api" / "releases.json").unlink()
    before = content(out)
    with pytest.raises(TreeError, match=r"releases\.json cannot be read: No such file"):
        pipeline.generate([SECOND], CUDA, out)
    assert content(out) == before


@pytest.mark.parametrize(
    ("old", "new", "line"), [(b"# E", b"# e", 1), (b"  roles.txt", b" roles.txt", "[0-9]+")]
)
def test_a_damaged_manifest_is_named(out: Path, old: bytes, new: bytes, line: object) -> None:
    path = out / tree.MANIFEST
    path.write_bytes(path.read_bytes().replace(old, new))
    before = content(out)
    for run in (
        pipeline.check,
        pipeline.reemit,
        lambda out: pipeline.generate([SECOND], CUDA, out),
    ):
        with pytest.raises(TreeError, match=f"manifest.sha256: line {line} is no"):
            run(out)
    assert content(out) == before


def test_a_file_that_cannot_be_read_is_named(out: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    read = Path.read_bytes

    def refuse(self: Path) -> bytes:
        if self.name == "roles.txt":
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(self))
        return read(self)

    monkeypatch.setattr(Path, "read_bytes", refuse)
    for run in (pipeline.check, pipeline.reemit):
        with pytest.raises(TreeError, match=r"roles\.txt cannot be read: Permission denied"):
            run(out)


@pytest.mark.skipif(os.name != "posix", reason="needs a pipe with a name")
def test_a_pipe_in_the_place_of_a_model_is_named(out: Path) -> None:
    path = out / "cudnn_cffi" / "api" / "releases.json"
    path.unlink()
    os.mkfifo(path)
    with pytest.raises(ModelError, match=r"releases\.json: cannot be read: it is not a file"):
        pipeline.check(out)


# Runs at once, and runs that were killed


def test_runs_at_once_add_all_their_releases(tmp_path: Path) -> None:
    sets = [headers(f"9.{minor}.0") for minor in range(4)]
    in_threads(lambda each: pipeline.generate([each], CUDA, tmp_path / "tree"), sets)
    assert sorted(tree.load(tmp_path / "tree").releases) == [each.version for each in sets]
    assert pipeline.check(tmp_path / "tree") == []
    assert [path.name for path in tmp_path.iterdir()] == ["tree"]


def test_a_run_waits_for_another_and_says_so(out: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    said = threading.Event()
    texts = []

    def warning(*text: object) -> None:
        texts.append(text)
        said.set()

    monkeypatch.setattr(swap.log, "warning", warning)
    run = threading.Thread(target=pipeline.generate, args=([SECOND], CUDA, out))
    with tree.locked(out):
        run.start()
        assert said.wait(20)
        assert sorted(tree.load(out).releases) == ["9.1.0"]
    run.join()
    assert texts == [("waiting for another run, which is writing %s", out)]
    assert sorted(tree.load(out).releases) == ["9.1.0", "9.2.0"]


def test_the_lock_of_a_killed_process_blocks_nobody(out: Path) -> None:
    program = (
        "import os, signal, sys\nfrom pathlib import Path\nfrom generator import tree\n"
        "with tree.locked(Path(sys.argv[1])): print('held', flush=True); os.abort()"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, str(out)], capture_output=True, text=True, check=False
    )
    assert done.stdout == "held\n"
    assert (out.parent / ".tree.lock").exists()
    assert pipeline.generate([SECOND], CUDA, out).releases == 2
    assert [path.name for path in out.parent.iterdir()] == ["tree"]


def test_a_tree_that_was_moved_away_comes_back(out: Path, caplog: pytest.LogCaptureFixture) -> None:
    before = content(out)
    runs: dict[str, Callable[[], object]] = {
        "list": lambda: tree.load(out),
        "check": lambda: pipeline.check(out),
        "emit": lambda: pipeline.reemit(out),
        "generate": lambda: pipeline.generate([FIRST], CUDA, out),
    }
    for name, run in runs.items():
        caplog.clear()
        (out.parent / ".tree.new").mkdir()
        (out.parent / ".tree.new" / "half").write_text("")
        out.rename(out.parent / ".tree.old")
        run()
        assert content(out) == before, name
        assert [path.name for path in out.parent.iterdir()] == ["tree"]
        assert "is as it was before a run that was stopped while replacing it" in caplog.text


def test_what_a_killed_run_left_beside_a_whole_tree_goes(out: Path) -> None:
    for name in (".tree.new", ".tree.old"):
        (out.parent / name / "sub").mkdir(parents=True)
        (out.parent / name / "sub" / "file").write_text("")
        (out.parent / name / "sub").chmod(0o500)
    assert pipeline.reemit(out).changed == 0
    assert [path.name for path in out.parent.iterdir()] == ["tree"]


def test_without_an_exchange_the_tree_is_renamed_twice(
    out: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(swap, "_exchange", lambda *_: False)
    assert pipeline.generate([SECOND], CUDA, out).releases == 2
    assert pipeline.check(out) == []
    assert [path.name for path in out.parent.iterdir()] == ["tree"]


def test_a_tree_that_cannot_be_put_back_at_once_is_put_back_by_the_next_run(
    out: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before, rename = content(out), Path.rename

    def fail(self: Path, target: Path) -> Path:
        if target.name == "tree":
            raise OSError(errno.EIO, "it broke")
        return rename(self, target)

    with monkeypatch.context() as patch:
        patch.setattr(Path, "rename", fail)
        patch.setattr(swap, "_exchange", lambda *_: False)
        with pytest.raises(TreeError, match="it broke; it was moved away, and the next run puts"):
            pipeline.generate([SECOND], CUDA, out)
    assert not out.exists()
    assert pipeline.check(out) == []
    assert content(out.parent) == {f"tree/{name}": data for name, data in before.items()}


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
        def refuse(*_: Any, **__: Any) -> None:
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))

        patch.setattr(Path, "mkdir", refuse)
        return SECOND, TreeError, r"tree cannot be written: Permission denied; nothing was changed"

    def renaming(self, patch: pytest.MonkeyPatch) -> tuple[HeaderSet, type[Exception], str]:
        rename = Path.rename

        def fail(self: Path, target: Any) -> Path:
            if self.name == ".tree.new" and target.name == "tree":
                raise OSError(errno.EIO, "it broke")
            return rename(self, target)

        patch.setattr(Path, "rename", fail)
        patch.setattr(swap, "_exchange", lambda *_: False)
        return SECOND, TreeError, r"it broke; nothing was changed"


@pytest.fixture(params=[name for name in vars(Broken) if not name.startswith("_")])
def broken(
    request: pytest.FixtureRequest, out: Path, monkeypatch: pytest.MonkeyPatch
) -> tuple[HeaderSet, type[Exception], str]:
    assert out.exists()  # made before anything is broken
    return getattr(Broken(), request.param)(monkeypatch)


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
    with pytest.raises(TreeError, match=r"not empty and has no manifest.sha256.* thesis\.tex"):
        pipeline.generate([FIRST], CUDA, tmp_path)
    assert content(tmp_path) == {"thesis.tex": b"years of work"}


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("history.json", "{", "history.json: not a history of cuDNN's API"),
        ("history.json", '{"schema":99,"apis":[]}', "schema 99, but this version reads 1"),
        ("releases.json", "[1]", "releases.json: not a table of cuDNN releases"),
        (
            "history.json",
            '{"schema":1,"apis":[]\xff}',
            "history.json: not a history of cuDNN's API",
        ),
        (
            "history.json",
            '{"schema":1,"apis":[{"release":"?.9.7"}]}',
            "not a history of cuDNN's API",
        ),
        ("history.json", "[" * 100_000, "history.json: not a history of cuDNN's API"),
        (
            "releases.json",
            '[{"version":"?.9.7","build":"9.9.7","api":"9.1.0"}]',
            "releases.json: not a table of cuDNN releases",
        ),
        (
            "releases.json",
            '[{"version":"9.1.0","build":"9.1.0","api":"../../9.1.0"}]',
            "releases.json: not a table of cuDNN releases",
        ),
        ("releases.json", "[\xc3(]", "releases.json: not a table of cuDNN releases"),
    ],
)
def test_a_damaged_model_is_named(out: Path, name: str, text: str, message: str) -> None:
    (out / "cudnn_cffi" / "api" / name).write_text(text, encoding="latin-1")
    before = content(out)
    with pytest.raises(ModelError, match=message):
        pipeline.generate([SECOND], CUDA, out)
    assert content(out) == before


def test_a_model_that_is_gone_is_named(out: Path) -> None:
    (out / "cudnn_cffi" / "api" / "history.json").unlink()
    with pytest.raises(ModelError, match=r"history\.json: cannot be read"):
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


def test_a_release_from_a_wheel_has_libraries_also_when_its_headers_come_again(
    tmp_path: Path,
) -> None:
    out = tmp_path / "tree"
    wheel = msgspec.structs.replace(FIRST, libraries=("libcudnn", "libcudnn_ops"))
    for given in (wheel, FIRST):
        pipeline.generate([given], CUDA, out)
        libraries = tree.load(out).apis[FIRST.version].libraries
        assert [each.name for each in libraries] == ["libcudnn", "libcudnn_ops"]


def test_a_new_library_is_another_api(tmp_path: Path) -> None:
    second = headers("9.2.0")
    sets = [
        msgspec.structs.replace(FIRST, libraries=("libcudnn",)),
        msgspec.structs.replace(second, libraries=("libcudnn", "libcudnn_ext")),
    ]
    assert pipeline.generate(sets, CUDA, tmp_path / "tree").apis == 2
    same = [msgspec.structs.replace(each, libraries=("libcudnn",)) for each in (FIRST, second)]
    assert pipeline.generate(same, CUDA, tmp_path / "other").apis == 1


def test_advice_is_the_last_word_on_a_name_and_whose_it_is(tmp_path: Path) -> None:
    out = tmp_path / "tree"
    note = BASE + "/** @deprecated Use %s instead. */ cudnnStatus_t cudnnOld(int number);\n"
    bodies = {
        "9.1.0": BASE + "cudnnStatus_t cudnnOld(int number);\n",
        "9.2.0": note % "graph API",
        "9.3.0": note % "cudnnCreate",
        "9.4.0": note % "cudnnCreate" + "cudnnStatus_t cudnnMore(int number);\n",
        "9.5.0": BASE,
    }
    pipeline.generate([headers(*pair) for pair in bodies.items()], CUDA, out)
    advice = Store(out / "cudnn_cffi" / "api").advice()
    assert advice == {"cudnnOld": ("cudnnCreate", "9.3.0")}
    assert pipeline.check(out) == []
