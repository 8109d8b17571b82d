"""Convolution forward against a float64 reference, through C names and through descriptors."""

from __future__ import annotations

from typing import Any

import pytest

SHAPES = [
    # x, w, padding, stride, dilation, groups
    pytest.param((4, 16, 17, 19), (24, 16, 3, 3), 1, 1, 1, 1, id="3x3"),
    pytest.param((3, 16, 20, 15), (32, 16, 5, 3), (2, 0), 2, 1, 1, id="strided"),
    pytest.param((2, 16, 20, 20), (16, 16, 3, 3), 2, 1, 2, 1, id="dilated"),
    pytest.param((2, 32, 12, 12), (32, 8, 3, 3), 1, 1, 1, 4, id="grouped"),
    # Strides that fit both layouts.
    pytest.param((4, 32, 14, 14), (16, 32, 1, 1), 0, 1, 1, 1, id="1x1"),
    pytest.param((4, 1, 16, 16), (8, 1, 3, 3), 1, 1, 1, 1, id="one channel"),
    pytest.param((4, 32, 1, 1), (16, 32, 3, 3), 1, 1, 1, 1, id="one pixel"),
]

#: Types that cuDNN has on tensor cores only with other layouts, in some releases.
MAY_LACK_NHWC = ("float64", "float32")


def reference(torch: Any, x: Any, w: Any, *options: Any) -> Any:
    padding, stride, dilation, groups = options
    convolve = torch.nn.functional.conv2d
    x, w = x.cpu().double().contiguous(), w.cpu().double().contiguous()
    return convolve(x, w, None, stride, padding, dilation, groups)


@pytest.mark.parametrize(("x_shape", "w_shape", "padding", "stride", "dilation", "groups"), SHAPES)
def test_five_lines_of_the_overlay(
    cudnn: Any, torch: Any, handle: Any, precision: Any, layout: str, fresh: Any, poisoned: Any,
    error_of: Any, x_shape: Any, w_shape: Any, padding: Any, stride: Any, dilation: Any, groups: int,
) -> None:  # fmt: skip
    x = fresh(*x_shape, dtype=precision.dtype, layout=layout)
    w = fresh(*w_shape, dtype=precision.dtype, layout=layout)
    conv = cudnn.ConvolutionDescriptor.cross_correlation(
        padding, stride, dilation, groups=groups, compute=precision.compute, math=precision.math
    )
    expected = reference(torch, x, w, padding, stride, dilation, groups)
    y = poisoned(*expected.shape, dtype=precision.dtype, layout=layout)
    try:
        assert conv(x, w, out=y, handle=handle) is y
    except cudnn.CudnnError as error:
        lacking = layout == "NHWC" and precision.dtype in MAY_LACK_NHWC
        if not lacking or type(error).__name__ != "NotSupportedError":
            raise
        pytest.skip(f"cuDNN has no channels-last convolution of {precision.name}")
    assert error_of(y, expected) < precision.tolerance


def test_float64_arrays_need_no_compute_type(
    cudnn: Any, torch: Any, handle: Any, fresh: Any, poisoned: Any, error_of: Any
) -> None:
    conv = cudnn.ConvolutionDescriptor.cross_correlation(1)
    for dtype, tolerance in (("float64", 1e-13), ("float32", 2e-3), ("float16", 1e-3)):
        x, w = fresh(4, 16, 17, 19, dtype=dtype), fresh(24, 16, 3, 3, dtype=dtype)
        y = poisoned(4, 24, 17, 19, dtype=dtype)
        conv(x, w, out=y, handle=handle)
        assert error_of(y, reference(torch, x, w, 1, 1, 1, 1)) < tolerance
    assert conv.compute is cudnn.DataType.FLOAT


def test_the_math_type_decides_whether_float32_is_rounded(
    cudnn: Any, torch: Any, handle: Any, fresh: Any, poisoned: Any, error_of: Any
) -> None:
    if torch.cuda.get_device_capability()[0] < 8:
        pytest.skip("this device has no TF32")
    x, w = fresh(8, 64, 56, 56), fresh(64, 64, 3, 3)
    expected = reference(torch, x, w, 1, 1, 1, 1)

    def error(math: str, algorithm: Any) -> float:
        conv = cudnn.ConvolutionDescriptor.cross_correlation(1, math=math)
        y = poisoned(*expected.shape)
        conv(x, w, out=y, handle=handle, algorithm=algorithm)
        return float(error_of(y, expected))

    # The rounding of a Winograd transform, which may be the first choice, is another matter.
    assert error("FMA_MATH", "IMPLICIT_PRECOMP_GEMM") < 2e-6
    rounded = [error("DEFAULT_MATH", each) for each in (None, "IMPLICIT_PRECOMP_GEMM")]
    assert max(rounded) < 2e-3
    assert max(rounded) > 1e-5, "tensor cores were not used"


