"""Layers with plans that PyTorch executes on the CPU, in the place of cuDNN: what the compiled layer
learns of calls and of gradients is right, and is used. Tensors say that they are on a GPU."""

import ctypes
import math
import os
import sys
from functools import partial
from types import SimpleNamespace
from typing import Any

import torch
from cudnn_cffi import arrays, choice, errors, ops
from cudnn_cffi._call.layer import mode
from cudnn_cffi._operation import way_search
from cudnn_cffi.arrays import ArrayInfo
from cudnn_cffi.driver import timing
from cudnn_cffi.plan import Operand
from cudnn_cffi.plan.arrays import outputs, torch_bits
from cudnn_cffi.plan.run import launcher
from cudnn_cffi.torch import functional, modules
from cudnn_cffi.torch.autograd import nodes, recorder
from cudnn_cffi.torch.autograd.sharing import layers
from cudnn_cffi.torch.functional.attn import attention
from cudnn_cffi.torch.functional.conv import convolution
from torch import nn

from tests.fake_driver import FakeDriver
from tests.plan import standin
from tests.torch.stand_in import STAND_INS

torch.set_num_threads(1)
F, grad_of = torch.nn.functional, torch.autograd.grad


def pretend(current: list[Any] | None = None) -> None:
    """Have tensors of the CPU pass for tensors on the first GPU.

    Args:
        current: has the current stream as its only item.
    """
    torch_bits._find_reader = lambda *_: None  # it would see the CPU
    capsule = ctypes.pythonapi.PyCapsule_GetPointer
    capsule.restype, capsule.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    name = b"dlpack_exchange_api"
    real = capsule(torch.Tensor.__dlpack_c_exchange_api__, name)
    own = standin._Table.from_buffer_copy(
        (ctypes.c_char * ctypes.sizeof(standin._Table)).from_address(real)
    )
    describe = standin._DESCRIBE(ctypes.cast(own.describe, ctypes.c_void_p).value)

    def describe_there(tensor: Any, out: Any) -> int:
        described.append(1)
        status = int(describe(tensor, out))
        out[0].device_type, out[0].device = 2, 0
        return status

    def stream(_kind: int, _device: int, out: Any) -> int:
        out[0] = current[0] if current else None
        return 0

    own.describe, own.stream = standin._DESCRIBE(describe_there), standin._STREAM(stream)
    make = ctypes.pythonapi.PyCapsule_New
    make.restype, make.argtypes = (
        ctypes.py_object,
        [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p],
    )
    changed: Any = torch.Tensor
    changed.__dlpack_c_exchange_api__ = make(ctypes.addressof(own), name, None)
    changed.is_cuda = True
    kept.append(own)
    cuda: Any = torch.cuda
    cuda.current_stream = lambda _device=None: SimpleNamespace(
        cuda_stream=(current[0] or 0) if current else 0, synchronize=lambda: None
    )
    cuda.is_current_stream_capturing = lambda: False
    own_torch: Any = torch._C
    own_torch._cuda_getCurrentRawStream = lambda _: (current[0] or 0) if current else 0
    known, refuse = arrays.describe, sys.modules[arrays.describe.__module__]._check_memory

    def look(array: Any) -> ArrayInfo:
        if not isinstance(array, torch.Tensor):
            return known(array)
        refuse(array)
        return ArrayInfo(
            array.data_ptr(), str(array.dtype).removeprefix("torch."), tuple(array.shape),
            tuple(array.stride()), 0,
        )  # fmt: skip

    def options(names: Any, _device: int) -> Any:
        return {"dtype": getattr(torch, names[0]), "device": torch.device("cpu")}

    room: Any = arrays
    room.describe = look
    for module in (launcher, outputs):
        place: Any = module
        place.torch_options, place.torch_maker = options, lambda: None
    for module in (attention, convolution):
        checked: Any = module
        checked.check_tensors = lambda **_: None


