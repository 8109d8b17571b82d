"""Measure how much pip fetches for each extra, and write the table of docs/install.md.

    python -m scripts.wheel.sizes

pip resolves each extra for an empty environment of this Python and machine, and fetches metadata
alone; the index tells the sizes of the wheels.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
import tomllib
import urllib.request
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from urllib.parse import unquote

from ..pages import ROOT, with_part

PAGE = ROOT / "docs" / "install.md"

#: Extras for users, in the order of the rows, with their contents; "" is the package without one.
EXTRAS = {
    "": "cffi, msgspec, pycparser",
    "cu13": "cuDNN with cuBLAS and NVRTC, cuda.core, NumPy, for CUDA 13",
    "cu12": "the same for CUDA 12",
    "torch": "PyTorch, which brings CUDA and its own cuDNN",
    "jax": "JAX for the CPU, for `cudnn_cffi.jax`; `jax[cuda13]` for a GPU",
    "generate": "libclang and others, to make the tables of another release",
    "uses": "pyelftools, for `diff --uses` on compiled programs",
}


def requirements(extra: str) -> list[str]:
    """Return what the package needs with an extra."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return [*project["dependencies"], *(project["optional-dependencies"][extra] if extra else ())]


def wheels(extra: str) -> list[str]:
    """Return the addresses of all that pip fetches for an extra, from the index alone."""
    plain = {name: value for name, value in os.environ.items() if not name.startswith("PIP_")}
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder, "report.json")
        command = [sys.executable, "-m", "pip", "--isolated", "install", "--dry-run", "-qq"]
        command += ["--ignore-installed", "--only-binary", ":all:", "--report", str(report)]
        subprocess.run(
            [*command, *requirements(extra)],
            check=True,
            env={**plain, "PIP_CONFIG_FILE": os.devnull},
        )
        found = json.loads(report.read_text(encoding="utf-8"))["install"]
    return [each["download_info"]["url"] for each in found]


def size(address: str) -> int:
    """Return the bytes of a file of the index."""
    request = urllib.request.Request(address, method="HEAD")
    with urllib.request.urlopen(request, timeout=60) as answer:
        return int(answer.headers["Content-Length"])


def rows(found: dict[str, list[str]]) -> Iterator[str]:
    """Yield the rows of the table."""
    with ThreadPoolExecutor(8) as pool:
        for extra, what in EXTRAS.items():
            total = sum(pool.map(size, found[extra]))
            yield f"| {f'`{extra}`' if extra else 'none'} | {what} | {told(total)} |"


def told(count: int) -> str:
    """Return a number of bytes with two digits."""
    unit, name = (1e9, "GB") if count >= 0.995e9 else (1e6, "MB")
    number = count / unit
    return f"{number:.0f} {name}" if number >= 10 else f"{number:.1f} {name}"


def version(package: str, addresses: list[str]) -> str:
    """Return the version of a package among wheels."""
    for each in addresses:
        if match := re.match(rf"{package}-([^-]+)-", unquote(each.rpartition("/")[2])):
            return match[1]
    raise ValueError(f"no wheel of {package}")


def table() -> str:
    """Return the table, with the versions that it holds for."""
    found = {extra: wheels(extra) for extra in EXTRAS}
    cudnn, torch = version("nvidia_cudnn_cu13", found["cu13"]), version("torch", found["torch"])
    head = ("| extra | what it adds | download |", "|---|---|---:|")
    text = (
        "Sizes are of all wheels that pip fetches into an empty environment on Linux x86-64, for\n"
        f"Python {sys.version_info.major}.{sys.version_info.minor}, cuDNN "
        f"{cudnn.rpartition('.')[0]} and PyTorch {torch.partition('+')[0]}."
    )
    return "\n".join([*head, *rows(found), "", text])


if __name__ == "__main__":
    page = PAGE.read_text(encoding="utf-8")
    PAGE.write_text(with_part(page, "the sizes", table()), encoding="utf-8")
