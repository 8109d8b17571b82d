"""Use a handle in a forked child: print its exit status, and whether the parent's is closed."""

import os

import cudnn_cffi as cudnn

handle = cudnn.Handle.from_address(0x1234)
child = os.fork()
if child == 0:
    status = 1
    try:
        cudnn.cudnnGetStream(handle)
    except cudnn.CudnnError as error:
        status = 0 if type(error).__name__ == "ForkedError" else 2
    try:
        cudnn.Handle()
    except cudnn.CudnnError as error:
        status += 0 if type(error).__name__ == "ForkedError" else 4
    handle.close()
    os._exit(status)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), handle.closed)
