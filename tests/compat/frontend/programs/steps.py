"""The steps of a graph with a real library, for a GPU that is not there: what each one tells."""

import gc
import json
import weakref
from pathlib import Path
from typing import Any

import cudnn_cffi
from cudnn_cffi import errors
from cudnn_cffi.compat import frontend as cudnn
from cudnn_cffi.compat.frontend import planning

from tests.compat.frontend import cases, compare
from tests.refusing import refusal as refused

H200 = cudnn_cffi.DeviceProperties("H200").to_json()
RELEASE = tuple(map(int, cudnn.backend_version_string().split(".")))
assert cudnn.backend_version() == RELEASE[0] * 10000 + RELEASE[1] * 100 + RELEASE[2]


def steps(name):
    """Return a graph of a program after `create_execution_plans`."""
    graph = compare.make_graph(cudnn, H200)
    cases.CASES[name](cudnn, graph)
    graph.validate()
    graph.build_operation_graph()
    graph.create_execution_plans([cudnn.heur_mode.A, cudnn.heur_mode.FALLBACK])
    return graph


# Convolutions need no compiler: all steps.
graph = steps("conv_fprop")
assert graph.get_execution_plan_count() == len(graph.plans) > 3
x, w = graph.nodes[0].inputs.values()
(y,) = graph.nodes[0].outputs.values()
assert (y.get_dim(), y.get_stride()) == ([8, 32, 14, 14], [6272, 1, 448, 32])
assert y.get_data_type() is cudnn.data_type.HALF and not y.get_is_virtual()
assert graph.get_inputs() == [x, w] and graph.get_outputs() == [y]
refused(RuntimeError, graph.create_execution_plans, "before")
refused(RuntimeError, graph.get_workspace_size, "build")
refused(RuntimeError, lambda: y.set_output(False), "planned")
refused(RuntimeError, lambda: y.set_name("z"), "planned")
refused(RuntimeError, lambda: graph.relu(x), "planned")
refused(IndexError, lambda: graph.get_plan_name_at_index(999))
refused(IndexError, lambda: graph.get_plan_name_at_index(-1))
names = [graph.get_plan_name_at_index(i) for i in range(len(graph.plans))]
engine, knobs = graph.get_engine_and_knobs_at_index(0)
assert names[0].startswith(f"eng{engine}_k") and all(type(k) is cudnn.knob_type for k in knobs)
assert graph.get_engine_count() > engine
known = {each.type: each for each in graph.get_knobs_for_engine(engine)}
assert all(known[k].min_value <= v <= known[k].max_value for k, v in knobs.items())
refused(
    RuntimeError, lambda: [graph.get_knobs_for_engine(i) for i in range(graph.get_engine_count())]
)
graph.check_support()
graph.build_plans()
size = graph.get_workspace_size()
assert size == graph.get_workspace_size_plan_at_index(graph._index) >= 0
assert isinstance(graph.get_behavior_notes(), list)

# The same plan by its engine and knobs, on a graph of its own.
again = compare.make_graph(cudnn, H200)
cases.conv_fprop(cudnn, again)
again.create_execution_plan(engine, knobs)
assert again.get_execution_plan_count() == 1
again.build_plan_at_index(0)
assert again.get_plan_name_at_index(0) == names[0]
assert again.get_workspace_size() == graph.get_workspace_size_plan_at_index(0)
refused(ValueError, lambda: again.create_execution_plan(9999), "9999")
refused(ValueError, lambda: again.create_execution_plan(engine, {cudnn.knob_type.EDGE: 77}))

# Selection.
graph = steps("conv_fprop")
notes = {note for i in range(len(names)) for note in graph.get_behavior_notes_for_plan_at_index(i)}
graph.deselect_engines([names[0].split("_")[0] + "_"])
graph.build_plans()
assert not graph.get_plan_name_at_index(graph._index).startswith(names[0].split("_")[0] + "_")
refused(ValueError, lambda: graph.build_plan_at_index(0), "left out")
graph = steps("conv_fprop")
graph.select_plan(1)
graph.build_plans()
assert graph._index == 1
refused(IndexError, lambda: graph.select_plan(len(names)))
graph = steps("conv_fprop")
graph.select_numeric_notes([cudnn.numerical_note.TENSOR_CORE])
graph.deselect_numeric_notes([cudnn.numerical_note.NONDETERMINISTIC])
graph.deselect_workspace_greater_than(0)
graph.build_plans(cudnn.build_plan_policy.HEURISTICS_CHOICE)
chosen = graph.plans[graph._index].candidate
assert "TENSOR_CORE" in [note.name for note in chosen.numeric_notes] and chosen.deterministic
assert graph.get_workspace_size() == 0
graph = steps("conv_fprop")
graph.deselect_engines(["eng"])
error = refused(cudnn.cudnnGraphNotSupportedError, graph.check_support, "deselect_engines")
refused(cudnn.cudnnGraphNotSupportedError, graph.build_plans, names[0])

# A candidate that cannot be built is tried once.
graph = steps("conv_fprop")
tried: list[Any] = []
build_first = vars(planning)["build_first"]


def build(computation, found, cache):
    tried.append(found[0])
    if len(tried) < 3:
        raise errors.NotSupportedError("not this one")
    return build_first(computation, found, cache)


class Held:
    """Stands for what a program has at hand while it builds, such as arrays."""


def build_with(held):
    graph.build()
    return weakref.ref(held)


