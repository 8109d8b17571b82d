"""Addresses that recurrent networks, dropout and local norms pass for each parameter.

cuDNN's functions that need a GPU are stood in for; descriptors are cuDNN's own.
"""

import contextlib
import inspect
from types import SimpleNamespace
from typing import Any

import cudnn_cffi as cudnn
from cudnn_cffi import errata, errors, ops
from cudnn_cffi._lookup import calls
from cudnn_cffi.choice.policy import Policy, Rule
from cudnn_cffi.ops.element import random_state as states
from cudnn_cffi.ops.loss import ctc as losses
from cudnn_cffi.ops.rnn import forward as recurrent
from cudnn_cffi.ops.rnn import layout as networks
from cudnn_cffi.plan.run import call_steps as steps

from tests.refusing import refused

like = ops.Spec.like
HANDLE = SimpleNamespace(
    device=0, stream=None, get_stream=lambda: 0, workspace=SimpleNamespace(limit=None)
)
COUNT, SPACES = 600, {"STANDARD": (64, 128), "PERSIST_STATIC": (16, 256)}
given: list[Any] = []
filled: list[Any] = []


def standing_in(name, answer=None):
    real = getattr(calls, name)

    def stand_in(*arguments):
        bound = inspect.signature(real).bind(*arguments).arguments
        given.append((name, bound))
        return answer(bound) if answer else None

    setattr(calls, name, stand_in)


def temp_spaces(bound):
    name = bound["rnnDesc"].algorithm.name
    if name not in SPACES:
        raise errors.NotSupportedError(f"no {name} here")
    return SPACES[name]


for name in [
    "cudnnRNNForward",
    "cudnnRNNBackwardData_v8",
    "cudnnRNNBackwardWeights_v8",
    "cudnnBuildRNNDynamic",
    "cudnnDropoutForward",
    "cudnnDropoutBackward",
    "cudnnLRNCrossChannelForward",
    "cudnnLRNCrossChannelBackward",
    "cudnnDivisiveNormalizationForward",
    "cudnnDivisiveNormalizationBackward",
    "cudnnSetDropoutDescriptor",
    "cudnnRestoreDropoutDescriptor",
]:
    standing_in(name)
standing_in("cudnnGetRNNTempSpaceSizes", temp_spaces)
standing_in("cudnnGetRNNWeightSpaceSize", lambda bound: COUNT * 4)
standing_in("cudnnDropoutGetStatesSize", lambda bound: 1000)
networks.Network.lengths = staticmethod(lambda sizes, handle: SimpleNamespace(address=99))
vars(networks).update(handles=SimpleNamespace(handle=lambda device: HANDLE))
vars(steps).update(fill_with=lambda address, bits, size, *_: filled.append((address, size)))
waits = []
driver = SimpleNamespace(
    capture_id=lambda stream: 0,
    record=lambda stream: SimpleNamespace(address=7000 + stream),
    context_of_stream=lambda stream: 0,
    wait_for=lambda event, stream: waits.append((event, stream)),
)
vars(states).update(
    driver=driver,
    Memory=lambda size, device, stream: SimpleNamespace(
        address=1 << 20, size=size, current=contextlib.nullcontext, ordered=lambda: None
    ),
)


def call(way):
    """Run a way on addresses of its own for each operand; return what cuDNN got."""
    addresses = {each.name: 1000 * (i + 1) for i, each in enumerate(way.operands)}
    way.call_with(HANDLE, 5, *addresses.values())
    name, bound = given[-1]
    assert name == way.function
    assert bound["handle"] is HANDLE
    return bound, addresses


def check(way, names):
    """Check that each operand is where its name says, and all others are empty."""
    bound, addresses = call(way)
    for parameter, operand in names.items():
        assert (bound[parameter] or None) == addresses.get(operand), (parameter, operand, bound)
    assert set(addresses) <= set(names.values()), addresses
    return bound


