"""Print what functions of cudnn-python-wrappers answer, argument by argument, as JSON.

It is run with the module of this package; a test compares with what version 2.0b2 answered.
"""

import ctypes
import json
from typing import Any

if "libcudnn" not in globals():  # else that of the original
    from cudnn_cffi.compat import libcudnn

#: Values in the place of a number.
OTHERS: tuple[Any, ...] = (
    *(-1, 0, 1, 5, 77, True, None, "3", b"3", 1.5, [1]),
    *(ctypes.c_int(2), ctypes.c_void_p(3)),
)

answers: dict[str, Any] = {}


def ask(function: str, *args: Any) -> Any:
    try:
        return repr(getattr(libcudnn, function)(*args))
    except Exception as error:
        return [type(error).__name__]


def replace(function: str, valid: tuple[int, ...]) -> None:
    """Ask with each argument replaced, and read what was set."""
    for place in range(len(valid)):
        for other in OTHERS:
            tensor = libcudnn.cudnnCreateTensorDescriptor()
            args = (*valid[:place], other, *valid[place + 1 :])
            question = f"{function}, argument {place + 2}: {other!r}"
            answers[question] = [ask(function, tensor, *args)]
            if answers[question] == ["None"]:
                pointer = ctypes.c_void_p(tensor)
                answers[question].append(ask("cudnnGetTensor4dDescriptor", pointer))
            libcudnn.cudnnDestroyTensorDescriptor(ctypes.c_void_p(tensor))


replace("cudnnSetTensor4dDescriptor", (0, 0, 2, 3, 4, 5))
replace("cudnnSetTensor4dDescriptorEx", (0, 2, 3, 4, 5, 60, 20, 5, 1))
answers["one argument"] = ask("cudnnSetTensor4dDescriptor", 1)
answers["set 0"] = ask("cudnnSetTensor4dDescriptor", 0, 0, 0, 1, 1, 1, 1)
answers["get 0"] = ask("cudnnGetTensor4dDescriptor", 0)
for kind in ("Tensor", "Filter", "Convolution", "Pooling"):
    for nothing in (0, None):
        answers[f"destroy {kind} {nothing}"] = ask(f"cudnnDestroy{kind}Descriptor", nothing)
answers["create"] = ask("cudnnCreate")
answers["version"] = type(libcudnn.cudnnGetVersion()).__name__
for status in range(11):
    answers[f"check {status}"] = ask("cudnnCheckStatus", status)
print(json.dumps(answers, indent=0))
