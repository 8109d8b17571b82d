"""One of several processes that write and read the same plans."""

import os
import sys
import warnings

import cudnn_cffi as cudnn
from cudnn_cffi._kept import store
from cudnn_cffi.choice import build, plans

from tests.choice.computations import convolution

os.environ["CUDNN_CFFI_PLAN_CACHE"] = sys.argv[1]
warnings.simplefilter("error")
H200 = cudnn.DeviceProperties("H200")
computations = [convolution(device=H200, c=c) for c in (64, 128)]
engines = set()
for turn in range(12):
    for each in computations:
        plans.clear()
        if turn % 4 == int(sys.argv[2]):
            store.clear()
        engines.add((each.signature, build(each).engine))
print(sorted(engines))
