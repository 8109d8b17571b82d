"""Set, finalize and read a backend tensor; print whether finalizing needs the driver."""

import cudnn_cffi as cudnn
from cudnn_cffi import errors

tensor = cudnn.BackendDescriptor(cudnn.CUDNN_BACKEND_TENSOR_DESCRIPTOR)
for name, kind, values in (
    (cudnn.CUDNN_ATTR_TENSOR_DIMENSIONS, cudnn.CUDNN_TYPE_INT64, [2, 3, 4]),
    (cudnn.CUDNN_ATTR_TENSOR_STRIDES, cudnn.CUDNN_TYPE_INT64, (12, 4, 1)),
    (cudnn.CUDNN_ATTR_TENSOR_DATA_TYPE, cudnn.CUDNN_TYPE_DATA_TYPE, [cudnn.DataType.HALF]),
    (cudnn.CUDNN_ATTR_TENSOR_UNIQUE_ID, cudnn.CUDNN_TYPE_INT64, [7]),
    (cudnn.CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT, cudnn.CUDNN_TYPE_INT64, [16]),
    (cudnn.CUDNN_ATTR_TENSOR_IS_VIRTUAL, cudnn.CUDNN_TYPE_BOOLEAN, [False]),
):
    tensor.set_attribute(name, kind, len(values), values)
try:
    tensor.set_attribute(cudnn.CUDNN_ATTR_TENSOR_UNIQUE_ID, cudnn.CUDNN_TYPE_INT64, 3, [1])
except errors.ArgumentError as error:
    assert "expected 3 elements, got 1" in str(error), str(error)
else:
    raise AssertionError
try:
    tensor.finalize()
except errors.SublibraryError:
    print("needs a driver")
else:
    got = tensor.get_attribute(cudnn.CUDNN_ATTR_TENSOR_DIMENSIONS, cudnn.CUDNN_TYPE_INT64, 8)
    assert got == (3, [2, 3, 4]), got
    got = tensor.get_attribute(cudnn.CUDNN_ATTR_TENSOR_DATA_TYPE, cudnn.CUDNN_TYPE_DATA_TYPE, 1)
    assert got.arrayOfElements == [cudnn.DataType.HALF], got
    reduction = cudnn.BackendDescriptor(cudnn.CUDNN_BACKEND_REDUCTION_DESCRIPTOR)
    for name, kind, value in (
        (cudnn.CUDNN_ATTR_REDUCTION_COMP_TYPE, cudnn.CUDNN_TYPE_DATA_TYPE, cudnn.DataType.FLOAT),
        (
            cudnn.CUDNN_ATTR_REDUCTION_OPERATOR,
            cudnn.CUDNN_TYPE_REDUCTION_OPERATOR_TYPE,
            cudnn.ReduceTensorOp.AMAX,
        ),
    ):
        reduction.set_attribute(name, kind, 1, [value])
    reduction.finalize()
    (got,) = reduction.get_attribute(name, kind, 1).arrayOfElements
    assert got is cudnn.ReduceTensorOp.AMAX, got  # the enum has another name than the type
    print("finalized")
