"""Set random attributes of random types to random values: all is taken or refused, nothing crashes.

Nothing is finalized but what is known to be valid: cuDNN's own Finalize crashes for some states.
"""

import gc
import math
import os
import random
import sys
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[3]))

import cudnn_cffi as cudnn
import numpy as np
from cudnn_cffi import backend, errors
from cudnn_cffi._call import watching

from tests.backend.replay import CLASSES, Replay, preload, tensor

seed, turns, *libraries = sys.argv[1:]
preload(libraries)
draw = random.Random(int(seed))
replay = Replay()
#: Making one of these wants cuBLAS.
SPARED = ("EngineHeurDescriptor", "EngineCfgDescriptor", "ExecutionPlanDescriptor")
made = []
for c_name, cls in CLASSES.items():
    if cls.available() and cls.__name__ not in SPARED:
        try:
            made.append(replay.build(c_name))
        except (errors.CudnnError, LookupError):
            continue
classes = [
    cls
    for cls in CLASSES.values()
    if cls.available() and cls.__name__ not in (*SPARED, "IntermediateInfoDescriptor")
]


class Liar:
    """Says that it is what it is not."""

    __class__ = backend.TensorDescriptor
    finalized = _finalized = True
    shape, dtype = "x", None

    def __index__(self) -> int:
        raise KeyError("liar")

    def __getattr__(self, name: str) -> object:
        if name.startswith("__"):
            raise AttributeError(name)
        return self


def endless() -> object:
    yield from range(10)
    raise ZeroDivisionError("in the middle")


closed = tensor([1, 1, 1, 1])
closed.close()
PALETTE = [
    *(None, True, False, 0, 1, -1, 2**31, 2**63, 2**64, -(2**63), 10**40, 0.0, 1.5, math.nan),
    *(math.inf, 1e300, 1j, "", "FLOAT", "CUDNN_DATA_HALF", "\0", "\ud800", b"", b"ab", (), [], {}),
    *([1], (1, 2, 3), [[1, 2], [3]], [None], ["1"], [1.0], range(3), range(70), [[]], [2**63]),
    *(Fraction(1, 2), Decimal(1), np.int64(3), np.float32(1), np.arange(4), np.eye(2), np.bool_(1)),
    *((1, 2), [(1, 2), (3, 4)], object(), type, len, Liar, closed, cudnn.TensorDescriptor()),
    *(cudnn.DataType.HALF, cudnn.PointwiseMode.ADD, cudnn.BackendHeurMode.MODE_A, NotImplemented),
]


def value() -> object:
    kind = draw.random()
    if kind < 0.45:
        return draw.choice(PALETTE)
    if kind < 0.5:
        return Liar()
    if kind < 0.55:
        return endless()
    if kind < 0.75:
        return draw.choice(made)
    if kind < 0.9:
        return [draw.choice(made) for _ in range(draw.randrange(4))]
    return [draw.choice(PALETTE) for _ in range(draw.randrange(4))]


counts = [0, 0, 0]
alive = 0


def count(name: str, _: object) -> None:
    global alive
    alive += (name == "cudnnBackendCreateDescriptor") - (name == "cudnnBackendDestroyDescriptor")


watching.watch(count)
for _ in range(int(turns)):
    cls = draw.choice(classes)
    # Addresses are the caller's word: cuDNN reads what is there.
    names = [each.name for each in cls.attributes() if not {"HANDLE", "VOID_PTR"} & {*each.types}]
    if not names:
        continue
    target = cls.open()
    for _ in range(draw.randrange(1, 6)):
        name = draw.choice(names)
        given = value()
        if "VERBOSE" in os.environ:
            print(f"{cls.__name__}.{name}={given!r:.80}", file=sys.stderr, flush=True)
        try:
            target.set(**{name: given})
            counts[0] += 1
            repr(target)
        except errors.CudnnError as error:
            assert f".{name}" in error.message or f"{name!r}" in error.message, error
            counts[1] += 1
        except (ZeroDivisionError, KeyError):  # the value's own
            counts[2] += 1
    target.close()
watching.watch(None)
del target, given
gc.collect()
print(all(counts), alive)
