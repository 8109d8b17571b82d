"""Call operations with arrays at low addresses: alignment.py PART DTYPE [SKIP]; print what is wrong.

PART is "engines" for operations that a graph or a certain function computes, or "odd first" to
"large last" for what operations choose by themselves for images of a size and layout. A kernel that
cannot read such an array ends the context: the call that is next is printed to stderr, and the
first SKIP calls are left out.
"""

import faulthandler
import sys
from typing import Any

import torch
from cudnn_cffi import errors, ops

faulthandler.dump_traceback_later(90, exit=True)
part, dtype = sys.argv[1], getattr(torch, sys.argv[2])


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


def defaults(form, *shape):
    """Yield operations on images of a shape, for which nothing says how they are computed."""
    n, c, height, width = shape
    is_last = form == "last"
    x, dy = new(*shape, last=is_last), new(*shape, last=is_last)
    w, bias = new(16, c, 3, 3, last=is_last), new(16)
    more = new(n, 16, height, width, last=is_last)
    one, other = new(c, kind=torch.float32), new(c, kind=torch.float32)
    mean, variance = new(c, kind=torch.float32), new(c, kind=torch.float32).abs() + 0.5
    half = new(n, c, height // 2, width // 2, last=is_last)
    pooled = ops.Pooling("max", 2)(x)
    for word, call, *given in (
        ("convolution", ops.Convolution(1), x, w),
        ("convolution and bias", ops.Convolution(1), x, w, bias),
        ("convolution and relu", ops.Convolution(1, activation="relu"), x, w, bias),
        ("data", lambda dy, w: ops.convolution_backward_data(dy, w, shape, padding=1), more, w),
        (
            "filter",
            lambda x, dy: ops.convolution_backward_filter(x, dy, (16, c, 3, 3), padding=1),
            *(x, more),
        ),
        ("bias", ops.ConvolutionBackwardBias(), more),
        ("transposed", ops.ConvolutionTranspose(1), more, w),
        ("relu", ops.Activation("relu"), x),
        ("sigmoid", ops.Activation("sigmoid"), x),
        ("relu backward", ops.ActivationBackward("relu"), dy, x, x.relu()),
        ("add", ops.TensorOperation("add"), x, dy),
        ("add to each channel", ops.TensorOperation("add"), x, new(1, c, 1, 1)),
        ("sum", ops.Reduction("add"), x),
        ("sum of channels", ops.Reduction("add", (0, 2, 3)), x),
        ("mean of images", ops.Reduction("mean", (2, 3)), x),
        ("softmax", ops.Softmax(), x),
        ("softmax backward", ops.SoftmaxBackward(), dy, x.softmax(1)),
        ("max pooling", ops.Pooling("max", 2), x),
        ("average pooling", ops.Pooling("average", 2), x),
        ("pooling backward", ops.PoolingBackward("max", 2), half, x, pooled),
        ("batch norm", ops.BatchNorm(), x, one, other),
        ("batch norm backward", ops.BatchNormBackward(), dy, x, one),
        ("batch norm inference", ops.BatchNormInference(), x, one, other, mean, variance),
        ("batch norm and relu", ops.BatchNormActivation(), x, one, other),
        ("local response norm", ops.LocalResponseNorm(), x),
        ("group norm", ops.GroupNorm(2 - c % 2), x, one, other),
        ("transform", ops.Transform("NCHW" if is_last else "NHWC"), x),
    ):
        yield f"{word}, channels {form}, {shape}", call, tuple(given)
    table, labels = new(n * 64, 128), torch.randint(128, (n * 64,), device="cuda")
    yield "softmax of rows", ops.Softmax("last"), (table,)
    yield "layer norm", ops.LayerNorm(), (table, new(128), new(128))
    yield "cross entropy", lambda x: ops.cross_entropy(x, labels), (table,)


def flat(answer):
    """Return the results but what is for the gradient alone: not all of it is written."""
    found = answer if isinstance(answer, tuple) else (answer,)
    return [each for each in found if each is not None and each.dtype != torch.uint8]


def check(found, expected, *place):
    torch.cuda.synchronize()
    for one, other in zip(flat(found), flat(expected), strict=True):
        error = float(
            (one.double() - other.double()).norm() / other.double().norm().clamp(min=1e-9)
        )
        if not error < {2: 2e-2, 4: 2e-3}[dtype.itemsize]:
            print(*place, "error", error)


calls, skip = 0, int(sys.argv[3]) if len(sys.argv) > 3 else 0


def is_next(*words: Any) -> bool:
    """Return whether a call is to be made, and say which."""
    global calls
    calls += 1
    if calls > skip:
        print("next:", calls, *words, file=sys.stderr, flush=True)
    return calls > skip


def examine(name: str, make: Any) -> None:
    """Call with each array at a low address in turn, and compare with arrays where they were."""
    try:
        call, given = make()
        given = tuple(each.contiguous() if each.dim() < 4 else each for each in given)
        expected = call(*given)
    except errors.NotSupportedError as error:
        print("refused:", name, str(error).splitlines()[0], file=sys.stderr)
        return
    # Each is a plan, which may be compiled.
    width = given[0].element_size()
    offsets = [(0, width), *enumerate([(8, e.element_size())[i % 2] for i, e in enumerate(given)])]
    for place, offset in offsets:
        if not is_next(name, "argument", place, "at", offset):
            continue
        low = [at(each, offset) if i == place else each for i, each in enumerate(given)]
        for _ in range(4):  # the last ones are known to the compiled layer
            check(call(*low), expected, name, "argument", place, "at", offset)
    is_single = not isinstance(expected, tuple) and hasattr(call, "takes")
    if is_single and is_next(name, "output at", 8):
        out = at(torch.zeros_like(expected), 8)
        whole = torch.empty(0, dtype=out.dtype, device="cuda").set_(out.untyped_storage())
        begin = 8 // out.element_size()
        for _ in range(4):
            out.zero_()
            y = call(*given, out=out)
            check(y, expected, name, "output")
        around = torch.cat([whole[:begin], whole[begin + out.numel() :]])
        if not bool((around == 7.0).all()):
            print(name, "written beside the output")


if part == "engines":
    for name, make in CASES.items():
        examine(name, make)
else:
    size, form = part.split()
    shape = {"odd": (2, 3, 6, 6), "large": (8, 64, 56, 56)}[size]
    for name, *made in defaults(form, *shape):
        examine(name, lambda made=made: made)
print("checked", max(0, calls - skip))
