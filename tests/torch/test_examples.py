"""Examples and the code of docs/torch.md run as they stand, also without a GPU."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[2]

COMMANDS = [
    ("examples/torch_convert.py",),
    ("examples/torch_training.py",),
    ("examples/torch_attention.py",),
    ("examples/torch_lstm.py",),
    ("scripts/run_notebook.py", "examples/torch_models.ipynb"),
]


@pytest.mark.parametrize("command", COMMANDS, ids=lambda each: each[-1])
def test_examples(torch: ModuleType, command: tuple[str, ...]) -> None:
    if "convert" in command[-1] or "models" in command[-1]:
        pytest.importorskip("torchvision")
    done = subprocess.run(
        [sys.executable, *command], cwd=ROOT, capture_output=True, text=True, timeout=150
    )
    if "attention" in command[-1] and not torch.cuda.is_available():
        assert done.returncode == 1
        (line,) = done.stderr.splitlines()
        assert line.startswith("this example needs a GPU")
        return
    assert done.returncode == 0, done.stdout + done.stderr
    said = [
        line for line in done.stdout.splitlines() if line.startswith("no GPU: PyTorch computes")
    ]
    assert len(said) == (not torch.cuda.is_available())
    assert not done.stderr, done.stderr


def test_the_code_of_the_page(torch: ModuleType) -> None:
    """In one namespace; on the CPU without a GPU, where functions would refuse."""
    pytest.importorskip("torchvision")
    text = (ROOT / "docs/torch.md").read_text(encoding="utf-8")
    found = re.findall(r"^```python\n(.*?)^```", text, re.M | re.S)
    own = found[: next(place for place, each in enumerate(found) if "import fuse" in each)]
    assert own
    for code in own:
        if not torch.cuda.is_available():
            code = code.replace(".cuda()", "").replace('"cuda"', '"cpu"')
            if "functional as F" in code:
                code = code.replace(
                    "cudnn_cffi.torch import functional", "torch.nn import functional"
                )
                code = code.replace(', choose="deterministic"', "")
        done = subprocess.run(
            [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, timeout=150
        )
        assert done.returncode == 0, code + done.stderr
        assert not done.stderr, code + done.stderr


def test_every_function_and_module_is_on_the_page(torch: ModuleType) -> None:
    from cudnn_cffi.torch import functional, modules

    text = (ROOT / "docs/torch.md").read_text(encoding="utf-8")
    for room in (functional, modules):
        for name in dir(room):
            thing = getattr(room, name)
            ours = getattr(thing, "__module__", "").startswith("cudnn_cffi")
            if not ours or name.startswith("_") or name == "Cudnn":
                continue
            stem = re.sub(r"[123]d$", "", name)
            stem = re.sub(r"^(Spatial|Volumetric).*", r"\1", stem)
            assert f"`{name}" in text or f"`{stem}" in text, name
