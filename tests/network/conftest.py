"""Files of networks, made once by the newest libcudnn that has headers here too."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.conftest import Program
from tests.diagnose.repro.conftest import compile_c as compile_c
from tests.diagnose.repro.conftest import registry as registry


class Written(NamedTuple):
    """A folder of files of networks, and what is known of them."""

    folder: Path
    facts: dict[str, Any]


@pytest.fixture(scope="module")
def written(
    program: Program,
    cudnn_library: Path,
    places: dict[str, str],
    tmp_path_factory: pytest.TempPathFactory,
) -> Written:
    folder = tmp_path_factory.mktemp("networks")
    answer = program("network/written", cudnn_library, folder, **places).stdout
    return Written(folder, json.loads(answer.splitlines()[-1]))
