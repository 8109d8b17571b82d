"""Softmax, random numbers, block scales, experts and rotary embeddings."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal, NamedTuple, Unpack, overload

from ... import errors
from ..._support.arguments import boolean
from ..arguments import each_alike
from ..record.enum_words import data_type_name, enumerator, extents
from ..record.operations import OPERATIONS
from ..tensors import Tensor
from .adding import add, add_one

if TYPE_CHECKING:
    from ...enum_words import MoeGroupedMatmulModeLike, RngDistributionLike
    from ..builder import Builder
    from ..record.types import DType, Options, Settings
    from ..tensors import Operand

_SOFTMAX = OPERATIONS["softmax"]
_RNG = OPERATIONS["rng"]
_QUANTIZE = OPERATIONS["block_scale_quantize"]
_DEQUANTIZE = OPERATIONS["block_scale_dequantize"]
_MOE = OPERATIONS["moe_grouped_matmul"]
_MOE_BACKWARD = OPERATIONS["moe_grouped_matmul_backward"]
_ROPE = OPERATIONS["rope_forward"]
_ROPE_BACKWARD = OPERATIONS["rope_backward"]

#: The parameters of each distribution.
_PARAMETERS = {
    "BERNOULLI": ("probability",),
    "UNIFORM": ("minimum", "maximum"),
    "NORMAL": ("mean", "deviation"),
}


class SoftmaxResults(NamedTuple):
    """The results of `softmax` with `statistics`.

    Attributes:
        y: the probabilities.
        stats: the logarithm of the sum of exponentials of each row.
    """

    y: Tensor
    stats: Tensor


@overload
def softmax(
    self: Builder,
    x: Tensor,
    *,
    sink: Tensor | None = None,
    statistics: Literal[False] = False,
    log2: bool | None = None,
    **settings: Unpack[Settings],
) -> Tensor: ...
@overload
def softmax(
    self: Builder,
    x: Tensor,
    *,
    sink: Tensor | None = None,
    statistics: Literal[True],
    log2: bool | None = None,
    **settings: Unpack[Settings],
) -> SoftmaxResults: ...
def softmax(
    self: Builder,
    x: Tensor,
    *,
    sink: Tensor | None = None,
    statistics: bool = False,
    log2: bool | None = None,
    **settings: Unpack[Settings],
) -> Tensor | SoftmaxResults:
    """Add a softmax over the last dimension.

    Args:
        x: the input.
        sink: a logit for each head that takes part in the sum alone.
        statistics: whether to return the logarithm of each row's sum as well.
        log2: whether that logarithm is to the base 2.
        settings: see `Settings`.

    Returns:
        The probabilities; with `statistics`, `SoftmaxResults`.
    """
    given = locals() | {"stats_log2": log2}
    if not boolean(statistics, "statistics"):
        return add_one(self, _SOFTMAX, given)
    return SoftmaxResults(**add(self, _SOFTMAX, given, results=("y", "stats")).outputs)


def rng(
    self: Builder,
    shape: Sequence[int],
    distribution: RngDistributionLike = "BERNOULLI",
    *,
    seed: Operand,
    offset: Operand | None = None,
    probability: float | None = None,
    minimum: float | None = None,
    maximum: float | None = None,
    mean: float | None = None,
    deviation: float | None = None,
    **settings: Unpack[Settings],
) -> Tensor:
    """Add random numbers of the Philox generator.

    Args:
        shape: of the result.
        distribution: BERNOULLI with `probability` of a 1, UNIFORM between `minimum` and
            `maximum`, or NORMAL with `mean` and `deviation`.
        seed: a number, or an INT64 tensor with one element.
        offset: where in the sequence of the seed to begin: an INT64 tensor with one element,
            or a number passed by value.
        probability, minimum, maximum, mean, deviation: numbers of the distribution, as above.
        settings: see `Settings`.
    """
    wanted = extents(shape, "shape")
    word = enumerator(distribution, "RNG_DISTRIBUTION_")
    inputs: dict[str, Tensor] = {}
    options: Options = {"shape": wanted}
    if isinstance(seed, Tensor):
        inputs["seed"] = self._operand(seed, "rng seed", len(wanted))
    else:
        options["seed"] = extents((seed,), "seed", -(2**63))[0]
    if offset is not None:
        inputs["offset"] = self._operand(offset, "rng offset", len(wanted), "INT64")
    options["distribution"] = word
    given = locals()
    parameters = {name: given[name] for name in _PARAMETERS.get(word, ())}
    for name, value in parameters.items():
        if value is None:
            raise errors.ArgumentError(f"rng {word}: expected {name}, got none")
    return add_one(self, _RNG, inputs | parameters | {"settings": settings}, options)


def block_scale_quantize(
    self: Builder,
    x: Tensor,
    block_size: int,
    *,
    axis: int = -1,
    scale_data_type: DType = "FP8_E8M0",
    **settings: Unpack[Settings],
) -> tuple[Tensor, Tensor]:
    """Quantize with a scale for each block of elements.

    Args:
        x: the input.
        block_size: the elements of a block, such as 32 of MXFP8 or 16 of NVFP4.
        axis: the dimension that blocks are along.
        scale_data_type: of the scales.
        settings: see `Settings`; the result is FP8_E4M3 unless a data type is set.

    Returns:
        The result and the scales, whose layout is reordered as matrix products want it.
    """
    (size,) = extents((block_size,), "block_size")
    node = add(self, _QUANTIZE, locals(), {"block_size": size}, ("y", "scale"))
    scales = node.outputs["scale"]
    scales.given_type = data_type_name(scale_data_type)
    scales.reordering_mode = "F8_128x4"
    return node.outputs["y"], scales


def block_scale_dequantize(
    self: Builder,
    x: Tensor,
    scale: Tensor,
    block_size: int | Sequence[int],
    *,
    negative_scale: bool | None = None,
    **settings: Unpack[Settings],
) -> Tensor:
    """Multiply the elements of each block by their scale; see `block_scale_quantize`.

    Args:
        x: the blocks of elements.
        scale: a factor for each block.
        block_size: the elements of a block, or its extents.
        negative_scale: whether scales may be negative, where a release has it.
        settings: see `Settings`.
    """
    sizes = extents(each_alike(block_size, 1), "block_size")
    return add_one(self, _DEQUANTIZE, locals(), {"block_size": sizes})


def moe_grouped_matmul(
    self: Builder,
    token: Tensor,
    weight: Tensor,
    first_token_offset: Tensor,
    *,
    mode: MoeGroupedMatmulModeLike = "NONE",
    token_index: Tensor | None = None,
    token_ks: Tensor | None = None,
    top_k: int | None = None,
    **settings: Unpack[Settings],
) -> Tensor:
    """Multiply the tokens of each expert by its weights.

    Args:
        token: (1, tokens, width).
        weight: (experts, width, columns).
        first_token_offset: INT32 (experts, 1, 1): the first token of each expert.
        mode: NONE for tokens that are sorted by expert, GATHER or SCATTER.
        token_index, token_ks: INT32 tensors that say where tokens come from, or go to.
        top_k: the experts of a token.
        settings: see `Settings`.
    """
    return add_one(self, _MOE, locals())


def moe_grouped_matmul_backward(
    self: Builder,
    token: Tensor,
    dy: Tensor,
    first_token_offset: Tensor,
    **settings: Unpack[Settings],
) -> Tensor:
    """Return the gradient of `moe_grouped_matmul` for its weights, (experts, width, columns).

    Args:
        token, first_token_offset: as for `moe_grouped_matmul`.
        dy: the gradient of the result, (1, tokens, columns).
        settings: see `Settings`.
    """
    return add_one(self, _MOE_BACKWARD, locals())


def rope(
    self: Builder,
    x: Tensor,
    frequencies: Tensor,
    *,
    output_scale: float | None = None,
    rope_dim: int | None = None,
    **settings: Unpack[Settings],
) -> Tensor:
    """Apply a rotary embedding.

    Args:
        x: (batch, heads, length, width).
        frequencies: the angle of each position and pair of elements.
        output_scale: the factor of the result.
        rope_dim: how many elements of the width are rotated; by default all.
        settings: see `Settings`.
    """
    return add_one(self, _ROPE, locals())


def rope_backward(
    self: Builder,
    dy: Tensor,
    frequencies: Tensor,
    *,
    output_scale: float | None = None,
    rope_dim: int | None = None,
    **settings: Unpack[Settings],
) -> Tensor:
    """Return the gradient of `rope` for its input.

    Args:
        dy: the gradient of the result, (batch, heads, length, width).
        frequencies, output_scale, rope_dim, settings: as for `rope`.
    """
    return add_one(self, _ROPE_BACKWARD, locals())
