"""A library that is loaded before a fork: library_fork.py HANDLES, as many as were made."""

import os
import sys

import cudnn_cffi._support.fork as fork
import cudnn_cffi.library as library
from cudnn_cffi.errors import ForkedError

library.load()
fork.watch(lambda: int(sys.argv[1]))
child = os.fork()
if not child:
    try:
        fork.check()
    except ForkedError as error:
        print(error, flush=True)
        os._exit(3)
    import ctypes

    made = ctypes.c_void_p()
    status = library.load().dl.cudnnCreateTensorDescriptor(ctypes.byref(made))
    os._exit(status)
fork.check()
raise SystemExit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
