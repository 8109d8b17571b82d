"""A plan for an H200 as JSON, with a real library: there and back, and what is refused."""

import copy
import itertools
import json
import pickle
import sys
from functools import partial
from typing import Any

import cudnn_cffi as cudnn
from cudnn_cffi.choice import build, no_cache
from cudnn_cffi.graph import graph as graphs
from cudnn_cffi.plan import Computation, saving

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

# NaN passes a ReLU, which cuDNN's JSON does not say: such plans are built anew of their graph.


def summed(**options: str) -> cudnn.Graph:
    graph = cudnn.Graph(io_data_type="FLOAT")
    x, w = (graph.tensor(shape, layout="NHWC") for shape in ((8, 16, 8, 8), (32, 16, 3, 3)))
    y = graph.convolution(x, w, padding=1) + graph.tensor((1, 32, 1, 1))
    graph.output(graph.pointwise("RELU_FWD", y, **options), name="y", layout="NHWC")
    return graph


def changed(text: str, **fields: object) -> str:
    """Return the text as if something else had been written; "absent" stands for nothing."""
    saved = json.loads(text) | fields
    other = {name: each for name, each in saved.items() if each != "absent"}
    return json.dumps(other | {"digest": saving.digest(other)})


built: list[Any] = []
build_anew = graphs.to_plan


def noted(computation: Any, candidate: Any) -> cudnn.Plan:
    *_, relu = computation.operation_graph.ops
    built.append((relu.pw_descriptor.nan_propagation.name, candidate.engine, candidate.knobs))
    return build_anew(computation, candidate)


graphs.to_plan = noted
for word, engine in itertools.product(("PROPAGATE_NAN", "NOT_PROPAGATE_NAN"), (0, 11)):
    kept = summed(nan_propagation=word).build(device=H200, engine=engine)
    text_of_kept = kept.to_json()
    assert "PROPAGATE" not in json.loads(text_of_kept)["plan"]
    for again in (
        cudnn.Plan.from_json(text_of_kept, device=H200),
        cudnn.Plan.from_json(text_of_kept),
        pickle.loads(pickle.dumps(kept)),
        copy.copy(copy.copy(kept)),
    ):
        assert again.to_json() == text_of_kept
        assert again.operands == kept.operands
        assert built[-1] == (word, engine, kept.knobs), built
    graph_text = json.loads(text_of_kept)["graph"]
    for damaged in (
        text_of_kept.replace('"schema": 2', '"schema": 1'),
        changed(text_of_kept, graph=3), changed(text_of_kept, graph="{}"),
        changed(text_of_kept, engine=None), changed(text_of_kept, engine=99999),
        changed(text_of_kept, graph=graph_text.replace("RELU_FWD", "MUL")),
    ):  # fmt: skip
        try:
            cudnn.Plan.from_json(damaged)
        except cudnn.CudnnError:
            continue
        raise AssertionError(damaged)
    # An older version of this package had no graph.
    count, old = len(built), changed(text_of_kept, schema=1, graph="absent")
    if word == "PROPAGATE_NAN":
        load_old = partial(cudnn.Plan.from_json, old)
        refused("NaN passes its ReLU", load_old, cudnn.ArgumentError)
    else:
        assert cudnn.Plan.from_json(old).engine == engine
    assert len(built) == count

# A computation of descriptors has no graph to save.
of_graph = summed(nan_propagation="PROPAGATE_NAN").computation(device=H200)
alone = Computation(of_graph.operation_graph, of_graph.operands, device=H200)
refused("does not say that NaN passes", build(alone, engine=11).to_json, cudnn.NotSupportedError)
of_graph = summed().computation(device=H200)
alone = Computation(of_graph.operation_graph, of_graph.operands, device=H200)
assert cudnn.Plan.from_json(build(alone, engine=11).to_json()).engine == 11

plan.close()
refused("the Plan is closed", plan.to_json, cudnn.ClosedError)
print(sys.argv[0], "done")
