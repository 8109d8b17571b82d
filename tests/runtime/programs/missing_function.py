"""A function that the loaded release lacks says since or until when there is one."""

import cudnn_cffi as cudnn
from cudnn_cffi import errors


def refused(name, *arguments):
    try:
        getattr(cudnn, name)(*arguments)
    except errors.MissingFunctionError as error:
        return str(error)
    raise AssertionError(name)


version = cudnn.cudnnGetVersion()
if version >= 90000:
    text = refused("cudnnSetRNNDescriptor_v6", 1, 1, 1, 1, 1, 1, 1, 1, 1, 1)
    assert "removed in 9.0.0" in text and "cudnnSetRNNDescriptor_v8" in text, text
else:
    assert "added in 9.0.0" in refused("cudnnRNNSetClip_v9", 1, 1, 1.0, 2.0), refused(
        "cudnnRNNSetClip_v9", 1, 1, 1.0, 2.0
    )
assert not cudnn.has("cudnnNoSuchFunction"), "cudnnNoSuchFunction"
