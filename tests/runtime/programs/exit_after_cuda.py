"""An exit while memory lives: nothing is freed, since its stream may be gone."""

import os
import sys
from typing import Any

from cudnn_cffi.memory import Memory


class Buffer:
    """A buffer of cuda.core's, which tells when it is freed."""

    __slots__ = ()  # what ends it is its last reference alone, as for cuda.core's

    def close(self, _: Any) -> None:
        os.write(2, b"freed\n")

    def __del__(self, _write: Any = os.write) -> None:
        _write(2, b"freed\n")


def made() -> Memory:
    memory = Memory.borrow(0x1000, 16, 0, None, Buffer())
    memory._owned = True
    return memory


kept = made()
cycle: list[Any] = [made()]
cycle.append(cycle)
sys.kept = made()  # type: ignore[attr-defined]  # goes after all modules
print("ends")
