"""CUDNN_VERSION and its parts are those of the loaded library."""

import cudnn_cffi as cudnn
from cudnn_cffi import errors

assert cudnn.cudnnGetVersion() == cudnn.CUDNN_VERSION, cudnn.CUDNN_VERSION
version = (cudnn.CUDNN_MAJOR, cudnn.CUDNN_MINOR, cudnn.CUDNN_PATCHLEVEL)
assert version[0] == 8, version[0]
assert "CUDNN_VERSION" in dir(cudnn), dir(cudnn)
assert cudnn.has("CUDNN_VERSION"), "CUDNN_VERSION"
try:
    cudnn.cudnnSetTensor4dDescriptor(cudnn.TensorDescriptor(), 0, 0, -1, 1, 1, 1)
except errors.BadParamError as error:
    assert error.tables == "{}.{}.{}".format(*version), error.tables
