"""The graph of each record is one that its condition holds for, and switches change candidates.

Prints the release, how many records have a graph, and how many of their engines took it.
"""

import contextlib
import json
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import cudnn_cffi as cudnn
from cudnn_cffi import errata, errors, library
from cudnn_cffi.diagnose.configurations import configurations
from cudnn_cffi.diagnose.errata import outcome
from cudnn_cffi.errata.asks import misalignment, other_bits, wrong_knobs, wrong_restored
from cudnn_cffi.errata.facts import Operations, operations_of
from cudnn_cffi.errata.record import OTHER_BITS, RESTORED

from tests.errata.wrong_engines import wrong_engines

path = Path(sys.argv[1])
H200 = cudnn.DeviceProperties("H200")
release = library.load().number
newest = release >= 91900
#: Tests that tell whether an engine is wrong, for kinds of which engines are chosen.
CHOSEN = {OTHER_BITS: other_bits, RESTORED: wrong_restored}


def graph_of(record):
    return cudnn.Graph.from_json(json.dumps(record.shows["graph"]))


def lists(record):
    """Return the engines among candidates, and those that errata leave out."""
    found = graph_of(record).candidates(device=H200, every_engine=True)
    left_out = {each.engine for each in found.refusals if each.stage == "errata"}
    return {each.engine for each in found}, left_out


shown = took = 0
for record in errata.records(verified=True)[:: int(sys.argv[2])]:
    if "workspace" in record.shows and release == 91900:
        assert outcome(record, None)[0] == "fails", record.id
    if not record.has_graph:  # a call of a function
        continue
    shown += 1
    if record.scope == "function":  # it is built as it is without the record, or takes an engine
        with errata.off(record.id):
            try:
                assert graph_of(record).computation(device=H200)
            except errors.CudnnError as error:
                assert not newest, (record.id, error)
        continue
    if record.scope == "graph":
        try:
            computation = graph_of(record).computation(device=H200)
        except errors.NotSupportedError as error:
            assert record.symptom in str(error), (record.id, error)
        else:
            assert misalignment(computation), record.id
        others = [each.id for each in errata.records() if each.scope == "graph"]
        with errata.off(*others):
            try:
                assert not misalignment(graph_of(record).computation(device=H200)), record.id
            except errors.CudnnError as error:
                assert record.symptom not in str(error), record.id
        continue
    try:
        computation = graph_of(record).computation(device=H200)
    except errors.CudnnError as error:
        assert not newest, (record.id, error)
        continue
    if not Operations(operations_of(computation.operation_graph), {}).structure.places.keys() & {
        *record.subjects
    }:
        assert release != 91900, record.id  # older releases lack it, newer ones have another
        continue
    knobs = record.shows.get("knobs", {})
    if record.knobs or record.kind in CHOSEN:  # otherwise, the engine is there
        asked = CHOSEN.get(record.kind, wrong_knobs)
        with errata.on(record.id):
            assert all(asked(computation, each, knobs) for each in record.engines), record.id
        for engine in record.engines:
            with errata.off(record.id):
                assert not asked(computation, engine, knobs), record.id
        continue
    with errata.on(record.id):
        wrong = wrong_engines(computation)
    assert {*record.engines} <= wrong.keys(), (record.id, wrong)
    for engine in record.engines:
        others = {each.id for each in errata.records() if engine in each.engines}
        with errata.off(*others):
            assert engine not in wrong_engines(computation), record.id
    with errata.on(record.id):
        there, left_out = lists(record)
    assert not there & {*record.engines}, record.id
    same = [each.id for each in errata.records(subject=None) if each.scope == "engine"]
    with errata.off(*same):
        with_them, none = lists(record)
    assert not none, record.id
    taken = with_them & {*record.engines}
    assert taken <= left_out, record.id
    took += len(taken)
print(cudnn.version(), shown, took)


# A record of a user's, for one value of a knob and for one architecture.
def convolution():
    graph = cudnn.Graph(compute_data_type="FLOAT", io_data_type="HALF")
    x, w = (
        graph.tensor(shape, layout="NHWC", name=name)
        for shape, name in (((8, 64, 14, 14), "x"), ((64, 64, 3, 3), "w"))
    )
    graph.output(graph.convolution(x, w, padding=1), name="y", layout="NHWC")
    return graph


