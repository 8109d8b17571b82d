"""Print what raw functions of CuPy answer, argument by argument, as JSON.

The argument is the name of the module: CuPy's own, or that of this package.
"""

import ctypes
import importlib
import json
import sys
from typing import Any

cudnn = importlib.import_module(sys.argv[1])


def ints(*numbers: int) -> Any:
    return (ctypes.c_int * len(numbers))(*numbers)


KEPT = [ints(2, 3, 4, 5, 6), ints(360, 120, 30, 6, 1), ints(1, 2, 3), ints(1, 1, 1), ints(3, 2)]
FILL = ctypes.c_float(0.5)
DIMS, STRIDES, THREE, ONES, LENGTHS, PADDING = (ctypes.addressof(each) for each in (*KEPT, FILL))
POINTERS = {DIMS, STRIDES, THREE, ONES, LENGTHS, PADDING}

#: For each descriptor: its setter, its creator, the arguments after it, and its getter.
CASES: list[tuple[str, str, tuple[Any, ...], tuple[Any, ...]]] = [
    ("setTensor4dDescriptor", "Tensor", (0, 0, 2, 3, 4, 5), ("getTensor4dDescriptor",)),
    ("setTensor4dDescriptor", "Tensor", (1, 2, 2, 3, 4, 5), ("getTensor4dDescriptor",)),
    (
        "setTensor4dDescriptorEx",
        "Tensor",
        (1, 2, 3, 4, 5, 60, 20, 5, 1),
        ("getTensor4dDescriptor",),
    ),
    ("setTensorNdDescriptor", "Tensor", (0, 4, DIMS, STRIDES), ("getTensor4dDescriptor",)),
    ("setTensorNdDescriptor", "Tensor", (2, 5, DIMS, STRIDES), ("getTensor4dDescriptor",)),
    ("setFilter4dDescriptor_v4", "Filter", (0, 0, 8, 4, 3, 2), ("getFilterNdDescriptor", 4)),
    ("setFilter4dDescriptor_v4", "Filter", (2, 1, 8, 4, 3, 2), ("getFilterNdDescriptor", 3)),
    ("setFilterNdDescriptor_v4", "Filter", (1, 0, 5, DIMS), ("getFilterNdDescriptor", 8)),
    (
        "setConvolution2dDescriptor_v5",
        "Convolution",
        (1, 2, 1, 2, 1, 1, 1, 0),
        ("getConvolutionMathType",),
    ),
    (
        "setConvolutionNdDescriptor_v3",
        "Convolution",
        (3, THREE, ONES, ONES, 1, 0),
        ("getConvolutionGroupCount",),
    ),
    ("setConvolutionMathType", "Convolution", (1,), ("getConvolutionMathType",)),
    ("setConvolutionGroupCount", "Convolution", (4,), ("getConvolutionGroupCount",)),
    ("setPooling2dDescriptor_v4", "Pooling", (1, 0, 3, 2, 1, 0, 2, 1), ()),
    ("setPoolingNdDescriptor_v4", "Pooling", (0, 1, 3, THREE, ONES, ONES), ()),
    ("setActivationDescriptor", "Activation", (3, 1, 6.0), ()),
    ("setOpTensorDescriptor", "OpTensor", (3, 0, 1), ("getOpTensorDescriptor",)),
    (
        "setReduceTensorDescriptor",
        "ReduceTensor",
        (2, 0, 1, 1, 0),
        ("getReduceTensorDescriptor",),
    ),
    ("setCTCLossDescriptor", "CTCLoss", (0,), ("getCTCLossDescriptor",)),
    ("setRNNPaddingMode", "RNN", (1,), ("getRNNPaddingMode",)),
    ("setRNNDataDescriptor", "RNNData", (0, 0, 3, 2, 7, LENGTHS, PADDING), ()),
    ("setSpatialTransformerDescriptor", "SpatialTransformer", (0, 0, 4, DIMS), ()),
]

#: Values in the place of a number.
OTHERS = (-1, 0, 1, 5, 77, 2**31, 2**40, True, None, "3")


def answer(function: str, *args: Any) -> Any:
    try:
        got = getattr(cudnn, function)(*args)
    except cudnn.CuDNNError as error:
        return ["CuDNNError", error.status, str(error).splitlines()[0]]
    except Exception as error:
        return [type(error).__name__]
    return got


