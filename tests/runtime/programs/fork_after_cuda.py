"""A fork after CUDA was used: its functions fail in the child, which must not call them."""

import ctypes
import os
import sys
import threading
from typing import Any

from cudnn_cffi.driver import last_reference, libcuda
from cudnn_cffi.memory import Memory

parent = os.getpid()


class Driver:
    """CUDA, which works in the parent only."""

    def __getattr__(self, name: str) -> Any:
        return lambda *_: 0 if os.getpid() == parent else 3


class Buffer:
    """A buffer of cuda.core's, which complains in the child."""

    def close(self, _: Any) -> None:
        print("freed", flush=True)

    def __del__(self) -> None:
        if os.getpid() != parent:
            os.write(2, b"cuMemFreeAsync failed\n")


def made() -> Memory:
    memory = Memory.borrow(0x1000, 16, 0, None, Buffer())
    memory._owned = True
    memory._context = 0x2000
    return memory


libcuda._cuda = Driver()
kept, own, done = threading.local(), threading.Event(), threading.Event()


def work() -> None:
    """Keep what ends with the thread: in the child, before any hook runs."""
    kept.memory = made()
    kept.life = last_reference(0x3000, lambda _: print("ended", flush=True))
    own.set()
    done.wait()


threading.Thread(target=work, daemon=True).start()
own.wait()
here, life = made(), last_reference(0x4000, lambda _: print("ended", flush=True))
at_exit = made()
child = os.fork()
if not child:
    here.close()
    del here, life
    ctypes.pythonapi.PyGC_Collect()
    sys.exit(0)  # what is left goes with the interpreter
raise SystemExit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