FORWARD = {
    "x": "x", "y": "y", "hx": "hx", "hy": "hy", "cx": "cx", "cy": "cy", "weightSpace": "weights",
    "reserveSpace": "reserve",
}  # fmt: skip
DATA = {
    "y": "y", "dy": "dy", "dx": "dx", "hx": "hx", "dhy": "dhy", "dhx": "dhx", "cx": "cx",
    "dcy": "dcy", "dcx": "dcx", "weightSpace": "weights", "reserveSpace": "reserve",
}  # fmt: skip
WEIGHTS = {
    "x": "x", "hx": "hx", "y": "y", "dweightSpace": "dweights", "reserveSpace": "reserve",
}  # fmt: skip

w, reserve = like((COUNT,)), like((128,), "uint8")
for cell, make in (
    ("LSTM", ops.LSTM),
    ("GRU", ops.GRU),
    ("RNN_TANH", ops.RNN),
    ("RNN_RELU", lambda *sizes, **more: ops.RNN(*sizes, nonlinearity="relu", **more)),
):
    for first in (False, True):
        for with_states in (False, True):
            net = make(8, 16, 2, bidirectional=True, batch_first=first, choose="STANDARD")
            x = like((3, 5, 8) if first else (5, 3, 8))
            y = like((3, 5, 32) if first else (5, 3, 32))
            h = like((4, 3, 16)) if with_states else None
            c = h if cell == "LSTM" else None
            lengths = (5, 2, 4)
            for training in (False, True):
                case = net.case(x, w, h, c, training=training, lengths=lengths)
                assert case.outputs["y"].shape == y.shape
                assert case.outputs["hy"].shape == (4, 3, 16)
                assert ("cy" in case.outputs) == (cell == "LSTM")
                way = net.classic(case, Rule(pick="STANDARD"), HANDLE)
                bound = check(way, FORWARD)
                assert bound["fwdMode"].name == ("TRAINING" if training else "INFERENCE")
                assert (bound["workSpace"], bound["workSpaceSize"]) == (5, 64)
                assert bound["reserveSpaceSize"] == (128 if training else 0)
                assert bound["weightSpaceSize"] == COUNT * 4
                assert bound["devSeqLengths"] == 99
                desc = bound["rnnDesc"]
                assert desc.cell.name == cell
                assert desc.algorithm.name == way.algorithm == "STANDARD"
                assert (desc.input_size, desc.hidden_size, desc.layers) == (8, 16, 2)
                assert desc.bidirectional
                assert desc.bias.name == "DOUBLE_BIAS"
                assert bound["xDesc"].lengths == lengths
                layout = "BATCH_MAJOR_UNPACKED" if first else "SEQ_MAJOR_UNPACKED"
                assert bound["xDesc"].layout.name == layout
                assert (bound["xDesc"].vector_size, bound["yDesc"].vector_size) == (8, 32)
                assert bound["hDesc"].shape == (4, 3, 16)
            how = {"lengths": lengths, "algorithm": "STANDARD", "math": "FMA_MATH"}
            case = net.backward_data.case(y, y, w, reserve, h, c, h, c, **how)
            way = net.backward_data.classic(case, Rule(), HANDLE)
            bound = check(way, DATA)
            assert bound["rnnDesc"].math.name == "FMA_MATH"
            assert case.outputs["dx"].shape == x.shape
            for beta in (0, 1):
                filled.clear()
                case = net.backward_weights.case(x, y, reserve, h, out=w, beta=beta, **how)
                way = net.backward_weights.classic(case, Rule(), HANDLE)
                bound = check(way, WEIGHTS)
                assert bound["addGrad"].name == "ADD"
                whole = [(bound["dweightSpace"], COUNT * 4)]
                assert filled == ([] if beta else whole)

