"""Every operation beside PyTorch's function on a GPU: time on the host, and on the device.

    python -m benchmarks.gpu_ops [--quick] [--only WORDS] [--types half,bfloat16,float]
                                 [--seconds S] [--json FILE] [--all] [--variants] [--record]

Host: the time of a call with a new output on an idle device, in blocks of calls that alternate
between both. Device: a CUDA graph of many calls, launched in turns, between events; calls that
cannot be captured are timed by events around them, queued after other work. Medians of many short
blocks. Both read the same arrays in memory that changes from call to call as the allocator has it.
Ratios are this package's time over PyTorch's: below 1 is faster. The table begins with the largest.
A case of long calls has fewer blocks. At last, convolutions of shapes that are new are called once
each.
"""

from __future__ import annotations

import os
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import cudnn_cffi as cudnn
from cudnn_cffi import ops
from cudnn_cffi._call import mode

from benchmarks import records
from benchmarks.timing import Call, captured, of_device, torch_on_gpu

#: Calls in a block on the host, and blocks of each contestant.
CALLS, BLOCKS = 25, 21

#: Calls in a CUDA graph, and how often it is launched.
RUNS, ROUNDS = 10, 15

#: The fewest blocks and launches of each contestant, and the seconds after which there are no more.
FEWEST, PATIENCE = 5, 0.25

#: Seconds that are left for the first calls of convolutions.
KEPT = 20

_quick = False


@dataclass
class Row:
    """Times of one operation, in microseconds."""

    operation: str
    type: str
    size: str
    host: float
    torch_host: float
    device: float
    torch_device: float
    how: str  # this was computed
    first: float  # milliseconds of the first call

    @property
    def host_ratio(self) -> float:
        """Return this package's host time over PyTorch's."""
        return self.host / self.torch_host

    @property
    def device_ratio(self) -> float:
        """Return this package's device time over PyTorch's."""
        return self.device / self.torch_device


