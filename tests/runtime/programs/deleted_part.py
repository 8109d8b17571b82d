"""A part of cuDNN is deleted before the first call and put back: deleted_part.py FILE."""

import sys
from pathlib import Path

import cudnn_cffi as cudnn

cudnn.load()
part = Path(sys.argv[1])
kept = part.rename(part.with_name("kept"))
try:
    cudnn.TensorDescriptor()
except cudnn.CudnnError as error:
    print(type(error).__name__, "libcudnn_ops" in str(error))
kept.rename(part)
print(cudnn.TensorDescriptor().get_4d().n)