# Packed sequences, one example, projections, clipping, float64.
net = ops.LSTM(8, 16, packed=True)
case = net.case(like((8, 8)), w, lengths=(5, 2, 1))
assert case.outputs["y"].shape == (8, 16)
assert case.outputs["hy"].shape == (1, 3, 16)
bound, _ = call(net.classic(case, Rule(pick="STANDARD"), HANDLE))
assert bound["xDesc"].layout.name == "SEQ_MAJOR_PACKED"
assert not bound["rnnDesc"].padded_io
case = ops.LSTM(8, 16, batch=False).case(like((5, 8)), w)
assert (case.outputs["y"].shape, case.outputs["cy"].shape) == ((5, 16), (1, 16))
net = ops.LSTM(8, 16, projection_size=4, clip=(-1, 2), bias=False, bidirectional=True)
case = net.case(like((5, 3, 8)), w)
assert [case.outputs[name].shape for name in ("y", "hy", "cy")] == [
    (5, 3, 8), (2, 3, 4), (2, 3, 16)
]  # fmt: skip
bound, _ = call(net.classic(case, Rule(pick="STANDARD", tf32=False), HANDLE))
desc = bound["rnnDesc"]
assert (desc.projection_size, desc.clip, desc.bias.name) == (4, (-1.0, 2.0), "NO_BIAS")
assert desc.math.name == "FMA_MATH"

# The choice of an algorithm: words, limits, exclusions, and attempts.
tried: list[Any] = []


def measure(ways, handle, repeats):
    tried.append([(way.function, way.algorithm) for way in ways])
    if ways[0].algorithm == "PERSIST_STATIC":
        return (1.0 if repeats else 0.0), ""
    return 2.0, ""


vars(recurrent).update(measure=measure)
net = ops.LSTM(8, 16)
x = like((5, 3, 8))
for training in (False, True):
    case = net.case(x, w, training=training)

    def picked(case=case, **rule):
        rule.setdefault("pick", "heuristic")
        return net.classic(case, Rule(**rule), HANDLE).algorithm

    tried.clear()
    net.clear()
    assert picked() == "STANDARD"  # SMALL_H is not there
    assert not tried
    assert picked(pick="time") == "PERSIST_STATIC"
    functions = ["cudnnRNNForward"]
    functions += ["cudnnRNNBackwardData_v8", "cudnnRNNBackwardWeights_v8"] * training
    assert [name for name, _ in tried[0]] == functions
    assert {algorithm for each in tried for _, algorithm in each} == set(SPACES)
    # Other lengths are not timed again.
    count = len(tried)
    for lengths in ((5, 4, 1), (5, 2, 2), (1, 5, 3)):
        other = net.case(x, w, training=training, lengths=lengths)
        assert picked(case=other, pick="time") == "PERSIST_STATIC"
    assert len(tried) == count + len(SPACES)
    assert picked(pick="none") == "PERSIST_STATIC"
    assert picked(pick="small") == "STANDARD"
    assert picked(pick="deterministic") == "STANDARD"
    assert picked(pick="time", deterministic=True) == "STANDARD"
    assert picked(exclude=("STANDARD",)) == "PERSIST_STATIC"
    assert picked(workspace_limit=32) == "PERSIST_STATIC"
    refused("no algorithm", lambda: picked(workspace_limit=8), errors.NotSupportedError)
    # An algorithm that was picked without a limit is not taken for a handle that has one.
    before, HANDLE.workspace.limit = HANDLE.workspace.limit, 32
    assert picked(exclude=()) == "PERSIST_STATIC"
    HANDLE.workspace.limit = before
    assert picked(exclude=()) == "STANDARD"
    refused("no PERSIST_DYNAMIC", lambda: picked(pick="PERSIST_DYNAMIC"), errors.NotSupportedError)
