"""The pages of the site, and a compiler for their C."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import ROOT, Shared
from tests.diagnose.repro.conftest import compile_c as compile_c
from tests.diagnose.repro.conftest import registry as registry


@pytest.fixture(scope="session")
def source(shared: Shared) -> Path:
    """The pages; written by another process, since they hand out names before a library is there."""

    def write(folder: Path) -> None:
        command = [sys.executable, "-m", "reference", "--pages", str(folder)]
        subprocess.run(command, check=True, cwd=ROOT, capture_output=True, timeout=300)

    return shared("site", write) / "source"
