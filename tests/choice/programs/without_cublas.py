"""Without cuBLAS there is an error, where cuDNN would end the process."""

import cudnn_cffi as cudnn
from cudnn_cffi.choice import candidates

from tests.choice.computations import convolution

try:
    candidates(convolution(device=cudnn.DeviceProperties("H200")))
except cudnn.SublibraryError as error:
    assert "libcublasLt.so.1" in str(error) and "nvidia-cublas" in str(error), error
    print("refused")
else:
    print("found")
