"""Directions of parameters, where headers' comments say otherwise, judged by what the GPU does.

Each test stands for an entry of `comments` in generator/classify/facts.toml. Memory that is claimed to be
written only is poisoned, or filled in two ways, and the result must not depend on it; memory that
is claimed to be read as well must change the result.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

NAN = float("nan")


def tensor(cudnn: Any, shape: tuple[int, ...], kind: Any = None) -> Any:
    desc = cudnn.TensorDescriptor()
    desc.set_4d(cudnn.CUDNN_TENSOR_NCHW, cudnn.CUDNN_DATA_FLOAT if kind is None else kind, *shape)
    return desc


def test_bias_activation_reads_nothing_from_y(cudnn: Any, torch: Any, handle: int) -> None:
    x = torch.randn(2, 8, 9, 9, device="cuda")
    w = torch.randn(8, 8, 3, 3, device="cuda")
    bias = torch.randn(8, device="cuda")
    z = torch.randn(2, 8, 9, 9, device="cuda")
    y = torch.full_like(z, NAN)
    x_desc, bias_desc = tensor(cudnn, (2, 8, 9, 9)), tensor(cudnn, (1, 8, 1, 1))
    w_desc, conv, relu = (
        cudnn.FilterDescriptor(),
        cudnn.ConvolutionDescriptor(),
        cudnn.ActivationDescriptor(),
    )
    w_desc.set_4d(cudnn.CUDNN_DATA_FLOAT, cudnn.CUDNN_TENSOR_NCHW, 8, 8, 3, 3)
    conv.set_2d(1, 1, 1, 1, 1, 1, cudnn.CUDNN_CROSS_CORRELATION, cudnn.CUDNN_DATA_FLOAT)
    relu.set(cudnn.CUDNN_ACTIVATION_RELU, cudnn.CUDNN_NOT_PROPAGATE_NAN, 0.0)
    algo = cudnn.CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_PRECOMP_GEMM
    size = cudnn.cudnnGetConvolutionForwardWorkspaceSize(handle, x_desc, w_desc, conv, x_desc, algo)
    space = torch.empty(max(size, 1), device="cuda", dtype=torch.uint8)
    cudnn.cudnnConvolutionBiasActivationForward(
        handle, 1.0, x_desc, x, w_desc, w, conv, algo, space, size,
        0.5, x_desc, z, bias_desc, bias, relu, x_desc, y,
    )  # fmt: skip
    expected = torch.relu(
        torch.nn.functional.conv2d(x.double(), w.double(), bias.double(), padding=1) + 0.5 * z
    )
    assert (y - expected).norm() / expected.norm() < 1e-3


def batch_norm_forward(cudnn: Any, torch: Any, handle: int, beta: float) -> tuple[Any, Any, Any]:
    x = torch.randn(4, 3, 5, 5, device="cuda")
    y = torch.randn_like(x)
    before = y.clone()
    ones, zeros = torch.ones(3, device="cuda"), torch.zeros(3, device="cuda")
    desc, small = tensor(cudnn, (4, 3, 5, 5)), tensor(cudnn, (1, 3, 1, 1))
    cudnn.cudnnBatchNormalizationForwardTraining(
        handle, cudnn.CUDNN_BATCHNORM_SPATIAL, 1.0, beta, desc, x, desc, y, small, ones, zeros,
        1.0, None, None, 1e-5, None, None,
    )  # fmt: skip
    plain = torch.nn.functional.batch_norm(x.double(), None, None, training=True, eps=1e-5)
    return plain, before, y


def test_batch_norm_blends_its_result_with_y(cudnn: Any, torch: Any, handle: int) -> None:
    plain, before, y = batch_norm_forward(cudnn, torch, handle, 0.5)
    expected = plain + 0.5 * before
    assert (y - expected).norm() / expected.norm() < 1e-4


def test_batch_norm_blends_the_gradients_of_its_parameters(
    cudnn: Any, torch: Any, handle: int
) -> None:
    x = torch.randn(4, 3, 5, 5, device="cuda")
    dy = torch.randn_like(x)
    dx = torch.full_like(x, NAN)
    scale = torch.rand(3, device="cuda") + 0.5
    results = []
    for start in (0.0, 10.0):
        dscale, dbias = (torch.full((3,), start, device="cuda") for _ in range(2))
        desc, small = tensor(cudnn, (4, 3, 5, 5)), tensor(cudnn, (1, 3, 1, 1))
        cudnn.cudnnBatchNormalizationBackward(
            handle, cudnn.CUDNN_BATCHNORM_SPATIAL, 1.0, 0.0, 1.0, 1.0, desc, x, desc, dy, desc, dx,
            small, scale, dscale, dbias, 1e-5, None, None,
        )  # fmt: skip
        results.append((dscale, dbias))
    for first, second in zip(*results, strict=True):
        assert torch.allclose(second - first, torch.full_like(first, 10.0), atol=1e-3)


@pytest.fixture
def dropout(cudnn: Any, torch: Any, handle: int) -> Callable[[int], tuple[Any, Any]]:
    """A descriptor whose states lay in memory that was filled with a byte."""

    def make(fill: int) -> tuple[Any, Any]:
        size = cudnn.cudnnDropoutGetStatesSize(handle)
        states = torch.full((size,), fill, device="cuda", dtype=torch.uint8)
        desc = cudnn.DropoutDescriptor()
        cudnn.cudnnSetDropoutDescriptor(desc, handle, 0.5, states, size, 1234)
        return desc, states

    return make


def test_dropout_states_and_reserve_space_are_written_only(
    cudnn: Any, torch: Any, handle: int, dropout: Any
) -> None:
    x = torch.randn(1, 1, 64, 64, device="cuda")
    results = []
    for fill in (0, 255):
        desc, _states = dropout(fill)
        y = torch.full_like(x, NAN)
        x_desc = tensor(cudnn, (1, 1, 64, 64))
        size = cudnn.cudnnDropoutGetReserveSpaceSize(x_desc)
        reserve = torch.full((size,), fill, device="cuda", dtype=torch.uint8)
        cudnn.cudnnDropoutForward(handle, desc, x_desc, x, x_desc, y, reserve, size)
        results.append(y)
    assert torch.equal(results[0], results[1])
    dropped = results[0] == 0
    assert dropped.any()
    assert not dropped.all()


def test_dropout_backward_leaves_its_reserve_space(
    cudnn: Any, torch: Any, handle: int, dropout: Any
) -> None:
    desc, _ = dropout(0)
    x = torch.randn(1, 1, 64, 64, device="cuda")
    y, dx = torch.full_like(x, NAN), torch.full_like(x, NAN)
    x_desc = tensor(cudnn, (1, 1, 64, 64))
    size = cudnn.cudnnDropoutGetReserveSpaceSize(x_desc)
    reserve = torch.zeros(size, device="cuda", dtype=torch.uint8)
    cudnn.cudnnDropoutForward(handle, desc, x_desc, x, x_desc, y, reserve, size)
    kept = reserve.clone()
    cudnn.cudnnDropoutBackward(handle, desc, x_desc, torch.ones_like(x), x_desc, dx, reserve, size)
    assert torch.equal(reserve, kept)
    assert torch.equal(dx == 0, y == 0)


def test_rnn_forward_reads_nothing_from_its_reserve_space(
    cudnn: Any, torch: Any, handle: int
) -> None:
    steps, batch, size = 5, 3, 8
    rnn = cudnn.RNNDescriptor()
    cudnn.cudnnSetRNNDescriptor_v8(
        rnn, cudnn.CUDNN_RNN_ALGO_STANDARD, cudnn.CUDNN_GRU, cudnn.CUDNN_RNN_DOUBLE_BIAS,
        cudnn.CUDNN_UNIDIRECTIONAL, cudnn.CUDNN_LINEAR_INPUT, cudnn.CUDNN_DATA_FLOAT,
        cudnn.CUDNN_DATA_FLOAT, cudnn.CUDNN_DEFAULT_MATH, size, size, size, 1, None, 0,
    )  # fmt: skip
    data = cudnn.RNNDataDescriptor()
    data.set(
        cudnn.CUDNN_DATA_FLOAT, cudnn.CUDNN_RNN_DATA_LAYOUT_SEQ_MAJOR_UNPACKED,
        steps, batch, size, [steps] * batch, 0.0,
    )  # fmt: skip
    state = cudnn.TensorDescriptor()
    state.set_nd(cudnn.CUDNN_DATA_FLOAT, 3, [1, batch, size], [batch * size, size, 1])
    weights = torch.randn(rnn.get_weight_space_size(handle) // 4, device="cuda") * 0.1
    spaces = rnn.get_temp_space_sizes(handle, cudnn.CUDNN_FWD_MODE_TRAINING, data)
    x = torch.randn(steps, batch, size, device="cuda")
    lengths = torch.full((batch,), steps, device="cuda", dtype=torch.int32)
    results = []
    for fill in (0, 255):
        y = torch.full_like(x, NAN)
        work = torch.full((max(spaces.workSpaceSize, 1),), fill, device="cuda", dtype=torch.uint8)
        keep = torch.full(
            (max(spaces.reserveSpaceSize, 1),), fill, device="cuda", dtype=torch.uint8
        )
        cudnn.cudnnRNNForward(
            handle, rnn, cudnn.CUDNN_FWD_MODE_TRAINING, lengths, data, x, data, y,
            state, None, None, state, None, None, weights.numel() * 4, weights,
            work.numel(), work, keep.numel(), keep,
        )  # fmt: skip
        results.append(y)
    assert not results[0].isnan().any()
    assert torch.equal(results[0], results[1])
