"""Open blocks in a signal handler while the main program opens blocks; print what is left on."""

import faulthandler
import signal

import cudnn_cffi as cudnn
from cudnn_cffi import _call

faulthandler.dump_traceback_later(30, exit=True)
x = cudnn.TensorDescriptor()
before = cudnn.cudnnGetCallback()
count = 0
inside = False


def handler(*_):
    global count, inside
    if inside:  # slower than the signals come
        return
    inside = True
    count += 1
    with cudnn.check_calls(), cudnn.log("ERROR"):
        x.get_4d()
    inside = False


handler()  # imports what it needs
signal.signal(signal.SIGALRM, handler)
signal.setitimer(signal.ITIMER_REAL, 1e-3, 2e-4)
while count < 300:
    with cudnn.check_calls(), cudnn.log("ERROR"):
        x.get_4d()
signal.setitimer(signal.ITIMER_REAL, 0)
print(_call.watching.watcher, cudnn.cudnnGetCallback().mask in (before.mask, 2))
