"""Executing plans of drawn graphs: on poison, in turns, captured, on two streams, against float64."""

from __future__ import annotations

import functools
import gc
import math
from collections.abc import Sequence
from functools import partial
from typing import Any

import torch

from .exact import Exact
from .judge import DiffersError, compare
from .values import device, is_lost, synchronize

__all__ = ["MEMORY", "Expected", "Run", "expected_of", "tried"]

#: The types of memory, by the names of data types.
MEMORY = {
    "FLOAT": torch.float32,
    "HALF": torch.float16,
    "BFLOAT16": torch.bfloat16,
    "INT32": torch.int32,
    "INT8": torch.int8,
    "UINT8": torch.uint8,
    "FP8_E4M3": torch.float8_e4m3fn,
    "FP8_E5M2": torch.float8_e5m2,
}

#: Elements before and after what a plan may write, and bytes so around its workspace.
GUARD = 64

#: The contents of outputs before a call, and of whole numbers.
POISON, OF_WHOLE = math.nan, 77

#: Executions in a row of each plan that takes turns, and turns: the later ones are replayed.
IN_A_ROW, TURNS = 2, 3


class Expected:
    """The results of a drawn graph in float64, and by how much rounding moves them.

    Args:
        made: the graph.
        tf32: whether engines may round factors of FLOAT to TF32.
    """

    def __init__(self, made: Any, tf32: bool = True) -> None:
        torch.manual_seed(made.draw.number("nudges"))
        self.made, self.size = made, made.size
        narrow = 2.0**-8 if made.kind == "BFLOAT16" else 2.0**-11
        if made.kind == "FLOAT" and not tf32:
            narrow = 2.0**-22
        self._unit = max(narrow, 2.0**-22) if made.kind == "FLOAT" else 2.0**-11
        self.exact = made.evaluate()
        self._moved = [made.evaluate(2.0**-22, narrow) for _ in range(3)]
        # Tensor cores take the upper bits of FLOAT for TF32.
        self._moved.append(made.evaluate(cuts=2.0 ** (-10 if tf32 else -23)))
        self._flushed = made.evaluate(flushes=True) if made.is_small else None
        self._overflown = _overflown(made, self.exact)

    def compare(self, name: str, result: Any, call: str, _results: Any = None) -> None:
        """Judge a result.

        Raises:
            DiffersError: it is wrong.
        """
        index = dict(self.made.outputs)[name]
        unknown = self.made.values[index].unknown

        def known(x: Any) -> Any:
            return x if unknown is None else x.where(~unknown, 0)

        exact, result = known(self.exact[index]), known(result)
        moved = (known(each[index]) for each in self._moved)
        nudged = max(moved, key=partial(_distance, exact))
        flushed = None if self._flushed is None else known(self._flushed[index])
        if result.is_floating_point():
            # A window of -inf has the lowest number of its type, or of what it is converted to.
            is_lowest = exact == torch.finfo(MEMORY[self.made.kind]).min
            is_lowest &= result <= torch.finfo(result.dtype).min
            result = result.where(~is_lowest, exact.to(result.dtype))
        if self._overflown is not None:
            counts = result.isfinite() | self._overflown[index].isfinite()
            result = result.where(counts, exact.to(result.dtype))
        compare(
            f"{name}{call}", result, None, exact, nudged, self.size, self._unit, flushed=flushed
        )  # fmt: skip


def _overflown(made: Any, exact: list[Any]) -> list[Any] | None:
    """Return the values where those that products read have the inputs' type, as they do.

    None if that type has them all.
    """
    most = torch.finfo(MEMORY[made.kind]).max
    read = {i for each in made.values for i in each.reads if made.values[i].evaluate is not None}
    if not any(bool((exact[each].double().abs() > most).any()) for each in read):
        return None
    found: list[Any] = made.evaluate(most=most)
    return found


def _distance(one: Any, other: Any) -> float:
    return float((one - other).abs().nan_to_num(0, 0, 0).max()) if one.numel() else 0.0


