"""The examples run as they stand; each checks its own result."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

COMMANDS = {
    "c_names": ("numpy", "examples/convolution_c_names.py"),
    "c_names with torch": ("torch", "examples/convolution_c_names.py", "torch"),
    "c_names with cupy": ("cupy", "examples/convolution_c_names.py", "cupy"),
    "c_names with pycuda": ("pycuda", "examples/convolution_c_names.py", "pycuda"),
    "convolution": ("numpy", "examples/convolution.py"),
    "two_threads": ("numpy", "examples/two_threads.py"),
    "llama_decode": ("numpy", "examples/llama_decode.py"),
    "torch_convert": ("torchvision", "examples/torch_convert.py"),
    "torch_training": ("torch", "examples/torch_training.py"),
    "torch_lstm": ("torch", "examples/torch_lstm.py"),
    "torch_attention": ("torch", "examples/torch_attention.py"),
    "jax_layers": ("jax", "examples/jax_layers.py"),
    "torch_models": ("torchvision", "scripts/run_notebook.py", "examples/torch_models.ipynb"),
    "candidates": ("numpy", "scripts/run_notebook.py", "examples/candidates.ipynb"),
    "first_steps": ("numpy", "scripts/run_notebook.py", "examples/first_steps.ipynb"),
}


@pytest.mark.parametrize("name", COMMANDS)
def test_it_runs_and_is_right(name: str) -> None:
    needs, *command = COMMANDS[name]
    if find_spec(needs) is None:
        pytest.skip(f"takes {needs}")
    done = subprocess.run(
        [sys.executable, *command], cwd=ROOT, capture_output=True, text=True, timeout=150
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout
    assert not done.stderr, done.stderr


def _snippets(document: str) -> list[str]:
    text = (ROOT / document).read_text(encoding="utf-8")
    return re.findall(r"^```python\n(.*?)^```", text, re.M | re.S)


#: Runs blocks from standard input, each in a namespace of its own.
RUN = """
import json, sys
for block in json.load(sys.stdin):
    exec(compile(block, "<block>", "exec"), {"__name__": "__main__"})
    print("end of a block", flush=True)
"""


@pytest.mark.parametrize("document", ["README.md", "docs/overlay.md"])
def test_the_code_in_documents_runs_as_it_stands(document: str) -> None:
    blocks = _snippets(document)
    done = subprocess.run(
        [sys.executable, "-c", RUN], input=json.dumps(blocks), cwd=ROOT, capture_output=True,
        text=True, timeout=150,
    )  # fmt: skip
    *printed, rest = done.stdout.split("end of a block\n")
    assert done.returncode == 0, f"block {len(printed)}: {rest}{done.stderr}"
    assert not done.stderr, done.stderr
    assert len(printed) == len(blocks) > 0
    if document == "README.md":
        shown = [re.findall(r"^ *print\(.*\)  # (.*)$", each, re.M) for each in blocks]
        assert [each.splitlines() for each in printed] == shown, "what stands behind each print"


@pytest.mark.skipif(find_spec("torch") is None, reason="takes PyTorch")
@pytest.mark.parametrize(
    "page",
    [
        *("tutorial", "operations", "recurrent", "reproducibility", "graph", "decode"),
        *("without-a-gpu", "porting/frontend"),
    ],
)
def test_the_code_of_a_page_runs_in_its_order(page: str) -> None:
    """Blocks of these pages take names from those before."""
    code = "\n".join(_snippets(f"docs/{page}.md"))
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, timeout=150
    )
    assert done.returncode == 0, done.stderr


def test_every_example_is_run() -> None:
    run = {part for _, *command in COMMANDS.values() for part in command}
    there = {
        f"examples/{path.name}"
        for path in (ROOT / "examples").iterdir()
        if path.suffix in (".py", ".ipynb")
    }
    assert there <= run
