"""Convolution algorithms that need a workspace, which not all do."""

from __future__ import annotations

from typing import Any

import pytest

CANDIDATES = ("WINOGRAD_NONFUSED", "FFT_TILING", "FFT", "GEMM", "IMPLICIT_PRECOMP_GEMM")


def workspace_size(
    cudnn: Any, handle: Any, conv: Any, x: Any, w: Any, y: Any, algorithm: str
) -> int:
    """The workspace of the algorithm; 0 if it does not support the case."""
    with (
        cudnn.TensorDescriptor.like(x) as x_desc,
        cudnn.FilterDescriptor.like(w) as w_desc,
        cudnn.TensorDescriptor.like(y) as y_desc,
    ):
        try:
            return int(
                cudnn.cudnnGetConvolutionForwardWorkspaceSize(
                    handle, x_desc, w_desc, conv, y_desc, cudnn.ConvolutionFwdAlgo[algorithm]
                )
            )
        except cudnn.CudnnError:
            return 0


def with_workspace(
    cudnn: Any, handle: Any, conv: Any, cases: list[tuple[Any, Any, Any]]
) -> tuple[str, list[int]]:
    """Return an algorithm that needs a workspace for each case of x, w and y, and its sizes."""
    for algorithm in CANDIDATES:
        sizes = [workspace_size(cudnn, handle, conv, *case, algorithm) for case in cases]
        if all(sizes):
            return algorithm, sizes
    pytest.fail("no algorithm needs a workspace here, so nothing would be tested")