class Cases:
    """The operations of one data type, small and large."""

    def __init__(self, torch: Any, dtype: Any, large: bool) -> None:
        self.torch, self.dtype, self.large = torch, dtype, large

    def new(self, *shape: int, last: bool = False, dtype: Any = None) -> Any:
        """Return random numbers; `last` has channels innermost."""
        made = self.torch.randn(shape, device="cuda", dtype=dtype or self.dtype)
        return made.to(memory_format=self.torch.channels_last) if last else made

    def all(self, variants: bool) -> Iterator[tuple[str, Call, Call]]:
        """Yield the name of each, this package's call and PyTorch's."""
        for part in (self.variants,) if variants else (
            self.convolutions, self.elements, self.softmaxes, self.poolings, self.norms,
            self.row_norms, self.losses, self.tensors, self.others, self.networks, self.attention,
        ):  # fmt: skip
            yield from part()

    def convolutions(self) -> Iterator[tuple[str, Call, Call]]:
        """Yield convolutions in three directions."""
        torch, f = self.torch, self.torch.nn.functional
        n, c, size = (32, 64, 56) if self.large else (1, 8, 16)
        last = self.dtype != torch.float32
        x, w = self.new(n, c, size, size, last=last), self.new(c, c, 3, 3, last=last)
        b, conv = self.new(c), ops.Convolution(1)
        plain = partial(f.conv2d, x, w, None, 1, 1)
        yield "convolution", partial(conv, x, w), plain
        yield "convolution, function", partial(ops.convolution, x, w, padding=1), plain
        yield "convolution + bias", partial(conv, x, w, b), partial(f.conv2d, x, w, b, 1, 1)
        fused = ops.Convolution(1, activation="relu")
        yield (
            "convolution + bias + relu",
            partial(fused, x, w, b),
            lambda: f.conv2d(x, w, b, 1, 1).relu_(),
        )
        dy = conv(x, w)
        common = [1, 1], [1, 1], [1, 1], False, [0, 0], 1
        back = partial(torch.ops.aten.convolution_backward, dy, x, w, None, *common)
        data, filters = ops.ConvolutionBackwardData(1), ops.ConvolutionBackwardFilter(1)
        own, theirs = partial(data, dy, w, x.shape), partial(back, [True, False, False])
        yield "convolution_backward_data", own, theirs
        own, theirs = partial(filters, x, dy, w.shape), partial(back, [False, True, False])
        yield "convolution_backward_filter", own, theirs
        bias, transposed = ops.ConvolutionBackwardBias(), ops.ConvolutionTranspose(1)
        yield "convolution_backward_bias", partial(bias, dy), partial(dy.sum, (0, 2, 3))
        theirs = partial(f.conv_transpose2d, x, w, None, 1, 1)
        yield "convolution_transpose", partial(transposed, x, w), theirs

    def elements(self) -> Iterator[tuple[str, Call, Call]]:
        """Yield activations and their gradients."""
        torch, aten, f = self.torch, self.torch.ops.aten, self.torch.nn.functional
        x = self.new(*((32, 64, 56, 56) if self.large else (8, 8, 16, 16)))
        dy = torch.randn_like(x)
        theirs: dict[str, tuple[Any, Callable[[Any], Call]]] = {
            "relu": (torch.relu, lambda y: partial(aten.threshold_backward, dy, y, 0)),
            "clipped_relu": (f.relu6, lambda _: partial(aten.hardtanh_backward, dy, x, 0, 6)),
            "sigmoid": (torch.sigmoid, lambda y: partial(aten.sigmoid_backward, dy, y)),
            "tanh": (torch.tanh, lambda y: partial(aten.tanh_backward, dy, y)),
            "elu": (f.elu, lambda _: partial(aten.elu_backward, dy, 1, 1, 1, False, x)),
            "silu": (f.silu, lambda _: partial(aten.silu_backward, dy, x)),
            "gelu": (f.gelu, lambda _: partial(aten.gelu_backward, dy, x)),
            "leaky_relu": (
                f.leaky_relu,
                lambda _: partial(aten.leaky_relu_backward, dy, x, 0.01, False),
            ),
            "softplus": (f.softplus, lambda _: partial(aten.softplus_backward, dy, x, 1, 20)),
        }
        word: Any
        for word, (forward, backward) in theirs.items():
            own, gradient = ops.Activation(word), ops.ActivationBackward(word)
            yield word, partial(own, x), partial(forward, x)
            y = own(x)
            yield f"{word}, gradient", partial(gradient, dy, x, y), backward(y)
        yield "relu, function", partial(ops.relu, x), partial(torch.relu, x)
        yield "relu, in place", partial(ops.relu, dy, out=dy), partial(torch.relu_, dy)

    def softmaxes(self) -> Iterator[tuple[str, Call, Call]]:
        """Yield softmax over rows and over channels."""
        torch, aten = self.torch, self.torch.ops.aten
        rows = self.new(*((4096, 1024) if self.large else (64, 128)))
        maps = self.new(*((32, 64, 56, 56) if self.large else (4, 16, 8, 8)))
        for what, x, axis, dim in (("rows", rows, "last", -1), ("channels", maps, "channel", 1)):
            for word, log in (("softmax", False), ("log_softmax", True)):
                own, back = ops.Softmax(axis, log=log), ops.SoftmaxBackward(axis, log=log)
                call = torch.log_softmax if log else torch.softmax
                their = getattr(aten, f"_{word}_backward_data")
                y, dy = call(x, dim), torch.randn_like(x)
                yield f"{word}, {what}", partial(own, x), partial(call, x, dim)
                theirs = partial(their, dy, y, dim, self.dtype)
                yield f"{word}, {what}, gradient", partial(back, dy, y), theirs

    def poolings(self) -> Iterator[tuple[str, Call, Call]]:
        """Yield pooling and its gradients in both layouts."""
        torch, aten, f = self.torch, self.torch.ops.aten, self.torch.nn.functional
        shape = (32, 64, 112, 112) if self.large else (2, 8, 16, 16)
        for layout in (False, True):
            x = self.new(*shape, last=layout)
            name = "NHWC" if layout else "NCHW"
            own, back = ops.Pooling("max", 3, 2, 1), ops.PoolingBackward("max", 3, 2, 1)
            y, places = f.max_pool2d(x, 3, 2, 1, return_indices=True)
            dy = torch.randn_like(y)
            yield f"max_pool, {name}", partial(own, x), partial(f.max_pool2d, x, 3, 2, 1)
            window = [3, 3], [2, 2], [1, 1], [1, 1], False
            theirs = partial(aten.max_pool2d_with_indices_backward, dy, x, *window, places)
            yield f"max_pool, {name}, gradient", partial(back, dy, x, y), theirs
            mean, gradient = ops.Pooling("average", 2), ops.PoolingBackward("average", 2)
            y = f.avg_pool2d(x, 2)
            dy = torch.randn_like(y)
            yield f"average_pool, {name}", partial(mean, x), partial(f.avg_pool2d, x, 2)
            means = [2, 2], [2, 2], [0, 0], False, True, None
            theirs = partial(aten.avg_pool2d_backward, dy, x, *means)
            yield f"average_pool, {name}, gradient", partial(gradient, dy, x, y), theirs

    def norms(self) -> Iterator[tuple[str, Call, Call]]:
        """Yield batch normalization in both layouts."""
        torch, aten, f = self.torch, self.torch.ops.aten, self.torch.nn.functional
        shape = (32, 64, 56, 56) if self.large else (4, 8, 8, 8)
        c = shape[1]
        scale, bias, mean = (self.new(c, dtype=torch.float32) for _ in range(3))
        variance = torch.rand(c, device="cuda") + 0.5
        train, back = ops.BatchNorm(), ops.BatchNormBackward()
        infer = ops.BatchNormInference()
        for layout in (False, True):
            x = self.new(*shape, last=layout)
            name = "NHWC" if layout else "NCHW"
            dy, given = torch.randn_like(x), (x, scale, bias, mean, variance)
            theirs = partial(f.batch_norm, x, mean, variance, scale, bias)
            yield f"batch_norm, {name}", partial(train, *given), partial(theirs, True)
            kept = train(*given)
            _, *saved, reserve, index = aten._batch_norm_impl_index(*given, True, 0.1, 1e-5, True)  # noqa: SLF001
            parts = index, x, dy, scale, mean, variance, *saved, True, 1e-5, [True] * 3, reserve
            yield (
                f"batch_norm, {name}, gradient",
                partial(back, dy, x, scale, kept.mean, kept.inv_variance),
                partial(aten._batch_norm_impl_index_backward, *parts),  # noqa: SLF001
            )
            yield f"batch_norm_inference, {name}", partial(infer, *given), partial(theirs, False)

    def row_norms(self) -> Iterator[tuple[str, Call, Call]]:
        """Yield norms over rows, and their gradients."""
        torch, aten, f = self.torch, self.torch.ops.aten, self.torch.nn.functional
        rows, width = (4096, 1024) if self.large else (64, 128)
        x, scale, bias = self.new(rows, width), self.new(width), self.new(width)
        dy = torch.randn_like(x)
        layer, back = ops.LayerNorm(), ops.LayerNormBackward()
        kept = ops.LayerNorm(statistics=True)(x, scale, bias)
        _, mean, inverse = aten.native_layer_norm(x, [width], scale, bias, 1e-5)
        theirs = partial(f.layer_norm, x, (width,), scale, bias)
        yield "layer_norm", partial(layer, x, scale, bias), theirs
        parts = dy, x, [width], mean, inverse, scale, bias, [True] * 3
        yield (
            "layer_norm, gradient",
            partial(back, dy, x, scale, kept.mean, kept.inv_variance),
            partial(aten.native_layer_norm_backward, *parts),
        )
        yield "rms_norm", partial(ops.RMSNorm(), x, scale), partial(f.rms_norm, x, (width,), scale)
        maps = self.new(*((16, 64, 56, 56) if self.large else (4, 8, 8, 8)))
        s, b = (self.new(maps.shape[1], dtype=torch.float32) for _ in range(2))
        own = s.to(maps.dtype), b.to(maps.dtype)
        group, instance = ops.GroupNorm(4), ops.InstanceNorm()
        yield "group_norm", partial(group, maps, s, b), partial(f.group_norm, maps, 4, *own)
        theirs = partial(f.instance_norm, maps, None, None, *own)
        yield "instance_norm", partial(instance, maps, s, b), theirs

    def losses(self) -> Iterator[tuple[str, Call, Call]]:
        """Yield cross entropy of probabilities and of labels."""
        torch, f = self.torch, self.torch.nn.functional
        x = self.new(*((4096, 1000) if self.large else (64, 100)))
        target, own = torch.softmax(self.new(*x.shape), 1), ops.CrossEntropy()
        labels = torch.randint(0, x.shape[1], (x.shape[0],), device="cuda")
        for name, given in (("cross_entropy", target), ("cross_entropy, labels", labels)):
            yield name, partial(own, x, given), partial(f.cross_entropy, x, given)

    def tensors(self) -> Iterator[tuple[str, Call, Call]]:
        """Yield sums, reductions, copies."""
        torch = self.torch
        a, b = (self.new(*((32, 64, 56, 56) if self.large else (8, 8, 16, 16))) for _ in range(2))
        channel = self.new(1, a.shape[1], 1, 1)
        add, multiply = ops.TensorOperation("add"), ops.TensorOperation("mul")
        yield "add", partial(add, a, b), partial(torch.add, a, b)
        yield "add, broadcast", partial(add, a, channel), partial(torch.add, a, channel)
        yield "mul", partial(multiply, a, b), partial(torch.mul, a, b)
        last = {"memory_format": torch.channels_last}
        images, flat = a.contiguous(**last), a.view(a.shape[0], -1)
        channels = ops.Reduction("mean", (0, 2, 3))
        yield "reduce, all", partial(ops.Reduction("sum"), a), a.sum
        yield "reduce, to channels", partial(channels, a), partial(a.mean, (0, 2, 3))
        theirs = partial(images.mean, (0, 2, 3))
        yield "reduce, to channels, NHWC", partial(channels, images), theirs
        yield "reduce, rows", partial(ops.Reduction("sum", 1), flat), partial(flat.sum, 1)
        yield "reduce, columns", partial(ops.Reduction("sum", 0), flat), partial(flat.sum, 0)
        most = ops.Reduction("max", 1)
        yield "reduce, maxima of rows", partial(most, flat), partial(flat.amax, 1)
        copy = ops.Transform("NHWC")
        yield "transform to NHWC", partial(copy, a), partial(a.contiguous, **last)
        yield "scale", partial(ops.Scale(1.0), b), partial(b.mul_, 1.0)
        yield "fill", partial(ops.Fill(0.5), b), partial(b.fill_, 0.5)

    def others(self) -> Iterator[tuple[str, Call, Call]]:
        """Yield dropout, local response norm, grids."""
        torch, aten, f = self.torch, self.torch.ops.aten, self.torch.nn.functional
        x = self.new(*((32, 64, 56, 56) if self.large else (8, 8, 16, 16)))
        drop, theirs = ops.Dropout(0.5, 1), partial(aten.native_dropout, x, 0.5, True)
        yield "dropout", partial(drop, x), theirs
        own = partial(drop.backward, x, drop(x)[1])
        theirs = partial(aten.native_dropout_backward, x, theirs()[1], 2.0)
        yield "dropout, gradient", own, theirs
        local = ops.LocalResponseNorm(5, 1e-4, 0.75, 1.0)
        yield "local_response_norm", partial(local, x), partial(f.local_response_norm, x, 5)
        if self.dtype == torch.float32:
            theta, size = self.new(x.shape[0], 2, 3), list(x.shape)
            make, sample = ops.AffineGrid(size), ops.GridSample()
            theirs = partial(f.affine_grid, theta, size, align_corners=True)
            yield "affine_grid", partial(make, theta), theirs
            points = make(theta).tanh()
            theirs = partial(f.grid_sample, x, points, align_corners=True)
            yield "grid_sample", partial(sample, x, points), theirs

    def networks(self, *algorithms: str) -> Iterator[tuple[str, Call, Call]]:
        """Yield an LSTM and a GRU in inference, by the default or by some algorithms."""
        steps, batch, hidden = (50, 32, 512) if self.large else (50, 32, 128)
        x = self.new(steps, batch, hidden)
        kind: Any = str(self.dtype).removeprefix("torch.")
        for cell in ("LSTM", "GRU"):
            module = getattr(self.torch.nn, cell)(hidden, hidden).cuda().to(self.dtype)
            module.flatten_parameters()
            for name in algorithms or (None,):
                own = getattr(ops, cell)(hidden, hidden, choose=name)
                weights = self.new(own.weights_count(kind)) * 0.05
                how = f" by {name}" if name else ", forward"
                yield f"{cell.lower()}{how}", partial(own, x, weights), partial(module, x)

    def variants(self) -> Iterator[tuple[str, Call, Call]]:
        """Yield other ways than those by default."""
        torch, aten = self.torch, self.torch.ops.aten
        yield from self.networks(
            "STANDARD", "PERSIST_STATIC", "PERSIST_DYNAMIC", "PERSIST_STATIC_SMALL_H"
        )
        maps = self.new(*((32, 64, 56, 56) if self.large else (8, 8, 16, 16)))
        for via in ("classic", "graph"):
            choice: Any = {"via": via}
            relu, add = ops.Activation(choose=choice), ops.TensorOperation(choose=choice)
            multiply = ops.TensorOperation("mul", choose=choice)
            channel = self.new(1, maps.shape[1], 1, 1)
            yield f"relu by {via}", partial(relu, maps), maps.relu
            for other, what in ((maps, ""), (channel, ", broadcast")):
                yield f"add{what} by {via}", partial(add, maps, other), partial(maps.add, other)
                own, theirs = partial(multiply, maps, other), partial(maps.mul, other)
                yield f"mul{what} by {via}", own, theirs
            last = self.new(*((32, 64, 112, 112) if self.large else (2, 8, 16, 16)), last=True)
            pool = ops.Pooling("max", 3, 2, 1, choose=choice)
            theirs = partial(torch.nn.functional.max_pool2d, last, 3, 2, 1)
            yield f"max_pool NHWC by {via}", partial(pool, last), theirs
            y = maps.contiguous(memory_format=torch.channels_last)
            s = self.new(y.shape[1], dtype=torch.float32)
            back = ops.BatchNormBackward(choose=choice)
            parts = y, y, s, s, s, s, s, True, 1e-5, [True] * 3
            yield (
                f"batch_norm NHWC gradient by {via}",
                partial(back, y, y, s, s, s),
                partial(aten.native_batch_norm_backward, *parts),
            )

    def attention(self) -> Iterator[tuple[str, Call, Call]]:
        """Yield attention."""
        if self.dtype == self.torch.float32:
            return
        shape = (4, 16, 2048, 128) if self.large else (1, 4, 128, 64)
        given, own = [self.new(*shape) for _ in range(3)], ops.Attention()
        theirs = partial(self.torch.nn.functional.scaled_dot_product_attention, *given)
        yield "attention", partial(own, *given), theirs


