"""The Python that takes the place of removed and deprecated functions runs, and computes the same."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import Any

import pytest

from reference import upgrade

ENTRIES = {entry["title"]: entry for entry in upgrade.entries()}


def double(array: Any) -> Any:
    return array.detach().double().cpu()


@pytest.fixture
def arrays(torch: Any) -> dict[str, Any]:
    """Names of arrays in the entries' code."""

    def images(*shape: int) -> Any:
        made = torch.randn(shape, device="cuda", dtype=torch.half)
        return made.contiguous(memory_format=torch.channels_last)

    def channels() -> Any:
        return torch.rand(64, device="cuda") + 0.5

    def heads() -> Any:
        return torch.randn(2, 4, 128, 64, device="cuda", dtype=torch.half)

    return {
        "x": images(8, 64, 14, 14),
        "w": images(64, 64, 3, 3) * 0.1,
        "dy": images(8, 64, 14, 14),
        "dx_like": images(8, 64, 14, 14),
        "pooled_dy": images(8, 64, 7, 7),
        "residual": images(8, 64, 14, 14),
        "bias": channels().half(),
        "channel_bias": channels().half().reshape(1, 64, 1, 1),
        "scale": channels(),
        "shift": channels(),
        "mean": channels(),
        "variance": channels(),
        **{name: heads() for name in ("q", "k", "v", "do")},
    }


class Reference:
    """The same in float64 by PyTorch, of what an entry's code left under its names."""

    def __init__(self, torch: Any, found: dict[str, Any]) -> None:
        self.torch, self.f = torch, torch.nn.functional
        self.found = found

    def __getattr__(self, name: str) -> Any:
        return double(self.found[name])

    def gradient(self, function: Callable[[Any], Any], x: Any, dy: Any) -> Any:
        x = x.requires_grad_()
        return self.torch.autograd.grad(function(x), x, dy)[0]

    def attention(self) -> Any:
        return self.f.scaled_dot_product_attention(self.q, self.k, self.v)

    def attention_gradients(self) -> Any:
        operands = [each.requires_grad_() for each in (self.q, self.k, self.v)]
        o = self.f.scaled_dot_product_attention(*operands)
        return self.torch.autograd.grad(o, operands, self.do)

    def norm(self, x: Any) -> Any:
        return self.f.batch_norm(x, None, None, self.scale, self.shift, training=True)


#: For each entry, the results that its code leaves, and what they should be.
EXPECTED: dict[str, Callable[[Reference], dict[str, Any]]] = {
    "Search for an algorithm": lambda r: {"y": r.f.conv2d(r.x, r.w, padding=1)},
    "Size of a workspace": lambda _: {},
    "Convolution with bias and activation": lambda r: {
        "y": r.f.relu(r.f.conv2d(r.x, r.w, r.bias, padding=1))
    },
    "Gradient of a convolution for its input": lambda r: {
        "dx": r.gradient(lambda x: r.f.conv2d(x, r.w, padding=1), r.x, r.dy)
    },
    "Gradient of a convolution for its filter": lambda r: {
        "dw": r.gradient(lambda w: r.f.conv2d(r.x, w, padding=1), r.w, r.dy)
    },
    "Gradient of a convolution for its bias": lambda r: {"dbias": r.dy.sum((0, 2, 3))},
    "Convolution": lambda r: {"y": r.f.conv2d(r.x, r.w, padding=1)},
    "Shape of a convolution's or a pooling's result": lambda _: {},
    "Descriptors of convolutions": lambda r: {"y": r.f.conv2d(r.x, r.w, padding=1, stride=2)},
    "Descriptors of filters": lambda _: {},
    "Pooling": lambda r: {
        "y": r.f.max_pool2d(r.x, 2),
        "dx": r.gradient(lambda x: r.f.max_pool2d(x, 2), r.x, r.pooled_dy),
    },
    "Activations": lambda r: {"y": r.f.relu(r.x), "dx": r.dx_like * (r.x > 0)},
    "Norms at inference": lambda r: {
        "y": r.f.batch_norm(r.x, r.mean, r.variance, r.scale, r.shift)
    },
    "Gradients of norms": lambda r: {
        "y": r.norm(r.x),
        "dx": r.gradient(r.norm, r.x, r.dx_like),
        "dshift": r.dx_like.sum((0, 2, 3)),
    },
    "Batch normalization and the other norms": lambda r: {
        "y": r.f.relu(r.norm(r.x) + r.residual),
        "mean": r.x.mean((0, 2, 3)),
    },
    "Reductions": lambda r: {"total": r.x.sum((0, 2, 3))},
    "Arithmetic on tensors": lambda r: {"z": r.x * r.residual * 0.5},
    "Windows as columns": lambda r: {"columns": r.f.unfold(r.x, 3, padding=1)},
    "Copies in another layout or type": lambda r: {"y": r.x},
    "Fused operations": lambda r: {"y": r.f.relu(r.f.conv2d(r.x, r.w, padding=1) + r.channel_bias)},
    "Attention": lambda r: {
        "o": r.attention(),
        **dict(zip(("dq", "dk", "dv"), r.attention_gradients(), strict=True)),
    },
}


