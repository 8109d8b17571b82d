"""End the interpreter while a thread times something, and something else waits to be timed."""

import contextlib
import time
from types import SimpleNamespace
from typing import Any

from cudnn_cffi.choice.tune import idle, later

handle: Any = SimpleNamespace(
    device=0,
    stream=None,
    workspace=SimpleNamespace(limit=None, clear=lambda: None),
    _current=contextlib.nullcontext,
)
stubs: Any = later
stubs.handles = SimpleNamespace(handle=lambda _: handle)
stubs.Stream = lambda _: None


class Owner:
    pass


begun: list[int] = []


def work(_: Any) -> str:
    begun.append(1)
    while True:
        idle.check()
        time.sleep(0.001)


owner = Owner()
later.ask("first", "first", owner, handle, work)
later.ask("second", "second", owner, handle, work)
while not begun:
    time.sleep(0.001)
