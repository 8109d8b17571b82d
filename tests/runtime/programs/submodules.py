"""Submodules can be imported, without warnings."""

import sys
import warnings

warnings.simplefilter("error")
import cudnn_cffi as cudnn
import cudnn_cffi.arrays
import cudnn_cffi.v9_0_0
from cudnn_cffi.driver import streams

assert cudnn.arrays is sys.modules["cudnn_cffi.arrays"], cudnn.arrays
assert cudnn.driver.streams is streams, cudnn.driver.streams
assert cudnn.v9_0_0.DataType.FLOAT == 0, cudnn.v9_0_0.DataType.FLOAT
assert "v9_0_0" in dir(cudnn), dir(cudnn)
