"""Libraries that finalize descriptors on this machine."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from generator.lab import driver


@pytest.fixture(scope="session")
def beside(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Return libraries to load before another one.

    That is a stand-in for the driver, and cuBLAS where LD_LIBRARY_PATH leads to it.
    """
    folders = [Path(each) for each in os.environ.get("LD_LIBRARY_PATH", "").split(":") if each]

    def find(pattern: str) -> list[Path]:
        return [path for each in folders for path in sorted(each.glob(pattern))][:1]

    made = find("libcuda.so.1")
    if not made and not driver.present():
        try:
            made = [driver.link(tmp_path_factory.mktemp("driver"))]
        except driver.DriverError as error:
            pytest.skip(str(error))
    return [*made, *find("libcublasLt.so.*")]
