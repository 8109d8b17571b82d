"""A release before device properties: clear errors, with the release that has them."""

import cudnn_cffi as cudnn

H200 = cudnn.DeviceProperties("H200")
assert H200.compute_capability == (9, 0)
for make in (lambda: H200.descriptor, lambda: cudnn.DeviceProperties.from_handle(None)):
    try:
        make()
    except cudnn.MissingFunctionError as error:
        assert "they were added in 9.8.0" in str(error), error
    else:
        raise AssertionError
