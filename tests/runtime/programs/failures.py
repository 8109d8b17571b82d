"""Failed calls carry cuDNN's status, its message, the arguments and the library."""

import cudnn_cffi as cudnn
from cudnn_cffi import errors

desc = cudnn.cudnnCreateTensorDescriptor()
try:
    cudnn.cudnnSetTensor4dDescriptor(desc, 0, 0, -1, 2, 3, 4)
except errors.BadParamError as error:
    assert isinstance(error, ValueError), error
    assert error.status is cudnn.Status(error.status), error.status
    assert error.status_name == "CUDNN_STATUS_BAD_PARAM", error.status_name
    assert error.function == "cudnnSetTensor4dDescriptor", error.function
    assert error.arguments["n"] == "-1", error.arguments["n"]
    assert error.arguments["format"] == "NCHW", error.arguments["format"]
    assert error.version in error.__str__(), error.version
    assert error.library.endswith(tuple("89")), tuple("89")
else:
    raise AssertionError
finally:
    cudnn.cudnnDestroyTensorDescriptor(desc)
assert cudnn.cudnnGetErrorString(cudnn.CUDNN_STATUS_BAD_PARAM) == "CUDNN_STATUS_BAD_PARAM", (
    cudnn.cudnnGetErrorString(cudnn.CUDNN_STATUS_BAD_PARAM)
)
try:
    cudnn.cudnnCreate()
except errors.NotInitializedError as error:
    assert error.hint, error
else:
    raise AssertionError("there is no GPU, and yet a handle")


class Asking(cudnn.TensorDescriptor):
    """A descriptor that cannot be read: its repr calls cuDNN, which refuses the same argument."""

    calls = 0

    def __repr__(self):
        type(self).calls += 1
        cudnn.cudnnSetTensor4dDescriptor(self, 0, 0, -1, 1, 1, 1)
        return "never returned"


try:
    cudnn.cudnnSetTensor4dDescriptor(Asking(), 0, 0, -1, 1, 1, 1)
except errors.BadParamError as error:
    assert "whose repr raised BadParamError" in error.arguments["tensorDesc"], error.arguments
assert Asking.calls == 1, Asking.calls
