"""A handler raises at random steps of `with block()`: interrupts.py SEED TIMES.

Print how many blocks it left on.
"""

import random
import signal
import sys

import cudnn_cffi as cudnn
from cudnn_cffi import _call


class InterruptError(Exception):
    pass


def handler(*_):
    if armed:
        raise InterruptError


armed = False
signal.signal(signal.SIGALRM, handler)
x = cudnn.TensorDescriptor()
cudnn.cudnnSetCallback(cudnn.SeverityMask.ERROR_EN, 7, lambda *message: None)
before = cudnn.cudnnGetCallback()
draw = random.Random(int(sys.argv[1]))
left = 0
for block, is_on in (
    (cudnn.check_calls, lambda: x.get_4d() and _call.watching.watcher is not None),
    (lambda: cudnn.log("ERROR"), lambda: cudnn.cudnnGetCallback() != before),
):
    with block():
        assert is_on(), "is_on()"
    for _ in range(int(sys.argv[2])):
        try:
            armed = True
            signal.setitimer(signal.ITIMER_REAL, draw.uniform(1e-6, 2e-4), 0.01)
            while True:
                with block():
                    pass
        except InterruptError:
            armed = False
            signal.setitimer(signal.ITIMER_REAL, 0)
        left += bool(is_on())
print(left)
