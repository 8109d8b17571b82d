"""The package from a zip file, and as PyInstaller gathers it."""

from __future__ import annotations

import runpy
import subprocess
import sys
import types
import zipfile
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]


def test_a_diff_from_a_zip_file(tmp_path: Path) -> None:
    archive = tmp_path / "package.zip"
    with zipfile.ZipFile(archive, "w") as zipped:
        for half in (ROOT / "overlay", ROOT / "generated"):
            for file in (half / "cudnn_cffi").rglob("*"):
                if file.suffix in (".py", ".json", ".html", ".toml") and "tables" not in file.parts:
                    zipped.write(file, file.relative_to(half))
    for form, text in (("text", "enumerator-value-changed"), ("html", "</html>")):
        code = (
            f"import sys; sys.path.insert(0, {str(archive)!r}); import cudnn_cffi.__main__ as m; "
            "assert 'package.zip' in m.__file__, m.__file__; "
            f"sys.argv = ['m', 'diff', '9.10.0', '9.10.1', '--format', '{form}']; "
            "sys.exit(m.main())"
        )
        done = subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, cwd=tmp_path, timeout=60
        )
        assert text in done.stdout, done.stderr
        assert done.returncode == 1


def test_the_hook_of_pyinstaller(monkeypatch: pytest.MonkeyPatch) -> None:
    """PyInstaller finds the folder by the entry point, and the hook by its name."""
    from cudnn_cffi._pyinstaller import hook_folders

    asked: list[Any] = []
    hooks: Any = types.ModuleType("PyInstaller.utils.hooks")

    def collect(*given: object, **named: object) -> list[str]:
        asked.append((given, named))
        return ["something"]

    hooks.collect_submodules = hooks.collect_data_files = hooks.collect_dynamic_libs = collect
    for name in ("PyInstaller", "PyInstaller.utils"):
        monkeypatch.setitem(sys.modules, name, types.ModuleType(name))
    monkeypatch.setitem(sys.modules, hooks.__name__, hooks)
    [folder] = hook_folders()
    made = runpy.run_path(str(Path(folder, "hook-cudnn_cffi.py")))
    assert made["hiddenimports"]
    assert made["datas"]
    assert made["binaries"]
    assert [given for given, _ in asked] == [("cudnn_cffi",)] * 3
    package = ROOT / "overlay" / "cudnn_cffi"
    (patterns,) = [each["includes"] for _, each in asked if each]
    taken = {path for pattern in patterns for path in package.glob(pattern)}
    read = {".c", ".cu", ".cuh", ".html", ".json", ".jsonl", ".toml"}
    assert {path for path in package.rglob("*") if path.suffix in read} <= taken
    for pattern in patterns:
        assert any(package.glob(pattern)), f"no file for {pattern}"
    declared = (ROOT / "pyproject.toml").read_text()
    assert 'hook-dirs = "cudnn_cffi._pyinstaller:hook_folders"' in declared