def host_times(torch: Any, calls: tuple[Call, Call]) -> tuple[float, float]:
    """Return the medians of blocks of calls, in turns, each on an idle device."""
    times: tuple[list[float], list[float]] = ([], [])
    clock = time.perf_counter_ns
    blocks = 9 if _quick else BLOCKS
    end = clock() + PATIENCE * 1e9
    for turn in range(blocks + 2):
        if turn >= FEWEST + 2 and clock() > end:
            break
        for call, taken in zip(calls, times, strict=True):
            torch.cuda.synchronize()
            began = clock()
            for _ in range(CALLS):
                call()
            if turn >= 2:
                taken.append((clock() - began) / CALLS / 1e3)
    torch.cuda.synchronize()
    return statistics.median(times[0]), statistics.median(times[1])


def launcher(torch: Any, call: Call) -> Call | None:
    """Return what launches a CUDA graph of many calls; None where it cannot be captured."""
    try:
        launch = captured(torch, *[call] * RUNS)
        launch()
    except Exception:
        return None
    finally:
        torch.cuda.synchronize()
    return launch


def device_times(torch: Any, calls: tuple[Call, Call]) -> tuple[float, float]:
    """Return the medians of the device's time for a call, in turns."""
    launchers = [each for call in calls if (each := launcher(torch, call)) is not None]
    if len(launchers) == len(calls):
        samples = [partial(of_device, torch, each, 1, 200_000) for each in launchers]
        runs = RUNS
    else:
        samples = [partial(of_device, torch, call, RUNS, 2_000_000) for call in calls]
        runs = 1
    times: tuple[list[float], list[float]] = ([], [])
    last = time.monotonic() + PATIENCE
    for turn in range((7 if _quick else ROUNDS) + 2):
        if turn >= FEWEST + 2 and time.monotonic() > last:
            break
        for sample, taken in zip(samples, times, strict=True):
            found = sample() / runs
            if turn >= 2:
                taken.append(found)
    return statistics.median(times[0]), statistics.median(times[1])


