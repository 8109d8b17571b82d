"""Candidates for an H200 by the heuristics of the loaded release, on a machine without one."""

import json
import pickle
from typing import Any

import cudnn_cffi as cudnn
from cudnn_cffi.choice import Candidates, Refusal, build, candidates
from cudnn_cffi.choice.engine.rounding import narrowing_notes

from tests.choice.computations import convolution
from tests.refusing import refusal as refused

H200 = cudnn.DeviceProperties("H200")
conv = convolution(device=H200)


# Heuristics: many, each once, with notes and workspace before anything is compiled.
found = candidates(conv)
assert isinstance(found, Candidates)
assert len(found) > 10
assert len({each.key for each in found}) == len(found)
assert {each.source for each in found} >= {"A", "FALLBACK"}
assert any(each.workspace for each in found)
assert all(each.workspace is None or each.workspace >= 0 for each in found)
assert any(note.name == "TENSOR_CORE" for each in found for note in each.numeric_notes)
first = found[0]
assert first.knobs and first.engine_knobs, first
ranges = {knob.name: knob for knob in first.engine_knobs}
assert all(value in ranges[name].values for name, value in first.knobs.items()), first.knobs
both = candidates(conv, ["A", "A"])
assert [each.key for each in both] == [each.key for each in candidates(conv, ["A"])]

# Choices print as a table and are exported as plain values.
table = repr(found).splitlines()
assert len(table) == len(found) + 1
assert table[0].split()[:3] == ["engine", "from", "workspace"], table[0]
assert json.loads(found.to_json())[0]["engine"] == first.engine
assert repr(found[:2]).count("\n") == 2

# Every engine: more engines, and a reason for each that is not among them.
every = candidates(conv, every_engine=True)
engines = {each.engine for each in every}
assert engines > {each.engine for each in found}
out = {each.engine for each in every.refusals if each.engine is not None}
assert not engines & out
count = len(engines) + len(out)
assert engines | out == set(range(count))
told = [each for each in every.refusals if each.stage != "errata"]
assert all(each.status.startswith("CUDNN_STATUS_NOT_SUPPORTED") for each in told)
assert sum(bool(each.reason) for each in every.refusals) > len(out) // 2
assert pickle.loads(pickle.dumps(every.refusals)) == every.refusals
assert isinstance(every.refusals[0], Refusal)


# Filters.
def notes(each):
    return {note.name for note in (*each.numeric_notes, *each.behavior_notes)}


checks = {
    "deterministic": lambda each: "NONDETERMINISTIC" not in notes(each),
    "tensor_cores": lambda each: "TENSOR_CORE" in notes(each),
    "runtime_compilation": lambda each: "RUNTIME_COMPILATION" in notes(each),
    "native_cuda_graph": lambda each: "SUPPORTS_CUDA_GRAPH_NATIVE_API" in notes(each),
}
for name, is_so in checks.items():
    yes = candidates(conv, every_engine=True, **{name: True})
    no = candidates(conv, every_engine=True, **{name: False})
    assert {each.key for each in yes} | {each.key for each in no} == {each.key for each in every}
    assert all(map(is_so, yes)), name
    if name == "deterministic":  # False asks for nothing
        assert [each.key for each in no] == [each.key for each in every]
    else:
        assert yes and no and not any(map(is_so, no)), name
small = candidates(conv, workspace_limit=0)
assert small and not any(each.workspace for each in small)
assert len(small) < len(found)
assert any("bytes of workspace" in each.reason for each in small.refusals)
only = candidates(conv, where=lambda each: each.engine == first.engine)
assert {each.engine for each in only} == {first.engine}
single = convolution("FLOAT", device=H200)
exact = candidates(single, tf32=False)
assert exact and len(exact) < len(candidates(single))
assert not any({"TENSOR_CORE", "DOWN_CONVERT_INPUTS"} & notes(each) for each in exact)
assert len(candidates(conv, tf32=False)) == len(found)  # no float32 in it