found = convolution().candidates(device=H200)
with_knobs = [each for each in found if each.knobs]
if with_knobs:
    first = with_knobs[0]
    name, value = next(iter(first.knobs.items()))
    blocked = {
        each.key for each in found if (each.engine, each.knobs.get(name)) == (first.engine, value)
    }
    row = {
        "id": "mine", "operation": "ConvolutionForward", "engines": [first.engine],
        "knobs": {name: value}, "symptom": "s", "architectures": ["9.0"],
        "where": {"alone": True, "tensors": {"x": {"data_type": "HALF", "layout": "NHWC"}}},
    }  # fmt: skip
    document = {"schema": "cudnn_cffi.errata", "version": 1, "records": [row]}
    path.write_text(json.dumps(document))
    errata.load(path)
    after = convolution().candidates(device=H200)
    assert {each.key for each in after} == {each.key for each in found} - blocked
    reason = f"s (as {path} says)"
    refused = [each for each in after.refusals if each.stage == "errata" and reason in each.reason]
    assert len(refused) == len(blocked)
    computation = convolution().computation(device=H200)
    assert first.engine not in wrong_engines(computation)
    assert wrong_knobs(computation, first.engine, first.knobs)
    assert not wrong_knobs(computation, first.engine, {name: value + 1})
    with errata.off("mine"):
        assert {each.key for each in convolution().candidates(device=H200)} == {
            each.key for each in found
        }
    row |= {"architectures": ["8.0"], "id": "other"}
    path.write_text(json.dumps(document))
    errata.load(path)
    with errata.off("mine"):
        assert {each.key for each in convolution().candidates(device=H200)} == {
            each.key for each in found
        }


# An engine that adds in any order is left out of deterministic choices, and marked in others.
record = errata.get("reduction-engine-bits")
(engine,) = record.engines
found = graph_of(record).candidates(device=H200)
taking = [each for each in found if each.engine == engine]
if taking:
    first = taking[0]
    assert first.errata == (record.id,) and not first.deterministic
    assert f"known error {record.id}" in repr(first) and record.id in str(found)
    assert first.to_dict()["errata"] == [record.id]
    assert "NONDETERMINISTIC" in first.build().notes
    left = graph_of(record).candidates(device=H200, deterministic=True)
    assert engine not in {each.engine for each in left}
    (why, *_) = [each.reason for each in left.refusals if each.engine == engine]
    assert why.startswith("deterministic=True was asked for; ") and record.symptom in why
    try:
        plan = graph_of(record).build(device=H200, deterministic=True)
    except errors.NoPlanError as error:
        assert record.symptom in error.message, "no engine is right, and the error says so"
    else:
        assert plan.engine != engine
    with errata.off(record.id):
        (again,) = graph_of(record).candidates(device=H200, engine=engine)
        assert again.deterministic and not again.errata

# Values of a knob that are wrong are left out of a sweep, and marked where they are forced.
record = errata.get("matmul-splits-hang")
(engine,) = record.engines
with contextlib.suppress(errors.CudnnError):  # it needs NVRTC
    (plain,) = graph_of(record).candidates(device=H200, engine=engine)
    shown_knobs = record.shows["knobs"]
    assert plain.with_knobs(**shown_knobs).errata == (record.id,)
    swept = {each.knobs["SPLIT_K_SLC"] for each in plain.sweep(["SPLIT_K_SLC"], most=200)}
    assert not swept & set(shown_knobs.values()), swept
    with errata.off(record.id):
        more = {each.knobs["SPLIT_K_SLC"] for each in plain.sweep(["SPLIT_K_SLC"], most=200)}
    assert more > swept or not more, (more, swept)

# Where cuDNN refuses the defaults of knobs, an engine is shown by what heuristics suggest.
if library.load().number == 91900:
    for id in ("attention-gradient-tiles-nan", "attention-gradient-one-query-nan"):
        record = errata.get(id)
        (engine,) = record.engines
        default, *suggested = configurations(graph_of(record), record, engine, H200)
        with contextlib.suppress(errors.NotSupportedError):
            raise AssertionError(f"{id}: cuDNN takes {default.config}")
        assert any(each.config and each.build().engine == engine for each in suggested), id


# An answer for a graph on one device does not hold on another.
from cudnn_cffi.plan import Computation

A100: Any = SimpleNamespace(
    compute_capability=(8, 0), descriptor=H200.descriptor, name="A100", kind="A100"
)
first = convolution().computation(device=H200)
row = {
    "id": "third", "operation": "ConvolutionForward", "engines": [0], "symptom": "s",
    "architectures": ["8.0"],
}  # fmt: skip
path.write_text(json.dumps({"schema": "cudnn_cffi.errata", "version": 1, "records": [row]}))
errata.load(path)
second = Computation(first.operation_graph, first.operands, device=A100)
assert [0 in wrong_engines(each) for each in (first, second, first)] == [False, True, False]