SPACES["PERSIST_STATIC_SMALL_H"] = (0, 0)
net.clear()
case = net.case(x, w)
assert net.classic(case, Rule(pick="heuristic"), HANDLE).algorithm == "PERSIST_STATIC_SMALL_H"
big = ops.LSTM(8, 256)
case = big.case(x, w)
assert big.classic(case, Rule(pick="heuristic"), HANDLE).algorithm == "STANDARD"
ragged = net.case(x, w, lengths=(5, 1, 1))
assert net.classic(ragged, Rule(pick="heuristic"), HANDLE).algorithm == "STANDARD"
names = {name: reason for name, _, reason in net.algorithms(case, HANDLE)}
assert "no PERSIST_DYNAMIC" in names["PERSIST_DYNAMIC"]
assert not names["STANDARD"]
policy = Policy.of("CUDNN_RNN_ALGO_PERSIST_STATIC")
assert (policy.recurrent.pick, policy.forward.pick) == ("PERSIST_STATIC", None)
assert Policy.parse("recurrent=time").recurrent.pick == "time"
assert Policy.of(cudnn.RNNAlgo.STANDARD).recurrent.pick == "STANDARD"

# Refusals, before anything runs.
count = len(given)
h, c = like((1, 3, 16)), like((1, 3, 4))
refused("x: expected the shape (time, batch, 8)", lambda: net.case(like((5, 3, 9)), w))
refused("weights: expected float32", lambda: net.case(x, like((COUNT,), "half")))
refused("hx: expected the shape (1, 3, 16)", lambda: net.case(x, w, like((1, 2, 16))))
refused("cx: only an LSTM", lambda: ops.GRU(8, 16).case(x, w, h, h))
for wrong in ((5, 6, 1), (5, 0, 1), (5, -1, 1)):
    refused("lengths: expected 3 numbers from 1 to 5", lambda: net.case(x, w, lengths=wrong))  # noqa: B023
refused("lengths: packed", lambda: ops.GRU(8, 16, packed=True).case(like((8, 8)), w))
refused(
    "longest sequence first",
    lambda: ops.GRU(8, 16, packed=True).case(like((8, 8)), w, lengths=(2, 6)),
)
refused("C order", lambda: net.case(ops.Spec("float32", (5, 3, 8), (8, 40, 1)), w))
refused("hidden_size: expected 1 or more", lambda: ops.LSTM(8, 0))
refused("projection_size: only an LSTM", lambda: ops.GRU(8, 16, projection_size=4))
refused("less than hidden_size", lambda: ops.LSTM(8, 16, projection_size=16))
refused("clip: only an LSTM", lambda: ops.GRU(8, 16, clip=1.0))
refused("clip: expected the lower", lambda: ops.LSTM(8, 16, clip=(1, -1)))
refused("skip_input", lambda: ops.LSTM(8, 16, skip_input=True))
refused("bias: expected a bool or a word, got 'x'", lambda: ops.LSTM(8, 16, bias="x"))
refused("nonlinearity", lambda: ops.RNN(8, 16, nonlinearity="elu"))
refused("dropout: expected from 0", lambda: ops.LSTM(8, 16, dropout=1.0))
refused("seed: expected 0 to", lambda: ops.Dropout(0.5, seed=-1))
refused("reserve: expected an RNNReserve", lambda: ops.rnn_backward(x, x, x, w, reserve))
refused("there is no argument 'hid'", lambda: ops.lstm(x, w, 16, hid=3))  # type: ignore[call-overload]
assert len(given) == count
small = net.case(x, like((COUNT - 1,)))
refused(
    f"weights: expected the shape ({COUNT},)",
    lambda: net.classic(small, Rule(pick="STANDARD"), HANDLE), errors.ShapeMismatchError,
)  # fmt: skip
wrong = net.backward_data.case(
    like((5, 3, 16)), like((5, 3, 16)), w, like((127,), "uint8"), algorithm="STANDARD",
    math="DEFAULT_MATH", lengths=None,
)  # fmt: skip
refused("reserve: expected uint8 (128,)", lambda: net.backward_data.classic(wrong, Rule(), HANDLE))

