"""The options of attention by name, for type checkers and editors."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Generic, Literal, TypeAlias, TypedDict, TypeVar

from ..record.types import DType, Layout
from ..tensors import Operand, Tensor

#: The class of the graph, which functions of scores get.
GraphT = TypeVar("GraphT")

#: The statistics of rows of scores to return: maxima and sums, or one of them.
Rows: TypeAlias = bool | Literal["max", "sum"]
#: The corner in which the diagonal of a mask begins or ends.
Corner: TypeAlias = Literal["top_left", "bottom_right"]
#: One operation of the release, or a composite of several.
Form: TypeAlias = Literal["node", "composite"]


class AttentionOptions(TypedDict, Generic[GraphT], total=False):
    """The options of `Graph.attention` that do not decide how many results it has."""

    scale: Operand | None
    causal: bool | Corner
    window: Sequence[int | None] | None
    diagonal: Corner
    bias: Tensor | None
    alibi: Tensor | None
    seq_len_q: Tensor | None
    seq_len_kv: Tensor | None
    cu_seq_len_q: Tensor | None
    cu_seq_len_kv: Tensor | None
    page_table_k: Tensor | None
    page_table_v: Tensor | None
    max_seq_len_kv: int | None
    dropout: float | None
    seed: Operand | None
    offset: Operand | None
    dropout_mask: Tensor | None
    dropout_scale: Operand | None
    sink: Tensor | None
    score: Callable[[GraphT, Tensor], Tensor] | None
    block_mask: Tensor | None
    stats_log2: bool
    form: Form | None
    ragged_offset: Tensor | None
    name: str | None
    data_type: DType | None
    strides: Sequence[int] | None
    layout: Layout | None


class Fp8Options(AttentionOptions[GraphT], total=False):
    """All options of `Graph.attention`: those of FP8 add two results."""

    descale_q: Tensor | None
    descale_k: Tensor | None
    descale_v: Tensor | None
    descale_s: Tensor | None
    scale_s: Tensor | None
    scale_o: Tensor | None
