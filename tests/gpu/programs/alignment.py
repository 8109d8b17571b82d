"""Call operations with arrays at low addresses: alignment.py NAME DTYPE; print what is wrong.

A kernel that cannot read such an array ends the context, so each operation has a process.
"""

import os
import sys

os.environ["CUDNN_CFFI_PLAN_CACHE"] = "0"

from typing import Any

import torch
from cudnn_cffi import errors, ops

name, dtype = sys.argv[1], getattr(torch, sys.argv[2])


def new(*shape, kind=dtype, last=False):
    made = torch.randn(shape, device="cuda").to(kind)
    return made.contiguous(memory_format=torch.channels_last) if last else made


def at(array, offset):
    """Return a copy whose address is a multiple of so many bytes, and of no more."""
    room = torch.full((array.numel() + 64,), 7.0, dtype=array.dtype, device="cuda")
    made = room.as_strided(array.shape, array.stride(), offset // array.element_size())
    assert made.data_ptr() % (2 * offset) == offset
    return made.copy_(array)


rows, gain, shift = new(32, 128), new(128), new(128)
image, last = new(2, 8, 6, 6), new(2, 8, 6, 6, last=True)
scale, bias = new(8, kind=torch.float32), new(8, kind=torch.float32)
q = new(2, 4, 64, 64)
graph = {"choose": {"via": "graph"}}


def layer_backward():
    kept = ops.LayerNorm(statistics=True)(rows, gain, shift)
    return ops.LayerNormBackward(), (rows.flip(0), rows, gain, kept.mean, kept.inv_variance)


def rms_backward():
    kept = ops.RMSNorm(statistics=True)(rows, gain)
    return ops.RMSNormBackward(), (rows.flip(0), rows, gain, kept.inv_variance)


def instance_backward():
    kept = ops.InstanceNorm(statistics=True)(image, scale, bias)
    return ops.InstanceNormBackward(), (
        image.flip(0), image, scale, kept.mean, kept.inv_variance
    )  # fmt: skip


def batch_backward():
    kept = ops.BatchNorm()(last, scale, bias)
    return ops.BatchNormBackward(**graph), (last, last, scale, kept.mean, kept.inv_variance)


def attention_backward():
    o, stats = ops.Attention(stats=True)(q, q, q)
    return ops.AttentionBackward(), (q, q, q, q, o, stats)


CASES = {
    "layer_norm": lambda: (ops.LayerNorm(), (rows, gain, shift)),
    "layer_norm_backward": layer_backward,
    "rms_norm": lambda: (ops.RMSNorm(), (rows, gain)),
    "rms_norm_backward": rms_backward,
    "instance_norm": lambda: (ops.InstanceNorm(), (image, scale, bias)),
    "instance_norm_last": lambda: (ops.InstanceNorm(), (last, scale, bias)),
    "instance_norm_backward": instance_backward,
    "batch_norm": lambda: (ops.BatchNorm(**graph), (last, scale, bias)),
    "batch_norm_backward": batch_backward,
    "convolution": lambda: (ops.Convolution(1, **graph), (image, new(8, 8, 3, 3))),
    "convolution_last": lambda: (
        ops.Convolution(1, activation="relu", **graph), (last, new(8, 8, 3, 3, last=True), new(8))
    ),
    "convolution_data": lambda: (
        lambda dy, w: ops.convolution_backward_data(dy, w, (2, 8, 6, 6), padding=1, **graph),
        (last, new(8, 8, 3, 3, last=True)),
    ),
    "relu": lambda: (ops.Activation("relu", **graph), (rows,)),
    "gelu": lambda: (ops.gelu, (rows,)),
    "gelu_backward": lambda: (ops.ActivationBackward("gelu"), (rows, rows)),
    "add": lambda: (ops.TensorOperation("add", **graph), (rows, rows.flip(0))),
    "sum": lambda: (ops.Reduction("add", 1, **graph), (rows,)),
    "columns": lambda: (ops.Reduction("mean", 0), (new(32, 40960),)),
    "maxima": lambda: (ops.Reduction("max", 1), (new(8, 2048),)),
    "maxima_of_columns": lambda: (ops.Reduction("max", 0), (new(256, 64),)),
    "softmax": lambda: (ops.Softmax("last", **graph), (rows,)),
    "max_pool": lambda: (ops.Pooling("max", 2, **graph), (last,)),
    "attention": lambda: (ops.Attention(), (q, q.flip(2), q.flip(1))),
    "attention_backward": attention_backward,
}  # fmt: skip


def flat(answer):
    return [
        each for each in (answer if isinstance(answer, tuple) else (answer,)) if each is not None
    ]


def check(found, expected, *place):
    torch.cuda.synchronize()
    for one, other in zip(flat(found), flat(expected), strict=True):
        error = float(
            (one.double() - other.double()).norm() / other.double().norm().clamp(min=1e-9)
        )
        if not error < (2e-2 if dtype == torch.float16 else 1e-3):
            print(name, *place, "error", error)


call: Any
call, given = CASES[name]()
given = tuple(each.contiguous() if each.dim() < 4 else each for each in given)
try:
    expected = call(*given)
except errors.NotSupportedError as error:
    print("refused:", str(error).splitlines()[0])
    sys.exit()
for place, one in enumerate(given):
    offset = (8, one.element_size())[place % 2]  # each is a plan, which may be compiled
    low = [at(each, offset) if i == place else each for i, each in enumerate(given)]
    for _ in range(4):  # the last ones are known to the compiled layer
        check(call(*low), expected, "argument", place, "at", offset)
if not isinstance(expected, tuple) and hasattr(call, "takes"):
    out = at(torch.zeros_like(expected), 8)
    whole = torch.empty(0, dtype=out.dtype, device="cuda").set_(out.untyped_storage())
    begin = 8 // out.element_size()
    for _ in range(4):
        out.zero_()
        y = call(*given, out=out)
        check(y, expected, "output")
    around = torch.cat([whole[:begin], whole[begin + out.numel() :]])
    if not bool((around == 7.0).all()):
        print("written beside the output")
print("checked")
