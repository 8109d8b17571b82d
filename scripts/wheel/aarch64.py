"""Python for aarch64 on a machine that is none: Debian's packages, run by qemu.

    python -m scripts.wheel.aarch64 root
    python -m scripts.wheel.aarch64 python FOLDER PACKAGE ...

The first one prints a folder of the cache with Debian's Python for aarch64 and its C headers,
unpacked when it is asked for first. The second one makes an environment in FOLDER, installs
packages (names, or files of wheels) and prints the path of its Python, a program of this machine.
"""

from __future__ import annotations

import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from ..libraries import folder, platforms

QEMU = "qemu-aarch64-static"

#: Python and its headers, and libraries that cuDNN links against.
PACKAGES = ("python3", "libpython3-dev", "libstdc++6", "zlib1g")


def root() -> Path:
    """Return the folder with the files of Debian's packages; unpack them if it is not there.

    The release of Debian is this machine's. Nothing is installed, and no user need be root.

    Raises:
        subprocess.CalledProcessError: a package cannot be had.
    """
    target = folder("aarch64").parent / "debian"
    if target.is_dir():
        return target
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=target.parent, prefix=".new-") as name:
        scratch, new = Path(name), Path(name, "root")
        for each in ("state/lists/partial", "cache/archives/partial", "root"):
            (scratch / each).mkdir(parents=True)
        (scratch / "status").touch()  # of a system where nothing is installed
        settings = {
            "APT::Architecture": "arm64",
            "APT::Architectures::": "arm64",
            "Dir::State": scratch / "state",
            "Dir::State::status": scratch / "status",
            "Dir::Cache": scratch / "cache",
        }
        apt = ["apt-get", *(f"-o{key}={value}" for key, value in settings.items())]
        _quietly(*apt, "update")
        options = ("--yes", "--download-only", "--no-install-recommends")
        _quietly(*apt, *options, "install", *PACKAGES)
        for archive in (scratch / "cache/archives").glob("*.deb"):
            _quietly("dpkg-deb", "--extract", archive, new)
        if not (new / "lib").exists():  # a link that is in no package
            (new / "lib").symlink_to("usr/lib")
        new.rename(target)
    return target


def environment(target: Path, base: Path, packages: list[str]) -> Path:
    """Make an environment of the Python below `base`, with packages for aarch64; return its Python.

    That is a script with the path as its name, so that children of Python's are run by qemu, too.
    """
    real = base / "usr/bin" / (base / "usr/bin/python3").readlink()
    site = target / "lib" / real.name / "site-packages"
    shutil.rmtree(target, ignore_errors=True)
    site.mkdir(parents=True)
    (target / "pyvenv.cfg").write_text(f"home = {real.parent}\n", encoding="utf-8")
    python = target / "bin" / "python"
    python.parent.mkdir()
    command = shlex.join([str(shutil.which(QEMU)), "-L", str(base), "-0"])
    script = f'#!/bin/sh\nexec {command} "$0" {shlex.quote(str(real))} "$@"\n'
    python.write_text(script, encoding="utf-8")
    python.chmod(0o755)
    version = real.name.removeprefix("python")
    pip = (sys.executable, "-m", "pip", "install", "--only-binary=:all:", "--target", site)
    _quietly(*pip, "--python-version", version, *platforms("aarch64"), *packages)
    return python


def _quietly(*command: object) -> None:
    """Run a program; print what it said if it fails."""
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True)
    if done.returncode:
        sys.stderr.write(done.stdout + done.stderr)
        done.check_returncode()


if __name__ == "__main__":
    _, verb, *arguments = sys.argv
    if verb == "root":
        print(root())
    else:
        print(environment(Path(arguments[0]).resolve(), root(), arguments[1:]))
