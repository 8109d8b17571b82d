"""Real libcudnn for the tests: wheels from the package index, unpacked in the cache.

python scripts/libraries.py [RELEASE ...]     default: the smallest of version 9, and one of 8

Prints the folder of each. They work without a GPU for all that needs no device. A release that
is there already is not fetched again.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

import platformdirs

#: The package of a release; the smallest wheels known to load on a machine without CUDA.
DEFAULT = {"9.12.0": "nvidia-cudnn-cu13==9.12.0.46", "8.9.7": "nvidia-cudnn-cu12==8.9.7.29"}


def folder() -> Path:
    given = os.environ.get("CUDNN_CFFI_CACHE")
    return (Path(given) if given else platformdirs.user_cache_path("cudnn-cffi")) / "libraries"


def provide(release: str) -> Path:
    """The folder with the libraries of `release`, fetched if it is not there."""
    target = folder() / release
    if target.is_dir():
        return target
    requirement = DEFAULT.get(release, f"nvidia-cudnn-cu13=={release}.*")
    folder().mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder(), prefix=".new-") as scratch:
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps"]
        command += ["--only-binary=:all:", "--dest", scratch, requirement]
        subprocess.run(command, check=True)
        (wheel,) = Path(scratch).glob("*.whl")
        unpacked = Path(scratch) / "lib"
        with zipfile.ZipFile(wheel) as archive:
            for member in archive.namelist():
                if "/lib/" in member and ".so" in member:
                    with archive.open(member) as source:
                        path = unpacked / Path(member).name
                        path.parent.mkdir(exist_ok=True)
                        with path.open("wb") as file:
                            shutil.copyfileobj(source, file, 1 << 20)
        unpacked.rename(target)
    return target


def main() -> int:
    failed = False
    for release in sys.argv[1:] or DEFAULT:
        try:
            print(provide(release))
        except (OSError, subprocess.CalledProcessError, zipfile.BadZipFile) as error:
            # Tests that need it are skipped and say so; the others still run.
            print(f"cuDNN {release} cannot be had: {error}", file=sys.stderr)
            failed = True
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
