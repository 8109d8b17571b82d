"""python -m cudnn_cffi, as it is typed."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import cudnn_cffi
import pytest
from cudnn_cffi.__main__ import main

from tests.conftest import python_path


def cli(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "cudnn_cffi", *arguments],
        env=os.environ | {"PYTHONPATH": python_path()} | environment,
        capture_output=True,
        text=True,
        timeout=120,
    )


def test_info_as_text_and_as_json() -> None:
    text, data = cli("info"), cli("info", "--json")
    assert text.returncode == data.returncode == 0
    assert text.stdout.startswith(f"cudnn_cffi {cudnn_cffi.__version__}\n")
    assert json.loads(data.stdout)["package"]["version"] == cudnn_cffi.__version__


@pytest.mark.parametrize("encoding", ["ascii", "cp437"])
def test_characters_that_the_terminal_lacks_are_escaped(tmp_path: Path, encoding: str) -> None:
    path = tmp_path / "\u20ac\u00c3"
    done = cli("doctor", CUDNN_CFFI_LIBRARY=str(path), PYTHONIOENCODING=encoding)
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    assert "\\u20ac\\xc3" in done.stdout


def test_doctor_fails_where_there_is_no_library(tmp_path: Path) -> None:
    done = cli("doctor", CUDNN_CFFI_LIBRARY=str(tmp_path))
    assert done.returncode == 1
    assert f"none in {tmp_path}" in done.stdout
    assert "-> correct CUDNN_CFFI_LIBRARY" in done.stdout


def test_doctor_as_json(tmp_path: Path) -> None:
    done = cli("doctor", "--json", CUDNN_CFFI_LIBRARY=str(tmp_path))
    findings = json.loads(done.stdout)
    assert done.returncode == 1
    assert {"level", "check", "text", "advice"} == set(findings[0])
    assert "fail" in {finding["level"] for finding in findings}


def test_a_framework_can_be_imported_first(tmp_path: Path) -> None:
    (tmp_path / "some_framework.py").write_text("print('here I am')\n")
    path = python_path(tmp_path)
    done = cli("info", "--import", "some_framework", "--import", "not_there", PYTHONPATH=path)
    assert done.returncode == 0
    assert done.stdout.startswith("here I am\n")
    assert "import not_there: ModuleNotFoundError" in done.stderr


def test_without_a_command_it_shows_all_of_them(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 2
    shown = capsys.readouterr().out
    for command in ("info", "doctor", "diff", "history", "timeline", "changelog"):
        assert command in shown


def test_the_help_of_a_command_says_what_it_does(capsys: pytest.CaptureFixture[str]) -> None:
    main([])
    shown = " ".join(capsys.readouterr().out.partition("COMMAND\n")[2].split())
    for command in ("info", "errata", "explain", "repro", "engines", "network", "diff", "history"):
        with pytest.raises(SystemExit):
            main([command, "--help"])
        text = " ".join(capsys.readouterr().out.partition("\n\n")[2].split()).partition(".")[0]
        assert f"{command} {text[0].lower()}{text[1:]}" in shown


@pytest.mark.skipif(sys.platform == "win32", reason="a process there gets no signal")
def test_an_interrupt_ends_a_command_without_a_traceback(tmp_path: Path) -> None:
    (tmp_path / "interrupted.py").write_text("raise KeyboardInterrupt\n")
    done = cli("info", "--import", "interrupted", PYTHONPATH=python_path(tmp_path))
    assert done.returncode == -signal.SIGINT
    assert done.stderr == "KeyboardInterrupt\n"


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["--version"])
    assert ended.value.code == 0
    assert capsys.readouterr().out == f"cudnn_cffi {cudnn_cffi.__version__}\n"


@pytest.mark.parametrize(
    "command", ["", "--version", "info", "doctor", "diff 8.9.7 9.0.0", "history cudnnCreate"]
)
def test_output_that_cannot_be_written_is_one_line(command: str, tmp_path: Path) -> None:
    """1 would say that there are findings. A file that is open for reading only cannot be
    written."""
    (tmp_path / "full").touch()
    with (tmp_path / "full").open() as unwritable:
        done = subprocess.run(
            [sys.executable, "-m", "cudnn_cffi", *command.split()],
            env=os.environ | {"PYTHONPATH": python_path(), "CUDNN_CFFI_LIBRARY": str(tmp_path)},
            stdout=unwritable,
            stderr=subprocess.PIPE,
            text=True,
            timeout=120,
        )
    assert done.returncode == 2
    assert done.stderr == "error: standard output: cannot be written: Bad file descriptor\n"


def test_the_commands_of_the_other_rooms_are_found() -> None:
    done = cli("diff", "9.10.0", "9.10.1")
    assert done.returncode == 1
    assert "CUDNN_BACKEND_DEVICEPROP_DESCRIPTOR 40 -> 38" in done.stdout


@pytest.fixture
def broken(tmp_path: Path) -> str:
    """An import path with a copy of the package that lost its generated half and its models."""
    source = next(Path(p) for p in cudnn_cffi.__path__ if Path(p, "library").exists())
    target = tmp_path / "cudnn_cffi"
    shutil.copytree(source, target, ignore=shutil.ignore_patterns("__pycache__"))
    generated = ("tables", "calls", "_index.py", "_specs.py", "_cudnn*")
    for path in (path for pattern in generated for path in target.glob(pattern)):
        shutil.rmtree(path) if path.is_dir() else path.unlink()
    (target / "api" / "__init__.py").write_text("raise ImportError('half installed')\n")
    return str(tmp_path)


def test_info_and_doctor_work_in_a_broken_package(broken: str, tmp_path: Path) -> None:
    for command, status in (("info", 0), ("doctor", 1)):
        code = (
            f"import sys; sys.path.insert(0, {broken!r}); import cudnn_cffi; "
            f"cudnn_cffi.__path__[:] = [{str(tmp_path / 'cudnn_cffi')!r}]; "
            f"from cudnn_cffi.__main__ import main; sys.exit(main([{command!r}]))"
        )
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
        assert done.returncode == status, done.stderr
        assert "no tables: No module named 'cudnn_cffi._index'" in done.stdout
        assert done.stderr == ""


def test_a_command_that_is_broken_says_so(broken: str, tmp_path: Path) -> None:
    code = (
        f"import sys; sys.path.insert(0, {broken!r}); import cudnn_cffi; "
        f"cudnn_cffi.__path__[:] = [{str(tmp_path / 'cudnn_cffi')!r}]; "
        "from cudnn_cffi.__main__ import main; sys.exit(main(['diff', '9.1.0', '9.2.0']))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 2
    assert "diff cannot be used here: half installed" in done.stderr


def test_info_imports_nothing_of_the_diff() -> None:
    """It must work when that is broken, and start quickly."""
    code = (
        "import sys; from cudnn_cffi.__main__ import main; main(['info']); "
        "sys.exit(any(m.startswith(('cudnn_cffi.api', 'msgspec')) for m in sys.modules))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        env=os.environ | {"PYTHONPATH": python_path()},
        capture_output=True,
    )
    assert done.returncode == 0
