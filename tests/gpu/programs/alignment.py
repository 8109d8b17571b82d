"""Call operations with arrays at low addresses: alignment.py PARTS DTYPE [SKIP]; print what is wrong.

PARTS, with commas between them, are "engines" for operations that a graph or a certain function
computes, "norms" for each operand and result of norms, also of images with gaps, and "odd first" to
"large last" for what operations choose by themselves for images of a size and layout. A kernel that cannot read such an
array ends the context: the call that is next is printed to stderr, and the first SKIP calls are
left out.
"""

import faulthandler
import sys
from functools import partial
from typing import Any

import torch
from cudnn_cffi import errors, ops
from cudnn_cffi.torch import functional, modules

parts, dtype = sys.argv[1].split(","), getattr(torch, sys.argv[2])


def new(*shape, kind=dtype, last=False):
    made = torch.randn(shape, device="cuda").to(kind)
    return made.contiguous(memory_format=torch.channels_last) if last else made


def at(array, offset):
    """Return a copy whose address is a multiple of a number of bytes, and not of twice as many."""
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


class Trained:
    """A function of tensors for PyTorch, called with the gradient of its result first."""

    updates, gives = (), ()

    def __init__(self, function):
        self.function, self.takes = function, ("dy", "x", "scale", "bias")

    def __call__(self, dy, *given):
        leaves = [each.detach().requires_grad_() for each in given]
        y = self.function(*leaves)
        return y.detach(), *torch.autograd.grad(y, leaves, dy)


class Averaging:
    """Batch norm that averages all batches, which PyTorch computes, and not cuDNN for us."""

    updates, gives, takes = (), (), ("x",)

    def __call__(self, x):
        return modules.BatchNorm2d(8, momentum=None).cuda()(x).detach()


def trained_batch(x, scale, bias):
    return functional.batch_norm(x, None, None, scale, bias, True)


def trained_images(x, scale, bias):
    return functional.instance_norm(x, None, None, scale, bias)


def norms():
    """Yield norms of images and of rows, and their gradients: a name, the operation, arguments."""
    for is_last in (False, True):
        x, dy = (new(2, 8, 6, 6, last=is_last) for _ in range(2))
        mean, variance = new(8, kind=torch.float32), new(8, kind=torch.float32).abs() + 0.5
        image_norm, batch, fused = (
            ops.InstanceNorm(statistics=True),
            ops.BatchNorm(),
            ops.BatchNormActivation(),
        )
        group, response = ops.GroupNorm(2, statistics=True), ops.LocalResponseNorm(3)
        of_batch, of_image, of_group = (
            batch(x, scale, bias),
            image_norm(x, scale, bias),
            group(x, scale, bias),
        )
        for word, call, *given in (
            ("batch norm", batch, x, scale, bias, mean, variance),
            ("batch norm, deterministic", ops.BatchNorm(choose="deterministic"), x, scale, bias),
            ("batch norm backward", ops.BatchNormBackward(), dy, x, scale, *of_batch[1:]),
            ("batch norm backward again", ops.BatchNormBackward(), dy, x, scale),
            (
                "batch norm backward, deterministic",
                *(ops.BatchNormBackward(choose="deterministic"), dy, x, scale, *of_batch[1:]),
            ),
            ("batch norm inference", ops.BatchNormInference(), x, scale, bias, mean, variance),
            ("batch norm and relu", fused, x, scale, bias, dy, mean, variance),
            ("instance norm", image_norm, x, scale, bias),
            ("instance norm backward", ops.InstanceNormBackward(), dy, x, scale, *of_image[1:]),
            ("group norm", group, x, scale, bias),
            ("group norm backward", ops.GroupNormBackward(2), dy, x, scale, *of_group[1:]),
            ("batch norm by PyTorch", Trained(trained_batch), dy, x, scale, bias),
            ("batch norm of all batches", Averaging(), x),
            ("instance norm by PyTorch", Trained(trained_images), dy, x, scale, bias),
            (
                *("group norm by PyTorch", Trained(lambda x, *s: functional.group_norm(x, 2, *s))),
                *(dy, x, scale, bias),
            ),
            *(
                (
                    ("response", response, x),
                    ("response backward", ops.LocalResponseNormBackward(3), dy, x, response(x)),
                )
                if dtype is not torch.bfloat16  # which cuDNN does not take
                else ()
            ),
        ):
            yield f"{word}, channels {'last' if is_last else 'first'}", call, tuple(given)
    kept, other = (
        ops.LayerNorm(statistics=True)(rows, gain, shift),
        ops.RMSNorm(statistics=True)(rows, gain),
    )
    turned = rows.flip(0)
    yield "layer norm", ops.LayerNorm(statistics=True), (rows, gain, shift)
    yield "layer norm backward", ops.LayerNormBackward(), (turned, rows, gain, *kept[1:])
    yield "rms norm", ops.RMSNorm(statistics=True), (rows, gain, shift)
    yield "rms norm backward", ops.RMSNormBackward(), (turned, rows, gain, other.inv_variance)
    for name, function, *parameters in (
        ("layer norm", lambda x, *s: functional.layer_norm(x, (128,), *s), gain, shift),
        ("rms norm", lambda x, s: functional.rms_norm(x, (128,), s), gain),
        ("log softmax", lambda x: functional.log_softmax(x, -1)),
    ):
        yield f"{name} by PyTorch", Trained(function), (turned, rows, *parameters)
    yield "softmax", ops.Softmax("last"), (rows,)
    yield "softmax backward", ops.SoftmaxBackward("last"), (turned, rows.softmax(-1))


