"""Files that version 0.1 wrote with cuDNN 9.12.0 for an H200: choices, a kept plan, saved plans."""

import json
import shutil
import sys
from pathlib import Path
from typing import Any

import cudnn_cffi as cudnn
from cudnn_cffi import choice
from cudnn_cffi.plan.sequence import Sequence

HERE = Path(__file__).parents[1]
KEPT = "9.12.0-cuda13-NVIDIA-H200-9372cc72ead3d779/b887888ae059407addab86aaa2003787.json"
H200 = cudnn.DeviceProperties("H200")


def convolution():
    g = cudnn.Graph()
    x = g.tensor((2, 8, 8, 8), "half", layout="NHWC", name="x")
    w = g.tensor((8, 8, 3, 3), "half", layout="NHWC", name="w0")
    g.output(g.convolution(x, w, padding=1), name="y")
    return g


class AskedError(Exception):
    """Engines were asked for."""


def search(*_):
    raise AskedError


sys.modules["cudnn_cffi.choice.build"].search = search  # type: ignore[attr-defined]

cache = Path(sys.argv[1])
(cache / KEPT).parent.mkdir(parents=True)
shutil.copy(HERE / "data" / "kept_plan_9_12_0.txt", cache / KEPT)
try:  # its engine is known to be wrong by now
    convolution().build(device="H200")
except AskedError:
    choice.plans.clear()
else:
    raise AssertionError("an engine that is wrong was taken")
off = cudnn.errata.off("convolution-overflow-zero")
off.__enter__()
shutil.copy(HERE / "data" / "kept_plan_9_12_0.txt", cache / KEPT)
kept = convolution().build(device="H200")
assert (kept.engine, kept.knobs["TILE_SIZE"]) == (47, 15), kept
(cache / KEPT).unlink()

choice.plans.clear()
choice.forget()
loaded = choice.load(HERE / "data" / "choices_0_1.json")
assert [each.operation for each in loaded] == ["convolution", "graph", "softmax"], loaded
chosen = convolution().build(device="H200")
assert chosen.engine == kept.engine, chosen
assert chosen.knobs == kept.knobs, chosen


def fields(text: str) -> dict[str, Any]:
    """Return what a saved plan says, without its schema and digest, and CUDA, which is new."""
    saved: dict[str, Any] = json.loads(text)
    saved = {name: each for name, each in saved.items() if name not in ("schema", "digest", "cuda")}
    for part in saved.get("parts", ()):
        part["plan"] = fields(part["plan"])
    return saved


data = HERE.parent / "plan" / "data"
for name, kind in (("plan", cudnn.Plan), ("sequence", Sequence)):
    text = (data / f"{name}_9_12_0.json").read_text()
    plan = cudnn.Plan.from_json(text, device=H200)
    assert type(plan) is kind, plan
    assert fields(plan.to_json()) == fields(text), name
    assert [each.name for each in plan.operands] == ["x", "w0", "y"], plan
print("done")