# Dropout: one state for each device, waited for from stream to stream.
x = like((4, 8, 6, 5))
drop = ops.Dropout(0.25, seed=7)
case = drop.case(x)
flat = case.outputs["reserve"]
way = drop.classic(case, Rule(), HANDLE)
bound = check(way, {"x": "x", "y": "y", "reserveSpace": "reserve"})
assert bound["xdesc"].shape == (1, 1, 1, 960)
assert bound["reserveSpaceSizeInBytes"] == flat.shape[0] > 0
made = [bound for name, bound in given if name == "cudnnSetDropoutDescriptor"]
assert (made[-1]["dropout"], made[-1]["seed"], made[-1]["stateSizeInBytes"]) == (0.25, 7, 1000)
call(way)
assert len([1 for name, _ in given if name == "cudnnSetDropoutDescriptor"]) == len(made)
assert not waits
HANDLE.get_stream = lambda: 17
call(way)
assert [(event.address, stream) for event, stream in waits] == [(7000, 17)]
drop.reset(8)
call(way)
made = [bound for name, bound in given if name == "cudnnSetDropoutDescriptor"]
assert made[-1]["seed"] == 8
driver.capture_id = lambda stream: 1
fresh = ops.Dropout(0.5, seed=1)
refused(
    "captured", lambda: fresh.classic(fresh.case(x), Rule(), HANDLE), errors.NotSupportedError
)  # fmt: skip
driver.capture_id = lambda stream: 0
back = ops.DropoutBackward(0.25, 0)
waits.clear()
bound = check(
    back.classic(back.case(x, flat), Rule(), HANDLE),
    {"dy": "dy", "reserveSpace": "reserve", "dx": "dx"},
)
assert not waits  # it uses no random numbers
name, restored = given[-2]
assert name == "cudnnRestoreDropoutDescriptor"
assert restored["dropoutDesc"] is bound["dropoutDesc"]
assert (restored["dropout"], restored["stateSizeInBytes"]) == (0.25, 1000)
refused("reserve: expected uint8", lambda: back.case(x, like((3,), "uint8")))
refused("without gaps", lambda: drop.case(ops.Spec("float32", (4, 4), (8, 1))))
refused("y: expected strides", lambda: drop.case(x, out=like((4, 8, 6, 5), layout="NHWC")))

# Dropout between layers: only in training; gradients see the same state.
net = ops.GRU(8, 16, 2, dropout=0.25, seed=3)
for training in (False, True):
    case = net.case(like((5, 3, 8)), w, training=training)
    bound, _ = call(net.classic(case, Rule(pick="STANDARD"), HANDLE))
    assert (bound["rnnDesc"].dropout is not None) == training

# Local norms.
norm = ops.LocalResponseNorm(3, 0.5, 0.75, 2.0)
with errata.off("response-norm-running-squares"):
    bound = check(norm.classic(norm.case(x), Rule(), HANDLE), {"x": "x", "y": "y"})
desc = bound["normDesc"]
assert (desc.n, desc.alpha, desc.beta, desc.k) == (3, 0.5, 0.75, 2.0)
back = ops.LocalResponseNormBackward(3)
with errata.off("response-norm-running-squares"):
    way = back.classic(back.case(x, x, x), Rule(), HANDLE)
check(way, {"x": "x", "y": "y", "dy": "dy", "dx": "dx"})
norm, back = ops.DivisiveNorm(3), ops.DivisiveNormBackward(3)
for means in (None, x):
    way = norm.classic(norm.case(x, means), Rule(), HANDLE)
    bound = check(way, {"x": "x", "means": "means", "y": "y"})
    assert (bound["temp"], bound["temp2"]) == (5, 5 + 3840)
    assert way.workspace_size == 2 * 3840
    way = back.classic(back.case(x, x, means), Rule(), HANDLE)
    names = {"x": "x", "means": "means", "dy": "dy", "dx": "dx", "dMeans": "dmeans"}
    check(way, names)
