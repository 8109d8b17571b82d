"""End the interpreter while memory of a closed stream is in use; abort if any of it is freed."""

import contextvars
import ctypes
import functools
import json
import sys
import types
from typing import Any

from cudnn_cffi.driver.streams import Stream
from cudnn_cffi.memory import Memory

from tests.fake_driver import FakeDriver

FakeDriver().install(setattr)

new_capsule = ctypes.pythonapi.PyCapsule_New
new_capsule.restype = ctypes.py_object
new_capsule.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
abort = ctypes.cast(ctypes.CDLL(None).abort, ctypes.c_void_p)


class Device:
    def __init__(self, ordinal: int) -> None:
        pass

    def set_current(self) -> None:
        pass

    def allocate(self, size: int, *, stream: int) -> Any:
        return types.SimpleNamespace(handle=size + stream)


core: Any = types.ModuleType("cuda.core")
core.Device, core.Stream = Device, type("Stream", (), {"from_handle": staticmethod(int)})
core.LEGACY_DEFAULT_STREAM = 1
sys.modules["cuda.core"] = core


with Stream() as stream:
    made = [Memory(5, 0, stream) for _ in range(3)]
for each in made:
    each.buffer = new_capsule(1, None, abort)


@functools.cache
def cached() -> Memory:
    return made.pop()


cached()
variable = contextvars.ContextVar[Memory]("variable")
variable.set(made.pop())
holder: Any = json  # modules end before the builtin functions
holder.late = cached, variable, type("Holder", (), {"memory": made.pop()})
del cached, variable, holder, each
print("ended")
