"""Fork after the GPU was used in several threads: the child prints nothing that it does not say."""

import os
import sys
import threading
import warnings

import cudnn_cffi as cudnn
from cudnn_cffi import ops

warnings.simplefilter("ignore")  # Python's own, of forks with threads
x = cudnn.DeviceArray.zeros((2, 8, 6, 6))
dropout = ops.Dropout(0.5)
dropout(x)
handle, stream = cudnn.Handle(), cudnn.Stream()
ops.relu(x, handle=handle)
ready, done = threading.Barrier(4), threading.Event()


def work() -> None:
    own = cudnn.DeviceArray.zeros((2, 8, 6, 6))
    ops.convolution(own, cudnn.DeviceArray.zeros((8, 8, 3, 3)))
    ready.wait()
    done.wait()


for _ in range(3):
    threading.Thread(target=work, daemon=True).start()
ready.wait()
child = os.fork()
if not child:
    y = x
    for call in (
        lambda: ops.relu(x), lambda: cudnn.DeviceArray.zeros(3), y.to_numpy, x.__dlpack__,
        cudnn.Stream, cudnn.Event, stream.synchronize, stream.record, handle.get_stream,
        cudnn.Handle, lambda: cudnn.pinned_empty(4),
    ):  # fmt: skip
        try:
            call()
        except cudnn.ForkedError:
            continue
        print(f"{call} is not refused", flush=True)
    x.close()
    stream.close()
    print("refused", flush=True)
    sys.exit(0)
assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
ops.relu(x)
print("goes on")
