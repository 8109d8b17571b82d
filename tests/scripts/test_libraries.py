"""Libraries that the commands promise to the tests: fetched, or said to be missing and why."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.scripts.test_habits import alone

ROOT = Path(__file__).parents[2]


def fetch(cache: Path, *releases: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run the script with an empty cache and no other index than the one named."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PIP_")}
    kept |= {"PIP_CONFIG_FILE": os.devnull, "PIP_RETRIES": "0", "CUDNN_CFFI_CACHE": str(cache)}
    return subprocess.run(
        [sys.executable, "scripts/libraries.py", *releases],
        cwd=ROOT,
        env=kept | environment,
        capture_output=True,
        text=True,
        timeout=120,
    )


def test_a_release_in_the_cache_is_not_fetched_again(tmp_path: Path) -> None:
    there = tmp_path / "libraries" / "9.12.0"
    there.mkdir(parents=True)
    done = fetch(tmp_path, "9.12.0", PIP_NO_INDEX="1")
    assert (done.returncode, done.stdout) == (0, f"{there}\n"), done.stderr


def test_no_network_has_a_status_of_its_own(tmp_path: Path) -> None:
    """Nothing listens on the port, so that pip reaches no index."""
    done = fetch(tmp_path, "9.12.0", PIP_INDEX_URL="http://127.0.0.1:9/simple")
    assert done.returncode == 3, done.stderr
    assert "cuDNN 9.12.0 cannot be had: no package index was reached" in done.stderr


@pytest.mark.parametrize("order", [("9.12.0", "8.9.7"), ("8.9.7", "9.12.0")])
def test_a_download_that_fails_otherwise_is_an_error(
    tmp_path: Path, order: tuple[str, ...]
) -> None:
    """A wheel that is no zip file is a fault, also beside one that no index has."""
    links = tmp_path / "links"
    links.mkdir()
    (links / "nvidia_cudnn_cu13-9.12.0.46-py3-none-any.whl").write_bytes(b"not a zip file")
    done = fetch(tmp_path, *order, PIP_NO_INDEX="1", PIP_FIND_LINKS=str(links))
    assert done.returncode == 1, done.stderr
    assert "cuDNN 9.12.0 cannot be had" in done.stderr
    assert not list((tmp_path / "libraries").iterdir()), "half a download was left"


@pytest.mark.parametrize(("required", "outcome"), [("1.2.3", "1 error"), ("", "1 passed")])
def test_a_promised_library_that_is_missing_fails(
    tmp_path: Path, cudnn_library: Path, required: str, outcome: str
) -> None:
    done = alone(
        tmp_path,
        "def test_one(cudnn_library):\n    assert cudnn_library.is_file()\n",
        CUDNN_CFFI_TEST_REQUIRE=required,
        CUDNN_CFFI_TEST_LIBRARIES=str(cudnn_library),
    )
    assert outcome in done.stdout, done.stdout + done.stderr
    assert ("promises cuDNN 1.2.3" in done.stdout) is bool(required)
