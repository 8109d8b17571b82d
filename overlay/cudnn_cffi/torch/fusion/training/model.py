"""A model for training with fewer calls; parameters, buffers and modes are the model's."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from operator import attrgetter
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor, nn
from torch.nn.modules.batchnorm import _NormBase

from .... import errors
from ...._support.recent import Recent
from ....driver.keeping import keep_captured
from ...autograd import switches
from ...autograd.sharing import is_dynamo
from ...autograd.states import is_transformed
from ...model.converting import convert
from ..pipeline import Fragment, Pipeline
from ..report import Report
from ..trace.shadow import Watch, Wrapper, to_shadow
from ..trace.state import REASON, has_global_gradient_hooks, has_global_hooks, original_of
from .rewriting import Program, rewrite
from .step import Step
from .tracing import trace_training

if TYPE_CHECKING:
    from ..building import Settings
    from ..trace.tracing import Form


class TrainingPipeline(Pipeline):
    """Computes what a module computes in training; autograd computes the gradients."""

    def __init__(self, root: nn.Module, settings: Settings, name: str = "") -> None:
        """Prepare nothing yet.

        Args:
            root: the module, whose submodules may be replaced.
            settings: see `fuse`.
            name: of the module, for reports.
        """
        super().__init__(root, settings, name, trace_training)
        self._graphs: dict[object, Program] = Recent(4 * settings.shapes)

    def _run(self, form: Form, tensors: list[Tensor]) -> object:
        # Models may ask for these.
        key = form, switches.is_grad_on(), *switches.autocast_types(), torch.get_default_dtype()
        found = self._graphs.get(key)
        if found is None:
            with self._lock:
                found = self._graphs.get(key)
                if found is None:
                    traced = self._trace(self.root, form)
                    for name in traced.leaves:
                        parent, _, own = name.rpartition(".")
                        self._replace(self.root.get_submodule(parent), own)
                    found = self._graphs[key] = rewrite(traced)
                    self.ran = self.ran or found.ran
        return found(*tensors)

    def _replace(self, parent: nn.Module, name: str) -> None:
        child = parent._modules[name]
        if child is not None and not isinstance(child, (Fragment, torch.jit.ScriptModule)):
            made = _TrainingFragment(child, self.settings, name)
            parent._modules[name] = made
            self._fragments.append(made)

    def _as_it_is(self, args: Sequence[object], kwargs: Mapping[str, object]) -> object:
        if self.is_own:
            return original_of(self.root)(*args, **kwargs)
        return super()._as_it_is(args, kwargs)


class _TrainingFragment(Fragment):
    """Takes the place of a module inside one that is run as it is."""

    def __init__(self, module: nn.Module, settings: Settings, name: str) -> None:
        nn.Module.__init__(self)
        self._stand_for(module, TrainingPipeline(module, settings, name))
        self.__dict__["training"] = module.training


_mode, _momentum = attrgetter("training"), attrgetter("momentum")

#: Hooks that a call of a module's gradient runs, and that a graph of functions would not.
_BACKWARD_HOOKS = ("_backward_hooks", "_backward_pre_hooks")


class FusedTraining(Wrapper):
    """A model prepared for training; see `fuse`.

    Parameters, buffers, modes and `state_dict` are those of the model, and the same memory. In eval
    mode it is the model itself.

    Attributes:
        original: the model.
    """

    def _begin(self) -> None:
        own = self.__dict__
        own["training"] = self.original.training
        _check_norms(self.original)
        watch = Watch(self.original)
        own["_members"] = list(self.original.modules())
        own["_norms"] = [each for each in self._members if isinstance(each, _NormBase)]
        own["_hooks"] = _hooks(self._members)
        own["_pipelines"] = Recent(4)  # by `modes`
        own["_watch"] = watch  # last, as other threads look at it

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """Compute what the model computes, with gradients.

        Raises:
            NotSupportedError: a norm was replaced by a `SyncBatchNorm`.
        """
        if is_dynamo():
            return self._uncompiled(*args, **kwargs)
        if has_global_hooks() or has_global_gradient_hooks() or is_transformed():
            return self.original(*args, **kwargs)
        self.refresh()
        modes = self.modes()
        if True not in modes[0]:
            return self.original(*args, **kwargs)
        pipeline = self._pipelines.get(modes)
        if pipeline is None:
            with self._lock:
                pipeline = self._pipelines.get(modes)
                if pipeline is None:
                    pipeline = self._pipelines[modes] = self._prepared()
        if torch.cuda.is_initialized() and torch.cuda.is_current_stream_capturing():
            # The graph reads its constants.
            keep_captured(torch.cuda.current_stream().cuda_stream, pipeline)
        return pipeline.run(args, kwargs)

    def modes(self) -> tuple[tuple[bool, ...], tuple[object, ...]]:
        """Return the mode of each module, and momenta, which PyTorch's `update_bn` replaces."""
        return tuple(map(_mode, self._members)), tuple(map(_momentum, self._norms))

    def _prepared(self) -> TrainingPipeline:
        shadow = to_shadow(self.original)
        convert(shadow, choose=self.settings.choose, fallback="silent")
        for each in shadow.modules():
            original = original_of(each)
            each.training = original.training
            if any(vars(original).get(name) for name in _BACKWARD_HOOKS):
                vars(each)[REASON] = "its gradients have hooks"
        return TrainingPipeline(shadow, self.settings)

    def refresh(self, *, force: bool = False) -> bool:
        """Prepare anew if the model changed since the last call; calls do this by themselves.

        Args:
            force: whether to do so in any case: after changes of attributes that are no tensors,
                modules, modes or hooks.

        Returns: whether there was a change.

        Raises:
            NotSupportedError: a norm was replaced by a `SyncBatchNorm`.
        """
        if not force and not self._watch.changes() and _hooks(self._members) == self._hooks:
            return False
        with self._lock:
            self._begin()
        return True

    def step(
        self, loss: Callable[..., Tensor], optimizer: torch.optim.Optimizer, *,
        scaler: torch.amp.GradScaler | None = None, clip: float | None = None,
    ) -> Step:  # fmt: skip
        """Return a function that computes a step: the loss, gradients, and what the optimizer does.

        With `capture=True`, the second call with tensors of a kind captures all of it as one CUDA
        graph, which later calls replay. Gradients are set to None at the beginning.

        Args:
            loss: a function of tensors, which calls this model (under autocast, for example) and
                returns the loss, one number.
            optimizer: of the model's parameters.
            scaler: scales the loss, and leaves out steps whose gradients are not finite.
            clip: the norm of all gradients of the optimizer, which larger ones are scaled to.

        Raises:
            ArgumentError: `loss` cannot be called, `optimizer` or `scaler` is none of PyTorch's, or
                `clip` is no number from 0 on.
        """
        capture = self.settings.capture
        return Step(self, loss, optimizer, capture=capture, scaler=scaler, clip=clip)

    @property
    def report(self) -> Report:
        """Return how each layer is computed, in the modes of the last preparation."""
        found = list(self._pipelines.values())
        return Report(found[-1].report() if found else [])

    def train(self, mode: bool = True) -> FusedTraining:
        """Set the mode of the model."""
        self.original.train(mode)
        self.__dict__["training"] = mode
        return self

    def __repr__(self) -> str:
        rows = self.report
        name = f"{type(self.original).__name__} fused for training"
        return f"{name}\n{rows}" if rows else f"{name}, not called yet"


def _hooks(modules: Sequence[nn.Module]) -> list[bool]:
    """Return whether gradients of modules have hooks."""
    return [bool(each._backward_hooks or each._backward_pre_hooks) for each in modules]


def _check_norms(model: nn.Module) -> None:
    """Refuse norms over several processes.

    Raises:
        NotSupportedError: it says which module.
    """
    for name, module in model.named_modules():
        if isinstance(module, nn.SyncBatchNorm):
            raise errors.NotSupportedError(
                f"{name or 'the model'} is a SyncBatchNorm, whose statistics are those of several "
                "processes: cuDNN has no such norm",
                hint="train the model itself, or with BatchNorm2d, whose statistics are those of "
                "one process",
            )