class Run:
    """A plan, with memory of its own for all that it reads and writes.

    Attributes:
        plan: of the package.
        expected: what it has to compute.
        odd: the first call that had other bits than the one before it; "" for none.
    """

    def __init__(self, expected: Expected | Exact, plan: Any) -> None:
        self.expected, self.plan, self.odd = expected, plan, ""
        self._arguments: dict[str, Any] = {}
        self._inputs: list[tuple[Any, Any]] = []
        self._outputs: dict[str, tuple[Any, Any]] = {}
        self._first: dict[str, Any] = {}
        for operand in plan.operands:
            if not operand.is_argument:
                continue
            if operand.by_value:
                self._arguments[operand.name] = expected.made.numbers[operand.name]
                continue
            whole, array = _memory(operand)
            if operand.role == "output":
                self._outputs[operand.name] = whole, array
            else:
                _fill(array, expected.made.arrays[operand.name])
                self._inputs.append((whole, whole.clone()))
            self._arguments[operand.name] = array
        size = max(plan.workspace_size, 1)
        self._space = torch.empty(size + 512, dtype=torch.uint8, device=device())
        self._workspace = self._space[256:][:size]

    def twin(self) -> Run:
        """Return another with memory of its own, which has to have the same bits."""
        found = Run(self.expected, self.plan)
        found._first = self._first
        return found

    def poison(self, value: float = POISON) -> None:
        """Fill outputs and workspace."""
        for whole, _ in self._outputs.values():
            _spoil(whole, value)
        self._space.fill_(255)

    def start(self) -> None:
        """Call the plan."""
        self.plan(**self._arguments, workspace=self._workspace)

    def judge(self, call: str = "") -> None:
        """Compare what a call wrote; memory beside it is looked at by the device, all at once.

        Raises:
            DiffersError: a result is wrong, or memory beside results or workspace was written.
        """
        kept: dict[str, Any] = {}
        results = {name: self._outputs[name][1].cpu() for name, _ in self.expected.made.outputs}
        for name, result in results.items():
            whole, array = self._outputs[name]
            bits = result.flatten().clone(memory_format=torch.contiguous_format).view(torch.uint8)
            known = self._first.get(name)
            if known is None or not torch.equal(known, bits):
                self.expected.compare(name, result, call, results)
                if known is not None:
                    self.odd = self.odd or call.strip()
                self._first.setdefault(name, bits)
            _spoil(array)
            kept[f"{name}{call}: memory beside its elements was written"] = _is_spoilt(whole)
        same = [(a.view(torch.uint8) == b.view(torch.uint8)).all() for a, b in self._inputs]
        kept[f"inputs{call}: the plan changed them"] = torch.stack(same).all()
        size = self._workspace.numel()
        around = (self._space[:256] == 255) & (self._space[256 + size :] == 255)
        kept[f"workspace{call}: memory beside it was written"] = around.all()
        for words, is_kept in zip(kept, torch.stack(list(kept.values())).tolist(), strict=True):
            if not is_kept:
                raise DiffersError(words)

    def call(self, words: str = "") -> None:
        """Call the plan on poison, and compare."""
        self.poison()
        self.start()
        synchronize()
        self.judge(words)

    def is_unwritten(self) -> bool:
        """Return whether results have what was in memory before."""
        for value in (POISON, 3.0):
            self.poison(value)
            self.start()
            synchronize()
            if not all(
                bool((array.isnan() if math.isnan(value) else array == value).any())
                for _, array in self._outputs.values()
            ):
                return False
        return bool(self._outputs)


