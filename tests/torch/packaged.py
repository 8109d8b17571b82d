"""Run the file of a network in float64 on the host: each plan by its graph, each call by PyTorch."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import torch
from cudnn_cffi import arrays
from cudnn_cffi.diagnose.evaluate import NoReferenceError, reference
from cudnn_cffi.graph import Graph
from cudnn_cffi.network import format as f
from cudnn_cffi.network.reading import operands_of, read_file, read_pieces, work_of
from cudnn_cffi.plan.operand import Operand, span
from torch.nn import functional

#: The modes of pooling and activation, by their numbers.
MAX, MEAN, MEAN_WITHOUT, MAX_AGAIN = range(4)
SIGMOID, RELU, TANH, CLIPPED, ELU, IDENTITY, SWISH = range(7)


def seen(memory: torch.Tensor, offset: int, operand: Operand) -> torch.Tensor:
    """An operand as it lies in memory."""
    kind = getattr(torch, arrays.dtype_name(operand.data_type))
    bytes_ = memory[offset : offset + span(operand)]
    return bytes_.view(kind).as_strided(operand.shape, operand.strides)


def run(path: Path, *inputs: torch.Tensor) -> list[torch.Tensor]:
    """The outputs; memory is full of NaN before."""
    file = read_file(path)
    pieces: dict[int, bytes] = {}
    read_pieces(path, file, pieces.__setitem__)
    weights = b"".join(pieces[each] for each in sorted(pieces))
    given = iter(inputs)
    memories: dict[Any, torch.Tensor] = {
        f.ARENA: torch.full((file.header.arena,), 0xFF, dtype=torch.uint8),
        f.WEIGHTS: torch.frombuffer(bytearray(weights or b"\0"), dtype=torch.uint8),
    }
    for number, (each,) in enumerate(file.tensors):
        memory = memories[f.TENSOR, number] = torch.full((span(each),), 0xFF, dtype=torch.uint8)
        if each.role == "input":
            seen(memory, 0, each).copy_(next(given))
    for step in file.steps:
        operands = operands_of(file, work_of(file, step))
        found = {}
        for each, place in zip(operands, file.places[step.place :], strict=False):
            key: Any = (f.TENSOR, place.tensor) if place.where == f.TENSOR else place.where
            found[each.name] = seen(memories[key], place.offset, each)
        values = [found[each.name].double() for each in operands if each.role == "input"]
        (target,) = [found[each.name] for each in operands if each.role == "output"]
        if step.kind == f.PLAN:
            plan = file.plans[step.number]
            source = file.texts[plan.source : plan.source + plan.source_size]
            graph = Graph.from_json(source)
            names = [each.name for each in operands if each.role == "input"]
            shapes = {each.name: each.shape for each in graph.tensors.values()}
            numbers = {
                name: value.reshape(shapes[name]).numpy()
                for name, value in zip(names, values, strict=True)
            }
            made = _planned(graph, numbers)
        else:
            made = _call(file.calls[step.number], values[0])
        target.copy_(made.reshape(target.shape))
    return [
        seen(memories[f.TENSOR, number], 0, each)
        for number, (each,) in enumerate(file.tensors)
        if each.role == "output"
    ]


def _planned(graph: Graph, numbers: dict[str, Any]) -> torch.Tensor:
    """The result of a graph; of a convolution in groups, which NumPy does not compute, PyTorch's."""
    try:
        (result,) = reference(graph, numbers).values()
        return torch.from_numpy(result.copy())
    except NoReferenceError:
        x, w, bias = (torch.from_numpy(numbers[name]) for name in ("x", "w", "bias"))
    convolution, *others = graph.nodes
    options = convolution.options
    assert [each.options["mode"] for each in others] == ["ADD"]
    groups = x.shape[1] // w.shape[1]
    assert options["pre_padding"] == options["post_padding"]
    padding, stride = options["pre_padding"], options["stride"]
    return functional.conv2d(x, w, bias.flatten(), stride, padding, groups=groups)


def _call(call: f.Call, x: torch.Tensor) -> torch.Tensor:
    if call.function == f.TRANSFORM:
        return x
    if call.function == f.POOL:
        if call.mode in (MAX, MAX_AGAIN):
            return functional.max_pool2d(x, call.window, call.stride, call.padding)
        return functional.avg_pool2d(
            x, call.window, call.stride, call.padding, count_include_pad=call.mode == MEAN
        )
    number = call.coefficient
    return {
        SIGMOID: torch.sigmoid, RELU: torch.relu, TANH: torch.tanh,
        CLIPPED: lambda each: each.clamp(0, number), ELU: lambda each: functional.elu(each, number),
        SWISH: lambda each: each * torch.sigmoid(number * each),
    }[call.mode](x)  # fmt: skip


def overlaps(path: Path) -> list[tuple[int, int]]:
    """The pairs of outputs of steps that share bytes while both are needed."""
    file = read_file(path)
    lives: list[tuple[int, int, int, int]] = []  # begin and end in memory, first and last step
    for number, step in enumerate(file.steps):
        operands = operands_of(file, work_of(file, step))
        for each, place in zip(operands, file.places[step.place :], strict=False):
            if place.where == f.ARENA and each.role == "output":
                lives.append((place.offset, place.offset + place.size, number, number))
            elif place.where == f.ARENA:
                for at in reversed(range(len(lives))):
                    begin, end, first, _ = lives[at]
                    if begin < place.offset + place.size and place.offset < end:
                        lives[at] = begin, end, first, number
                        break
    return [
        (one[2], other[2])
        for one, other in itertools.combinations(lives, 2)
        if one[0] < other[1] and other[0] < one[1] and one[2] < other[3] and other[2] < one[3]
    ]
