"""The kernel that folds norms into weights on the device: compiled once for each device."""

from __future__ import annotations

import ctypes
import math
import struct
import sys
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import torch

from ... import errors
from ...driver import libcuda
from ...driver.context import in_context, primary_context
from ..autograd.layouts import last_format

if TYPE_CHECKING:
    from .weights import Weights

_TYPES = {torch.float16: 0, torch.bfloat16: 1, torch.float32: 2, torch.float64: 3}

#: The layout of `Item` in fold.cu, but for the range of elements, and of that range and its mark.
_LAYER = struct.Struct("8Qd3q14i")
_RANGE = struct.Struct("=4iQ")

#: Minimum and maximum elements of a target that one block of threads folds: about as many as make
#: 8 blocks for a layer; and the maximum of rows that they are in.
_FEW, _MANY = 2048, 32768
_ROWS = 504

#: Maximum elements of rows that one block folds, where these have to be whole.
_MOST = 65536

_THREADS = 256


def _nvrtc() -> ctypes.CDLL:
    """Return the compiler's library, which PyTorch has with it."""
    major = (torch.version.cuda or "0").split(".")[0]
    name = f"nvrtc64_{major}0_0.dll" if sys.platform == "win32" else f"libnvrtc.so.{major}"
    packages = Path(torch.__file__).parents[1]
    folders = [
        packages / "torch" / "lib",
        packages / "nvidia" / "cuda_nvrtc" / "lib",
        packages / "nvidia" / f"cu{major}" / "lib",
    ]
    for path in (name, *(str(each / name) for each in folders)):
        try:
            return ctypes.CDLL(path)
        except OSError:
            continue
    raise errors.NotSupportedError(f"{name} was not found, which compiles a kernel")


def _compile(source: str, capability: tuple[int, int]) -> bytes:
    nvrtc = _nvrtc()
    program = ctypes.c_void_p()
    status = nvrtc.nvrtcCreateProgram(
        ctypes.byref(program), source.encode(), b"fold.cu", 0, None, None
    )
    if not status:
        options = [b"--gpu-architecture=sm_%d%d" % capability, b"--fmad=false"]
        status = nvrtc.nvrtcCompileProgram(
            program, len(options), (ctypes.c_char_p * len(options))(*options)
        )
    size = ctypes.c_size_t()
    if status:
        nvrtc.nvrtcGetProgramLogSize(program, ctypes.byref(size))
        log = ctypes.create_string_buffer(size.value)
        nvrtc.nvrtcGetProgramLog(program, log)
        raise errors.NotSupportedError(
            f"the kernel for folding weights was not compiled: {log.value.decode()}"
        )
    nvrtc.nvrtcGetCUBINSize(program, ctypes.byref(size))
    code = ctypes.create_string_buffer(size.value)
    nvrtc.nvrtcGetCUBIN(program, code)
    nvrtc.nvrtcDestroyProgram(ctypes.byref(program))
    return code.raw


@cache
def function(ordinal: int) -> ctypes.c_void_p:
    """Return the kernel on a device.

    Raises:
        NotSupportedError: it cannot be compiled.
    """
    source = (Path(__file__).parent / "fold.cu").read_text()
    code = _compile(source, torch.cuda.get_device_capability(ordinal))
    module, found = ctypes.c_void_p(), ctypes.c_void_p()
    with torch.cuda.device(ordinal):
        torch.cuda.current_stream().query()  # the context is there
        libcuda.call("cuModuleLoadData", ctypes.byref(module), code)
    libcuda.call("cuModuleGetFunction", ctypes.byref(found), module, b"fold")
    return found


def _order(shape: Sequence[int], last: bool) -> list[int]:
    """Return the axes of filters in the order of memory."""
    axes = list(range(2, len(shape)))
    return [0, *axes, 1] if last and last_format(len(shape)) is not None else [0, 1, *axes]


def _collapsed(sizes: list[int], strides: list[int]) -> list[tuple[int, int]]:
    """Return extents and strides with axes joined that lie in memory as one."""
    pairs: list[tuple[int, int]] = []
    for size, stride in zip(sizes, strides, strict=True):
        if size == 1:
            continue
        if pairs and pairs[-1][1] == size * stride:
            pairs[-1] = (pairs[-1][0] * size, stride)
        else:
            pairs.append((size, stride))
    return pairs


