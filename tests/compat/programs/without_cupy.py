"""Where there is no CuPy, modules are imported, describe, and say what is missing."""

import sys

sys.modules["cupy"] = None

from cudnn_cffi import library
from cudnn_cffi.compat import cupy_backends_cudnn, cupy_cudnn, libcudnn

assert library.current() is None, "importing must not load a library"
desc = cupy_cudnn.create_pooling_descriptor((2, 2), (2, 2), (0, 0), 0)
assert desc.value
del desc
assert cupy_backends_cudnn.getVersion() == libcudnn.cudnnGetVersion()
try:
    cupy_cudnn.get_handle()
except ImportError as error:
    assert "cupy" in str(error)
else:
    raise AssertionError("handles follow the device of CuPy, which is not there")
assert cupy_backends_cudnn.available is True
try:
    cupy_backends_cudnn.nothing
except AttributeError as error:
    assert "nothing" in str(error)
else:
    raise AssertionError("the module has no such name")
