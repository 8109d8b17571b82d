"""The ABI mode has a shim for every function; the compiled layer has a callable or a shim."""

import os

os.environ["CUDNN_CFFI_MODE"] = "api"
from cudnn_cffi import _call
from cudnn_cffi._call import abi as _abi
from cudnn_cffi._specs import SPECS

assert _call.mode() == "api", _call.mode()
assert all(callable(getattr(_abi.lib, name)) for name in SPECS), (
    callable(getattr(_abi.lib, name)) for name in SPECS
)
# cffi has the compiled ones that take more than numbers; the others are callables.
compiled = {name for name in SPECS if hasattr(_call.lib, name)}
from importlib import import_module

from cudnn_cffi._index import CALLS

kind = type(import_module("cudnn_cffi.calls.graph").cudnnDestroy)
for name in SPECS:
    wrapper = getattr(import_module(f"cudnn_cffi.calls.{CALLS[name]}"), name)
    assert (type(wrapper) is kind) == (name not in compiled), name
print(len(compiled) < len(SPECS) / 4)
