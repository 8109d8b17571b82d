"""Functions of `compat.cupy_cudnn` beside those of `ops`, on the host: what the old names cost.

    python -m benchmarks.gpu_compat [--json FILE] [--record]

CuPy 13 itself, which had these functions, needs cuDNN 8 and cannot be in the same process. Times
are medians of blocks of calls on an idle device, in microseconds, of small arrays.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import cupy as cp
import numpy as np
from cudnn_cffi import ops
from cudnn_cffi.compat import cupy_backends_cudnn as raw
from cudnn_cffi.compat import cupy_cudnn as compat

from benchmarks import records
from benchmarks.timing import in_python, in_turns

BLOCKS = 21


def measure(call: Callable[[], Any]) -> float:
    """Return the microseconds of a call."""
    sample = in_python(call)
    return in_turns({"": sample}, BLOCKS, 1, cp.cuda.runtime.deviceSynchronize)[""] / 1e3


def pairs() -> dict[str, tuple[Callable[[], Any], Callable[[], Any] | None]]:
    """Return calls of both kinds by name."""
    x, w, b = cp.ones((2, 16, 8, 8), "f"), cp.ones((16, 16, 3, 3), "f"), cp.ones(16, "f")
    y, gw, gx = cp.empty_like(x), cp.empty_like(w), cp.empty_like(x)
    window = ((1, 1), (1, 1), (1, 1), 1)
    how: dict[str, Any] = {"auto_tune": False, "tensor_core": "auto"}
    back = {**how, "deterministic": False}
    pool = ((2, 2), (2, 2), (0, 0), raw.CUDNN_POOLING_MAX)
    p = cp.empty((2, 16, 4, 4), "f")
    gamma, beta, mean, var = (cp.ones(16, "f") for _ in range(4))
    norm = (1e-5, 0.9, True, raw.CUDNN_BATCHNORM_SPATIAL, False)
    states = compat.DropoutStates(None, 1)
    rnn = (states, raw.CUDNN_UNIDIRECTIONAL, raw.CUDNN_LSTM)
    xs, hx, lengths = cp.ones((20, 4, 16), "f"), cp.zeros((1, 4, 32), "f"), np.full(4, 20, "i")
    weights = cp.zeros((ops.LSTM(16, 32).weights_count("float32"), 1, 1), "f")
    net, flat = ops.LSTM(16, 32), weights.ravel()
    conv, grad = ops.Convolution(1), ops.ConvolutionBackwardFilter(1)
    data = ops.ConvolutionBackwardData(1)
    return {
        "convolution_forward": (
            lambda: compat.convolution_forward(x, w, None, y, *window, **how),
            lambda: conv(x, w, out=y),
        ),
        "convolution_forward with b": (
            lambda: compat.convolution_forward(x, w, b, y, *window, **how),
            lambda: conv(x, w, b, out=y),
        ),
        "convolution_backward_filter": (
            lambda: compat.convolution_backward_filter(x, y, gw, *window, **back),
            lambda: grad(x, y, w.shape, out=gw),
        ),
        "convolution_backward_data": (
            lambda: compat.convolution_backward_data(w, y, None, gx, *window, **back),
            lambda: data(y, w, x.shape, out=gx),
        ),
        "activation_forward": (
            lambda: compat.activation_forward(x, raw.CUDNN_ACTIVATION_RELU),
            lambda: ops.relu(x),
        ),
        "pooling_forward": (
            lambda: compat.pooling_forward(x, p, *pool),
            lambda: ops.max_pool(x, window=2, stride=2, out=p),
        ),
        "softmax_forward": (
            lambda: compat.softmax_forward(x, 1, raw.CUDNN_SOFTMAX_ACCURATE),
            lambda: ops.softmax(x, axis=1),
        ),
        "batch_normalization_forward_training": (
            lambda: compat.batch_normalization_forward_training(
                x, gamma, beta, mean, var, None, None, *norm
            ),
            None,
        ),
        "rnn_forward_inference_ex": (
            lambda: compat.rnn_forward_inference_ex(*rnn, hx, hx, weights, xs, lengths),
            lambda: net(xs, flat, hx, hx),
        ),
        "rnn_forward_training_ex": (
            lambda: compat.rnn_forward_training_ex(*rnn, hx, hx, weights, xs, lengths),
            lambda: net(xs, flat, hx, hx, training=True),
        ),
    }


def main() -> None:
    """Print a line for each function."""
    parser = records.parser(__doc__)
    options = parser.parse_args()
    values = {}
    for name, (old, new) in pairs().items():
        row = values[name] = {"compat": measure(old)} | ({"ops": measure(new)} if new else {})
        beside = f"{row['ops']:8.1f} us by ops" if new else ""
        print(f"{name:40}{row['compat']:8.1f} us{beside}", flush=True)
    device = cp.cuda.runtime.getDeviceProperties(0)["name"].decode()
    subject = "overlay/cudnn_cffi/compat", "overlay/cudnn_cffi/ops"
    records.finish(options, "gpu_compat", values, subject, device)


if __name__ == "__main__":
    main()
