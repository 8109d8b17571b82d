"""Graphs of each family with more than 2^31 elements, or 65,535 examples, by every engine.

Its examples are those of a small graph, again and again, so that float64 tells the results.
"""

from __future__ import annotations

import json
import math
import time
from typing import Any

import torch

from .draw import Deviation, Draw
from .executing import MEMORY, Expected
from .families import FACTORS, FAMILIES, family_of
from .graphs import Made, make, reason_of
from .judge import DiffersError, RefusedError, SkippedError
from .values import device, is_lost, synchronize

__all__ = ["BATCH", "SIZE", "run", "widened"]

#: The examples of a small graph: an extent that nothing else has.
BATCH = 11

#: More elements than 32 bits count with a sign.
SIZE = 1 << 31

#: More examples than a grid has blocks along its second and third axis.
MANY = 1 << 16

#: Relative error of sums over all examples, whose order is free.
OF_SUMS = 1e-2

#: The number of elements that are compared at once.
CHUNK = 1 << 26

#: The part of the free memory that arrays may take.
PART = 0.6

#: Maximum of forms of a case that are drawn until an engine takes one, and between their numbers.
TRIES, OTHERS = 5, 1000

LAYOUTS = ("row_major", "channels_last")
FAMILY = tuple(each for each in FAMILIES if each != "moves")
#: Families of sums over all examples, which HALF does not have.
SUMS = {"filter gradient", "statistics", "reduction", "unary reduction", "product reduction"}


def run(draw: Draw) -> str:
    """Run a large graph by default and by each engine, and note what is wrong."""
    from cudnn_cffi import errors

    _peak()
    draw.wanted["more"] = draw.case // len(FAMILY) % 2
    of = draw.pick("more", ("elements", "examples"), subject=True)
    reasons, done = [], 0
    for number in range(TRIES):
        form = draw if not number else _again(draw, number)
        for layout in draw.chance("layout").sample(LAYOUTS, len(LAYOUTS)):
            try:
                made = _small(form, FAMILY[draw.case % len(FAMILY)], layout)
                graph, times = _large(made, of)
                candidates = graph.candidates(every_engine=True)
            except (errors.NotSupportedError, errors.BadParamError, errors.ArgumentError) as error:
                reasons.append(reason_of(error))
                continue
            engines = ["default", *sorted({each.engine for each in candidates})]
            tried = _by_engines(form, made, graph, times, dict(enumerate(engines, done)))
            if tried or done < draw.done <= done + len(engines):
                return ""
            reasons.append("no engine builds a plan of the graph")
            done += len(engines)
    raise RefusedError(max(reasons, key=reasons.count))


def _again(draw: Draw, number: int) -> Draw:
    """Return a draw of another form of a case, whose failures are those of the case."""
    other = Draw(draw.part, draw.seed, draw.case + number * OTHERS, draw.given)
    other.deviations, other.notes, other.tell = draw.deviations, draw.notes, draw.tell
    other.done, other.made, other.subjects = draw.done, draw.made, draw.subjects
    return other


def _by_engines(draw: Draw, made: Made, graph: Any, times: int, engines: dict[int, Any]) -> int:
    """Run a large graph by engines; return how many built a plan.

    Args:
        draw: gets what differs, and what a run needed.
        made: the graph of the examples that are repeated.
        graph: the large one.
        times: how often they are.
        engines: indices, or "default" for the one that is chosen, by the numbers of steps.
    """
    from cudnn_cffi import errors

    _check_memory(graph)
    expected, tried, begin = Expected(made), 0, time.monotonic()
    name = draw.made["family"][1]
    for place, engine in engines.items():
        if place < draw.done:
            continue
        facts = {"engine": engine, "knobs": {}, "graph": json.loads(graph.to_json())}
        facts |= {"picks": {}, "data": {}}
        draw.tell(place, {"given": {}, **facts})
        try:
            if engine == "default":
                plan = graph.build()
            else:
                plan = graph.candidates(engine=engine)[0].build()
        except (errors.CudnnError, errors.ArgumentError):
            continue  # not of this size
        tried += 1
        try:
            compared(expected, plan, times)
            continue
        except (errors.AllocationError, torch.OutOfMemoryError):
            draw.notes[f"{name}: engines without memory"] += 1
            continue
        except DiffersError as error:
            text, kind = str(error), "wrong numbers"
        except (errors.CudnnError, RuntimeError) as error:
            text, kind = reason_of(error), "context lost" if is_lost() else "fails"
        draw.deviations.append(Deviation({}, f"engine {engine}: {text}", {**facts, "kind": kind}))
        if kind == "context lost":
            return tried
    draw.notes[f"{name}: engines"] += tried
    draw.notes[f"{name}: milliseconds"] += round((time.monotonic() - begin) * 1000)
    draw.notes[f"{name}: MiB at most"] += _peak() >> 20
    return tried