def ask(function: str, kind: str, args: tuple[Any, ...], reader: tuple[Any, ...]) -> Any:
    descriptor = getattr(cudnn, f"create{kind}Descriptor")()
    assert type(descriptor) is int
    try:
        answers = [answer(function, descriptor, *args)]
        if reader and answers == [None]:
            answers.append(answer(reader[0], descriptor, *reader[1:]))
        return answers
    finally:
        getattr(cudnn, f"destroy{kind}Descriptor")(descriptor)


answers: dict[str, Any] = {}
for function, kind, args, reader in CASES:
    shown = ["pointer" if each in POINTERS else each for each in args]
    answers[f"{function}{tuple(shown)}"] = ask(function, kind, args, reader)
    for place, value in enumerate(args):
        # A wrong address, or more numbers than there are, ends the process.
        if value in POINTERS:
            continue
        for other in OTHERS:
            counts = "Nd" in function or "Spatial" in function or "RNNData" in function
            if counts and type(other) is int and other > 3:
                continue
            changed = (*args[:place], other, *args[place + 1 :])
            key = f"{function}, argument {place + 1}: {other!r}, {shown}"
            answers[key] = ask(function, kind, changed, reader)
    answers[f"{function} with an argument more"] = ask(function, kind, (*args, 1), ())
    answers[f"{function} with an argument less"] = ask(function, kind, args[:-1], ())

#: Calls with 0 in the place of a descriptor, or of a handle.
NULLS: list[tuple[str, tuple[Any, ...]]] = [
    ("setTensor4dDescriptor", (0, 0, 0, 1, 1, 1, 1)),
    ("getTensor4dDescriptor", (0,)),
    ("setTensorNdDescriptor", (0, 0, 4, 0, 0)),
    ("setFilter4dDescriptor_v4", (0, 0, 0, 1, 1, 1, 1)),
    ("getFilterNdDescriptor", (0, 4)),
    ("setConvolution2dDescriptor_v5", (0, 1, 1, 1, 1, 1, 1, 1, 0)),
    ("setConvolutionMathType", (0, 1)),
    ("setConvolutionGroupCount", (0, 1)),
    ("setPooling2dDescriptor_v4", (0, 0, 0, 2, 2, 0, 0, 2, 2)),
    ("setActivationDescriptor", (0, 1, 0, 0.0)),
    ("setOpTensorDescriptor", (0, 0, 0, 0)),
    ("getOpTensorDescriptor", (0,)),
    ("setReduceTensorDescriptor", (0, 0, 0, 0, 0, 0)),
    ("getReduceTensorDescriptor", (0,)),
    ("setCTCLossDescriptor", (0, 0)),
    ("getCTCLossDescriptor", (0,)),
    ("getStream", (0,)),
    ("getDropoutReserveSpaceSize", (0,)),
]
for function, args in NULLS:
    answers[f"{function}{args}"] = answer(function, *args)
for function in sorted(each for each in dir(cudnn) if each.startswith("destroy")):
    answers[f"{function}(0)"] = answer(function, 0)

desc, derived = cudnn.createTensorDescriptor(), cudnn.createTensorDescriptor()
cudnn.setTensor4dDescriptor(desc, 0, 2, 2, 3, 4, 5)
for mode in (0, 1, 2, 7):
    answers[f"deriveBNTensorDescriptor {mode}"] = [
        answer("deriveBNTensorDescriptor", derived, desc, mode),
        answer("getTensor4dDescriptor", derived),
    ]
answers["getDropoutReserveSpaceSize"] = answer("getDropoutReserveSpaceSize", desc)
answers["create"] = answer("create")
for status in (0, 1, 2, 3, 9, 13, 77, "x"):
    answers[f"check_status {status}"] = answer("check_status", status)
error = cudnn.CuDNNError(3)
error.add_info("first")
error.add_infos(["second", "third"])
answers["CuDNNError"] = [str(error), error.status, [c.__name__ for c in type(error).__mro__[1:]]]
pack = cudnn.createFusedOpsConstParamPack(0)
number, back = ctypes.c_int(2), ctypes.c_int(9)
answers["fused"] = [
    answer("setFusedOpsConstParamPackAttribute", pack, 1, ctypes.addressof(number)),
    answer("getFusedOpsConstParamPackAttribute", pack, 1, ctypes.addressof(back)),
    back.value,
]
print(json.dumps(answers, indent=0))
