"""Runs the code of one page, block after block, in one namespace: `python pages.py NAME`."""

from __future__ import annotations

import re
import sys
import textwrap
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[3]

# Names that a page leaves to the reader: arrays, and the processes of a distributed program.
PROCESS = """
import torch
store = torch.distributed.HashStore()
torch.distributed.init_process_group("nccl", store=store, rank=0, world_size=1)
"""
FRONTEND = """
import torch
x_array = torch.randn(8, 64, 56, 56, device="cuda", dtype=torch.half)
x_array = x_array.to(memory_format=torch.channels_last)
w_array = torch.randn(32, 64, 3, 3, device="cuda", dtype=torch.half)
w_array = w_array.to(memory_format=torch.channels_last)
y_array = torch.empty(8, 32, 56, 56, device="cuda", dtype=torch.half)
y_array = y_array.to(memory_format=torch.channels_last)
workspace = torch.empty(1 << 26, device="cuda", dtype=torch.uint8)
"""
BEFORE = {"choosing": PROCESS, "torch": PROCESS, "porting/frontend": FRONTEND}

# Examples of a page for a large model are run with a small one, and timed for less long.
LESS = {"resnet50": "resnet18", "time=True)": "time=True, seconds=0.5)"}


def blocks(page: str) -> list[str]:
    """The blocks of Python of a page of docs/, without the indent that a list gives them."""
    text = (ROOT / "docs" / f"{page}.md").read_text(encoding="utf-8")
    found = re.findall(r"^ *```python\n(.*?)^ *```", text, re.M | re.S)
    for said, run in LESS.items() if page == "torch" else ():
        assert any(said in code for code in found), said
        found = [code.replace(said, run) for code in found]
    return [textwrap.dedent(code) for code in found]


def run(page: str) -> int:
    space: dict[str, Any] = {"__name__": "page"}
    exec(BEFORE.get(page, ""), space)
    found = blocks(page)
    for index, code in enumerate(found):
        exec(compile(code, f"<{page}, block {index}>", "exec"), space)
    return len(found)


if __name__ == "__main__":
    print(run(sys.argv[1]), "blocks")
