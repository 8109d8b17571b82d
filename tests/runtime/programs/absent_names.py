"""Names that the loaded release lacks are refused, with the release that had them."""

import cudnn_cffi as cudnn


def refused(name):
    try:
        getattr(cudnn, name)
    except AttributeError as error:
        assert (error.name, error.obj) == (name, cudnn), (error.name, error.obj)
        return str(error)
    raise AssertionError(name)


if cudnn.cudnnGetVersion() < 9000:
    for name in ("CUDNN_STATUS_NOT_SUPPORTED_SHAPE", "CTCGradMode", "cudnnCTCGradMode_t"):
        assert refused(name).endswith(": it was added in 9.0.0"), refused(name)
else:
    for name in ("CUDNN_SM_50", "Algorithm"):
        assert refused(name).endswith(": it was removed in 9.0.0"), refused(name)
assert refused("DataTipe").endswith("; did you mean DataType?"), refused("DataTipe")
