"""The generated tree against kills at any file operation, runs at once, and damage on the disk."""

from __future__ import annotations

import contextlib
import os
import random
import shutil
import signal
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NoReturn

import click
import pytest
from click.testing import CliRunner

from generator import pipeline, tree
from generator.__main__ import _errors, main
from tests.generator.small import BASE, CUDA, headers

pytestmark = [
    pytest.mark.attack,
    pytest.mark.skipif(sys.platform != "linux", reason="forks, and kills what it forked"),
]

FIRST = headers("9.1.0")
SECOND = headers("9.2.0", BASE + "cudnnStatus_t cudnnNew(int number);\n")
SECONDS = 40  # for each test

#: Audit events of what changes a disk; their first argument is a path.
CHANGES = ("open", "os.rename", "os.remove", "os.mkdir", "os.rmdir", "os.chmod", "shutil.rmtree")

Action = Callable[[], object]


def content(folder: Path) -> dict[str, bytes]:
    files = (path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def forked(action: Action, below: Path, kill_at: int | None = None) -> int:
    """Start a process that runs `action` and kills itself before its n-th change below a folder.

    Without `kill_at` its exit status counts the changes, up to 255.
    """
    child = os.fork()
    if child:
        return child
    _run(action, str(below), kill_at)


def _run(action: Action, below: str, kill_at: int | None) -> NoReturn:
    count = 0

    def watch(event: str, arguments: tuple[Any, ...]) -> None:
        nonlocal count
        if event == "ctypes.dlsym":
            concerned = arguments[1] == "renameat2"
        else:
            concerned = event in CHANGES and str(arguments[0]).startswith(below)
            if event == "open" and not arguments[2] & (os.O_WRONLY | os.O_RDWR | os.O_CREAT):
                concerned = False
        if concerned:
            count += 1
            if count == kill_at:
                os.kill(os.getpid(), signal.SIGKILL)

    sys.addaudithook(watch)
    try:
        action()
    except BaseException:
        os._exit(255)
    os._exit(min(count, 254) if kill_at is None else 0)


def ended(child: int) -> int:
    """The exit status of a process, negative where a signal ended it."""
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def shuffled(numbers: Iterator[int] | range, chance: random.Random) -> Iterator[int]:
    """Take numbers while there is time, in any order."""
    chosen = list(numbers)
    chance.shuffle(chosen)
    end = time.monotonic() + SECONDS
    for number in chosen:
        if time.monotonic() > end:
            return
        yield number


@pytest.mark.parametrize("way", ["exchange", "renames"])
def test_a_run_that_is_killed_anywhere_leaves_the_old_tree_or_the_new_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int, way: str
) -> None:
    if way == "renames":
        monkeypatch.setattr("generator.swap._exchange", lambda *_: False)
    chance = random.Random(seed)
    pipeline.generate([FIRST], CUDA, tmp_path / "old")
    shutil.copytree(tmp_path / "old", tmp_path / "new")
    pipeline.generate([SECOND], CUDA, tmp_path / "new")
    old, new = content(tmp_path / "old"), content(tmp_path / "new")
    out = tmp_path / "work" / "tree"

    def generate() -> None:
        pipeline.generate([SECOND], CUDA, out)

    nexts: dict[str, Action] = {
        "list": lambda: tree.load(out),
        "emit": lambda: pipeline.reemit(out),
        "check": lambda: pipeline.check(out),
    }
    shutil.copytree(tmp_path / "old", out)
    changes = ended(forked(generate, out.parent))
    assert 20 < changes < 255
    for number in shuffled(range(1, changes + 1), chance):
        shutil.rmtree(out.parent)
        shutil.copytree(tmp_path / "old", out)
        assert ended(forked(generate, out.parent, number)) == -signal.SIGKILL
        then = chance.choice([*nexts, "generate"])
        where = f"killed before change {number} of {changes}, then {then}"
        if then != "generate":
            nexts[then]()
            assert content(out) in (old, new), where
        generate()
        assert content(out) == new, where
        assert names(out.parent) == ["tree"], where


