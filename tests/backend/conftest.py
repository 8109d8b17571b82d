"""Libraries that finalize descriptors on this machine."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from generator.attributes import driver


@pytest.fixture(scope="session")
def beside(tmp_path_factory: pytest.TempPathFactory) -> Callable[[Path], list[Path]]:
    """Return a function that says what to load before a library.

    That is a stand-in for the driver, and cuBLAS where LD_LIBRARY_PATH leads to it.
    """
    folders = [Path(each) for each in os.environ.get("LD_LIBRARY_PATH", "").split(":") if each]

    def call(library: Path) -> list[Path]:
        cublas = [path for each in folders for path in sorted(each.glob("libcublasLt.so.*"))]
        if driver.present():
            return cublas[:1]
        try:
            made = driver.stand_in(library.parent, tmp_path_factory.mktemp("driver"))
        except driver.DriverError as error:
            pytest.skip(str(error))
        return [made, *cublas[:1]]

    return call
