"""Call a plan in a forked child of a process that had a handle: print the child's exit status."""

import os

import cudnn_cffi as cudnn

from tests.fake_driver import FakeDriver
from tests.plan.standin import CONVOLUTION, StandIn, make_plan, own

FakeDriver().install(setattr)
standin = StandIn()
standin.bind()
x, w, y = (own(each, 0x10000 * each.uid) for each in CONVOLUTION)
plan = make_plan()
for _ in range(2):
    assert plan(x, w, y) is y
child = os.fork()
if child == 0:
    status = 1
    try:
        plan(x, w, y)
    except cudnn.CudnnError as error:
        status = 0 if type(error).__name__ == "ForkedError" else 2
    os._exit(status)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), plan(x, w, y) is y)
del plan  # before the functions of the stand-in