def layer_of(own: Weights) -> tuple[bytes, int, int, int] | None:
    """Return the description of a layer for the kernel, and elements of it, a row and a block.

    None where the kernel does not take it.
    """
    layer, norm, target, bias = own.layer, own.norm, own.weight, own.bias
    source = layer.weight
    if target.data_ptr() == source.data_ptr():
        return None
    if bias is not None and layer.bias is not None and bias.data_ptr() == layer.bias.data_ptr():
        bias = None  # it is the model's own
    transposed = bool(getattr(layer, "transposed", False))
    order = _order(source.shape, own.last)
    sizes = [source.shape[axis] for axis in order[1:]]
    strides = [source.stride(axis) for axis in order[1:]]
    if transposed and norm is not None:
        if order[-1] == 1 and len(order) > 2:
            return None
        window = _collapsed(sizes[1:], strides[1:])
        pairs = [(sizes[0], strides[0]), *(window or [(1, 1)])]
    else:
        pairs = _collapsed(sizes, strides)
        pairs = [(1, 0)] * (2 - len(pairs)) + pairs
    if len(pairs) != 2 or source.numel() >= 1 << 30:
        return None
    (middle, source_middle), (inner, source_inner) = pairs
    types = [source, target, layer.bias, None, None]
    tensors = [layer.weight, layer.bias, None, None, None, None]
    if norm is not None:
        tensors[2:] = [norm.running_mean, norm.running_var, norm.weight, norm.bias]
        types[3:] = [norm.running_var, norm.weight if norm.weight is not None else norm.bias]
        if norm.running_mean.dtype != norm.running_var.dtype:
            return None
        if None not in (norm.weight, norm.bias) and norm.weight.dtype != norm.bias.dtype:
            return None
    for each in tensors[1:]:
        if each is not None and (each.dim() != 1 or each.stride(0) != 1) and each.numel() > 1:
            return None
    if any(each is not None and each.dtype not in _TYPES for each in types):
        return None
    codes = [-1 if each is None else _TYPES[each.dtype] for each in types]
    size = target.element_size()
    count = 16 // size
    narrow = source.dtype in (torch.float16, torch.bfloat16)
    vectors = (
        inner % count == 0
        and target.data_ptr() % 16 == 0
        and not (transposed and norm is not None)
        and (source.dtype, target.dtype) != (torch.float16, torch.float32)
        and (source.dtype, target.dtype) != (torch.bfloat16, torch.float32)
        and torch.float64 not in (source.dtype, target.dtype)
    )
    aligned = (
        source_inner == 1
        and source.element_size() == size
        and source.data_ptr() % 16 == 0
        and source_middle % count == 0
        and source.stride(0) % count == 0
    )
    # Filters without gaps are hashed as one piece of memory: whole rows, or in the target's order.
    row = middle * inner
    last = sum((size - 1) * stride for size, stride in zip(sizes, strides, strict=True))
    grain = 16 // math.gcd(16, row * source.element_size())  # rows to the next that is aligned
    is_whole = row * grain <= _MOST
    flat = (
        source.stride(0) == row == last + 1 and min(strides) > 0 and source.data_ptr() % 16 == 0
        and (is_whole or (source_inner == 1 and (middle == 1 or source_middle == inner)))
    )  # fmt: skip
    step = max(_FEW, min(_MANY, source.numel() // 64 * 8))
    if flat and is_whole:
        step = row * grain * max(1, min(step // row, _ROWS) // grain)
    else:
        step = min(step, max(8, _ROWS * row // 8 * 8))
    groups = layer.groups if transposed else 1
    return (
        _LAYER.pack(
            *[0 if each is None else each.data_ptr() for each in tensors],
            target.data_ptr(), 0 if bias is None else bias.data_ptr(),
            0.0 if norm is None else norm.eps,
            source.stride(0), source_middle, source_inner,
            source.shape[0], middle, inner,
            0 if bias is None else bias.numel(),
            source.shape[0] // groups if transposed and norm is not None else 0,
            *codes, not narrow, vectors, aligned, flat,
        ),
        source.numel(), row, step,
    )  # fmt: skip


def table_of(weights: Sequence[Weights]) -> tuple[bytes, int, list[Weights]]:
    """Return what the kernel reads, how many blocks of threads it takes, and weights it leaves."""
    items: list[bytes] = []
    left: list[Weights] = []
    for own in weights:
        found = layer_of(own)
        if found is None:
            left.append(own)
            continue
        described, count, row, step = found
        # The ranges of a layer are always the same, as each has its mark.
        begins = range(0, count, step)
        marks = own.marks(len(begins)).data_ptr()
        for place, begin in enumerate(begins):
            end, mark = min(begin + step, count), marks + 8 * place
            items.append(described + _RANGE.pack(begin, end, begin // row, (end - 1) // row, mark))
    return b"".join(items), len(items), left


class Folding:
    """Folds the weights of several layers by one launch."""

    def __init__(self, weights: Sequence[Weights], ordinal: int) -> None:
        """Describe the layers to the device.

        Args:
            weights: of the layers.
            ordinal: the device.
        """
        self._ordinal = ordinal
        self._function = function(ordinal)
        table, self._count, self._left = table_of(weights)
        if not self._count:
            return
        self._table = torch.frombuffer(bytearray(table), dtype=torch.uint8).to(f"cuda:{ordinal}")
        self._address = ctypes.c_void_p(self._table.data_ptr())
        self._arguments = (ctypes.c_void_p * 1)(ctypes.addressof(self._address))
        self._launch = libcuda.load().cuLaunchKernel

    def run(self) -> None:
        """Fold, in PyTorch's current stream of the device."""
        stream = torch._C._cuda_getCurrentRawStream(self._ordinal)
        if self._count and self._launch_in(stream):
            # Another device's context is current, or none in a new thread.
            with in_context(primary_context(self._ordinal)):
                if status := self._launch_in(stream):
                    raise errors.CudnnError(f"cuLaunchKernel -> error {status}")
        for each in self._left:
            each.refresh()

    def _launch_in(self, stream: int) -> int:
        status: int = self._launch(
            self._function, self._count, 1, 1, _THREADS, 1, 1, 0,
            ctypes.c_void_p(stream), self._arguments, None,
        )  # fmt: skip
        return status
