"""dir() of the package, of a class and of an object is about the release in use."""

import importlib

import cudnn_cffi as cudnn
from cudnn_cffi._front.resolve import OVERLAY
from cudnn_cffi._index import HISTORY

before = set(dir(cudnn.RNNDescriptor))
cudnn.load()
names = set(dir(cudnn))
listed_all = set(importlib.import_module("cudnn_cffi").__all__)
assert listed_all <= names, listed_all - names
for name in HISTORY:
    assert (name in names) == cudnn.has(name), name
for name in names - {"__version__"}:
    if name[0].isupper() or name.startswith("cudnn"):
        assert (
            cudnn.has(name)
            or issubclass(getattr(cudnn, name), Exception)
            or OVERLAY.get(name, "descriptors") != "descriptors"
        ), name
x = cudnn.RNNDescriptor()
old = cudnn.cudnnGetVersion() < 9000
for listed in (dir(x), dir(cudnn.RNNDescriptor)):
    assert {"close", "lstm", "set_v8"} <= set(listed), {"close", "lstm", "set_v8"}
    assert ("set_v6" in listed) == old, "set_v6" in listed
    assert ("set_clip_v9" in listed) == (not old), "set_clip_v9" in listed
assert "set_clip_v9" in before and "set_v6" not in before, (
    '"set_clip_v9" in before and "set_v6" not in before'
)
missing = "set_clip_v9" if old else "set_matrix_math_type"
assert hasattr(x, missing), "hasattr(x, missing)"
try:
    getattr(x, missing)(*[0] * (3 if old else 1))
except cudnn.MissingFunctionError as error:
    print(error.message)