def test_the_c_names_with_descriptors_and_arrays(
    cudnn: Any, torch: Any, handle: Any, precision: Any, fresh: Any, poisoned: Any, error_of: Any
) -> None:
    x = fresh(4, 16, 14, 14, dtype=precision.dtype)
    w = fresh(8, 16, 3, 3, dtype=precision.dtype)
    conv = cudnn.ConvolutionDescriptor.cross_correlation(
        1, compute=precision.compute, math=precision.math
    )
    x_desc, w_desc = cudnn.TensorDescriptor.like(x), cudnn.FilterDescriptor.like(w)
    shape = cudnn.cudnnGetConvolution2dForwardOutputDim(conv, x_desc, w_desc)
    y = poisoned(*shape, dtype=precision.dtype)
    y_desc = cudnn.TensorDescriptor.like(y)
    found = cudnn.cudnnGetConvolutionForwardAlgorithm_v7(handle, x_desc, w_desc, conv, y_desc, 8)
    best = next(each for each in found if not each.status)
    workspace = torch.empty(max(best.memory, 1), dtype=torch.uint8, device="cuda")
    expected = reference(torch, x, w, 1, 1, 1, 1)
    cudnn.cudnnConvolutionForward(
        handle, 1.0, x_desc, x, w_desc, w, conv, best.algo, workspace, best.memory, 0.0, y_desc, y
    )
    assert error_of(y, expected) < precision.tolerance
    # The same with bare addresses, and added to what is there: alpha and beta are numbers.
    before = y.cpu().double()
    cudnn.cudnnConvolutionForward(
        handle.address, 0.5, x_desc.address, x.data_ptr(), w_desc.address, w.data_ptr(),
        conv.address, int(best.algo), workspace.data_ptr(), best.memory, 2.0, y_desc.address,
        y.data_ptr(),
    )  # fmt: skip
    assert error_of(y, 0.5 * expected + 2 * before) < precision.tolerance


def test_every_algorithm_that_is_offered_is_right(
    cudnn: Any, torch: Any, handle: Any, fresh: Any, poisoned: Any, error_of: Any
) -> None:
    x, w = fresh(2, 8, 16, 16), fresh(8, 8, 3, 3)
    conv = cudnn.ConvolutionDescriptor.cross_correlation(1, math="FMA_MATH")
    x_desc, w_desc = cudnn.TensorDescriptor.like(x), cudnn.FilterDescriptor.like(w)
    y = poisoned(2, 8, 16, 16)
    y_desc = cudnn.TensorDescriptor.like(y)
    expected = reference(torch, x, w, 1, 1, 1, 1)
    found = cudnn.cudnnFindConvolutionForwardAlgorithm(handle, x_desc, w_desc, conv, y_desc, 16)
    usable = [each for each in found if not each.status]
    assert usable
    for each in usable:
        y.fill_(float("nan"))
        conv(x, w, out=y, handle=handle, algorithm=each.algo)
        assert error_of(y, expected) < 1e-4, each


def test_one_dimension_more(
    cudnn: Any, torch: Any, handle: Any, fresh: Any, poisoned: Any, error_of: Any
) -> None:
    x, w = fresh(2, 4, 6, 8, 10), fresh(8, 4, 3, 3, 3)
    expected = torch.nn.functional.conv3d(x.cpu().double(), w.cpu().double(), padding=1)
    y = poisoned(*expected.shape)
    conv = cudnn.ConvolutionDescriptor.cross_correlation((1, 1, 1), math="FMA_MATH")
    conv(x, w, out=y, handle=handle)
    assert error_of(y, expected) < 2e-6


def test_a_view_of_some_channels_is_taken_as_it_lies(
    cudnn: Any, torch: Any, handle: Any, precision: Any, fresh: Any, poisoned: Any, error_of: Any
) -> None:
    whole = fresh(4, 12, 10, 10, dtype=precision.dtype)
    x = whole[:, 4:12]  # from an address that suits vectors of any type
    w = fresh(6, 8, 3, 3, dtype=precision.dtype)
    assert cudnn.TensorDescriptor.like(x).strides == (1200, 100, 10, 1)
    y = poisoned(4, 6, 8, 8, dtype=precision.dtype)
    conv = cudnn.ConvolutionDescriptor.cross_correlation(
        compute=precision.compute, math=precision.math
    )
    conv(x, w, out=y, handle=handle)
    assert error_of(y, reference(torch, x, w, 0, 1, 1, 1)) < precision.tolerance


def test_a_mirrored_filter_is_a_convolution(
    cudnn: Any, torch: Any, handle: Any, fresh: Any, error_of: Any
) -> None:
    x, w = fresh(1, 2, 9, 9, dtype="float64"), fresh(3, 2, 3, 3, dtype="float64")
    conv = cudnn.ConvolutionDescriptor.convolution(1, compute="float64")
    y = torch.from_dlpack(conv(x, w, handle=handle))
    assert error_of(y, reference(torch, x, w.flip(2, 3), 1, 1, 1, 1)) < 1e-13


def test_a_limit_on_the_workspace_is_kept(cudnn: Any, handle: Any, fresh: Any) -> None:
    x, w = fresh(2, 16, 32, 32), fresh(16, 16, 3, 3)
    conv = cudnn.ConvolutionDescriptor.cross_correlation(1)
    handle.workspace.limit = 0
    conv(x, w, handle=handle, algorithm="IMPLICIT_GEMM")
    conv(x, w, handle=handle)
    assert handle.workspace.size == 0