# Only factors of products in float32 are rounded: no bias, no scale, no statistics.
last = {"layout": "NHWC"}
graph = cudnn.Graph()
image = graph.tensor((8, 64, 56, 56), "HALF", name="x", **last)
filters = graph.tensor((64, 64, 3, 3), "HALF", name="w", **last)
shift = graph.tensor((1, 64, 1, 1), "FLOAT", name="bias", **last)
graph.output(graph.convolution(image, filters, padding=1) + shift, data_type="HALF")
halves = graph.computation(device=H200)
assert len(candidates(halves, tf32=False)) == len(candidates(halves))
assert narrowing_notes(halves) == {"DOWN_CONVERT_INPUTS"}
computations = {}
for kind in ("HALF", "FLOAT"):
    graph = cudnn.Graph()
    q, k, v = [graph.tensor((2, 4, 128, 64), kind, name=name) for name in "qkv"]
    graph.output(graph.attention(q, k, v, scale=0.3))
    computations[kind] = graph.computation(device=H200)
assert narrowing_notes(computations["HALF"]) == set()
rounding = {"TENSOR_CORE", "DOWN_CONVERT_INPUTS", "CUBLASLT_DEPENDENCY"}
assert narrowing_notes(computations["FLOAT"]) == rounding
assert narrowing_notes(conv) == set()
graph = cudnn.Graph()
wide = graph.tensor((4, 8, 16), "FLOAT", name="wide")
graph.output(graph.relu(wide) * 2.0)
assert narrowing_notes(graph.computation(device=H200)) == {"DOWN_CONVERT_INPUTS"}  # no product
graph = cudnn.Graph()
wide = graph.tensor((4, 8, 16), "FLOAT", name="wide")
more = graph.tensor((4, 16, 8), "FLOAT", name="more")
graph.output(graph.matmul(graph.relu(wide), graph.relu(more)))
assert narrowing_notes(graph.computation(device=H200)) == rounding  # virtual, of float32
graph = cudnn.Graph()
graph.output(graph.matmul(graph.tensor((4, 8, 16), "FLOAT"), graph.tensor((4, 16, 8), "FLOAT")))
exact = graph.candidates(device=H200, every_engine=True, tf32=False)
assert not any(rounding & notes(each) for each in exact)

# No note tells that blocks add to the gradient of queries in any order.
graph = cudnn.Graph()
names = ("q", "k", "v", "o", "do")
given: Any = [graph.tensor((2, 4, 512, 64), "HALF", name=name) for name in names]
given.append(graph.tensor((2, 4, 512, 1), "FLOAT", name="stats"))
for each in graph.attention_backward(*given)[:3]:
    graph.output(each)
loose = graph.computation(device=H200)
every = candidates(loose, every_engine=True)
if len(loose.operation_graph.ops) > 1:  # else it is one operation, whose engines have notes
    assert every and not any(each.deterministic for each in every)
    assert not candidates(loose, every_engine=True, deterministic=True)
    assert len(candidates(loose, every_engine=True, deterministic=False)) == len(every)
same = graph.candidates(device=H200, every_engine=True, deterministic=True)
assert same and all(each.deterministic for each in same)

# A result that the plan keeps for itself is no such sum.
kept = cudnn.Graph(io_data_type="HALF")
product = kept.matmul(kept.tensor((4, 64, 64)), kept.tensor((4, 64, 64)))
kept.workspace(product)
kept.output(kept.relu(product))
assert candidates(kept.computation(device=H200), every_engine=True, deterministic=True)

none = candidates(conv, sm_count=32)
assert not none and all(each.reason == "they suggest nothing" for each in none.refusals)
some = candidates(conv, sm_count=H200.multiprocessors)
told = some[0].config.engine.sm_count_target
assert told == H200.multiprocessors, told

for name, value in (
    ("deterministic", "no"), ("workspace_limit", "64 parsecs"), ("workspace_limit", "²"),
    ("workspace_limit", -2), ("exclude", 5), ("where", 3),
):  # fmt: skip
    refused(
        cudnn.ArgumentError,
        lambda name=name, value=value: candidates(conv, **{name: value}),
        f"{name}: ",
        f"got {value!r}",
    )
