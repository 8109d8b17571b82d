"""Import the package a second time; print the message of a failed call and whether calls are watched."""

import json
import sys

import cudnn_cffi as cudnn

cudnn.TensorDescriptor()
for name in list(sys.modules):
    if name.partition(".")[0] == "cudnn_cffi":
        del sys.modules[name]
import cudnn_cffi as cudnn

x = cudnn.cudnnCreateTensorDescriptor()
try:
    cudnn.cudnnSetTensor4dDescriptor(x, 0, 0, -1, 1, 1, 1)
except cudnn.CudnnError as error:
    text = str(error)
from cudnn_cffi import _call

print(json.dumps([text, _call.watching.watcher is not None]))