kept: list[Any] = []
#: One item for each time that a tensor of Python was described to the compiled layer.
described: list[int] = []
#: The computation of each plan, by its descriptor: the operation, its case, and unique ids by name.
computations: dict[int, Any] = {}
#: The last request, by the words of operations.
picks: dict[str, Any] = {}
#: Empty where plans take no array at another address than a multiple of 16.
takes_any = ["whatever comes"]
MISALIGNED = 2003
#: Operations that are refused, by their words.
refused: set[str] = set()


def tensor_at(address: int, spec: Any) -> torch.Tensor:
    dtype = getattr(torch, spec.dtype)
    last = sum((n - 1) * s for n, s in zip(spec.shape, spec.strides, strict=True))
    size = (last + 1) * torch.empty(0, dtype=dtype).element_size()
    memory = (ctypes.c_char * size).from_address(address)
    return torch.frombuffer(memory, dtype=dtype).as_strided(spec.shape, spec.strides)


class Computing(standin.StandIn):
    """A cuDNN whose plans PyTorch executes."""

    def _execute(self, function: str, handle: int, plan: int, pack: int, graph: int) -> int:
        status = super()._execute(function, handle, plan, pack, graph)
        pointers = self.executions.pop().pointers
        if any(each % 16 for each in pointers.values()) and not takes_any:
            return MISALIGNED
        operation, case, uids = computations[plan]
        given = [
            tensor_at(pointers[uids[name]], case.inputs[name]) if name in case.inputs else None
            for name in operation.takes
        ]
        while given[-1] is None:
            given.pop()
        named = {}
        if "bias" in case.inputs and operation.word.startswith("attention"):
            named["bias"] = given.pop()
        shapes = []
        if type(operation) in (ops.ConvolutionBackwardData, ops.ConvolutionBackwardFilter):
            shapes = [next(iter(case.outputs.values())).shape]
        with torch.no_grad():
            found = STAND_INS[type(operation)](operation, *given, *shapes, **named)
        made = [found] if isinstance(found, torch.Tensor) else [e for e in found if e is not None]
        # Statistics, and the gradient of a bias, may not be wanted.
        every = not operation.word.startswith("attention")
        for (name, spec), each in zip(case.outputs.items(), made, strict=every):
            tensor_at(pointers[uids[name]], spec).copy_(each.reshape(spec.shape))
        return status


def find_way(self: Any, case: Any, rule: Any, *_: Any) -> Any:
    picks[self.word] = rule.pick
    specs = (*case.inputs.values(), *case.outputs.values())
    if self.word in refused or (
        not takes_any and specs[0].shape == (3, 8) and any(each.alignment < 16 for each in specs)
    ):
        raise errors.NotSupportedError("not today")
    uids = {name: uid for uid, name in enumerate((*case.inputs, *case.outputs), 1)}
    operands = [
        Operand(
            name, uids[name], each.shape, each.strides, each.data_type, each.alignment,
            role="output" if name in case.outputs else "input",
        )
        for name, each in (*case.inputs.items(), *case.outputs.items())
    ]  # fmt: skip
    plan = standin.make_plan(operands)
    computations[plan._plan._cudnnBackendDescriptor_t] = self, case, uids  # type: ignore[union-attr]
    return plan


def python_of(call: Any) -> set[str]:
    """Call, and return the functions of this package's layers and operations that ran."""
    ran: set[str] = set()

    def note(frame: Any, event: str, _: Any) -> None:
        path = frame.f_code.co_filename
        ours = (
            "cudnn_cffi/torch" in path or "cudnn_cffi/ops" in path
        ) and "torch/modules/" not in path
        if event == "call" and ours:
            ran.add(frame.f_code.co_name)

    sys.setprofile(note)
    try:
        call()
    finally:
        sys.setprofile(None)
    return ran


#: The Python functions that a known call runs.
FRONT = {"__call__", "_copied", "scaled_dot_product_attention", "neutral", "is_eager", "_bias"}


