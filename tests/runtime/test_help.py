"""The help of functions under C names says what cuDNN's manual says, in both call modes."""

from __future__ import annotations

import json

import pytest

from tests.conftest import Program

#: Parts of the help, without line ends, by function.
SAID = {
    "cudnnConvolutionForward": (
        "Formula: y[n, k, p] = alpha * (sum over c, r of x",
        "+ beta * y[n, k, p]",
        "alpha: const void*, a number, which cuDNN reads as double where the tensor is double, "
        "else as float; multiplies the result.",
        "multiplies what `y` held before; 0 leaves that unread.",
        "`cudnnGetConvolutionForwardAlgorithm_v7` ranks all",
        "of the size that `cudnnGetConvolutionForwardWorkspaceSize` tells",
        "Returns: None; the function writes `y`, in place. Raises:",
        "See also: `ops.convolution`, `Graph.convolution`, https://docs.nvidia.com/deeplearning/cudnn/"
        "backend/latest/api/cudnn-cnn-library.html#cudnnconvolutionforward",
    ),
    "cudnnGetConvolutionForwardWorkspaceSize": (
        "algo: cudnnConvolutionFwdAlgo_t, a `ConvolutionFwdAlgo`; the algorithm that",
        "int, in bytes; of the workspace of `cudnnConvolutionForward` and",
    ),
    "cudnnPoolingBackward": (
        "dx = alpha * (dy at the maximum of each window",
        "`ops.pooling_backward`, `Graph.resample_backward`",
    ),
    "cudnnDropoutForward": (
        "x / (1 - probability)",
        "of the size that `cudnnDropoutGetReserveSpaceSize` tells, and keeps it unchanged for "
        "`cudnnDropoutBackward`.",
        "`ops.dropout`",
    ),
    "cudnnSetDropoutDescriptor": (
        "dropout: float; the probability with which an element becomes 0.",
        "of the size that `cudnnDropoutGetStatesSize` tells, and keeps them as long as",
        "seed: unsigned long long; of the random generators: the same seed gives the same sequence of masks.",
    ),
    "cudnnRNNForward": (
        "y[t], state[t] = cell(x[t], state[t - 1])",
        "`TRAINING` fills the reserve space, `INFERENCE` needs none.",
        "hx: const void*, device memory, read; the state before the first step; None for zeros.",
        "`ops.lstm`",
    ),
    "cudnnBatchNormalizationForwardTrainingEx": (
        "statistics for each element of a sample (1, C, H, W), or for each channel (1, C, 1, 1)",
        "running statistics: (1 - f) * running + f * batch.",
        "keeps it unchanged for `cudnnBatchNormalizationBackwardEx`.",
        "`ops.batch_norm_activation`",
    ),
    "cudnnBackendExecute": (
        "finalized addresses of all tensors by their unique IDs, and of the workspace.",
        "See also: `Plan`, https://docs.nvidia.com/",
    ),
    "cudnnSetRNNDescriptor_v6": ("archives/cudnn-897/api/index.html#cudnnSetRNNDescriptor_v6",),
}


@pytest.fixture(scope="module", params=["api", "abi"])
def help_of(request: pytest.FixtureRequest, program: Program) -> dict[str, str]:
    done = program("help_of_functions", None, *SAID, CUDNN_CFFI_MODE=request.param)
    mode, told = json.loads(done.stdout)
    assert mode == request.param
    assert told["cudnnConvolutionForward"][1].startswith("(handle: ")
    return {name: " ".join(text.split()) for name, (text, _) in told.items()}


@pytest.mark.parametrize("name", SAID)
def test_help_of_a_function(help_of: dict[str, str], name: str) -> None:
    for part in SAID[name]:
        assert part in help_of[name], part
    assert help_of[name].count("See also:") == 1
    assert f"{name}(" in help_of[name]
