"""An error explains what it is about, also after it was pickled, and in its text, once."""

import os
import pickle
import threading
from typing import Any

import cudnn_cffi as cudnn
from cudnn_cffi import _error_texts as error_texts
from cudnn_cffi import errors, ops
from cudnn_cffi._explain import questions


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


POINTER = "explain() of this error finds the nearest graph that is supported"
SENTENCE = "nearest: with computation in INT32, cuDNN "
DIFFERENCE = "- compute FLOAT, intermediate FLOAT\n    + compute INT32, intermediate FLOAT"
searches: list[str] = []
answer = questions.answer_question


def counted(*arguments: Any) -> Any:
    searches.append(str(refused()))  # the texts of a search do not search
    return answer(*arguments)


questions.answer_question = counted
os.environ["CUDNN_CFFI_EXPLAIN"] = "0"
assert str(refused()).endswith(POINTER), "no search is asked for"
os.environ["CUDNN_CFFI_EXPLAIN"] = "no number"
assert str(refused()).endswith(POINTER), "anything else is no search"
os.environ["CUDNN_CFFI_EXPLAIN"] = "60"
error = refused()
assert errors.first_line(error) == error.message.splitlines()[0]
with errors.quiet():
    assert str(error).endswith(POINTER)
for name, value in {"is_any_captured": lambda: True, "is_lost": lambda: True}.items():
    module = questions.fork if name == "is_lost" else questions.captures
    before = getattr(module, name)
    setattr(module, name, value)
    assert str(error).endswith(POINTER), name
    setattr(module, name, before)
begun, ended = threading.Event(), threading.Event()


def hold() -> None:
    with questions._one:
        begun.set()
        ended.wait()


thread = threading.Thread(target=hold)
thread.start()
begun.wait()
assert str(error).endswith(POINTER), "another thread searches"
ended.set()
thread.join()
assert not searches, "an error that is caught, read by code or in a capture searches nothing"
text = str(error)
assert SENTENCE in text and text.endswith(DIFFERENCE), text
assert len(searches) == 1 and searches[0].endswith(POINTER), "a search searches nothing"
assert str(error) == text and len(searches) == 1, "the answer is kept"


def fail(*_: Any) -> Any:
    raise ValueError("of a search")


questions.answer_question = fail
error = refused()
assert str(error).endswith("explain() failed: of a search")
questions.answer_question = counted
assert str(error).endswith("explain() failed: of a search"), "a failure is kept, too"
questions.answer_question = answer
del os.environ["CUDNN_CFFI_EXPLAIN"]
assert error_texts.seconds_of_texts() == 2.0
error = refused()
for each in (error, pickle.loads(pickle.dumps(error)), error.replace(hint="a hint")):
    found: Any = each.explain(60)
    assert found.sentence.startswith("with computation in INT32, cuDNN "), found.sentence
    assert found.change == (
        "- compute FLOAT, intermediate FLOAT",
        "+ compute INT32, intermediate FLOAT",
    ), found.change
    assert found.graph.build(device="H200").engine is not None, "it builds"
    assert f"nearest: {found.sentence}" in str(each), str(each)

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
