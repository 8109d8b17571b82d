"""End the interpreter while a daemon thread captures a call: print what a finalizer could still do."""

import sys
import threading
import time
import types
from typing import Any

from cudnn_cffi.plan.run import launcher

from tests.fake_driver import FakeDriver
from tests.plan.standin import CONVOLUTION, StandIn, make_plan, own
from tests.plan.test_replaying import Graphs

FakeDriver().install(setattr)
standin, graphs = StandIn(), Graphs()
standin.bind()
begin, captures = graphs.begin, threading.Event()


def slowly(stream: int, mode: int) -> int:
    captures.set()
    time.sleep(1)
    return begin(stream, mode)


graphs.begin = slowly
graphs.connect()
launcher.Launcher._replay = lambda *_, **__: graphs.set_up()
x, w, y = (own(each, 0x10000 * each.uid) for each in CONVOLUTION)
plan = make_plan()
plan(x, w, y)


def work() -> None:
    while not graphs.captured:  # the stand-in's functions would take Python's lock in launches, too
        plan(x, w, y)


class Late:
    def __init__(self, *needs: Any) -> None:
        self.needs = needs

    def __del__(self) -> None:
        plan, graphs = self.needs[:2]
        print("captured", graphs.captured, flush=True)
        plan(*self.needs[2:])
        plan.close()
        print("ended", flush=True)


# The thread keeps what is global here, so the object belongs to a module of its own.
holder: Any = sys.modules.setdefault("late", types.ModuleType("late"))
holder.late = Late(plan, graphs, x, w, y)
del holder
threading.Thread(target=work, daemon=True).start()
assert captures.wait(20), "no call was captured"
