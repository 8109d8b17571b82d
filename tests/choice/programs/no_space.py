"""Places where nothing can be written: a warning, once, and a plan all the same."""

import os
import resource
import sys
import warnings
from pathlib import Path

import cudnn_cffi as cudnn
from cudnn_cffi.choice import build, plans

from tests.choice.computations import convolution

folder = Path(sys.argv[1])
H200 = cudnn.DeviceProperties("H200")
conv = convolution(device=H200)

occupied = folder / "file"
occupied.write_text("not a folder")
cases = {"not a folder": occupied, "no space": folder / "full"}
for what, place in cases.items():
    os.environ["CUDNN_CFFI_PLAN_CACHE"] = str(place)
    if what == "no space":
        # As on a full disk: a file may begin, and the rest of it fails.
        resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for _ in range(2):
            plans.clear()
            assert build(conv).engine is not None
    texts = [str(each.message) for each in caught]
    assert len(texts) in (1, 2), texts
    assert all("CUDNN_CFFI_PLAN_CACHE" in text or "is not used" in text for text in texts), texts
    assert not any(each.is_file() for each in place.rglob("*"))  # nothing half-written
print("done")
