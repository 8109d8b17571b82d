"""Real libcudnn for the tests: wheels from the package index, unpacked in the cache.

python scripts/libraries.py [RELEASE ...]     default: the smallest of version 9, and one of 8

Print the folder of each. They work without a GPU for all that needs no device. A release that
is there already is not fetched again.

Exit with 0 when every release is there, with 3 when some are not because no package index could be
reached, and with 1 when the download failed for any other reason.
"""

from __future__ import annotations

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

#: What pip says when it reached no index that knows the project, or lost the connection.
UNREACHED = re.compile(
    r"from versions: none|connection|timed out|IncompleteRead|name resolution|unreachable", re.I
)


def folder() -> Path:
    """Return the folder that holds one folder of libraries for each release."""
    given = os.environ.get("CUDNN_CFFI_CACHE")
    return (Path(given) if given else platformdirs.user_cache_path("cudnn-cffi")) / "libraries"


def _package(release: str) -> str:
    """Name the package of a release: CUDA 13's, which begins with 9.12.0, or CUDA 12's."""
    first = tuple(int(part) for part in release.split(".")) >= (9, 12)
    return "nvidia-cudnn-cu13" if first else "nvidia-cudnn-cu12"


def provide(release: str) -> Path:
    """Return the folder with the libraries of `release`; fetch them if it is not there."""
    target = folder() / release
    if target.is_dir():
        return target
    requirement = DEFAULT.get(release) or f"{_package(release)}=={release}.*"
    folder().mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder(), prefix=".new-") as scratch:
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps"]
        command += ["--only-binary=:all:", "--dest", scratch, requirement]
        subprocess.run(command, check=True, stderr=subprocess.PIPE, text=True)
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
    """Provide the releases named on the command line and return the exit status."""
    status = 0
    for release in map(version_of, sys.argv[1:] or DEFAULT):
        try:
            print(provide(release), flush=True)
        except (OSError, subprocess.CalledProcessError, zipfile.BadZipFile) as error:
            said = getattr(error, "stderr", None) or ""
            no_network = UNREACHED.search(said) is not None
            why = "no package index was reached" if no_network else error
            print(f"{said}cuDNN {release} cannot be had: {why}", file=sys.stderr)
            if status != 1:
                status = NO_NETWORK if no_network else 1
    return status


if __name__ == "__main__":
    sys.exit(main())
