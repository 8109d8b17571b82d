"""cudnn_cffi.torch is optional: without PyTorch it says what to install, and nothing else changes."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[2]

HIDDEN = """
import sys
sys.modules["torch"] = None
import cudnn_cffi.ops
try:
    import cudnn_cffi.torch
except ImportError as error:
    print(error.name, error)
"""


def test_without_pytorch_the_import_says_what_to_install() -> None:
    done = subprocess.run(
        [sys.executable, "-c", HIDDEN], capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 0, done.stderr
    assert "torch cudnn_cffi.torch needs PyTorch" in done.stdout
    assert 'pip install "torch>=2.6"' in done.stdout


def test_an_old_pytorch_is_refused(torch: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    import cudnn_cffi.torch

    monkeypatch.setattr(torch, "__version__", "2.1.0+cpu")
    with pytest.raises(ImportError, match=r"2\.1\.0\+cpu is installed"):
        cudnn_cffi.torch._check()


def test_the_extra_has_the_least_version() -> None:
    import cudnn_cffi.torch

    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    (found,) = re.findall(r'^torch = \["torch>=([\d.]+)"\]', text, re.M)
    assert found == ".".join(map(str, cudnn_cffi.torch.LEAST))


def test_nothing_else_imports_pytorch() -> None:
    code = "import sys, cudnn_cffi.ops, cudnn_cffi.graph, cudnn_cffi.choice; print('torch' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.stdout.strip() == "False", done.stderr
