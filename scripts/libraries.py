"""Real libcudnn for the tests: wheels from the package index, unpacked in the cache.

python scripts/libraries.py [--machine aarch64] [RELEASE ...]

The default is the smallest of version 9, and one of 8. "cuda-13" and "cuda-12" stand for cuBLAS and
NVRTC, which plans of that CUDA's cuDNN need. With --machine they are for machines of another kind.

Print the folder of each. They work without a GPU for all that needs no device. A release that
is there already is not fetched again.

Exit with 0 when every release is there, with 3 when some are not because no package index could be
reached, and with 1 when the download failed for any other reason.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

import platformdirs
from cudnn_cffi.versions import version_of

#: The package of a release; the smallest wheels known to load on a machine without CUDA.
DEFAULT = {"9.12.0": "nvidia-cudnn-cu13==9.12.0.46", "8.9.7": "nvidia-cudnn-cu12==8.9.7.29"}

#: The status that says that there is no network, so that nobody promised these libraries.
NO_NETWORK = 3

#: Messages of pip if it reached no index that knows the project, or lost the connection.
UNREACHED = re.compile(
    r"from versions: none|connection|timed out|IncompleteRead|name resolution|unreachable", re.I
)


def folder(machine: str = "") -> Path:
    """Return the folder that holds one folder of libraries for each release.

    The folder above it is a cache of its own for a machine that is not this one.
    """
    given = os.environ.get("CUDNN_CFFI_CACHE")
    cache = Path(given) if given else platformdirs.user_cache_path("cudnn-cffi")
    return cache / machine / "libraries"


def platforms(machine: str) -> list[str]:
    """Return pip's options for wheels of a machine, which name each glibc that may be asked for."""
    tags = [f"manylinux_2_{minor}" for minor in range(35, 16, -1)]
    return [f"--platform={tag}_{machine}" for tag in (*tags, "manylinux2014")]


def _package(release: str) -> str:
    """Name the package of a release: CUDA 13's, which begins with 9.12.0, or CUDA 12's."""
    first = tuple(int(part) for part in release.split(".")) >= (9, 12)
    return "nvidia-cudnn-cu13" if first else "nvidia-cudnn-cu12"


def _requirements(name: str) -> list[str]:
    """Return the packages of a release of cuDNN, or of "cuda-13"."""
    if name.startswith("cuda-"):
        suffix = "-cu12" if name == "cuda-12" else ""
        return [f"nvidia-cublas{suffix}", f"nvidia-cuda-nvrtc{suffix}"]
    return [DEFAULT.get(name) or f"{_package(name)}=={name}.*"]


def provide(name: str, machine: str = "") -> Path:
    """Return the folder with the libraries of a name; fetch them if it is not there."""
    target = folder(machine) / name
    if target.is_dir():
        return target
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=target.parent, prefix=".new-") as scratch:
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps"]
        command += ["--only-binary=:all:", "--dest", scratch, *_requirements(name)]
        command += platforms(machine) if machine else []
        subprocess.run(command, check=True, stderr=subprocess.PIPE, text=True)
        unpacked = Path(scratch) / "lib"
        for wheel in Path(scratch).glob("*.whl"):
            _unpack(wheel, unpacked)
        try:
            unpacked.rename(target)
        except OSError:
            if not target.is_dir():  # else another process was first
                raise
    return target


def _unpack(wheel: Path, target: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        for member in archive.namelist():
            if "/lib/" in member and ".so" in member:
                with archive.open(member) as source:
                    path = target / Path(member).name
                    path.parent.mkdir(exist_ok=True)
                    with path.open("wb") as file:
                        shutil.copyfileobj(source, file, 1 << 20)


def main() -> int:
    """Provide the releases named on the command line and return the exit status."""
    reader = argparse.ArgumentParser()
    reader.add_argument("--machine", default="")
    reader.add_argument("names", nargs="*")
    chosen = reader.parse_args()
    status = 0
    for given in chosen.names or DEFAULT:
        is_cuda = given in ("cuda-12", "cuda-13")
        name = given if is_cuda else version_of(given)
        try:
            print(provide(name, chosen.machine), flush=True)
        except (OSError, subprocess.CalledProcessError, zipfile.BadZipFile) as error:
            said = getattr(error, "stderr", None) or ""
            no_network = UNREACHED.search(said) is not None
            why = "no package index was reached" if no_network else error
            print(
                f"{said}{'' if is_cuda else 'cuDNN '}{name} cannot be had: {why}", file=sys.stderr
            )
            if status != 1:
                status = NO_NETWORK if no_network else 1
    return status


if __name__ == "__main__":
    sys.exit(main())
