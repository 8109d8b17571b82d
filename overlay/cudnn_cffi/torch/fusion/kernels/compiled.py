"""Kernels in CUDA C++: compiled by the compiler that PyTorch has with it, loaded, and launched."""

from __future__ import annotations

import ctypes
import sys
import threading
from functools import cache
from pathlib import Path

import torch

from .... import errors
from ....driver import libcuda
from ....driver.context import in_context, primary_context

#: The number of each data type in the sources.
TYPES = {torch.float16: 0, torch.bfloat16: 1, torch.float32: 2, torch.float64: 3}

#: Memory of a block, in bytes, that a kernel has without asking for it.
_PLENTY = 48 << 10

#: Numbers of the driver: the attribute of a kernel for its memory, and those of a launch.
_SHARED_MEMORY, _CLUSTER, _OVERLAP = 8, 4, 6


@cache
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


@cache
def can_compile() -> bool:
    """Return whether there is a compiler."""
    try:
        _nvrtc()
    except errors.NotSupportedError:
        return False
    return True


def compiled(name: str, source: str, capability: tuple[int, int], *options: str) -> bytes:
    """Return the binary of a source that includes nothing.

    Args:
        name: of the file, for messages.
        source: the text of the kernels.
        capability: of the device.
        options: of the compiler.

    Raises:
        NotSupportedError: there is no compiler, or it refuses the source.
    """
    nvrtc = _nvrtc()
    program = ctypes.c_void_p()
    status = nvrtc.nvrtcCreateProgram(
        ctypes.byref(program), source.encode(), name.encode(), 0, None, None
    )
    if not status:
        given = [b"--gpu-architecture=sm_%d%d" % capability, *(each.encode() for each in options)]
        status = nvrtc.nvrtcCompileProgram(
            program, len(given), (ctypes.c_char_p * len(given))(*given)
        )
    size = ctypes.c_size_t()
    if status:
        nvrtc.nvrtcGetProgramLogSize(program, ctypes.byref(size))
        log = ctypes.create_string_buffer(size.value)
        nvrtc.nvrtcGetProgramLog(program, log)
        raise errors.NotSupportedError(f"{name} was not compiled: {log.value.decode()}")
    nvrtc.nvrtcGetCUBINSize(program, ctypes.byref(size))
    code = ctypes.create_string_buffer(size.value)
    nvrtc.nvrtcGetCUBIN(program, code)
    nvrtc.nvrtcDestroyProgram(ctypes.byref(program))
    return code.raw


class Source:
    """Kernels of a source on a device, which a thread compiles.

    Attributes:
        ordinal: the device.
    """

    def __init__(self, ordinal: int, name: str, text: str, options: tuple[str, ...]) -> None:
        self.ordinal = ordinal
        self._name, self._text, self._options = name, text, options
        self._capability = torch.cuda.get_device_capability(ordinal)
        self._code: bytes | None = None
        self._error: errors.CudnnError | None = None
        self._module: ctypes.c_void_p | None = None
        self._found: dict[str, ctypes.c_void_p] = {}
        self._lock = threading.Lock()
        self._thread = threading.Thread(target=self._compile, daemon=True)
        self._thread.start()

    def _compile(self) -> None:
        try:
            self._code = compiled(self._name, self._text, self._capability, *self._options)
        except errors.CudnnError as error:
            self._error = error

    @property
    def is_loaded(self) -> bool:
        """Return whether a kernel of it was asked for before."""
        return bool(self._found)

    def kernel(self, name: str, shared: int = 0) -> ctypes.c_void_p:
        """Return a kernel; wait until it is compiled.

        Args:
            name: as the source has it.
            shared: the most memory of a block, in bytes, that it is launched with.

        Raises:
            NotSupportedError: it cannot be compiled.
        """
        found = self._found.get(name)
        if found is None:
            with self._lock:
                found = self._load(name)
                if shared > _PLENTY:
                    with in_context(primary_context(self.ordinal)):
                        libcuda.call("cuFuncSetAttribute", found, _SHARED_MEMORY, shared)
                self._found[name] = found
        return found

    def _load(self, name: str) -> ctypes.c_void_p:
        self._thread.join()
        if self._code is None:
            raise self._error or errors.NotSupportedError(f"{self._name} was not compiled")
        found = ctypes.c_void_p()
        with in_context(primary_context(self.ordinal)):
            if self._module is None:
                module = ctypes.c_void_p()
                libcuda.call("cuModuleLoadData", ctypes.byref(module), self._code)
                self._module = module
            libcuda.call("cuModuleGetFunction", ctypes.byref(found), self._module, name.encode())
        return found


