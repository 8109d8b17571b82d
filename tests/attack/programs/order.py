"""Call functions with several wrong arguments, of which some raise exceptions of their own.

usage: python order.py SEED CALLS

Prints what each call raises. No call has a handle, so none reaches cuDNN.
"""

from __future__ import annotations

import inspect
import random
import sys
from typing import Any

import cudnn_cffi as cudnn
from cudnn_cffi import _tables
from cudnn_cffi._call.spec import WRAPPERS, read_spec


class OwnError(Exception):
    """An exception of the caller's."""


def raising(name: str, *, is_property: bool = False) -> Any:
    """Return an object that raises where a method or attribute of it is asked for."""

    def fail(self: Any, *_: Any, **__: Any) -> Any:
        raise OwnError(name)

    return type(name, (), {name: property(fail) if is_property else fail})()


closed = cudnn.TensorDescriptor()
closed.close()
VALUES = {
    "None": None, "text": "x", "tensor": cudnn.TensorDescriptor(), "closed": closed,
    "relu": cudnn.ActivationDescriptor.relu(), "1.0": 1.0, "nan": float("nan"), "2**70": 1 << 70,
    "-1": -1, "0": 0, "True": True, "list": [1], "object": object(),
    "memory": raising("__cuda_array_interface__", is_property=True),
    "dlpack": raising("__dlpack_device__"), "index": raising("__index__"),
    "float": raising("__float__"), "handle": raising("_cudnnHandle_t", is_property=True),
    "descriptor": raising("_cudnnTensorDescriptor_t", is_property=True),
}  # fmt: skip
NO_HANDLES = ["None", "text", "tensor", "closed", "relu", "object", "index", "handle", "list"]


def main() -> None:
    draw = random.Random(int(sys.argv[1]))
    available = _tables.active().all_names()
    names = [
        name
        for name in sorted(WRAPPERS)
        if name in available
        and (spec := read_spec(name)).parameters
        and spec.parameters[0].kind == "handle"
        and not spec.parameters[0].optional
    ]
    for _ in range(int(sys.argv[2])):
        name = draw.choice(names)
        function = getattr(cudnn, name)
        count = len(inspect.signature(function).parameters)
        given = [draw.choice(NO_HANDLES), *draw.choices(list(VALUES), k=count - 1)]
        try:
            function(*[VALUES[each] for each in given])
            said = "returned"
        except Exception as error:
            said = f"{type(error).__name__}: {str(error).splitlines()[0]}"
        print(name, *given, said)


main()
