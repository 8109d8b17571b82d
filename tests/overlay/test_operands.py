"""Calls that describe and check their arguments refuse wrong ones before cuDNN sees them.

The handle is borrowed and does not exist: whatever got through would end the process.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest


class Device:
    """An array on a device that is not there, by the CUDA Array Interface."""

    def __init__(
        self, *shape: int, kind: str = "<f4", strides: Any = None, address: int = 0x7000
    ) -> None:
        self.__cuda_array_interface__ = {
            "data": (address, False),
            "shape": shape,
            "typestr": kind,
            "strides": strides,
            "version": 3,
        }


@pytest.fixture
def handle(cudnn: Any) -> Iterator[Any]:
    with cudnn.Handle.from_address(0x1234) as handle:
        yield handle


X = (2, 4, 8, 8)


class TestOneInputAndOneOutput:
    @pytest.mark.parametrize(
        ("x", "out", "words"),
        [
            (np.ones(X, "f4"), Device(*X), "x: .*host memory"),
            (Device(*X), np.ones(X, "f4"), "out: .*host memory"),
            (Device(*X, address=0), Device(*X), "x: .*freed"),
            (0x7000, Device(*X), "x: device memory was expected, a int came"),
            ("x", Device(*X), "x: device memory was expected"),
            (Device(*X, address=0x7001), Device(*X), "x: an address that is a multiple of 4"),
            (Device(*X), Device(*X, kind="<f8"), "out: float32 was expected, like x, float64 came"),
            (Device(*X), Device(2, 4, 8, 9), "out: shape 2,4,8,8 was expected, 2,4,8,9 came"),
            (Device(2, 0, 8, 8), Device(*X), "extents of 1 or more"),
            (Device(*X, kind="<c8"), Device(*X, kind="<c8"), "COMPLEX|BAD_PARAM|data type"),
        ],
    )
    def test_activation(self, cudnn: Any, handle: Any, x: Any, out: Any, words: str) -> None:
        relu = cudnn.ActivationDescriptor.relu()
        with pytest.raises(cudnn.CudnnError, match=words):
            relu(x, out, handle=handle)

    def test_pooling_knows_what_comes_out(self, cudnn: Any, handle: Any) -> None:
        pool = cudnn.PoolingDescriptor.max(2)
        with pytest.raises(ValueError, match="out: shape 2,4,4,4 was expected, 2,4,8,8 came"):
            pool(Device(*X), Device(*X), handle=handle)

    def test_closed_ones(self, cudnn: Any, handle: Any) -> None:
        relu = cudnn.ActivationDescriptor.relu()
        relu.close()
        with pytest.raises(cudnn.CudnnError, match=r"activationDesc.*closed"):
            relu(Device(*X), Device(*X), handle=handle)
        handle.close()
        with pytest.raises(cudnn.CudnnError, match=r"handle.*closed"):
            cudnn.ActivationDescriptor.tanh()(Device(*X), Device(*X), handle=handle)


class TestConvolution:
    @pytest.mark.parametrize(
        ("x", "w", "out", "words"),
        [
            (Device(*X), Device(6, 3, 3, 3), None, "x: 3 channels were expected, 4 came"),
            (Device(*X), Device(6, 4, 3, 3, kind="<f2"), None, "w: float32 was expected"),
            (Device(*X), np.ones((6, 4, 3, 3), "f4"), None, "w: .*host memory"),
            (Device(*X), Device(6, 4, 9, 9), None, "cudnnGetConvolutionNdForwardOutputDim"),
            (
                Device(*X),
                Device(6, 4, 3, 3, strides=(288, 72, 24, 8)),
                None,
                "a filter without gaps was expected",
            ),
            (Device(*X), Device(6, 4, 3, 3), Device(2, 6, 8, 8), "out: shape 2,6,6,6 was expected"),
        ],
    )
    def test_what_does_not_go_together(
        self, cudnn: Any, handle: Any, x: Any, w: Any, out: Any, words: str
    ) -> None:
        conv = cudnn.ConvolutionDescriptor.cross_correlation()
        with pytest.raises(cudnn.CudnnError, match=words):
            conv(x, w, out, handle=handle)

    def test_an_algorithm_that_is_none(self, cudnn: Any, handle: Any) -> None:
        conv = cudnn.ConvolutionDescriptor.cross_correlation(1)
        with pytest.raises(ValueError, match="a ConvolutionFwdAlgo was expected, 'FASTEST' came"):
            conv(Device(*X), Device(4, 4, 3, 3), Device(*X), handle=handle, algorithm="FASTEST")


def test_kept_descriptors_are_not_those_that_are_handed_out(cudnn: Any, handle: Any) -> None:
    from cudnn_cffi import _operands

    one = _operands.tensor(Device(*X), "x", handle)
    other = _operands.tensor(Device(*X, address=0x8000), "x", handle)
    assert one.desc is other.desc
    assert (one.address, other.address) == (0x7000, 0x8000)
    assert cudnn.TensorDescriptor.like(Device(*X)) is not one.desc
    turned = _operands.tensor(Device(*X, strides=(1024, 4, 128, 16)), "x", handle)
    assert turned.desc is not one.desc
    assert turned.desc.layout == "NHWC"


def test_no_more_than_so_many_are_kept(handle: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    from cudnn_cffi import _operands

    monkeypatch.setattr(_operands, "_LIMIT", 10)
    monkeypatch.setattr(_operands, "_tensors", {})
    for size in range(1, 50):
        assert _operands.tensor(Device(1, size, 3, 4), "x", handle).desc.shape == (1, size, 3, 4)
    assert len(_operands._tensors) <= 10