def tried(runs: Sequence[Run]) -> tuple[str, str]:
    """Run plans in all ways; return what differs, and the kind of erratum that it is."""
    from cudnn_cffi import errors

    step: Any = turns
    try:
        turns(runs)
        if torch.cuda.is_available():
            for step in (captured, on_two_streams):
                step(runs[0])
    except (DiffersError, errors.CudnnError, RuntimeError) as error:
        text = (str(error).splitlines() or [""])[0][:200]
        if is_lost():
            return f"{step.__name__}: {text}", "context lost"
        if isinstance(error, DiffersError):
            return str(error), _kind_of(runs[0], str(error))
        kind = "not capturable" if step is captured else "fails"
        return f"{step.__name__}: {type(error).__name__}: {text}", kind
    return "", ""


def _kind_of(run: Run, text: str) -> str:
    """Return the kind of erratum of a wrong result."""
    from cudnn_cffi import errors

    if ": nan, exact" not in text:
        return "wrong numbers"
    try:
        return "unwritten results" if run.is_unwritten() else "NaN"
    except errors.CudnnError:
        return "NaN"


def turns(runs: Sequence[Run], count: int = TURNS) -> None:
    """Call plans in turns, each twice in a row, until their calls are replayed."""
    number = 0
    for _ in range(count):
        for _ in range(IN_A_ROW):
            number += 1
            runs[0].call(f" of call {number}" if number > 1 else "")
        for each in runs[1:]:
            for _ in range(IN_A_ROW):
                each.call(f" of another size, before call {number + 1}")


def captured(run: Run) -> None:
    """Capture a call in a CUDA graph, and launch it."""
    graph, stream = torch.cuda.CUDAGraph(), _streams()[0]
    stream.wait_stream(torch.cuda.current_stream())
    gc.disable()  # neither garbage of others nor calls of other threads end the capture
    with torch.cuda.stream(stream):
        graph.capture_begin(capture_error_mode="thread_local")
        try:
            run.start()
        finally:
            graph.capture_end()
            gc.enable()
    for number in range(2):
        run.poison()
        graph.replay()
        synchronize()
        run.judge(f" of launch {number + 1} of a captured call")


def on_two_streams(run: Run) -> None:
    """Call a plan on two streams at once, with memory of its own on each."""
    twin = run.twin()
    for number in range(2):
        run.poison()
        twin.poison()
        synchronize()
        for each, stream in zip((run, twin), _streams(), strict=True):
            with torch.cuda.stream(stream):
                each.start()
        synchronize()
        run.judge(f" of call {number + 1} beside another stream")
        twin.judge(f" of call {number + 1} on another stream")
    run.odd = run.odd or twin.odd


@functools.cache
def _streams() -> tuple[Any, Any]:
    return torch.cuda.Stream(), torch.cuda.Stream()


def expected_of(made: Any, tf32: bool = True) -> Expected | Exact:
    """Return what a drawn graph has to compute; see `Expected`."""
    return Exact(made) if made.family.eight else Expected(made, tf32)


def _spoil(memory: Any, value: float = POISON) -> None:
    """Fill memory with what is no result."""
    memory.fill_(value if memory.dtype.is_floating_point else OF_WHOLE)


def _is_spoilt(memory: Any) -> Any:
    """Return whether nothing was written, as a tensor."""
    if memory.dtype.is_floating_point:
        return memory.float().isnan().all()
    return (memory == OF_WHOLE).all()


def _memory(operand: Any) -> tuple[Any, Any]:
    """Return memory full of poison, and in it an array as an operand wants it."""
    end = 1 + sum((n - 1) * step for n, step in zip(operand.shape, operand.strides, strict=True))
    kind = MEMORY[operand.data_type]
    alignment = getattr(operand, "alignment", 16)
    first = alignment // kind.itemsize if alignment < 16 else 0
    whole = torch.empty((first + end + GUARD,), dtype=kind, device=device())
    _spoil(whole)
    return whole, whole.as_strided(operand.shape, operand.strides, first)


def _fill(array: Any, values: Any) -> None:
    """Write values; those of repeated elements are equal."""
    places = tuple(slice(0, 1) if not step else slice(None) for step in array.stride())
    array[places].copy_(values[places])
