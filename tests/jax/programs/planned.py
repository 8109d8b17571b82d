"""Lower operations and their gradients for a GPU that is not there, by engines of a real library."""

from __future__ import annotations

import re
from collections.abc import Callable

import cudnn_cffi.jax as cj
import jax
from cudnn_cffi.jax import asked

asked.local_device = lambda: 0
asked._find_way = lambda operation, case, rule, _: operation.find_way(case, rule, None, "H200")


def like(*shape: int) -> jax.ShapeDtypeStruct:
    return jax.ShapeDtypeStruct(shape, "float16")


def show(name: str, function: Callable[..., object], *arrays: jax.ShapeDtypeStruct) -> None:
    traced = jax.jit(function).trace(*arrays)
    text = traced.lower(lowering_platforms=("cuda",)).as_text()
    for line in text.splitlines():
        if "custom_call" in line:
            target = re.findall(r"@(\w+)\(", line)[0]
            operands, _, results = re.findall(r" : (\(.*)", line)[0].partition(" -> ")
            results = re.sub(r"(, )?tensor<\d+xui8>", "", results)
            print(name, target, re.findall(r"tensor<(.*?)>", operands), "->",
                  re.findall(r"tensor<(.*?)>", results))  # fmt: skip


def gradient(function: Callable[..., object], count: int) -> Callable[..., object]:
    def loss(*arrays: jax.Array) -> jax.Array:
        return jax.tree.leaves(function(*arrays))[0].astype("float32").sum()

    return jax.grad(loss, tuple(range(count)))


x, w = like(4, 16, 12, 12), like(8, 16, 3, 3)
show("convolution", lambda x, w: cj.convolution(x, w, padding=1), x, w)
show("gradient", gradient(lambda x, w: cj.convolution(x, w, padding=1), 2), x, w)
many = like(3, 4, 16, 12, 12)
show("batch", jax.vmap(lambda x, w: cj.convolution(x, w, padding=1), (0, None)), many, w)
q = like(2, 4, 64, 32)
show("attention", gradient(lambda *qkv: cj.attention(*qkv, causal=True), 3), q, q, q)