refused("size: expected 1 to 16", lambda: ops.LocalResponseNorm(17))
refused("k: expected 1e-5", lambda: ops.DivisiveNorm(k=0.0))
refused("y: expected strides", lambda: norm.case(x, out=like((4, 8, 6, 5), layout="NHWC")))
refused("means: expected the shape", lambda: norm.case(x, like((4, 8, 6, 4))))

# Losses, spatial transformers.
for name in [
    "cudnnCTCLoss",
    "cudnnCTCLoss_v8",
    "cudnnSpatialTfGridGeneratorForward",
    "cudnnSpatialTfGridGeneratorBackward",
    "cudnnSpatialTfSamplerForward",
    "cudnnSpatialTfSamplerBackward",
    "cudnnSoftmaxForward",
    "cudnnSoftmaxBackward",
    "cudnnOpTensor",
    "cudnnReduceTensor",
]:
    standing_in(name)
standing_in("cudnnGetCTCLossWorkspaceSize", lambda bound: 300)
standing_in("cudnnGetCTCLossWorkspaceSize_v8", lambda bound: 400)
standing_in("cudnnGetReductionWorkspaceSize", lambda bound: 50)
x, ctc = like((12, 3, 7)), ops.CTCLoss(max_label_length=9)
HOST = {"labels": (1, 2, 2, 3, 4), "label_lengths": (2, 2, 1)}
loose = ops.CTCLoss(deterministic=False)
for rule, word in (
    (Rule(), "NON_DETERMINISTIC"),
    (Rule(deterministic=True), "DETERMINISTIC"),
    (Rule(pick="deterministic"), "DETERMINISTIC"),
):
    assert loose.classic(loose.case(x, **HOST, gradient=True), rule, HANDLE).algorithm == word
for wanted in (True, False):
    case = ctc.case(x, **HOST, input_lengths=(12, 9, 11), gradient=wanted)
    way = ctc.classic(case, Rule(), HANDLE)
    assert way.workspace_size == 300
    filled.clear()
    bound = check(way, {"probs": "x", "costs": "loss", "gradients": "gradient"})
    assert bound["hostLabels"] == HOST["labels"]
    assert bound["hostLabelLengths"] == (2, 2, 1)
    assert bound["hostInputLengths"] == (12, 9, 11)
    assert (bound["gradientsDesc"] is not None) == wanted
    assert [size for _, size in filled] == ([12 * 3 * 7 * 4] if wanted else [])
    i = like((3,), "int32", range(1))
    case = ctc.case(x, like((5,), "int32", range(1)), i, i, gradient=wanted)
    way = ctc.classic(case, Rule(), HANDLE)
    names = {
        "probs": "x", "costs": "loss", "gradients": "gradient", "labels": "labels",
        "labelLengths": "label_lengths", "inputLengths": "input_lengths",
    }  # fmt: skip
    bound = check(way, names)
    assert bound["ctcLossDesc"].max_label_length == 9
refused("0 is the blank", lambda: ctc.case(x, labels=(0, 1), label_lengths=(1, 1, 0)))
refused("labels: expected 3", lambda: ctc.case(x, labels=(1, 1), label_lengths=(1, 1, 1)))
refused("3 numbers each", lambda: ctc.case(x, labels=(1, 1), label_lengths=(1, 1)))
refused("x: expected float32", lambda: ctc.case(like((12, 3, 7), "half"), **HOST))
refused("label_lengths: expected an int32", lambda: ctc.case(x, like((5,), "int32", range(1))))
assert losses._flat([[1, 2], [3]]) == ((1, 2, 3), (2, 1))
assert losses._flat((1, 2)) == ((1, 2), None)

