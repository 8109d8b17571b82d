"""Device time of convolutions fused with what surrounds them in training, and of FP8 and INT8.

Each graph is timed alone by `Graph.autotune`: the fastest of the first candidates. A graph that no
engine takes is left out.

    python -m benchmarks.gpu_fusions [--seconds N] [--record]
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, NamedTuple

from cudnn_cffi import driver, errors
from cudnn_cffi.graph import Graph, Tensor

from benchmarks import records

#: The candidates that are timed for a graph, and seconds for them.
MOST, SECONDS = 4, 6


class Convolution(NamedTuple):
    """A convolution of ResNet-50: channels, extent of the image, of the filter, stride."""

    inputs: int
    outputs: int
    extent: int
    size: int
    stride: int = 1

    @property
    def name(self) -> str:
        """Return the name in a record."""
        return (
            f"conv{self.size}x{self.size}_{self.inputs}_{self.outputs}_{self.extent}"
            f"{'_stride2' if self.stride > 1 else ''}"
        )


SHAPES = (
    Convolution(64, 64, 56, 3),
    Convolution(256, 64, 56, 1),
    Convolution(64, 256, 56, 1),
    Convolution(256, 256, 14, 3),
    Convolution(1024, 256, 14, 1),
    Convolution(128, 128, 56, 3, 2),
)


class Maker:
    """Makes graphs of one data type around a convolution, channels last."""

    def __init__(self, kind: Any, shape: Convolution, batch: int = 64) -> None:
        self.kind, self.shape, self.batch = kind, shape, batch
        self.graph = Graph(io_data_type=kind)

    def image(self, output: bool = False) -> Tensor:
        """Add an image of the convolution's input, or of its output."""
        channels, extent = self.shape.inputs, self.shape.extent
        if output:
            channels, extent = self.shape.outputs, extent // self.shape.stride
        return self.graph.tensor((self.batch, channels, extent, extent), layout="NHWC")

    def vector(self, output: bool = False, kind: Any = "FLOAT") -> Tensor:
        """Add a number for each channel."""
        channels = self.shape.outputs if output else self.shape.inputs
        return self.graph.tensor((1, channels, 1, 1), kind, layout="NHWC")

    def filters(self) -> Tensor:
        """Add the filters."""
        size = self.shape.size
        shape = (self.shape.outputs, self.shape.inputs, size, size)
        return self.graph.tensor(shape, layout="NHWC")

    def settings(self) -> dict[str, Any]:
        """Return padding and stride."""
        return {"padding": self.shape.size // 2, "stride": self.shape.stride}

    def sums(self, *tensors: Tensor) -> None:
        """Have the sums over each channel written."""
        for each in tensors:
            self.graph.output(self.graph.reduction(each, dims=(0, 2, 3)), data_type="FLOAT")

    def forward(self, prologue: bool = False, statistics: str = "") -> Graph:
        """Return a convolution, after scale, bias and ReLU; with statistics of its result."""
        g = self.graph
        x = self.image()
        if prologue:  # engines take it where all between lies in the type of images
            g = self.graph = Graph(io_data_type=self.kind, intermediate_data_type=self.kind)
            x = self.image()
            x = g.relu(x * self.vector(kind=self.kind) + self.vector(kind=self.kind))
        y = g.convolution(x, self.filters(), **self.settings())
        g.output(y, data_type=self.kind)
        if statistics == "gen_stats":
            for each in g.gen_stats(y):
                g.output(each, data_type="FLOAT")
        elif statistics:
            self.sums(y, y * y)
        return g

    def backward(self, relu: bool = False, add: bool = False, sums: str = "") -> Graph:
        """Return the gradient for the input, with those of an addition, ReLU and batch norm."""
        g = self.graph
        shape = (self.batch, self.shape.inputs, self.shape.extent, self.shape.extent)
        dy = self.image(output=True)
        dx = g.convolution_backward_data(dy, self.filters(), shape=shape, **self.settings())
        if add:
            dx = dx + self.image()
        if sums == "weights":
            x, mean, inverse, scale = self.image(), *(self.vector() for _ in range(3))
            normed = g.add(g.mul(g.mul(g.sub(x, mean), inverse), scale), self.vector())
            dx = g.relu_backward(dx, normed)
            for each in g.bn_bwd_weights(dx, x, mean, inverse, scale):
                g.output(each, data_type="FLOAT")
        elif relu:
            dx = g.relu_backward(dx, self.image())
        g.output(dx, data_type=self.kind)
        if sums == "sums":
            self.sums(dx, dx * ((self.image() - self.vector()) * self.vector()))
        return g

    def filter_gradient(self) -> Graph:
        """Return the gradient for the filters."""
        g, size = self.graph, self.shape.size
        shape = (self.shape.outputs, self.shape.inputs, size, size)
        x, dy = self.image(), self.image(output=True)
        dw = g.convolution_backward_filter(x, dy, shape, **self.settings())
        g.output(dw, data_type=self.kind)
        return g

    def scaled(self) -> Graph:
        """Return a convolution with scale, bias and ReLU of its result; sums of INT8 in INT32."""
        integers = self.kind == "INT8"
        compute: Any = "INT32" if integers else "FLOAT"
        g = self.graph = Graph(
            io_data_type=self.kind, compute_data_type=compute, intermediate_data_type=compute
        )
        wide: Any = {"compute_data_type": "FLOAT", "data_type": "FLOAT"}
        y = g.convolution(self.image(), self.filters(), **self.settings())
        if integers:
            y = g.identity(y, **wide)
        y = g.add(g.mul(y, self.vector(True), **wide), self.vector(True), **wide)
        g.output(g.relu(y, **wide), data_type=self.kind)
        return g

    def normed(self, add: bool = False, backward: bool = False) -> Graph:
        """Return batch norm in training with ReLU, or the gradients of both."""
        g, kind = self.graph, self.kind
        x = self.image(output=True)
        if backward:
            g = self.graph = Graph(io_data_type=kind, intermediate_data_type=kind)
            x, dy = self.image(output=True), self.image(output=True)
            scale, bias, mean, inverse = (self.vector(True) for _ in range(4))
            y = g.norm_forward(
                "BATCH_NORM", "inference", x, scale=scale, bias=bias, mean=mean,
                inv_variance=inverse, epsilon=None,
            ).y  # fmt: skip
            found = g.norm_backward("BATCH_NORM", g.relu_backward(dy, y), x, scale, mean, inverse)
            for each, wide in zip(found, (kind, "FLOAT", "FLOAT"), strict=True):
                assert each is not None
                g.output(each, data_type=wide)
            return g
        made = g.batch_norm(x, self.vector(True), self.vector(True))
        y = made.y + self.image(output=True) if add else made.y
        g.output(g.relu(y), data_type=kind)
        for each in (made.mean, made.inv_variance):
            assert each is not None
            g.output(each, data_type="FLOAT")
        return g


def product(kind: Any, rows: int = 4096) -> Graph:
    """Return a product of matrices, with scale and bias of its columns."""
    integers = kind == "INT8"
    compute: Any = "INT32" if integers else "FLOAT"
    g = Graph(io_data_type=kind, compute_data_type=compute, intermediate_data_type=compute)
    wide: Any = {"compute_data_type": "FLOAT", "data_type": "FLOAT"}
    a = g.tensor((1, rows, rows))
    y = g.matmul(a, g.tensor((1, rows, rows), strides=(rows * rows, 1, rows)))
    if integers:
        y = g.identity(y, **wide)
    scale, bias = (g.tensor((1, 1, rows), "FLOAT") for _ in range(2))
    g.output(g.add(g.mul(y, scale, **wide), bias, **wide), data_type=kind)
    return g


Case = tuple[str, str, Callable[[], Graph]]


def _around(shape: Convolution, word: str, kind: str, batch: int, **options: Any) -> Graph:
    return getattr(Maker(kind, shape, batch), word)(**options)


def cases() -> Iterator[Case]:
    """Yield the graphs: the shape and the name of each, and what makes it."""
    for place, shape in enumerate(SHAPES):

        def of(
            word: str, kind: str = "BFLOAT16", batch: int = 64, shape: Convolution = shape,
            **options: Any,
        ) -> Callable[[], Graph]:  # fmt: skip
            return partial(_around, shape, word, kind, batch, **options)

        yield shape.name, "forward", of("forward")
        yield shape.name, "forward_gen_stats", of("forward", statistics="gen_stats")
        yield shape.name, "forward_sums", of("forward", statistics="sums")
        yield shape.name, "prologue", of("forward", prologue=True)
        yield shape.name, "prologue_stats", of("forward", prologue=True, statistics="gen_stats")
        yield shape.name, "data", of("backward")
        yield shape.name, "data_relu", of("backward", relu=True)
        yield shape.name, "data_relu_sums", of("backward", relu=True, sums="sums")
        yield shape.name, "filter", of("filter_gradient")
        if place in (0, 3):
            yield shape.name, "data_weights_half", of("backward", "HALF", sums="weights")
            yield shape.name, "norm_relu", of("normed")
            yield shape.name, "norm_add_relu", of("normed", add=True)
            yield shape.name, "norm_backward_relu", of("normed", backward=True)
            for kind in ("HALF", "FP8_E4M3", "INT8"):
                yield shape.name, f"scaled_{kind.lower()}", of("scaled", kind, 256)
    for kind in ("HALF", "FP8_E4M3", "INT8"):
        yield "product", kind.lower(), partial(product, kind)


def main() -> int:
    """Measure, print a table, and write the record if asked to."""
    parser = records.parser(__doc__)
    parser.add_argument("--seconds", type=float, default=300, help="begin no graph after that")
    options = parser.parse_args()
    if not driver.count():
        print("not run: it takes a GPU", file=sys.stderr)
        return 77
    began, values = time.monotonic(), dict[str, dict[str, float]]()
    for shape, name, make in cases():
        if time.monotonic() - began > options.seconds:
            print("the rest was left out for lack of time")
            break
        try:
            found = make().autotune(seconds=SECONDS, most=MOST, remember=False, precision=0.02)
        except errors.CudnnError as error:
            print(f"{shape:28}{name:24}{type(error).__name__}: {str(error)[:100]!r}", flush=True)
            continue
        best = min((each for each in found if each.state == "ok"), key=lambda each: each.median)
        values.setdefault(shape, {})[name] = best.median
        print(f"{shape:28}{name:24}{best.median:10.1f} us, engine {best.engine}", flush=True)
    subject = ("overlay/cudnn_cffi/graph",)
    records.finish(options, "gpu_fusions", values, subject, driver.info(0).name)
    return 0


if __name__ == "__main__":
    sys.exit(main())
