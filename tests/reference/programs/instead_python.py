"""Runs the Python of "From 8 to 9" that needs no GPU, and prints which calls that were."""

from __future__ import annotations

import contextlib
import io
from typing import Any

import cudnn_cffi as cudnn

from reference import upgrade
from reference.records import Models

models = Models()
groups = [each for found in upgrade.items(models) for each in upgrade.groups(models, found)]
code = {group.calls or group.title: group.python for group in groups}


class Described:
    """An array of float16 with channels last, as far as its description goes."""

    def __init__(self, n: int, c: int, h: int, w: int) -> None:
        self.__cuda_array_interface__ = {
            "shape": (n, c, h, w),
            "strides": (2 * h * w * c, 2, 2 * w * c, 2 * c),
            "typestr": "<f2",
            "data": (4096, False),
            "version": 3,
        }


names: dict[str, Any] = {
    "rnnDesc": cudnn.RNNDescriptor(),
    "dropoutDesc": None,
    "algo": cudnn.RNNAlgo.STANDARD,
    "cellMode": cudnn.RNNMode.LSTM,
    "biasMode": cudnn.RNNBiasMode.DOUBLE_BIAS,
    "dirMode": cudnn.DirectionMode.UNIDIRECTIONAL,
    "inputMode": cudnn.RNNInputMode.LINEAR_INPUT,
    "dataType": cudnn.DataType.FLOAT,
    "mathPrec": cudnn.DataType.FLOAT,
    "mathType": cudnn.MathType.FMA_MATH,
    "inputSize": 12,
    "hiddenSize": 16,
    "projSize": 16,
    "numLayers": 2,
    "auxFlags": 0,
    "clipMode": cudnn.RNNClipMode.MINMAX,
    "lclip": -5.0,
    "rclip": 5.0,
    "ctcLossDesc": cudnn.CTCLossDescriptor(),
    "compType": cudnn.DataType.FLOAT,
    "normMode": cudnn.LossNormalizationMode.SOFTMAX,
    "ctcGradMode": cudnn.CTCGradMode.SKIP_OOB_GRADIENTS,
    "maxLabelLength": 10,
    "descriptorType": cudnn.BackendDescriptorType.TENSOR_DESCRIPTOR,
    "x": Described(8, 64, 14, 14),
    "w": Described(64, 64, 3, 3),
}


def run(name: str) -> str:
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(code[name], name, "exec"), names)
    print(name)
    return printed.getvalue()


for part in ("Adv", "Cnn", "Ops"):
    run(f"cudnn{part}VersionCheck")
run("cudnnGetLastErrorString")
assert names["result"] == "", "nothing has failed"
run("cudnnBackendCreateDescriptor")
assert names["result"], "the address of a descriptor"
cudnn.cudnnBackendDestroyDescriptor(names["result"])
run("cudnnSetCTCLossDescriptor_v9")
for name in ("normMode", "ctcGradMode", "maxLabelLength"):
    names[name] = None
run("cudnnGetCTCLossDescriptor_v9")
assert names["ctcGradMode"] is cudnn.CTCGradMode.SKIP_OOB_GRADIENTS, names["ctcGradMode"]
assert names["maxLabelLength"] == 10, names["maxLabelLength"]
run("cudnnSetRNNDescriptor_v8")
run("cudnnGetRNNDescriptor_v8")
assert names["result"].hiddenSize == 16, names["result"]
run("cudnnRNNSetClip_v9")
names |= {"lclip": None, "rclip": None}
run("cudnnRNNGetClip_v9")
assert (names["lclip"], names["rclip"]) == (-5.0, 5.0), "what was set"
shapes = run("Shape of a convolution's or a pooling's result").splitlines()
assert shapes == ["(8, 64, 14, 14)", "(8, 64, 7, 7)"], shapes
filters = run("Descriptors of filters")
assert filters == "(64, 64, 3, 3) (576, 1, 192, 64)\n", filters
