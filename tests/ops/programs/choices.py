"""Choices of operations in files, for an H200 that is not there; engines that need no compiler."""

import json
import sys
import warnings
from pathlib import Path

import cudnn_cffi as cudnn
from cudnn_cffi import choice, errors, ops

H200 = cudnn.DeviceProperties("H200")
path = Path(sys.argv[-1])
like = ops.Spec.like
x, w = like((8, 32, 16, 16)), like((64, 32, 3, 3))


def planned(choose=None):
    return ops.Convolution(1, choose=choose).plan(x, w, device=H200)


# Inputs of a list come in their order, or by their names.
bias = like((64,))
listed = ops.candidates("convolution", x, w, bias, padding=1, device=H200)
for other in (
    ops.candidates("convolution", x, w, bias=bias, padding=1, device=H200),
    ops.candidates(ops.convolution, x, bias=bias, w=w, padding=1, device=H200),
    ops.Convolution(1).candidates(x, w, bias=bias, device=H200),
):
    assert other == listed
try:
    ops.candidates("convolution", x, w, w=w, device=H200)
except errors.ArgumentError as error:
    assert "w: given twice" in str(error), error
else:
    raise AssertionError

# A search is noted, under what was asked.
first = planned()
(entry,) = choice.choices()
assert entry.operation == "convolution" and entry.how == "heuristic", entry
assert entry.arrays == {name: str(like(s)) for name, s in
                        (("x", x.shape), ("w", w.shape), ("y", (8, 64, 16, 16)))}  # fmt: skip
assert entry.options["padding"] == 1 and not entry.settings, entry
assert (entry.engine, dict(entry.knobs)) == (first.engine, dict(first.knobs)), entry
assert entry.device == H200.kind and entry.workspace == first.workspace_size, entry
planned(choose={"engine": first.engine})
planned(choose="none")
assert len(choice.choices()) == 1, "what is named is no search"
planned(choose={"deterministic": True})
assert [each.settings for each in choice.choices()] == [{"deterministic": True}, {}] or [
    each.settings for each in choice.choices()
] == [{}, {"deterministic": True}], choice.choices()

# An edited choice runs.
choice.save(path)
document = json.loads(path.read_text())
row = next(each for each in document["choices"] if "settings" not in each)
case = ops.Convolution(1).case(x, w)
computation = ops.Convolution(1).computation(case, None, H200)
others = choice.candidates(computation, every_engine=True, runtime_compilation=False)
taken = None
for other in others:
    if other.engine != first.engine:
        try:
            planned(choose={"engine": other.engine, "knobs": dict(other.knobs)})
        except errors.NotSupportedError:
            continue
        taken = other.engine, dict(other.knobs)
        break
assert taken is not None, "one other engine is there"
row["choice"] = {"engine": taken[0], "knobs": taken[1]}
path.write_text(json.dumps(document))
operation = ops.Convolution(1)
operation.plan(x, w, device=H200)
choice.load(path)
with warnings.catch_warnings():
    warnings.simplefilter("error")
    assert planned().engine == taken[0]
    assert operation.plan(x, w, device=H200).engine == taken[0]  # type: ignore[union-attr]
    assert planned(choose={"engine": first.engine}).engine == first.engine
    assert planned(choose={"exclude": taken[0]}).engine != taken[0]

# Both gradients, and graphs that are built as such.
dy = like((8, 64, 16, 16))
ops.ConvolutionBackwardData(1).plan(dy, w, shape=x.shape, device=H200)
ops.ConvolutionBackwardFilter(1).plan(x, dy, shape=w.shape, device=H200)
g = cudnn.Graph()
g.output(g.convolution(g.tensor(x.shape), g.tensor(w.shape), padding=1))
built = g.build(device=H200)
names = [each.operation for each in choice.choices()]
for name in ("convolution_backward_data", "convolution_backward_filter", "graph"):
    assert names.count(name) == 1, names
of_graph = next(each for each in choice.choices() if each.operation == "graph")
assert of_graph.engine == built.engine and "convolution" in " ".join(of_graph.arrays.values())
changed = of_graph._replace(engine=taken[0], knobs=taken[1], how="hand")
choice.adopt(choice.Choices([changed]))
again = cudnn.Graph()
again.output(again.convolution(again.tensor(x.shape), again.tensor(w.shape), padding=1))
assert again.build(device=H200).engine == taken[0]
assert again.build(device=H200, engine=built.engine).engine == built.engine

# A refusal by cuDNN causes a warning, and a search takes its place.
row["choice"] = {"engine": 9999}
choice.adopt(document)
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    assert planned().engine == first.engine
assert len(caught) == 1 and "engine 9999" in str(caught[0].message), caught
assert "convolution(x float32[8, 32, 16, 16] NCHW" in str(caught[0].message), caught

choice.forget()
assert not choice.choices() and planned().engine == first.engine
with choice.no_cache():
    choice.forget()
    planned()
    assert not choice.choices(), "nothing is noted where nothing is remembered"
print("done")
