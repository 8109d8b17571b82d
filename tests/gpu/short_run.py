"""A short run of everything that touches device memory, for a memory checker to watch."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import cudnn_cffi as cudnn
import numpy as np
from cudnn_cffi import ops
from cudnn_cffi.ops.attn import buckets


def main() -> None:
    generator = np.random.default_rng()

    def make(*shape: int, **options: Any) -> cudnn.DeviceArray:
        data = generator.standard_normal(shape, dtype=np.float32)
        return cudnn.DeviceArray.from_numpy(data, **options)

    with cudnn.Stream() as stream, cudnn.Handle(stream=stream) as handle:
        for layout in ("NCHW", "NHWC"):
            x = make(2, 8, 9, 11, stream=stream, layout=layout)
            y = cudnn.ActivationDescriptor.relu()(x, handle=handle)
            assert np.array_equal(y.to_numpy(), np.maximum(x.to_numpy(), 0))
            z = cudnn.PoolingDescriptor.max(2)(y, handle=handle)
            assert z.shape == (2, 8, 4, 5)
        x, w = make(2, 8, 9, 11, stream=stream), make(4, 8, 3, 3, stream=stream)
        conv = cudnn.ConvolutionDescriptor.cross_correlation(1, math="FMA_MATH")
        for algorithm in ("IMPLICIT_GEMM", "GEMM", None):
            y = conv(x, w, handle=handle, algorithm=algorithm)
        assert not np.isnan(y.to_numpy()).any()
        with cudnn.DropoutDescriptor.with_state(handle, 0.5, 3) as dropout:
            desc = cudnn.TensorDescriptor.like(x)
            size = cudnn.cudnnDropoutGetReserveSpaceSize(desc)
            reserve = cudnn.DeviceArray.zeros(size, "uint8", stream=stream)
            out = cudnn.DeviceArray.empty(x.shape, stream=stream)
            cudnn.cudnnDropoutForward(handle, dropout, desc, x, desc, out, reserve, size)
        _normalisations(handle, x)
        _recurrent(handle, make)
        _graphs(handle, generator)
        view = x[:, 2:5, ::2, 1:]
        target = cudnn.DeviceArray.zeros(x.shape, stream=stream)[:, 2:5, ::2, 1:]
        cudnn.ActivationDescriptor.sigmoid()(view, target, handle=handle)
        handle.workspace.get(5 << 20, stream)
        stream.synchronize()
    _replayed(generator)
    _low_addresses(generator)
    _lengths(generator)


def _normalisations(handle: cudnn.Handle, x: cudnn.DeviceArray) -> None:
    desc, stream = cudnn.TensorDescriptor.like(x), handle.stream
    y = cudnn.DeviceArray.empty(x.shape, stream=stream)
    softmax, mode = cudnn.SoftmaxAlgorithm.ACCURATE, cudnn.SoftmaxMode.CHANNEL
    cudnn.cudnnSoftmaxForward(handle, softmax, mode, 1.0, desc, x, 0.0, desc, y)
    spatial = cudnn.BatchNormMode.SPATIAL
    with cudnn.TensorDescriptor() as derived:
        derived.derive_bn(desc, spatial)
        scale, bias, mean, variance, saved, inverse = (
            cudnn.DeviceArray.zeros((1, x.shape[1], 1, 1), stream=stream) for _ in range(6)
        )
        cudnn.cudnnBatchNormalizationForwardTraining(
            handle, spatial, 1.0, 0.0, desc, x, desc, y, derived, scale, bias, 0.1, mean, variance,
            1e-5, saved, inverse,
        )  # fmt: skip
    assert not np.isnan(y.to_numpy()).any()


def _graphs(handle: cudnn.Handle, generator: np.random.Generator) -> None:
    def make(*shape: int) -> cudnn.DeviceArray:
        data = generator.standard_normal(shape).astype(np.float16)
        return cudnn.DeviceArray.from_numpy(data, stream=handle.stream)

    x, w, b = make(2, 8, 9, 11), make(16, 8, 3, 3), make(1, 16, 1, 1)
    graph = cudnn.Graph()
    y = graph.convolution(graph.tensor(x), graph.tensor(w), padding=1) + graph.tensor(b)
    graph.output(graph.relu(y))
    for candidate in graph.candidates(handle)[:4]:
        plan = candidate.build()
        made = plan(x, w, b, handle=handle)
        assert plan(x, w, b, made, handle=handle) is made
        assert not np.isnan(made.to_numpy()).any()
    q, k, v = (make(2, 4, 128, 64) for _ in range(3))
    graph = cudnn.Graph()
    o, statistics = graph.attention(
        *(graph.tensor(each) for each in (q, k, v)), causal=True, stats=True
    )
    graph.output(o)
    graph.output(statistics)
    arrays: Any = graph.build(handle)(q, k, v, handle=handle)
    o, statistics = arrays
    graph = cudnn.Graph()
    q_, k_, v_, o_, do, stats = (graph.tensor(each) for each in (q, k, v, o, o, statistics))
    for each in graph.attention_backward(q_, k_, v_, o_, do, stats, causal=True)[:3]:
        graph.output(each)
    arrays = (q, k, v, o, make(2, 4, 128, 64), statistics)
    for gradient in graph.build(handle)(*arrays, handle=handle):
        assert not np.isnan(gradient.to_numpy()).any()


def _replayed(generator: np.random.Generator) -> None:
    """Launch calls that come again as CUDA graphs, at several addresses in turn."""
    data = generator.standard_normal((2, 8, 9, 11), dtype=np.float32)
    graph = cudnn.Graph()
    inputs = [cudnn.DeviceArray.from_numpy(data) for _ in range(3)]
    graph.output(graph.relu(graph.tensor(inputs[0])))
    plan = graph.build()
    conv = ops.Convolution(padding=1)
    w = cudnn.DeviceArray.from_numpy(generator.standard_normal((4, 8, 3, 3), dtype=np.float32))
    for _ in range(8):
        for x in inputs:
            y = plan(x)
            assert np.array_equal(y.to_numpy(), np.maximum(data, 0))
            assert not np.isnan(conv(x, w).to_numpy()).any()
            y.close()
    plan.close()


def _low_addresses(generator: np.random.Generator) -> None:
    """Compute with arrays that begin one element after a multiple of 16 bytes."""

    def low(*shape: int, dtype: str = "float16") -> cudnn.DeviceArray:
        size = int(np.prod(shape))
        data = generator.standard_normal(size + 1).astype(dtype)
        return cudnn.DeviceArray.from_numpy(data)[1:].reshape(*shape)

    for dtype in ("float16", "float32"):
        x, w = low(2, 8, 6, 6, dtype=dtype), low(8, 8, 3, 3, dtype=dtype)
        scale, bias = low(8, dtype="float32"), low(8, dtype="float32")
        kept = ops.BatchNorm()(x, scale, bias)
        for _ in range(4):  # the last ones are known to the compiled layer, or replayed
            for found in (
                ops.convolution(x, w, padding=1),
                ops.convolution_backward_data(x, w, x.shape, padding=1),
                ops.convolution_backward_filter(x, x, w.shape, padding=1),
                ops.convolution_backward_bias(x),
                ops.reduce(x, "add", axes=(0, 2, 3)),
                ops.reduce(x.reshape(2, 288), "max", axes=1),
                ops.softmax(x),
                ops.max_pool(x, 2),
                ops.BatchNormBackward()(x, x, scale, kept.mean, kept.inv_variance)[0],
                ops.relu(x),
                ops.add(x, x),
            ):
                assert not np.isnan(found.to_numpy()).any()


def _lengths(generator: np.random.Generator) -> None:
    """Compute attention of lengths by plans for greater ones, and over pages."""

    def make(*shape: int) -> cudnn.DeviceArray:
        return cudnn.DeviceArray.from_numpy(generator.standard_normal(shape).astype(np.float16))

    buckets.EXACT = 1
    for heads in (1, 4):
        operation = ops.Attention(stats=True, causal=True)
        for length in (70, 65, 127):
            q, k, v, do = (make(2, heads, length, 64) for _ in range(4))
            found = operation(q, k, v)
            arrays = (*found, *operation.backward(do, q, k, v, found.o, found.stats)[:3])
            for each in arrays:
                assert not np.isnan(each.to_numpy()).any()
    k, v = (make(6, 2, 16, 64) for _ in "kv")
    table = cudnn.DeviceArray.from_numpy(np.arange(6, dtype=np.int32).reshape(2, 3))
    lengths = cudnn.DeviceArray.from_numpy(np.array([48, 17], np.int32))
    for queries in (1, 3):
        for finite in (False, True):
            decode = ops.DecodeAttention(finite=finite)
            o = decode(make(2, 8, queries, 64), k, v, table, lengths).o
            assert not np.isnan(o.to_numpy()).any()


def _recurrent(handle: cudnn.Handle, make: Callable[..., cudnn.DeviceArray]) -> None:
    stream = handle.stream
    inference = cudnn.ForwardMode.INFERENCE
    with cudnn.RNNDescriptor.lstm(8, 16) as rnn:
        size = cudnn.cudnnGetRNNWeightSpaceSize(handle, rnn)
        weights = make(size // 4, stream=stream)
        x, y = make(5, 2, 8, stream=stream), cudnn.DeviceArray.empty((5, 2, 16), stream=stream)
        x_desc, y_desc = (cudnn.RNNDataDescriptor.of([5, 5], width) for width in (8, 16))
        lengths = cudnn.DeviceArray.from_numpy(np.array([5, 5], np.int32), stream=stream)
        sizes = cudnn.cudnnGetRNNTempSpaceSizes(handle, rnn, inference, x_desc)
        work = handle.workspace.get(sizes.workSpaceSize, stream)
        cudnn.cudnnRNNForward(
            handle, rnn, inference, lengths, x_desc, x, y_desc, y, None, 0, 0, None, 0, 0, size,
            weights, sizes.workSpaceSize, work, 0, 0,
        )  # fmt: skip
    assert not np.isnan(y.to_numpy()).any()


def overrun() -> None:
    """A write beyond the end of an array, which a memory checker has to see."""
    with cudnn.Handle() as handle:
        large, small = (cudnn.DeviceArray.zeros(n) for n in (1 << 11, 1 << 10))
        desc = cudnn.TensorDescriptor.like(large)
        relu = cudnn.ActivationDescriptor.relu()
        cudnn.cudnnActivationForward(handle, relu, 1.0, desc, large, 0.0, desc, small)
        large.to_numpy()


if __name__ == "__main__":
    overrun() if "--overrun" in sys.argv else main()
    print("done")
