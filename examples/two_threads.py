"""Two threads with a stream each: their work overlaps, and neither waits for the other.

cuDNN allows no two threads to use one handle at the same time. `cudnn.handle()` is each thread's
own, made once and used again.
"""

from __future__ import annotations

import sys
from concurrent.futures import ThreadPoolExecutor

import cudnn_cffi as cudnn
import numpy as np

STEPS = 20


def work(seed: int) -> float:
    """Apply a convolution and a ReLU again and again; returns the error against float64."""
    rng = np.random.default_rng(seed)
    data = rng.standard_normal((8, 16, 32, 32), dtype=np.float32)
    weights = rng.standard_normal((16, 16, 1, 1), dtype=np.float32) / 4
    conv = cudnn.ConvolutionDescriptor.cross_correlation(math="FMA_MATH")
    relu = cudnn.ActivationDescriptor.relu()

    with cudnn.Stream() as stream:
        handle = cudnn.handle(stream=stream)
        x = cudnn.DeviceArray.from_numpy(data, stream=stream)
        w = cudnn.DeviceArray.from_numpy(weights, stream=stream)
        for _ in range(STEPS):
            x = relu(conv(x, w, handle=handle), handle=handle)
        result = x.to_numpy()
        handle.workspace.clear()
        handle.stream = None

    expected = data.astype(np.float64)
    mix = weights[:, :, 0, 0].astype(np.float64)
    for _ in range(STEPS):
        expected = np.maximum(np.einsum("kc,nchw->nkhw", mix, expected), 0)
    return float(np.linalg.norm(result - expected) / np.linalg.norm(expected))


if __name__ == "__main__":
    if not cudnn.is_available():
        sys.exit("this example needs a GPU: `python -m cudnn_cffi doctor` says what is missing")
    with ThreadPoolExecutor(2) as pool:
        errors = list(pool.map(work, (1, 2)))
    print("relative errors of the two threads:", ", ".join(f"{each:.1e}" for each in errors))
    assert max(errors) < 1e-5
