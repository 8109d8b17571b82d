"""Graphs for inference: fused for the weights that calls bring, and for each kind of inputs."""

from __future__ import annotations

import weakref
from typing import TYPE_CHECKING, Any, cast

import torch
from torch import Tensor, nn
from torch._subclasses.fake_tensor import FakeTensor

from ... import errors
from ..._support import fork
from ..fusion.pipeline import Pipeline
from ..fusion.weights import refuse_changes, tell_of_losses
from .lifting import Bound, Source

if TYPE_CHECKING:
    from ..fusion.report import Ran
    from ..fusion.trace.tracing import Form, Traced
    from .options import Options

#: For how many models, or states of one, a graph is kept prepared.
_MOST = 4

#: The layers that `fallback="error"` keeps from PyTorch, as the rows of a report call them.
_CONVOLUTIONS = ("Conv1d", "Conv2d", "Conv3d")


class Inference:
    """A graph of Dynamo's that is fused.

    Weights are told by their memory, since one graph serves all models of a class, and parameters
    may be replaced. Plans and folded weights are kept until the first of the weights is freed.
    """

    def __init__(self, source: Source, options: Options) -> None:
        self.source = source
        self.options = options
        self._lock = fork.lock()
        self._bound: dict[tuple[int, ...], Pipeline] = {}

    def __call__(self, *args: Any) -> Any:
        """Return what the graph computes."""
        weights = [args[place] for place in self.source.weights]
        if isinstance(weights[0], FakeTensor):
            return self.source.module(*args)
        rest = [args[place].item() if box else args[place] for place, box in self.source.rest]
        # Memory that is kept is of no use later if it was made in inference mode.
        with torch.inference_mode(False), torch.no_grad():
            key = tuple([each.data_ptr() for each in weights])
            pipeline = self._bound.get(key)
            if pipeline is not None and pipeline.is_lossy():
                refuse_changes()
                pipeline.wait()
                self._bound.pop(key, None)
                tell_of_losses("graph")  # last, as warnings may be errors
                pipeline = None
            if pipeline is None:
                pipeline = self._bind(key, weights)
            result = pipeline.run(rest, {})
        if self.options.fallback == "error":
            _check(pipeline.report())
        return result

    def _bind(self, key: tuple[int, ...], weights: list[Tensor]) -> Pipeline:
        """Prepare for other weights."""
        with self._lock:
            found = self._bound.get(key)
            if found is not None:
                return found
            is_lossy = False
            while len(self._bound) >= _MOST:
                oldest, pipeline = next(iter(self._bound.items()))
                pipeline.wait()
                is_lossy = pipeline.is_lossy() or is_lossy  # known of all calls now
                self._bound.pop(oldest, None)
            bound = Bound(self.source, weights)
            made = Pipeline(bound, self.options.settings, "(the graph)", trace=_trace)
            self._bound[key] = made
        weakref.finalize(weights[0], _drop, weakref.ref(self), key).atexit = False
        if is_lossy:
            tell_of_losses("graph")
        return made

    def ran(self) -> list[Ran]:
        """Return how each part is computed, as far as it was called."""
        latest = list(self._bound.values())[-1:]
        return [row for each in latest for row in each.report()]


def _drop(graph: weakref.ref[Inference], key: tuple[int, ...]) -> None:
    found = graph()
    if found is not None:
        found._bound.pop(key, None)


def _trace(root: nn.Module, form: Form) -> Traced:
    return cast("Bound", root).trace(form.positional)[0]


def _check(rows: list[Ran]) -> None:
    """Refuse that PyTorch computes convolutions, which were to be cuDNN's."""
    for each in rows:
        if each.by in ("torch", "as it is") and each.what.startswith(_CONVOLUTIONS):
            raise errors.NotSupportedError(
                f"{each.name} ({each.what}): {each.why or 'it is not on a GPU'}",
                hint='fallback="warn" lets PyTorch compute it',
            )