assert [each.key for each in candidates(conv, "FALLBACK")] == [
    each.key for each in candidates(conv, ["FALLBACK"])
]

# A candidate is for its graph: elsewhere it would read what is not there.
other, twin = convolution(device=H200, c=32), convolution(device=H200, names="abc")
quick = next(each for each in found if "RUNTIME_COMPILATION" not in notes(each))
for choose in (quick, lambda rows: quick):
    refused(cudnn.ArgumentError, lambda choose=choose: build(other, choose), "got one of another")
    plan = build(twin, choose)
    assert (plan.engine, plan.knobs) == (quick.engine, quick.knobs)
    assert [each.name for each in plan.operands] == ["a", "b", "c"]
refused(
    cudnn.NotSupportedError,
    lambda: build(conv, quick, tensor_cores="TENSOR_CORE" not in notes(quick)),
    "was chosen, but",
)
refused(cudnn.ArgumentError, lambda: build(conv, quick, engine=1), "which has its own")

# An engine by force, and its knobs.
forced = candidates(conv, engine=first.engine, knobs=first.knobs)
assert [each.key for each in forced] == [first.key]
assert forced[0].source == "forced"
plain = candidates(conv, engine=first.engine)[0]
assert plain.knobs == {} and plain.engine == first.engine
refused(cudnn.ArgumentError, lambda: candidates(conv, engine=999), "0 to ", "999")
refused(cudnn.ArgumentError, lambda: candidates(conv, engine=True), "True")
error = refused(
    cudnn.NotSupportedError, lambda: candidates(conv, engine=min(out)), f"engine {min(out)} does"
)
assert error.status is not None
name, knob = next(iter(ranges.items()))
for value in (knob.maximum + 1, "1", 1.0, True):
    refused(
        cudnn.ArgumentError,
        lambda value=value: candidates(conv, engine=first.engine, knobs={name: value}),
        str(knob),
    )
refused(
    cudnn.ArgumentError,
    lambda: candidates(conv, engine=first.engine, knobs={"COLOUR": 1}),
    "COLOUR",
    name,
)
refused(cudnn.ArgumentError, lambda: candidates(conv, knobs={name: 1}), "engine: expected")
refused(cudnn.ArgumentError, lambda: candidates(conv, **{"fast": True}), "fast", "deterministic")
refused(cudnn.ArgumentError, lambda: candidates(conv, ["C"]), "'C'", "FALLBACK")  # type: ignore[list-item]
refused(
    cudnn.NotSupportedError,
    lambda: candidates(conv, engine=first.engine, tensor_cores="TENSOR_CORE" not in notes(first)),
    "was forced, but",
)

# Sweeps: bounded, repeatable, each candidate once, all of them taken by cuDNN so far.
one = list(first.sweep([name]))
assert {each.knobs[name] for each in one} <= set(knob.values)
assert all({**each.knobs, name: 0} == {**first.knobs, name: 0} for each in one)
assert first.key in {each.key for each in one}
some = [each.key for each in first.sweep(most=5, tries=300)]
assert some == [each.key for each in first.sweep(most=5, tries=300)]
assert len(some) == len(set(some)) <= 5
two = list(first.sweep({name: [first.knobs[name]]}))
assert [each.key for each in two] == [first.key]
refused(cudnn.ArgumentError, lambda: first.sweep({name: [knob.maximum + 1]}), str(knob))
refused(cudnn.ArgumentError, lambda: first.sweep(["COLOUR"]), "COLOUR")
assert first.with_knobs(**{name: knob.minimum}).knobs[name] == knob.minimum

# Nothing of an earlier error is told with a later one.
wrong = convolution("DOUBLE", device=H200)
told = candidates(wrong, [], every_engine=True).refusals
assert all("Encountered" not in each.reason for each in told)  # type: ignore[attr-defined]
