"""The code on the pages for users runs, block after block, as it stands."""

from __future__ import annotations

import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

PROGRAM = Path(__file__).parent / "programs" / "pages.py"

#: The pages, and what each needs besides PyTorch.
PAGES = {
    "tutorial": "",
    "operations": "jax",
    "choosing": "",
    "recurrent": "",
    "reproducibility": "",
    "graph": "",
    "torch": "torchvision",
    "jax": "jax",
    "porting/cupy": "cupy",
    "porting/libcudnn": "cupy",
    "porting/frontend": "",
    "porting/others": "",
}


@pytest.mark.parametrize("page", PAGES)
def test_the_code_of_a_page_runs(page: str, tmp_path: Path) -> None:
    if PAGES[page] and find_spec(PAGES[page]) is None:
        pytest.skip(f"takes {PAGES[page]}")
    done = subprocess.run(
        [sys.executable, str(PROGRAM), page], cwd=tmp_path, capture_output=True, text=True,
        timeout=200, env={**os.environ, "XLA_PYTHON_CLIENT_PREALLOCATE": "false"},
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr
    assert int(done.stdout.split()[-2]) > 0
