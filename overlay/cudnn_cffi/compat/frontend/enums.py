"""The enums of NVIDIA's front end, with its numbers, and what they are called here."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, cast

from ... import errors
from ...graph.record.enum_words import data_type_name

if TYPE_CHECKING:
    from ...types import DType


class _Word(Enum):
    """A member that shows as the front end's do."""

    def __repr__(self) -> str:
        return str(self)


def _numbered(words: str) -> dict[str, int]:
    """Return members with their numbers; one without a number has that after the last."""
    found: dict[str, int] = {}
    number = -1
    for each in words.split():
        word, _, given = each.partition("=")
        number = found[word] = int(given) if given else number + 1
    return found


class data_type(_Word):
    """The type of a tensor's elements, or of what an operation computes in."""

    vars().update(_numbered(
        "FLOAT=1 DOUBLE HALF INT8 INT32 INT8x4 UINT8 UINT8x4 INT8x32 BFLOAT16 INT64 BOOLEAN "
        "FP8_E4M3=14 FP8_E5M2 FAST_FLOAT_FOR_FP8 FP8_E8M0 FP8_E5M3 FP4_E2M1 INT4 NOT_SET=0"
    ))  # fmt: skip


class heur_mode(_Word):
    """Heuristics that propose engines."""

    vars().update(_numbered("A B FALLBACK OPENSOURCE"))


class build_plan_policy(_Word):
    """Whether the first plan that can be built is built, or all of them."""

    vars().update(_numbered("HEURISTICS_CHOICE ALL"))


class attention_implementation(_Word):
    """The form of attention: one operation of cuDNN, or a composite of many."""

    vars().update(_numbered("AUTO COMPOSITE UNIFIED"))


class behavior_note(_Word):
    """Notes on the behaviour of an engine."""

    vars().update(_numbered(
        "RUNTIME_COMPILATION=1 REQUIRES_FILTER_INT8x32_REORDER REQUIRES_BIAS_INT8x32_REORDER "
        "SUPPORTS_CUDA_GRAPH_NATIVE_API CUBLASLT_DEPENDENCY"
    ))  # fmt: skip


class numerical_note(_Word):
    """Notes on the numbers that an engine computes."""

    vars().update(_numbered(
        "TENSOR_CORE=1 DOWN_CONVERT_INPUTS REDUCED_PRECISION_REDUCTION FFT NONDETERMINISTIC "
        "WINOGRAD WINOGRAD_TILE_4x4 WINOGRAD_TILE_6x6 WINOGRAD_TILE_13x13 STRICT_NAN_PROP"
    ))  # fmt: skip


class convolution_mode(_Word):
    """Whether filters are flipped, as mathematics has it."""

    vars().update(_numbered("CONVOLUTION=1 CROSS_CORRELATION"))


class cuda_graph_retention(_Word):
    """Whether a captured CUDA graph keeps the plan alive."""

    vars().update(_numbered("PER_GRAPH NONE"))


class diagonal_alignment(_Word):
    """Where the diagonal of masks is: at the top left, or at the bottom right."""

    vars().update(_numbered("TOP_LEFT BOTTOM_RIGHT"))


class moe_grouped_matmul_mode(_Word):
    """Ways to find the tokens of experts."""

    vars().update(_numbered("NONE=1 GATHER SCATTER COMBINE"))


class norm_forward_phase(_Word):
    """Whether a normalization computes statistics."""

    vars().update(_numbered("INFERENCE=1 TRAINING NOT_SET=0"))


class reduction_mode(_Word):
    """Operations of a reduction."""

    vars().update(_numbered("ADD=1 MUL MIN MAX AMAX AVG NORM1 NORM2 MUL_NO_ZEROS NOT_SET=0"))


class reshape_mode(_Word):
    """Whether a reshape is a view of memory, or keeps the order of elements."""

    vars().update(_numbered("VIEW_ONLY=1 LOGICAL"))


class scalar_type(_Word):
    """Whether a number is passed with each execution, or compiled in."""

    vars().update(_numbered("RUNTIME_PARAM COMPILE_TIME_CONST"))


class tensor_reordering(_Word):
    """Orders of elements in memory."""

    vars().update(_numbered("NONE INT8x32 F16x16 F8_128x4"))


class knob_type(_Word):
    """The settings of engines.

    The members from SPLIT_K on are knobs of cuDNN that the front end reports as NOT_SET. Knobs of
    its engines in Python (from SCHED_POLICY to WARPS_N) are never reported here.
    """

    vars().update(_numbered(
        "NOT_SET SWIZZLE TILE_SIZE EDGE MULTIPLY SPLIT_K_BUF TILEK STAGES REDUCTION_MODE "
        "SPLIT_K_SLC IDX_MODE SPECFILT KERNEL_CFG WORKSPACE TILE_CGA_M TILE_CGA_N BLOCK_SIZE "
        "OCCUPANCY ARRAY_SIZE_PER_THREAD SPLIT_COLS TILE_ROWS TILE_COLS LOAD_SIZE CTA_COUNT "
        "STREAM_K SPLIT_P_SLC TILE_M TILE_N WARP_SPEC_CFG SWAP_AB INPUT_TMA_ENABLE "
        "OUTPUT_TMA_ENABLE TILE_CGA SCHED_POLICY=1000 PACK_GQA SPLIT_KV PIPELINE_ARCH "
        "MMA_TILE_M MMA_TILE_N MMA_TILE_K CTA_GROUP WARPS_M WARPS_N SPLIT_K=2000 USE_TEX=2003 "
        "KBLOCK=2005 LDGA LDGB CHUNK_K SPLIT_H WINO_TILE CTA_SPLIT_K_MODE=2016 SLICED=2019 "
        "SPLIT_RS SINGLEBUFFER LDGC NUM_C_PER_BLOCK=2032"
    ))  # fmt: skip


#: The number of the first knob that no engine of cuDNN has, only those in Python.
FRONTEND_KNOB_TYPE_BASE = 1000


def is_frontend_knob_type(knob_type: knob_type) -> bool:
    """Return whether a knob is one of the front end's engines in Python."""
    return FRONTEND_KNOB_TYPE_BASE <= knob_type.value < 2 * FRONTEND_KNOB_TYPE_BASE


def to_data_type(value: object) -> data_type | None:
    """Return a data type as the enum's member; None where none is set.

    Args:
        value: a member, a data type of any array library, its name, or None.

    Raises:
        ArgumentError: it is no data type that cuDNN has.
    """
    if value is None or value is data_type.NOT_SET:
        return None
    if type(value) is data_type:
        return value
    name = data_type_name(cast("DType", value))
    try:
        return data_type[name]
    except KeyError:
        raise errors.ArgumentError(f"the front end has no data type {name}") from None
