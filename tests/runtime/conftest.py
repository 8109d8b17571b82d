"""The fixtures of several tests of calls."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture(params=["newest", "8"])
def library(request: pytest.FixtureRequest) -> Path:
    """The newest libcudnn, and one of cuDNN 8."""
    name = "cudnn8_library" if request.param == "8" else "cudnn_library"
    return request.getfixturevalue(name)
