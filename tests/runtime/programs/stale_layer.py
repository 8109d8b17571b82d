"""Import the call layer with tables of another layout; print the mode and the warnings, or the error."""

import warnings

import cudnn_cffi._specs as specs

specs.LAYOUT = "of another build"
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    try:
        from cudnn_cffi import _call
    except Exception as error:
        print(type(error).__name__, error)
    else:
        print(_call.mode(), *(w.message for w in caught))
