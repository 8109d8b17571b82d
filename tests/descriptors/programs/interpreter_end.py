"""End the interpreter while objects are owned by modules, classes, cycles and threads."""

import sys
import threading

import cudnn_cffi as cudnn
from cudnn_cffi import _lookup
from cudnn_cffi.handles import origins


class Holder:
    desc = cudnn.TensorDescriptor.packed((1, 2, 3, 4))


kept = [cudnn.ConvolutionDescriptor(), cudnn.RNNDescriptor(), cudnn.PoolingDescriptor()]
kept.append(kept)
local = threading.local()
local.desc = cudnn.FilterDescriptor()
sys.modules["json"] = cudnn.ActivationDescriptor()
handle = cudnn.Handle.from_address(0x1234)

numbers = iter(range(0x9000, 0x9100))
_lookup.calls.cudnnCreate = lambda: next(numbers)
owned = [cudnn.Handle(), cudnn.handle()]
owned.append(owned)
thread = threading.Thread(target=cudnn.handle)
thread.start()
thread.join()
assert len(origins.idle) == 1, "the ended thread's handle waits for the next thread"


def late(address):
    print("destroyed", address)


for name in ("TensorDescriptor", "FilterDescriptor", "ConvolutionDescriptor", "Handle"):
    getattr(cudnn, name)._destroy = staticmethod(late)
print("the end")