def check(name: str, ours: Any, theirs: Any, make: Any, *, is_known: bool = True) -> None:
    """Compare outputs and gradients in several calls, of which the last ones are known."""
    for turn in range(5):
        inputs, wanted, weights = make(turn)
        results: list[Any] = []

        def step(function: Any, inputs: Any = inputs, wanted: Any = wanted,
                 weights: Any = weights, results: Any = results) -> None:  # fmt: skip
            y = function(*inputs)
            results.append([y.detach(), *grad_of(y, wanted(function), weights(y))])

        ran = python_of(lambda: step(ours))
        step(theirs)
        for one, other in zip(*results, strict=True):
            torch.testing.assert_close(one, other, rtol=1e-3, atol=1e-3, msg=f"{name}, {turn}")
        if turn >= 2 and is_known:
            assert ran <= FRONT, (name, turn, ran)


def of_modules(kind: str, *arguments: Any, shape: Any, needs: str = "all", **options: Any) -> None:
    """Compare a module of ours with PyTorch's."""
    known = options.pop("is_known", True)
    ours, theirs = (getattr(room, kind)(*arguments, **options) for room in (modules, nn))
    for each in theirs.parameters():
        nn.init.uniform_(each, -1, 1)
    ours.load_state_dict(theirs.state_dict())

    def make(turn: int) -> Any:
        torch.manual_seed(turn)
        x = torch.randn(shape, requires_grad=needs != "parameters")

        def wanted(module: Any) -> Any:
            own = [] if needs == "input" else list(module.parameters())
            return own if needs == "parameters" else [x, *own]

        return (x,), wanted, lambda y: torch.linspace(-1, 1, y.numel()).view(y.shape)

    check(f"{kind}, {needs}", ours, theirs, make, is_known=known)


