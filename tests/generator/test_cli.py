"""The command line, from an index to a tree: what it says, and what it exits with."""

from __future__ import annotations

import io
import os
import re
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from generator import read
from generator.__main__ import _progress, main
from generator.headers import PAGES
from generator.headers.web import projects
from tests.generator.small import BASE, headers, text_of
from tests.generator.wheelhouse import CUDA_CRT, House, cuda_runtime_headers

pytestmark = pytest.mark.usefixtures("shop")

NEW = BASE + "cudnnStatus_t cudnnNew(int number);\n"


def cudnn(version: str, body: str = BASE) -> dict[str, bytes]:
    return {"cudnn.h": text_of(version, body).encode()}


@pytest.fixture
def shop(house: House, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> House:
    """An index with three releases, the only one that pip and so the generator knows."""
    for name in ("PIP_EXTRA_INDEX_URL", "PIP_FIND_LINKS", "PIP_NO_INDEX", "PIP_CERT", "PIP_PROXY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.setenv("PIP_INDEX_URL", house.url)
    monkeypatch.setenv("CUDNN_CFFI_CACHE", str(tmp_path / "cache"))
    house.add("9.1.0.5", headers=cudnn("9.1.0"))
    house.add("9.1.1.7", headers=cudnn("9.1.1"))
    house.add("9.2.0.9", headers=cudnn("9.2.0", NEW))
    house.add_cuda("13.0.96", "13.0.88")
    return house


@pytest.fixture
def out(tmp_path: Path) -> Path:
    return tmp_path / "tree"


def run(*arguments: object, out: Path | None = None) -> Result:
    given = [str(argument) for argument in arguments]
    if out is not None:
        given += ["--out", str(out)]
    result = CliRunner().invoke(main, given)
    assert result.exception is None or isinstance(result.exception, SystemExit)
    assert "Traceback" not in result.output
    return result


def modules(out: Path) -> list[str]:
    return sorted(path.stem for path in (out / "cudnn_cffi").glob("v*.py"))


def test_help_names_the_commands() -> None:
    text = run("--help").output
    for command in ("generate", "list", "emit", "check", "verify"):
        assert re.search(rf"^  {command} ", text, re.M)


# generate


@pytest.mark.parametrize(
    ("releases", "expected"),
    [
        (["9.1.0"], ["v9_1_0"]),
        (["90100"], ["v9_1_0"]),
        (["v9.1.0"], ["v9_1_0"]),
        (["9.1.0.5"], ["v9_1_0"]),
        (["9.1"], ["v9_1_1"]),
        (["latest"], ["v9_2_0"]),
        (["9.2.0", "9.1.0"], ["v9_1_0", "v9_2_0"]),
        (["all"], ["v9_1_0", "v9_1_1", "v9_2_0"]),
    ],
)
def test_releases_by_name(out: Path, releases: list[str], expected: list[str]) -> None:
    result = run("generate", *releases, out=out)
    assert (result.exit_code, modules(out)) == (0, expected), result.output
    assert f"the tree has {len(expected)} release" in result.output


def test_a_second_run_needs_no_network_and_changes_nothing(shop: House, out: Path) -> None:
    assert run("generate", "9.2.0", out=out).exit_code == 0
    asked = len(shop.requests)
    result = run("generate", "9.2.0", out=out)
    assert result.exit_code == 0
    assert "0 files changed" in result.output
    assert len(shop.requests) == asked


def test_headers_from_a_folder(tmp_path: Path, out: Path) -> None:
    folder = tmp_path / "include"
    folder.mkdir()
    (folder / "cudnn.h").write_text(text_of("7.6.5"))
    result = run("generate", "--headers", folder, out=out)
    assert (result.exit_code, modules(out)) == (0, ["v7_6_5"]), result.output


def test_headers_of_the_machine_need_no_index(
    shop: House, tmp_path: Path, out: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shop.stop()
    monkeypatch.setattr(projects, "CUDNN", ())  # no wheels: what the variables name
    monkeypatch.setattr(projects, "CUDA", ())
    monkeypatch.setitem(sys.modules, "cuda.pathfinder", None)
    for variable, files in (
        ("CUDNN_PATH", cudnn("9.3.0")),
        ("CUDA_PATH", cuda_runtime_headers("12.9") | CUDA_CRT),
    ):
        for name, content in files.items():
            path = tmp_path / variable / "include" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
        monkeypatch.setenv(variable, str(tmp_path / variable))
    result = run("generate", "--installed", out=out)
    assert result.exit_code == 0, result.output
    assert modules(out) == ["v9_3_0"]


def test_headers_that_do_not_say_which_release_they_are(tmp_path: Path, out: Path) -> None:
    folder = tmp_path / "include"
    folder.mkdir()
    (folder / "cudnn.h").write_text('#include "driver_types.h"\n' + BASE)
    result = run("generate", "--headers", folder, out=out)
    assert result.exit_code == 1
    assert "do not tell their version" in result.output
    result = run("generate", "--headers", folder, "--version", "1.0.0", out=out)
    assert (result.exit_code, modules(out)) == (0, ["v1_0_0"]), result.output


# Errors


def test_a_package_that_is_missing_is_named(out: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Most are imported where they are needed, so one may be missed only then."""
    monkeypatch.delattr(read, "parse", raising=False)
    monkeypatch.delitem(sys.modules, "generator.read.parse", raising=False)
    monkeypatch.setitem(sys.modules, "clang.cindex", None)
    result = run("generate", "9.1.0", out=out)
    assert result.exit_code == 1
    assert "clang" in result.output
    assert 'the generator needs the extra "generate": pip install ".[generate]"' in result.output


def test_no_release_named(out: Path) -> None:
    result = run("generate", out=out)
    assert result.exit_code == 2
    assert "name a release, such as 9.28.0, latest or all" in result.output


def test_a_release_and_a_folder(tmp_path: Path, out: Path) -> None:
    result = run("generate", "9.1.0", "--headers", tmp_path, out=out)
    assert result.exit_code == 2
    assert "name none" in result.output


@pytest.mark.parametrize(
    ("release", "text"),
    [
        ("9.1.2", r"there is no cuDNN 9\.1\.2 .*the nearest are 9\.1\.0, 9\.1\.1, 9\.2\.0"),
        ("9.1.0.6", r"there is no cuDNN 9\.1\.0\.6 .*builds of that release: 9\.1\.0\.5"),
        ("10", r"there is no cuDNN 10 .*3 releases, 9\.1\.0 to 9\.2\.0"),
        ("newest", r"'newest' is not a cuDNN release; expected one like 9\.28\.0"),
    ],
)
def test_an_unknown_release_names_near_ones(out: Path, release: str, text: str) -> None:
    result = run("generate", release, out=out)
    assert result.exit_code == 1
    assert re.search(text, result.output), result.output
    assert not out.exists()


def test_an_index_that_cannot_be_reached(shop: House, out: Path) -> None:
    assert run("generate", "9.1.0", out=out).exit_code == 0
    shop.stop()
    result = run("generate", "9.2.0", out=out)
    assert result.exit_code == 1
    assert shop.host in result.output
    assert modules(out) == ["v9_1_0"]
    assert run("generate", "9.1.0", out=out).exit_code == 0  # it is in the cache


@pytest.mark.parametrize(
    ("how", "text"),
    [
        ({"changed": cudnn("9.3.0", NEW)}, "it was tampered with"),
        ({"edit": lambda data: data[: len(data) // 2]}, "damaged, truncated or foreign file"),
        (
            {"edit": lambda _: b"<html>sign in first</html>" * 99},
            "damaged, truncated or foreign file",
        ),
    ],
)
def test_a_wheel_that_is_not_what_it_should_be(
    shop: House, out: Path, how: dict[str, Any], text: str
) -> None:
    shop.add("9.3.0.1", headers=cudnn("9.3.0"), **how)
    result = run("generate", "9.3.0", out=out)
    assert result.exit_code == 1
    assert text in result.output
    assert "nvidia_cudnn_cu13-9.3.0.1" in result.output
    assert not out.exists()


@pytest.mark.parametrize(
    ("files", "text"),
    [
        ({}, "include: expected cudnn.h there or in its include folder, and found nothing"),
        ({"cudnn_ops.h": "int x;\n"}, "include folder, and found cudnn_ops.h"),
        (
            {"cudnn.h": text_of("9.1.0"), "cudnn_version.h": text_of("9.2.0", "")},
            "9.1.0 in cudnn.h; 9.2.0 in cudnn_version.h",
        ),
        (
            {"cudnn.h": text_of("9.1.0", BASE + "int cudnnBroken(int number,\nint;\n")},
            "cudnn.h:26:4: expected ')'",
        ),
        (
            {"cudnn.h": text_of("9.1.0", BASE + "int cudnnOdd(int ***number);\n")},
            "cudnnOdd: int *** number",
        ),
    ],
)
def test_folders_that_make_no_release(
    tmp_path: Path, out: Path, files: dict[str, str], text: str
) -> None:
    folder = tmp_path / "include"
    folder.mkdir()
    for name, content in files.items():
        (folder / name).write_text(content)
    result = run("generate", "--headers", folder, out=out)
    assert result.exit_code == 1
    assert text in result.output, result.output
    assert not out.exists()


def test_a_folder_that_is_not_there(tmp_path: Path, out: Path) -> None:
    result = run("generate", "--headers", tmp_path / "none", out=out)
    assert result.exit_code == 1
    assert str(tmp_path / "none") in result.output


def test_a_tree_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    result = run("generate", "9.1.0", out=tmp_path / "file" / "tree")
    assert result.exit_code == 1
    assert "cannot be written" in result.output
    assert "nothing was changed" in result.output


# list


def test_the_list_shows_what_there_is_what_is_generated_and_what_is_shared(out: Path) -> None:
    run("generate", "9.1.0", "9.1.1", out=out)
    result = run("list", out=out)
    assert result.exit_code == 0
    rows = [line.split() for line in result.output.splitlines()]
    assert rows[1:] == [
        ["9.2.0", "9.2.0.9", "cu13"],
        ["9.1.1", "9.1.1.7", "cu13", "yes", "9.1.0"],
        ["9.1.0", "9.1.0.5", "cu13", "yes", "its", "own"],
    ]


def test_without_an_index_the_list_shows_what_is_generated(
    shop: House, tmp_path: Path, out: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run("generate", "9.1.0", out=out)
    shop.stop()
    monkeypatch.setenv("CUDNN_CFFI_CACHE", str(tmp_path / "another"))
    result = run("list", out=out)
    assert result.exit_code == 0
    assert "note: only what is generated" in result.output
    assert re.search(r"^ *9\.1\.0 +9\.1\.0\.5 +yes +its own", result.output, re.M)


# emit and check


def test_emit_and_check(shop: House, out: Path) -> None:
    run("generate", "9.1.0", "9.2.0", out=out)
    assert run("check", out=out).exit_code == 0
    path = out / "cudnn_cffi" / "_index.py"
    path.write_text(path.read_text() + "\n")
    shop.stop()
    result = run("check", out=out)
    assert (result.exit_code, result.output.splitlines()[0]) == (1, "differs: cudnn_cffi/_index.py")
    result = run("emit", out=out)
    assert result.exit_code == 0
    assert "2 releases emitted; 1 files changed" in result.output
    assert run("check", out=out).exit_code == 0


def test_there_must_be_something_to_emit(out: Path) -> None:
    result = run("emit", out=out)
    assert result.exit_code == 1
    assert "no models to emit from" in result.output


def test_small_headers_are_what_their_version_says() -> None:
    assert b"CUDNN_PATCHLEVEL 5" in headers("7.6.5").files["cudnn.h"]


class Screen(io.StringIO):
    def isatty(self) -> bool:
        return True


def frames(monkeypatch: pytest.MonkeyPatch, *calls: tuple[str, tuple[Any, ...]]) -> str:
    """The output of steps and bars on a terminal, without colours."""
    monkeypatch.setattr("sys.stderr", screen := Screen())
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "120")
    with _progress() as told:
        for which, values in calls:
            told[("step", "bar").index(which)](*values)
    return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", screen.getvalue())


def test_progress_counts_releases_and_only_downloads_are_bytes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    shown = frames(monkeypatch, ("step", ("fetching 9.2.0", 2, 5)), ("step", ("parsing 9.2.0",)))
    assert re.search("parsing 9.2.0 .* 2 of 5 releases", shown)
    assert "bytes" not in shown
    shown = frames(monkeypatch, ("step", ("emitting 60 releases",)))
    assert "emitting 60 releases" in shown
    assert not re.search(r"bytes|\?| of ", shown)
    shown = frames(monkeypatch, ("bar", (500, 1000, "cudnn.whl")))
    assert re.search(r"cudnn.whl .* 0\.5/1\.0 kB", shown)
    assert "?" not in shown
    shown = frames(monkeypatch, ("bar", (1, 4, PAGES)))
    assert "1 of 4 pages" in shown
    assert "bytes" not in shown
