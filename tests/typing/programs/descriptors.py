"""Descriptors with words for modes, data types and layouts."""

from __future__ import annotations

import cudnn_cffi as cudnn
import numpy as np
from cudnn_cffi import DataType, DeviceArray

x = cudnn.TensorDescriptor.packed((8, 64, 56, 56), "half", layout="NHWC")
same = cudnn.TensorDescriptor.strided((2, 3), (3, 1), np.float32)
w = cudnn.FilterDescriptor.packed((64, 64, 3, 3), DataType.HALF, "channels_last")
conv = cudnn.ConvolutionDescriptor.cross_correlation(padding=1, compute="float32")
relu = cudnn.ActivationDescriptor.relu()
pool = cudnn.PoolingDescriptor.max(2, stride=2)
lstm = cudnn.RNNDescriptor.lstm(32, 64, bidirectional=True, dtype="float16")
kind: DataType = x.dtype
steps: tuple[int, ...] = conv.stride + conv.dilation + pool.window
images = DeviceArray.zeros((8, 64, 56, 56), "half")
filters = DeviceArray.zeros((64, 64, 3, 3), "half")
y: DeviceArray = pool(relu(conv(images, filters)))
print(x, same, w, lstm.cell, kind, steps, y.shape, conv.output_shape(x, w))

cudnn.TensorDescriptor.packed((1, 2), dtpye="half")  # refused
cudnn.TensorDescriptor.packed((1, 2), "hafl")  # refused
cudnn.TensorDescriptor.packed((1, 2, 3, 4), layout="NHCW")  # refused
cudnn.ConvolutionDescriptor.cross_correlation(pading=1)  # refused
cudnn.ConvolutionDescriptor.cross_correlation(compute="flaot32")  # refused
cudnn.PoolingDescriptor.maximum(2)  # refused
cudnn.ReduceTensorDescriptor.of("add", compute="flaot32")  # refused
cudnn.RNNDescriptor.lstm(1, 2, dtype="flaot")  # refused
cudnn.RNNDescriptor.lstm(1, 2, birectional=True)  # refused
