"""Graphs of arrays at low addresses, evaluated by NumPy: engines get copies, and nothing else changes."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[3]))

import numpy as np
from cudnn_cffi import errors, ops
from cudnn_cffi._operation import way_search
from cudnn_cffi._ways.classic_call import Classic, operands_of
from cudnn_cffi.choice.policy import Rule

from tests.ops.imitation import HANDLE, _Plan, at, install

install()
chance = np.random.default_rng(7)
asked: list[list[int]] = []


def by_graph(self, case, *_):
    """Return a plan that NumPy evaluates."""
    asked.append([each.alignment for each in (*case.inputs.values(), *case.outputs.values())])
    return _Plan(self, case)


way_search.by_graph = by_graph


def place(array, offset):
    """Return a copy at an offset in bytes from a multiple of 16, in memory full of 7."""
    raw = np.full(array.size + 64, 7, array.dtype)
    begin = (-raw.ctypes.data % 16 + offset) // array.itemsize
    room = raw[begin : begin + array.size].reshape(array.shape)
    room[...] = array
    return raw, room


def spec(array, offset):
    strides = tuple(each // array.itemsize for each in array.strides)
    return ops.Spec(array.dtype.name, array.shape, strides, None, offset or 16)


def run(operation, given, offsets):
    """Return the outputs of a graph, and what is around them; one offset for each array."""
    placed = [place(each, at) for each, at in zip(given, offsets, strict=False)]
    specs = [spec(room, at) for (_, room), at in zip(placed, offsets, strict=False)]
    wanted = operation.case(*specs).outputs
    assert len(wanted) == 1
    (name,) = wanted
    empty = np.zeros(wanted[name].shape, wanted[name].dtype)
    raw, out = place(empty, offsets[-1])
    case = operation.case(*specs, out=spec(out, offsets[-1]))
    way = operation._by_graph(case, Rule(pick="heuristic"), HANDLE, None)
    if not any(offsets):
        assert isinstance(way, _Plan)
        addresses = [e.ctypes.data for e in (*[room for _, room in placed], out)]
        way.execute_at(HANDLE, dict(zip((*case.inputs, name), addresses, strict=True)), 0)
        return out
    assert way.is_mixed and way.is_steps
    scratch = np.full(way.workspace_size + 512, 0x7F, np.uint8)
    start = -(-scratch.ctypes.data // 256) * 256
    before = [each.copy() for each, _ in placed]
    way.call_with(HANDLE, start, *[e.ctypes.data for e in (*[room for _, room in placed], out)])
    for (each, _), old in zip(placed, before, strict=True):
        assert (each == old).all()
    around = raw.copy()
    at = (out.ctypes.data - raw.ctypes.data) // out.itemsize
    around[at : at + out.size] = 7
    assert (around == 7).all()
    return out


x = chance.standard_normal((3, 4, 5, 6)).astype("float32")
for operation, given in (
    (ops.Reduction("add", 1, keep_axes=True), [x]),
    (ops.Transform("NCHW"), [x]),
):
    plain = run(operation, given, [0] * (len(given) + 1))
    for low in range(len(given) + 1):
        for offset in (4, 8):
            asked.clear()
            offsets = [offset if each == low else 0 for each in range(len(given) + 1)]
            assert (run(operation, given, offsets) == plain).all(), (operation, low)
            assert asked == [[16] * (len(given) + 1)]

# Convolutions and activations get arrays as they are: their engines say what they do not take.
for operation, given in (
    (ops.Convolution(1), [x, x[:2, :, :3, :3].copy()]),
    (ops.Activation(), [x]),
):
    case = operation.case(*[spec(each, 4) for each in given])
    operation._by_graph(case, Rule(pick="heuristic"), HANDLE, None)
    assert asked[-1][0] == 4

# The content of an output counts if the result is added to it.
total = ops.Reduction("add", 1, keep_axes=True)
for offset in (4, 16):
    (_, given), (_, out) = place(x, 4), place(np.ones((3, 1, 5, 6), np.float32), offset)
    case = total.case(spec(given, 4), out=spec(out, offset), alpha=2.0, beta=3.0)
    way = total._by_graph(case, Rule(pick="heuristic"), HANDLE, None)
    scratch = np.full(way.workspace_size + 512, 0x7F, np.uint8)
    way.call_with(HANDLE, -(-scratch.ctypes.data // 256) * 256, given.ctypes.data, out.ctypes.data)  # type: ignore[union-attr]
    assert np.allclose(out[:, 0], 3 + 2 * x.sum(1), atol=1e-5), offset

# Elements between those of an output stay as they are.
low = spec(x, 4)
gaps = low._replace(shape=(3, 4, 5, 3), strides=(120, 30, 6, 2))
product = ops.TensorOperation("mul")
try:
    product._by_graph(product.case(gaps, gaps, out=gaps), Rule(pick="heuristic"), HANDLE, None)
except errors.NotSupportedError as error:
    assert "not copied" in error.message, error
else:
    raise AssertionError(gaps)

# The classic batch norm for channels innermost gets copies, too, and what it updates comes back.
norm = ops.BatchNorm()
found: list[list[int]] = []


def double(handle, _workspace, _size, *addresses):
    """Double parameters and running statistics, and write results."""
    found.append([address % 16 for address in addresses])
    for place, address in enumerate(addresses[1:], 1):
        array = at(address, (4,), (1,), "FLOAT")
        array[...] = 2 * array if place < 5 else place


def classic(case, *_):
    return Classic("doubled", operands_of(case.inputs, case.outputs), double)


norm.classic = classic
image = np.zeros((2, 4, 1, 1), np.float32)
last = ops.Spec("float32", (2, 4, 3, 3), (36, 1, 12, 4), None, 16)
# An array at such an address is none for the call of arrays that lie well.
four_numbers = ops.Spec.like((4,), "float32")
for number, operation in (
    (4, ops.BatchNorm()), (4, ops.BatchNormInference()), (2, ops.BatchNormActivation()),
):  # fmt: skip
    first = ops.Spec.like((2, 4, 3, 3), "float32")
    for x_spec, alignment in ((last, 16), (first, 4), (first._replace(dtype="float16"), 16)):
        case = operation.case(x_spec, *[four_numbers] * number)
        way = operation.by_classic(case, Rule(deterministic=True), HANDLE)
        assert {each.alignment for each in way.operands} == {alignment}, operation
for x_spec, is_low in ((last, True), (last._replace(strides=(36, 9, 3, 1)), False)):
    four = [place(np.arange(4, dtype=np.float32), 4)[1] for _ in range(4)]
    statistics = [place(np.ones(4, np.float32), offset)[1] for offset in (0, 4)]
    case = norm.case(x_spec, *[spec(each, 4) for each in four], out=(None, None, spec(four[0], 4)))
    way = norm.by_classic(case, Rule(pick="heuristic"), HANDLE)
    scratch = np.zeros(way.workspace_size + 512, np.uint8)
    start = -(-scratch.ctypes.data // 256) * 256
    y = place(np.zeros(72, np.float32), 0)[1]
    arrays = [image, *four, y, *statistics]
    way.call_with(HANDLE, start, *[each.ctypes.data for each in arrays])
    assert found[-1][1:5] == ([0] * 4 if is_low else [4] * 4)
    doubled = [list(each) == [0, 2, 4, 6] for each in four]
    assert doubled == ([False, False, True, True] if is_low else [True] * 4), doubled
    assert [list(each) for each in statistics] == [[6.0] * 4, [7.0] * 4]

# A copy is reported as it is: with the bits that its engine gives, and no way for other calls.
large = ops.Spec.like((4096, 1024))
for size, notes, bits in ((large, ("NONDETERMINISTIC",), False), (spec(x, 0), (), True)):
    _Plan.notes = notes
    case = product.case(size._replace(alignment=4), size)
    way = product._by_graph(case, Rule(pick="heuristic"), HANDLE, None)
    assert (way.deterministic, way.is_makeshift) == (bits, size is large)  # type: ignore[union-attr]

# A substitute for a plan during a capture is not kept, with copies around it either.
inference = ops.BatchNormInference()
for is_late in (False, True):

    def stand_in(case, *_, is_late=is_late):
        made = classic(case)
        made.is_late = is_late
        return made

    inference.classic = stand_in
    case = inference.case(last._replace(alignment=4), *[four_numbers] * 4)
    assert inference.by_classic(case, Rule(pick="heuristic"), HANDLE).is_late is is_late
print("done")
