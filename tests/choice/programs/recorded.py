"""A planted database changes what "time" chooses for a described device, and nothing is timed."""

import json
import os
import sys
from pathlib import Path
from typing import Any

import cudnn_cffi as cudnn
from cudnn_cffi import choice, errors, library, ops
from cudnn_cffi.choice import database
from cudnn_cffi.choice.database import table
from cudnn_cffi.plan import Plan

from benchmarks.engines import record
from tests.refusing import refusal as refused

folder = Path(sys.argv[1])
H200 = cudnn.DeviceProperties("H200")
release = library.load().version
header = {
    "schema": record.SCHEMA, "version": record.VERSION, "seed": 0, "device": H200.kind,
    "name": H200.name, "compute_capability": [9, 0], "multiprocessors": 132, "release": release,
    "commit": "0" * 40, "date": "2026-11-24",
}  # fmt: skip


def graph():
    made = cudnn.Graph()
    x = made.tensor((8, 32, 16, 16), "HALF", layout="NHWC", name="x")
    w = made.tensor((64, 32, 3, 3), "HALF", layout="NHWC", name="w")
    made.output(made.convolution(x, w, padding=1), name="y", data_type="HALF", layout="NHWC")
    return made


def write(name, computation, rows, **changed):
    """Write a database with one case."""
    path = folder / f"{name}.jsonl"
    kept = record.Record(folder / f"{name}.record")
    kept.begin({**header, **changed})
    kept.add({
        "case": "a convolution", "kind": "convolution", "networks": ["one"], "rows": rows,
        "signature": table.signature_of(computation.signature), "refused": [],
    })  # fmt: skip
    kept.close()
    assert record.pack([folder / f"{name}.record"], path) == (path, 1)
    return path


computation = graph().computation(device=H200)
suggested = graph().build(device=H200)
built: dict[int, Any] = {}
for each in choice.candidates(computation, every_engine=True):
    compiled = any(note.name == "RUNTIME_COMPILATION" for note in each.behavior_notes)
    if compiled or each.engine == suggested.engine or not each.deterministic:
        continue
    try:
        each.build()
    except errors.CudnnError:
        continue
    built.setdefault(each.engine, dict(each.knobs))
    if len(built) == 3:
        break
wrong, first, second = built
rows = [
    [suggested.engine, suggested.knobs, 0, 30.0, 0, 1e-4, "db", 1],
    [wrong, built[wrong], None, 1.0, 0, 0.5, "dbw", 1],
    [first, built[first], 1, 10.0, 1 << 20, 1e-4, "d", 1],
    [second, built[second], None, 20.0, 0, 1e-4, "db", 1],
]
path = write("planted", computation, rows)

# Without it: "time" needs a GPU.
refused(errors.ArgumentError, lambda: graph().build(choose="time", device=H200), "on a GPU")

found = database.load(path, H200)
assert [each.engine for each in found.cases.popitem()[1].rows] == [
    first, second, suggested.engine, wrong,
]  # fmt: skip
database.unload()
found = database.load(path, "H200")
(case,) = found.cases.values()
assert case.best and case.suggested
assert (case.best.engine, case.suggested.engine) == (first, suggested.engine), case
assert found.missed() == (1, 1), found.missed()
plan = graph().build(choose="time", device=H200)
assert (plan.engine, plan.knobs) == (first, built[first]), plan.engine
assert graph().build(device=H200).engine in (first, suggested.engine)
with choice.no_cache():
    assert graph().build(device=H200).engine == suggested.engine
    assert graph().build(choose="autotune", device=H200).engine == first
    # Two runs of the fastest differed, so it is not taken where bits are to be the same.
    assert graph().build(choose="time", device=H200, deterministic=True).engine == second
    assert graph().build(choose="time", device=H200, exclude=(first,)).engine == second
    with database.off():
        refused(errors.ArgumentError, lambda: graph().build(choose="time", device=H200), "on a GPU")
    others = (first, second, suggested.engine)
    refused(
        errors.ArgumentError,
        lambda: graph().build(choose="time", device=H200, exclude=others), "on a GPU",
    )  # fmt: skip
noted = [each for each in choice.choices() if each.operation == "graph" and each.how == "time"]
assert [(each.engine, each.time) for each in noted][:1] == [(first, 10.0)], noted

# Operations find the same graph, by all words for timing.
spec = ops.Spec.like((8, 32, 16, 16), "float16", "NHWC")
filters = ops.Spec.like((64, 32, 3, 3), "float16", "NHWC")
for word in ("time", "time_once", "benchmark", "autotune"):
    way: Any = ops.Convolution(padding=1, choose=word).plan(spec, filters, device=H200)
    assert (way.engine, way.knobs) == (first, built[first]), (word, way.engine)
