"""A short run of everything that touches device memory, for a memory checker to watch."""

from __future__ import annotations

import cudnn_cffi as cudnn
import numpy as np


def main() -> None:
    generator = np.random.default_rng()

    def make(*shape: int, **options: object) -> cudnn.DeviceArray:
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
        view = x[:, 2:5, ::2, 1:]
        target = cudnn.DeviceArray.zeros(x.shape, stream=stream)[:, 2:5, ::2, 1:]
        cudnn.ActivationDescriptor.sigmoid()(view, target, handle=handle)
        handle.workspace.get(5 << 20, stream)
        stream.synchronize()


if __name__ == "__main__":
    main()
    print("done")
