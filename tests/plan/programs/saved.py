"""A plan for an H200 as JSON, with a real library: there and back, and what is refused."""

import json
import pickle
import sys

import cudnn_cffi as cudnn
from cudnn_cffi.choice import build, no_cache
from cudnn_cffi.plan import saving

from tests.choice.computations import convolution
from tests.refusing import refused

H200 = cudnn.DeviceProperties("H200")
with no_cache():
    plan = build(convolution(device=H200))
text = plan.to_json()
assert json.loads(text)["device"] == plan.device == H200.name, plan.device
for again in (
    cudnn.Plan.from_json(text, device=H200),
    cudnn.Plan.from_json(text),
    pickle.loads(pickle.dumps(plan)),
):
    assert again.to_json() == text
    assert (again.engine, again.knobs, again.notes) == (plan.engine, plan.knobs, plan.notes)
    assert again.operands == plan.operands
    assert again.workspace_size == plan.workspace_size


class Other:
    name = "Another GPU"
    descriptor = H200.descriptor


refused(
    f"expected one for Another GPU, got one for {H200.name}",
    lambda: cudnn.Plan.from_json(text, device=Other),
    cudnn.ArgumentError,
)
half = cudnn.DeviceProperties({**H200, "multiProcessorCount": 66})
refused(
    f"expected one for {H200.name} (66 multiprocessors), got one for {H200.name} (132",
    lambda: cudnn.Plan.from_json(text, device=half),
    cudnn.ArgumentError,
)
saved = json.loads(text) | {"release": "9.1.0"}
refused(
    "got one of cuDNN 9.1.0",
    lambda: cudnn.Plan.from_json(json.dumps(saved | {"digest": saving.digest(saved)})),
    cudnn.VersionMismatchError,
)
refused("damaged", lambda: cudnn.Plan.from_json(text.replace("56", "57", 1)), cudnn.ArgumentError)
refused("x: expected device memory", lambda: plan(1, 2, 3), cudnn.ArgumentError)
plan.close()
refused("the Plan is closed", plan.to_json, cudnn.ClosedError)
print(sys.argv[0], "done")