def _small(draw: Draw, name: str, layout: str) -> Made:
    """Return the graph of the examples that are repeated, of a family."""
    import cudnn_cffi

    draw.given["family"] = FACTORS["family"].index(name)
    family = family_of(draw)
    draw.wanted |= {
        **{"layout": layout, "dtype": "HALF", "extents": "wide", "rank": 0, "x_data": "plain"},
        **{"x_gap": 0, "x_address": 0, "x_repeats": 0, "*_data": "plain", "*_lengths": 0},
        **{"*_band": 0, "*_repeated": "full", "*_type": int(name in SUMS)},
    }
    return make(draw, cudnn_cffi.Graph("small"), family, batch=BATCH)


def _large(made: Made, of: str) -> tuple[Any, int]:
    """Return a graph with more elements than `SIZE`, or examples than `MANY`, and its repetitions.

    Args:
        made: the graph of the examples that are repeated.
        of: "elements", of the largest tensor, or "examples".
    """
    import cudnn_cffi

    sizes = [
        math.prod(each.shape)
        for each in made.graph.tensors.values()
        if each.role != "virtual" and each.shape[0] == BATCH
    ]
    times = (SIZE // max(sizes) if of == "elements" else MANY // BATCH) + 1
    text = json.dumps(widened(json.loads(made.graph.to_json()), times))
    return cudnn_cffi.Graph.from_json(text), times


def widened(graph: dict[str, Any], times: int) -> dict[str, Any]:
    """Return the JSON of a graph with a multiple of its examples."""
    places = [each["shape"] for each in graph["tensors"]]
    options = [node.get("options", {}) for node in graph["nodes"]]
    places += [each["shape"] for each in options if "shape" in each]
    for shape in places:
        if shape and shape[0] == BATCH:
            shape[0] *= times
    return graph


def _peak() -> int:
    """Return the bytes that arrays had at most since the last question."""
    if not torch.cuda.is_available():
        return 0
    most: int = torch.cuda.max_memory_allocated()
    torch.cuda.reset_peak_memory_stats()
    return most


def _check_memory(graph: Any) -> None:
    need = sum(
        math.prod(each.shape) * MEMORY.get(each.data_type, torch.float32).itemsize
        for each in graph.tensors.values()
        if each.role != "virtual"
    )
    free = torch.cuda.mem_get_info()[0] if torch.cuda.is_available() else 1 << 30
    if need > free * PART:
        raise SkippedError(f"{need >> 30} GiB are needed, {free >> 30} GiB are free")


def compared(expected: Expected, plan: Any, times: int) -> None:
    """Run a plan, and compare the worst of each element of all examples.

    Raises:
        DiffersError: one is wrong.
    """
    made, arguments = expected.made, {}
    for operand in plan.operands:
        if operand.is_argument:
            end = 1 + sum((n - 1) * k for n, k in zip(operand.shape, operand.strides, strict=True))
            memory = torch.full((end,), math.nan, dtype=MEMORY[operand.data_type], device=device())
            array = arguments[operand.name] = memory.as_strided(operand.shape, operand.strides)
            if operand.role == "input":
                small = made.arrays[operand.name].to(device(), array.dtype)
                array.unflatten(0, (-1, small.shape[0])).copy_(small)
    plan(**arguments)
    synchronize()
    for name, index in made.outputs:
        y, exact = arguments[name], expected.exact[index]
        if exact.shape[0] == BATCH:
            expected.compare(name, _worst(y, exact), "")
            continue
        whole = _whole(made, index, times)
        off = float(((y.cpu().double() - whole).abs() / whole.abs().max().clamp(min=1e-3)).max())
        if not off <= OF_SUMS:
            raise DiffersError(f"{name}: the largest relative error is {off:.2g}")


def _worst(y: Any, exact: Any) -> Any:
    """Return for each element of a small result what is the farthest from it."""
    rows = y.unflatten(0, (-1, exact.shape[0]))
    right = exact.to(y.device)
    worst, most = rows[0], (rows[0].double() - right).abs().nan_to_num(math.inf)
    step = max(1, CHUNK // max(1, right.numel()))
    for first in range(0, len(rows), step):
        part = rows[first : first + step]
        off, place = (part.double() - right).abs().nan_to_num(math.inf).max(0)
        worst = torch.where(off > most, part.gather(0, place[None])[0], worst)
        most = torch.maximum(off, most)
    return worst.cpu()


def _whole(made: Made, index: int, times: int) -> Any:
    """Return a result that all examples have in common, which grows by each or stays."""
    plain, found = dict(made.arrays), []
    for count in (1, 2):
        made.arrays = {
            name: x.repeat(count, *[1] * (x.ndim - 1)) if x.shape[0] == BATCH else x
            for name, x in plain.items()
        }
        found.append(made.evaluate()[index])
    made.arrays = plain
    return found[0] + (found[1] - found[0]) * (times - 1)
