"""Finalize every type with one attribute left out, or none set, each in a child process."""

import json
import os
import signal
import sys
from functools import partial
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[3]))

from cudnn_cffi import errors

from tests.backend.replay import CLASSES, Replay, preload

preload(sys.argv[1:])
#: cuDNN aborts where these are made and there is no cuBLAS.
WANT_CUBLAS = ("EngineHeurDescriptor", "EngineCfgDescriptor", "ExecutionPlanDescriptor")
has_cublas = any("cublasLt" in name for name in sys.argv[1:])
replay = Replay()
tried = 0
crashes: dict[str, str] = {}


def attempt(what, make):
    """Call `make` in a child, which may crash, and note how it ended."""
    global tried
    tried += 1
    child = os.fork()
    if not child:
        try:
            os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
            make()
        except errors.CudnnError:
            os._exit(0)
        except BaseException as error:
            os.write(1, f"{what}: {error!r}\n".encode())
            os._exit(1)
        os._exit(0)
    _, status = os.waitpid(child, 0)
    if status:
        crashes[what] = (
            signal.Signals(os.WTERMSIG(status)).name if os.WIFSIGNALED(status) else "exit"
        )


for c_name, cls in CLASSES.items():
    if not cls.available():
        continue
    attempt(f"{cls.__name__}()", cls)
    if cls.__name__ in WANT_CUBLAS and not has_cublas:
        continue
    try:
        made = replay.build(c_name)
    except (LookupError, errors.CudnnError):
        made = None
    values = dict(made._values) if made is not None else {}
    for left_out in values:
        rest = {name: value for name, value in values.items() if name != left_out}
        attempt(f"{cls.__name__} without {left_out}", partial(cls, **rest))
    for name, value in values.items():
        attempt(f"{cls.__name__} with {name} alone", partial(cls, **{name: value}))
print(json.dumps({"tried": tried, "crashes": crashes}))