def measure(
    torch: Any,
    kinds: list[str],
    sizes: list[str],
    words: list[str],
    deadline: float,
    variants: bool,
) -> Iterator[Row | str]:
    """Yield a row for each operation, or why there is none."""
    for kind in kinds:
        for size in sizes:
            dtype = getattr(torch, {"half": "float16", "float": "float32"}.get(kind, kind))
            cases = iter(Cases(torch, dtype, size == "large").all(variants))
            while True:
                if time.monotonic() > deadline:
                    yield f"{kind} {size}: the time is over"
                    break
                name = "?"
                try:
                    name, own, theirs = next(cases)
                    if words and not any(word in name for word in words):
                        continue
                    with ops.record() as seen:
                        torch.cuda.synchronize()
                        began = time.perf_counter()
                        own()
                        torch.cuda.synchronize()
                        first = (time.perf_counter() - began) * 1e3
                    how = ", ".join(dict.fromkeys(f"{e.via} {e.way}" for e in seen))
                    theirs()
                    for call in (own, theirs):
                        for _ in range(5):
                            call()
                    host = host_times(torch, (own, theirs))
                    device = device_times(torch, (own, theirs))
                    yield Row(name, kind, size, *host, *device, how, first)
                except StopIteration:
                    break
                except Exception as error:
                    yield f"{kind} {size} {name}: {type(error).__name__}: {str(error)[:160]}"
                    if name == "?":
                        break