vars(planning)["build_first"] = build
held = build_with(Held())
gc.collect()
assert held() is None  # an error holds frames, and these all that is in them
assert (graph._index, tried) == (2, [each.candidate for each in graph.plans[:3]])
error = refused(
    cudnn.cudnnGraphNotSupportedError, lambda: graph.build_plan_at_index(0), "not this one"
)
vars(planning)["build_first"] = build_first

# Saved plans and graphs.
graph = steps("conv_bias_relu")
refused(cudnn.cudnnGraphNotSupportedError, graph.serialize, "build")
graph.build_plans()
data = graph.serialize(as_bytes=True)
assert list(data) == graph.serialize()
device = cudnn.create_device_properties(H200)
for given in (data, list(data)):
    other = cudnn.pygraph(device_property=device)
    other.deserialize(given)
    assert other.get_workspace_size() == graph.get_workspace_size()
    assert other.query_tensor_attributes_of_uid(1).get_dim() == [8, 64, 28, 28]
    assert other.serialize(as_bytes=True) == data
for damaged in (b"", b"{}", data[:-9], data[:40] + b"x" + data[40:], b"{i\x10aligned_operands{}"):
    refused(
        ValueError,
        lambda damaged=damaged: cudnn.pygraph(device_property=device).deserialize(damaged),
    )
WRITTEN = Path(__file__).parents[2] / "data" / "original_plan_9_12_0.ubj"
other = cudnn.pygraph(device_property=device)
if RELEASE == (9, 12, 0):
    other.deserialize(WRITTEN.read_bytes())
    assert other.get_workspace_size() == 0
    assert other.query_tensor_attributes_of_uid(2).get_dim() == [32, 64, 3, 3]
    assert other.query_tensor_attributes_of_uid(3).get_name() == "conv_fprop.0::Y"
    last = cudnn.pygraph(device_property=device)
    last.deserialize(other.serialize())
    assert last.serialize(as_bytes=True) == other.serialize(as_bytes=True)
else:
    refused(
        cudnn.cudnnGraphNotSupportedError, lambda: other.deserialize(WRITTEN.read_bytes()), "9.12.0"
    )
text = repr(graph)
assert json.loads(text)["nodes"][0]["tag"] == "CONV_FPROP"
other = cudnn.pygraph(device_property=device)
other.deserialize(text)
assert other.key() == graph.key()
other.build([cudnn.heur_mode.A])
assert other.get_plan_name_at_index(0) == graph.get_plan_name_at_index(0)
refused(ValueError, lambda: other.deserialize(text), "empty")
refused(ValueError, lambda: cudnn.pygraph().deserialize("{}"))

# Graphs with the same structure have the same key; others have not.
keys = {}
for name in ("conv_fprop", "conv_fprop_uneven", "matmul", "own_uids"):
    made = compare.make_graph(cudnn, H200)
    cases.CASES[name](cudnn, made)
    keys[name] = made.key()
assert len(set(keys.values())) == 4

# Heuristics of the front end alone; beside others they are left out.
graph = compare.make_graph(cudnn, H200)
cases.conv_fprop(cudnn, graph)
refused(
    cudnn.cudnnGraphNotSupportedError,
    lambda: graph.create_execution_plans([cudnn.heur_mode.OPENSOURCE]),
    "OPENSOURCE",
)
graph.create_execution_plans([cudnn.heur_mode.OPENSOURCE, cudnn.heur_mode.A])
assert graph.get_execution_plan_count()

# Each program fails in the step, and with the exception, in which the original fails.
EXPECTED = json.loads((Path(__file__).parents[1] / "outcomes.json").read_text())
for name, (step, kind) in EXPECTED.items():
    result = compare.run(cudnn, cases.CASES[name], H200, build=False)
    found = result["failed"] and (result["failed"][0], type(result["failed"][2]))
    if step is None:
        # Engines that are compiled are not there without a driver.
        assert not found or found[0] == "create_execution_plans", (name, result["failed"])
        continue
    assert found, name
    assert found[0] == step, (name, result["failed"])
    wanted = {"ValueError": ValueError, "RuntimeError": RuntimeError, "TypeError": TypeError}
    assert issubclass(found[1], wanted.get(kind, cudnn.cudnnGraphNotSupportedError)), name
    if kind == "cudnnGraphNotSupportedError":
        assert not issubclass(found[1], (RuntimeError, ValueError))

# A tensor without a data type is refused if cuDNN would miss it.
for name in ("conv_fprop", "pointwise_chain"):
    graph = cudnn.pygraph(device_property=cudnn.create_device_properties(H200))
    cases.CASES[name](cudnn, graph)
    graph.validate()
    refused(RuntimeError, graph.build_operation_graph, "io_data_type")

# Kernels may be shared by shapes only where the graph says so.
graph = compare.make_graph(cudnn, H200, is_dynamic_shape_enabled=True)
cases.matmul(cudnn, graph)
graph.build_operation_graph()
assert graph._computation.operation_graph.is_dynamic_shape_enabled is True
assert graph.key() != keys["matmul"]
other = cudnn.pygraph(device_property=device)
other.deserialize(repr(graph))
assert other.key() == graph.key()

# The reasons of this package are in the exception and its cause.
result = compare.run(cudnn, cases.CASES["rope"], H200, build=False)
if RELEASE < (9, 24):
    cause = result["failed"][2].__cause__
    assert isinstance(cause, errors.NotSupportedError) and "9.24" in str(result["failed"][2])
print("done")
