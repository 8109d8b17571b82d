"""Normalizations, forward and backward, and what batch normalization is made of."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, Unpack

from ... import errors
from ..record.enum_words import enumerator
from ..record.operations import OPERATIONS
from ..tensors import Tensor
from .pointwise import Operand, Settings
from .resampling import Resampling

_FORWARD = OPERATIONS["norm_forward"]
_BACKWARD = OPERATIONS["norm_backward"]
_GEN_STATS = OPERATIONS["gen_stats"]
_FINALIZE = OPERATIONS["bn_finalize"]
_WEIGHTS = OPERATIONS["bn_bwd_weights"]

_PHASES = {"inference": "INFERENCE", "training": "TRAINING"}
_RUNNING = ("running_mean", "running_variance", "momentum")


class NormResults(NamedTuple):
    """What a normalization computes in training; None where it computes none of that.

    Attributes:
        y: the normalized input.
        mean: of what was normalized together; RMS norm has none.
        inv_variance: 1 / sqrt(variance + epsilon).
        running_mean, running_variance: the running statistics after this batch.
    """

    y: Tensor
    mean: Tensor | None
    inv_variance: Tensor | None
    running_mean: Tensor | None = None
    running_variance: Tensor | None = None


class NormGradients(NamedTuple):
    """The gradients of a normalization; None for arguments that it does not take.

    Attributes:
        dx: of the input.
        dscale: of the scale.
        dbias: of the bias.
    """

    dx: Tensor
    dscale: Tensor | None
    dbias: Tensor | None


class FinalizedStatistics(NamedTuple):
    """What `bn_finalize` computes; None where it was not asked to.

    Attributes:
        eq_scale, eq_bias: normalizing is eq_scale * x + eq_bias.
        mean: of the batch.
        inv_std: 1 / sqrt(variance + epsilon) of the batch.
        running_mean, running_variance: the running statistics after this batch.
    """

    eq_scale: Tensor
    eq_bias: Tensor
    mean: Tensor | None = None
    inv_std: Tensor | None = None
    running_mean: Tensor | None = None
    running_variance: Tensor | None = None


class BatchNormWeights(NamedTuple):
    """What `bn_bwd_weights` computes.

    Attributes:
        dscale, dbias: the gradients of scale and bias.
        eq_dy_scale, eq_x_scale, eq_bias: the gradient of the input is
            eq_dy_scale * dy + eq_x_scale * x + eq_bias.
    """

    dscale: Tensor
    dbias: Tensor
    eq_dy_scale: Tensor
    eq_x_scale: Tensor
    eq_bias: Tensor


class Norms(Resampling):
    """Normalizations."""

    def norm_forward(
        self,
        mode: Any,
        phase: Any,
        x: Tensor,
        *,
        scale: Tensor | None = None,
        bias: Tensor | None = None,
        epsilon: Operand | None = 1e-5,
        mean: Tensor | None = None,
        inv_variance: Tensor | None = None,
        running_mean: Tensor | None = None,
        running_variance: Tensor | None = None,
        momentum: Operand | None = None,
        peer_statistics: Sequence[Tensor] = (),
        **settings: Unpack[Settings],
    ) -> NormResults:
        """Add a normalization of any mode; `layer_norm` and others are shorter.

        Args:
            mode: LAYER_NORM, RMS_NORM, BATCH_NORM, INSTANCE_NORM, ADA_LAYER_NORM or GROUP_NORM: a
                member of cuDNN's enum of norm modes, or its name.
            phase: TRAINING, which returns statistics, or INFERENCE, which does not.
            x: the input.
            scale, bias: what the normalized input is multiplied by, and what is added. Of layer and
                RMS norms, the extents that are not 1 are normalized together.
            epsilon: added to the variance: a number, or a tensor passed by value.
            mean, inv_variance: statistics, for inference of modes that keep them.
            running_mean, running_variance: statistics of former batches, with `momentum`.
            momentum: the weight of this batch in them.
            peer_statistics: tensors with statistics of other devices, for batch norm over several.
            settings: see `Settings`; they are for `y`.
        """
        self._check_tensors("norm_forward", x=x)
        mode = enumerator(mode, "")
        phase = _phase(phase)
        rank = len(x.shape)
        given = {
            **{"x": x, "scale": scale, "bias": bias, "epsilon": epsilon, "mean": mean},
            **{"inv_variance": inv_variance, "momentum": momentum},
            **{"running_mean": running_mean, "running_variance": running_variance},
        }
        inputs = {
            port: self._operand(each, f"{mode} {port}", rank)
            for port, each in given.items()
            if each is not None
        }
        inputs |= {f"peer_statistics{i}": each for i, each in enumerate(peer_statistics)}
        results = ["y"]
        missing = [name for name in _RUNNING if given[name] is None]
        if missing and len(missing) < len(_RUNNING):
            raise errors.ArgumentError(f"{mode}: running statistics need {missing[0]} as well")
        if phase == "TRAINING":
            for port in ("mean", "inv_variance"):
                if port in inputs:
                    raise errors.ArgumentError(f"{mode}: training computes {port}, and takes none")
            results += [] if mode == "RMS_NORM" else ["mean_out"]
            results += ["inv_variance_out"]
            if not missing:
                results += ["running_mean_out", "running_variance_out"]
        options = {"mode": mode, "phase": phase}
        node = self._with_settings(_FORWARD, inputs, options, results, settings)
        get = node.outputs.get
        return NormResults(
            node.outputs["y"],
            get("mean_out"),
            get("inv_variance_out"),
            get("running_mean_out"),
            get("running_variance_out"),
        )

    def layer_norm(
        self,
        x: Tensor,
        scale: Tensor,
        bias: Tensor | None = None,
        *,
        epsilon: Operand = 1e-5,
        phase: Any = "training",
        **settings: Unpack[Settings],
    ) -> NormResults:
        """Add a layer normalization: over the extents that `scale` has and that are not 1.

        Args:
            x: the input.
            scale, bias: (1, ...) with the extents of what is normalized together; without `bias`
                none is added.
            epsilon: added to the variance.
            phase: "training", which returns mean and inverse deviation as well, or "inference".
            settings: see `Settings`.
        """
        return self.norm_forward(
            "LAYER_NORM", phase, x, scale=scale, bias=bias, epsilon=epsilon, **settings
        )

    def ada_layer_norm(
        self,
        x: Tensor,
        scale: Tensor,
        bias: Tensor | None = None,
        *,
        epsilon: Operand = 1e-5,
        phase: Any = "training",
        **settings: Unpack[Settings],
    ) -> NormResults:
        """Add a layer normalization with a scale and a bias for each batch entry.

        Args:
            x: the input.
            scale, bias: the extents of what is normalized together, with the batch of `x`.
            epsilon, phase, settings: as for `layer_norm`.
        """
        return self.norm_forward(
            "ADA_LAYER_NORM", phase, x, scale=scale, bias=bias, epsilon=epsilon, **settings
        )

    def rms_norm(
        self,
        x: Tensor,
        scale: Tensor,
        bias: Tensor | None = None,
        *,
        epsilon: Operand = 1e-5,
        phase: Any = "training",
        **settings: Unpack[Settings],
    ) -> NormResults:
        """Add a normalization by the root of the mean square: x / sqrt(mean(x * x) + epsilon).

        Args:
            x, scale, bias, epsilon, settings: as for `layer_norm`.
            phase: "training", which returns the inverse root as well, or "inference".
        """
        return self.norm_forward(
            "RMS_NORM", phase, x, scale=scale, bias=bias, epsilon=epsilon, **settings
        )

    def instance_norm(
        self,
        x: Tensor,
        scale: Tensor,
        bias: Tensor | None = None,
        *,
        epsilon: Operand = 1e-5,
        phase: Any = "training",
        **settings: Unpack[Settings],
    ) -> NormResults:
        """Add an instance normalization: over the spatial dimensions.

        Args:
            x: the input, (N, C, ...).
            scale, bias: (1, C, 1, ...).
            epsilon, phase, settings: as for `layer_norm`.
        """
        return self.norm_forward(
            "INSTANCE_NORM", phase, x, scale=scale, bias=bias, epsilon=epsilon, **settings
        )

    def batch_norm(
        self,
        x: Tensor,
        scale: Tensor,
        bias: Tensor,
        *,
        epsilon: Operand = 1e-5,
        running_mean: Tensor | None = None,
        running_variance: Tensor | None = None,
        momentum: Operand | None = None,
        peer_statistics: Sequence[Tensor] = (),
        **settings: Unpack[Settings],
    ) -> NormResults:
        """Add a batch normalization in training: over all dimensions but the channels.

        Args:
            x: the input, (N, C, ...).
            scale, bias: (1, C, 1, ...).
            epsilon: added to the variance.
            running_mean, running_variance: statistics of former batches; with them, those after
                this batch are returned as well.
            momentum: the weight of this batch in the running statistics.
            peer_statistics: tensors with the statistics of other devices.
            settings: see `Settings`.
        """
        return self.norm_forward(
            "BATCH_NORM",
            "TRAINING",
            x,
            scale=scale,
            bias=bias,
            epsilon=epsilon,
            running_mean=running_mean,
            running_variance=running_variance,
            momentum=momentum,
            peer_statistics=peer_statistics,
            **settings,
        )

    def batch_norm_inference(
        self,
        x: Tensor,
        mean: Tensor,
        inv_variance: Tensor,
        scale: Tensor,
        bias: Tensor,
        **settings: Unpack[Settings],
    ) -> Tensor:
        """Return `(x - mean) * inv_variance * scale + bias`, as four pointwise nodes.

        Before `relu_backward` and `norm_backward`, engines want it as one node:
        `norm_forward("BATCH_NORM", "INFERENCE", ...)`.

        Args:
            x: the input, (N, C, ...).
            mean, inv_variance: the statistics, (1, C, 1, ...): inv_variance is
                1 / sqrt(variance + epsilon).
            scale, bias: (1, C, 1, ...).
            settings: see `Settings`.
        """
        centred = self.pointwise("MUL", self.pointwise("SUB", x, mean), inv_variance)
        return self.pointwise("ADD", self.pointwise("MUL", centred, scale), bias, **settings)

    def norm_backward(
        self,
        mode: Any,
        dy: Tensor,
        x: Tensor,
        scale: Tensor,
        mean: Tensor | None,
        inv_variance: Tensor,
        *,
        bias: bool | None = None,
        epsilon: Operand | None = None,
        peer_statistics: Sequence[Tensor] = (),
        **settings: Unpack[Settings],
    ) -> NormGradients:
        """Add the gradients of a normalization.

        Args:
            mode: that of the forward operation, or "layer", "rms", "batch", "instance".
            dy: the gradient of the result.
            x: the input of the forward operation.
            scale: its scale.
            mean, inv_variance: the statistics that it returned; RMS norm has no mean.
            bias: whether to compute the gradient of a bias; all modes but RMS norm do by default.
            epsilon: that of the forward operation, where an engine wants it.
            peer_statistics: tensors with statistics of other devices.
            settings: see `Settings`; they are for `dx`.
        """
        self._check_tensors("norm_backward", dy=dy, x=x)
        mode = enumerator(mode, "")
        mode = mode if mode.endswith("_NORM") else f"{mode}_NORM"
        given = {"dy": dy, "x": x, "scale": scale, "mean": mean, "inv_variance": inv_variance}
        inputs = {port: each for port, each in given.items() if each is not None}
        if epsilon is not None:
            inputs["epsilon"] = self._operand(epsilon, f"{mode} epsilon", len(x.shape))
        inputs |= {f"peer_statistics{i}": each for i, each in enumerate(peer_statistics)}
        results = ["dx", "dscale"]
        if bias if bias is not None else mode != "RMS_NORM":
            results.append("dbias")
        node = self._with_settings(_BACKWARD, inputs, {"mode": mode}, results, settings)
        get = node.outputs.get
        return NormGradients(node.outputs["dx"], get("dscale"), get("dbias"))

    # What batch normalization is made of, for fusing its parts with neighbours

    def gen_stats(self, x: Tensor, **settings: Unpack[Settings]) -> tuple[Tensor, Tensor]:
        """Return the sums of a tensor and of its squares for each channel, (1, C, 1, ...)."""
        self._check_tensors("gen_stats", x=x)
        results = ("sum", "square_sum")
        node = self._with_settings(_GEN_STATS, {"x": x}, {"mode": "SUM_SQSUM"}, results, settings)
        return node.outputs["sum"], node.outputs["square_sum"]

    def bn_finalize(
        self,
        scale: Tensor,
        bias: Tensor,
        *,
        sum: Tensor | None = None,
        square_sum: Tensor | None = None,
        count: Operand | None = None,
        running_mean: Tensor | None = None,
        running_variance: Tensor | None = None,
        momentum: Operand | None = None,
        epsilon: Operand = 1e-5,
        phase: Any = "training",
        **settings: Unpack[Settings],
    ) -> FinalizedStatistics:
        """Turn the sums of `gen_stats` into what normalizes, and update running statistics.

        Args:
            scale, bias: those of the batch norm, (1, C, 1, ...).
            sum, square_sum: of `gen_stats`; in training.
            count: how many elements each sum is of; an INT64 by value.
            running_mean, running_variance: statistics of former batches.
            momentum: the weight of this batch in them.
            epsilon: added to the variance.
            phase: "training", or "inference", which uses the running statistics alone.
            settings: see `Settings`.
        """
        phase = _phase(phase)
        self._check_tensors("bn_finalize", scale=scale, bias=bias)
        rank = len(scale.shape)
        given = {
            **{"sum": sum, "square_sum": square_sum, "scale": scale, "bias": bias},
            **{"running_mean": running_mean, "running_variance": running_variance},
            **{"epsilon": epsilon, "count": count, "momentum": momentum},
        }
        inputs = {
            port: self._operand(
                each, f"bn_finalize {port}", rank, "INT64" if port == "count" else None
            )
            for port, each in given.items()
            if each is not None
        }
        results = ["eq_scale", "eq_bias"]
        if phase == "TRAINING":
            missing = [port for port, each in given.items() if each is None]
            if missing:
                raise errors.ArgumentError(f"bn_finalize: training needs {missing[0]} as well")
            results += ["mean", "inv_std", "running_mean_out", "running_variance_out"]
        options = {"mode": phase}
        node = self._with_settings(_FINALIZE, inputs, options, results, settings)
        return FinalizedStatistics(*node.outputs.values())

    def bn_bwd_weights(
        self,
        dy: Tensor,
        x: Tensor,
        mean: Tensor,
        inv_std: Tensor,
        scale: Tensor,
        **settings: Unpack[Settings],
    ) -> BatchNormWeights:
        """Add the gradients of batch norm's scale and bias, and the terms of its input's gradient.

        Args:
            dy: the gradient of the batch norm's result.
            x: its input.
            mean, inv_std: the statistics that it used, (1, C, 1, ...).
            scale: its scale.
            settings: see `Settings`.
        """
        inputs = {"dy": dy, "x": x, "mean": mean, "inv_std": inv_std, "scale": scale}
        self._check_tensors("bn_bwd_weights", **inputs)
        results = [port.name for port in _WEIGHTS.outputs]
        node = self._with_settings(_WEIGHTS, inputs, {}, results, settings)
        return BatchNormWeights(**node.outputs)


def _phase(phase: Any) -> str:
    name = enumerator(phase, "NORM_FWD_").removeprefix("BN_FINALIZE_STATISTICS_")
    if name not in _PHASES.values():
        raise errors.ArgumentError(f"phase: expected training or inference, got {phase!r}")
    return name