grid = ops.AffineGrid((3, 4, 9, 11))
theta, points = like((3, 2, 3)), like((3, 9, 11, 2))
case = grid.case(theta)
assert case.outputs["grid"].shape == (3, 9, 11, 2)
check(grid.classic(case, Rule(), HANDLE), {"theta": "theta", "grid": "grid"})
back = ops.AffineGridBackward((9, 11))
check(
    back.classic(back.case(points), Rule(), HANDLE), {"dgrid": "dgrid", "dtheta": "dtheta"}
)  # fmt: skip
x, dy = like((3, 4, 5, 6)), like((3, 4, 9, 11))
sample, back = ops.GridSample(), ops.GridSampleBackward()
case = sample.case(x, points)
assert case.outputs["y"].shape == dy.shape
bound = check(sample.classic(case, Rule(), HANDLE), {"x": "x", "grid": "grid", "y": "y"})
assert (bound["xDesc"].shape, bound["yDesc"].shape) == (x.shape, dy.shape)
names = {"x": "x", "dx": "dx", "dy": "dy", "grid": "grid", "dgrid": "dgrid"}
bound = check(back.classic(back.case(dy, x, points), Rule(), HANDLE), names)
assert (bound["dxDesc"].shape, bound["dyDesc"].shape) == (x.shape, dy.shape)
refused("size: expected 3 examples", lambda: ops.AffineGrid((2, 4, 9, 11)).case(theta))
refused("grid: expected (3, H, W, 2)", lambda: sample.case(x, like((2, 9, 11, 2))))
refused("dy: expected the shape", lambda: back.case(x, x, points))
refused("C order", lambda: sample.case(like(x.shape, layout="NHWC"), points))

x = like((3, 10, 7), layout=range(3))
for reduction, shape in (("none", (3, 7)), ("sum", (1,)), ("mean", (1,))):
    entropy, back = ops.CrossEntropy(reduction), ops.CrossEntropyBackward(reduction)
    case = entropy.case(x, x)
    assert case.outputs["loss"].shape == shape
    way = entropy.classic(case, Rule(), HANDLE)
    given.clear()
    way.call_with(HANDLE, 1024, 1, 2, 3)
    soft, again, product, total = (bound for _, bound in given)
    assert (soft["algo"].name, soft["x"], soft["y"]) == ("LOG", 1, 1024)
    assert (again["algo"].name, again["x"], again["y"]) == ("LOG", 1024, 1024)
    assert (product["A"], product["B"], product["C"]) == (1024, 2, 1024)
    factor = 1 / 21 if reduction == "mean" else 1.0
    assert (total["A"], total["C"], total["alpha"]) == (1024, 3, -factor)
    assert total["workspace"] + total["workspaceSizeInBytes"] <= 1024 + way.workspace_size
    dloss = like(shape, layout=range(len(shape)))
    way = back.classic(back.case(dloss, x, x), Rule(), HANDLE)
    given.clear()
    way.call_with(HANDLE, 1024, 1, 2, 3, 4)
    soft, _, product, gradient = (bound for _, bound in given)
    assert (soft["x"], product["A"], product["B"], gradient["dx"]) == (2, 3, 1, 4)
    assert (product["alpha1"], gradient["alpha"]) == (-1.0, factor)
    assert (gradient["y"], gradient["dy"]) == (1024, product["C"])
    refused("dloss: expected the shape", lambda back=back: back.case(x, x, x))
refused("target: expected probabilities", lambda: entropy.case(x, dloss))
refused("reduction", lambda: ops.CrossEntropy("max"))


class Tensor:
    """Stands in for an array that tells where it is."""

    def __init__(self, kind):
        self.kind = kind

    def __dlpack_device__(self):
        return self.kind, 0


assert [losses._numbers(Tensor(kind)) for kind in (1, 2, 3)] == [True, False, True]
assert losses._numbers([1, 2])
assert not losses._numbers(like((2,), "int32", range(1)))
