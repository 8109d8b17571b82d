"""Repeat each layer of a model, and tell which ones compute other bits, by which engine."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from typing import ClassVar

import torch
from torch import Tensor, nn
from torch.utils._pytree import tree_map

from ... import errors
from ..._support.arguments import integers
from ..._support.results import NamedTuple
from ...choice.record_table import Rows
from ..autograd import switches
from ..captures import capture
from .survey import Layer, copy_of, survey
from .trial import THEIRS, Trial, gradient_of, kept_buffers, tensors_of, what_ran

#: Computes tensors of the same bits each time, if what it runs is deterministic.
Run = Callable[[], Sequence[Tensor | None]]


class Repeated(NamedTuple):
    """One computation of a layer, repeated.

    Attributes:
        layer: its name; "" for the whole model.
        kind: its class.
        section: "forward", or "gradient" for all gradients.
        by: "engine 41" and the like, or an algorithm; "PyTorch".
        runs: how often it was executed and replayed; 0 where it could not run.
        executed: the number of runs with other bits than the first one.
        replayed: the number of launches of a CUDA graph of it with other bits than the last run;
            None where it was not captured. A graph of gradients computes their call, too.
        advice: what to set; "" where all bits are equal.
        why: why it could not run, or was not captured; "" where it was.
    """

    layer: str
    kind: str
    section: str
    by: str
    runs: int
    executed: int
    replayed: int | None
    advice: str = ""
    why: str = ""

    @property
    def is_equal(self) -> bool:
        """Return whether it ran, and all runs and replays gave the same bits."""
        return bool(self.runs) and not self.executed and not self.replayed

    def to_dict(self) -> dict[str, object]:
        """Return the fields by name."""
        return self._asdict()


class Reproducibility(Rows[Repeated]):
    """The bits of the layers of a model; prints as a table, in notebooks as HTML."""

    _columns: ClassVar[tuple[str, ...]] = (
        *("layer", "kind", "section", "by", "executed", "replayed", "advice"),
    )

    @staticmethod
    def _cells(record: Repeated) -> tuple[str, ...]:
        return (
            record.layer or "(the model)",
            record.kind,
            record.section,
            record.by,
            f"{record.executed} of {record.runs} differ" if record.runs else "-",
            "-" if record.replayed is None else f"{record.replayed} of {record.runs} differ",
            record.advice or record.why[:60],
        )

    @property
    def differing(self) -> Reproducibility:
        """Return the records of computations whose bits differed, or that could not run."""
        return Reproducibility(each for each in self if not each.is_equal)

    @property
    def is_reproducible(self) -> bool:
        """Return whether every computation ran, and gave the same bits each time."""
        return not self.differing


def reproducible(
    model: nn.Module,
    *inputs: object,
    gradients: bool | None = None,
    kwargs: Mapping[str, object] | None = None,
    runs: int = 20,
) -> Reproducibility:
    """Run each layer of a model several times, and tell whose bits differ and what to set.

    The model is called once, to see what its layers are called with. Then each layer is executed
    `runs` times on the same random numbers, forward and backward, and on a GPU both are launched
    as often as CUDA graphs; the whole model, too, which has what is computed between layers: if
    only its bits differ, those of the innermost module that has the difference are told. Each
    run begins with the same state of PyTorch's random number generators and the same buffers. Where
    bits differ, the layer is run again with deterministic choices, and the advice says whether
    these help. Equal bits do not prove that a computation is deterministic: threads may have added
    in the same order by chance.

    Args:
        model: any module; parameters, buffers and random states stay what they are.
        inputs: what it is called with.
        gradients: whether to run gradients, too; by default if a parameter requires one.
        kwargs: further arguments of the call.
        runs: the number of runs, at least 2.

    Raises:
        ArgumentError: `model` is no module or calls no layer, or `runs` is below 2.
    """
    (count,) = integers(runs=runs)
    if count < 2:
        raise errors.ArgumentError(f"runs: expected at least 2, got {count}")
    layers = survey(model, inputs, kwargs)
    if gradients is None:
        gradients = any(each.requires_grad for each in model.parameters())
    found: list[Repeated] = []
    places = {each.device.index for each in tensors_of([inputs, kwargs]) if each.is_cuda}
    with torch.random.fork_rng(devices=places):
        for layer in layers:
            found += _repeat(layer.name, _OfLayer(layer), gradients, count)
        whole = [*_repeat("", _OfModel(model, inputs, kwargs or {}), gradients, count)]
        told = {each.section for each in found if _differs(each)}
        if left := {each.section for each in whole if _differs(each)} - told:
            found += _between(survey(model, inputs, kwargs, outer=True), left, gradients, count)
    return Reproducibility([*found, *whole])


def _differs(each: Repeated) -> bool:
    return bool(each.executed or each.replayed)


def _between(
    outer: Sequence[Layer], sections: Collection[str], gradients: bool, runs: int
) -> Iterator[Repeated]:
    """Yield records of the innermost modules whose bits differ where those of no layer do."""
    told: list[Repeated] = []
    for layer in outer:
        for each in _repeat(layer.name, _OfLayer(layer), gradients, runs):
            known = any(
                one.section == each.section and f"{one.layer}.".startswith(f"{layer.name}.")
                for one in told
            )
            if _differs(each) and each.section in sections and not known:
                told.append(each)
                yield each


class _OfLayer:
    """A layer on random numbers."""

    def __init__(self, layer: Layer) -> None:
        self.module = layer.module
        self._trial = Trial(layer)
        self.device = self._trial.device

    def forward(self) -> list[Tensor]:
        """Return results of a call, and the buffers after it."""
        with torch.no_grad():
            return [*tensors_of(self._trial.forward_of_copies()), *self.module.buffers()]

    def gradient(self) -> Run | None:
        """Return a function that computes the gradients of a call; None if it has none."""
        return self._trial.gradient()


class _OfModel:
    """A copy of the model, on the inputs of the user."""

    def __init__(
        self, model: nn.Module, inputs: Sequence[object], kwargs: Mapping[str, object]
    ) -> None:
        self.module = copy_of(model)
        self._inputs, self._kwargs = inputs, kwargs
        tensors = tensors_of([inputs, kwargs])
        self.device = next((each.device for each in tensors if each.is_cuda), None)

    def _call(self) -> list[Tensor]:
        def fresh(value: object) -> object:
            if not isinstance(value, Tensor):
                return value
            return value.detach().clone().requires_grad_(value.requires_grad)

        args, kwargs = tree_map(fresh, (tuple(self._inputs), dict(self._kwargs)))
        return tensors_of(self.module(*args, **kwargs))

    def forward(self) -> list[Tensor]:
        """Return results of a call, and the buffers after it."""
        with torch.no_grad():
            return [*self._call(), *self.module.buffers()]

    def gradient(self) -> Run | None:
        """Return a function that computes the gradients of a call; None if it has none."""
        with torch.enable_grad():
            results = [each for each in self._call() if each.requires_grad]
        sources = [each for each in self.module.parameters() if each.requires_grad]
        return gradient_of(results, sources)


def _repeat(
    name: str, subject: _OfLayer | _OfModel, gradients: bool, runs: int
) -> Iterator[Repeated]:
    """Yield the record of each section of a layer or of the model."""
    kind = type(subject.module).__name__
    for section in ("forward", "gradient") if gradients else ("forward",):
        try:
            found = _repeat_section(subject, section, runs)
        except Exception as error:
            why = errors.first_line(error)
            yield Repeated(name, kind, section, THEIRS, 0, 0, None, why=why)
            continue
        if found is None:
            continue  # it has no gradient
        by, executed, replayed, why = found
        advice = ""
        if executed or replayed:
            advice = _advise(subject, section, by, executed, runs)
        yield Repeated(name, kind, section, by, runs, executed, replayed, advice, why)


def _repeat_section(
    subject: _OfLayer | _OfModel, section: str, runs: int, *, captured: bool = True
) -> tuple[str, int, int | None, str] | None:
    """Return by what a section is computed, the runs and replays with other bits, and why not.

    None where the layer has no gradient.
    """
    is_forward = section == "forward"
    with _states(subject.device) as reset, kept_buffers(subject.module):
        found = _execute(subject, is_forward, reset, runs)
        if found is None:
            return None
        by, executed = found
        if subject.device is None or not captured:
            return by, executed, None, ""
        # A gradient runs on the stream of its call, which has to be that of the capture.
        whole: Run = subject.forward if is_forward else lambda: _gradient_again(subject)
        last: list[Tensor] = []

        def again() -> None:
            with kept_buffers(subject.module):
                last[:] = [each.detach().clone() for each in whole() if each is not None]

        if _draws(subject.device, reset, again):
            return by, executed, None, "not captured: each replay draws other random numbers"
        try:
            replayed = _replay(whole, subject.module, subject.device, last, runs)
        except Exception as error:
            why = f"not captured: {errors.first_line(error)}"
            return by, executed, None, why
        return by, executed, replayed, ""


def _execute(
    subject: _OfLayer | _OfModel, is_forward: bool, reset: Callable[[], None], runs: int
) -> tuple[str, int] | None:
    """Return by what a section is computed, and the runs with other bits; None without a gradient.

    The call whose gradient is computed ends here: PyTorch computes gradients of parameters on the
    stream of the first call that is still held.
    """
    run: Run | None = subject.forward if is_forward else subject.gradient()
    if run is None:
        return None
    ran: list[list[Tensor]] = []

    def once() -> list[Tensor]:
        reset()
        # Gradients read the buffers that their call saw.
        with kept_buffers(subject.module) if is_forward else nullcontext():
            return [each.detach().clone() for each in run() if each is not None]

    by, _ = what_ran(lambda: ran.append(once()))
    (first,) = ran
    return by, sum(not _are_same(first, once()) for _ in range(runs - 1))


def _gradient_again(subject: _OfLayer | _OfModel) -> Sequence[Tensor | None]:
    """Call the layer or model, and compute the gradients of the call."""
    run = subject.gradient()
    assert run is not None
    return run()


@contextmanager
def _states(device: torch.device | None) -> Iterator[Callable[[], None]]:
    """Give what sets the random number generators back; they are so after the block, too."""
    host = torch.get_rng_state()
    own = None if device is None else torch.cuda.get_rng_state(device)

    def reset() -> None:
        torch.set_rng_state(host)
        if own is not None and device is not None:
            torch.cuda.set_rng_state(own, device)

    try:
        yield reset
    finally:
        reset()


def _draws(device: torch.device, reset: Callable[[], None], run: Callable[[], object]) -> bool:
    """Return whether a run draws random numbers on the device."""
    reset()
    before = torch.cuda.get_rng_state(device)
    run()
    return not torch.equal(before, torch.cuda.get_rng_state(device))


def _are_same(first: Sequence[Tensor], second: Sequence[Tensor]) -> bool:
    """Return whether all bits are equal, of NaN and of zeros, too."""
    return len(first) == len(second) and all(
        torch.equal(_bits(a), _bits(b)) for a, b in zip(first, second, strict=True)
    )


def _bits(tensor: Tensor) -> Tensor:
    # The stride of one element may be any; a copy has 1.
    return tensor.flatten().clone(memory_format=torch.contiguous_format).view(torch.uint8)


def _replay(
    run: Run, module: nn.Module, device: torch.device, wanted: Sequence[Tensor], runs: int
) -> int:
    """Return how many launches of a CUDA graph of `run` have other bits than one run."""
    with torch.cuda.device(device):
        side = torch.cuda.Stream()
        side.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(side):
            for _ in range(3):
                with kept_buffers(module):
                    run()
        torch.cuda.current_stream().wait_stream(side)
        with kept_buffers(module), capture(device) as graph:
            results = [each.clone() for each in run() if each is not None]
        other = 0
        for _ in range(runs):
            with kept_buffers(module):
                graph.replay()
                other += not _are_same(wanted, results)
        return other


def _advise(subject: _OfLayer | _OfModel, section: str, by: str, executed: int, runs: int) -> str:
    """Return what makes a layer compute the same bits, tried where it can be."""
    if not executed:
        return "executed, it gives the same bits: do not capture it, or choose another engine"
    forced = getattr(subject.module, "choose", None)
    if forced is not None:
        return f"set choose to 'deterministic': it is {str(forced)!r}"
    if by == THEIRS:
        words = "torch.use_deterministic_algorithms(True)"
    else:
        words = "cudnn_cffi.deterministic = True"
    try:
        with switches.deterministic:
            found = _repeat_section(subject, section, runs, captured=False)
    except Exception as error:
        return f"{words} refuses it: {errors.first_line(error)}"
    if found is not None and not found[1]:
        return f"{words}: its bits were equal in {runs} runs"
    return f"{words} does not help"
