"""An error explains what it is about, also after it was pickled; its text costs no search."""

import os
import pickle
import time
from typing import Any

import cudnn_cffi as cudnn
from cudnn_cffi import ops


def refused() -> cudnn.NoPlanError:
    g = cudnn.Graph(io_data_type="INT8")
    x = g.tensor((8, 32, 14, 14), layout="NHWC", name="x")
    w = g.tensor((64, 32, 3, 3), layout="NHWC", name="w")
    g.output(g.convolution(x, w, padding=1), name="y")
    try:
        g.build(device="H200")
    except cudnn.NoPlanError as error:
        return error
    raise AssertionError("INT8 in FLOAT is refused")


error = refused()
begin = time.perf_counter()
text = str(error)
assert time.perf_counter() - begin < 0.1, "the text does not search"
assert text.endswith("explain() of this error finds the nearest graph that is supported"), text
for each in (error, pickle.loads(pickle.dumps(error)), error.replace(hint="a hint")):
    found: Any = each.explain(60)
    assert found.sentence.startswith("with computation in INT32, cuDNN "), found.sentence
    assert found.change == (
        "- compute FLOAT, intermediate FLOAT",
        "+ compute INT32, intermediate FLOAT",
    ), found.change
    assert found.graph.build(device="H200").engine is not None, "it builds"
    assert f"nearest: {found.sentence}" in str(each), str(each)
os.environ["CUDNN_CFFI_EXPLAIN"] = "60"
assert "nearest: with computation in INT32" in str(refused()), "the setting asks for a search"
os.environ["CUDNN_CFFI_EXPLAIN"] = "no number"
assert "nearest" not in str(refused()).splitlines()[-1].split()[0], "anything else does not"

x, w = ops.Spec.like((8, 3, 32, 32), "int8"), ops.Spec.like((64, 3, 3, 3), "int8")
try:
    ops.Convolution(1).plan(x, w, device="H200")
except cudnn.NoPlanError as own:
    found = pickle.loads(pickle.dumps(own)).explain(60)
    assert "in place of int8" in found.sentence, found.sentence
    assert found.graph.plan(None, "H200").engine is not None, "the call has a plan"
else:
    raise AssertionError("int8 has no plan")
options = {"padding": 1, "device": "H200", "seconds": 60}
same = ops.explain("convolution", x, w, **options)
assert same.sentence == ops.explain(ops.convolution, x, w, **options).sentence
q = ops.Spec.like((2, 4, 128, 66), "half")
assert "from 66 to 72" in ops.explain("attention", q, q, q, device="H200", seconds=60).sentence
whole = ops.explain("convolution", x._replace(dtype="float16"), w._replace(dtype="float16"),
                    device="H200")  # fmt: skip
assert whole.change == () and whole.is_found, "what is supported needs no change"

try:
    cudnn.NoPlanError("by hand").explain()
except cudnn.ArgumentError as refusal:
    assert "does not know what was refused" in str(refusal)
else:
    raise AssertionError
print("explained")