def main() -> None:
    pretend()
    driver = FakeDriver()
    driver.install(setattr)
    cudnn = Computing()
    cudnn.bind()
    changed: Any = way_search
    changed.find_uncopied = find_way
    compiled = mode() == "api"

    image = (2, 4, 6, 8)
    for kind in ("ReLU", "GELU", "Tanh"):
        of_modules(kind, shape=image, is_known=compiled)
    of_modules("Softmax", 1, shape=image, is_known=compiled)
    of_modules("MaxPool2d", 2, shape=image, is_known=compiled)
    of_modules("AvgPool2d", 2, shape=image, is_known=compiled)
    for needs in ("all", "input", "parameters"):
        for kind in ("LayerNorm", "RMSNorm"):
            of_modules(kind, 8, shape=image, needs=needs, is_known=compiled)
        of_modules("InstanceNorm2d", 4, shape=image, affine=True, needs=needs, is_known=compiled)
        for bias in (True, False):
            of_modules("Conv2d", 4, 3, (3, 1), shape=image, padding=(1, 0), bias=bias, needs=needs,
                       is_known=compiled)  # fmt: skip
        of_modules("ConvTranspose2d", 4, 3, (3, 1), shape=image, stride=(2, 1), bias=False,
                   needs=needs, is_known=compiled)  # fmt: skip
    of_modules("InstanceNorm2d", 4, shape=image, is_known=compiled)
    of_modules("LayerNorm", 8, shape=image, elementwise_affine=False, is_known=False)

    def make(turn: int) -> Any:
        torch.manual_seed(turn)
        q, k, v = (torch.randn(2, 2, 8, 8, dtype=torch.float16, requires_grad=True) for _ in "qkv")
        return (q, k, v), lambda _: [q, k, v], torch.ones_like

    pair = functional.scaled_dot_product_attention, F.scaled_dot_product_attention
    check("attention", *pair, make, is_known=compiled)

    def same(turn: int) -> Any:
        (q, _, _), _, weights = make(turn)
        return (q, q, q), lambda _: [q], weights

    check("attention of one tensor", *pair, same, is_known=compiled)

    relu, x = modules.ReLU(), torch.randn(image, requires_grad=True)
    y = relu(x)
    dy = torch.randn(image)

    def step() -> Any:
        return grad_of(relu(x), x, dy)

    for _ in range(3):
        step()
    if compiled:
        assert python_of(step) <= FRONT
        torch.backends.cudnn.deterministic = True  # another choice, which is looked for anew
        assert "differentiate" in python_of(step)
        assert python_of(step) <= FRONT
        torch.backends.cudnn.deterministic = False
        assert python_of(step) <= FRONT
        with torch.no_grad():
            relu(x)
            assert python_of(lambda: relu(x)) <= FRONT
    if recorder.extension() is not None:  # which reads tensors and makes outputs itself
        pool = partial(functional.avg_pool2d, kernel_size=2)
        for function in (
            functional.relu,
            functional.gelu,
            pool,
            partial(functional.softmax, dim=1),
        ):
            for one in (x.detach(), x):
                for _ in range(3):
                    function(one)
                described.clear()
                y = function(one)
                assert not described and y.requires_grad == one.requires_grad
                (found,) = grad_of(y.sum(), x) if y.requires_grad else (None,)
                assert found is None or found.shape == x.shape
    given = [torch.randn(2, 2, 8, 8, dtype=torch.float16) for _ in "qkv"]
    torch.set_autocast_enabled("cuda", True)  # `torch.autocast` does not where there is no GPU
    for kind in (torch.float16, torch.bfloat16) * 2:
        torch.set_autocast_dtype("cuda", kind)
        with torch.no_grad():
            assert functional.scaled_dot_product_attention(*given).dtype == kind
    torch.set_autocast_enabled("cuda", False)
    with ops.record() as ran:
        step()
    assert [each.operation for each in ran] == ["activation", "activation_backward"], ran
    # Gradients of another layout are copied, and a sum's has strides of 0.
    (found,) = grad_of(relu(x).sum(), x)
    torch.testing.assert_close(found, (x > 0).float())
    last = dy.contiguous(memory_format=torch.channels_last)
    (found,) = grad_of(relu(x), x, last)
    torch.testing.assert_close(found, dy * (x > 0))
    # Gradients of many results at once are tensors without memory, which stand for them.
    many = torch.randn(3, *image)
    for _ in range(2):
        (found,) = grad_of(relu(x), x, many, is_grads_batched=True)
        torch.testing.assert_close(found, many * (x > 0))
        step()
    # Gradients have the choices of their call, also where they are computed after its scope.
    for pick in ("time", "deterministic"):
        with choice.scope(data=pick):
            y = relu(x)
        (found,) = grad_of(y, x, dy)
        torch.testing.assert_close(found, dy * (x > 0))
        assert picks["activation_backward"] == pick, picks
    # PyTorch computes second derivatives, and sees that a saved result was overwritten.
    cube = modules.Tanh()
    for _ in range(3):
        (first,) = grad_of(cube(x).sum(), x, create_graph=True)
        (second,) = grad_of(first.sum(), x)
        t = x.detach().tanh()
        torch.testing.assert_close(second, -2 * t * (1 - t * t))
    w = torch.randn(3, 4, 3, 1, requires_grad=True)
    for _ in range(3):
        found = []
        for convolve in (functional.conv2d, F.conv2d):
            first = grad_of(convolve(x, w).square().sum(), (x, w), create_graph=True)
            found.append(grad_of(first[0].sum() + first[1].square().sum(), (x, w)))
        torch.testing.assert_close(*found, rtol=1e-3, atol=1e-3)
    # A step that names what was not kept computes nothing.
    layer: Any = convolution.Convolution
    steps = layer.steps
    layer.steps = (steps[0], (steps[1][0], (2, *steps[1][1][1:])))
    try:
        grad_of(functional.conv2d(x, w).sum(), (x, w))
    except IndexError:
        layer.steps = steps
    else:
        raise AssertionError("a step took what was not kept")
    # An interrupt ends the computation of gradients; nothing begins it anew.
    loss = functional.conv2d(x, w).sum()
    missing: Any = nodes.Parts
    make_part = missing.__missing__

    def interrupt(_: Any, key: Any) -> Any:
        missing.__missing__ = make_part
        raise KeyboardInterrupt

    missing.__missing__ = interrupt
    for each in layers.values():
        each.parts.clear()
    try:
        grad_of(loss, (x, w))
    except KeyboardInterrupt:
        pass
    else:
        raise AssertionError("an interrupt was lost")
    # Known calls are not used for tensors whose memory has other numbers.
    z = torch.randn(2, 4, 6, 8, dtype=torch.complex64)
    with torch.no_grad():
        for plain, other in ((x.detach(), torch._neg_view(x)), (z.imag, z.conj().imag)):
            assert plain.data_ptr() == other.data_ptr() and plain.stride() == other.stride()
            for call in (ops.relu, modules.ReLU()):
                for _ in range(3):
                    call(plain)
                for _ in range(2):
                    try:
                        torch.testing.assert_close(call(other), other.resolve_neg().relu())
                    except errors.ArgumentError as error:
                        assert "negative bit" in str(error), error
    # Arrays that an engine does not take where they are: copies are in the workspace.
    takes_any.clear()

    def copy(what: int, _stream: int | None) -> int:
        one = timing._Copy2D.from_address(what)
        assert one.height == 1
        ctypes.memmove(one.target_device, one.source_device, one.width)
        return 0

    prototype = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)
    fake: Any = driver
    fake.cuMemcpy2DAsync_v2 = prototype(copy)
    # Plans say so when they run, or when they are made: those of relu for three rows.
    for word, *shapes in (
        ("relu", (3, 8)), ("relu", (5, 8)), ("convolution", (2, 4, 6, 8), (5, 4, 3, 1), (5,)),
    ):  # fmt: skip
        given = [torch.randn(each) for each in shapes]
        window = {"padding": (0, 0), "stride": (1, 1), "dilation": (1, 1), "groups": 1}
        compute = partial(getattr(ops, word), **window if word == "convolution" else {})
        expected = F.relu(*given) if word == "relu" else F.conv2d(*given)
        for which in range(len(given) + 1):
            moved = [torch.zeros(each.numel() + 9)[5:-4].view(each.shape) for each in given]
            low = [moved[i].copy_(each) if i == which else each for i, each in enumerate(given)]
            around = torch.full((expected.numel() + 9,), 7.0)
            out = around[5:-4].view(expected.shape)
            for _ in range(5):
                out.zero_()
                more = {"out": out} if which == len(given) else {}
                y = compute(*low, **more)
                torch.testing.assert_close(y, expected)
            if which == len(given):
                assert y is out and bool((torch.cat([around[:5], around[-4:]]) == 7.0).all())
    takes_any.append("whatever comes")
    y = relu(x)
    with torch.no_grad():
        y.mul_(2)
    try:
        grad_of(y, x, dy)
    except RuntimeError as error:
        assert "inplace" in str(error), error
    else:
        raise AssertionError("an overwritten result was taken")
    # If cuDNN refuses, PyTorch computes all gradients, that of the bias too.
    refused.add("layer_norm_backward")
    of_modules("LayerNorm", 16, shape=(3, 16), is_known=False)
    refused.add("layer_norm")
    of_modules("LayerNorm", 12, shape=(3, 12), is_known=False)
    assert math.isclose(float(relu(torch.ones(1, 2, 3, 4)).sum()), 24.0)
    print("known" if compiled else "right")


if __name__ == "__main__":
    main()
    # The interpreter may free the imitation before the plans that call it.
    sys.stdout.flush()
    os._exit(0)
