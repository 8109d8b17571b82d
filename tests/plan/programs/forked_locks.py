"""Fork while another thread has the locks of a plan and of a turn: print how the child ended."""

import os
import signal
import threading

import cudnn_cffi as cudnn
from cudnn_cffi.plan.run.compiled import make_turn

from tests.fake_driver import FakeDriver
from tests.plan.standin import CONVOLUTION, StandIn, make_plan, own

FakeDriver().install(setattr)
standin = StandIn()
standin.bind()
x, w, y = (own(each, 0x10000 * each.uid) for each in CONVOLUTION)
plan, held, turn = make_plan(), make_plan(), make_turn()
for each in (plan, held):
    assert each(x, w, y) is y
has_locks, may_end = threading.Event(), threading.Event()


def hold() -> None:
    with plan._lock(), turn:
        has_locks.set()
        may_end.wait()


threads = [threading.Thread(target=hold), threading.Thread(target=lambda: plan(x, w, y))]
threads[0].start()
has_locks.wait()
threads[1].start()  # it waits for the lock
with held._lock():
    child = os.fork()
    if child == 0:
        signal.alarm(20)
        status = 1
        try:
            with held._lock(), plan._lock(), plan._lock(), turn:
                status = 0
            plan.close()
            plan(x, w, y)
        except cudnn.CudnnError as error:
            status += 0 if type(error).__name__ in ("ForkedError", "ClosedError") else 2
        os._exit(status)
ended = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
may_end.set()
for thread in threads:
    thread.join()
plan.close()
print(ended, held(x, w, y) is y)
for name in ("plan", "held", "each"):  # before the functions that stand in end
    del globals()[name]
