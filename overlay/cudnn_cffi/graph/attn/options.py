"""The options of attention by name, for type checkers and editors."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Literal, TypedDict

from ..tensors import Tensor

#: A function of scores: gets the graph and the scores, and returns the scores that softmax gets.
Score = Callable[[Any, Tensor], Tensor]
#: Its gradient: gets the graph, the gradient of the result, and the scores.
ScoreBackward = Callable[[Any, Tensor, Tensor], Tensor]
#: What of the rows of scores to return: maxima and sums, or one of them.
Rows = bool | Literal["max", "sum"]


class AttentionOptions(TypedDict, total=False):
    """What `Graph.attention` takes besides what decides how many results it has."""

    scale: Tensor | float | None
    causal: bool | str
    window: Sequence[int | None] | None
    diagonal: str
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
    seed: Tensor | float | None
    offset: Tensor | float | None
    dropout_mask: Tensor | None
    dropout_scale: Tensor | float | None
    sink: Tensor | None
    score: Score | None
    block_mask: Tensor | None
    stats_log2: bool
    form: str | None
    ragged_offset: Tensor | None
    name: str | None
    data_type: Any
    strides: Any
    layout: Any
