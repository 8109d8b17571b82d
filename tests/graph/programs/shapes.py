"""Plans of graphs whose extents change, for an H200 on a machine without a driver.

The last line is JSON: whether kernels were shared by products, and not by attention; whether a
plan with overrides was made, what it says, and what cuDNN answers to one list too few.
"""

import json
from typing import Any

from cudnn_cffi import CudnnError, Graph, choice, errors
from cudnn_cffi.compat import frontend
from cudnn_cffi.plan.descriptors import variant_pack
from cudnn_cffi.plan.overrides import Overrides


def product(m: int, **options: Any) -> Graph:
    g = Graph(io_data_type="HALF", **options)
    g.output(g.relu(g.tensor((2, m, 64), name="a") @ g.tensor((2, 64, 32), name="b")), name="y")
    return g


def attention(length: int) -> Graph:
    g = Graph(io_data_type="HALF", dynamic_shapes=True)
    q, k, v = (g.tensor((2, 4, length, 64), name=name) for name in "qkv")
    g.output(g.attention(q, k, v, form="composite"), name="o")
    return g


found: dict[str, Any] = {}
plan = product(128, dynamic_shapes=True).build(device="H200")
changed = product(128, dynamic_shapes=True)
assert changed.build(device="H200") is plan
changed.output(changed.exp(changed.outputs[0]))  # after others got its plan
other = plan.at(a=(2, 40, 64))
found["shapes"] = [each.shape for each in other.operands]
found["same"] = product(40, dynamic_shapes=True).build(device="H200") is other
found["engines"] = plan.engine == other.engine
found["kinds"] = len(choice.plans.kernels)
kinds = {attention(n).computation(device="H200").kind for n in (64, 128)}
found["attention"] = len(kinds)
cache = choice.KernelCache(attention(64).computation(device="H200"))
try:
    attention(128).build(device="H200", kernel_cache=cache)
except errors.ArgumentError as error:
    found["refused"] = error.message
try:
    plan = product(128, override_shapes=True).build(device="H200")
    other = plan.at(a=(2, 40, 64))
    overrides: Any = other._overrides
    found["overrides"] = [list(map(list, each)) for each in overrides.found.values()]
    found["descriptor"] = other.execution_plan is plan.execution_plan
except CudnnError as error:
    found["lacking"] = error.message
rows = {1: ((2, 40, 64), (2560, 64, 1)), 3: ((2, 40, 32), (1280, 32, 1))}
fewer, both = Overrides({1: rows[1]}), Overrides(rows)
try:
    variant_pack([1, 2, 3], [256, 512, 768], 0, both)
    found["pack"] = ""
    both._lists[0] = fewer._lists[0]
    variant_pack([1, 2, 3], [256, 512, 768], 0, both)
except CudnnError as error:
    found["pack"] = error.text or error.message
of_h200 = frontend.create_device_properties(choice.DeviceProperties.of("H200").to_json())
graph = frontend.pygraph(
    io_data_type=frontend.data_type.HALF, intermediate_data_type=frontend.data_type.FLOAT,
    compute_data_type=frontend.data_type.FLOAT, device_property=of_h200,
    is_override_shape_enabled=True,
)  # fmt: skip
a = graph.tensor(name="a", dim=[2, 128, 64], stride=[8192, 64, 1])
b = graph.tensor(name="b", dim=[2, 64, 32], stride=[2048, 32, 1])
graph.matmul(a, b).set_output(True)
graph.build([frontend.heur_mode.A, frontend.heur_mode.FALLBACK])
found["frontend"] = []
for uid, shape, strides in (
    (a.get_uid(), [2, 40, 64], [2560, 64, 1]), (99, [2, 40, 64], [2560, 64, 1]),
    (a.get_uid(), [2, 40], [40, 1]), (a.get_uid(), [2, -1, 64], [2560, 64, 1]),
):  # fmt: skip
    try:
        graph.get_workspace_size(None, [uid], [shape], [strides])
        found["frontend"].append("taken")
    except (ValueError, frontend.cudnnGraphNotSupportedError) as error:
        found["frontend"].append(type(error).__name__)
print(json.dumps(found))