def test_runs_at_once_add_all_their_releases_though_some_are_killed(
    tmp_path: Path, seed: int
) -> None:
    chance = random.Random(seed)
    sets = {
        f"9.{minor}.0": headers(f"9.{minor}.0", BASE + f"cudnnStatus_t cudnnNew{minor}(int n);\n")
        for minor in range(6)
    }
    for turn in shuffled(range(20), chance):
        out = tmp_path / str(turn) / "tree"
        pipeline.generate([headers("9.9.0")], CUDA, out)
        killed = chance.sample(sorted(sets), chance.randrange(3))
        children = {
            version: forked(
                lambda each=each, out=out: pipeline.generate([each], CUDA, out),  # type: ignore[misc]
                out.parent,
                chance.randrange(1, 60) if version in killed else None,
            )
            for version, each in sets.items()
        }
        statuses = {version: ended(child) for version, child in children.items()}
        survived = {version for version, status in statuses.items() if 0 <= status < 255}
        assert survived >= sets.keys() - set(killed), statuses
        assert 255 not in statuses.values(), statuses
        found = tree.load(out).releases.keys()
        assert found >= survived | {"9.9.0"}, f"turn {turn}: {sorted(found)} of {sorted(survived)}"
        assert pipeline.check(out) == []
        pipeline.generate([FIRST], CUDA, out)
        assert names(out.parent) == ["tree"]


class Damage:
    """Ways to damage a file."""

    def flip(self, path: Path, chance: random.Random) -> None:
        data = bytearray(path.read_bytes())
        for _ in range(chance.randrange(1, 4)):
            data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
        path.write_bytes(data)

    def truncate(self, path: Path, chance: random.Random) -> None:
        path.write_bytes(path.read_bytes()[: chance.randrange(path.stat().st_size)])

    def junk(self, path: Path, chance: random.Random) -> None:
        path.write_bytes(chance.randbytes(chance.randrange(5000)))

    def nonsense(self, path: Path, chance: random.Random) -> None:
        texts = ["[]", "{}", "null", "[1]", '[{"version":1}]', "[" * 99_999, '"\\ud800"', "1e999"]
        path.write_text(chance.choice(texts))

    def swap_words(self, path: Path, chance: random.Random) -> None:
        words = path.read_bytes().split(b'"')
        one, other = chance.randrange(len(words)), chance.randrange(len(words))
        words[one], words[other] = words[other], words[one]
        path.write_bytes(b'"'.join(words))

    def remove(self, path: Path, _: random.Random) -> None:
        path.unlink()

    def folder(self, path: Path, _: random.Random) -> None:
        path.unlink()
        path.mkdir()

    def loop(self, path: Path, _: random.Random) -> None:
        path.unlink()
        path.symlink_to(path.name)

    def pipe(self, path: Path, _: random.Random) -> None:
        path.unlink()
        os.mkfifo(path)

    def odd_name(self, path: Path, _: random.Random) -> None:
        path.rename(path.parent / os.fsdecode(b"\xff\n\x1b[0m.py"))

    def unreadable(self, path: Path, _: random.Random) -> None:
        path.chmod(0)

    def closed(self, path: Path, _: random.Random) -> None:
        path.parent.chmod(0)


def test_damage_on_the_disk_ends_in_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    chance = random.Random(seed)
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("CUDNN_CFFI_CACHE", str(tmp_path / "cache"))
    whole = tmp_path / "whole"
    pipeline.generate([FIRST, headers("9.1.1"), SECOND], CUDA, whole)
    before = content(whole)
    files = sorted(before)
    models = [name for name in files if name.endswith((".json", tree.MANIFEST))]
    ways = [name for name in vars(Damage) if not name.startswith("_")]
    out = tmp_path / "work" / "tree"
    for turn in shuffled(range(2000), chance):
        shutil.copytree(whole, out)
        name = chance.choice(chance.choice([files, models]))
        way = chance.choice(ways)
        getattr(Damage(), way)(out / name, chance)
        where = f"turn {turn}: {way} {name}"
        for command in chance.sample(["check", "emit", "list", "generate"], 2):
            if command == "generate":
                with contextlib.suppress(click.ClickException), _errors():
                    pipeline.generate([SECOND], CUDA, out)
                continue
            damaged = differs(out, whole)
            result = CliRunner().invoke(main, [command, "--out", str(out)])
            exception = result.exception
            assert exception is None or isinstance(exception, SystemExit), f"{where}: {exception!r}"
            assert result.exit_code in (0, 1, 2), where
            assert result.output.strip(), where
            if command == "check":
                assert (result.exit_code != 0) == damaged, f"{where}: {result.output}"
            if command == "emit" and result.exit_code == 0:
                assert content(out) == before, where
        with contextlib.suppress(OSError):
            (out / name).parent.chmod(0o755)
        shutil.rmtree(out.parent)


def differs(out: Path, whole: Path) -> bool:
    """Whether anything but permissions differs."""
    try:
        return content(out) != content(whole) or len([*out.rglob("*")]) != len([*whole.rglob("*")])
    except OSError:
        return True
