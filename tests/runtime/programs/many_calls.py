"""Call the same plan and operations from many threads, with functions in cuDNN's place; print JSON.

Each thread also makes arrays, drops them, and sets its own policy, so that what the compiled layer
remembers of calls changes all the time.
"""

import ctypes
import json
import sys
import threading

from cudnn_cffi._call.layer import lib
from cudnn_cffi._call.spec import WRAPPERS

from benchmarks import dispatch
from benchmarks.processes import compile_c
from tests.plan.standin import CONVOLUTION, own

COUNTED = """
long count;
int counted(void) { __atomic_fetch_add(&count, 1, __ATOMIC_SEQ_CST); return 0; }
"""

THREADS, ROUNDS = 8, int(sys.argv[1])

sys.setswitchinterval(1e-5)
kept = dispatch.stand_in()
library = compile_c(COUNTED)
for name in ("cudnnBackendExecute", "cudnnActivationForward"):
    address = ctypes.cast(library.counted, ctypes.c_void_p).value or 0
    lib.cudnn_cffi_bind(WRAPPERS.index(name), address)
shared = dispatch.calls()
calls = [compile(line, line, "eval") for line in dispatch.LINES]
errors: list[str] = []
barrier = threading.Barrier(THREADS)


def work(number: int) -> None:
    barrier.wait()
    for turn in range(ROUNDS):
        arrays = [
            own(each, 0x10000 * (number + 1) + 0x2000 * at) for at, each in enumerate(CONVOLUTION)
        ]
        names = shared | dict(
            zip("xwy", arrays if turn % 2 else [shared[each] for each in "xwy"], strict=True)
        )
        try:
            for call in calls:
                if (answer := eval(call, names)) is not names["y"]:
                    errors.append(f"{call.co_filename}: {answer!r}")
        except BaseException as error:
            errors.append(f"{type(error).__name__}: {error}")


threads = [threading.Thread(target=work, args=(number,)) for number in range(THREADS)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
count = ctypes.c_long.in_dll(library, "count").value
print(json.dumps([sorted(set(errors))[:5], count, THREADS * ROUNDS * len(calls)]))
