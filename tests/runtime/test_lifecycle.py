"""What is on for a while, and when things end: blocks, forks, interpreters, imports."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Run = Callable[..., Any]

MODES = pytest.mark.parametrize("mode", ["api", "abi"])

#: A handler raises at a random step of `with block()`; counts what it leaves on.
INTERRUPTS = """
import random, signal, sys, time
import cudnn_cffi as cudnn
from cudnn_cffi import _call

class Interrupt(Exception):
    pass

def handler(*_):
    if armed:
        raise Interrupt

armed = False
signal.signal(signal.SIGALRM, handler)
x = cudnn.TensorDescriptor()
cudnn.cudnnSetCallback(cudnn.SeverityMask.ERROR_EN, 7, lambda *message: None)
before = cudnn.cudnnGetCallback()
draw = random.Random(SEED)
count = left = 0
for block, is_on in (
    (cudnn.check_calls, lambda: x.get_4d() and _call.watcher is not None),
    (lambda: cudnn.log("ERROR"), lambda: cudnn.cudnnGetCallback() != before),
):
    with block():
        assert is_on()
    end = time.monotonic() + SECONDS
    while time.monotonic() < end:
        try:
            armed = True
            signal.setitimer(signal.ITIMER_REAL, draw.uniform(1e-6, 2e-4), 0.01)
            while True:
                with block():
                    pass
        except Interrupt:
            armed = False
            signal.setitimer(signal.ITIMER_REAL, 0)
        count += 1
        left += bool(is_on())
print(count > 100, left)
"""

#: A handler opens blocks of its own while the main program is at any step of opening its own.
HANDLERS = """
import faulthandler, signal
import cudnn_cffi as cudnn
from cudnn_cffi import _call
faulthandler.dump_traceback_later(30, exit=True)
x = cudnn.TensorDescriptor()
before = cudnn.cudnnGetCallback()
count = 0
inside = False

def handler(*_):
    global count, inside
    if inside:  # slower than the signals come
        return
    inside = True
    count += 1
    with cudnn.check_calls(), cudnn.log("ERROR"):
        x.get_4d()
    inside = False

handler()  # imports what it needs
signal.signal(signal.SIGALRM, handler)
signal.setitimer(signal.ITIMER_REAL, 1e-3, 2e-4)
while count < 300:
    with cudnn.check_calls(), cudnn.log("ERROR"):
        x.get_4d()
signal.setitimer(signal.ITIMER_REAL, 0)
print(_call.watcher, cudnn.cudnnGetCallback().mask in (before.mask, 2))
"""

#: Threads are at any step of what takes locks when the process is forked; every child has to end.
FORKS = """
import os, random, signal, sys, threading, time
import cudnn_cffi as cudnn
sys.setswitchinterval(1e-5)

def checks():
    with cudnn.check_calls():
        pass

def logs():
    with cudnn.log("ERROR"):
        pass

def calls():
    x = cudnn.TensorDescriptor()
    x.set_4d(0, 0, 1, 2, 3, 4)
    x.close()

def fails():
    x = cudnn.TensorDescriptor()
    try:
        x.set_4d(0, 0, -1, 2, 3, 4)
    except cudnn.CudnnError:
        pass

def numbers(draw=random.Random(SEED)):
    cudnn.DataType(draw.randrange(1000, 9999))

works = [checks, logs, calls, numbers, fails]

def loop(work):
    while True:
        work()

for work in works:
    work()
    threading.Thread(target=loop, args=(work,), daemon=True).start()
hung = forked = 0
end = time.monotonic() + SECONDS
while time.monotonic() < end:
    pid = os.fork()
    if not pid:
        signal.alarm(5)
        for work in works[: CHILD]:
            work()
        os._exit(0)
    forked += 1
    hung += os.waitpid(pid, 0)[1] != 0