def spread(array, gap):
    """Return a copy with a gap in elements after each plane, or each row of pixels."""
    order = sorted(range(4), key=lambda axis: -array.stride(axis))
    outer, inner = array.shape[order[0]], [array.shape[axis] for axis in order[1:]]
    plane = inner[1] * inner[2]
    room = torch.full((outer, inner[0], plane + gap), 7.0, device="cuda").to(array)
    made = (
        room[..., :plane].unflatten(2, inner[1:]).permute([order.index(axis) for axis in range(4)])
    )
    assert made.shape == array.shape
    return made.copy_(array)


def flat(answer):
    """Return the results but what is for the gradient alone: not all of it is written."""
    found = answer if isinstance(answer, tuple) else (answer,)
    return [each for each in found if each is not None and each.dtype != torch.uint8]


def distances(found, expected):
    """Return the relative error of each result, on the device."""
    pairs = zip(flat(found), flat(expected), strict=True)
    wide = [(one.double(), other.double()) for one, other in pairs]
    return [(one - other).norm() / other.norm().clamp(min=1e-9) for one, other in wide]


def check(found, *place):
    """Print errors that are too large; the device, which others use too, is waited for once."""
    for error in torch.stack(found).tolist() if found else ():
        if not error < {2: 2e-2, 4: 2e-3}[dtype.itemsize]:
            print(*place, "error", error)


calls, skip = 0, int(sys.argv[3]) if len(sys.argv) > 3 else 0


def is_next(*words: Any) -> bool:
    """Return whether a call is to be made, and say which."""
    global calls
    calls += 1
    faulthandler.dump_traceback_later(90, exit=True)
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
        found = []
        for _ in range(4):  # the last ones are known to the compiled layer
            found += distances(call(*low), expected)
        check(found, name, "argument", place, "at", offset)
    is_single = not isinstance(expected, tuple) and hasattr(call, "takes")
    if is_single and is_next(name, "output at", 8):
        out = at(torch.zeros_like(expected), 8)
        whole = torch.empty(0, dtype=out.dtype, device="cuda").set_(out.untyped_storage())
        begin, found = 8 // out.element_size(), []
        for _ in range(4):
            out.zero_()
            found += distances(call(*given, out=out), expected)
        check(found, name, "output")
        around = torch.cat([whole[:begin], whole[begin + out.numel() :]])
        if not bool((around == 7.0).all()):
            print(name, "written beside the output")


def low(x):
    """Return a copy at the address of the second element of an array."""
    return at(x, x.element_size())


def spread_low(x):
    """Return a copy at such an address, with gaps in images."""
    if x.dim() < 4:
        return low(x)
    gaps = spread(x, 2)
    room = torch.empty(gaps.untyped_storage().nbytes() + 16, dtype=torch.uint8, device="cuda")
    return room.view(dtype).as_strided(x.shape, gaps.stride(), 1).copy_(x)


def examine_each(name: str, call: Any, given: Any) -> None:
    """Call with each operand and result at an odd place, and images with gaps, and with all."""

    def results(makes: Any, out: Any = None) -> Any:
        fresh = [make(each) for make, each in zip(makes, given, strict=True)]
        answer = call(*fresh, out=out) if out else call(*fresh)
        pairs = zip(fresh, call.takes, strict=False)
        return *flat(answer), *[each for each, word in pairs if word in call.updates]

    def examine_with(makes: Any, *place: Any) -> None:
        if not is_next(name, *place):
            return
        found = []
        try:
            for _ in range(3):  # the last ones are known to the compiled layer
                found += distances(results(makes), expected)
        except errors.ArgumentError as error:
            print("refused:", name, *place, str(error).splitlines()[0], file=sys.stderr)
        check(found, name, *place)

    plain = [torch.clone] * len(given)
    expected = results(plain)
    for place, each in enumerate(given):
        gaps = [] if each.dim() < 4 else [partial(spread, gap=n) for n in (1, 2, 4)]
        for make in (low, *gaps):
            makes = [*plain[:place], make, *plain[place + 1 :]]
            examine_with(makes, call.takes[place], make)
    for make in (low, spread_low):
        examine_with([make] * len(given), "all", make)
    for place, word in enumerate(call.gives):
        if is_next(name, word):
            outs = [low(each) if i == place else None for i, each in enumerate(expected)]
            found = []
            for _ in range(3):
                found += distances(results(plain, tuple(outs[: len(call.gives)])), expected)
            check(found, name, word)


for part in parts:
    if part == "norms":
        for name, call, *given in norms():
            examine_each(name, call, *given)
    elif part == "engines":
        for name, make in CASES.items():
            examine(name, make)
    else:
        size, form = part.split()
        shape = {"odd": (2, 3, 6, 6), "large": (8, 64, 56, 56)}[size]
        for name, *made in defaults(form, *shape):
            examine(name, lambda made=made: made)
print("checked", max(0, calls - skip))
