"""The module of one release refuses a library with another API."""

import cudnn_cffi as cudnn
from cudnn_cffi import errors, v8_9_7, v9_10_0, v9_12_0

number = cudnn.cudnnGetVersion()
fits = {8907: v8_9_7, 91200: v9_12_0}.get(number)
try:
    v9_10_0.cudnnGetVersion()
except errors.UnsupportedVersionError as error:
    assert "9.10.0" in str(error), str(error)
else:
    raise AssertionError
if fits is not None:
    assert fits.cudnnGetVersion() == number, fits.cudnnGetVersion()
print("ok")
