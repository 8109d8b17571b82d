"""Results and gradients under the C names, against PyTorch's autograd on the CPU in float64."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from tests.activations import CLASSIC, activate
from tests.gpu.test_convolution import SHAPES


def reference(array: Any) -> Any:
    """Return a float64 copy on the CPU that wants a gradient."""
    return array.detach().cpu().double().contiguous().requires_grad_()


def tolerance(precision: Any) -> float:
    """Return what a gradient may be off by: sums over many terms, and transforms, round more."""
    return max(4 * float(precision.tolerance), 1e-5 if precision.name != "float64" else 1e-12)


def gradient(
    function: Callable[..., Any], inputs: tuple[Any, ...], dy: Any
) -> tuple[Any, tuple[Any, ...]]:
    """Return the result of `function` and the gradients of its inputs, in float64."""
    y = function(*inputs)
    y.backward(dy.detach().cpu().double())
    return y.detach(), tuple(each.grad for each in inputs)


class TestConvolution:
    @pytest.mark.parametrize(
        ("x_shape", "w_shape", "padding", "stride", "dilation", "groups"), SHAPES[:5]
    )
    def test_data_and_filter(
        self, cudnn: Any, torch: Any, handle: Any, precision: Any, layout: str, fresh: Any,
        poisoned: Any, error_of: Any, x_shape: Any, w_shape: Any,
        padding: Any, stride: int, dilation: int, groups: int,
    ) -> None:  # fmt: skip
        """Every algorithm that cuDNN offers for this convolution gives the same gradients."""
        dtype = precision.dtype
        x = fresh(*x_shape, dtype=dtype, layout=layout)
        w = fresh(*w_shape, dtype=dtype, layout=layout)

        def convolve(x: Any, w: Any) -> Any:
            return torch.nn.functional.conv2d(x, w, None, stride, padding, dilation, groups)

        inputs = (reference(x), reference(w))
        dy = fresh(*convolve(*inputs).shape, dtype=dtype, layout=layout)
        _, (dx_expected, dw_expected) = gradient(convolve, inputs, dy)

        conv = cudnn.ConvolutionDescriptor.cross_correlation(
            padding, stride, dilation, groups=groups, compute=precision.compute,
            math=precision.math,
        )  # fmt: skip
        x_desc, dy_desc = cudnn.TensorDescriptor.like(x), cudnn.TensorDescriptor.like(dy)
        w_desc = cudnn.FilterDescriptor.like(w)

        def workspace(size: int) -> Any:
            return torch.empty(max(size, 1), dtype=torch.uint8, device="cuda")

        offered = cudnn.cudnnGetConvolutionBackwardDataAlgorithm_v7(
            handle, w_desc, dy_desc, conv, x_desc, 8
        )
        data = [each for each in offered if not each.status and each.memory < 1 << 30]
        offered = cudnn.cudnnGetConvolutionBackwardFilterAlgorithm_v7(
            handle, x_desc, dy_desc, conv, w_desc, 8
        )
        filters = [each for each in offered if not each.status and each.memory < 1 << 30]
        for each in data:
            cudnn.cudnnSetConvolutionMathType(conv, each.mathType)
            dx = poisoned(*x_shape, dtype=dtype, layout=layout)
            cudnn.cudnnConvolutionBackwardData(
                handle, 1.0, w_desc, w, dy_desc, dy, conv, each.algo, workspace(each.memory),
                each.memory, 0.0, x_desc, dx,
            )  # fmt: skip
            assert error_of(dx, dx_expected) < tolerance(precision), each
        for each in filters:
            cudnn.cudnnSetConvolutionMathType(conv, each.mathType)
            dw = poisoned(*w_shape, dtype=dtype, layout=layout)
            cudnn.cudnnConvolutionBackwardFilter(
                handle, 1.0, x_desc, x, dy_desc, dy, conv, each.algo, workspace(each.memory),
                each.memory, 0.0, w_desc, dw,
            )  # fmt: skip
            assert error_of(dw, dw_expected) < tolerance(precision), each
        if not data or not filters:
            pytest.skip(f"cuDNN offers no algorithm for {precision.name} {layout}")

    def test_bias(
        self, cudnn: Any, handle: Any, precision: Any, layout: str, fresh: Any, poisoned: Any,
        error_of: Any, unless_lacking: Any,
    ) -> None:  # fmt: skip
        dy = fresh(4, 24, 17, 19, dtype=precision.dtype, layout=layout)
        db = poisoned(1, 24, 1, 1, dtype=precision.dtype)
        dy_desc = cudnn.TensorDescriptor.like(dy)
        db_desc = cudnn.TensorDescriptor.packed((1, 24, 1, 1), precision.dtype)
        with unless_lacking("bfloat16"):
            cudnn.cudnnConvolutionBackwardBias(handle, 1.0, dy_desc, dy, 0.0, db_desc, db)
        expected = dy.cpu().double().sum((0, 2, 3), keepdim=True)
        assert error_of(db, expected) < tolerance(precision)

    def test_gradients_are_added_to_what_is_there(
        self, cudnn: Any, torch: Any, handle: Any, fresh: Any, error_of: Any
    ) -> None:
        x, w, dy = fresh(2, 8, 12, 12), fresh(16, 8, 3, 3), fresh(2, 16, 12, 12)
        dw = fresh(16, 8, 3, 3)
        before = dw.cpu().double()
        convolve = torch.nn.functional.conv2d
        inputs = (reference(x), reference(w))
        _, (_, expected) = gradient(lambda x, w: convolve(x, w, padding=1), inputs, dy)
        conv = cudnn.ConvolutionDescriptor.cross_correlation(1, math="FMA_MATH")
        x_desc, dy_desc = cudnn.TensorDescriptor.like(x), cudnn.TensorDescriptor.like(dy)
        w_desc = cudnn.FilterDescriptor.like(w)
        algorithm = cudnn.ConvolutionBwdFilterAlgo.ALGO_1
        size = cudnn.cudnnGetConvolutionBackwardFilterWorkspaceSize(
            handle, x_desc, dy_desc, conv, w_desc, algorithm
        )
        workspace = torch.empty(max(size, 1), dtype=torch.uint8, device="cuda")
        cudnn.cudnnConvolutionBackwardFilter(
            handle, 0.5, x_desc, x, dy_desc, dy, conv, algorithm, workspace, size, 2.0, w_desc, dw
        )
        assert error_of(dw, 0.5 * expected + 2 * before) < 1e-5


@pytest.mark.parametrize("name", CLASSIC)
def test_activation(
    cudnn: Any, torch: Any, handle: Any, precision: Any, layout: str, fresh: Any, poisoned: Any, error_of: Any,
    name: str,
) -> None:  # fmt: skip
    x = fresh(3, 5, 7, 11, dtype=precision.dtype, layout=layout)
    dy = fresh(3, 5, 7, 11, dtype=precision.dtype, layout=layout)
    y, z, dx = (poisoned(3, 5, 7, 11, dtype=precision.dtype, layout=layout) for _ in range(3))
    activation = getattr(cudnn.ActivationDescriptor, name)()
    desc = cudnn.TensorDescriptor.like(x)
    assert desc.layout == layout
    cudnn.cudnnActivationForward(handle, activation, 1.0, desc, x, 0.0, desc, y)
    cudnn.cudnnActivationBackward(
        handle, activation, 1.0, desc, y, desc, dy, desc, x, 0.0, desc, dx
    )
    expected_y, (expected_dx,) = gradient(partial(activate, name), (reference(x),), dy)
    assert error_of(y, expected_y) < max(precision.tolerance, 1e-6)
    assert error_of(dx, expected_dx) < max(tolerance(precision), 1e-6)
    assert activation(x, z, handle=handle) is z
    assert torch.equal(y, z)
    made = activation(x, handle=handle)
    assert torch.equal(y, torch.from_dlpack(made))
    assert cudnn.TensorDescriptor.like(made).layout == layout


@pytest.mark.parametrize("kind", ["max", "deterministic max", "average", "average without padding"])
def test_pooling(
    cudnn: Any, torch: Any, handle: Any, precision: Any, layout: str, fresh: Any, poisoned: Any,
    error_of: Any, kind: str,
) -> None:  # fmt: skip
    x = fresh(2, 8, 13, 17, dtype=precision.dtype, layout=layout)
    if kind.endswith("max"):
        pooling = cudnn.PoolingDescriptor.max(
            3, stride=2, padding=1, deterministic=kind.startswith("deterministic")
        )

        def pool(x: Any) -> Any:
            return torch.nn.functional.max_pool2d(x, 3, 2, 1)
    else:
        counted = kind == "average"
        pooling = cudnn.PoolingDescriptor.average(3, 2, 1, count_padding=counted)

        def pool(x: Any) -> Any:
            return torch.nn.functional.avg_pool2d(x, 3, 2, 1, count_include_pad=counted)

    shape = pool(reference(x)).shape
    dy = fresh(*shape, dtype=precision.dtype, layout=layout)
    y, z = (poisoned(*shape, dtype=precision.dtype, layout=layout) for _ in range(2))
    dx = poisoned(*x.shape, dtype=precision.dtype, layout=layout)
    x_desc, y_desc = cudnn.TensorDescriptor.like(x), cudnn.TensorDescriptor.like(y)
    cudnn.cudnnPoolingForward(handle, pooling, 1.0, x_desc, x, 0.0, y_desc, y)
    cudnn.cudnnPoolingBackward(
        handle, pooling, 1.0, y_desc, y, y_desc, dy, x_desc, x, 0.0, x_desc, dx
    )
    # Where elements of a window are equal, which low precision makes likely, the first one has
    # the gradient in both.
    expected_y, (expected_dx,) = gradient(pool, (reference(x),), dy)
    assert error_of(dx, expected_dx) < tolerance(precision)
    assert error_of(y, expected_y) < precision.tolerance
    assert pooling.output_shape(x_desc) == tuple(shape)
    assert torch.equal(pooling(x, z, handle=handle), y)


@pytest.mark.parametrize("mode", ["INSTANCE", "CHANNEL"])
@pytest.mark.parametrize("algorithm", ["FAST", "ACCURATE", "LOG"])
def test_softmax(
    cudnn: Any, handle: Any, precision: Any, layout: str, fresh: Any, poisoned: Any, error_of: Any,
    mode: str, algorithm: str,
) -> None:  # fmt: skip
    shape = (6, 10, 3, 5)
    x = fresh(*shape, dtype=precision.dtype, layout=layout)
    dy = fresh(*shape, dtype=precision.dtype, layout=layout)
    y, dx = (poisoned(*shape, dtype=precision.dtype, layout=layout) for _ in range(2))
    desc = cudnn.TensorDescriptor.like(x)
    how = (cudnn.SoftmaxAlgorithm[algorithm], cudnn.SoftmaxMode[mode])

    def softmax(x: Any) -> Any:
        flat = x if mode == "CHANNEL" else x.reshape(6, -1)
        flat = flat.log_softmax(1) if algorithm == "LOG" else flat.softmax(1)
        return flat.reshape(shape)

    cudnn.cudnnSoftmaxForward(handle, *how, 1.0, desc, x, 0.0, desc, y)
    cudnn.cudnnSoftmaxBackward(handle, *how, 1.0, desc, y, desc, dy, 0.0, desc, dx)
    expected_y, (expected_dx,) = gradient(softmax, (reference(x),), dy)
    limit = max(precision.tolerance, 1e-6) if algorithm == "ACCURATE" else tolerance(precision)
    assert error_of(y, expected_y) < limit
    assert error_of(dx, expected_dx) < tolerance(precision)


def test_batch_normalisation(
    cudnn: Any, torch: Any, handle: Any, precision: Any, layout: str, fresh: Any, poisoned: Any,
    error_of: Any,
) -> None:  # fmt: skip
    x, dy = (fresh(8, 6, 9, 5, dtype=precision.dtype, layout=layout) for _ in range(2))
    y, dx = (poisoned(8, 6, 9, 5, dtype=precision.dtype, layout=layout) for _ in range(2))
    kind = "float64" if precision.dtype == "float64" else "float32"
    scale, bias = fresh(6, dtype=kind), fresh(6, dtype=kind)
    mean, inverse, dscale, dbias = (poisoned(6, dtype=kind) for _ in range(4))
    running = fresh(6, dtype=kind), fresh(6, dtype=kind) ** 2
    wanted = [each.cpu().double() for each in running]
    desc = cudnn.TensorDescriptor.like(x)
    small = cudnn.TensorDescriptor.for_batch_norm(desc)
    assert small.shape == (1, 6, 1, 1)
    mode = cudnn.BatchNormMode.SPATIAL
    cudnn.cudnnBatchNormalizationForwardTraining(
        handle, mode, 1.0, 0.0, desc, x, desc, y, small, scale, bias, 0.25, *running, 1e-4, mean,
        inverse,
    )  # fmt: skip
    cudnn.cudnnBatchNormalizationBackward(
        handle, mode, 1.0, 0.0, 1.0, 0.0, desc, x, desc, dy, desc, dx, small, scale, dscale, dbias,
        1e-4, mean, inverse,
    )  # fmt: skip

    def normalise(x: Any, scale: Any, bias: Any) -> Any:
        return torch.nn.functional.batch_norm(
            x, *wanted, scale, bias, training=True, momentum=0.25, eps=1e-4
        )

    expected, gradients = gradient(normalise, (reference(x), reference(scale), reference(bias)), dy)
    for result, each in zip((dx, dscale, dbias), gradients, strict=True):
        assert error_of(result, each) < max(tolerance(precision), 1e-11)
    limit = max(precision.tolerance, 1e-11 if kind == "float64" else 2e-6)
    exact = expected, *wanted, x.cpu().double().mean((0, 2, 3))
    for result, each in zip((y, *running, mean), exact, strict=True):
        assert error_of(result, each) < limit
