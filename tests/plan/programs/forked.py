"""Call a plan in a forked child of a process that had a handle: print the child's exit status.

Another thread has the plan's lock, and that of a turn, while the process forks.
"""

import os
import signal
import threading
from contextlib import suppress

import cudnn_cffi as cudnn
from cudnn_cffi.plan.runner import make_turn

from tests.fake_driver import FakeDriver
from tests.plan.standin import CONVOLUTION, StandIn, make_plan, own

FakeDriver().install(setattr)
standin = StandIn()
standin.bind()
x, w, y = (own(each, 0x10000 * each.uid) for each in CONVOLUTION)
plan = make_plan()
for _ in range(2):
    assert plan(x, w, y) is y
turn, held, done = make_turn(), threading.Event(), threading.Event()


def hold(lock):
    with lock, turn:
        held.set()
        done.wait()


holder = threading.Thread(target=hold, args=(plan._lock(),))
holder.start()
held.wait()
child = os.fork()
if child == 0:
    signal.alarm(20)  # instead of waiting for ever
    status = 1
    try:
        plan(x, w, y)
    except cudnn.CudnnError as error:
        status = 0 if type(error).__name__ == "ForkedError" else 2
    with turn, turn, suppress(cudnn.ForkedError):
        plan.close()
    os._exit(status)
done.set()
holder.join()
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), plan(x, w, y) is y)
del plan  # before the functions of the stand-in