def first_calls(torch: Any, kinds: list[str], deadline: float) -> Iterator[str]:
    """Yield what the first calls of convolutions take whose shapes no cache has, for each type."""
    for kind in kinds:
        dtype = getattr(torch, {"half": "float16", "float": "float32"}.get(kind, kind))
        taken: dict[str, list[float]] = {}
        for n, c, k, size in ((2, 24, 40, 14), (3, 48, 16, 28), (5, 64, 72, 30), (1, 136, 56, 10)):
            if time.monotonic() > deadline:
                break
            x = torch.randn(n, c, size, size, device="cuda", dtype=dtype)
            w = torch.randn(k, c, 3, 3, device="cuda", dtype=dtype)
            if dtype != torch.float32:
                x, w = (each.to(memory_format=torch.channels_last) for each in (x, w))
            dy = torch.nn.functional.conv2d(x, w, None, 1, 1)
            calls = (
                ("forward", ops.convolution, (x, w)),
                ("data", ops.convolution_backward_data, (dy, w, x.shape)),
                ("filter", ops.convolution_backward_filter, (x, dy, w.shape)),
            )
            for word, function, given in calls:
                torch.cuda.synchronize()
                began = time.perf_counter()
                function(*given, padding=1)
                torch.cuda.synchronize()
                taken.setdefault(word, []).append((time.perf_counter() - began) * 1e3)
        for word, each in taken.items():
            yield (
                f"first call of a convolution, {word}, {kind}: {len(each)} shapes, median "
                f"{statistics.median(each):.1f} ms, at most {max(each):.1f}"
            )