@cache
def kernels_of(ordinal: int, *paths: Path, text: str = "", options: tuple[str, ...] = ()) -> Source:
    """Return the kernels of files, one after the other, on a device; they begin to be compiled.

    Args:
        ordinal: the device.
        paths: of the files; the last names the source in messages.
        text: follows the files.
        options: of the compiler, as `-DNAME=VALUE`.
    """
    torch.cuda.init()
    texts = [each.read_text() for each in paths]
    return Source(ordinal, paths[-1].name, "\n".join([*texts, text]), options)


class _Attribute(ctypes.Structure):
    _fields_ = (("id", ctypes.c_int), ("gap", ctypes.c_int), ("value", ctypes.c_uint * 16))


class _Config(ctypes.Structure):
    _fields_ = (
        ("grid", ctypes.c_uint * 3),
        ("block", ctypes.c_uint * 3),
        ("shared", ctypes.c_uint),
        ("stream", ctypes.c_void_p),
        ("attributes", ctypes.POINTER(_Attribute)),
        ("count", ctypes.c_uint),
    )


class Launch:
    """A kernel, its blocks and their memory."""

    def __init__(
        self, kernel: ctypes.c_void_p, ordinal: int, grid: tuple[int, int, int], threads: int,
        *, shared: int = 0, cluster: int = 1,
    ) -> None:  # fmt: skip
        """Describe a launch.

        Args:
            kernel: of `Source.kernel`.
            ordinal: its device.
            grid: the numbers of blocks.
            threads: of a block.
            shared: memory of a block, in bytes.
            cluster: blocks along the last axis that read each other's memory.
        """
        self._kernel, self._ordinal = kernel, ordinal
        self._grid, self._block = (ctypes.c_uint * 3)(*grid), (ctypes.c_uint * 3)(threads, 1, 1)
        self._shared = shared
        attributes = (_Attribute * 2)()
        attributes[0].id, attributes[0].value[:1] = _OVERLAP, [1]
        attributes[1].id, attributes[1].value[:3] = _CLUSTER, [1, 1, cluster]
        first, own = ctypes.pointer(attributes[0]), ctypes.pointer(attributes[1])
        self._count = 1 if cluster > 1 else 0
        self._attributes = own, first  # which keep the array

    def __call__(self, *arguments: bytes, overlaps: bool = False) -> None:
        """Put it into PyTorch's current stream of the device.

        Args:
            arguments: the bytes of each argument of the kernel.
            overlaps: whether it begins while the kernel before it ends, which has to allow it.

        Raises:
            CudnnError: the driver refuses it.
        """
        config = _Config(
            self._grid, self._block, self._shared,
            torch._C._cuda_getCurrentRawStream(self._ordinal),
            self._attributes[overlaps], self._count + overlaps,
        )  # fmt: skip
        held = [ctypes.create_string_buffer(each, len(each)) for each in arguments]
        given = (ctypes.c_void_p * len(held))(*map(ctypes.addressof, held))
        launch = libcuda.load().cuLaunchKernelEx
        if launch(ctypes.byref(config), self._kernel, given, None):
            # Another device's context is current, or none in a new thread.
            with in_context(primary_context(self._ordinal)):
                if status := launch(ctypes.byref(config), self._kernel, given, None):
                    raise errors.CudnnError(f"cuLaunchKernelEx -> error {status}")
