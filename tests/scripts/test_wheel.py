"""Wheels: for other machines, as far as it shows without them, and what an index shows of one."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from scripts.libraries import folder, platforms
from scripts.wheel import aarch64

ROOT = Path(__file__).parents[2]


def test_a_wheel_has_the_tag_of_the_platform_that_it_is_compiled_for(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """The compilers are left out: their modules are files of these names."""
    pytest.importorskip("hatchling")
    import build_native
    import hatch_build

    files = [
        build_native.TARGET / name for name in ("_cudnn.abi3.so", "driver/libcuda-stand-in.so")
    ]
    monkeypatch.setattr(build_native, "build", lambda: files[0])
    monkeypatch.setattr(build_native, "build_stand_in", lambda: files[1])
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setenv("_PYTHON_HOST_PLATFORM", "linux-aarch64")
    monkeypatch.setenv("CUDNN_CFFI_BUILD", "require")
    data: dict[str, Any] = {"force_include": {}}
    nothing: Any = None
    hook = hatch_build.CustomBuildHook(str(ROOT), {}, nothing, nothing, str(tmp_path), "wheel")
    hook.initialize("standard", data)
    assert data["tag"] == "cp311-abi3-linux_aarch64"
    assert not data["pure_python"]
    places = set(data["force_include"].values())
    assert {"cudnn_cffi/_cudnn.abi3.so", "cudnn_cffi/driver/libcuda-stand-in.so"} <= places


def test_another_machine_has_a_cache_of_its_own(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Tests take every library in the folder for one that they can load."""
    monkeypatch.setenv("CUDNN_CFFI_CACHE", str(tmp_path))
    assert folder() == tmp_path / "libraries"
    assert folder("aarch64") == tmp_path / "aarch64" / "libraries"
    assert aarch64.PACKAGES[0] == "python3"
    assert "--platform=manylinux_2_17_aarch64" in platforms("aarch64")


def test_python_for_another_machine_is_a_program_of_this_one(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Its name is what qemu passes on as Python's, so that children begin in the same way."""
    base = tmp_path / "files of Debian"
    (base / "usr/bin").mkdir(parents=True)
    (base / "usr/bin/python3").symlink_to("python3.11")
    programs = tmp_path / "programs"
    programs.mkdir()
    qemu = programs / aarch64.QEMU
    qemu.write_text('#!/bin/sh\nprintf "%s\\n" "$@"\n')
    qemu.chmod(0o755)
    monkeypatch.setenv("PATH", str(programs), prepend=os.pathsep)
    asked: list[tuple[str, ...]] = []
    monkeypatch.setattr(aarch64, "_quietly", lambda *command: asked.append(command))
    python = aarch64.environment(tmp_path / "made", base, ["numpy"])
    done = subprocess.run([python, "-c", "a b"], capture_output=True, text=True, check=True)
    real = str(base / "usr/bin/python3.11")
    assert done.stdout.splitlines() == ["-L", str(base), "-0", str(python), real, "-c", "a b"]
    assert (tmp_path / "made/pyvenv.cfg").read_text() == f"home = {base}/usr/bin\n"
    (pip,) = asked
    words = " ".join(map(str, pip))
    assert f"--target {tmp_path}/made/lib/python3.11/site-packages --python-version 3.11 " in words
    assert words.endswith("_aarch64 numpy")


@pytest.mark.parametrize(
    ("session", "packages"),
    [
        ("aarch64", "gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user-static apt dpkg"),
        ("windows", "gcc-mingw-w64-x86-64"),
    ],
)
def test_a_session_names_the_packages_that_it_needs(
    session: str, packages: str, tmp_path: Path
) -> None:
    pytest.importorskip("nox")
    done = subprocess.run(
        [sys.executable, "-m", "nox", "--no-venv", "-s", session],
        env=os.environ | {"PATH": str(tmp_path), "NO_COLOR": "1"},
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    assert done.returncode
    workflow = (ROOT / ".github/workflows/tests.yml").read_text()
    job = workflow.partition(f"\n  {session}:\n")[2].partition(f"nox -s {session}\n")[0]
    assert f"install --yes {packages.removesuffix(' apt dpkg')}\n" in job
    assert f"on Debian: apt-get install {packages}.\n" in done.stderr, done.stderr


README = """# Name

[![a](https://b/c.svg)](https://b/d)

## Part

<!--
| not | shown |
|---|---|
-->
| x | y |
|---|---|
| 1 | [z](#part) |

```sh
ls
```
"""

HTML = """<h1>Name</h1><p><a href="https://b/d"><img src="https://b/c.svg" /></a></p><h2>Part</h2>
<table><tr><td><a href="#part">z</a></td></tr></table><pre>ls</pre>"""


@pytest.mark.parametrize(
    ("old", "new", "fault"),
    [
        ("", "", ""),
        ("<pre>ls</pre>", "", "expected 1 of pre, got 0"),
        ('<img src="https://b/c.svg" />', "", "expected 1 of img, got 0"),
        ("<table>", "|---|", "expected 1 of table, got 0"),
        ('"https://b/c.svg"', '"c.svg"', "c.svg is relative"),
        ('<a href="#part">z</a>', "[z](#part)", "](#part) is left as Markdown"),
    ],
)
def test_what_an_index_shows_of_a_description(old: str, new: str, fault: str) -> None:
    pytest.importorskip("hatchling")
    from scripts.wheel import rendered

    assert old in HTML
    html = HTML.replace(old, new) if old else HTML
    assert rendered.faults(README, html) == ([fault] if fault else [])
    assert rendered.faults(README, None) == ["it cannot be rendered"]