print(forked > 5, hung, flush=True)
os._exit(0)
"""


@MODES
def test_an_exception_of_a_signal_handler_leaves_nothing_on(
    mode: str, run: Run, cudnn_library: Path
) -> None:
    code = INTERRUPTS.replace("SEED", "1").replace("SECONDS", "0.7")
    assert run(code, cudnn_library, CUDNN_CFFI_MODE=mode).stdout == "True 0\n"


@MODES
def test_a_signal_handler_may_open_blocks(mode: str, run: Run, cudnn_library: Path) -> None:
    assert run(HANDLERS, cudnn_library, CUDNN_CFFI_MODE=mode).stdout == "None True\n"


@MODES
@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_children_forked_amid_blocks_end(mode: str, run: Run, cudnn_library: Path) -> None:
    code = FORKS.replace("SEED", "1").replace("SECONDS", "0.7").replace("CHILD", "4")
    assert run(code, cudnn_library, CUDNN_CFFI_MODE=mode).stdout == "True 0\n"


OWNERS = """
import builtins, contextvars, logging, sys, threading, time
import cudnn_cffi as cudnn

class Owner:
    def __init__(self):
        self.d = cudnn.cudnnCreateTensorDescriptor()

    def __del__(self, destroy=cudnn.cudnnDestroyTensorDescriptor):
        destroy(self.d)

variable = contextvars.ContextVar("variable")
variable.set(Owner())
handler = logging.NullHandler()
handler.owner = Owner()
logging.getLogger().addHandler(handler)
cudnn.cudnnSetTensor4dDescriptor.owner = Owner()
sys.owner = builtins.owner = Owner()
circle = Owner()
circle.itself = circle
"""


@MODES
@pytest.mark.parametrize("threads", [0, 4])
def test_calls_at_the_end_of_the_interpreter(
    mode: str, threads: int, run: Run, cudnn_library: Path
) -> None:
    code = f"""
def loop():
    while True:
        with cudnn.check_calls():
            cudnn.TensorDescriptor().close()

for _ in range({threads}):
    threading.Thread(target=loop, daemon=True).start()
time.sleep(0.02)
"""
    done = run(OWNERS + code, cudnn_library, CUDNN_CFFI_MODE=mode, CUDNN_CFFI_CHECK="1")
    if mode == "api":  # in abi a call is Python's code, and has lost its names by then
        assert not done.stderr


@pytest.mark.skipif(sys.version_info >= (3, 13), reason="the module has another interface")
def test_an_interpreter_that_ended_looks_at_no_calls(run: Run, cudnn_library: Path) -> None:
    """Each of the interpreters of a process has checks of its own, the last one too."""
    done = run(
        """
        import _xxsubinterpreters as interpreters
        import cudnn_cffi as cudnn
        for _ in range(3):
            other = interpreters.create()
            interpreters.run_string(
                other, "import cudnn_cffi as c; c.TensorDescriptor().close()"
            )
            interpreters.destroy(other)
        x = [cudnn.TensorDescriptor.packed((8, 8), "float32") for _ in range(200)]
        from cudnn_cffi import _call
        print(_call.watcher.__name__)
        """,
        cudnn_library,
        CUDNN_CFFI_MODE="api",
        CUDNN_CFFI_CHECK="1",
    )
    assert done.stdout == "_look\n"


@MODES
@pytest.mark.parametrize("check", ["0", "1"])
def test_imported_again_it_has_words_and_checks(
    mode: str, check: str, run: Run, cudnn_library: Path
) -> None:
    done = run(
        """
        import json, sys
        import cudnn_cffi as cudnn
        cudnn.TensorDescriptor()
        for name in list(sys.modules):
            if name.partition(".")[0] == "cudnn_cffi":
                del sys.modules[name]
        import cudnn_cffi as cudnn
        x = cudnn.cudnnCreateTensorDescriptor()
        try:
            cudnn.cudnnSetTensor4dDescriptor(x, 0, 0, -1, 1, 1, 1)
        except cudnn.CudnnError as error:
            text = str(error)
        from cudnn_cffi import _call
        print(json.dumps([text, _call.watcher is not None]))
        """,
        cudnn_library,
        CUDNN_CFFI_MODE=mode,
        CUDNN_CFFI_CHECK=check,
    )
    text, watched = json.loads(done.stdout)
    assert "cuDNN says: " in text
    assert str(cudnn_library) in text
    assert watched is (check == "1")