@pytest.mark.parametrize("title", ENTRIES)
def test_an_operation(
    torch: Any,
    arrays: dict[str, Any],
    error_of: Any,
    capsys: pytest.CaptureFixture[str],
    title: str,
) -> None:
    found = dict(arrays)
    exec(compile(upgrade.python_of(ENTRIES[title]), title, "exec"), found)
    torch.cuda.synchronize()
    for name, wanted in EXPECTED[title](Reference(torch, found)).items():
        result = found[name]
        assert error_of(result.reshape(wanted.shape), wanted.detach()) < 5e-3, name
    if title == "Size of a workspace":
        assert found["size"] >= 0
    if title.startswith("Shape"):
        assert capsys.readouterr().out.split("\n")[:2] == ["(8, 64, 14, 14)", "(8, 64, 7, 7)"]
    if title == "Descriptors of filters":
        assert capsys.readouterr().out == "(64, 64, 3, 3) (576, 1, 192, 64)\n"
    if title == "Search for an algorithm":
        assert len(found["found"]) > 3


def test_calls(cudnn: Any, torch: Any, handle: Any) -> None:
    """Functions that took the place of others, called as the page shows, in a training step."""
    from reference.records import Models

    models = Models()
    groups = [each for found in upgrade.items(models) for each in upgrade.groups(models, found)]
    code = {group.calls: group.python for group in groups if group.calls}
    names = _network(cudnn, torch, handle)

    def run(function: str) -> Any:
        exec(compile(code.pop(function), function, "exec"), names)
        return names.get("result")

    for part in ("Adv", "Cnn", "Ops"):
        run(f"cudnn{part}VersionCheck")
    assert run("cudnnGetLastErrorString") == ""
    assert run("cudnnBackendCreateDescriptor")
    cudnn.cudnnBackendDestroyDescriptor(names["result"])
    run("cudnnSetCTCLossDescriptor_v9")
    run("cudnnGetCTCLossDescriptor_v9")
    assert names["normMode"] == cudnn.LossNormalizationMode.SOFTMAX
    run("cudnnSetRNNDescriptor_v8")
    run("cudnnRNNSetClip_v9")
    run("cudnnRNNGetClip_v9")
    assert (names["lclip"], names["rclip"]) == (-5.0, 5.0)
    assert run("cudnnGetRNNDescriptor_v8").hiddenSize == names["hiddenSize"]
    size = run("cudnnGetRNNWeightSpaceSize")
    weights = torch.randn(size // 4, device="cuda") * 0.1
    names |= {"weightSpaceSize": size, "weightSpace": weights}
    names |= {"dweightSpace": torch.zeros_like(weights)}
    run("cudnnGetRNNWeightParams")
    assert names["mAddr"] >= weights.data_ptr()
    run("cudnnGetRNNTempSpaceSizes")
    for name in ("workSpace", "reserveSpace"):
        names[name] = torch.empty(names[f"{name}Size"] + 1, dtype=torch.uint8, device="cuda")
    run("cudnnRNNForward")
    run("cudnnRNNBackwardData_v8")
    run("cudnnRNNBackwardWeights_v8")
    torch.cuda.synchronize()
    for name in ("y", "dx", "dweightSpace"):
        assert names[name].isfinite().all(), name
        assert names[name].any(), name
    # Plans are for the algorithm that this descriptor has; cuDNN may have none for this device.
    names["rnnDesc"] = cudnn.RNNDescriptor.of("LSTM", 16, 16, algorithm="PERSIST_DYNAMIC")
    with contextlib.suppress(cudnn.errors.NotSupportedError):
        run("cudnnBuildRNNDynamic")
    assert not code, "every call of the page was made"


def _network(cudnn: Any, torch: Any, handle: Any) -> dict[str, Any]:
    """Return what the arguments of the calls are: an LSTM of one layer, 5 steps, 3 sequences."""
    time, batch, size = 5, 3, 16
    lengths = [time] * batch

    def made(*shape: int) -> Any:
        return torch.randn(shape, device="cuda")

    data = cudnn.RNNDataDescriptor.of(lengths, size, "float32")
    state = cudnn.TensorDescriptor.packed((1, batch, size), "float32", axes=3)
    states = ("hx", "hy", "dhx", "dhy", "cx", "cy", "dcx", "dcy")
    return {
        "handle": handle,
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
        "inputSize": size,
        "hiddenSize": size,
        "projSize": size,
        "numLayers": 1,
        "auxFlags": 0,
        "miniBatch": batch,
        "clipMode": cudnn.RNNClipMode.MINMAX,
        "lclip": -5.0,
        "rclip": 5.0,
        "pseudoLayer": 0,
        "linLayerID": 0,
        "mDesc": cudnn.TensorDescriptor(),
        "bDesc": cudnn.TensorDescriptor(),
        "fwdMode": cudnn.ForwardMode.TRAINING,
        "addGrad": cudnn.WgradMode.ADD,
        "devSeqLengths": torch.tensor(lengths, dtype=torch.int32, device="cuda"),
        "xDesc": data,
        "yDesc": data,
        "hDesc": state,
        "cDesc": state,
        **{name: made(time, batch, size) for name in ("x", "y", "dx", "dy")},
        **{name: made(1, batch, size) for name in states},
        "ctcLossDesc": cudnn.CTCLossDescriptor(),
        "compType": cudnn.DataType.FLOAT,
        "normMode": cudnn.LossNormalizationMode.SOFTMAX,
        "ctcGradMode": cudnn.CTCGradMode.ZERO_OOB_GRADIENTS,
        "maxLabelLength": 10,
        "descriptorType": cudnn.BackendDescriptorType.TENSOR_DESCRIPTOR,
    }
