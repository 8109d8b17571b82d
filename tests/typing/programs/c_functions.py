"""Functions under their C names, enums, constants and errors."""

from __future__ import annotations

import cudnn_cffi as cudnn
from cudnn_cffi import DataType, TensorFormat


def describe(shape: tuple[int, int, int, int]) -> int:
    address: int = cudnn.cudnnCreateTensorDescriptor()
    cudnn.cudnnSetTensor4dDescriptor(address, TensorFormat.NCHW, DataType.FLOAT, *shape)
    got = cudnn.cudnnGetTensor4dDescriptor(address)
    kind: DataType = got.dataType
    strides: list[int] = [got.nStride, got.cStride, got.hStride, got.wStride]
    print(kind, strides, cudnn.CUDNN_DATA_HALF, cudnn.cudnnGetErrorString(cudnn.Status.SUCCESS))
    return address


with cudnn.Handle() as handle, cudnn.TensorDescriptor() as tensor:
    cudnn.cudnnSetStream(handle, None)
    size: int = cudnn.cudnnGetTensorSizeInBytes(tensor)
    try:
        cudnn.cudnnActivationForward(
            handle, cudnn.ActivationDescriptor.relu(), 1.0, tensor, 0, 0.0, tensor, 0
        )
    except cudnn.BadParamError as error:
        print(error.status, error.function, size, describe((1, 2, 3, 4)))

cudnn.cudnnCreateTensorDescripter()  # refused
cudnn.cudnnSetTensor4dDescriptor(tensor, DataType.FLOAT, TensorFormat.NCHW, 1, 2, 3, 4)  # refused
cudnn.cudnnSetTensor4dDescriptor(tensor, TensorFormat.NCHW, DataType.FLOAT, 1, 2, 3)  # refused
cudnn.cudnnSetStream(handle, "default")  # refused
cudnn.cudnnGetTensorSizeInBytes(handle)  # refused
print(DataType.FLAOT)  # refused
print(cudnn.CUDNN_DATA_FLAOT)  # refused
text: str = cudnn.cudnnGetTensorSizeInBytes(tensor)  # refused
