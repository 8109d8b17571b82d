"""Normalizations, forward and backward, and the operations that batch normalization consists of."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple, Unpack

from ... import errors
from ..record.enum_words import enumerator
from ..record.operations import OPERATIONS
from ..tensors import Tensor
from .adding import add

if TYPE_CHECKING:
    from ..builder import Builder
    from ..record.types import NormGradientWord, NormWord, PhaseWord, Settings
    from ..tensors import Operand

_FORWARD = OPERATIONS["norm_forward"]
_BACKWARD = OPERATIONS["norm_backward"]
_GEN_STATS = OPERATIONS["gen_stats"]
_FINALIZE = OPERATIONS["bn_finalize"]
_WEIGHTS = OPERATIONS["bn_bwd_weights"]

_PHASES = {"inference": "INFERENCE", "training": "TRAINING"}
_RUNNING = ("running_mean", "running_variance", "momentum")


class NormResults(NamedTuple):
    """The results of a normalization; None for those that it does not compute.

    Attributes:
        y: the normalized input.
        mean: of the elements that are normalized together; RMS norm has none.
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
    """The results of `bn_finalize`; None for those that it does not compute.

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
    """The results of `bn_bwd_weights`.

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


def norm_forward(
    self: Builder,
    mode: NormWord,
    phase: PhaseWord,
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
        scale, bias: the factor of the normalized input, and the summand. Layer and
            RMS norms normalize their extents that are not 1 together.
        epsilon: added to the variance: a number, or a tensor passed by value.
        mean, inv_variance: statistics, for inference of modes that keep them.
        running_mean, running_variance: statistics of former batches, with `momentum`.
        momentum: the weight of this batch in them.
        peer_statistics: tensors with statistics of other devices, for batch norm over several.
        settings: see `Settings`; they are for `y`.
    """
    word, when = enumerator(mode, ""), _phase(phase)
    given = locals()
    results = ["y"]
    missing = [name for name in _RUNNING if given[name] is None]
    if missing and len(missing) < len(_RUNNING):
        raise errors.ArgumentError(f"{word}: running statistics need {missing[0]} as well")
    if when == "TRAINING":
        for port in ("mean", "inv_variance"):
            if given[port] is not None:
                raise errors.ArgumentError(f"{word}: training computes {port}, and takes none")
        results += [] if word == "RMS_NORM" else ["mean_out"]
        results += ["inv_variance_out"]
        if not missing:
            results += ["running_mean_out", "running_variance_out"]
    node = add(self, _FORWARD, given, {"mode": word, "phase": when}, results)
    get = node.outputs.get
    return NormResults(
        node.outputs["y"],
        get("mean_out"),
        get("inv_variance_out"),
        get("running_mean_out"),
        get("running_variance_out"),
    )


def layer_norm(
    self: Builder,
    x: Tensor,
    scale: Tensor,
    bias: Tensor | None = None,
    *,
    epsilon: Operand = 1e-5,
    phase: PhaseWord = "training",
    **settings: Unpack[Settings],
) -> NormResults:
    """Add a layer normalization: over the extents that `scale` has and that are not 1.

    Args:
        x: the input.
        scale, bias: (1, ...) with the extents that are normalized together; without `bias`
            none is added.
        epsilon: added to the variance.
        phase: "training", which returns mean and inverse deviation as well, or "inference".
        settings: see `Settings`.
    """
    return norm_forward(
        self, "LAYER_NORM", phase, x, scale=scale, bias=bias, epsilon=epsilon, **settings
    )


def ada_layer_norm(
    self: Builder,
    x: Tensor,
    scale: Tensor,
    bias: Tensor | None = None,
    *,
    epsilon: Operand = 1e-5,
    phase: PhaseWord = "training",
    **settings: Unpack[Settings],
) -> NormResults:
    """Add a layer normalization with a scale and a bias for each batch entry.

    Args:
        x: the input.
        scale, bias: the extents that are normalized together, with the batch of `x`.
        epsilon, phase, settings: as for `layer_norm`.
    """
    return norm_forward(
        self, "ADA_LAYER_NORM", phase, x, scale=scale, bias=bias, epsilon=epsilon, **settings
    )


def rms_norm(
    self: Builder,
    x: Tensor,
    scale: Tensor,
    bias: Tensor | None = None,
    *,
    epsilon: Operand = 1e-5,
    phase: PhaseWord = "training",
    **settings: Unpack[Settings],
) -> NormResults:
    """Add a normalization by the root of the mean square: x / sqrt(mean(x * x) + epsilon).

    Args:
        x, scale, bias, epsilon, settings: as for `layer_norm`.
        phase: "training", which returns the inverse root as well, or "inference".
    """
    return norm_forward(
        self, "RMS_NORM", phase, x, scale=scale, bias=bias, epsilon=epsilon, **settings
    )


def instance_norm(
    self: Builder,
    x: Tensor,
    scale: Tensor,
    bias: Tensor | None = None,
    *,
    epsilon: Operand = 1e-5,
    phase: PhaseWord = "training",
    **settings: Unpack[Settings],
) -> NormResults:
    """Add an instance normalization: over the spatial dimensions.

    Args:
        x: the input, (N, C, ...).
        scale, bias: (1, C, 1, ...).
        epsilon, phase, settings: as for `layer_norm`.
    """
    return norm_forward(
        self, "INSTANCE_NORM", phase, x, scale=scale, bias=bias, epsilon=epsilon, **settings
    )


def batch_norm(
    self: Builder,
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
    return norm_forward(
        self,
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


def norm_backward(
    self: Builder,
    mode: NormGradientWord,
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
        mode: of the forward operation, or "layer", "rms", "batch", "instance".
        dy: the gradient of the result.
        x: the input of the forward operation.
        scale: its scale.
        mean, inv_variance: the statistics that it returned; RMS norm has no mean.
        bias: whether to compute the gradient of a bias; all modes but RMS norm do by default.
        epsilon: of the forward operation, if an engine requires it.
        peer_statistics: tensors with statistics of other devices.
        settings: see `Settings`; they are for `dx`.
    """
    word = enumerator(mode, "")
    word = word if word.endswith("_NORM") else f"{word}_NORM"
    results = ["dx", "dscale"]
    if bias if bias is not None else word != "RMS_NORM":
        results.append("dbias")
    node = add(self, _BACKWARD, locals(), {"mode": word}, results)
    get = node.outputs.get
    return NormGradients(node.outputs["dx"], get("dscale"), get("dbias"))


def gen_stats(self: Builder, x: Tensor, **settings: Unpack[Settings]) -> tuple[Tensor, Tensor]:
    """Return the sums of a tensor and of its squares for each channel, (1, C, 1, ...)."""
    results = ("sum", "square_sum")
    node = add(self, _GEN_STATS, locals(), {"mode": "SUM_SQSUM"}, results)
    return node.outputs["sum"], node.outputs["square_sum"]


def bn_finalize(
    self: Builder,
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
    phase: PhaseWord = "training",
    **settings: Unpack[Settings],
) -> FinalizedStatistics:
    """Turn the sums of `gen_stats` into factors and summands, and update running statistics.

    Args:
        scale, bias: of the batch norm, (1, C, 1, ...).
        sum, square_sum: of `gen_stats`; in training.
        count: how many elements each sum is of; an INT64 by value.
        running_mean, running_variance: statistics of former batches.
        momentum: the weight of this batch in them.
        epsilon: added to the variance.
        phase: "training", or "inference", which uses the running statistics alone.
        settings: see `Settings`.
    """
    when, given = _phase(phase), locals()
    results = ["eq_scale", "eq_bias"]
    if when == "TRAINING":
        missing = [port.name for port in _FINALIZE.inputs if given[port.name] is None]
        if missing:
            raise errors.ArgumentError(f"bn_finalize: training needs {missing[0]} as well")
        results += ["mean", "inv_std", "running_mean_out", "running_variance_out"]
    node = add(self, _FINALIZE, given, {"mode": when}, results)
    return FinalizedStatistics(*node.outputs.values())


def bn_bwd_weights(
    self: Builder,
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
    node = add(self, _WEIGHTS, locals(), results=[port.name for port in _WEIGHTS.outputs])
    return BatchNormWeights(**node.outputs)


def _phase(phase: PhaseWord) -> str:
    name = enumerator(phase, "NORM_FWD_").removeprefix("BN_FINALIZE_STATISTICS_")
    if name not in _PHASES.values():
        raise errors.ArgumentError(f"phase: expected training or inference, got {phase!r}")
    return name
