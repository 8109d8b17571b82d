"""The convolution of convolution_c_names.py in five lines.

The descriptors are read off the arrays, the algorithm is cuDNN's first choice, the workspace is
the handle's, and the result is an array of the same layout, which any library takes over by DLPack.
"""

from __future__ import annotations

import sys

import cudnn_cffi as cudnn
import numpy as np
from convolution_c_names import PAD, C, H, K, N, R, S, W, check

if not cudnn.is_available():
    sys.exit("this example needs a GPU: `python -m cudnn_cffi doctor` says what is missing")

rng = np.random.default_rng()
x_host = rng.standard_normal((N, C, H, W), dtype=np.float32)
w_host = rng.standard_normal((K, C, R, S), dtype=np.float32)

with cudnn.Handle() as handle:
    x = cudnn.DeviceArray.from_numpy(x_host)
    w = cudnn.DeviceArray.from_numpy(w_host)
    conv = cudnn.ConvolutionDescriptor.cross_correlation(PAD)
    y = conv(x, w, handle=handle)

    print(conv)
    print(y)
    check(x_host, w_host, y.to_numpy())
