"""Print the help of functions in the call mode of the environment; no library is loaded for it."""

import inspect
import json
import sys

import cudnn_cffi
from cudnn_cffi import _call, library

functions = {name: getattr(cudnn_cffi, name) for name in sys.argv[1:]}
told = {
    name: [inspect.getdoc(function), str(inspect.signature(function))]
    for name, function in functions.items()
}
assert library.current() is None, "help loaded a library"
print(json.dumps([_call.layer.mode(), told]))