def report(rows: list[Row], everything: bool) -> None:
    """Print the tables, the largest ratios first."""
    for what in ("host", "device"):
        most = 1.0 if what == "host" else 1.05
        key = f"{what}_ratio"
        ranked = sorted(rows, key=lambda row: -getattr(row, key))
        above = [row for row in ranked if getattr(row, key) > most]
        middle = statistics.median(getattr(row, key) for row in rows)
        print(f"\n{what}: {len(above)} of {len(rows)} above {most}; median {middle:.3f}")
        print(f"ratio    ours PyTorch  first ms  operation ({what}, us)")
        for row in ranked if everything else ranked[: max(len(above), 10)]:
            own = row.host if what == "host" else row.device
            other = row.torch_host if what == "host" else row.torch_device
            print(
                f"{getattr(row, key):5.2f} {own:7.1f} {other:7.1f} {row.first:9.1f}  "
                f"{row.operation}, {row.type}, {row.size}: {row.how}"
            )


def recorded(rows: list[Row]) -> dict[str, Any]:
    """Return what a record has: for each type a summary, and the times of each row."""
    values: dict[str, Any] = {}
    for kind in dict.fromkeys(row.type for row in rows):
        own = [row for row in rows if row.type == kind]
        device = [row.device_ratio for row in own]
        times: dict[str, Any] = {}
        for row in own:
            times.setdefault(row.size, {})[row.operation] = {
                name: getattr(row, name)
                for name in ("host", "torch_host", "device", "torch_device")
            }
        values[kind] = {
            "summary": {
                "cases": len(own),
                "host_median": statistics.median(row.host_ratio for row in own),
                "host_worst": max(row.host_ratio for row in own),
                "host_above": sum(row.host_ratio > 1 for row in own),
                "device_median": statistics.median(device),
                "device_above": sum(ratio > 1.05 for ratio in device),
                "device_slightly": sum(1.05 < ratio <= 1.1 for ratio in device),
            },
            "rows": times,
        }
    return values


