"""Runs the code of a page, or of a part of it, in one namespace: `python pages.py NAME`."""

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
MODEL = """
import torch
model = torch.nn.Sequential(
    torch.nn.Conv2d(3, 16, 3, padding=1, bias=False), torch.nn.BatchNorm2d(16), torch.nn.ReLU(),
    torch.nn.Conv2d(16, 16, 3), torch.nn.Flatten(), torch.nn.Linear(16 * 30 * 30, 10),
).half().cuda()
x = torch.randn(2, 3, 32, 32, device="cuda", dtype=torch.half)
"""

DATABASE = """
import shutil
from cudnn_cffi import DeviceProperties, choice, load
kind = DeviceProperties.current().kind
shutil.copy(choice.database.table.file_of(kind, load().version), "mine.jsonl")
"""

#: Sections at which long pages are cut; what is before a section is a part without a name.
PARTS = {"torch": ("Fusing", "Profiling")}

BEFORE = {
    "choosing": PROCESS,
    "engines": DATABASE,
    "torch:Profiling": PROCESS + MODEL,
    "porting/frontend": FRONTEND,
}

# Examples of a page for a large model are run with a small one, and timed for less long.
LESS = {
    "Fusing": {"resnet50": "resnet18"},
    "Profiling": {"time=True)": "time=True, seconds=0.5)"},
}


def names(page: str) -> list[str]:
    """Return the names of a page's parts."""
    return [page, *(f"{page}:{section}" for section in PARTS.get(page, ()))]


def blocks(name: str) -> list[str]:
    """Return the blocks of Python of a part, without the indent that a list gives them."""
    page, _, section = name.partition(":")
    text = (ROOT / "docs" / f"{page}.md").read_text(encoding="utf-8")
    cuts = [0, *(text.index(f"\n## {each}") for each in PARTS.get(page, ())), len(text)]
    place = names(page).index(name)
    text = text[cuts[place] : cuts[place + 1]]
    found = re.findall(r"^ *```python\n(.*?)^ *```", text, re.M | re.S)
    for said, run in LESS.get(section, {}).items():
        assert any(said in code for code in found), said
        found = [code.replace(said, run) for code in found]
    return [textwrap.dedent(code) for code in found]


def run(name: str) -> int:
    space: dict[str, Any] = {"__name__": "page"}
    exec(BEFORE.get(name, ""), space)
    found = blocks(name)
    for index, code in enumerate(found):
        exec(compile(code, f"<{name}, block {index}>", "exec"), space)
    return len(found)


if __name__ == "__main__":
    print(run(sys.argv[1]), "blocks")
