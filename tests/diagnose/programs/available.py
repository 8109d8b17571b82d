"""Print whether cuDNN is available, and its release or the error."""

import cudnn_cffi as cudnn

try:
    answer = cudnn.version()
except cudnn.CudnnError as error:
    answer = type(error).__name__
print(cudnn.is_available(), answer)