def state_of_machine() -> str:
    """Return what the host's speed depends on, as far as the system tells."""
    lines = []
    try:
        text = Path("/proc/cpuinfo").read_text(encoding="utf-8")
        names = {line.partition(": ")[2] for line in text.splitlines() if "model name" in line}
        speeds = [float(line.partition(": ")[2]) for line in text.splitlines() if "MHz" in line]
        lines.append(f"{', '.join(sorted(names))}, {max(speeds, default=0):.0f} MHz at most now")
        lines.append(f"load {' '.join(f'{each:.1f}' for each in os.getloadavg())}")
        lines.append(f"{len(os.sched_getaffinity(0))} CPUs")
    except (OSError, AttributeError, ValueError):
        lines.append("unknown CPU")
    return "; ".join(lines)


def main() -> int:
    """Run the benchmark."""
    global _quick
    parser = records.parser(__doc__)
    parser.add_argument("--quick", action="store_true", help="float16 alone, fewer blocks")
    parser.add_argument("--only", default="", help="words in the names of operations, with commas")
    parser.add_argument("--types", default="", help="of half, bfloat16, float, with commas")
    parser.add_argument("--sizes", default="small,large")
    parser.add_argument("--variants", action="store_true", help="other ways than those by default")
    parser.add_argument("--seconds", type=float, default=230, help="stop after this time (230)")
    parser.add_argument("--all", action="store_true", help="print all rows")
    options = parser.parse_args()
    _quick = options.quick
    torch = torch_on_gpu()
    torch.backends.cudnn.benchmark = True
    torch.backends.cudnn.allow_tf32 = True
    torch.set_grad_enabled(False)
    kinds = options.types or ("half" if options.quick else "half,float,bfloat16")
    print(
        f"{torch.cuda.get_device_name()}, cuDNN {cudnn.cudnnGetVersion()}, PyTorch "
        f"{torch.__version__}, Python {sys.version.split()[0]}, call mode {mode()}"
    )
    print(state_of_machine())
    rows: list[Row] = []
    others: list[str] = []
    words = [each for each in options.only.split(",") if each]
    deadline = time.monotonic() + options.seconds
    until, sizes, types = deadline - KEPT, options.sizes.split(","), kinds.split(",")
    for found in measure(torch, types, sizes, words, until, options.variants):
        if isinstance(found, Row):
            rows.append(found)
        else:
            others.append(found)
    if rows:
        report(rows, options.all)
    for text in others:
        print(text)
    os.environ["CUDNN_CFFI_PLAN_CACHE"] = "0"
    for text in () if words or options.variants else first_calls(torch, types, deadline):
        print(text)
    print(state_of_machine())
    name = "gpu_ops_executed" if os.environ.get("CUDNN_CFFI_REPLAY") == "0" else "gpu_ops"
    subject = "native", "overlay/cudnn_cffi/ops", "overlay/cudnn_cffi/plan"
    records.finish(options, name, recorded(rows), subject, torch.cuda.get_device_name())
    return 0 if rows else 1


if __name__ == "__main__":
    sys.exit(main())
