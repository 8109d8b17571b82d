"""The code on the pages for users runs, block after block, as it stands; long pages in parts."""

from __future__ import annotations

import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from .programs import pages

#: The pages, and what each needs besides PyTorch.
PAGES = {
    "tutorial": "",
    "operations": "",
    "choosing": "",
    "recurrent": "",
    "decode": "",
    "engines": "",
    "packages": "torchvision",
    "reproducibility": "",
    "graph": "",
    "torch": "torchvision",
    "jax": "jax",
    "porting/cupy": "cupy",
    "porting/libcudnn": "cupy",
    "porting/frontend": "",
    "porting/others": "",
}


@pytest.mark.parametrize("name", [name for page in PAGES for name in pages.names(page)])
def test_the_code_of_a_page_runs(name: str, tmp_path: Path) -> None:
    needs = PAGES[name.partition(":")[0]]
    if needs and find_spec(needs) is None:
        pytest.skip(f"takes {needs}")
    done = subprocess.run(
        [sys.executable, pages.__file__, name], cwd=tmp_path, capture_output=True, text=True,
        timeout=200, env={**os.environ, "XLA_PYTHON_CLIENT_PREALLOCATE": "false"},
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr
    assert int(done.stdout.split()[-2]) > 0
