"""A setting leaves out engines, and a gradient goes through an activation."""

import importlib
import random
import warnings
from types import SimpleNamespace
from typing import Any

from cudnn_cffi import driver, ops
from cudnn_cffi.choice.policy import Engine, Rule
from cudnn_cffi.choice.tune import samples
from cudnn_cffi.plan import Operand

ways: Any = importlib.import_module("cudnn_cffi._operation.way_search")
convolution: Any = importlib.import_module("cudnn_cffi.ops.conv.forward")

# Engines bear the note of TF32 whatever they compute: it is for float32 that is multiplied.
device: Any = SimpleNamespace(device=0, workspace=SimpleNamespace(limit=None))
seen: list[Any] = []
build, computation = ways.build, ops.Operation.computation
ways.build = lambda _, **filters: seen.append(filters)
ops.Operation.computation = lambda *_: None
for operation, dtype, filters in (
    (ops.Convolution(1), "float32", {"tf32": False}),
    (ops.Convolution(1), "float16", {}),
    (ops.Activation("relu"), "float32", {}),
    (ops.Attention(), "float16", {}),
):
    case = ways.Case({"x": ops.Spec.like((2, 4, 8, 8), dtype)}, {})
    operation._by_graph(case, Rule(tf32=False), None, None)
    assert seen.pop() == filters, (operation, dtype)


# An operand that nobody can make up, such as lengths and seeds, is no reason to fail: heuristics
# decide.
def unable(_: Any, choose: str = "heuristics", **__: Any) -> str:
    if choose == "autotune":
        samples.make_array(Operand("seq_len_q", 1, (2,), (1,), "INT32"), 0, None, random.Random(0))
    return choose


ways.build = unable
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    found: Any = ops.Attention()._by_graph(case, Rule(pick="time"), device, None)
assert found == "heuristics"
(told,) = caught
assert "attention is not timed: seq_len_q: elements of INT32" in str(told.message), told
ways.build, ops.Operation.computation = build, computation

# A result of a search belongs to the rule that it was found by.
kept: list[Any] = []
way = SimpleNamespace(engine=7, knobs={"TILE": 1})
once: Any = ops.Convolution(1)


def choose(_operation: Any, _case: Any, rule: Rule, *_: Any) -> Any:
    kept.append(rule)
    return way


choose_way, ways.choose_way = ways.choose_way, choose
for pick in ("heuristic_once", "heuristic_once", "time_once", "time_once"):
    for via in ("graph", None):
        once.find_way(case, Rule(pick=pick, via=via), None, "a device")
engine = Engine(7, (("TILE", 1),))
picks: list[Any] = ["heuristic", "heuristic", engine, engine, "time", "time", engine, engine]
assert [rule.pick for rule in kept] == picks, kept
ways.choose_way = choose_way

# "large" is half of the free memory at most, and the same number for nearly the same memory.
device_info: Any = driver
info = driver.info
budgets = []
for free in (0, 100 << 20, 140_000_000_000, 139_990_000_000):
    device_info.info = lambda _, free=free: SimpleNamespace(free=free)
    budget = ops.Activation("relu")._budget(case, Rule(pick="large"), SimpleNamespace(device=0))
    assert budget is not None and free * 3 // 8 <= budget <= free // 2, (free, budget)
    budgets.append(budget)
assert len(set(budgets)) == 3
device_info.info = info

# A convolution has kept the result only, which the gradient of these follows from.
called: dict[str, Any] = {}


def shared(operation, _):
    def call(*arguments, **keywords):
        called[operation.__name__] = (arguments, keywords)
        return "through"

    return call


operations: Any = importlib.import_module("cudnn_cffi._operation.operation")
convolution.shared = operations.shared = shared
x, w = ops.Spec.like((2, 3, 8, 8), "float32"), ops.Spec.like((4, 3, 3, 3), "float32")
for word in ("relu", "sigmoid", "tanh"):
    ops.Convolution(1, activation=word).backward("dy", x, w, y="y", wants=("x",))
    arguments, keywords = called["ActivationBackward"]
    assert arguments == ("dy", None, "y") and "choose" not in keywords, word
    assert called["ConvolutionBackwardData"][0][0] == "through", word

# The gradients of a normalization are chosen as it is.
settings: dict[Any, Any] = {}
operations.shared = lambda operation, given: (
    settings.update({operation: given}) or (lambda *_, **__: None)
)
for forward, backward, count in (
    (ops.LayerNorm, ops.LayerNormBackward, 5),
    (ops.InstanceNorm, ops.InstanceNormBackward, 5),
    (ops.RMSNorm, ops.RMSNormBackward, 4),
):
    forward(epsilon=0.5, choose="small").backward(*[None] * count)
    given = dict(settings[backward])
    assert given.pop("choose").data.pick == "small", forward
    assert given.pop("epsilon") == 0.5, forward
    assert not any(given.values()), forward
ops.RMSNorm().backward(None, None, None, None, bias=True)
assert settings[ops.RMSNormBackward] == {"epsilon": 1e-5, "bias": True}

# Engines let no NaN win: graphs are left where one has to, not for integers.
drafts: Any = importlib.import_module("cudnn_cffi._ways.graph_draft")
for kind in ("float32", "bfloat16", "int8"):
    x = ops.Spec.like((2, 4, 8, 8), kind)
    for make, given in ((ops.TensorOperation, (x, x)), (ops.Reduction, (x,))):
        words = ("min", "max", "add", *(["amax"] if make is ops.Reduction else []))
        for word in words:
            for propagate in (True, False):
                operation = make(word, propagate_nan=propagate)
                case = operation.case(*given)
                refused = propagate and word != "add" and kind != "int8"
                try:
                    operation.graph(case, drafts.Draft(case.inputs, case.outputs))
                except ops.Unfit as error:
                    assert refused and f"NaN win over a number in {word}" in str(error), error
                    assert "propagate_nan=False" in str(error.hint), error
                else:
                    assert not refused, (kind, make, word)
for word, mode in (("max", "IDENTITY"), ("amax", "ABS")):
    single = ops.Reduction(word, 1, keep_axes=True)
    case = single.case(ops.Spec.like((2, 1, 8, 8)))
    draft = drafts.Draft(case.inputs, case.outputs)
    single.graph(case, draft)
    assert [str(e.options["mode"]).rpartition(".")[2] for e in draft.graph.nodes] == [mode]
print("done")
