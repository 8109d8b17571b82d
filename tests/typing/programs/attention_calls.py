"""Attention: statistics, gradients, FP8 and changes of the scores."""

from __future__ import annotations

import cudnn_cffi as cudnn
from cudnn_cffi import DeviceArray, Graph, ops
from cudnn_cffi.types import ArrayT


def cap(graph: Graph, scores: cudnn.graph.Tensor) -> cudnn.graph.Tensor:
    return graph.mul(graph.tanh(graph.mul(scores, 0.02)), 50.0)


def infer(q: ArrayT, k: ArrayT, v: ArrayT) -> ArrayT:
    return ops.attention(q, k, v, causal="bottom_right", window=(128, None), score=cap).o


def train(q: ArrayT, k: ArrayT, v: ArrayT, do: ArrayT) -> tuple[ArrayT, ArrayT, ArrayT | None]:
    o, stats = ops.attention(q, k, v, stats=True, causal=True)
    got = ops.attention_backward(do, q, k, v, o, stats, causal=True, deterministic=True)
    sink = ops.attention_backward(do, q, k, v, o, stats, sink=v, dsink=True).sink
    return got.q, sink, got.bias


def in_fp8(q: DeviceArray, one: DeviceArray) -> DeviceArray:
    made = ops.attention(q, q, q, descale_q=one, descale_k=one, descale_v=one, scale_o=one)
    highest: DeviceArray = made.amax_o
    return highest


def with_heads(q: DeviceArray, weights: DeviceArray) -> DeviceArray:
    made = ops.multi_head_attention(q, q, q, weights, heads=8, training=True, q_lengths=[4, 2])
    got = ops.multi_head_attention_backward(q, q, q, q, weights, made.reserve, heads=8)
    inner = ops.MultiHeadAttention(8, q_size=64, k_size=64, v_size=64)
    o: DeviceArray = inner(q, q, q, weights, windows=([0, 0], [1, 2])).o
    return ops.add(got.q, o)


def wrong(q: DeviceArray, g: Graph) -> None:
    ops.attention(q, q, q, casual=True)  # refused
    ops.attention(q, q, q, causal="bottom_rihgt")  # refused
    ops.attention(q, q, q, diagonal="top")  # refused
    ops.attention(q, q, q, form="nodes")  # refused
    ops.attention(q, q, q, window=128)  # refused
    ops.attention(q, q, q, score=len)  # refused
    array: DeviceArray = ops.attention(q, q, q)  # refused
    stats: DeviceArray = ops.attention(q, q, q).stats  # refused
    ops.attention_backward(q, q, q, q, q, ops.attention(q, q, q).stats)  # refused
    ops.attention_backward(q, q, q, q, q, q, dsinks=True)  # refused
    ops.multi_head_attention(q, q, q, heads=8, traning=True)  # refused
    print(ops.attention(q, q, q).amax_o, array, stats)  # refused
