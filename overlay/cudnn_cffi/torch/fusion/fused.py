"""A model for inference with as few launches as possible; the model stays as it is."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, overload

import torch
from torch import Tensor, nn
from torch.utils._pytree import tree_leaves

from ... import errors
from ..._support.arguments import boolean
from ..autograd.sharing import is_dynamo
from ..autograd.states import is_transformed
from ..autograd.switches import is_grad_on
from .building import Settings
from .eight import PrecisionReport, to_narrowing
from .pipeline import Pipeline
from .report import Report
from .trace.lock import Untraceable
from .trace.shadow import Watch, Wrapper, check_parameters, to_shadow
from .trace.state import has_global_hooks, run_in_eval
from .trace.tracing import to_form
from .weights import refuse_changes, tell_of_losses

if TYPE_CHECKING:
    from ...choice.policy import Choose
    from .parts import Parts
    from .training.model import FusedTraining

    EightBits = Literal["int8", "float8_e4m3", "float8_e4m3fn"]

#: Classes of models for training, one: it needs what is here, and is put in by the room's front.
trainers: list[type[FusedTraining]] = []


class Fused(Wrapper):
    """A model prepared for inference; see `fuse`.

    Parameters, buffers and `state_dict` are those of the model, and the same memory. It computes
    what the model computes in eval mode.

    Attributes:
        original: the model.
    """

    def _begin(self) -> None:
        own = self.__dict__
        own["training"] = False
        own["_is_new"] = True
        watch = Watch(self.original)
        own["_pipeline"] = Pipeline(to_shadow(self.original), self.settings)
        own["_watch"] = own["_pipeline"].watch = watch  # last, as other threads look at it

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """Compute what the model computes in eval mode.

        Raises:
            NotSupportedError: a gradient for an input would be needed.
        """
        if is_dynamo():
            return self._uncompiled(*args, **kwargs)
        if is_transformed():
            return run_in_eval(self.original, args, kwargs)
        on_device = False
        for each in _leaves((*args, *kwargs.values()) if kwargs else args):
            if isinstance(each, torch.Tensor):
                on_device = on_device or each.is_cuda
                if each.requires_grad and is_grad_on():
                    raise errors.NotSupportedError(
                        "a fused model has no gradients, and an input requires one",
                        hint="call it under torch.no_grad(), or call the model itself",
                    )
        # Memory that is kept is of no use later if it was made in inference mode.
        with torch.inference_mode(False), torch.no_grad():
            if has_global_hooks():
                return run_in_eval(self.original, args, kwargs)
            if self._pipeline.is_lossy():
                self.refresh()
            pipeline = self._pipeline
            if not on_device or self._is_new or pipeline.is_careful():
                self.refresh()
                self.__dict__["_is_new"] = False
                return self._pipeline.run(args, kwargs)
            # The device works while the host looks whether that was right.
            try:
                result = pipeline.run(args, kwargs)
            except Exception:
                if not self._is_other(pipeline):
                    raise
                return self._pipeline.run(args, kwargs)
            return self._pipeline.run(args, kwargs) if self._is_other(pipeline) else result

    def _is_other(self, pipeline: Pipeline) -> bool:
        """Return whether the model changed, also where another thread has prepared it anew."""
        return self.refresh() or pipeline is not self._pipeline

    def refresh(self, *, force: bool = False) -> bool:
        """Prepare anew if the model changed since the last call; calls do this by themselves.

        Args:
            force: whether to do so in any case: after changes of attributes that are no tensors,
                modules or hooks.

        Returns: whether there was a change.

        Raises:
            CudnnError: there was one, and the stream is being captured.
        """
        if not force and not self._has_changed():
            return False
        refuse_changes()
        is_lossy = False
        with self._lock:
            if force or self._has_changed():
                self._pipeline.wait()
                is_lossy = self._pipeline.is_lossy()  # known of all calls now
                self._begin()
        if is_lossy:  # told last, as warnings may be errors
            tell_of_losses(type(self.original).__name__)
        return True

    def _has_changed(self) -> bool:
        if self._pipeline.is_lossy():
            return True
        if not self._watch.changes():
            return False
        own = self._pipeline.own_modules()
        if own <= self._watch.but:
            return True
        # Modules that change themselves are run as they are, so nothing has to be made anew.
        watch = self.__dict__["_watch"] = self._pipeline.watch = self._watch.without(own)
        return bool(watch.changes())

    @property
    def report(self) -> Report:
        """Return how each layer is computed: for the first inputs after the last change.

        Layers are told of once the model was called.
        """
        return Report(self._pipeline.report())

    @property
    def precision(self) -> PrecisionReport:
        """Return the data type of each convolution and linear layer, its loss and its time.

        It is empty without `dtype`, and until the model was called on a GPU.
        """
        narrower = self._pipeline.narrower
        return PrecisionReport(() if narrower is None else narrower.rows)

    def train(self, mode: bool = True) -> Fused:
        """Refuse to train; `train(False)` and `eval()` change nothing.

        Raises:
            NotSupportedError: the mode is True.
        """
        if mode:
            raise errors.NotSupportedError(
                "a fused model cannot be trained: norms are folded into weights",
                hint="fuse(model, training=True), or train the model itself (`fused.original`)",
            )
        return self

    def __repr__(self) -> str:
        rows = self.report
        name = type(self.original).__name__
        return f"Fused {name}\n{rows}" if rows else f"Fused {name}, not called yet"


def _leaves(arguments: Sequence[object]) -> Sequence[object]:
    """Return the arguments, and what tuples, lists and dicts among them have."""
    if all(isinstance(each, (torch.Tensor, int, float)) for each in arguments):
        return arguments
    found: list[object] = tree_leaves(arguments)
    return found


def _parts_of(
    model: nn.Module, made: list[Pipeline], args: Sequence[object], kwargs: Mapping[str, object]
) -> tuple[Parts, list[Tensor]]:
    """Return the parts of a model for arguments of a call, and the tensors of these.

    Raises:
        NotSupportedError: it cannot be traced.
    """
    if not made:
        made.append(Pipeline(to_shadow(model), Settings()))
    try:
        form, tensors = to_form(args, kwargs)
        return made[0].parts(form, tensors), tensors
    except Untraceable as error:
        raise errors.NotSupportedError(
            f"a model with layers of 8 bits has to be traced: {error.message}",
            hint="fuse it without dtype, or its modules one by one",
        ) from error


@overload
def fuse(
    model: nn.Module, *, training: Literal[False] = False, choose: Choose = None,
    capture: bool = False, compile: bool = False, seconds: float = 8.0, shapes: int = 16,
    dtype: EightBits | torch.dtype | None = None,
    calibration: Iterable[Tensor | tuple[object, ...] | Mapping[str, object]] = (),
    loss: float = 0.1,
) -> Fused: ...  # fmt: skip
@overload
def fuse(
    model: nn.Module, *, training: Literal[True], choose: Choose = None, capture: bool = False,
    shapes: int = 16,
) -> FusedTraining: ...  # fmt: skip
def fuse(
    model: nn.Module,
    *,
    training: bool = False,
    choose: Choose = None,
    capture: bool = False,
    compile: bool = False,
    seconds: float = 8.0,
    shapes: int = 16,
    dtype: EightBits | torch.dtype | None = None,
    calibration: Iterable[Tensor | tuple[object, ...] | Mapping[str, object]] = (),
    loss: float = 0.1,
) -> Fused | FusedTraining:
    """Return a model for inference in which neighboring layers are computed at once.

    Norms are folded into convolutions and linear layers before them. A convolution, its bias, an
    addition and a ReLU after it are one plan, with channels last in memory. In transformers, so are
    a linear layer, its bias and an addition. Kernels of this package compute norms, small products
    and moves of elements; in float16 and bfloat16, with channels last, also depthwise convolutions,
    gates, group norms, and batch norms before layers, with activations. Layers that cannot be fused
    run as they are, and `fused.report` names them.

    Each kind of inputs (shapes, data types, stream) is prepared when it first comes. Each call
    folds the weights and statistics anew on the device, so it sees every change of them. In float16
    and bfloat16 a norm is not folded if its bias or filters would need more bits. If they need more
    later, the next call at the latest prepares the model again, and warns if earlier results lost
    digits. On the CPU, PyTorch computes each layer by itself.

    With `training`, the result computes what the model computes in its mode, with gradients. Batch
    norm, an addition and a ReLU are one call forward, and one for the gradients, as are batch norm
    and other activations: by kernels in 16 bits with channels last. The weights of convolutions are
    cast all at once under autocast. `step` computes a step of training.

    Args:
        model: any module; it stays as it is, and shares its tensors.
        training: whether gradients are computed; then `compile` and `seconds` mean nothing.
        choose: how engines are chosen, as for `cudnn_cffi.choice`: "time" for the fastest by
            timing, remembered on disk. By default what scopes, the process, or
            `torch.backends.cudnn.benchmark` say, else what cuDNN's heuristics put first; in 16 bits
            with tensor cores if an engine has them, or cuBLASLt's for large sums with products.
        capture: whether to run all of it as one CUDA graph for each kind of inputs; with
            `training`, the whole step that `FusedTraining.step` returns.
        compile: whether engines may be compiled for a shape, about half a second for each. Then
            other activations than ReLU are fused with convolutions, too.
        seconds: about how long to time candidates for one kind of inputs, where they are timed.
        shapes: for how many kinds of inputs memory and graphs are kept.
        dtype: "float8_e4m3" or "int8" has convolutions and linear layers computed with 8 bits
            where that is faster by timing; `fused.precision` says which, and what is lost. All
            else stays in the data type of the model. Values that are larger than those of the
            calibration are clipped; NaN becomes 0 in INT8. Weights are quantized anew in each call.
        calibration: a few batches that are like later inputs, for the ranges of values: a tensor,
            a tuple or a mapping of arguments for each.
        loss: the largest error of a layer with 8 bits, over the norm of its result.

    Raises:
        ArgumentError: `model` is no module, or cannot be copied, or a setting is not understood;
            there is no batch for a calibration, or its values are not finite; or
            `training` and `dtype` or a calibration were given.
        NotSupportedError: `dtype` was given, and the device has no numbers of that type, or the
            model cannot be traced; or `training`, and there is a `SyncBatchNorm` in the model.
    """
    if not isinstance(model, nn.Module):
        raise errors.ArgumentError(f"model: expected a module, got {model!r}")
    trained = trainers[0]
    if isinstance(model, (Fused, trained)):
        model = model.original
    settings = Settings(choose, capture, compile, seconds, shapes).check()
    check_parameters(model)
    if boolean(training, "training"):
        if dtype is not None or any(True for _ in calibration):
            raise errors.ArgumentError(
                "training=True: expected neither dtype nor calibration", hint="autocast"
            )
        return trained(model, settings)
    if narrow := to_narrowing(model, dtype, calibration, loss, partial(_parts_of, model, [])):
        settings = settings._replace(narrow=narrow)
    return Fused(model, settings)