# Strides of extents of 1 do not matter: the filters of a depthwise convolution have any there.
thin = ops.Convolution(padding=1, groups=32)
depthwise = ops.Spec.like((32, 1, 3, 3), "float16", "NHWC")
computation = thin.computation(thin.case(spec, depthwise), None, H200)
thinner: Any = thin.plan(spec, depthwise._replace(strides=(9, 9, 3, 1)), device=H200)
plain = thinner.engine
every = [each.engine for each in choice.candidates(computation)]
several: list[list[Any]] = [
    [engine, {}, 0 if place == 0 else None, 99.0 - place, 0, 1e-4, "db", 1]
    for place, engine in enumerate(dict.fromkeys(every))
]
database.load(write("thin", computation, several), H200)
odd = depthwise._replace(strides=(9, 9, 3, 1))
found_ways: list[Any] = [
    thin.plan(spec, each, device=H200, choose="time") for each in (depthwise, odd)
]
one, other = found_ways
assert one.engine == other.engine != plain, (one.engine, other.engine, plain)
assert thin.computation(thin.case(spec, odd), None, H200).signature != computation.signature
noted = [each for each in choice.choices() if dict(each.options).get("groups") == 32]
assert {(each.engine, each.how) for each in noted} == {(one.engine, "time")}, noted

way = ops.Convolution(padding=1).plan(spec, filters, device=H200, choose="heuristic")
noted = [
    each
    for each in choice.choices()
    if each.operation == "convolution" and dict(each.options).get("groups") != 32
]
assert {(each.engine, each.how, each.time) for each in noted} == {(first, "time", 10.0)}, noted

# The default leaves a suggestion that is slow for an engine that is as exact, as deterministic, and
# needs little workspace.
database.unload()
slow = [[suggested.engine, suggested.knobs, 0, 61.0, 0, 1e-4, "db", 1], *rows[1:]]
computation = graph().computation(device=H200)
for name, changed_row, expected in (
    ("slow", {}, second),
    ("narrow", {5: 1e-3}, suggested.engine),
    ("wide", {4: 64 << 20}, suggested.engine),
    ("near", {3: 20.4}, suggested.engine),
    ("odd", {6: "d"}, suggested.engine),
):
    last = [changed_row.get(place, value) for place, value in enumerate(slow[-1])]
    database.load(write(name, computation, [*slow[:-1], last]), H200)
    with choice.no_cache():
        assert graph().build(device=H200).engine == expected, name
        assert graph().build(device=H200, exclude=(second,)).engine == suggested.engine, name
        conv = ops.Convolution(padding=1)
        planned = conv.plan(spec, filters, device=H200, choose="heuristic")
        assert isinstance(planned, Plan), name
        assert planned.engine == expected, name
        with database.off():
            assert graph().build(device=H200).engine == suggested.engine, name
    database.unload()

# A database of another device, release or form is refused, and nothing of it is used.
for name, changed, words in (
    ("device", {"device": "NVIDIA H100-0"}, ("expected NVIDIA H200", "got a database of NVIDIA H100-0")),
    ("release", {"release": "9.1.0"}, (f"expected cuDNN {release}", "got a database of 9.1.0")),
):  # fmt: skip
    bad = write(name, computation, rows, **changed)
    refused(errors.DatabaseError, lambda bad=bad: database.load(bad, "H200"), *words)
    os.environ["CUDNN_CFFI_ENGINES"] = str(bad)
    table._known.clear()
    with choice.no_cache():
        refused(errors.DatabaseError, lambda: graph().build(choose="time", device=H200), *words)
good = path.read_text(encoding="utf-8").splitlines()
for text, words in (
    ("", ("line 1", "JSON")),
    ("[1]\n", ("line 1", "expected an object")),
    ("\n".join(good[:-1]) + "\n", ("expected",)),
    ("\n".join([*good[:2], good[2].replace("30.0", "3.0"), good[3]]) + "\n", ("hash",)),
    (json.dumps({**json.loads(good[0]), "version": 2}) + "\n", ("version",)),
):
    damaged = folder / "damaged.jsonl"
    damaged.write_text(text, encoding="utf-8")
    refused(
        errors.DatabaseError, lambda path=damaged: database.load(path, "H200"), "damaged", *words
    )
assert not table._loaded

# The environment names files, and 0 turns all off.
os.environ["CUDNN_CFFI_ENGINES"] = str(path)
table._known.clear()
with choice.no_cache():
    assert graph().build(choose="time", device=H200).engine == first
    os.environ["CUDNN_CFFI_ENGINES"] = "0"
    refused(errors.ArgumentError, lambda: graph().build(choose="time", device=H200), "on a GPU")
